/* Measuring runs: the functions that the rows name, and the table. */
#include "stats/measures.h"

#include "base/suggest.h"
#include "base/words.h"
#include "env/riverswim.h"

#include <math.h>
#include <string.h>

#define SOLVED_SUCCESS 0.9

static bool is_point(const wac_record *run)
{
    return wac_word_index(WAC_FOR_POINT, run->config.environment) >= 0;
}

static bool is_riverswim(const wac_record *run)
{
    return strcmp(run->config.environment, "riverswim") == 0;
}

/* --- ways to measure ----------------------------------------------------------------------- */

/* A run's number from a column over the last so many rows. */
typedef double measure_fn(const wac_record *run, wac_column column, size_t epochs);

static double mean(const wac_record *run, wac_column column, size_t epochs)
{
    return wac_history_mean(&run->history, column, epochs);
}

static double highest(const wac_record *run, wac_column column, size_t epochs)
{
    double best = NAN;
    for (size_t row = run->history.rows > epochs ? run->history.rows - epochs : 0;
         row < run->history.rows; row++)
        best = fmax(best, run->history.columns[column][row]); /* which passes over NaN */
    return best;
}

/* In RiverSwim the return tells. */
static double solved(const wac_record *run, wac_column column, size_t epochs)
{
    bool river = is_riverswim(run);
    const double *reached = run->history.columns[river ? WAC_COLUMN_EVAL_RETURN : column];
    double aim = river ? WAC_RIVERSWIM_SOLVED : SOLVED_SUCCESS;
    bool meant = false; /* a task without a goal is not unsolved */
    for (size_t row = run->history.rows > epochs ? run->history.rows - epochs : 0;
         row < run->history.rows; row++) {
        if (reached[row] >= aim)
            return (double)row;
        meant = meant || !isnan(reached[row]);
    }
    return meant ? (double)run->config.epochs + 1 : NAN;
}

static double score(const wac_record *run, wac_column column, size_t epochs)
{
    if (is_point(run))
        return wac_record_measure(run, WAC_MEASURE_SUCCESS);
    return mean(run, column, epochs) / (is_riverswim(run) ? WAC_RIVERSWIM_ALWAYS_UP : 1);
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

double wac_record_measure(const wac_record *run, wac_measure measure)
{
    return rows[measure].how(run, rows[measure].column, rows[measure].epochs);
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
    return wac_record_measure(run, WAC_MEASURE_SOLVED) <= (double)run->config.epochs; /* not NaN */
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

static const char *name_at(const void *names, size_t index)
{
    (void)names;
    return index < WAC_MEASURE_TOTAL ? rows[index].name : NULL;
}

const char *wac_measure_suggest(const char *name)
{
    return wac_suggest(name, name_at, NULL);
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

double wac_measure_score_unit(const wac_runset *set, size_t task)
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
