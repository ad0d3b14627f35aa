/* What a run knows of coverage (rl/coverage.h), and of each of its bins. */
#ifndef WAC_RUN_COVERAGE_H
#define WAC_RUN_COVERAGE_H

#include "env/world.h"
#include "rl/coverage.h"

/* True where coverage has a meaning: one observation, within declared bounds, and one action. */
bool wac_world_has_coverage(const wac_world *world);

/* The middle of a cell when [low, high] is cut into so many. */
double wac_cell_middle(int cell, int cells, double low, double high);

/* Uncertainty in the middle of each bin, and visits to it while exploring, from the last checkpoint
 * of a run of WAC with one observation and one action; both [WAC_COVERAGE_BINS]. */
wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error);

#endif
