/* Inside a run. Its state is what a checkpoint holds: position, counters, coverage, visits,
 * accumulators, world; plus the agent's own. */
#ifndef WAC_RUN_INTERNAL_H
#define WAC_RUN_INTERNAL_H

#include "base/threads.h"
#include "env/world.h"
#include "rl/agent.h"
#include "run/best.h"
#include "run/maps.h"
#include "run/visits.h"
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
    int64_t episode_steps;                       /* of the first walk's episode */
    int64_t explore_episodes, explore_successes; /* finished in this epoch's exploration */
    int64_t world_counter;                       /* of the first walk's rng */
} wac_position;

/* Sums and last values, saved as one array of doubles, in this order. */
typedef struct wac_sums {
    double episode_return;  /* of the first walk's episode */
    double explore_returns; /* of the episodes finished in this epoch's exploration */
    double q_mean, sigma_visited, sigma_uniform; /* of the last update; NaN before it */
    double eval_return, eval_success;            /* of the last evaluation; NaN before it */
} wac_sums;

/* Of the last update: the errors of means, stds, stds on synthetic pairs, and the policies'
 * objectives, as in wac_losses. Saved as one array. */
enum { WAC_RUN_LOSSES = 5 };

enum { WAC_WALK_BITS = 48 }; /* of the counter of a walk's random numbers; its place is above */

/* A world that is explored, where its episode stands, and the step that it is at. */
typedef struct wac_walk {
    wac_world *world;
    wac_rng rng;
    int64_t steps;                                 /* of the present episode, … */
    double sum;                                    /* … and its rewards */
    float observation[WAC_ENVIRONMENT_DIMENSIONS]; /* what the agent sees now */
    float action[WAC_ENVIRONMENT_DIMENSIONS], next[WAC_ENVIRONMENT_DIMENSIONS];
    wac_step step;
    wac_status status;
    wac_error error;
} wac_walk;

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
    wac_agent *agent; /* may have other runs' seats, too; … */
    int seat;
    bool owns_agent;                     /* … then it is not this run's to destroy */
    wac_walk *walks;                     /* [config.worlds] */
    wac_world *world, *evaluation_world; /* that of the first walk; one of its own */
    wac_team *team;                      /* steps the worlds of several walks; null: the caller */
    wac_position position;
    wac_sums sums;
    double losses[WAC_RUN_LOSSES]; /* NaN before the first update */
    wac_best best;
    bool bettered; /* by the last evaluation */
    wac_coverage sampled;
    wac_visits visits[WAC_POLICY_TOTAL]; /* exploring; of the target policy, in evaluations */
    wac_progress progress;               /* as of the last row, or the one to come */
    wac_maps *maps;                      /* null: none are kept */
    int events_file;                     /* descriptor of TensorBoard's; -1: none */
    bool row_due;                        /* it waits for its evaluation */
    bool peeks;                          /* the replay is not to be loaded */
    bool lacks_replay;                   /* the checkpoint that was loaded */
    int64_t epochs_before;               /* in config.yaml; -1: there is none yet */
    int progress_file;                   /* descriptor of progress.csv */
    uint64_t rows_sum;                   /* of its rows (wac_progress_add) */
    wac_checksum noted_rows;             /* by the checkpoint that was loaded; empty: not told */
    double seconds_before;               /* training time of earlier processes */
    double start, reported, phase_start; /* wac_clock_seconds */
    double spent[WAC_PHASES];            /* seconds of this process in each phase */
    bool done;                           /* how training goes: all of it is done … */
    wac_status status;                   /* … or it ends for this reason */
    wac_error error;
};

/* Two halves of wac_run_create (config null: of wac_run_resume), for runs that share an agent. The
 * first has the settings and worlds, and of a run that is there the lock; the second gives the run
 * its seat in an agent made for it, and makes or opens its files. After a failure the run can only
 * be destroyed; the agent is to be destroyed after its runs. */
wac_status wac_run_prepare(wac_run **run, const wac_config *config,
                           const wac_environment_type *type, const char *directory,
                           const wac_run_options *options, int64_t epochs, wac_error *error);
wac_status wac_run_sit(wac_run *run, wac_agent *agent, int seat, wac_error *error);

/* wac_run_open for whoever looks again and again: without the replay, which is by far the most of a
 * checkpoint. */
wac_status wac_run_peek(wac_run **run, const char *directory, wac_error *error);

/* Whether somebody has the run in a folder open this moment. */
bool wac_run_is_in_use(const char *directory);

#endif
