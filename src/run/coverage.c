/* Where coverage has a meaning, and what a run knows of its bins. */
#include "run/coverage.h"

#include "base/status.h"
#include "run/run.h"

bool wac_world_has_coverage(const wac_world *world)
{
    return !world->raw && world->spec.observation_size == 1 && world->spec.action_size == 1;
}

double wac_cell_middle(int cell, int cells, double low, double high)
{
    return low + (high - low) * (cell + 0.5) / cells;
}

wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error)
{
    enum { SIDE = WAC_COVERAGE_SIDE, CELLS = WAC_COVERAGE_BINS };
    float observations[CELLS], actions[CELLS], mean[CELLS], std[CELLS];
    wac_run *run;
    WAC_TRY(wac_run_open(&run, directory, NULL, NULL, error));
    if (!wac_agent_has_std(run->agent) || !wac_world_has_coverage(run->world)) {
        wac_run_destroy(run);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s has no map of uncertainty over one state and one action",
                        directory);
    }
    for (int i = 0; i < CELLS; i++) {
        observations[i] = (float)wac_cell_middle(i / SIDE, SIDE, -1, 1);
        actions[i] = (float)wac_cell_middle(i % SIDE, SIDE, -1, 1);
        visits[i] = (double)run->visited.counts[i];
    }
    wac_agent_value(run->agent, CELLS, observations, actions, mean, std);
    for (int i = 0; i < CELLS; i++)
        sigma[i] = (double)std[i];
    wac_run_destroy(run);
    return WAC_STATUS_OK;
}
