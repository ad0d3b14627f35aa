/* The parts of a model that a recipe can name, and where the engine keeps their values. */
#ifndef WAC_ENV_MUJOCO_ELEMENTS_H
#define WAC_ENV_MUJOCO_ELEMENTS_H

#include "env/mujoco/engine.h"

typedef enum wac_mujoco_kind {
    WAC_MUJOCO_QPOS, /* a joint's share of it: 1 value, 4 of a ball, 7 of a free body */
    WAC_MUJOCO_QVEL, /* a joint's: 1, 3 or 6 */
    WAC_MUJOCO_CONTROL,
    WAC_MUJOCO_SENSOR,
    WAC_MUJOCO_SITE, /* its position in the world: 3 */
    WAC_MUJOCO_KEYFRAME,
} wac_mujoco_kind;

int wac_mujoco_count(const wac_mujoco *mujoco, wac_mujoco_kind kind);

/* "" where it has none. */
const char *wac_mujoco_name(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index);

/* The present values of one part, or of all if the index is negative; of sensors and sites those of
 * the last step's or forward's begin. The pointer is good as long as the simulation. */
const double *wac_mujoco_values(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
                                int *count);

/* Of a site, along the axes of the world. */
void wac_mujoco_site_velocity(const wac_mujoco *mujoco, int site, double velocity[3]);

/* False for an actuator without limits. */
bool wac_mujoco_control_range(const wac_mujoco *mujoco, int control, double *low, double *high);

/* Whether sensors add random numbers of the engine's own, which nobody could reproduce. */
bool wac_mujoco_is_noisy(const wac_mujoco *mujoco);

#endif
