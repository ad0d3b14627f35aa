/* Sweep files as their two readers need them: a sweep takes every combination of what is listed, a
 * search (tune.h) may draw some of them instead. */
#ifndef WAC_SWEEP_FILE_H
#define WAC_SWEEP_FILE_H

#include "run/columns.h"
#include "sweep/sweep.h"

/* What a search file says beyond a sweep. */
typedef struct wac_search {
    int64_t samples; /* settings drawn for each environment and algorithm; 0: all combinations */
    int64_t seed;    /* of the draws */
    wac_column measure;
    int64_t last; /* rows at the end of progress.csv that it is averaged over */
} wac_search;

/* wac_sweep_parse; with `search` for the file of a search, which is filled in. */
wac_status wac_sweep_file_parse(wac_sweep *sweep, wac_search *search, const char *text, size_t size,
                                const char *name, wac_error *error);
wac_status wac_sweep_file_read(wac_sweep *sweep, wac_search *search, const char *path,
                               wac_error *error);

/* A config in one line of YAML, "{environment: lqg, algorithm: sac, …}": equal configs, equal
 * lines. */
enum { WAC_SWEEP_LINE = 4096 };
void wac_sweep_line(char line[WAC_SWEEP_LINE], const wac_config *config);

/* The name of the first setting in which two such lines differ, with both values, as in "epochs is
 * 30 and not 20"; empty where there is none. */
void wac_sweep_line_difference(char *text, size_t size, const char *line, const char *other);

#endif
