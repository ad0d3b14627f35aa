/* Locomotion: walk, hop or run to the right as fast as possible, at little effort. */
#include "env/mujoco/locomotion.h"

#include "base/number.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_JOINTS = 9 };

/* What tells one body from another. */
typedef struct wac_body {
    const char *model;
    int joints, controls;
    int frames;            /* steps of the engine to one of ours */
    double position_noise; /* of the start: uniform, to either side */
    double velocity_noise; /* uniform as well, or the deviation of a normal … */
    bool is_normal;        /* … if this is true */
    double velocity_bound; /* what is observed of a velocity */
    double alive_reward, control_cost;
    bool (*is_well)(const double *qpos, const double *qvel); /* null: always */
} wac_body;

static bool hopper_is_well(const double *qpos, const double *qvel)
{
    for (int i = 0; i < 6; i++)
        if ((i >= 2 && !(fabs(qpos[i]) < 100)) || !(fabs(qvel[i]) < 100))
            return false;
    return isfinite(qpos[0]) && isfinite(qpos[1]) && qpos[1] > 0.7 && fabs(qpos[2]) < 0.2;
}

static bool walker_is_well(const double *qpos, const double *qvel)
{
    (void)qvel;
    return qpos[1] > 0.8 && qpos[1] < 2 && qpos[2] > -1 && qpos[2] < 1;
}

static const wac_body cheetah = {
    .model = "halfcheetah.xml",
    .joints = 9,
    .controls = 6,
    .frames = 5,
    .position_noise = 0.1,
    .velocity_noise = 0.1,
    .is_normal = true,
    .velocity_bound = INFINITY,
    .control_cost = 0.1,
};

static const wac_body hopper = {
    .model = "hopper.xml",
    .joints = 6,
    .controls = 3,
    .frames = 4,
    .position_noise = 0.005,
    .velocity_noise = 0.005,
    .velocity_bound = 10,
    .alive_reward = 1,
    .control_cost = 0.001,
    .is_well = hopper_is_well,
};

static const wac_body walker = {
    .model = "walker2d.xml",
    .joints = 9,
    .controls = 6,
    .frames = 4,
    .position_noise = 0.005,
    .velocity_noise = 0.005,
    .velocity_bound = 10,
    .alive_reward = 1,
    .control_cost = 0.001,
    .is_well = walker_is_well,
};

/* How long one step takes, in seconds of the simulation. */
static double seconds_of_step(const wac_locomotion *self)
{
    return self->body->frames * self->mujoco.timestep;
}

static wac_status create(void **world, wac_environment_spec *spec, const wac_body *body,
                         const wac_config *config, wac_error *error)
{
    const double bound = config->observation_bound;
    wac_locomotion *self = malloc(sizeof *self);
    if (!self)
        return wac_fail_memory(error, "the locomotion environment");
    self->body = body;
    self->reward_beyond = config->reward_beyond;
    wac_status status = wac_mujoco_open(&self->mujoco, body->model, body->joints, body->joints,
                                        body->controls, error);
    if (status) {
        free(self);
        return status;
    }
    *world = self;
    *spec = (wac_environment_spec){
        .observation_size = 2 * body->joints - 1,
        .action_size = body->controls,
        .state_size = wac_mujoco_state_size(&self->mujoco),
        .has_goal = self->reward_beyond > 0,
        .seconds = seconds_of_step(self),
    };
    for (int i = 0; i < spec->observation_size; i++) {
        spec->observation_low[i] = -bound;
        spec->observation_high[i] = bound;
    }
    for (int i = 0; i < spec->action_size; i++) {
        spec->action_low[i] = -1;
        spec->action_high[i] = 1;
    }
    return WAC_STATUS_OK;
}

void wac_locomotion_observe(const wac_locomotion *self, double *observation)
{
    double bound = self->body->velocity_bound;
    for (int i = 1; i < self->body->joints; i++)
        *observation++ = self->mujoco.qpos[i];
    for (int i = 0; i < self->body->joints; i++)
        *observation++ = wac_clamp(self->mujoco.qvel[i], -bound, bound);
}

static double spread(wac_rng *rng, double width)
{
    return width * (2 * wac_rng_uniform(rng) - 1);
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    wac_locomotion *self = world;
    const wac_body *body = self->body;
    double qpos[MOST_JOINTS], qvel[MOST_JOINTS];
    for (int i = 0; i < body->joints; i++)
        qpos[i] = self->mujoco.start[i] + spread(rng, body->position_noise);
    for (int i = 0; i < body->joints; i++)
        qvel[i] = body->is_normal ? body->velocity_noise * wac_rng_normal(rng)
                                  : spread(rng, body->velocity_noise);
    WAC_TRY(wac_mujoco_start(&self->mujoco, qpos, qvel, error));
    wac_locomotion_observe(self, observation);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng;
    wac_locomotion *self = world;
    const wac_body *body = self->body;
    double before = self->mujoco.qpos[0], effort = 0;
    WAC_TRY(wac_mujoco_step(&self->mujoco, action, body->frames, error));
    for (int i = 0; i < body->controls; i++)
        effort += action[i] * action[i];
    wac_locomotion_observe(self, observation);
    step->reward = (self->mujoco.qpos[0] - before) / seconds_of_step(self) + body->alive_reward -
                   body->control_cost * effort;
    if (self->reward_beyond > 0) {
        step->success = self->mujoco.qpos[0] >= self->reward_beyond;
        step->reward = step->success ? step->reward : 0;
    }
    step->terminated = body->is_well && !body->is_well(self->mujoco.qpos, self->mujoco.qvel);
    return WAC_STATUS_OK;
}

#define CREATE(body)                                                                               \
    static wac_status create_##body(void **world, wac_environment_spec *spec,                      \
                                    const wac_config *config, wac_error *error)                    \
    {                                                                                              \
        return create(world, spec, &body, config, error);                                          \
    }
CREATE(cheetah)
CREATE(hopper)
CREATE(walker)

#define TYPE(id, body, text)                                                                       \
    {                                                                                              \
        .name = id, .summary = text, .create = create_##body, .destroy = wac_mujoco_destroy,       \
        .reset = reset, .step = step, .save = wac_mujoco_save, .load = wac_mujoco_load             \
    }
const wac_environment_type wac_environments_locomotion[WAC_LOCOMOTION_BODIES] = {
    TYPE("halfcheetah", cheetah, "run on two legs, flat as a sheet (MuJoCo)"),
    TYPE("hopper", hopper, "hop on one leg without falling (MuJoCo)"),
    TYPE("walker2d", walker, "walk on two legs without falling (MuJoCo)"),
};
