/* Reports: which runs belong, which figures fit, and the order in which all is made. */
#include "report/report.h"

#include "base/files.h"
#include "base/status.h"
#include "base/words.h"
#include "config/config.h"
#include "report/claims_json.h"
#include "report/html.h"
#include "report/lines.h"
#include "report/maps.h"
#include "report/table.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_DRAWINGS = 48, MOST_CHOSEN = 12 };

void wac_report_free(wac_report *report)
{
    wac_judgements_free(report->judgements, report->count);
    for (size_t i = 0; i < report->missing_count; i++)
        free(report->missing[i]);
    free(report->missing);
    *report = (wac_report){0};
}

/* --- which runs belong to an experiment ------------------------------------------------------- */

size_t wac_report_matches(const wac_runset *set, const wac_experiment *experiment, wac_scale scale)
{
    size_t count = 0;
    for (size_t i = 0; i < set->group_count; i++)
        if (wac_plan_means(&experiment->scales[scale], &set->groups[i].runs[0]->config))
            count += set->groups[i].count;
    return count;
}

/* Whether every run of a scale is there, finished or not. */
static bool has_all(const wac_runset *set, const wac_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (!wac_plan_find(set, &sweep->runs[i].config))
            return false;
    return true;
}

wac_scale wac_report_scale(const wac_runset *set, const wac_experiment *experiment)
{
    const wac_sweep *scales = experiment->scales;
    wac_scale best = WAC_SCALE_QUICK;
    size_t most = 0;
    while (best + 1 < WAC_SCALE_TOTAL && scales[best].count == 0)
        best++;
    for (int i = 0; i < WAC_SCALE_TOTAL; i++) {
        size_t count = wac_report_matches(set, experiment, (wac_scale)i);
        bool more = count > 0 && count == most && scales[i].count > scales[best].count;
        if (count > most || (more && has_all(set, &scales[i]))) {
            most = count;
            best = (wac_scale)i;
        }
    }
    return best;
}

/* In how many settings two runs differ, another environment being worse than any; *first is the
 * first of them, null where it is the environment. */
static size_t count_differences(const wac_config *a, const wac_config *b, const wac_setting **first)
{
    size_t count, differences = 0;
    const wac_setting *settings = wac_settings(&count);
    *first = NULL;
    if (strcmp(a->environment, b->environment) != 0)
        return count + 1;
    for (size_t i = count; i-- > 0;)
        if (wac_group_counts(&settings[i]) &&
            (wac_config_reads(a, &settings[i]) || wac_config_reads(b, &settings[i])) &&
            wac_setting_compare(&settings[i], a, b) != 0) {
            *first = &settings[i];
            differences++;
        }
    return differences;
}

const char *wac_report_nearest(char text[WAC_REPORT_NEAREST], const wac_runset *set,
                               const wac_experiment *experiment, int scale)
{
    size_t fewest = SIZE_MAX;
    *text = 0;
    for (int k = 0; k < WAC_SCALE_TOTAL; k++)
        for (size_t i = 0; (scale < 0 || scale == k) && i < experiment->scales[k].count; i++)
            for (size_t g = 0; g < set->group_count; g++) {
                const wac_config *wanted = &experiment->scales[k].runs[i].config;
                const wac_config *found = &set->groups[g].runs[0]->config;
                const wac_setting *first;
                if (wac_record_is_foreign(set->groups[g].runs[0]))
                    continue;
                size_t differences = count_differences(found, wanted, &first);
                char own[96], other[96];
                if (differences >= fewest)
                    continue;
                fewest = differences;
                if (first) {
                    wac_config_format(found, first, own, sizeof own);
                    wac_config_format(wanted, first, other, sizeof other);
                } else {
                    snprintf(own, sizeof own, "%.90s", found->environment);
                    snprintf(other, sizeof other, "%.90s", wanted->environment);
                }
                snprintf(text, WAC_REPORT_NEAREST, "%.40s %s, not %s",
                         first ? first->name : "environment", own, other);
            }
    return text;
}

/* --- which figures fit any runs --------------------------------------------------------------- */

/* Whether a column has a number in some run. */
static bool has_column(const wac_runset *set, wac_column column)
{
    for (size_t i = 0; i < set->count; i++)
        if (!isnan(wac_history_mean(&set->runs[i].history, column, SIZE_MAX)))
            return true;
    return false;
}

/* The setting after this one (null: the first), as names have them, whose values are numbers and
 * differ. How far a search let its choices go is none. Null where there is no other. */
static const wac_setting *setting_after(const wac_runset *set, const wac_setting *before)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count), *setting;
    bool passed = !before;
    for (size_t i = 0; (setting = wac_setting_named(i)); i++) {
        bool is_number = setting->kind == WAC_SETTING_REAL || setting->kind == WAC_SETTING_COUNT;
        bool is_rung = set->rungs && setting->offset == offsetof(wac_config, epochs);
        if (passed && set->differs[setting - settings] && is_number && !is_rung)
            return setting;
        passed |= setting == before;
    }
    return NULL;
}

static bool has_checkpoint(const wac_runset *set)
{
    for (size_t i = 0; i < set->group_count; i++)
        if (wac_maps_run(&set->groups[i]))
            return true;
    return false;
}

static bool has_many_labels(const wac_runset *set)
{
    size_t labels = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        bool fresh = true;
        for (size_t k = 0; k < i && fresh; k++)
            fresh = strcmp(set->groups[i].label, set->groups[k].label) != 0;
        labels += fresh;
    }
    return labels > 8;
}

static bool has_two_algorithms(const wac_runset *set)
{
    for (size_t i = 1; i < set->count; i++)
        if (strcmp(set->runs[i].algorithm, set->runs[0].algorithm) != 0)
            return true;
    return false;
}

static wac_figure *add_figure(wac_figure *figures, int *count, wac_figure_kind kind,
                              const char *title, const char *lines)
{
    wac_figure *figure = &figures[(*count)++];
    *figure = (wac_figure){.kind = kind};
    snprintf(figure->title, sizeof figure->title, "%s", title);
    snprintf(figure->lines, sizeof figure->lines, "%s", lines);
    return figure;
}

/* By what runs are compared over tasks: normalised returns where those compare and scores do not.
 */
static wac_measure measure_overall(const wac_runset *set)
{
    bool scores = true, returns = true;
    for (size_t i = 0; i < set->task_count; i++) {
        scores = scores && wac_measure_is_share(set, i, WAC_MEASURE_SCORE);
        returns = returns && wac_measure_is_share(set, i, WAC_MEASURE_NORMALISED);
    }
    return returns && !scores ? WAC_MEASURE_NORMALISED : WAC_MEASURE_SCORE;
}

/* Those that turn out to have nothing to show are left out. */
static int choose_figures(wac_figure *figures, const wac_selection *selection)
{
    const wac_runset *set = selection->set;
    int count = 0;
    bool coverage = has_column(set, WAC_COLUMN_COVERAGE_SAMPLED);
    bool goal = has_column(set, WAC_COLUMN_EVAL_SUCCESS);
    const wac_setting *first = setting_after(set, NULL);
    const char *lines = !has_many_labels(set) || set->rungs ? ""
                        : has_two_algorithms(set)           ? "algorithm"
                        : first                             ? first->name
                                                            : "";
    const struct {
        const char *title;
        bool fits;
        int columns[2], count;
    } curves[] = {
        {"Return while learning", true, {WAC_COLUMN_EVAL_RETURN}, 1},
        {"Success and episodes", goal, {WAC_COLUMN_EVAL_SUCCESS, WAC_COLUMN_EVAL_EPISODES}, 2},
        {"Coverage while learning", coverage, {WAC_COLUMN_COVERAGE_SAMPLED}, 1},
    };
    for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
        if (curves[i].fits) {
            wac_figure *figure =
                add_figure(figures, &count, WAC_FIGURE_KIND_CURVES, curves[i].title, lines);
            memcpy(figure->columns, curves[i].columns, sizeof figure->columns);
            figure->column_count = curves[i].count;
        }
    for (const wac_setting *x = first; x; x = setting_after(set, x)) {
        char title[96], pretty[WAC_PRETTY];
        const wac_setting *other = x == first ? setting_after(set, x) : first;
        snprintf(title, sizeof title, "%s against %.40s", coverage ? "Coverage" : "Score",
                 wac_pretty_setting(pretty, x->name));
        wac_figure *figure = add_figure(figures, &count, WAC_FIGURE_KIND_SETTINGS, title,
                                        other ? other->name : "algorithm");
        figure->measure = coverage ? WAC_MEASURE_COVERAGE : WAC_MEASURE_SCORE;
        snprintf(figure->x, sizeof figure->x, "%s", x->name);
        if (wac_lines_have_two(figure, selection))
            break;
        count--;
    }
    wac_measure overall = measure_overall(set);
    add_figure(figures, &count, WAC_FIGURE_KIND_BARS,
               overall == WAC_MEASURE_SCORE ? "Scores" : "Normalised returns", "")
        ->measure = overall;
    add_figure(figures, &count, WAC_FIGURE_KIND_SOLVED, "Runs that solve their task", "");
    if (set->group_count > 1 && !has_many_labels(set)) {
        add_figure(figures, &count, WAC_FIGURE_KIND_PROFILE, "Performance profiles", "")->measure =
            overall;
        add_figure(figures, &count, WAC_FIGURE_KIND_AGGREGATES, "Averages over tasks", "")
            ->measure = overall;
        add_figure(figures, &count, WAC_FIGURE_KIND_IMPROVEMENT, "Probability of improvement", "")
            ->measure = overall;
    }
    if (has_checkpoint(set)) {
        const wac_figure *maps =
            add_figure(figures, &count, WAC_FIGURE_KIND_MAPS, "Where agents went", "");
        size_t group = 0;
        while (group < set->group_count && !wac_figure_means(maps, selection, group))
            group++;
        count -= group == set->group_count;
    }
    return count;
}

/* --- drawing ---------------------------------------------------------------------------------- */

static wac_status draw_one(wac_report_page *page, const wac_figure *figure,
                           const wac_selection *selection, wac_error *error)
{
    wac_report *report = page->report;
    if (page->drawing_count == MOST_DRAWINGS)
        return WAC_STATUS_OK;
    wac_drawing *drawing = &page->drawings[page->drawing_count];
    snprintf(drawing->name, sizeof drawing->name, "%zu-%s", page->drawing_count + 1,
             wac_figure_kind_name(figure->kind));
    wac_figure_order order = {figure, selection, page->figures, page->options->look,
                              page->options->stop};
    WAC_TRY(wac_figure_draw(drawing, &order, error));
    if (drawing->empty && !page->options->experiment) {
        *drawing = (wac_drawing){0};
        return WAC_STATUS_OK;
    }
    page->drawing_count++;
    report->figures += drawing->drawn;
    if (!drawing->drawn && !drawing->empty && report->figures_failed++ == 0)
        snprintf(report->problem, sizeof report->problem, "%s", drawing->problem);
    return WAC_STATUS_OK;
}

/* Maps: a figure for each task. */
static wac_status draw_tasks(wac_report_page *page, const wac_figure *figure, wac_error *error)
{
    const wac_runset *set = page->selection->set;
    bool *groups = calloc(set->group_count + 1, sizeof *groups);
    if (!groups)
        return wac_fail_memory(error, "the figures");
    wac_status status = WAC_STATUS_OK;
    size_t drawn = 0;
    for (size_t task = 0; task < set->task_count && status == WAC_STATUS_OK; task++) {
        wac_figure named = *figure;
        char name[WAC_PRETTY];
        size_t chosen = 0;
        for (size_t i = 0; i < set->group_count; i++) {
            groups[i] = set->groups[i].task == task && wac_figure_means(figure, page->selection, i);
            chosen += groups[i];
        }
        if (chosen == 0)
            continue;
        if (set->task_count > 1)
            snprintf(named.title, sizeof named.title, "%.80s: %.40s", figure->title,
                     wac_pretty_task(name, page->selection, task));
        wac_selection one = {set, groups};
        status = draw_one(page, &named, &one, error);
        drawn++;
    }
    if (drawn == 0 && status == WAC_STATUS_OK)
        status = draw_one(page, figure, page->selection, error);
    free(groups);
    return status;
}

/* "12-curves.svg" and the like, from a report before this one. */
static bool is_figure(const char *name)
{
    char kind[16];
    int end = 0;
    return sscanf(name, "%*[0-9]-%15[a-z]%n", kind, &end) == 1 && end > 0 &&
           wac_word_index(wac_figure_kind_words(), kind) >= 0 &&
           wac_word_index(".svg|.png|.pdf|.csv|-narrow.svg|-narrow.png", name + end) >= 0;
}

static void remove_old(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_figure(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

static wac_status draw_all(wac_report_page *page, wac_error *error)
{
    remove_old(page->figures);
    wac_figure chosen[MOST_CHOSEN];
    const wac_report_options *options = page->options;
    const wac_experiment *experiment = options->experiment;
    const wac_figure *figures = experiment ? experiment->figures : chosen;
    int count = experiment ? experiment->figure_count : choose_figures(chosen, page->selection);
    for (int i = 0; i < count; i++) {
        if (options->progress)
            options->progress(options->user, i, count);
        WAC_TRY(wac_figure_takes_it(&figures[i], WAC_FIGURE_TAKES_ONE_TASK)
                    ? draw_tasks(page, &figures[i], error)
                    : draw_one(page, &figures[i], page->selection, error));
    }
    return WAC_STATUS_OK;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* The claims and what is missing of the experiment's runs. */
static wac_status judge(wac_report *report, const wac_report_options *options,
                        const wac_runset *set, wac_error *error)
{
    wac_plan plan;
    WAC_TRY(wac_plan_make(&plan, &options->experiment->scales[options->scale], set, error));
    wac_status status = wac_plan_missing(&report->missing, &report->missing_count, &plan, error);
    if (status == WAC_STATUS_OK)
        status = wac_claims_judge(&report->judgements, options->experiment, &plan, error);
    if (status == WAC_STATUS_OK)
        report->count = (size_t)options->experiment->claim_count;
    wac_plan_free(&plan);
    return status;
}

static wac_status write_json(const wac_report *report, const wac_report_options *options,
                             wac_error *error)
{
    const wac_experiment *experiment = options->experiment;
    wac_json_begin();
    json_t *claims = json_array();
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(claims,
                              wac_claim_json(experiment->claims[i].number,
                                             experiment->claims[i].says, &report->judgements[i]));
    json_t *all = json_pack("{s:s, s:s, s:I, s:o, s:o}", "experiment", experiment->name, "scale",
                            wac_scale_names[options->scale], "seeds_asked_for",
                            (json_int_t)experiment->seeds, "claims", claims, "missing",
                            wac_missing_json(report->missing, report->missing_count));
    return wac_claims_write(all, options->out, error);
}

/* --- all of it -------------------------------------------------------------------------------- */

static wac_status make_folder(const char *path, wac_error *error)
{
    return wac_path_exists(path) ? WAC_STATUS_OK : wac_directory_make(path, error);
}

static wac_status write_parts(wac_report_page *page, wac_error *error)
{
    const wac_report_options *options = page->options;
    const wac_runset *set = page->selection->set;
    wac_report *report = page->report;
    WAC_TRY(make_folder(options->out, error));
    WAC_TRY(wac_path_join(page->figures, sizeof page->figures, options->out, "figures", error));
    WAC_TRY(make_folder(page->figures, error));
    WAC_TRY(wac_path_join(report->page, sizeof report->page, options->out, "report.html", error));
    if (options->experiment) {
        WAC_TRY(judge(report, options, set, error));
        WAC_TRY(write_json(report, options, error));
    }
    if (options->csv)
        snprintf(report->table, sizeof report->table, "%s", options->csv);
    else if (options->experiment)
        WAC_TRY(
            wac_path_join(report->table, sizeof report->table, options->out, "data.csv", error));
    if (*report->table)
        WAC_TRY(wac_table_write(report->table, page->selection, error));
    for (size_t i = 0; i < set->group_count; i++)
        report->left_out += wac_selection_has(page->selection, i) ? 0 : set->groups[i].count;
    WAC_TRY(draw_all(page, error));
    return wac_report_html(page, error);
}

wac_status wac_report_write(wac_report *report, const wac_runset *set,
                            const wac_report_options *options, wac_error *error)
{
    *report = (wac_report){0};
    bool *groups = options->experiment ? calloc(set->group_count + 1, sizeof *groups) : NULL;
    wac_selection selection = {set, groups};
    wac_report_page page = {.report = report, .options = options, .selection = &selection};
    page.drawings = calloc(MOST_DRAWINGS, sizeof *page.drawings);
    for (size_t i = 0; groups && i < set->group_count; i++)
        groups[i] = wac_plan_means(&options->experiment->scales[options->scale],
                                   &set->groups[i].runs[0]->config);
    wac_status status = page.drawings && (groups || !options->experiment)
                            ? write_parts(&page, error)
                            : wac_fail_memory(error, "the report");
    free(page.drawings);
    free(groups);
    if (status != WAC_STATUS_OK)
        wac_report_free(report);
    return status;
}
