/* RiverSwim: swim up a river against its current. A tiny reward waits at the near end, a large one
 * at the far end, nothing in between; only persistence finds out. */
#include "env/riverswim.h"

#include "base/number.h"
#include "base/status.h"
#include "env/world.h"

#include <math.h>
#include <stdlib.h>

wac_riverswim wac_riverswim_make(const wac_config *config)
{
    return (wac_riverswim){.length = config->river_length,
                           .rule = (wac_reward_rule)config->reward_rule};
}

void wac_riverswim_chances(double a, double chances[3])
{
    a = wac_clamp(a, -1, 1);
    chances[0] = a <= 0 ? 1 - 0.9 * (a + 1) : 0.1;
    chances[1] = a <= 0 ? 0.9 * (a + 1) : 0.9 - 0.3 * a;
    chances[2] = a <= 0 ? 0 : 0.3 * a;
}

double wac_riverswim_move(wac_riverswim *river, double a, int direction)
{
    double s = river->state;
    a = wac_clamp(a, -1, 1);
    river->state = wac_clamp(s + direction * fabs(a), 0, river->length);
    /* the authors' program asks for the action's sign at both ends, their description at one */
    bool program = river->rule == WAC_REWARD_RULE_PROGRAM;
    if (s <= 1 && (!program || a <= 0))
        return 0.0005;
    if (s >= river->length - 1 && (program ? a >= 0 : a > 0))
        return 1;
    return 0;
}

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    wac_riverswim *river = malloc(sizeof *river);
    if (!river)
        return wac_fail_memory(error, "the riverswim environment");
    *river = wac_riverswim_make(config);
    *world = river;
    *spec = (wac_environment_spec){
        .observation_size = 1,
        .action_size = 1,
        .state_size = 1,
        .observation_low = {0},
        .observation_high = {river->length},
        .action_low = {-1},
        .action_high = {1},
    };
    return WAC_STATUS_OK;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)error;
    wac_riverswim *river = world;
    river->state = observation[0] = 0.5 * wac_rng_uniform(rng);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)error;
    wac_riverswim *river = world;
    double chances[3], draw = wac_rng_uniform(rng);
    wac_riverswim_chances(action[0], chances);
    int direction = draw < chances[0] ? -1 : draw < 1 - chances[2] ? 0 : 1;
    step->reward = wac_riverswim_move(river, action[0], direction);
    observation[0] = river->state;
    return WAC_STATUS_OK;
}

const wac_environment_type wac_environment_riverswim = {
    .name = "riverswim",
    .summary = "swim up a river to a distant prize past an easy crumb; hard to explore",
    .create = create,
    .destroy = free,
    .reset = reset,
    .step = step,
    .save = wac_single_save,
    .load = wac_single_load,
};
