/* Claims against runs: does what the paper says hold here?
 *
 * A part of a claim is judged in each task by itself, and for each pair of algorithms that it
 * names: that is a finding. A claim is the conjunction of its findings: it fails if one fails, else
 * it is undecided if one is. Only finished runs count, and with fewer than WAC_SEEDS_ENOUGH seeds
 * nothing is decided; `leaning` is what the numbers by themselves would say.
 *
 *   rises-with, falls-with  Page's trend test over seeds, p < .05. A seed is a block; its value at
 *                           a setting is averaged over whatever else varies
 *   not-monotone            that test finds no trend either way, or neighbouring settings differ
 *                           against the trend (as ahead-of has it)
 *   ahead-of                the probability of improvement has its lower 95 % bound above .5
 *   faster                  the same of the epoch of first success (never: the last + 1)
 *   less-spread             the bootstrap 95 % interval of the difference of standard deviations
 *                           lies below 0
 *   level                   the 95 % interval of the difference of interquartile means holds 0
 *   never, some, any, all   of n runs 0; neither 0 nor n; at least 1; n solve the task
 *   correlation             Spearman's over the cells of state and action, of what the agent is
 *                           unsure of and where it went: its mean over runs is below (above) a
 *                           number
 */
#ifndef WAC_REPORT_JUDGE_H
#define WAC_REPORT_JUDGE_H

#include "report/experiment.h"

typedef enum wac_verdict {
    WAC_VERDICT_HOLDS,
    WAC_VERDICT_FAILS,
    WAC_VERDICT_UNDECIDED,
} wac_verdict;

const char *wac_verdict_name(wac_verdict verdict); /* "holds" */

typedef struct wac_finding {
    wac_verdict verdict, leaning;
    size_t seeds;   /* the fewest of those that were compared */
    char text[640]; /* what was compared, the numbers, the number of seeds */
} wac_finding;

typedef struct wac_judgement {
    wac_verdict verdict, leaning;
    wac_finding *findings; /* [count], at least one */
    size_t count;
} wac_judgement;

/* Judge one claim. On failure (memory) there is nothing to free. */
wac_status wac_claim_judge(wac_judgement *judgement, const wac_claim *claim,
                           const wac_selection *selection, wac_error *error);
void wac_judgement_free(wac_judgement *judgement);

#endif
