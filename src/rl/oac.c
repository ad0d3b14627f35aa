/* Exploration of Optimistic Actor-Critic (Ciosek et al., 2019): the policy's mean is moved, before
 * the tanh, along the gradient of an upper bound made from the critics' disagreement. */
#include "nn/fill.h"
#include "rl/steps.h"

#include <tgmath.h>

/* Q_UB = (Q1 + Q2) / 2 + beta |Q1 - Q2| / 2 */
static void weigh(const void *user, const real *values, real *weights)
{
    const double *beta = user;
    real difference = values[0] - values[1];
    real tilt = (real)(*beta / 2) * (real)((difference > 0) - (difference < 0));
    weights[0] = (real)0.5 + tilt;
    weights[1] = (real)0.5 - tilt;
}

void wac_oac_act(wac_agent *agent, int seat, const float *observation, const real *noise,
                 double delta, double beta, float *action)
{
    int actions = agent->actions;
    real *mean = agent->seat[seat].scratch, *std = mean + actions;
    real *centre = std + actions, *g = centre + actions;
    agent->steps->act(agent, seat, 0, observation, mean);
    for (int j = 0; j < actions; j++) {
        std[j] = exp(std[j]);
        centre[j] = tanh(mean[j]);
    }
    agent->steps->slope(agent, seat, observation, centre, weigh, &beta, g);

    /* shift = sqrt(2 delta) S g / (sqrt(g' S g) + 1e-5), S = diag(std^2), g before the tanh */
    real length = 0;
    for (int j = 0; j < actions; j++) {
        g[j] *= 1 - centre[j] * centre[j];
        length += std[j] * std[j] * g[j] * g[j];
    }
    real scale = (real)sqrt(2 * delta) / (sqrt(length) + (real)1e-5);
    for (int j = 0; j < actions; j++)
        action[j] = (float)tanh(mean[j] + scale * std[j] * std[j] * g[j] + std[j] * noise[j]);
}

void wac_oac_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                     float *action)
{
    const wac_config *config = &agent->seat[seat].config;
    real *noise = agent->seat[seat].scratch + 5 * agent->actions;
    wac_fill_normal(rng, (size_t)agent->actions, noise);
    wac_oac_act(agent, seat, observation, noise, config->oac_delta, config->oac_beta, action);
}
