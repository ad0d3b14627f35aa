/* A MuJoCo simulation: a model that nobody changes, and its own data.
 *
 * The engine's warnings (a number that is not finite or huge, a full buffer) are errors here: it
 * would go on from a silent reset, which no agent should learn from. Once a warning has occurred
 * every further step fails, until the simulation is started or loaded anew.
 *
 * This header needs none of MuJoCo's. In a build without it, open fails and says so.
 */
#ifndef WAC_ENV_MUJOCO_H
#define WAC_ENV_MUJOCO_H

#include "wac/base.h"

typedef struct wac_mujoco {
    struct mjModel_ *model;
    struct mjData_ *data;
    int positions, velocities, controls; /* nq, nv, nu */
    double timestep;                     /* seconds */
    const double *start;                 /* [positions], the model's own start */
    double *qpos, *qvel;                 /* [positions], [velocities], of the data */
} wac_mujoco;

/* Load the model file of this name (env/models.h). What the loader has to say about a broken one is
 * in the error. The model must have these numbers of positions, velocities and controls. On failure
 * there is nothing to close. */
wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error);
void wac_mujoco_close(wac_mujoco *mujoco);

/* Everything as after loading, but for these positions and velocities. */
wac_status wac_mujoco_start(wac_mujoco *mujoco, const double *qpos, const double *qvel,
                            wac_error *error);

/* So many steps of the engine under the same controls: [controls]. */
wac_status wac_mujoco_step(wac_mujoco *mujoco, const double *control, int steps, wac_error *error);

/* Bring everything that follows from qpos and qvel up to date, after writing to them. */
wac_status wac_mujoco_forward(wac_mujoco *mujoco, wac_error *error);

/* All that the next step depends on, as `wac_mujoco_state_size` doubles. */
int wac_mujoco_state_size(const wac_mujoco *mujoco);
void wac_mujoco_save(const wac_mujoco *mujoco, double *state);
void wac_mujoco_load(wac_mujoco *mujoco, const double *state);

#endif
