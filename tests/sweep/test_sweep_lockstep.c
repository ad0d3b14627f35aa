/* Sweeps in lockstep, here on the CPU: groups of runs of equal shape in one process end up in the
 * same files as with a process for each run; stopped, killed, or with a run that fails. */
#include "support/small_sweeps.h"

#include "base/rng.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "sweep/worker.h"

#include <sys/file.h>
#include <sys/wait.h>

/* Shapes: sac and oe-wac at two widths, on two worlds of one size. */
#define MIXED_SWEEP(epochs, more)                                                                  \
    "environments: [lqg, riverswim]\nalgorithms: [sac, oe-wac]\nseeds: 2\n"                        \
    "settings: {epochs: " epochs more ", " SMALL_RUNS "}\noe-wac: {discount: [0.9, 0.99]}\n"

static wac_sweep_options lockstep_of(int groups, int seats)
{
    return (wac_sweep_options){.lockstep = true, .workers = groups, .seats = seats};
}

static void print_failures(void *user, const wac_sweep_view *view, size_t changed)
{
    (void)user;
    if (changed != SIZE_MAX && view->items[changed].state == WAC_SWEEP_STATE_FAILED)
        print_message("%s: %s\n", view->sweep->runs[changed].folder, view->items[changed].reason);
}

static void execute(const wac_sweep *sweep, const char *directory, wac_sweep_options options)
{
    wac_sweep_outcome outcome;
    if (!options.progress)
        options.progress = print_failures;
    assert_ok(wac_sweep_execute(sweep, directory, &options, &outcome, &error));
    assert_int_equal(outcome.done, sweep->count);
    assert_int_equal(outcome.failed + outcome.left, 0);
}

static void groups_are_as_workers(void **state)
{
    (void)state;
    wac_sweep sweep = parse(MIXED_SWEEP("3", ""));
    for (size_t i = 0; i < sweep.count; i++)
        sweep.runs[i].config.width = i % 3 ? 16 : 24;
    execute(&sweep, at("workers"), (wac_sweep_options){.workers = 2});
    static const int seats[] = {0, 1, 2, 5};
    for (int groups = 0; groups <= 3; groups++) {
        execute(&sweep, at("groups"), lockstep_of(groups, seats[groups]));
        assert_same_sweeps(at("workers"), at("groups"), &sweep);
        remove_folder(at("groups"));
    }
    wac_sweep_free(&sweep);
}

/* Runs begun by workers go on in groups, of whatever epoch, and the reverse. */
static void groups_go_on(void **state)
{
    (void)state;
    wac_sweep sweep = parse(MIXED_SWEEP("5", "")), shorter = parse(MIXED_SWEEP("2", ""));
    execute(&sweep, at("whole"), (wac_sweep_options){.workers = 2});
    for (size_t i = 0; i < sweep.count; i++)
        shorter.runs[i].config.epochs = 1 + (int64_t)(i % 4);
    for (int first = 0; first < 2; first++) {
        wac_sweep_options ways[] = {{.workers = 2}, lockstep_of(2, 3)};
        execute(&shorter, at("grown"), ways[first]);
        execute(&sweep, at("grown"), ways[!first]);
        assert_same_sweeps(at("whole"), at("grown"), &sweep);
        remove_folder(at("grown"));
    }
    wac_sweep_free(&sweep);
    wac_sweep_free(&shorter);
}

/* All begin with the agent of a run: in groups, by workers, and each by itself. */
static void sweeps_from_a_run(void **state)
{
    (void)state;
    char text[PATH_MAX + 512];
    wac_config config = tiny("lqg", "me-wac", 3);
    assert_ok(train_new(at("source"), &config, NULL));
    snprintf(text, sizeof text,
             "environments: [lqg, riverswim]\nalgorithms: [me-wac]\nseeds: 2\nfrom: %s\n"
             "policy: best\nsettings: {epochs: 2, keep_best: true, " SMALL_RUNS "}\n",
             at("source"));
    wac_sweep sweep = parse(text);
    execute(&sweep, at("workers"), (wac_sweep_options){.workers = 2});
    execute(&sweep, at("groups"), lockstep_of(1, 4));
    assert_same_sweeps(at("workers"), at("groups"), &sweep);
    wac_run_options options = wac_run_options_default();
    options.from = at("source");
    options.best = true;
    assert_ok(train_new(at("alone"), &sweep.runs[3].config, &options));
    assert_same_runs(at("alone"), at("groups/%s", sweep.runs[3].folder));
    options.best = false;
    assert_ok(train_new(at("last"), &sweep.runs[3].config, &options));
    assert_string_equal(difference(at("alone"), at("last")), "progress.csv");
    wac_sweep_free(&sweep);
}

/* --- stopping ----------------------------------------------------------------------------------
 */

static volatile int stop;
static int views_left;

static void count_views(void *user, const wac_sweep_view *view, size_t changed)
{
    (void)user, (void)view, (void)changed;
    stop = stop || --views_left <= 0;
}

static void stopped_again_and_again(void **state)
{
    (void)state;
    enum { STOPS = 12 };
    wac_sweep sweep = parse(MIXED_SWEEP("6", ", replay_checkpoint: last"));
    wac_rng rng = {.seed = 21};
    int stops = 0;
    execute(&sweep, at("whole"), (wac_sweep_options){.workers = 2});
    while (stops < STOPS) {
        wac_status status = WAC_STATUS_INTERRUPTED;
        while (status == WAC_STATUS_INTERRUPTED) {
            wac_sweep_outcome outcome;
            wac_sweep_options options = lockstep_of(2, 4);
            options.stop = &stop;
            options.progress = count_views;
            stop = 0;
            views_left = 1 + (int)(25 * wac_rng_uniform(&rng));
            status = wac_sweep_execute(&sweep, at("sweep"), &options, &outcome, &error);
            assert_int_equal(outcome.failed, 0);
            stops += status == WAC_STATUS_INTERRUPTED;
        }
        assert_ok(status);
        assert_same_sweeps(at("whole"), at("sweep"), &sweep);
        remove_folder(at("sweep"));
    }
    wac_sweep_free(&sweep);
}

/* A process that was just forked may hold the lock of its dead sweep for a moment. */
static void await_lock(const char *directory)
{
    int file = open(directory, O_RDONLY | O_DIRECTORY);
    if (file >= 0) {
        assert_int_equal(flock(file, LOCK_EX), 0);
        close(file);
    }
}

/* Kill the sweep (its process saves what it has), the process that trains, or both; go on until
 * all is done, whatever was lost. */
static void killed_with(const char *more, uint64_t seed)
{
    enum { KILLS = 9 };
    char text[1024];
    snprintf(text, sizeof text, MIXED_SWEEP("8", "%s"), more);
    wac_sweep sweep = parse(text);
    wac_rng rng = {.seed = seed};
    double longest = 100; /* milliseconds */
    execute(&sweep, at("whole"), (wac_sweep_options){.workers = 2});
    for (int kills = 0; kills < KILLS;) {
        for (int i = 0; i < 3; i++) {
            wac_sweep_options options = lockstep_of(2, 4);
            wac_sweep_outcome outcome;
            fflush(NULL);
            pid_t process = fork();
            if (process == 0) {
                setpgid(0, 0);
                _exit(wac_sweep_execute(&sweep, at("sweep"), &options, &outcome, &error) != 0);
            }
            setpgid(process, process);
            wait_ms(longest * wac_rng_uniform(&rng));
            pid_t child = child_of(process);
            if (i == 0)
                kill(process, SIGKILL);
            else if (i == 1 && child)
                kill(child, SIGKILL);
            else
                kill(-process, SIGKILL);
            int status;
            assert_int_equal(waitpid(process, &status, 0), process);
            bool faster = i != 1 && !WIFSIGNALED(status);
            kills += !faster;
            longest = faster ? longest / 2 + 1 : longest;
        }
        await_lock(at("sweep"));
        execute(&sweep, at("sweep"), lockstep_of(2, 4));
        assert_same_sweeps(at("whole"), at("sweep"), &sweep);
        remove_folder(at("sweep"));
    }
    remove_folder(at("whole"));
    wac_sweep_free(&sweep);
}

static void killed_at_random_moments(void **state)
{
    (void)state;
    killed_with("", 31);
    killed_with(", replay_checkpoint: last", 32);
    killed_with(", replay_checkpoint: none", 33);
}

/* --- failing -----------------------------------------------------------------------------------
 */

static size_t begun_anew;

static void count_anew(void *user, const wac_sweep_view *view, size_t changed)
{
    (void)user;
    begun_anew += changed != SIZE_MAX && view->items[changed].again;
}

/* A run without a replay that is to go on begins anew, and the sweep says so. */
static void what_cannot_go_on_begins_anew(void **state)
{
    (void)state;
    wac_sweep sweep = parse(MIXED_SWEEP("4", ", replay_checkpoint: none"));
    wac_sweep shorter = parse(MIXED_SWEEP("2", ", replay_checkpoint: none"));
    execute(&sweep, at("whole"), (wac_sweep_options){.workers = 2});
    for (int lockstep = 0; lockstep < 2; lockstep++) {
        wac_sweep_options options = {.lockstep = lockstep, .workers = 2, .progress = count_anew};
        wac_sweep_item *items;
        execute(&shorter, at("sweep"), (wac_sweep_options){.lockstep = !lockstep, .workers = 2});
        assert_ok(wac_sweep_inspect(&items, &sweep, at("sweep"), &error));
        for (size_t i = 0; i < sweep.count; i++)
            assert_true(items[i].again && items[i].state == WAC_SWEEP_STATE_BEGUN);
        free(items);
        begun_anew = 0;
        execute(&sweep, at("sweep"), options);
        assert_int_equal(begun_anew, sweep.count);
        assert_same_sweeps(at("whole"), at("sweep"), &sweep);
        remove_folder(at("sweep"));
    }
    wac_sweep_free(&sweep);
    wac_sweep_free(&shorter);
}

/* One diverges, one has another's file in its place, one no world: each is told with its reason. */
static void who_fails_is_told(void **state)
{
    (void)state;
    wac_sweep sweep = parse(MIXED_SWEEP("3", ""));
    wac_sweep_options options = lockstep_of(2, 0);
    wac_sweep_outcome outcome;
    wac_sweep_item *items;
    sweep.runs[1].config.learning_rate = 1;
    sweep.runs[1].config.entropy_weight = 1e6;
    sweep.runs[1].config.updates = 400;
    strcpy(sweep.runs[5].config.environment, "nowhere");
    assert_ok(wac_sweep_execute(&sweep, at("groups"), &options, &outcome, &error));
    assert_int_equal(outcome.failed, 2);
    assert_int_equal(outcome.diverged, 1);
    assert_int_equal(outcome.done, sweep.count - 2);
    options.lockstep = false;
    assert_ok(wac_sweep_execute(&sweep, at("workers"), &options, &outcome, &error));
    assert_int_equal(outcome.diverged, 1);
    for (size_t i = 0; i < sweep.count; i++) {
        const char *folder = sweep.runs[i].folder;
        char path[PATH_MAX];
        assert_ok(wac_path_join(path, sizeof path, at("workers"), folder, &error));
        if (i == 5)
            assert_false(wac_path_exists(at("groups/%s", folder)));
        else
            assert_same_runs(at("groups/%s", folder), path);
        assert_true(i == 5 || manifest_of(at("groups/%s", folder)).diverged == (i == 1));
    }
    assert_ok(wac_sweep_inspect(&items, &sweep, at("groups"), &error));
    assert_int_equal(items[1].state, WAC_SWEEP_STATE_BEGUN);
    free(items);
    wac_sweep_free(&sweep);
}

/* With room for two or three at most, four come in turns; one that is too large even alone says so.
 */
static void groups_that_do_not_fit_are_cut(void **state)
{
    (void)state;
#ifdef WAC_SANITIZED
    skip(); /* sanitizers take all room there is */
#endif
    enum { LARGE = 5000000 }; /* transitions: 100 MB */
    wac_sweep sweep = parse("environments: [lqg]\nalgorithms: [sac]\nseeds: 5\n"
                            "settings: {epochs: 2, " SMALL_RUNS "}\n");
    for (size_t i = 0; i < sweep.count; i++)
        sweep.runs[i].config.replay_capacity = i == 2 ? 10 * LARGE : LARGE;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        long pages = 0;
        wac_sweep_options options = lockstep_of(1, 0);
        wac_sweep_outcome outcome;
        FILE *file = fopen("/proc/self/statm", "r");
        if (!file || fscanf(file, "%ld", &pages) != 1)
            _exit(2);
        rlim_t room = (rlim_t)(pages * sysconf(_SC_PAGESIZE)) + (320 << 20);
        setrlimit(RLIMIT_AS, &(struct rlimit){room, room});
        wac_status status = wac_sweep_execute(&sweep, at("sweep"), &options, &outcome, &error);
        _exit(status != WAC_STATUS_OK || outcome.done != 4 || outcome.failed != 1);
    }
    int status;
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
    for (size_t i = 0; i < sweep.count; i++)
        assert_true(wac_path_exists(at("sweep/%s", sweep.runs[i].folder)) == (i != 2));
    wac_sweep_free(&sweep);
}

/* --- several GPUs ------------------------------------------------------------------------------
 */

/* Of made-up ones (support/fake_gpu.c), which keep a log of who is where. */
static void groups_are_spread_over_gpus(void **state)
{
    (void)state;
    enum { GPUS = 5, SHAPES = 2, RUNS = 8 };
    wac_sweep sweep = parse("environments: [lqg, riverswim]\nalgorithms: [sac, oe-wac]\nseeds: 4\n"
                            "settings: {epochs: 2, " SMALL_RUNS "}\n");
    for (size_t i = 0; i < sweep.count; i++)
        sweep.runs[i].config.width = 64; /* the least that a GPU has */
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_LOG", at("log"), 1);
    for (int gpus = 1; gpus <= GPUS; gpus++) {
        char count[16];
        int seats[GPUS] = {0}, engines[GPUS] = {0}, gpu, size;
        snprintf(count, sizeof count, "%d", gpus);
        setenv("WAC_FAKE_GPUS", count, 1);
        wac_sweep_options options = {.device = WAC_DEVICE_CUDA};
        execute(&sweep, gpus == 1 ? at("one") : at("several"), options);
        FILE *log = fopen(at("log"), "r");
        assert_non_null(log);
        while (fscanf(log, "%d %d", &gpu, &size) == 2) {
            assert_in_range(gpu, 0, gpus - 1);
            seats[gpu] += size;
            engines[gpu]++;
        }
        fclose(log);
        remove(at("log"));
        /* as many runs as on any other, or one less of each shape */
        for (int i = 0; i < gpus; i++) {
            assert_int_equal(engines[i], SHAPES);
            assert_in_range(seats[i], SHAPES * (RUNS / gpus), SHAPES * ((RUNS + gpus - 1) / gpus));
        }
        if (gpus == 1)
            continue;
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%s", at("one"));
        assert_same_sweeps(directory, at("several"), &sweep);
        remove_folder(at("several"));
    }
    unsetenv("WAC_CUDA_PLUGIN");
    wac_sweep_free(&sweep);
}

/* Runs of one shape whose steps and updates take turns are in as many groups as go on at once. */
static void groups_take_turns_with_updates(void **state)
{
    (void)state;
    enum { RUNS = 6 };
    wac_sweep sweep = parse("environments: [lqg]\nalgorithms: [sac]\nseeds: 6\n"
                            "settings: {epochs: 2, " SMALL_RUNS "}\n");
    for (size_t i = 0; i < sweep.count; i++) {
        sweep.runs[i].config.width = 64;
        sweep.runs[i].config.update_interval = 5;
    }
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_LOG", at("log"), 1);
    setenv("WAC_FAKE_GPUS", "1", 1);
    for (int workers = 1; workers <= 4; workers += 3) {
        int engines = 0, seats = 0, gpu, size;
        execute(&sweep, workers == 1 ? at("together") : at("apart"),
                (wac_sweep_options){.device = WAC_DEVICE_CUDA, .workers = workers});
        FILE *log = fopen(at("log"), "r");
        assert_non_null(log);
        for (; fscanf(log, "%d %d", &gpu, &size) == 2; engines++)
            seats += size;
        fclose(log);
        remove(at("log"));
        assert_int_equal(engines, workers);
        assert_int_equal(seats, RUNS);
    }
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", at("together"));
    assert_same_sweeps(directory, at("apart"), &sweep);
    unsetenv("WAC_CUDA_PLUGIN");
    wac_sweep_free(&sweep);
}

/* Groups with more to learn begin first, so that the last ones are short. */
static void longer_groups_begin_first(void **state)
{
    (void)state;
    static const int expected[] = {3, 2, 1};
    int gpu, size, read = 0;
    wac_sweep sweep = parse("environments: [lqg]\nalgorithms: [sac]\nseeds: 6\n"
                            "settings: {epochs: 1, " SMALL_RUNS "}\n");
    for (size_t i = 0; i < sweep.count; i++) { /* one of a shape, then two, then three */
        int kind = i < 1 ? 0 : i < 3 ? 1 : 2;
        sweep.runs[i].config.width = 64;
        sweep.runs[i].config.batch_size = 16 + 16 * kind;
        sweep.runs[i].config.epochs = 1 + kind;
    }
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_LOG", at("log"), 1);
    setenv("WAC_FAKE_GPUS", "1", 1);
    execute(&sweep, at("first"), (wac_sweep_options){.device = WAC_DEVICE_CUDA, .workers = 1});
    FILE *log = fopen(at("log"), "r");
    assert_non_null(log);
    for (; fscanf(log, "%d %d", &gpu, &size) == 2; read++) {
        assert_in_range(read, 0, 2);
        assert_int_equal(size, expected[read]);
    }
    fclose(log);
    assert_int_equal(read, 3);
    unsetenv("WAC_CUDA_PLUGIN");
    unsetenv("WAC_FAKE_LOG");
    wac_sweep_free(&sweep);
}

/* More groups than a GPU has at the same time: whoever is free takes the next. */
static void gpus_take_turns(void **state)
{
    (void)state;
    wac_sweep sweep = parse("environments: [lqg]\nalgorithms: [sac]\nseeds: 9\n"
                            "settings: {epochs: 1, " SMALL_RUNS "}\n");
    for (size_t i = 0; i < sweep.count; i++)
        sweep.runs[i].config.width = 64;
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_GPUS", "2", 1);
    execute(&sweep, at("turns"),
            (wac_sweep_options){.device = WAC_DEVICE_CUDA, .workers = 1, .seats = 1});
    unsetenv("WAC_CUDA_PLUGIN");
    wac_sweep_free(&sweep);
}

/* Algorithms whose kernels are emulated (support/emulated_gpu.c): a run ends in the same bytes in
 * whatever company, and when it goes on. */
static void all_algorithms_are_trained_together(void **state)
{
    (void)state;
    static const char *const text =
        "environments: [lqg, riverswim]\nalgorithms: [redq, sunrise, maxinfosac, sac-rnd, top, bro]"
        "\nseeds: 2\nsettings: {epochs: %d, " SMALL_RUNS "}\n";
    char whole[512], part[512], directory[PATH_MAX];
    snprintf(whole, sizeof whole, text, 3);
    snprintf(part, sizeof part, text, 1);
    wac_sweep sweep = parse(whole), shorter = parse(part);
    for (size_t i = 0; i < sweep.count; i += 2)
        if (sweep.runs[i].config.update_interval == 0)
            sweep.runs[i].config.update_interval = shorter.runs[i].config.update_interval = 10;
    setenv("WAC_CUDA_PLUGIN", WAC_EMULATED_GPU, 1);
    execute(&sweep, at("together"), (wac_sweep_options){.device = WAC_DEVICE_CUDA});
    execute(&sweep, at("alone"), (wac_sweep_options){.device = WAC_DEVICE_CUDA, .seats = 1});
    execute(&shorter, at("parts"), (wac_sweep_options){.device = WAC_DEVICE_CUDA, .seats = 2});
    execute(&sweep, at("parts"), (wac_sweep_options){.device = WAC_DEVICE_CUDA, .seats = 3});
    snprintf(directory, sizeof directory, "%s", at("together"));
    assert_same_sweeps(directory, at("alone"), &sweep);
    assert_same_sweeps(directory, at("parts"), &sweep);
    unsetenv("WAC_CUDA_PLUGIN");
    wac_sweep_free(&sweep);
    wac_sweep_free(&shorter);
}

/* A GPU is tried in a process of its own, and only where something is left to train on it. */
static void gpus_are_tried_apart(void **state)
{
    (void)state;
    wac_sweep sweep = parse("environments: [lqg]\nalgorithms: [sac]\nseeds: 2\n"
                            "settings: {epochs: 1, " SMALL_RUNS "}\n");
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_GPUS", "broken", 1);
    assert_ok(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CPU, &error));
    assert_int_equal(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error),
                     WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "ends the program that tries it", "--device cpu");
    setenv("WAC_FAKE_GPUS", "0", 1);
    assert_int_not_equal(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error),
                         WAC_STATUS_OK);
    assert_non_null(strstr(error.message, "it is not even a fake one"));
    setenv("WAC_FAKE_GPUS", "1", 1);
    assert_ok(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error));
    assert_ok(wac_sweep_worker_probe(WAC_DEVICE_CPU, &error));
    /* done is nothing left; begun is */
    execute(&sweep, at("sweep"), (wac_sweep_options){.workers = 1});
    setenv("WAC_FAKE_GPUS", "broken", 1);
    assert_ok(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error));
    assert_int_equal(unlink(at("sweep/%s/manifest.json", sweep.runs[1].folder)), 0);
    assert_int_equal(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error),
                     WAC_STATUS_IO);
    /* what is no sweep is said before */
    save_text(at("sweep/sweep.yaml"), "no list\n");
    assert_int_equal(wac_sweep_check_device(&sweep, at("sweep"), WAC_DEVICE_CUDA, &error),
                     WAC_STATUS_INPUT);
    unsetenv("WAC_CUDA_PLUGIN");
    wac_sweep_free(&sweep);
}

/* --- searches ----------------------------------------------------------------------------------
 */

static void rungs_are_those_of_workers(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    const char *text = SMALL_TUNE("9");
    assert_ok(wac_sweep_parse(&sweep, &search, text, strlen(text), "file", &error));
    for (int lockstep = 0; lockstep < 2; lockstep++) {
        char directory[PATH_MAX];
        snprintf(directory, sizeof directory, "%s", at(lockstep ? "groups" : "workers"));
        wac_sweep_options options = {.lockstep = lockstep, .workers = 2, .seats = 7};
        wac_sweep_outcome outcome;
        assert_ok(wac_ladder_create(&options.ladder, &sweep, &search, directory, &error));
        assert_ok(wac_sweep_execute(&sweep, directory, &options, &outcome, &error));
        assert_int_equal(outcome.done, sweep.count);
        wac_ladder_destroy(options.ladder);
    }
    assert_same_sweeps(at("workers"), at("groups"), &sweep);
    wac_sweep_free(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_are_as_workers),
        TEST(groups_go_on),
        TEST(sweeps_from_a_run),
        TEST(stopped_again_and_again),
        TEST(killed_at_random_moments),
        TEST(what_cannot_go_on_begins_anew),
        TEST(who_fails_is_told),
        TEST(groups_that_do_not_fit_are_cut),
        TEST(groups_are_spread_over_gpus),
        TEST(groups_take_turns_with_updates),
        TEST(longer_groups_begin_first),
        TEST(gpus_take_turns),
        TEST(all_algorithms_are_trained_together),
        TEST(gpus_are_tried_apart),
        TEST(rungs_are_those_of_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
