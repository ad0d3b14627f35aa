/* Runs: an agent, its world, and a directory of plain files that grows with them.
 *
 *   config.yaml     every setting that the run reads
 *   manifest.json   version, machine, times
 *   progress.csv    one row an epoch
 *   maps.bin        one map an epoch, where they are asked for
 *   checkpoint/     everything that is needed to go on, as safetensors
 */
#ifndef WAC_RUN_H
#define WAC_RUN_H

#include "wac/agent.h"
#include "wac/env.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wac_run wac_run;

/* Where a run stands: the columns of progress.csv (docs/metrics.md), as of the last evaluation, and
 * how far this epoch is. What has no meaning is NaN. */
typedef struct wac_progress {
    int64_t epoch, epochs;
    int64_t env_steps; /* steps of exploration so far */
    int64_t updates;   /* updates so far */
    double eval_return, eval_success;
    int64_t eval_episodes;
    double coverage_sampled, coverage_visited;
    double alpha, q_mean, sigma_visited, sigma_uniform;
    double seconds;
    int64_t explore_episodes; /* finished while exploring, in the epoch before */
    double explore_return, explore_success;
    int64_t epoch_updates, epoch_updates_due; /* updates of this epoch */
    bool is_row;                              /* this is the row just written to progress.csv */
} wac_progress;

typedef struct wac_run_options {
    wac_device device;
    int threads;   /* 0: one */
    int first_cpu; /* see wac_agent_create */
    wac_log log;
    /* called after every row and about ten times a second in between; null: never */
    void (*progress)(void *user, const wac_progress *progress);
    void *user;
    /* keep a map of each epoch, too (maps.bin, docs/format.md); a run that has them goes on with
     * them in any case */
    bool maps;
    bool tensorboard; /* the same of events for TensorBoard (docs/watch.md) */
    const char *from; /* of a new run: the run whose agent it begins with; null: untrained */
    bool best;        /* the agent of a run to be used, or of `from`, is that of its best evaluation
                       * (setting keep_best), not the last */
    /* once this is not zero the run saves itself and returns WAC_STATUS_INTERRUPTED; may be null */
    const volatile int *stop;
} wac_run_options;

WAC_API wac_run_options wac_run_options_default(void);

/* Start a run in a directory that is new or empty. `type` null: the library's own world
 * of config->environment. Then train, then destroy. */
WAC_API wac_status wac_run_create(wac_run **run, const wac_config *config,
                                  const wac_environment_type *type, const char *directory,
                                  const wac_run_options *options, wac_error *error);

/* Open a run as its last checkpoint left it, to train on: progress.csv is cut back to that moment,
 * and what follows is what an uninterrupted run would have done, to the byte. `epochs` replaces the
 * run's number of epochs; 0 keeps it. A run that another process trains is refused, and so is one
 * whose checkpoint holds no replay (setting replay_checkpoint), unless all updates are done. */
WAC_API wac_status wac_run_resume(wac_run **run, const char *directory,
                                  const wac_environment_type *type, const wac_run_options *options,
                                  int64_t epochs, wac_error *error);

/* Open a run as its last checkpoint left it, to be used, not trained: its files are only read, and
 * another process may be training it. */
WAC_API wac_status wac_run_open(wac_run **run, const char *directory,
                                const wac_environment_type *type, const wac_run_options *options,
                                wac_error *error);

/* Train until the last epoch (or success, or interruption). Files are whole at any moment. */
WAC_API wac_status wac_run_train(wac_run *run, wac_error *error);

WAC_API void wac_run_destroy(wac_run *run);

/* What a policy does (its mean), and what the critics believe of a pair, in the world's own units:
 * observation [observation_size], action [action_size]. std may be null, and is NaN where the agent
 * does not know it (wac_agent_has_std). */
WAC_API void wac_run_act(wac_run *run, wac_policy_role role, const double *observation,
                         double *action);
WAC_API void wac_run_value(wac_run *run, const double *observation, const double *action,
                           double *mean, double *std);

/* How whole episodes went. */
typedef struct wac_evaluation {
    int64_t episodes; /* finished ones; an unfinished last one is left out of everything */
    int64_t steps;    /* in them */
    double mean_return, std_return, smallest_return, largest_return; /* NaN without an episode */
    double success; /* share of episodes that reached the goal; NaN in worlds without one */
} wac_evaluation;

/* Play episodes: of a policy's means, or of samples from it. The seed decides all chance. The
 * options' `stop` is heeded (WAC_STATUS_INTERRUPTED). */
WAC_API wac_status wac_run_evaluate(wac_evaluation *evaluation, wac_run *run, wac_policy_role role,
                                    bool sampled, int64_t episodes, int64_t seed, wac_error *error);

/* The parts: agent, settings, sizes and bounds of the world, and the mapping between the world's
 * units and those of the agent (wac/agent.h). */
WAC_API wac_agent *wac_run_agent(wac_run *run);
WAC_API const wac_config *wac_run_config(const wac_run *run);
WAC_API const wac_environment_spec *wac_run_spec(const wac_run *run);
WAC_API void wac_run_to_agent(const wac_run *run, const double *observation, float *mapped);
WAC_API void wac_run_to_world(const wac_run *run, const float *action, double *mapped);

#ifdef __cplusplus
}
#endif
#endif
