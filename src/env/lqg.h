/* The arithmetic of the LQG world, apart so that recordings can be replayed against it. */
#ifndef WAC_ENV_LQG_H
#define WAC_ENV_LQG_H

#include "wac/env.h"

typedef struct wac_lqg {
    double state; /* first: wac_single_save */
    double noise_std, state_bound, action_bound;
    double cost_scale;
} wac_lqg;

wac_lqg wac_lqg_make(const wac_config *config);

/* One step under the push u (clipped to the bound) with noise v: moves the state, returns the
 * reward. */
double wac_lqg_move(wac_lqg *lqg, double u, double v);

extern const wac_environment_type wac_environment_lqg;

/* What the best linear controller, u = -0.618 x, earns in an episode on average (where neither
 * state nor push is clipped, which is nearly always). */
double wac_lqg_best_return(const wac_config *config);

#endif
