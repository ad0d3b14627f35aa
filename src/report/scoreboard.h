/* One scoreboard: what the experiments that have been run say of the paper's claims.
 *
 * Every experiment that comes with the program is looked for in the folders, and judged at the
 * scale at which it was run (of several the largest). A claim that two experiments state is judged
 * over both: it holds if all findings of both do, and one that has not been run leaves it
 * undecided. A claim of which no experiment has been run is "not run".
 */
#ifndef WAC_REPORT_SCOREBOARD_H
#define WAC_REPORT_SCOREBOARD_H

#include "report/judge.h"

#include <limits.h>

/* An experiment with claims. */
typedef struct wac_scored {
    wac_experiment *experiment;
    char folder[PATH_MAX]; /* where its runs are; empty: it has not been run */
    wac_scale scale;
    size_t planned, finished; /* runs */
    char **missing;           /* [missing_count], in words */
    size_t missing_count;
    wac_judgement *judgements; /* of its claims; null: it has not been run */
} wac_scored;

/* A claim. */
typedef struct wac_score {
    int number;
    const char *says;
    wac_judgement judgement;      /* over all experiments that state it */
    const wac_scored **judged_by; /* [judgement.count]: the experiment of each finding */
} wac_score;

typedef struct wac_scoreboard {
    wac_scored *experiments; /* [experiment_count], by name */
    size_t experiment_count;
    wac_score *scores; /* [count], by number */
    size_t count;
    wac_scored *others; /* [other_count]: run there, but with none of the paper's claims */
    size_t other_count;
} wac_scoreboard;

/* Of folders that `wac reproduce` made, of folders that hold such, or of runs of any kind. None of
 * the paper's claims in any of them is an error (input). On failure there is nothing to free. */
wac_status wac_scoreboard_make(wac_scoreboard *board, const char *const *folders, size_t count,
                               wac_error *error);
void wac_scoreboard_free(wac_scoreboard *board);

/* How many claims have that verdict. */
size_t wac_scoreboard_count(const wac_scoreboard *board, wac_verdict verdict);

/* "coverage-lqg (paper), coverage-riverswim (not run)": who judged a claim. */
enum { WAC_SCORE_SOURCES = 320 };
const char *wac_score_sources(char text[WAC_SCORE_SOURCES], const wac_score *score);

/* "riverswim (quick) has a claim of its own: holds": of one of the others. */
const char *wac_scored_words(char text[WAC_SCORE_SOURCES], const wac_scored *scored);

#endif
