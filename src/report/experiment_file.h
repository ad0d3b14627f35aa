/* Experiment files (docs/experiments.md): YAML in, checked data out. */
#ifndef WAC_REPORT_EXPERIMENT_FILE_H
#define WAC_REPORT_EXPERIMENT_FILE_H

#include "report/experiment.h"

/* The experiment of a file's text, which is taken over (from malloc, with a 0 behind it), also when
 * that fails; `file` stands for it in messages. Every run of every scale is checked. On failure
 * there is nothing to free. */
wac_status wac_experiment_parse(wac_experiment **experiment, char *text, size_t size,
                                const char *name, const char *file, wac_error *error);

#endif
