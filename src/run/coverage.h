/* Coverage: how much of the state-action square has been seen (tasks with one of each).
 *
 * The square [-1, 1] x [-1, 1] is cut into 20 x 20 bins; a bin is covered when more than 0.1 % of
 * all that was counted fell into it.
 */
#ifndef WAC_RUN_COVERAGE_H
#define WAC_RUN_COVERAGE_H

#include "env/world.h"

enum { WAC_COVERAGE_SIDE = 20, WAC_COVERAGE_BINS = WAC_COVERAGE_SIDE * WAC_COVERAGE_SIDE };

typedef struct wac_coverage {
    int64_t counts[WAC_COVERAGE_BINS]; /* [state][action] */
} wac_coverage;

/* True where coverage has a meaning: one observation, within declared bounds, and one action. */
bool wac_world_has_coverage(const wac_world *world);

void wac_coverage_add(wac_coverage *coverage, double observation, double action);

/* Covered share of the bins; NaN before anything was counted. */
double wac_coverage_share(const wac_coverage *coverage);

/* The middle of a cell when [low, high] is cut into so many. */
double wac_cell_middle(int cell, int cells, double low, double high);

/* Uncertainty in the middle of each bin, and visits to it while exploring, from the last checkpoint
 * of a run of WAC with one observation and one action; both [WAC_COVERAGE_BINS]. */
wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error);

#endif
