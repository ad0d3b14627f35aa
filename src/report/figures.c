/* Figures of many runs: curves over epochs; and drawing of all kinds into files. */
#include "report/sheet.h"

#include "base/files.h"
#include "base/status.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- curves ----------------------------------------------------------------------------------- */

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
    bool first = true, any = false;
    for (size_t i = 0; i < sheet->line_count; i++)
        any |= there[i];
    if (!any) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [0:*]; set yrange %s\nplot ", wac_columns[column].axis);
    for (int pass = sheet->pooled; pass < 2; pass++) /* bands below all lines */
        for (size_t i = 0; i < sheet->line_count; i++) {
            const wac_sheet_look *style = wac_sheet_style(sheet, i);
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
                there[((size_t)row * sheet->task_count + t) * SHEET_MOST_LINES + i] =
                    write_curve(sheet, name, (wac_column)figure->columns[row], runs, count, values);
            }
}

static void print_curve_page(wac_sheet *sheet, const bool *there)
{
    const wac_figure *figure = sheet->figure;
    wac_sheet_grid grid = wac_sheet_begin_grid(sheet, figure->column_count, false);
    for (int row = 0; row < figure->column_count; row++)
        for (size_t t = 0; t < sheet->task_count; t++) {
            char names[64];
            snprintf(names, sizeof names, "curve-%d-%zu", row, t);
            bool leftmost = wac_sheet_grid_panel(sheet, &grid, row, t);
            wac_plot_print(&sheet->page.plot,
                           "set xlabel 'epoch' tc rgb grey\nset ylabel '%s' tc rgb grey\n",
                           leftmost ? wac_columns[figure->columns[row]].words : "");
            print_curves(sheet, names,
                         there + ((size_t)row * sheet->task_count + t) * SHEET_MOST_LINES,
                         figure->columns[row]);
            wac_sheet_end_panel(sheet);
        }
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void write_caption(const wac_sheet *sheet, wac_drawing *drawing)
{
    char runs[64], text[384];
    if (sheet->runs == sheet->most)
        snprintf(runs, sizeof runs, "%zu run%s", sheet->runs, sheet->runs == 1 ? "" : "s");
    else
        snprintf(runs, sizeof runs, "%zu to %zu runs", sheet->runs, sheet->most);
    if (sheet->figure->kind == WAC_FIGURE_BARS)
        snprintf(text, sizeof text,
                 "Interquartile means of %s each, with bootstrap 95 %% intervals.", runs);
    else if (sheet->most == 1)
        snprintf(text, sizeof text, "One run each.");
    else if (sheet->pooled)
        snprintf(text, sizeof text,
                 "Means of %s each, over all values of %s; without %s, since these runs differ in "
                 "more than the seed.",
                 runs, sheet->over, sheet->figure->kind == WAC_FIGURE_CURVES ? "bands" : "bars");
    else
        snprintf(text, sizeof text, "Means of %s each; %s show ± 2 s/√n.", runs,
                 sheet->figure->kind == WAC_FIGURE_CURVES ? "bands" : "bars");
    snprintf(drawing->caption, sizeof drawing->caption, "%s%s%s", text,
             sheet->uneven ? " A line ends where the shortest of its runs does." : "",
             sheet->line_count < sheet->line_total ? " Not all lines are shown." : "");
}

static wac_status draw_kind(wac_sheet *sheet, wac_error *error)
{
    size_t cells = 2 * SHEET_MOST_PANELS * SHEET_MOST_LINES;
    const wac_record **runs = malloc((sheet->selection->set->count + 1) * sizeof *runs);
    double *values = malloc((sheet->selection->set->count + 1) * sizeof *values);
    bool *there = calloc(cells, sizeof *there);
    wac_status status =
        runs && values && there ? WAC_STATUS_OK : wac_fail_memory(error, "the runs of a figure");
    if (status == WAC_STATUS_OK && sheet->figure->kind == WAC_FIGURE_CURVES) {
        write_curves(sheet, there, runs, values);
        print_curve_page(sheet, there);
    } else if (status == WAC_STATUS_OK && sheet->figure->kind == WAC_FIGURE_SETTINGS) {
        status = wac_sheet_levels(sheet, runs, values);
    } else if (status == WAC_STATUS_OK) {
        status = wac_sheet_bars(sheet, runs, values, error);
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

static wac_status draw_files(wac_sheet *sheet, wac_drawing *drawing, const char *folder,
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
    wac_sheet sheet = {.figure = figure, .selection = selection};
    wac_status status = wac_sheet_collect(
        &sheet,
        figure->kind == WAC_FIGURE_BARS ? (size_t)SHEET_MOST_BARS : (size_t)SHEET_MOST_LINES, &why);
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
