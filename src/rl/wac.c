/* One update of Wasserstein Actor-Critic. The two versions differ in whose next action the target
 * posterior is taken at: the behaviour policy's (OE-WAC, optimistic) or the target policy's
 * (ME-WAC). The target's entropy weight is the target policy's in both. */
#include "rl/algorithms.h"
#include "rl/critic.h"
#include "rl/policy.h"

void wac_wac_learn(wac_agent *agent, wac_losses *losses)
{
    int behaviour = wac_agent_policy(agent, WAC_POLICY_BEHAVIOUR);
    int target = wac_agent_policy(agent, WAC_POLICY_TARGET);
    bool optimistic = agent->config.algorithm == WAC_ALGORITHM_OE_WAC;
    wac_policies_sample(agent);
    wac_policies_tune(agent);
    wac_critics_backup(agent, optimistic ? behaviour : target, target);
    wac_critics_learn(agent, losses);
    /* the target policy climbs the mean (equation 8), the behaviour policy the upper bound (7) */
    losses->policy[target] = wac_policies_aim(agent, target, false);
    losses->policy[behaviour] = wac_policies_aim(agent, behaviour, true);
    wac_policies_step(agent);
}
