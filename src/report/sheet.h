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
    size_t look;            /* wac_style_at */
    size_t place;           /* of lines that are too many: among those of its algorithm */
    bool chosen;            /* and whether it is shown */
} wac_sheet_line;

/* Panels of one size (in pixels) beside and below each other; all that again for each row of the
 * figure. A kind may ask for other margins, a height, and the width of a panel that stands alone or
 * beside others; where the page has a width of its own, the panels fill it, as many beside each
 * other as get the least width. */
typedef struct wac_sheet_grid {
    double left, right, gap, alone, beside, least, height;
    double width, top; /* what comes of it */
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
    const char *algorithm; /* of all groups that are shown, where names leave it out; or null */
    double levels[WAC_SHEET_MOST_LEVELS + 1]; /* over a setting: its values, ascending */
    size_t level_count;
    bool mixed;        /* over a setting: lines of several algorithms, so that names need them */
    bool by_label;     /* a line for each group, whatever the figure says */
    bool pooled;       /* a line has groups of different settings in it: no bands */
    char over[160];    /* those settings, as people write them */
    bool bare;         /* without a legend */
    size_t runs, most; /* in a line of a panel: fewest and most */
    int64_t until;     /* over a setting: epochs that count, where choices were ended at different
                          ones; or -1 */
    bool uneven;       /* runs of a line have different lengths */
    bool between;      /* curves: values between those that runs have are taken */
    char lost[160];    /* curves: who has values, but no places across */
    bool cut;          /* curves: a band is cut off at what is possible */
    bool negative;     /* bars: some are below 0 */
    double far;        /* curves: how far they go */
    size_t each;       /* curves: epochs that a point is the mean of */
    double share[2];   /* bars of shares: from the least to the most on any task */
    size_t rows;       /* rows of names beside a panel; profile: tasks */
    double names;      /* pixels that names beside a panel may take */
    size_t pairs[WAC_SHEET_MOST_LINES * WAC_SHEET_MOST_LINES][2]; /* improvement: lines of a row */
    double room; /* pixels across; 0: as many as the panels take */
    wac_sheet_grid grid;
    const wac_record **found; /* room for all runs, and a number of each */
    double *values;
    FILE *table; /* what is drawn, in numbers */
    bool has_x;  /* which have a place across */
} wac_sheet;

/* One of the panels. */
typedef struct wac_sheet_panel {
    int row;
    size_t task; /* place in the sheet's tasks, or among the kind's panels */
    bool leftmost, any;
    bool below;                      /* curves: a run has a number below 0 */
    bool there[WAC_SHEET_MOST_BARS]; /* lines that have data */
    bool dots[WAC_SHEET_MOST_LINES]; /* curves: lines of a single point */
    double low, high;                /* the ends of what is drawn; low > high: nothing is */
} wac_sheet_panel;

/* How a kind of figure fills its panels. */
typedef struct wac_sheet_kind {
    size_t most_lines;
    bool has_x;                        /* its numbers have a place across */
    const char *value;                 /* what they are, in the figure's table */
    size_t panels;                     /* 0: one for each task */
    void (*arrange)(wac_sheet *sheet); /* sizes of panels; null: the usual ones */
    void (*title)(const wac_sheet *sheet, size_t panel, char text[WAC_PRETTY]); /* null: the task */
    /* the data of a line into a file, then the panel's part of the script: labels and plot */
    wac_status (*write)(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, wac_error *error);
    void (*print)(wac_sheet *sheet, const wac_sheet_panel *panel);
    /* what a reader has to know, given "5 runs" or the like */
    void (*explain)(const wac_sheet *sheet, const char *runs, char *text, size_t size);
} wac_sheet_kind;

wac_status wac_sheet_draw(wac_drawing *drawing, const wac_figure_order *order,
                          const wac_sheet_kind *kind, wac_error *error);

/* Numbers of the panel reach from low to high. */
void wac_sheet_reach(wac_sheet_panel *panel, double low, double high);

/* So many runs went into a line of the panel. */
void wac_sheet_note(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, size_t count);

/* What is drawn of a line: a value of so many runs and its interval, for the figure's table; at x
 * where the kind has that. The second by its names, where it is not a line on a task. */
void wac_sheet_point(wac_sheet *sheet, const wac_sheet_panel *panel, size_t line, double x,
                     const double value[3], size_t count);
void wac_sheet_number(wac_sheet *sheet, const char *task, const char *line, const char *measure,
                      double x, const double value[3], size_t count);

const wac_style *wac_sheet_style(const wac_sheet *sheet, size_t line);

/* The plot of a panel without data. */
void wac_sheet_nothing(wac_sheet *sheet);

/* Rows with names at one side or both instead of a legend, and the panels' tics for them. */
void wac_sheet_arrange_rows(wac_sheet *sheet, size_t rows, int sides);
void wac_sheet_print_rows(wac_sheet *sheet, const wac_sheet_panel *panel, const char *words,
                          const double range[2]);

/* The name of a line as a string for tics, broken into rows. */
void wac_sheet_print_name(wac_sheet *sheet, size_t line);

#endif
