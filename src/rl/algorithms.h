/* The updates, one file an algorithm. OAC learns as SAC does and differs in how it explores. */
#ifndef WAC_RL_ALGORITHMS_H
#define WAC_RL_ALGORITHMS_H

#include "rl/agent.h"

void wac_sac_learn(wac_agent *agent, wac_losses *losses);
void wac_wac_learn(wac_agent *agent, wac_losses *losses);

/* OAC's action for one observation and noise [A]. */
void wac_oac_explore(wac_agent *agent, const float *observation, const real *noise, double delta,
                     double beta, float *action);

#endif
