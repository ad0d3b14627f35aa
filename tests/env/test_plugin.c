/* Plug-ins: what is loaded, that it is a world like any other, and what is said to those that are
 * broken. The program with them is in tests/cli/test_plugins.c. */
#include "support/small_runs.h"

#include "config/environments.h"
#include "env/world.h"

#include <assert.h>

/* What plug-ins share with the library. Does this fail? Then raise WAC_ENVIRONMENT_VERSION, and
 * write the new sizes here. */
static_assert(WAC_ENVIRONMENT_VERSION == 3 && sizeof(wac_environment_spec) == 16416 &&
                  sizeof(wac_environment_type) == 80 && sizeof(wac_step) == 16 &&
                  sizeof(wac_stroke) == 48 && sizeof(wac_error) == 1028 && sizeof(wac_rng) == 24 &&
                  sizeof(((wac_config *)NULL)->environment) == 256,
              "plug-ins that are there would be misread");

/* Paths count from where one is. */
static int enter_plugins(void **state)
{
    return setup(state) == 0 && chdir(WAC_PLUGINS) == 0 ? 0 : -1;
}

static wac_status load(const wac_environment_type **type, const char *name)
{
    error = (wac_error){0};
    return wac_environment_type_find(type, name, &error);
}

/* The world of a plug-in that can be loaded; fails as its creation does. */
static wac_status make(wac_world **world, const char *name)
{
    const wac_environment_type *type;
    wac_config config;
    assert_ok(load(&type, name));
    assert_ok(wac_config_init(&config, name, NULL, &error));
    return wac_world_create(world, type, &config, &error);
}

static void names_are_told(void **state)
{
    (void)state;
    static const char *const plugins[] = {"./a.so", "/a.so", "../b/c.d.so", "a/b.so", "./1.so"};
    static const char *const others[] = {"a.so",  "./a.so.1", "./so", "./.so",
                                         "a/.so", "/",        ".so",  ""};
    char label[64];
    wac_config config;
    for (size_t i = 0; i < 5; i++) {
        assert_true(wac_environment_is_plugin(plugins[i]));
        assert_ok(wac_config_init(&config, plugins[i], "sac", &error));
        assert_string_equal(config.environment, plugins[i]);
    }
    for (size_t i = 0; i < 8; i++)
        assert_false(wac_environment_is_plugin(others[i]));
    wac_environment_label(label, sizeof label, "../b/c.d.so");
    assert_string_equal(label, "c.d");
    assert_int_equal(wac_config_init(&config, "./a,b.so", NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "\"./a,b.so\" is no good name", "./FILE.so");
    assert_int_equal(wac_config_init(&config, "./a", NULL, &error), WAC_STATUS_INPUT);
}

static void plugins_are_loaded(void **state)
{
    (void)state;
    const wac_environment_type *type, *again, *other;
    assert_ok(load(&type, "./good.so"));
    assert_ok(load(&again, "./good.so"));
    assert_ptr_equal(type, again);
    assert_string_equal(type->name, "./good.so");
    assert_ok(load(&other, WAC_PLUGINS "/good.so"));
    assert_string_equal(other->name, WAC_PLUGINS "/good.so");
    assert_ptr_equal(type->create, other->create);
    assert_string_equal(type->name, "./good.so");
    /* nobody passes for a world of ours, whose picture would be drawn from its memory */
    assert_ok(load(&type, "./stateless.so"));
    assert_string_equal(type->summary, "");
    assert_ok(load(&type, "./posing.so"));
    assert_string_equal(type->name, "./posing.so");
    assert_ptr_not_equal(type->create, other->create);
}

static void broken_ones_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *one, *other;
    } rows[] = {
        {"./nowhere.so", "there is no plug-in ./nowhere.so in /", "counts from where"},
        {"/nowhere.so", "there is no plug-in /nowhere.so", ""},
        {"good.so", "unknown environment \"good.so\"", "named by its path: ./good.so"},
        {"./version.so", "is a plug-in of version 4, and this wac takes version 3",
         "build it again with the headers of this one"},
        {"./settings.so", "was built for another wac, whose settings are others",
         "build it again with the headers of this one"},
        {"./symbol.so", "is no plug-in: it does not export wac_environment_plugin_table",
         "WAC_ENVIRONMENT_EXPORT"},
        {"./table.so", "exports no table of functions", "WAC_ENVIRONMENT_EXPORT"},
        {"./function.so", "its table has no function \"reset\"", "may be left out"},
        {"./half.so", "its table has no function \"save\"", "only both"},
    };
    const wac_environment_type *type;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(load(&type, rows[i].name), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, rows[i].one, rows[i].other);
        assert_non_null(strstr(error.message, rows[i].name));
    }
    /* what no loader takes */
    save_text(at("text.so"), "no library at all, but a text of some length");
    save_text(at("empty.so"), "");
    assert_int_equal(mkdir(at("folder.so"), 0777), 0);
    const char *const files[] = {"text.so", "empty.so", "folder.so"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(load(&type, at("%s", files[i])), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be loaded: ", files[i]);
    }
}

static void broken_worlds_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        wac_status status;
        const char *one, *other;
    } rows[] = {
        {"./refuses.so", WAC_STATUS_IO,
         "environment ./refuses.so: its creation: ", "the motor has no power; switch it on"},
        {"./silent.so", WAC_STATUS_IO,
         "environment ./silent.so: its creation: ", "does not say why"},
        {"./sizes.so", WAC_STATUS_INPUT, "./sizes.so declares 1 observations, 0 actions",
         "must be from 1 to 512"},
        {"./bounds.so", WAC_STATUS_INPUT, "./bounds.so: the bounds of observation 0",
         "must be finite"},
        {"./unsaved.so", WAC_STATUS_INPUT, "./unsaved.so declares 2 state entries",
         "no functions save and load"},
    };
    wac_world *world;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(make(&world, rows[i].name), rows[i].status);
        assert_message(rows[i].status, rows[i].one, rows[i].other);
    }
}

/* The run stops, its folder is whole, and the last checkpoint is there. */
static void numbers_stop_a_run(void **state)
{
    (void)state;
    static const char *const names[] = {"./numbers.so", "./pays.so"};
    static const char *const words[] = {"observation 0 is nan after step 3",
                                        "the reward is inf at step 3"};
    for (int i = 0; i < 2; i++) {
        wac_config config = tiny(names[i], "sac", 2);
        assert_int_equal(train_new(at("%d", i), &config, NULL), WAC_STATUS_NUMERIC);
        assert_message(WAC_STATUS_NUMERIC, names[i], words[i]);
    }
}

/* The same world as a table in this program, and as a plug-in: the same run. */
static void runs_are_those_of_any_world(void **state)
{
    (void)state;
    const wac_environment_type *type;
    wac_run *run;
    wac_config config = tiny("./good.so", "oe-wac", 3);
    assert_ok(train_new(at("plugin"), &config, NULL));
    assert_ok(load(&type, "./good.so"));
    assert_ok(wac_run_create(&run, &config, type, at("table"), NULL, &error));
    assert_ok(wac_run_train(run, &error));
    wac_run_destroy(run);
    assert_same_runs(at("plugin"), at("table"));
    /* and on from where it was, found by what its folder says */
    config.epochs = 2;
    assert_ok(train_new(at("cut"), &config, NULL));
    assert_ok(train_on(at("cut"), "./good.so", NULL, 3));
    assert_same_runs(at("cut"), at("plugin"));
    /* but not without the file */
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(train_on(at("cut"), "./good.so", NULL, 4), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "there is no plug-in ./good.so in /", "counts from where");
    assert_int_equal(wac_run_open(&run, at("cut"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "there is no plug-in ./good.so in /", "counts from where");
}

static void a_world_may_have_no_state(void **state)
{
    (void)state;
    wac_config config = tiny("./stateless.so", "sac", 2);
    assert_ok(train_new(at("whole"), &config, NULL));
    config.epochs = 1;
    assert_ok(train_new(at("cut"), &config, NULL));
    assert_ok(train_on(at("cut"), "./stateless.so", NULL, 2));
    assert_same_runs(at("cut"), at("whole"));
}

#define IN_PLUGINS(name) cmocka_unit_test_setup_teardown(name, enter_plugins, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLUGINS(names_are_told),
        IN_PLUGINS(plugins_are_loaded),
        IN_PLUGINS(broken_ones_are_refused),
        IN_PLUGINS(broken_worlds_are_refused),
        IN_PLUGINS(numbers_stop_a_run),
        IN_PLUGINS(runs_are_those_of_any_world),
        IN_PLUGINS(a_world_may_have_no_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
