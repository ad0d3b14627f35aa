/* What the commands that run sweeps share; ints are exit statuses. */
#ifndef WAC_CLI_SWEEP_RUN_H
#define WAC_CLI_SWEEP_RUN_H

#include "sweep/execute.h"

#include <limits.h>

/* Where runs go: `out`, or parent/FILE without its folders and ending. */
void cli_sweep_directory(char directory[PATH_MAX], const char *out, const char *parent,
                         const char *file);

/* What --KEY VALUE gave, in the order of wac_settings. */
int cli_read_given(wac_given *given, const char *const *values);

/* "3/12", the third of twelve shares. Says what is wrong. */
int cli_read_share(wac_sweep_share *share, const char *text);

/* List what would be done and, on the CPU, estimate how long it takes. Of several ranks the first
 * does that. */
int cli_sweep_dry_run(const wac_sweep *sweep, const char *directory,
                      const wac_sweep_options *options);

/* Execute a sweep with a display on stderr, and say how it ended; `command` is what goes on with
 * it. Fills in the options for that. *speaks: this is the rank that may say more, and all runs have
 * ended, so that there is more to say. */
int cli_sweep_run(const wac_sweep *sweep, const char *directory, wac_sweep_options *options,
                  const char *command, bool *speaks);

#endif
