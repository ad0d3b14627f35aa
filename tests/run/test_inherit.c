/* Warm starts: a new run that begins with the agent of another. */
#include "support/small_runs.h"

#include "run/run.h"

static wac_run_options from(const char *directory)
{
    wac_run_options options = wac_run_options_default();
    options.from = directory;
    return options;
}

static double action_of(const char *directory, double x)
{
    wac_run *run;
    double action;
    assert_ok(wac_run_open(&run, directory, NULL, NULL, &error));
    wac_run_act(run, WAC_POLICY_TARGET, &x, &action);
    wac_run_destroy(run);
    return action;
}

/* Where nothing is learnt it stays that agent, in another world, too; untrained it is another. */
static void it_begins_where_the_other_ended(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("lqg", algorithms[i], 3);
        assert_ok(train_new(at("source"), &config, NULL));
        config = tiny("riverswim", algorithms[i], 1);
        config.seed = 5;
        config.updates = 0;
        wac_run_options options = from(at("source"));
        assert_ok(train_new(at("warm"), &config, &options));
        assert_ok(train_new(at("cold"), &config, NULL));
        /* the same place in either world: the middle */
        assert_true(action_of(at("warm"), 12.5) == action_of(at("source"), 0) / 4);
        assert_true(action_of(at("warm"), 12.5) != action_of(at("cold"), 12.5));
        remove_folder(at("source"));
        remove_folder(at("warm"));
        remove_folder(at("cold"));
    }
}

static long steps_left;
static volatile int stop;

static void count_down(void *user, const wac_progress *progress)
{
    (void)user, (void)progress;
    stop = stop || --steps_left <= 0;
}

/* Stopped and resumed it ends in the same bytes, whatever became of the other. */
static void it_is_resumed(void **state)
{
    (void)state;
    for (int normalisation = 0; normalisation < 2; normalisation++) {
        wac_config config = tiny("lqg", "me-wac", 3);
        config.normalisation = normalisation;
        assert_ok(train_new(at("source"), &config, NULL));
        config.seed = 2;
        wac_run_options options = from(at("source"));
        assert_ok(train_new(at("whole"), &config, &options));
        options.stop = &stop;
        options.progress = count_down;
        stop = 0;
        steps_left = 1; /* before the first checkpoint of its own */
        assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
        remove_folder(at("source"));
        assert_ok(train_on(at("parts"), "lqg", NULL, 0));
        assert_same_runs(at("whole"), at("parts"));
        remove_folder(at("whole"));
        remove_folder(at("parts"));
    }
}

/* Killed before it had a checkpoint at all, it looks for the other again. */
static void it_is_begun_again(void **state)
{
    (void)state;
    wac_run *run;
    wac_config config = tiny("lqg", "sac", 2);
    assert_ok(train_new(at("source"), &config, NULL));
    wac_run_options options = from(at("source"));
    assert_ok(train_new(at("whole"), &config, &options));
    assert_ok(wac_run_create(&run, &config, NULL, at("parts"), &options, &error));
    wac_run_destroy(run);
    assert_true(wac_path_exists(at("parts/checkpoint/agent.safetensors")));
    remove_folder(at("parts/checkpoint"));
    assert_ok(train_on(at("parts"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("parts"));
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    wac_run *run;
    wac_config source = tiny("lqg", "sac", 1), config = source;
    assert_ok(train_new(at("source"), &source, NULL));
    wac_run_options options = from(at("source"));
    static const char *const reasons[] = {"its algorithm is sac, not oac", "its width",
                                          "its normalisation"};
    for (int i = 0; i < 3; i++) {
        config = tiny("lqg", i == 0 ? "oac" : "sac", 1);
        config.width += i == 1;
        config.normalisation = i == 2;
        assert_int_equal(wac_run_create(&run, &config, NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with", reasons[i]);
        assert_false(wac_path_exists(at("new")));
    }
    static const char *const sized[][2] = {{"redq", "its number of critics is 10, not 9"},
                                           {"sunrise", "add --members 3"},
                                           {"maxinfosac", "its number of models"}};
    for (int i = 0; i < 3; i++) {
        source = config = tiny("lqg", sized[i][0], 1);
        assert_ok(train_new(at("%s", sized[i][0]), &source, NULL));
        config.critics = 9;
        config.members = 2;
        config.models = 4;
        options = from(at("%s", sized[i][0]));
        assert_int_equal(wac_run_create(&run, &config, NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with", sized[i][1]);
    }
    /* what is believed, and how */
    for (int i = 0; i < 4; i++) {
        static const char *const words[] = {"add --posterior particles", "add --posterior gaussian",
                                            "add --trunk shared", "add --trunk apart"};
        wac_config beliefs[2] = {tiny("lqg", "oe-wac", 1), tiny("lqg", "oe-wac", 1)};
        if (i < 2)
            beliefs[i % 2].posterior = WAC_POSTERIOR_PARTICLES;
        else
            beliefs[i % 2].trunk = WAC_TRUNK_SHARED;
        assert_ok(train_new(at("belief-%d", i), &beliefs[0], NULL));
        options = from(at("belief-%d", i));
        assert_int_equal(wac_run_create(&run, &beliefs[1], NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with", words[i]);
    }
    options = from(at("source"));
    walk_order.observations = 3;
    config = tiny("walk", "sac", 1);
    assert_int_equal(wac_run_create(&run, &config, &walk, at("new"), &options, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "cannot be begun with", "its number of observations");
    /* a world of this program alone */
    assert_ok(train_new(at("own"), &config, NULL));
    options = from(at("own"));
    assert_ok(train_new(at("again"), &config, &options));
    options = from(at("nothing"));
    assert_int_equal(wac_run_create(&run, &config, &walk, at("new"), &options, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "there is no run", "nothing");
    assert_false(wac_path_exists(at("new")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_begins_where_the_other_ended),
        TEST(it_is_resumed),
        TEST(it_is_begun_again),
        TEST(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
