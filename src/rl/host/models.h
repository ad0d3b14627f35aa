/* Models that learn beside an agent and pay it (rl/bonus.h): the steps of rl/steps.h that are
 * theirs, as what is done at a desk. */
#ifndef WAC_RL_HOST_MODELS_H
#define WAC_RL_HOST_MODELS_H

#include "rl/host/host.h"

/* Whether pairs have a bonus, which is climbed. */
bool wac_models_read_pairs(const wac_agent *agent);

/* Memory; nothing where the agent has no models. */
void wac_models_take(wac_desk *desk, wac_arena *arena);

/* First weights. */
void wac_models_init(wac_desk *desk, wac_rng *rng);

wac_desk_fn wac_models_appraise, wac_models_study;

/* The weighted bonus of the pairs in desk->query, in desk->models.next_bonus. */
void wac_models_appraise_next(wac_desk *desk, wac_team *team);

#endif
