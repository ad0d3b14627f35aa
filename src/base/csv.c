/* Reading tables of numbers. The text is cut up in place: every separator becomes the end of a
 * string. */
#include "base/csv.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 256 << 20, COLUMN_LIMIT = 4096 };

/* What is left to read. */
typedef struct reader {
    const char *path;
    char *next, *stop; /* *stop may be written */
    size_t line;       /* of the one taken last, from 1 */
} reader;

/* The next line without its end, or null after the last. */
static char *take_line(reader *reader)
{
    char *line = reader->next;
    if (line == reader->stop)
        return NULL;
    char *end = memchr(line, '\n', (size_t)(reader->stop - line));
    reader->next = end ? end + 1 : reader->stop;
    if (!end)
        end = reader->stop;
    *end = 0;
    if (end > line && end[-1] == '\r')
        end[-1] = 0;
    reader->line++;
    return line;
}

/* The next cell of a line, or null after the last. */
static char *take_cell(char **line)
{
    char *cell = *line;
    if (!cell)
        return NULL;
    *line = strchr(cell, ',');
    if (*line)
        *(*line)++ = 0;
    return cell;
}

static size_t count_letter(const char *text, const char *stop, char letter)
{
    size_t count = 0;
    for (; text < stop; text++)
        count += *text == letter;
    return count;
}

static bool is_name(const char *text)
{
    return *text && !strchr(text, '"') && !wac_has_control(text, "");
}

static wac_status read_header(wac_csv *csv, reader *reader, wac_error *error)
{
    if (memchr(reader->next, 0, (size_t)(reader->stop - reader->next)))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is not text; check that it is a CSV file and was copied whole",
                        reader->path);
    char *line = take_line(reader), *name;
    if (!line)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is empty; its first line must name the columns", reader->path);
    size_t columns = count_letter(line, line + strlen(line), ',') + 1;
    if (columns > COLUMN_LIMIT)
        return wac_fail(error, WAC_STATUS_INPUT, "%s:1: has %zu columns; at most %d make sense",
                        reader->path, columns, COLUMN_LIMIT);
    csv->names = calloc(columns, sizeof *csv->names);
    if (!csv->names)
        return wac_fail_memory(error, reader->path);
    while ((name = take_cell(&line))) {
        if (!is_name(name))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:1: column %zu needs a name without quotes, not \"%s\"",
                            reader->path, csv->columns + 1, WAC_CLIP(name));
        if (wac_csv_column(csv, name) >= 0)
            return wac_fail(error, WAC_STATUS_INPUT, "%s:1: two columns are named \"%s\"",
                            reader->path, WAC_CLIP(name));
        csv->names[csv->columns++] = name;
    }
    return WAC_STATUS_OK;
}

static wac_status read_row(wac_csv *csv, const reader *reader, char *line, wac_error *error)
{
    double *cells = csv->cells + csv->rows * csv->columns;
    size_t found = count_letter(line, line + strlen(line), ',') + 1;
    if (found != csv->columns)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:%zu: this row has %zu cells, the header has %zu", reader->path,
                        reader->line, found, csv->columns);
    for (size_t i = 0; i < csv->columns; i++) {
        char *cell = take_cell(&line);
        cells[i] = NAN; /* an empty one is not a number, and fine */
        if (*cell && !(wac_number_parse(&cells[i], cell) && isfinite(cells[i])))
            return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: column %s: \"%s\" is not a number",
                            reader->path, reader->line, WAC_CLIP(csv->names[i]), WAC_CLIP(cell));
    }
    csv->rows++;
    return WAC_STATUS_OK;
}

static wac_status read_rows(wac_csv *csv, reader *reader, wac_error *error)
{
    /* every cell but the last has a separator behind it */
    size_t most = count_letter(reader->next, reader->stop, ',') +
                  count_letter(reader->next, reader->stop, '\n') + 1;
    csv->cells = malloc(most * sizeof *csv->cells);
    if (!csv->cells)
        return wac_fail_memory(error, reader->path);
    for (char *line; (line = take_line(reader));)
        WAC_TRY(read_row(csv, reader, line, error));
    return WAC_STATUS_OK;
}

wac_status wac_csv_parse(wac_csv *csv, char *bytes, size_t size, const char *path, wac_error *error)
{
    *csv = (wac_csv){.text = bytes};
    reader reader = {.path = path, .next = bytes, .stop = bytes + size};
    wac_status status = read_header(csv, &reader, error);
    if (status == WAC_STATUS_OK)
        status = read_rows(csv, &reader, error);
    if (status != WAC_STATUS_OK)
        wac_csv_free(csv);
    return status;
}

wac_status wac_csv_read(wac_csv *csv, const char *path, wac_error *error)
{
    char *bytes;
    size_t size;
    *csv = (wac_csv){0};
    WAC_TRY(wac_file_read(&bytes, &size, path, SIZE_LIMIT, error));
    return wac_csv_parse(csv, bytes, size, path, error);
}

void wac_csv_free(wac_csv *csv)
{
    free(csv->names);
    free(csv->cells);
    free(csv->text);
    *csv = (wac_csv){0};
}

int wac_csv_column(const wac_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strcmp(csv->names[i], name) == 0)
            return (int)i;
    return -1;
}
