/* The arithmetic of MountainCar, apart so that recordings can be replayed against it. */
#ifndef WAC_ENV_MOUNTAINCAR_H
#define WAC_ENV_MOUNTAINCAR_H

#include "wac/env.h"

/* Both hold numbers of single precision: all that Gymnasium's has between two steps. */
typedef struct wac_mountaincar {
    double position, velocity;
} wac_mountaincar;

/* One step under a push in [-1, 1]: moves the car, returns the reward. */
double wac_mountaincar_move(wac_mountaincar *car, double push);

/* Past the flag, and not rolling back. */
bool wac_mountaincar_is_there(const wac_mountaincar *car);

extern const wac_environment_type wac_environment_mountaincar;

#endif
