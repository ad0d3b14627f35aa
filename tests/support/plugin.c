/* A plug-in with a fault to order: the walk along a line, in one file that sees only what a user
 * sees. FAULT is one of these; tests.cmake builds a shared object for each. */
#include <wac/env.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    good,      /* none */
    stateless, /* no save and load, nothing to save, and nothing to say */
    version,   /* made for another version */
    settings,  /* made for other settings */
    symbol,    /* exports something else */
    table,     /* exports no table */
    function,  /* has no reset */
    half,      /* load without save */
    unsaved,   /* declares a state and has neither */
    refuses,   /* fails in create, and says why */
    silent,    /* does not */
    crashes,   /* in create */
    aborts,    /* in its third step */
    sizes,     /* declares no action */
    bounds,    /* declares endless ones */
    numbers,   /* shows NaN in its third step */
    pays,      /* rewards with infinity in its third step */
    posing,    /* calls itself point-1 */
    draws,     /* itself, with shapes among them that make no sense, and too many */
};

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    if (FAULT == crashes)
        *(volatile int *)(intptr_t)(config->seed < 0) = 1;
    if (FAULT == refuses)
        snprintf(error->message, sizeof error->message, "the motor has no power; switch it on");
    if (FAULT == refuses || FAULT == silent)
        return WAC_STATUS_IO;
    spec->observation_size = spec->action_size = 1;
    spec->state_size = FAULT == stateless ? 0 : 2;
    if (FAULT == sizes)
        spec->action_size = 0;
    spec->observation_low[0] = spec->action_low[0] = -1;
    spec->observation_high[0] = spec->action_high[0] = FAULT == bounds ? INFINITY : 1;
    spec->has_goal = true;
    return (*world = calloc(2, sizeof(double))) ? WAC_STATUS_OK : WAC_STATUS_MEMORY;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    double *state = world;
    (void)error;
    state[0] = 0.01 * wac_rng_uniform(rng);
    state[1] = 0;
    *observation = state[0];
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    double *state = world, before = state[0];
    (void)error;
    bool third = ++state[1] == 3;
    if (FAULT == aborts && third)
        abort();
    if (FAULT == stateless)
        state[0] = 0;
    state[0] = fmax(-1, fmin(1, state[0] + 0.2 * action[0] + 0.01 * wac_rng_normal(rng)));
    step->reward = FAULT == pays && third ? INFINITY : 0.1 * (state[0] - before);
    step->terminated = step->success = state[0] >= 1;
    *observation = FAULT == numbers && third ? NAN : state[0];
    return WAC_STATUS_OK;
}

static void save(const void *world, double *state)
{
    state[0] = ((const double *)world)[0];
    state[1] = ((const double *)world)[1];
}

static wac_status load(void *world, const double *state, wac_error *error)
{
    (void)error;
    save(state, world);
    return WAC_STATUS_OK;
}

static int draw(const void *world, wac_stroke *strokes)
{
    double x = ((const double *)world)[0];
    for (int i = 0; i < WAC_ENVIRONMENT_STROKES; i++)
        strokes[i] = (wac_stroke){.x = {NAN, i}, .radius = 1};
    strokes[0] = (wac_stroke){.x = {x, x}, .radius = 0.1, .colour = 9};
    strokes[1] = (wac_stroke){.x = {-1, 1}, .y = {-0.2, -0.2}, .radius = 0.01, .colour = -9};
    strokes[2] = (wac_stroke){.x = {-1e9, 1}, .radius = -1};
    strokes[3] = (wac_stroke){.y = {0, 1}, .radius = INFINITY};
    return WAC_ENVIRONMENT_STROKES + 1000;
}

static const wac_environment_type type = {
    .name = FAULT == posing ? "point-1" : "walk",
    .summary = FAULT == stateless ? NULL : "a walk along a line",
    .create = create,
    .destroy = free,
    .reset = FAULT == function ? NULL : reset,
    .step = step,
    .save = FAULT == stateless || FAULT == unsaved || FAULT == half ? NULL : save,
    .load = FAULT == stateless || FAULT == unsaved ? NULL : load,
    .draw = FAULT == draws ? draw : NULL,
};

#ifndef OTHER_EXPORT
WAC_ENVIRONMENT_EXPORT(&type);
#else
/* what the macro never writes */
extern WAC_API const wac_environment_plugin OTHER_EXPORT;
const wac_environment_plugin OTHER_EXPORT = {
    .version = WAC_ENVIRONMENT_VERSION + (FAULT == version),
    .config = FAULT == settings ? " count seed" : WAC_CONFIG_LAYOUT,
    .type = FAULT == table ? NULL : &type,
};
#endif
