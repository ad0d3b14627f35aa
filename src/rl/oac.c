/* Exploration of Optimistic Actor-Critic (Ciosek et al., 2019): the policy's mean is moved, before
 * the tanh, along the gradient of an upper bound made from the critics' disagreement. */
#include "rl/algorithms.h"
#include "rl/policy.h"

#include <tgmath.h>

void wac_oac_explore(wac_agent *agent, const float *observation, const real *noise, double delta,
                     double beta, float *action)
{
    int actions = agent->actions, observations = agent->observations;
    real *heads = agent->dheads; /* [2A]; free outside of updates */
    wac_policy_heads(agent, 0, observation, heads);
    real *mean = heads, *std = heads + actions;
    real *x = agent->query; /* the observation stands there already */
    for (int j = 0; j < actions; j++) {
        std[j] = exp(std[j]);
        x[observations + j] = tanh(mean[j]);
    }

    /* Q_UB = (Q1 + Q2) / 2 + beta |Q1 - Q2| / 2 at tanh(mean), and its gradient in the action */
    size_t capacity = (size_t)agent->critic_pass.capacity;
    wac_input input = {.x = x, .rows = 1};
    wac_gradient gradient = {.inputs = agent->dactions, .input_first = observations};
    agent->ops->forward(agent->team, &agent->critics, input, &agent->critic_pass);
    real difference = agent->critic_pass.out[0] - agent->critic_pass.out[capacity];
    real tilt = (real)(beta / 2) * (real)((difference > 0) - (difference < 0));
    agent->dout[0] = (real)0.5 + tilt;
    agent->dout[capacity] = (real)0.5 - tilt;
    agent->ops->backward(agent->team, &agent->critics, input, &agent->critic_pass, agent->dout,
                         &gradient);

    /* shift = sqrt(2 delta) S g / (sqrt(g' S g) + 1e-5), S = diag(std^2), g before the tanh */
    real *g = agent->daction;
    real length = 0;
    for (int j = 0; j < actions; j++) {
        real centre = x[observations + j];
        g[j] = (agent->dactions[j] + agent->dactions[capacity * (size_t)actions + (size_t)j]) *
               (1 - centre * centre);
        length += std[j] * std[j] * g[j] * g[j];
    }
    real scale = (real)sqrt(2 * delta) / (sqrt(length) + (real)1e-5);
    for (int j = 0; j < actions; j++)
        action[j] = (float)tanh(mean[j] + scale * std[j] * std[j] * g[j] + std[j] * noise[j]);
}
