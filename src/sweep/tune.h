/* Looking for good settings: a sweep whose groups of seeds are ranked.
 *
 * The file is that of a sweep. With `samples: N` settings are drawn at random, from lists and from
 * ranges such as {from: 1e-5, to: 1e-3, scale: log}; without it every combination is tried. `seed`
 * is that of the draws, `measure` the column of progress.csv to go by (eval_return), `last` how
 * many rows at its end are averaged (10).
 */
#ifndef WAC_SWEEP_TUNE_H
#define WAC_SWEEP_TUNE_H

#include "sweep/file.h"

/* One choice of settings, and how it did. */
typedef struct wac_tuned {
    size_t first, runs;             /* of the sweep's list: one for each seed */
    size_t finished;                /* of them; the numbers are theirs, NaN if none */
    double mean, smallest, largest; /* over the seeds */
} wac_tuned;

/* Refuses a measure that an environment of the sweep has no values of. */
wac_status wac_tune_check(const wac_sweep *sweep, const wac_search *search, wac_error *error);

/* All choices, those of an environment and algorithm together with the best first; what is not
 * finished goes last. free() the list. */
wac_status wac_tune_rank(wac_tuned **list, size_t *count, const wac_sweep *sweep,
                         const wac_search *search, const char *directory, wac_error *error);

/* True where choices of one environment and algorithm differ in the setting. */
bool wac_tune_varies(const wac_sweep *sweep, const wac_setting *setting);

/* True where two choices are of the same environment and algorithm. */
bool wac_tune_is_rival(const wac_sweep *sweep, const wac_tuned *a, const wac_tuned *b);

/* Write the list as `directory`/tune.csv: a row for each choice, in its order; the environment is
 * that of its folder. */
wac_status wac_tune_write(const wac_tuned *list, size_t count, const wac_sweep *sweep,
                          const char *directory, wac_error *error);

#endif
