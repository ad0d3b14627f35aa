/* Measuring runs: the functions that the rows name, and the table. */
#include "stats/measures.h"

#include "base/number.h"
#include "base/status.h"
#include "base/words.h"
#include "config/environments.h"
#include "env/lqg.h"
#include "env/returns.h"
#include "env/riverswim.h"
#include "run/visits.h"
#include "stats/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_point(const wac_record *run)
{
    return wac_word_index(WAC_FOR_POINT, run->config.environment) >= 0;
}

static bool is_riverswim(const wac_record *run)
{
    return strcmp(run->config.environment, "riverswim") == 0;
}

static bool is_lqg(const wac_record *run)
{
    return strcmp(run->config.environment, "lqg") == 0;
}

/* --- ways to measure ----------------------------------------------------------------------- */

/* A run as far as it is looked at. */
typedef struct view {
    const wac_record *run;
    size_t rows;
    bool ended; /* before its last epoch, because of stop_success */
} view;

static double at(const view *view, wac_column column, size_t row)
{
    const wac_history *history = &view->run->history;
    return history->columns[column][row < history->rows ? row : history->rows - 1];
}

static size_t first_of_last(const view *view, size_t most)
{
    return view->rows > most ? view->rows - most : 0;
}

/* A run's number from a column over the last so many rows. */
typedef double measure_fn(const view *view, wac_column column, size_t epochs);

static double mean(const view *view, wac_column column, size_t epochs)
{
    double first = NAN, sum = 0; /* of differences from it, so that equal rows are equal runs */
    size_t count = 0;
    for (size_t row = first_of_last(view, epochs); row < view->rows; row++)
        if (!isnan(at(view, column, row))) {
            first = count ? first : at(view, column, row);
            sum += at(view, column, row) - first;
            count++;
        }
    return count ? first + sum / (double)count : NAN;
}

static double highest(const view *view, wac_column column, size_t epochs)
{
    double best = NAN;
    for (size_t row = first_of_last(view, epochs); row < view->rows; row++)
        best = fmax(best, at(view, column, row)); /* which passes over NaN */
    return best;
}

/* Where there is no goal the return tells. A run that stop_success ended has what was asked for. */
static double solved(const view *view, wac_column column, size_t epochs)
{
    const wac_record *run = view->run;
    bool river = is_riverswim(run), lqg = is_lqg(run), meant = false;
    double aim = river ? WAC_RIVERSWIM_SOLVED
                 : lqg ? 1.1 * wac_lqg_best_return(&run->config)
                       : WAC_GOAL_SOLVED;
    for (size_t row = first_of_last(view, epochs); row < view->rows; row++) {
        double reached = at(view, river || lqg ? WAC_COLUMN_EVAL_RETURN : column, row);
        if (reached >= aim || (view->ended && row + 1 == run->history.rows))
            return (double)row;
        meant = meant || !isnan(reached); /* a task without a goal is not unsolved */
    }
    return meant ? (double)view->rows : NAN;
}

static double score(const view *view, wac_column column, size_t epochs)
{
    if (is_point(view->run))
        return mean(view, WAC_COLUMN_EVAL_SUCCESS, 50);
    return mean(view, column, epochs) / (is_riverswim(view->run) ? WAC_RIVERSWIM_ALWAYS_UP : 1);
}

/* What can be won in a run's world, where that is as the preset has it; else null. */
static const wac_returns *returns_of(const wac_record *run)
{
    char name[WAC_ENVIRONMENT_NAME];
    wac_config preset;
    wac_environment_name(name, &run->config);
    const wac_returns *returns = wac_returns_find(name);
    bool usual = returns && wac_config_init(&preset, name, NULL, NULL) == WAC_STATUS_OK &&
                 wac_task_compare(&preset, &run->config) == 0;
    return usual ? returns : NULL;
}

double wac_normalised_return(const wac_config *config, double value)
{
    wac_record run = {.config = *config};
    const wac_returns *returns = returns_of(&run);
    return returns ? (value - returns->random) / (returns->best - returns->random) : NAN;
}

static double normalised(const view *view, wac_column column, size_t epochs)
{
    return wac_normalised_return(&view->run->config, mean(view, column, epochs));
}

static double regret(const view *view, wac_column column, size_t epochs)
{
    return 1 - normalised(view, column, epochs);
}

static bool read_cells(double *sigma, double *visits, const view *view)
{
    return view->run->folder &&
           wac_cells_read(sigma, visits, view->run->folder, NULL) == WAC_STATUS_OK;
}

static double mirror(const view *view, wac_column column, size_t epochs)
{
    (void)column, (void)epochs;
    double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS], correlation = NAN;
    if (read_cells(sigma, visits, view))
        (void)wac_spearman(&correlation, sigma, visits, WAC_COVERAGE_BINS, NULL);
    return correlation;
}

/* Cells that are visited as often as the last of the quarter share its place. */
static double unseen_std(const view *view, wac_column column, size_t epochs)
{
    (void)column, (void)epochs;
    double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS], sorted[WAC_COVERAGE_BINS];
    if (!read_cells(sigma, visits, view))
        return NAN;
    memcpy(sorted, visits, sizeof sorted);
    wac_sort(sorted, WAC_COVERAGE_BINS);
    double most = sorted[WAC_COVERAGE_BINS / 4 - 1], sum = 0, count = 0;
    for (int i = 0; i < WAC_COVERAGE_BINS; i++)
        if (visits[i] <= most) {
            sum += sigma[i];
            count++;
        }
    return sum / count;
}

/* --- the table ----------------------------------------------------------------------------- */

typedef struct row {
    const char *name;
    measure_fn *how;
    wac_column column;
    size_t epochs;
    bool is_cost;
    const char *words;
} row;

static const row rows[WAC_MEASURE_TOTAL] = {
#define ROW(id, name, how, column, epochs, is_cost, words)                                         \
    {name, how, WAC_COLUMN_##column, epochs, is_cost, words},
    WAC_MEASURES(ROW)
#undef ROW
};

double wac_record_measure_until(const wac_record *run, wac_measure measure, int64_t epochs)
{
    const row *row = &rows[measure];
    bool ended = run->finished && run->history.rows <= (size_t)run->config.epochs;
    size_t rows_there = ended ? (size_t)run->config.epochs + 1 : run->history.rows;
    size_t asked = (size_t)epochs + 1;
    view view = {run, rows_there < asked ? rows_there : asked, ended};
    return run->history.rows ? row->how(&view, row->column, row->epochs) : NAN;
}

double wac_record_measure(const wac_record *run, wac_measure measure)
{
    return wac_record_measure_until(run, measure, run->config.epochs);
}

size_t wac_records_measure(double *values, const wac_record **whose, const wac_record *const *runs,
                           size_t count, wac_measure measure)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        double value = wac_record_measure(runs[i], measure);
        if (!runs[i]->finished || isnan(value))
            continue;
        if (whose)
            whose[found] = runs[i];
        values[found++] = value;
    }
    return found;
}

bool wac_record_is_solved(const wac_record *run)
{
    /* never: the row after the last */
    return wac_record_measure(run, WAC_MEASURE_SOLVED) < (double)run->history.rows;
}

/* Without a finished run it is the worst. */
static double mean_score(const wac_group *group)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < group->count; i++) {
        double score = wac_record_measure(group->runs[i], WAC_MEASURE_SCORE);
        if (!group->runs[i]->finished || isnan(score))
            continue;
        sum += score;
        count++;
    }
    return count > 0 ? sum / count : -INFINITY;
}

wac_status wac_groups_rank(size_t **places, const wac_runset *set, wac_error *error)
{
    double *scores = malloc((set->group_count + 1) * sizeof *scores);
    *places = calloc(set->group_count + 1, sizeof **places);
    for (size_t i = 0; i < set->group_count && scores; i++)
        scores[i] = mean_score(&set->groups[i]);
    for (size_t i = 0; i < set->group_count && scores && *places; i++)
        for (size_t k = 0; k < set->group_count; k++) {
            const wac_record *own = set->groups[i].runs[0], *other = set->groups[k].runs[0];
            if (set->groups[i].task != set->groups[k].task ||
                strcmp(own->algorithm, other->algorithm) != 0)
                continue;
            bool same = own->config.epochs == other->config.epochs;
            (*places)[i] += same ? scores[k] > scores[i] || (scores[k] == scores[i] && k < i)
                                 : other->config.epochs > own->config.epochs;
        }
    bool made = scores && *places;
    free(scores);
    if (made)
        return WAC_STATUS_OK;
    free(*places);
    return wac_fail_memory(error, "the ranks of runs");
}

const char *wac_measure_name(wac_measure measure)
{
    return rows[measure].name;
}

const char *wac_measure_words(wac_measure measure)
{
    return rows[measure].words;
}

bool wac_measure_is_cost(wac_measure measure)
{
    return rows[measure].is_cost;
}

const char *wac_measure_name_at(const void *names, size_t index)
{
    (void)names;
    return index < WAC_MEASURE_TOTAL ? rows[index].name : NULL;
}

bool wac_measure_find(wac_measure *measure, const char *name)
{
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++)
        if (wac_word_is(rows[i].name, name)) {
            *measure = (wac_measure)i;
            return true;
        }
    return false;
}

/* --- scales of scores ---------------------------------------------------------------------- */

static double unit_of_scores(const wac_runset *set, size_t task)
{
    double best = NAN;
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        const wac_config *config = &group->runs[0]->config;
        wac_config preset;
        if (group->task != task)
            continue;
        if (is_point(group->runs[0]))
            return 1;
        if (is_riverswim(group->runs[0])) {
            bool usual = wac_config_init(&preset, "riverswim", NULL, NULL) == WAC_STATUS_OK &&
                         preset.river_length == config->river_length &&
                         preset.reward_rule == config->reward_rule &&
                         preset.path_limit == config->path_limit;
            return usual ? 1 : NAN;
        }
        if (wac_word_index(WAC_FOR_LOCOMOTION, config->environment) < 0)
            return NAN;
        double sum = 0;
        for (size_t k = 0; k < group->count; k++)
            if (group->runs[k]->finished)
                sum += wac_record_measure(group->runs[k], WAC_MEASURE_SCORE);
        best = fmax(best, sum / (double)group->finished); /* NaN where none is, passed over */
    }
    return best > 0 ? best : NAN;
}

double wac_measure_unit(const wac_runset *set, size_t task, wac_measure measure)
{
    if (measure == WAC_MEASURE_SCORE)
        return unit_of_scores(set, task);
    bool scaled = measure == WAC_MEASURE_NORMALISED && wac_measure_is_share(set, task, measure);
    return scaled ? 1 : NAN;
}

bool wac_measure_reads_cells(wac_measure measure)
{
    return rows[measure].how == mirror || rows[measure].how == unseen_std;
}

bool wac_measure_is_share(const wac_runset *set, size_t task, wac_measure measure)
{
    const row *row = &rows[measure];
    if (measure == WAC_MEASURE_SCORE)
        return unit_of_scores(set, task) == 1;
    if (row->how != normalised && row->how != regret)
        return row->how == mean && wac_columns[row->column].most == 1;
    for (size_t i = 0; i < set->group_count; i++)
        if (set->groups[i].task == task)
            return returns_of(set->groups[i].runs[0]);
    return false;
}
