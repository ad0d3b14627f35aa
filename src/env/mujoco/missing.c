/* In the place of engine.c and elements.c where the library is built without the engine: nothing
 * can be opened, so the rest is never called. */
#include "env/mujoco/elements.h"

#include "base/status.h"

#include <stdlib.h>

wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error)
{
    (void)positions, (void)velocities, (void)controls;
    return wac_mujoco_open_file(mujoco, name, error);
}

wac_status wac_mujoco_open_file(wac_mujoco *mujoco, const char *path, wac_error *error)
{
    (void)mujoco, (void)path;
    return wac_mujoco_check(error);
}

wac_status wac_mujoco_check(wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "this build has no MuJoCo; install libmujoco-dev and build again");
}

void wac_mujoco_close(wac_mujoco *mujoco)
{
    (void)mujoco;
}

void wac_mujoco_reset(wac_mujoco *mujoco, int key)
{
    (void)mujoco, (void)key;
    abort();
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

bool wac_mujoco_geom(wac_mujoco *mujoco, int index, wac_geom *geom)
{
    (void)mujoco, (void)index, (void)geom;
    abort();
}

int wac_mujoco_count(const wac_mujoco *mujoco, wac_mujoco_kind kind)
{
    (void)mujoco, (void)kind;
    abort();
}

const char *wac_mujoco_name(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index)
{
    (void)mujoco, (void)kind, (void)index;
    abort();
}

const double *wac_mujoco_values(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
                                int *count)
{
    (void)mujoco, (void)kind, (void)index, (void)count;
    abort();
}

void wac_mujoco_site_velocity(const wac_mujoco *mujoco, int site, double velocity[3])
{
    (void)mujoco, (void)site, (void)velocity;
    abort();
}

bool wac_mujoco_control_range(const wac_mujoco *mujoco, int control, double *low, double *high)
{
    (void)mujoco, (void)control, (void)low, (void)high;
    abort();
}

bool wac_mujoco_is_noisy(const wac_mujoco *mujoco)
{
    (void)mujoco;
    abort();
}
