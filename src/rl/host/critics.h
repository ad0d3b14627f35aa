/* Critics: means (or Q) and the logarithms of their epistemic stds; the steps of rl/steps.h that
 * are theirs, some of them as what is done at a desk. */
#ifndef WAC_RL_HOST_CRITICS_H
#define WAC_RL_HOST_CRITICS_H

#include "rl/host/host.h"

/* First weights; targets and anchors start as copies. */
void wac_critics_init(wac_desk *desk, wac_rng *rng);

wac_desk_fn wac_critics_weigh, wac_critics_teach, wac_critics_anchor;
void wac_critics_back_up(wac_agent *agent, int next, int entropy);
void wac_critics_slope(wac_agent *agent, int seat, const float *observation, const real *action,
                       wac_weigh_fn *weigh, const void *user, real *slope);
void wac_critics_value(wac_agent *agent, int seat, int rows, const float *observations,
                       const float *actions, float *mean, float *std);

#endif
