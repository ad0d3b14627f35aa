/* The state of a run, or of all runs below a folder, in words; returns an exit status. */
#ifndef WAC_CLI_CHECK_RUNS_H
#define WAC_CLI_CHECK_RUNS_H

int cli_check_runs(const char *word);

#endif
