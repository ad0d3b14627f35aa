/* One update of BRO, bigger, regularised, optimistic (Nauman, Ostaszewski, Jankowski, Milos and
 * Cygan, 2024): SAC with critics that put out the return's quantiles, whose belief is not the
 * smaller one but their mean, less `pessimism` times half their distance. Exploration is left to an
 * optimist, a second policy that climbs their mean plus a learned share of that distance, and is
 * kept near the first one. In the order of its authors' program the optimist looks at critics and
 * policy after these have moved, and all weights move last. Networks, weight decay and resets,
 * which are as much of it, are settings that every algorithm has. */
#include "rl/steps.h"

void wac_bro_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->back_up(agent, 0, 0);
    steps->teach(agent);
    steps->sample(agent);
    steps->aim(agent, 0, WAC_AIM_BOUND);
    steps->climb(agent);
    steps->lead(agent);
    steps->tune(agent);
}
