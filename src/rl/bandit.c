/* The bandit of TOP (see top.c). */
#include "rl/bandit.h"

#include <math.h>

#define DECAY 0.9         /* of the weight that moves */
#define LEAST_CHANCE 1e-4 /* by which a step is divided */

double wac_bandit_chance(const wac_bandit *bandit)
{
    return 1 / (1 + exp(bandit->weight[0] - bandit->weight[1]));
}

int wac_bandit_arm(const wac_bandit *bandit, const wac_rng *rng)
{
    uint32_t words[4];
    wac_rng_block(rng, rng->counter, words);
    return wac_rng_unit(words[0]) < wac_bandit_chance(bandit);
}

void wac_bandit_feed(wac_bandit *bandit, int arm, double rate, double returned)
{
    double change = returned - bandit->returned;
    bandit->changes[bandit->judged++ % WAC_BANDIT_WINDOW] = change;
    bandit->returned = returned;
    int count = bandit->judged < WAC_BANDIT_WINDOW ? (int)bandit->judged : WAC_BANDIT_WINDOW;
    double mean = 0, squares = 0;
    for (int i = 0; i < count; i++)
        mean += bandit->changes[i] / count;
    for (int i = 0; i < count; i++)
        squares += (bandit->changes[i] - mean) * (bandit->changes[i] - mean) / count;
    /* changes that are all the same, or only one, say nothing */
    double feedback = squares > 0 ? (change - mean) / sqrt(squares) : 0;
    double *weight = &bandit->weight[arm];
    *weight *= DECAY;
    *weight += rate * feedback / fmax(exp(*weight), LEAST_CHANCE);
}
