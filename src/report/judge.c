/* Judging claims: which runs a part means, and what the statistics say of them. */
#include "report/judge.h"

#include "base/status.h"
#include "config/environments.h"
#include "report/finding.h"
#include "report/trend.h"
#include "run/coverage.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wac_verdict_name(wac_verdict verdict)
{
    static const char *const names[] = {"holds", "fails", "undecided"};
    return names[verdict];
}

void wac_judgement_free(wac_judgement *judgement)
{
    free(judgement->findings);
    *judgement = (wac_judgement){0};
}

/* --- values of runs --------------------------------------------------------------------------- */

/* The values of one algorithm in the task. */
typedef struct values {
    double *at;
    size_t count;
    size_t seeds; /* in the smallest of its groups */
} values;

static wac_status gather(wac_judge *judge, values *values, const char *algorithm,
                         wac_measure measure)
{
    const wac_runset *set = judge->selection->set;
    *values = (struct values){.seeds = SIZE_MAX};
    if (!(values->at = malloc((set->count + 1) * sizeof *values->at)))
        return wac_fail_memory(judge->error, "the values of runs");
    for (size_t i = 0; i < set->group_count; i++) {
        if (!wac_judge_means(judge, i, algorithm))
            continue;
        size_t count =
            wac_judge_values(&set->groups[i], measure, false, values->at + values->count, NULL);
        values->count += count;
        values->seeds = count < values->seeds ? count : values->seeds;
    }
    if (values->seeds == SIZE_MAX)
        values->seeds = 0;
    return WAC_STATUS_OK;
}

/* --- one algorithm against another ------------------------------------------------------------ */

static wac_status compare(wac_judge *judge, const char *who, const char *than, const values *a,
                          const values *b)
{
    const wac_claim_part *part = judge->part;
    wac_finding finding = {0};
    wac_interval interval = {0};
    size_t seeds = a->seeds < b->seeds ? a->seeds : b->seeds;
    wac_values ours = {a->at, a->count}, theirs = {b->at, b->count};
    if (!a->count || !b->count) {
        snprintf(finding.text, sizeof finding.text, "no finished run of %s",
                 WAC_UPPER(a->count ? than : who));
        return wac_judge_lack(judge, finding.text);
    }
    bool less = wac_measure_is_cost(part->measure), holds;
    bool level = part->rule == WAC_RULE_LEVEL, spread = part->rule == WAC_RULE_LESS_SPREAD;
    wac_verdict direction;
    wac_finding_add(
        &finding, "%s, %s: %s %s, %s %s (%s); ", judge->place,
        part->measure == WAC_MEASURE_SOLVED ? wac_measure_words(part->measure)
                                            : wac_measure_name(part->measure),
        WAC_UPPER(who), WAC_DIGITS(spread ? wac_std(a->at, a->count) : wac_mean(a->at, a->count)),
        WAC_UPPER(than), WAC_DIGITS(spread ? wac_std(b->at, b->count) : wac_mean(b->at, b->count)),
        spread ? "standard deviations" : "means");
    if (level) {
        WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_DIFFERENCE, &ours, &theirs, 1,
                                wac_bootstrap_default(), judge->error));
        holds = interval.low <= 0 && interval.high >= 0;
        direction = holds ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
        wac_finding_add(&finding, "difference of interquartile means %s",
                        WAC_DIGITS(interval.value));
    } else if (spread) {
        WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_SPREAD, &ours, &theirs, 1,
                                wac_bootstrap_default(), judge->error));
        holds = interval.high < 0;
        direction = wac_judge_direction(-interval.value, 0);
        wac_finding_add(&finding, "difference %s", WAC_DIGITS(interval.value));
    } else {
        WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_IMPROVEMENT, less ? &theirs : &ours,
                                less ? &ours : &theirs, 1, wac_bootstrap_default(), judge->error));
        holds = interval.low > 0.5;
        direction = wac_judge_direction(interval.value, 0.5);
        wac_finding_add(&finding, "probability that %s %s %s", WAC_UPPER(who),
                        part->rule == WAC_RULE_FASTER ? "is first" : "is better",
                        WAC_DIGITS(interval.value));
    }
    bool contrary = !level && (spread ? interval.low > 0 : interval.high < 0.5);
    wac_finding_add(&finding, ", 95 %% interval %s to %s%s; %s against %zu",
                    WAC_DIGITS(interval.low), WAC_DIGITS(interval.high),
                    contrary ? ": the other way round" : "", WAC_COUNT_SEEDS(a->seeds), b->seeds);
    return wac_judge_conclude(judge, &finding, seeds, holds, direction);
}

static wac_status judge_pairs(wac_judge *judge)
{
    const wac_claim_part *part = judge->part;
    wac_measure measure = part->measure;
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < part->who_count && !status; i++)
        for (int k = 0; k < part->than_count && !status; k++) {
            values a = {0}, b = {0};
            status = gather(judge, &a, part->who[i], measure);
            if (!status)
                status = gather(judge, &b, part->than[k], measure);
            if (!status)
                status = compare(judge, part->who[i], part->than[k], &a, &b);
            free(a.at);
            free(b.at);
        }
    return status;
}

/* --- how many runs solve it ------------------------------------------------------------------- */

static wac_status judge_counts(wac_judge *judge)
{
    const wac_runset *set = judge->selection->set;
    const wac_claim_part *part = judge->part;
    for (int i = 0; i < part->who_count; i++) {
        wac_finding finding = {0};
        size_t runs = 0, solved = 0, seeds = SIZE_MAX;
        for (size_t g = 0; g < set->group_count; g++) {
            if (!wac_judge_means(judge, g, part->who[i]))
                continue;
            const wac_group *group = &set->groups[g];
            for (size_t k = 0; k < group->count; k++) {
                runs += group->runs[k]->finished;
                solved += group->runs[k]->finished && wac_record_is_solved(group->runs[k]);
            }
            seeds = group->finished < seeds ? group->finished : seeds;
        }
        if (runs == 0) {
            snprintf(finding.text, sizeof finding.text, "no finished run of %s",
                     WAC_UPPER(part->who[i]));
            WAC_TRY(wac_judge_lack(judge, finding.text));
            continue;
        }
        bool holds = part->rule == WAC_RULE_NEVER  ? solved == 0
                     : part->rule == WAC_RULE_ALL  ? solved == runs
                     : part->rule == WAC_RULE_SOME ? solved > 0 && solved < runs
                                                   : solved > 0;
        wac_finding_add(&finding, "%s: %s solves it in %zu of %zu run%s; %s", judge->place,
                        WAC_UPPER(part->who[i]), solved, runs, runs == 1 ? "" : "s",
                        WAC_COUNT_SEEDS(seeds));
        WAC_TRY(wac_judge_conclude(judge, &finding, seeds, holds,
                                   holds ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS));
    }
    return WAC_STATUS_OK;
}

/* --- whether uncertainty mirrors visits ------------------------------------------------------- */

static double correlation_of(const wac_record *record)
{
    double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS], correlation;
    if (wac_cells_read(sigma, visits, record->path, NULL) != WAC_STATUS_OK ||
        wac_spearman(&correlation, sigma, visits, WAC_COVERAGE_BINS, NULL) != WAC_STATUS_OK)
        return NAN;
    return correlation;
}

static wac_status judge_correlation(wac_judge *judge)
{
    const wac_runset *set = judge->selection->set;
    const wac_claim_part *part = judge->part;
    wac_finding finding = {0};
    double sum = 0, low = INFINITY, high = -INFINITY;
    size_t count = 0, lost = 0, seeds = SIZE_MAX;
    for (size_t i = 0; i < set->group_count; i++) {
        if (!wac_judge_means(judge, i, NULL))
            continue;
        size_t here = 0;
        for (size_t k = 0; k < set->groups[i].count; k++) {
            const wac_record *record = set->groups[i].runs[k];
            double correlation = record->finished ? correlation_of(record) : NAN;
            lost += record->finished && isnan(correlation);
            if (isnan(correlation))
                continue;
            sum += correlation;
            low = fmin(low, correlation);
            high = fmax(high, correlation);
            here++;
        }
        count += here;
        seeds = here < seeds ? here : seeds;
    }
    if (count == 0)
        return wac_judge_lack(judge,
                              lost ? "no run has a checkpoint with both maps" : "no finished run");
    double mean = sum / (double)count;
    bool holds = isfinite(part->below) ? mean < part->below : mean > part->above;
    const wac_condition *lambda = wac_where_find(&part->where, "lambda");
    wac_finding_add(&finding, "%s%s%s: rank correlation of σ and visits %s", judge->place,
                    lambda ? ", lambda " : "", lambda ? lambda->values[0] : "", WAC_DIGITS(mean));
    if (count > 1)
        wac_finding_add(&finding, " on average (%s to %s)", WAC_DIGITS(low), WAC_DIGITS(high));
    wac_finding_add(&finding, ", asked for %s %s; %s", isfinite(part->below) ? "below" : "above",
                    WAC_DIGITS(isfinite(part->below) ? part->below : part->above),
                    WAC_COUNT_SEEDS(seeds));
    return wac_judge_conclude(judge, &finding, seeds, holds,
                              holds ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS);
}

/* --- the claim -------------------------------------------------------------------------------- */

static wac_status judge_task(wac_judge *judge)
{
    if (judge->part->rule <= WAC_RULE_NOT_MONOTONE)
        return wac_judge_trend(judge);
    if (judge->part->rule <= WAC_RULE_LEVEL)
        return judge_pairs(judge);
    if (judge->part->rule == WAC_RULE_CORRELATION)
        return judge_correlation(judge);
    return judge_counts(judge);
}

/* All tasks of an environment (null: all there are); *count is how many. */
static wac_status judge_tasks(wac_judge *judge, const char *environment, size_t *count)
{
    const wac_runset *set = judge->selection->set;
    size_t last = SIZE_MAX;
    *count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        char name[WAC_ENVIRONMENT_NAME];
        wac_environment_name(name, &group->runs[0]->config);
        judge->task = group->task;
        if (group->task == last || !wac_judge_means(judge, i, NULL) ||
            (environment && strcmp(environment, name) != 0))
            continue;
        last = group->task;
        judge->place = name;
        ++*count;
        WAC_TRY(judge_task(judge));
    }
    return WAC_STATUS_OK;
}

static wac_status judge_part(wac_judge *judge)
{
    const wac_condition *environments = wac_where_find(&judge->part->where, "environment");
    size_t count;
    if (!environments) {
        WAC_TRY(judge_tasks(judge, NULL, &count));
        judge->place = "all tasks";
        return count ? WAC_STATUS_OK : wac_judge_lack(judge, "no run");
    }
    for (int i = 0; i < environments->count; i++) {
        WAC_TRY(judge_tasks(judge, environments->values[i], &count));
        judge->place = environments->values[i];
        if (count == 0)
            WAC_TRY(wac_judge_lack(judge, "no run"));
    }
    return WAC_STATUS_OK;
}

static wac_verdict both(wac_verdict a, wac_verdict b)
{
    if (a == WAC_VERDICT_FAILS || b == WAC_VERDICT_FAILS)
        return WAC_VERDICT_FAILS;
    return a == WAC_VERDICT_UNDECIDED || b == WAC_VERDICT_UNDECIDED ? WAC_VERDICT_UNDECIDED
                                                                    : WAC_VERDICT_HOLDS;
}

wac_status wac_claim_judge(wac_judgement *judgement, const wac_claim *claim,
                           const wac_selection *selection, wac_error *error)
{
    *judgement = (wac_judgement){.verdict = WAC_VERDICT_HOLDS, .leaning = WAC_VERDICT_HOLDS};
    for (int i = 0; i < claim->count; i++) {
        wac_claim_part part = claim->parts[i];
        if (part.rule == WAC_RULE_FASTER)
            part.measure = WAC_MEASURE_SOLVED;
        wac_judge judge = {judgement, &part, selection, 0, "", error};
        wac_status status = judge_part(&judge);
        if (status != WAC_STATUS_OK) {
            wac_judgement_free(judgement);
            return status;
        }
    }
    for (size_t i = 0; i < judgement->count; i++) {
        judgement->verdict = both(judgement->verdict, judgement->findings[i].verdict);
        judgement->leaning = both(judgement->leaning, judgement->findings[i].leaning);
    }
    return WAC_STATUS_OK;
}
