/* The tasks that come as models with recipes: sizes, limits and priors; that they pay at their goal
 * and nowhere else; that they can be saved; and that the mazes can be solved. */
#include "base/number.h"
#include "base/words.h"
#include "env/mujoco/custom.h"
#include "support/mujoco_worlds.h"

#if WAC_MUJOCO

static const float rest[MOST] = {0};

static void tasks_are_as_listed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int observations, actions;
        int64_t path_limit;
        double least, most; /* reward */
    } rows[WAC_TASKS] = {
        {"cartpole-sparse", 5, 1, 1000, 0, 1}, {"cartpole-sparse-cost", 5, 1, 1000, -0.1, 1},
        {"acrobot-sparse", 6, 1, 1000, 0, 1},  {"ball-in-cup", 8, 2, 1000, 0, 1},
        {"reacher-hard", 8, 2, 1000, 0, 1},    {"pointmaze-u", 4, 2, 150, 0, 1},
        {"pointmaze-medium", 4, 2, 300, 0, 1}, {"pointmaze-large", 4, 2, 500, 0, 1},
    };
    for (int i = 0; i < WAC_TASKS; i++) {
        wac_config config;
        wac_world *world = make_world(rows[i].name);
        assert_ptr_equal(world->type, &wac_environments_task[i]);
        assert_int_equal(wac_word_index(WAC_TASK_NAMES, rows[i].name), i);
        assert_int_equal(world->spec.observation_size, rows[i].observations);
        assert_int_equal(world->spec.action_size, rows[i].actions);
        assert_int_equal(world->path_limit, rows[i].path_limit);
        assert_true(world->spec.has_goal);
        assert_int_equal(world->spec.has_place, strstr(rows[i].name, "maze") != NULL);
        assert_int_equal(wac_config_init(&config, rows[i].name, NULL, NULL), WAC_STATUS_OK);
        assert_true(config.reward_min == rows[i].least && config.reward_max == rows[i].most);
        wac_world_destroy(world);
    }
}

/* From the start on nothing comes in but the cost, whatever is done; and nothing ends. */
static void starts_pay_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < WAC_TASKS; i++) {
        wac_world *world = make_world(wac_environments_task[i].name);
        wac_rng rng = wac_rng_make(4, WAC_STREAM_WORLD);
        float observation[MOST];
        bool costs = strstr(world->type->name, "cost");
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        for (int t = 0; t < 100; t++) {
            const float *action = wobble(world, t);
            double cost = costs ? 0.1 * (double)(action[0] * action[0]) : 0;
            wac_step result = step(world, action);
            assert_true(fabs(result.reward + cost) < 1e-12);
            assert_false(result.success || result.terminated);
        }
        wac_world_destroy(world);
    }
}

/* A step without effort from these positions, at rest. */
static wac_step step_from(wac_world *world, const double *qpos)
{
    static const double qvel[MOST] = {0};
    start_at(world, qpos, qvel);
    return step(world, rest);
}

/* Which positions are the goal, and which are just not. */
static void goals_pay_and_their_surroundings_do_not(void **state)
{
    (void)state;
    const double bend = 2 * acos(0.125 / 0.24); /* of the elbow, that takes the tip to the target */
    const struct {
        const char *name;
        double there[4], beside[2][4];
    } rows[] = {
        {"cartpole-sparse", {0.2, 0.09}, {{0.26, 0}, {0, 0.11}}},
        {"cartpole-sparse-cost", {-0.2, -0.09}, {{-0.26, 0}, {0, -0.11}}},
        {"acrobot-sparse", {0.05, -0.05}, {{0.12, 0}, {0, 0.21}}},
        {"ball-in-cup", {0, 0, 0.02, 0.19}, {{0, 0, 0.03, 0.19}, {0, 0, 0, 0.23}}},
        {"reacher-hard", {-bend / 2, bend}, {{-bend / 2, bend, 0, 0.03}, {-bend / 2 + 0.22, bend}}},
        {"pointmaze-u", {1.3, 3.3}, {{1.4, 2.65}, {1.55, 3}}},
        {"pointmaze-medium", {6.3, 6.3}, {{5.45, 6}, {5.6, 5.65}}},
        {"pointmaze-large", {9.7, 6.7}, {{9.45, 7}, {10, 5}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_world *world = make_world(rows[i].name);
        wac_step result = step_from(world, rows[i].there);
        if (!result.success || result.reward != 1)
            fail_msg("%s pays %g at its goal", rows[i].name, result.reward);
        assert_false(result.terminated);
        for (int k = 0; k < 2; k++) {
            result = step_from(world, rows[i].beside[k]);
            if (result.success || result.reward != 0)
                fail_msg("%s pays %g beside its goal (%d)", rows[i].name, result.reward, k);
        }
        wac_world_destroy(world);
    }
    wac_world *world = make_world("cartpole-sparse-cost");
    static const double upright[2] = {0}, still[2] = {0};
    start_at(world, upright, still);
    assert_true(fabs(step(world, (float[]){0.5f}).reward - 0.975) < 1e-12);
    wac_world_destroy(world);
}

static void saved_tasks_go_on_alike(void **state)
{
    (void)state;
    for (int i = 0; i < WAC_TASKS; i++) {
        wac_world *world = make_world(wac_environments_task[i].name);
        wac_rng rng = wac_rng_make(2, WAC_STREAM_WORLD);
        float observation[MOST];
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        for (int t = 0; t < 40; t++)
            step(world, wobble(world, t));
        assert_goes_on_alike(world, 60);
        wac_world_destroy(world);
    }
}

/* Targets are all over the ring that the arm can reach, and balls never begin in their cup's way.
 */
static void starts_are_spread(void **state)
{
    (void)state;
    enum { DRAWS = 2000 };
    wac_world *world = make_world("reacher-hard");
    wac_rng rng = wac_rng_make(3, WAC_STREAM_WORLD);
    float observation[MOST];
    double nearest = 1, farthest = 0;
    int quarters[4] = {0};
    for (int i = 0; i < DRAWS; i++) {
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        double x = world->raw_observation[4], y = world->raw_observation[5],
               r = sqrt(x * x + y * y);
        nearest = fmin(nearest, r);
        farthest = fmax(farthest, r);
        quarters[(x > 0) + 2 * (y > 0)]++;
    }
    assert_true(nearest >= 0.05 && nearest < 0.051 && farthest <= 0.2 && farthest > 0.199);
    for (int i = 0; i < 4; i++)
        assert_true(abs(quarters[i] - DRAWS / 4) < 4 * 20);
    wac_world_destroy(world);

    world = make_world("ball-in-cup");
    for (int i = 0; i < DRAWS; i++) {
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        wac_step result = step(world, rest);
        /* falling freely, for 0.02 s: neither cup nor string is in the way */
        const double *velocity = world->raw_observation + 6;
        assert_true(!result.success && velocity[0] == 0 && fabs(velocity[1] + 0.1962) < 1e-9);
    }
    wac_world_destroy(world);
}

/* The mean return of one who knows the way: full speed, turning a little before each corner. */
static double drive(const char *name, const double (*corners)[2], int count)
{
    enum { EPISODES = 10 };
    wac_world *world = make_world(name);
    const wac_mujoco *mujoco = world->self;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    float observation[MOST];
    double sum = 0;
    wac_step result = {.truncated = true};
    for (int next = 0, episodes = 0; episodes < EPISODES || !result.truncated;) {
        if (result.truncated) {
            assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
            episodes++;
            next = 0;
        }
        float action[2];
        double away = 0;
        for (int i = 0; i < 2; i++) {
            double ahead = corners[next][i] - mujoco->qpos[i];
            action[i] = (float)wac_clamp(6 * (ahead - 0.08 * mujoco->qvel[i]), -1, 1);
            away = fmax(away, fabs(ahead));
        }
        next += away < 1.1 && next + 1 < count;
        result = step(world, action);
        assert_false(result.terminated);
        sum += result.reward;
    }
    wac_world_destroy(world);
    print_message("%s: a return of %g for one who knows the way\n", name, sum / EPISODES);
    return sum / EPISODES;
}

static void mazes_can_be_solved(void **state)
{
    (void)state;
    static const double u[][2] = {{3, 1}, {3, 3}, {1, 3}};
    static const double medium[][2] = {{1, 6}, {3, 6}, {3, 2}, {6, 2},
                                       {6, 4}, {5, 4}, {5, 6}, {6, 6}};
    static const double large[][2] = {{1, 7}, {4, 7}, {4, 5}, {3, 5}, {3, 3}, {6, 3},
                                      {6, 1}, {8, 1}, {8, 5}, {6, 5}, {6, 7}, {10, 7}};
    assert_true(drive("pointmaze-u", u, 3) > 100);
    assert_true(drive("pointmaze-medium", medium, 8) > 180);
    assert_true(drive("pointmaze-large", large, 12) > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_as_listed),
        cmocka_unit_test(starts_pay_nothing),
        cmocka_unit_test(goals_pay_and_their_surroundings_do_not),
        cmocka_unit_test(saved_tasks_go_on_alike),
        cmocka_unit_test(starts_are_spread),
        cmocka_unit_test(mazes_can_be_solved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* test_point.c checks what is said without the engine */
}

#endif
