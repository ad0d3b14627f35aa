/* What a run writes down while it trains: a row of progress.csv after every evaluation, and its
 * time in the manifest. */
#ifndef WAC_RUN_LOG_H
#define WAC_RUN_LOG_H

#include "wac/run.h"

/* Note in the manifest how long the run has trained, and whether it is finished. */
wac_status wac_runlog_note_time(const wac_run *run, bool finished, wac_error *error);

/* Note how it left the finite numbers: it would again, so whoever judges runs counts it as lost. */
void wac_runlog_note_divergence(const wac_run *run, const char *how);

/* Refuses a run without a checkpoint whose progress.csv shows that there was one: what it has must
 * not be overwritten. */
wac_status wac_runlog_check_fresh(const char *directory, wac_error *error);

/* Fails with what is wrong with progress.csv; of wrong input with the way out, too. */
wac_status wac_runlog_fail(wac_error *error, wac_status status, const char *directory,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Open progress.csv for appending, cut to the rows of the position. */
wac_status wac_runlog_open(wac_run *run, wac_error *error);
wac_status wac_runlog_append(wac_run *run, wac_error *error);
wac_status wac_runlog_sync(const wac_run *run, wac_error *error);

/* Refuses the text of a table whose first `rows` rows are not those that the checkpoint counts. */
wac_status wac_runlog_check_rows(const wac_run *run, const char *text, int64_t rows,
                                 wac_error *error);

/* Whether opening mends this progress.csv: only its last line is cut, behind all that the
 * checkpoint counts. */
bool wac_runlog_is_mendable(const char *text, size_t size, const char *directory);

#endif
