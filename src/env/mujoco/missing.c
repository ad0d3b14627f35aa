/* In the place of engine.c where the library is built without the engine: nothing can be opened, so
 * most of the rest is never called. */
#include "env/mujoco/engine.h"

#include "base/status.h"
#include "env/world.h"

#include <stdlib.h>

wac_status wac_mujoco_check(wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "this build has no MuJoCo; install libmujoco-dev and build again");
}

wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error)
{
    (void)mujoco, (void)name, (void)positions, (void)velocities, (void)controls;
    return wac_mujoco_check(error);
}

wac_status wac_mujoco_open_file(wac_mujoco *mujoco, const char *path, wac_error *error)
{
    (void)mujoco, (void)path;
    return wac_mujoco_check(error);
}

void wac_mujoco_destroy(void *world)
{
    free(world);
}

wac_mujoco *wac_mujoco_of(const wac_world *world)
{
    (void)world;
    return NULL;
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NEVER(result, name, ...)                                                                   \
    result name(__VA_ARGS__)                                                                       \
    {                                                                                              \
        abort();                                                                                   \
    }
NEVER(void, wac_mujoco_close, wac_mujoco *mujoco)
NEVER(void, wac_mujoco_reset, wac_mujoco *mujoco, int key)
NEVER(wac_status, wac_mujoco_start, wac_mujoco *mujoco, const double *qpos, const double *qvel,
      wac_error *error)
NEVER(wac_status, wac_mujoco_step, wac_mujoco *mujoco, const double *control, int steps,
      wac_error *error)
NEVER(wac_status, wac_mujoco_forward, wac_mujoco *mujoco, wac_error *error)
NEVER(int, wac_mujoco_state_size, const wac_mujoco *mujoco)
NEVER(void, wac_mujoco_save, const void *world, double *state)
NEVER(wac_status, wac_mujoco_load, void *world, const double *state, wac_error *error)
NEVER(bool, wac_mujoco_geom, wac_mujoco *mujoco, int index, wac_geom *geom)
NEVER(wac_mujoco_motion, wac_mujoco_describe_motion, wac_mujoco *mujoco)
NEVER(void, wac_mujoco_place, const wac_mujoco *mujoco, int body, double place[3])
NEVER(int, wac_mujoco_count, const wac_mujoco *mujoco, wac_mujoco_kind kind)
NEVER(const char *, wac_mujoco_name, const wac_mujoco *mujoco, wac_mujoco_kind kind, int index)
NEVER(const double *, wac_mujoco_values, const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
      int *count)
NEVER(void, wac_mujoco_site_velocity, const wac_mujoco *mujoco, int site, double velocity[3])
NEVER(bool, wac_mujoco_control_range, const wac_mujoco *mujoco, int control, double *low,
      double *high)
NEVER(bool, wac_mujoco_is_noisy, const wac_mujoco *mujoco)
