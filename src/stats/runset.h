/* A set of runs read from disk: what statistics, claims and figures start from.
 *
 *     wac_runset set;
 *     WAC_TRY(wac_runset_load(&set, directories, count, true, error));
 *     for (size_t i = 0; i < set.group_count; i++) {
 *         const wac_group *group = &set.groups[i];       // "riverswim", "oe-wac lambda 0.5"
 *         for (size_t k = 0; k < group->count; k++)      // its seeds, in ascending order
 *             values[k] = wac_record_measure(group->runs[k], WAC_MEASURE_SCORE);
 *     }
 *     wac_runset_free(&set);
 *
 * Plain data that nobody changes after loading: any number of threads may read it.
 */
#ifndef WAC_STATS_RUNSET_H
#define WAC_STATS_RUNSET_H

#include "run/folder.h"

/* One run. */
typedef struct wac_record {
    char *path; /* its folder, below the directory that was given */
    wac_config config;
    wac_history history;
    bool finished; /* has the row after its last epoch, or reached stop_success */
    size_t group;  /* its place in groups */
} wac_record;

/* Runs of equal settings but for the seed (and checkpoint_interval, which changes no number).
 *
 * A task is an environment with the settings of its world (those that only some environments read,
 * and path_limit): algorithms are compared within a task. Groups are sorted by task, then
 * algorithm, then the other settings; the groups of a task are neighbours. */
typedef struct wac_group {
    const wac_record **runs; /* [count], seeds ascending, all different */
    size_t count;
    size_t finished;     /* how many of the runs are */
    size_t task;         /* 0 … task_count - 1, ascending over the groups */
    char task_name[384]; /* "point-1-sparse", "riverswim river_length 30" */
    /* unique within a task, and the same across tasks for the same method: the algorithm, then what
     * differs between groups of a task: "sac", "oe-wac lambda 0.5" */
    char label[1024];
} wac_group;

/* A run that could not be read. */
typedef struct wac_problem {
    char *path;    /* the run's folder */
    char *message; /* a sentence that names the file */
} wac_problem;

typedef struct wac_runset {
    wac_record *runs; /* [count], in the order found: that of the directories, then by name */
    size_t count;
    wac_group *groups; /* [group_count] */
    size_t group_count, task_count;
    wac_problem *problems; /* [problem_count], in the order found */
    size_t problem_count;
    bool differs[WAC_SETTINGS_TOTAL]; /* settings (as in wac_settings) that two groups of the same
                                         task both read and have different values of; never seed */
    const wac_record **members;       /* where wac_group.runs live */
} wac_runset;

/* Every run at or below the directories. A folder with a config.yaml or a progress.csv is a run,
 * and not searched further; hidden folders, half-made ones (*.tmp) and links to folders are passed
 * over.
 *
 * A run that cannot be read (file missing, header of another version, cut line, epochs that are not
 * 0, 1, 2 …, something that is no number) is an error; with `go_on` it becomes one of the problems
 * and the rest is loaded. Always an error: a directory that cannot be searched, no readable run at
 * all, a run given twice, two runs with the same settings and seed (the message names both). On
 * failure the set is empty and there is nothing to free. */
wac_status wac_runset_load(wac_runset *set, const char *const *directories, size_t count,
                           bool go_on, wac_error *error);
void wac_runset_free(wac_runset *set);

/* The settings in which this group differs from others of the set, as "lambda 0.5, rho 1", without
 * the algorithm; empty where there are none. Returns `text`. */
const char *wac_runset_settings(const wac_runset *set, const wac_group *group, char *text,
                                size_t size);

/* --- one number for a run ------------------------------------------------------------------ */

/* What has no meaning for a run is NaN: success without a goal, anything of a run without rows.
 * "Last 10 epochs" are the last 10 rows, or all where there are fewer; empty fields are skipped.
 * Ask for numbers of finished runs only. */
typedef enum wac_measure {
    WAC_MEASURE_SCORE,    /* by the environment: Point: success; RiverSwim: return divided by
                             WAC_RIVERSWIM_ALWAYS_UP; all others: return */
    WAC_MEASURE_RETURN,   /* eval_return over the last 10 epochs */
    WAC_MEASURE_SUCCESS,  /* eval_success over the last 50 epochs */
    WAC_MEASURE_SOLVED,   /* first epoch with success of 0.9 (RiverSwim: with return of
                             WAC_RIVERSWIM_SOLVED); never: config.epochs + 1 */
    WAC_MEASURE_COVERAGE, /* coverage_sampled over all epochs: the paper's */
    WAC_MEASURE_COVERAGE_VISITED, /* coverage_visited over all epochs */
    WAC_MEASURE_EPISODES,         /* evaluation episodes completed, over the last 50 epochs */
    WAC_MEASURE_BEST,             /* highest eval_return */
    WAC_MEASURE_TOTAL,
} wac_measure;

/* By its name, dash and underscore alike; false where there is none of that name. */
bool wac_measure_find(wac_measure *measure, const char *name);
double wac_record_measure(const wac_record *run, wac_measure measure);

/* "score", "return", …: as the program takes them; null past the end. */
const char *wac_measure_name(wac_measure measure);

/* True where less is better: solved. */
bool wac_measure_is_cost(wac_measure measure);

/* True once it has been solved at some epoch (as WAC_MEASURE_SOLVED has it). */
bool wac_record_is_solved(const wac_record *run);

/* What the scores of a task are divided by before profiles and optimality gaps: 1 for Point and for
 * RiverSwim as its preset has it (their scores are shares already), the mean score of the best
 * group (its finished runs) for HalfCheetah, Hopper and Walker2d, if positive; NaN for all others,
 * which have no such scale. */
double wac_runset_score_unit(const wac_runset *set, size_t task);

#endif
