/* How a sweep looks: on a terminal one live table of what runs; else a line for every run that
 * ends. */
#ifndef WAC_CLI_TERMINAL_SWEEP_VIEW_H
#define WAC_CLI_TERMINAL_SWEEP_VIEW_H

#include "sweep/execute.h"

#include <stdio.h>

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

#endif
