/* HalfCheetah, Hopper and Walker2d: against recordings and numbers, their rules, what stops them.
 */
#include "config/environments.h"
#include "env/mujoco/locomotion.h"
#include "support/mujoco_worlds.h"

#if WAC_MUJOCO

enum { BODIES = 3, MOST_JOINTS = 9 };
static const char *const names[BODIES] = {"halfcheetah", "hopper", "walker2d"};

static void halfcheetah_recordings_pass(void **state)
{
    (void)state;
    assert_recordings_pass("halfcheetah", "halfcheetah", 4);
}

static void hopper_recordings_pass(void **state)
{
    (void)state;
    assert_recordings_pass("hopper", "hopper", 7);
}

static void walker2d_recordings_pass(void **state)
{
    (void)state;
    assert_recordings_pass("walker2d", "walker2d", 8);
}

/* From the model's own start, a little above the ground. */
static void stand(wac_world *world)
{
    const wac_mujoco *mujoco = world->self;
    double qpos[MOST_JOINTS], qvel[MOST_JOINTS] = {0};
    memcpy(qpos, mujoco->start, (size_t)mujoco->positions * sizeof *qpos);
    qpos[1] += 0.015625;
    for (int i = 3; i < mujoco->positions; i++)
        qpos[i] -= 0.0625; /* off the joints' limits */
    start_at(world, qpos, qvel);
}

/* Some steps into a fall. The ends were noted when all recordings passed. */
static void known_ways_are_taken(void **state)
{
    (void)state;
    static const struct {
        double x, height, angle, speed, reward;
    } ends[BODIES] = {
        {0.84727585999061161, 0.16490846408393683, 0.35836325042058986, 0.80465633017570404,
         11.461142199812231},
        {-0.088946350686928174, 1.2042878312181238, -0.58765785458151032, -1.0326153200429489,
         12.854378039133982},
        {-0.17532169371191403, 0.91149001231246041, -1.8135936670379926, -1.2660942421595556,
         2.0299445360107478},
    };
    for (int i = 0; i < BODIES; i++) {
        wac_world *world = make_world(names[i]);
        const wac_mujoco *mujoco = world->self;
        double reward = 0;
        stand(world);
        for (int t = 0; t < 24; t++)
            reward += step(world, wobble(world, t)).reward;
        assert_true(fabs(mujoco->qpos[0] - ends[i].x) < 1e-9);
        assert_true(fabs(mujoco->qpos[1] - ends[i].height) < 1e-9);
        assert_true(fabs(mujoco->qpos[2] - ends[i].angle) < 1e-9);
        assert_true(fabs(mujoco->qvel[0] - ends[i].speed) < 1e-9);
        assert_true(fabs(reward - ends[i].reward) < 1e-9);
        wac_world_destroy(world);
    }
}

static void specs_are_as_declared(void **state)
{
    (void)state;
    static const int sizes[BODIES][2] = {{17, 6}, {11, 3}, {17, 6}};
    for (int i = 0; i < BODIES; i++) {
        wac_world *world = make_world(names[i]);
        assert_int_equal(world->spec.observation_size, sizes[i][0]);
        assert_int_equal(world->spec.action_size, sizes[i][1]);
        assert_false(world->spec.has_goal);
        assert_int_equal(world->path_limit, 1000);
        for (int k = 0; k < sizes[i][0]; k++)
            assert_true(world->spec.observation_low[k] == -120 &&
                        world->spec.observation_high[k] == 120);
        wac_world_destroy(world);
    }
}

static void starts_are_spread(void **state)
{
    (void)state;
    enum { DRAWS = 1000 };
    for (int i = 0; i < BODIES; i++) {
        wac_world *world = make_world(names[i]);
        const wac_mujoco *mujoco = world->self;
        wac_rng rng = wac_rng_make(3, WAC_STREAM_WORLD);
        double width = i ? 0.005 : 0.1, squares = 0;
        int count = mujoco->positions, outer[2] = {0};
        for (int draw = 0; draw < DRAWS; draw++) {
            float observation[MOST];
            assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
            for (int k = 0; k < count; k++) {
                double offset = mujoco->qpos[k] - (i && k == 1 ? 1.25 : 0);
                assert_true(fabs(offset) <= width + 1e-15);
                assert_true(i == 0 || fabs(mujoco->qvel[k]) <= width);
                outer[0] += fabs(offset) > width / 2;
                outer[1] += fabs(mujoco->qvel[k]) > width / 2;
                squares += mujoco->qvel[k] * mujoco->qvel[k];
            }
        }
        double total = DRAWS * count, deviation = i ? width / sqrt(3) : width;
        assert_true(fabs(outer[0] / total - 0.5) < 2 / sqrt(total));
        assert_true(i == 0 || fabs(outer[1] / total - 0.5) < 2 / sqrt(total));
        assert_true(fabs(sqrt(squares / total) / deviation - 1) < 4 / sqrt(2 * total));
        wac_world_destroy(world);
    }
}

/* What ends an episode: a step without effort from one of these starts. */
static void falls_end_an_episode(void **state)
{
    (void)state;
    static const struct {
        int body;
        double height, angle, joint, joint_speed;
        bool ends;
    } rows[] = {
        {0, -0.3, 3, -0.2, 0, false},   {1, 1.3, 0, -0.2, 0, false},
        {1, 0.69, 0, -1.5, 0, true},    {1, 1.3, 0.21, -0.2, 0, true},
        {1, 1.3, -0.21, -0.2, 0, true}, {1, 1.3, 0.19, -0.2, 0, false},
        {1, 0.75, 0, -1.5, 0, false},   {2, 0.85, 0, -1.5, 0, false},
        {1, 9, 0, -101, 0, true},       {1, 9, 0, -0.2, -900, true},
        {2, 1.3, 0, -0.2, 0, false},    {2, 0.79, 0, -1.5, 0, true},
        {2, 2.01, 0, -0.2, 0, true},    {2, 1.9, 0, -0.2, 0, false},
        {2, 1.3, 1.01, -0.2, 0, true},  {2, 1.3, -1.01, -0.2, 0, true},
        {2, 1.5, 0.95, -0.2, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_world *world = make_world(names[rows[i].body]);
        const float rest[MOST] = {0};
        double joint = rows[i].joint;
        double qpos[MOST_JOINTS] = {0,   rows[i].height, rows[i].angle, joint, -0.2,
                                    0.1, joint,          -0.2,          0.1};
        double qvel[MOST_JOINTS] = {0, 0, 0, rows[i].joint_speed};
        start_at(world, qpos, qvel);
        wac_step result = step(world, rest);
        if (result.terminated != rows[i].ends)
            fail_msg("row %zu should%s end the episode", i, rows[i].ends ? "" : " not");
        assert_false(result.truncated || result.success);
        wac_world_destroy(world);
    }
}

static void limits_cut_an_episode(void **state)
{
    (void)state;
    wac_world *world = make_world("halfcheetah");
    stand(world);
    for (int t = 1; t <= 1000; t++) {
        wac_step result = step(world, wobble(world, t));
        assert_false(result.terminated);
        assert_int_equal(result.truncated, t == 1000);
    }
    wac_world_destroy(world);
}

/* The reward is progress, life and effort; velocities are observed up to 10. */
static void rewards_and_views_follow_the_rules(void **state)
{
    (void)state;
    static const double alive[BODIES] = {0, 1, 1}, cost[BODIES] = {0.1, 0.001, 0.001};
    static const double seconds[BODIES] = {0.05, 0.008, 0.008};
    for (int i = 0; i < BODIES; i++) {
        wac_world *world = make_world(names[i]);
        const wac_mujoco *mujoco = world->self;
        double qpos[MOST_JOINTS] = {3, 5, 0, -0.2, -0.2, 0.1};
        double qvel[MOST_JOINTS] = {30, -20, 0.5};
        const float push[MOST] = {1, -0.5, 0.25};
        start_at(world, qpos, qvel);
        wac_step result = step(world, push);
        double reward = (mujoco->qpos[0] - 3) / seconds[i] + alive[i] - cost[i] * 1.3125;
        assert_true(fabs(result.reward - reward) < 1e-12);
        const double *seen = world->raw_observation;
        int count = mujoco->positions;
        for (int k = 1; k < count; k++)
            assert_true(seen[k - 1] == mujoco->qpos[k]);
        assert_true(seen[count - 1] == (i ? 10 : mujoco->qvel[0]) && mujoco->qvel[0] > 20);
        assert_true(seen[count] == (i ? -10 : mujoco->qvel[1]) && mujoco->qvel[1] < -15);
        assert_true(seen[count + 1] == mujoco->qvel[2]);
        wac_world_destroy(world);
    }
}

/* Nothing is paid on this side of the line, and beyond it as ever. */
static void sparse_ones_pay_beyond_a_distance(void **state)
{
    (void)state;
    static const char *const sparse[BODIES] = {"halfcheetah-sparse", "hopper-sparse",
                                               "walker2d-sparse"};
    static const double line[BODIES] = {5, 1, 1};
    for (int i = 0; i < BODIES; i++) {
        wac_world *usual = make_world(names[i]), *world = make_world(sparse[i]);
        assert_true(world->spec.has_goal && !usual->spec.has_goal);
        for (int beyond = 0; beyond < 2; beyond++) {
            double qpos[MOST_JOINTS] = {line[i] + (beyond ? -0.01 : -0.5), 1.3};
            double qvel[MOST_JOINTS] = {2};
            const float push[MOST] = {1, -0.5, 0.25};
            start_at(usual, qpos, qvel);
            start_at(world, qpos, qvel);
            wac_step expected = step(usual, push), result = step(world, push);
            assert_true(expected.reward > 1 && !expected.success);
            assert_true(result.reward == (beyond ? expected.reward : 0));
            assert_int_equal(result.success, beyond);
            assert_int_equal(result.terminated, expected.terminated);
            assert_memory_equal(world->raw_observation, usual->raw_observation,
                                sizeof world->raw_observation);
        }
        wac_world_destroy(usual);
        wac_world_destroy(world);
    }
}

/* The short names stand for a distance, and any distance but 0 has one. */
static void sparse_ones_have_names(void **state)
{
    (void)state;
    wac_config config;
    char name[WAC_ENVIRONMENT_NAME];
    assert_int_equal(wac_config_init(&config, "hopper-sparse", "sac", NULL), WAC_STATUS_OK);
    assert_string_equal(config.environment, "hopper");
    assert_true(config.reward_beyond == 1);
    assert_string_equal(wac_environment_name(name, &config), "hopper-sparse");
    assert_int_equal(wac_config_set(&config, "reward_beyond", "0", NULL), WAC_STATUS_OK);
    assert_string_equal(wac_environment_name(name, &config), "hopper");
    assert_int_equal(wac_config_init(&config, "halfcheetah", "sac", NULL), WAC_STATUS_OK);
    assert_true(config.reward_beyond == 0);
    assert_int_equal(wac_config_set(&config, "reward-beyond", "2.5", NULL), WAC_STATUS_OK);
    assert_string_equal(wac_environment_name(name, &config), "halfcheetah-sparse");
    assert_int_equal(wac_config_init(&config, "lqg", "sac", NULL), WAC_STATUS_OK);
    assert_int_equal(wac_config_set(&config, "reward_beyond", "1", NULL), WAC_STATUS_INPUT);
}

static void saved_worlds_go_on_alike(void **state)
{
    (void)state;
    for (int i = 0; i < BODIES; i++) {
        wac_world *world = make_world(names[i]);
        const wac_mujoco *mujoco = world->self;
        stand(world);
        double lowest = mujoco->qpos[1];
        for (int t = 0; t < 150; t++)
            step(world, wobble(world, t));
        assert_true(mujoco->qpos[1] < lowest - 0.05); /* on the ground, in a heap */
        assert_goes_on_alike(world, 150);
        wac_world_destroy(world);
    }
}

static void divergence_stops(void **state)
{
    (void)state;
    for (int i = 0; i < BODIES; i++)
        assert_divergence_stops(names[i]);
}

/* A fall through the air, by hand: all joints rest, gravity does the work. */
static void results_of_recordings_matter(void **state)
{
    (void)state;
    /* 4 steps of the engine, 0.002 s each */
    const double height = 5, drop = 9.81 * 0.008 * 0.008 / 2, speed = -9.81 * 0.008;
    table run = {"hopper",
                 "t,a0,a1,a2,x,obs0,obs1,obs2,obs3,obs4,obs5,obs6,obs7,obs8,obs9,obs10,reward,"
                 "terminated",
                 "{\"qpos\": [2, 5, 0, -0.5, -0.5, 0.25], \"qvel\": [0, 0, 0, 0, 0, 0]}",
                 18,
                 2,
                 4,
                 {{0, 0, 0, 0, 2, height, 0, -0.5, -0.5, 0.25},
                  {1, 0, 0, 0, 2, height - drop, 0, -0.5, -0.5, 0.25, 0, speed, 0, 0, 0, 0, 1}}};
    assert_every_result_matters(&run);
    table steps = {"hopper",
                   "i,q0,q1,q2,q3,q4,q5,v0,v1,v2,v3,v4,v5,a0,a1,a2,q0_next,q1_next,q2_next,q3_next,"
                   "q4_next,q5_next,v0_next,v1_next,v2_next,v3_next,v4_next,v5_next,reward,"
                   "terminated",
                   NULL,
                   30,
                   1,
                   16,
                   {{0, 2, height,        0, -0.5, -0.5, 0.25, 0, 0,     0, 0, 0, 0, 0, 0,
                     0, 2, height - drop, 0, -0.5, -0.5, 0.25, 0, speed, 0, 0, 0, 0, 1, 0}}};
    assert_every_result_matters(&steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halfcheetah_recordings_pass),
        cmocka_unit_test(hopper_recordings_pass),
        cmocka_unit_test(walker2d_recordings_pass),
        cmocka_unit_test(known_ways_are_taken),
        cmocka_unit_test(specs_are_as_declared),
        cmocka_unit_test(starts_are_spread),
        cmocka_unit_test(falls_end_an_episode),
        cmocka_unit_test(limits_cut_an_episode),
        cmocka_unit_test(rewards_and_views_follow_the_rules),
        cmocka_unit_test(sparse_ones_pay_beyond_a_distance),
        cmocka_unit_test(sparse_ones_have_names),
        cmocka_unit_test(saved_worlds_go_on_alike),
        cmocka_unit_test(divergence_stops),
        cmocka_unit_test(results_of_recordings_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* test_point.c checks what is said without the engine */
}

#endif
