/* One number for a run: what the experiments compare. */
#include "base/words.h"
#include "env/riverswim.h"
#include "stats/runset.h"

#include <math.h>
#include <string.h>

enum { RETURN_EPOCHS = 10, SUCCESS_EPOCHS = 50 };
#define SOLVED_SUCCESS 0.9

static bool is_point(const wac_record *run)
{
    return wac_word_index(WAC_FOR_POINT, run->config.environment) >= 0;
}

static bool is_riverswim(const wac_record *run)
{
    return strcmp(run->config.environment, "riverswim") == 0;
}

static double highest(const wac_record *run, wac_column column)
{
    double best = NAN;
    for (size_t row = 0; row < run->history.rows; row++)
        best = fmax(best, run->history.columns[column][row]); /* which passes over NaN */
    return best;
}

static double solved_at(const wac_record *run)
{
    bool river = is_riverswim(run);
    const double *reached =
        run->history.columns[river ? WAC_COLUMN_EVAL_RETURN : WAC_COLUMN_EVAL_SUCCESS];
    double aim = river ? WAC_RIVERSWIM_SOLVED : SOLVED_SUCCESS;
    bool meant = false; /* a task without a goal is not unsolved */
    for (size_t row = 0; row < run->history.rows; row++) {
        if (reached[row] >= aim)
            return (double)row;
        meant = meant || !isnan(reached[row]);
    }
    return meant ? (double)run->config.epochs + 1 : NAN;
}

static double score(const wac_record *run)
{
    if (is_point(run))
        return wac_history_mean(&run->history, WAC_COLUMN_EVAL_SUCCESS, SUCCESS_EPOCHS);
    double reached = wac_history_mean(&run->history, WAC_COLUMN_EVAL_RETURN, RETURN_EPOCHS);
    return is_riverswim(run) ? reached / WAC_RIVERSWIM_ALWAYS_UP : reached;
}

double wac_record_measure(const wac_record *run, wac_measure measure)
{
    switch (measure) {
    case WAC_MEASURE_SCORE:
        return score(run);
    case WAC_MEASURE_RETURN:
        return wac_history_mean(&run->history, WAC_COLUMN_EVAL_RETURN, RETURN_EPOCHS);
    case WAC_MEASURE_SUCCESS:
        return wac_history_mean(&run->history, WAC_COLUMN_EVAL_SUCCESS, SUCCESS_EPOCHS);
    case WAC_MEASURE_SOLVED:
        return solved_at(run);
    case WAC_MEASURE_COVERAGE:
        return wac_history_mean(&run->history, WAC_COLUMN_COVERAGE_SAMPLED, run->history.rows);
    case WAC_MEASURE_COVERAGE_VISITED:
        return wac_history_mean(&run->history, WAC_COLUMN_COVERAGE_VISITED, run->history.rows);
    case WAC_MEASURE_EPISODES:
        return wac_history_mean(&run->history, WAC_COLUMN_EVAL_EPISODES, SUCCESS_EPOCHS);
    case WAC_MEASURE_BEST:
        return highest(run, WAC_COLUMN_EVAL_RETURN);
    case WAC_MEASURE_TOTAL:
        break;
    }
    return NAN;
}

const char *wac_measure_name(wac_measure measure)
{
    static const char *const names[WAC_MEASURE_TOTAL] = {
        "score", "return", "success", "solved", "coverage", "coverage-visited", "episodes", "best",
    };
    return measure < WAC_MEASURE_TOTAL ? names[measure] : NULL;
}

bool wac_measure_find(wac_measure *measure, const char *name)
{
    char word[32];
    if (strlen(name) >= sizeof word)
        return false;
    strcpy(word, name);
    for (char *at = word; *at; at++)
        *at = *at == '_' ? '-' : *at;
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++)
        if (strcmp(word, wac_measure_name((wac_measure)i)) == 0) {
            *measure = (wac_measure)i;
            return true;
        }
    return false;
}

bool wac_measure_is_cost(wac_measure measure)
{
    return measure == WAC_MEASURE_SOLVED;
}

bool wac_record_is_solved(const wac_record *run)
{
    return solved_at(run) <= (double)run->config.epochs; /* false for NaN */
}

static double mean_score(const wac_group *group)
{
    double sum = 0;
    for (size_t i = 0; i < group->count; i++)
        if (group->runs[i]->finished)
            sum += score(group->runs[i]);
    return sum / (double)group->finished; /* NaN where none is */
}

double wac_runset_score_unit(const wac_runset *set, size_t task)
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
        best = fmax(best, mean_score(group));
    }
    return best > 0 ? best : NAN;
}
