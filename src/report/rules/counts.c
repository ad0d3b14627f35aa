/* Counting runs that solve a task. A run that has solved it counts, finished or not; one that has
 * not counts as a failure once nothing more can come of it. */
#include "report/rules/counts.h"

#include "base/status.h"
#include "report/names.h"
#include "stats/estimates.h"

#include <math.h>

typedef struct counts {
    size_t solved, failed, open, settings;
    bool aimless; /* nothing says when the task is solved */
} counts;

static void count_group(counts *counts, const wac_planned_group *group)
{
    counts->settings++;
    for (size_t i = 0; i < group->count; i++) {
        const wac_planned_run *run = &group->runs[i];
        double epoch = wac_planned_value(run, WAC_MEASURE_SOLVED, run->config->epochs);
        counts->aimless |= run->fate == WAC_FATE_FINISHED && isnan(epoch);
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

/* Runs of one seed under several settings are not independent: then the share has no interval. */
static void describe(wac_finding *finding, const wac_case *at, const counts *counts)
{
    size_t known = counts->solved + counts->failed;
    wac_interval share = wac_interval_share(counts->solved, known);
    char place[WAC_PRETTY];
    wac_finding_add(finding, "%.100s: %s solves it in %zu of %zu run%s",
                    wac_pretty_environment(place, at->place), finding->who, counts->solved, known,
                    known == 1 ? "" : "s");
    finding->estimate = share.value;
    if (counts->settings > 1) {
        wac_finding_add(finding, " under %zu settings", counts->settings);
    } else if (known) {
        finding->low = share.low;
        finding->high = share.high;
        wac_finding_add(finding, " (exact 95 %% interval of the share: %s to %s)",
                        WAC_DIGITS(share.low), WAC_DIGITS(share.high));
        /* what so few runs cannot tell */
        if (finding->rule == WAC_RULE_NEVER && counts->solved == 0)
            wac_finding_add(finding, "; in none of these, but up to %.0f %% of runs may",
                            100 * share.high);
        else if (finding->rule == WAC_RULE_ALL && counts->failed == 0)
            wac_finding_add(finding, "; in all of these, but up to %.0f %% of runs may not",
                            100 * (1 - share.low));
    }
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
            WAC_TRY(wac_case_lack(at, &finding, "no run of %s is planned", finding.who));
        } else if (counts.aimless) {
            WAC_TRY(wac_case_lack(at, &finding, "nothing says when a run has solved it"));
        } else {
            weigh(&finding, &counts);
            describe(&finding, at, &counts);
            WAC_TRY(wac_case_end(at, &finding));
        }
    }
    return WAC_STATUS_OK;
}
