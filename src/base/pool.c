/* Jobs in a list; threads take pieces of the first that has any left. */
#include "base/pool.h"

#include "base/status.h"

#include <pthread.h>
#include <stdlib.h>

/* What a caller has handed in; it lies on its stack. */
typedef struct job {
    wac_piece_fn *run;
    void *work;
    int count, next, done;
    struct job *later;
} job;

struct wac_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wanted, done; /* there is a piece; a job is over */
    job *first;                  /* those with pieces left */
    bool quit;
    int threads;
    pthread_t members[];
};

/* Take a piece of a job and do it; the mutex is held before and after. */
static void do_piece(wac_pool *pool, job *job)
{
    int piece = job->next++;
    if (job->next == job->count) {
        struct job **link = &pool->first;
        while (*link != job)
            link = &(*link)->later;
        *link = job->later;
    }
    pthread_mutex_unlock(&pool->mutex);
    job->run(job->work, piece);
    pthread_mutex_lock(&pool->mutex);
    if (++job->done == job->count)
        pthread_cond_broadcast(&pool->done);
}

static void *serve(void *argument)
{
    wac_pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->quit) {
        if (pool->first)
            do_piece(pool, pool->first);
        else
            pthread_cond_wait(&pool->wanted, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

wac_status wac_pool_create(wac_pool **out, int threads, wac_error *error)
{
    wac_pool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof *pool->members);
    if (!pool)
        return wac_fail_memory(error, "the threads");
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wanted, NULL);
    pthread_cond_init(&pool->done, NULL);
    while (pool->threads < threads &&
           pthread_create(&pool->members[pool->threads], NULL, serve, pool) == 0)
        pool->threads++;
    *out = pool;
    return WAC_STATUS_OK;
}

void wac_pool_destroy(wac_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->quit = true;
    pthread_cond_broadcast(&pool->wanted);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->threads; i++)
        pthread_join(pool->members[i], NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wanted);
    pthread_cond_destroy(&pool->done);
    free(pool);
}

void wac_pool_run(wac_pool *pool, wac_piece_fn *run, void *work, int count)
{
    for (int piece = 0; !pool && piece < count; piece++)
        run(work, piece);
    if (!pool || count == 0)
        return;
    job job = {.run = run, .work = work, .count = count};
    pthread_mutex_lock(&pool->mutex);
    struct job **last = &pool->first;
    while (*last)
        last = &(*last)->later;
    *last = &job;
    /* this thread takes pieces, too: no more are woken than it leaves */
    for (int i = 0; i < pool->threads && i < count - 1; i++)
        pthread_cond_signal(&pool->wanted);
    while (job.next < job.count)
        do_piece(pool, &job);
    while (job.done < job.count)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
