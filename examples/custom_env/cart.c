/* A world of one's own as a plug-in: a cart on a rail has to come to rest at the origin.
 *
 *     make && wac check ./cart.so && wac train ./cart.so --path-limit 100 --reward-min -6
 */
#include <wac/env.h>

#include <stdlib.h>
#include <string.h>

/* Everything that the next step depends on. */
typedef struct cart {
    double position, velocity;
} cart;

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    (void)config, (void)error;
    spec->observation_size = 2;
    spec->action_size = 1;
    spec->state_size = 2;
    for (int i = 0; i < 2; i++)
        spec->observation_low[i] = -3, spec->observation_high[i] = 3;
    spec->action_low[0] = -1, spec->action_high[0] = 1;
    spec->seconds = 0.1;
    return (*world = calloc(1, sizeof(cart))) ? WAC_STATUS_OK : WAC_STATUS_MEMORY;
}

static void save(const void *world, double *state)
{
    memcpy(state, world, sizeof(cart));
}

static wac_status load(void *world, const double *state, wac_error *error)
{
    (void)error;
    memcpy(world, state, sizeof(cart));
    return WAC_STATUS_OK;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)error;
    *(cart *)world = (cart){.position = 2 * wac_rng_uniform(rng) - 1};
    save(world, observation);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng, (void)error;
    cart *self = world;
    self->velocity += 0.1 * action[0];
    self->position += 0.1 * self->velocity;
    /* off the rail the episode is over; how long it may last is the setting path_limit */
    step->terminated = self->position < -2 || self->position > 2;
    step->reward = -self->position * self->position - 0.1 * self->velocity * self->velocity;
    save(world, observation);
    return WAC_STATUS_OK;
}

/* For wac render: the rail, the cart, and where it should be. */
static int draw(const void *world, wac_stroke *strokes)
{
    const cart *self = world;
    double x = self->position;
    strokes[0] = (wac_stroke){.x = {-2, 2}, .radius = 0.02};
    strokes[1] =
        (wac_stroke){.x = {x - 0.15, x + 0.15}, .y = {0.12, 0.12}, .radius = 0.1, .colour = 1};
    strokes[2] = (wac_stroke){.y = {-0.2, -0.08}, .radius = 0.03, .colour = 2};
    return 3;
}

static const wac_environment_type type = {
    .name = "cart",
    .summary = "a cart on a rail",
    .create = create,
    .destroy = free,
    .reset = reset,
    .step = step,
    .save = save,
    .load = load,
    .draw = draw,
};

WAC_ENVIRONMENT_EXPORT(&type);
