/* The checkpoint of a run: saved whole, loaded whole. */
#ifndef WAC_RUN_CHECKPOINT_H
#define WAC_RUN_CHECKPOINT_H

#include "wac/run.h"

wac_status wac_checkpoint_save(wac_run *run, wac_error *error);

/* WAC_STATUS_OK and *found = false where there is none yet. */
wac_status wac_checkpoint_load(wac_run *run, bool *found, wac_error *error);

/* How many rows of progress.csv the checkpoint of a run counts; false where none can be read. */
bool wac_checkpoint_rows(int64_t *rows, const char *directory);

#endif
