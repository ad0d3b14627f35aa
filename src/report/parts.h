/* What the pieces of a report share: drawings, and names as people write them. */
#ifndef WAC_REPORT_PARTS_H
#define WAC_REPORT_PARTS_H

#include "report/judge.h"
#include "report/report.h"

/* A figure of the report, or why there is none. */
typedef struct wac_drawing {
    char title[160], caption[640];
    char name[64]; /* NAME.svg, NAME.png and NAME.pdf in the folder of figures */
    int width;     /* pixels */
    bool drawn;
    char problem[512];
} wac_drawing;

/* Draw a figure of the selected runs as folder/NAME.svg, .png and .pdf. Where that cannot be done,
 * the drawing says why; only failing memory and an interruption are errors. MAPS: of one task. */
wac_status wac_report_draw(wac_drawing *drawing, const wac_figure *figure,
                           const wac_selection *selection, const char *folder,
                           const volatile int *stop, wac_error *error);

/* report_maps.c */
wac_status wac_report_draw_maps(wac_drawing *drawing, const wac_figure *figure,
                                const wac_selection *selection, const char *folder,
                                const volatile int *stop, wac_error *error);

/* Names as people write them: "Point 1", "OE-WAC λ 0.5", "λ". Return `text`. */
enum { WAC_PRETTY = 320 };
const char *wac_pretty_environment(char text[WAC_PRETTY], const char *name);
const char *wac_pretty_label(char text[WAC_PRETTY], const char *label);
const char *wac_pretty_setting(char text[WAC_PRETTY], const char *name);
const char *wac_pretty_measure(wac_measure measure);

/* Whether a figure is about this group. */
bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group);

/* SETTINGS: whether some line of it has two points. */
bool wac_figure_has_line(const wac_figure *figure, const wac_selection *selection);

/* A task as people write it: its environment, with more where two tasks share it. */
const char *wac_pretty_task(char text[WAC_PRETTY], const wac_selection *selection, size_t task);

/* Characters, not bytes. */
size_t wac_pretty_width(const char *text);

#endif
