/* Pictures of runs, and the few numbers that tell how a run went. */
#ifndef WAC_DRAW_DEMO_H
#define WAC_DRAW_DEMO_H

#include "wac/base.h"

/* How a run went, from its progress.csv. Epochs are -1 and numbers NaN where there is none. */
typedef struct wac_outcome {
    /* solved: the first return of WAC_RIVERSWIM_SOLVED or, in worlds with a goal, the first success
     * of WAC_GOAL_SOLVED */
    int64_t last_epoch, solved_epoch;
    double last_return, best_return;
    double last_success, best_success;
    double visited; /* coverage_visited at the end */
} wac_outcome;

wac_status wac_outcome_read(wac_outcome *outcome, const char *directory, wac_error *error);

/* The picture of the demo, `path`.png and `path`.svg, from the folders of two finished runs on
 * RiverSwim, one of OE-WAC or ME-WAC and one of SAC. Needs the gnuplot program. */
wac_status wac_figure_demo(const char *wac_directory, const char *sac_directory, const char *path,
                           wac_error *error);

#endif
