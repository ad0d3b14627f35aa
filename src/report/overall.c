/* Profiles, averages and improvements over all tasks, laid out as rliable does. A line is a method:
 * a group's label, on whichever tasks it has runs. */
#include "report/overall.h"

#include "base/status.h"
#include "report/lines.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- scores ----------------------------------------------------------------------------------- */

/* The scores of a line on the tasks, one sample for each; `values` is where they live. */
typedef struct scores {
    wac_values samples[WAC_SHEET_MOST_PANELS];
    size_t tasks, fewest;
    double most;
    double *values;
} scores;

/* Whether a line has a finished run with a score on a task. */
static bool has_scores(wac_sheet *sheet, size_t task, size_t line)
{
    size_t all = wac_lines_runs(sheet, task, line, NULL);
    return wac_records_measure(sheet->values, NULL, sheet->found, all, sheet->figure->measure) > 0;
}

/* Whether all lines have scores on a task, so that it may be added up with others. */
static bool is_shared(wac_sheet *sheet, size_t task)
{
    for (size_t i = 0; i < sheet->line_count; i++)
        if (!has_scores(sheet, task, i))
            return false;
    return true;
}

/* The scores on one more task, divided by `unit`. */
static void add_task(scores *scores, wac_sheet *sheet, size_t task, size_t line, double unit)
{
    double *values = scores->values;
    if (scores->tasks)
        values = (double *)scores->samples[scores->tasks - 1].values +
                 scores->samples[scores->tasks - 1].count;
    size_t all = wac_lines_runs(sheet, task, line, NULL);
    size_t count = wac_records_measure(values, NULL, sheet->found, all, sheet->figure->measure);
    for (size_t i = 0; i < count; i++) {
        values[i] /= unit;
        scores->most = fmax(scores->most, values[i]);
    }
    scores->fewest = scores->tasks && scores->fewest < count ? scores->fewest : count;
    scores->samples[scores->tasks++] = (wac_values){values, count};
}

static wac_status begin_scores(scores *scores, const wac_sheet *sheet, wac_error *error)
{
    *scores = (struct scores){.most = 0};
    scores->values = malloc((sheet->selection->set->count + 1) * sizeof *scores->values);
    return scores->values ? WAC_STATUS_OK : wac_fail_memory(error, "the scores of a figure");
}

/* A line's scores as shares on the tasks that all lines have. free() values. */
static wac_status collect_shares(scores *scores, wac_sheet *sheet, size_t line, wac_error *error)
{
    WAC_TRY(begin_scores(scores, sheet, error));
    for (size_t task = 0; task < sheet->task_count; task++)
        if (is_shared(sheet, task))
            add_task(scores, sheet, task, line,
                     wac_measure_unit(sheet->selection->set, sheet->tasks[task],
                                      sheet->figure->measure));
    if (scores->tasks)
        return WAC_STATUS_OK;
    free(scores->values);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "there is no task that all have finished runs on and whose scores are shares");
}

/* "score", "normalised return": the measure in words, but not over which epochs. */
static const char *name_measure(const wac_sheet *sheet, char text[WAC_PRETTY])
{
    const char *words = wac_measure_words(sheet->figure->measure);
    snprintf(text, WAC_PRETTY, "%.*s", (int)strcspn(words, ","), words);
    return text;
}

/* "RiverSwim", or "3 tasks" */
static void name_tasks(const wac_sheet *sheet, size_t count, char text[WAC_PRETTY])
{
    if (sheet->task_count == 1)
        wac_pretty_task(text, sheet->selection, sheet->tasks[0]);
    else
        snprintf(text, WAC_PRETTY, "%zu task%s", count, count == 1 ? "" : "s");
}

/* A number over all tasks, for the figure's table. */
static void tell(wac_sheet *sheet, const char *line, const char *measure, double x,
                 const wac_interval *found)
{
    wac_sheet_number(sheet, "all", line, measure, x,
                     (double[]){found->value, found->low, found->high}, found->fewest);
}

/* --- the share of runs above a score ---------------------------------------------------------- */

enum { POINTS = 101 };

static wac_status write_profile(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                                wac_error *error)
{
    scores scores;
    double thresholds[POINTS];
    wac_interval profile[POINTS];
    if (line == 0) { /* all over the same scores: those beyond 1 too, where there are any */
        sheet->far = 1;
        for (size_t i = 0; i < sheet->line_count; i++) {
            WAC_TRY(collect_shares(&scores, sheet, i, error));
            sheet->far = fmax(sheet->far, scores.most);
            free(scores.values);
        }
    }
    WAC_TRY(collect_shares(&scores, sheet, line, error));
    sheet->rows = scores.tasks;
    for (int i = 0; i < POINTS; i++)
        thresholds[i] = sheet->far * i / (POINTS - 1);
    wac_status status = wac_profile(profile, thresholds, POINTS, scores.samples, scores.tasks,
                                    wac_bootstrap_default(), error);
    wac_plot_file(&sheet->page.plot, "profile-%zu", line);
    for (int i = 0; i < POINTS && status == WAC_STATUS_OK; i++) {
        wac_plot_print(&sheet->page.plot, "%.9g %.9g %.9g %.9g\n", thresholds[i], profile[i].value,
                       profile[i].low, profile[i].high);
        tell(sheet, sheet->lines[line].key, wac_measure_name(sheet->figure->measure), thresholds[i],
             &profile[i]);
    }
    wac_sheet_note(sheet, panel, line, scores.fewest);
    free(scores.values);
    return status;
}

static void title_profile(const wac_sheet *sheet, size_t panel, char text[WAC_PRETTY])
{
    (void)panel;
    name_tasks(sheet, sheet->rows, text);
}

static void print_profile(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    char name[WAC_PRETTY];
    (void)panel;
    name_measure(sheet, name);
    wac_plot_print(plot,
                   "set xlabel '%s τ' tc rgb grey; set ylabel 'share of runs with %s > τ' "
                   "tc rgb grey\nset xrange [0:%.9g]; set yrange [0:1.04]; set xtics %.9g; "
                   "set ytics 0.25\nplot ",
                   name, name, sheet->far, wac_page_step(0, sheet->far, sheet->grid.width / 60));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sheet->line_count; i++) {
            const wac_style *style = wac_sheet_style(sheet, i);
            wac_plot_print(plot, "%s'profile-%zu' using ", pass + i ? ", \\\n  " : "", i);
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

static void explain_profile(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    snprintf(text, size,
             "Performance profiles over %zu task%s with %s each: the share of runs whose %s, as "
             "a share of the best possible, is above τ; bands are pointwise bootstrap 95 %% "
             "intervals.",
             sheet->rows, sheet->rows == 1 ? "" : "s", runs,
             name_measure(sheet, (char[WAC_PRETTY]){0}));
}

const wac_sheet_kind wac_sheet_profile = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .has_x = true,
    .value = "share",
    .panels = 1,
    .title = title_profile,
    .write = write_profile,
    .print = print_profile,
    .explain = explain_profile,
};

/* --- four averages ---------------------------------------------------------------------------- */

static const struct {
    const char *title, *name;
    wac_estimate estimate;
} averages[] = {
    {"Interquartile mean", "iqm", WAC_ESTIMATE_IQM},
    {"Median", "median", WAC_ESTIMATE_MEDIAN},
    {"Mean", "mean", WAC_ESTIMATE_MEAN},
    {"Optimality gap", "gap", WAC_ESTIMATE_GAP},
};
enum { AVERAGES = sizeof averages / sizeof *averages };

/* An interval of the row `place`, in the look of a line. */
static void write_interval(wac_sheet *sheet, size_t place, const wac_interval *interval,
                           size_t line)
{
    wac_plot_print(&sheet->page.plot, "%zu %.9g %.9g %.9g %zu\n", place, interval->value,
                   interval->low, interval->high, line);
}

static wac_status write_average(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                                wac_error *error)
{
    scores scores;
    wac_interval interval;
    WAC_TRY(collect_shares(&scores, sheet, line, error));
    wac_status status = wac_interval_of(&interval, averages[panel->task].estimate, scores.samples,
                                        NULL, scores.tasks, wac_bootstrap_default(), error);
    free(scores.values);
    WAC_TRY(status);
    if (line == 0)
        wac_plot_file(&sheet->page.plot, "bars-%zu", panel->task);
    write_interval(sheet, line, &interval, line);
    tell(sheet, sheet->lines[line].key, averages[panel->task].name, NAN, &interval);
    wac_sheet_note(sheet, panel, line, scores.fewest);
    /* averages of scores share a range; what is missing has its own */
    bool gap = averages[panel->task].estimate == WAC_ESTIMATE_GAP;
    wac_sheet_reach(panel, interval.low, interval.high);
    if (!gap) {
        sheet->share[0] = fmin(sheet->share[0], panel->low);
        sheet->share[1] = fmax(sheet->share[1], panel->high);
    }
    return WAC_STATUS_OK;
}

static void arrange_averages(wac_sheet *sheet)
{
    wac_sheet_arrange_rows(sheet, sheet->line_count, 1);
    sheet->grid.beside = 200;
    sheet->grid.least = 120;
}

static void title_average(const wac_sheet *sheet, size_t panel, char text[WAC_PRETTY])
{
    (void)sheet;
    snprintf(text, WAC_PRETTY, "%s", averages[panel].title);
}

/* Intervals as boxes in the colours of lines, and a stroke at the value of each. */
static void print_intervals(wac_sheet *sheet, size_t panel)
{
    wac_plot_print(&sheet->page.plot, "plot ");
    for (size_t i = 0; i < sheet->line_count; i++)
        wac_plot_print(&sheet->page.plot,
                       "'bars-%zu' using ($5 == %zu ? 0.5 * ($3 + $4) : NaN):1:(0.5 * ($4 - "
                       "$3)):(0.3) with boxxyerror fc rgb '%s' fs solid 0.6 noborder, \\\n  ",
                       panel, i, wac_sheet_style(sheet, i)->colour);
    wac_plot_print(&sheet->page.plot,
                   "'' using 2:($1 - 0.36):(0):(0.72) with vectors nohead lw 3 dt 1 lc rgb ink\n");
}

static void print_average(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    bool gap = averages[panel->task].estimate == WAC_ESTIMATE_GAP;
    char name[WAC_PRETTY];
    double low = gap ? panel->low : sheet->share[0], high = gap ? panel->high : sheet->share[1];
    double room = fmax(0.06 * (high - low), 0.05);
    double range[2] = {low >= 0 ? fmax(low - room, 0) : low - room, high + room};
    wac_sheet_print_rows(sheet, panel, gap ? "missing to 1" : name_measure(sheet, name), range);
    print_intervals(sheet, panel->task);
}

static void explain_averages(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    bool scores = sheet->figure->measure == WAC_MEASURE_SCORE;
    snprintf(text, size,
             "%s as shares of the best possible, over all tasks that all have, %s on each: "
             "interquartile mean of all runs; median and mean of the tasks' means; optimality gap, "
             "what is missing to 1 (less is better). Boxes are bootstrap 95 %% intervals.",
             scores ? "Scores" : "Returns", runs);
}

const wac_sheet_kind wac_sheet_aggregates = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .value = "value",
    .panels = AVERAGES,
    .arrange = arrange_averages,
    .title = title_average,
    .write = write_average,
    .print = print_average,
    .explain = explain_averages,
};

/* --- how probable it is that a run does better ------------------------------------------------ */

/* Two lines on the tasks that both have. The better one is first. */
static wac_status write_pair(wac_sheet *sheet, wac_sheet_panel *panel, size_t a, size_t b,
                             wac_error *error)
{
    scores one, other = {0};
    wac_interval found;
    bool cost = wac_measure_is_cost(sheet->figure->measure);
    wac_status status = begin_scores(&one, sheet, error);
    if (status == WAC_STATUS_OK && (status = begin_scores(&other, sheet, error)) != WAC_STATUS_OK)
        free(one.values);
    WAC_TRY(status);
    for (size_t task = 0; task < sheet->task_count; task++)
        if (has_scores(sheet, task, a) && has_scores(sheet, task, b)) {
            add_task(&one, sheet, task, a, 1);
            add_task(&other, sheet, task, b, 1);
        }
    if (one.tasks)
        status = wac_interval_of(
            &found, WAC_ESTIMATE_IMPROVEMENT, cost ? other.samples : one.samples,
            cost ? one.samples : other.samples, one.tasks, wac_bootstrap_default(), error);
    if (one.tasks && status == WAC_STATUS_OK) {
        bool turned = found.value < 0.5;
        if (turned)
            found = (wac_interval){1 - found.value, 1 - found.high, 1 - found.low, found.fewest};
        size_t better = turned ? b : a, worse = turned ? a : b, place = sheet->rows++;
        char names[2 * WAC_PRETTY + 8];
        snprintf(names, sizeof names, "%s over %s", sheet->lines[better].key,
                 sheet->lines[worse].key);
        tell(sheet, names, wac_measure_name(sheet->figure->measure), NAN, &found);
        write_interval(sheet, place, &found, better);
        wac_sheet_note(sheet, panel, a, one.fewest);
        wac_sheet_note(sheet, panel, b, other.fewest);
        sheet->pairs[place][0] = better;
        sheet->pairs[place][1] = worse;
    }
    free(one.values);
    free(other.values);
    return status;
}

static wac_status write_pairs(wac_sheet *sheet, wac_sheet_panel *panel, size_t line,
                              wac_error *error)
{
    if (line == 0) {
        wac_plot_file(&sheet->page.plot, "bars-0");
        sheet->rows = 0;
    }
    for (size_t other = line + 1; other < sheet->line_count; other++)
        WAC_TRY(write_pair(sheet, panel, line, other, error));
    if (line == sheet->line_count - 1 && sheet->rows == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "there are no two with finished runs on one task");
    return WAC_STATUS_OK;
}

/* The better at the left, the other at the right. */
static void arrange_pairs(wac_sheet *sheet)
{
    wac_sheet_arrange_rows(sheet, sheet->rows, 2);
    sheet->grid.right = sheet->grid.left;
}

static void title_pairs(const wac_sheet *sheet, size_t panel, char text[WAC_PRETTY])
{
    (void)panel;
    name_tasks(sheet, sheet->task_count, text);
}

static void print_pairs(wac_sheet *sheet, const wac_sheet_panel *panel)
{
    wac_plot *plot = &sheet->page.plot;
    wac_sheet_print_rows(sheet, panel, "probability that a run of the left does better",
                         (double[2]){0, 1});
    for (int side = 0; side < 2; side++) {
        wac_plot_print(plot, "set %s scale 0 (", side ? "y2tics" : "ytics");
        for (size_t i = 0; i < sheet->rows; i++) {
            wac_plot_print(plot, i ? ", " : "");
            wac_sheet_print_name(sheet, sheet->pairs[i][side]);
            wac_plot_print(plot, " %zu", i);
        }
        wac_plot_print(plot, ")\n");
    }
    wac_plot_print(plot, "set arrow from 0.5,graph 0 to 0.5,graph 1 nohead lw 1.5 dt (6,4) lc rgb "
                         "grey\n");
    print_intervals(sheet, 0);
}

static void explain_pairs(const wac_sheet *sheet, const char *runs, char *text, size_t size)
{
    snprintf(text, size,
             "Of all pairs of a run of the left and one of the right the share that the left wins "
             "(%s), a tie counting half, averaged over the tasks that both have, %s on each. "
             "Boxes are bootstrap 95 %% intervals; one that contains 0.5 decides nothing.",
             name_measure(sheet, (char[WAC_PRETTY]){0}), runs);
}

const wac_sheet_kind wac_sheet_improvement = {
    .most_lines = WAC_SHEET_MOST_LINES,
    .value = "probability",
    .panels = 1,
    .arrange = arrange_pairs,
    .title = title_pairs,
    .write = write_pairs,
    .print = print_pairs,
    .explain = explain_pairs,
};
