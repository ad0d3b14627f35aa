/* wac check: every state that a run or a sweep can be in, in words, and nothing changed. */
#include "support/small_sweeps.h"

/* `wac check RUN` says this, with this status, and does not touch anything. */
static void assert_state(const char *run, int status, const char *words)
{
    char command[3 * PATH_MAX];
    remove_folder(at("copy"));
    snprintf(command, sizeof command, "cp -a '%s' '%s'", run, at("copy"));
    assert_int_equal(system(command), 0);
    const outcome *result = wac("check %s", run);
    if (result->status != status || !strstr(result->out, words) || result->err[0])
        fail_msg("status %d, \"%s\", \"%s\"; expected %d, \"%s\"", result->status, result->out,
                 result->err, status, words);
    snprintf(command, sizeof command, "diff -r '%s' '%s'", run, at("copy"));
    assert_int_equal(system(command), 0);
}

static void runs_tell_their_state(void **state)
{
    (void)state;
    char go_on[2 * PATH_MAX];
    const char *run = at("run");
    snprintf(go_on, sizeof go_on, "train --resume %s\n", run);
    assert_done(wac("train lqg " SMALL " --epochs 2 --out %s", run));
    assert_state(run, 0, ": finished, 2 epochs\n");
    assert_state(run, 0, "whole    ");

    /* further, stopped on the way, and tidied up after */
    wac_config config = tiny("lqg", "sac", 3);
    wac_run *made;
    volatile int stop = 1;
    wac_run_options options = wac_run_options_default();
    options.stop = &stop;
    run = at("stopped");
    assert_ok(wac_run_create(&made, &config, NULL, run, NULL, &error));
    assert_state(run, 0, "being trained, epoch 0 of 3\n");
    wac_run_destroy(made);
    snprintf(go_on, sizeof go_on, "train --resume %s\n", run);
    assert_state(run, 0, "nothing saved yet; go on with: ");
    assert_state(run, 0, go_on);
    assert_int_equal(train_on(run, "lqg", &options, 0), WAC_STATUS_INTERRUPTED);
    assert_state(run, 0, "epoch 0 of 3; go on with: ");
    save_text(at("stopped/manifest.json.17-0.tmp"), "half");
    assert_state(run, 0, "(which also tidies up after a write that was cut off)\n");
    assert_ok(train_on(run, "lqg", NULL, 0));
    assert_state(run, 0, "finished, 3 epochs\n");

    /* what can be used, but not go on */
    config.replay_checkpoint = WAC_REPLAY_CHECKPOINT_NONE;
    assert_int_equal(train_new(at("kept"), &config, &options), WAC_STATUS_INTERRUPTED);
    assert_state(at("kept"), 0, "epoch 0 of 3, without a replay; it can be used, but not go on\n");
}

static void damage_is_told(void **state)
{
    (void)state;
    char run[PATH_MAX];
    strcpy(run, at("run"));
    wac_config config = tiny("lqg", "sac", 3);
    assert_ok(train_new(run, &config, NULL));
    static const char *const files[] = {
        "config.yaml", "progress.csv", "checkpoint/agent.safetensors",
        "checkpoint/replay.safetensors", "checkpoint/run.safetensors"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[PATH_MAX];
        size_t size;
        assert_ok(wac_path_join(path, sizeof path, run, files[i], &error));
        char *bytes = contents(path, &size);
        assert_int_equal(rename(path, at("aside")), 0);
        assert_state(run, 1, "damaged  ");
        assert_ok(wac_file_write(path, bytes, size / 2, &error));
        assert_state(run, 1, "damaged  ");
        bytes[size - 9] ^= 4;
        assert_ok(wac_file_write(path, bytes, size, &error));
        if (i > 0)
            assert_state(run, 1,
                         i > 1 ? "damaged: its checksum" : "other numbers than the run wrote");
        assert_int_equal(rename(at("aside"), path), 0);
        free(bytes);
    }
    assert_state(run, 0, "finished");
    /* a table that lacks its last line, or a part of it, and the whole checkpoint */
    size_t size;
    char path[PATH_MAX];
    strcpy(path, at("run/progress.csv"));
    char *bytes = contents(path, &size);
    assert_ok(wac_file_write(path, bytes, size - 3, &error));
    assert_state(run, 1, "was finished, but the last line of progress.csv is cut off");
    assert_ok(wac_file_write(path, bytes, size, &error));
    free(bytes);
    remove_folder(at("run/checkpoint"));
    assert_state(run, 1, "damaged  ");
    assert_int_equal(unlink(at("run/manifest.json")), 0);
    assert_state(run, 1, "its checkpoint is gone; put the folder checkpoint back");
}

static void sweeps_tell_theirs(void **state)
{
    (void)state;
    save_text(at("mine.yaml"), SMALL_SWEEP("1"));
    assert_done(wac("sweep %s --out %s --workers 2", at("mine.yaml"), at("sweep")));
    assert_state(at("sweep"), 0, "6 runs: 6 finished, 0 damaged\n");
    remove_folder(at("sweep/lqg/sac/seed-2"));
    remove_folder(at("sweep/lqg/sac/seed-1/checkpoint"));
    assert_state(at("sweep"), 1, "5 runs: 4 finished, 1 damaged\n");
    assert_state(at("sweep"), 1, "what is damaged: copy it again");
    assert_int_equal(wac("train lqg --algorithm sac " SMALL " --epochs 2 --updates 1000 "
                         "--learning-rate 1 --out %s",
                         at("sweep/lqg/sac/seed-9"))
                         ->status,
                     1);
    assert_state(at("sweep"), 1, "6 runs: 4 finished, 1 diverged, 1 damaged\n");
    assert_says(wac("stats %s", at("sweep/lqg/sac/seed-9")), 1, "diverged; train again with");
    assert_state(at("sweep"), 1, "not begun: 1 of the 6 runs that the sweep lists\n");
    save_text(at("sweep/sweep.yaml"), "what is this\n");
    assert_says(wac("check %s", at("sweep")), 1, "is no list that a sweep has left");
}

static void nothing_to_check(void **state)
{
    (void)state;
    assert_says(wac("check"), 2, "check what? As in: ");
    assert_says(wac("check %s", at("none")), 2, "there is no folder");
    assert_ok(wac_directory_make(at("empty"), &error));
    assert_says(wac("check %s", at("empty")), 2, "no run in ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_tell_their_state),
        TEST(damage_is_told),
        TEST(sweeps_tell_theirs),
        TEST(nothing_to_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
