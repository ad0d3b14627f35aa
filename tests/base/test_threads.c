/* The thread team: every piece once, whatever the numbers; idle, oversubscribed, short-lived teams;
 * and the caller's processors given back. */
#include "base/threads.h"

#include "base/clock.h"
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIECES = 1000 };

/* As on a machine with more processors than a set has room for. */
static bool unknown_processors;

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
    (void)thread; /* always the caller's */
    return sched_getaffinity(0, size, set) == 0 ? 0 : errno;
}

int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    memset(set, 0, size);
    if (!unknown_processors)
        return syscall(SYS_sched_getaffinity, process, size, set) < 0 ? -1 : 0;
    errno = EINVAL;
    return -1;
}

/* Plain numbers, on purpose: the thread sanitizer then checks that rounds order all access. */
typedef struct tally {
    int runs[PIECES];
} tally;

static void count_piece(void *work, int piece)
{
    tally *tally = work;
    tally->runs[piece]++;
}

static wac_team *make(int threads, int first_cpu)
{
    wac_team *team = NULL;
    wac_error error = {0};
    assert_int_equal(wac_team_create(&team, threads, first_cpu, &error), WAC_STATUS_OK);
    assert_int_equal(wac_team_threads(team), threads);
    return team;
}

static void assert_runs(const tally *tally, int count, int runs)
{
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(tally->runs[i], i < count ? runs : 0);
}

static void every_piece_runs_once(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 64, 100, 999, PIECES};
    for (int threads = 1; threads <= 4; threads++) {
        wac_team *team = make(threads, -1);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            tally tally = {0};
            for (int round = 1; round <= 20; round++) {
                wac_team_run(team, count_piece, &tally, counts[c]);
                assert_runs(&tally, counts[c], round);
            }
        }
        wac_team_destroy(team);
    }
}

/* thread t of T takes pieces t*n/T up to (t+1)*n/T, in order: a network stays with its thread */
typedef struct owners {
    pthread_t thread[PIECES];
    int order[PIECES]; /* of the piece within its thread */
} owners;

static _Thread_local int pieces_done;

static void note_owner(void *work, int piece)
{
    owners *owners = work;
    owners->thread[piece] = pthread_self();
    owners->order[piece] = pieces_done++;
}

static void pieces_stay_with_their_thread(void **state)
{
    (void)state;
    static owners owners, again;
    wac_team *team = make(3, -1);
    wac_team_run(team, note_owner, &owners, 10);
    wac_team_run(team, note_owner, &again, 10);
    wac_team_destroy(team);
    assert_memory_equal(owners.thread, again.thread, sizeof owners.thread);
    static const int shares[] = {0, 3, 6, 10};
    for (int t = 0; t < 3; t++)
        for (int i = shares[t]; i < shares[t + 1]; i++) {
            assert_true(pthread_equal(owners.thread[i], owners.thread[shares[t]]));
            assert_int_equal(owners.order[i] - owners.order[shares[t]], i - shares[t]);
        }
    assert_true(pthread_equal(owners.thread[0], pthread_self()));
    assert_false(pthread_equal(owners.thread[3], owners.thread[6]));
}

static void many_rounds_lose_nothing(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    wac_team *team = make(2, -1);
    tally tally = {0};
    for (int round = 0; round < ROUNDS; round++)
        wac_team_run(team, count_piece, &tally, 4);
    wac_team_destroy(team);
    assert_runs(&tally, 4, ROUNDS);
}

static void more_threads_than_processors(void **state)
{
    (void)state;
    enum { ROUNDS = 300 };
    wac_team *team = make(8, -1);
    tally tally = {0};
    double start = wac_clock_seconds();
    for (int round = 1; round <= ROUNDS; round++)
        wac_team_run(team, count_piece, &tally, 100);
    double seconds = wac_clock_seconds() - start;
    assert_runs(&tally, 100, ROUNDS);
    /* and more threads than pieces */
    memset(&tally, 0, sizeof tally);
    for (int round = 1; round <= 20; round++) {
        wac_team_run(team, count_piece, &tally, 3);
        assert_runs(&tally, 3, round);
    }
    wac_team_destroy(team);
    print_message("8 threads: %.0f us a round\n", seconds / ROUNDS * 1e6);
    assert_true(seconds < 60);
}

static void idle_teams_sleep_and_wake(void **state)
{
    (void)state;
    wac_team *team = make(3, -1);
    tally tally = {0};
    for (int round = 1; round <= 10; round++) {
        wac_team_run(team, count_piece, &tally, 30);
        assert_runs(&tally, 30, round);
        usleep(50000);
    }
    /* by now they are asleep: half a second costs next to nothing */
    double before = wac_clock_processor_seconds();
    usleep(500000);
    assert_true(wac_clock_processor_seconds() - before < 0.1);
    wac_team_run(team, count_piece, &tally, 30);
    assert_runs(&tally, 30, 11);
    /* moments around the one when they fall asleep */
    for (int round = 12; round <= 400; round++) {
        usleep((useconds_t)(round * 7));
        wac_team_run(team, count_piece, &tally, 30);
        assert_runs(&tally, 30, round);
    }
    wac_team_destroy(team);
    /* destroyed asleep */
    team = make(3, -1);
    usleep(50000);
    wac_team_destroy(team);
}

static void teams_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        wac_team *team = make(1 + i % 4, i % 3 - 1);
        tally tally = {0};
        if (i % 2) {
            wac_team_run(team, count_piece, &tally, 9);
            assert_runs(&tally, 9, 1);
        }
        wac_team_destroy(team);
    }
    wac_team_destroy(NULL);
}

static cpu_set_t own_processors(void)
{
    cpu_set_t set;
    assert_int_equal(pthread_getaffinity_np(pthread_self(), sizeof set, &set), 0);
    return set;
}

static cpu_set_t at_start;

static void note_processors(void *work, int piece)
{
    ((cpu_set_t *)work)[piece] = own_processors();
}

static void processors_are_given_back(void **state)
{
    (void)state;
    const cpu_set_t before = own_processors();
    assert_true(CPU_EQUAL(&before, &at_start)); /* by all the teams of the tests before */
    for (int threads = 1; threads <= 3; threads++) {
        for (int first = -1; first <= 5; first++) {
            wac_team *team = make(threads, first);
            cpu_set_t now = own_processors();
            bool pinned = first >= 0 || threads > 1;
            assert_int_equal(CPU_COUNT(&now), pinned ? 1 : CPU_COUNT(&before));
            cpu_set_t members[3];
            wac_team_run(team, note_processors, members, threads);
            for (int t = 0; t < threads && pinned; t++)
                assert_int_equal(CPU_COUNT(&members[t]), 1);
            if (threads > 1 && CPU_COUNT(&before) > 1)
                assert_false(CPU_EQUAL(&members[0], &members[1]));
            wac_team_destroy(team);
            now = own_processors();
            assert_true(CPU_EQUAL(&before, &now));
        }
    }
    /* two teams of one caller, in either order of leaving */
    for (int order = 0; order < 2; order++) {
        wac_team *teams[2] = {make(2, -1), make(2, -1)};
        wac_team_destroy(teams[order]);
        wac_team_destroy(teams[1 - order]);
        cpu_set_t now = own_processors();
        assert_true(CPU_EQUAL(&before, &now));
    }
}

/* Threads roam where nobody knows the processors, and nothing else is other. */
static void processors_may_be_unknown(void **state)
{
    (void)state;
    assert_int_equal(wac_processors(), CPU_COUNT(&at_start));
    for (int threads = 1; threads <= 3; threads += 2) {
        unknown_processors = true;
        assert_int_equal(wac_processors(), 1);
        wac_team *team = make(threads, threads);
        unknown_processors = false;
        cpu_set_t now = own_processors();
        assert_true(CPU_EQUAL(&now, &at_start));
        tally tally = {0};
        wac_team_run(team, count_piece, &tally, 30);
        assert_runs(&tally, 30, 1);
        wac_team_destroy(team);
    }
    /* not to be told at the end, either: then the caller stays where it is */
    wac_team *team = make(1, 0);
    cpu_set_t pinned = own_processors();
    unknown_processors = true;
    wac_team_destroy(team);
    unknown_processors = false;
    cpu_set_t now = own_processors();
    assert_true(CPU_EQUAL(&now, &pinned));
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof at_start, &at_start), 0);
}

static void pools_do_nothing_of_nothing(void **state)
{
    (void)state;
    wac_pool *pool;
    wac_error error = {0};
    assert_int_equal(wac_pool_create(&pool, 2, &error), WAC_STATUS_OK);
    wac_pool *const pools[] = {pool, NULL};
    for (int i = 0; i < 2; i++) {
        tally tally = {0};
        wac_pool_run(pools[i], count_piece, &tally, 0);
        assert_runs(&tally, 0, 0);
        wac_pool_run(pools[i], count_piece, &tally, 5);
        assert_runs(&tally, 5, 1);
    }
    wac_pool_destroy(pool);
}

/* Teams in threads of their own never meet. */
static void *run_own_team(void *argument)
{
    wac_error error = {0};
    wac_team *team;
    tally *tally = argument;
    if (wac_team_create(&team, 2, -1, &error))
        return NULL;
    for (int round = 0; round < 500; round++)
        wac_team_run(team, count_piece, tally, 50);
    wac_team_destroy(team);
    return NULL;
}

static void teams_are_independent(void **state)
{
    (void)state;
    static tally tallies[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_own_team, &tallies[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
        assert_runs(&tallies[i], 50, 500);
}

int main(void)
{
    at_start = own_processors();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_runs_once),
        cmocka_unit_test(pieces_stay_with_their_thread),
        cmocka_unit_test(many_rounds_lose_nothing),
        cmocka_unit_test(more_threads_than_processors),
        cmocka_unit_test(idle_teams_sleep_and_wake),
        cmocka_unit_test(teams_come_and_go),
        cmocka_unit_test(processors_are_given_back),
        cmocka_unit_test(teams_are_independent),
        cmocka_unit_test(processors_may_be_unknown),
        cmocka_unit_test(pools_do_nothing_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
