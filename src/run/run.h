/* Inside a run. Its state is what a checkpoint holds: position, counters, coverage, accumulators,
 * world; plus the agent's own. */
#ifndef WAC_RUN_INTERNAL_H
#define WAC_RUN_INTERNAL_H

#include "env/world.h"
#include "rl/agent.h"
#include "run/coverage.h"
#include "wac/run.h"

#include <limits.h>

/* Where the run is, in whole numbers: saved as one array, in this order. */
typedef struct wac_position {
    int64_t epoch;
    int64_t started;                             /* 1 once the initial exploration is over */
    int64_t evaluated;                           /* 1 once this epoch's row is written */
    int64_t explored;                            /* steps of the present exploration */
    int64_t updated;                             /* updates of this epoch */
    int64_t env_steps, updates;                  /* of the whole run */
    int64_t rows;                                /* of progress.csv */
    int64_t episode_steps;                       /* of the present episode */
    int64_t explore_episodes, explore_successes; /* finished in this epoch's exploration */
    int64_t world_counter;                       /* of world_rng */
} wac_position;

/* Sums and last values, saved as one array of doubles, in this order. */
typedef struct wac_sums {
    double episode_return;  /* of the present episode */
    double explore_returns; /* of the episodes finished in this epoch's exploration */
    double q_mean, sigma_visited, sigma_uniform; /* of the last update; NaN before it */
    double eval_return, eval_success;            /* of the last evaluation; NaN before it */
} wac_sums;

/* What training spends its time on. */
typedef enum wac_phase {
    WAC_PHASE_EXPLORE,
    WAC_PHASE_UPDATE,
    WAC_PHASE_CHECKPOINT,
    WAC_PHASE_EVALUATE,
    WAC_PHASE_LOG,
    WAC_PHASES,
} wac_phase;

struct wac_run {
    char directory[PATH_MAX];
    int lock; /* descriptor of the directory, held while the run is open */
    wac_config config;
    wac_run_options options;
    wac_agent *agent;
    wac_world *world, *evaluation_world;
    wac_rng world_rng;
    wac_position position;
    wac_sums sums;
    wac_coverage sampled, visited;
    float observation[WAC_ENVIRONMENT_DIMENSIONS]; /* what the agent sees now */
    wac_progress progress;                         /* as of the last row */
    int progress_file;                             /* descriptor of progress.csv */
    double seconds_before;                         /* training time of earlier processes */
    double start, reported, phase_start;           /* wac_clock_seconds */
    double spent[WAC_PHASES];                      /* seconds of this process in each phase */
};

#endif
