/* A measure of runs against a number: Student's t over seeds, since a bootstrap of few seeds is too
 * sure of itself. */
#include "report/rules/bounds.h"

#include "base/status.h"
#include "stats/distributions.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdlib.h>

static void weigh(wac_finding *finding, const wac_claim_part *part, const double *values,
                  size_t count)
{
    double mean = wac_mean(values, count), error = wac_std(values, count) / sqrt((double)count);
    bool below = isfinite(part->below);
    double bound = below ? part->below : part->above, freedom = (double)count - 1;
    double reach = count > 1 ? wac_t_quantile(0.975, freedom) * error : NAN;
    finding->estimate = mean;
    finding->low = mean - reach;
    finding->high = mean + reach;
    finding->leaning =
        (below ? mean < bound : mean > bound) ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
    if (count > 1) {
        double t = (mean - bound) / error;
        finding->p_for = wac_t_tail(below ? -t : t, freedom);
        finding->p_against = wac_t_tail(below ? t : -t, freedom);
    }
}

wac_status wac_rule_correlation(const wac_case *at)
{
    const wac_claim_part *part = at->part;
    wac_finding finding = wac_case_begin(at, NULL, NULL);
    double *values = malloc((at->plan->count + 1) * sizeof *values);
    size_t count = 0, lost = 0;
    if (!values)
        return wac_fail_memory(at->error, "the values of runs");
    for (size_t g = 0; g < at->plan->group_count; g++) {
        const wac_planned_group *group = &at->plan->groups[g];
        if (!wac_case_means(at, group, NULL))
            continue;
        wac_case_count(&finding, group);
        for (size_t i = 0; i < group->count; i++) {
            double value =
                wac_planned_value(&group->runs[i], part->measure, group->runs[i].config->epochs);
            if (isfinite(value))
                values[count++] = value;
            else
                lost += group->runs[i].fate >= WAC_FATE_DIVERGED;
        }
    }
    wac_status status;
    if (count == 0) {
        status =
            wac_case_lack(at, lost ? "no run has a checkpoint with both maps" : "no finished run");
    } else {
        const wac_condition *lambda = wac_where_find(&part->where, "lambda");
        weigh(&finding, part, values, count);
        if (count < finding.planned) /* runs that nobody knows could change it */
            finding.p_for = finding.p_against = 1;
        wac_finding_add(&finding, "%s%s%s: %s %s, 95 %% interval %s to %s, asked for %s %s",
                        at->place, lambda ? ", lambda " : "", lambda ? lambda->values[0] : "",
                        wac_measure_words(part->measure), WAC_DIGITS(finding.estimate),
                        WAC_DIGITS(finding.low), WAC_DIGITS(finding.high),
                        isfinite(part->below) ? "below" : "above",
                        WAC_DIGITS(isfinite(part->below) ? part->below : part->above));
        status = wac_case_end(at, &finding);
    }
    free(values);
    return status;
}
