/* keep_best: the agent of the best evaluation is there, and is the one. That resumes and company
 * change no byte of it is in test_resume.c and test_lockstep.c, whose runs keep some. */
#include "support/small_runs.h"

static wac_run *open_as(bool best)
{
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    options.best = best;
    assert_ok(wac_run_open(&run, at("run"), NULL, &options, &error));
    return run;
}

static double action_of(wac_run *run, double x)
{
    double action;
    wac_run_act(run, WAC_POLICY_TARGET, &x, &action);
    return action;
}

/* The epoch with the highest eval_return, the first of equals. */
static int64_t best_epoch(void)
{
    wac_history history;
    assert_ok(wac_history_read(&history, at("run"), &error));
    const double *returns = history.columns[WAC_COLUMN_EVAL_RETURN];
    size_t best = 0;
    for (size_t i = 0; i < history.rows; i++)
        best = returns[i] > returns[best] ? i : best;
    wac_history_free(&history);
    return (int64_t)best;
}

/* What is kept is what a run that ended there would have. */
static void it_is_the_best(void **state)
{
    (void)state;
    int64_t seen[8] = {0};
    for (int seed = 1; seed <= 6; seed++)
        for (int interval = 1; interval <= 3; interval += 2) {
            wac_config config = tiny("lqg", seed % 2 ? "oe-wac" : "sac", 5);
            config.seed = seed;
            config.keep_best = true;
            config.checkpoint_interval = interval;
            assert_ok(train_new(at("run"), &config, NULL));
            int64_t epoch = best_epoch();
            wac_run *best = open_as(true), *then;
            config.keep_best = false;
            config.epochs = epoch;
            assert_ok(train_new(at("then"), &config, NULL));
            assert_ok(wac_run_open(&then, at("then"), NULL, NULL, &error));
            for (double x = -4; x <= 4; x += 0.5)
                assert_true(action_of(best, x) == action_of(then, x));
            wac_run_destroy(best);
            wac_run_destroy(then);
            remove_folder(at("run"));
            remove_folder(at("then"));
            seen[epoch]++;
        }
    assert_true(seen[5] < 12 && seen[0] < 12); /* not always the last, nor the first */
}

static void without_it_there_is_none(void **state)
{
    (void)state;
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    options.best = true;
    assert_int_equal(wac_run_open(&run, at("run"), NULL, &options, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "keeps no best policy", "--keep-best true");
}

/* A file that is lost, or of another moment, is no checkpoint's. */
static void it_belongs_to_its_checkpoint(void **state)
{
    (void)state;
    wac_run *run;
    size_t size;
    wac_config config = tiny("lqg", "sac", 2);
    config.keep_best = true;
    assert_ok(train_new(at("other"), &config, NULL));
    config.seed = 2;
    assert_ok(train_new(at("run"), &config, NULL));
    char *bytes = contents(at("other/checkpoint/best.safetensors"), &size);
    assert_ok(wac_file_write(at("run/checkpoint/best.safetensors"), bytes, size, &error));
    free(bytes);
    assert_int_equal(wac_run_open(&run, at("run"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "best.safetensors", "another moment");
    assert_int_equal(unlink(at("run/checkpoint/best.safetensors")), 0);
    assert_int_equal(wac_run_open(&run, at("run"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "has lost a file", "best.safetensors back");
}

/* Without evaluations nothing is the best. */
static void without_evaluations(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    config.keep_best = true;
    config.evaluation_steps = 0;
    assert_ok(train_new(at("run"), &config, NULL));
    assert_false(wac_path_exists(at("run/checkpoint/best.safetensors")));
    assert_ok(train_on(at("run"), "lqg", NULL, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_is_the_best),
        TEST(without_it_there_is_none),
        TEST(it_belongs_to_its_checkpoint),
        TEST(without_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
