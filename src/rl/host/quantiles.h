/* Quantiles: critics that put out a return's distribution, and what an update does with rows of
 * them: the same as batch.h has for critics that put out its mean.
 *
 * A critic's n outputs stand for the middles of n equal shares, tau_i = (2 i + 1) / 2n, in whatever
 * order. What several critics believe of a pair is a distribution, too: quantile by quantile their
 * mean plus kappa times their deviation, sqrt(sum_k (q_k - mean)^2 / (critics - 1) + 1e-4), or that
 * of a whole population, sqrt(sum_k (q_k - mean)^2 / critics), of two half their distance; with
 * kappa above zero where they are to be taken optimistically, below it pessimistically.
 *
 * Of critics and targets the rows are [n].
 */
#ifndef WAC_RL_HOST_QUANTILES_H
#define WAC_RL_HOST_QUANTILES_H

#include "rl/host/batch.h"

enum { WAC_QUANTILES_MOST = 256 };

/* The target of all quantiles, b->mean_target [rows][n]: the belief of the target critics. */
void wac_quantile_target(int quantiles, const wac_backup *b);

/* Error of outputs [rows][n] to the targets [rows][n] by quantile regression, Huber's loss within 1
 * in place of the distance: of a row sum_i (1 / n) sum_j |tau_i - [u < 0]| huber(u), u = target_j -
 * out_i. The gradient dout of the rows' weighted sum, the sum, the mean output; weight [rows]. */
void wac_quantile_error(int quantiles, int rows, const real *out, const real *target,
                        const real *weight, real *dout, double *loss, double *average);

/* the mean of every row's belief, and dout, laid out like critics->out, of minus their weighted
 * sum; weight [rows] */
void wac_quantile_bound(int quantiles, const wac_critic_rows *critics, const real *weight,
                        real *bound, real *dout);

/* The mean of all quantiles of all critics. */
real wac_quantile_mean(int quantiles, const wac_critic_rows *critics, int row);

#endif
