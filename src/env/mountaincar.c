/* MountainCar: a car between two hills is too weak for the one with the flag, and must first back
 * up the other. The prize of 100 is far away, and every push costs. Gymnasium's
 * MountainCarContinuous-v0 (Moore 1990) to the bit, for which it is computed in single precision.
 */
#include "env/mountaincar.h"

#include "base/status.h"
#include "env/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float left_end = -1.2f, right_end = 0.6f, fastest = 0.07f, flag = 0.45f;

bool wac_mountaincar_is_there(const wac_mountaincar *car)
{
    return car->position >= (double)flag && car->velocity >= 0;
}

double wac_mountaincar_move(wac_mountaincar *car, double push)
{
    float x = (float)car->position, v = (float)car->velocity;
    v += (float)push * 0.0015f - (float)(0.0025 * cos((double)(3 * x)));
    v = fminf(fmaxf(v, -fastest), fastest);
    x = fminf(fmaxf(x + v, left_end), right_end);
    if (x == left_end && v < 0) /* the wall */
        v = 0;
    *car = (wac_mountaincar){(double)x, (double)v};
    return (wac_mountaincar_is_there(car) ? 100 : 0) - push * push * 0.1;
}

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    (void)config;
    *world = calloc(1, sizeof(wac_mountaincar));
    if (!*world)
        return wac_fail_memory(error, "the mountaincar environment");
    *spec = (wac_environment_spec){
        .observation_size = 2,
        .action_size = 1,
        .state_size = 2,
        .has_goal = true,
        .has_place = true, /* position and speed: all there is to be */
        .seconds = 1.0 / 30,
        .observation_low = {(double)left_end, (double)-fastest},
        .observation_high = {(double)right_end, (double)fastest},
        .action_low = {-1},
        .action_high = {1},
    };
    return WAC_STATUS_OK;
}

static void save(const void *world, double *state)
{
    memcpy(state, world, sizeof(wac_mountaincar));
}

static wac_status load(void *world, const double *state, wac_error *error)
{
    WAC_TRY(wac_state_check(state, 2, error));
    memcpy(world, state, sizeof(wac_mountaincar));
    return WAC_STATUS_OK;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)error;
    wac_mountaincar *car = world;
    *car = (wac_mountaincar){.position = (double)(float)(-0.6 + 0.2 * wac_rng_uniform(rng))};
    save(car, observation);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng, (void)error;
    wac_mountaincar *car = world;
    step->reward = wac_mountaincar_move(car, action[0]);
    step->terminated = step->success = wac_mountaincar_is_there(car);
    save(car, observation);
    return WAC_STATUS_OK;
}

static double height(double x)
{
    return 0.45 * sin(3 * x);
}

/* The hills, the flag on its pole, and the car. */
static int draw(const void *world, wac_stroke *strokes)
{
    enum { PARTS = 36, CAR = PARTS + 2 };
    const wac_mountaincar *car = world;
    const double x = (double)left_end, width = (double)(right_end - left_end) / PARTS,
                 pole = (double)flag, foot = height((double)flag), top = foot + 0.2;
    for (int i = 0; i < PARTS; i++) {
        double from = x + i * width, to = from + width;
        strokes[i] = (wac_stroke){{from, to}, {height(from), height(to)}, 0.01, 0};
    }
    strokes[PARTS] = (wac_stroke){{pole, pole}, {foot, top}, 0.006, 0};
    strokes[PARTS + 1] = (wac_stroke){{pole, pole + 0.07}, {top, top - 0.03}, 0.02, 2};
    strokes[CAR] = (wac_stroke){{car->position, car->position},
                                {height(car->position) + 0.05, height(car->position) + 0.05},
                                0.04,
                                1};
    return CAR + 1;
}

const wac_environment_type wac_environment_mountaincar = {
    .name = "mountaincar",
    .summary = "back up one hill to climb the other; every push costs (Gymnasium's, to the bit)",
    .create = create,
    .destroy = free,
    .reset = reset,
    .step = step,
    .save = save,
    .load = load,
    .draw = draw,
};
