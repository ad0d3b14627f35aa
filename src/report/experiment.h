/* Experiments: which runs to make, what to draw of them, and what the paper claims about them. Each
 * is a YAML file (docs/experiments.md); those of the paper come with the program.
 */
#ifndef WAC_REPORT_EXPERIMENT_H
#define WAC_REPORT_EXPERIMENT_H

#include "stats/runset.h"
#include "sweep/sweep.h"

/* --- which runs are meant ------------------------------------------------------------------- */

enum {
    WAC_WHERE_CONDITIONS = 6,
    WAC_WHERE_VALUES = 12,
    WAC_WHERE_TEXT = 48,
    WAC_EXPERIMENT_NAMES = 6,
    WAC_EXPERIMENT_FIGURES = 8,
    WAC_CLAIM_PARTS = 12,
    WAC_EXPERIMENT_CLAIMS = 12,
};

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

/* --- figures and claims --------------------------------------------------------------------- */

typedef enum wac_figure_kind {
    WAC_FIGURE_CURVES,   /* a column of progress.csv over epochs: a panel for each environment */
    WAC_FIGURE_SETTINGS, /* a measure over a setting */
    WAC_FIGURE_BARS,     /* a measure of each group, a panel for each environment */
    WAC_FIGURE_MAPS,     /* where runs went: one of each group, by `wac render` */
} wac_figure_kind;

typedef struct wac_figure {
    wac_figure_kind kind;
    char title[128];
    int columns[2]; /* CURVES: a row of panels for each (wac_column) */
    int column_count;
    wac_measure measure;    /* SETTINGS, BARS */
    char x[WAC_WHERE_TEXT]; /* SETTINGS: the setting across */
    /* CURVES, SETTINGS: a line for each value of this key; empty: of the group's label */
    char lines[WAC_WHERE_TEXT];
    wac_where where;
} wac_figure;

#define WAC_FIGURE_KINDS "curves|settings|bars|maps"

/* How to decide, in the order of WAC_RULES. */
typedef enum wac_rule {
    WAC_RULE_RISES_WITH,
    WAC_RULE_FALLS_WITH,
    WAC_RULE_NOT_MONOTONE,
    WAC_RULE_AHEAD_OF,
    WAC_RULE_FASTER,
    WAC_RULE_LESS_SPREAD,
    WAC_RULE_LEVEL,
    WAC_RULE_NEVER,
    WAC_RULE_SOME,
    WAC_RULE_ANY,
    WAC_RULE_ALL,
    WAC_RULE_CORRELATION,
} wac_rule;

#define WAC_RULES                                                                                  \
    "rises-with|falls-with|not-monotone|ahead-of|faster|less-spread|level|never|some|any|all|"     \
    "correlation"

typedef struct wac_claim_part {
    wac_rule rule;
    char setting[WAC_WHERE_TEXT]; /* the trend's */
    wac_measure measure;
    bool spread; /* of the measure: the distance of each run from the median of its group */
    char who[WAC_EXPERIMENT_NAMES][WAC_WHERE_TEXT]; /* algorithms */
    char than[WAC_EXPERIMENT_NAMES][WAC_WHERE_TEXT];
    int who_count, than_count;
    double below, above; /* correlation: infinite where not given */
    wac_where where;
} wac_claim_part;

/* The conjunction of its parts. */
typedef struct wac_claim {
    int number; /* as the paper's claims are counted here; else its place in the file */
    char says[160];
    wac_claim_part parts[WAC_CLAIM_PARTS];
    int count;
} wac_claim;

/* --- an experiment -------------------------------------------------------------------------- */

typedef enum wac_scale { WAC_SCALE_QUICK, WAC_SCALE_HALF, WAC_SCALE_FULL, WAC_SCALES } wac_scale;

#define WAC_SCALE_WORDS "quick|half|full"

typedef struct wac_experiment {
    char name[64];
    char title[128], paper[64], shows[512];
    wac_sweep scales[WAC_SCALES];
    wac_figure figures[WAC_EXPERIMENT_FIGURES];
    int figure_count;
    wac_claim claims[WAC_EXPERIMENT_CLAIMS];
    int claim_count;
    char *text; /* of the file */
    size_t size;
} wac_experiment;

/* The experiment of a file's text; `file` stands for it in messages. Every run of every scale is
 * checked. On failure there is nothing to free. */
wac_status wac_experiment_parse(wac_experiment **experiment, const char *text, size_t size,
                                const char *name, const char *file, wac_error *error);

/* One that comes with the program, by name (the error suggests the nearest); or a file, where the
 * name has a slash or ends with .yaml. The variable WAC_EXPERIMENTS names the folder to look in. */
wac_status wac_experiment_read(wac_experiment **experiment, const char *name, wac_error *error);
void wac_experiment_free(wac_experiment *experiment); /* null is fine */

/* Whether every part of every claim has a run that it is about, at some scale (a smaller one may
 * leave some open). The error names the claim. */
wac_status wac_experiment_check(const wac_experiment *experiment, wac_error *error);

/* What a scale has less of runs and epochs than: "the paper's", or "scale full" for an experiment
 * of one's own; null where there is nothing to have less than. */
const char *wac_experiment_measure_of(const wac_experiment *experiment, wac_scale scale);

/* The names of those that come with the program, sorted; free each and the list. */
wac_status wac_experiment_list(char ***names, size_t *count, wac_error *error);

#endif
