/* Sweep files: a sweep takes every combination of what is listed, a search (tune.h) may draw some
 * of them instead. */
#ifndef WAC_SWEEP_FILE_H
#define WAC_SWEEP_FILE_H

#include "run/columns.h"
#include "sweep/list.h"

/* What a search file says beyond a sweep. */
typedef struct wac_search {
    int64_t samples; /* settings drawn for each environment and algorithm; 0: all combinations */
    int64_t seed;    /* of the draws */
    wac_column measure;
    int64_t last; /* rows at the end of progress.csv that it is averaged over */
} wac_search;

/* All runs of a sweep file, in an order that follows from its text alone: environments, then
 * algorithms, settings and seeds, each as it is listed. Every config is checked and no two are the
 * same. `search` is filled in from the file of a search; null: it is that of a sweep. On failure
 * there is nothing to free. */
wac_status wac_sweep_read(wac_sweep *sweep, wac_search *search, const char *path, wac_error *error);

/* The same from memory; `name` stands for the file in messages. */
wac_status wac_sweep_parse(wac_sweep *sweep, wac_search *search, const char *text, size_t size,
                           const char *name, wac_error *error);

#endif
