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

static void killed_at_random_moments(void **state)
{
    (void)state;
    enum { KILLS = 10, EACH = 5 };
    wac_sweep sweep = parse(SMALL_SWEEP("8"));
    wac_rng rng = {.seed = 12};
    double longest = 80; /* milliseconds */
    int kills = 0;
    save_text(at("small.yaml"), SMALL_SWEEP("8"));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("whole")));
    while (kills < KILLS) {
        for (int i = 0; i < EACH; i++) {
            pid_t process =
                start_wac("sweep %s --out %s --workers 2", at("small.yaml"), at("sweep"));
            wait_ms(longest * wac_rng_uniform(&rng));
            strike(process, kills % 3);
            int status = status_of(process);
            kills += status != 0;
            /* it was faster */
            longest = status == 0 ? longest / 2 + 1 : longest;
        }
        const outcome *result = wac("sweep %s --out %s", at("small.yaml"), at("sweep"));
        if (result->status != 0)
            fail_msg("after %d kills: %s", kills, result->err);
        assert_same_sweeps(at("whole"), at("sweep"), &sweep);
        remove_folder(at("sweep"));
    }
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

/* Become mpirun with three ranks, in a process group of its own. */
static pid_t start_ranks(const char *file, const char *directory)
{
    pid_t child = fork_with_files();
    if (child == 0) {
        setpgid(0, 0);
        if (dup2(open("/dev/null", O_RDONLY), 0) < 0)
            _exit(126);
        execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
               "-n", "3", WAC_PROGRAM, "sweep", file, "--out", directory, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* The same files as on one machine, also after a rank was killed. */
static void ranks_share_the_runs(void **state)
{
    (void)state;
    if (!has_mpi()) {
        print_message("no mpirun, or no plugin for it: sweeps over ranks are not tested\n");
        skip();
    }
    wac_sweep sweep = parse(SMALL_SWEEP("8"));
    wac_rng rng = {.seed = 13};
    save_text(at("small.yaml"), SMALL_SWEEP("8"));
    assert_done(wac("sweep %s --out %s", at("small.yaml"), at("whole")));
    assert_int_equal(status_of(start_ranks(at("small.yaml"), at("ranks"))), 0);
    char *said = contents(at(".err"), NULL);
    assert_non_null(strstr(said, "6 runs done"));
    free(said);
    assert_same_sweeps(at("whole"), at("ranks"), &sweep);

    for (int i = 0; i < 2; i++) {
        remove_folder(at("ranks"));
        pid_t process = start_ranks(at("small.yaml"), at("ranks"));
        while (!wac_path_exists(at("ranks/lqg/sac/seed-1")))
            wait_ms(1);
        wait_ms(30 * wac_rng_uniform(&rng));
        /* a rank is a child of mpirun, its worker a child of the rank */
        pid_t rank = child_of(process);
        if (rank > 0)
            kill(rank, SIGKILL);
        (void)status_of(process);
        if (i == 0)
            assert_int_equal(status_of(start_ranks(at("small.yaml"), at("ranks"))), 0);
        else
            assert_done(wac("sweep %s --out %s", at("small.yaml"), at("ranks")));
        assert_same_sweeps(at("whole"), at("ranks"), &sweep);
    }
    wac_sweep_free(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(killed_at_random_moments),
        TEST(ranks_share_the_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
