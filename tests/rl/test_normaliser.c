/* Running normalisation: right sums, right scaling, and an agent that really looks through it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/rng.h"
#include "rl/host/host.h"

#include <math.h>

enum { SIZE = 3, COUNT = 5000 };

static void sums_are_mean_and_deviation(void **state)
{
    (void)state;
    wac_arena arena = {0};
    wac_normaliser normaliser;
    wac_normaliser_init(&normaliser, &arena, SIZE, true);
    assert_false(arena.failed);
    wac_rng rng = wac_rng_make(1, WAC_STREAM_INIT);
    static float seen[COUNT][SIZE];
    for (int i = 0; i < COUNT; i++) {
        seen[i][0] = (float)(1000 + 3 * wac_rng_normal(&rng));
        seen[i][1] = (float)(0.01 * wac_rng_uniform(&rng));
        seen[i][2] = 7; /* never moves */
        wac_normaliser_add(&normaliser, seen[i]);
    }
    for (int k = 0; k < SIZE; k++) {
        double mean = 0, squares = 0;
        for (int i = 0; i < COUNT; i++)
            mean += (double)seen[i][k] / COUNT;
        for (int i = 0; i < COUNT; i++)
            squares += ((double)seen[i][k] - mean) * ((double)seen[i][k] - mean);
        double deviation = fmax(sqrt(squares / COUNT), 1e-3);
        assert_true(fabs(normaliser.mean[k] - mean) < 1e-9 * (1 + fabs(mean)));
        /* one deviation above the mean is a fifth; far away is the edge */
        double above = (double)wac_normalise(&normaliser, k, (float)(mean + deviation));
        assert_true(fabs(above - 0.2) < 1e-3);
        assert_true(wac_normalise(&normaliser, k, (float)(mean + 100 * deviation + 1)) == 1);
        assert_true(wac_normalise(&normaliser, k, (float)(mean - 100 * deviation - 1)) == -1);
    }
    wac_arena_release(&arena);
}

/* Counted in one by one or as rows, in one go or in two, it is the same. */
static void rows_count_as_one_by_one(void **state)
{
    (void)state;
    wac_arena arena = {0};
    wac_normaliser one, rows;
    wac_normaliser_init(&one, &arena, SIZE, true);
    wac_normaliser_init(&rows, &arena, SIZE, true);
    rows.unit = 1;
    rows.limit = 0;
    assert_false(arena.failed);
    wac_rng rng = wac_rng_make(2, WAC_STREAM_INIT);
    float seen[40][SIZE];
    for (int i = 0; i < 40; i++) {
        for (int k = 0; k < SIZE; k++)
            seen[i][k] = k == 2 ? 7 : (float)(5 + 3 * wac_rng_normal(&rng));
        wac_normaliser_add(&one, seen[i]);
    }
    wac_normaliser_add_rows(&rows, 15, seen[0]);
    wac_normaliser_add_rows(&rows, 25, seen[15]);
    assert_true(rows.count[0] == 40);
    for (int k = 0; k < SIZE; k++) {
        assert_true(fabs(rows.mean[k] - one.mean[k]) < 1e-12);
        assert_true(fabs(rows.squares[k] - one.squares[k]) < 1e-9);
        /* another unit, and no limit */
        double far = (double)wac_normalise(&rows, k, 1000);
        double deviation = fmax(sqrt(one.squares[k] / 40), 1e-3);
        assert_true(fabs(far - (1000 - one.mean[k]) / deviation) < 1e-5 * far);
    }
    wac_arena_release(&arena);
}

static void switched_off_it_changes_nothing(void **state)
{
    (void)state;
    wac_arena arena = {0};
    wac_normaliser normaliser;
    const float observation[SIZE] = {1, 2, 3};
    float rows[2 * SIZE] = {1, 2, 3, 4, 5, -60};
    wac_normaliser_init(&normaliser, &arena, SIZE, false);
    wac_normaliser_add(&normaliser, observation);
    wac_normalise_rows(&normaliser, 2, rows);
    assert_true(normaliser.count[0] == 0 && rows[0] == 1 && rows[5] == -60);
    assert_true(wac_normalise(&normaliser, 2, 1e6f) == 1e6f);
    wac_arena_release(&arena);
}

static wac_agent *make_agent(const char *algorithm, bool running)
{
    wac_config config;
    wac_error error;
    wac_agent *agent;
    assert_int_equal(wac_config_init(&config, "any", algorithm, &error), 0);
    config.width = config.batch_size = 16;
    config.replay_capacity = 500;
    config.normalisation = running ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
    assert_int_equal(wac_agent_create(&agent, &config, 1, 1, 1, -1, &error), 0);
    return agent;
}

/* Two agents, one on x, one on 50 + 8 x, whose statistics differ in just that, see and do the same.
 */
static void an_agent_sees_through_it(void **state)
{
    (void)state;
    const char *const algorithms[] = {"oe-wac", "sac", "oac"};
    for (int a = 0; a < 3; a++) {
        wac_agent *one = make_agent(algorithms[a], true), *other = make_agent(algorithms[a], true);
        wac_rng rng = wac_rng_make(2, WAC_STREAM_INIT);
        wac_losses losses;
        wac_error error;
        for (int i = 0; i < 400; i++) {
            float x[2] = {(float)wac_rng_normal(&rng), (float)wac_rng_normal(&rng)};
            float moved[2] = {50 + 8 * x[0], 50 + 8 * x[1]}, action = (float)tanh((double)x[0]);
            wac_agent_remember(one, &x[0], &action, (double)x[1], &x[1], i % 50 == 49);
            wac_agent_remember(other, &moved[0], &action, (double)x[1], &moved[1], i % 50 == 49);
        }
        /* raw in the replay, scaled in the batch */
        assert_true(wac_host_desk(other, 0)->replay.records[0] > 10);
        for (int i = 0; i < 30; i++) {
            assert_int_equal(wac_agent_update(one, &losses, &error), 0);
            assert_int_equal(wac_agent_update(other, &losses, &error), 0);
            for (int j = 0; j < other->rows; j++)
                assert_true(fabsf(wac_host_desk(other, 0)->batch.observations[j]) <= 1);
        }
        for (float x = -2; x <= 2; x += 0.5f) {
            float moved = 50 + 8 * x, left, right;
            wac_agent_act(one, WAC_POLICY_TARGET, &x, &left);
            wac_agent_act(other, WAC_POLICY_TARGET, &moved, &right);
            assert_true(fabsf(left - right) < 1e-3f);
            wac_agent_explore(one, NULL, &x, &left);
            wac_agent_explore(other, NULL, &moved, &right);
            assert_true(fabsf(left - right) < 1e-2f);
            wac_agent_value(one, 1, &x, &left, &left, NULL);
            wac_agent_value(other, 1, &moved, &right, &right, NULL);
            assert_true(fabsf(left - right) < 1e-2f);
        }
        wac_agent_destroy(one);
        wac_agent_destroy(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_mean_and_deviation),
        cmocka_unit_test(rows_count_as_one_by_one),
        cmocka_unit_test(switched_off_it_changes_nothing),
        cmocka_unit_test(an_agent_sees_through_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
