/* A measure of every group, as bars: interquartile means with their intervals. */
#include "report/bars.h"

#include "base/status.h"
#include "base/words.h"
#include "config/config.h"
#include "report/sheet.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>

enum { BAR = 26, MOST_BARS = 60 };

static wac_status write_bars(wac_sheet *sheet, size_t t, const wac_record **runs, double *values,
                             bool *any, double ends[2], wac_error *error)
{
    char name[64];
    ends[0] = ends[1] = 0;
    snprintf(name, sizeof name, "bars-%zu", t);
    wac_plot_file(&sheet->page.plot, name);
    for (size_t i = 0; i < sheet->line_count; i++) {
        size_t all = wac_sheet_runs(sheet, sheet->tasks[t], i, NULL, runs);
        size_t there = wac_records_measure(values, NULL, runs, all, sheet->figure->measure);
        if (there == 0)
            continue;
        wac_values sample = {values, there};
        wac_interval iqm;
        WAC_TRY(wac_interval_iqm(&iqm, &sample, 1, wac_bootstrap_default(), error));
        wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g %d\n", i, iqm.value, iqm.low,
                       iqm.high, runs[0]->config.algorithm);
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
    const wac_setting *algorithms = NULL;
    size_t size;
    (void)wac_setting_find(&algorithms, "algorithm", NULL);
    double widest = 0;
    for (size_t i = 0; i < sheet->line_count; i++)
        widest = fmax(widest, wac_sheet_text(sheet->lines[i].label, 12));
    wac_sheet_grid grid = {.left = fmax(WAC_SHEET_LEFT, widest + 36),
                           .width = wac_sheet_columns(sheet) == 1 ? 520 : 260,
                           .height = BAR * (double)sheet->line_count + 12,
                           .gap = 44};
    sheet->bare = true; /* names stand beside the bars */
    wac_sheet_begin(sheet, &grid, 1, false);
    wac_plot_print(plot, "unset grid; set grid x lc rgb '#dddddd' lt 1 lw 0.7\n");
    for (size_t t = 0; t < sheet->task_count; t++) {
        bool leftmost = wac_sheet_panel(sheet, &grid, 0, t);
        wac_plot_print(plot, "set xlabel '%s' tc rgb grey\nset ytics scale 0 (",
                       wac_measure_words(sheet->figure->measure));
        for (size_t i = 0; i < sheet->line_count; i++)
            wac_plot_print(plot, "%s'%s' %zu", i ? ", " : "", leftmost ? sheet->lines[i].label : "",
                           i);
        wac_plot_print(plot, ")\nset xtics %.9g\n", nice_step(ends[t][0], ends[t][1]));
        if (any[t]) {
            wac_plot_print(plot, "set xrange [*:*]; set yrange [%zu.6:-0.6]\nplot ",
                           sheet->line_count - 1);
            for (int a = 0; wac_word_at(algorithms->words, a, &size); a++)
                wac_plot_print(plot,
                               "'bars-%zu' using ($5 == %d ? 0.5 * $2 : NaN):1:(0.5 * "
                               "abs($2)):(0.36) with boxxyerror fc rgb '%s' fs solid 0.75 "
                               "noborder, \\\n  ",
                               t, a, wac_style_of((wac_algorithm)a)->colour);
            wac_plot_print(plot, "'' using 2:1:3:4 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb ink\n");
        } else {
            wac_sheet_nothing(sheet);
        }
        wac_sheet_end_panel(sheet);
    }
    wac_plot_print(plot, "unset multiplot\n");
}

static wac_status fill(wac_sheet *sheet, const wac_record **runs, double *values, wac_error *error)
{
    bool any[WAC_SHEET_MOST_PANELS] = {0};
    double ends[WAC_SHEET_MOST_PANELS][2];
    for (size_t t = 0; t < sheet->task_count; t++)
        WAC_TRY(write_bars(sheet, t, runs, values, &any[t], ends[t], error));
    print_bar_page(sheet, any, (const double(*)[2])ends);
    return WAC_STATUS_OK;
}

wac_status wac_bars_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    return wac_sheet_draw(drawing, order, MOST_BARS, fill, error);
}
