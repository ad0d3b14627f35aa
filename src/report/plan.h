/* The runs that an experiment planned, and what came of each: what claims are judged by. */
#ifndef WAC_REPORT_PLAN_H
#define WAC_REPORT_PLAN_H

#include "stats/measures.h"
#include "sweep/list.h"

typedef enum wac_fate {
    WAC_FATE_MISSING,
    WAC_FATE_UNFINISHED,
    WAC_FATE_DIVERGED, /* left the finite numbers: the worst of its group */
    WAC_FATE_FINISHED,
} wac_fate;

typedef struct wac_planned_run {
    const wac_config *config;
    const char *folder;       /* below that of the runs */
    const wac_record *record; /* null: missing */
    wac_fate fate;
} wac_planned_run;

/* Runs of equal settings but for the seed. */
typedef struct wac_planned_group {
    const wac_planned_run *runs; /* [count], seeds ascending */
    size_t count;
    size_t task;           /* algorithms are compared within a task */
    char environment[320]; /* its name: "point-1-sparse" */
} wac_planned_group;

typedef struct wac_plan {
    wac_planned_group *groups; /* [group_count], those of a task together */
    size_t group_count, task_count;
    wac_planned_run *runs; /* [count], group by group */
    size_t count;
    bool is_quick; /* verdicts alone: no interval, no seeds that it would take */
} wac_plan;

/* Whether a run belongs to a list: it has the settings of one there, whatever its seed. */
bool wac_plan_means(const wac_sweep *sweep, const wac_config *config);

/* How many runs have settings of the list, but a seed that it does not. */
size_t wac_plan_further(const wac_sweep *sweep, const wac_runset *set);

/* The run of these settings and this seed; null where the set has none. */
const wac_record *wac_plan_find(const wac_runset *set, const wac_config *config);

/* Those of the list; and where the set has further seeds of the same settings, those too. Points
 * into both. On failure there is nothing to free. */
wac_status wac_plan_make(wac_plan *plan, const wac_sweep *sweep, const wac_runset *set,
                         wac_error *error);
void wac_plan_free(wac_plan *plan);

/* The runs that are not finished, in words: free each and the list, also on failure. */
wac_status wac_plan_missing(char ***missing, size_t *count, const wac_plan *plan, wac_error *error);

/* The measure of a run over its first epochs (of `epochs`): known where it is finished, or where
 * what it has decides it (a task that is solved stays so). NaN: not known yet. Rounded, so that
 * equal means equal. A run that diverged has the worst value, an infinite one. */
double wac_planned_value(const wac_planned_run *run, wac_measure measure, int64_t epochs);

/* Whether a run has solved its task in so many epochs, finished or not. */
bool wac_planned_is_solved(const wac_planned_run *run, int64_t epochs);

#endif
