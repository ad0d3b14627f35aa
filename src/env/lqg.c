/* LQG: a point on a line is pushed to the origin, x' = clip(x + u + v), at a quadratic cost. */
#include "env/lqg.h"

#include "base/number.h"
#include "base/status.h"
#include "env/world.h"

#include <math.h>
#include <stdlib.h>

wac_lqg wac_lqg_make(const wac_config *config)
{
    double x = config->state_bound, u = config->action_bound;
    return (wac_lqg){
        .noise_std = config->noise_std,
        .state_bound = x,
        .action_bound = u,
        .cost_scale = config->scale_cost ? 0.9 * x * x + 0.9 * u * u : 1,
    };
}

double wac_lqg_move(wac_lqg *lqg, double u, double v)
{
    double x = lqg->state;
    u = wac_clamp(u, -lqg->action_bound, lqg->action_bound);
    lqg->state = wac_clamp(x + u + v, -lqg->state_bound, lqg->state_bound);
    return -(0.9 * x * x + 0.9 * u * u) / lqg->cost_scale;
}

double wac_lqg_best_return(const wac_config *config)
{
    const double gain = (sqrt(5) - 1) / 2; /* solves the Riccati equation of x' = x + u */
    wac_lqg lqg = wac_lqg_make(config);
    double noise = lqg.noise_std * lqg.noise_std, sum = 0;
    double square = lqg.state_bound * lqg.state_bound + noise; /* of the state, on average */
    for (int64_t step = 0; step < config->path_limit; step++) {
        sum += square;
        square = (1 - gain) * (1 - gain) * square + noise;
    }
    return -0.9 * (1 + gain * gain) * sum / lqg.cost_scale;
}

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    wac_lqg *lqg = malloc(sizeof *lqg);
    if (!lqg)
        return wac_fail_memory(error, "the lqg environment");
    *lqg = wac_lqg_make(config);
    *world = lqg;
    *spec = (wac_environment_spec){
        .observation_size = 1,
        .action_size = 1,
        .state_size = 1,
        .observation_low = {-lqg->state_bound},
        .observation_high = {lqg->state_bound},
        .action_low = {-lqg->action_bound},
        .action_high = {lqg->action_bound},
    };
    return WAC_STATUS_OK;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)error;
    wac_lqg *lqg = world;
    double side = wac_rng_uniform(rng) < 0.5 ? -1 : 1;
    lqg->state = side * lqg->state_bound + lqg->noise_std * wac_rng_normal(rng);
    observation[0] = lqg->state;
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)error;
    wac_lqg *lqg = world;
    step->reward = wac_lqg_move(lqg, action[0], lqg->noise_std * wac_rng_normal(rng));
    observation[0] = lqg->state;
    return WAC_STATUS_OK;
}

const wac_environment_type wac_environment_lqg = {
    .name = "lqg",
    .summary = "push a point on a line to the origin; no exploration needed",
    .create = create,
    .destroy = free,
    .reset = reset,
    .step = step,
    .save = wac_single_save,
    .load = wac_single_load,
};
