/* A trained run at work: acting, valuing and playing episodes in the world's own units. */
#include "base/rng.h"
#include "rl/steps.h"
#include "run/evaluate.h"
#include "run/run.h"

#include <math.h>

const wac_environment_spec *wac_run_spec(const wac_run *run)
{
    return &run->world->spec;
}

void wac_run_to_agent(const wac_run *run, const double *observation, float *mapped)
{
    const wac_environment_spec *spec = &run->world->spec;
    for (int i = 0; i < spec->observation_size; i++)
        mapped[i] =
            (float)(run->world->raw ? observation[i]
                                    : wac_world_normalise(observation[i], spec->observation_low[i],
                                                          spec->observation_high[i]));
}

void wac_run_to_world(const wac_run *run, const float *action, double *mapped)
{
    const wac_environment_spec *spec = &run->world->spec;
    for (int i = 0; i < spec->action_size; i++)
        mapped[i] = wac_world_action((double)action[i], spec->action_low[i], spec->action_high[i]);
}

void wac_run_act(wac_run *run, wac_policy_role role, const double *observation, double *action)
{
    float seen[WAC_ENVIRONMENT_DIMENSIONS], chosen[WAC_ENVIRONMENT_DIMENSIONS];
    wac_run_to_agent(run, observation, seen);
    wac_seat_act(run->agent, run->seat, role, seen, chosen);
    wac_run_to_world(run, chosen, action);
}

void wac_run_value(wac_run *run, const double *observation, const double *action, double *mean,
                   double *std)
{
    const wac_environment_spec *spec = &run->world->spec;
    float seen[WAC_ENVIRONMENT_DIMENSIONS], done[WAC_ENVIRONMENT_DIMENSIONS];
    float values[2] = {0, NAN};
    wac_run_to_agent(run, observation, seen);
    for (int i = 0; i < spec->action_size; i++)
        done[i] = (float)wac_world_normalise(action[i], spec->action_low[i], spec->action_high[i]);
    run->agent->steps->value(run->agent, run->seat, 1, seen, done, &values[0],
                             wac_agent_has_std(run->agent) ? &values[1] : NULL);
    *mean = (double)values[0];
    if (std)
        *std = (double)values[1];
}

typedef struct actor {
    const wac_run *run;
    wac_policy_role role;
    bool sampled;
    wac_rng rng;
} actor;

static void act(void *user, const float *observation, float *action)
{
    actor *actor = user;
    if (actor->sampled)
        wac_seat_sample(actor->run->agent, actor->run->seat, actor->role, &actor->rng, observation,
                        action);
    else
        wac_seat_act(actor->run->agent, actor->run->seat, actor->role, observation, action);
}

wac_status wac_run_evaluate(wac_evaluation *evaluation, wac_run *run, wac_policy_role role,
                            bool sampled, int64_t episodes, int64_t seed, wac_error *error)
{
    wac_rng worlds = wac_rng_make((uint64_t)seed, WAC_STREAM_REPLAYED);
    actor actor = {run, role, sampled, wac_rng_make((uint64_t)seed, WAC_STREAM_EXPLORE)};
    return wac_evaluate(evaluation, run->evaluation_world, &worlds, 0, episodes, act, &actor,
                        run->options.stop, error);
}
