/* Any bytes as a table of numbers: refused with a sentence, or every cell is a finite number or
 * empty, every name is found again, and the table survives being written out and read back. */
#include "base/csv.h"
#include "fuzz/fuzz.h"

#include <math.h>

static wac_status parse(wac_csv *csv, const void *data, size_t size, wac_error *error)
{
    /* no byte more than promised, so that a step beyond is seen */
    char *bytes = malloc(size + 1);
    require(bytes);
    if (size > 0)
        memcpy(bytes, data, size);
    return wac_csv_parse(csv, bytes, size, "input", error);
}

static void compare(const wac_csv *a, const wac_csv *b)
{
    require(a->rows == b->rows && a->columns == b->columns);
    for (size_t i = 0; i < a->columns; i++)
        require(strcmp(a->names[i], b->names[i]) == 0);
    for (size_t i = 0; i < a->rows * a->columns; i++)
        require(a->cells[i] == b->cells[i] || (isnan(a->cells[i]) && isnan(b->cells[i])));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_csv csv, again;
    wac_error error = {0};
    if (parse(&csv, data, size, &error) != WAC_STATUS_OK) {
        require(error.status == WAC_STATUS_INPUT && strstr(error.message, "input"));
        require(!strchr(error.message, '\n') && !csv.text && !csv.names && !csv.cells);
        return 0;
    }
    require(!error.message[0] && csv.columns > 0);

    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    require(out);
    for (size_t i = 0; i < csv.columns; i++) {
        require(wac_csv_column(&csv, csv.names[i]) == (int)i);
        fprintf(out, "%s%s", i ? "," : "", csv.names[i]);
    }
    for (size_t i = 0; i < csv.rows * csv.columns; i++) {
        require(!isinf(csv.cells[i]));
        fputs(i % csv.columns ? "," : "\r\n", out);
        if (!isnan(csv.cells[i]))
            fprintf(out, "%.17g", csv.cells[i]);
    }
    fputs("\r\n", out);
    fclose(out);
    require(parse(&again, text, length, &error) == WAC_STATUS_OK);
    compare(&csv, &again);
    wac_csv_free(&csv);
    wac_csv_free(&again);
    free(text);
    return 0;
}
