/* One number for a run: what the experiments compare. One row of WAC_MEASURES makes a value of the
 * enum, a word of the program and of experiment files, a way to measure, and an axis of figures.
 *
 * Row: MEASURE(ID, name, how, column, epochs, is_cost, words). `how` is one of the functions of
 * measures.c, which looks at a column of progress.csv over the last so many epochs (or all, where
 * there are fewer; empty fields are skipped); `words` are for people.
 */
#ifndef WAC_STATS_MEASURES_H
#define WAC_STATS_MEASURES_H

#include "stats/runset.h"

#include <limits.h>

/* score: by the environment: Point: success; RiverSwim: return divided by WAC_RIVERSWIM_ALWAYS_UP;
 * all others: return. solved: first epoch with success of 0.9 (RiverSwim: with return of
 * WAC_RIVERSWIM_SOLVED, LQG: within 10 % of the best linear controller's); never: the last epoch
 * + 1. coverage: the paper's. An area is the mean over all epochs. normalised: from 0, the return
 * of random actions, to 1, the best that is known (env/returns.h). regret: what is missing to 1 in
 * the episodes of exploration. mirror and unseen-std: of WAC on tasks with one state and one
 * action, from the checkpoint, over the cells of run/visits.h. */
#define WAC_MEASURES(MEASURE)                                                                      \
    MEASURE(SCORE, "score", score, EVAL_RETURN, 10, false, "score")                                \
    MEASURE(RETURN, "return", mean, EVAL_RETURN, 10, false, "return, last 10 epochs")              \
    MEASURE(SUCCESS, "success", mean, EVAL_SUCCESS, 50, false, "success, last 50 epochs")          \
    MEASURE(SOLVED, "solved", solved, EVAL_SUCCESS, INT_MAX, true, "epoch of first success")       \
    MEASURE(COVERAGE, "coverage", mean, COVERAGE_SAMPLED, INT_MAX, false,                          \
            "coverage, mean of all epochs")                                                        \
    MEASURE(COVERAGE_VISITED, "coverage-visited", mean, COVERAGE_VISITED, INT_MAX, false,          \
            "coverage by steps, mean of all epochs")                                               \
    MEASURE(EPISODES, "episodes", mean, EVAL_EPISODES, 50, false,                                  \
            "episodes completed, last 50 epochs")                                                  \
    MEASURE(BEST, "best", highest, EVAL_RETURN, INT_MAX, false, "best return")                     \
    MEASURE(AREA_OF_RETURN, "area-of-return", mean, EVAL_RETURN, INT_MAX, false,                   \
            "return, mean of all epochs")                                                          \
    MEASURE(AREA_OF_EPISODES, "area-of-episodes", mean, EVAL_EPISODES, INT_MAX, false,             \
            "episodes completed, mean of all epochs")                                              \
    MEASURE(NORMALISED, "normalised", normalised, EVAL_RETURN, 10, false,                          \
            "normalised return, last 10 epochs")                                                   \
    MEASURE(REGRET, "regret", regret, EXPLORE_RETURN, INT_MAX, true, "regret, mean of all epochs") \
    MEASURE(MIRROR, "mirror", mirror, EPOCH, INT_MAX, false,                                       \
            "rank correlation of uncertainty and visits")                                          \
    MEASURE(UNSEEN_STD, "unseen-std", unseen_std, EPOCH, INT_MAX, false,                           \
            "uncertainty over the quarter of cells visited least")

#define WAC_MEASURE_ENUM(id, ...) WAC_MEASURE_##id,
typedef enum wac_measure { WAC_MEASURES(WAC_MEASURE_ENUM) WAC_MEASURE_TOTAL } wac_measure;

/* What has no meaning for a run is NaN: success without a goal, anything of a run without rows. Ask
 * for numbers of finished runs only. */
double wac_record_measure(const wac_record *run, wac_measure measure);

/* The same as if the run had been of so many epochs. One that ended because of stop_success counts
 * as if it had gone on as it ended. */
double wac_record_measure_until(const wac_record *run, wac_measure measure, int64_t epochs);

/* The numbers of those of the runs that are finished and have one, in their order; `whose` (or
 * null; may be `runs`) gets the runs. Both have room for all. Returns how many. */
size_t wac_records_measure(double *values, const wac_record **whose, const wac_record *const *runs,
                           size_t count, wac_measure measure);

/* True once it has been solved at some epoch (as WAC_MEASURE_SOLVED has it). */
bool wac_record_is_solved(const wac_record *run);

/* The place of each group among those of its task and algorithm, from 0: who went furthest, then
 * who has the better mean score. free() them. */
wac_status wac_groups_rank(size_t **places, const wac_runset *set, wac_error *error);

/* "score", "return", …: as the program takes them. */
const char *wac_measure_name(wac_measure measure);

/* As people read it: "return, last 10 epochs". */
const char *wac_measure_words(wac_measure measure);

/* True where less is better: solved, regret. */
bool wac_measure_is_cost(wac_measure measure);

/* Whether it is taken from cells of state and action, not from progress.csv. */
bool wac_measure_reads_cells(wac_measure measure);

/* Whether it is a share on a task, from 0 to 1 or about that, so that tasks compare. */
bool wac_measure_is_share(const wac_runset *set, size_t task, wac_measure measure);

/* By its name, dash and underscore alike; false where there is none of that name. */
bool wac_measure_find(wac_measure *measure, const char *name);

/* All names, as a wac_name_fn. */
const char *wac_measure_name_at(const void *names, size_t index);

/* What a measure of a task is divided by before profiles and optimality gaps: normalised returns by
 * 1; scores by 1 for Point and for RiverSwim as its preset has it (they are shares already), by the
 * mean score of the best group (its finished runs) for HalfCheetah, Hopper and Walker2d, if
 * positive; NaN for all others, which have no such scale. */
double wac_measure_unit(const wac_runset *set, size_t task, wac_measure measure);

/* A return as a share of what can be won in a world; NaN where that is not known. */
double wac_normalised_return(const wac_config *config, double value);

#endif
