/* The finite worlds, against what is known of them: returns of their best ways, chances of their
 * steps. */
#include "env/finite.h"

#include "base/rng.h"
#include "env/returns.h"
#include "env/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Not cmocka's own, which counts in single precision and takes what is no number for anything. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", value, expected, tolerance);
}

static wac_error error;
static wac_rng rng;
static void *self;
static const wac_environment_type *type;
static wac_environment_spec spec;

static void enter(const char *name, const char *setting, const char *value)
{
    wac_config config;
    assert_int_equal(wac_config_init(&config, name, NULL, &error), WAC_STATUS_OK);
    if (setting)
        assert_int_equal(wac_config_set(&config, setting, value, &error), WAC_STATUS_OK);
    assert_int_equal(wac_environment_type_find(&type, name, &error), WAC_STATUS_OK);
    assert_int_equal(type->create(&self, &spec, &config, &error), WAC_STATUS_OK);
    rng = wac_rng_make(7, WAC_STREAM_WORLD);
}

static void leave(void)
{
    type->destroy(self);
}

static int at(int state)
{
    double number = state;
    assert_int_equal(type->load(self, &number, &error), WAC_STATUS_OK);
    return state;
}

static int step(int action, wac_step *out)
{
    double number = action, observation;
    *out = (wac_step){0};
    assert_int_equal(type->step(self, &rng, &number, &observation, out, &error), WAC_STATUS_OK);
    assert_true(observation >= 0 && observation < spec.states);
    return (int)observation;
}

/* The share of steps from `state` by `action` that lead to `next`. */
static double share(int state, int action, int next)
{
    enum { STEPS = 40000 };
    int there = 0;
    for (int i = 0; i < STEPS; i++) {
        wac_step out;
        at(state);
        there += step(action, &out) == next;
    }
    return (double)there / STEPS;
}

static void test_chances(void **state)
{
    (void)state;
    enter("chain", NULL, NULL);
    assert_near(share(2, 0, 3), 0.8, 0.01);
    assert_near(share(2, 1, 0), 0.8, 0.01);
    leave();
    enter("riverswim-6", NULL, NULL);
    assert_near(share(0, 1, 1), 0.3, 0.01);
    assert_near(share(3, 1, 4), 0.3, 0.01);
    assert_near(share(3, 1, 2), 0.1, 0.01);
    assert_near(share(5, 1, 5), 0.3, 0.01);
    assert_near(share(3, 0, 2), 1, 0);
    leave();
    enter("six-arms", NULL, NULL);
    assert_near(share(0, 0, 1), 1, 0);
    assert_near(share(0, 1, 2), 0.15, 0.01);
    assert_near(share(0, 5, 6), 0.01, 0.003);
    assert_near(share(6, 5, 6), 1, 0);
    assert_near(share(6, 4, 0), 1, 0);
    leave();
}

/* Five steps close either loop. */
static void test_loops(void **state)
{
    (void)state;
    static const struct {
        int action;
        double reward;
    } ways[] = {{0, 1}, {1, 2}};
    enter("loop", NULL, NULL);
    for (int w = 0; w < 2; w++) {
        wac_step out;
        at(0);
        for (int i = 0; i < 4; i++) {
            assert_int_not_equal(step(ways[w].action, &out), 0);
            assert_true(out.reward == 0);
        }
        assert_int_equal(step(ways[w].action, &out), 0);
        assert_true(out.reward == ways[w].reward);
    }
    wac_step out;
    at(7);
    assert_int_equal(step(0, &out), 0);
    assert_true(out.reward == 0);
    leave();
}

/* The longest of all best ways of a taxi, by iteration over all states. */
static void test_taxi(void **state)
{
    (void)state;
    enum { STATES = 500, ACTIONS = 6 };
    static double steps[STATES];
    enter("taxi", NULL, NULL);
    assert_int_equal(spec.states, STATES);
    for (int s = 0; s < STATES; s++)
        steps[s] = INFINITY;
    for (int round = 0, changed = 1; changed; round++) {
        changed = 0;
        for (int s = 0; s < STATES; s++)
            for (int a = 0; a < ACTIONS; a++) {
                wac_step out;
                at(s);
                int next = step(a, &out);
                double own = 1 + (out.terminated ? 0 : steps[next]);
                if (own < steps[s])
                    steps[s] = own, changed = 1;
            }
        assert_true(round < 100);
    }
    double longest = 0, sum = 0;
    int starts = 0;
    for (int s = 0; s < STATES; s++) {
        int to = s % 4, guest = s / 4 % 5;
        if (guest == 4 || guest == to)
            continue;
        starts++;
        sum += steps[s];
        longest = fmax(longest, steps[s]);
    }
    assert_int_equal(starts, 300);
    assert_true(longest == 18);             /* a return of 20 - 17 = 3 at worst */
    assert_near(sum / starts, 13.07, 0.01); /* 7.93 on average */
    leave();
}

/* Of 2^N ways down the sea one finds the treasure. */
static void test_sea(void **state)
{
    (void)state;
    enum { SIZE = 6 };
    enter("deep-sea", "sea_size", "6");
    assert_int_equal(spec.states, SIZE * SIZE + 1);
    int found = 0;
    for (int way = 0; way < 1 << SIZE; way++) {
        double sum = 0;
        wac_step out;
        at(0);
        for (int i = 0; i < SIZE; i++) {
            step(way >> i & 1, &out);
            sum += out.reward;
            assert_int_equal(out.terminated, i == SIZE - 1);
        }
        found += out.success;
        assert_true(out.success ? fabs(sum - 0.99) < 1e-12 : sum <= 0 && sum >= -0.01);
    }
    assert_int_equal(found, 1);
    leave();
}

static void test_states(void **state)
{
    (void)state;
    static const double wrong[] = {-1, 5, 0.5, NAN, INFINITY};
    enter("chain", NULL, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(type->load(self, &wrong[i], &error), WAC_STATUS_INPUT);
    leave();
}

static int told[4]; /* states, choices, observations, actions */

static wac_status create_told(void **world, wac_environment_spec *out, const wac_config *config,
                              wac_error *failure)
{
    wac_status status = type->create(world, out, config, failure);
    out->states = told[0], out->choices = told[1];
    out->observation_size = told[2], out->action_size = told[3];
    out->observation_high[1] = out->action_high[1] = 1;
    return status;
}

/* What a world says of its states must be possible. */
static void test_specs(void **state)
{
    (void)state;
    static const int wrong[][4] = {{-1, 2, 1, 1}, {5, 0, 1, 1},
                                   {0, 2, 1, 1},  {1 << 30, 1 << 30, 1, 1},
                                   {5, 2, 2, 1},  {5, 2, 1, 2}};
    wac_config config;
    wac_world *world;
    assert_int_equal(wac_config_init(&config, "chain", NULL, &error), WAC_STATUS_OK);
    assert_int_equal(wac_environment_type_find(&type, "chain", &error), WAC_STATUS_OK);
    wac_environment_type liar = *type;
    liar.create = create_told;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        memcpy(told, wrong[i], sizeof told);
        assert_int_equal(wac_world_create(&world, &liar, &config, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, "a finite world has"));
    }
}

/* What the best way brings is what the table of returns says, and what random actions bring. */
static void test_returns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int action, episodes; /* -1: what is best is not one action */
        double best, random;  /* how far the means may be off */
    } worlds[] = {{"chain", 0, 2000, 3, 3},
                  {"loop", 1, 1, 0, 0.2},
                  {"riverswim-6", 1, 4000, 0.15, 0.01},
                  {"six-arms", 5, 4000, 1.5, 0.01},
                  {"taxi", -1, 2000, 0, 6}};
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        wac_rng draw = wac_rng_make(3, WAC_STREAM_EXPLORE);
        const wac_returns *returns = wac_returns_find(worlds[w].name);
        assert_non_null(returns);
        enter(worlds[w].name, NULL, NULL);
        for (int random = worlds[w].action < 0; random < 2; random++) {
            int episodes = random ? 2000 : worlds[w].episodes;
            double sum = 0, observation;
            for (int i = 0; i < episodes; i++) {
                wac_step out = {0};
                assert_int_equal(type->reset(self, &rng, &observation, &error), WAC_STATUS_OK);
                for (int k = 0; k < 100 && !out.terminated; k++) {
                    int any = (int)(wac_rng_uniform(&draw) * spec.choices);
                    step(random ? any : worlds[w].action, &out);
                    sum += out.reward;
                }
            }
            assert_near(sum / episodes, random ? returns->random : returns->best,
                        random ? worlds[w].random : worlds[w].best);
        }
        leave();
    }
    assert_null(wac_returns_find("point-1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_returns), cmocka_unit_test(test_chances),
        cmocka_unit_test(test_loops),   cmocka_unit_test(test_taxi),
        cmocka_unit_test(test_sea),     cmocka_unit_test(test_states),
        cmocka_unit_test(test_specs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
