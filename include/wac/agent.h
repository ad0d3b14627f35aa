/* Agents: networks, replay and the updates of OE-WAC, ME-WAC, SAC, OAC, REDQ, SUNRISE, MaxInfoSAC,
 * SAC with random network distillation, TOP, BRO and SimBa.
 *
 * Actions are single precision and within [-1, 1] throughout; so are observations where the
 * setting `normalisation` is `bounds`: else they come as they are, and with `running` the agent
 * scales them. An agent is used by one thread at a time (it brings its own helpers). Everything is
 * allocated by create.
 */
#ifndef WAC_AGENT_H
#define WAC_AGENT_H

#include "wac/config.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wac_agent wac_agent;

/* WAC learns two policies: the behaviour policy explores, the target policy is evaluated; so does
 * BRO, whose optimist explores. The others have one, which serves as both; SUNRISE one of each
 * member, which act together. */
typedef enum wac_policy_role {
    WAC_POLICY_BEHAVIOUR,
    WAC_POLICY_TARGET,
    WAC_POLICY_TOTAL,
} wac_policy_role;

/* Where updates are computed. Acting is the processor's in any case. */
typedef enum wac_device {
    WAC_DEVICE_CPU,
    WAC_DEVICE_CUDA, /* a GPU of NVIDIA's */
} wac_device;

#define WAC_DEVICES "cpu|cuda" /* in that order */

/* What an update saw: of each family of networks the mean over its members, NaN where the algorithm
 * has none of them. The critics' losses are those before its step. */
typedef struct wac_losses {
    double mean;                     /* squared error of mean (WAC) or Q critics to their target */
    double std;                      /* WAC: squared error of the std critics to theirs */
    double regularisation;           /* WAC: the same on the synthetic pairs, before lambda */
    double policy[WAC_POLICY_TOTAL]; /* objective, by role */
    double alpha[WAC_POLICY_TOTAL];  /* entropy weight after the update, by role */
    double q_mean;                   /* mean (WAC) or Q over the batch */
    double sigma_visited;            /* WAC: std over the batch */
    double sigma_uniform;            /* WAC: std over the synthetic pairs */
} wac_losses;

/* `config` has passed wac_config_check. `threads` helpers share the work; the result does not
 * depend on their number. `first_cpu`: pin them to the processors from there on; -1: pin only where
 * there are several. */
WAC_API wac_status wac_agent_create(wac_agent **agent, const wac_config *config,
                                    int observation_size, int action_size, int threads,
                                    int first_cpu, wac_error *error);
WAC_API void wac_agent_destroy(wac_agent *agent);

/* An action for one observation: sampled as in exploration (behaviour policy, optimistic shift of
 * OAC included; of SUNRISE's members as `exploration` says), or of any policy, sampled (SUNRISE: of
 * the member that leads; TOP: its mean and noise) or its mean (the average of the members'). `rng`
 * null: the agent's own stream; then the first `random_steps` of exploration are any actions. */
WAC_API void wac_agent_explore(wac_agent *agent, wac_rng *rng, const float *observation,
                               float *action);
WAC_API void wac_agent_act(wac_agent *agent, wac_policy_role role, const float *observation,
                           float *action);
WAC_API void wac_agent_sample(wac_agent *agent, wac_policy_role role, wac_rng *rng,
                              const float *observation, float *action);

/* Whether the agent knows how uncertain it is: WAC does, and SUNRISE by its critics' spread. */
WAC_API bool wac_agent_has_std(const wac_agent *agent);

/* What the critics believe of rows of pairs: observations [rows][O], actions [rows][A]; mean and
 * std (null, or of an agent that knows it) [rows], both of the critic that the update would trust:
 * the one with the smallest upper bound (of REDQ's the smallest of all, whichever an update draws);
 * of SUNRISE mean and std over all members' critics, of TOP the mean of both critics' quantiles. */
WAC_API void wac_agent_value(wac_agent *agent, int rows, const float *observations,
                             const float *actions, float *mean, float *std);

/* Keep a transition. `terminated`: the world ended; a time limit is not that. Then another member
 * of SUNRISE leads, and TOP's bandit judges the episode. */
WAC_API void wac_agent_remember(wac_agent *agent, const float *observation, const float *action,
                                double reward, const float *next_observation, bool terminated);

/* Transitions remembered so far, those that were overwritten since included. */
WAC_API int64_t wac_agent_remembered(const wac_agent *agent);

/* Hold the present uncertainty as the anchor of the synthetic samples (once an epoch, before its
 * updates). Nothing to do for the others. */
WAC_API void wac_agent_anchor(wac_agent *agent);

/* One update of everything from one batch; something must have been remembered. Fails (numeric)
 * when a loss is not finite. */
WAC_API wac_status wac_agent_update(wac_agent *agent, wac_losses *losses, wac_error *error);

/* The entropy weight of a policy now. */
WAC_API double wac_agent_alpha(const wac_agent *agent, wac_policy_role role);

/* Write all that the agent knows into a folder that is there: networks, moments and streams as
 * agent.safetensors, what it remembers as replay.safetensors. Fails (numeric) when a weight is not
 * finite. */
WAC_API wac_status wac_agent_save(wac_agent *agent, const char *directory, wac_error *error);

/* Make an agent of the same sizes, algorithm and environment what was saved there: it goes on to
 * the same bytes. After a failure it can only be destroyed. */
WAC_API wac_status wac_agent_load(wac_agent *agent, const char *directory, wac_error *error);

#ifdef __cplusplus
}
#endif
#endif
