/* Counting runs that solve a task. A run that has solved it counts, finished or not; one that has
 * not counts as a failure once nothing more can come of it. */
#include "report/rules/counts.h"

#include "base/status.h"
#include "stats/estimates.h"

typedef struct counts {
    size_t solved, failed, open;
} counts;

static void count_group(counts *counts, const wac_planned_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const wac_planned_run *run = &group->runs[i];
        if (wac_planned_is_solved(run, run->config->epochs))
            counts->solved++;
        else if (run->fate >= WAC_FATE_DIVERGED)
            counts->failed++;
        else
            counts->open++;
    }
}

/* What is known for sure, and for sure the contrary. */
static void weigh(wac_finding *finding, const counts *counts)
{
    bool solved = counts->solved > 0, failed = counts->failed > 0, open = counts->open > 0;
    bool sure = false, contrary = false;
    switch (finding->rule) {
    case WAC_RULE_NEVER:
        sure = !solved && !open;
        contrary = solved;
        break;
    case WAC_RULE_ALL:
        sure = !failed && !open;
        contrary = failed;
        break;
    case WAC_RULE_SOME:
        sure = solved && failed;
        contrary = !open && !sure;
        break;
    default:
        sure = solved;
        contrary = !open && !solved;
    }
    finding->p_for = sure ? 0 : 1;
    finding->p_against = contrary ? 0 : 1;
    finding->leaning = sure       ? WAC_VERDICT_HOLDS
                       : contrary ? WAC_VERDICT_FAILS
                                  : WAC_VERDICT_UNDECIDED;
}

wac_status wac_rule_counts(const wac_case *at)
{
    for (int i = 0; i < at->part->who_count; i++) {
        const wac_condition *who = &at->part->who[i];
        wac_finding finding = wac_case_begin(at, who, NULL);
        counts counts = {0};
        for (size_t g = 0; g < at->plan->group_count; g++)
            if (wac_case_means(at, &at->plan->groups[g], who)) {
                count_group(&counts, &at->plan->groups[g]);
                wac_case_count(&finding, &at->plan->groups[g]);
            }
        if (finding.planned == 0) {
            WAC_TRY(wac_case_lack(at, "no run of %s", finding.who));
            continue;
        }
        wac_interval share = wac_interval_share(counts.solved, counts.solved + counts.failed);
        finding.estimate = share.value;
        finding.low = share.low;
        finding.high = share.high;
        weigh(&finding, &counts);
        wac_finding_add(&finding, "%s: %s solves it in %zu of %zu run%s", at->place, finding.who,
                        counts.solved, counts.solved + counts.failed,
                        counts.solved + counts.failed == 1 ? "" : "s");
        if (counts.solved + counts.failed)
            wac_finding_add(&finding, ", a share of %s to %s (exact 95 %% interval)",
                            WAC_DIGITS(share.low), WAC_DIGITS(share.high));
        WAC_TRY(wac_case_end(at, &finding));
    }
    return WAC_STATUS_OK;
}
