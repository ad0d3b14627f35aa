/* Kinds of figures: how each is drawn, and what all of them do. */
#include "report/figure.h"

#include "base/files.h"
#include "base/status.h"
#include "draw/render.h"
#include "report/sheet.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>

/* --- curves over epochs: means of runs, with bands -------------------------------------------- */

static wac_status write_curve(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                              wac_error *error)
{
    (void)error;
    const wac_record *const *runs = sheet->found;
    size_t count = wac_sheet_runs(sheet, panel->task, line, NULL);
    int column = sheet->figure->columns[panel->row];
    /* as far as all of them go; those that have just begun are not waited for */
    size_t rows = SIZE_MAX, drawn = 0, longest = 0;
    for (size_t i = 0; i < count; i++) {
        longest = runs[i]->history.rows > longest ? runs[i]->history.rows : longest;
        if (runs[i]->history.rows > 0 && runs[i]->history.rows < rows)
            rows = runs[i]->history.rows;
    }
    rows = longest ? rows : 0;
    sheet->uneven |= rows < longest;
    wac_plot_file(&sheet->page.plot, "curve-%d-%zu-%zu", panel->row, panel->task, line);
    for (size_t epoch = 0; epoch < rows; epoch++) {
        size_t there = 0;
        for (size_t i = 0; i < count; i++)
            if (epoch < runs[i]->history.rows && !isnan(runs[i]->history.columns[column][epoch]))
                sheet->values[there++] = runs[i]->history.columns[column][epoch];
        if (there == 0)
            continue;
        double mean = wac_mean(sheet->values, there);
        double spread = there > 1 ? wac_spread(sheet->values, there) : 0;
        wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g\n", epoch, mean, mean - spread,
                       mean + spread);
        wac_sheet_point(sheet, panel, line, (double)epoch,
                        (double[]){mean, mean - spread, mean + spread}, there);
        drawn++;
    }
    if (drawn)
        wac_sheet_note(sheet, panel, line, count);
    return WAC_STATUS_OK;
}

static void print_curves(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    int column = sheet->figure->columns[panel->row];
    const char *separator = "";
    wac_plot_print(plot, "set xlabel 'epoch' tc rgb grey\nset ylabel '%s' tc rgb grey\n",
                   panel->leftmost ? wac_columns[column].words : "");
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [0:*]; set yrange %s\nplot ", wac_columns[column].axis);
    for (int pass = sheet->pooled; pass < 2; pass++) /* bands below all lines */
        for (size_t i = 0; i < sheet->line_count; i++) {
            const wac_style *style = wac_sheet_style(sheet, i);
            if (!panel->there[i])
                continue;
            wac_plot_print(plot, "%s'curve-%d-%zu-%zu' using ", separator, panel->row, panel->task,
                           i);
            separator = ", \\\n  ";
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

static const wac_sheet_kind curves = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .write = write_curve,
    .print = print_curves,
};

/* --- a measure over a setting: means of runs, with bars of their spread ----------------------- */

/* From the least of the setting to the most. */
static double reach_of(const wac_sheet *sheet)
{
    size_t count = sheet->level_count;
    return count > 1 ? sheet->levels[count - 1] - sheet->levels[0] : 1;
}

static wac_status write_levels(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                               wac_error *error)
{
    (void)error;
    double aside = ((double)line - ((double)sheet->line_count - 1) / 2) * 0.008 * reach_of(sheet);
    wac_plot_file(&sheet->page.plot, "levels-%zu-%zu", panel->task, line);
    for (size_t k = 0; k < sheet->level_count; k++) {
        size_t all = wac_sheet_runs(sheet, panel->task, line, &sheet->levels[k]);
        size_t there =
            wac_records_measure(sheet->values, NULL, sheet->found, all, sheet->figure->measure);
        if (there == 0)
            continue;
        double mean = wac_mean(sheet->values, there);
        double spread = there > 1 ? wac_spread(sheet->values, there) : 0;
        wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g\n", sheet->levels[k] + aside, mean,
                       spread);
        wac_sheet_point(sheet, panel, line, sheet->levels[k],
                        (double[]){mean, mean - spread, mean + spread}, there);
        wac_sheet_note(sheet, panel, line, there);
        panel->low = fmin(panel->low, mean);
    }
    return WAC_STATUS_OK;
}

static void print_levels(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    size_t count = sheet->level_count;
    const double *levels = sheet->levels;
    const char *separator = "";
    char setting[WAC_PRETTY], x[2 * WAC_PRETTY];
    wac_page_quote(x, sizeof x, wac_pretty_setting(setting, sheet->figure->x));
    wac_plot_print(plot, "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n", x,
                   panel->leftmost ? wac_measure_words(sheet->figure->measure) : "");
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [%.9g:%.9g]; set yrange [%s:*]\nset xtics (",
                   levels[0] - 0.06 * reach_of(sheet), levels[count - 1] + 0.06 * reach_of(sheet),
                   panel->low < 0 ? "*" : "0");
    for (size_t k = 0; k < count; k++)
        wac_plot_print(plot, "%s%.9g", k ? ", " : "", levels[k]);
    wac_plot_print(plot, ")\nplot ");
    for (size_t i = 0; i < sheet->line_count; i++) {
        const wac_style *style = wac_sheet_style(sheet, i);
        if (!panel->there[i])
            continue;
        wac_plot_print(plot, "%s'levels-%zu-%zu' using %s lw 2 pt %d ps 1.1 dt %s lc rgb '%s'",
                       separator, panel->task, i,
                       sheet->pooled ? "1:2 with linespoints" : "1:2:3 with yerrorlines",
                       style->mark, style->dash, style->colour);
        separator = ", \\\n  ";
    }
    wac_plot_print(plot, "\n");
}

static const wac_sheet_kind levels = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .write = write_levels,
    .print = print_levels,
};

/* --- a measure of every group, as bars: interquartile means with their intervals -------------- */

static wac_status write_bar(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, wac_error *error)
{
    size_t all = wac_sheet_runs(sheet, panel->task, line, NULL);
    size_t there =
        wac_records_measure(sheet->values, NULL, sheet->found, all, sheet->figure->measure);
    wac_values sample = {sheet->values, there};
    wac_interval iqm;
    if (line == 0) /* all bars of a panel are in one file */
        wac_plot_file(&sheet->page.plot, "bars-%zu", panel->task);
    if (there == 0)
        return WAC_STATUS_OK;
    WAC_TRY(
        wac_interval_of(&iqm, WAC_ESTIMATE_IQM, &sample, NULL, 1, wac_bootstrap_default(), error));
    wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g %d\n", line, iqm.value, iqm.low, iqm.high,
                   sheet->found[0]->config.algorithm);
    wac_sheet_point(sheet, panel, line, NAN, (double[]){iqm.value, iqm.low, iqm.high}, there);
    wac_sheet_note(sheet, panel, line, there);
    panel->low = fmin(panel->low, iqm.low);
    panel->high = fmax(panel->high, iqm.high);
    return WAC_STATUS_OK;
}

/* Names stand beside the bars. */
static void arrange_bars(wac_sheet *sheet)
{
    enum { BAR = 26 };
    wac_sheet_grid *grid = &sheet->grid;
    sheet->bare = true;
    for (size_t i = 0; i < sheet->line_count; i++)
        grid->left = fmax(grid->left, wac_sheet_text(sheet->lines[i].label, 12) + 36);
    grid->width = grid->columns == 1 ? 520 : 260;
    grid->height = BAR * (double)sheet->line_count + 12;
    grid->gap = 44;
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

static void print_bars(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    wac_plot_print(plot,
                   "unset grid; set grid x lc rgb '#dddddd' lt 1 lw 0.7\n"
                   "set xlabel '%s' tc rgb grey\nset ytics scale 0 (",
                   wac_measure_words(sheet->figure->measure));
    for (size_t i = 0; i < sheet->line_count; i++)
        wac_plot_print(plot, "%s'%s' %zu", i ? ", " : "",
                       panel->leftmost ? sheet->lines[i].label : "", i);
    wac_plot_print(plot, ")\nset xtics %.9g\n", nice_step(panel->low, panel->high));
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(plot, "set xrange [*:*]; set yrange [%zu.6:-0.6]\nplot ", sheet->line_count - 1);
    for (int a = 0; a <= WAC_ALGORITHM_TOTAL; a++) /* those of other programs in grey */
        wac_plot_print(plot,
                       "'bars-%zu' using ($5 == %d ? 0.5 * $2 : NaN):1:(0.5 * "
                       "abs($2)):(0.36) with boxxyerror fc rgb '%s' fs solid 0.75 "
                       "noborder, \\\n  ",
                       panel->task, a,
                       a < WAC_ALGORITHM_TOTAL ? wac_style_of((wac_algorithm)a)->colour
                                               : "#7f7f7f");
    wac_plot_print(plot, "'' using 2:1:3:4 with xerrorbars pt 7 ps 0.5 lw 2 lc rgb ink\n");
}

static const wac_sheet_kind bars = {
    .most_lines = WAC_SHEET_MOST_BARS,
    .arrange = arrange_bars,
    .write = write_bar,
    .print = print_bars,
};

/* --- where runs went, by `wac render` ------------------------------------------------------- */

enum { MOST_MAPS = 6 };

/* A finished run of the group if there is one. */
static const wac_record *choose_run(const wac_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->runs[i]->finished)
            return group->runs[i];
    return group->runs[0];
}

static void write_seeds(wac_drawing *drawing, int count, size_t left_out, const int64_t *seeds)
{
    bool same = true;
    for (int i = 1; i < count; i++)
        same &= seeds[i] == seeds[0];
    int used = snprintf(drawing->caption, sizeof drawing->caption,
                        "From the last checkpoint of one run each (seed%s", same ? "" : "s");
    for (int i = 0; i < (same ? 1 : count); i++)
        used += snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used, "%s%lld",
                         i ? ", " : " ", (long long)seeds[i]);
    used += snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used, ").");
    if (left_out)
        snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used,
                 " %zu more are not shown.", left_out);
}

static wac_status draw_maps(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    const wac_runset *set = order->selection->set;
    char *paths[MOST_MAPS], out[PATH_MAX], names[MOST_MAPS][WAC_PRETTY];
    const char *pointers[MOST_MAPS];
    int64_t seeds[MOST_MAPS];
    size_t left_out = 0;
    int count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        if (!wac_figure_means(order->figure, order->selection, i))
            continue;
        if (count == MOST_MAPS) {
            left_out++;
            continue;
        }
        const wac_record *run = choose_run(&set->groups[i]);
        paths[count] = run->path;
        wac_pretty_label(names[count], set->groups[i].label);
        pointers[count] = names[count];
        seeds[count++] = run->config.seed;
    }
    wac_render_options options = wac_render_options_default();
    wac_rendering drawn;
    options.out = out;
    options.pdf = true;
    options.names = pointers;
    options.stop = order->stop;
    WAC_TRY(wac_path_join(out, sizeof out, order->folder, drawing->name, error));
    drawing->width = 1200;
    write_seeds(drawing, count, left_out, seeds);
    drawing->empty = count == 0;
    return count ? wac_render(&drawn, paths, count, &options, error)
                 : wac_fail(error, WAC_STATUS_INPUT, "there is no such run");
}

/* --- all kinds ------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    unsigned takes;
    const wac_sheet_kind *sheet;
} kinds[] = {
#define ROW(id, name, takes, sheet) {name, takes, sheet},
    WAC_FIGURE_KINDS(ROW)
#undef ROW
};

const char *wac_figure_kind_name(wac_figure_kind kind)
{
    return kinds[kind].name;
}

const char *wac_figure_kind_words(void)
{
#define WORD(id, name, ...) "|" name
    static const char words[] = WAC_FIGURE_KINDS(WORD);
#undef WORD
    return words + 1;
}

bool wac_figure_takes_it(const wac_figure *figure, wac_figure_takes what)
{
    return kinds[figure->kind].takes & what;
}

bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group)
{
    const wac_record *run = selection->set->groups[group].runs[0];
    bool needs_ours = wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ONE_TASK); /* checkpoints */
    return wac_selection_has(selection, group) && !(needs_ours && wac_record_is_foreign(run)) &&
           wac_where_holds(&figure->where, &run->config);
}

wac_status wac_figure_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    wac_error why = {0};
    snprintf(drawing->title, sizeof drawing->title, "%s", order->figure->title);
    const wac_sheet_kind *sheet = kinds[order->figure->kind].sheet;
    wac_status status =
        sheet ? wac_sheet_draw(drawing, order, sheet, &why) : draw_maps(drawing, order, &why);
    drawing->drawn = status == WAC_STATUS_OK;
    snprintf(drawing->problem, sizeof drawing->problem, "%.500s", why.message);
    if (status == WAC_STATUS_MEMORY || status == WAC_STATUS_INTERRUPTED)
        return wac_fail(error, status, "%s", why.message);
    return WAC_STATUS_OK;
}
