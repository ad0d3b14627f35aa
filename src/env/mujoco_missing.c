/* In the place of mujoco.c where the library is built without the engine: nothing can be opened, so
 * the rest is never called. */
#include "env/mujoco.h"

#include "base/status.h"

#include <stdlib.h>

wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error)
{
    (void)mujoco, (void)name, (void)positions, (void)velocities, (void)controls;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "this build has no MuJoCo; install libmujoco-dev and build again");
}

void wac_mujoco_close(wac_mujoco *mujoco)
{
    (void)mujoco;
}

wac_status wac_mujoco_start(wac_mujoco *mujoco, const double *qpos, const double *qvel,
                            wac_error *error)
{
    (void)mujoco, (void)qpos, (void)qvel, (void)error;
    abort();
}

wac_status wac_mujoco_step(wac_mujoco *mujoco, const double *control, int steps, wac_error *error)
{
    (void)mujoco, (void)control, (void)steps, (void)error;
    abort();
}

wac_status wac_mujoco_forward(wac_mujoco *mujoco, wac_error *error)
{
    (void)mujoco, (void)error;
    abort();
}

int wac_mujoco_state_size(const wac_mujoco *mujoco)
{
    (void)mujoco;
    abort();
}

void wac_mujoco_save(const wac_mujoco *mujoco, double *state)
{
    (void)mujoco, (void)state;
    abort();
}

void wac_mujoco_load(wac_mujoco *mujoco, const double *state)
{
    (void)mujoco, (void)state;
    abort();
}
