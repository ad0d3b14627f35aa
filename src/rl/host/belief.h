/* Beliefs: posteriors that a critic puts out whole, and what an update does with rows of them: the
 * same as batch.h has for critics whose mean and std are networks of their own.
 *
 * A critic puts out its mean m, then logarithms of steps e. Of a Gaussian there is one, its std. Of
 * M particles there are M - 1, the gaps between neighbours, so that they are in order whatever the
 * network says: x_0 = m - sum_j e_j (M - 1 - j) / M, x_(j+1) = x_j + e_j, and their mean is m.
 *
 * Either way a posterior is a mean and a spread about it, of N numbers: the std (N = 1), or the
 * particles less their mean (N = M). The squared Wasserstein distance of two, which the paper's
 * critics descend, is then that of the means plus (1 / N) sum_n that of the spreads: equation 6 for
 * the Gaussian, and for particles their differences quantile by quantile. A posterior's deviation
 * is sqrt((1 / N) sum_n spread_n^2).
 */
#ifndef WAC_RL_HOST_BELIEF_H
#define WAC_RL_HOST_BELIEF_H

#include "rl/host/batch.h"

typedef struct wac_belief {
    int outputs;   /* of a critic */
    int particles; /* 0: Gaussian */
    int spread;    /* numbers of a spread, N */
    real *climb;   /* [outputs - 1]: the upper bound is m + sum_j climb_j e_j */
} wac_belief;

/* The upper bound at kappa stds of a Gaussian, or at a place among the particles (wac_seat.place):
 * sets climb. */
void wac_belief_aim(const wac_belief *belief, real kappa, real place);

/* Spread [N] of what a critic put out [outputs]; steps [outputs - 1] may be null. */
void wac_belief_spread(const wac_belief *belief, const real *out, real *steps, real *spread);

/* dlog [outputs - 1], in which the steps stand, of sum(dspread * spread); dspread [N], of particles
 * with a sum of zero, as the differences of two spreads have */
void wac_belief_spread_back(const wac_belief *belief, const real *dspread, real *dlog);

/* The deviation of a spread. */
real wac_belief_std(const wac_belief *belief, const real *spread);

/* In what follows critics->out is [means][capacity][outputs]; `stds` 0: the bound is the mean. */

/* The critic with the smallest upper bound of a row. */
int wac_belief_smallest(const wac_belief *belief, const wac_critic_rows *critics, int row);

/* targets of the critics: means, and spreads in b->std_target [rows][N]. A reward moves all of a
 * posterior, so that it is the target of the mean alone; the spread is only discounted, and scaled
 * down where its deviation is above sigma_max. */
void wac_belief_target(const wac_belief *belief, const wac_backup *b);

/* What an update saw of a critic. */
typedef struct wac_belief_sight {
    double loss, spread_loss;        /* squared errors of mean and spread */
    double regularisation;           /* of the spread, on synthetic rows */
    double mean, std, std_synthetic; /* averages */
} wac_belief_sight;

/* Squared error of `rows` to their targets, and lambda times that of the spread of `synthetic` rows
 * to the anchors' [synthetic][outputs]: its gradient dout, [rows + synthetic][outputs]. scratch:
 * [2 N]. */
void wac_belief_error(const wac_belief *belief, int rows, int synthetic, const real *out,
                      const real *mean_target, const real *spread_target, const real *anchor,
                      real lambda, real sigma_max, real *scratch, real *dout,
                      wac_belief_sight *seen);

/* the smallest upper bound of every row, and dout, laid out like critics->out, of minus their
 * weighted sum; weight [rows] */
void wac_belief_bound(const wac_belief *belief, const wac_critic_rows *critics, const real *weight,
                      real *bound, real *dout);

#endif
