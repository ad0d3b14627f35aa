/* What `wac report` and `wac reproduce` share: making a report and telling what came out. */
#ifndef WAC_CLI_TERMINAL_REPORT_VIEW_H
#define WAC_CLI_TERMINAL_REPORT_VIEW_H

#include "report/report.h"

typedef struct cli_report_plan {
    const char *const *runs; /* folders and tables, null after the last */
    const char *out;
    const wac_experiment *experiment; /* null: no claims */
    int scale;                        /* -1: the one that most runs belong to */
    const char *command;              /* for the page */
    const char *csv;                  /* as in wac_report_options */
    wac_figure_look look;
    int (*begin)(void); /* before the first file is written; not 0: no report. May be null */
} cli_report_plan;

/* Read the runs at or below the folders and in the tables, write the report, print verdicts and the
 * page's path. Notes on stderr what was left out. An exit status. */
int cli_report_make(const cli_report_plan *plan);

/* A claim with its verdict and what the numbers point towards, as rows of a table. */
void cli_print_claim(int number, const char *says, const wac_judgement *judgement);

#endif
