/* Figures over settings, and bars. */
#include "report/sheet.h"

#include "base/number.h"
#include "base/status.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BAR = 26 };

/* --- a measure over a setting ------------------------------------------------------------------
 */

enum { MOST_LEVELS = 32 };

static size_t find_levels(const wac_sheet *sheet, double levels[MOST_LEVELS])
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

static bool write_levels(wac_sheet *sheet, const char *name, size_t task, size_t index,
                         const double *levels, size_t count, const wac_record **runs,
                         double *values)
{
    bool any = false;
    double reach = count > 1 ? levels[count - 1] - levels[0] : 1;
    double aside = ((double)index - ((double)sheet->line_count - 1) / 2) * 0.008 * reach;
    wac_plot_file(&sheet->page.plot, name);
    for (size_t k = 0; k < count; k++) {
        size_t there = 0, all = wac_sheet_runs(sheet, task, index, &levels[k], runs);
        for (size_t i = 0; i < all; i++) {
            double value = wac_record_measure(runs[i], sheet->figure->measure);
            if (runs[i]->finished && !isnan(value))
                values[there++] = value;
        }
        if (there == 0)
            continue;
        wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g\n", levels[k] + aside,
                       wac_mean(values, there), there > 1 ? wac_spread(values, there) : 0);
        wac_sheet_note(sheet, there);
        any = true;
    }
    return any;
}

static void print_levels(wac_sheet *sheet, size_t t, const bool *there, const double *levels,
                         size_t count)
{
    wac_plot *plot = &sheet->page.plot;
    bool first = true;
    double reach = count > 1 ? levels[count - 1] - levels[0] : 1;
    double low = levels[0] - 0.06 * reach, high = levels[count - 1] + 0.06 * reach;
    for (size_t i = 0; i < sheet->line_count; i++) {
        const wac_sheet_look *style = wac_sheet_style(sheet, i);
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
                       "%s'levels-%zu-%zu' using %s lw 2 pt %d ps 1.1 dt %s "
                       "lc rgb '%s'",
                       first ? "" : ", \\\n  ", t, i,
                       sheet->pooled ? "1:2 with linespoints" : "1:2:3 with yerrorlines",
                       style->mark, style->dash, style->colour);
        first = false;
    }
    if (first)
        wac_sheet_nothing(sheet);
    wac_plot_print(plot, "\n");
}

wac_status wac_sheet_levels(wac_sheet *sheet, const wac_record **runs, double *values)
{
    double levels[MOST_LEVELS + 1];
    bool there[SHEET_MOST_PANELS][SHEET_MOST_LINES] = {{0}};
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
    wac_sheet_grid grid = wac_sheet_begin_grid(sheet, 1, true);
    wac_page_quote(x, sizeof x, wac_pretty_setting(setting, sheet->figure->x));
    for (size_t t = 0; t < sheet->task_count; t++) {
        bool leftmost = wac_sheet_grid_panel(sheet, &grid, 0, t);
        wac_plot_print(&sheet->page.plot,
                       "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n", x,
                       leftmost ? wac_pretty_measure(sheet->figure->measure) : "");
        print_levels(sheet, t, there[t], levels, count);
        wac_sheet_end_panel(sheet);
    }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
    return WAC_STATUS_OK;
}

/* --- bars ------------------------------------------------------------------------------------- */

static int algorithm_of(const wac_sheet *sheet, size_t task, size_t index, const wac_record **runs)
{
    return wac_sheet_runs(sheet, task, index, NULL, runs) ? runs[0]->config.algorithm : 0;
}

static wac_status write_bars(wac_sheet *sheet, size_t t, const wac_record **runs, double *values,
                             bool *any, double ends[2], wac_error *error)
{
    char name[64];
    ends[0] = ends[1] = 0;
    snprintf(name, sizeof name, "bars-%zu", t);
    wac_plot_file(&sheet->page.plot, name);
    for (size_t i = 0; i < sheet->line_count; i++) {
        size_t there = 0, all = wac_sheet_runs(sheet, sheet->tasks[t], i, NULL, runs);
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
        wac_sheet_note(sheet, there);
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

static void print_bar_page(wac_sheet *sheet, const bool *any, const double (*ends)[2])
{
    wac_plot *plot = &sheet->page.plot;
    double widest = 0, height = BAR * (double)sheet->line_count + 12;
    for (size_t i = 0; i < sheet->line_count; i++)
        widest = fmax(widest, wac_sheet_text(sheet->lines[i].label, 12));
    int columns = wac_sheet_columns(sheet),
        bands = (int)((sheet->task_count + columns - 1) / columns);
    double left = fmax(SHEET_LEFT, widest + 36), width = columns == 1 ? 520 : 260, gap = 44;
    double row_height = SHEET_PANEL_TITLE + height + SHEET_BELOW;
    sheet->bare = true; /* names stand beside the bars */
    double first =
        wac_sheet_begin(sheet, left + columns * width + (columns - 1) * gap + SHEET_RIGHT,
                        bands * row_height, false);
    wac_plot_print(plot, "unset grid; set grid x lc rgb '#dddddd' lt 1 lw 0.7\n");
    for (size_t t = 0; t < sheet->task_count; t++) {
        int column = (int)t % columns;
        wac_sheet_panel(sheet, left + column * (width + gap),
                        first + (int)t / columns * row_height + SHEET_PANEL_TITLE, width, height,
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
                               t, a, wac_sheet_algorithm_style(a)->colour);
            wac_plot_print(plot, "'' using 2:1:3:4 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb ink\n");
        } else {
            wac_sheet_nothing(sheet);
        }
        wac_sheet_end_panel(sheet);
    }
    wac_plot_print(plot, "unset multiplot\n");
}

wac_status wac_sheet_bars(wac_sheet *sheet, const wac_record **runs, double *values,
                          wac_error *error)
{
    bool any[SHEET_MOST_PANELS] = {0};
    double ends[SHEET_MOST_PANELS][2];
    for (size_t t = 0; t < sheet->task_count; t++)
        WAC_TRY(write_bars(sheet, t, runs, values, &any[t], ends[t], error));
    print_bar_page(sheet, any, (const double(*)[2])ends);
    return WAC_STATUS_OK;
}
