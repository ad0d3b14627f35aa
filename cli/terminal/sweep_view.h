/* How a sweep looks: on a terminal one live table of what runs; else a line for every run that
 * ends. */
#ifndef WAC_CLI_TERMINAL_SWEEP_VIEW_H
#define WAC_CLI_TERMINAL_SWEEP_VIEW_H

#include "cli.h"

#include "sweep/sweep.h"

#include <limits.h>

typedef struct cli_sweep_view {
    FILE *stream;
    bool live;         /* a terminal */
    int shown;         /* lines of the table that stand there; the cursor is behind the last */
    bool begun;        /* it has seen the sweep once */
    double first_work; /* that was done when it did */
} cli_sweep_view;

cli_sweep_view cli_sweep_view_make(FILE *stream);

/* The wac_sweep_options callback; user is a cli_sweep_view. */
void cli_sweep_view_show(void *user, const wac_sweep_view *view, size_t changed);

/* Take the table away. */
void cli_sweep_view_end(cli_sweep_view *view);

/* For a whole sweep: "12 seconds", "5 minutes", "3.5 hours", "2.1 days" */
void cli_format_duration(char text[48], double seconds);

/* --- sweep_run.c ----------------------------------------------------------------------------- */

/* Of several ranks the first speaks: the others' stderr goes nowhere. */
void cli_sweep_quiet_ranks(void);

/* Where runs go: `out`, or parent/FILE without its folders and ending. */
void cli_sweep_directory(char directory[PATH_MAX], const char *out, const char *parent,
                         const char *file);

/* List what would be done and estimate how long it takes; workers 0: one a processor. */
int cli_sweep_dry_run(const wac_sweep *sweep, const char *directory, int workers);

/* Execute a sweep with a display on stderr, and say how it ended; `command` is what goes on with
 * it. Fills in the options for that. *speaks: this is the rank that may say more. */
int cli_sweep_run(const wac_sweep *sweep, const char *directory, wac_sweep_options *options,
                  const char *command, bool *speaks);

#endif
