/* What an update does with rows of a batch, beside the networks: policies, targets, errors, pairs.
 * Plain loops, for both backends: they touch few numbers.
 *
 * Shapes stand beside the arguments: O observation entries, A action entries. Rows that networks
 * made start at member * capacity (see wac_pass), all other arrays are dense.
 */
#ifndef WAC_RL_HOST_BATCH_H
#define WAC_RL_HOST_BATCH_H

#include "nn/adam.h"

/* Policies clamp their log-std here; no gradient passes beyond. */
#define WAC_LOG_STD_MIN ((real)-20)
#define WAC_LOG_STD_MAX ((real)2)

/* Or they bend it into this range. */
#define WAC_LOG_STD_BENT_MIN ((real)-10)
#define WAC_LOG_STD_BENT_MAX ((real)2)

/* A batch of transitions. */
typedef struct wac_batch {
    int rows;
    real *observations;      /* [rows][O] */
    real *actions;           /* [rows][A] */
    real *rewards;           /* [rows] */
    real *next_observations; /* [rows][O] */
    real *terminals;         /* [rows] */
} wac_batch;

/* Actions of tanh-Gaussian policies, or of deterministic ones, whose noise comes after the tanh. */
typedef struct wac_sample {
    int rows, actions;
    int per_row;                /* heads of a row: 2A, or A of a deterministic one */
    bool bent;                  /* what the heads put out as log-stds is bent, not clamped */
    const real *heads;          /* [rows][per_row]: means, then log-stds */
    const real *noise;          /* [rows][A], normal */
    real noise_std, noise_most; /* of a deterministic one: its deviation, and where it is cut */
    real *action;               /* [rows][A] */
    real *log_prob;             /* [rows]; of a deterministic one 0 */
} wac_sample;

/* Critic outputs of a batch: mean (or Q) critics, then the logarithms of stds, if there are any.
 * The std of mean critic k is that of std critic k modulo `stds`. */
typedef struct wac_critic_rows {
    int rows, capacity;
    int means, stds;
    const int64_t *subset; /* [means]: the mean critics to choose from; null: the first `means` */
    int first_std;         /* where the stds begin */
    real *out;             /* [critics][capacity] */
    real kappa;            /* weight of the std in the upper bound */
    bool population;       /* of quantiles, see quantiles.h */
} wac_critic_rows;

/* The Bellman backup (steps 3 and 4 of the update). */
typedef struct wac_backup {
    wac_critic_rows next; /* target critics at the next state and action */
    const real *reward;   /* [rows] */
    const real *terminal; /* [rows], 1 where the world ended */
    const real *log_prob; /* [rows], of the next action */
    const real *bonus;    /* [rows], of the next pair; null: none */
    real alpha, discount;
    real sigma_max;    /* clamp of the std's target */
    real *mean_target; /* [rows] */
    real *std_target;  /* [rows]; not touched without std critics */
} wac_backup;

/* Entropy weights, one a policy, on a log scale, with Adam's moments: each [members]. */
typedef struct wac_entropy {
    real *log_alpha, *first, *second;
} wac_entropy;

/* The log-std of what a head puts out, and its slope in that (null: nobody asks). */
real wac_log_std_of(bool bent, real head, real *slope);

/* a = tanh(mean + std * noise) and its log-probability; of a deterministic one a = tanh(mean) +
 * noise, both cut */
void wac_policy_sample(const wac_sample *sample);

/* dheads [rows][per_row] of sum(daction * action) + alpha * sum(weight * log_prob); daction
 * [rows][A], weight [rows] */
void wac_policy_gradient(const wac_sample *sample, const real *daction, real alpha,
                         const real *weight, real *dheads);

/* The critic with the smallest upper bound, mean + kappa std, of a row. */
int wac_smallest_bound(const wac_critic_rows *critics, int row);

/* targets of the critics */
void wac_td_target(const wac_backup *backup);

/* squared error of outputs [rows] to their target: the gradient dout of its weighted sum, the sum,
 * the mean output; weight [rows] */
void wac_mean_error(int rows, const real *out, const real *target, const real *weight, real *dout,
                    double *loss, double *average);

/* the same for log-stds: `rows` against target [rows], then `synthetic` rows against
 * clamp(exp(anchor), 0, sigma_max), anchor [synthetic], weighted by lambda */
void wac_std_error(int rows, int synthetic, const real *out, const real *target, const real *anchor,
                   real lambda, real sigma_max, real *dout, double *loss, double *regularisation,
                   double averages[2]);

/* the smallest upper bound of every row, and dout, laid out like critics->out, of minus their
 * weighted sum; weight [rows]; of all mean critics, no subset */
void wac_upper_bound(const wac_critic_rows *critics, const real *weight, real *bound, real *dout);

/* the same of the average of the mean critics, without stds */
void wac_average_mean(const wac_critic_rows *critics, const real *weight, real *average,
                      real *dout);

/* mean and std of what all mean critics say of a row */
void wac_mean_spread(const wac_critic_rows *critics, int row, real *mean, real *std);

/* weight [rows]: sigmoid(-temperature * std) + 1/2, std that of the row's spread */
void wac_weigh_spread(const wac_critic_rows *critics, real temperature, real *weight);

/* one Adam step on log alpha with gradient -sum(weight * (log_prob + entropy_target)), log_prob and
 * weight [members][rows] */
void wac_entropy_step(int members, int rows, const real *log_prob, const real *weight,
                      real entropy_target, wac_adam_factors factors, wac_entropy *entropy);

/* rows of pairs: x [rows][O + A] */
void wac_join(int rows, int observations, int actions, const real *observation, const real *action,
              real *x);

/* records [..][O + A + 1 + O + 1]: observation, action, reward, next observation, terminal */
void wac_gather(const real *records, int observations, int actions, const int64_t *index,
                const wac_batch *batch);

#endif
