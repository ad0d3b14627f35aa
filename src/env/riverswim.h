/* The arithmetic of RiverSwim, apart so that recordings can be replayed against it. */
#ifndef WAC_ENV_RIVERSWIM_H
#define WAC_ENV_RIVERSWIM_H

#include "wac/env.h"

/* RiverSwim as the presets have it: what always swimming up earns in an episode on average, and the
 * return from which on we call it solved. */
#define WAC_RIVERSWIM_ALWAYS_UP 161.6
#define WAC_RIVERSWIM_SOLVED 100.0

typedef struct wac_riverswim {
    double state; /* first: wac_single_save */
    double length;
    wac_reward_rule rule;
} wac_riverswim;

wac_riverswim wac_riverswim_make(const wac_config *config);

/* Chances of moving by -|a|, 0 and +|a| under action a (clipped to [-1, 1]). */
void wac_riverswim_chances(double a, double chances[3]);

/* One step in direction -1, 0 or 1: moves the state, returns the reward. */
double wac_riverswim_move(wac_riverswim *river, double a, int direction);

extern const wac_environment_type wac_environment_riverswim;

#endif
