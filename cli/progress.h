/* How a run's progress looks: on a terminal one live line with a bar, else a plain line an epoch. */
#ifndef WAC_CLI_PROGRESS_H
#define WAC_CLI_PROGRESS_H

#include "cli.h"

typedef struct cli_progress {
    FILE *stream;
    bool live;               /* a terminal */
    bool shown;              /* a bar stands on the present line */
    int64_t epochs;
    double first_seconds;    /* when this process began … */
    double first_work;       /* … and how many epochs were done by then */
    int64_t first_updates;
    bool begun;
} cli_progress;

cli_progress cli_progress_make(FILE *stream);

/* The wac_run_options callback; user is a cli_progress. */
void cli_progress_show(void *user, const wac_progress *progress);

/* Leave the bar's line, if there is one. */
void cli_progress_end(cli_progress *display);

/* "1:05" or "2:03:00" */
void cli_format_seconds(char text[24], double seconds);

/* Ask a run to stop at Ctrl-C or SIGTERM; the flag for wac_run_options.stop. A second Ctrl-C ends
 * the program at once (the last checkpoint stays whole). */
const volatile int *cli_stop_on_signals(void);

#endif
