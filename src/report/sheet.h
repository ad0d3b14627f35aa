/* A figure of many runs as a sheet of panels, one for each task, with lines (or bars) that differ
 * in colour, dash and mark, so that they stay apart for every eye and in grey. */
#ifndef WAC_REPORT_SHEET_H
#define WAC_REPORT_SHEET_H

#include "draw/page.h"
#include "draw/style.h"
#include "report/figure.h"
#include "report/names.h"

enum {
    WAC_SHEET_MOST_LINES = WAC_STYLES,
    WAC_SHEET_MOST_BARS = 60,
    WAC_SHEET_MOST_PANELS = 24,
    WAC_SHEET_MOST_LEVELS = 32,
    WAC_SHEET_LEFT = 112,
};

/* A group that the figure is about. */
typedef struct wac_sheet_group {
    const wac_group *group;
    bool shown;    /* it has a number to show */
    double level;  /* over a setting: its value, NaN without */
    char key[320]; /* of its line */
} wac_sheet_group;

/* What tells one line (or bar) from another. */
typedef struct wac_sheet_line {
    char key[320];
    char label[WAC_PRETTY]; /* quoted for gnuplot */
    int algorithm;          /* -1: lines are not algorithms */
} wac_sheet_line;

/* Panels of one size (in pixels), one for each task, beside and below each other; all that again
 * for each row of the figure. */
typedef struct wac_sheet_grid {
    double left, width, height, gap, top;
    int columns, bands;
} wac_sheet_grid;

/* A figure on its way. */
typedef struct wac_sheet {
    wac_page page;
    const wac_figure *figure;
    const wac_selection *selection;
    wac_sheet_group *groups;
    size_t group_count;
    size_t tasks[WAC_SHEET_MOST_PANELS];
    size_t task_count;
    wac_sheet_line *lines;
    size_t line_count, line_total;
    double levels[WAC_SHEET_MOST_LEVELS + 1]; /* over a setting: its values, ascending */
    size_t level_count;
    bool mixed;        /* over a setting: lines of several algorithms, so that names need them */
    bool by_label;     /* a line for each group, whatever the figure says */
    bool pooled;       /* a line has groups of different settings in it: no bands */
    char over[160];    /* those settings, as people write them */
    bool bare;         /* without a legend */
    size_t runs, most; /* in a line of a panel: fewest and most */
    bool uneven;       /* runs of a line have different lengths */
    wac_sheet_grid grid;
    const wac_record **found; /* room for all runs, and a number of each */
    double *values;
} wac_sheet;

/* One of the panels. */
typedef struct wac_sheet_panel {
    int row;
    size_t task; /* place in the sheet's tasks */
    bool leftmost, any;
    bool there[WAC_SHEET_MOST_BARS]; /* lines that have data */
    double low, high;                /* 0, and the ends of what is drawn */
} wac_sheet_panel;

/* How a kind of figure fills its panels. */
typedef struct wac_sheet_kind {
    size_t most_lines;
    void (*arrange)(wac_sheet *sheet); /* sizes of panels; null: the usual ones */
    /* the data of a line into a file, then the panel's part of the script: labels and plot */
    wac_status (*write)(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, wac_error *error);
    void (*print)(wac_sheet *sheet, const wac_sheet_panel *panel);
} wac_sheet_kind;

wac_status wac_sheet_draw(wac_drawing *drawing, const wac_figure_order *order,
                          const wac_sheet_kind *kind, wac_error *error);

/* Over a setting: whether some line of the figure has two points. */
bool wac_sheet_has_line(const wac_figure *figure, const wac_selection *selection);

/* The runs of a line in a task, into `found`; x (or null): at this value of the figure's setting.
 * Returns how many. */
size_t wac_sheet_runs(wac_sheet *sheet, size_t task, size_t index, const double *x);

/* So many runs went into a line of the panel. */
void wac_sheet_note(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, size_t count);

const wac_style *wac_sheet_style(const wac_sheet *sheet, size_t line);

/* About how many pixels a text takes. */
double wac_sheet_text(const char *text, int points);

/* The plot of a panel without data. */
void wac_sheet_nothing(wac_sheet *sheet);

#endif
