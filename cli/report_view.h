/* What `wac report` and `wac reproduce` share: making a report and telling what came out. */
#ifndef WAC_CLI_REPORT_VIEW_H
#define WAC_CLI_REPORT_VIEW_H

#include "cli.h"

#include "run/report.h"

/* Read the runs at or below a folder, write the report, print verdicts and the page's path. Notes
 * on stderr what was left out. `experiment` null: no claims. scale -1: the one that most runs
 * belong to. An exit status. */
int cli_report_make(const char *runs, const char *out, const wac_experiment *experiment, int scale,
                    const char *command);

#endif
