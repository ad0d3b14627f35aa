/* Replays a recording of an environment and says how far ours is from it.
 *
 * A recording (CSV) holds what went into each step, chance included, and what must come out. Its
 * columns tell what kind it is. A run has its start in a JSON file beside it. docs/verify.md
 * describes the kinds.
 */
#ifndef WAC_VERIFY_ENV_H
#define WAC_VERIFY_ENV_H

#include "wac/env.h"

typedef struct wac_env_report {
    const char *kind; /* "steps", … */
    size_t rows;      /* compared */
    double error;     /* the worst, absolute, over all rows and columns … */
    double tolerance; /* … what it may be … */
    char column[32];  /* … and where it is */
    size_t row;       /* from 0 */
    bool passed;
} wac_env_report;

/* `type` is one of the library's own, set up by its preset. */
wac_status wac_verify_env(wac_env_report *report, const wac_environment_type *type,
                          const char *path, wac_error *error);

#endif
