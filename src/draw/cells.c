/* Maps over state and action. */
#include "draw/cells.h"

#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { SIGMA_SIDE = 100 };

static double state_at(const wac_run *run, int cell, int cells)
{
    const wac_environment_spec *spec = &run->world->spec;
    return wac_cell_middle(cell, cells, spec->observation_low[0], spec->observation_high[0]);
}

static double action_at(const wac_run *run, int cell, int cells)
{
    const wac_environment_spec *spec = &run->world->spec;
    return wac_cell_middle(cell, cells, spec->action_low[0], spec->action_high[0]);
}

int64_t wac_map_visits(wac_plot *plot, const wac_run *run)
{
    int64_t most = 1;
    for (int a = 0; a < WAC_COVERAGE_SIDE; a++)
        for (int s = 0; s < WAC_COVERAGE_SIDE; s++) {
            int64_t count = run->visited.counts[s * WAC_COVERAGE_SIDE + a];
            most = count > most ? count : most;
            wac_plot_print(plot, "%.9g %.9g %" PRId64 "\n", state_at(run, s, WAC_COVERAGE_SIDE),
                           action_at(run, a, WAC_COVERAGE_SIDE), count);
        }
    return most;
}

wac_status wac_map_sigma(wac_plot *plot, wac_run *run, double range[2], wac_error *error)
{
    enum { CELLS = SIGMA_SIDE * SIGMA_SIDE };
    float *values = malloc(4 * CELLS * sizeof *values);
    if (!values)
        return wac_fail_memory(error, "the map of uncertainty");
    float *observations = values, *actions = values + CELLS;
    float *mean = values + 2 * CELLS, *std = values + 3 * CELLS;
    for (int i = 0; i < CELLS; i++) {
        observations[i] =
            (float)(run->world->raw ? state_at(run, i % SIGMA_SIDE, SIGMA_SIDE)
                                    : wac_cell_middle(i % SIGMA_SIDE, SIGMA_SIDE, -1, 1));
        actions[i] = (float)wac_cell_middle(i / SIGMA_SIDE, SIGMA_SIDE, -1, 1);
    }
    wac_agent_value(run->agent, CELLS, observations, actions, mean, std);
    range[0] = range[1] = (double)std[0];
    for (int i = 0; i < CELLS; i++) {
        range[0] = fmin(range[0], (double)std[i]);
        range[1] = fmax(range[1], (double)std[i]);
        wac_plot_print(plot, "%.9g %.9g %.9g\n", state_at(run, i % SIGMA_SIDE, SIGMA_SIDE),
                       action_at(run, i / SIGMA_SIDE, SIGMA_SIDE), (double)std[i]);
    }
    /* early on, when all is about as unknown, all is bright */
    range[0] = fmin(range[0], 0.8 * range[1]);
    free(values);
    return WAC_STATUS_OK;
}
