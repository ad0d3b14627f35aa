/* The phases of training. An epoch of a run is: evaluate, explore, update; a checkpoint. With an
 * update_interval it explores and updates in several rounds. A phase is one run's own business, so
 * that different runs may be at one in different threads at the same time; only updates are done
 * for all runs of an agent at once (lockstep.h). */
#ifndef WAC_RUN_TRAIN_H
#define WAC_RUN_TRAIN_H

#include "wac/run.h"

/* True where all epochs and the last evaluation are done. */
bool wac_run_is_complete(const wac_run *run);

/* True where all updates are done; the last evaluation may be missing. */
bool wac_run_is_learnt(const wac_run *run);

/* Training time of this and earlier processes. */
double wac_run_seconds(const wac_run *run);

/* The random numbers of the evaluation before an epoch: they follow from seed and epoch alone. */
wac_rng wac_run_evaluation_rng(int64_t seed, int64_t epoch);

/* How many of an epoch's updates so many of its steps bring. */
int64_t wac_updates_after(const wac_config *config, int64_t steps);

/* Before the first phase. */
void wac_train_begin(wac_run *run);

/* Up to the updates of this round; or to the end of the run, if that has come: run->done. `late`:
 * what the row of this epoch tells is taken down, but the evaluation left for later, where that
 * changes nothing. */
wac_status wac_train_explore(wac_run *run, bool late, wac_error *error);

/* The evaluation that was left, if one was, and its row: by weights that are still those of before
 * the updates. It does not stop half-way: a checkpoint could not tell. */
wac_status wac_train_evaluate(wac_run *run, wac_error *error);

/* How many updates of this round are left. Fails where the run was asked to stop. */
wac_status wac_train_updates_left(int64_t *updates, const wac_run *run, wac_error *error);

/* Take in what the agent's last updates did. */
wac_status wac_train_note_updates(wac_run *run, wac_error *error);

/* After its last update. If that was the epoch's last, with a checkpoint, if one is due. */
wac_status wac_train_end_round(wac_run *run, wac_error *error);

/* After the last phase, which returned this status: one that was interrupted is saved. */
wac_status wac_train_end(wac_run *run, wac_status status, wac_error *error);

#endif
