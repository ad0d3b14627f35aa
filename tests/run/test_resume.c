/* Stopping anywhere and going on ends in the same bytes as not stopping. */
#include "base/clock.h"
#include "nn/cpu/product.h"
#include "support/stopping.h"

#include <signal.h>

/* Train, stopping after `stop_at` reports, then every `again` reports (0: not again). */
static void train_in_parts(const char *directory, const wac_config *config, long stop_at,
                           long again, int threads)
{
    wac_run_options options = stop_after(stop_at, threads);
    wac_status status = train_new(directory, config, &options);
    for (int part = 0; status == WAC_STATUS_INTERRUPTED; part++) {
        assert_true(part < 1000);
        threads = threads % 3 + 1;
        options = stop_after(again ? again : -1, threads);
        status = train_on(directory, config->environment, &options, 0);
    }
    assert_ok(status);
}

/* With `user` steps between updates: 15 for 40 steps, neither before their steps nor long after. */
static void check_share(void *user, const wac_progress *progress)
{
    int64_t interval = *(int64_t *)user, steps = progress->env_steps - 30;
    if (progress->is_row || steps < 0)
        return;
    int64_t explored = steps - 40 * progress->epoch, before = (explored - 1) / interval * interval;
    assert_true(progress->epoch_updates * 40 <= 15 * explored);
    assert_true(progress->epoch_updates >= 15 * before / 40);
    watch.reports++;
}

static void updates_are_shared_out_over_steps(void **state)
{
    (void)state;
    for (int64_t interval = 1; interval <= 40; interval += 13) {
        wac_config config = tiny("lqg", "me-wac", 2);
        wac_run_options options = stop_after(-1, 1);
        config.update_interval = interval;
        options.progress = check_share;
        options.user = &interval;
        assert_ok(train_new(at("run"), &config, &options));
        assert_int_equal(watch.reports, 2 * (40 + 15) + 1); /* the first 30 steps end here */
        remove_folder(at("run"));
    }
}

static void stopping_anywhere_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny(i % 2 ? "lqg" : "riverswim", algorithms[i], 3);
        config.update_interval = (int[]){7, 0, 1, 40, 3, 9, 5, 20, 4, 2}[i];
        if (i == 0)
            config.replay_capacity = 50; /* wraps in the first epoch */
        if (i == 1 && !wac_mixed_missing()) {
            config.precision = WAC_PRECISION_MIXED;
            config.width = 32;
        }
        wac_run_options options = stop_after(-1, 1);
        assert_ok(train_new(at("whole"), &config, &options));
        long reports = watch.reports, step = i == 0 ? 1 : 13;
        /* 30 steps, then three times a row, 40 steps and 15 updates, and a last row */
        assert_int_equal(reports, 30 + 3 * (1 + 40 + 15) + 1);
#ifdef WAC_SANITIZED
        step = i == 0 ? 7 : 41;
#endif
        for (long stop_at = 0; stop_at < reports; stop_at += step) {
            train_in_parts(at("parts"), &config, stop_at, 0, 1);
            const char *file = difference(at("whole"), at("parts"));
            if (file)
                fail_msg("%s stopped after report %ld: %s differs", algorithms[i], stop_at, file);
            remove_folder(at("parts"));
        }
        remove_folder(at("whole"));
    }
}

/* Tables, too, which learn with every step and have no replay. */
static void tables_stop_anywhere(void **state)
{
    (void)state;
    static const char *const tables[] = {"wql", "q-learning", "delayed-q", "bootstrapped-q"};
    for (int i = 0; i < 4; i++) {
        wac_config config;
        assert_ok(wac_config_init(&config, "deep-sea", tables[i], &error));
        config.epochs = 3;
        config.explore_steps = 40;
        config.evaluation_steps = 60;
        wac_run_options options = stop_after(-1, 1);
        assert_ok(train_new(at("whole"), &config, &options));
        for (long stop_at = 0, reports = watch.reports; stop_at < reports; stop_at += 23) {
            train_in_parts(at("parts"), &config, stop_at, 31, 1);
            const char *file = difference(at("whole"), at("parts"));
            if (file)
                fail_msg("%s stopped after report %ld: %s differs", tables[i], stop_at, file);
            remove_folder(at("parts"));
        }
        remove_folder(at("whole"));
    }
}

static void stopping_again_and_again_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("riverswim", algorithms[i], 5);
        config.replay_capacity = 97;
        config.checkpoint_interval = 1 + i;
        config.update_interval = (int[]){1, 5, 0, 13, 7, 2, 2, 9, 6, 3}[i];
        config.worlds =
            (int[]){3, 1, 4, 2, 1, 2, 2, 3, 1, 2}[i]; /* the number of threads changes, too */
        config.normalisation = i % 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
        assert_ok(train_new(at("whole"), &config, NULL));
        for (long again = 11; again < 60; again += 24) {
            train_in_parts(at("parts"), &config, again, again, 2);
            assert_same_runs(at("whole"), at("parts"));
            remove_folder(at("parts"));
        }
        remove_folder(at("whole"));
    }
}

static void stopping_in_an_evaluation_changes_nothing(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "oe-wac", 2);
    assert_ok(train_new(at("whole"), &config, NULL));
    /* the last evaluation starts after 30 + 2 * (60 + 40) steps */
    for (long step = 31; step < 290; step += step < 90 || step > 230 ? 7 : 19) {
        volatile int stop = 0;
        wac_run_options options = wac_run_options_default();
        options.stop = &stop;
        walk_order.step = 0;
        walk_order.fault_step = step;
        walk_order.stop = &stop;
        assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
        walk_order.fault_step = 0;
        assert_ok(train_on(at("parts"), "walk", NULL, 0));
        assert_same_runs(at("whole"), at("parts"));
        remove_folder(at("parts"));
    }
}

static void a_stopped_run_can_go_on_in_the_same_process(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "me-wac", 3);
    assert_ok(train_new(at("whole"), &config, NULL));
    wac_run *run;
    wac_run_options options = stop_after(100, 1);
    assert_ok(wac_run_create(&run, &config, NULL, at("parts"), &options, &error));
    assert_int_equal(wac_run_train(run, &error), WAC_STATUS_INTERRUPTED);
    watch.stop = 0;
    assert_ok(wac_run_train(run, &error));
    wac_run_destroy(run);
    assert_same_runs(at("whole"), at("parts"));

    /* and its time only grows */
    size_t size;
    char *text = contents(at("parts/progress.csv"), &size), *place;
    double before = 0;
    int rows = 0;
    strtok_r(text, "\n", &place);
    for (char *row; (row = strtok_r(NULL, "\n", &place)); rows++) {
        for (int column = 0; column < 12; column++)
            row = strchr(row, ',') + 1;
        assert_true(strtod(row, NULL) > before);
        before = strtod(row, NULL);
    }
    assert_int_equal(rows, 4);
    free(text);
}

/* What is not known yet is NaN: no return and no losses before the first row. */
static void check_progress(void *user, const wac_progress *progress)
{
    bool first_row = progress->is_row && progress->epoch == 0;
    bool *evaluated = user;
    *evaluated |= first_row;
    assert_int_equal(progress->epochs, 2);
    assert_int_equal(progress->epoch_updates_due, 15);
    assert_int_equal(progress->updates, 15 * progress->epoch + progress->epoch_updates);
    assert_int_equal(isnan(progress->eval_return), !*evaluated);
    assert_int_equal(isnan(progress->q_mean), progress->epoch == 0);
    assert_true(isnan(progress->eval_success) && isnan(progress->sigma_visited));
}

static void progress_knows_what_is_known(void **state)
{
    (void)state;
    bool evaluated = false;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = wac_run_options_default();
    options.progress = check_progress;
    options.user = &evaluated;
    assert_ok(train_new(at("run"), &config, &options));
    assert_true(evaluated);
}

/* --- further, again, from the start --------------------------------------------------------- */

static void more_epochs_equal_a_longer_run(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("lqg", algorithms[i], 6);
        config.checkpoint_interval = 4;
        assert_ok(train_new(at("whole"), &config, NULL));
        config.epochs = 0;
        assert_ok(train_new(at("parts"), &config, NULL));
        assert_ok(train_on(at("parts"), "lqg", NULL, 1));
        assert_ok(train_on(at("parts"), "lqg", NULL, 3));
        wac_run_options options = with_threads(2);
        assert_ok(train_on(at("parts"), "lqg", &options, 6));
        assert_same_runs(at("whole"), at("parts"));
        remove_folder(at("whole"));
        remove_folder(at("parts"));
    }
}

static void a_finished_run_stays_as_it_is(void **state)
{
    (void)state;
    wac_config config = tiny("riverswim", "sac", 2);
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_ok(train_new(at("again"), &config, NULL));
    for (int i = 0; i < 3; i++) {
        assert_ok(train_on(at("again"), "riverswim", NULL, i == 1 ? 2 : 0));
        assert_same_runs(at("whole"), at("again"));
    }
    assert_int_equal(train_on(at("again"), "riverswim", NULL, 1), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("again"), "2 epochs already; ask for more");
    assert_same_runs(at("whole"), at("again"));
}

static void without_a_checkpoint_it_starts_over(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oac", 2);
    wac_run *run;
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_ok(wac_run_create(&run, &config, NULL, at("cut"), NULL, &error));
    wac_run_destroy(run);
    assert_int_equal(entries(at("cut")), 3);
    assert_ok(train_on(at("cut"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("cut"));
}

static void the_old_checkpoint_serves(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oe-wac", 3);
    assert_ok(train_new(at("whole"), &config, NULL));
    train_in_parts(at("old"), &config, 80, 0, 1);
    assert_int_equal(rename(at("old/checkpoint"), at("old/checkpoint.old")), 0);
    assert_ok(train_on(at("old"), "lqg", NULL, 0));
    assert_false(wac_path_exists(at("old/checkpoint")));
    remove_folder(at("old"));

    wac_run_options options = stop_after(80, 1);
    assert_int_equal(train_new(at("old"), &config, &options), WAC_STATUS_INTERRUPTED);
    assert_int_equal(rename(at("old/checkpoint"), at("old/checkpoint.old")), 0);
    assert_ok(train_on(at("old"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("old"));
}

static void what_a_cut_left_behind_is_tidied(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_ok(train_new(at("cut"), &config, NULL));
    assert_ok(wac_directory_make(at("cut/checkpoint.new"), &error));
    assert_ok(wac_directory_make(at("cut/checkpoint.old"), &error));
    save_text(at("cut/checkpoint.old/agent.safetensors"), "half");
    save_text(at("cut/config.yaml.123-0.tmp"), "half");
    save_text(at("cut/progress.csv.4711-12.tmp"), "half");
    save_text(at("cut/manifest.json.1-0.tmp"), "half");
    save_text(at("cut/notes.tmp"), "my own");
    assert_ok(train_on(at("cut"), "lqg", NULL, 0));
    assert_int_equal(entries(at("cut")), 5);
    assert_int_equal(unlink(at("cut/notes.tmp")), 0);
    assert_same_runs(at("whole"), at("cut"));

    /* rows that no checkpoint counts, whole or not, and what a power cut makes of them */
    FILE *file = fopen(at("cut/progress.csv"), "a");
    assert_non_null(file);
    fwrite("2,1,1\n\0\0\0\0\0\0\0\0", 1, 14, file);
    assert_int_equal(fclose(file), 0);
    assert_ok(train_on(at("cut"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("cut"));
}

static void a_lost_manifest_is_no_loss(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    const char *const bad[] = {NULL, "", "[1]", "{\"version\":"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        unlink(at("run/manifest.json"));
        if (bad[i])
            save_text(at("run/manifest.json"), bad[i]);
        assert_ok(train_on(at("run"), "lqg", NULL, (int64_t)i + 2));
        char *text = contents(at("run/manifest.json"), NULL);
        assert_non_null(strstr(text, "\"algorithm\": \"sac\""));
        assert_null(strstr(text, "\"finished\": null"));
        free(text);
    }
}

/* --- one at a time -------------------------------------------------------------------------- */

static void a_run_has_one_trainer(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run *run;
    int go[2], done[2];
    char byte;
    assert_int_equal(pipe(go) | pipe(done), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(done[1]);
        if (wac_run_create(&run, &config, NULL, at("run"), NULL, &error) != WAC_STATUS_OK ||
            write(go[1], "g", 1) != 1 || read(done[0], &byte, 1) < 0 ||
            wac_run_train(run, &error) != WAC_STATUS_OK)
            _exit(1);
        wac_run_destroy(run);
        _exit(0);
    }
    assert_int_equal(read(go[0], &byte, 1), 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(train_on(at("run"), "lqg", NULL, 0), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, at("run"), "trained by another process; wait for it");
    }
    close(done[1]);
    assert_int_equal(status_of(child), 0);
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_same_runs(at("whole"), at("run"));
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
    for (int i = 0; i < 2; i++)
        close(i ? done[0] : go[0]), close(i ? go[1] : -1);
}

/* Gone on with by an epoch, when its last row said so many seconds and its manifest was lost. */
static double seconds_after(const char *seconds)
{
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    /* that after the last epoch is written again where epochs are added */
    char *text = contents(at("run/progress.csv"), NULL), *cell = strchr(text, '\n') + 1;
    for (int column = 0; column < WAC_COLUMN_SECONDS; column++)
        cell = strchr(cell, ',') + 1;
    FILE *out = fopen(at("run/progress.csv"), "w");
    assert_non_null(out);
    fprintf(out, "%.*s%s%s", (int)(cell - text), text, seconds, cell + strcspn(cell, ","));
    assert_int_equal(fclose(out), 0);
    free(text);
    assert_int_equal(unlink(at("run/manifest.json")), 0);
    assert_ok(train_on(at("run"), "lqg", NULL, 2));
    wac_history history;
    assert_ok(wac_history_read(&history, at("run"), &error));
    assert_int_equal(history.rows, 3);
    double after = history.columns[WAC_COLUMN_SECONDS][2];
    wac_history_free(&history);
    assert_true(manifest_of(at("run")).seconds >= after);
    remove_folder(at("run"));
    return after;
}

/* What a run that goes on says first; and its clock, which only goes forwards. */
typedef struct heard {
    char said[512];
    double seconds;
} heard;

static void hear(void *user, const char *message)
{
    heard *heard = user;
    size_t used = strlen(heard->said);
    snprintf(heard->said + used, sizeof heard->said - used, "%s\n", message);
}

static void look_at_the_clock(void *user, const wac_progress *progress)
{
    heard *heard = user;
    assert_true(progress->seconds >= heard->seconds);
    heard->seconds = progress->seconds;
}

static void it_says_how_it_goes_on(void **state)
{
    (void)state;
    heard heard = {0};
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = wac_run_options_default();
    options.log = (wac_log){hear, &heard};
    options.progress = look_at_the_clock;
    options.user = &heard;
    assert_ok(train_new(at("run"), &config, &options));
    heard.said[0] = 0;
    assert_ok(train_on(at("run"), "lqg", &options, 0));
    assert_non_null(strstr(heard.said, "nothing left to do: epoch 2 was the last"));
    heard.said[0] = 0;
    assert_ok(train_on(at("run"), "lqg", &options, 3));
    assert_null(strstr(heard.said, "nothing left to do"));
}

/* The time of a run is counted on from its last row, also where its manifest is lost; where both
 * have none, from nothing. */
static void time_is_counted_on(void **state)
{
    (void)state;
    double after = seconds_after("5000"), start = wac_clock_seconds();
    assert_true(after >= 5000 && after < 6000);
    after = seconds_after("");
    assert_true(after >= 0 && after <= wac_clock_seconds() - start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(time_is_counted_on),
        TEST(it_says_how_it_goes_on),
        TEST(updates_are_shared_out_over_steps),
        TEST(stopping_anywhere_changes_nothing),
        TEST(tables_stop_anywhere),
        TEST(stopping_again_and_again_changes_nothing),
        TEST(stopping_in_an_evaluation_changes_nothing),
        TEST(a_stopped_run_can_go_on_in_the_same_process),
        TEST(progress_knows_what_is_known),
        TEST(more_epochs_equal_a_longer_run),
        TEST(a_finished_run_stays_as_it_is),
        TEST(without_a_checkpoint_it_starts_over),
        TEST(the_old_checkpoint_serves),
        TEST(what_a_cut_left_behind_is_tidied),
        TEST(a_lost_manifest_is_no_loss),
        TEST(a_run_has_one_trainer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
