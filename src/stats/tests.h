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

/* Two samples, or several strata of two: a[s] and b[s] hold the values under setting s, of the same
 * seeds in the same order. Values of one seed are not independent, so a seed is dealt to a or to b
 * with all of its values; values are compared within a stratum only.
 *
 * Ranks: Mann-Whitney's U. The statistic is the probability that a value of a is larger than one of
 * b, a tie counting half, averaged over strata; exact, ties included, for up to 400 seeds, and
 * fewer over many strata, whose sums are more (16: up to 198).
 *
 * Spread: whether a spreads wider than b. The statistic is the mean distance from the own median in
 * a, less that in b, averaged over strata. Over all ways to deal, or, where those are too many,
 * over draws of them with a fixed seed (not exact). */
typedef wac_status wac_two_sample_test(wac_test *test, const wac_values *a, const wac_values *b,
                                       size_t strata, wac_error *error);
wac_two_sample_test wac_rank_test, wac_spread_test;

/* Ranks by the normal approximation from 20 seeds on, for studies that are only imagined. */
wac_two_sample_test wac_rank_test_quick;

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
