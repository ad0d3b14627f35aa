/* One update of Soft Actor-Critic: entropy weight, twin Q, policy, targets. */
#include "rl/algorithms.h"
#include "rl/critic.h"
#include "rl/policy.h"

void wac_sac_learn(wac_agent *agent, wac_losses *losses)
{
    wac_policies_sample(agent);
    wac_policies_tune(agent);
    wac_critics_backup(agent, 0, 0);
    wac_critics_learn(agent, losses);
    losses->policy[0] = wac_policies_aim(agent, 0, false);
    wac_policies_step(agent);
}
