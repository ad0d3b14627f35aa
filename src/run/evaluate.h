/* Evaluation: whole episodes of any policy, and what they brought. */
#ifndef WAC_RUN_EVALUATE_H
#define WAC_RUN_EVALUATE_H

#include "env/world.h"
#include "wac/run.h"

/* The policy to judge: an action for an observation. */
typedef void wac_act_fn(void *user, const float *observation, float *action);

/* Stops after so many steps or episodes, whichever comes first (0: no such limit), or when *stop is
 * not zero (may be null; then it fails with WAC_STATUS_INTERRUPTED). */
wac_status wac_evaluate(wac_evaluation *evaluation, wac_world *world, wac_rng *rng,
                        int64_t most_steps, int64_t most_episodes, wac_act_fn *act, void *user,
                        const volatile int *stop, wac_error *error);

#endif
