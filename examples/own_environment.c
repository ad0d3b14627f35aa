/* Train an agent on a world of your own: a cart on a rail has to come to rest at the origin.
 * cc own_environment.c $(pkg-config --cflags --libs wac) && ./a.out */
#include <wac/wac.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the world is two doubles: position and velocity */
static wac_status create(void **cart, wac_environment_spec *spec, const wac_config *c, wac_error *e)
{
    (void)c, (void)e;
    *spec = (wac_environment_spec){.observation_size = 2,
                                   .action_size = 1,
                                   .state_size = 2,
                                   .observation_low = {-2, -2},
                                   .observation_high = {2, 2},
                                   .action_low = {-1},
                                   .action_high = {1}};
    return (*cart = calloc(2, sizeof(double))) ? WAC_STATUS_OK : WAC_STATUS_MEMORY;
}

static void save(const void *cart, double *state)
{
    memcpy(state, cart, 2 * sizeof *state);
}

static wac_status load(void *cart, const double *state, wac_error *error)
{
    (void)error;
    memcpy(cart, state, 2 * sizeof *state);
    return WAC_STATUS_OK;
}

static wac_status reset(void *cart, wac_rng *rng, double *observation, wac_error *error)
{
    observation[0] = 2 * wac_rng_uniform(rng) - 1;
    observation[1] = 0;
    return load(cart, observation, error);
}

static wac_status step(void *cart, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng, (void)error;
    double *state = cart;
    state[1] += 0.1 * action[0];
    state[0] += 0.1 * state[1];
    step->terminated = state[0] < -2 || state[0] > 2;
    step->reward = step->terminated ? -100 : -state[0] * state[0] - 0.1 * state[1] * state[1];
    save(cart, observation);
    return WAC_STATUS_OK;
}

static void show(void *user, const wac_progress *progress)
{
    (void)user;
    if (progress->is_row)
        printf("epoch %lld  return %.2f\n", (long long)progress->epoch, progress->eval_return);
}

int main(int argc, char **argv)
{
    const wac_environment_type type = {.name = "cart",
                                       .create = create,
                                       .destroy = free,
                                       .reset = reset,
                                       .step = step,
                                       .save = save,
                                       .load = load};
    wac_run_options options = {.threads = 1, .first_cpu = -1, .progress = show};
    wac_config config;
    wac_run *run = NULL;
    wac_error error = {0};
    if (wac_config_init(&config, "cart", "me-wac", &error) == WAC_STATUS_OK) {
        config.epochs = 8, config.path_limit = 100, config.width = 64;
        wac_run_create(&run, &config, &type, argc > 1 ? argv[1] : "runs/cart", &options, &error);
    }
    if (run)
        wac_run_train(run, &error);
    wac_run_destroy(run);
    return error.message[0] ? fprintf(stderr, "%s\n", error.message), 1 : 0;
}
