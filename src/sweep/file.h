/* Sweep files: a sweep takes every combination of what is listed, a search (tune.h) may draw some
 * of them instead. */
#ifndef WAC_SWEEP_FILE_H
#define WAC_SWEEP_FILE_H

#include "run/columns.h"
#include "sweep/list.h"

/* How the choices of a search are ranked. */
typedef enum wac_search_rule {
    WAC_SEARCH_RULE_USUAL, /* the file does not say; see wac_tune_check */
    WAC_SEARCH_RULE_COLUMN,
    /* of all environments together */
    WAC_SEARCH_RULE_HARDEST,    /* the paper's: by what they solve of the two hardest */
    WAC_SEARCH_RULE_NORMALISED, /* by normalised returns */
} wac_search_rule;

/* Their names as measures. */
#define WAC_SEARCH_HARDEST "solved-hardest"
#define WAC_SEARCH_NORMALISED "normalised"

/* What a search file says beyond a sweep. */
typedef struct wac_search {
    int64_t samples; /* settings drawn for each environment and algorithm; 0: all combinations */
    int64_t seed;    /* of the draws */
    wac_search_rule rule;
    wac_column measure; /* by a column: which; else eval_return */
    int64_t last; /* but by the hardest: rows at the end of progress.csv that it is averaged over */
    int64_t halving; /* one in so many goes on to the next rung (ladder.h); 0: no rungs */
} wac_search;

/* Whether the choices of an algorithm are compared over all environments. */
static inline bool wac_search_is_over_all(const wac_search *search)
{
    return search->rule >= WAC_SEARCH_RULE_HARDEST;
}

/* All runs of a sweep file, in an order that follows from its text alone: environments, then
 * algorithms, settings and seeds, each as it is listed. Every config is checked and no two are the
 * same. `search` is filled in from the file of a search; null: it is that of a sweep. On failure
 * there is nothing to free. */
wac_status wac_sweep_read(wac_sweep *sweep, wac_search *search, const char *path, wac_error *error);

/* The same from memory; `name` stands for the file in messages. */
wac_status wac_sweep_parse(wac_sweep *sweep, wac_search *search, const char *text, size_t size,
                           const char *name, wac_error *error);

#endif
