/* Policies, tanh-Gaussian or deterministic: the steps of rl/steps.h that are theirs, some of them
 * as what is done at a desk. */
#ifndef WAC_RL_HOST_POLICIES_H
#define WAC_RL_HOST_POLICIES_H

#include "rl/host/host.h"

/* Actions of one policy, or of the shadow, at the next states, for given noise [B][A]. */
void wac_policies_sample_next(wac_desk *desk, wac_team *team, int policy, const real *noise);

/* Actions of the policy's shadow at the batch's states. */
void wac_policies_sample_shadow(wac_desk *desk, wac_team *team);

/* What critics would have actions at rows of the batch do, so that what is climbed rises. */
typedef struct wac_pull {
    int first, rows;
    int member; /* whose critics */
    wac_aim at;
    real kappa;         /* optimism */
    const real *action; /* [rows][A] */
    const real *share;  /* [rows], how much a row counts */
    real *daction;      /* [rows][A]: the slope of minus the weighted sum of … */
} wac_pull;

/* … what is climbed, which is left in desk->bound. */
void wac_policies_pull(wac_desk *desk, const wac_pull *pull);

/* Share out the rows of the batch. */
typedef void wac_rows_fn(void *desk, int first, int rows);
void wac_policies_share_rows(wac_desk *desk, wac_team *team, wac_rows_fn *run);

wac_desk_fn wac_policies_sample, wac_policies_tune, wac_policies_climb;
void wac_policies_aim(wac_agent *agent, int policy, wac_aim at);
void wac_policies_act(wac_agent *agent, int seat, int policy, const float *observation,
                      real *heads);

#endif
