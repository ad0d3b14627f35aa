/* A measure against a setting: a table of seeds by settings, Page's test for the trend, and tests
 * between settings for what goes against it. A seed's value at a setting is its mean over whatever
 * else varies. */
#include "report/rules/trends.h"

#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "report/names.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 32, MOST_PAIRS = MOST_LEVELS * MOST_LEVELS };
static const double NEGLIGIBLE = 0.1; /* of the range: a step against the trend that is none */

/* A value for each seed and level of the setting. */
typedef struct table {
    double levels[MOST_LEVELS];
    size_t level_count, seeds;
    double *values;  /* [seeds][level_count] */
    int64_t longest; /* epochs of the longest run */
    double never;    /* what stands for no success at all; infinite where that is not measured */
    bool has_never;  /* some run has that */
    bool imagined;   /* not of runs that there are */
} table;

static wac_values column(const table *table, size_t level, double *to)
{
    for (size_t i = 0; i < table->seeds; i++)
        to[i] = table->values[i * table->level_count + level];
    return (wac_values){to, table->seeds};
}

/* Of the seeds that have not diverged. */
static double level_mean(const table *table, size_t level)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < table->seeds; i++) {
        double value = table->values[i * table->level_count + level];
        sum += isfinite(value) ? value : 0;
        count += isfinite(value);
    }
    return sum / count;
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
            wac_estimated rise = wac_estimate_difference(&there, &here);
            double reach = wac_estimated_reach(&rise), much = NEGLIGIBLE * (high - low);
            next[steps++] = test.rising;
            next[steps++] = test.falling;
            evidence->negligible[0] &= rise.value - reach > -much;
            evidence->negligible[1] &= rise.value + reach < much;
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

/* The p-values of the rule. A trend needs Page's test and nothing significant against it, neither
 * between neighbours nor between any two settings; its contrary is a trend the other way or such a
 * step. What is not monotone has a rise and a fall, or a trend with a step against it (so that a
 * trend and this never both hold); its contrary is a trend without any step against it that counts.
 */
static void apply(wac_finding *finding, const evidence *found)
{
    if (finding->rule != WAC_RULE_NOT_MONOTONE) {
        int along = finding->rule == WAC_RULE_FALLS_WITH, other = !along;
        bool broken = found->step[other] <= WAC_LEVEL || found->pair[other] <= WAC_LEVEL;
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

/* Whether the part means this group; then *level is what the setting is there. */
static bool has_level(double *level, const wac_case *at, const wac_planned_group *group)
{
    return wac_case_means(at, group, NULL) &&
           wac_config_number(level, group->runs->config, at->part->setting);
}

static const wac_planned_run *find_seed(const wac_planned_group *group, int64_t seed)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->runs[i].config->seed == seed)
            return &group->runs[i];
    return NULL;
}

/* Levels of the setting, and the most seeds that there may be; counts the runs into the finding. */
static void find_levels(table *table, const wac_case *at, wac_finding *finding)
{
    double level;
    table->seeds = SIZE_MAX;
    for (size_t g = 0; g < at->plan->group_count; g++) {
        const wac_planned_group *group = &at->plan->groups[g];
        if (!has_level(&level, at, group))
            continue;
        wac_case_count(finding, group);
        table->seeds = group->count < table->seeds ? group->count : table->seeds;
        int64_t epochs = group->runs->config->epochs;
        table->longest = epochs > table->longest ? epochs : table->longest;
        if (place_of(table, level) == table->level_count && table->level_count < MOST_LEVELS)
            table->levels[table->level_count++] = level;
    }
    wac_sort(table->levels, table->level_count);
}

/* The row of a seed; false where some setting lacks it. */
static bool fill_seed(double *row, double *counts, table *table, const wac_case *at, int64_t seed,
                      int64_t epochs)
{
    double level;
    bool has_never = false;
    for (size_t g = 0; g < at->plan->group_count; g++) {
        const wac_planned_group *group = &at->plan->groups[g];
        if (!has_level(&level, at, group))
            continue;
        const wac_planned_run *run = find_seed(group, seed);
        size_t place = place_of(table, level);
        if (!run)
            return false;
        if (place == table->level_count)
            continue;
        double value = wac_planned_value(run, at->part->measure, epochs);
        has_never |= value >= table->never && isfinite(value);
        row[place] += value;
        counts[place]++;
    }
    for (size_t k = 0; k < table->level_count; k++)
        row[k] /= counts[k];
    table->has_never |= has_never;
    return true;
}

/* The seeds that all settings have. `counts`: [level_count] */
static void fill(table *table, double *counts, const wac_case *at, int64_t epochs)
{
    const wac_planned_group *first = NULL;
    double level;
    for (size_t g = 0; g < at->plan->group_count && !first; g++)
        if (has_level(&level, at, &at->plan->groups[g]))
            first = &at->plan->groups[g];
    size_t levels = table->level_count, most = table->seeds;
    table->seeds = 0;
    for (size_t i = 0; first && i < first->count && table->seeds < most; i++) {
        double *row = table->values + table->seeds * levels;
        memset(row, 0, levels * sizeof *row);
        memset(counts, 0, levels * sizeof *counts);
        table->seeds += fill_seed(row, counts, table, at, first->runs[i].config->seed, epochs);
    }
}

static wac_status study(wac_finding *trial, void *user, size_t seeds, wac_rng *rng,
                        wac_error *error)
{
    const table *seen = user;
    table drawn = *seen;
    evidence found = {0};
    drawn.imagined = true;
    drawn.seeds = seeds;
    drawn.values = malloc(seeds * seen->level_count * sizeof *drawn.values);
    if (!drawn.values)
        return wac_fail_memory(error, "the seeds that it would take");
    for (size_t i = 0; i < seeds; i++) {
        size_t seed = (size_t)(wac_rng_uniform(rng) * (double)seen->seeds);
        memcpy(drawn.values + i * seen->level_count, seen->values + seed * seen->level_count,
               seen->level_count * sizeof *drawn.values);
    }
    wac_status status = weigh(&found, &drawn, error);
    if (status == WAC_STATUS_OK)
        apply(trial, &found);
    free(drawn.values);
    return status;
}

static void describe(wac_finding *finding, const wac_case *at, const table *table,
                     const evidence *found)
{
    char setting[WAC_PRETTY];
    wac_case_title(at, finding);
    for (size_t k = 0; k < table->level_count; k++) {
        double mean = level_mean(table, k);
        wac_finding_add(finding, "%s%s", k ? ", " : "",
                        mean >= table->never ? "never" : WAC_DIGITS(mean));
    }
    wac_finding_add(finding, " at %.40s ", wac_pretty_setting(setting, at->part->setting));
    for (size_t k = 0; k < table->level_count; k++)
        wac_finding_add(finding, "%s%s", k ? ", " : "", WAC_DIGITS(table->levels[k]));
    if (table->has_never)
        wac_finding_add(finding, " (never counts as %s)", WAC_DIGITS(table->never));
    wac_finding_add(finding, "; Page's test: p %s for rising, %s for falling",
                    WAC_DIGITS(found->trend[0]), WAC_DIGITS(found->trend[1]));
    static const char *const ways[] = {"rise", "fall"};
    for (int way = finding->rule == WAC_RULE_RISES_WITH;
         way < 2 - (finding->rule == WAC_RULE_FALLS_WITH); way++) /* those against the trend */
        if (found->step[way] <= WAC_LEVEL)
            wac_finding_add(finding, "; a %s between neighbours, p %s", ways[way],
                            WAC_DIGITS(found->step[way]));
        else if (found->pair[way] <= WAC_LEVEL)
            wac_finding_add(finding, "; a %s between two settings, p %s", ways[way],
                            WAC_DIGITS(found->pair[way]));
    if (table->longest > finding->epochs)
        wac_finding_add(finding, "; of longer runs the first %lld epochs",
                        (long long)finding->epochs);
}

static wac_status judge_table(const wac_case *at, wac_finding *finding, table *table,
                              double *counts)
{
    evidence found = {0};
    char setting[WAC_PRETTY];
    wac_pretty_setting(setting, at->part->setting);
    table->never = at->part->measure == WAC_MEASURE_SOLVED ? (double)finding->epochs + 1 : INFINITY;
    fill(table, counts, at, finding->epochs);
    finding->seeds = table->seeds;
    size_t cells = table->seeds * table->level_count, unknown = 0, never = 0;
    for (size_t i = 0; i < cells; i++) {
        unknown += isnan(table->values[i]);
        never += table->values[i] >= table->never;
    }
    if (table->seeds == 0)
        return wac_case_lack(at, finding, "no seed has a run at every %s", setting);
    if (unknown && finding->missing)
        return wac_case_lack(at, finding, "%zu of %zu runs are missing, and a trend needs all",
                             finding->missing, finding->planned);
    if (unknown)
        return wac_case_lack(at, finding, "some runs have no %s",
                             wac_measure_words(at->part->measure));
    if (table->has_never && never == cells)
        return wac_case_lack(at, finding,
                             "no run ever succeeds in %lld epochs, so there is no trend to see",
                             (long long)finding->epochs);
    WAC_TRY(weigh(&found, table, at->error));
    apply(finding, &found);
    finding->estimate = found.statistic;
    describe(finding, at, table, &found);
    WAC_TRY(wac_case_seeds_needed(at, finding, study, table));
    return wac_case_end(at, finding);
}

wac_status wac_rule_trend(const wac_case *at)
{
    wac_finding finding = wac_case_begin(at, NULL, NULL);
    table table = {0};
    char setting[WAC_PRETTY];
    wac_pretty_setting(setting, at->part->setting);
    find_levels(&table, at, &finding);
    if (table.level_count == 0)
        return wac_case_lack(at, &finding, "no run that reads %s is planned", setting);
    if (table.level_count == 1)
        return wac_case_lack(at, &finding, "%s is %s in all runs, so there is no trend to see",
                             setting, WAC_DIGITS(table.levels[0]));
    size_t cells = table.seeds * table.level_count;
    table.values = calloc(cells + table.level_count, sizeof *table.values);
    if (!table.values)
        return wac_fail_memory(at->error, "the table of a trend");
    wac_status status = judge_table(at, &finding, &table, table.values + cells);
    free(table.values);
    return status;
}
