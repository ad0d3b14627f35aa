/* Memory: the arena; every allocation of a create failing in turn; and training steps that allocate
 * nothing. The C library's functions are stood in front of, which sanitizers do not allow. */
#include "base/arena.h"
#include "base/files.h"
#include "base/rng.h"
#include "config/config.h"
#include "env/world.h"
#include "nn/cpu/mixed.h"
#include "rl/agent.h"
#include "run/run.h"
#include "sweep/file.h"
#include "sweep/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* --- in front of the C library --------------------------------------------------------------- */

#ifdef WAC_SANITIZED
enum { INTERPOSED = false };
static atomic_long calls, live, countdown;
static atomic_bool failing_on;
#else
enum { INTERPOSED = true };

static atomic_long calls;      /* of any of the functions below, by any thread */
static atomic_long live;       /* blocks given out and not yet taken back */
static atomic_long countdown;  /* 1: the next allocation fails; 0: none does */
static atomic_bool failing_on; /* and so do all after it */

#define FRONT __attribute__((visibility("default")))
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);
void *memalign(size_t alignment, size_t size);

/* count a call; true: it shall fail */
static bool refuse(void)
{
    atomic_fetch_add(&calls, 1);
    if (atomic_load(&countdown) == 0)
        return false;
    if (atomic_load(&countdown) < 0 || atomic_fetch_sub(&countdown, 1) == 1) {
        atomic_store(&countdown, atomic_load(&failing_on) ? -1 : 0);
        errno = ENOMEM;
        return true;
    }
    return false;
}

static void *given(void *block)
{
    if (block)
        atomic_fetch_add(&live, 1);
    return block;
}

FRONT void *malloc(size_t size)
{
    return refuse() ? NULL : given(__libc_malloc(size));
}

FRONT void *calloc(size_t count, size_t size)
{
    return refuse() ? NULL : given(__libc_calloc(count, size));
}

FRONT void *realloc(void *block, size_t size)
{
    if (refuse())
        return NULL;
    void *moved = __libc_realloc(block, size);
    return block ? moved : given(moved);
}

FRONT void *memalign(size_t alignment, size_t size)
{
    return refuse() ? NULL : given(__libc_memalign(alignment, size));
}

FRONT void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

FRONT int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

FRONT void free(void *block)
{
    atomic_fetch_add(&calls, 1);
    if (block)
        atomic_fetch_sub(&live, 1);
    __libc_free(block);
}

#endif

static void skip_if_sanitized(void)
{
    if (!INTERPOSED)
        skip();
}

static int open_files(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

/* --- the arena ------------------------------------------------------------------------------- */

static void arena_pieces(void **state)
{
    (void)state;
    wac_arena arena = {0};
    unsigned char *pieces[200];
    for (size_t i = 0; i < 200; i++) {
        size_t size = i * i + 1;
        pieces[i] = wac_arena_take(&arena, size, 1 + i % 3);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 64, 0);
        for (size_t j = 0; j < size * (1 + i % 3); j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)i, size * (1 + i % 3));
    }
    /* none lies in another */
    for (size_t i = 0; i < 200; i++)
        for (size_t j = 0; j < (i * i + 1) * (1 + i % 3); j++)
            assert_int_equal(pieces[i][j], i % 256);
    assert_non_null(wac_arena_take(&arena, 0, 8)); /* nothing can be had */
    assert_false(arena.failed);
    wac_arena_release(&arena);
    assert_null(arena.chunks);
    wac_arena_release(&arena); /* twice is fine */

    /* and again */
    int *numbers = WAC_TAKE(&arena, int, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(numbers[i], 0);
    wac_arena_release(&arena);
}

static void arena_fails_for_good(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {
        {SIZE_MAX, 1},         {SIZE_MAX / 2, 2},        {SIZE_MAX / 8 + 2, 8},
        {SIZE_MAX / 2 + 1, 1}, {1ull << 32, 1ull << 32}, {SIZE_MAX - 63, 1},
        {SIZE_MAX, SIZE_MAX},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wac_arena arena = {0};
        assert_non_null(wac_arena_take(&arena, 1, 8));
        assert_null(wac_arena_take(&arena, sizes[i][0], sizes[i][1]));
        assert_true(arena.failed);
        assert_non_null(wac_arena_take(&arena, 1, 8)); /* what follows neither clears it … */
        assert_true(arena.failed);
        wac_arena_release(&arena);
        assert_false(arena.failed); /* … only release does */
    }
}

/* an agent that no machine can hold is refused in a sentence */
static void too_large_an_agent(void **state)
{
    (void)state;
    if (!INTERPOSED) /* sanitizers take such a request for a mistake */
        skip();
    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_init(&config, "lqg", "oe-wac", &error), WAC_STATUS_OK);
    config.replay_capacity = 1000000000;
    wac_agent *agent = NULL;
    /* 512 observations of 1e9 transitions: 4 TB; the kernel may promise even that */
    wac_status status = wac_agent_create(&agent, &config, 512, 512, 1, -1, &error);
    if (status == WAC_STATUS_OK) {
        wac_agent_destroy(agent);
    } else {
        assert_int_equal(status, WAC_STATUS_MEMORY);
        assert_non_null(strstr(error.message, "replay_capacity 1000000000"));
    }
}

/* --- failing allocations --------------------------------------------------------------------- */

typedef struct attempt {
    wac_config config;
    int threads;
    char folder[64], run[80]; /* `run` is made in `folder`; empty: none is */
    char opened[80];          /* what is there */
    const char *file;         /* what it is of */
} attempt;

/* make it; destroy what was made */
typedef wac_status attempt_fn(const attempt *attempt, wac_error *error);

static wac_status try_agent(const attempt *attempt, wac_error *error)
{
    wac_agent *agent;
    wac_status status =
        wac_agent_create(&agent, &attempt->config, 3, 2, attempt->threads, -1, error);
    if (status == WAC_STATUS_OK)
        wac_agent_destroy(agent);
    return status;
}

static wac_status try_world(const attempt *attempt, wac_error *error)
{
    const wac_environment_type *type;
    wac_world *world;
    wac_status status = wac_environment_type_find(&type, attempt->config.environment, error);
    if (status == WAC_STATUS_OK)
        status = wac_world_create(&world, type, &attempt->config, error);
    if (status == WAC_STATUS_OK)
        wac_world_destroy(world);
    return status;
}

static wac_status try_run(const attempt *attempt, wac_error *error)
{
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    options.threads = attempt->threads;
    wac_status status = wac_run_create(&run, &attempt->config, NULL, attempt->run, &options, error);
    if (status == WAC_STATUS_OK)
        wac_run_destroy(run);
    return status;
}

static wac_status try_open(const attempt *attempt, wac_error *error)
{
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    options.threads = attempt->threads;
    wac_status status = wac_run_open(&run, attempt->opened, NULL, &options, error);
    if (status == WAC_STATUS_OK)
        wac_run_destroy(run);
    return status;
}

static wac_status try_remove(const attempt *attempt, wac_error *error)
{
    wac_status status = wac_directory_make(attempt->opened, error);
    if (status == WAC_STATUS_OK || wac_path_is_folder(attempt->opened))
        status = wac_directory_remove(attempt->opened, error);
    return status;
}

static wac_status try_sweep(const attempt *attempt, wac_error *error)
{
    wac_sweep sweep;
    wac_sweep_item *items;
    int lock;
    wac_status status =
        wac_sweep_parse(&sweep, NULL, attempt->file, strlen(attempt->file), "file", error);
    if (status != WAC_STATUS_OK)
        return status;
    status = wac_sweep_take(&lock, &items, &sweep, attempt->opened, (wac_sweep_share){0}, error);
    if (status == WAC_STATUS_OK) {
        free(items);
        close(lock);
    }
    wac_sweep_free(&sweep);
    return status;
}

/* what is left in the folder: nothing, or a whole run (where no memory was left at all, not even to
 * walk through a folder, its beginnings may stay) */
static void clean_folder(const attempt *attempt, wac_status status, bool nothing_left)
{
    DIR *folder = opendir(attempt->folder);
    assert_non_null(folder);
    int found = 0;
    for (struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, "run") == 0) {
            found++;
        } else if (entry->d_name[0] != '.') {
            char path[400];
            assert_true(nothing_left && strncmp(entry->d_name, "run.", 4) == 0);
            snprintf(path, sizeof path, "%s/%s", attempt->folder, entry->d_name);
            assert_int_equal(wac_directory_remove(path, NULL), WAC_STATUS_OK);
        }
    closedir(folder);
    if (status == WAC_STATUS_OK)
        assert_int_equal(found, 1);
    if (found) {
        static const char *const names[] = {"config.yaml", "manifest.json", "progress.csv"};
        char path[128];
        for (int i = 0; i < 3; i++) {
            snprintf(path, sizeof path, "%s/%s", attempt->run, names[i]);
            assert_int_equal(access(path, R_OK), 0);
        }
        snprintf(path, sizeof path, "%s/manifest.json", attempt->run);
        json_t *manifest = json_load_file(path, 0, NULL);
        if (!json_is_object(manifest) || json_object_size(manifest) < 8)
            fail_msg("a manifest with parts missing, and nobody was told");
        json_decref(manifest);
        snprintf(path, sizeof path, "%s/config.yaml", attempt->run);
        wac_config config;
        assert_int_equal(wac_config_read_run(&config, path, NULL), WAC_STATUS_OK);
        assert_int_equal(wac_directory_remove(attempt->run, NULL), WAC_STATUS_OK);
    }
}

/* Fail at the first allocation, the second, …, until one attempt needs no more. `optional`: how
 * many it can do without. `kept`: blocks that the C library keeps for the next thread. */
static void fail_everywhere(attempt_fn *attempt_once, attempt *attempt, const char *what,
                            int optional, int kept)
{
    wac_error error = {0};
    /* what is made once a process; but threads shall be new */
    if (attempt->threads == 1)
        assert_int_equal(attempt_once(attempt, &error), WAC_STATUS_OK);
    if (attempt->run[0])
        clean_folder(attempt, WAC_STATUS_OK, false);
    for (int mode = 0; mode < 2; mode++) {
        int survived = 0;
        for (long n = 1;; n++) {
            assert_true(n < 10000);
            int files = open_files();
            long before = atomic_load(&live);
            error = (wac_error){0};
            atomic_store(&failing_on, mode == 1);
            atomic_store(&countdown, n);
            wac_status status = attempt_once(attempt, &error);
            bool reached = atomic_load(&countdown) <= 0;
            atomic_store(&countdown, 0);
            long left = atomic_load(&live) - before;
            assert_int_equal(open_files(), files);
            if (left < 0 || left > kept)
                fail_msg("%s: allocation %ld fails, and %ld blocks are left", what, n, left);
            if (attempt->run[0])
                clean_folder(attempt, status, mode == 1);
            if (!reached) {
                assert_int_equal(status, WAC_STATUS_OK);
                print_message("%s: %ld allocations, %d of them optional\n", what, n - 1, survived);
                break;
            }
            if (status == WAC_STATUS_OK) {
                survived++;
            } else {
                if (status != WAC_STATUS_MEMORY)
                    fail_msg("%s: allocation %ld fails: status %d, %s", what, n, (int)status,
                             error.message);
                assert_int_equal(error.status, status);
                assert_true(strlen(error.message) > 10);
            }
        }
        assert_true(survived <= optional);
    }
}

static const char *const algorithms[] = {"oe-wac",  "me-wac",     "sac",     "oac", "redq",
                                         "sunrise", "maxinfosac", "sac-rnd", "top", "bro"};

static attempt make_attempt(const char *environment, const char *algorithm, int threads)
{
    attempt attempt = {.threads = threads};
    wac_error error = {0};
    assert_int_equal(wac_config_init(&attempt.config, environment, algorithm, &error),
                     WAC_STATUS_OK);
    attempt.config.width = 8;
    attempt.config.batch_size = 16;
    attempt.config.replay_capacity = 64;
    return attempt;
}

static void agents_survive_failure(void **state)
{
    (void)state;
    skip_if_sanitized();
    attempt attempt = make_attempt("lqg", "oe-wac", 5);
    fail_everywhere(try_agent, &attempt, "oe-wac, 5 threads", 0, 4);
    for (int a = 0; a < 10; a++) {
        attempt = make_attempt("lqg", algorithms[a], 1);
        fail_everywhere(try_agent, &attempt, algorithms[a], 0, 0);
    }
}

static void worlds_survive_failure(void **state)
{
    (void)state;
    skip_if_sanitized();
    /* the others' engine throws an exception where memory runs out, see cli/main.c */
    const char *const names[] = {"lqg", "riverswim"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        attempt attempt = make_attempt(names[i], NULL, 1);
        fail_everywhere(try_world, &attempt, names[i], 0, 0);
    }
}

static void runs_survive_failure(void **state)
{
    (void)state;
    skip_if_sanitized();
    attempt attempt = make_attempt("riverswim", "oe-wac", 1);
    strcpy(attempt.folder, "/tmp/test_memory.XXXXXX");
    assert_non_null(mkdtemp(attempt.folder));
    snprintf(attempt.run, sizeof attempt.run, "%s/run", attempt.folder);
    /* the processor's name in the manifest is a nicety, and so is tidiness beside the run */
    fail_everywhere(try_run, &attempt, "run", 3, 0);
    assert_int_equal(rmdir(attempt.folder), 0);
}

/* A checkpoint and the files beside it are never called broken where memory is short. */
static void reading_survives_failure(void **state)
{
    (void)state;
    skip_if_sanitized();
    wac_run *run;
    wac_error error = {0};
    attempt attempt = make_attempt("riverswim", "sac", 1);
    char folder[] = "/tmp/test_memory.XXXXXX";
    assert_non_null(mkdtemp(folder));
    snprintf(attempt.opened, sizeof attempt.opened, "%s/run", folder);
    attempt.config.epochs = 0;
    attempt.config.initial_steps = 16;
    attempt.config.evaluation_steps = 0;
    assert_int_equal(wac_run_create(&run, &attempt.config, NULL, attempt.opened, NULL, &error),
                     WAC_STATUS_OK);
    assert_int_equal(wac_run_train(run, &error), WAC_STATUS_OK);
    wac_run_destroy(run);
    /* qsort can do without */
    fail_everywhere(try_open, &attempt, "an open run", 1, 0);

    /* the folder of a sweep, which has the run in it */
    attempt.file = "environments: [lqg]\nalgorithms: [sac, oac]\nsettings: {epochs: 1, width: 8}\n";
    snprintf(attempt.opened, sizeof attempt.opened, "%s/sweep", folder);
    /* tidying can do without */
    fail_everywhere(try_sweep, &attempt, "a sweep", 3, 0);
    assert_int_equal(wac_directory_remove(folder, &error), WAC_STATUS_OK);

    snprintf(attempt.opened, sizeof attempt.opened, "%s/a/b/c", folder);
    fail_everywhere(try_remove, &attempt, "a folder to remove", 0, 0);
    assert_int_equal(wac_directory_remove(folder, &error), WAC_STATUS_OK);
}

/* --- steps that allocate nothing ------------------------------------------------------------- */

typedef struct walk {
    wac_agent *agent;
    wac_world *world;
    wac_rng rng;
    float observation[1];
} walk;

static void walk_on(walk *walk, int steps, bool update)
{
    wac_error error = {0};
    for (int i = 0; i < steps; i++) {
        float action[1], next[1];
        wac_step step;
        wac_losses losses;
        wac_agent_explore(walk->agent, NULL, walk->observation, action);
        assert_int_equal(wac_world_step(walk->world, &walk->rng, action, next, &step, &error),
                         WAC_STATUS_OK);
        wac_agent_remember(walk->agent, walk->observation, action, step.reward, next,
                           step.terminated);
        walk->observation[0] = next[0];
        if (step.terminated || step.truncated)
            assert_int_equal(wac_world_reset(walk->world, &walk->rng, walk->observation, &error),
                             WAC_STATUS_OK);
        if (update)
            assert_int_equal(wac_agent_update(walk->agent, &losses, &error), WAC_STATUS_OK);
    }
}

static void check_steps(const char *environment, const char *algorithm, wac_backend_kind backend,
                        wac_precision precision, wac_network network, int width, int threads)
{
    attempt attempt = make_attempt(environment, algorithm, threads);
    bool fast = backend == WAC_BACKEND_CPU;
    attempt.config.backend = (int)backend;
    attempt.config.precision = (int)precision;
    attempt.config.network = (int)network;
    attempt.config.policy_width = width / 2;
    attempt.config.width = width;
    attempt.config.batch_size = fast ? 256 : 32;
    wac_error error = {0};
    const wac_environment_type *type;
    walk walk = {.rng = wac_rng_make(1, WAC_STREAM_WORLD)};
    assert_int_equal(wac_environment_type_find(&type, environment, &error), WAC_STATUS_OK);
    assert_int_equal(wac_world_create(&walk.world, type, &attempt.config, &error), WAC_STATUS_OK);
    assert_int_equal(wac_agent_create(&walk.agent, &attempt.config, 1, 1, threads, -1, &error),
                     WAC_STATUS_OK);
    assert_int_equal(wac_world_reset(walk.world, &walk.rng, walk.observation, &error),
                     WAC_STATUS_OK);
    walk_on(&walk, 20, false);
    walk_on(&walk, 3, true);
    long before = atomic_load(&calls);
    walk_on(&walk, 20, true);
    wac_agent_anchor(walk.agent);
    long during = atomic_load(&calls) - before;
    if (during)
        fail_msg("%s on %s, %s backend, width %d, %d threads: %ld calls in 20 steps", algorithm,
                 environment, fast ? "cpu" : "reference", width, threads, during);
    wac_agent_destroy(walk.agent);
    wac_world_destroy(walk.world);
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    skip_if_sanitized();
    for (int a = 0; a < 9; a++)
        for (int threads = 1; threads <= 2; threads++) {
            for (wac_network kind = WAC_NETWORK_PLAIN; kind <= WAC_NETWORK_BRONET; kind++) {
                check_steps("lqg", algorithms[a], WAC_BACKEND_REFERENCE, WAC_PRECISION_SINGLE, kind,
                            kind ? 4 : 16, threads);
                check_steps("riverswim", algorithms[a], WAC_BACKEND_CPU, WAC_PRECISION_SINGLE, kind,
                            kind ? 32 : 128, threads);
            }
            check_steps("lqg", algorithms[a], WAC_BACKEND_CPU, WAC_PRECISION_SINGLE,
                        WAC_NETWORK_PLAIN, 256, threads);
            if (!wac_mixed_missing())
                check_steps("lqg", algorithms[a], WAC_BACKEND_CPU, WAC_PRECISION_MIXED,
                            WAC_NETWORK_PLAIN, 128, threads);
        }
}

/* the counters do count */
static void calls_are_counted(void **state)
{
    (void)state;
    skip_if_sanitized();
    long before = atomic_load(&calls), blocks = atomic_load(&live);
    void *volatile block = malloc(3);
    block = realloc(block, 300);
    free(block);
    block = aligned_alloc(64, 64);
    assert_int_equal(atomic_load(&live) - blocks, 1);
    free(block);
    block = strdup("from inside the library");
    free(block);
    assert_int_equal(atomic_load(&calls) - before, 7);
    assert_int_equal(atomic_load(&live), blocks);
    atomic_store(&countdown, 2);
    void *volatile first = malloc(1), *volatile second = malloc(1), *volatile third = malloc(1);
    atomic_store(&countdown, 0);
    assert_true(first && !second && third);
    free(first);
    free(third);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_pieces),           cmocka_unit_test(arena_fails_for_good),
        cmocka_unit_test(too_large_an_agent),     cmocka_unit_test(calls_are_counted),
        cmocka_unit_test(agents_survive_failure), cmocka_unit_test(worlds_survive_failure),
        cmocka_unit_test(runs_survive_failure),   cmocka_unit_test(reading_survives_failure),
        cmocka_unit_test(steps_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
