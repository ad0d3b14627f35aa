/* A bandit with two arms, by exponential weights: an arm is drawn for every episode, and its weight
 * moves by how much better the episode's return is than that of the one before, in deviations of
 * the last few of such changes. Nothing is drawn that is not a function of a stream and its
 * counter; the arm of an episode is known from these and the weights. */
#ifndef WAC_RL_BANDIT_H
#define WAC_RL_BANDIT_H

#include "base/rng.h"

enum { WAC_BANDIT_WINDOW = 5 };

typedef struct wac_bandit {
    double weight[2];
    double changes[WAC_BANDIT_WINDOW]; /* of the return, the n-th at n modulo their number */
    int64_t judged;                    /* episodes, ever */
    double returned;                   /* by the last of them */
    double gained;                     /* by the episode that goes on */
} wac_bandit;

/* The chance of the second arm. */
double wac_bandit_chance(const wac_bandit *bandit);

/* The arm that a stream draws at its counter. */
int wac_bandit_arm(const wac_bandit *bandit, const wac_rng *rng);

/* An episode with that arm returned so much. */
void wac_bandit_feed(wac_bandit *bandit, int arm, double rate, double returned);

#endif
