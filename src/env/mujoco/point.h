/* Point: four mazes for a sliding ball. Its parts are apart so that recordings can be replayed. */
#ifndef WAC_ENV_MUJOCO_POINT_H
#define WAC_ENV_MUJOCO_POINT_H

#include "env/mujoco/engine.h"
#include "wac/env.h"

/* Joints of the model, in the order of qpos and qvel; the observation is x, y and their speeds. */
enum { WAC_POINT_X, WAC_POINT_Y, WAC_POINT_SPIN, WAC_POINT_JOINTS, WAC_POINT_OBSERVATIONS = 4 };

typedef struct wac_point {
    wac_mujoco mujoco; /* first: wac_mujoco_save */
    wac_reward_kind reward;
} wac_point;

double wac_point_reward(const wac_point *point, wac_reward_kind kind);

/* Where the ball starts (its middle, up to this far to either side) and where it shall go. */
typedef struct wac_point_places {
    double start[2], start_spread;
    double goal[2], goal_radius;
} wac_point_places;
extern const wac_point_places wac_point_task;

enum { WAC_POINT_MAPS = 4 };
extern const wac_environment_type wac_environments_point[WAC_POINT_MAPS];

#endif
