/* Sweeps survive: the sweep, one of its workers or all of it is killed at random moments, on one
 * machine and over the ranks of MPI; the next call goes on, and the files end up the same. */
#include "support/small_sweeps.h"

/* Kill the sweep itself (its workers save what they have), one worker, or everything. */
static void strike(pid_t process, int how)
{
    pid_t child = child_of(process);
    if (how == 0)
        kill(process, SIGKILL);
    else if (how == 1 && child)
        kill(child, SIGKILL);
    else
        kill(-process, SIGKILL);
}

/* `wac WORD FILE`, killed again and again in one of the ways (-1: each in turn), ends up as if it
 * was not. `before`: a file to execute there first; or null. */
static void kill_at_random_moments(const char *word, const char *file, const char *before,
                                   const wac_sweep *sweep, int way, uint64_t seed)
{
    enum { KILLS = 10, EACH = 5 };
    wac_rng rng = {.seed = seed};
    double longest = 80; /* milliseconds */
    int kills = 0;
    assert_done(wac("%s %s --out %s", word, at("%s", file), at("whole")));
    while (kills < KILLS) {
        if (before)
            assert_done(wac("%s %s --out %s", word, at("%s", before), at("sweep")));
        for (int i = 0; i < EACH; i++) {
            pid_t process =
                start_wac("%s %s --out %s --workers 2", word, at("%s", file), at("sweep"));
            wait_ms(longest * wac_rng_uniform(&rng));
            strike(process, way < 0 ? kills % 3 : way);
            int status = status_of(process);
            kills += status != 0;
            /* it was faster */
            longest = status == 0 ? longest / 2 + 1 : longest;
        }
        const outcome *result = wac("%s %s --out %s", word, at("%s", file), at("sweep"));
        if (result->status != 0)
            fail_msg("after %d kills: %s", kills, result->err);
        if (sweep)
            assert_same_sweeps(at("whole"), at("sweep"), sweep);
        else
            assert_true(same_file(at("whole/tune.csv"), at("sweep/tune.csv"), false));
        remove_folder(at("sweep"));
    }
    remove_folder(at("whole"));
}

static void killed_at_random_moments(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("8"));
    save_text(at("small.yaml"), SMALL_SWEEP("8"));
    kill_at_random_moments("sweep", "small.yaml", NULL, &sweep, -1, 12);
    wac_sweep_free(&sweep);
}

/* Finished runs that go on because their epochs were raised. */
static void killed_while_epochs_are_raised(void **state)
{
    (void)state;
    wac_sweep sweep = parse(SMALL_SWEEP("8"));
    save_text(at("small.yaml"), SMALL_SWEEP("8"));
    save_text(at("short.yaml"), SMALL_SWEEP("3"));
    kill_at_random_moments("sweep", "small.yaml", "short.yaml", &sweep, -1, 14);
    wac_sweep_free(&sweep);
}

static wac_sweep parse_search(const char *text)
{
    wac_sweep sweep;
    wac_search search;
    assert_ok(wac_sweep_parse(&sweep, &search, text, strlen(text), "file", &error));
    return sweep;
}

/* Who goes on to the next rung is found again. A run that fails alone lets others pass, which then
 * have more epochs than without; that changes no rank once it is there. */
static void killed_while_halving(void **state)
{
    (void)state;
    wac_sweep sweep = parse_search(SMALL_TUNE("9"));
    save_text(at("tune.yaml"), SMALL_TUNE("9"));
    kill_at_random_moments("tune", "tune.yaml", NULL, &sweep, 0, 15);
    kill_at_random_moments("tune", "tune.yaml", NULL, &sweep, 2, 16);
    kill_at_random_moments("tune", "tune.yaml", NULL, NULL, 1, 17);
    wac_sweep_free(&sweep);
}

/* --- ranks ----------------------------------------------------------------------------------- */

static bool has_mpi(void)
{
    char plugin[PATH_MAX];
    snprintf(plugin, sizeof plugin, "%s_mpi.so", WAC_PROGRAM);
    return wac_path_exists(plugin) &&
           system("mpirun --allow-run-as-root --oversubscribe -n 1 true >/dev/null 2>&1") == 0;
}

/* Become mpirun with three ranks of `wac WORD`, in a process group of its own. */
static pid_t start_ranks(const char *word, const char *file, const char *directory)
{
    pid_t child = fork_with_files();
    if (child == 0) {
        setpgid(0, 0);
        if (dup2(open("/dev/null", O_RDONLY), 0) < 0)
            _exit(126);
        execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "-n", "3", WAC_PROGRAM, word, file, "--out", directory, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* The same files as on one machine, also after a rank was killed. `first`: a run that begins early;
 * `said`: what is said at the end. */
static void share_among_ranks(const char *word, const char *file, const char *before,
                              const wac_sweep *sweep, const char *first, const char *said)
{
    wac_rng rng = {.seed = 13};
    assert_done(wac("%s %s --out %s", word, at("%s", file), at("whole")));
    for (int i = 0; i < 3; i++) {
        if (before)
            assert_int_equal(status_of(start_ranks(word, at("%s", before), at("ranks"))), 0);
        if (i > 0) {
            pid_t process = start_ranks(word, at("%s", file), at("ranks"));
            while (!wac_path_exists(at("ranks/%s", first)))
                wait_ms(1);
            wait_ms((before ? 500 : 30) * wac_rng_uniform(&rng));
            /* a rank is a child of mpirun, its worker a child of the rank */
            pid_t rank = child_of(process);
            if (rank > 0)
                kill(rank, SIGKILL);
            (void)status_of(process);
        }
        if (i < 2) {
            assert_int_equal(status_of(start_ranks(word, at("%s", file), at("ranks"))), 0);
            char *told = contents(at(".err"), NULL);
            assert_non_null(strstr(told, said));
            free(told);
        } else {
            assert_done(wac("%s %s --out %s", word, at("%s", file), at("ranks")));
        }
        assert_same_sweeps(at("whole"), at("ranks"), sweep);
        remove_folder(at("ranks"));
    }
}

static void ranks_share_the_runs(void **state)
{
    (void)state;
    if (!has_mpi()) {
        print_message("no mpirun, or no plugin for it: sweeps over ranks are not tested\n");
        skip();
    }
    wac_sweep sweep = parse(SMALL_SWEEP("8"));
    save_text(at("small.yaml"), SMALL_SWEEP("8"));
    save_text(at("short.yaml"), SMALL_SWEEP("3"));
    share_among_ranks("sweep", "small.yaml", NULL, &sweep, "lqg/sac/seed-1", "6 runs done");
    remove_folder(at("whole"));
    share_among_ranks("sweep", "small.yaml", "short.yaml", &sweep, "lqg/sac/seed-1", "6 runs done");
    wac_sweep_free(&sweep);
}

static void ranks_halve(void **state)
{
    (void)state;
    if (!has_mpi())
        skip();
    wac_sweep sweep = parse_search(SMALL_TUNE("9"));
    save_text(at("tune.yaml"), SMALL_TUNE("9"));
    share_among_ranks("tune", "tune.yaml", NULL, &sweep, sweep.runs[0].folder, "18 runs done");
    wac_sweep_free(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(killed_at_random_moments),
        TEST(killed_while_epochs_are_raised),
        TEST(killed_while_halving),
        TEST(ranks_share_the_runs),
        TEST(ranks_halve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
