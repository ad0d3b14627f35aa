/* SUNRISE (Lee, Laskin, Srinivas and Abbeel, 2021), over SAC: an ensemble of agents, each with a
 * policy, twin critics and an entropy weight of its own, which learn from one replay. Three ideas,
 * each with a setting of its own: a member learns from a share of the transitions; a transition
 * counts less where the members' targets differ; and of the members' proposals that one is explored
 * whose value has the highest upper bound. Where instead one member leads for an episode
 * (`exploration` sampling), these are bootstrapped critics. In the order of the authors' program
 * policies look at the critics before these have moved. */
#include "nn/fill.h"
#include "rl/steps.h"

#include <string.h>
#include <tgmath.h>

void wac_sunrise_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->weigh(agent);
    steps->sample(agent);
    steps->tune(agent);
    steps->back_up(agent, 0, 0);
    for (int i = 0; i < agent->policies; i++)
        steps->aim(agent, i, WAC_AIM_MEAN);
    steps->teach(agent);
    steps->climb(agent);
}

void wac_sunrise_act(wac_agent *agent, int seat, const float *observation, const real *noise,
                     double optimism, float *action)
{
    size_t members = (size_t)agent->members, o = (size_t)agent->observations;
    size_t a = (size_t)agent->actions;
    real *heads = agent->seat[seat].scratch;
    float *observations = agent->seat[seat].proposals, *actions = observations + members * o;
    float *mean = actions + members * a, *std = mean + members;
    for (size_t m = 0; m < members; m++) {
        memcpy(observations + m * o, observation, o * sizeof *observation);
        agent->steps->act(agent, seat, (int)m, observation, heads);
        for (size_t j = 0; j < a; j++)
            actions[m * a + j] = (float)tanh(heads[j] + exp(heads[a + j]) * noise[m * a + j]);
    }
    size_t best = 0;
    if (members > 1)
        agent->steps->value(agent, seat, agent->members, observations, actions, mean, std);
    for (size_t m = 1; m < members; m++)
        if ((double)mean[m] + optimism * (double)std[m] >
            (double)mean[best] + optimism * (double)std[best])
            best = m;
    memcpy(action, actions + best * a, a * sizeof *action);
}

void wac_sunrise_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                         float *action)
{
    if (agent->seat[seat].config.exploration == WAC_EXPLORATION_SAMPLING) {
        wac_seat_sample(agent, seat, WAC_POLICY_BEHAVIOUR, rng, observation, action);
        return;
    }
    real *noise = agent->seat[seat].scratch + 6 * agent->actions;
    wac_fill_normal(rng, (size_t)agent->members * (size_t)agent->actions, noise);
    wac_sunrise_act(agent, seat, observation, noise, (double)agent->seat[seat].kappa, action);
}
