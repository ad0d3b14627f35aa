/* Kinds of figures: how each is drawn, and what all of them do. */
#include "report/figure.h"

#include "base/number.h"
#include "base/status.h"
#include "base/words.h"
#include "report/lines.h"
#include "report/maps.h"
#include "report/overall.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- curves: means of runs over epochs, steps or time, with bands ------------------------------
 */

enum { MOST_POINTS = 150 }; /* of a curve: more are noise that hides its course */

/* The runs of a line, and the places across at which their values are taken. */
typedef struct bundle {
    const wac_record *const *runs;
    size_t count;
    int column;
    const wac_column *across; /* null: the rows */
    size_t points;
    bool same; /* place number i is that of row i, in all runs */
    double from, to;
} bundle;

const wac_column *wac_figure_across_column(const wac_figure *figure)
{
    static const wac_column columns[] = {
        [WAC_FIGURE_ACROSS_STEPS] = WAC_COLUMN_ENV_STEPS,
        [WAC_FIGURE_ACROSS_SECONDS] = WAC_COLUMN_SECONDS,
    };
    int across = wac_word_index(WAC_FIGURE_ACROSS, figure->x);
    return across > WAC_FIGURE_ACROSS_EPOCH ? &columns[across] : NULL;
}

static double across_at(const bundle *bundle, size_t run, size_t row)
{
    return bundle->across ? bundle->runs[run]->history.columns[*bundle->across][row] : (double)row;
}

/* As far as all of them go; those that have just begun are not waited for. Runs that are not at the
 * same place after as many epochs are looked at between their rows, from where all have a value.
 * Returns whether some go on. */
static bool measure_bundle(bundle *bundle)
{
    size_t shortest = SIZE_MAX, longest = 0, first = 0;
    bundle->same = true;
    bundle->from = -INFINITY;
    bundle->to = INFINITY;
    for (size_t i = 0; i < bundle->count; i++) {
        const wac_history *history = &bundle->runs[i]->history;
        size_t rows = history->rows, begin = 0;
        if (rows == 0)
            continue;
        first = longest ? first : i;
        longest = rows > longest ? rows : longest;
        shortest = rows < shortest ? rows : shortest;
        for (size_t row = 0; row < shortest && bundle->same; row++)
            bundle->same = across_at(bundle, i, row) == across_at(bundle, first, row);
        while (begin + 1 < rows && (isnan(history->columns[bundle->column][begin]) ||
                                    isnan(across_at(bundle, i, begin))))
            begin++;
        bundle->from = fmax(bundle->from, across_at(bundle, i, begin));
        bundle->to = fmin(bundle->to, across_at(bundle, i, rows - 1));
    }
    bundle->points = longest && (bundle->same || bundle->to > bundle->from) ? shortest : 0;
    return longest && shortest < longest;
}

static double place_of(const bundle *bundle, size_t point)
{
    if (!bundle->same)
        return bundle->points < 2 ? bundle->from
                                  : bundle->from + (bundle->to - bundle->from) * (double)point /
                                                       (double)(bundle->points - 1);
    for (size_t i = 0; i < bundle->count; i++)
        if (bundle->runs[i]->history.rows)
            return across_at(bundle, i, point);
    return NAN;
}

/* A run's value at a place: its row's, or on the straight line between the two beside it. */
static double value_at(const bundle *bundle, size_t run, size_t point)
{
    const wac_history *history = &bundle->runs[run]->history;
    const double *values = history->columns[bundle->column];
    if (bundle->same)
        return point < history->rows ? values[point] : NAN;
    double place = place_of(bundle, point), x = NAN, y = NAN;
    for (size_t row = 0; row < history->rows; row++) {
        double here = across_at(bundle, run, row);
        if (isnan(values[row]) || isnan(here))
            continue;
        if (here >= place)
            return here > place && !isnan(x) ? y + (values[row] - y) * (place - x) / (here - x)
                   : here > place            ? NAN
                                             : values[row];
        x = here;
        y = values[row];
    }
    return NAN;
}

/* The mean of what a run has at the places from `first` to before `end`. */
static double mean_between(const bundle *bundle, size_t run, size_t first, size_t end)
{
    double sum = 0;
    size_t count = 0;
    for (size_t point = first; point < end; point++) {
        double value = value_at(bundle, run, point);
        sum += isnan(value) ? 0 : value;
        count += !isnan(value);
    }
    return count ? sum / (double)count : NAN;
}

static wac_status write_point(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, double place,
                              size_t there, wac_error *error)
{
    const wac_column_row *row = &wac_columns[sheet->figure->columns[panel->row]];
    wac_values sample = {sheet->values, there};
    wac_interval found = {.value = wac_mean(sheet->values, there)};
    double spread = there > 1 ? wac_spread(sheet->values, there) : 0;
    found.low = found.value - spread;
    found.high = found.value + spread;
    if (sheet->figure->curve == WAC_FIGURE_CURVE_IQM)
        WAC_TRY(wac_interval_of(&found, WAC_ESTIMATE_IQM, &sample, NULL, 1, wac_bootstrap_default(),
                                error));
    wac_sheet_point(sheet, panel, line, place, (double[]){found.value, found.low, found.high},
                    there);
    for (size_t i = 0; i < there; i++)
        panel->below |= sheet->values[i] < 0;
    sheet->cut |= !sheet->pooled && (found.low < row->least || found.high > row->most);
    double low = wac_clamp(found.low, row->least, row->most);
    double high = wac_clamp(found.high, row->least, row->most);
    wac_sheet_reach(panel, sheet->pooled ? found.value : low, sheet->pooled ? found.value : high);
    wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g %.9g\n", place, found.value, low, high);
    return WAC_STATUS_OK;
}

/* The runs one by one, with a blank line between them. */
static void write_seeds(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, const bundle *bundle)
{
    wac_plot_file(&sheet->page.plot, "seeds-%d-%zu-%zu", panel->row, panel->task, line);
    for (size_t i = 0; i < bundle->count; i++) {
        const wac_history *history = &bundle->runs[i]->history;
        for (size_t row = 0; row < history->rows; row++) {
            double value = history->columns[bundle->column][row], place = across_at(bundle, i, row);
            if (isnan(value) || !(place <= bundle->to))
                continue;
            wac_plot_print(&sheet->page.plot, "%.9g %.9g\n", place, value);
            wac_sheet_reach(panel, value, value);
        }
        wac_plot_print(&sheet->page.plot, "\n");
    }
}

static wac_status write_curve(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                              wac_error *error)
{
    bundle bundle = {.runs = sheet->found,
                     .count = wac_lines_runs(sheet, panel->task, line, NULL),
                     .column = sheet->figure->columns[panel->row],
                     .across = wac_figure_across_column(sheet->figure)};
    size_t drawn = 0;
    sheet->uneven |= measure_bundle(&bundle);
    sheet->between |= !bundle.same;
    wac_plot_file(&sheet->page.plot, "curve-%d-%zu-%zu", panel->row, panel->task, line);
    size_t each = (bundle.points + MOST_POINTS - 1) / MOST_POINTS;
    sheet->each = each > sheet->each ? each : sheet->each;
    for (size_t point = 0; point < bundle.points; point += each) {
        size_t there = 0, end = point + each < bundle.points ? point + each : bundle.points;
        for (size_t i = 0; i < bundle.count; i++) {
            double value = mean_between(&bundle, i, point, end);
            if (!isnan(value))
                sheet->values[there++] = value;
        }
        if (there == 0)
            continue;
        double last = place_of(&bundle, end - 1), place = (place_of(&bundle, point) + last) / 2;
        WAC_TRY(write_point(sheet, panel, line, place, there, error));
        sheet->far = fmax(sheet->far, last);
        drawn++;
    }
    if (drawn)
        wac_sheet_note(sheet, panel, line, bundle.count);
    panel->dots[line] = drawn == 1;
    if (drawn && sheet->figure->seeds)
        write_seeds(sheet, panel, line, &bundle);
    return WAC_STATUS_OK;
}

/* How the places across are written, and in what unit. */
static const char *across_words(const wac_sheet *sheet, double *unit)
{
    static const struct {
        wac_figure_across across;
        double from, unit;
        const char *words;
    } scales[] = {
        {WAC_FIGURE_ACROSS_STEPS, 1e7, 1e6, "environment steps, millions"},
        {WAC_FIGURE_ACROSS_STEPS, 1e4, 1e3, "environment steps, thousands"},
        {WAC_FIGURE_ACROSS_STEPS, 0, 1, "environment steps"},
        {WAC_FIGURE_ACROSS_SECONDS, 7200, 3600, "hours of training"},
        {WAC_FIGURE_ACROSS_SECONDS, 300, 60, "minutes of training"},
        {WAC_FIGURE_ACROSS_SECONDS, 0, 1, "seconds of training"},
        {WAC_FIGURE_ACROSS_EPOCH, 0, 1, "epoch"},
    };
    int across = wac_word_index(WAC_FIGURE_ACROSS, sheet->figure->x), i = 0;
    while ((int)scales[i].across != (across < 0 ? 0 : across) || sheet->far < scales[i].from)
        i++;
    *unit = scales[i].unit;
    return scales[i].words;
}

/* Where all is level there is still a range, with 0 in it. Where no run is below 0 the range is not
 * either, though a band may be. */
static void print_range(wac_plot *plot, const wac_sheet_panel *panel, int column)
{
    const wac_column_row *row = &wac_columns[column];
    double low = panel->low, high = panel->high, size = fmax(fabs(low), fabs(high));
    if (row->most == 1 && (column == WAC_COLUMN_EVAL_SUCCESS || high > 0.5))
        wac_plot_print(plot, "set yrange [0:1.04]\n");
    else if (high - low <= 1e-3 * size || size == 0)
        wac_plot_print(plot, "set yrange [%.9g:%.9g]\n",
                       row->least == 0 || high > 0 ? 0
                       : size > 0                  ? -2 * size
                                                   : -1,
                       high > 0    ? 2 * size
                       : size == 0 ? 1
                                   : 0.0);
    else if (low < 0 && !panel->below) /* gnuplot would pass over the top of a band that is cut */
        wac_plot_print(plot, "set yrange [0:%.9g]\n", 1.04 * high);
    else
        wac_plot_print(plot, "set yrange [%s:*]\n", row->least == 0 ? "0" : "*");
}

static void print_curves(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    enum { BANDS, SEEDS, LINES };
    wac_plot *plot = &sheet->page.plot;
    int column = sheet->figure->columns[panel->row];
    const char *separator = "";
    double unit, step;
    wac_plot_print(plot, "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n",
                   across_words(sheet, &unit), panel->leftmost ? wac_columns[column].words : "");
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    double far = sheet->far > 0 ? sheet->far / unit : 1;
    step = wac_page_step(0, far, sheet->grid.width / 56);
    if (!wac_figure_across_column(sheet->figure)) /* epochs are whole */
        step = step == 2.5 ? 5 : fmax(step, 1);
    wac_plot_print(plot, "set xrange [0:%.9g]; set xtics %.9g\n", far, step);
    print_range(plot, panel, column);
    wac_plot_print(plot, "plot ");
    for (int pass = BANDS; pass <= LINES; pass++) /* bands below all lines */
        for (size_t i = 0; i < sheet->line_count; i++) {
            const wac_style *style = wac_sheet_style(sheet, i);
            if (!panel->there[i] || (pass == BANDS && sheet->pooled) ||
                (pass == SEEDS && !sheet->figure->seeds))
                continue;
            wac_plot_print(plot, "%s'%s-%d-%zu-%zu' using ($1 / %g):", separator,
                           pass == SEEDS ? "seeds" : "curve", panel->row, panel->task, i, unit);
            separator = ", \\\n  ";
            if (pass == BANDS)
                wac_plot_print(plot,
                               "3:4 with filledcurves fc rgb '%s' fs transparent solid 0.17 "
                               "noborder",
                               style->colour);
            else if (pass == SEEDS)
                wac_plot_print(plot, "2 with lines lw 0.8 lc rgb '#90%s'", style->colour + 1);
            else if (panel->dots[i])
                wac_plot_print(plot, "2 with points pt %d ps 1.1 * zoom lc rgb '%s'", style->mark,
                               style->colour);
            else
                wac_plot_print(plot, "2 with lines lw 2.5 dt %s lc rgb '%s'", style->dash,
                               style->colour);
        }
    wac_plot_print(plot, "\n");
}

/* Means of runs that may differ in more than the seed. */
static void explain_means(const wac_sheet *sheet, const char *runs, const char *marks, char *text,
                          size_t size)
{
    bool iqm = sheet->figure->curve == WAC_FIGURE_CURVE_IQM;
    const char *means = iqm ? "Interquartile means" : "Means";
    if (sheet->most == 1)
        snprintf(text, size, "One run each.");
    else if (sheet->pooled)
        snprintf(text, size,
                 "%s of %s each, over all values of %s; without %s, since these runs differ in "
                 "more than the seed.",
                 means, runs, sheet->over, marks);
    else
        snprintf(text, size, "%s of %s each; %s %s.", means, runs, marks,
                 iqm ? "are bootstrap 95 % intervals" : "show ± 2 s/√n");
}

static void explain_curves(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    explain_means(sheet, runs, "bands", text, size);
    size_t used = strlen(text);
    if (sheet->each > 1)
        snprintf(text + used, size - used, " Each point is the mean of %zu epochs.", sheet->each);
    used = strlen(text);
    snprintf(text + used, size - used, "%s%s%s",
             sheet->cut ? " Bands end at what is possible." : "",
             sheet->figure->seeds && sheet->most > 1 ? " Thin lines are single runs." : "",
             sheet->between ? " Between the epochs of a run its values are interpolated." : "");
    used = strlen(text);
    if (*sheet->lost)
        snprintf(text + used, size - used, " Not shown, since no %s are known: %s.",
                 sheet->figure->x, sheet->lost);
}

static const wac_sheet_kind curves = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .has_x = true,
    .value = "mean",
    .write = write_curve,
    .print = print_curves,
    .explain = explain_curves,
};

/* --- a measure over a setting: means of runs, with bars of their spread ----------------------- */

/* Whether the values of the setting are of very different size. */
static bool is_logarithmic(const wac_sheet *sheet)
{
    const double *levels = sheet->levels;
    return levels[0] > 0 && levels[sheet->level_count - 1] >= 30 * levels[0];
}

/* A value of the setting, moved by a share of the way from the least to the most. */
static double moved(const wac_sheet *sheet, double level, double share)
{
    double first = sheet->levels[0], last = sheet->levels[sheet->level_count - 1];
    return is_logarithmic(sheet) ? level * pow(last / first, share)
                                 : level + share * (last - first);
}

/* The measure of so many runs in `found`, into `values`. */
static size_t measure_levels(wac_sheet *sheet, size_t count)
{
    size_t there = 0;
    for (size_t i = 0; i < count; i++) {
        const wac_record *run = sheet->found[i];
        double value = wac_record_measure_until(
            run, sheet->figure->measure, sheet->until < 0 ? run->config.epochs : sheet->until);
        if (run->finished && !isnan(value))
            sheet->values[there++] = value;
    }
    return there;
}

static wac_status write_levels(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                               wac_error *error)
{
    (void)error;
    double aside = ((double)line - ((double)sheet->line_count - 1) / 2) * 0.012;
    wac_plot_file(&sheet->page.plot, "levels-%zu-%zu", panel->task, line);
    for (size_t k = 0; k < sheet->level_count; k++) {
        size_t there =
            measure_levels(sheet, wac_lines_runs(sheet, panel->task, line, &sheet->levels[k]));
        if (there == 0)
            continue;
        double mean = wac_mean(sheet->values, there);
        double spread = there > 1 ? wac_spread(sheet->values, there) : 0;
        wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g\n", moved(sheet, sheet->levels[k], aside),
                       mean, spread);
        wac_sheet_point(sheet, panel, line, sheet->levels[k],
                        (double[]){mean, mean - spread, mean + spread}, there);
        wac_sheet_note(sheet, panel, line, there);
        spread = sheet->pooled ? 0 : spread;
        wac_sheet_reach(panel, mean - spread, mean + spread);
    }
    return WAC_STATUS_OK;
}

/* The values themselves as tics where all of them fit beside each other, else round numbers. */
static void print_level_tics(wac_sheet *sheet)
{
    wac_plot *plot = &sheet->page.plot;
    const double *levels = sheet->levels;
    size_t count = sheet->level_count;
    bool logarithmic = is_logarithmic(sheet), fit = true;
    double range[2] = {moved(sheet, levels[0], -0.06), moved(sheet, levels[count - 1], 0.06)};
    double end = -INFINITY;
    for (size_t k = 0; k < count; k++) {
        char text[32];
        snprintf(text, sizeof text, "%.9g", levels[k]);
        double width = wac_page_text(text, WAC_INK_GREY, 12);
        double share = logarithmic ? log(levels[k] / range[0]) / log(range[1] / range[0])
                                   : (levels[k] - range[0]) / (range[1] - range[0]);
        fit &= share * sheet->grid.width - width / 2 >= end;
        end = share * sheet->grid.width + width / 2 + 6;
    }
    wac_plot_print(plot, "%s logscale x; set xrange [%.9g:%.9g]\n", logarithmic ? "set" : "unset",
                   range[0], range[1]);
    if (!fit && logarithmic)
        wac_plot_print(plot, "set xtics autofreq; set format x '10^{%%T}'\n");
    else if (!fit)
        wac_plot_print(plot, "set xtics %.9g\n",
                       wac_page_step(range[0], range[1], sheet->grid.width / 68));
    if (!fit)
        return;
    wac_plot_print(plot, "set xtics (");
    for (size_t k = 0; k < count; k++)
        wac_plot_print(plot, "%s%.9g", k ? ", " : "", levels[k]);
    wac_plot_print(plot, ")\n");
}

static void print_levels(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    const char *separator = "";
    char setting[WAC_PRETTY], x[2 * WAC_PRETTY];
    wac_page_quote(x, sizeof x, wac_pretty_setting(setting, sheet->figure->x));
    wac_plot_print(plot, "set xlabel '%s' tc rgb grey\nset ylabel '%s' tc rgb grey\n", x,
                   panel->leftmost ? wac_measure_words(sheet->figure->measure) : "");
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    print_level_tics(sheet);
    wac_plot_print(plot, "set yrange [%s:*]\nplot ", panel->low < 0 ? "*" : "0");
    for (size_t i = 0; i < sheet->line_count; i++) {
        const wac_style *style = wac_sheet_style(sheet, i);
        if (!panel->there[i])
            continue;
        wac_plot_print(plot, "%s'levels-%zu-%zu' using 1:2 with lines lw 2 dt %s lc rgb '%s'",
                       separator, panel->task, i, style->dash, style->colour);
        wac_plot_print(plot, ", \\\n  '' using %s lw 2 pt %d ps 1.1 * zoom dt 1 lc rgb '%s'",
                       sheet->pooled ? "1:2 with points" : "1:2:3 with yerrorbars", style->mark,
                       style->colour);
        separator = ", \\\n  ";
    }
    wac_plot_print(plot, "\n");
}

static void explain_levels(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    explain_means(sheet, runs, "bars", text, size);
    size_t used = strlen(text);
    if (sheet->until >= 0)
        snprintf(text + used, size - used, " As of epoch %lld, which all of them reached.",
                 (long long)sheet->until);
}

static const wac_sheet_kind levels = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .has_x = true,
    .value = "mean",
    .write = write_levels,
    .print = print_levels,
    .explain = explain_levels,
};

/* --- a measure of every group, as bars: interquartile means with their intervals -------------- */

/* Rows of a panel go one after the other into one file: place, value, interval, look, and two
 * counts. */
static void write_row(wac_sheet *sheet, size_t line, const wac_interval *found,
                      const size_t counts[2])
{
    wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g %zu %zu %zu\n", line, found->value,
                   found->low, found->high, sheet->lines[line].look, counts[0], counts[1]);
}

static wac_status write_bar(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, wac_error *error)
{
    size_t all = wac_lines_runs(sheet, panel->task, line, NULL);
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
    write_row(sheet, line, &iqm, (size_t[2]){there, all});
    wac_sheet_point(sheet, panel, line, NAN, (double[]){iqm.value, iqm.low, iqm.high}, there);
    wac_sheet_note(sheet, panel, line, there);
    wac_sheet_reach(panel, iqm.low, iqm.high);
    sheet->negative |= iqm.low < 0;
    if (wac_measure_is_share(sheet->selection->set, sheet->tasks[panel->task],
                             sheet->figure->measure)) {
        sheet->share[0] = fmin(sheet->share[0], fmin(panel->low, 0));
        sheet->share[1] = fmax(sheet->share[1], panel->high);
    }
    return WAC_STATUS_OK;
}

static void arrange_bars(wac_sheet *sheet)
{
    wac_sheet_arrange_rows(sheet, sheet->line_count, 1);
}

/* Shares have one range on all tasks: to 1, but for small ones of something else than success. All
 * others go from 0, where bars begin; but points, where some are negative, just as far as they are
 * needed. */
static void range_of_bars(const wac_sheet *sheet, const wac_sheet_panel *panel, double range[2])
{
    wac_measure measure = sheet->figure->measure;
    bool share = wac_measure_is_share(sheet->selection->set, sheet->tasks[panel->task], measure);
    bool whole = measure == WAC_MEASURE_SCORE || measure == WAC_MEASURE_SUCCESS;
    range[0] = share ? sheet->share[0] : fmin(panel->low, 0);
    range[1] = share ? sheet->share[1] : panel->high;
    if (share && (whole || range[1] > 0.5))
        range[1] = fmax(range[1], 1);
    else if (range[1] != 0)
        range[1] += 0.03 * (range[1] - range[0]);
    if (range[0] < 0)
        range[0] -= 0.03 * (range[1] - range[0]);
    if (!(range[0] < range[1])) { /* all are the same */
        range[1] += range[0] < 0 ? 0.1 * fabs(range[0]) : 1;
        range[0] -= 0.1 * fabs(range[0]);
    }
}

/* Bars from 0 in the colours of their lines. Of negative numbers the longest bar would be the
 * worst: they are points with their intervals. */
static void print_boxes(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot_print(&sheet->page.plot, "plot ");
    bool points = panel->low < 0;
    for (size_t look = 0; look < WAC_STYLES && points; look++)
        wac_plot_print(&sheet->page.plot,
                       "%s'bars-%zu' using ($5 == %zu ? $2 : NaN):1:3:4 with xerrorbars pt 7 ps "
                       "1.1 * zoom lw 3 dt 1 lc rgb '%s'",
                       look ? ", \\\n  " : "", panel->task, look, wac_style_at(look)->colour);
    if (points)
        return;
    for (size_t look = 0; look < WAC_STYLES; look++)
        wac_plot_print(&sheet->page.plot,
                       "'bars-%zu' using ($5 == %zu ? 0.5 * $2 : NaN):1:(0.5 * "
                       "abs($2)):(0.36) with boxxyerror fc rgb '%s' fs solid 0.75 "
                       "noborder, \\\n  ",
                       panel->task, look, wac_style_at(look)->colour);
    wac_plot_print(&sheet->page.plot,
                   "'' using 2:1:3:4 with xerrorbars pt 7 ps 0.5 * zoom lw 2 dt 1 lc rgb ink");
}

static void print_bars(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    double range[2] = {0, 1};
    if (panel->any)
        range_of_bars(sheet, panel, range);
    wac_sheet_print_rows(sheet, panel, wac_measure_words(sheet->figure->measure), range);
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    print_boxes(sheet, panel);
    wac_plot_print(&sheet->page.plot, "\n");
}

static void explain_bars(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    snprintf(text, size, "Interquartile means of %s each, with bootstrap 95 %% intervals.%s", runs,
             sheet->negative
                 ? " Where some are below 0 they are points, not bars: further right is "
                   "more."
                 : "");
}

static const wac_sheet_kind bars = {
    .most_lines = WAC_SHEET_MOST_BARS,
    .value = "iqm",
    .arrange = arrange_bars,
    .write = write_bar,
    .print = print_bars,
    .explain = explain_bars,
};

/* --- how many runs solve their task, with exact intervals ------------------------------------- */

static wac_status write_solved(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                               wac_error *error)
{
    (void)error;
    size_t all = wac_lines_runs(sheet, panel->task, line, NULL), solved = 0;
    size_t there =
        wac_records_measure(sheet->values, sheet->found, sheet->found, all, WAC_MEASURE_SOLVED);
    if (line == 0)
        wac_plot_file(&sheet->page.plot, "bars-%zu", panel->task);
    if (there == 0)
        return WAC_STATUS_OK;
    for (size_t i = 0; i < there; i++)
        solved += wac_record_is_solved(sheet->found[i]);
    wac_interval share = wac_interval_share(solved, there);
    write_row(sheet, line, &share, (size_t[2]){solved, there});
    wac_sheet_point(sheet, panel, line, NAN, (double[]){share.value, share.low, share.high}, there);
    wac_sheet_note(sheet, panel, line, there);
    return WAC_STATUS_OK;
}

/* With room for the counts. */
static void arrange_solved(wac_sheet *sheet)
{
    wac_sheet_arrange_rows(sheet, sheet->line_count, 1);
    sheet->grid.right = sheet->grid.gap = 88;
}

static void print_solved(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_sheet_print_rows(sheet, panel, "share of runs that solve it", (double[2]){0, 1});
    if (!panel->any) {
        wac_sheet_nothing(sheet);
        return;
    }
    wac_plot_print(&sheet->page.plot, "set y2tics scale 0 ()\n");
    print_boxes(sheet, panel);
    wac_plot_print(&sheet->page.plot,
                   ", \\\n  '' using (0):1:y2ticlabels(sprintf('%%d of %%d', int($6), int($7))) "
                   "axes x1y2 with dots lc rgb '#ffffffff'\n");
}

static void explain_solved(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    (void)sheet;
    snprintf(text, size,
             "Of %s each, with exact 95 %% intervals (Clopper and Pearson). Solved: success of 0.9 "
             "in an evaluation (RiverSwim: a return of 100, LQG: within 10 %% of the best linear "
             "controller).",
             runs);
}

static const wac_sheet_kind solved = {
    .most_lines = WAC_SHEET_MOST_BARS,
    .value = "share",
    .arrange = arrange_solved,
    .write = write_solved,
    .print = print_solved,
    .explain = explain_solved,
};

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

/* Whether there is a map of a run: it is ours, in a maze or in a task that has coverage. */
static bool has_map(const wac_record *run)
{
    return !wac_record_is_foreign(run) &&
           (wac_word_index(WAC_FOR_POINT, run->config.environment) >= 0 ||
            !isnan(wac_history_mean(&run->history, WAC_COLUMN_COVERAGE_VISITED, SIZE_MAX)));
}

bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group)
{
    const wac_record *run = selection->set->groups[group].runs[0];
    return wac_selection_has(selection, group) && wac_where_holds(&figure->where, &run->config) &&
           (!wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ONE_TASK) || has_map(run));
}

/* The figure, with the look that all are to have. */
static wac_figure looking(const wac_figure *figure, const wac_figure_look *look)
{
    wac_figure seen = *figure;
    if (!wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ROWS))
        return seen;
    if (look->x)
        snprintf(seen.x, sizeof seen.x, "%s", look->x);
    if (look->curve)
        seen.curve = wac_word_index(WAC_FIGURE_CURVES, look->curve);
    seen.seeds |= look->seeds;
    return seen;
}

wac_status wac_figure_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    wac_error why = {0};
    wac_figure figure = looking(order->figure, &order->look);
    wac_figure_order seen = *order;
    seen.figure = &figure;
    snprintf(drawing->title, sizeof drawing->title, "%s", figure.title);
    const wac_sheet_kind *sheet = kinds[figure.kind].sheet;
    wac_status status =
        sheet ? wac_sheet_draw(drawing, &seen, sheet, &why) : wac_maps_draw(drawing, &seen, &why);
    drawing->drawn = status == WAC_STATUS_OK;
    snprintf(drawing->problem, sizeof drawing->problem, "%.500s", why.message);
    if (status == WAC_STATUS_MEMORY || status == WAC_STATUS_INTERRUPTED)
        return wac_fail(error, status, "%s", why.message);
    return WAC_STATUS_OK;
}
