/* Events: the columns of progress.csv, losses, uncertainty and maps of a run as TensorBoard reads
 * them, one event a row, in the folder of the run. Optional, and of no account to training. What is
 * lost of the file, or cut, is made up from progress.csv. */
#ifndef WAC_RUN_EVENTS_H
#define WAC_RUN_EVENTS_H

#include "wac/run.h"

/* Whether they are asked for, or there are some already. */
bool wac_events_are_kept(const wac_run *run);

/* If so: open the file, cut to the rows of the position, or begin one; rows that it lacks are added
 * from the table. */
wac_status wac_events_open(wac_run *run, wac_error *error);

/* The row that was just written to the table. */
wac_status wac_events_append(wac_run *run, wac_error *error);

wac_status wac_events_sync(const wac_run *run, wac_error *error);
void wac_events_close(wac_run *run);

#endif
