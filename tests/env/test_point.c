/* Point: the four mazes against recordings and numbers, its rules, and what stops it. */
#include "env/mujoco/point.h"
#include "support/mujoco_worlds.h"

#if WAC_MUJOCO

static void recordings_pass(void **state)
{
    (void)state;
    char name[] = "point-N", stem[] = "pointN";
    for (char map = '1'; map <= '4'; map++) {
        name[6] = stem[5] = map;
        assert_recordings_pass(name, stem, 5);
    }
}

/* 60 steps under one push, into a wall and along it. The ends were noted when all recordings
 * passed.
 */
static void known_ways_are_taken(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double start[4], push[2], end[4];
    } rows[] = {
        {"point-1",
         {2, 0.5, 20, 0},
         {1, 0.125},
         {13.202037220156901, 1.2481620830806535, -8.2001664834163467e-07, 0.37616193932909203}},
        {"point-2",
         {2, 2, 20, 0},
         {1, -0.5},
         {7.2017889806228821, -0.20420060525784242, 0.0012208549855723093, -1.5091215126790685}},
        {"point-3",
         {13, 1, 4, -10},
         {0.125, -1},
         {14.944205341511594, -3.2020371868106667, 0.3762106188028973, 7.8320204081882015e-08}},
        {"point-4",
         {2, -4.25, 8, 0},
         {1, 0},
         {3.2020371833425787, -4.25, -1.5717052396306126e-09, 0}},
        {"point-4",
         {9, -2, 12, 20},
         {0.25, 0.5},
         {15.20096640018861, 3.2014861901337173, -0.0048912110303774292, -0.0048843186357655386}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_world *world = make_world(rows[i].name);
        const float action[] = {(float)rows[i].push[0], (float)rows[i].push[1]};
        const double *start = rows[i].start;
        start_at(world, (double[]){start[0], start[1], 0}, (double[]){start[2], start[3], 0});
        for (int t = 0; t < 60; t++)
            step(world, action);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(world->raw_observation[k] - rows[i].end[k]) < 1e-9);
        wac_world_destroy(world);
    }
}

static void rewards_follow_the_setting(void **state)
{
    (void)state;
    const float rest[] = {0, 0};
    wac_world *dense = make_world("point-1"), *sparse = make_world("point-1-sparse");
    start_at(dense, (double[]){0, 9.7, 0}, (double[]){0, 0, 0});
    start_at(sparse, (double[]){0, 9.7, 0}, (double[]){0, 0, 0});
    assert_true(step(dense, rest).reward == -1 && step(sparse, rest).reward == -1);
    start_at(dense, (double[]){22, 4, 0}, (double[]){0, 0, 0});
    start_at(sparse, (double[]){22, 4, 0}, (double[]){0, 0, 0});
    assert_true(fabs(step(dense, rest).reward + 5 / 26.81585351988633) < 1e-15);
    assert_true(step(sparse, rest).reward == -1);
    wac_world_destroy(dense);
    wac_world_destroy(sparse);

    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_init(&config, "point-2", "sac", &error), WAC_STATUS_OK);
    assert_int_equal(config.reward, WAC_REWARD_DENSE);
    assert_int_equal(config.epochs, 300);
    assert_int_equal(wac_config_set(&config, "environment", "point-2-sparse", &error),
                     WAC_STATUS_INPUT);
    assert_int_equal(wac_config_set(&config, "reward", "sparse", &error), WAC_STATUS_OK);
    assert_int_equal(wac_config_set(&config, "environment", "point-2-sparse", &error), 0);
    assert_int_equal(wac_config_init(&config, "point-2-sparse", "sac", &error), WAC_STATUS_OK);
    assert_string_equal(config.environment, "point-2");
    assert_int_equal(config.reward, WAC_REWARD_SPARSE);
    assert_int_equal(config.epochs, 400);
    assert_int_equal(wac_config_init(&config, "lqg", NULL, &error), WAC_STATUS_OK);
    assert_int_equal(wac_config_set(&config, "reward", "sparse", &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "setting \"reward\" is not read by lqg (only by point-1, point-2, point-3 "
                        "or point-4); leave it out or choose another environment");
}

static void goals_end_and_limits_cut(void **state)
{
    (void)state;
    const float rest[] = {0, 0};
    wac_world *world = make_world("point-3");
    assert_true(world->spec.has_goal);
    assert_int_equal(world->path_limit, 300);
    start_at(world, (double[]){23, 0, 0}, (double[]){0, 0, 0}); /* just so */
    wac_step result = step(world, rest);
    assert_true(result.terminated && result.success && !result.truncated);
    start_at(world, (double[]){22.999, 0, 0}, (double[]){0, 0, 0});
    for (int t = 1; t <= 300; t++) {
        result = step(world, rest);
        assert_false(result.terminated || result.success);
        assert_int_equal(result.truncated, t == 300);
    }
    wac_world_destroy(world);
}

static void bounds_hold(void **state)
{
    (void)state;
    wac_world *world = make_world("point-2");
    float observation[MOST];
    wac_step result;
    const float push[] = {5, -5};
    /* a corner at full speed, and spin that must go */
    start_at(world, (double[]){24.9, -9.6, 1}, (double[]){49.9, -49.9, 30});
    assert_int_equal(wac_world_step(world, NULL, push, observation, &result, NULL), WAC_STATUS_OK);
    assert_true(world->raw_action[0] == 1 && world->raw_action[1] == -1);
    assert_true(world->raw_observation[0] == 25 && world->raw_observation[1] == -9.7);
    const wac_mujoco *mujoco = world->self;
    assert_true(mujoco->qpos[WAC_POINT_SPIN] == 0 && mujoco->qvel[WAC_POINT_SPIN] == 0);
    assert_true(observation[0] == 1 && observation[1] == -1);
    wac_world_destroy(world);
}

static void starts_are_spread(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    wac_world *world = make_world("point-1");
    wac_rng rng = wac_rng_make(3, WAC_STREAM_WORLD);
    int at_wall = 0, halves[2] = {0};
    double squares[2] = {0};
    for (int i = 0; i < DRAWS; i++) {
        float observation[MOST];
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        const double *seen = world->raw_observation;
        assert_true(seen[0] >= 0 && seen[0] < 0.1 && fabs(seen[1]) <= 0.1);
        at_wall += seen[0] == 0; /* half of the starts lie beyond the left bound */
        halves[0] += seen[0] > 0.05;
        halves[1] += fabs(seen[1]) > 0.05;
        squares[0] += seen[2] * seen[2];
        squares[1] += seen[3] * seen[3];
    }
    assert_true(abs(at_wall - DRAWS / 2) < 130 && abs(halves[0] - DRAWS / 4) < 110);
    assert_true(abs(halves[1] - DRAWS / 2) < 130);
    for (int i = 0; i < 2; i++)
        assert_true(fabs(sqrt(squares[i] / DRAWS) - 0.1) < 0.1 * 4 / sqrt(2.0 * DRAWS));
    wac_world_destroy(world);
}

static void saved_worlds_go_on_alike(void **state)
{
    (void)state;
    wac_world *world = make_world("point-1");
    const float push[] = {1, 0.125};
    start_at(world, (double[]){12, 0.5, 0}, (double[]){8, 0, 0});
    for (int t = 0; t < 40; t++)
        step(world, push);
    /* pressed against the back of the cup, though pushed on */
    assert_true(world->raw_observation[0] > 13 && world->raw_observation[0] < 13.4);
    assert_true(fabs(world->raw_observation[2]) < 0.1);
    assert_goes_on_alike(world, 150);
    wac_world_destroy(world);
}

static void divergence_stops(void **state)
{
    (void)state;
    assert_divergence_stops("point-4");
}

/* --- model files ------------------------------------------------------------------------------ */

/* What a world says when its model file, in a folder of its own, has this content (null: none). */
static void assert_model_is_refused(const char *content, const char *one, const char *other)
{
    char folder[] = "/tmp/test_point.XXXXXX", path[64];
    const wac_environment_type *type;
    wac_config config;
    wac_world *world;
    wac_error error = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/point2.xml", folder);
    if (content)
        assert_int_equal(wac_file_write(path, content, strlen(content), NULL), WAC_STATUS_OK);
    assert_int_equal(wac_environment_type_find(&type, "point-2", NULL), WAC_STATUS_OK);
    assert_int_equal(wac_config_init(&config, "point-2", NULL, NULL), WAC_STATUS_OK);
    assert_int_equal(setenv("WAC_MODELS", folder, 1), 0);
    assert_int_equal(wac_world_create(&world, type, &config, &error), WAC_STATUS_INPUT);
    assert_int_equal(unsetenv("WAC_MODELS"), 0);
    assert_int_equal(wac_directory_remove(folder, NULL), WAC_STATUS_OK);
    if (!strstr(error.message, path) || !strstr(error.message, one) ||
        !strstr(error.message, other) || strchr(error.message, '\n'))
        fail_msg("\"%s\" lacks the path, \"%s\" or \"%s\"", error.message, one, other);
}

static void bad_models_are_refused(void **state)
{
    (void)state;
    assert_model_is_refused(NULL, "there is no model file", "WAC_MODELS");
    assert_model_is_refused("", "XML", "");
    assert_model_is_refused("<mujoco><worldbody></mujoco>", "XML", "");
    assert_model_is_refused("<mujoco>\n<worldbody>\n<geom type='ball'/>\n</worldbody></mujoco>",
                            "invalid keyword: 'ball'", "line 3");
    assert_model_is_refused("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>",
                            "mass and inertia", "");
    assert_model_is_refused("<mujoco><worldbody><body><joint type='slide'/><geom size='1'/></body>"
                            "</worldbody></mujoco>",
                            "1 positions, 1 velocities and 0 actuators", "needs 3, 3 and 2");
}

static void model_files_are_found(void **state)
{
    (void)state;
    wac_mujoco mujoco;
    wac_error error = {0};
    assert_int_equal(wac_mujoco_open(&mujoco, "point1.xml", 3, 3, 2, &error), WAC_STATUS_OK);
    wac_mujoco_close(&mujoco);
    assert_int_equal(wac_mujoco_open(&mujoco, "chess.xml", 3, 3, 2, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "chess.xml"));
    const char *place = error.message;
    for (int i = 0; i < 3; i++) {
        place = strstr(place, "/share/wac/models");
        assert_non_null(place++);
    }
}

/* --- recordings of our own -------------------------------------------------------------------- */

#define RESULTS "obs0,obs1,obs2,obs3,reward_dense,reward_sparse,terminated"

/* A row's results, all but the flag, as they follow without walls: a ball at constant force. */
static void fly(double *cells, const double *from, const double *push, bool is_start)
{
    static const double low[] = {0, -9.7, -50, -50}, high[] = {25, 9.7, 50, 50};
    const double dt = 0.02, force = 2000 / 52.35987755982988;
    for (int i = 0; i < 2; i++) {
        double a = is_start ? 0 : force * push[i];
        cells[i] = is_start ? from[i] : from[i] + dt * from[2 + i] + a * dt * dt / 2;
        cells[2 + i] = from[2 + i] + a * dt;
    }
    for (int i = 0; i < 4; i++)
        cells[4 + i] = 2 * (cells[i] - low[i]) / (high[i] - low[i]) - 1;
    cells[8] = is_start ? 0 : -hypot(cells[0] - 25, cells[1]) / hypot(25, 9.7);
    cells[9] = is_start ? 0 : -1;
    cells[10] = !is_start && hypot(cells[0] - 25, cells[1]) <= 2;
}

static void results_of_recordings_matter(void **state)
{
    (void)state;
    table run = {"point-2",
                 "t,a0,a1,x,y,vx,vy," RESULTS,
                 "{\"qpos\": [3, 1.5, 0], \"qvel\": [4, -2, 0], \"stable_steps\": 2}",
                 14,
                 3,
                 3,
                 {{0}}};
    const double from[] = {3, 1.5, 4, -2}, push[] = {0.5, -0.25};
    for (int t = 0; t < 3; t++) {
        run.cells[t][0] = t;
        run.cells[t][1] = t ? push[0] : 0;
        run.cells[t][2] = t ? push[1] : 0;
        fly(run.cells[t] + 3, t ? run.cells[t - 1] + 3 : from, push, t == 0);
    }
    assert_every_result_matters(&run);

    table steps = {
        "point-3", "i,x,y,vx,vy,a0,a1,x_next,y_next,vx_next,vy_next," RESULTS, NULL, 18, 2,
        7,         {{0, 10, 2, -3, 1, 0.5, -1}, {1, 22.75, 0.5, 30, 2, 1, 1}}};
    for (int i = 0; i < 2; i++)
        fly(steps.cells[i] + 7, steps.cells[i] + 1, steps.cells[i] + 5, false);
    assert_true(steps.cells[1][17] == 1 && steps.cells[0][17] == 0);
    assert_every_result_matters(&steps);

    /* rows past the stable ones are not compared */
    wac_env_report report;
    table tail = run;
    tail.start = "{\"qpos\": [3, 1.5, 0], \"qvel\": [4, -2, 0], \"stable_steps\": 1}";
    tail.cells[2][5] += 1;
    assert_int_equal(verify_table(&report, &tail, NULL), WAC_STATUS_OK);
    assert_true(report.passed && report.rows == 2);

    tail.cells[1][0] = 2;
    wac_error error = {0};
    assert_int_equal(verify_table(&report, &tail, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "table.csv:3: t must count the rows"));
    assert_start_is_refused(&run, NULL, "table.json");
    assert_start_is_refused(&run, "[", "table.json:1: ");
    assert_start_is_refused(&run, "{\"qpos\": [3, 1.5], \"qvel\": [4, -2, 0]}",
                            "\"qpos\" must be an array of 3 numbers");
    assert_start_is_refused(&run, "{\"qpos\": [3, 1.5, 0], \"qvel\": [4, \"2\", 0]}", "\"qvel\"");
    assert_start_is_refused(&run, "{\"qpos\":[3,1,0],\"qvel\":[4,2,0],\"stable_steps\":-1}",
                            "\"stable_steps\"");
    assert_start_is_refused(&run, "{\"qpos\":[3,1,0],\"qvel\":[4,2e20,0]}",
                            "table.csv:3: MuJoCo warns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_pass),
        cmocka_unit_test(known_ways_are_taken),
        cmocka_unit_test(rewards_follow_the_setting),
        cmocka_unit_test(goals_end_and_limits_cut),
        cmocka_unit_test(bounds_hold),
        cmocka_unit_test(starts_are_spread),
        cmocka_unit_test(saved_worlds_go_on_alike),
        cmocka_unit_test(divergence_stops),
        cmocka_unit_test(bad_models_are_refused),
        cmocka_unit_test(model_files_are_found),
        cmocka_unit_test(results_of_recordings_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void missing_engine_is_named(void **state)
{
    (void)state;
    const wac_environment_type *type;
    for (size_t i = 2; (type = wac_environment_type_at(i)); i++) {
        wac_config config;
        wac_world *world;
        wac_error error = {0};
        assert_int_equal(wac_config_init(&config, type->name, NULL, NULL), WAC_STATUS_OK);
        assert_int_equal(wac_world_create(&world, type, &config, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, "no MuJoCo; install libmujoco-dev"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(missing_engine_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
