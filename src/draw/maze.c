/* Mazes from above: walls, start and goal; of a run the places it has been to and the ways that its
 * policies take. Where one policy explores and another is evaluated, each has a maze of its own. */
#include "draw/maze.h"

#include "base/rng.h"
#include "base/status.h"
#include "draw/map.h"
#include "draw/style.h"
#include "env/mujoco/point.h"
#include "run/visits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels of the page. */
enum {
    LEFT = 72,
    TOP = 24,
    HEADLINE = 56,
    HEADER = 92,
    BARE_HEADER = 66,
    AXIS = 52,
    FOOTER = 78,
    COMPACT_AXIS = 34,
    NARROW_FOOTER = 158,
    MOST_GEOMS = 64,
};

/* One maze of the picture. */
typedef struct panel {
    const wac_subject *subject;
    int number;
    wac_policy_role role; /* whose visits: while exploring, or in the evaluations … */
    bool is_only;         /* … and one policy does both */
    int boxes;
    wac_geom walls[MOST_GEOMS];
    double ball;            /* radius */
    double low[2], high[2]; /* the outer walls */
    int64_t steps, most;    /* visits in all; in the fullest cell */
    double seen;            /* share of the floor */
    int64_t arrived[2];     /* episodes that reached the goal, by policy role */
} panel;

/* Where the mazes are, in pixels. For print they are small, and words are few. */
typedef struct layout {
    /* narrow: the legend does not fit beside the colours; hole: it stands where the last row of
     * mazes ends short, and not below all */
    bool compact, narrow, hole;
    int columns, rows;
    double left, right, gap, first, header, row, width, height;
    double title; /* room for the titles of mazes */
} layout;

/* How the ways of a policy are drawn: widths of its line, of the white edge that keeps it apart
 * from what is below, of crosses, and of the sample in the legend. */
static const struct {
    const char *name, *acts, *colour;
    double line, edge, cross, sample;
} ways[] = {
    [WAC_POLICY_BEHAVIOUR] = {"behaviour", " as it explores", "orange", 1.6, 2.8, 1.8, 2},
    [WAC_POLICY_TARGET] = {"target", ", mean actions", "ink", 2.5, 5, 2.5, 3},
};

/* Whether the ways of a policy are drawn here. */
static bool has_ways(const panel *panel, const wac_render_options *options, int role)
{
    return panel->subject->run && (panel->is_only || panel->role == (wac_policy_role)role) &&
           (role == WAC_POLICY_TARGET ? options->target : options->behaviour);
}

double wac_maze_corner(const wac_geom *box, int axis, int side_x, int side_y)
{
    return box->centre[axis] + side_x * box->size[0] * box->axes[3 * axis] +
           side_y * box->size[1] * box->axes[3 * axis + 1];
}

int wac_maze_walls(wac_geom *walls, int most, double *ball, const wac_world *world)
{
    wac_geom geom;
    wac_mujoco *mujoco = &((wac_point *)world->self)->mujoco;
    int count = 0;
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom); i++) {
        if (geom.kind == WAC_GEOM_SPHERE && !geom.is_fixed)
            *ball = geom.size[0];
        if (geom.kind == WAC_GEOM_BOX && geom.is_fixed && geom.is_solid && count < most)
            walls[count++] = geom;
    }
    return count;
}

static void read_walls(panel *panel)
{
    panel->boxes = wac_maze_walls(panel->walls, MOST_GEOMS, &panel->ball, panel->subject->world);
    for (int axis = 0; axis < 2; axis++) {
        panel->low[axis] = INFINITY;
        panel->high[axis] = -INFINITY;
        for (int i = 0; i < panel->boxes; i++)
            for (int k = 0; k < 4; k++) {
                double place =
                    wac_maze_corner(&panel->walls[i], axis, k & 1 ? 1 : -1, k & 2 ? 1 : -1);
                panel->low[axis] = fmin(panel->low[axis], place);
                panel->high[axis] = fmax(panel->high[axis], place);
            }
    }
}

static void write_walls(wac_plot *plot, const panel *panel)
{
    static const int around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    wac_plot_file(plot, "walls-%d", panel->number);
    for (int i = 0; i < panel->boxes; i++) {
        for (int k = 0; k < 5; k++)
            wac_plot_print(plot, "%.6g %.6g\n",
                           wac_maze_corner(&panel->walls[i], 0, around[k][0], around[k][1]),
                           wac_maze_corner(&panel->walls[i], 1, around[k][0], around[k][1]));
        wac_plot_print(plot, "\n");
    }
}

/* The goal as far as the walls around the floor leave it open. */
static void write_goal(wac_plot *plot, const panel *panel)
{
    enum { SIDES = 96 };
    const wac_point_places *task = &wac_point_task;
    wac_plot_file(plot, "goal-%d", panel->number);
    for (int i = 0; i <= SIDES; i++) {
        double angle = i * 2 * M_PI / SIDES;
        wac_plot_print(plot, "%.6g %.6g\n",
                       fmin(panel->high[0] - 0.1, task->goal[0] + task->goal_radius * cos(angle)),
                       task->goal[1] + task->goal_radius * sin(angle));
    }
}

/* Whether the ball fits here. */
static bool is_free(const panel *panel, double x, double y)
{
    for (int i = 0; i < panel->boxes; i++) {
        const wac_geom *box = &panel->walls[i];
        double dx = x - box->centre[0], dy = y - box->centre[1], squares = 0;
        for (int axis = 0; axis < 2; axis++) {
            double along = fabs(dx * box->axes[axis] + dy * box->axes[3 + axis]);
            double beyond = fmax(0, along - box->size[axis]);
            squares += beyond * beyond;
        }
        if (squares < panel->ball * panel->ball)
            return false;
    }
    return true;
}

static void write_visits(wac_plot *plot, panel *panel)
{
    const wac_run *run = panel->subject->run;
    const wac_grid grid = wac_world_grid(run->world);
    int64_t floor = 0, seen = 0;
    wac_plot_file(plot, "visits-%d", panel->number);
    panel->most = wac_map_visits(plot, run, panel->role);
    for (int i = 0; i < grid.cells[0] * grid.cells[1]; i++) {
        int64_t visits = run->visits[panel->role].counts[i];
        double x = wac_cell_middle(i / grid.cells[1], grid.cells[0], grid.low[0], grid.high[0]);
        double y = wac_cell_middle(i % grid.cells[1], grid.cells[1], grid.low[1], grid.high[1]);
        panel->steps += visits;
        floor += visits > 0 || is_free(panel, x, y);
        seen += visits > 0;
    }
    panel->seen = (double)seen / (double)floor;
}

static void write_place(void *user, wac_world *world)
{
    wac_plot_print(user, "%.5g %.5g\n", world->raw_observation[0], world->raw_observation[1]);
}

/* The episodes of a policy, a block of lines each, and where they end: x, y, 1 at the goal. */
static wac_status write_ways(wac_plot *plot, panel *panel, wac_policy_role role,
                             const wac_render_options *options, wac_error *error)
{
    const wac_subject *subject = panel->subject;
    double(*ends)[3] = malloc((size_t)options->episodes * sizeof *ends);
    if (!ends)
        return wac_fail_memory(error, "the ways of a policy");
    wac_plot_file(plot, "%s-%d", ways[role].name, panel->number);
    /* both policies start from the same places */
    wac_rng worlds = wac_rng_make((uint64_t)options->seed, WAC_STREAM_REPLAYED);
    wac_rng actions = wac_rng_make((uint64_t)options->seed, WAC_STREAM_EXPLORE);
    wac_status status = WAC_STATUS_OK;
    for (int64_t i = 0; i < options->episodes && status == WAC_STATUS_OK; i++) {
        wac_evaluation evaluation = {0};
        status = wac_subject_play(&evaluation, subject, role, &worlds, &actions, 0, write_place,
                                  plot, options->stop, error);
        wac_plot_print(plot, "\n");
        panel->arrived[role] += evaluation.success > 0;
        ends[i][0] = subject->world->raw_observation[0];
        ends[i][1] = subject->world->raw_observation[1];
        ends[i][2] = evaluation.success > 0;
    }
    wac_plot_file(plot, "%s-ends-%d", ways[role].name, panel->number);
    for (int64_t i = 0; i < options->episodes && status == WAC_STATUS_OK; i++)
        wac_plot_print(plot, "%.5g %.5g %g\n", ends[i][0], ends[i][1], ends[i][2]);
    free(ends);
    return status;
}

static wac_status write_data(wac_plot *plot, panel *panel, const wac_render_options *options,
                             wac_error *error)
{
    read_walls(panel);
    write_walls(plot, panel);
    write_goal(plot, panel);
    if (!panel->subject->run)
        return WAC_STATUS_OK;
    write_visits(plot, panel);
    for (int role = WAC_POLICY_BEHAVIOUR; role <= WAC_POLICY_TARGET; role++)
        if (has_ways(panel, options, role))
            WAC_TRY(write_ways(plot, panel, (wac_policy_role)role, options, error));
    return WAC_STATUS_OK;
}

/* --- the script ------------------------------------------------------------------------------ */

/* Colours that stay apart for every eye and in print: visits from light to dark blue, ways in
 * orange and black, the goal green. */
static const char looks[] =
    "wall = '#757575'; orange = '#d55e00'; green = '#007a5a'\n"
    "set palette defined (0 '#d9e8f5', 1 '#b3d3ec', 2 '#7fb8de', 3 '#4a98ca', 4 '#2171b5', "
    "5 '#0b4a8f', 6 '#08306b')\n"
    "set logscale cb\n"
    "set cbtics out scale 0.3 * zoom offset 0,0.5\n"
    "unset mcbtics\n"
    "set style fill solid noborder\n"
    "set xtics 5 offset 0,0.3\n"
    "set ytics ('−10' -10, '−5' -5, '' 0, '5' 5, '10' 10)\n"
    "set multiplot\n";

/* In print, of a run: whose it is, how far it got. */
static void print_short_header(wac_page *page, const wac_scene *scene, const panel *panel,
                               const layout *layout, double left, double top)
{
    const wac_render_options *options = scene->options;
    bool narrow = layout->narrow;
    int role =
        has_ways(panel, options, WAC_POLICY_TARGET) ? WAC_POLICY_TARGET : WAC_POLICY_BEHAVIOUR;
    char title[WAC_SUBJECT_TITLE];
    wac_subject_title(title, scene, panel->subject);
    wac_page_label_rows(page, left, top + 20, WAC_INK_TITLE, wac_scene_title_points(scene),
                        layout->title, title);
    if (panel->is_only)
        wac_page_label(page, left, top + 46, WAC_INK_TEXT, 12, "%s%.0f %% of the floor",
                       narrow ? "" : "learning: ", 100 * panel->seen);
    else
        wac_page_label(page, left, top + 46, WAC_INK_TEXT, 12, "%s%s: %.0f %%",
                       ways[panel->role].name,
                       narrow                             ? ""
                       : panel->role == WAC_POLICY_TARGET ? ", evaluations"
                                                          : ", learning",
                       100 * panel->seen);
    if (has_ways(panel, options, role))
        wac_page_label(page, left, top + 70, WAC_INK_GREY, 12, "goal: %" PRId64 " of %" PRId64,
                       panel->arrived[role], options->episodes);
}

static void print_header(wac_page *page, const wac_scene *scene, const panel *panel, double left,
                         double top, double room)
{
    const wac_subject *subject = panel->subject;
    const wac_render_options *options = scene->options;
    char title[WAC_SUBJECT_TITLE], count[32], text[256];
    wac_subject_title(title, scene, subject);
    wac_page_label_rows(page, left, top + 12, WAC_INK_TITLE, wac_scene_title_points(scene), room,
                        title);
    if (!subject->run) {
        wac_subject_summary(page, left, top + 40, subject);
        return;
    }
    wac_page_label(page, left, top + 41, WAC_INK_TEXT, 12, "%s: %.0f %% of the floor in %s steps",
                   panel->is_only                        ? "while learning"
                   : panel->role == WAC_POLICY_BEHAVIOUR ? "behaviour policy, while learning"
                                                         : "target policy, in its evaluations",
                   100 * panel->seen, wac_page_count(count, panel->steps));
    *text = 0;
    for (int role = WAC_POLICY_TARGET; role >= WAC_POLICY_BEHAVIOUR; role--)
        if (has_ways(panel, options, role)) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s policy %" PRId64 " of %" PRId64,
                     used ? ", " : "", ways[role].name, panel->arrived[role], options->episodes);
        }
    if (*text)
        wac_page_label(page, left, top + 66, WAC_INK_GREY, 12, "reaches the goal: %s", text);
}

static void print_ways(wac_plot *plot, int i, int role)
{
    const char *name = ways[role].name, *colour = ways[role].colour;
    wac_plot_print(plot, ", \\\n  '%s-%d' with lines lw %g lc rgb 'white'", name, i,
                   ways[role].edge);
    wac_plot_print(plot, ", \\\n  '%s-%d' with lines lw %g lc rgb %s", name, i, ways[role].line,
                   colour);
    wac_plot_print(
        plot,
        ", \\\n  '%s-ends-%d' using 1:($3 > 0 ? $2 : NaN) with points pt 7 ps 1.3 * zoom lc "
        "rgb %s, \\\n  '' using 1:($3 > 0 ? NaN : $2) with points pt 2 ps 1.4 * zoom lw %g "
        "lc rgb %s",
        name, i, colour, ways[role].cross, colour);
}

static void print_panel(wac_page *page, const wac_scene *scene, const panel *panel,
                        const layout *layout)
{
    wac_plot *plot = &page->plot;
    int i = panel->number;
    const double *low = panel->low, *high = panel->high;
    double left = layout->left + i % layout->columns * (layout->width + layout->gap);
    double top = layout->first + i / layout->columns * layout->row + layout->header;
    double header = top - (scene->runs ? HEADER : BARE_HEADER);
    if (layout->compact && panel->subject->run)
        print_short_header(page, scene, panel, layout, left, header);
    else
        print_header(page, scene, panel, left, header, layout->title);
    wac_page_axes(page, left, top, layout->width, layout->height);
    double middle = top + layout->height * (high[1] - wac_point_task.goal[1]) / (high[1] - low[1]);
    if (!layout->compact) {
        wac_page_label(page, left + layout->width + 8, middle, WAC_INK_TEXT, 12, "goal");
        wac_page_label(page, left - 46, middle, WAC_INK_TEXT, 12, "start");
    } else {
        wac_plot_print(
            plot, "set xtics 10; %s\n",
            i % layout->columns
                ? "unset ytics"
                : "set ytics out nomirror scale 0.5 * zoom; set ytics ('−10' -10, 0, 10)");
    }
    wac_plot_print(plot, "set xrange [%.6g:%.6g]; set yrange [%.6g:%.6g]\nplot \\\n", low[0],
                   high[0], low[1], high[1]);
    if (panel->steps > 0)
        wac_plot_print(plot, "  'visits-%d' using 1:2:($3 > 0 ? $3 : NaN) with image @pixels, \\\n",
                       i);
    wac_plot_print(plot,
                   "  'goal-%d' with filledcurves closed fc rgb '#d0e7df', "
                   "\\\n  'goal-%d' with lines lw 2 lc rgb green, \\\n"
                   "  'walls-%d' with filledcurves closed fc rgb wall, \\\n"
                   "  '+' using (%.6g):(%.6g):(%.6g) every ::0::0 with circles fc rgb 'white' "
                   "fs solid border lc rgb ink lw 2",
                   i, i, i, wac_point_task.start[0], wac_point_task.start[1], panel->ball);
    for (int role = WAC_POLICY_BEHAVIOUR; role <= WAC_POLICY_TARGET; role++)
        if (has_ways(panel, scene->options, role))
            print_ways(plot, i, role);
    wac_plot_print(plot, "\nunset colorbox\n");
    wac_page_forget_labels(page);
}

/* What two runs show, in a sentence; else what is to be seen. */
static void print_headline(wac_page *page, const wac_scene *scene, const panel *panels, int count)
{
    char names[2][400], world[WAC_STYLE_TITLE];
    wac_style_environment(world, sizeof world, scene->subjects[0].world->type->name);
    for (int i = 0; i < 2; i++)
        wac_page_quote(names[i], sizeof names[i], scene->subjects[i].name);
    double seen[2] = {0};
    for (const panel *at = panels; scene->count == 2 && at < panels + count; at++)
        if (at->role == WAC_POLICY_BEHAVIOUR)
            seen[at->subject - scene->subjects] = 100 * at->seen;
    char both[1024] = "";
    if (scene->runs == 2 && scene->count == 2 && scene->is_one_world)
        snprintf(both, sizeof both, "%s has been on %.0f %% of the floor of %s, %s on %.0f %%",
                 names[0], seen[0], world, names[1], seen[1]);
    double room = page->width - 2 * LEFT;
    int points = wac_page_points(both, WAC_INK_TITLE, 21, 13, room);
    if (*both && wac_page_text(both, WAC_INK_TITLE, points) <= room)
        wac_page_label(page, LEFT, TOP + 8, WAC_INK_TITLE, points, "%s", both);
    else if (scene->is_one_world)
        wac_page_label(page, LEFT, TOP + 8, WAC_INK_TITLE, 21, "Where %d agent%s went in %s",
                       scene->runs, scene->runs == 1 ? "" : "s", world);
    else
        wac_page_label(page, LEFT, TOP + 8, WAC_INK_TITLE, 21, "Where they went");
}

static void print_sample(wac_page *page, double x, double y, int role, bool in_full)
{
    wac_plot_print(&page->plot,
                   "set arrow from screen %.6f,%.6f rto screen %.6f,0 nohead lw %g lc rgb %s\n",
                   x / page->width, 1 - y / page->height, 34.0 / page->width, ways[role].sample,
                   ways[role].colour);
    wac_page_label(page, x + 44, y, WAC_INK_TEXT, 12, "%s policy%s", ways[role].name,
                   in_full ? ways[role].acts : "");
}

/* The legend of all mazes. */
static void print_footer(wac_page *page, const wac_scene *scene, const layout *layout, int64_t most)
{
    const wac_render_options *options = scene->options;
    bool narrow = layout->narrow, hole = layout->hole;
    double right = page->width - layout->right;
    double left = hole ? right - layout->width : layout->left;
    double top = hole ? layout->first + (layout->rows - 1) * layout->row + 6
                      : page->height - (narrow ? NARROW_FOOTER : FOOTER);
    right -= layout->compact ? 16 : 0; /* the last number of the colours may stand out */
    double bar = narrow ? right - left : fmin(420, page->width - 600);
    double ends = narrow ? left : left + 320, x = right - bar, below = narrow ? top + 90 : top;
    if (options->behaviour)
        print_sample(page, left, top + 14, WAC_POLICY_BEHAVIOUR, !hole);
    if (options->target)
        print_sample(page, left, top + 42, WAC_POLICY_TARGET, !hole);
    if (options->behaviour || options->target) {
        wac_page_label(page, ends, top + (narrow ? 70 : 14), WAC_INK_TEXT, 12,
                       narrow && !hole ? "● at the goal   × out of time" : "● at the goal");
        if (!narrow || hole)
            wac_page_label(page, ends, top + (hole ? 98 : 42), WAC_INK_TEXT, 12, "× out of time");
    }
    below += hole ? 28 : 0;
    wac_page_label(page, x, below + 8, WAC_INK_TEXT, 12,
                   narrow ? "visits; white: none" : "visits to a place; white: none");
    wac_page_colours(page, true, x, below + 24, bar, 12);
    if (narrow)
        wac_page_colour_tics(page, 1, (double)most, true);
    wac_plot_print(&page->plot, "set cbrange [1:%" PRId64 "]\n", most > 1 ? most : 2);
}

/* How many columns for so many mazes. */
static int columns_for(int count, bool pairs)
{
    if (pairs && count > 3)
        return count <= 6 ? 2 : 4;
    return count <= 3 ? count : count == 4 ? 2 : count <= 9 ? 3 : 4;
}

static layout arrange(const wac_scene *scene, const panel *panels, int count)
{
    double room = scene->options->inches * WAC_PLOT_PIXELS_PER_INCH;
    bool pairs = count > scene->count;
    layout layout = {.columns = columns_for(count, pairs),
                     .compact = room > 0,
                     .narrow = room > 0 && room<900, .left = room> 0 ? 60 : LEFT,
                     .right = room > 0 ? 16 : LEFT,
                     .gap = room > 0 ? 24 : 104};
    const double least = 150;
    double margins = layout.left + layout.right - layout.gap;
    while (room > 0 && layout.columns > 1 &&
           ((room - margins) / layout.columns - layout.gap < least ||
            (pairs && count > 3 && layout.columns % 2)))
        layout.columns--;
    layout.width = room > 0              ? (room - margins) / layout.columns - layout.gap
                   : layout.columns == 1 ? 900
                   : layout.columns == 2 ? 720
                                         : 560;
    layout.rows = (count + layout.columns - 1) / layout.columns;
    layout.hole = layout.narrow && layout.columns == 2 && count % 2 == 1;
    layout.height = layout.width * (panels[0].high[1] - panels[0].low[1]) /
                    (panels[0].high[0] - panels[0].low[0]);
    layout.first = layout.compact ? 4 : TOP + (scene->runs > 0 && scene->count > 1 ? HEADLINE : 0);
    layout.title = layout.width + fmin(layout.gap, layout.right) * 0.75;
    layout.header = (scene->runs ? HEADER : BARE_HEADER) +
                    (wac_scene_title_rows(scene, layout.title) - 1) * WAC_PAGE_ROW;
    layout.row = layout.header + layout.height + (layout.compact ? COMPACT_AXIS : AXIS);
    return layout;
}

static void print_script(wac_page *page, const wac_scene *scene, const panel *panels, int count)
{
    layout layout = arrange(scene, panels, count);
    int64_t most = 0;
    for (int i = 0; i < count; i++)
        most = panels[i].most > most ? panels[i].most : most;
    double footer = scene->runs == 0 || layout.hole ? 0 : layout.narrow ? NARROW_FOOTER : FOOTER;
    double width = layout.left + layout.columns * (layout.width + layout.gap) - layout.gap;
    wac_page_script(page, (int)(width + layout.right + 0.5),
                    (int)(layout.first + layout.rows * layout.row + footer));
    wac_plot_print(&page->plot, "%s", looks);
    if (scene->runs > 0 && scene->count > 1 && !layout.compact)
        print_headline(page, scene, panels, count);
    if (scene->runs)
        print_footer(page, scene, &layout, most);
    for (int i = 0; i < count; i++) {
        print_panel(page, scene, &panels[i], &layout);
        wac_plot_print(&page->plot, "unset arrow\n");
    }
    wac_plot_print(&page->plot, "unset multiplot\n");
}

/* The mazes of the page; those of runs with two policies come first, so that both stand beside each
 * other. Returns how many. */
static int make_panels(panel panels[2 * WAC_RENDER_MOST], const wac_scene *scene)
{
    int count = 0;
    for (int pairs = 1; pairs >= 0; pairs--)
        for (int i = 0; i < scene->count; i++) {
            const wac_run *run = scene->subjects[i].run;
            int policies = run ? run->agent->row->policies : 1;
            for (int role = 0; policies == 1 + pairs && role < policies; role++, count++)
                panels[count] = (panel){.subject = &scene->subjects[i],
                                        .number = count,
                                        .role = (wac_policy_role)role,
                                        .is_only = policies == 1};
        }
    return count;
}

wac_status wac_render_mazes(wac_scene *scene, wac_error *error)
{
    wac_page page = {0};
    panel *panels = calloc(2 * WAC_RENDER_MOST, sizeof *panels);
    if (!panels)
        return wac_fail_memory(error, "the mazes");
    int count = make_panels(panels, scene);
    wac_status status = wac_plot_begin(&page.plot, error);
    page.plot.inches = scene->options->inches;
    if (status == WAC_STATUS_OK) {
        for (int i = 0; i < count && status == WAC_STATUS_OK; i++) {
            status = write_data(&page.plot, &panels[i], scene->options, error);
            if (scene->options->progress)
                scene->options->progress(scene->options->user, (i + 1.0) / (count + 1));
        }
        if (status == WAC_STATUS_OK) {
            print_script(&page, scene, panels, count);
            status = wac_page_draw(&page, scene->drawn, error);
        }
        wac_plot_end(&page.plot);
    }
    free(panels);
    return status;
}
