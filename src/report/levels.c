/* A measure over a setting: means of runs, with bars of their spread. */
#include "report/levels.h"

#include "base/status.h"
#include "report/sheet.h"
#include "stats/estimates.h"

#include <stdio.h>
#include <string.h>

enum { MOST_LEVELS = 32 };

static size_t find_levels(const wac_sheet *sheet, double levels[MOST_LEVELS])
{
    const wac_runset *set = sheet->selection->set;
    size_t count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        double level;
        size_t place = 0;
        if (!wac_figure_means(sheet->figure, sheet->selection, i) ||
            !wac_config_number(&level, &set->groups[i].runs[0]->config, sheet->figure->x))
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
        size_t all = wac_sheet_runs(sheet, task, index, &levels[k], runs);
        size_t there = wac_records_measure(values, NULL, runs, all, sheet->figure->measure);
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
        const wac_style *style = wac_sheet_style(sheet, i);
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

static wac_status fill(wac_sheet *sheet, const wac_record **runs, double *values, wac_error *error)
{
    double levels[MOST_LEVELS + 1];
    bool there[WAC_SHEET_MOST_PANELS][WAC_SHEET_MOST_LINES] = {{0}};
    char setting[WAC_PRETTY], x[2 * WAC_PRETTY];
    size_t count = find_levels(sheet, levels);
    if (count == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "no finished run has these numbers");
    for (size_t t = 0; t < sheet->task_count; t++)
        for (size_t i = 0; i < sheet->line_count; i++) {
            char name[64];
            snprintf(name, sizeof name, "levels-%zu-%zu", t, i);
            there[t][i] =
                write_levels(sheet, name, sheet->tasks[t], i, levels, count, runs, values);
        }
    wac_sheet_grid grid = {0};
    wac_sheet_begin(sheet, &grid, 1, true);
    wac_page_quote(x, sizeof x, wac_pretty_setting(setting, sheet->figure->x));
    for (size_t t = 0; t < sheet->task_count; t++) {
        bool leftmost = wac_sheet_panel(sheet, &grid, 0, t);
        wac_plot_print(&sheet->page.plot,
                       "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n", x,
                       leftmost ? wac_measure_words(sheet->figure->measure) : "");
        print_levels(sheet, t, there[t], levels, count);
        wac_sheet_end_panel(sheet);
    }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
    return WAC_STATUS_OK;
}

wac_status wac_levels_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    return wac_sheet_draw(drawing, order, WAC_SHEET_MOST_LINES, fill, error);
}
