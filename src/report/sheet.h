/* A figure of many runs as a sheet of panels, one for each task, with lines (or bars) that differ
 * in colour, dash and mark, so that they stay apart for every eye and in grey. */
#ifndef WAC_REPORT_SHEET_H
#define WAC_REPORT_SHEET_H

#include "draw/page.h"
#include "draw/style.h"
#include "report/figure.h"
#include "report/names.h"

enum { WAC_SHEET_MOST_LINES = WAC_STYLES, WAC_SHEET_MOST_PANELS = 24, WAC_SHEET_LEFT = 112 };

/* What tells one line (or bar) from another. */
typedef struct wac_sheet_line {
    char key[320];
    char label[WAC_PRETTY]; /* quoted for gnuplot */
    int algorithm;          /* -1: lines are not algorithms */
} wac_sheet_line;

/* A figure on its way. */
typedef struct wac_sheet {
    wac_page page;
    const wac_figure *figure;
    const wac_selection *selection;
    size_t tasks[WAC_SHEET_MOST_PANELS];
    size_t task_count;
    wac_sheet_line *lines;
    size_t line_count, line_total;
    bool mixed;        /* over a setting: lines of several algorithms, so that names need them */
    bool by_label;     /* a line for each group, whatever the figure says */
    bool pooled;       /* a line has groups of different settings in it: no bands */
    char over[160];    /* those settings, as people write them */
    bool bare;         /* without a legend */
    size_t runs, most; /* in a line of a panel: fewest and most */
    bool uneven;       /* runs of a line have different lengths */
} wac_sheet;

const wac_style *wac_sheet_style(const wac_sheet *sheet, size_t line);

/* Draw a figure as a sheet with at most so many lines: `fill` writes data and script, in the calls
 * below. Its arrays have room for all runs. */
typedef wac_status wac_sheet_fill_fn(wac_sheet *sheet, const wac_record **runs, double *values,
                                     wac_error *error);
wac_status wac_sheet_draw(wac_drawing *drawing, const wac_figure_order *order, size_t most_lines,
                          wac_sheet_fill_fn *fill, wac_error *error);

/* Over a setting: whether some line of the figure has two points. */
bool wac_sheet_has_line(const wac_figure *figure, const wac_selection *selection);

/* The runs of a line in a task, into an array with room for all; x (or null): at this value of the
 * figure's setting. Returns how many. */
size_t wac_sheet_runs(const wac_sheet *sheet, size_t task, size_t index, const double *x,
                      const wac_record **runs);

/* So many runs went into a line. */
void wac_sheet_note(wac_sheet *sheet, size_t count);

/* About how many pixels a text takes. */
double wac_sheet_text(const char *text, int points);

/* Panels of one size, one for each task, beside and below each other; all that again for each of
 * `rows`. Where no width is given, sizes (in pixels) are the usual ones. */
typedef struct wac_sheet_grid {
    double left, width, height, gap;
    double top;
    int columns, bands;
} wac_sheet_grid;

int wac_sheet_columns(const wac_sheet *sheet);

/* Begin the script, with title and legend, and arrange the panels below. */
void wac_sheet_begin(wac_sheet *sheet, wac_sheet_grid *grid, int rows, bool marks);

/* Title and axes of the panel of the task-th of the sheet's tasks; true if it is the first from the
 * left. Then its plot (or the word that there is nothing), then its end. */
bool wac_sheet_panel(wac_sheet *sheet, const wac_sheet_grid *grid, int row, size_t task);
void wac_sheet_nothing(wac_sheet *sheet);
void wac_sheet_end_panel(wac_sheet *sheet);

#endif
