/* One update of Wasserstein Actor-Critic. The two versions differ in whose next action the target
 * posterior is taken at: the behaviour policy's (OE-WAC, optimistic) or the target policy's
 * (ME-WAC). The target's entropy weight is the target policy's in both. */
#include "rl/steps.h"

static void learn(wac_agent *agent, wac_policy_role next)
{
    const wac_steps *steps = agent->steps;
    int behaviour = wac_agent_policy(agent, WAC_POLICY_BEHAVIOUR);
    int target = wac_agent_policy(agent, WAC_POLICY_TARGET);
    steps->sample(agent);
    steps->tune(agent);
    steps->back_up(agent, wac_agent_policy(agent, next), target);
    steps->teach(agent);
    /* the target policy climbs the mean (equation 8), the behaviour policy the upper bound (7) */
    steps->aim(agent, target, WAC_AIM_MEAN);
    steps->aim(agent, behaviour, WAC_AIM_BOUND);
    steps->climb(agent);
}

void wac_oe_wac_learn(wac_agent *agent)
{
    learn(agent, WAC_POLICY_BEHAVIOUR);
}

void wac_me_wac_learn(wac_agent *agent)
{
    learn(agent, WAC_POLICY_TARGET);
}
