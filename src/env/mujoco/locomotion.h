/* HalfCheetah, Hopper and Walker2d, as in their common version 2. */
#ifndef WAC_ENV_MUJOCO_LOCOMOTION_H
#define WAC_ENV_MUJOCO_LOCOMOTION_H

#include "env/mujoco/engine.h"
#include "wac/env.h"

struct wac_body;

typedef struct wac_locomotion {
    wac_mujoco mujoco; /* first: wac_mujoco_save */
    const struct wac_body *body;
    double reward_beyond; /* steps that end before this pay nothing; 0: all pay */
} wac_locomotion;

/* The observation of the present state: qpos without its first entry, then qvel. */
void wac_locomotion_observe(const wac_locomotion *locomotion, double *observation);

enum { WAC_LOCOMOTION_BODIES = 3 };
extern const wac_environment_type wac_environments_locomotion[WAC_LOCOMOTION_BODIES];

#endif
