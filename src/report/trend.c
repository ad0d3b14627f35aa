/* Trends over seeds: a table of values, Page's test, and steps against the trend. */
#include "report/trend.h"

#include "base/number.h"
#include "base/status.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <stdio.h>
#include <stdlib.h>

#define LEVEL_OF_TESTS 0.05

enum { MOST_LEVELS = 32, MOST_SEEDS = 256 };

/* A value for each seed and setting. */
typedef struct table {
    double levels[MOST_LEVELS];
    int64_t seeds[MOST_SEEDS];
    size_t level_count, seed_count;
    double sums[MOST_SEEDS][MOST_LEVELS];
    int counts[MOST_SEEDS][MOST_LEVELS];
    double values[MOST_SEEDS * MOST_LEVELS]; /* [blocks][level_count] */
    size_t blocks;
} table;

static size_t place_of(const table *table, double level)
{
    size_t place = 0;
    while (place < table->level_count && table->levels[place] != level)
        place++;
    return place;
}

static size_t seed_row(table *table, int64_t seed)
{
    size_t row = 0;
    while (row < table->seed_count && table->seeds[row] != seed)
        row++;
    if (row == table->seed_count && row < MOST_SEEDS)
        table->seeds[table->seed_count++] = seed;
    return row;
}

static wac_status fill_table(wac_judge *judge, table *table)
{
    const wac_runset *set = judge->selection->set;
    const wac_claim_part *part = judge->part;
    double level;
    for (size_t i = 0; i < set->group_count; i++)
        if (wac_judge_means(judge, i, NULL) && set->groups[i].finished &&
            wac_config_number(&level, &set->groups[i].runs[0]->config, part->setting) &&
            place_of(table, level) == table->level_count && table->level_count < MOST_LEVELS)
            table->levels[table->level_count++] = level;
    wac_sort(table->levels, table->level_count);
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        if (!wac_judge_means(judge, i, NULL) ||
            !wac_config_number(&level, &group->runs[0]->config, part->setting) ||
            place_of(table, level) == table->level_count)
            continue;
        double *values = malloc(group->count * sizeof *values);
        const wac_record **runs = malloc(group->count * sizeof *runs);
        size_t count =
            values && runs ? wac_judge_values(group, part->measure, part->spread, values, runs) : 0;
        for (size_t k = 0; k < count; k++) {
            size_t row = seed_row(table, runs[k]->config.seed);
            if (row == MOST_SEEDS)
                continue;
            table->sums[row][place_of(table, level)] += values[k];
            table->counts[row][place_of(table, level)]++;
        }
        bool failed = !values || !runs;
        free(values);
        free(runs);
        if (failed)
            return wac_fail_memory(judge->error, "the values of runs");
    }
    return WAC_STATUS_OK;
}

/* Blocks are seeds that have all runs at every setting. */
static void fill_blocks(table *table)
{
    int most = 0;
    for (size_t row = 0; row < table->seed_count; row++)
        for (size_t k = 0; k < table->level_count; k++)
            most = table->counts[row][k] > most ? table->counts[row][k] : most;
    for (size_t row = 0; row < table->seed_count; row++) {
        bool whole = most > 0;
        for (size_t k = 0; k < table->level_count; k++)
            whole &= table->counts[row][k] == most;
        if (!whole)
            continue;
        double *to = table->values + table->blocks++ * table->level_count;
        for (size_t k = 0; k < table->level_count; k++)
            to[k] = table->sums[row][k] / most;
    }
}

static double level_mean(const table *table, size_t level)
{
    double sum = 0;
    for (size_t row = 0; row < table->blocks; row++)
        sum += table->values[row * table->level_count + level];
    return sum / (double)table->blocks;
}

/* Whether a step between neighbours goes significantly against a trend (1 up, -1 down). */
static wac_status find_step_against(wac_judge *judge, const table *table, int trend, size_t *step)
{
    double lower[MOST_SEEDS], upper[MOST_SEEDS];
    *step = SIZE_MAX;
    for (size_t k = 0; k + 1 < table->level_count && *step == SIZE_MAX; k++) {
        wac_interval interval;
        for (size_t row = 0; row < table->blocks; row++) {
            lower[row] = table->values[row * table->level_count + k];
            upper[row] = table->values[row * table->level_count + k + 1];
        }
        wac_values here = {lower, table->blocks}, next = {upper, table->blocks};
        WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_IMPROVEMENT, trend > 0 ? &here : &next,
                                trend > 0 ? &next : &here, 1, wac_bootstrap_default(),
                                judge->error));
        if (interval.low > 0.5)
            *step = k;
    }
    return WAC_STATUS_OK;
}

static bool is_sorted(const table *table, int direction)
{
    bool sorted = true;
    for (size_t k = 0; k + 1 < table->level_count; k++)
        sorted &= direction * (level_mean(table, k + 1) - level_mean(table, k)) >= 0;
    return sorted;
}

static wac_status conclude_trend(wac_judge *judge, const table *table, wac_finding *finding,
                                 const wac_test *test)
{
    bool rises = test->rising < LEVEL_OF_TESTS, falls = test->falling < LEVEL_OF_TESTS, holds;
    wac_verdict direction = wac_judge_direction(test->falling, test->rising);
    size_t step = SIZE_MAX;
    if (judge->part->rule == WAC_RULE_RISES_WITH) {
        holds = rises;
        wac_finding_add(finding, ", p %s%s", WAC_DIGITS(test->rising), falls ? " (it falls)" : "");
    } else if (judge->part->rule == WAC_RULE_FALLS_WITH) {
        holds = falls;
        direction = wac_judge_direction(test->rising, test->falling);
        wac_finding_add(finding, ", p %s%s", WAC_DIGITS(test->falling), rises ? " (it rises)" : "");
    } else {
        holds = !rises && !falls;
        if (!holds)
            WAC_TRY(find_step_against(judge, table, rises ? 1 : -1, &step));
        holds |= step != SIZE_MAX;
        direction =
            is_sorted(table, 1) || is_sorted(table, -1) ? WAC_VERDICT_FAILS : WAC_VERDICT_HOLDS;
        wac_finding_add(finding, ", p %s for rising, %s for falling", WAC_DIGITS(test->rising),
                        WAC_DIGITS(test->falling));
        if (step != SIZE_MAX)
            wac_finding_add(finding, ", but the step from %s to %s goes against it",
                            WAC_DIGITS(table->levels[step]), WAC_DIGITS(table->levels[step + 1]));
    }
    wac_finding_add(finding, "; %s", WAC_COUNT_SEEDS(table->blocks));
    return wac_judge_conclude(judge, finding, table->blocks, holds, direction);
}

static wac_status judge_table(wac_judge *judge, table *table)
{
    const wac_claim_part *part = judge->part;
    wac_finding finding = {0};
    wac_test test;
    char why[160];
    WAC_TRY(fill_table(judge, table));
    if (table->level_count == 0)
        return wac_judge_lack(judge, "no finished run");
    if (table->level_count == 1) {
        snprintf(why, sizeof why, "%s is %s in all runs, so there is no trend to see",
                 part->setting, WAC_DIGITS(table->levels[0]));
        return wac_judge_lack(judge, why);
    }
    fill_blocks(table);
    if (table->blocks == 0) {
        snprintf(why, sizeof why, "no seed has finished runs at every %s", part->setting);
        return wac_judge_lack(judge, why);
    }
    wac_finding_add(&finding, "%s: %s%s ", judge->place,
                    part->spread ? "distance from the median of " : "",
                    wac_measure_name(part->measure));
    for (size_t k = 0; k < table->level_count; k++)
        wac_finding_add(&finding, "%s%s", k ? ", " : "", WAC_DIGITS(level_mean(table, k)));
    wac_finding_add(&finding, " at %s ", part->setting);
    for (size_t k = 0; k < table->level_count; k++)
        wac_finding_add(&finding, "%s%s", k ? ", " : "", WAC_DIGITS(table->levels[k]));
    WAC_TRY(wac_trend_test(&test, table->values, table->blocks, table->level_count, judge->error));
    wac_finding_add(&finding, "; Page's L %s", WAC_DIGITS(test.statistic));
    return conclude_trend(judge, table, &finding, &test);
}

wac_status wac_judge_trend(wac_judge *judge)
{
    table *table = calloc(1, sizeof *table);
    if (!table)
        return wac_fail_memory(judge->error, "the table of a trend");
    wac_status status = judge_table(judge, table);
    free(table);
    return status;
}
