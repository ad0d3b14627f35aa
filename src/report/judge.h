/* Claims against runs: does what the paper says hold here?
 *
 * A part of a claim is judged in each task by itself, and for each pair that it names: that is a
 * finding, with the evidence for it and the evidence of the contrary, both as one-sided p-values. A
 * claim
 *
 *   holds      if there is evidence for every finding, each at its level (2.5 %, spreads 1 %)
 *   fails      if there is evidence against one of them, after Holm's correction over all, or a
 *              counterexample where it says never or all
 *   undecided  else: because seeds are too few, or runs are missing
 *   not run    if none of its findings has been looked for
 *
 * so that lack of evidence is never reported as evidence of the contrary. Planned runs count, not
 * finished ones: one that diverged is the worst of its group, one that is missing leaves a finding
 * undecided unless the others decide it whatever it brings. Fewer than WAC_SEEDS_ENOUGH seeds
 * decide nothing. Values under several settings are compared within each setting and never pooled;
 * runs of different length are cut to the shorter one. docs/experiments.md has the rules.
 */
#ifndef WAC_REPORT_JUDGE_H
#define WAC_REPORT_JUDGE_H

#include "report/experiment.h"
#include "report/plan.h"

typedef enum wac_verdict {
    WAC_VERDICT_HOLDS,
    WAC_VERDICT_FAILS,
    WAC_VERDICT_UNDECIDED,
    WAC_VERDICT_NOT_RUN, /* of an experiment that nobody has run: on the scoreboard alone */
    WAC_VERDICT_TOTAL,
} wac_verdict;

const char *wac_verdict_name(wac_verdict verdict); /* "holds" */

#define WAC_LEVEL 0.025       /* one-sided, of every rule but one */
#define WAC_LEVEL_SPREAD 0.01 /* of less-spread, whose test is not quite exact … */
enum { WAC_SEEDS_SPREAD = 10, /* … and needs so many */ WAC_SEEDS_MOST = 100 };

typedef struct wac_finding {
    wac_verdict verdict;
    wac_verdict leaning; /* what the numbers point to where they do not decide */
    wac_rule rule;
    char place[WAC_WHERE_TEXT];                     /* the environment */
    char who[WAC_WHERE_TEXT], than[WAC_WHERE_TEXT]; /* than: empty where there is none */
    char measure[WAC_WHERE_TEXT];
    double estimate, low, high; /* what is estimated, with its 95 % interval; NaN: nothing is */
    double p_for, p_against;
    double p_corrected; /* p_against after Holm's correction over the claim's findings */
    double level;       /* of p_for */
    bool counts;        /* false: too few seeds, or too little to see, whatever the p-values */
    int64_t epochs;     /* that were compared */
    size_t seeds;       /* planned in the smallest group */
    size_t planned, finished, missing;     /* runs that it is about */
    char absent[2 * WAC_SWEEP_FOLDER + 4]; /* folders of the first two that are missing */
    size_t seeds_needed; /* where seeds are too few: would probably decide it; 0: not known; more
                            than WAC_SEEDS_MOST: more than those */
    char text[768];      /* all of this in words, but for what would decide it */
} wac_finding;

/* What an undecided finding waits for, in words: "20 seeds would probably decide it", "waits for
 * lqg/sac/seed-3"; empty where nobody knows, or where it is decided. */
enum { WAC_OUTLOOK = 640 };
const char *wac_finding_outlook(char text[WAC_OUTLOOK], const wac_finding *finding);

typedef struct wac_judgement {
    wac_verdict verdict, leaning;
    wac_finding *findings; /* [count], at least one */
    size_t count;
} wac_judgement;

/* Judge one claim. On failure (memory) there is nothing to free. */
wac_status wac_claim_judge(wac_judgement *judgement, const wac_claim *claim, const wac_plan *plan,
                           wac_error *error);
void wac_judgement_free(wac_judgement *judgement);

/* All claims of an experiment. On failure there is nothing to free. */
wac_status wac_claims_judge(wac_judgement **judgements, const wac_experiment *experiment,
                            const wac_plan *plan, wac_error *error);
void wac_judgements_free(wac_judgement *judgements, size_t count);

/* What an undecided claim waits for, over all of its findings: "runs are missing; needs about
 * 20 seeds". */
const char *wac_judgement_outlook(char text[WAC_OUTLOOK], const wac_judgement *judgement);

/* The verdicts over the findings that there are: of one claim, or of all that several experiments
 * say of it. */
wac_status wac_judgement_conclude(wac_judgement *judgement, wac_error *error);

#endif
