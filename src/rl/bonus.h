/* Agents that are paid for what they do not know yet.
 *
 * Beside its own networks such an agent has models, a stack of networks that learn by regression on
 * each batch. What they cannot tell yet of a row, or disagree about, is the row's bonus. Inputs,
 * what is learned, and bonuses are brought to one size by their running deviation. What differs
 * between algorithms is a rule: what models read and learn, and what bonus their outputs make.
 */
#ifndef WAC_RL_BONUS_H
#define WAC_RL_BONUS_H

#include "nn/real.h"

#include <stdbool.h>

/* What models said of some rows. */
typedef struct wac_model_rows {
    int rows, capacity;
    int models, outputs;
    const real *out;    /* [models][capacity][outputs] */
    const real *target; /* [rows][outputs], where there is a random network; else null */
    const real *share;  /* [outputs]: of an output in loss and bonus, together 1 */
} wac_model_rows;

typedef struct wac_bonus_rule {
    /* Where features > 0, models read the next observation of a transition and learn so many
     * outputs of a random network that never learns; the bonus is divided by its deviation and paid
     * with the reward. Where it is 0, they read pairs of observation and action and learn what
     * follows, the change of the observation and the reward; the bonus, less its mean and divided
     * by its deviation, is climbed, in a pair and in the next one, beside the entropy. Its weight
     * is learned, so that the policy gains as much as a slow copy of itself does. */
    int features;
    double spread; /* of first weights: up to this / sqrt(inputs) */
    double limit;  /* of inputs, in deviations; 0: none */
    /* the bonus of each row and, unless dout is null, its slope there, laid out like `out` */
    void (*bonus)(const wac_model_rows *rows, real *bonus, real *dout);
} wac_bonus_rule;

/* the variance of the noise that information is gained against */
#define WAC_INFORMATION_NOISE 1e-6

extern const wac_bonus_rule wac_bonus_information; /* maxinfosac.c */
extern const wac_bonus_rule wac_bonus_novelty;     /* sac_rnd.c */

#endif
