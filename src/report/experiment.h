/* Experiments: which runs to make, what to draw of them, and what the paper claims about them. Each
 * is a YAML file (docs/experiments.md); those of the paper come with the program.
 */
#ifndef WAC_REPORT_EXPERIMENT_H
#define WAC_REPORT_EXPERIMENT_H

#include "report/figure.h"
#include "sweep/list.h"

#include <limits.h>

enum {
    WAC_EXPERIMENT_NAMES = 6,
    WAC_EXPERIMENT_FIGURES = 8,
    WAC_EXPERIMENT_CLAIMS = 12,
    WAC_CLAIM_PARTS = 12,
};

/* --- claims --------------------------------------------------------------------------------- */

/* How to decide: trends, two sides, counts, bounds. */
#define WAC_RULES(RULE)                                                                            \
    RULE(RISES_WITH, "rises-with")                                                                 \
    RULE(FALLS_WITH, "falls-with")                                                                 \
    RULE(NOT_MONOTONE, "not-monotone")                                                             \
    RULE(AHEAD_OF, "ahead-of")                                                                     \
    RULE(AHEAD_OVER_ALL, "ahead-over-all")                                                         \
    RULE(FASTER, "faster")                                                                         \
    RULE(LESS_SPREAD, "less-spread")                                                               \
    RULE(LEVEL, "level")                                                                           \
    RULE(NEVER, "never")                                                                           \
    RULE(SOME, "some")                                                                             \
    RULE(ANY, "any")                                                                               \
    RULE(ALL, "all")                                                                               \
    RULE(CORRELATION, "correlation")

#define WAC_RULE_VALUE(id, word) WAC_RULE_##id,
typedef enum wac_rule { WAC_RULES(WAC_RULE_VALUE) WAC_RULE_TOTAL } wac_rule;

/* "rises-with|falls-with|…" */
#define WAC_RULE_WORD(id, word) "|" word
#define WAC_RULE_WORDS (&(WAC_RULES(WAC_RULE_WORD))[1])

const char *wac_rule_name(wac_rule rule); /* "ahead-of" */

typedef struct wac_claim_part {
    wac_rule rule;
    char setting[WAC_WHERE_TEXT]; /* the trend's */
    wac_measure measure;
    /* sides: an algorithm, or a setting with its value */
    wac_condition who[WAC_EXPERIMENT_NAMES], than[WAC_EXPERIMENT_NAMES];
    int who_count, than_count;
    double factor;       /* what is said is said of so many times `than` */
    double below, above; /* correlation: infinite where not given */
    wac_where where;
} wac_claim_part;

/* The conjunction of its parts. */
typedef struct wac_claim {
    int number; /* as the paper's claims are counted here; else its place in the file */
    char says[320];
    wac_claim_part parts[WAC_CLAIM_PARTS];
    int count;
} wac_claim;

/* --- an experiment -------------------------------------------------------------------------- */

typedef enum wac_scale {
    WAC_SCALE_QUICK,
    WAC_SCALE_HALF,
    WAC_SCALE_PAPER,  /* "full" is another word for it */
    WAC_SCALE_STRONG, /* where a file has none: that of the paper with WAC_SEEDS_STRONG seeds */
    WAC_SCALE_TOTAL,
} wac_scale;

enum { WAC_SEEDS_STRONG = 20 };

extern const char *const wac_scale_names[WAC_SCALE_TOTAL + 1]; /* the last is null */

/* The scale of that name, or -1. */
int wac_scale_find(const char *name);

typedef struct wac_experiment {
    char name[64];
    char title[128], paper[64], shows[512];
    wac_sweep scales[WAC_SCALE_TOTAL];
    int64_t seeds; /* that were asked for instead of the file's; 0: none */
    wac_figure figures[WAC_EXPERIMENT_FIGURES];
    int figure_count;
    wac_claim claims[WAC_EXPERIMENT_CLAIMS];
    int claim_count;
    char *text; /* of the file */
    size_t size;
    char path[PATH_MAX];
} wac_experiment;

/* One that comes with the program, by name (the error suggests the nearest); or a file, where the
 * name has a slash or ends with .yaml. The variable WAC_EXPERIMENTS names the folder to look in. */
wac_status wac_experiment_read(wac_experiment **experiment, const char *name, wac_error *error);
void wac_experiment_free(wac_experiment *experiment); /* null is fine */

/* Whether every part of every claim has a run that it is about, at some scale (a smaller one may
 * leave some open). The error names the claim. */
wac_status wac_experiment_check(const wac_experiment *experiment, wac_error *error);

/* Runs with so many seeds at every scale, counted on from the first that the file has. */
wac_status wac_experiment_reseed(wac_experiment *experiment, int64_t seeds, wac_error *error);

/* Runs with these settings, too (wac_sweep_give), at a scale; -1: at every one. */
wac_status wac_experiment_give(wac_experiment *experiment, int scale, wac_given *given,
                               wac_error *error);

/* "paper", "paper with 8 seeds" */
enum { WAC_SCALE_TITLE = 48 };
const char *wac_scale_title(char text[WAC_SCALE_TITLE], const wac_experiment *experiment,
                            wac_scale scale);

/* What a scale has less of runs and epochs than: "the paper's", or "scale paper" for an experiment
 * of one's own ("scale half" where it has no such); null where there is nothing to have less than.
 */
const char *wac_experiment_measure_of(const wac_experiment *experiment, wac_scale scale);

/* The names of those that come with the program, sorted; free each and the list. */
wac_status wac_experiment_list(char ***names, size_t *count, wac_error *error);

#endif
