/* Figures of many runs: curves over epochs, measures over a setting, bars. A panel for each task,
 * lines that differ in colour, dash and mark, so that they stay apart for every eye and in grey.
 */
#include "run/report_parts.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "run/page.h"
#include "run/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LINES = 8,
    MOST_PANELS = 24,
    MOST_BARS = 60,
    COLUMNS = 4,
    /* pixels */
    LEFT = 112,
    RIGHT = 28,
    TOP = 30,
    TITLE = 26,
    LEGEND = 30,
    PANEL_TITLE = 34,
    BELOW = 64,
    GAP = 76,
    BAR = 26,
};

/* Okabe and Ito's colours, dark ones first; yellow is left out. */
typedef struct style {
    const char *colour, *dash;
    int mark;
} style;

static const style styles[MOST_LINES] = {
    {"#0072b2", "1", 7},           {"#d55e00", "(10,4)", 5},         {"#009e73", "(3,3)", 9},
    {"#cc79a7", "(12,4,3,4)", 11}, {"#000000", "(6,3)", 13},         {"#e69f00", "(16,4)", 4},
    {"#56b4e9", "(4,2,1,2)", 6},   {"#7f7f7f", "(12,3,2,3,2,3)", 8},
};

/* The paper's four have theirs in every figure. */
static const style *style_of_algorithm(int algorithm)
{
    switch (algorithm) {
    case WAC_ALGORITHM_OE_WAC:
        return &styles[0];
    case WAC_ALGORITHM_ME_WAC:
        return &styles[2];
    case WAC_ALGORITHM_SAC:
        return &styles[1];
    default:
        return &styles[5];
    }
}

/* What tells one line (or bar) from another. */
typedef struct line {
    char key[320];
    char label[WAC_PRETTY]; /* quoted for gnuplot */
    int algorithm;          /* -1: lines are not algorithms */
} line;

/* A figure on its way. */
typedef struct sheet {
    wac_page page;
    const wac_figure *figure;
    const wac_selection *selection;
    size_t tasks[MOST_PANELS];
    size_t task_count;
    line *lines;
    size_t line_count, line_total;
    bool bare;         /* one line, which needs no legend */
    size_t runs, most; /* in a line of a panel: fewest and most */
    bool uneven;       /* runs of a line have different lengths */
} sheet;

static const style *style_of(const sheet *sheet, size_t index)
{
    int algorithm = sheet->lines[index].algorithm;
    return algorithm >= 0 ? style_of_algorithm(algorithm) : &styles[index % MOST_LINES];
}

/* --- what is drawn ---------------------------------------------------------------------------- */

static void key_of(const sheet *sheet, const wac_group *group, char key[320])
{
    if (*sheet->figure->lines)
        wac_config_text(&group->runs[0]->config, sheet->figure->lines, key, 320);
    else
        snprintf(key, 320, "%.319s", group->label);
}

static int by_key(const void *a, const void *b)
{
    const line *x = a, *y = b;
    double p, q;
    if (x->algorithm >= 0 && y->algorithm >= 0)
        return x->algorithm - y->algorithm;
    if (wac_number_parse(&p, x->key) && wac_number_parse(&q, y->key))
        return (p > q) - (p < q);
    return strcmp(x->key, y->key);
}

static void name_line(const sheet *sheet, line *line)
{
    char text[WAC_PRETTY], setting[WAC_PRETTY];
    const char *key = sheet->figure->lines;
    if (*key && strcmp(key, "algorithm") != 0)
        snprintf(text, sizeof text, "%.100s %.200s", wac_pretty_setting(setting, key), line->key);
    else
        wac_pretty_label(text, line->key);
    wac_page_quote(line->label, sizeof line->label, text);
}

/* Curves: whether some run of the group has a number to show. */
static bool has_numbers(const wac_figure *figure, const wac_group *group)
{
    if (figure->kind != WAC_FIGURE_CURVES)
        return true;
    for (size_t i = 0; i < group->count; i++)
        for (size_t row = 0; row < group->runs[i]->rows; row++)
            if (!isnan(group->runs[i]->columns[figure->columns[0]][row]))
                return true;
    return false;
}

static wac_status collect(sheet *sheet, size_t most_lines, wac_error *error)
{
    const wac_runset *set = sheet->selection->set;
    sheet->lines = calloc(set->group_count + 1, sizeof *sheet->lines);
    if (!sheet->lines)
        return wac_fail_memory(error, "the lines of a figure");
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        if (!wac_figure_means(sheet->figure, sheet->selection, i) ||
            !has_numbers(sheet->figure, group))
            continue;
        if ((sheet->task_count == 0 || sheet->tasks[sheet->task_count - 1] != group->task) &&
            sheet->task_count < MOST_PANELS)
            sheet->tasks[sheet->task_count++] = group->task;
        line *line = &sheet->lines[sheet->line_total];
        key_of(sheet, group, line->key);
        size_t k = 0;
        while (strcmp(sheet->lines[k].key, line->key) != 0)
            k++;
        if (k < sheet->line_total)
            continue;
        const char *name = wac_algorithm_name((wac_algorithm)group->runs[0]->config.algorithm);
        bool is_algorithm = strcmp(name, line->key) == 0;
        line->algorithm = is_algorithm ? group->runs[0]->config.algorithm : -1;
        name_line(sheet, line);
        sheet->line_total++;
    }
    qsort(sheet->lines, sheet->line_total, sizeof *sheet->lines, by_key);
    sheet->line_count = sheet->line_total < most_lines ? sheet->line_total : most_lines;
    sheet->bare = sheet->line_total == 1;
    return WAC_STATUS_OK;
}

/* The runs of a line in a task, in an array with room for all; x (or null) is the figure's. */
static size_t runs_of(const sheet *sheet, size_t task, size_t index, const double *x,
                      const wac_record **runs)
{
    const wac_runset *set = sheet->selection->set;
    size_t count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        char key[320], text[320];
        double here;
        if (group->task != task || !wac_figure_means(sheet->figure, sheet->selection, i))
            continue;
        key_of(sheet, group, key);
        if (strcmp(key, sheet->lines[index].key) != 0)
            continue;
        wac_config_text(&group->runs[0]->config, sheet->figure->x, text, sizeof text);
        if (x && (!wac_number_parse(&here, text) || here != *x))
            continue;
        for (size_t k = 0; k < group->count; k++)
            runs[count++] = group->runs[k];
    }
    return count;
}

static void note_runs(sheet *sheet, size_t count)
{
    sheet->runs = sheet->runs == 0 || count < sheet->runs ? count : sheet->runs;
    sheet->most = count > sheet->most ? count : sheet->most;
}

/* --- the page --------------------------------------------------------------------------------- */

static double text_width(const char *text, int points)
{
    return (double)wac_pretty_width(text) * points * 0.78;
}

static int columns_of(const sheet *sheet)
{
    return sheet->task_count < COLUMNS ? (int)sheet->task_count : COLUMNS;
}

static double panel_width(const sheet *sheet)
{
    return columns_of(sheet) == 1 ? 640 : columns_of(sheet) == 2 ? 440 : 320;
}

/* The legend from (LEFT, top) on, broken into rows; returns its height. Without a page it is only
 * measured. */
static double print_legend(sheet *sheet, double top, double room, bool draw, bool marks)
{
    double x = LEFT, y = top + 8;
    if (sheet->bare)
        return 0;
    for (size_t i = 0; i < sheet->line_count; i++) {
        const style *style = style_of(sheet, i);
        double width = 64 + text_width(sheet->lines[i].label, 12);
        if (x > LEFT && x + width > LEFT + room) {
            x = LEFT;
            y += LEGEND;
        }
        if (draw) {
            wac_page *page = &sheet->page;
            wac_plot_print(&page->plot,
                           "set arrow from screen %.6f,%.6f rto screen %.6f,0 nohead lw 2.5 dt %s "
                           "lc rgb '%s'\n",
                           x / page->width, 1 - y / page->height, 36.0 / page->width, style->dash,
                           style->colour);
            if (marks)
                wac_plot_print(&page->plot,
                               "set label %d '' at screen %.6f,%.6f point pt %d ps 1.1 lc rgb "
                               "'%s'\n",
                               ++page->labels, (x + 18) / page->width, 1 - y / page->height,
                               style->mark, style->colour);
            wac_page_label(page, x + 44, y, WAC_INK_TEXT, 12, "%s", sheet->lines[i].label);
        }
        x += width;
    }
    return y + LEGEND - 8 - top;
}

/* Begins the script: title and legend. Returns where the panels start. */
static double begin_page(sheet *sheet, double width, double panels, bool marks)
{
    char title[400];
    double room = fmax(width - LEFT - RIGHT, 1);
    double legend = print_legend(sheet, 0, room, false, marks);
    double first = TOP + TITLE + legend;
    wac_page_script(&sheet->page, (int)width, (int)(first + panels));
    wac_plot_print(&sheet->page.plot, "set border 3\nset grid y lc rgb '#dddddd' lt 1 lw 0.7\n"
                                      "set xtics autofreq; set ytics autofreq\nset multiplot\n");
    wac_page_quote(title, sizeof title, sheet->figure->title);
    wac_page_label(&sheet->page, LEFT, TOP - 4, WAC_INK_TITLE, 16, "%s", title);
    print_legend(sheet, TOP + TITLE - 6, room, true, marks);
    return first;
}

/* Title and axes of a panel. */
static void begin_panel(sheet *sheet, double left, double top, double width, double height,
                        size_t task)
{
    char name[WAC_PRETTY], quoted[2 * WAC_PRETTY];
    wac_page_quote(quoted, sizeof quoted, wac_pretty_task(name, sheet->selection, task));
    wac_page_label(&sheet->page, left, top - 16, WAC_INK_TITLE, 13, "%s", quoted);
    wac_page_axes(&sheet->page, left, top, width, height);
}

static void end_panel(sheet *sheet)
{
    wac_page_forget_labels(&sheet->page);
    wac_plot_print(&sheet->page.plot, "unset arrow\n");
}

/* An empty panel still has to be a plot. */
static void print_nothing(sheet *sheet)
{
    wac_plot_print(&sheet->page.plot,
                   "set xrange [0:1]; set yrange [0:1]\n"
                   "set label 999 'no data' at graph 0.5,0.5 center font ',12' tc rgb grey\n"
                   "plot -1 notitle\n");
}

/* --- curves ----------------------------------------------------------------------------------- */

/* Mean and band of a column, epoch by epoch; false where there is nothing. */
static bool write_curve(sheet *sheet, const char *name, wac_column column,
                        const wac_record *const *runs, size_t count, double *values)
{
    /* as far as all of them go; those that have just begun are not waited for */
    size_t rows = SIZE_MAX, drawn = 0, longest = 0;
    for (size_t i = 0; i < count; i++) {
        longest = runs[i]->rows > longest ? runs[i]->rows : longest;
        if (runs[i]->rows > 0 && runs[i]->rows < rows)
            rows = runs[i]->rows;
    }
    rows = longest ? rows : 0;
    sheet->uneven |= rows < longest;
    wac_plot_file(&sheet->page.plot, name);
    for (size_t epoch = 0; epoch < rows; epoch++) {
        size_t there = 0;
        for (size_t i = 0; i < count; i++)
            if (epoch < runs[i]->rows && !isnan(runs[i]->columns[column][epoch]))
                values[there++] = runs[i]->columns[column][epoch];
        if (there == 0)
            continue;
        double mean = wac_mean(values, there), spread = there > 1 ? wac_spread(values, there) : 0;
        wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g\n", epoch, mean, mean - spread,
                       mean + spread);
        drawn++;
    }
    if (drawn)
        note_runs(sheet, count);
    return drawn > 0;
}

static void print_curves(sheet *sheet, const char *names, const bool *there, int column)
{
    wac_plot *plot = &sheet->page.plot;
    bool first = true, share = column == wac_column_eval_success,
         low = column == wac_column_coverage_sampled || column == wac_column_coverage_visited ||
               column == wac_column_eval_episodes;
    bool any = false;
    for (size_t i = 0; i < sheet->line_count; i++)
        any |= there[i];
    if (!any) {
        print_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [0:*]; set yrange %s\nplot ",
                   share ? "[0:1.04]"
                   : low ? "[0:*]"
                         : "[*:*]");
    for (int pass = 0; pass < 2; pass++) /* bands below all lines */
        for (size_t i = 0; i < sheet->line_count; i++) {
            const style *style = style_of(sheet, i);
            if (!there[i])
                continue;
            wac_plot_print(plot, "%s'%s-%zu' using ", first ? "" : ", \\\n  ", names, i);
            first = false;
            if (pass == 0)
                wac_plot_print(plot,
                               "1:3:4 with filledcurves fc rgb '%s' fs transparent solid 0.17 "
                               "noborder",
                               style->colour);
            else
                wac_plot_print(plot, "1:2 with lines lw 2.5 dt %s lc rgb '%s'", style->dash,
                               style->colour);
        }
    wac_plot_print(plot, "\n");
}

/* The data first: a script is one file, and so is each curve. */
static void write_curves(sheet *sheet, bool *there, const wac_record **runs, double *values)
{
    const wac_figure *figure = sheet->figure;
    for (int row = 0; row < figure->column_count; row++)
        for (size_t t = 0; t < sheet->task_count; t++)
            for (size_t i = 0; i < sheet->line_count; i++) {
                char name[64];
                snprintf(name, sizeof name, "curve-%d-%zu-%zu", row, t, i);
                size_t count = runs_of(sheet, sheet->tasks[t], i, NULL, runs);
                there[((size_t)row * sheet->task_count + t) * MOST_LINES + i] =
                    write_curve(sheet, name, (wac_column)figure->columns[row], runs, count, values);
            }
}

static void print_curve_page(sheet *sheet, const bool *there)
{
    const wac_figure *figure = sheet->figure;
    int columns = columns_of(sheet), bands = (int)((sheet->task_count + columns - 1) / columns);
    double width = panel_width(sheet), height = 0.72 * width;
    double row_height = PANEL_TITLE + height + BELOW;
    double first = begin_page(sheet, LEFT + columns * width + (columns - 1) * GAP + RIGHT,
                              figure->column_count * bands * row_height, false);
    for (int row = 0; row < figure->column_count; row++)
        for (size_t t = 0; t < sheet->task_count; t++) {
            int column = (int)t % columns, band = (int)t / columns;
            char names[64];
            snprintf(names, sizeof names, "curve-%d-%zu", row, t);
            begin_panel(sheet, LEFT + column * (width + GAP),
                        first + (row * bands + band) * row_height + PANEL_TITLE, width, height,
                        sheet->tasks[t]);
            wac_plot_print(&sheet->page.plot,
                           "set xlabel 'epoch' tc rgb grey\nset ylabel '%s' tc rgb grey\n",
                           column == 0 ? wac_pretty_column(figure->columns[row]) : "");
            print_curves(sheet, names, there + ((size_t)row * sheet->task_count + t) * MOST_LINES,
                         figure->columns[row]);
            end_panel(sheet);
        }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
}

/* --- a measure over a setting ------------------------------------------------------------------
 */

enum { MOST_LEVELS = 32 };

static size_t find_levels(const sheet *sheet, double levels[MOST_LEVELS])
{
    const wac_runset *set = sheet->selection->set;
    size_t count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        char text[320];
        double level;
        size_t place = 0;
        wac_config_text(&set->groups[i].runs[0]->config, sheet->figure->x, text, sizeof text);
        if (!wac_figure_means(sheet->figure, sheet->selection, i) ||
            !wac_number_parse(&level, text))
            continue;
        while (place < count && levels[place] < level)
            place++;
        if ((place < count && levels[place] == level) || count == MOST_LEVELS)
            continue;
        memmove(levels + place + 1, levels + place, (count++ - place) * sizeof *levels);
        levels[place] = level;
    }
    return count;
}

static bool write_levels(sheet *sheet, const char *name, size_t task, size_t index,
                         const double *levels, size_t count, const wac_record **runs,
                         double *values)
{
    bool any = false;
    double reach = count > 1 ? levels[count - 1] - levels[0] : 1;
    double aside = ((double)index - ((double)sheet->line_count - 1) / 2) * 0.008 * reach;
    wac_plot_file(&sheet->page.plot, name);
    for (size_t k = 0; k < count; k++) {
        size_t there = 0, all = runs_of(sheet, task, index, &levels[k], runs);
        for (size_t i = 0; i < all; i++) {
            double value = wac_record_measure(runs[i], sheet->figure->measure);
            if (runs[i]->finished && !isnan(value))
                values[there++] = value;
        }
        if (there == 0)
            continue;
        wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g\n", levels[k] + aside,
                       wac_mean(values, there), there > 1 ? wac_spread(values, there) : 0);
        note_runs(sheet, there);
        any = true;
    }
    return any;
}

static void print_levels(sheet *sheet, size_t t, const bool *there, const double *levels,
                         size_t count)
{
    wac_plot *plot = &sheet->page.plot;
    bool first = true;
    double reach = count > 1 ? levels[count - 1] - levels[0] : 1;
    double low = levels[0] - 0.06 * reach, high = levels[count - 1] + 0.06 * reach;
    for (size_t i = 0; i < sheet->line_count; i++) {
        const style *style = style_of(sheet, i);
        if (!there[i])
            continue;
        if (first) {
            wac_plot_print(plot, "set xrange [%.9g:%.9g]; set yrange [0:*]\nset xtics (", low,
                           high);
            for (size_t k = 0; k < count; k++)
                wac_plot_print(plot, "%s%.9g", k ? ", " : "", levels[k]);
            wac_plot_print(plot, ")\nplot ");
        }
        wac_plot_print(plot,
                       "%s'levels-%zu-%zu' using 1:2:3 with yerrorlines lw 2 pt %d ps 1.1 dt %s "
                       "lc rgb '%s'",
                       first ? "" : ", \\\n  ", t, i, style->mark, style->dash, style->colour);
        first = false;
    }
    if (first)
        print_nothing(sheet);
    wac_plot_print(plot, "\n");
}

static wac_status draw_levels(sheet *sheet, const wac_record **runs, double *values)
{
    double levels[MOST_LEVELS + 1];
    bool there[MOST_PANELS][MOST_LINES] = {{0}};
    char setting[WAC_PRETTY], x[2 * WAC_PRETTY];
    size_t count = find_levels(sheet, levels);
    if (count == 0)
        return WAC_STATUS_INPUT;
    for (size_t t = 0; t < sheet->task_count; t++)
        for (size_t i = 0; i < sheet->line_count; i++) {
            char name[64];
            snprintf(name, sizeof name, "levels-%zu-%zu", t, i);
            there[t][i] =
                write_levels(sheet, name, sheet->tasks[t], i, levels, count, runs, values);
        }
    int columns = columns_of(sheet), bands = (int)((sheet->task_count + columns - 1) / columns);
    double width = panel_width(sheet), height = 0.72 * width;
    double row_height = PANEL_TITLE + height + BELOW;
    double first = begin_page(sheet, LEFT + columns * width + (columns - 1) * GAP + RIGHT,
                              bands * row_height, true);
    wac_page_quote(x, sizeof x, wac_pretty_setting(setting, sheet->figure->x));
    for (size_t t = 0; t < sheet->task_count; t++) {
        int column = (int)t % columns;
        begin_panel(sheet, LEFT + column * (width + GAP),
                    first + (int)t / columns * row_height + PANEL_TITLE, width, height,
                    sheet->tasks[t]);
        wac_plot_print(&sheet->page.plot,
                       "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n", x,
                       column == 0 ? wac_pretty_measure(sheet->figure->measure) : "");
        print_levels(sheet, t, there[t], levels, count);
        end_panel(sheet);
    }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
    return WAC_STATUS_OK;
}

/* --- bars ------------------------------------------------------------------------------------- */

static int algorithm_of(const sheet *sheet, size_t task, size_t index, const wac_record **runs)
{
    return runs_of(sheet, task, index, NULL, runs) ? runs[0]->config.algorithm : 0;
}

static wac_status write_bars(sheet *sheet, size_t t, const wac_record **runs, double *values,
                             bool *any, double ends[2], wac_error *error)
{
    char name[64];
    ends[0] = ends[1] = 0;
    snprintf(name, sizeof name, "bars-%zu", t);
    wac_plot_file(&sheet->page.plot, name);
    for (size_t i = 0; i < sheet->line_count; i++) {
        size_t there = 0, all = runs_of(sheet, sheet->tasks[t], i, NULL, runs);
        for (size_t k = 0; k < all; k++) {
            double value = wac_record_measure(runs[k], sheet->figure->measure);
            if (runs[k]->finished && !isnan(value))
                values[there++] = value;
        }
        if (there == 0)
            continue;
        wac_values sample = {values, there};
        wac_interval iqm;
        WAC_TRY(wac_interval_iqm(&iqm, &sample, 1, wac_bootstrap_default(), error));
        wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g %d\n", i, iqm.value, iqm.low,
                       iqm.high, algorithm_of(sheet, sheet->tasks[t], i, runs));
        note_runs(sheet, there);
        ends[0] = fmin(ends[0], iqm.low);
        ends[1] = fmax(ends[1], iqm.high);
        *any = true;
    }
    return WAC_STATUS_OK;
}

/* A step that cuts a range, which reaches to 0, into about four. */
static double nice_step(double low, double high)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double rough = (fmax(high, 0) - fmin(low, 0)) / 4;
    if (!(rough > 0))
        return 1;
    double power = pow(10, floor(log10(rough)));
    int i = 0;
    while (i < 4 && steps[i] * power < rough * 0.999)
        i++;
    return steps[i] * power;
}

static void print_bar_page(sheet *sheet, const bool *any, const double (*ends)[2])
{
    wac_plot *plot = &sheet->page.plot;
    double widest = 0, height = BAR * (double)sheet->line_count + 12;
    for (size_t i = 0; i < sheet->line_count; i++)
        widest = fmax(widest, text_width(sheet->lines[i].label, 12));
    int columns = columns_of(sheet), bands = (int)((sheet->task_count + columns - 1) / columns);
    double left = fmax(LEFT, widest + 36), width = columns == 1 ? 520 : 260, gap = 44;
    double row_height = PANEL_TITLE + height + BELOW;
    sheet->bare = true; /* names stand beside the bars */
    double first = begin_page(sheet, left + columns * width + (columns - 1) * gap + RIGHT,
                              bands * row_height, false);
    wac_plot_print(plot, "unset grid; set grid x lc rgb '#dddddd' lt 1 lw 0.7\n");
    for (size_t t = 0; t < sheet->task_count; t++) {
        int column = (int)t % columns;
        begin_panel(sheet, left + column * (width + gap),
                    first + (int)t / columns * row_height + PANEL_TITLE, width, height,
                    sheet->tasks[t]);
        wac_plot_print(plot, "set xlabel '%s' tc rgb grey\nset ytics scale 0 (",
                       wac_pretty_measure(sheet->figure->measure));
        for (size_t i = 0; i < sheet->line_count; i++)
            wac_plot_print(plot, "%s'%s' %zu", i ? ", " : "",
                           column == 0 ? sheet->lines[i].label : "", i);
        wac_plot_print(plot, ")\nset xtics %.9g\n", nice_step(ends[t][0], ends[t][1]));
        if (any[t]) {
            wac_plot_print(plot, "set xrange [*:*]; set yrange [%zu.6:-0.6]\nplot ",
                           sheet->line_count - 1);
            for (int a = 0; a < 4; a++)
                wac_plot_print(plot,
                               "'bars-%zu' using ($5 == %d ? 0.5 * $2 : NaN):1:(0.5 * "
                               "abs($2)):(0.36) with boxxyerror fc rgb '%s' fs solid 0.75 "
                               "noborder, \\\n  ",
                               t, a, style_of_algorithm(a)->colour);
            wac_plot_print(plot, "'' using 2:1:3:4 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb ink\n");
        } else {
            print_nothing(sheet);
        }
        end_panel(sheet);
    }
    wac_plot_print(plot, "unset multiplot\n");
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void write_caption(const sheet *sheet, wac_drawing *drawing)
{
    char runs[64], text[256];
    if (sheet->runs == sheet->most)
        snprintf(runs, sizeof runs, "%zu run%s", sheet->runs, sheet->runs == 1 ? "" : "s");
    else
        snprintf(runs, sizeof runs, "%zu to %zu runs", sheet->runs, sheet->most);
    if (sheet->figure->kind == WAC_FIGURE_BARS)
        snprintf(text, sizeof text,
                 "Interquartile means of %s each, with bootstrap 95 %% intervals.", runs);
    else if (sheet->most == 1)
        snprintf(text, sizeof text, "One run each.");
    else
        snprintf(text, sizeof text, "Means of %s each; %s show ± 2 s/√n.", runs,
                 sheet->figure->kind == WAC_FIGURE_CURVES ? "bands" : "bars");
    snprintf(drawing->caption, sizeof drawing->caption, "%s%s%s", text,
             sheet->uneven ? " A line ends where the shortest of its runs does." : "",
             sheet->line_count < sheet->line_total ? " Not all lines are shown." : "");
}

static wac_status draw_kind(sheet *sheet, wac_error *error)
{
    size_t cells = 2 * MOST_PANELS * MOST_LINES;
    const wac_record **runs = malloc((sheet->selection->set->count + 1) * sizeof *runs);
    double *values = malloc((sheet->selection->set->count + 1) * sizeof *values);
    bool *there = calloc(cells, sizeof *there);
    double ends[MOST_PANELS][2];
    wac_status status =
        runs && values && there ? WAC_STATUS_OK : wac_fail_memory(error, "the runs of a figure");
    if (status == WAC_STATUS_OK && sheet->figure->kind == WAC_FIGURE_CURVES) {
        write_curves(sheet, there, runs, values);
        print_curve_page(sheet, there);
    } else if (status == WAC_STATUS_OK && sheet->figure->kind == WAC_FIGURE_SETTINGS) {
        status = draw_levels(sheet, runs, values);
    } else if (status == WAC_STATUS_OK) {
        for (size_t t = 0; t < sheet->task_count && status == WAC_STATUS_OK; t++)
            status = write_bars(sheet, t, runs, values, &there[t], ends[t], error);
        if (status == WAC_STATUS_OK)
            print_bar_page(sheet, there, (const double(*)[2])ends);
    }
    free(runs);
    free(values);
    free(there);
    if (status == WAC_STATUS_OK && sheet->runs == 0)
        status = WAC_STATUS_INPUT;
    if (status == WAC_STATUS_INPUT)
        return wac_fail(error, status, "no finished run has these numbers");
    return status;
}

static wac_status draw_files(sheet *sheet, wac_drawing *drawing, const char *folder,
                             wac_error *error)
{
    static const char *const endings[] = {"svg", "png", "pdf"};
    wac_rendering files = {.files = 3};
    for (int i = 0; i < 3; i++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", drawing->name, endings[i]);
        WAC_TRY(wac_path_join(files.paths[i], sizeof files.paths[i], folder, name, error));
    }
    WAC_TRY(wac_page_draw(&sheet->page, &files, error));
    drawing->width = sheet->page.width;
    write_caption(sheet, drawing);
    drawing->drawn = true;
    return WAC_STATUS_OK;
}

wac_status wac_report_draw(wac_drawing *drawing, const wac_figure *figure,
                           const wac_selection *selection, const char *folder,
                           const volatile int *stop, wac_error *error)
{
    wac_error why = {0};
    snprintf(drawing->title, sizeof drawing->title, "%s", figure->title);
    if (figure->kind == WAC_FIGURE_MAPS)
        return wac_report_draw_maps(drawing, figure, selection, folder, stop, error);
    sheet sheet = {.figure = figure, .selection = selection};
    wac_status status = collect(
        &sheet, figure->kind == WAC_FIGURE_BARS ? (size_t)MOST_BARS : (size_t)MOST_LINES, &why);
    if (status == WAC_STATUS_OK && sheet.line_total == 0)
        status = wac_fail(&why, WAC_STATUS_INPUT, "there is no such run");
    if (status == WAC_STATUS_OK && (status = wac_plot_begin(&sheet.page.plot, &why)) == 0) {
        sheet.page.plot.stop = stop;
        status = draw_kind(&sheet, &why);
        if (status == WAC_STATUS_OK)
            status = draw_files(&sheet, drawing, folder, &why);
        wac_plot_end(&sheet.page.plot);
    }
    free(sheet.lines);
    snprintf(drawing->problem, sizeof drawing->problem, "%.500s", why.message);
    if (status == WAC_STATUS_MEMORY || status == WAC_STATUS_INTERRUPTED)
        return wac_fail(error, status, "%s", why.message);
    return WAC_STATUS_OK;
}
