/* Runs survive: the process is killed at random moments, and at every single call that changes the
 * disk, or that call fails; then the run goes on, and ends in the same bytes as one that was left
 * in peace. */
#include "support/faults.h"
#include "support/small_runs.h"

#include "run/check.h"
#include "run/run.h"

#include <signal.h>
#include <time.h>

int unlinkat(int folder, const char *path, int flags)
{
    return strike() ? -1 : (int)syscall(SYS_unlinkat, folder, path, flags);
}

int unlink(const char *path)
{
    return unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode)
{
    return strike() ? -1 : mkdirat(AT_FDCWD, path, mode);
}

int ftruncate(int file, off_t size)
{
    return strike() ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    if (!fault.writing) {
        /* half of it gets through */
        if (fault.at == 1 && size > 1)
            (void)!syscall(SYS_write, file, bytes, size / 2);
        if (strike())
            return -1;
        fault.writing = true;
    }
    return syscall(SYS_write, file, bytes, size);
}

/* Start the run, or go on with what there is of it. */
static wac_status train_somehow(const char *directory, const wac_config *config, int threads)
{
    wac_run_options options = with_threads(threads);
    return wac_path_exists(directory) ? train_on(directory, config->environment, &options, 0)
                                      : train_new(directory, config, &options);
}

/* The same in a process of its own, which meets the fault. */
static pid_t train_apart(const char *directory, const wac_config *config, int threads, int call)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        fault.at = call;
        fault.kill = true;
        _exit(train_somehow(directory, config, threads) == WAC_STATUS_OK ? 0 : 1);
    }
    return child;
}

/* Nothing lies beside the runs but what a start that was cut off could not take away. */
static void remove_run(void)
{
    DIR *folder = opendir(root);
    const struct dirent *entry;
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name, *end = strrchr(name, '.');
        if (name[0] == '.' || strcmp(name, "whole") == 0)
            continue;
        assert_true(strcmp(name, "run") == 0 ||
                    (strncmp(name, "run.", 4) == 0 && strcmp(end, ".tmp") == 0));
        remove_folder(at("%s", name));
    }
    closedir(folder);
}

static void killed_at_any_call(void **state)
{
    (void)state;
    int calls = 0, step = 1;
#ifdef WAC_SANITIZED
    step = 5;
#endif
    wac_config config = tiny("riverswim", "oe-wac", 2);
    assert_ok(train_new(at("whole"), &config, NULL));
    for (int call = 1;; call += step) {
        int status = status_of(train_apart(at("run"), &config, 1, call));
        if (status == 0)
            break;
        assert_int_equal(status, KILLED);
        calls++;
        /* killed once more on the way back, then left in peace */
        status = status_of(train_apart(at("run"), &config, 1, 1 + call * 7 % 30));
        assert_true(status == 0 || status == KILLED);
        assert_ok(train_somehow(at("run"), &config, 1));
        const char *file = difference(at("whole"), at("run"));
        if (file)
            fail_msg("killed at call %d: %s differs", call, file);
        remove_run();
    }
    assert_true(calls > 80 / step);
}

static void any_call_fails(void **state)
{
    (void)state;
    int failures = 0, step = 1;
#ifdef WAC_SANITIZED
    step = 5;
#endif
    wac_config config = tiny("lqg", "sac", 2);
    assert_ok(train_new(at("whole"), &config, NULL));
    for (int call = 1;; call += step) {
        fault.at = call;
        fault.kill = false;
        wac_status status = train_new(at("run"), &config, NULL);
        bool struck = fault.at == 0;
        fault.at = 0;
        if (!struck) {
            assert_ok(status);
            break;
        }
        assert_int_equal(status, WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, at("run"), "Input/output error");
        failures++;
        /* the failure itself has left nothing half done */
        assert_false(wac_path_exists(at("run/checkpoint.new")));
        assert_int_equal(entries(root), wac_path_exists(at("run")) ? 2 : 1);
        assert_ok(train_somehow(at("run"), &config, 1));
        const char *file = difference(at("whole"), at("run"));
        if (file)
            fail_msg("failed at call %d: %s differs", call, file);
        remove_run();
    }
    assert_true(failures > 80 / step);
}

static void killed_at_random_moments(void **state)
{
    (void)state;
    enum { KILLS = 20, KILLS_EACH = 5 };
    int kills = 0;
    long longest = 30000000; /* nanoseconds */
    wac_rng rng = {.seed = 20};
    for (int i = 0; kills < KILLS; i++) {
        wac_config config = tiny(i % 2 ? "lqg" : "riverswim", algorithms[i % ALGORITHMS], 12);
        config.replay_capacity = 300;
        assert_ok(train_new(at("whole"), &config, NULL));
        for (int j = 0; j < KILLS_EACH; j++) {
            pid_t child = train_apart(at("run"), &config, 1 + j % 2, 0);
            struct timespec delay = {.tv_nsec = (long)((double)longest * wac_rng_uniform(&rng))};
            nanosleep(&delay, NULL);
            kill(child, SIGKILL);
            int status = status_of(child);
            kills += status < 0;
            if (status >= 0) {
                /* it was faster */
                assert_int_equal(status, 0);
                longest = longest / 2 + 1;
            }
        }
        assert_ok(train_somehow(at("run"), &config, 2));
        assert_same_runs(at("whole"), at("run"));
        remove_run();
        remove_folder(at("whole"));
    }
}

static void a_run_in_training_can_be_looked_at(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1000000);
    pid_t child = train_apart(at("run"), &config, 1, 0);
    while (!wac_path_exists(at("run/checkpoint")))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    int64_t epoch = 0, looks = 0;
    wac_status status = WAC_STATUS_OK;
    while (looks < 1000 && status == WAC_STATUS_OK) {
        wac_run *run;
        status = wac_run_open(&run, at("run"), NULL, NULL, &error);
        if (status == WAC_STATUS_OK) {
            status = run->position.epoch < epoch ? WAC_STATUS_INPUT : WAC_STATUS_OK;
            epoch = run->position.epoch;
            wac_run_destroy(run);
        }
        wac_checkup checkup;
        if (status == WAC_STATUS_OK)
            status = wac_run_check(&checkup, at("run"), &error);
        looks++;
    }
    kill(child, SIGKILL);
    assert_true(status_of(child) < 0);
    assert_ok(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(killed_at_any_call),
        TEST(any_call_fails),
        TEST(killed_at_random_moments),
        TEST(a_run_in_training_can_be_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
