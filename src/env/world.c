/* Between the agent's [-1, 1] and the world's own units. */
#include "env/world.h"

#include "base/number.h"
#include "base/status.h"
#include "config/environments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local wac_world_moment now;

wac_world_moment wac_world_now(void)
{
    return now;
}

void wac_world_enter(const char *type, const char *function)
{
    now = (wac_world_moment){type, function};
}

void wac_world_leave(void)
{
    now = (wac_world_moment){0};
}

static wac_status check_bounds(const wac_environment_type *type, const char *what, int size,
                               const double *low, const double *high, wac_error *error)
{
    for (int i = 0; i < size; i++)
        if (!(low[i] < high[i]) || !isfinite(high[i] - low[i]))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "environment %s: the bounds of %s %d must be finite, the low one below "
                            "the high one",
                            type->name, what, i);
    return WAC_STATUS_OK;
}

static wac_status check_spec(const wac_environment_type *type, const wac_environment_spec *spec,
                             wac_error *error)
{
    if (spec->observation_size < 1 || spec->observation_size > WAC_ENVIRONMENT_DIMENSIONS ||
        spec->action_size < 1 || spec->action_size > WAC_ENVIRONMENT_DIMENSIONS ||
        spec->state_size < 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "environment %s declares %d observations, %d actions and %d state entries; "
                        "the first two must be from 1 to %d, the last not negative",
                        type->name, spec->observation_size, spec->action_size, spec->state_size,
                        WAC_ENVIRONMENT_DIMENSIONS);
    if (spec->state_size > 0 && (!type->save || !type->load))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "environment %s declares %d state entries, and has no functions save and "
                        "load to move them",
                        type->name, spec->state_size);
    if (spec->has_place && spec->observation_size < 2)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "environment %s says where it is (has_place), which takes two observations",
                        type->name);
    enum { MOST = 1 << 14 }; /* states, and actions, of a finite world */
    bool finite = spec->states > 0 && spec->states <= MOST && spec->choices > 0 &&
                  spec->choices <= MOST && spec->observation_size == 1 && spec->action_size == 1;
    if ((spec->states || spec->choices) && !finite)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "environment %s declares %d states and %d choices; a finite world has from "
                        "1 to %d of both, one observation and one action",
                        type->name, spec->states, spec->choices, MOST);
    WAC_TRY(check_bounds(type, "observation", spec->observation_size, spec->observation_low,
                         spec->observation_high, error));
    return check_bounds(type, "action", spec->action_size, spec->action_low, spec->action_high,
                        error);
}

/* Pass on what a world's own function failed with, and say where. A world can not interrupt a run:
 * only between its steps is there something whole to save. */
static wac_status fail_world(const wac_environment_type *type, wac_status status,
                             const wac_error *cause, wac_error *error, const char *where)
{
    if (status == WAC_STATUS_INTERRUPTED)
        status = WAC_STATUS_INPUT;
    return wac_fail(error, status, "environment %s: %s: %s", type->name, where,
                    cause->message[0] ? cause->message : "it failed and does not say why");
}

wac_status wac_world_create(wac_world **out, const wac_environment_type *type,
                            const wac_config *config, wac_error *error)
{
    wac_world *world = calloc(1, sizeof *world);
    if (!world)
        return wac_fail_memory(error, "the environment");
    world->type = type;
    world->path_limit = config->path_limit;
    world->raw = config->normalisation != WAC_NORMALISATION_BOUNDS;
    wac_error cause = {0};
    wac_world_enter(type->name, "create");
    wac_status status = type->create(&world->self, &world->spec, config, &cause);
    wac_world_leave();
    if (status != WAC_STATUS_OK && cause.message[0] && !wac_environment_is_plugin(type->name))
        wac_fail(error, status, "%s", cause.message); /* says itself what it needs */
    else if (status != WAC_STATUS_OK)
        status = fail_world(type, status, &cause, error, "its creation");
    else
        status = check_spec(type, &world->spec, error);
    if (status != WAC_STATUS_OK) {
        wac_world_destroy(world);
        return status;
    }
    *out = world;
    return WAC_STATUS_OK;
}

void wac_world_destroy(wac_world *world)
{
    if (!world)
        return;
    wac_world_enter(world->type->name, "destroy");
    if (world->self)
        world->type->destroy(world->self);
    wac_world_leave();
    free(world);
}

double wac_world_normalise(double value, double low, double high)
{
    return wac_clamp(2 * (value - low) / (high - low) - 1, -1, 1);
}

double wac_world_action(double action, double low, double high)
{
    /* within them, where a sum of the two is too large or its last digit is rounded up, too */
    return wac_clamp(low / 2 + high / 2 + wac_clamp(action, -1, 1) * ((high - low) / 2), low, high);
}

static wac_status observe(const wac_world *world, float *observation, wac_error *error)
{
    const wac_environment_spec *spec = &world->spec;
    for (int i = 0; i < spec->observation_size; i++) {
        double value = world->raw_observation[i];
        if (!world->raw)
            value = wac_world_normalise(value, spec->observation_low[i], spec->observation_high[i]);
        observation[i] = (float)value;
        if (!isfinite(observation[i]))
            return wac_fail(error, WAC_STATUS_NUMERIC,
                            "environment %s: observation %d is %g after step %lld, which is no "
                            "number that an agent can see; mend the environment",
                            world->type->name, i, value, (long long)world->steps);
    }
    return WAC_STATUS_OK;
}

wac_status wac_world_reset(wac_world *world, wac_rng *rng, float *observation, wac_error *error)
{
    wac_error cause = {0};
    world->steps = 0;
    wac_world_enter(world->type->name, "reset");
    wac_status status = world->type->reset(world->self, rng, world->raw_observation, &cause);
    wac_world_leave();
    if (status != WAC_STATUS_OK)
        return fail_world(world->type, status, &cause, error, "the start of an episode");
    return observe(world, observation, error);
}

static void map_action(wac_world *world, const float *action)
{
    const wac_environment_spec *spec = &world->spec;
    for (int i = 0; i < spec->action_size; i++)
        world->raw_action[i] =
            wac_world_action((double)action[i], spec->action_low[i], spec->action_high[i]);
}

void wac_world_send(wac_world *world, const float *action)
{
    if (!world->type->send)
        return;
    map_action(world, action);
    wac_world_enter(world->type->name, "send");
    world->type->send(world->self, world->raw_action);
    wac_world_leave();
}

wac_status wac_world_step(wac_world *world, wac_rng *rng, const float *action, float *observation,
                          wac_step *step, wac_error *error)
{
    map_action(world, action);
    for (int i = 0; i < world->spec.action_size; i++) {
        if (isnan(world->raw_action[i]))
            return wac_fail(error, WAC_STATUS_NUMERIC,
                            "environment %s: action %d is not a number at step %lld",
                            world->type->name, i, (long long)world->steps + 1);
    }
    *step = (wac_step){0};
    world->steps++;
    wac_error cause;
    cause.message[0] = 0;
    wac_world_enter(world->type->name, "step");
    wac_status status = world->type->step(world->self, rng, world->raw_action,
                                          world->raw_observation, step, &cause);
    wac_world_leave();
    if (status != WAC_STATUS_OK) {
        char where[64];
        snprintf(where, sizeof where, "step %lld of an episode", (long long)world->steps);
        return fail_world(world->type, status, &cause, error, where);
    }
    if (!isfinite((float)step->reward))
        return wac_fail(error, WAC_STATUS_NUMERIC,
                        "environment %s: the reward is %g at step %lld, which is no number that an "
                        "agent can learn from; mend the environment",
                        world->type->name, step->reward, (long long)world->steps);
    if (step->begins)
        world->steps = 0;
    step->truncated = !step->terminated && (step->truncated || world->steps >= world->path_limit);
    return observe(world, observation, error);
}

void wac_world_save(const wac_world *world, double *state)
{
    wac_world_enter(world->type->name, "save");
    if (world->type->save)
        world->type->save(world->self, state);
    wac_world_leave();
}

wac_status wac_world_load(wac_world *world, const double *state, int64_t steps, wac_error *error)
{
    wac_error cause = {0};
    wac_world_enter(world->type->name, "load");
    wac_status status =
        world->type->load ? world->type->load(world->self, state, &cause) : WAC_STATUS_OK;
    wac_world_leave();
    if (status != WAC_STATUS_OK)
        return fail_world(world->type, status, &cause, error, "the state of a checkpoint");
    world->steps = steps;
    return WAC_STATUS_OK;
}

void wac_single_save(const void *self, double *state)
{
    *state = *(const double *)self;
}

wac_status wac_single_load(void *self, const double *state, wac_error *error)
{
    WAC_TRY(wac_state_check(state, 1, error));
    *(double *)self = *state;
    return WAC_STATUS_OK;
}

wac_status wac_state_check(const double *state, int size, wac_error *error)
{
    for (int i = 0; i < size; i++)
        if (!isfinite(state[i]))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "it holds %g where no world can be; use another copy of the checkpoint",
                            state[i]);
    return WAC_STATUS_OK;
}
