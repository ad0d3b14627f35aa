/* TOP, tactical optimism and pessimism (Moskovitz, Parker-Holder, Pacchiano, Arbel and Jordan,
 * 2021), over TD3: a deterministic policy that moves once while the critics move `delay` times, and
 * targets at the action of its slow shadow, smoothed by noise. Two critics put out the return's
 * quantiles; what they believe together, quantile by quantile their mean plus kappa times their
 * deviation, makes the targets and is what the policy climbs. Which kappa, an optimistic or a
 * pessimistic one, a bandit chooses for each episode. */
#include "rl/steps.h"

static int arm_of(const wac_seat *seat)
{
    return wac_bandit_arm(&seat->bandit, &seat->leader_rng);
}

void wac_top_judge(wac_agent *agent, int at)
{
    wac_seat *seat = &agent->seat[at];
    wac_bandit_feed(&seat->bandit, arm_of(seat), seat->config.bandit_rate, seat->bandit.gained);
}

void wac_top_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    for (int i = 0; i < agent->seats; i++) {
        wac_seat *seat = &agent->seat[i];
        const wac_config *config = &seat->config;
        seat->kappa = (real)(arm_of(seat) ? config->optimism_high : config->optimism_low);
    }
    steps->back_up(agent, WAC_NEXT_SHADOW, 0);
    steps->teach(agent);
    if (wac_agent_let_rest(agent, 0)) {
        steps->sample(agent);
        steps->aim(agent, 0, WAC_AIM_BOUND);
        steps->climb(agent);
    }
    wac_agent_wake(agent);
}
