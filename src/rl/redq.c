/* One update of REDQ, randomised ensembled double Q-learning (Chen, Wang, Zhou and Ross, 2021):
 * many critics, whose target is the smallest value of a few of them, drawn anew each time; and a
 * policy that climbs the average of all, and moves once while the critics move `delay` times. In
 * the order of its authors' program policy and entropy weight look at the critics before these have
 * moved. */
#include "rl/steps.h"

/* Let those seats rest whose policy does not move in the update that critics have counted up to,
 * or will have after so many more; whether any is left. */
static bool let_rest(wac_agent *agent, int64_t more)
{
    bool any = false;
    for (int i = 0; i < agent->seats; i++) {
        wac_seat *seat = &agent->seat[i];
        seat->rests = seat->active && (seat->critic_steps + more) % agent->row->delay != 0;
        seat->active = seat->active && !seat->rests;
        any |= seat->active;
    }
    return any;
}

static void wake(wac_agent *agent)
{
    for (int i = 0; i < agent->seats; i++)
        agent->seat[i].active |= agent->seat[i].rests;
}

void wac_redq_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->back_up(agent, 0, 0);
    if (let_rest(agent, 1)) {
        steps->sample(agent);
        steps->aim(agent, 0, WAC_AIM_AVERAGE);
        steps->tune(agent);
    }
    wake(agent);
    steps->teach(agent);
    if (let_rest(agent, 0))
        steps->climb(agent);
    wake(agent);
}
