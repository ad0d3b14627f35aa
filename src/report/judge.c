/* Claims: their parts in every task, and the verdict over all findings. */
#include "report/judge.h"

#include "base/status.h"
#include "report/rules/bounds.h"
#include "report/rules/case.h"
#include "report/rules/counts.h"
#include "report/rules/pairs.h"
#include "report/rules/trends.h"
#include "stats/tests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wac_verdict_name(wac_verdict verdict)
{
    static const char *const names[] = {"holds", "fails", "undecided", "not run"};
    return names[verdict];
}

void wac_judgement_free(wac_judgement *judgement)
{
    free(judgement->findings);
    *judgement = (wac_judgement){0};
}

static wac_status judge_task(const wac_case *at)
{
    if (at->part->rule <= WAC_RULE_NOT_MONOTONE)
        return wac_rule_trend(at);
    if (at->part->rule <= WAC_RULE_LEVEL)
        return wac_rule_pairs(at);
    return at->part->rule == WAC_RULE_CORRELATION ? wac_rule_correlation(at) : wac_rule_counts(at);
}

/* All tasks of an environment (null: all there are); *count is how many. */
static wac_status judge_tasks(wac_case *at, const char *environment, size_t *count)
{
    size_t last = SIZE_MAX;
    *count = 0;
    for (size_t i = 0; i < at->plan->group_count; i++) {
        const wac_planned_group *group = &at->plan->groups[i];
        at->task = group->task;
        if (group->task == last || !wac_case_means(at, group, NULL) ||
            (environment && strcmp(environment, group->environment) != 0))
            continue;
        last = group->task;
        at->place = group->environment;
        ++*count;
        WAC_TRY(judge_task(at));
    }
    return WAC_STATUS_OK;
}

static wac_status judge_part(wac_case *at)
{
    const wac_condition *environments = wac_where_find(&at->part->where, "environment");
    if (at->part->rule == WAC_RULE_AHEAD_OVER_ALL) {
        at->task = (size_t)WAC_CASE_ALL_TASKS;
        at->place = environments ? "These tasks" : "All tasks";
        return wac_rule_pairs_overall(at);
    }
    for (int i = 0; i < (environments ? environments->count : 1); i++) {
        const char *environment = environments ? environments->values[i] : NULL;
        size_t count;
        WAC_TRY(judge_tasks(at, environment, &count));
        at->place = environment ? environment : "all tasks";
        wac_finding none = wac_case_begin(at, NULL, NULL);
        if (count == 0)
            WAC_TRY(wac_case_lack(at, &none, "no run is planned"));
    }
    return WAC_STATUS_OK;
}

static wac_verdict both(wac_verdict a, wac_verdict b)
{
    if (a == WAC_VERDICT_FAILS || b == WAC_VERDICT_FAILS)
        return WAC_VERDICT_FAILS;
    return a == b ? a : WAC_VERDICT_UNDECIDED;
}

const char *wac_finding_outlook(char text[WAC_OUTLOOK], const wac_finding *finding)
{
    *text = 0;
    if (finding->verdict != WAC_VERDICT_UNDECIDED)
        return text;
    if (finding->missing > 2)
        snprintf(text, WAC_OUTLOOK, "waits for %s and %zu more", finding->absent,
                 finding->missing - 2);
    else if (finding->missing)
        snprintf(text, WAC_OUTLOOK, "waits for %s", finding->absent);
    else if (finding->seeds_needed > WAC_SEEDS_MOST)
        snprintf(text, WAC_OUTLOOK, "more than %d seeds would be needed", WAC_SEEDS_MOST);
    else if (finding->seeds_needed)
        snprintf(text, WAC_OUTLOOK,
                 finding->counts ? "%zu seeds would probably decide it"
                                 : "needs %zu seeds at least",
                 finding->seeds_needed);
    return text;
}

const char *wac_judgement_outlook(char text[WAC_OUTLOOK], const wac_judgement *judgement)
{
    size_t missing = 0, needed = 0;
    bool known = true; /* it is more than the fewest that decide anything */
    *text = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        const wac_finding *finding = &judgement->findings[i];
        if (finding->verdict != WAC_VERDICT_UNDECIDED)
            continue;
        missing = finding->missing > missing ? finding->missing : missing;
        if (finding->missing == 0 && finding->seeds_needed > needed) {
            needed = finding->seeds_needed;
            known = finding->counts;
        }
    }
    if (judgement->verdict != WAC_VERDICT_UNDECIDED)
        return text;
    if (missing)
        snprintf(text, WAC_OUTLOOK, "runs are missing%s", needed ? "; " : "");
    size_t used = strlen(text);
    if (needed > WAC_SEEDS_MOST)
        snprintf(text + used, WAC_OUTLOOK - used, "more than %d seeds would be needed",
                 WAC_SEEDS_MOST);
    else if (needed)
        snprintf(text + used, WAC_OUTLOOK - used,
                 known ? "needs about %zu seeds" : "needs %zu seeds at least", needed);
    return text;
}

/* Evidence of the contrary is corrected for the many places where it was looked for. */
wac_status wac_judgement_conclude(wac_judgement *judgement, wac_error *error)
{
    double *p = malloc(2 * judgement->count * sizeof *p);
    if (!p)
        return wac_fail_memory(error, "the verdict");
    double *corrected = p + judgement->count;
    for (size_t i = 0; i < judgement->count; i++) { /* to one level for all */
        const wac_finding *finding = &judgement->findings[i];
        p[i] = finding->counts ? finding->p_against * WAC_LEVEL / finding->level : 1;
    }
    wac_holm(corrected, p, judgement->count);
    for (size_t i = 0; i < judgement->count; i++) {
        wac_finding *finding = &judgement->findings[i];
        bool holds = finding->counts && finding->p_for <= finding->level;
        finding->p_corrected = corrected[i];
        if (finding->verdict != WAC_VERDICT_NOT_RUN)
            finding->verdict = holds                       ? WAC_VERDICT_HOLDS
                               : corrected[i] <= WAC_LEVEL ? WAC_VERDICT_FAILS
                                                           : WAC_VERDICT_UNDECIDED;
        if (finding->verdict != WAC_VERDICT_UNDECIDED)
            finding->leaning = finding->verdict;
        judgement->verdict = i ? both(judgement->verdict, finding->verdict) : finding->verdict;
        judgement->leaning = i ? both(judgement->leaning, finding->leaning) : finding->leaning;
    }
    free(p);
    return WAC_STATUS_OK;
}

wac_status wac_claim_judge(wac_judgement *judgement, const wac_claim *claim, const wac_plan *plan,
                           wac_error *error)
{
    *judgement = (wac_judgement){0};
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < claim->count && status == WAC_STATUS_OK; i++) {
        wac_case at = {judgement, &claim->parts[i], plan, 0, "", error};
        status = judge_part(&at);
    }
    if (status == WAC_STATUS_OK)
        status = wac_judgement_conclude(judgement, error);
    if (status != WAC_STATUS_OK)
        wac_judgement_free(judgement);
    return status;
}

void wac_judgements_free(wac_judgement *judgements, size_t count)
{
    for (size_t i = 0; judgements && i < count; i++)
        wac_judgement_free(&judgements[i]);
    free(judgements);
}

wac_status wac_claims_judge(wac_judgement **judgements, const wac_experiment *experiment,
                            const wac_plan *plan, wac_error *error)
{
    size_t count = (size_t)experiment->claim_count;
    wac_judgement *made = calloc(count + 1, sizeof *made);
    wac_status status = made ? WAC_STATUS_OK : wac_fail_memory(error, "the verdicts");
    for (size_t i = 0; i < count && status == WAC_STATUS_OK; i++)
        status = wac_claim_judge(&made[i], &experiment->claims[i], plan, error);
    if (status != WAC_STATUS_OK) {
        wac_judgements_free(made, count);
        made = NULL;
    }
    *judgements = made;
    return status;
}
