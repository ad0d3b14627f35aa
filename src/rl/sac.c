/* One update of Soft Actor-Critic: entropy weight, twin Q, policy, targets. */
#include "rl/steps.h"

void wac_sac_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->sample(agent);
    steps->tune(agent);
    steps->back_up(agent, 0, 0);
    steps->teach(agent);
    steps->aim(agent, 0, WAC_AIM_MEAN);
    steps->climb(agent);
}
