/* A set of runs summed up by one measure: every group, every method over all tasks, every pair of
 * methods. What `wac stats` prints.
 *
 * Only finished runs count, and of those the ones that have the measure at all. A method is a label
 * (runset.h); it may appear on several tasks. */
#ifndef WAC_STATS_COMPARE_H
#define WAC_STATS_COMPARE_H

#include "stats/estimates.h"
#include "stats/measures.h"

/* thresholds of the performance profiles: 0, 0.05, … 1 */
enum { WAC_PROFILE_POINTS = 21 };

/* with more methods than these there are too many pairs for anyone to read, and none is made */
enum { WAC_METHODS_PAIRED = 40 };

static inline double wac_profile_threshold(int point)
{
    return point / 20.0;
}

/* A group, and the runs of it that count. */
typedef struct wac_group_summary {
    const wac_group *group;
    double *values;          /* [count], in the order of seeds */
    const wac_record **runs; /* [count]: whose they are */
    size_t count;            /* may be 0; then the numbers are NaN */
    double mean, spread;
    wac_interval iqm;
} wac_group_summary;

/* A method over the shared tasks: those whose scores are shares (or become some by
 * wac_measure_unit) and that all methods have runs on. Methods without a run on any task of
 * that kind are passed over; their numbers are NaN. */
typedef struct wac_method_summary {
    const char *label;
    wac_interval iqm, gap, profile[WAC_PROFILE_POINTS];
} wac_method_summary;

/* How probable it is that a run of method `better` does better than one of `worse`, averaged over
 * the tasks that both have runs on; at least 0.5. */
typedef struct wac_pair_summary {
    size_t better, worse; /* places in methods */
    size_t tasks;
    wac_interval improvement;
} wac_pair_summary;

typedef struct wac_comparison {
    const wac_runset *set; /* the caller's, must outlive this */
    wac_measure measure;
    wac_bootstrap bootstrap;
    wac_group_summary *groups; /* [set->group_count], in its order */
    wac_method_summary *methods;
    size_t method_count;
    bool *shared; /* [set->task_count]: the tasks that the summaries of the methods are over */
    size_t shared_count; /* 0: there are none (or the measure is not the score), and their numbers
                            are NaN */
    wac_pair_summary *pairs;
    size_t pair_count;
} wac_comparison;

/* No run that counts is an error (input) that says why. On failure there is nothing to free. */
wac_status wac_compare(wac_comparison *comparison, const wac_runset *set, wac_measure measure,
                       wac_bootstrap bootstrap, wac_error *error);
void wac_comparison_free(wac_comparison *comparison);

#endif
