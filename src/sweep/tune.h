/* Looking for good settings: a sweep whose choices (choices.h) are ranked.
 *
 * The file is that of a sweep. With `samples: N` settings are drawn at random, from lists and from
 * ranges such as {from: 1e-5, to: 1e-3, scale: log}; without it every combination is tried. `seed`
 * is that of the draws, `measure` the column of progress.csv to go by (eval_return), `last` how
 * many rows at its end are averaged (10). With the measure solved-hardest, the usual one where all
 * environments have a goal, those are ahead that solve most runs of the two hardest environments
 * that any run of their algorithm solves, then those with more episodes there over all epochs.
 * With the measure normalised choices are compared by their mean return over all environments, each
 * as a share of what can be won there. `halving` trains only the better ones to the end (ladder.h).
 */
#ifndef WAC_SWEEP_TUNE_H
#define WAC_SWEEP_TUNE_H

#include "sweep/ladder.h"

/* Settles the rule where the file names no measure, and refuses a measure that an environment of
 * the sweep has no values of. */
wac_status wac_tune_check(const wac_sweep *sweep, wac_search *search, wac_error *error);

/* "solved-hardest", "eval_return": what choices are ranked by. */
const char *wac_search_measure(const wac_search *search);

/* True where choices that are compared differ in the setting: those of a field, or of any. */
bool wac_field_varies(const wac_choices *choices, size_t field, const wac_setting *setting);
bool wac_tune_varies(const wac_choices *choices, const wac_setting *setting);

/* Write `directory`/tune.csv: a row for each choice, those of a field together and the best first;
 * environments are named as in the folders. */
wac_status wac_tune_write(const wac_ladder *ladder, const char *directory, wac_error *error);

#endif
