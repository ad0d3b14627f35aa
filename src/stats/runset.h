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

#include "base/temporary.h"
#include "run/folder.h"

/* One run: ours, or one of another program. */
typedef struct wac_record {
    /* what to call it: its folder, below the directory that was given, or "FILE.csv: RUN" */
    char *path;
    char *folder; /* where its files are: there, or where an archive was unpacked; null: no files */
    /* of another program's run: its environment, seed and epochs; the world and the steps of an
     * epoch are those of our runs beside it; the algorithm is WAC_ALGORITHM_TOTAL, which reads no
     * setting */
    wac_config config;
    char algorithm[128]; /* "sac"; of another program what its table says, or "sac (FILE)" where
                            that is the name of one of ours */
    wac_history history;
    wac_manifest manifest;
    bool finished; /* has the row after its last epoch, or reached stop_success */
    bool diverged; /* left the finite numbers, and would again */
    size_t group;  /* its place in groups */
} wac_record;

static inline bool wac_record_is_foreign(const wac_record *run)
{
    return run->config.algorithm == WAC_ALGORITHM_TOTAL;
}

/* Runs of equal settings but for the seed (and how checkpoints are made, which changes no number).
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
     * differs between groups of a task, or where that is much, between those of the algorithm:
     * "sac", "oe-wac lambda 0.5" */
    char label[1024];
} wac_group;

/* The settings that runs of a group share, for wac_config_compare: all but the seed
 * and how checkpoints are made. */
bool wac_group_counts(const wac_setting *setting);

/* The order of tasks; 0: they are the same. */
int wac_task_compare(const wac_config *a, const wac_config *b);

/* A run that could not be read. */
typedef struct wac_problem {
    char *path;    /* the run's folder, or the table */
    char *message; /* a sentence that names the file */
} wac_problem;

typedef struct wac_runset {
    wac_record *runs; /* [count], in the order found: that of the directories, then by name; those
                         of tables come last */
    size_t count;
    wac_group *groups; /* [group_count] */
    size_t group_count, task_count;
    wac_problem *problems; /* [problem_count], in the order found */
    size_t problem_count;
    bool differs[WAC_SETTINGS_TOTAL]; /* settings (as in wac_settings) that two groups of the same
                                         task both read and have different values of; of two
                                         algorithms not where both have their own; never seed */
    bool rungs; /* choices of settings were ended at different epochs, as a search by halving does;
                   no two runs differ in epochs alone */
    const wac_record **members; /* where wac_group.runs live */
    wac_temporary *unpacked;    /* [unpacked_count]: what archives held */
    size_t unpacked_count;
} wac_runset;

/* Every run at or below the directories. An archive of packed runs (run/packed.h) stands for a
 * folder of them: given as such, or found as runs.tar.xz, unless there is a folder runs beside it;
 * a path may lead into one. It is unpacked until the set is freed. A folder with a config.yaml or a
 * progress.csv is a run, and not searched further; hidden folders, half-made ones (*.tmp) and links
 * to folders are passed over. A file FILE.csv among the directories is a table of other programs'
 * runs (foreign.h).
 *
 * Another program's run on an environment of ours (whatever its capitals) joins the task that our
 * runs there have; if these have several, or there are none, the world is that of the preset. It is
 * put on the epochs of the first of our runs in that task, of the preset where there is none, and
 * ends with that run; without one, where the shortest algorithm of the tables does in that
 * environment. One that does not get so far is not finished.
 *
 * A run that cannot be read (file missing, header of another version, cut line, epochs that are not
 * 0, 1, 2 …, something that is no number), and a table with anything wrong in it, is an error; with
 * `go_on` it becomes one of the problems and the rest is loaded. Always an error: a directory that
 * cannot be searched, no readable run at all, a run given twice, two runs with the same settings
 * and seed but different rows (the message names both; with the same rows, but for seconds, the
 * first found counts). On failure the set is empty and there is nothing to free. */
wac_status wac_runset_load(wac_runset *set, const char *const *directories, size_t count,
                           bool go_on, wac_error *error);
void wac_runset_free(wac_runset *set);

#endif
