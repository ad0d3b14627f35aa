/* Where a run has been: visits to the cells of a grid, counted as it goes. The grid lies over the
 * place in worlds that have one, and over state and action in tasks with one of each; there its
 * cells are the bins of coverage (rl/coverage.h). Other worlds have none. */
#ifndef WAC_RUN_VISITS_H
#define WAC_RUN_VISITS_H

#include "env/world.h"
#include "rl/coverage.h"

/* Of a place: in mazes of about half a unit, as wide as the ball's radius. */
enum {
    WAC_PLACE_ACROSS = 50,
    WAC_PLACE_UP = 39,
    WAC_CELLS_MOST = WAC_PLACE_ACROSS * WAC_PLACE_UP,
};

/* Along x and y, or state and action; in the world's own units. */
typedef struct wac_grid {
    int cells[2]; /* 0: there is no grid */
    double low[2], high[2];
} wac_grid;

typedef struct wac_visits {
    int64_t counts[WAC_CELLS_MOST]; /* [cells[0]][cells[1]] of the grid */
} wac_visits;

wac_grid wac_world_grid(const wac_world *world);

/* The middle of a cell, when one side of a grid is cut into so many. */
double wac_cell_middle(int cell, int cells, double low, double high);

/* Count a step that begins at this observation with this action, both as the agent knows them. */
void wac_visits_add(wac_visits *visits, const wac_world *world, const float *observation,
                    const float *action);

/* True where coverage has a meaning: one observation, within declared bounds, and one action. */
bool wac_world_has_coverage(const wac_world *world);

/* Uncertainty in the middle of each bin, and visits to it while exploring, from the last checkpoint
 * of a run of WAC with one observation and one action, or what was packed of it; both
 * [WAC_COVERAGE_BINS]. */
wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error);

/* The same for a packed run, as cells.csv; returns its length. */
enum { WAC_CELLS_TEXT = 64 * (WAC_COVERAGE_BINS + 1) };
size_t wac_cells_write(char text[WAC_CELLS_TEXT], const double *sigma, const double *visits);

#endif
