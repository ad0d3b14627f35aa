/* A measure against a setting: a table of seeds by settings, Page's test for the trend, and tests
 * between settings for what goes against it. A seed's value at a setting is its mean over whatever
 * else varies. */
#include "report/rules/trends.h"

#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_LEVELS = 32, MOST_PAIRS = MOST_LEVELS * MOST_LEVELS, STUDIES = 60 };
static const double NEGLIGIBLE = 0.1; /* of the range: a step against the trend that is none */

/* A value for each seed and level of the setting. */
typedef struct table {
    double levels[MOST_LEVELS];
    size_t level_count, seeds;
    double *values; /* [seeds][level_count] */
    bool imagined;  /* not of runs that there are */
} table;

static wac_values column(const table *table, size_t level, double *to)
{
    for (size_t i = 0; i < table->seeds; i++)
        to[i] = table->values[i * table->level_count + level];
    return (wac_values){to, table->seeds};
}

static double level_mean(const table *table, size_t level)
{
    double sum = 0;
    for (size_t i = 0; i < table->seeds; i++)
        sum += table->values[i * table->level_count + level];
    return sum / (double)table->seeds;
}

/* --- evidence --------------------------------------------------------------------------------- */

/* What the seeds say of the trend in one direction (1 rising, -1 falling). */
typedef struct evidence {
    double trend[2];    /* Page's p: of rising, of falling */
    double step[2];     /* smallest p of a step up, of a step down, corrected over neighbours */
    double pair[2];     /* the same of any two settings, corrected over all */
    bool negligible[2]; /* every step against rising (falling) is excluded beyond a tenth */
    double statistic;
} evidence;

static wac_status weigh_pairs(evidence *evidence, const table *table, double *scratch,
                              wac_error *error)
{
    size_t levels = table->level_count, pairs = 0, steps = 0;
    double *p = scratch, *next = p + 2 * MOST_PAIRS, *corrected = next + 2 * MOST_LEVELS;
    double *x = corrected + 2 * MOST_PAIRS, *y = x + table->seeds;
    double low = INFINITY, high = -INFINITY;
    for (size_t k = 0; k < levels; k++) {
        low = fmin(low, level_mean(table, k));
        high = fmax(high, level_mean(table, k));
    }
    evidence->negligible[0] = evidence->negligible[1] = true;
    for (size_t i = 0; i < levels; i++)
        for (size_t k = i + 1; k < levels; k++) {
            wac_values here = column(table, i, x), there = column(table, k, y);
            wac_test test;
            WAC_TRY((table->imagined ? wac_rank_test_quick : wac_rank_test)(&test, &there, &here, 1,
                                                                            error));
            p[pairs++] = test.rising;
            p[pairs++] = test.falling;
            if (k != i + 1)
                continue;
            wac_interval rise = wac_interval_means(&there, &here);
            next[steps++] = test.rising;
            next[steps++] = test.falling;
            evidence->negligible[0] &= rise.low > -NEGLIGIBLE * (high - low);
            evidence->negligible[1] &= rise.high < NEGLIGIBLE * (high - low);
        }
    /* of steps only those against a trend are tested, and of those there are half */
    for (int direction = 0; direction < 2; direction++) {
        double against[MOST_LEVELS];
        for (size_t k = 0; k < steps / 2; k++)
            against[k] = next[2 * k + (size_t)direction];
        wac_holm(corrected, against, steps / 2);
        evidence->step[direction] = 1;
        for (size_t k = 0; k < steps / 2; k++)
            evidence->step[direction] = fmin(evidence->step[direction], corrected[k]);
    }
    wac_holm(corrected, p, pairs);
    evidence->pair[0] = evidence->pair[1] = 1;
    for (size_t k = 0; k < pairs; k++)
        evidence->pair[k % 2] = fmin(evidence->pair[k % 2], corrected[k]);
    return WAC_STATUS_OK;
}

static wac_status weigh(evidence *evidence, const table *table, wac_error *error)
{
    wac_test page;
    double *scratch =
        malloc((4 * MOST_PAIRS + 2 * MOST_LEVELS + 2 * table->seeds) * sizeof *scratch);
    if (!scratch)
        return wac_fail_memory(error, "a trend");
    wac_status status =
        wac_trend_test(&page, table->values, table->seeds, table->level_count, error);
    if (status == WAC_STATUS_OK)
        status = weigh_pairs(evidence, table, scratch, error);
    evidence->statistic = page.statistic;
    evidence->trend[0] = page.rising;
    evidence->trend[1] = page.falling;
    free(scratch);
    return status;
}

/* The p-values of the rule. A trend needs Page's test and no significant step against it; its
 * contrary is a trend the other way or such a step. What is not monotone has a rise and a fall, or
 * a trend with a step against it; its contrary is a trend without any step against it that counts.
 */
static void apply(wac_finding *finding, const evidence *found)
{
    if (finding->rule != WAC_RULE_NOT_MONOTONE) {
        int along = finding->rule == WAC_RULE_FALLS_WITH, other = !along;
        bool broken = found->step[other] <= WAC_LEVEL;
        double contrary[2] = {found->trend[other], found->step[other]}, corrected[2];
        wac_holm(corrected, contrary, 2);
        finding->p_for = broken ? 1 : found->trend[along];
        finding->p_against = fmin(corrected[0], corrected[1]);
        finding->leaning =
            found->trend[along] < found->trend[other] ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
        return;
    }
    double both = fmax(found->pair[0], found->pair[1]);
    double bent =
        fmin(fmax(found->trend[0], found->step[1]), fmax(found->trend[1], found->step[0]));
    finding->p_for = fmin(both, bent);
    double straight[2] = {found->negligible[0] ? found->trend[0] : 1,
                          found->negligible[1] ? found->trend[1] : 1};
    finding->p_against = fmin(straight[0], straight[1]);
}

/* --- the table -------------------------------------------------------------------------------- */

static size_t place_of(const table *table, double level)
{
    size_t place = 0;
    while (place < table->level_count && table->levels[place] != level)
        place++;
    return place;
}

/* Levels of the setting, and the number of seeds; counts the runs into the finding. */
static void find_levels(table *table, const wac_case *at, wac_finding *finding)
{
    double level;
    table->seeds = SIZE_MAX;
    for (size_t g = 0; g < at->plan->group_count; g++) {
        const wac_planned_group *group = &at->plan->groups[g];
        if (!wac_case_means(at, group, NULL) ||
            !wac_config_number(&level, group->runs->config, at->part->setting))
            continue;
        wac_case_count(finding, group);
        table->seeds = group->count < table->seeds ? group->count : table->seeds;
        if (place_of(table, level) == table->level_count && table->level_count < MOST_LEVELS)
            table->levels[table->level_count++] = level;
    }
    wac_sort(table->levels, table->level_count);
}

/* False where some value is not known. */
static bool fill(table *table, double *counts, const wac_case *at, int64_t epochs)
{
    double level;
    bool whole = true;
    for (size_t g = 0; g < at->plan->group_count; g++) {
        const wac_planned_group *group = &at->plan->groups[g];
        if (!wac_case_means(at, group, NULL) ||
            !wac_config_number(&level, group->runs->config, at->part->setting))
            continue;
        size_t place = place_of(table, level);
        for (size_t i = 0; i < table->seeds; i++) {
            double value = wac_planned_value(&group->runs[i], at->part->measure, epochs);
            table->values[i * table->level_count + place] += value;
            counts[i * table->level_count + place]++;
            whole &= isfinite(value);
        }
    }
    for (size_t i = 0; i < table->seeds * table->level_count; i++)
        table->values[i] /= counts[i];
    return whole;
}

/* See pairs.c: seeds are drawn anew, with replacement. */
static wac_status find_seeds_needed(wac_finding *finding, const table *seen, wac_error *error)
{
    static const size_t sizes[] = {5, 6, 8, 10, 12, 15, 20, 30};
    table study = *seen;
    study.imagined = true;
    study.values = malloc(30 * seen->level_count * sizeof *study.values);
    if (!study.values)
        return wac_fail_memory(error, "the seeds that it would take");
    wac_rng rng = wac_rng_make(1, WAC_STREAM_BOOTSTRAP);
    wac_status status = WAC_STATUS_OK;
    finding->seeds_needed = WAC_SEEDS_MOST + 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == WAC_STATUS_OK; k++) {
        int decided = 0;
        study.seeds = sizes[k];
        for (int s = 0; s < STUDIES && sizes[k] > seen->seeds && status == WAC_STATUS_OK; s++) {
            wac_finding trial = *finding;
            evidence found = {0};
            for (size_t i = 0; i < study.seeds; i++) {
                size_t seed = (size_t)(wac_rng_uniform(&rng) * (double)seen->seeds);
                for (size_t level = 0; level < seen->level_count; level++)
                    study.values[i * seen->level_count + level] =
                        seen->values[seed * seen->level_count + level];
            }
            status = weigh(&found, &study, error);
            apply(&trial, &found);
            decided += trial.p_for <= trial.level || trial.p_against <= trial.level;
        }
        if (decided * 5 >= STUDIES * 4) {
            finding->seeds_needed = sizes[k];
            break;
        }
    }
    free(study.values);
    return status;
}

static void describe(wac_finding *finding, const wac_case *at, const table *table,
                     const evidence *found)
{
    wac_finding_add(finding, "%s, %s: ", at->place, wac_measure_words(at->part->measure));
    for (size_t k = 0; k < table->level_count; k++)
        wac_finding_add(finding, "%s%s", k ? ", " : "", WAC_DIGITS(level_mean(table, k)));
    wac_finding_add(finding, " at %s ", at->part->setting);
    for (size_t k = 0; k < table->level_count; k++)
        wac_finding_add(finding, "%s%s", k ? ", " : "", WAC_DIGITS(table->levels[k]));
    wac_finding_add(finding, "; Page's L %s, p %s for rising, %s for falling",
                    WAC_DIGITS(found->statistic), WAC_DIGITS(found->trend[0]),
                    WAC_DIGITS(found->trend[1]));
    static const char *const ways[] = {"up", "down"};
    for (int way = 0; way < 2; way++)
        if (found->step[way] <= WAC_LEVEL)
            wac_finding_add(finding, "; a step %s between neighbours, p %s", ways[way],
                            WAC_DIGITS(found->step[way]));
}

static wac_status judge_table(const wac_case *at, wac_finding *finding, table *table,
                              double *counts)
{
    evidence found = {0};
    if (!fill(table, counts, at, finding->epochs))
        return wac_case_lack(at, "of %zu runs %zu are missing or diverged, and a trend needs all",
                             finding->planned, finding->planned - finding->finished);
    WAC_TRY(weigh(&found, table, at->error));
    apply(finding, &found);
    finding->estimate = found.statistic;
    describe(finding, at, table, &found);
    if (!at->plan->is_quick && finding->p_for > finding->level &&
        finding->p_against > finding->level)
        WAC_TRY(find_seeds_needed(finding, table, at->error));
    return wac_case_end(at, finding);
}

wac_status wac_rule_trend(const wac_case *at)
{
    wac_finding finding = wac_case_begin(at, NULL, NULL);
    table table = {0};
    find_levels(&table, at, &finding);
    if (table.level_count == 0)
        return wac_case_lack(at, "no run");
    if (table.level_count == 1)
        return wac_case_lack(at, "%s is %s in all runs, so there is no trend to see",
                             at->part->setting, WAC_DIGITS(table.levels[0]));
    size_t cells = table.seeds * table.level_count;
    table.values = calloc(2 * cells, sizeof *table.values);
    if (!table.values)
        return wac_fail_memory(at->error, "the table of a trend");
    wac_status status = judge_table(at, &finding, &table, table.values + cells);
    free(table.values);
    return status;
}
