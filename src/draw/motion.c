/* Bodies seen from the side, as they stand or as they move. The camera follows the trunk; lines on
 * the ground tell how far it gets. Worlds that draw themselves are shown as they wish, by a camera
 * that sees all of it and stays where it is.
 *
 * An animation is drawn twice: the pictures as PNGs, whose edges are smooth, then these into a GIF
 * that adds the text. (Text in the PNGs would use up the few colours that a GIF can have.) */
#include "draw/motion.h"

#include "base/rng.h"
#include "base/status.h"
#include "env/mujoco/locomotion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WIDTH = 640,
    HEIGHT = 360,
    BODY_SCALE = 2, /* a still picture has that many times the pixels */
    RATE = 20,      /* pictures a second */
    ARC = 12,       /* sides of half a circle */
    LIMBS = 3,      /* that have colours of their own: trunk and two more */
};

typedef struct frame {
    double place; /* of the trunk, in metres */
    int shapes;
    wac_stroke shape[WAC_ENVIRONMENT_STROKES]; /* of a body: in the x-z plane, the limb's colour */
    bool has_colour[LIMBS];
} frame;

typedef struct film {
    frame *frames;
    int count, most;
    int64_t step, every; /* steps so far; from one frame to the next */
    double seconds;      /* from one frame to the next */
    const wac_render_options *options;
} film;

static void read_body(frame *frame, wac_mujoco *mujoco)
{
    wac_geom geom;
    frame->place = mujoco->qpos[0];
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom) && frame->shapes < WAC_ENVIRONMENT_STROKES;
         i++) {
        if (geom.is_fixed || (geom.kind != WAC_GEOM_CAPSULE && geom.kind != WAC_GEOM_SPHERE))
            continue;
        wac_stroke *shape = &frame->shape[frame->shapes++];
        double half = geom.kind == WAC_GEOM_CAPSULE ? geom.size[1] : 0;
        shape->colour = geom.limb;
        shape->radius = geom.size[0];
        for (int end = 0; end < 2; end++) {
            double along = end ? half : -half;
            shape->x[end] = geom.centre[0] + along * geom.axes[2];
            shape->y[end] = geom.centre[2] + along * geom.axes[8];
        }
    }
}

/* What a world draws of itself; shapes that make no sense are left out. */
static void read_drawing(frame *frame, const wac_world *world)
{
    wac_stroke all[WAC_ENVIRONMENT_STROKES] = {{.radius = 0}};
    wac_world_enter(world->type->name, "draw");
    int count = world->type->draw(world->self, all);
    wac_world_leave();
    for (int i = 0; i < count && i < WAC_ENVIRONMENT_STROKES; i++)
        if (isfinite(all[i].x[0] + all[i].x[1] + all[i].y[0] + all[i].y[1]) && all[i].radius > 0 &&
            isfinite(all[i].radius))
            frame->shape[frame->shapes++] = all[i];
}

static void read_frame(frame *frame, wac_world *world)
{
    *frame = (struct frame){.place = 0};
    if (world->type->draw)
        read_drawing(frame, world);
    else
        read_body(frame, &((wac_locomotion *)world->self)->mujoco);
    for (int i = 0; i < frame->shapes; i++) {
        int *colour = &frame->shape[i].colour;
        *colour = *colour < 0 || *colour >= LIMBS ? LIMBS - 1 : *colour;
        frame->has_colour[*colour] = true;
    }
}

static void add_frame(void *user, wac_world *world)
{
    film *film = user;
    if (film->step++ % film->every != 0 || film->count == film->most)
        return;
    read_frame(&film->frames[film->count++], world);
}

/* What the camera shows. */
typedef struct view {
    bool follows; /* a body over the ground, in metres; `left` is from it */
    double left, bottom, width, height;
} view;

/* So high above the ground and below it. */
static view view_body(const frame *frames, int count)
{
    double above = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < frames[i].shapes; k++)
            for (int end = 0; end < 2; end++)
                above = fmax(above, frames[i].shape[k].y[end] + frames[i].shape[k].radius);
    /* room for the text; not smaller than a dog, however low it lies */
    above = 1.55 * fmax(above, 1);
    double below = 0.2 * above, width = (above + below) * WIDTH / HEIGHT;
    return (view){true, -width / 2, -below, width, above + below};
}

/* All that is ever drawn, with room around it and for the text. */
static view view_drawing(const frame *frames, int count)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < frames[i].shapes; k++) {
            const wac_stroke *shape = &frames[i].shape[k];
            for (int end = 0; end < 2; end++) {
                double at[2] = {shape->x[end], shape->y[end]};
                for (int axis = 0; axis < 2; axis++) {
                    low[axis] = fmin(low[axis], at[axis] - shape->radius);
                    high[axis] = fmax(high[axis], at[axis] + shape->radius);
                }
            }
        }
    if (!(low[0] < high[0]))
        return (view){false, -1, -1, 2, 2};
    double height = fmax(1.4 * (high[1] - low[1]), 1.1 * (high[0] - low[0]) * HEIGHT / WIDTH);
    double width = height * WIDTH / HEIGHT;
    return (view){false, (low[0] + high[0] - width) / 2, (low[1] + high[1]) / 2 - 0.45 * height,
                  width, height};
}

static view choose_view(const frame *frames, int count, const wac_world *world)
{
    return world->type->draw ? view_drawing(frames, count) : view_body(frames, count);
}

static double left_of(const view *view, const frame *frame)
{
    return view->left + (view->follows ? frame->place : 0);
}

static void write_capsule(wac_plot *plot, const wac_stroke *shape)
{
    double angle = atan2(shape->y[1] - shape->y[0], shape->x[1] - shape->x[0]);
    for (int end = 0; end < 2; end++)
        for (int i = 0; i <= ARC; i++) {
            double turn = angle + (end ? -0.5 : 0.5) * M_PI + i * M_PI / ARC;
            wac_plot_print(plot, "%.8g %.8g\n", shape->x[end] + shape->radius * cos(turn),
                           shape->y[end] + shape->radius * sin(turn));
        }
    double turn = angle + 0.5 * M_PI;
    wac_plot_print(plot, "%.8g %.8g\n\n", shape->x[0] + shape->radius * cos(turn),
                   shape->y[0] + shape->radius * sin(turn));
}

/* The body's parts, a file for each colour: trunk in the middle, one leg before it, one behind. */
static void write_shapes(wac_plot *plot, const frame *frame, int number)
{
    for (int limb = 0; limb < LIMBS; limb++) {
        wac_plot_file(plot, "shape-%d-%d", number, limb);
        for (int i = 0; i < frame->shapes; i++)
            if (frame->shape[i].colour == limb)
                write_capsule(plot, &frame->shape[i]);
    }
}

static const char looks[] = "trunk = '#404048'; blue = '#0072b2'; orange = '#d55e00'\n"
                            "set lmargin at screen 0; set rmargin at screen 1\n"
                            "set bmargin at screen 0; set tmargin at screen 1\n"
                            "unset border; unset tics; unset key\n"
                            "set style fill solid noborder\n";

static const char ground[] =
    "set object 1 rectangle from graph 0, first -10 to graph 1, first 0 behind "
    "fc rgb '#ececec' fs solid noborder\n"
    "set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead lw 2 lc rgb '#8a8a8a' back\n";

/* One picture: the ground, and the body upon it. */
static void print_frame(wac_plot *plot, const frame *frame, int number, const view *view)
{
    static const char *const colours[LIMBS] = {"trunk", "blue", "orange"};
    static const int order[LIMBS] = {2, 0, 1};
    double left = left_of(view, frame);
    wac_plot_print(plot, "set xrange [%.10g:%.10g]; set yrange [%.10g:%.10g]\n", left,
                   left + view->width, view->bottom, view->bottom + view->height);
    int tag = 2;
    for (int metre = (int)ceil(left); view->follows && metre <= left + view->width; metre++)
        wac_plot_print(plot,
                       "set arrow %d from %d,graph 0.86 to %d,0 nohead lw 1 lc rgb "
                       "'#e2e2e2' back\n",
                       tag++, metre, metre);
    wac_plot_print(plot, "plot ");
    for (int i = 0; i < LIMBS; i++)
        if (frame->has_colour[order[i]])
            wac_plot_print(plot,
                           "'shape-%d-%d' with filledcurves closed fc rgb %s, '' with lines "
                           "lw 1.5 lc rgb 'white', ",
                           number, order[i], colours[order[i]]);
    wac_plot_print(plot, "NaN\n");
    while (--tag >= 2)
        wac_plot_print(plot, "unset arrow %d\n", tag);
}

/* Numbers on the ground, for a page of this size. */
static void print_metres(wac_plot *plot, const frame *frame, const view *view, bool in_pixels)
{
    double left = left_of(view, frame);
    for (int metre = (int)ceil(left); view->follows && metre <= left + view->width; metre++) {
        double share = (metre - left) / view->width;
        if (share > 0.04 && share < 0.96)
            wac_plot_print(plot,
                           "set label '%s%d m' at screen %.5f,%.5f center tc rgb '#5a5a5a'%s\n",
                           metre < 0 ? "−" : "", abs(metre), share,
                           0.55 * -view->bottom / view->height, in_pixels ? " front" : "");
    }
}

static double seconds_of_step(const wac_world *world)
{
    double seconds = world->spec.seconds;
    if (!world->type->draw)
        return wac_locomotion_seconds(world->self);
    return seconds > 0 && isfinite(seconds) ? seconds : 1.0 / RATE;
}

static wac_status shoot(film *film, const wac_scene *scene, wac_error *error)
{
    const wac_subject *subject = &scene->subjects[0];
    const wac_render_options *options = film->options;
    wac_policy_role role = options->target ? WAC_POLICY_TARGET : WAC_POLICY_BEHAVIOUR;
    wac_evaluation evaluation;
    wac_rng worlds = wac_rng_make((uint64_t)options->seed, WAC_STREAM_REPLAYED);
    wac_rng actions = wac_rng_make((uint64_t)options->seed, WAC_STREAM_EXPLORE);
    double step = seconds_of_step(subject->world);
    film->every = (int64_t)fmax(1, round(1 / (RATE * step)));
    film->seconds = (double)film->every * step;
    film->most = (int)fmax(2, ceil(options->seconds * RATE));
    if (!(film->frames = malloc((size_t)film->most * sizeof *film->frames)))
        return wac_fail_memory(error, "the animation");
    return wac_subject_play(&evaluation, subject, role, &worlds, &actions, film->most * film->every,
                            add_frame, film, options->stop, error);
}

static void print_pictures(wac_plot *plot, const film *film, const view *view)
{
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot, "%s%s", looks, view->follows ? ground : "");
    for (int i = 0; i < film->count; i++) {
        wac_plot_print(plot, "set output 'frame-%d.png'\n", i);
        print_frame(plot, &film->frames[i], i, view);
    }
    wac_plot_print(plot, "unset output\n");
}

static void print_film(wac_plot *plot, const film *film, const view *view, const char *title)
{
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot,
                   "set lmargin at screen 0; set rmargin at screen 1\n"
                   "set bmargin at screen 0; set tmargin at screen 1\n"
                   "unset border; unset tics; unset key\n"
                   "set xrange [-0.5:%d.5]; set yrange [-0.5:%d.5]\n",
                   WIDTH - 1, HEIGHT - 1);
    /* colours that must be exact come first, beneath the picture */
    static const char *const exact[] = {"#404048", "#0072b2", "#d55e00", "#ececec",
                                        "#1a1a1a", "#5a5a5a", "#8a8a8a", "#e2e2e2"};
    for (int i = 0; i < (int)(sizeof exact / sizeof *exact); i++)
        wac_plot_print(plot,
                       "set object %d rectangle from screen 0,0 to screen 0.01,0.01 behind fc rgb "
                       "'%s' fs solid noborder\n",
                       i + 1, exact[i]);
    wac_plot_print(plot,
                   "set object %d rectangle from screen 0,0 to screen 1,%.5f behind fc rgb "
                   "'#ececec' fs solid noborder\n",
                   (int)(sizeof exact / sizeof *exact) + 1,
                   view->follows ? -view->bottom / view->height : 0);
    double start = film->frames[0].place;
    for (int i = 0; i < film->count; i++) {
        const frame *frame = &film->frames[i];
        double far = frame->place - start;
        char way[64] = "";
        if (view->follows)
            snprintf(way, sizeof way, "%s%.1f m in ", far <= -0.05 ? "−" : "", fabs(far));
        wac_plot_print(plot, "unset label\n");
        wac_plot_print(plot,
                       "set label '{/:Bold %s}' at screen 0.025,0.93 tc rgb '#1a1a1a' front\n"
                       "set label '%s%.1f s' at screen 0.975,0.93 right tc rgb '#5a5a5a' front\n",
                       title, way, i * film->seconds);
        print_metres(plot, frame, view, true);
        wac_plot_print(plot,
                       "plot 'frame-%d.png' binary filetype=png with rgbimage\n"
                       "set print '" WAC_PLOT_PROGRESS "' append; print ''; set print\n",
                       i);
    }
}

/* From pictures drawn to a share of the whole: making the GIF is what takes long. */
static void pass_progress(void *user, int64_t lines)
{
    const film *film = user;
    film->options->progress(film->options->user, 0.1 + 0.9 * (double)lines / film->count);
}

static wac_status develop(film *film, const wac_scene *scene, wac_error *error)
{
    char title[WAC_SUBJECT_TITLE];
    view view = choose_view(film->frames, film->count, scene->subjects[0].world);
    wac_subject_title(title, scene, &scene->subjects[0]);
    wac_plot plot;
    WAC_TRY(wac_plot_begin(&plot, error));
    plot.stop = scene->options->stop;
    if (scene->options->progress) {
        scene->options->progress(scene->options->user, 0);
        plot.progress = pass_progress;
        plot.user = film;
    }
    for (int i = 0; i < film->count; i++)
        write_shapes(&plot, &film->frames[i], i);
    print_pictures(&plot, film, &view);
    wac_status status = wac_plot_draw(&plot, WIDTH, HEIGHT, NULL, error);
    if (status == WAC_STATUS_OK) {
        print_film(&plot, film, &view, title);
        status = wac_plot_draw(&plot, WIDTH, HEIGHT, scene->drawn->paths[0], error);
    }
    wac_plot_end(&plot);
    return status;
}

wac_status wac_render_motion(wac_scene *scene, wac_error *error)
{
    film film = {.options = scene->options};
    wac_status status = shoot(&film, scene, error);
    if (status == WAC_STATUS_OK)
        status = develop(&film, scene, error);
    free(film.frames);
    return status;
}

wac_status wac_render_body(wac_scene *scene, wac_error *error)
{
    const wac_subject *subject = &scene->subjects[0];
    wac_page page = {0};
    frame frame;
    if (subject->world->type->draw) {
        wac_rng rng = wac_rng_make((uint64_t)scene->options->seed, WAC_STREAM_REPLAYED);
        float observation[WAC_ENVIRONMENT_DIMENSIONS];
        WAC_TRY(wac_world_reset(subject->world, &rng, observation, error));
    }
    read_frame(&frame, subject->world);
    view view = choose_view(&frame, 1, subject->world);
    WAC_TRY(wac_plot_begin(&page.plot, error));
    write_shapes(&page.plot, &frame, 0);
    wac_page_script(&page, BODY_SCALE * WIDTH, BODY_SCALE * HEIGHT);
    wac_page_label(&page, 32, 40, WAC_INK_TITLE, 15, "%s", subject->name);
    wac_subject_summary(&page, 32, 68, subject);
    wac_plot_print(&page.plot, "%s%s", looks, view.follows ? ground : "");
    print_metres(&page.plot, &frame, &view, false);
    print_frame(&page.plot, &frame, 0, &view);
    wac_status status = wac_page_draw(&page, scene->drawn, error);
    wac_plot_end(&page.plot);
    return status;
}
