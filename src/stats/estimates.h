/* Estimates over seeds: pure functions of arrays, no files, no state.
 *
 * A value is one number of one run (its score, say): runs are independent, the episodes of a run
 * are not, so nothing here takes episodes. A sample holds the values of one algorithm on one task.
 * Whatever compares or adds up over tasks takes an array of samples, one for each task; bootstraps
 * resample the runs within each task (stratified). Intervals are percentile intervals at 95 %.
 *
 * Intervals do not depend on the order of the values of a sample, to the bit, and the same seed
 * gives the same bytes. Where a value is NaN, or there are none, results are NaN.
 * Statuses report failing memory alone. With fewer than WAC_SEEDS_ENOUGH runs in a task numbers
 * decide nothing: see `fewest`.
 */
#ifndef WAC_STATS_ESTIMATES_H
#define WAC_STATS_ESTIMATES_H

#include "wac/base.h"

enum { WAC_SEEDS_ENOUGH = 4 };

typedef struct wac_values {
    const double *values; /* [count] */
    size_t count;
} wac_values;

typedef struct wac_interval {
    double value;     /* of the runs as they are */
    double low, high; /* 2.5 % and 97.5 % of the resamples */
    size_t fewest;    /* runs in the smallest sample (0 with NaN among them): below
                         WAC_SEEDS_ENOUGH nothing is decided */
} wac_interval;

typedef struct wac_bootstrap {
    uint64_t seed;
    int resamples;
} wac_bootstrap;

/* seed 1, 2000 resamples */
wac_bootstrap wac_bootstrap_default(void);

/* --- one sample ---------------------------------------------------------------------------- */

bool wac_has_nan(const double *values, size_t count);
double wac_mean(const double *values, size_t count);
double wac_std(const double *values, size_t count);    /* of a sample (n - 1); NaN for one value */
double wac_spread(const double *values, size_t count); /* 2 s / sqrt(n), the paper's error bar */

/* The middle one, or the mean of the middle two. */
double wac_median(const double *values, size_t count);

/* --- with an interval, over `tasks` samples ------------------------------------------------ */

/* What is estimated, of all values together, every task counting the same whatever its number of
 * runs; the last one of two algorithms, a and b, on the same tasks, each resampled by itself. */
typedef enum wac_estimate {
    WAC_ESTIMATE_IQM,    /* of the middle half: a quarter, rounded down, is cut off at either end */
    WAC_ESTIMATE_MEAN,   /* of the tasks' means */
    WAC_ESTIMATE_MEDIAN, /* of the tasks' means */
    WAC_ESTIMATE_GAP,    /* optimality gap: mean of how much is missing to 1 */
    /* the probability that a run of a has a larger value than one of b (Mann-Whitney U / (n m), a
     * tie counts half), averaged over tasks */
    WAC_ESTIMATE_IMPROVEMENT,
} wac_estimate;

wac_status wac_interval_of(wac_interval *interval, wac_estimate estimate, const wac_values *a,
                           const wac_values *b, size_t tasks, wac_bootstrap bootstrap,
                           wac_error *error);

/* The share of successes among so many, with its exact interval (Clopper and Pearson). */
wac_interval wac_interval_share(size_t successes, size_t count);

/* --- means by Student's t: of few seeds it is right where a bootstrap is too sure of itself -- */

typedef struct wac_estimated {
    double value, error; /* standard error; NaN with fewer than two values in a sample */
    double freedom;      /* degrees of it */
} wac_estimated;

wac_estimated wac_estimate_mean(const wac_values *sample);
wac_estimated wac_estimate_difference(const wac_values *a, const wac_values *b); /* a - b, Welch */

/* Half the width of its 95 % interval. */
double wac_estimated_reach(const wac_estimated *estimated);

/* The one-sided p-value of its being above a bound, or below: 1 where nothing is known. */
double wac_estimated_above(const wac_estimated *estimated, double bound);
double wac_estimated_below(const wac_estimated *estimated, double bound);

/* Performance profile: for each of the `count` thresholds the share of values above it (every task
 * counting the same), with its pointwise interval; intervals: [count]. */
wac_status wac_profile(wac_interval *intervals, const double *thresholds, size_t count,
                       const wac_values *samples, size_t tasks, wac_bootstrap bootstrap,
                       wac_error *error);

#endif
