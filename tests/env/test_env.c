/* Worlds as an agent meets them: starts, chance, bounds, rewards, time limits, and what is refused.
 * Frequencies and means are held to four deviations; the seeds are fixed. */
#include "base/rng.h"
#include "env/lqg.h"
#include "env/riverswim.h"
#include "env/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 20000 };

static wac_config make_config(const char *environment)
{
    wac_config config;
    assert_int_equal(wac_config_init(&config, environment, NULL, NULL), WAC_STATUS_OK);
    return config;
}

static wac_world *make_world(const wac_config *config)
{
    const wac_environment_type *type;
    wac_world *world;
    assert_int_equal(wac_environment_type_find(&type, config->environment, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_world_create(&world, type, config, NULL), WAC_STATUS_OK);
    return world;
}

static float reset(wac_world *world, wac_rng *rng)
{
    float observation;
    assert_int_equal(wac_world_reset(world, rng, &observation, NULL), WAC_STATUS_OK);
    assert_true(observation >= -1 && observation <= 1);
    return observation;
}

static wac_step step(wac_world *world, wac_rng *rng, float action, float *observation)
{
    wac_step step;
    float ignored;
    wac_error error = {0};
    float *seen = observation ? observation : &ignored;
    wac_status status = wac_world_step(world, rng, &action, seen, &step, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, WAC_STATUS_OK);
    assert_true(*seen >= -1 && *seen <= 1);
    return step;
}

static void put(wac_world *world, double state)
{
    assert_int_equal(world->type->load(world->self, &state, NULL), WAC_STATUS_OK);
}

static double get(const wac_world *world)
{
    double state;
    world->type->save(world->self, &state);
    return state;
}

/* Sums of a sample, for its mean and deviation. */
typedef struct sample {
    double count, sum, squares;
} sample;

static void note(sample *sample, double value)
{
    sample->count++;
    sample->sum += value;
    sample->squares += value * value;
}

static void assert_normal(const sample *sample, double mean, double deviation)
{
    double found = sample->sum / sample->count;
    double spread = sqrt(sample->squares / sample->count - found * found);
    assert_true(fabs(found - mean) <= 4 * deviation / sqrt(sample->count));
    assert_true(fabs(spread - deviation) <= 4 * deviation / sqrt(2 * sample->count));
}

static void assert_share(int count, int total, double chance)
{
    double deviation = sqrt(total * chance * (1 - chance));
    assert_true(fabs(count - total * chance) <= 4 * deviation + 1e-9);
}

/* --- LQG -------------------------------------------------------------------------------------- */

static void lqg_starts_at_either_end(void **state)
{
    (void)state;
    wac_config config = make_config("lqg");
    wac_world *world = make_world(&config);
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    sample noise = {0};
    int right = 0;
    for (int i = 0; i < DRAWS; i++) {
        float observation = reset(world, &rng);
        double x = get(world);
        right += x > 0;
        note(&noise, fabs(x) - 4);
        assert_true(observation == (float)fmax(-1, fmin(1, x / 4)));
    }
    assert_share(right, DRAWS, 0.5);
    assert_normal(&noise, 0, 0.5);
    wac_world_destroy(world);
}

static void lqg_moves_by_push_and_noise(void **state)
{
    (void)state;
    wac_config config = make_config("lqg");
    config.noise_std = 0.25;
    wac_world *world = make_world(&config);
    wac_rng rng = wac_rng_make(2, WAC_STREAM_WORLD);
    sample next = {0};
    for (int i = 0; i < DRAWS; i++) {
        float observation;
        put(world, 0.5);
        wac_step result = step(world, &rng, 0.25f, &observation); /* u = 1 */
        assert_true(fabs(result.reward + (0.9 * 0.25 + 0.9) / 28.8) < 1e-15);
        note(&next, get(world));
        assert_true(fabsf(observation - (float)(get(world) / 4)) < 1e-6f);
    }
    assert_normal(&next, 1.5, 0.25);
    wac_world_destroy(world);
}

static void lqg_heeds_bounds_and_settings(void **state)
{
    (void)state;
    wac_config config = make_config("lqg");
    wac_rng rng = wac_rng_make(3, WAC_STREAM_WORLD);
    config.noise_std = 0;
    wac_world *world = make_world(&config);
    float observation = reset(world, &rng);
    assert_true(fabs(get(world)) == 4 && fabsf(observation) == 1);

    /* beyond the bounds: the start counts as it is, push and end are clipped */
    put(world, 5);
    assert_true(step(world, &rng, 1, &observation).reward == -(0.9 * 25 + 0.9 * 16) / 28.8);
    assert_true(get(world) == 4 && observation == 1);
    put(world, -3.5);
    assert_true(step(world, &rng, -7, &observation).reward == -(0.9 * 12.25 + 0.9 * 16) / 28.8);
    assert_true(get(world) == -4 && observation == -1);
    put(world, 4);
    assert_true(step(world, &rng, -1, &observation).reward == -1);
    assert_true(get(world) == 0 && observation == 0);
    wac_world_destroy(world);

    config.scale_cost = false;
    world = make_world(&config);
    put(world, 4);
    assert_true(fabs(step(world, &rng, -1, NULL).reward + 28.8) < 1e-14);
    wac_world_destroy(world);

    config.scale_cost = true;
    config.state_bound = 10;
    config.action_bound = 2;
    world = make_world(&config);
    reset(world, &rng);
    assert_true(fabs(get(world)) == 10);
    put(world, 9);
    assert_true(fabs(step(world, &rng, 0.5f, &observation).reward + (81.0 + 1) / 104) < 1e-15);
    assert_true(get(world) == 10 && observation == 1);
    wac_world_destroy(world);
}

/* --- RiverSwim -------------------------------------------------------------------------------- */

static void riverswim_starts_at_the_near_end(void **state)
{
    (void)state;
    wac_config config = make_config("riverswim");
    wac_world *world = make_world(&config);
    wac_rng rng = wac_rng_make(4, WAC_STREAM_WORLD);
    int parts[5] = {0};
    for (int i = 0; i < DRAWS; i++) {
        reset(world, &rng);
        double s = get(world);
        assert_true(s >= 0 && s < 0.5);
        parts[(int)(s * 10)]++;
    }
    for (int i = 0; i < 5; i++)
        assert_share(parts[i], DRAWS, 0.2);
    wac_world_destroy(world);
}

static void riverswim_drifts_by_its_chances(void **state)
{
    (void)state;
    static const float actions[] = {-1, -0.75f, -0.25f, 0.125f, 0.5f, 1, 2, -3};
    wac_config config = make_config("riverswim");
    wac_world *world = make_world(&config);
    wac_rng rng = wac_rng_make(5, WAC_STREAM_WORLD);
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        double chances[3], stride = fmin(1, fabs((double)actions[i]));
        int moves[3] = {0};
        wac_riverswim_chances((double)actions[i], chances);
        assert_true(fabs(chances[0] + chances[1] + chances[2] - 1) < 1e-15);
        for (int k = 0; k < DRAWS; k++) {
            put(world, 12);
            assert_true(step(world, &rng, actions[i], NULL).reward == 0);
            double moved = (get(world) - 12) / stride;
            assert_true(moved == -1 || moved == 0 || moved == 1);
            moves[(int)moved + 1]++;
        }
        for (int d = 0; d < 3; d++)
            assert_share(moves[d], DRAWS, chances[d]);
    }
    wac_world_destroy(world);
}

static void riverswim_rewards_its_ends(void **state)
{
    (void)state;
    /* before the step: state, action; reward by the description, by the program */
    static const struct {
        double state;
        float action;
        double description, program;
    } rows[] = {
        {0, -1, 0.0005, 0.0005}, {0, 0, 0.0005, 0.0005},  {0, 1, 0.0005, 0},
        {1, -1, 0.0005, 0.0005}, {1, 0.0625f, 0.0005, 0}, {1.0001, -1, 0, 0},
        {12, 1, 0, 0},           {23.9999, 1, 0, 0},      {24, 1, 1, 1},
        {24, 0, 0, 1},           {24, -0.0625f, 0, 0},    {25, 1, 1, 1},
        {25, 0.0625f, 1, 1},     {25, -1, 0, 0},          {0.5, 1.5f, 0.0005, 0},
    };
    wac_config config = make_config("riverswim");
    wac_rng rng = wac_rng_make(6, WAC_STREAM_WORLD);
    for (int rule = 0; rule < 2; rule++) {
        config.reward_rule = rule;
        wac_world *world = make_world(&config);
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            put(world, rows[i].state);
            double reward = step(world, &rng, rows[i].action, NULL).reward;
            assert_true(reward ==
                        (rule == WAC_REWARD_RULE_PROGRAM ? rows[i].program : rows[i].description));
        }
        wac_world_destroy(world);
    }
}

static void riverswim_has_two_banks_and_a_length(void **state)
{
    (void)state;
    wac_config config = make_config("riverswim");
    wac_rng rng = wac_rng_make(7, WAC_STREAM_WORLD);
    config.river_length = 5;
    wac_world *world = make_world(&config);
    float observation;
    for (int i = 0; i < 200; i++) {
        put(world, i % 2 ? 4.75 : 0.25);
        step(world, &rng, i % 2 ? 1 : -1, &observation);
        assert_true(get(world) >= 0 && get(world) <= 5);
        assert_true(fabsf(observation - (float)(2 * get(world) / 5 - 1)) < 1e-6f);
    }
    put(world, 4.5);
    assert_true(step(world, &rng, 1, NULL).reward == 1);
    put(world, 3.9);
    assert_true(step(world, &rng, 1, NULL).reward == 0);
    wac_world_destroy(world);
}

/* --- any world -------------------------------------------------------------------------------- */

static void time_limits_truncate(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        wac_config config = make_config(i ? "riverswim" : "lqg");
        wac_world *world = make_world(&config);
        wac_rng rng = wac_rng_make(8, WAC_STREAM_WORLD);
        for (int episode = 0; episode < 3; episode++) {
            reset(world, &rng);
            for (int64_t t = 1; t <= config.path_limit; t++) {
                wac_step result = step(world, &rng, 1, NULL);
                assert_int_equal(result.truncated, t == config.path_limit);
                assert_false(result.terminated || result.success);
            }
        }
        assert_false(world->spec.has_goal);
        wac_world_destroy(world);
    }
}

static void saved_worlds_go_on_alike(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        wac_config config = make_config(i ? "riverswim" : "lqg");
        wac_world *world = make_world(&config), *other = make_world(&config);
        wac_rng rng = wac_rng_make(9, WAC_STREAM_WORLD);
        reset(world, &rng);
        for (int t = 0; t < 5; t++)
            step(world, &rng, 0.5f, NULL);
        assert_int_equal(world->spec.state_size, 1);
        put(other, get(world));
        other->steps = world->steps;
        wac_rng other_rng = rng;
        for (int t = 0; t < 20; t++) {
            float seen, other_seen, action = (float)(t % 5) / 2 - 1;
            wac_step a = step(world, &rng, action, &seen);
            wac_step b = step(other, &other_rng, action, &other_seen);
            assert_true(a.reward == b.reward && seen == other_seen && a.truncated == b.truncated);
            assert_true(get(world) == get(other));
        }
        wac_world_destroy(world);
        wac_world_destroy(other);
    }
}

/* A world that does as it is told. */
static struct {
    wac_environment_spec spec;
    double observation, reward;
    bool terminated, fails;
} wish;

static wac_status wish_create(void **world, wac_environment_spec *spec, const wac_config *config,
                              wac_error *error)
{
    (void)config, (void)error;
    *world = &wish;
    *spec = wish.spec;
    return WAC_STATUS_OK;
}

static void wish_destroy(void *world)
{
    (void)world;
}

static wac_status wish_reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)world, (void)rng, (void)error;
    observation[0] = wish.observation;
    return WAC_STATUS_OK;
}

static wac_status wish_step(void *world, wac_rng *rng, const double *action, double *observation,
                            wac_step *step, wac_error *error)
{
    assert_true(action[0] >= -2 && action[0] <= 6);
    step->reward = wish.reward;
    step->terminated = wish.terminated;
    if (wish.fails) {
        snprintf(error->message, sizeof error->message, "the motor is broken");
        return error->status = WAC_STATUS_IO;
    }
    return wish_reset(world, rng, observation, error);
}

static const wac_environment_type wish_type = {
    .name = "wish",
    .create = wish_create,
    .destroy = wish_destroy,
    .reset = wish_reset,
    .step = wish_step,
};

static const wac_environment_spec good_spec = {
    .observation_size = 1,
    .action_size = 1,
    .observation_low = {0},
    .observation_high = {10},
    .action_low = {-2},
    .action_high = {6},
};

static void bad_specs_are_refused(void **state)
{
    (void)state;
    wac_config config = make_config("wish");
#define FIELD(name) offsetof(wac_environment_spec, name)
    static const struct {
        size_t offset;
        bool real;
        double value;
        const char *fragment;
    } rows[] = {
        {FIELD(observation_size), false, 0, "0 observations"},
        {FIELD(observation_size), false, WAC_ENVIRONMENT_DIMENSIONS + 1, "513 observations"},
        {FIELD(action_size), false, -1, "-1 actions"},
        {FIELD(action_size), false, 2, "bounds of action 1"}, /* it has none */
        {FIELD(state_size), false, -1, "-1 state entries"},
        {FIELD(observation_high), true, 0, "bounds of observation 0"},
        {FIELD(observation_low), true, NAN, "bounds of observation 0"},
        {FIELD(observation_high), true, INFINITY, "bounds of observation 0"},
        {FIELD(action_low), true, 7, "bounds of action 0"},
        {FIELD(action_low), true, -INFINITY, "bounds of action 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_world *world;
        wac_error error = {0};
        wish.spec = good_spec;
        if (rows[i].real)
            *(double *)((char *)&wish.spec + rows[i].offset) = rows[i].value;
        else
            *(int *)((char *)&wish.spec + rows[i].offset) = (int)rows[i].value;
        assert_int_equal(wac_world_create(&world, &wish_type, &config, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, "environment wish"));
        assert_non_null(strstr(error.message, rows[i].fragment));
    }
}

static void bad_numbers_stop_a_world(void **state)
{
    (void)state;
    wac_config config = make_config("wish");
    wac_world *world;
    wac_rng rng = wac_rng_make(10, WAC_STREAM_WORLD);
    wac_error error = {0};
    wac_step result;
    float observation, action = NAN;
    config.path_limit = 2;
    wish.spec = good_spec;
    wish.observation = 7.5;
    assert_int_equal(wac_world_create(&world, &wish_type, &config, &error), WAC_STATUS_OK);
    assert_true(reset(world, &rng) == 0.5f);
    assert_int_equal(wac_world_step(world, &rng, &action, &observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "environment wish: action 0 is not a number at step 1"));
    assert_int_equal(world->steps, 0); /* nothing happened */

    /* actions stretch to the world's own bounds, and never past them */
    static const float actions[] = {-1, -9, 1, INFINITY, 0, 0.5f};
    static const double raw[] = {-2, -2, 6, 6, 2, 4};
    for (int i = 0; i < 6; i++) {
        reset(world, &rng);
        step(world, &rng, actions[i], NULL);
        assert_true(world->raw_action[0] == raw[i]);
    }
    /* an end at the limit is an end, not a limit */
    wish.terminated = true;
    result = step(world, &rng, 0, NULL);
    assert_true(result.terminated && !result.truncated);
    wish.terminated = false;

    action = 0;
    wish.reward = -INFINITY;
    assert_int_equal(wac_world_step(world, &rng, &action, &observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "environment wish: the reward is -inf"));
    wish.reward = 1e39; /* beyond single precision */
    assert_int_equal(wac_world_step(world, &rng, &action, &observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "environment wish: the reward is 1e+39"));
    wish.reward = 0;
    wish.observation = NAN;
    assert_int_equal(wac_world_step(world, &rng, &action, &observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "environment wish: observation 0 is nan"));
    assert_int_equal(wac_world_reset(world, &rng, &observation, &error), WAC_STATUS_NUMERIC);
    wish.fails = true;
    assert_int_equal(wac_world_step(world, &rng, &action, &observation, &result, &error),
                     WAC_STATUS_IO);
    assert_non_null(strstr(error.message, "the motor is broken"));
    wac_world_destroy(world);
}

static void worlds_are_found_by_name(void **state)
{
    (void)state;
    const wac_environment_type *type, *found;
    wac_error error = {0};
    size_t count = 0;
    for (; (type = wac_environment_type_at(count)); count++) {
        assert_int_equal(wac_environment_type_find(&found, type->name, &error), WAC_STATUS_OK);
        assert_ptr_equal(found, type);
        assert_true(type->summary && *type->summary);
    }
    assert_true(count >= 2);
    assert_int_equal(wac_environment_type_find(&found, "RiverSwin", &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "unknown environment \"RiverSwin\"; did you mean \"riverswim\"?");
    assert_int_equal(wac_environment_type_find(&found, "point-5", &error), WAC_STATUS_INPUT);
    assert_string_equal(
        error.message, "unknown environment \"point-5\"; did you mean \"point-1\" to \"point-4\"?");
    assert_int_equal(wac_environment_type_find(&found, "point-5-sprase", &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "\"point-1-sparse\" to \"point-4-sparse\"?"));
    assert_int_equal(wac_environment_type_find(&found, "chess", &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "\"wac envs\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lqg_starts_at_either_end),
        cmocka_unit_test(lqg_moves_by_push_and_noise),
        cmocka_unit_test(lqg_heeds_bounds_and_settings),
        cmocka_unit_test(riverswim_starts_at_the_near_end),
        cmocka_unit_test(riverswim_drifts_by_its_chances),
        cmocka_unit_test(riverswim_rewards_its_ends),
        cmocka_unit_test(riverswim_has_two_banks_and_a_length),
        cmocka_unit_test(time_limits_truncate),
        cmocka_unit_test(saved_worlds_go_on_alike),
        cmocka_unit_test(bad_specs_are_refused),
        cmocka_unit_test(bad_numbers_stop_a_world),
        cmocka_unit_test(worlds_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
