/* The two maps of a run over state and action, cell by cell. */
#ifndef WAC_RUN_CELLS_H
#define WAC_RUN_CELLS_H

#include "run/coverage.h"
#include "wac/base.h"

/* The middle of a cell when [low, high] is cut into so many. */
double wac_cell_middle(int cell, int cells, double low, double high);

/* Uncertainty in the middle of each cell of coverage.h, and visits to it while exploring, from the
 * last checkpoint of a run of WAC with one observation and one action; both [WAC_COVERAGE_BINS]. */
wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error);

#endif
