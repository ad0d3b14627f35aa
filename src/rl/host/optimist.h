/* The optimist: a policy beside the first one that explores in its place, where the row has one.
 *
 * It reads the observation and the first policy's means before the tanh, and puts out by how much
 * to shift them; its deviations are the first one's, times `optimist_std`. It climbs what critics
 * believe optimistically, and pays for its distance, the KL divergence of two Gaussians with the
 * first one's deviations, sum_j shift_j^2 / 2 std_j^2. Optimism and the weight of that distance are
 * learned so that it comes to `divergence_target` for each entry of an action: too near, optimism
 * grows and the weight falls.
 */
#ifndef WAC_RL_HOST_OPTIMIST_H
#define WAC_RL_HOST_OPTIMIST_H

#include "rl/host/host.h"

void wac_optimist_take(wac_desk *desk, wac_arena *arena);
void wac_optimist_init(wac_desk *desk, wac_rng *rng);

/* What follows from its weights. */
void wac_optimist_settle(wac_desk *desk);

/* The step `lead`. */
void wac_optimist_lead(wac_desk *desk, wac_team *team, const void *what);

/* From heads [2A] of the first policy, log-stds as they count, to those of the optimist;
 * desk->query begins with the observation that they are for. */
void wac_optimist_act(wac_desk *desk, real *heads);

/* A weight, e to the power of something between -10 and 7.5, by the number that is learned for it:
 * bent by a tanh. `slope` in that number may be null. And the number for a weight within. */
#define WAC_WEIGHT_LOG_MIN (-10.0)
#define WAC_WEIGHT_LOG_MAX 7.5
real wac_weight_bend(real number, real *slope);
real wac_weight_unbend(double weight);

/* shift [rows][A] and log_std [rows][A, of 2A: behind the means] to divergence [rows]; its slope
 * times factor * weight [rows] is added to dshift [rows][A] */
void wac_divergence(int rows, int actions, bool bent, const real *heads, const real *shift,
                    const real *weight, real factor, real *divergence, real *dshift);

#endif
