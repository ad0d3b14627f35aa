/* Drawing by the gnuplot program: data and script go to a temporary folder, gnuplot runs there, and
 * the picture takes its place whole or not at all.
 *
 *     wac_plot plot;
 *     WAC_TRY(wac_plot_begin(&plot, error));
 *     wac_plot_file(&plot, "curve");
 *     wac_plot_print(&plot, "%g %g\n", x, y);
 *     wac_plot_file(&plot, WAC_PLOT_SCRIPT);
 *     wac_plot_print(&plot, "plot 'curve' with lines\n");
 *     wac_status status = wac_plot_draw(&plot, 800, 600, "curve.png", error);
 *     wac_plot_end(&plot);
 */
#ifndef WAC_DRAW_PLOT_H
#define WAC_DRAW_PLOT_H

#include "wac/base.h"

#include <limits.h>
#include <stdio.h>

#define WAC_PLOT_SCRIPT "script" /* the file that says what to plot */
#define WAC_PLOT_PROGRESS "progress"

enum { WAC_PLOT_PIXELS_PER_INCH = 144 };

typedef struct wac_plot {
    char directory[PATH_MAX]; /* the temporary folder */
    FILE *file;               /* being written, or null */
    int failure;              /* errno of the first failure, or 0 */
    /* For long drawings; the caller may set these after wac_plot_begin. A script tells how far it
     * is by printing a line to the file WAC_PLOT_PROGRESS; `progress` gets the number of lines. */
    void (*progress)(void *user, int64_t lines);
    void *user;
    const volatile int *stop; /* once this is not zero, drawing ends (interrupted) */
    /* The width in print; 0: 96 pixels of the page are an inch. All else shrinks with it: a page of
     * WAC_PLOT_PIXELS_PER_INCH has text of 12 points in 8. What gnuplot does not shrink by itself,
     * marks and tics, a script multiplies by its variable `zoom`. */
    double inches;
} wac_plot;

/* Whether there is a gnuplot to draw with; if not, the error (input) says how to get it. */
wac_status wac_plot_find(wac_error *error);

wac_status wac_plot_begin(wac_plot *plot, wac_error *error);

/* Begin a file of the folder, then add to it. The first failure is kept for wac_plot_draw. */
void wac_plot_file(wac_plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wac_plot_print(wac_plot *plot, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Draw what the script says. Names in it are those of the files, no path needed; terminal, size (in
 * pixels) and output are set already. One call for each kind of picture, by the ending of the path:
 * .svg, .pdf, .gif (an animation, 20 pictures a second, one for each `plot`), else PNG. Path null:
 * the script sets its output itself, again and again, and these PNGs stay in the folder for scripts
 * to come. The same script makes the same bytes: no file tells when it was drawn. */
wac_status wac_plot_draw(wac_plot *plot, int width, int height, const char *path, wac_error *error);

/* Removes the folder. */
void wac_plot_end(wac_plot *plot);

#endif
