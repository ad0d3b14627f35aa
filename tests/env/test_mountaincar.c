/* MountainCar: its start, hills, wall, flag and state. That it is Gymnasium's, step by step, is
 * told by a recording (verify_mountaincar). */
#include "base/rng.h"
#include "env/mountaincar.h"
#include "env/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static wac_world *make(void)
{
    wac_config config;
    wac_world *world;
    assert_int_equal(wac_config_init(&config, "mountaincar", NULL, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_world_create(&world, &wac_environment_mountaincar, &config, NULL),
                     WAC_STATUS_OK);
    return world;
}

static wac_step push(wac_world *world, float action)
{
    float observation[2];
    wac_step step;
    assert_int_equal(wac_world_step(world, NULL, &action, observation, &step, NULL), WAC_STATUS_OK);
    for (int i = 0; i < 2; i++)
        assert_true(world->raw_observation[i] >= world->spec.observation_low[i] &&
                    world->raw_observation[i] <= world->spec.observation_high[i]);
    return step;
}

static void put(wac_world *world, double position, double velocity)
{
    assert_int_equal(wac_world_load(world, (double[]){position, velocity}, 0, NULL), WAC_STATUS_OK);
}

static void it_starts_in_the_valley(void **state)
{
    (void)state;
    wac_world *world = make();
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    double least = 0, most = -1;
    for (int i = 0; i < 1000; i++) {
        float observation[2];
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        least = fmin(least, world->raw_observation[0]);
        most = fmax(most, world->raw_observation[0]);
        assert_true(world->raw_observation[1] == 0);
    }
    assert_true(least >= -0.6000001 && least < -0.599 && most <= -0.3999999 && most > -0.401);
    wac_world_destroy(world);
}

/* Pushing right never climbs the hill, pushing along with the speed does. */
static void only_swinging_reaches_the_flag(void **state)
{
    (void)state;
    wac_world *world = make();
    put(world, -0.5, 0);
    wac_step step = {0};
    for (int t = 1; t <= 999; t++) {
        step = push(world, 1);
        assert_true(step.reward == -0.1 && !step.terminated && !step.success);
        assert_int_equal(step.truncated, t == 999);
    }
    put(world, -0.5, 0);
    int steps = 0;
    do {
        step = push(world, world->raw_observation[1] >= 0 ? 1 : -1);
        steps++;
    } while (!step.terminated && !step.truncated);
    assert_true(step.success && step.terminated && step.reward == 100 - 0.1);
    assert_true(steps > 50 && steps < 150);
    wac_world_destroy(world);
}

static void pushes_cost_and_the_flag_pays(void **state)
{
    (void)state;
    wac_world *world = make();
    put(world, -0.5, 0);
    assert_true(push(world, 0).reward == 0);
    assert_true(push(world, 0.5f).reward == -0.025);
    put(world, 0.44, 0.05);
    wac_step there = push(world, 0);
    assert_true(there.reward == 100 && there.terminated && there.success);
    put(world, 0.5, -0.05); /* past it, and rolling back */
    assert_true(push(world, 0).reward == 0);
    put(world, -1.19, -0.05); /* the wall takes all speed */
    push(world, -1);
    assert_true(world->raw_observation[0] == world->spec.observation_low[0] &&
                world->raw_observation[1] == 0);
    wac_world_destroy(world);
}

static void saved_ones_go_on_alike(void **state)
{
    (void)state;
    wac_world *world = make(), *other = make();
    double saved[2];
    put(world, -0.55, 0.01);
    for (int t = 0; t < 30; t++)
        push(world, (float)(t % 5) / 2 - 1);
    wac_world_save(world, saved);
    put(other, saved[0], saved[1]);
    for (int t = 0; t < 200; t++) {
        float action = (float)(t % 7) / 3 - 1;
        wac_step a = push(world, action), b = push(other, action);
        assert_true(a.reward == b.reward);
        assert_memory_equal(world->raw_observation, other->raw_observation, sizeof saved);
    }
    assert_int_equal(wac_world_load(other, (double[]){NAN, 0}, 0, NULL), WAC_STATUS_INPUT);
    wac_world_destroy(world);
    wac_world_destroy(other);
}

static void it_draws_itself(void **state)
{
    (void)state;
    wac_world *world = make();
    wac_stroke strokes[WAC_ENVIRONMENT_STROKES];
    put(world, 0.25, 0);
    int count = world->type->draw(world->self, strokes);
    assert_true(count > 3 && count <= WAC_ENVIRONMENT_STROKES);
    const wac_stroke *car = &strokes[count - 1];
    assert_true(car->colour == 1 && car->x[0] == 0.25 && car->x[1] == 0.25);
    wac_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_starts_in_the_valley),
        cmocka_unit_test(only_swinging_reaches_the_flag),
        cmocka_unit_test(pushes_cost_and_the_flag_pays),
        cmocka_unit_test(saved_ones_go_on_alike),
        cmocka_unit_test(it_draws_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
