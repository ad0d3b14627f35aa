/* The table of columns, and finding one by its names. */
#include "run/columns.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

#define ROW(id, name, value, format, short_name, words, least, most, need)                         \
    {#name, format, short_name, words, least, most, WAC_COLUMN_NEED_##need},
const wac_column_row wac_columns[WAC_COLUMN_TOTAL] = {WAC_COLUMNS(ROW)};

bool wac_column_is_aside(wac_column column)
{
    return !wac_columns[column].short_name && strcmp(wac_columns[column].format, "%.0f") != 0;
}

bool wac_column_find(wac_column *column, const char *name)
{
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++) {
        const wac_column_row *row = &wac_columns[i];
        if (row->short_name &&
            (wac_word_is(row->name, name) || wac_word_is(row->short_name, name))) {
            *column = (wac_column)i;
            return true;
        }
    }
    return false;
}

void wac_columns_join(char *text, size_t size, bool short_names)
{
    char names[256] = "";
    size_t used = 0;
    for (int i = 0; i < WAC_COLUMN_TOTAL && used < sizeof names; i++)
        if (wac_columns[i].short_name)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? "|" : "",
                                     short_names ? wac_columns[i].short_name : wac_columns[i].name);
    wac_words_join(text, size, names);
}
