/* One update of REDQ, randomised ensembled double Q-learning (Chen, Wang, Zhou and Ross, 2021):
 * many critics, whose target is the smallest value of a few of them, drawn anew each time; and a
 * policy that climbs the average of all, and moves once while the critics move `delay` times. In
 * the order of its authors' program policy and entropy weight look at the critics before these have
 * moved. */
#include "rl/steps.h"

void wac_redq_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->back_up(agent, 0, 0);
    if (wac_agent_let_rest(agent, 1)) {
        steps->sample(agent);
        steps->aim(agent, 0, WAC_AIM_AVERAGE);
        steps->tune(agent);
    }
    wac_agent_wake(agent);
    steps->teach(agent);
    if (wac_agent_let_rest(agent, 0))
        steps->climb(agent);
    wac_agent_wake(agent);
}
