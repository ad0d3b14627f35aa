/* Bodies as they stand or as they move. What moves in one plane is seen across it, from the side or
 * from above, else from both; the camera sees all of it and stays where it is, or follows what can
 * go far. Lines on the ground tell how far it gets. Worlds that draw themselves are shown as they
 * wish.
 *
 * An animation is drawn twice: the pictures as PNGs, whose edges are smooth, then these into a GIF
 * that adds the text. (Text in the PNGs would use up the few colours that a GIF can have.) */
#include "draw/motion.h"

#include "base/rng.h"
#include "base/status.h"
#include "draw/sketch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WIDTH = 640,
    HEIGHT = 360,
    BODY_SCALE = 2, /* a still picture has that many times the pixels */
    RATE = 20,      /* pictures a second */
    COLOURS = 24,   /* that a GIF shall have exactly */
};

#define LINE 0.0008 /* half the width of one on the ground, as a share of the picture's */

/* How a subject is seen. */
typedef struct eye {
    wac_mujoco *mujoco; /* null: it draws itself */
    wac_camera camera;
    bool is_level; /* from the side */
    bool follows;
} eye;

typedef struct film {
    eye eye;
    wac_sketch *frames;
    int count, most;
    int64_t step, every; /* steps so far; from one frame to the next */
    double seconds;      /* from one frame to the next */
    wac_status status;   /* the first failure */
    wac_error *error;
    const wac_render_options *options;
} film;

static eye open_eye(const wac_subject *subject)
{
    eye eye = {.mujoco = wac_subject_mujoco(subject)};
    if (!eye.mujoco)
        return eye;
    wac_mujoco_motion motion = wac_mujoco_describe_motion(eye.mujoco);
    eye.camera = wac_camera_make(motion.normal);
    eye.is_level = motion.normal == 0 || motion.normal == 1;
    eye.follows = motion.travels;
    return eye;
}

static wac_status read_frame(wac_sketch *frame, const eye *eye, const wac_world *world,
                             wac_error *error)
{
    return eye->mujoco ? wac_sketch_model(frame, eye->mujoco, &eye->camera, error)
                       : wac_sketch_world(frame, world, error);
}

static void add_frame(void *user, wac_world *world)
{
    film *film = user;
    if (film->step++ % film->every != 0 || film->count == film->most || film->status)
        return;
    film->status = read_frame(&film->frames[film->count++], &film->eye, world, film->error);
}

/* What the camera shows. */
typedef struct view {
    eye eye; /* if it follows, left and bottom are from the trunk */
    double left, bottom, width, height;
    double ground; /* where a floor is that is seen from the side; else far below */
    double step;   /* between lines on the ground; 0: there are none */
} view;

/* Where a frame's view is. */
static view view_at(const view *view, const wac_sketch *frame)
{
    struct view moved = *view;
    double place[2];
    if (!view->eye.follows)
        return moved;
    wac_camera_project(&view->eye.camera, frame->place, place);
    moved.left += place[0];
    moved.bottom += view->eye.is_level ? 0 : place[1];
    return moved;
}

/* All that is ever drawn, with room around it and for the text. */
static view choose_view(const wac_sketch *frames, int count, const eye *eye)
{
    view view = {.eye = *eye, .ground = -INFINITY};
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    view.eye.follows = eye->follows && !frames[0].is_enclosed;
    for (int i = 0; i < count; i++) {
        double from[2] = {0, 0};
        if (view.eye.follows)
            wac_camera_project(&eye->camera, frames[i].place, from);
        from[1] = eye->is_level ? 0 : from[1];
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], frames[i].low[k] - from[k]);
            high[k] = fmax(high[k], frames[i].high[k] - from[k]);
        }
    }
    for (int k = 0; k < 2; k++)
        if (!(low[k] < high[k])) {
            low[k] = -1;
            high[k] = 1;
        }
    bool stands = eye->is_level && frames[0].has_ground;
    if (stands && view.eye.follows) {
        /* room for what it may do yet */
        double reach = fmax(high[0], -low[0]);
        low[0] = -reach;
        high[0] = reach;
        high[1] = frames[0].ground + 1.1 * fmax(high[1] - frames[0].ground, 0.6 * reach);
    }
    low[1] = stands ? fmin(low[1], frames[0].ground) : low[1];
    double room = stands ? 1.7 : view.eye.follows ? 2.4 : 1.4;
    view.height = fmax(room * (high[1] - low[1]), 1.1 * (high[0] - low[0]) * HEIGHT / WIDTH);
    view.width = view.height * WIDTH / HEIGHT;
    view.left = (low[0] + high[0] - view.width) / 2;
    view.bottom =
        stands ? low[1] - 0.17 * view.height : (low[1] + high[1]) / 2 - 0.45 * view.height;
    if (stands)
        view.ground = frames[0].ground;
    if (frames[0].has_ground)
        view.step = wac_page_step(0, view.width, 5.9);
    return view;
}

static const char looks[] = "set lmargin at screen 0; set rmargin at screen 1\n"
                            "set bmargin at screen 0; set tmargin at screen 1\n"
                            "unset border; unset tics; unset key\n";

/* What of a polygon is on this side of a line along an axis; kept: [count + 1]. Returns how many.
 */
static int cut(double (*kept)[2], double (*points)[2], int count, int axis, double line, int side)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        const double *from = points[i], *to = points[(i + 1) % count];
        double before = side * (from[axis] - line), after = side * (to[axis] - line);
        if (before >= 0) {
            kept[left][0] = from[0];
            kept[left++][1] = from[1];
        }
        if ((before >= 0) != (after >= 0)) {
            double share = before / (before - after);
            for (int k = 0; k < 2; k++)
                kept[left][k] = from[k] + share * (to[k] - from[k]);
            left++;
        }
    }
    return left;
}

/* As far as the picture goes: gnuplot does not cut convex polygons as it should. */
static void print_polygon(wac_plot *plot, int tag, double (*points)[2], int count, const view *view,
                          int colour, bool has_edge)
{
    double room[2][WAC_SKETCH_CORNERS + 8][2];
    double(*now)[2] = points;
    for (int edge = 0; edge < 4 && count > 0; edge++) {
        int axis = edge / 2;
        double low = axis ? view->bottom : view->left, size = axis ? view->height : view->width;
        count =
            cut(room[edge % 2], now, count, axis, edge % 2 ? low + size : low, edge % 2 ? -1 : 1);
        now = room[edge % 2];
    }
    if (count < 3)
        return;
    wac_plot_print(plot, "set object %d polygon", tag);
    for (int i = 0; i <= count; i++)
        wac_plot_print(plot, " %s %.8g,%.8g", i ? "to" : "from", now[i % count][0],
                       now[i % count][1]);
    wac_plot_print(plot, " behind fc rgb '#%06x' fs solid %s\n", colour,
                   has_edge ? "border rgb 'white' lw 1.5" : "noborder");
}

/* Lines on a floor that is seen from above, in squares. Returns the next tag. */
static int print_squares(wac_plot *plot, int tag, const wac_sketch *frame, const view *view)
{
    const wac_camera *camera = &view->eye.camera;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    /* the corners of the picture, on the floor */
    for (int corner = 0; corner < 4; corner++) {
        double x = view->left + (corner & 1) * view->width;
        double y = view->bottom + (corner >> 1) * view->height;
        double depth = (frame->ground - y * camera->up[2]) / camera->towards[2];
        for (int k = 0; k < 2; k++) {
            double at = x * camera->right[k] + y * camera->up[k] + depth * camera->towards[k];
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
    }
    for (int k = 0; k < 2; k++) {
        low[k] = fmax(low[k], frame->floor_low[k]);
        high[k] = fmin(high[k], frame->floor_high[k]);
    }
    for (int k = 0; k < 2; k++)
        for (double at = ceil(low[k] / view->step) * view->step; at <= high[k]; at += view->step) {
            double corners[4][2];
            for (int i = 0; i < 4; i++) {
                double point[3] = {0, 0, frame->ground};
                point[k] = at + (i & 2 ? 1 : -1) * LINE * view->width;
                point[1 - k] = i == 1 || i == 2 ? high[1 - k] : low[1 - k];
                wac_camera_project(camera, point, corners[i]);
            }
            print_polygon(plot, tag++, corners, 4, view, 0xdadada, false);
        }
    return tag;
}

/* The same from the side: the floor, and lines that stand upon it. */
static int print_level(wac_plot *plot, int tag, const view *view)
{
    double half = LINE * view->width;
    wac_plot_print(plot,
                   "set object %d rectangle from graph 0, graph 0 to graph 1, first %.8g behind "
                   "fc rgb '#ececec' fs solid noborder\n",
                   tag, view->ground);
    tag++;
    for (double at = ceil(view->left / view->step) * view->step; at <= view->left + view->width;
         at += view->step)
        wac_plot_print(plot,
                       "set object %d rectangle from first %.8g, first %.8g to first %.8g, graph "
                       "0.86 behind fc rgb '#e2e2e2' fs solid noborder\n",
                       tag++, at - half, view->ground, at + half);
    wac_plot_print(plot,
                   "set object %d rectangle from graph 0, first %.8g to graph 1, first %.8g behind "
                   "fc rgb '#8a8a8a' fs solid noborder\n",
                   tag, view->ground - 2 * half, view->ground + 2 * half);
    return tag + 1;
}

/* The polygons of a frame that are ground, or all the others. Returns the next tag. */
static int print_polygons(wac_plot *plot, int tag, const wac_sketch *frame, const view *view,
                          bool are_ground)
{
    for (int i = 0; i < frame->count; i++) {
        const wac_polygon *polygon = &frame->polygons[i];
        if (polygon->is_ground == are_ground)
            print_polygon(plot, tag++, frame->points + polygon->first, polygon->corners, view,
                          polygon->colour, !are_ground);
    }
    return tag;
}

/* One picture: the ground, and the body upon it. Everything is an object behind the plot, so that
 * text is above it. */
static void print_frame(wac_plot *plot, const wac_sketch *frame, const view *first)
{
    view view = view_at(first, frame);
    wac_plot_print(plot, "set xrange [%.10g:%.10g]; set yrange [%.10g:%.10g]\n", view.left,
                   view.left + view.width, view.bottom, view.bottom + view.height);
    int tag = print_polygons(plot, 1, frame, &view, true);
    if (isfinite(view.ground))
        tag = print_level(plot, tag, &view);
    else if (view.step > 0)
        tag = print_squares(plot, tag, frame, &view);
    print_polygons(plot, tag, frame, &view, false);
    wac_plot_print(plot, "plot NaN\nunset object\n");
}

/* Numbers on the ground, for a page of this size. */
static void print_metres(wac_plot *plot, const wac_sketch *frame, const view *first, bool in_pixels)
{
    view view = view_at(first, frame);
    if (!isfinite(view.ground))
        return;
    for (double at = ceil(view.left / view.step) * view.step; at <= view.left + view.width;
         at += view.step) {
        double share = (at - view.left) / view.width;
        /* what a sum of steps makes of 0 is 0 */
        double metre = fabs(at) < 0.01 * view.step ? 0 : at;
        if (share > 0.04 && share < 0.96)
            wac_plot_print(
                plot, "set label '%s%g m' at screen %.5f,%.5f center tc rgb '#5a5a5a'%s\n",
                metre < 0 ? "−" : "", fabs(metre), share,
                0.55 * (view.ground - view.bottom) / view.height, in_pixels ? " front" : "");
    }
}

static double seconds_of_step(const wac_world *world)
{
    double seconds = world->spec.seconds;
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
    film->eye = open_eye(subject);
    film->error = error;
    film->every = (int64_t)fmax(1, round(1 / (RATE * step)));
    film->seconds = (double)film->every * step;
    film->most = (int)fmax(2, ceil(options->seconds * RATE));
    if (!(film->frames = calloc((size_t)film->most, sizeof *film->frames)))
        return wac_fail_memory(error, "the animation");
    WAC_TRY(wac_subject_play(&evaluation, subject, role, &worlds, &actions,
                             film->most * film->every, add_frame, film, options->stop, error));
    return film->status;
}

static void print_pictures(wac_plot *plot, const film *film, const view *view)
{
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot, "%s", looks);
    for (int i = 0; i < film->count; i++) {
        wac_plot_print(plot, "set output 'frame-%d.png'\n", i);
        print_frame(plot, &film->frames[i], view);
    }
    wac_plot_print(plot, "unset output\n");
}

/* Colours that must be exact come first, beneath the picture; its ground hides them where it ends.
 */
static void print_colours(wac_plot *plot, const film *film, const view *view)
{
    bool is_level = isfinite(view->ground);
    double ground = is_level ? (view->ground - view->bottom) / view->height : 1;
    int exact[COLOURS] = {0xececec, 0x1a1a1a, 0x5a5a5a, 0x8a8a8a, 0xe2e2e2, 0xdadada}, count = 6;
    for (int i = 0; i < film->count; i++)
        for (int k = 0; k < film->frames[i].count; k++) {
            int same = 0, colour = film->frames[i].polygons[k].colour;
            while (same < count && exact[same] != colour)
                same++;
            if (same == count && count < COLOURS)
                exact[count++] = colour;
        }
    for (int i = 0; i < count; i++)
        wac_plot_print(plot,
                       "set object %d rectangle from screen 0,0 to screen 0.01,0.01 behind fc rgb "
                       "'#%06x' fs solid noborder\n",
                       i + 1, exact[i]);
    wac_plot_print(plot,
                   "set object %d rectangle from screen 0,0 to screen 1,%.5f behind fc rgb "
                   "'%s' fs solid noborder\n",
                   count + 1, ground, view->step > 0 ? "#ececec" : "white");
}

static void print_film(wac_plot *plot, const film *film, const view *view, const char *title)
{
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot, "%sset xrange [-0.5:%d.5]; set yrange [-0.5:%d.5]\n", looks, WIDTH - 1,
                   HEIGHT - 1);
    print_colours(plot, film, view);
    const double *start = film->frames[0].place;
    for (int i = 0; i < film->count; i++) {
        const wac_sketch *frame = &film->frames[i];
        double along[3], level[2], far;
        for (int k = 0; k < 3; k++)
            along[k] = frame->place[k] - start[k];
        wac_camera_project(&view->eye.camera, along, level);
        far = view->eye.is_level ? level[0] : hypot(along[0], along[1]);
        char way[64] = "";
        if (view->eye.follows)
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
    view view = choose_view(film->frames, film->count, &film->eye);
    wac_subject_title(title, scene, &scene->subjects[0]);
    wac_plot plot;
    WAC_TRY(wac_plot_begin(&plot, error));
    plot.stop = scene->options->stop;
    if (scene->options->progress) {
        scene->options->progress(scene->options->user, 0);
        plot.progress = pass_progress;
        plot.user = film;
    }
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
    for (int i = 0; i < film.count; i++)
        wac_sketch_free(&film.frames[i]);
    free(film.frames);
    return status;
}

static wac_status draw_still(wac_page *page, const wac_sketch *frame, const eye *eye,
                             wac_scene *scene, wac_error *error)
{
    const wac_subject *subject = &scene->subjects[0];
    view view = choose_view(frame, 1, eye);
    char name[WAC_ENVIRONMENT_NAME], quoted[2 * sizeof name];
    wac_page_quote(quoted, sizeof quoted, wac_subject_environment(name, subject));
    WAC_TRY(wac_plot_begin(&page->plot, error));
    wac_page_script(page, BODY_SCALE * WIDTH, BODY_SCALE * HEIGHT);
    wac_page_label(page, 32, 40, WAC_INK_TITLE, 15, "%s", quoted);
    wac_subject_summary(page, 32, 68, subject);
    wac_plot_print(&page->plot, "%s", looks);
    print_metres(&page->plot, frame, &view, false);
    print_frame(&page->plot, frame, &view);
    wac_status status = wac_page_draw(page, scene->drawn, error);
    wac_plot_end(&page->plot);
    return status;
}

wac_status wac_render_body(wac_scene *scene, wac_error *error)
{
    const wac_subject *subject = &scene->subjects[0];
    wac_page page = {0};
    wac_sketch frame;
    /* bodies that come with the program stand as they were made */
    if (subject->world && (subject->world->type->draw || wac_environment_is_model(subject->name))) {
        wac_rng rng = wac_rng_make((uint64_t)scene->options->seed, WAC_STREAM_REPLAYED);
        float observation[WAC_ENVIRONMENT_DIMENSIONS];
        WAC_TRY(wac_world_reset(subject->world, &rng, observation, error));
    }
    eye eye = open_eye(subject);
    wac_status status = read_frame(&frame, &eye, subject->world, error);
    if (status == WAC_STATUS_OK)
        status = draw_still(&page, &frame, &eye, scene, error);
    wac_sketch_free(&frame);
    return status;
}
