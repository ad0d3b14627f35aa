/* A pinned team around one generation counter: raising it starts a round, and a count of those
 * still at work ends it. A waiting thread spins (rounds follow one another within microseconds),
 * then yields, then sleeps on a condition. */
#include "base/threads.h"

#include "base/status.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { SPINS = 20000, YIELDS = 200 };

typedef struct member {
    wac_team *team;
    pthread_t thread;
    int index;
    int cpu; /* -1: anywhere */
} member;

struct wac_team {
    int threads;
    int spins; /* before a waiting thread yields */
    bool caller_pinned;
    cpu_set_t caller_cpus;
    /* the round: written by the caller before the generation rises */
    wac_piece_fn *run;
    void *work;
    int count;
    bool quit;
    _Alignas(64) atomic_uint generation;
    _Alignas(64) atomic_int busy;
    _Alignas(64) atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    member members[];
};

static inline void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void run_share(wac_team *team, int index)
{
    int first = (int)((int64_t)team->count * index / team->threads);
    int end = (int)((int64_t)team->count * (index + 1) / team->threads);
    for (int piece = first; piece < end; piece++)
        team->run(team->work, piece);
}

/* Wait until the generation leaves `seen`; return the new one. */
static unsigned wait_round(wac_team *team, unsigned seen)
{
    unsigned now;
    for (int i = 0; i < team->spins + YIELDS; i++) {
        now = atomic_load_explicit(&team->generation, memory_order_acquire);
        if (now != seen)
            return now;
        if (i < team->spins)
            pause_briefly();
        else
            sched_yield();
    }
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->sleepers, 1);
    while ((now = atomic_load(&team->generation)) == seen)
        pthread_cond_wait(&team->wake, &team->mutex);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->mutex);
    return now;
}

static void start_round(wac_team *team)
{
    atomic_store(&team->busy, team->threads - 1);
    atomic_fetch_add(&team->generation, 1);
    if (atomic_load(&team->sleepers) > 0) {
        pthread_mutex_lock(&team->mutex);
        pthread_cond_broadcast(&team->wake);
        pthread_mutex_unlock(&team->mutex);
    }
}

static void pin(pthread_t thread, int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    /* a container may forbid it; then the thread roams, which costs only speed */
    (void)pthread_setaffinity_np(thread, sizeof set, &set);
}

static void *serve(void *argument)
{
    member *self = argument;
    wac_team *team = self->team;
    if (self->cpu >= 0)
        pin(pthread_self(), self->cpu);
    for (unsigned seen = 0;;) {
        seen = wait_round(team, seen);
        if (team->quit)
            return NULL;
        run_share(team, self->index);
        atomic_fetch_sub_explicit(&team->busy, 1, memory_order_release);
    }
}

/* The wanted-th processor of the set, which is not empty, counting round and round. */
static int nth_cpu(const cpu_set_t *set, int wanted)
{
    int cpu = -1;
    for (wanted %= CPU_COUNT(set); wanted >= 0; wanted -= CPU_ISSET((size_t)cpu, set) != 0)
        cpu++;
    return cpu;
}

wac_status wac_team_create(wac_team **out, int threads, int first_cpu, wac_error *error)
{
    assert(threads >= 1);
    size_t bytes = sizeof(wac_team) + (size_t)threads * sizeof(member);
    wac_team *team = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!team)
        return wac_fail_memory(error, "the thread team");
    memset(team, 0, bytes);
    team->threads = threads;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->wake, NULL);

    bool known =
        pthread_getaffinity_np(pthread_self(), sizeof team->caller_cpus, &team->caller_cpus) == 0;
    bool pinned = known && (first_cpu >= 0 || threads > 1);
    if (first_cpu < 0)
        first_cpu = 0;
    /* with more threads than processors, whoever spins keeps another from working */
    team->spins = known && threads > CPU_COUNT(&team->caller_cpus) ? 0 : SPINS;

    for (int i = 0; i < threads; i++)
        team->members[i] = (member){team, pthread_self(), i,
                                    pinned ? nth_cpu(&team->caller_cpus, first_cpu + i) : -1};
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&team->members[i].thread, NULL, serve, &team->members[i]) != 0) {
            team->threads = i;
            wac_team_destroy(team);
            return wac_fail(
                error, WAC_STATUS_MEMORY,
                "cannot start thread %d of %d, for want of memory or of threads; ask for "
                "fewer with --threads",
                i + 1, threads);
        }
    }
    if (pinned) {
        pin(pthread_self(), team->members[0].cpu);
        team->caller_pinned = true;
    }
    *out = team;
    return WAC_STATUS_OK;
}

/* Give the caller its processors back, unless another team, or the caller, moved it since. */
static void unpin_caller(const wac_team *team)
{
    cpu_set_t now;
    if (pthread_getaffinity_np(pthread_self(), sizeof now, &now) == 0 && CPU_COUNT(&now) == 1 &&
        CPU_ISSET((size_t)team->members[0].cpu, &now))
        (void)pthread_setaffinity_np(pthread_self(), sizeof team->caller_cpus, &team->caller_cpus);
}

void wac_team_destroy(wac_team *team)
{
    if (!team)
        return;
    team->quit = true;
    start_round(team);
    for (int i = 1; i < team->threads; i++)
        pthread_join(team->members[i].thread, NULL);
    if (team->caller_pinned)
        unpin_caller(team);
    pthread_cond_destroy(&team->wake);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

int wac_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int wac_team_threads(const wac_team *team)
{
    return team ? team->threads : 1;
}

void wac_team_run(wac_team *team, wac_piece_fn *run, void *work, int count)
{
    if (!team || team->threads == 1 || count <= 1) {
        for (int piece = 0; piece < count; piece++)
            run(work, piece);
        return;
    }
    team->run = run;
    team->work = work;
    team->count = count;
    start_round(team);
    run_share(team, 0);
    for (int i = 0; atomic_load_explicit(&team->busy, memory_order_acquire) > 0; i++) {
        if (i < team->spins)
            pause_briefly();
        else
            sched_yield();
    }
}

typedef struct deal {
    wac_item_fn *run;
    void *work;
    int items; /* of each thread */
} deal;

static void run_hand(void *work, int thread)
{
    const deal *deal = work;
    for (int i = 0; i < deal->items; i++)
        deal->run(deal->work, NULL, thread * deal->items + i, thread);
}

void wac_team_deal(wac_team *team, wac_item_fn *run, void *work, int count)
{
    int threads = wac_team_threads(team);
    if (count % threads == 0) {
        deal deal = {run, work, count / threads};
        wac_team_run(team, run_hand, &deal, threads);
        return;
    }
    for (int i = 0; i < count; i++)
        run(work, team, i, 0);
}
