/* Tanh-Gaussian policies. */
#ifndef WAC_RL_POLICY_H
#define WAC_RL_POLICY_H

#include "rl/agent.h"

/* First weights of all policies. */
void wac_policies_init(wac_agent *agent, wac_rng *rng);

/* Step 1: actions of every policy at the batch's states. */
void wac_policies_sample(wac_agent *agent);

/* Step 3: actions of one policy at the next states. */
void wac_policies_sample_next(wac_agent *agent, int policy);

/* Step 2: move the entropy weights (unless they are fixed). */
void wac_policies_tune(wac_agent *agent);

/* Steps 7 and 8: gradient of policy `policy`'s objective, mean(alpha log pi - min bound), in its
 * heads; the bound is that of the mean critics, or of mean and std. Returns the objective. */
double wac_policies_aim(wac_agent *agent, int policy, bool with_std);

/* … and one Adam step of all policies along what they aim at. */
void wac_policies_step(wac_agent *agent);

/* Mean and log-std (clamped) of one policy for one observation: heads [2A]. Leaves the observation,
 * normalised, at the beginning of agent->query. */
void wac_policy_heads(wac_agent *agent, int policy, const float *observation, real *heads);

#endif
