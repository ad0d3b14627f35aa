/* A measure of runs against a number: Student's t over seeds, since a bootstrap of few seeds is too
 * sure of itself. Every setting is a finding of its own. */
#include "report/rules/bounds.h"

#include "base/status.h"
#include "report/names.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdlib.h>

static void weigh(wac_finding *finding, const wac_claim_part *part, const double *values,
                  size_t count)
{
    wac_estimated mean = wac_estimate_mean(&(wac_values){values, count});
    bool below = isfinite(part->below);
    double reach = wac_estimated_reach(&mean), bound = below ? part->below : part->above;
    bool holds = below ? mean.value < bound : mean.value > bound;
    finding->estimate = mean.value;
    finding->low = mean.value - reach;
    finding->high = mean.value + reach;
    finding->leaning = holds ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
    finding->p_for = (below ? wac_estimated_below : wac_estimated_above)(&mean, bound);
    finding->p_against = (below ? wac_estimated_above : wac_estimated_below)(&mean, bound);
}

typedef struct sample {
    const wac_claim_part *part;
    double *values; /* [count], and room for a study */
    size_t count;
} sample;

static wac_status study(wac_finding *trial, void *user, size_t seeds, wac_rng *rng,
                        wac_error *error)
{
    (void)error;
    const sample *from = user;
    double *drawn = from->values + from->count;
    for (size_t i = 0; i < seeds; i++)
        drawn[i] = from->values[(size_t)(wac_rng_uniform(rng) * (double)from->count)];
    weigh(trial, from->part, drawn, seeds);
    return WAC_STATUS_OK;
}

static wac_status judge_group(const wac_case *at, const wac_planned_group *group, sample *sample)
{
    const wac_claim_part *part = at->part;
    wac_finding finding = wac_case_begin(at, NULL, NULL);
    char settings[WAC_SETTINGS_TEXT], place[WAC_PRETTY];
    const wac_condition *lambda = wac_where_find(&part->where, "lambda");
    wac_case_count(&finding, group);
    sample->count = 0;
    for (size_t i = 0; i < group->count; i++) {
        double value =
            wac_planned_value(&group->runs[i], part->measure, group->runs[i].config->epochs);
        if (isfinite(value))
            sample->values[sample->count++] = value;
    }
    size_t unseen = finding.planned - finding.missing - sample->count;
    if (sample->count == 0)
        return wac_case_lack(at, &finding,
                             unseen ? "no run has a checkpoint with both maps" : "no finished run");
    weigh(&finding, part, sample->values, sample->count);
    finding.counts = sample->count == finding.planned; /* what nobody knows could change it */
    if (finding.counts)
        WAC_TRY(wac_case_seeds_needed(at, &finding, study, sample));
    wac_case_settings(settings, at, group, NULL);
    bool alone = lambda && !*settings;
    wac_finding_add(&finding, "%.100s%s%s%s: %s %s", wac_pretty_environment(place, at->place),
                    settings, alone ? ", λ " : "", alone ? lambda->values[0] : "",
                    wac_measure_words(part->measure), WAC_DIGITS(finding.estimate));
    if (!isnan(finding.low))
        wac_finding_add(&finding, ", 95 %% interval %s to %s", WAC_DIGITS(finding.low),
                        WAC_DIGITS(finding.high));
    wac_finding_add(&finding, ", asked for %s %s", isfinite(part->below) ? "below" : "above",
                    WAC_DIGITS(isfinite(part->below) ? part->below : part->above));
    if (unseen)
        wac_finding_add(&finding, "; %zu run%s without it", unseen, unseen == 1 ? "" : "s");
    return wac_case_end(at, &finding);
}

wac_status wac_rule_correlation(const wac_case *at)
{
    sample sample = {.part = at->part};
    sample.values = malloc((at->plan->count + WAC_SEEDS_MOST) * sizeof *sample.values);
    if (!sample.values)
        return wac_fail_memory(at->error, "the values of runs");
    wac_status status = WAC_STATUS_OK;
    for (size_t g = 0; g < at->plan->group_count && status == WAC_STATUS_OK; g++)
        if (wac_case_means(at, &at->plan->groups[g], NULL))
            status = judge_group(at, &at->plan->groups[g], &sample);
    free(sample.values);
    return status;
}
