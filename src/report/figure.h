/* Figures of a report. One row of WAC_FIGURE_KINDS makes a kind: a value of the enum, a word of
 * experiment files, the names of its files, what it takes and how it is drawn.
 *
 * Row: KIND(ID, name, takes, sheet). `sheet` says how its panels are filled (in figure.c); null: it
 * has none.
 *
 *   curves    columns of progress.csv over epochs: a panel for each task, a row for each column
 *   settings  a measure over a setting
 *   bars      a measure of each group, a panel for each task
 *   maps      where runs went: one of each group, by `wac render`
 */
#ifndef WAC_REPORT_FIGURE_H
#define WAC_REPORT_FIGURE_H

#include "report/where.h"
#include "stats/measures.h"

/* What a kind takes: some are given, and a figure of one task is drawn for each by itself. */
typedef enum wac_figure_takes {
    WAC_FIGURE_TAKES_ROWS = 1,
    WAC_FIGURE_TAKES_X = 2,
    WAC_FIGURE_TAKES_LINES = 4,
    WAC_FIGURE_TAKES_MEASURE = 8,
    WAC_FIGURE_TAKES_ONE_TASK = 16,
} wac_figure_takes;

#define WAC_FIGURE_KINDS(KIND)                                                                     \
    KIND(CURVES, "curves", WAC_FIGURE_TAKES_ROWS | WAC_FIGURE_TAKES_LINES, &curves)                \
    KIND(SETTINGS, "settings",                                                                     \
         WAC_FIGURE_TAKES_X | WAC_FIGURE_TAKES_LINES | WAC_FIGURE_TAKES_MEASURE, &levels)          \
    KIND(BARS, "bars", WAC_FIGURE_TAKES_MEASURE, &bars)                                            \
    KIND(MAPS, "maps", WAC_FIGURE_TAKES_ONE_TASK, NULL)

#define WAC_FIGURE_KIND_ENUM(id, ...) WAC_FIGURE_KIND_##id,
typedef enum wac_figure_kind {
    WAC_FIGURE_KINDS(WAC_FIGURE_KIND_ENUM) WAC_FIGURE_KIND_TOTAL
} wac_figure_kind;

typedef struct wac_figure {
    wac_figure_kind kind;
    char title[128];
    int columns[2]; /* a row of panels for each (wac_column) */
    int column_count;
    wac_measure measure;
    char x[WAC_WHERE_TEXT];     /* the setting across */
    char lines[WAC_WHERE_TEXT]; /* a line for each value of this key; empty: of the group's label */
    wac_where where;
} wac_figure;

/* What came of a figure, or why there is none. */
typedef struct wac_drawing {
    char title[160], caption[640];
    char name[64];  /* NAME.svg, NAME.png and NAME.pdf in the folder of figures */
    bool has_table; /* and NAME.csv, what is drawn in numbers */
    int width;      /* pixels */
    bool drawn;
    bool empty; /* not drawn, since these runs have nothing that it would show */
    char problem[512];
} wac_drawing;

/* What to draw of which runs, and where to: as folder/NAME.svg, .png and .pdf. */
typedef struct wac_figure_order {
    const wac_figure *figure;
    const wac_selection *selection;
    const char *folder;
    const volatile int *stop; /* may be null */
} wac_figure_order;

/* Draws. Where that cannot be done, the drawing says why; only failing memory and an interruption
 * are errors. */
wac_status wac_figure_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error);

const char *wac_figure_kind_name(wac_figure_kind kind);

/* "curves|settings|…" */
const char *wac_figure_kind_words(void);

bool wac_figure_takes_it(const wac_figure *figure, wac_figure_takes what);

/* Whether a figure is about this group. */
bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group);

#endif
