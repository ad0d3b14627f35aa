/* The pictures of the movie: visits on a logarithmic scale and, for WAC, the uncertainty beside
 * them, both on scales that hold for the whole of it; over them the way that the target policy took
 * in its evaluation and, in a task with one state and one action, what both policies do. */
#include "draw/movie.h"

#include "base/files.h"
#include "base/status.h"
#include "base/words.h"
#include "draw/map.h"
#include "draw/maze.h"
#include "draw/style.h"
#include "env/mujoco/point.h"
#include "run/maps.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Pixels of the page, and pictures. */
enum {
    SIDE = 30,
    WIDTH = 380,
    TOP = 84,
    BELOW = 22,
    MOST_PICTURES = 120, /* longer ones leave epochs out */
    LEVELS = 40,         /* colours of a scale: a GIF has few */
    MOST_WALLS = 64,
};

/* Hundredths of a second: of a picture; of all of them, at least; of the last, before it all begins
 * again. */
enum { OF_EACH = 5, OF_ALL = 200, OF_LAST = 200 };

typedef struct movie {
    wac_scene *scene;
    wac_atlas atlas;
    wac_map map;
    wac_page page;
    int64_t every, pictures; /* epochs from one to the next; in all */
    double most;             /* visits, as a logarithm */
    double sigma[2];         /* range of all maps */
    bool has_std, has_walls;
} movie;

static int64_t epoch_of(const movie *movie, int64_t picture)
{
    int64_t index = picture * movie->every;
    return index < movie->atlas.count ? index : movie->atlas.count - 1;
}

static wac_status read_map(movie *movie, int64_t picture, wac_error *error)
{
    return wac_atlas_read(&movie->map, &movie->atlas, epoch_of(movie, picture), error);
}

/* x, y and the colour of each cell; those that were never visited are grey. */
static void write_grid(movie *movie, const int cells[2], bool sigma)
{
    const wac_grid *grid = &movie->atlas.shape.grid;
    const wac_map *map = &movie->map;
    double low = sigma ? fmin(movie->sigma[0], 0.8 * movie->sigma[1]) : 0;
    double high = sigma ? movie->sigma[1] : movie->most;
    for (int cell = 0; cell < cells[0] * cells[1]; cell++) {
        int rgb[3] = {233, 235, 238};
        double value = sigma ? (double)map->std[cell] : log10(1 + (double)map->visits[cell]);
        if (sigma || map->visits[cell])
            wac_palette_colour(rgb, sigma ? WAC_PALETTE_SIGMA : WAC_PALETTE_VISITS,
                               high > low ? (value - low) / (high - low) : 1, LEVELS);
        wac_plot_print(&movie->page.plot, "%.6g %.6g %d %d %d\n",
                       wac_cell_middle(cell / cells[1], cells[0], grid->low[0], grid->high[0]),
                       wac_cell_middle(cell % cells[1], cells[1], grid->low[1], grid->high[1]),
                       rgb[0], rgb[1], rgb[2]);
    }
}

/* What both policies do in each state. */
static void write_actions(wac_plot *plot, const movie *movie, int64_t picture)
{
    const wac_map_shape *shape = &movie->atlas.shape;
    const double *low = shape->grid.low, *high = shape->grid.high;
    wac_plot_file(plot, "actions-%" PRId64, picture);
    for (int i = 0; i < shape->values[0]; i++) {
        wac_plot_print(plot, "%.6g", wac_cell_middle(i, shape->values[0], low[0], high[0]));
        for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
            double action = movie->map.actions[role][i * shape->values[1]][0] / 127.0;
            wac_plot_print(plot, " %.4g",
                           shape->action[0] +
                               (action + 1) / 2 * (shape->action[1] - shape->action[0]));
        }
        wac_plot_print(plot, "\n");
    }
}

static void write_picture(movie *movie, int64_t picture)
{
    wac_plot *plot = &movie->page.plot;
    const wac_map_shape *shape = &movie->atlas.shape;
    wac_plot_file(plot, "visits-%" PRId64, picture);
    write_grid(movie, shape->grid.cells, false);
    if (movie->has_std) {
        wac_plot_file(plot, "sigma-%" PRId64, picture);
        write_grid(movie, shape->values, true);
    }
    if (!shape->is_place) {
        write_actions(plot, movie, picture);
        return;
    }
    wac_plot_file(plot, "way-%" PRId64, picture);
    for (int i = 0; i < movie->map.way_points; i++)
        wac_plot_print(plot, "%.5g %.5g\n", (double)movie->map.way[i][0],
                       (double)movie->map.way[i][1]);
}

static void write_walls(movie *movie)
{
    static const int around[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
    const wac_world *world = movie->scene->subjects[0].world;
    wac_geom walls[MOST_WALLS];
    double ball;
    movie->has_walls = wac_word_index(WAC_FOR_POINT, world->type->name) >= 0;
    if (!movie->has_walls)
        return;
    wac_plot_file(&movie->page.plot, "walls");
    int count = wac_maze_walls(walls, MOST_WALLS, &ball, world);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 5; k++)
            wac_plot_print(&movie->page.plot, "%.6g %.6g\n",
                           wac_maze_corner(&walls[i], 0, around[k][0], around[k][1]),
                           wac_maze_corner(&walls[i], 1, around[k][0], around[k][1]));
        wac_plot_print(&movie->page.plot, "\n");
    }
}

/* What the scales must hold. */
static wac_status find_ranges(movie *movie, wac_error *error)
{
    const wac_map_shape *shape = &movie->atlas.shape;
    movie->most = 1;
    movie->sigma[0] = INFINITY;
    movie->sigma[1] = -INFINITY;
    for (int64_t k = 0; k < movie->pictures; k++) {
        WAC_TRY(read_map(movie, k, error));
        for (int i = 0; i < shape->grid.cells[0] * shape->grid.cells[1]; i++)
            movie->most = fmax(movie->most, log10(1 + (double)movie->map.visits[i]));
        for (int i = 0; movie->has_std && i < shape->values[0] * shape->values[1]; i++) {
            movie->sigma[0] = fmin(movie->sigma[0], (double)movie->map.std[i]);
            movie->sigma[1] = fmax(movie->sigma[1], (double)movie->map.std[i]);
        }
    }
    return WAC_STATUS_OK;
}

static wac_status write_data(movie *movie, wac_error *error)
{
    WAC_TRY(find_ranges(movie, error));
    for (int64_t k = 0; k < movie->pictures; k++) {
        WAC_TRY(read_map(movie, k, error));
        write_picture(movie, k);
    }
    write_walls(movie);
    return WAC_STATUS_OK;
}

/* --- the script ------------------------------------------------------------------------------- */

static void print_field(movie *movie, int64_t picture, bool sigma, double left, double height)
{
    wac_plot *plot = &movie->page.plot;
    const wac_map_shape *shape = &movie->atlas.shape;
    const double *low = shape->grid.low, *high = shape->grid.high;
    wac_page_axes(&movie->page, left, TOP, WIDTH, height);
    wac_plot_print(plot,
                   "set xrange [%.9g:%.9g]; set yrange [%.9g:%.9g]\n"
                   "plot '%s-%" PRId64 "' using 1:2:3:4:5 with rgbimage",
                   low[0], high[0], low[1], high[1], sigma ? "sigma" : "visits", picture);
    if (movie->has_walls)
        wac_plot_print(plot,
                       ", 'walls' with filledcurves closed fc rgb '#757575', "
                       "'+' using (%.6g):(%.6g):(%.6g) every ::0::0 with circles lw 2 lc rgb "
                       "'#00a878' fs empty",
                       wac_point_task.goal[0], wac_point_task.goal[1], wac_point_task.goal_radius);
    if (shape->is_place && movie->scene->options->target)
        wac_plot_print(plot,
                       ", 'way-%" PRId64 "' with lines lw 5 lc rgb 'white', '' with lines lw 2 lc "
                       "rgb 'black'",
                       picture);
    /* of a table a dot for each state */
    bool dots = shape->action[0] > low[1];
    for (int role = 0; role < WAC_POLICY_TOTAL && !shape->is_place; role++)
        if (role == WAC_POLICY_TARGET ? movie->scene->options->target
                                      : movie->scene->options->behaviour)
            wac_plot_print(plot,
                           ", 'actions-%" PRId64 "' using 1:%d with %s lc rgb 'white', '' "
                           "using 1:%d with %s lc rgb '%s'",
                           picture, role + 2, dots ? "points pt 7 ps 1" : "lines lw 5", role + 2,
                           dots ? "points pt 7 ps 0.6" : "lines lw 2",
                           role == WAC_POLICY_TARGET ? "black" : "#d55e00");
    wac_plot_print(plot, "\n");
}

static void print_picture(movie *movie, int64_t picture, const char *name, double height)
{
    wac_page *page = &movie->page;
    const wac_subject *subject = &movie->scene->subjects[0];
    char world[WAC_STYLE_TITLE];
    wac_plot_print(&page->plot, "set multiplot\n");
    wac_page_label(page, SIDE, 24, WAC_INK_TITLE, 15, "%s on %s, epoch %" PRId64 " of %" PRId64,
                   name, wac_style_environment(world, sizeof world, subject->world->type->name),
                   movie->atlas.first + epoch_of(movie, picture), subject->run->config.epochs);
    for (int sigma = 0; sigma < 1 + movie->has_std; sigma++) {
        double left = SIDE + sigma * (WIDTH + SIDE);
        wac_page_label(page, left, TOP - 20, WAC_INK_GREY, 12, "%s",
                       sigma ? "what it is unsure of; bright: unknown"
                             : "where it explored; bright: often");
        print_field(movie, picture, sigma, left, height);
        wac_page_forget_labels(page);
    }
    wac_plot_print(&page->plot,
                   "unset multiplot\nset print '" WAC_PLOT_PROGRESS "' append; print ''; set "
                   "print\n");
}

/* The colours of a GIF are those of its first picture: all of them, under something white. */
static void print_colours(wac_plot *plot, bool shown)
{
    int tag = 1;
    for (int sigma = 0; sigma < 2; sigma++)
        for (int level = 0; level < LEVELS; level++, tag++) {
            int rgb[3];
            wac_palette_colour(rgb, sigma ? WAC_PALETTE_SIGMA : WAC_PALETTE_VISITS,
                               (double)level / (LEVELS - 1), LEVELS);
            if (shown)
                wac_plot_print(
                    plot,
                    "set object %d rectangle from screen 0,0 to screen 0.005,0.01 behind "
                    "fc rgb '#%02x%02x%02x' fs solid noborder\n",
                    tag, (unsigned)rgb[0], (unsigned)rgb[1], (unsigned)rgb[2]);
        }
    if (shown)
        wac_plot_print(
            plot,
            "set object %d rectangle from screen 0,0 to screen 0.006,0.012 behind fc rgb "
            "'#ffffff' fs solid noborder\n",
            tag);
    else
        wac_plot_print(plot, "unset object\n");
}

static void pass_progress(void *user, int64_t lines)
{
    const movie *movie = user;
    const wac_render_options *options = movie->scene->options;
    options->progress(options->user, 0.05 + 0.95 * (double)lines / (double)movie->pictures);
}

static void print_script(movie *movie)
{
    const wac_grid *grid = &movie->atlas.shape.grid;
    char name[2 * sizeof movie->scene->subjects->name];
    double shape = (grid->high[1] - grid->low[1]) / (grid->high[0] - grid->low[0]);
    double height = WIDTH * (movie->atlas.shape.is_place ? fmin(shape, 2) : 0.7);
    int columns = 1 + movie->has_std;
    wac_page_script(&movie->page, SIDE + columns * (WIDTH + SIDE), (int)(TOP + height + BELOW));
    wac_plot_print(&movie->page.plot, "unset tics; unset key\n");
    wac_page_quote(name, sizeof name, movie->scene->subjects[0].name);
    print_colours(&movie->page.plot, true);
    for (int64_t k = 0; k < movie->pictures; k++) {
        print_picture(movie, k, name, height);
        if (k == 0)
            print_colours(&movie->page.plot, false);
    }
}

/* Behind a GIF's blocks of data: each has its length in front, the last is empty. Null: cut off. */
static unsigned char *skip_data(unsigned char *at, const unsigned char *end)
{
    while (at < end && *at)
        at += 1 + *at;
    return at < end ? at + 1 : NULL;
}

static void set_delay(unsigned char *delay, int hundredths)
{
    delay[0] = (unsigned char)hundredths;
    delay[1] = (unsigned char)(hundredths >> 8);
}

/* How long the pictures of a GIF are seen, which gnuplot can say of all alike only: few of them
 * longer, and the last one. What is not understood stays as it is. */
static wac_status set_pace(const char *path, int64_t pictures, wac_error *error)
{
    enum { HEADER = 13, TABLE = 0x80, EXTENSION = 0x21, CONTROL = 0xf9, IMAGE = 0x2c, ROOM = 16 };
    char *bytes;
    size_t size;
    WAC_TRY(wac_file_read(&bytes, &size, path, (size_t)1 << 30, error));
    unsigned char *at = (unsigned char *)bytes, *last = NULL;
    const unsigned char *end = at + size;
    int each = pictures * OF_EACH < OF_ALL ? (int)(OF_ALL / pictures) : OF_EACH;
#define COLOURS(flags) ((flags)&TABLE ? 6 << ((flags)&7) : 0) /* bytes of a table of them */
    at = size > HEADER ? at + HEADER + COLOURS(at[10]) : NULL;
    while (at && at + ROOM < end) {
        if (at[0] == EXTENSION && at[1] == CONTROL) {
            last = at + 4;
            set_delay(last, each);
        } else if (at[0] != EXTENSION && at[0] != IMAGE) {
            break;
        }
        at = skip_data(at + (at[0] == EXTENSION ? 2 : 11 + COLOURS(at[9])), end);
    }
#undef COLOURS
    if (last)
        set_delay(last, OF_LAST);
    wac_status status = wac_file_write(path, bytes, size, error);
    free(bytes);
    return status;
}

static wac_status draw(movie *movie, wac_error *error)
{
    const wac_render_options *options = movie->scene->options;
    WAC_TRY(wac_plot_begin(&movie->page.plot, error));
    movie->page.plot.stop = options->stop;
    if (options->progress) {
        options->progress(options->user, 0);
        movie->page.plot.progress = pass_progress;
        movie->page.plot.user = movie;
    }
    wac_status status = write_data(movie, error);
    if (status == WAC_STATUS_OK) {
        print_script(movie);
        status = wac_page_draw(&movie->page, movie->scene->drawn, error);
    }
    if (status == WAC_STATUS_OK)
        status = set_pace(movie->scene->drawn->paths[0], movie->pictures, error);
    wac_plot_end(&movie->page.plot);
    return status;
}

wac_status wac_render_movie(wac_scene *scene, wac_error *error)
{
    const wac_run *run = scene->subjects[0].run;
    movie *movie = calloc(1, sizeof *movie);
    if (!movie)
        return wac_fail_memory(error, "the movie");
    movie->scene = scene;
    wac_status status = wac_atlas_open(&movie->atlas, run->directory, error);
    if (status == WAC_STATUS_INPUT)
        status = wac_fail(error, status,
                          "the run %s has kept no maps to make a movie of; train one with --maps",
                          run->directory);
    if (status == WAC_STATUS_OK &&
        (movie->atlas.count == 0 || movie->atlas.shape.grid.cells[0] == 0))
        status = wac_fail(error, WAC_STATUS_INPUT, "there is no map of %s to make a movie of",
                          run->world->type->name);
    if (status == WAC_STATUS_OK) {
        movie->every = (movie->atlas.count + MOST_PICTURES - 1) / MOST_PICTURES;
        movie->pictures = (movie->atlas.count - 1 + movie->every - 1) / movie->every + 1;
        movie->has_std = !isnan(movie->atlas.shape.kappa);
        status = draw(movie, error);
    }
    wac_atlas_close(&movie->atlas);
    free(movie);
    return status;
}
