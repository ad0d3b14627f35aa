/* Tests on ranks, over seeds: pure functions of arrays. Where a value is NaN, or there are none,
 * results are NaN. Statuses report failing memory alone. */
#ifndef WAC_STATS_TESTS_H
#define WAC_STATS_TESTS_H

#include "stats/estimates.h"

/* One-sided p-values of a statistic: how probable one at least as large (rising), or at most as
 * large (falling), is without any effect. Two-sided: twice the smaller, at most 1. */
typedef struct wac_test {
    double statistic;
    double rising, falling;
    bool exact; /* counted, given the ties there are; else by the normal approximation */
} wac_test;

/* Mann-Whitney's U of sample a against b: the statistic is the probability that a value of a is
 * larger than one of b, a tie counting half. Over all ways to deal the values that there are, ties
 * included; exact for up to 400 values. */
wac_status wac_rank_test(wac_test *test, const wac_values *a, const wac_values *b,
                         wac_error *error);

/* Whether a spreads wider than b: the statistic is the mean distance from the own median in a, less
 * that in b, over all ways to deal the distances; where those are too many, over draws of them with
 * a fixed seed (not exact). */
wac_status wac_spread_test(wac_test *test, const wac_values *a, const wac_values *b,
                           wac_error *error);

/* p-values after Holm's correction for being several, in the same order. */
void wac_holm(double *corrected, const double *p, size_t count);

/* Page's L for a trend over ordered settings. values: [blocks][settings], a block being a seed, its
 * values in the order in which they are expected to rise. Exact for up to 10 settings and 30
 * blocks. */
wac_status wac_trend_test(wac_test *test, const double *values, size_t blocks, size_t settings,
                          wac_error *error);

/* Spearman's rank correlation, ties getting their average rank; NaN where one side is constant. */
wac_status wac_spearman(double *correlation, const double *x, const double *y, size_t count,
                        wac_error *error);

#endif
