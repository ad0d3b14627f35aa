/* Point: drive a ball around walls to the goal at the far end. The straight way is a dead end on
 * every map. One action is one step of the engine, after which position and speed are clipped and
 * the spin is stopped. */
#include "env/mujoco/point.h"

#include "base/number.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const wac_point_places wac_point_task = {
    .start = {0, 0}, .start_spread = 0.1, .goal = {25, 0}, .goal_radius = 2};
static const double low[WAC_POINT_OBSERVATIONS] = {0, -9.7, -50, -50};
static const double high[WAC_POINT_OBSERVATIONS] = {25, 9.7, 50, 50};

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         const char *model, wac_error *error)
{
    wac_point *point = malloc(sizeof *point);
    if (!point)
        return wac_fail_memory(error, "the point environment");
    wac_status status =
        wac_mujoco_open(&point->mujoco, model, WAC_POINT_JOINTS, WAC_POINT_JOINTS, 2, error);
    if (status) {
        free(point);
        return status;
    }
    point->reward = (wac_reward_kind)config->reward;
    *world = point;
    *spec = (wac_environment_spec){
        .observation_size = WAC_POINT_OBSERVATIONS,
        .action_size = 2,
        .state_size = wac_mujoco_state_size(&point->mujoco),
        .has_goal = true,
        .has_place = true,
        .action_low = {-1, -1},
        .action_high = {1, 1},
    };
    memcpy(spec->observation_low, low, sizeof low);
    memcpy(spec->observation_high, high, sizeof high);
    return WAC_STATUS_OK;
}

static void observe(const wac_point *point, double *observation)
{
    for (int i = 0; i < 2; i++) {
        observation[i] = point->mujoco.qpos[i];
        observation[2 + i] = point->mujoco.qvel[i];
    }
}

/* Back within the bounds; NaN, which is none of ours to hide, stays. */
static void confine(double *qpos, double *qvel)
{
    for (int i = 0; i < 2; i++) {
        qpos[i] = wac_clamp(qpos[i], low[i], high[i]);
        qvel[i] = wac_clamp(qvel[i], low[2 + i], high[2 + i]);
    }
    qpos[WAC_POINT_SPIN] = qvel[WAC_POINT_SPIN] = 0;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    wac_point *point = world;
    double qpos[WAC_POINT_JOINTS], qvel[WAC_POINT_JOINTS];
    const double spread = wac_point_task.start_spread;
    for (int i = 0; i < 2; i++)
        qpos[i] = wac_point_task.start[i] + (2 * spread * wac_rng_uniform(rng) - spread);
    for (int i = 0; i < 2; i++)
        qvel[i] = 0.1 * wac_rng_normal(rng);
    confine(qpos, qvel);
    WAC_TRY(wac_mujoco_start(&point->mujoco, qpos, qvel, error));
    observe(point, observation);
    return WAC_STATUS_OK;
}

static double distance(double x, double y)
{
    const double *goal = wac_point_task.goal;
    return sqrt((x - goal[0]) * (x - goal[0]) + (y - goal[1]) * (y - goal[1]));
}

static double goal_distance(const wac_point *point)
{
    return distance(point->mujoco.qpos[WAC_POINT_X], point->mujoco.qpos[WAC_POINT_Y]);
}

double wac_point_reward(const wac_point *point, wac_reward_kind kind)
{
    /* as a share of the distance to the farthest corner */
    return kind == WAC_REWARD_SPARSE ? -1 : -goal_distance(point) / distance(low[0], high[1]);
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng;
    wac_point *point = world;
    WAC_TRY(wac_mujoco_step(&point->mujoco, action, 1, error));
    confine(point->mujoco.qpos, point->mujoco.qvel);
    WAC_TRY(wac_mujoco_forward(&point->mujoco, error));
    observe(point, observation);
    step->reward = wac_point_reward(point, point->reward);
    step->terminated = step->success = goal_distance(point) <= wac_point_task.goal_radius;
    return WAC_STATUS_OK;
}

#define CREATE(map)                                                                                \
    static wac_status create_##map(void **world, wac_environment_spec *spec,                       \
                                   const wac_config *config, wac_error *error)                     \
    {                                                                                              \
        return create(world, spec, config, "point" #map ".xml", error);                            \
    }
CREATE(1)
CREATE(2)
CREATE(3)
CREATE(4)

#define TYPE(map, text)                                                                            \
    {                                                                                              \
        .name = "point-" #map, .summary = text, .create = create_##map,                            \
        .destroy = wac_mujoco_destroy, .reset = reset, .step = step, .save = wac_mujoco_save,      \
        .load = wac_mujoco_load                                                                    \
    }
const wac_environment_type wac_environments_point[WAC_POINT_MAPS] = {
    TYPE(1, "drive a ball to a goal, around a shallow cup (MuJoCo)"),
    TYPE(2, "drive a ball to a goal, between two long walls (MuJoCo)"),
    TYPE(3, "drive a ball to a goal, past a ledge and over a shelf (MuJoCo)"),
    TYPE(4, "drive a ball to a goal, around two walls with hooks; the hardest maze (MuJoCo)"),
};
