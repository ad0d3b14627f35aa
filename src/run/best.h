/* The agent as its best evaluation found it: kept in memory where the run's settings ask for it
 * (keep_best), saved with every checkpoint, and so resumed with it. */
#ifndef WAC_RUN_BEST_H
#define WAC_RUN_BEST_H

#include "rl/save.h"
#include "wac/run.h"

typedef struct wac_best {
    int64_t epoch;      /* before which it was evaluated */
    double mean_return; /* NaN: there is none yet */
    wac_save_list list; /* its arrays, and these two numbers; empty where nothing is kept */
    char *bytes;        /* of the arrays */
} wac_best;

/* Room for one, if the run keeps one; the run has its seat. */
wac_status wac_best_init(wac_run *run, wac_error *error);
void wac_best_free(wac_best *best);

/* After an evaluation: keep the agent as it is, if that was the best so far. */
wac_status wac_best_note(wac_run *run, bool *better, double mean_return, wac_error *error);

/* Into the folder of a checkpoint, if there is one; and from there. */
wac_status wac_best_save(const wac_run *run, const char *folder, wac_checksum *sum,
                         wac_error *error);
wac_status wac_best_load(wac_run *run, const char *folder, wac_checksum *sum, wac_error *error);

/* Make the run's agent what was kept. */
wac_status wac_best_take(wac_run *run, wac_error *error);

#endif
