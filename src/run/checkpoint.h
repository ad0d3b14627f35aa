/* The checkpoint of a run: saved whole, loaded whole. */
#ifndef WAC_RUN_CHECKPOINT_H
#define WAC_RUN_CHECKPOINT_H

#include "wac/run.h"

/* `last`: of this run, or of this process; it holds the replay unless the run keeps none. */
wac_status wac_checkpoint_save(wac_run *run, bool last, wac_error *error);

/* WAC_STATUS_OK and *found = false where there is none yet. One without a replay can be loaded
 * where the run's settings make such ones; run->lacks_replay tells. */
wac_status wac_checkpoint_load(wac_run *run, bool *found, wac_error *error);

/* How many rows of progress.csv the checkpoint of a run counts; false where none can be read. */
bool wac_checkpoint_rows(int64_t *rows, const char *directory);

/* Whether the run in a folder can go on to so many epochs; false: it can only begin anew, since its
 * checkpoint holds no replay. */
bool wac_checkpoint_goes_on(const char *directory, int64_t epochs);

#endif
