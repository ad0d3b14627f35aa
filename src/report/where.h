/* Which runs are meant: by conditions on their settings, and by groups of a set. */
#ifndef WAC_REPORT_WHERE_H
#define WAC_REPORT_WHERE_H

#include "stats/runset.h"

enum { WAC_WHERE_CONDITIONS = 6, WAC_WHERE_VALUES = 12, WAC_WHERE_TEXT = 48 };

/* A key ("environment", "algorithm" or a setting) has one of these values. */
typedef struct wac_condition {
    char key[WAC_WHERE_TEXT];
    char values[WAC_WHERE_VALUES][WAC_WHERE_TEXT];
    int count;
} wac_condition;

/* All conditions hold; none: all runs. */
typedef struct wac_where {
    wac_condition conditions[WAC_WHERE_CONDITIONS];
    int count;
} wac_where;

bool wac_where_holds(const wac_where *where, const wac_config *config);

/* The condition on this key, or null. */
const wac_condition *wac_where_find(const wac_where *where, const char *key);

/* What a run has for "environment" ("point-1-sparse"), "algorithm" or a setting, as text. */
void wac_config_text(const wac_config *config, const char *key, char *text, size_t size);

/* The same as a number; false where it is none. */
bool wac_config_number(double *number, const wac_config *config, const char *key);

/* Some groups of a set of runs. */
typedef struct wac_selection {
    const wac_runset *set;
    const bool *groups; /* [set->group_count]; null: all */
} wac_selection;

bool wac_selection_has(const wac_selection *selection, size_t group);

#endif
