/* What the kinds of pictures share: who is drawn, letting a policy act, and a page measured in
 * pixels from its upper left corner. */
#ifndef WAC_RUN_RENDER_PARTS_H
#define WAC_RUN_RENDER_PARTS_H

#include "run/evaluate.h"
#include "run/gnuplot.h"
#include "run/render.h"
#include "run/run.h"

/* A run, or an environment without one. */
typedef struct wac_subject {
    wac_run *run;     /* null: an environment */
    wac_world *world; /* the run's for evaluation, or one of our own */
    char name[160];   /* "OE-WAC", more where that is not enough to tell; or "point-3" */
} wac_subject;

/* All that a picture is made from. */
typedef struct wac_scene {
    wac_subject subjects[WAC_RENDER_MOST];
    int count, runs;   /* runs: those that are one */
    bool is_one_world; /* all subjects are of the same environment */
    const wac_render_options *options;
    wac_rendering *drawn;
} wac_scene;

/* The kinds of pictures, each in a file of its own. */
wac_status wac_render_mazes(wac_scene *scene, wac_error *error);
wac_status wac_render_maps(wac_scene *scene, wac_error *error);
wac_status wac_render_motion(wac_scene *scene, wac_error *error);
wac_status wac_render_body(wac_scene *scene, wac_error *error);

/* One episode, or the first steps of it (0: all). Behaviour acts as in exploration, target by its
 * mean. `watch` sees the world before every step and after the last. */
typedef void wac_watch_fn(void *user, wac_world *world);
wac_status wac_subject_play(wac_evaluation *evaluation, const wac_subject *subject,
                            wac_policy_role role, wac_rng *worlds, int64_t most_steps,
                            wac_watch_fn *watch, void *user, const volatile int *stop,
                            wac_error *error);

/* Begin the script, and draw it into every file that was asked for. */
typedef struct wac_page {
    wac_plot plot;
    int width, height; /* pixels */
    int labels;
} wac_page;

void wac_page_script(wac_page *page, int width, int height);
wac_status wac_page_draw(wac_page *page, const wac_rendering *drawn, wac_error *error);

/* The axes of the next plot, in a rectangle of these pixels. */
void wac_page_axes(wac_page *page, double left, double top, double width, double height);

/* A line of text from (x, y), its middle height, to the right, in points (3/4 of a pixel). Text may
 * hold gnuplot's markup; what comes from elsewhere goes through wac_page_quote. */
typedef enum wac_ink { WAC_INK_TITLE, WAC_INK_TEXT, WAC_INK_GREY } wac_ink;
void wac_page_label(wac_page *page, double x, double y, wac_ink ink, int points, const char *format,
                    ...) __attribute__((format(printf, 6, 7)));

/* Labels so far belong to the plot that was just made; the next one starts without. */
void wac_page_forget_labels(wac_page *page);

/* A bar of colours in a rectangle of these pixels. */
void wac_page_colours(wac_page *page, bool horizontal, double left, double top, double width,
                      double height);

/* `text` without meaning as markup or end of a string. */
void wac_page_quote(char *quoted, size_t size, const char *text);

/* 15000 as "15 000" */
const char *wac_page_count(char text[32], int64_t count);

/* "OE-WAC after 14 epochs", with its environment where that is not clear; quoted */
void wac_subject_title(char *title, size_t size, const wac_scene *scene,
                       const wac_subject *subject);

#endif
