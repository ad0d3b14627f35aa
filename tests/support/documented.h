/* The tables of the documentation, row by row, for tests that the program agrees with them. */
#ifndef WAC_TESTS_SUPPORT_DOCUMENTED_H
#define WAC_TESTS_SUPPORT_DOCUMENTED_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct documented {
    FILE *file;
    char line[2048];
    char *cells[8]; /* without the spaces around */
    int count;
} documented;

/* The next row; false, and closed, behind the last. */
static inline bool documented_next(documented *table)
{
    char *rest = table->line;
    table->count = 0;
    if (!fgets(table->line, sizeof table->line, table->file) || *rest++ != '|') {
        fclose(table->file);
        return false;
    }
    for (char *bar; table->count < 8 && (bar = strchr(rest, '|')); rest = bar + 1) {
        *bar = 0;
        for (char *end = bar; end > rest && end[-1] == ' ';)
            *--end = 0;
        table->cells[table->count++] = rest + strspn(rest, " ");
    }
    return true;
}

/* The table of docs/PAGE whose first line starts with `head`. */
static inline documented documented_open(const char *page, const char *head)
{
    documented table = {0};
    char path[512];
    snprintf(path, sizeof path, WAC_SOURCE_DIR "/docs/%s", page);
    assert_non_null(table.file = fopen(path, "r"));
    do {
        if (!fgets(table.line, sizeof table.line, table.file))
            fail_msg("docs/%s has no table \"%s\"", page, head);
    } while (strncmp(table.line, head, strlen(head)) != 0);
    assert_true(documented_next(&table)); /* the rule below the heads */
    return table;
}

/* The next word `between backticks`, which ends up there; null: there is none. */
static inline const char *documented_word(char **rest)
{
    char *start = strchr(*rest, '`'), *end = start ? strchr(start + 1, '`') : NULL;
    if (!end)
        return NULL;
    *end = 0;
    *rest = end + 1;
    return start + 1;
}

#endif
