/* Tasks with one state and one action: where runs went and, for WAC, what they are unsure of. A
 * column for each run, three in a row, on the same scales. */
#include "draw/map.h"

#include "base/status.h"
#include "run/coverage.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the data ----------------------------------------------------------------------------- */

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

/* --- the page ----------------------------------------------------------------------------- */

/* Pixels of the page. */
enum {
    COLUMNS = 3, /* then another row begins */
    LEFT = 96,
    RIGHT = 120,
    GAP = 80,
    TOP = 24,
    HEADLINE = 56,
    HEADER = 66,
    BETWEEN = 106, /* the two rows of maps */
    BOTTOM = 64,
    APART = 24, /* rows of runs */
};

/* What the axes are called. */
typedef struct names {
    const char *environment, *state, *action;
} names;

static const names *names_of(const wac_world *world)
{
    static const names known[] = {
        {"riverswim", "position in the river", "action: down −1, up 1"},
        {"lqg", "position", "push"},
        {NULL, "observation", "action"},
    };
    const names *found = known;
    while (found->environment && strcmp(found->environment, world->type->name) != 0)
        found++;
    return found;
}

/* All that colours depend on. */
typedef struct ranges {
    int64_t most;    /* visits of a cell */
    double sigma[2]; /* of all runs of WAC */
    int wac;         /* how many those are */
} ranges;

static wac_status write_data(wac_plot *plot, const wac_scene *scene, ranges *ranges,
                             wac_error *error)
{
    for (int i = 0; i < scene->count; i++) {
        wac_run *run = scene->subjects[i].run;
        double sigma[2] = {0, 1};
        wac_plot_file(plot, "visits-%d", i);
        int64_t most = wac_map_visits(plot, run);
        ranges->most = most > ranges->most ? most : ranges->most;
        if (!wac_agent_has_std(run->agent))
            continue;
        wac_plot_file(plot, "sigma-%d", i);
        WAC_TRY(wac_map_sigma(plot, run, sigma, error));
        ranges->sigma[0] = ranges->wac ? fmin(ranges->sigma[0], sigma[0]) : sigma[0];
        ranges->sigma[1] = ranges->wac ? fmax(ranges->sigma[1], sigma[1]) : sigma[1];
        ranges->wac++;
    }
    return WAC_STATUS_OK;
}

static double covered(const wac_subject *subject)
{
    double share = wac_coverage_share(&subject->run->visited);
    return isnan(share) ? 0 : 100 * share;
}

static void print_headline(wac_page *page, const wac_scene *scene)
{
    char names[2][400];
    for (int i = 0; i < 2; i++)
        wac_page_quote(names[i], sizeof names[i], scene->subjects[i].name);
    if (scene->count == 2 && scene->is_one_world)
        wac_page_label(page, LEFT, TOP + 8, WAC_INK_TITLE, 21,
                       "%s covers %.0f %% of %s, %s %.0f %%", names[0],
                       covered(&scene->subjects[0]), scene->subjects[0].world->type->name, names[1],
                       covered(&scene->subjects[1]));
    else
        wac_page_label(page, LEFT, TOP + 8, WAC_INK_TITLE, 21, "Where %d agents went%s%s",
                       scene->count, scene->is_one_world ? " on " : "",
                       scene->is_one_world ? scene->subjects[0].world->type->name : "");
}

/* Columns beside each other: subjects from `first` to before `end`. */
typedef struct row {
    int first, end;
    double top, second; /* where visits and σ begin */
    double width, height;
} row;

/* The axes of a map; only the first of a row is labelled at its side. */
static void print_axes(wac_page *page, const wac_scene *scene, int i, const row *row,
                       bool is_lowest)
{
    const wac_world *world = scene->subjects[i].world;
    const wac_environment_spec *spec = &world->spec;
    const names *names = names_of(world);
    wac_plot_print(&page->plot,
                   "set xrange [%.9g:%.9g]; set yrange [%.9g:%.9g]\n"
                   "set ytics %.9g,%.9g\n"
                   "set xlabel '%s' offset 0,0.5 tc rgb grey\n"
                   "set ylabel '%s' offset 1 tc rgb grey\n",
                   spec->observation_low[0], spec->observation_high[0], spec->action_low[0],
                   spec->action_high[0], spec->action_low[0],
                   (spec->action_high[0] - spec->action_low[0]) / 2, is_lowest ? names->state : "",
                   i == row->first || !scene->is_one_world ? names->action : "");
}

static void print_visits(wac_page *page, const wac_scene *scene, int i, const row *row, double left)
{
    char title[512];
    double top = row->top + HEADER;
    int points = wac_subject_title_within(title, sizeof title, scene, &scene->subjects[i],
                                          row->width + GAP / 2);
    wac_page_label(page, left, row->top + 12, WAC_INK_TITLE, points, "%s", title);
    wac_page_label(page, left, row->top + 40, WAC_INK_GREY, 12, "where it went; dark: never");
    if (i + 1 == row->end) {
        wac_page_label(page, left + row->width + 14, top - 16, WAC_INK_GREY, 12, "visits");
        wac_page_colours(page, false, left + row->width + 14, top, 14, row->height);
    }
    wac_page_axes(page, left, top, row->width, row->height);
    print_axes(page, scene, i, row, !wac_agent_has_std(scene->subjects[i].run->agent));
    wac_plot_print(&page->plot,
                   "plot 'visits-%d' using 1:2:($3 > 0 ? $3 : NaN) with image @pixels\n", i);
    wac_page_forget_labels(page);
}

static void print_sigma(wac_page *page, const wac_scene *scene, int i, bool has_bar, const row *row,
                        double left)
{
    wac_page_label(page, left, row->second - 24, WAC_INK_GREY, 12,
                   "what it is unsure of; bright: unknown");
    if (has_bar) {
        wac_page_label(page, left + row->width + 14, row->second - 16, WAC_INK_GREY, 12, "σ");
        wac_page_colours(page, false, left + row->width + 14, row->second, 14, row->height);
    }
    wac_page_axes(page, left, row->second, row->width, row->height);
    print_axes(page, scene, i, row, true);
    wac_plot_print(&page->plot, "plot 'sigma-%d' using 1:2:3 with image\nunset colorbox\n", i);
    wac_page_forget_labels(page);
}

/* A row of columns from one subject to before another, with its top. */
static void print_visits_row(wac_page *page, const wac_scene *scene, const ranges *ranges,
                             const row *row)
{
    wac_plot_print(&page->plot,
                   "set logscale cb; set cbrange [1:%" PRId64 "]\n"
                   "set palette " WAC_PALETTE_VISITS "\nunset colorbox\n",
                   ranges->most > 1 ? ranges->most : 2);
    for (int i = row->first; i < row->end; i++)
        print_visits(page, scene, i, row, LEFT + (i - row->first) * (row->width + GAP));
}

static void print_sigma_row(wac_page *page, const wac_scene *scene, const ranges *ranges,
                            const row *row)
{
    int last = -1;
    wac_plot_print(&page->plot,
                   "unset logscale cb; set cbrange [%.9g:%.9g]\nset palette %s\n"
                   "unset colorbox\n",
                   ranges->sigma[0], ranges->sigma[1], WAC_PALETTE_SIGMA);
    for (int i = row->first; i < row->end; i++)
        if (wac_agent_has_std(scene->subjects[i].run->agent))
            last = i;
    for (int i = row->first; i < row->end && last >= 0; i++)
        if (!wac_agent_has_std(scene->subjects[i].run->agent))
            wac_page_label(page, LEFT + (i - row->first) * (row->width + GAP), row->second - 24,
                           WAC_INK_GREY, 12, "it keeps no measure of what it does not know");
    for (int i = row->first; i < row->end; i++)
        if (wac_agent_has_std(scene->subjects[i].run->agent))
            print_sigma(page, scene, i, i == last, row,
                        LEFT + (i - row->first) * (row->width + GAP));
}

static void print_script(wac_page *page, const wac_scene *scene, const ranges *ranges)
{
    int count = scene->count, columns = count < COLUMNS ? count : COLUMNS;
    int rows = (count + columns - 1) / columns;
    double width = count == 1 ? 560 : 440, height = 0.7 * width;
    double start = TOP + (count > 1 ? HEADLINE : 0), below = HEADER + height + BETWEEN;
    double block = (ranges->wac ? below + height : HEADER + height) + BOTTOM, step = block + APART;
    wac_page_script(page, (int)(LEFT + columns * width + (columns - 1) * GAP + RIGHT),
                    (int)(start + rows * step - APART));
    wac_plot_print(&page->plot, "set border 3\n"
                                "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb "
                                "'" WAC_NEVER_VISITED "' fs solid noborder\n"
                                "set cbtics scale 0.3\nunset colorbox\nset multiplot\n");
    if (count > 1)
        print_headline(page, scene);
    for (int i = 0; i < rows; i++) {
        double top = start + i * step;
        row row = {i * columns, (i + 1) * columns < count ? (i + 1) * columns : count,
                   top,         top + below,
                   width,       height};
        print_visits_row(page, scene, ranges, &row);
        if (ranges->wac)
            print_sigma_row(page, scene, ranges, &row);
    }
    wac_plot_print(&page->plot, "unset multiplot\n");
}

wac_status wac_render_maps(wac_scene *scene, wac_error *error)
{
    wac_page page = {0};
    ranges ranges = {.most = 1};
    WAC_TRY(wac_plot_begin(&page.plot, error));
    wac_status status = write_data(&page.plot, scene, &ranges, error);
    if (status == WAC_STATUS_OK) {
        print_script(&page, scene, &ranges);
        status = wac_page_draw(&page, scene->drawn, error);
    }
    wac_plot_end(&page.plot);
    return status;
}
