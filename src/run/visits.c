/* Counting into cells, and what a run knows of them. */
#include "run/visits.h"

#include "base/csv.h"
#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "run/folder.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool has_one_of_each(const wac_world *world)
{
    return world->spec.observation_size == 1 && world->spec.action_size == 1;
}

bool wac_world_has_coverage(const wac_world *world)
{
    return !world->raw && has_one_of_each(world) && world->spec.states == 0;
}

wac_grid wac_world_grid(const wac_world *world)
{
    const wac_environment_spec *spec = &world->spec;
    const double *low = spec->observation_low, *high = spec->observation_high;
    if (spec->has_place)
        return (wac_grid){{WAC_PLACE_ACROSS, WAC_PLACE_UP}, {low[0], low[1]}, {high[0], high[1]}};
    if (spec->states * spec->choices > WAC_CELLS_MOST)
        return (wac_grid){0};
    if (spec->states) /* a cell for each pair, its number in the middle */
        return (wac_grid){
            {spec->states, spec->choices}, {-0.5, -0.5}, {spec->states - 0.5, spec->choices - 0.5}};
    if (has_one_of_each(world))
        return (wac_grid){{WAC_COVERAGE_SIDE, WAC_COVERAGE_SIDE},
                          {low[0], spec->action_low[0]},
                          {high[0], spec->action_high[0]}};
    return (wac_grid){0};
}

double wac_cell_middle(int cell, int cells, double low, double high)
{
    return low + (high - low) * (cell + 0.5) / cells;
}

void wac_visits_add(wac_visits *visits, const wac_world *world, const float *observation,
                    const float *action)
{
    const wac_grid grid = wac_world_grid(world);
    bool has_place = world->spec.has_place;
    if (grid.cells[0] == 0)
        return;
    double at[2] = {(double)observation[0], (double)(has_place ? observation[1] : action[0])};
    for (int i = 0; world->raw && i < (has_place ? 2 : 1); i++)
        at[i] = wac_world_normalise(at[i], grid.low[i], grid.high[i]);
    int cell[2] = {wac_coverage_bin(at[0], grid.cells[0]), wac_coverage_bin(at[1], grid.cells[1])};
    visits->counts[cell[0] * grid.cells[1] + cell[1]]++;
}

size_t wac_cells_write(char text[WAC_CELLS_TEXT], const double *sigma, const double *visits)
{
    int used = sprintf(text, "sigma,visits\n");
    for (int i = 0; i < WAC_COVERAGE_BINS; i++) {
        /* as much as a float knows */
        used += wac_number_print(text + used, 32, "%.9g", sigma[i]);
        used += sprintf(text + used, ",%.0f\n", visits[i]);
    }
    return (size_t)used;
}

static wac_status read_packed(double *sigma, double *visits, const char *directory,
                              wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    wac_csv csv;
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_CELLS, error));
    WAC_TRY(wac_file_read(&text, &size, path, WAC_CELLS_TEXT, error));
    WAC_TRY(wac_csv_parse(&csv, text, size, path, error));
    bool fits = csv.rows == WAC_COVERAGE_BINS && csv.columns == 2;
    for (size_t i = 0; fits && i < WAC_COVERAGE_BINS; i++) {
        sigma[i] = (double)(float)wac_csv_at(&csv, i, 0); /* the same to the bit */
        visits[i] = wac_csv_at(&csv, i, 1);
        fits = isfinite(sigma[i]) && isfinite(visits[i]);
    }
    wac_csv_free(&csv);
    return fits ? WAC_STATUS_OK
                : wac_fail(error, WAC_STATUS_INPUT, "%s does not hold the numbers of %d cells",
                           path, WAC_COVERAGE_BINS);
}

wac_status wac_cells_read(double *sigma, double *visits, const char *directory, wac_error *error)
{
    enum { SIDE = WAC_COVERAGE_SIDE, CELLS = WAC_COVERAGE_BINS };
    float observations[CELLS], actions[CELLS], mean[CELLS], std[CELLS];
    wac_run *run;
    if (wac_folder_has(directory, WAC_FOLDER_CELLS))
        return read_packed(sigma, visits, directory, error);
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
        visits[i] = (double)run->visits[WAC_POLICY_BEHAVIOUR].counts[i];
    }
    wac_agent_value(run->agent, CELLS, observations, actions, mean, std);
    for (int i = 0; i < CELLS; i++)
        sigma[i] = (double)std[i];
    wac_run_destroy(run);
    return WAC_STATUS_OK;
}
