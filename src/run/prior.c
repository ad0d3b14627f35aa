/* The prior on rewards: asked for, or measured. */
#include "run/prior.h"

#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "config/config.h"
#include "rl/agent.h"
#include "run/folder.h"
#include "run/run.h"

#include <math.h>

enum { STEPS = 1000 };

/* The rewards of so many steps, each with any action whatever. */
static wac_status play(wac_run *run, double *least, double *most, wac_error *error)
{
    wac_world *world = run->evaluation_world;
    float observation[WAC_ENVIRONMENT_DIMENSIONS], action[WAC_ENVIRONMENT_DIMENSIONS];
    wac_rng chances = wac_rng_make((uint64_t)run->config.seed, WAC_STREAM_REPLAYED);
    wac_rng actions = wac_rng_make((uint64_t)run->config.seed, WAC_STREAM_EXPLORE);
    wac_step step = {.terminated = true};
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < STEPS; i++) {
        if (step.terminated || step.truncated)
            WAC_TRY(wac_world_reset(world, &chances, observation, error));
        for (int j = 0; j < world->spec.action_size; j++)
            action[j] = (float)(2 * wac_rng_uniform(&actions) - 1);
        WAC_TRY(wac_world_step(world, &chances, action, observation, &step, error));
        *least = fmin(*least, step.reward);
        *most = fmax(*most, step.reward);
    }
    return WAC_STATUS_OK;
}

/* An end of the range that people would choose: a zero nearby is likely to be meant. */
static double suggest(double value, double other)
{
    return fabs(value) < 0.1 * fabs(other) ? 0 : wac_number_away(value);
}

wac_status wac_prior_check(wac_run *run, wac_error *error)
{
    wac_config *config = &run->config;
    if (config->reward_prior == WAC_REWARD_PRIOR_MEASURED &&
        config->reward_min >= config->reward_max) {
        /* of no consequence: it is measured before anything is learnt */
        config->reward_min = -1;
        config->reward_max = 1;
    }
    if (!wac_config_lacks_prior(config))
        return WAC_STATUS_OK;
    double least, most;
    WAC_TRY(play(run, &least, &most, error));
    const char *name = wac_algorithm_name((wac_algorithm)config->algorithm);
    if (least == most)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s begins with what is known of rewards, and %s does not tell their range "
                        "(%d random steps brought nothing but %g); set reward_min and reward_max "
                        "to the smallest and largest that a step can bring",
                        name, config->environment, STEPS, least + 0.0); /* no -0 */
    return wac_fail(
        error, WAC_STATUS_INPUT,
        "%s begins with what is known of rewards, and %s does not tell their range: "
        "%d random steps brought %.4g to %.4g; set reward_min and reward_max (as %g and "
        "%g, and wider if a good policy is paid more), or reward_prior to measured",
        name, config->environment, STEPS, least, most, suggest(least, most), suggest(most, least));
}

wac_status wac_prior_measure(wac_run *run, wac_error *error)
{
    wac_config *config = &run->config;
    if (!wac_agent_has_std(run->agent) || config->reward_prior != WAC_REWARD_PRIOR_MEASURED)
        return WAC_STATUS_OK;
    double least, most;
    WAC_TRY(wac_seat_reward_range(run->agent, run->seat, &least, &most, error));
    if (!(least < most))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "all %lld initial steps brought a reward of %g, so their range cannot be "
                        "measured; set reward_min and reward_max, or more initial_steps",
                        (long long)config->initial_steps, least + 0.0); /* no -0 */
    config->reward_min = least;
    config->reward_max = most;
    WAC_TRY(wac_seat_set_prior(run->agent, run->seat, least, most, error));
    return wac_folder_write_config(run->directory, config, error);
}
