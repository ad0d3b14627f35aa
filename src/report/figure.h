/* Figures of a report. One row of WAC_FIGURE_KINDS makes a kind: a value of the enum, a word of
 * experiment files, the names of its files, what it takes and how it is drawn.
 *
 * Row: KIND(ID, name, takes, sheet). `sheet` says how its panels are filled (in figure.c); null: it
 * has none.
 *
 *   curves       columns of progress.csv over epochs, steps or time
 *   settings     a measure over a setting
 *   bars         a measure of each group
 *   solved       how many runs of each group solve their task
 *   profile      the share of runs with a score above …, over all tasks
 *   aggregates   scores over all tasks: four averages with their intervals
 *   improvement  how probable it is that a run of one does better than one of another
 *   maps         where runs went: one of each group, by `wac render`
 */
#ifndef WAC_REPORT_FIGURE_H
#define WAC_REPORT_FIGURE_H

#include "report/where.h"
#include "stats/measures.h"

/* What a kind takes: some are given, some are of the runs, and a figure of one task is drawn for
 * each by itself. */
typedef enum wac_figure_takes {
    WAC_FIGURE_TAKES_ROWS = 1,
    WAC_FIGURE_TAKES_X = 2,
    WAC_FIGURE_TAKES_LINES = 4,
    WAC_FIGURE_TAKES_MEASURE = 8,
    WAC_FIGURE_TAKES_ONE_TASK = 16,
    WAC_FIGURE_TAKES_GOALS = 32,  /* tasks that can be solved */
    WAC_FIGURE_TAKES_SCORES = 64, /* finished runs with a score */
    WAC_FIGURE_TAKES_SHARES = 128 /* … of tasks whose scores are shares, or become some */
} wac_figure_takes;

#define WAC_FIGURE_KINDS(KIND)                                                                     \
    KIND(CURVES, "curves", WAC_FIGURE_TAKES_ROWS | WAC_FIGURE_TAKES_LINES, &curves)                \
    KIND(SETTINGS, "settings",                                                                     \
         WAC_FIGURE_TAKES_X | WAC_FIGURE_TAKES_LINES | WAC_FIGURE_TAKES_MEASURE, &levels)          \
    KIND(BARS, "bars", WAC_FIGURE_TAKES_MEASURE, &bars)                                            \
    KIND(SOLVED, "solved", WAC_FIGURE_TAKES_GOALS, &solved)                                        \
    KIND(PROFILE, "profile", WAC_FIGURE_TAKES_SHARES | WAC_FIGURE_TAKES_MEASURE,                   \
         &wac_sheet_profile)                                                                       \
    KIND(AGGREGATES, "aggregates", WAC_FIGURE_TAKES_SHARES | WAC_FIGURE_TAKES_MEASURE,             \
         &wac_sheet_aggregates)                                                                    \
    KIND(IMPROVEMENT, "improvement", WAC_FIGURE_TAKES_SCORES | WAC_FIGURE_TAKES_MEASURE,           \
         &wac_sheet_improvement)                                                                   \
    KIND(MAPS, "maps", WAC_FIGURE_TAKES_ONE_TASK, NULL)

#define WAC_FIGURE_KIND_ENUM(id, ...) WAC_FIGURE_KIND_##id,
typedef enum wac_figure_kind {
    WAC_FIGURE_KINDS(WAC_FIGURE_KIND_ENUM) WAC_FIGURE_KIND_TOTAL
} wac_figure_kind;

/* What curves go over, and what they are of the runs of a line. */
#define WAC_FIGURE_ACROSS "epoch|steps|seconds"
typedef enum wac_figure_across {
    WAC_FIGURE_ACROSS_EPOCH,
    WAC_FIGURE_ACROSS_STEPS,
    WAC_FIGURE_ACROSS_SECONDS,
} wac_figure_across;

#define WAC_FIGURE_CURVES "mean|iqm"
typedef enum wac_figure_curve { WAC_FIGURE_CURVE_MEAN, WAC_FIGURE_CURVE_IQM } wac_figure_curve;

typedef struct wac_figure {
    wac_figure_kind kind;
    char title[128];
    int columns[2]; /* a row of panels for each (wac_column) */
    int column_count;
    wac_measure measure;
    char x[WAC_WHERE_TEXT]; /* the setting across; of curves one of WAC_FIGURE_ACROSS, or empty */
    char lines[WAC_WHERE_TEXT]; /* a line for each value of this key; empty: of the group's label */
    int curve;                  /* wac_figure_curve */
    int seeds;                  /* 1: curves have a thin line for each run too */
    wac_where where;
} wac_figure;

/* From more pixels than these on a figure has another layout for small screens, as in print at so
 * many inches. */
enum { WAC_FIGURE_SMALL = 560 };
#define WAC_FIGURE_NARROW 3.3

/* How all figures are to look, whatever each says; all 0: as they say. */
typedef struct wac_figure_look {
    double inches;     /* the width in print, with text of 8 points; 0: what the page needs */
    const char *x;     /* of curves: one of WAC_FIGURE_ACROSS */
    const char *curve; /* of curves: one of WAC_FIGURE_CURVES */
    bool seeds;        /* of curves */
} wac_figure_look;

/* What came of a figure, or why there is none. */
typedef struct wac_drawing {
    char title[160], caption[800];
    char name[64];  /* NAME.svg, NAME.png and NAME.pdf in the folder of figures */
    bool has_table; /* and NAME.csv, what is drawn in numbers */
    bool narrow;    /* and NAME-narrow.svg (or .png), for small screens */
    bool is_png;    /* maps: pages show the PNG, as an SVG has an element for every cell */
    int width;      /* pixels */
    bool drawn;
    bool empty; /* not drawn, since these runs have nothing that it would show */
    char problem[512];
} wac_drawing;

/* What to draw of which runs, and where to: as folder/NAME.svg, .png and .pdf; where that is wide,
 * for small screens as NAME-narrow.svg (maps: .png) too. */
typedef struct wac_figure_order {
    const wac_figure *figure;
    const wac_selection *selection;
    const char *folder;
    wac_figure_look look;
    const volatile int *stop; /* may be null */
} wac_figure_order;

/* Draws. Where that cannot be done, the drawing says why; only failing memory and an interruption
 * are errors. */
wac_status wac_figure_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error);

const char *wac_figure_kind_name(wac_figure_kind kind);

/* "curves|settings|…" */
const char *wac_figure_kind_words(void);

bool wac_figure_takes_it(const wac_figure *figure, wac_figure_takes what);

/* The column that curves go over; null: the rows. */
const wac_column *wac_figure_across_column(const wac_figure *figure);

/* Whether a figure is about this group. */
bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group);

#endif
