/* Tables of numbers in text files: one header line of names, then rows of as many cells.
 *
 * Names are unique and unquoted; cells are separated by commas and hold a finite number in the C
 * locale, or nothing, which reads as NaN. Lines end with LF or CRLF. Anything else is an error that
 * names file and line.
 */
#ifndef WAC_BASE_CSV_H
#define WAC_BASE_CSV_H

#include "wac/base.h"

typedef struct wac_csv {
    size_t rows, columns;
    const char **names; /* [columns] */
    double *cells;      /* [rows][columns] */
    char *text;         /* where the names live */
} wac_csv;

/* A file of at most 256 MiB. On failure there is nothing to free. */
wac_status wac_csv_read(wac_csv *csv, const char *path, wac_error *error);

/* The same from memory: takes over `bytes` (from malloc, with room for one more behind the `size`
 * given), also when it fails. `path` is for messages. */
wac_status wac_csv_parse(wac_csv *csv, char *bytes, size_t size, const char *path,
                         wac_error *error);
void wac_csv_free(wac_csv *csv);

/* The column of this name, or -1. */
int wac_csv_column(const wac_csv *csv, const char *name);

static inline double wac_csv_at(const wac_csv *csv, size_t row, int column)
{
    return csv->cells[row * csv->columns + (size_t)column];
}

/* The line of a row in the file, for messages: the header is line 1. */
static inline size_t wac_csv_line(size_t row)
{
    return row + 2;
}

#endif
