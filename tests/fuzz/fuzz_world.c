/* A world that does as the bytes say, as a plug-in might: its sizes, bounds, observations, rewards
 * and ends. It is refused with a sentence, or what the agent sees is finite and in [-1, 1], actions
 * that arrive are within the bounds, and nobody writes beyond his array. */
#include "base/rng.h"
#include "config/config.h"
#include "env/world.h"
#include "fuzz/fuzz.h"

#include <math.h>

typedef struct world {
    wac_environment_spec spec;
    double state[4];
} world;

static wac_status create(void **self, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    (void)config, (void)error;
    world *new = calloc(1, sizeof *new);
    require(new);
    spec->observation_size = fuzz_byte() < 224 ? fuzz_byte() % 6 : 8 * (int8_t)fuzz_byte();
    spec->action_size = fuzz_byte() < 224 ? fuzz_byte() % 6 : 8 * (int8_t)fuzz_byte();
    spec->state_size = fuzz_byte() < 224 ? 4 : (int8_t)fuzz_byte() % 5;
    spec->has_goal = fuzz_byte() & 1;
    spec->has_place = fuzz_byte() & 1;
    spec->seconds = fuzz_number(0);
    for (int i = 0; i < 6; i++) {
        spec->observation_low[i] = fuzz_number(-1);
        spec->observation_high[i] = fuzz_number(1);
        spec->action_low[i] = fuzz_number(-1);
        spec->action_high[i] = fuzz_number(1);
    }
    new->spec = *spec;
    *self = new;
    return WAC_STATUS_OK;
}

static wac_status reset(void *self, wac_rng *rng, double *observation, wac_error *error)
{
    (void)rng, (void)error;
    const world *world = self;
    for (int i = 0; i < world->spec.observation_size; i++)
        observation[i] = fuzz_number(0);
    return WAC_STATUS_OK;
}

static wac_status step(void *self, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    const world *world = self;
    for (int i = 0; i < world->spec.action_size; i++)
        require(action[i] >= world->spec.action_low[i] && action[i] <= world->spec.action_high[i]);
    step->reward = fuzz_number(0);
    uint8_t end = fuzz_byte();
    step->terminated = end > 200;
    step->truncated = end % 8 == 7;
    step->success = end % 16 == 3;
    return reset(self, rng, observation, error);
}

static void save(const void *self, double *state)
{
    const world *world = self;
    memcpy(state, world->state, (size_t)world->spec.state_size * sizeof *state);
}

static wac_status load(void *self, const double *state, wac_error *error)
{
    (void)error;
    world *world = self;
    memcpy(world->state, state, (size_t)world->spec.state_size * sizeof *state);
    return WAC_STATUS_OK;
}

static const wac_environment_type type = {
    .name = "fuzz",
    .create = create,
    .destroy = free,
    .reset = reset,
    .step = step,
    .save = save,
    .load = load,
};

/* In a block of its size; true: the episode goes on. */
static bool check_seen(const wac_world *world, const float *observation)
{
    for (int i = 0; i < world->spec.observation_size; i++)
        require(world->raw ? isfinite(observation[i]) != 0
                           : observation[i] >= -1 && observation[i] <= 1);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static wac_config config; /* it takes longer than all the rest */
    wac_world *world;
    wac_error error = {0};
    wac_step seen;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_EXPLORE);
    if (!*config.environment)
        require(wac_config_init(&config, "riverswim", NULL, NULL) == WAC_STATUS_OK);
    fuzz_input = (struct fuzz_input){data, size};
    config.normalisation = fuzz_byte() & 1;
    if (wac_world_create(&world, &type, &config, &error) != WAC_STATUS_OK) {
        require(error.message[0]);
        return 0;
    }
    size_t seen_size = (size_t)world->spec.observation_size * sizeof(float);
    float *observation = malloc(seen_size), *action = calloc(8, sizeof *action);
    require(observation && action);
    bool goes = wac_world_reset(world, &rng, observation, &error) == WAC_STATUS_OK &&
                check_seen(world, observation);
    for (int i = 0; i < 40 && goes && fuzz_input.size > 0; i++) {
        for (int k = 0; k < world->spec.action_size && k < 8; k++)
            action[k] = (float)(int8_t)fuzz_byte() / 100;
        goes = wac_world_step(world, &rng, action, observation, &seen, &error) == WAC_STATUS_OK &&
               check_seen(world, observation);
        require(!goes || isfinite((float)seen.reward));
        if (goes && (seen.terminated || seen.truncated))
            goes = wac_world_reset(world, &rng, observation, &error) == WAC_STATUS_OK &&
                   check_seen(world, observation);
    }
    require(goes || error.message[0] || fuzz_input.size == 0);
    free(observation);
    free(action);
    wac_world_destroy(world);
    return 0;
}
