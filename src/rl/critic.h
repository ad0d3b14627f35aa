/* Twin critics: means (or Q) and, for WAC, the logarithms of their epistemic stds. */
#ifndef WAC_RL_CRITIC_H
#define WAC_RL_CRITIC_H

#include "rl/agent.h"

/* First weights of critics; targets and anchors start as copies. */
void wac_critics_init(wac_agent *agent, wac_rng *rng);

/* Steps 3 and 4: the next action by policy `next`, and the targets of means and stds. The entropy
 * weight is that of policy `entropy`. */
void wac_critics_backup(wac_agent *agent, int next, int entropy);

/* Steps 5 and 6: one Adam step of every critic towards its target. And step 9, since nothing before
 * the next update reads the target critics: they follow. */
void wac_critics_learn(wac_agent *agent, wac_losses *losses);

#endif
