/* Coverage: how much of the state-action square has been seen (tasks with one of each).
 *
 * The square [-1, 1] x [-1, 1] is cut into 20 x 20 bins; a bin is covered when more than 0.1 % of
 * all that was counted fell into it.
 */
#ifndef WAC_RL_COVERAGE_H
#define WAC_RL_COVERAGE_H

#include <stdint.h>

enum { WAC_COVERAGE_SIDE = 20, WAC_COVERAGE_BINS = WAC_COVERAGE_SIDE * WAC_COVERAGE_SIDE };

typedef struct wac_coverage {
    int64_t counts[WAC_COVERAGE_BINS]; /* [state][action] */
} wac_coverage;

void wac_coverage_add(wac_coverage *coverage, double observation, double action);

/* The bin of a value when [-1, 1] is cut into so many; what lies beyond is in the outermost. */
int wac_coverage_bin(double value, int bins);

/* Covered share of the bins, counts [bins]; NaN before anything was counted. */
double wac_coverage_share(const int64_t *counts, int bins);

#endif
