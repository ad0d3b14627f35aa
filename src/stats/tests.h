/* Tests on ranks, over seeds: pure functions of arrays. Where a value is NaN, or there are none,
 * results are NaN. Statuses report failing memory alone. */
#ifndef WAC_STATS_TESTS_H
#define WAC_STATS_TESTS_H

#include "wac/base.h"

/* One-sided p-values of a statistic: how probable one at least as large (rising), or at most as
 * large (falling), is without any effect. Two-sided: twice the smaller, at most 1. */
typedef struct wac_test {
    double statistic;
    double rising, falling;
    bool exact; /* counted, given the ties there are; else by the normal approximation */
} wac_test;

/* Page's L for a trend over ordered settings. values: [blocks][settings], a block being a seed, its
 * values in the order in which they are expected to rise. Exact for up to 10 settings and 30
 * blocks. */
wac_status wac_trend_test(wac_test *test, const double *values, size_t blocks, size_t settings,
                          wac_error *error);

/* Spearman's rank correlation, ties getting their average rank; NaN where one side is constant. */
wac_status wac_spearman(double *correlation, const double *x, const double *y, size_t count,
                        wac_error *error);

#endif
