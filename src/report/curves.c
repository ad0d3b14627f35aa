/* Curves over epochs: means of runs, with bands. */
#include "report/curves.h"

#include "base/status.h"
#include "report/sheet.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mean and band of a column, epoch by epoch; false where there is nothing. */
static bool write_curve(wac_sheet *sheet, const char *name, wac_column column,
                        const wac_record *const *runs, size_t count, double *values)
{
    /* as far as all of them go; those that have just begun are not waited for */
    size_t rows = SIZE_MAX, drawn = 0, longest = 0;
    for (size_t i = 0; i < count; i++) {
        longest = runs[i]->history.rows > longest ? runs[i]->history.rows : longest;
        if (runs[i]->history.rows > 0 && runs[i]->history.rows < rows)
            rows = runs[i]->history.rows;
    }
    rows = longest ? rows : 0;
    sheet->uneven |= rows < longest;
    wac_plot_file(&sheet->page.plot, name);
    for (size_t epoch = 0; epoch < rows; epoch++) {
        size_t there = 0;
        for (size_t i = 0; i < count; i++)
            if (epoch < runs[i]->history.rows && !isnan(runs[i]->history.columns[column][epoch]))
                values[there++] = runs[i]->history.columns[column][epoch];
        if (there == 0)
            continue;
        double mean = wac_mean(values, there), spread = there > 1 ? wac_spread(values, there) : 0;
        wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g\n", epoch, mean, mean - spread,
                       mean + spread);
        drawn++;
    }
    if (drawn)
        wac_sheet_note(sheet, count);
    return drawn > 0;
}

static void print_curves(wac_sheet *sheet, const char *names, const bool *there, int column)
{
    wac_plot *plot = &sheet->page.plot;
    bool first = true;
    if (!memchr(there, true, sheet->line_count)) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [0:*]; set yrange %s\nplot ", wac_columns[column].axis);
    for (int pass = sheet->pooled; pass < 2; pass++) /* bands below all lines */
        for (size_t i = 0; i < sheet->line_count; i++) {
            const wac_style *style = wac_sheet_style(sheet, i);
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
static void write_curves(wac_sheet *sheet, bool *there, const wac_record **runs, double *values)
{
    const wac_figure *figure = sheet->figure;
    for (int row = 0; row < figure->column_count; row++)
        for (size_t t = 0; t < sheet->task_count; t++)
            for (size_t i = 0; i < sheet->line_count; i++) {
                char name[64];
                snprintf(name, sizeof name, "curve-%d-%zu-%zu", row, t, i);
                size_t count = wac_sheet_runs(sheet, sheet->tasks[t], i, NULL, runs);
                there[((size_t)row * sheet->task_count + t) * WAC_SHEET_MOST_LINES + i] =
                    write_curve(sheet, name, (wac_column)figure->columns[row], runs, count, values);
            }
}

static void print_curve_page(wac_sheet *sheet, const bool *there)
{
    const wac_figure *figure = sheet->figure;
    wac_sheet_grid grid = {0};
    wac_sheet_begin(sheet, &grid, figure->column_count, false);
    for (int row = 0; row < figure->column_count; row++)
        for (size_t t = 0; t < sheet->task_count; t++) {
            char names[64];
            snprintf(names, sizeof names, "curve-%d-%zu", row, t);
            bool leftmost = wac_sheet_panel(sheet, &grid, row, t);
            wac_plot_print(&sheet->page.plot,
                           "set xlabel 'epoch' tc rgb grey\nset ylabel '%s' tc rgb grey\n",
                           leftmost ? wac_columns[figure->columns[row]].words : "");
            print_curves(sheet, names,
                         there + ((size_t)row * sheet->task_count + t) * WAC_SHEET_MOST_LINES,
                         figure->columns[row]);
            wac_sheet_end_panel(sheet);
        }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
}

static wac_status fill(wac_sheet *sheet, const wac_record **runs, double *values, wac_error *error)
{
    bool *there = calloc(2 * WAC_SHEET_MOST_PANELS * WAC_SHEET_MOST_LINES, sizeof *there);
    if (!there)
        return wac_fail_memory(error, "the runs of a figure");
    write_curves(sheet, there, runs, values);
    print_curve_page(sheet, there);
    free(there);
    return WAC_STATUS_OK;
}

wac_status wac_curves_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    return wac_sheet_draw(drawing, order, WAC_SHEET_MOST_LINES, fill, error);
}
