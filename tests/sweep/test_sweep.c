/* Sweeps: what their files mean, what is wrong with bad ones, and that their runs are those of
 * `wac train`, whoever trains them and however often they are stopped. */
#include "support/small_sweeps.h"

#include "config/config.h"
#include "sweep/estimate.h"

#include <pty.h>

static void a_file_is_a_product(void **state)
{
    (void)state;
    wac_sweep sweep = parse("environments: [point-1-sparse, lqg]\n"
                            "algorithms: [sac, oe-wac]\n"
                            "seeds: [3, 7]\n"
                            "settings: {epochs: 5, learning_rate: [1e-3, 0.0005]}\n"
                            "oe-wac:\n  lambda: [0.5]\n  epochs: 6\n"
                            "lqg: {noise_std: 0.25}\n");
    const char *const folders[] = {
        "point-1-sparse/sac/learning-rate-0.001/seed-3",
        "point-1-sparse/sac/learning-rate-0.001/seed-7",
        "point-1-sparse/sac/learning-rate-0.0005/seed-3",
        "point-1-sparse/sac/learning-rate-0.0005/seed-7",
        "point-1-sparse/oe-wac/learning-rate-0.001_lambda-0.5/seed-3",
        "point-1-sparse/oe-wac/learning-rate-0.001_lambda-0.5/seed-7",
        "point-1-sparse/oe-wac/learning-rate-0.0005_lambda-0.5/seed-3",
        "point-1-sparse/oe-wac/learning-rate-0.0005_lambda-0.5/seed-7",
        "lqg/sac/learning-rate-0.001/seed-3",
    };
    assert_int_equal(sweep.count, 16);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_string_equal(sweep.runs[i].folder, folders[i]);
    const wac_config *first = &sweep.runs[0].config, *last = &sweep.runs[15].config;
    assert_string_equal(first->environment, "point-1");
    assert_int_equal(first->reward, WAC_REWARD_SPARSE);
    assert_true(first->learning_rate == 1e-3 && first->epochs == 5 && first->seed == 3);
    assert_true(last->learning_rate == 0.0005 && last->epochs == 6 && last->seed == 7);
    assert_true(last->lambda == 0.5 && last->noise_std == 0.25);
    wac_sweep_free(&sweep);

    /* a number of seeds, and single values in place of lists */
    sweep = parse("environments: lqg\nalgorithms: oac\nseeds: 3\n");
    assert_int_equal(sweep.count, 3);
    assert_string_equal(sweep.runs[2].folder, "lqg/oac/seed-3");
    wac_sweep_free(&sweep);
    sweep = parse("environments: lqg\nalgorithms: oac\n");
    assert_int_equal(sweep.count, 1);
    assert_string_equal(sweep.runs[0].folder, "lqg/oac/seed-1");
    wac_sweep_free(&sweep);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
#define START "environments: [lqg]\nalgorithms: [sac, oe-wac]\n"
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {"", "file:1:", "no sweep"},
        {"- lqg\n", "file:1:", "no sweep"},
        {"environments: [lqg]\n", "file", "names no algorithms"},
        {"algorithms: [sac]\n", "file", "names no environments"},
        {"environments: []\nalgorithms: [sac]\n", "file:1:", "empty"},
        {"environments: [lgq]\nalgorithms: [sac]\n", "file:1:", "did you mean \"lqg\""},
        {"environments: [lqg]\nalgorithms: [sca]\n", "file:2:", "did you mean \"sac\""},
        {"environments: [lqg, lqg]\nalgorithms: [sac]\n", "file:1:", "twice"},
        {"environments: [[lqg]]\nalgorithms: [sac]\n", "file:1:", "one value"},
        {START "seeds: []\n", "file:3:", "empty"},
        {START "seeds: 0\n", "file:3:", "whole number from 1"},
        {START "seeds: 2.5\n", "file:3:", "whole number from 1"},
        {START "seeds: [1, -2]\n", "file:3:", "seed must be"},
        {START "seeds: [1, 2, 1]\n", "file:3:", "twice"},
        {START "seed: 1\n", "file:3:", "\"wac tune\""},
        {START "setings: {epochs: 3}\n", "file:3:", "did you mean \"settings\""},
        {START "width: 3\n", "file:3:", "below \"settings:\""},
        {START "bananas: 3\n", "file:3:", "unknown key"},
        {START "settings: 3\n", "file:3:", "belong settings"},
        {START "settings:\n  epoch: 3\n", "file:4:", "did you mean \"epochs\""},
        {START "settings:\n  epochs: []\n", "file:4:", "empty"},
        {START "settings:\n  epochs: -1\n", "file:4:", "from 0"},
        {START "settings:\n  epochs:\n  - 1\n  - x\n", "file:6:", "whole number"},
        {START "settings:\n  epochs: 1\n  epochs: 2\n", "file:5:", "line 4"},
        {START "settings:\n  seed: 1\n", "file:4:", "\"seeds:\""},
        {START "settings:\n  lambda: 1\n", "file:4:", "not read by sac"},
        {START "settings: {width: {from: 1, to: 2}}\n", "file:3:", "wac tune"},
        {START "settings: {width: [16, 16.0]}\n", "file", "width-16/seed-1 is there twice"},
        {START "settings: {}\nsettings: {}\n", "file:4:", "line 3"},
        {START "oac:\n  oac_beta: 1\n", "file:3:", "not one of the algorithms"},
        {START "riverswim:\n  epochs: 1\n", "file:3:", "not one of the environments"},
        {START "oe-wac:\n  oac_beta: 1\n", "file:4:", "not read by oe-wac"},
        {START "lqg:\n  river_length: 9\n", "file:4:", "not read by lqg"},
        {START "lqg: {width: 8}\nsac: {width: 9}\n", "file:4:", "set for lqg on line 3"},
        {START "oe-wac: {reward_min: 3}\n", "file", "must be below reward_max"},
        {START "seeds: 9999\n", "file", "more than 10000 runs"},
        {START "seeds: [[1]]\n", "file:3:", "one value"},
        {"environments: [lqg]\nalgorithms: [[sac]]\n", "file:2:", "one value"},
        {START "from: runs/a\nfrom: runs/b\n", "file:4:", "line 3"},
        {START "from: runs/a\npolicy: middle\n", "file:4:", "last or best"},
        {START "policy: best\n", "file:3:", "from"},
        {"environments: [lqg]\nalgorithms: [sac]\n"
         "settings: {learning_rate: [0.0001], initial_steps: [10000], explore_steps: [10000], "
         "evaluation_steps: [10000], replay_capacity: [100000], checkpoint_interval: [10000], "
         "path_limit: [10000], batch_size: [10000], epochs: [10000], "
         "updates: [10000], discount: [0.0001], noise_std: [0.0001], width: [1000], "
         "target_rate: [0.0001], entropy_target: [-0.0001], worlds: [100]}\n",
         "file", "more settings than a folder's name can hold"},
        {"environments: [point-1, point-1-sparse]\nalgorithms: [sac]\n"
         "settings: {epochs: 1, reward: sparse}\n",
         "file", "the same settings"},
        {"environments: [\"mujoco:a/m.xml\", \"mujoco:b/m.xml\"]\nalgorithms: [sac]\n", "file",
         "the folder m/sac/seed-1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_sweep sweep;
        memset(&error, 0, sizeof error);
        if (!wac_sweep_parse(&sweep, NULL, cases[i].text, strlen(cases[i].text), "file", &error))
            fail_msg("taken: %s", cases[i].text);
        assert_message(WAC_STATUS_INPUT, cases[i].place, cases[i].words);
        assert_null(sweep.runs);
    }
    /* more values than there can be runs */
    static char text[100000] = START "settings: {width: [";
    wac_sweep sweep;
    for (int i = 0; i <= WAC_SWEEP_RUNS; i++)
        sprintf(text + strlen(text), "%d, ", i % 10);
    strcat(text, "9]}\n");
    assert_int_equal(wac_sweep_parse(&sweep, NULL, text, strlen(text), "file", &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "file:3:", "more than 10000 values");
}

/* One worker, two workers, and `wac train` alone: the same files. */
static void runs_are_those_of_train(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("2"));
    save_text(at("small.yaml"), SMALL_SWEEP("2"));
    assert_int_equal(sweep.count, 6);
    const outcome *result = wac("sweep %s --out %s --workers 1", at("small.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->out, at("one")));
    assert_non_null(strstr(result->err, "6/6  lqg/oe-wac/lambda-0.5/seed-2  epoch 2/2  return"));
    assert_done(wac("sweep %s --out %s --workers 4", at("small.yaml"), at("four")));
    assert_same_sweeps(at("one"), at("four"), &sweep);
    assert_done(wac("train lqg --algorithm oe-wac --lambda 0.5 --seed 2 --epochs 2 " SMALL
                    " --out %s",
                    at("alone")));
    assert_same_runs(at("alone"), at("one/lqg/oe-wac/lambda-0.5/seed-2"));

    /* again: nothing is touched */
    struct stat before, after;
    assert_int_equal(stat(at("one/lqg/sac/seed-1/manifest.json"), &before), 0);
    result = wac("sweep %s --out %s", at("small.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do: 6 runs done"));
    assert_int_equal(stat(at("one/lqg/sac/seed-1/manifest.json"), &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);

    /* a run that was cut off after its last row is finished in no time, and then stays so */
    wac_sweep_item *items;
    assert_int_equal(unlink(at("one/lqg/sac/seed-1/manifest.json")), 0);
    assert_ok(wac_sweep_inspect(&items, &sweep, at("one"), &error));
    assert_true(items[0].state == WAC_SWEEP_STATE_BEGUN && items[1].state == WAC_SWEEP_STATE_DONE);
    free(items);
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("one")));
    assert_ok(wac_sweep_inspect(&items, &sweep, at("one"), &error));
    assert_true(items[0].state == WAC_SWEEP_STATE_DONE);
    free(items);
    assert_same_sweeps(at("one"), at("four"), &sweep);

    /* in shares, as an array job would */
    for (int i = 1; i <= 4; i++)
        assert_done(wac("sweep %s --out %s --only %d/4", at("small.yaml"), at("shares"), i));
    assert_same_sweeps(at("one"), at("shares"), &sweep);
    assert_says(wac("sweep %s --only 5/4", at("small.yaml")), 2, "3/12");
    wac_sweep_free(&sweep);
}

static void a_sweep_can_grow(void **state)
{
    (void)state;
    wac_sweep all = parse("environments: [lqg]\nalgorithms: [sac, oac]\nseeds: 2\n"
                          "settings: {epochs: 2, " SMALL_RUNS "}\n");
    wac_sweep part = {.runs = all.runs, .count = 2};
    wac_sweep_outcome outcome;
    wac_sweep_options options = {0};
    options.workers = 2;
    int open_before = entries("/proc/self/fd");
    assert_ok(wac_sweep_execute(&part, at("grown"), &options, &outcome, &error));
    assert_int_equal(outcome.done, 2);
    /* nothing is left of it, neither files nor processes */
    assert_int_equal(entries("/proc/self/fd"), open_before);
    assert_true(waitpid(-1, NULL, WNOHANG) < 0);
    assert_ok(wac_sweep_execute(&all, at("grown"), &options, &outcome, &error));
    assert_int_equal(outcome.done, 4);
    assert_ok(wac_sweep_execute(&all, at("whole"), &options, &outcome, &error));
    assert_true(outcome.busy > 0 && outcome.workers == 2 && outcome.failed == 0);
    assert_same_sweeps(at("whole"), at("grown"), &all);

    /* but neither shrink nor change what has begun */
    assert_int_equal(wac_sweep_execute(&part, at("grown"), &options, &outcome, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("grown"), "lqg/oac/seed-1 is not one of this sweep");
    all.runs[1].config.width = 8;
    char *before = names_below(at("grown"), NULL);
    assert_int_equal(wac_sweep_execute(&all, at("grown"), &options, &outcome, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "lqg/sac/seed-2", "width is 16 and not 8");
    char *after = names_below(at("grown"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    wac_sweep_free(&all);
}

/* Epochs alone may be raised: all runs go on, to what they would have become at once. */
static void epochs_can_be_raised(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("4"));
    save_text(at("short.yaml"), SMALL_SWEEP("2"));
    save_text(at("long.yaml"), SMALL_SWEEP("4"));
    assert_done(wac("sweep %s --out %s", at("long.yaml"), at("whole")));
    assert_done(wac("sweep %s --out %s", at("short.yaml"), at("raised")));
    /* one was cut off before, one right after it was told to go on, one has not begun */
    assert_int_equal(unlink(at("raised/lqg/sac/seed-1/manifest.json")), 0);
    wac_run *run;
    assert_ok(wac_run_resume(&run, at("raised/lqg/sac/seed-2"), NULL, NULL, 4, &error));
    wac_run_destroy(run);
    remove_folder(at("raised/lqg/oe-wac/lambda-0/seed-1"));
    const outcome *result = wac("sweep %s --out %s --dry-run", at("long.yaml"), at("raised"));
    assert_done(result);
    assert_non_null(strstr(result->out, "go on  lqg/oe-wac/lambda-0/seed-2  (epoch 2 of 4)\n"));
    assert_non_null(strstr(result->out, "1 to start, 5 to go on with, 0 done"));
    result = wac("sweep %s --out %s", at("long.yaml"), at("raised"));
    assert_done(result);
    assert_non_null(strstr(result->err, "6/6  "));
    assert_same_sweeps(at("whole"), at("raised"), &sweep);

    /* not lowered, and nothing is touched; nor is what is damaged */
    char *before = contents(at("raised/sweep.yaml"), NULL);
    assert_says(wac("sweep %s --out %s", at("short.yaml"), at("raised")), 2,
                "is one of 4 epochs, and the sweep asks for 2; epochs can be raised later, not "
                "lowered");
    char *after = contents(at("raised/sweep.yaml"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    assert_same_sweeps(at("whole"), at("raised"), &sweep);
    save_text(at("longer.yaml"), SMALL_SWEEP("5"));
    save_text(at("raised/lqg/sac/seed-1/progress.csv"), "");
    result = wac("sweep %s --out %s", at("longer.yaml"), at("raised"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "lqg/sac/seed-1: it was finished, but progress.csv is"));
    /* shares go on by themselves */
    for (int i = 1; i <= 2; i++)
        assert_done(wac("sweep %s --out %s --only %d/2", at("longer.yaml"), at("whole"), i));
    result = wac("sweep %s --out %s", at("longer.yaml"), at("whole"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do: 6 runs done"));
    wac_sweep_free(&sweep);
}

static void what_is_no_sweep_is_left_alone(void **state)
{
    (void)state;
    save_text(at("small.yaml"), SMALL_SWEEP("1"));
    assert_ok(wac_directory_make(at("mine"), &error));
    save_text(at("mine/diary.txt"), "dear diary");
    assert_says(wac("sweep %s --out %s", at("small.yaml"), at("mine")), 2, "holds no sweep");
    assert_int_equal(entries(at("mine")), 1);
    /* what a sweep cut off at its start leaves is fine, and goes */
    assert_ok(wac_directory_make(at("cut"), &error));
    save_text(at("cut/sweep.yaml.77-0.tmp"), "lqg");
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("cut")));
    assert_false(wac_path_exists(at("cut/sweep.yaml.77-0.tmp")));
    /* so is what a run cut off at its start leaves */
    remove_folder(at("cut/lqg/sac/seed-1"));
    assert_ok(wac_directory_make(at("cut/lqg/sac/seed-1.77.tmp"), &error));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("cut")));
    assert_false(wac_path_exists(at("cut/lqg/sac/seed-1.77.tmp")));
    /* also where another start got further, and was cut off then */
    save_text(at("small.yaml"), SMALL_SWEEP("2"));
    assert_ok(wac_directory_make(at("cut/lqg/sac/seed-1.78-0.tmp"), &error));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("cut")));
    assert_false(wac_path_exists(at("cut/lqg/sac/seed-1.78-0.tmp")));
    /* a run's folder that is none */
    remove_folder(at("cut/lqg/sac/seed-1"));
    assert_ok(wac_directory_make(at("cut/lqg/sac/seed-1"), &error));
    assert_says(wac("sweep %s --out %s", at("small.yaml"), at("cut")), 2, "is no run");
    /* and a list that nobody wrote */
    static char lists[][2 * WAC_SWEEP_FOLDER] = {"what is this\n", "lqg/sac/seed-1:\n", ""};
    memset(lists[2], 'a', sizeof lists[2] - 6);
    strcat(lists[2], ": {}\n");
    for (int i = 0; i < 3; i++) {
        save_text(at("mine/sweep.yaml"), lists[i]);
        assert_says(wac("sweep %s --out %s", at("small.yaml"), at("mine")), 2,
                    "no list that a sweep");
    }
    assert_says(wac("sweep"), 2, "name a sweep file");
    assert_says(wac("sweep %s", at("none.yaml")), 1, "cannot read");
}

static void failed_runs_stop_nobody(void **state)
{
    (void)state;
    char text[1024];
    snprintf(text, sizeof text,
             "environments: [\"mujoco:%s\", lqg]\nalgorithms: [sac]\nseeds: 2\n"
             "settings: {epochs: 1, " SMALL_RUNS "}\n",
             at("none.xml"));
    save_text(at("bad.yaml"), text);
    const outcome *result = wac("sweep %s --out %s", at("bad.yaml"), at("bad"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "failed  none/sac/seed-2: "));
    assert_non_null(strstr(result->err, "2 runs of 4 failed; try again with: "));
    assert_true(wac_path_exists(at("bad/lqg/sac/seed-2/checkpoint")));

    /* one that ends for a reason of its own: the numbers get too large */
    save_text(at("far.yaml"), "environments: [lqg]\nalgorithms: [sac]\n"
                              "settings: {learning_rate: [1, 1e-3], epochs: 100, initial_steps: 30,"
                              "  explore_steps: 1, updates: 20, evaluation_steps: 0, width: 16, "
                              "  batch_size: 4, checkpoint_interval: 1000, path_limit: 10,"
                              "  entropy_weight: 1e6, discount: 0.999999, target_rate: 1}\n");
    result = wac("sweep %s --out %s", at("far.yaml"), at("far"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "failed  lqg/sac/learning-rate-1/seed-1: update "));
    assert_non_null(strstr(result->err, "lqg/sac/learning-rate-0.001/seed-1  epoch 100/100"));
    assert_non_null(strstr(result->err, "1 run of 2 failed, 1 diverged and would do so again"));
    assert_null(strstr(result->err, "try again"));
}

/* Finished runs that have lost something are named and left alone; the others go on. */
static void damaged_runs_are_named(void **state)
{
    (void)state;
    size_t size;
    save_text(at("small.yaml"), SMALL_SWEEP("2"));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("hurt")));
    char *table = contents(at("hurt/lqg/sac/seed-1/progress.csv"), &size);
    char *last = memrchr(table, '\n', size - 1);
    last[1] = 0;
    save_text(at("hurt/lqg/sac/seed-1/progress.csv"), table);
    save_text(at("hurt/lqg/sac/seed-2/progress.csv"), "");
    remove_folder(at("hurt/lqg/oe-wac/lambda-0/seed-1/checkpoint"));
    remove_folder(at("hurt/lqg/oe-wac/lambda-0/seed-2"));
    const outcome *result = wac("sweep %s --out %s --dry-run", at("small.yaml"), at("hurt"));
    assert_int_equal(result->status, 0);
    assert_non_null(strstr(result->out, "1 to start, 0 to go on with, 2 done, 3 damaged"));
    for (int i = 0; i < 2; i++) {
        result = wac("sweep %s --out %s", at("small.yaml"), at("hurt"));
        assert_int_equal(result->status, 1);
        assert_non_null(strstr(result->err, "lqg/sac/seed-1: it was finished, but progress.csv has "
                                            "2 rows instead of 3; put the file back, or delete"));
        assert_non_null(
            strstr(result->err, "lqg/sac/seed-2: it was finished, but progress.csv is"));
        assert_non_null(strstr(result->err, "lambda-0/seed-1: it was finished, but checkpoint/"));
        assert_non_null(
            strstr(result->err, "3 runs of 6 failed, 3 of them damaged: mend those first"));
    }
    assert_true(wac_path_exists(at("hurt/lqg/oe-wac/lambda-0/seed-2/checkpoint")));
    assert_false(wac_path_exists(at("hurt/lqg/oe-wac/lambda-0/seed-1/checkpoint")));
    char *after = contents(at("hurt/lqg/sac/seed-1/progress.csv"), NULL);
    assert_string_equal(after, table);
    free(table);
    free(after);
    /* the way out */
    remove_folder(at("hurt/lqg/sac/seed-1"));
    remove_folder(at("hurt/lqg/sac/seed-2"));
    remove_folder(at("hurt/lqg/oe-wac/lambda-0/seed-1"));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("hurt")));
}

/* Wait until a sweep trains something; its child. */
static pid_t wait_for_child(pid_t sweep)
{
    pid_t child = 0;
    for (int i = 0; i < 5000 && !child; i++) {
        child = child_of(sweep);
        wait_ms(1);
    }
    assert_true(child > 0);
    return child;
}

static void a_killed_run_is_reported_and_tried_again(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("40"));
    save_text(at("small.yaml"), SMALL_SWEEP("40"));
    pid_t process = start_wac("sweep %s --out %s --workers 1", at("small.yaml"), at("sweep"));
    kill(wait_for_child(process), SIGKILL);
    assert_int_equal(status_of(process), 1);
    char *said = contents(at(".err"), NULL);
    assert_non_null(strstr(said, "failed  lqg/sac/seed-1: its process was ended by signal 9"));
    assert_non_null(strstr(said, "1 run of 6 failed"));
    free(said);
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("sweep")));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("whole")));
    assert_same_sweeps(at("whole"), at("sweep"), &sweep);
    wac_sweep_free(&sweep);
}

static void ctrl_c_saves(void **state)
{
    (void)state;
    static const char text[] =
        "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\n"
        "settings: {epochs: 20, " SMALL_RUNS ", checkpoint_interval: 1000}\n";
    wac_sweep sweep = parse(text);
    wac_sweep_item *items;
    save_text(at("two.yaml"), text);
    for (int attempt = 0;; attempt++) {
        pid_t process = start_wac("sweep %s --out %s --workers 2", at("two.yaml"), at("sweep"));
        while (!wac_path_exists(at("sweep/lqg/sac/seed-2/checkpoint")))
            wait_ms(1);
        wait_ms(3);
        kill(-process, SIGINT);
        if (status_of(process) == 1)
            break;
        assert_true(attempt < 20); /* it was faster */
        remove_folder(at("sweep"));
    }
    char *said = contents(at(".err"), NULL);
    assert_non_null(strstr(said, "stopped and saved"));
    assert_non_null(strstr(said, "go on with: "));
    free(said);
    assert_ok(wac_sweep_inspect(&items, &sweep, at("sweep"), &error));
    assert_true(items[0].state == WAC_SWEEP_STATE_BEGUN || items[1].state == WAC_SWEEP_STATE_BEGUN);
    free(items);
    const outcome *result = wac("sweep %s --out %s --dry-run", at("two.yaml"), at("sweep"));
    assert_done(result);
    assert_non_null(strstr(result->out, "go on  lqg/sac/seed-"));
    assert_non_null(strstr(result->out, "an estimate"));
    result = wac("sweep %s --out %s --dry-run --only 2/2", at("two.yaml"), at("sweep"));
    assert_done(result);
    assert_non_null(strstr(result->out, "\n1 run in "));
    assert_null(strstr(result->out, "seed-1"));
    assert_done(wac("sweep %s --out %s", at("two.yaml"), at("sweep")));
    assert_done(wac("sweep %s --out %s", at("two.yaml"), at("whole")));
    assert_same_sweeps(at("whole"), at("sweep"), &sweep);
    wac_sweep_free(&sweep);
}

/* A table on a terminal, until Ctrl-C. */
static void terminals_show_a_table(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[1024];
    int terminal;
    size_t used = 0;
    ssize_t count;
    bool pressed = false;
    save_text(at("long.yaml"), SMALL_SWEEP("100000"));
    snprintf(words, sizeof words, "sweep %s --out %s --workers 2", at("long.yaml"), at("sweep"));
    fflush(NULL);
    pid_t child = forkpty(&terminal, NULL, NULL, &(struct winsize){.ws_row = 24, .ws_col = 60});
    assert_true(child >= 0);
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        setenv("NO_COLOR", "1", 1);
        become_program(words);
    }
    /* the end of a terminal is an error */
    while ((count = read(terminal, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)count;
        text[used] = 0;
        if (!pressed && strstr(text, "\n  lqg/sac/seed-2  epoch ")) {
            pressed = true;
            assert_int_equal(write(terminal, "\003", 1), 1);
        }
    }
    close(terminal);
    assert_int_equal(status_of(child), 1);
    assert_non_null(strstr(text, "0 of 6 done  2 running  0 failed  "));
    assert_non_null(strstr(text, "wac: stopped and saved, 0 of 6 done; go on with: "));
    /* no line of the table is broken */
    char *last = strstr(text, "wac: stopped");
    *last = 0;
    for (const char *line = text; *line; line += strcspn(line, "\r\n\033"), line += *line != 0)
        assert_true(strcspn(line, "\r\n\033") < 60);
}

static void two_at_once_are_refused(void **state)
{
    (void)state;
    save_text(at("long.yaml"), SMALL_SWEEP("100000"));
    pid_t process = start_wac("sweep %s --out %s --workers 2", at("long.yaml"), at("sweep"));
    wait_for_child(process);
    wac_sweep sweep = parse(SMALL_SWEEP("100000"));
    wac_sweep_options options = {0};
    wac_sweep_outcome outcome;
    assert_int_equal(wac_sweep_execute(&sweep, at("sweep"), &options, &outcome, &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "another sweep is at work", at("sweep"));
    kill(process, SIGTERM);
    assert_int_equal(status_of(process), 1);
    wac_sweep_free(&sweep);
}

static volatile int stop_flag;
static size_t seen_done;

static void stop_after_two(void *user, const wac_sweep_view *view, size_t changed)
{
    (void)user;
    (void)changed;
    seen_done = view->done;
    stop_flag = view->done >= 2;
}

static void programs_can_stop_one(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("3"));
    wac_sweep_outcome outcome;
    wac_sweep_options options = {.workers = 1, .stop = &stop_flag, .progress = stop_after_two};
    stop_flag = 0;
    assert_int_equal(wac_sweep_execute(&sweep, at("sweep"), &options, &outcome, &error),
                     WAC_STATUS_INTERRUPTED);
    assert_int_equal(seen_done, 2);
    assert_int_equal(outcome.done, 2);
    assert_int_equal(outcome.left, 4);
    wac_sweep_free(&sweep);
}

/* The script for Slurm, its tasks run by hand. */
static void array_jobs_train_the_same(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("1"));
    char command[2 * PATH_MAX];
    save_text(at("small.yaml"), SMALL_SWEEP("1"));
    const outcome *result =
        wac("sweep %s --out %s --slurm --target-rate 0.01", at("small.yaml"), at("slurm"));
    assert_done(result);
    assert_non_null(strstr(result->out, "sweep.slurm"));
    snprintf(command, sizeof command, "bash -n %s", at("slurm/sweep.slurm"));
    assert_int_equal(system(command), 0);
    char *script = contents(at("slurm/sweep.slurm"), NULL);
    assert_non_null(strstr(script, "#SBATCH --array=1-6\n"));
    assert_non_null(strstr(script, "#SBATCH --output=\"/"));
    assert_ok(wac_directory_make(at("two\nlines"), &error));
    assert_int_equal(chdir(at("two\nlines")), 0);
    assert_says(wac("sweep %s --out here --slurm", at("small.yaml")), 2,
                "takes no folder with a line break");
    assert_int_equal(chdir("/"), 0);
    free(script);
    for (int i = 1; i <= 6; i++) {
        snprintf(command, sizeof command, "SLURM_ARRAY_TASK_ID=%d bash %s >%s 2>&1", i,
                 at("slurm/sweep.slurm"), at(".task"));
        assert_int_equal(system(command), 0);
    }
    assert_done(wac("sweep %s --out %s --target-rate 0.01", at("small.yaml"), at("whole")));
    assert_same_sweeps(at("whole"), at("slurm"), &sweep);
    wac_sweep_free(&sweep);
}

/* The same as in the file; what that has itself is not for the command line. */
static void settings_of_the_command_line(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("1"));
    static const struct {
        const char *flags, *words;
    } refused[] = {
        {"--discount 0.9 --checkpoint-interval 7", "checkpoint_interval is 5 and not 7"},
        {"--checkpoint-interval 5", "discount is 0.9 and not 0.99"},
        {"--epochs 3", "small.yaml itself says the epochs of its runs; leave --epochs out"},
        {"--batch-size 3", "says the batch_size of its runs; leave --batch-size out"},
        {"--lambda 0.3", "says the lambda"},
        {"--seed 3", "says the seed"},
        {"--algorithm sac", "says the algorithm"},
        {"--rho 0.3", "\"rho\" is not read by sac"},
        {"--discount 2", "discount"},
        {"--discount=", "no value of discount"},
        {"--discuont 0.9", "did you mean \"--discount\"?"},
    };
    save_text(at("small.yaml"), SMALL_SWEEP("1"));
    save_text(at("whole.yaml"), "environments: [lqg]\nalgorithms: [sac, oe-wac]\nseeds: 2\n"
                                "settings: {epochs: 1, " SMALL_RUNS
                                ", discount: 0.9, checkpoint_interval: 5}\noe-wac: {lambda: [0, "
                                "0.5]}\n");
    assert_done(wac("sweep %s --out %s", at("whole.yaml"), at("whole")));
    for (int i = 0; i < 2; i++) {
        const outcome *result = wac("sweep %s --out %s --discount %s --checkpoint-interval 5",
                                    at("small.yaml"), at("given"), i ? "9e-1" : "0.9");
        assert_done(result);
        assert_int_equal(strstr(result->err, "nothing left to do") != NULL, i);
    }
    assert_same_sweeps(at("whole"), at("given"), &sweep);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_says(wac("sweep %s --out %s %s", at("small.yaml"), at("given"), refused[i].flags), 2,
                    refused[i].words);
    wac_sweep_free(&sweep);
}

/* What takes another time is measured anew. */
static void kinds_are_told_apart(void **state)
{
    (void)state;
    static const char *const slower[][2] = {{"width", "512"},       {"batch_size", "64"},
                                            {"rho", "1.5"},         {"backend", "reference"},
                                            {"precision", "mixed"}, {"normalisation", "running"}};
    static const char *const alike[][2] = {{"seed", "7"}, {"lambda", "0"}, {"epochs", "3"}};
    wac_config config, other;
    assert_ok(wac_config_init(&config, "lqg", "oe-wac", &error));
    for (size_t i = 0; i < sizeof slower / sizeof *slower; i++) {
        other = config;
        assert_ok(wac_config_set(&other, slower[i][0], slower[i][1], &error));
        assert_false(wac_sweep_is_same_kind(&config, &other));
        assert_false(wac_sweep_is_same_kind(&other, &config));
    }
    other = config;
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        assert_ok(wac_config_set(&other, alike[i][0], alike[i][1], &error));
    assert_true(wac_sweep_is_same_kind(&config, &other));
    assert_ok(wac_config_init(&other, "riverswim", "oe-wac", &error));
    assert_false(wac_sweep_is_same_kind(&config, &other));
    assert_ok(wac_config_init(&other, "lqg", "sac", &error));
    assert_false(wac_sweep_is_same_kind(&config, &other));
}

/* One by one and in lockstep, where evaluations come late: the same maps. */
static void runs_keep_maps(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("3"));
    wac_sweep_outcome outcome;
    wac_sweep_options options = {.workers = 2, .maps = true};
    assert_ok(wac_sweep_execute(&sweep, at("apart"), &options, &outcome, &error));
    options.lockstep = true;
    assert_ok(wac_sweep_execute(&sweep, at("together"), &options, &outcome, &error));
    assert_same_sweeps(at("apart"), at("together"), &sweep);
    for (size_t i = 0; i < sweep.count; i++)
        assert_true(wac_path_exists(at("together/%s/maps.bin", sweep.runs[i].folder)));
    wac_sweep_free(&sweep);
    save_text(at("file.yaml"), SMALL_SWEEP("2"));
    assert_int_equal(wac("sweep %s --maps --out %s", at("file.yaml"), at("told"))->status, 0);
    assert_true(wac_path_exists(at("told/lqg/sac/seed-1/maps.bin")));
    assert_int_equal(wac("sweep %s --maps --slurm --out %s", at("file.yaml"), at("job"))->status,
                     0);
    char *script = contents(at("job/sweep.slurm"), NULL);
    assert_non_null(strstr(script, " --maps --workers 1"));
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_a_product),
        TEST(bad_files_are_refused),
        TEST(runs_are_those_of_train),
        TEST(a_sweep_can_grow),
        TEST(epochs_can_be_raised),
        TEST(what_is_no_sweep_is_left_alone),
        TEST(failed_runs_stop_nobody),
        TEST(damaged_runs_are_named),
        TEST(a_killed_run_is_reported_and_tried_again),
        TEST(ctrl_c_saves),
        TEST(terminals_show_a_table),
        TEST(two_at_once_are_refused),
        TEST(programs_can_stop_one),
        TEST(array_jobs_train_the_same),
        TEST(settings_of_the_command_line),
        TEST(kinds_are_told_apart),
        TEST(runs_keep_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
