/* How progress looks: on a terminal live lines with a bar, one for each run; else a plain line an
 * epoch. */
#ifndef WAC_CLI_TERMINAL_PROGRESS_H
#define WAC_CLI_TERMINAL_PROGRESS_H

#include "wac/wac.h"

#include <stdio.h>

enum {
    CLI_PROGRESS_ROWS = 8, /* most bars at once */
    CLI_PICTURE_LINES = 16,
    CLI_PICTURE_COLUMNS = 75,
};

/* What runs have seen, in characters, below their bars. */
typedef struct cli_picture {
    int lines;
    char text[CLI_PICTURE_LINES][CLI_PICTURE_COLUMNS + 1];
} cli_picture;

/* One run: what it told last, and where it stood when this process took it up. */
typedef struct cli_meter {
    const char *name; /* shown in front; null where there is only one run */
    bool begun;       /* it has told something */
    bool over;        /* it trains no more */
    wac_progress latest;
    double first_seconds, first_work; /* work is counted in epochs */
    int64_t first_updates;
} cli_meter;

void cli_meter_update(cli_meter *meter, const wac_progress *progress);

/* A line "name  epoch 3/30  return 0.15  visited 0.12 …" */
void cli_meter_print(const cli_meter *meter, FILE *stream);

/* The place where lines are drawn. */
typedef struct cli_progress {
    FILE *stream;
    bool live; /* a terminal */
    int shown; /* lines that stand on the terminal; the cursor is behind the last */
    int widths[CLI_PROGRESS_ROWS + CLI_PICTURE_LINES];
    int columns;     /* of the terminal when they were drawn */
    cli_meter meter; /* of the only run, for cli_progress_show */
} cli_progress;

cli_progress cli_progress_make(FILE *stream);

/* The wac_run_options callback for a single run; user is a cli_progress. */
void cli_progress_show(void *user, const wac_progress *progress);

/* Draw the bars of some runs in place of the ones that stand there (same count each time), and a
 * picture below them if there is one and the terminal has room for it. Only for a live display. */
void cli_progress_draw(cli_progress *display, const cli_meter *meters, int count,
                       const cli_picture *picture);

/* Leave the bars' lines, if there are any. */
void cli_progress_end(cli_progress *display);

/* Epochs done, the present one in part. */
double cli_progress_work(const wac_progress *progress);

/* "1:05" or "2:03:00" */
void cli_format_seconds(char text[24], double seconds);

/* Ask a run to stop at Ctrl-C or SIGTERM; the flag for wac_run_options.stop. A second Ctrl-C ends
 * the program at once, with these last words on stderr. */
const volatile int *cli_stop_on_signals(const char *last_words);

/* What a second Ctrl-C says of training. */
#define CLI_STOPPED_AT_ONCE "stopped at once; the last checkpoint, if there was one, is whole"

/* Raise the same flag without a signal, from any thread. */
void cli_stop(void);

#endif
