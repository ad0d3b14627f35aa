/* Runs of other programs, from a table: a CSV file with a header and a row for each evaluation.
 *
 *     run,algorithm,environment,seed,step,value
 *     a,td3,halfcheetah,1,10000,-120.5
 *
 * The columns may stand in any order, and others beside them are passed over; but where there is
 * one called "measure" (as in the table of `wac report --csv`), only its rows of eval_return count.
 * Cells may be quoted. A row without a value (empty, or nan) tells nothing; several values at one
 * step, such as the episodes of an evaluation, are taken for their mean.
 */
#ifndef WAC_STATS_FOREIGN_H
#define WAC_STATS_FOREIGN_H

#include "stats/runset.h"

enum { WAC_FOREIGN_NAME = 96 };

typedef struct wac_foreign_point {
    double step, value;
} wac_foreign_point;

/* The rows with the same run, algorithm, environment and seed. */
typedef struct wac_foreign_run {
    char run[256], algorithm[WAC_FOREIGN_NAME], environment[256];
    int64_t seed;
    wac_foreign_point *points; /* [count], at least one, steps ascending */
    size_t count, room;
} wac_foreign_run;

typedef struct wac_foreign {
    wac_foreign_run *runs; /* [count], in the order of the file */
    size_t count, room;
    const char *path; /* of the file, for messages: the caller's */
} wac_foreign;

/* A file of at most 1 GiB. Whatever is wrong is an error that names file and line. A file without
 * any value is refused. On failure there is nothing to free. */
wac_status wac_foreign_read(wac_foreign *foreign, const char *path, wac_error *error);

/* The same from memory: `text` is cut up, and has room for one more byte behind the `size` given.
 * `path` is for messages. */
wac_status wac_foreign_parse(wac_foreign *foreign, char *text, size_t size, const char *path,
                             wac_error *error);
void wac_foreign_free(wac_foreign *foreign);

/* Add the runs of tables to a set of ours, which is not grouped yet (runset.h says how). */
wac_status wac_foreign_join(wac_runset *set, const wac_foreign *tables, size_t count,
                            wac_error *error);

/* The last epoch of ours that the run reached; 0 also where it ended before the first evaluation.
 * Epoch k is evaluated after initial_steps + k explore_steps of the config (of its default, where
 * an epoch explores nothing). */
int64_t wac_foreign_epochs(const wac_foreign_run *run, const wac_config *config);

/* The run as a history of ours, of config->epochs at most: each evaluation has the run's last value
 * at or before it (none before its first), and nothing else. */
wac_status wac_foreign_place(wac_history *history, const wac_foreign_run *run,
                             const wac_config *config, wac_error *error);

#endif
