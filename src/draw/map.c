/* Tasks with one state and one action: where runs went and, for WAC, what they are unsure of. All
 * on the same scales. Where every run has both maps, or none the second, a run is a column; else
 * the maps follow each other so that no place of the page stays empty. */
#include "draw/map.h"

#include "base/status.h"
#include "draw/style.h"
#include "run/visits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the data ----------------------------------------------------------------------------- */

enum { SIGMA_SIDE = 100 };

static double state_at(const wac_run *run, int cell, int cells)
{
    const wac_grid grid = wac_world_grid(run->world);
    return wac_cell_middle(cell, cells, grid.low[0], grid.high[0]);
}

static double action_at(const wac_run *run, int cell, int cells)
{
    const wac_grid grid = wac_world_grid(run->world);
    return wac_cell_middle(cell, cells, grid.low[1], grid.high[1]);
}

void wac_palette_colour(int rgb[3], const char *palette, double share, int levels)
{
    int stops[16][3], count = 0;
    for (const char *at = palette; count < 16 && (at = strchr(at, '#')); at++)
        count += sscanf(at, "#%2x%2x%2x", (unsigned *)&stops[count][0],
                        (unsigned *)&stops[count][1], (unsigned *)&stops[count][2]) == 3;
    double level = round(fmin(fmax(share, 0), 1) * (levels - 1)) / (levels - 1);
    double place = level * (count - 1);
    int before = place < count - 1 ? (int)place : count - 2;
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)lround(stops[before][i] +
                             (place - before) * (stops[before + 1][i] - stops[before][i]));
}

int64_t wac_map_visits(wac_plot *plot, const wac_run *run, wac_policy_role role)
{
    const wac_grid grid = wac_world_grid(run->world);
    const int *cells = grid.cells;
    int64_t most = 1;
    for (int j = 0; j < cells[1]; j++)
        for (int i = 0; i < cells[0]; i++) {
            int64_t count = run->visits[role].counts[i * cells[1] + j];
            most = count > most ? count : most;
            wac_plot_print(plot, "%.9g %.9g %" PRId64 "\n",
                           wac_cell_middle(i, cells[0], grid.low[0], grid.high[0]),
                           wac_cell_middle(j, cells[1], grid.low[1], grid.high[1]), count);
        }
    return most;
}

wac_status wac_map_sigma(wac_plot *plot, wac_run *run, double range[2], wac_error *error)
{
    enum { CELLS = SIGMA_SIDE * SIGMA_SIDE };
    const wac_environment_spec *spec = &run->world->spec;
    float *values = malloc(4 * CELLS * sizeof *values);
    if (!values)
        return wac_fail_memory(error, "the map of uncertainty");
    float *observations = values, *actions = values + CELLS;
    float *mean = values + 2 * CELLS, *std = values + 3 * CELLS;
    for (int i = 0; i < CELLS; i++) {
        double state = state_at(run, i % SIGMA_SIDE, SIGMA_SIDE);
        double action = action_at(run, i / SIGMA_SIDE, SIGMA_SIDE);
        observations[i] =
            (float)(run->world->raw ? state
                                    : wac_world_normalise(state, spec->observation_low[0],
                                                          spec->observation_high[0]));
        actions[i] = (float)wac_world_normalise(action, spec->action_low[0], spec->action_high[0]);
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
    TOP = 24,
    HEADLINE = 56,
    HEADER = 66,
    SHORT_HEADER = 44, /* without whose it is */
    BELOW = 62,        /* the axis and its name */
    SHORT_BELOW = 50,
    BAR = 14, /* of colours */
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
        {"riverswim-6", "state", "action: down 0, up 1"},
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
        int64_t most = wac_map_visits(plot, run, WAC_POLICY_BEHAVIOUR);
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

static int cells_of(const wac_subject *subject)
{
    const wac_grid grid = wac_world_grid(subject->run->world);
    return grid.cells[0] * grid.cells[1];
}

static double visited(const wac_subject *subject)
{
    double share =
        wac_coverage_share(subject->run->visits[WAC_POLICY_BEHAVIOUR].counts, cells_of(subject));
    return isnan(share) ? 0 : 100 * share;
}

static void print_headline(wac_page *page, const wac_scene *scene)
{
    char names[2][400], world[WAC_STYLE_TITLE];
    wac_style_environment(world, sizeof world, scene->subjects[0].world->type->name);
    for (int i = 0; i < 2; i++)
        wac_page_quote(names[i], sizeof names[i], scene->subjects[i].name);
    char both[1024] = "";
    if (scene->count == 2 && scene->is_one_world)
        snprintf(both, sizeof both, "%s visited %.0f %% of %s, %s %.0f %%", names[0],
                 visited(&scene->subjects[0]), world, names[1], visited(&scene->subjects[1]));
    double room = page->width - 110;
    int points = wac_page_points(both, WAC_INK_TITLE, 21, 13, room);
    if (*both && wac_page_text(both, WAC_INK_TITLE, points) <= room) {
        wac_page_label(page, 96, TOP + 8, WAC_INK_TITLE, points, "%s", both);
        wac_page_label(page, 96, TOP + 36, WAC_INK_GREY, 12,
                       "visited: of %d cells those with more than 0.1 %% of all steps",
                       cells_of(&scene->subjects[0]));
    } else {
        wac_page_label(page, 96, TOP + 8, WAC_INK_TITLE, 21, "Where %d agents went%s%s",
                       scene->count, scene->is_one_world ? " on " : "",
                       scene->is_one_world ? world : "");
    }
}

/* A map of the page: a subject's visits, or what it is unsure of. */
typedef struct cell {
    int subject;
    bool sigma;
    int row, column;
} cell;

/* Where all maps are, in pixels. */
typedef struct layout {
    cell cells[2 * WAC_RENDER_MOST];
    int count, columns, rows;
    bool compact; /* for print: small maps, short words */
    double left, right, gap, width, height;
    double title; /* room for the titles of maps */
    int rows_of_title;
    double tops[2 * WAC_RENDER_MOST + 1]; /* of the maps of a row; then the end of the page */
} layout;

static bool has_sigma(const wac_scene *scene, int subject)
{
    return wac_agent_has_std(scene->subjects[subject].run->agent);
}

static void add_cell(layout *layout, int subject, bool sigma, int row, int column)
{
    layout->cells[layout->count++] = (cell){subject, sigma, row, column};
    layout->rows = row + 1 > layout->rows ? row + 1 : layout->rows;
}

/* So many columns, or as many as get maps of some width. */
static int fitting(const layout *layout, double room, int columns)
{
    const double least = 110;
    while (room > 0 && columns > 1 &&
           room - layout->left - layout->right - (columns - 1) * layout->gap < columns * least)
        columns--;
    return columns;
}

/* Columns of runs, each with its visits and below, if it has that, its uncertainty. */
static void arrange_columns(layout *layout, const wac_scene *scene, bool sigma, double room)
{
    int count = scene->count, columns = count <= 3 ? count : count == 4 ? 2 : 3;
    layout->columns = fitting(layout, room, columns);
    for (int i = 0; i < count; i++) {
        int row = i / layout->columns * (sigma ? 2 : 1);
        add_cell(layout, i, false, row, i % layout->columns);
        if (sigma)
            add_cell(layout, i, true, row + 1, i % layout->columns);
    }
}

/* Maps one after the other; those of a run with both come first, beside each other. */
static void arrange_flow(layout *layout, const wac_scene *scene, int maps, double room)
{
    int place = 0;
    layout->gap += layout->compact ? 42 : 40; /* bars of colours stand between maps */
    layout->columns = fitting(layout, room, maps == 3 ? 3 : maps <= 6 ? 2 : 4);
    if (layout->columns == 3 && maps > 3)
        layout->columns = 2;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < scene->count; i++) {
            int columns = layout->columns;
            if (has_sigma(scene, i) == (pass > 0))
                continue;
            add_cell(layout, i, false, place / columns, place % columns);
            place++;
            if (pass == 0) {
                add_cell(layout, i, true, place / columns, place % columns);
                place++;
            }
        }
}

static void find_tops(layout *layout, const wac_scene *scene)
{
    double y = layout->compact ? 4 : scene->count > 1 ? TOP + HEADLINE : TOP;
    for (int row = 0; row < layout->rows; row++) {
        bool named = false;
        for (int i = 0; i < layout->count; i++)
            named |= layout->cells[i].row == row && !layout->cells[i].sigma;
        double title = HEADER + (layout->rows_of_title - 1) * WAC_PAGE_ROW;
        layout->tops[row] = y + (named ? title : SHORT_HEADER);
        bool labelled = row + 1 == layout->rows || !scene->is_one_world;
        y = layout->tops[row] + layout->height + (labelled ? BELOW : SHORT_BELOW);
    }
    layout->tops[layout->rows] = y;
}

static void arrange(layout *layout, const wac_scene *scene, const ranges *ranges)
{
    double room = scene->options->inches * WAC_PLOT_PIXELS_PER_INCH;
    *layout = (struct layout){.compact = room > 0, .left = 96, .right = 120, .gap = 80};
    if (layout->compact) {
        layout->left = 68;
        layout->right = 84;
        layout->gap = 44;
    }
    if (ranges->wac == 0 || ranges->wac == scene->count)
        arrange_columns(layout, scene, ranges->wac > 0, room);
    else
        arrange_flow(layout, scene, scene->count + ranges->wac, room);
    int columns = layout->columns;
    double margins = layout->left + layout->right + (columns - 1) * layout->gap;
    layout->width = room > 0 ? (room - margins) / columns : columns == 1 ? 560 : 440;
    layout->height = 0.7 * layout->width;
    layout->title = layout->width + layout->gap * (layout->compact ? 0.75 : 0.5);
    layout->rows_of_title = wac_scene_title_rows(scene, layout->title);
    find_tops(layout, scene);
}

/* Letters of the name of an axis: its first word where there is little room. */
static int length_of(const char *name, const layout *layout)
{
    return (int)(layout->compact ? strcspn(name, ": ") : strlen(name));
}

/* The axes of a map; only the outer ones are labelled where all have the same. */
static void print_axes(wac_page *page, const wac_scene *scene, const layout *layout,
                       const cell *cell)
{
    const wac_world *world = scene->subjects[cell->subject].world;
    const wac_environment_spec *spec = &world->spec;
    const names *names = names_of(world);
    bool is_lowest = true;
    for (int i = 0; i < layout->count && scene->is_one_world; i++)
        is_lowest &= layout->cells[i].column != cell->column || layout->cells[i].row <= cell->row;
    bool is_first = cell->column == 0 || !scene->is_one_world;
    const wac_grid grid = wac_world_grid(world); /* of finite worlds wider than their bounds */
    double low = spec->observation_low[0], high = spec->observation_high[0];
    double step = spec->states ? 1 : (spec->action_high[0] - spec->action_low[0]) / 2;
    wac_plot_print(&page->plot,
                   "set xrange [%.9g:%.9g]; set yrange [%.9g:%.9g]\n"
                   "set ytics %.9g,%.9g\n"
                   "set xlabel '%.*s' offset 0,0.5 tc rgb grey\n"
                   "set ylabel '%.*s' offset %d tc rgb grey\n",
                   grid.low[0], grid.high[0], grid.low[1], grid.high[1], spec->action_low[0], step,
                   is_lowest ? length_of(names->state, layout) : 0, names->state,
                   is_first ? length_of(names->action, layout) : 0, names->action,
                   spec->states ? 0 : 1);
    if (layout->compact)
        wac_plot_print(&page->plot, "set xtics %.9g,%.9g; set format y '%s'\n", low,
                       (high - low) / 2, is_first ? "% h" : "");
}

/* What stands above a map: of visits whose they are. */
static void print_header(wac_page *page, const wac_scene *scene, const layout *layout,
                         const cell *cell, double left, double top)
{
    const wac_subject *subject = &scene->subjects[cell->subject];
    char title[WAC_SUBJECT_TITLE];
    wac_subject_title(title, scene, subject);
    if (!cell->sigma)
        wac_page_label_rows(page, left, top - (layout->compact ? 44 : 54), WAC_INK_TITLE,
                            wac_scene_title_points(scene), layout->title, title);
    wac_page_label(page, left, top - (layout->compact ? 18 : 26), WAC_INK_GREY, 12, "%s",
                   layout->compact ? (cell->sigma ? "uncertainty" : "visits")
                   : cell->sigma   ? "what it is unsure of; bright: unknown"
                                   : "where it went; dark: never");
}

/* Whether no map of the same colours stands further right in its row. */
static bool has_bar(const layout *layout, const cell *cell)
{
    for (int i = 0; i < layout->count; i++) {
        const struct cell *other = &layout->cells[i];
        if (other->row == cell->row && other->sigma == cell->sigma && other->column > cell->column)
            return false;
    }
    return true;
}

static void print_cell(wac_page *page, const wac_scene *scene, const ranges *ranges,
                       const layout *layout, const cell *cell)
{
    double left = layout->left + cell->column * (layout->width + layout->gap);
    double map = layout->tops[cell->row], bar = left + layout->width + 12;
    print_header(page, scene, layout, cell, left, map);
    if (cell->sigma)
        wac_plot_print(&page->plot,
                       "unset logscale cb; set cbrange [%.9g:%.9g]\nset palette " WAC_PALETTE_SIGMA
                       "\nunset colorbox\n",
                       ranges->sigma[0], ranges->sigma[1]);
    else
        wac_plot_print(&page->plot,
                       "set logscale cb; set cbrange [1:%" PRId64 "]\n"
                       "set palette " WAC_PALETTE_VISITS "\nunset colorbox\n",
                       ranges->most > 1 ? ranges->most : 2);
    if (has_bar(layout, cell)) {
        wac_page_colour_tics(page, cell->sigma ? ranges->sigma[0] : 1,
                             cell->sigma ? ranges->sigma[1] : (double)ranges->most, !cell->sigma);
        wac_page_label(page, bar, map - 16, WAC_INK_GREY, 12, "%s",
                       cell->sigma       ? "σ"
                       : layout->compact ? ""
                                         : "visits");
        wac_page_colours(page, false, bar, map, layout->compact ? 10 : BAR, layout->height);
    }
    wac_page_axes(page, left, map, layout->width, layout->height);
    print_axes(page, scene, layout, cell);
    if (cell->sigma)
        wac_plot_print(&page->plot, "plot 'sigma-%d' using 1:2:3 with image\n", cell->subject);
    else
        wac_plot_print(&page->plot,
                       "plot 'visits-%d' using 1:2:($3 > 0 ? $3 : NaN) with image @pixels\n",
                       cell->subject);
    wac_page_forget_labels(page);
}

static void print_script(wac_page *page, const wac_scene *scene, const ranges *ranges)
{
    layout layout;
    arrange(&layout, scene, ranges);
    double width = layout.left + layout.columns * layout.width + (layout.columns - 1) * layout.gap +
                   layout.right;
    wac_page_script(page, (int)(width + 0.5), (int)layout.tops[layout.rows]);
    wac_plot_print(&page->plot, "set border 3\n"
                                "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb "
                                "'" WAC_NEVER_VISITED "' fs solid noborder\n"
                                "set cbtics scale 0.3 * zoom\nunset colorbox\nset multiplot\n");
    if (scene->count > 1 && !layout.compact)
        print_headline(page, scene);
    for (int i = 0; i < layout.count; i++)
        print_cell(page, scene, ranges, &layout, &layout.cells[i]);
    wac_plot_print(&page->plot, "unset multiplot\n");
}

wac_status wac_render_maps(wac_scene *scene, wac_error *error)
{
    wac_page page = {0};
    ranges ranges = {.most = 1};
    WAC_TRY(wac_plot_begin(&page.plot, error));
    page.plot.inches = scene->options->inches;
    wac_status status = write_data(&page.plot, scene, &ranges, error);
    if (status == WAC_STATUS_OK) {
        print_script(&page, scene, &ranges);
        status = wac_page_draw(&page, scene->drawn, error);
    }
    wac_plot_end(&page.plot);
    return status;
}
