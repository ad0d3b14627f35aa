/* What the page is told of bodies: all that is to be seen, and where it is in the episodes that are
 * played. */
#include "support/small_runs.h"

#include "base/json.h"
#include "run/run.h"
#include "watch/body.h"

#if WAC_MUJOCO

/* A run that was trained for a little while, as the page looks at it. */
static wac_mind look_at(const char *environment)
{
    wac_mind mind = {0};
    wac_watched watched = {.path = (char *)at("run")};
    watched.config = tiny(environment, "oe-wac", 1);
    remove_folder(watched.path);
    assert_ok(train_new(watched.path, &watched.config, NULL));
    assert_ok(wac_mind_turn(&mind, &watched, &error));
    return mind;
}

static json_t *tell_body(const wac_mind *mind)
{
    wac_json_begin();
    json_t *body = wac_body_tell(wac_mujoco_of(mind->run->evaluation_world));
    assert_non_null(body);
    return body;
}

static const char *kind_of(const json_t *body, size_t part)
{
    return json_string_value(
        json_object_get(json_array_get(json_object_get(body, "parts"), part), "kind"));
}

/* Positions of the simulation at each point of an episode. */
typedef struct diary {
    double at[WAC_EPISODE_POINTS][2];
    int count;
} diary;

static void keep(void *user, wac_world *world)
{
    diary *diary = user;
    const wac_mujoco *mujoco = wac_mujoco_of(world);
    memcpy(diary->at[diary->count++], mujoco->qpos, 2 * sizeof(double));
}

static void a_body_moves_as_its_world_does(void **state)
{
    (void)state;
    static diary diaries[2];
    static wac_episode episode;
    wac_mind mind = look_at("hopper");
    json_t *body = tell_body(&mind);
    float *values;
    size_t count;
    assert_int_equal(json_array_size(json_object_get(body, "parts")), 5);
    assert_string_equal(kind_of(body, 0), "plane");
    assert_string_equal(kind_of(body, 1), "capsule");
    assert_true(json_is_true(json_object_get(body, "travels")));
    assert_int_equal(json_integer_value(json_object_get(body, "normal")), 1);
    json_decref(body);

    assert_ok(wac_body_play(&values, &count, &mind, 7, &error));
    assert_true(values[0] == 4 && values[1] == 1);
    const float *picture = values + 4;
    for (int role = 0; role < 2; role++) {
        assert_ok(wac_mind_play(&episode, &mind, (wac_policy_role)role, 7, 0, 1, keep,
                                &diaries[role], &error));
        assert_int_equal(episode.points, diaries[role].count);
        assert_true(values[2 + role] == (float)episode.points && episode.points > 5);
        for (int i = 0; i < episode.points; i++, picture += 3 + 4 * 9) {
            /* the trunk is where its joints are; so is its capsule */
            for (int k = 0; k < 2; k++) {
                assert_true(fabs((double)picture[2 * k] - diaries[role].at[i][k]) < 1e-5);
                assert_true(picture[3 + 2 * k] == picture[2 * k]);
            }
            for (int part = 0; part < 4; part++) {
                const float *x = picture + 3 + 9 * part + 3, *y = x + 3;
                assert_true(fabsf(x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) < 1e-5f);
                assert_true(fabsf(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1) < 1e-5f);
            }
        }
    }
    assert_ptr_equal(picture, values + count);
    free(values);
    wac_mind_free(&mind);
}

/* A model of somebody's, with its recipe. Returns its name. */
static const char *put(const char *model)
{
    static char name[PATH_MAX];
    save_text(at("own.xml"), model);
    save_text(at("own.yaml"), "observation: [{qpos: all}]\nreward: [{qpos: turn}]\n");
    snprintf(name, sizeof name, "mujoco:%s", at("own.xml"));
    return name;
}

static void meshes_and_marks_are_told(void **state)
{
    (void)state;
    wac_mind mind = look_at(put(
        "<mujoco><asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset><worldbody>"
        "<geom type='box' size='1 1 1' pos='0 0 -3' rgba='1 0 0 1'/><geom size='2' rgba='0 0 0 0'/>"
        "<body><joint name='turn' axis='0 0 1'/><geom type='mesh' mesh='wedge'/>"
        "<site name='tip' pos='3 0 0' type='ellipsoid' size='.1 .2 .3' rgba='0 1 0 1'/></body>"
        "</worldbody><actuator><motor joint='turn' ctrllimited='true' ctrlrange='-1 1'/></actuator>"
        "</mujoco>"));
    json_t *body = tell_body(&mind), *parts = json_object_get(body, "parts");
    assert_int_equal(json_array_size(parts), 3); /* one is not to be seen */
    const json_t *wedge = json_array_get(parts, 1), *tip = json_array_get(parts, 2);
    const json_t *faces = json_object_get(wedge, "faces");
    assert_int_equal(json_array_size(json_object_get(wedge, "vertices")), 3 * 4);
    assert_int_equal(json_array_size(faces), 3 * 4);
    for (size_t i = 0; i < json_array_size(faces); i++)
        assert_in_range(json_integer_value(json_array_get(faces, i)), 0, 3);
    assert_string_equal(json_string_value(json_object_get(tip, "kind")), "ellipsoid");
    assert_int_equal(json_integer_value(json_object_get(tip, "colour")), 0x00ff00);
    assert_true(json_is_false(json_object_get(tip, "fixed")));
    json_decref(body);
    wac_mind_free(&mind);
}

/* Of a crowd not every step is told. */
static void answers_stay_small(void **state)
{
    (void)state;
    enum { CROWD = 400 };
    static char model[CROWD * 64 + 1024];
    char *end =
        model + sprintf(model, "<mujoco><worldbody><body><joint name='turn' axis='0 0 1'/>");
    for (int i = 0; i < CROWD; i++)
        end += sprintf(end, "<geom size='.1' pos='%d 0 0'/>", i);
    sprintf(end, "</body></worldbody><actuator><motor joint='turn' ctrllimited='true' "
                 "ctrlrange='-1 1'/></actuator></mujoco>");
    wac_mind mind = look_at(put(model));
    float *values;
    size_t count;
    assert_ok(wac_body_play(&values, &count, &mind, 0, &error));
    assert_true(values[0] == CROWD && values[1] == 4);
    assert_true(values[2] == 7); /* 26 points */
    assert_int_equal(count, 4 + 2 * 7 * (3 + 9 * CROWD));
    free(values);
    wac_mind_free(&mind);
}

#endif

static void others_have_none(void **state)
{
    (void)state;
    wac_watched watched = {.path = (char *)at("river")};
    wac_mind mind = {0};
    float *values;
    size_t count;
    watched.config = tiny("riverswim", "sac", 1);
    assert_ok(train_new(watched.path, &watched.config, NULL));
    assert_ok(wac_mind_turn(&mind, &watched, &error));
    assert_int_equal(wac_body_play(&values, &count, &mind, 0, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "this world has no body");
    wac_mind_free(&mind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#if WAC_MUJOCO
        TEST(a_body_moves_as_its_world_does),
        TEST(meshes_and_marks_are_told),
        TEST(answers_stay_small),
#endif
        TEST(others_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
