/* The prior on rewards, where nobody has said one: settings reward_min and reward_max. */
#ifndef WAC_RUN_PRIOR_H
#define WAC_RUN_PRIOR_H

#include "wac/run.h"

/* Before there is an agent. Refuses a run whose algorithm needs the range and does not have it, and
 * says what a thousand random steps of the world bring. */
wac_status wac_prior_check(wac_run *run, wac_error *error);

/* After the initial steps: where it is to be measured, the agent's prior and the settings become
 * what these steps brought, and config.yaml says so. */
wac_status wac_prior_measure(wac_run *run, wac_error *error);

#endif
