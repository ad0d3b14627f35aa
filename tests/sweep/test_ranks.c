/* Sweeps over the ranks of MPI, which are processes of this machine that talk through a plugin of
 * the tests: the same files as by one process, and what becomes of a sweep where ranks have other
 * lists, are stopped, lose their runs or do not hear from each other any more. */
#include "support/small_sweeps.h"

#include "sweep/mpi.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static volatile int stop_flag;

static void ask_to_stop(int number)
{
    (void)number;
    stop_flag = 1;
}

/* How a rank ended. */
typedef struct ending {
    wac_status status;
    wac_error why;
    wac_sweep_outcome outcome;
} ending;

/* What the plugin needs to know; `fails` may be null. */
static void be_rank(int rank, int size, const char *fails)
{
    char text[16];
    snprintf(text, sizeof text, "%d", rank);
    setenv("OMPI_COMM_WORLD_RANK", text, 1);
    snprintf(text, sizeof text, "%d", size);
    setenv("OMPI_COMM_WORLD_SIZE", text, 1);
    setenv("WAC_MPI_PLUGIN", WAC_FAKE_MPI, 1);
    setenv("WAC_FAKE_MPI", at("sockets"), 1);
    setenv("WAC_FAKE_MPI_FAILS", fails ? fails : "", 1);
}

static void be_alone(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK",
                                        "SLURM_STEP_NUM_TASKS", "WAC_MPI_PLUGIN"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

static void make_sockets(void)
{
    remove_folder(at("sockets"));
    assert_ok(wac_directory_make(at("sockets"), &error));
}

/* A rank that executes the sweep of this text; how it ended is in a file. */
static pid_t start_rank(int rank, int size, const char *text, const char *fails, bool lockstep)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0)
        return child;
    ending ending = {0};
    wac_sweep_options options = {.stop = &stop_flag, .lockstep = lockstep};
    wac_sweep sweep = parse(text);
    be_rank(rank, size, fails);
    signal(SIGTERM, ask_to_stop);
    ending.status = wac_sweep_execute(&sweep, at("ranks"), &options, &ending.outcome, &ending.why);
    wac_sweep_free(&sweep);
    _exit(wac_file_write(at("ending-%d", rank), &ending, sizeof ending, NULL) != WAC_STATUS_OK);
}

static ending ending_of(pid_t process, int rank)
{
    ending ending;
    size_t size;
    assert_int_equal(status_of(process), 0);
    char *bytes = contents(at("ending-%d", rank), &size);
    assert_int_equal(size, sizeof ending);
    memcpy(&ending, bytes, size);
    free(bytes);
    error = ending.why;
    return ending;
}

/* As one process alone does it. */
static void train_whole(const char *text)
{
    wac_sweep sweep = parse(text);
    wac_sweep_outcome outcome;
    wac_sweep_options options = {.workers = 2};
    assert_ok(wac_sweep_execute(&sweep, at("whole"), &options, &outcome, &error));
    wac_sweep_free(&sweep);
}

/* Runs of a rank that is gone stop, and save what they have; until then they have their folders. */
static void wait_for_orphans(void)
{
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}

/* What ranks have left goes on by one process, and ends as if nothing had been. */
static void ends_the_same(const char *text)
{
    wac_sweep sweep = parse(text);
    wac_sweep_outcome outcome;
    wac_sweep_options options = {.workers = 2};
    wait_for_orphans();
    if (!wac_path_exists(at("whole")))
        train_whole(text);
    assert_ok(wac_sweep_execute(&sweep, at("ranks"), &options, &outcome, &error));
    assert_int_equal(outcome.failed, 0);
    assert_same_sweeps(at("whole"), at("ranks"), &sweep);
    wac_sweep_free(&sweep);
    remove_folder(at("ranks"));
}

static void ranks_train_the_same(void **state)
{
    (void)state;
    static const char *const ways[] = {NULL, "crowd"};
    for (int i = 0; i < 2; i++) {
        make_sockets();
        pid_t ranks[3];
        for (int rank = 0; rank < 3; rank++)
            ranks[rank] = start_rank(rank, 3, SMALL_SWEEP("6"), ways[i], false);
        for (int rank = 2; rank >= 0; rank--) {
            ending ending = ending_of(ranks[rank], rank);
            assert_int_equal(ending.status, WAC_STATUS_OK);
            assert_int_equal(ending.outcome.rank, rank);
            assert_int_equal(ending.outcome.done, rank == 0 ? 6 : 0);
            assert_int_equal(ending.outcome.workers, rank == 0 ? 3 : 0);
        }
        ends_the_same(SMALL_SWEEP("6"));
    }
}

/* Rung by rung, by the program. */
static void ranks_halve(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    make_sockets();
    save_text(at("tune.yaml"), SMALL_TUNE("9"));
    assert_ok(
        wac_sweep_parse(&sweep, &search, SMALL_TUNE("9"), strlen(SMALL_TUNE("9")), "file", &error));
    pid_t ranks[2];
    for (int rank = 1; rank >= 0; rank--) {
        be_rank(rank, 2, NULL);
        ranks[rank] = start_wac("tune %s --out %s", at("tune.yaml"), at("ranks"));
    }
    be_alone();
    assert_int_equal(status_of(ranks[0]), 0);
    assert_int_equal(status_of(ranks[1]), 0);
    assert_done(wac("tune %s --out %s", at("tune.yaml"), at("whole")));
    assert_same_sweeps(at("whole"), at("ranks"), &sweep);
    assert_true(same_file(at("whole/tune.csv"), at("ranks/tune.csv"), false));
    wac_sweep_free(&sweep);
}

static void other_lists_are_refused(void **state)
{
    (void)state;
    make_sockets();
    pid_t first = start_rank(0, 2, SMALL_SWEEP("100000"), NULL, false);
    pid_t other = start_rank(1, 2, SMALL_SWEEP("7"), NULL, false);
    assert_int_equal(ending_of(first, 0).status, WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "rank 1 has another list of runs than rank 0",
                   "the same file and the same program");
    assert_int_equal(ending_of(other, 1).status, WAC_STATUS_OK);
    wait_for_orphans();
}

static void devices_are_for_one_process(void **state)
{
    (void)state;
    make_sockets();
    assert_int_equal(ending_of(start_rank(0, 2, SMALL_SWEEP("2"), NULL, true), 0).status,
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "one process", "without mpirun");
    assert_false(wac_path_exists(at("ranks")));
}

/* One of them is told to stop: all save what they have, and the sweep is interrupted. */
static void stopping_one_stops_all(void **state)
{
    (void)state;
    for (int told = 0; told < 2; told++) {
        make_sockets();
        pid_t ranks[2];
        for (int rank = 0; rank < 2; rank++)
            ranks[rank] = start_rank(rank, 2, SMALL_SWEEP("100000"), NULL, false);
        while (!wac_path_exists(at("ranks/lqg/sac/seed-1/checkpoint")) ||
               !wac_path_exists(at("ranks/lqg/sac/seed-2/checkpoint")))
            wait_ms(5);
        kill(ranks[told], SIGTERM);
        ending ending = ending_of(ranks[0], 0);
        assert_int_equal(ending.status, WAC_STATUS_INTERRUPTED);
        assert_true(ending.outcome.done == 0 && ending.outcome.failed == 0);
        assert_int_equal(ending.outcome.left, 6);
        assert_int_equal(ending_of(ranks[1], 1).status, WAC_STATUS_OK);
        remove_folder(at("ranks"));
    }
}

/* The process that trains for a rank is killed: that run has failed, and the rank goes on. */
static void a_killed_run_is_told_to_the_first(void **state)
{
    (void)state;
    make_sockets();
    pid_t ranks[2], worker = 0;
    for (int rank = 0; rank < 2; rank++)
        ranks[rank] = start_rank(rank, 2, SMALL_SWEEP("60"), NULL, false);
    while (!worker) {
        worker = child_of(ranks[1]);
        wait_ms(1);
    }
    kill(worker, SIGKILL);
    ending ending = ending_of(ranks[0], 0);
    assert_int_equal(ending.status, WAC_STATUS_OK);
    assert_int_equal(ending.outcome.failed, 1);
    assert_int_equal(ending.outcome.done, 5);
    assert_int_equal(ending_of(ranks[1], 1).status, WAC_STATUS_OK);
    ends_the_same(SMALL_SWEEP("60"));
}

/* A rank that cannot start a process says so of every run that it gets. */
static void ranks_without_processes(void **state)
{
    (void)state;
    make_sockets();
    pid_t first = start_rank(0, 2, SMALL_SWEEP("60"), NULL, false);
    pid_t other = start_rank(1, 2, SMALL_SWEEP("60"), "files", false);
    ending ending = ending_of(first, 0);
    assert_int_equal(ending.status, WAC_STATUS_OK);
    assert_true(ending.outcome.failed >= 1 && ending.outcome.done >= 1);
    assert_int_equal(ending.outcome.failed + ending.outcome.done, 6);
    assert_int_equal(ending_of(other, 1).status, WAC_STATUS_OK);
    ends_the_same(SMALL_SWEEP("60"));
}

/* Messages of the first rank do not get through: it says so, and nothing is lost. */
static void the_first_hears_nothing(void **state)
{
    (void)state;
    static const char *const ways[] = {"send 1", "receive 1", "receive 30"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        make_sockets();
        pid_t first = start_rank(0, 2, SMALL_SWEEP("30"), ways[i], false);
        pid_t other = start_rank(1, 2, SMALL_SWEEP("30"), NULL, false);
        assert_int_equal(ending_of(first, 0).status, WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, "the ranks cannot reach each other", "goes on from there");
        /* who comes too late finds nobody */
        wac_status status = ending_of(other, 1).status;
        assert_true(status == WAC_STATUS_OK || status == WAC_STATUS_IO);
        ends_the_same(SMALL_SWEEP("30"));
    }
}

/* Nor do those of another rank, at its beginning, at progress or at the end of a run. The first
 * would wait for it for ever, but whoever has started the ranks ends them all. */
static void others_hear_nothing(void **state)
{
    (void)state;
    static const char *const ways[] = {"send 1", "send 2", "send 3", "receive 1", "receive 9"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        make_sockets();
        pid_t first = start_rank(0, 2, SMALL_SWEEP("30"), NULL, false);
        pid_t other = start_rank(1, 2, SMALL_SWEEP("30"), ways[i], false);
        assert_int_equal(ending_of(other, 1).status, WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, "the ranks cannot reach each other", "goes on from there");
        kill(first, SIGKILL);
        (void)status_of(first);
        ends_the_same(SMALL_SWEEP("30"));
    }
}

/* --- joining them ------------------------------------------------------------------------------*/

static void environment_tells_of_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rank;
    } cases[] = {{"3", 3}, {"", 0}, {"x", 0}, {"3x", 0}, {"-3", 0}, {"99999999999", 0}};
    be_alone();
    assert_int_equal(wac_sweep_rank(), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("OMPI_COMM_WORLD_RANK", cases[i].text, 1);
        assert_int_equal(wac_sweep_rank(), cases[i].rank);
    }
    be_alone();
    setenv("PMIX_RANK", "2", 1);
    assert_int_equal(wac_sweep_rank(), 2);
    /* one task of srun, or none, is an ordinary process */
    wac_sweep_ranks ranks;
    for (int tasks = 0; tasks < 2; tasks++) {
        if (tasks)
            setenv("SLURM_STEP_NUM_TASKS", "1", 1);
        assert_ok(wac_sweep_ranks_join(&ranks, &error));
        assert_true(!ranks.table && ranks.rank == 0 && ranks.size == 1 && ranks.processor == -1);
    }
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    setenv("WAC_MPI_PLUGIN", at("nowhere.so"), 1);
    assert_int_equal(wac_sweep_ranks_join(&ranks, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "without the part that talks MPI", "libopenmpi-dev");
    be_alone();
}

static void ranks_have_places(void **state)
{
    (void)state;
    wac_sweep_ranks ranks;
    static const char *const ways[] = {NULL, "crowd", "start"};
    for (int i = 0; i < 3; i++) {
        make_sockets();
        be_rank(1, 4, ways[i]);
        wac_status status = wac_sweep_ranks_join(&ranks, &error);
        if (i == 2) {
            assert_int_equal(status, WAC_STATUS_IO);
            assert_message(WAC_STATUS_IO, "MPI does not start", "mpirun hostname");
            assert_null(ranks.table);
        } else {
            assert_ok(status);
            assert_true(ranks.rank == 1 && ranks.size == 4);
            assert_int_equal(ranks.processor, i == 0 ? 1 : -1);
            ranks.table->end();
        }
    }
    /* a sweep says so, too */
    wac_sweep sweep = parse(SMALL_SWEEP("2"));
    wac_sweep_outcome outcome;
    assert_int_equal(
        wac_sweep_execute(&sweep, at("ranks"), &(wac_sweep_options){0}, &outcome, &error),
        WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "MPI does not start", "");
    assert_false(wac_path_exists(at("ranks")));
    wac_sweep_free(&sweep);
    be_alone();
}

int main(void)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) /* orphans become ours */
        return 1;
    const struct CMUnitTest tests[] = {
        TEST(environment_tells_of_ranks), TEST(ranks_have_places),
        TEST(ranks_train_the_same),       TEST(ranks_halve),
        TEST(other_lists_are_refused),    TEST(devices_are_for_one_process),
        TEST(stopping_one_stops_all),     TEST(a_killed_run_is_told_to_the_first),
        TEST(ranks_without_processes),    TEST(the_first_hears_nothing),
        TEST(others_hear_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
