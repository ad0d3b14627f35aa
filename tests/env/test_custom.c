/* mujoco:FILE.xml: a task made of a model and a recipe, against numbers by hand; what is saved goes
 * on alike; what stops it. */
#include "config/environments.h"
#include "env/mujoco/custom.h"
#include "support/mujoco_worlds.h"
#include "support/small_runs.h"

#if WAC_MUJOCO

/* A ball of mass 2 on two slides, its site 1 above it, pushed by up to 2 along x and 1 along y. */
#define BALL                                                                                       \
    "<mujoco><option timestep='0.1' gravity='0 0 0'/><worldbody><site name='goal' pos='3 4 0'/>"   \
    "<body name='ball'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' type='slide' "   \
    "axis='0 1 0'/><geom size='0.1' mass='2'/><site name='tip' pos='0 0 1'/></body></worldbody>"   \
    "<actuator><motor name='push_x' joint='x' ctrllimited='true' ctrlrange='-2 2'/>"               \
    "<motor joint='y' ctrllimited='true' ctrlrange='-1 1'/></actuator>"                            \
    "<sensor><framelinvel name='speed' objtype='site' objname='tip'/>"                             \
    "<jointpos name='place' joint='x'/></sensor>"                                                  \
    "<keyframe><key name='home' qpos='1 2' qvel='0.5 -0.5'/></keyframe></mujoco>"

/* Model and recipe as files of this test; the environment's name. */
static const char *put(const char *stem, const char *model, const char *recipe)
{
    static char name[sizeof((wac_config *)NULL)->environment];
    save_text(at("%s.xml", stem), model);
    if (recipe)
        save_text(at("%s.yaml", stem), recipe);
    snprintf(name, sizeof name, "mujoco:%s", at("%s.xml", stem));
    return name;
}

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-12))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* The reward of the ball's second step from home under a push of (2, -1), by one term. */
static double reward_of(const char *term)
{
    char recipe[512];
    float observation[MOST];
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    snprintf(recipe, sizeof recipe,
             "keyframe: home\nobservation: [{qpos: all}]\nreward: [{%s}]\n"
             "terminate: [{qpos: x, above: 1.1}]\nsuccess: [{qpos: y, below: 1.9}]\n",
             term);
    wac_world *world = make_world(put("ball", BALL, recipe));
    assert_ok(wac_world_reset(world, &rng, observation, &error));
    step(world, (float[]){1, -1});
    wac_step result = step(world, (float[]){1, -1});
    assert_true(result.terminated && result.success);
    wac_world_destroy(world);
    return result.reward;
}

static void values_are_those_by_hand(void **state)
{
    (void)state;
    /* accelerations 1 and -0.5 over two steps of 0.1 */
    const double x = 1.13, y = 1.885, vx = 0.7, vy = -0.6;
    wac_world *world = make_world(
        put("ball", BALL,
            "frame_skip: 2\nkeyframe: home\nreward: [{bonus: step, weight: -0.25}]\nobservation:\n"
            "- {qpos: all}\n- {qpos: 1}\n- {qpos: x, low: 1, high: 2}\n- {qvel: 0-1}\n"
            "- {control: push_x}\n- {sensor: speed}\n- {sensor: place}\n- {site: tip}\n"
            "- {site: tip, axes: zx}\n- {site_velocity: tip, axes: xy}\n- {distance: [tip, goal]}\n"
            "- {distance: [tip, goal], axes: xy}\n- {distance: [tip, [1.13, 1.885, 0.5]]}\n"
            "- {control: all, low: -2, high: 0}\n"));
    const double expected[] = {x,
                               y,
                               y,
                               x,
                               vx,
                               vy,
                               2,
                               vx,
                               vy,
                               0,
                               x,
                               x,
                               y,
                               1,
                               x,
                               1,
                               vx,
                               vy,
                               sqrt((3 - x) * (3 - x) + (4 - y) * (4 - y) + 1),
                               sqrt((3 - x) * (3 - x) + (4 - y) * (4 - y)),
                               0.5,
                               2,
                               -1};
    enum { COUNT = sizeof expected / sizeof *expected };
    float observation[MOST];
    wac_step result;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    assert_int_equal(world->spec.observation_size, COUNT);
    assert_int_equal(world->spec.action_size, 2);
    assert_false(world->spec.has_goal || world->spec.has_place);
    assert_true(world->spec.action_low[0] == -2 && world->spec.action_high[0] == 2);
    assert_true(world->spec.action_low[1] == -1 && world->spec.action_high[1] == 1);
    assert_true(world->spec.observation_low[0] == -10 && world->spec.observation_high[0] == 10);
    assert_true(world->spec.observation_low[3] == 1 && world->spec.observation_high[3] == 2);
    assert_true(world->spec.observation_low[COUNT - 1] == -2);

    assert_ok(wac_world_reset(world, &rng, observation, &error));
    assert_near(world->raw_observation[0], 1);
    assert_near(world->raw_observation[5], -0.5);
    assert_near(world->raw_observation[7], 0.5);       /* a sensor, before any step */
    assert_near(world->raw_observation[12], 2);        /* a site */
    assert_near(world->raw_observation[COUNT - 1], 0); /* a control */
    assert_ok(wac_world_step(world, &rng, (float[]){1, -1}, observation, &result, &error));
    for (int i = 0; i < COUNT; i++)
        assert_near(world->raw_observation[i], expected[i]);
    assert_true(fabsf(observation[3] - (-0.74f)) < 1e-6f && observation[COUNT - 2] == 1);
    assert_true(result.reward == -0.25 && !result.terminated && !result.success);
    wac_world_destroy(world);
}

static void rewards_are_those_by_hand(void **state)
{
    (void)state;
    /* after two steps of the engine, as above */
    assert_near(reward_of("qpos: all"), 1.13 + 1.885);
    assert_near(reward_of("qpos: all, weight: -2"), -2 * (1.13 + 1.885));
    assert_near(reward_of("control: all, measure: squares, weight: -0.1"), -0.5);
    assert_near(reward_of("control: all, measure: absolute"), 3);
    assert_near(reward_of("control: all, measure: sum"), 1);
    assert_near(reward_of("site_velocity: tip, axes: x"), 0.7);
    assert_near(reward_of("qvel: y"), -0.6);
    assert_near(reward_of("sensor: speed, measure: squares"), 0.49 + 0.36);
    assert_near(reward_of("distance: [tip, [1.13, 1.885, 4]], weight: -1"), -3);
    assert_near(reward_of("bonus: step"), 1);
    assert_near(reward_of("bonus: alive"), 0); /* not any more */
    assert_near(reward_of("bonus: success, weight: 7"), 7);
    assert_near(reward_of("bonus: success, weight: 7}, {bonus: step"), 8);
}

/* What happens when the ball at home moves on for a step. */
static wac_step outcome(const char *rules)
{
    char recipe[512];
    float observation[MOST];
    wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
    snprintf(recipe, sizeof recipe,
             "keyframe: home\nobservation: [{qpos: all}]\nreward: [{bonus: alive}]\n%s", rules);
    wac_world *world = make_world(put("ball", BALL, recipe));
    assert_int_equal(world->spec.has_goal, strstr(rules, "success") != NULL);
    assert_ok(wac_world_reset(world, &rng, observation, &error));
    wac_step result = step(world, (float[]){0, 0}); /* to 1.05, 1.95 */
    wac_world_destroy(world);
    return result;
}

static void ends_and_goals_follow_the_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *rules;
        bool terminated, success;
        double reward;
    } rows[] = {
        {"", false, false, 1},
        {"terminate: []\n", false, false, 1},
        {"terminate: [{qpos: all, above: 1.9}]\n", true, false, 0}, /* one value is enough */
        {"terminate: [{qpos: all, above: 2}]\n", false, false, 1},
        {"terminate: [{qpos: all, above: 2}, {qvel: x, below: 0.6}]\n", true, false, 0},
        {"terminate: [{qpos: all, above: 1.1, below: 1.9}]\n", false, false, 1},
        {"terminate: [{site: tip, axes: z, above: 0.5}]\n", true, false, 0},
        {"terminate: [{sensor: place, below: 1.06}]\n", true, false, 0},
        {"success: [{qpos: all, above: 1}]\n", true, true, 1}, /* but here all count */
        {"success: [{qpos: all, above: 1.5}]\n", false, false, 1},
        {"success: [{qpos: x, above: 1}, {qpos: y, above: 2}]\n", false, false, 1},
        {"success: [{distance: [tip, [1.05, 1.95, 1]], below: 1e-9}]\n", true, true, 1},
        {"success: [{qpos: x, above: 1}]\nafter_success: end\n", true, true, 1},
        {"success: [{qpos: x, above: 1}]\nafter_success: continue\n", false, true, 1},
        {"success: [{qpos: x, above: 1}]\nafter_success: continue\nterminate: [{qpos: y, above: "
         "1}]\n",
         true, true, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_step result = outcome(rows[i].rules);
        if (result.terminated != rows[i].terminated || result.success != rows[i].success ||
            result.reward != rows[i].reward)
            fail_msg("\"%s\": %d %d %g", rows[i].rules, result.terminated, result.success,
                     result.reward);
    }
}

static void starts_are_spread(void **state)
{
    (void)state;
    enum { DRAWS = 4000 };
    wac_world *world = make_world(put(
        "ball", BALL,
        "observation: [{qpos: all}, {qvel: all}]\nreward: [{bonus: alive}]\n"
        "reset: [{qpos: x, uniform: 0.5}, {qvel: all, normal: 0.25}, {qpos: 0, uniform: 0}]\n"));
    wac_rng rng = wac_rng_make(3, WAC_STREAM_WORLD);
    int outer = 0;
    double squares[2] = {0}, sum = 0;
    for (int i = 0; i < DRAWS; i++) {
        float observation[MOST];
        const double *seen = world->raw_observation;
        assert_ok(wac_world_reset(world, &rng, observation, &error));
        assert_true(fabs(seen[0]) <= 0.5 && seen[1] == 0); /* the model's own start */
        outer += fabs(seen[0]) > 0.25;
        sum += seen[0];
        squares[0] += seen[2] * seen[2];
        squares[1] += seen[3] * seen[3];
    }
    assert_true(abs(outer - DRAWS / 2) < 130 && fabs(sum / DRAWS) < 4 * 0.29 / sqrt(DRAWS));
    for (int i = 0; i < 2; i++)
        assert_true(fabs(sqrt(squares[i] / DRAWS) - 0.25) < 0.25 * 4 / sqrt(2.0 * DRAWS));
    wac_world_destroy(world);
}

/* --- going on --------------------------------------------------------------------------------- */

#define EXAMPLE "mujoco:" WAC_SOURCE_DIR "/models/examples/reacher.xml"

/* Boxes that fall on a floor, one of them moved by a muscle-like actuator with a state of its own;
 * a body that only a keyframe moves. */
#define BOXES                                                                                      \
    "<option gravity='0 0 -10'/><worldbody><geom type='plane' size='9 9 1'/>"                      \
    "<body name='hand' mocap='true' pos='0 0 3'><site name='hand'/></body>"                        \
    "<body pos='0 0 .3'><joint name='up' type='slide' axis='0 0 1'/><joint name='tilt' "           \
    "axis='0 1 0'/><geom type='box' size='.1 .1 .1'/><site name='box'/></body>"                    \
    "<body pos='0.5 0 .3'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>"       \
    "<actuator><general joint='tilt' dyntype='filter' dynprm='0.1' gainprm='3' ctrllimited='true'" \
    " ctrlrange='-1 1'/></actuator><keyframe><key name='aside' qpos='0 1 .5 0 .4 1 0 0 0' "        \
    "mpos='1 2 3'/></keyframe></mujoco>"

static void saved_worlds_go_on_alike(void **state)
{
    (void)state;
    wac_rng rng = wac_rng_make(4, WAC_STREAM_WORLD);
    float observation[MOST];
    wac_world *world = make_world(EXAMPLE);
    assert_ok(wac_world_reset(world, &rng, observation, &error));
    for (int t = 0; t < 30; t++)
        step(world, wobble(world, t + 5));
    assert_named_goes_on_alike(world, EXAMPLE, 100);
    wac_world_destroy(world);

    const char *name =
        put("boxes", "<mujoco>" BOXES,
            "keyframe: aside\nframe_skip: 3\nobservation: [{qpos: all}, {qvel: all}, "
            "{site: hand}]\nreward: [{distance: [box, hand]}]\n");
    world = make_world(name);
    assert_ok(wac_world_reset(world, &rng, observation, &error));
    assert_true(world->raw_observation[1] == 1 && world->raw_observation[17] == 1);
    for (int t = 0; t < 30; t++)
        step(world, wobble(world, t));
    assert_named_goes_on_alike(world, name, 100);
    wac_world_destroy(world);
}

static void changed_files_are_noticed(void **state)
{
    (void)state;
    static const char recipe[] = "observation: [{qpos: all}]\nreward: [{bonus: step}]\n";
    double saved[MOST];
    wac_world *world = make_world(put("ball", BALL, recipe));
    world->type->save(world->self, saved);
    assert_ok(wac_world_load(world, saved, 3, &error));
    wac_world_destroy(world);
    world = make_world(put("ball", BALL, "observation: [{qvel: all}]\nreward: [{bonus: step}]\n"));
    assert_int_equal(wac_world_load(world, saved, 3, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "ball.xml or its recipe has changed"));
    wac_world_destroy(world);
    world = make_world(put("ball", BALL "\n", recipe));
    assert_int_equal(wac_world_load(world, saved, 3, &error), WAC_STATUS_INPUT);
    wac_world_destroy(world);
}

static void runs_go_on_alike(void **state)
{
    (void)state;
    wac_config whole = tiny(EXAMPLE, "me-wac", 3), half = tiny(EXAMPLE, "me-wac", 1);
    assert_ok(train_new(at("whole"), &whole, NULL));
    assert_ok(train_new(at("half"), &half, NULL));
    assert_ok(train_on(at("half"), EXAMPLE, NULL, 3));
    assert_same_runs(at("whole"), at("half"));

    /* a relative path is kept as it is, and counts from the working folder */
    char former[PATH_MAX];
    assert_non_null(getcwd(former, sizeof former));
    put("ball", BALL, "observation: [{qpos: all}]\nreward: [{qpos: x}]\n");
    assert_int_equal(chdir(root), 0);
    whole = tiny("mujoco:./ball.xml", "sac", 1);
    assert_ok(train_new("run", &whole, NULL));
    assert_int_equal(chdir("/"), 0);
    const char *run = at("run");
    assert_int_equal(train_on(run, "", NULL, 2), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "there is no model file ./ball.xml in /; a relative path "
                                          "counts from where the program is started"));
    assert_int_equal(chdir(root), 0);
    assert_ok(train_on(run, "", NULL, 2));
    assert_int_equal(chdir(former), 0);
}

/* --- what stops it ---------------------------------------------------------------------------- */

static void divergence_stops(void **state)
{
    (void)state;
    float observation[MOST], action[MOST] = {0};
    double saved[MOST], bad[] = {1e11, NAN, -INFINITY};
    wac_step result;
    wac_rng rng = wac_rng_make(4, WAC_STREAM_WORLD);
    wac_world *world = make_world(EXAMPLE);
    for (int i = 0; i < 3; i++) {
        assert_ok(wac_world_reset(world, &rng, observation, &error));
        world->type->save(world->self, saved);
        assert_ok(wac_world_load(world, saved, 6, &error));
        ((const wac_mujoco *)world->self)->qvel[0] = bad[i];
        for (int again = 0; again < 2; again++) {
            assert_int_equal(wac_world_step(world, &rng, action, observation, &result, &error),
                             WAC_STATUS_NUMERIC);
            assert_non_null(strstr(error.message, again ? "step 8" : "step 7"));
            assert_non_null(strstr(error.message, "reacher.xml: MuJoCo warns: "));
        }
    }
    assert_ok(wac_world_reset(world, &rng, observation, &error));
    action[1] = NAN;
    assert_int_equal(wac_world_step(world, &rng, action, observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "action 1 is not a number at step 1"));
    assert_false(wac_path_exists("MUJOCO_LOG.TXT"));
    wac_world_destroy(world);
}

/* The engine would end the process: its stack is enough for boxes in the air, but not on a floor.
 */
static void fatal_errors_are_errors(void **state)
{
    (void)state;
    float observation[MOST], action[MOST] = {0};
    wac_rng rng = wac_rng_make(4, WAC_STREAM_WORLD);
    wac_step result;
    wac_status status = WAC_STATUS_OK;
    const char *name = put("full", "<mujoco><size nstack='300'/>" BOXES,
                           "observation: [{qpos: all}]\nreward: [{bonus: alive}]\n");
    wac_world *world = make_world(name);
    for (int again = 0; again < 2; again++) {
        assert_ok(wac_world_reset(world, &rng, observation, &error));
        for (int t = 0; t < 300 && !status; t++)
            status = wac_world_step(world, &rng, action, observation, &result, &error);
        assert_int_equal(status, WAC_STATUS_NUMERIC);
        assert_non_null(strstr(error.message, "full.xml: MuJoCo gives up: Stack overflow"));
        status = wac_world_step(world, &rng, action, observation, &result, &error);
        assert_int_equal(status, WAC_STATUS_NUMERIC);
        assert_non_null(strstr(error.message, "MuJoCo gave up at an earlier step"));
        status = WAC_STATUS_OK;
    }
    wac_world_destroy(world);
}

static wac_status create(const char *name)
{
    const wac_environment_type *type;
    wac_config config;
    wac_world *world;
    memset(&error, 0, sizeof error);
    assert_int_equal(wac_environment_type_find(&type, name, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_config_init(&config, name, NULL, NULL), WAC_STATUS_OK);
    wac_status status = wac_world_create(&world, type, &config, &error);
    if (status == WAC_STATUS_OK)
        wac_world_destroy(world);
    return status;
}

static void assert_refused(const char *name, const char *words)
{
    assert_int_equal(create(name), WAC_STATUS_INPUT);
    if (!strstr(error.message, words) || strchr(error.message, '\n'))
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

#define HINGE(attributes)                                                                          \
    "<mujoco><option><flag sensornoise='disable'/></option><worldbody><body><joint name='j'/>"     \
    "<geom size='1'/></body></worldbody><actuator><motor name='m' joint='j' " attributes           \
    "/></actuator></mujoco>"
#define LIMITS "ctrllimited='true' ctrlrange='-1 1'"

static void bad_models_are_refused(void **state)
{
    (void)state;
    static const char recipe[] = "observation: [{qpos: all}]\nreward: [{bonus: step}]\n";
    assert_refused("mujoco:models", "names no model file; write mujoco:FILE.xml");
    assert_refused("mujoco:.xml", "names no model file");
    assert_refused("mujoco:chess.xml", "there is no model file chess.xml in /");
    assert_refused("mujoco:/chess.xml", "there is no model file /chess.xml; a relative path");
    assert_refused(put("m", HINGE(LIMITS), NULL), "there is no recipe ");
    assert_refused(put("m", "", recipe), "XML");
    assert_refused(put("m", "<mujoco><worldbody></mujoco>", recipe), "XML");
    assert_refused(
        put("m", "<mujoco>\n<worldbody>\n<geom type='bell'/>\n</worldbody></mujoco>", recipe),
        "invalid keyword: 'bell'");
    assert_non_null(strstr(error.message, "line 3"));
    assert_refused(put("m", "<mujoco><worldbody/></mujoco>", recipe), "m.xml has no actuators");
    assert_refused(put("m", HINGE(""), recipe), "actuator 0 (m) has no limits");
    assert_refused(put("m",
                       "<mujoco><option><flag sensornoise='enable'/></option><worldbody><body>"
                       "<joint name='j'/><geom size='1'/></body></worldbody><actuator><motor "
                       "joint='j' " LIMITS "/></actuator></mujoco>",
                       recipe),
                   "the flag sensornoise");
    assert_ok(create(put("m", HINGE(LIMITS), recipe)));
    assert_int_equal(mkdir(at("folder.xml"), 0700), 0);
    char name[256];
    snprintf(name, sizeof name, "mujoco:%s", at("folder.xml"));
    assert_refused(name, "it is not a regular file");
}

/* Names of a recipe that its model, BALL, does not have. */
static void unknown_names_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *entry, *words;
    } rows[] = {
        {"sensor: sped", "ball.yaml:3: the model has no sensor \"sped\"; did you mean \"speed\"?"},
        {"sensor: tip", "ball.yaml:3: the model has no sensor \"tip\"; it has speed, place"},
        {"site: tipp", "the model has no site \"tipp\"; did you mean \"tip\"?"},
        {"site_velocity: Goal", "the model has no site \"Goal\"; did you mean \"goal\"?"},
        {"distance: [tip, gaol]", "the model has no site \"gaol\"; did you mean \"goal\"?"},
        {"distance: [ball, goal]", "the model has no site \"ball\"; it has goal, tip"},
        {"qpos: knee", "the model has no joint \"knee\"; it has x, y"},
        {"qvel: knee", "the model has no joint \"knee\"; it has x, y"},
        {"control: push", "no actuator \"push\"; did you mean \"push_x\"?"},
        {"qpos: 2", "ball.yaml:3: there is no qpos 2 in this model; it has those from 0 to 1"},
        {"qvel: 1-7", "there is no qvel 7"},
        {"control: 9", "there is no control 9"},
    };
    char recipe[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(recipe, sizeof recipe, "reward: [{bonus: step}]\nobservation:\n- {%s}\n",
                 rows[i].entry);
        assert_refused(put("ball", BALL, recipe), rows[i].words);
    }
    assert_refused(
        put("ball", BALL, "keyframe: hone\nobservation: [{qpos: all}]\nreward: [{bonus: step}]\n"),
        "ball.yaml:1: the model has no keyframe \"hone\"; did you mean \"home\"?");
    assert_refused(put("m", HINGE(LIMITS), "observation: [{sensor: a}]\nreward: [{bonus: step}]\n"),
                   "the model has no sensor \"a\", nor any other that is named");
    assert_refused(put("ball", BALL, "observation: [{sensr: speed}]\n"),
                   "ball.yaml:1: unknown key \"sensr\" in an entry of observation; did you mean "
                   "\"sensor\"?");
    char many[4096] = "reward: [{bonus: step}]\nobservation:\n";
    for (int i = 0; i < 64; i++)
        strcat(many, "- {qpos: all}\n- {qvel: all}\n");
    assert_refused(put("ball", BALL, many), "observation has more than 64 entries");
}

static void names_become_labels(void **state)
{
    (void)state;
    char label[64];
    wac_environment_label(label, sizeof label, "mujoco:a.b/c.d.xml");
    assert_string_equal(label, "c.d");
    wac_environment_label(label, sizeof label, "mujoco:arm.xml");
    assert_string_equal(label, "arm");
    wac_environment_label(label, sizeof label, "own/world.1");
    assert_string_equal(label, "own/world.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_are_those_by_hand),
        TEST(rewards_are_those_by_hand),
        TEST(ends_and_goals_follow_the_ranges),
        TEST(starts_are_spread),
        TEST(saved_worlds_go_on_alike),
        TEST(changed_files_are_noticed),
        TEST(runs_go_on_alike),
        TEST(divergence_stops),
        TEST(fatal_errors_are_errors),
        TEST(bad_models_are_refused),
        TEST(unknown_names_are_refused),
        TEST(names_become_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 0; /* test_point says what a build without the engine says */
}

#endif
