/* Trains presets and keeps their learning curves, two runs at a time. */
#ifndef WAC_TESTS_SUPPORT_LEARNING_CURVES_H
#define WAC_TESTS_SUPPORT_LEARNING_CURVES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/files.h"
#include "run/evaluate.h"
#include "run/run.h"
#include "run/train.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { LEARNING_EPOCHS = 64 };

typedef struct learning {
    const char *environment, *algorithm;
    int64_t seed, epochs;
    int posterior, trunk, network;
    double stop_at;                      /* end early once a return is as good; NaN: never */
    double returns[LEARNING_EPOCHS + 1]; /* by epoch */
    int64_t rows;
    double best;
    int64_t first_above; /* first epoch with at least `wanted`; -1: none */
    double wanted;
    volatile int stop;
    int64_t width, batch_size; /* not the preset's, unless 0 */
    double bonus_weight;       /* the same */
} learning;

static void learning_note(void *user, const wac_progress *progress)
{
    learning *l = user;
    if (!progress->is_row)
        return;
    l->returns[l->rows++] = progress->eval_return;
    l->best = fmax(l->best, progress->eval_return);
    if (progress->eval_return >= l->wanted && l->first_above < 0)
        l->first_above = progress->epoch;
    if (progress->eval_return >= l->stop_at)
        l->stop = 1;
}

static void learning_run(learning *l, int cpu)
{
    char directory[] = "/tmp/wac-learning-XXXXXX", path[64];
    wac_config config;
    wac_run *run;
    wac_error error = {0};
    l->best = -INFINITY;
    l->first_above = -1;
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/run", directory);
    assert_int_equal(wac_config_init(&config, l->environment, l->algorithm, &error), 0);
    config.seed = l->seed;
    config.epochs = l->epochs;
    config.width = l->width ? l->width : config.width;
    config.batch_size = l->batch_size ? l->batch_size : config.batch_size;
    config.bonus_weight = l->bonus_weight > 0 ? l->bonus_weight : config.bonus_weight;
    config.posterior = l->posterior;
    config.trunk = l->trunk;
    config.network = l->network;
    wac_run_options options = wac_run_options_default();
    options.first_cpu = cpu;
    options.progress = learning_note;
    options.user = l;
    options.stop = &l->stop;
    wac_status status = wac_run_create(&run, &config, NULL, path, &options, &error);
    if (status == WAC_STATUS_OK) {
        status = wac_run_train(run, &error);
        wac_run_destroy(run);
    }
    if (status != WAC_STATUS_OK && status != WAC_STATUS_INTERRUPTED)
        fail_msg("%s", error.message);
    assert_int_equal(wac_directory_remove(directory, &error), 0);
    printf("%-10s %-7s seed %lld: best return %8.4g", l->environment, l->algorithm,
           (long long)l->seed, l->best);
    if (l->first_above >= 0)
        printf(", first %g or more at epoch %lld", l->wanted, (long long)l->first_above);
    printf("\n");
    fflush(stdout);
}

/* the runs of a list, shared by two threads */
typedef struct learning_queue {
    learning *runs;
    int count, next;
    pthread_mutex_t mutex;
} learning_queue;

typedef struct learning_worker {
    learning_queue *queue;
    int cpu;
} learning_worker;

static void *learning_serve(void *user)
{
    learning_worker *worker = user;
    for (;;) {
        pthread_mutex_lock(&worker->queue->mutex);
        int mine = worker->queue->next++;
        pthread_mutex_unlock(&worker->queue->mutex);
        if (mine >= worker->queue->count)
            return NULL;
        learning_run(&worker->queue->runs[mine], worker->cpu);
    }
}

static void learning_run_all(learning *runs, int count)
{
    learning_queue queue = {runs, count, 0, PTHREAD_MUTEX_INITIALIZER};
    learning_worker workers[2] = {{&queue, 0}, {&queue, 1}};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, learning_serve, &workers[1]), 0);
    learning_serve(&workers[0]);
    pthread_join(thread, NULL);
}

/* the best linear controller of the noiseless LQG: u = -0.618 x; x = 4 observation, u = 4 action */
static void linear_controller(void *user, const float *observation, float *action)
{
    (void)user;
    action[0] = -0.618f * observation[0];
}

/* Its return from the starts, and with the noise, of the evaluation at `epoch` of a seed. */
static double lqg_reference(int64_t seed, int64_t epoch)
{
    wac_config config;
    wac_world *world;
    wac_error error;
    wac_evaluation evaluation;
    assert_int_equal(wac_config_init(&config, "lqg", NULL, &error), 0);
    const wac_environment_type *type;
    assert_int_equal(wac_environment_type_find(&type, "lqg", &error), 0);
    assert_int_equal(wac_world_create(&world, type, &config, &error), 0);
    wac_rng rng = wac_run_evaluation_rng(seed, epoch);
    assert_int_equal(wac_evaluate(&evaluation, world, &rng, config.evaluation_steps, 0,
                                  linear_controller, NULL, NULL, &error),
                     0);
    wac_world_destroy(world);
    return evaluation.mean_return;
}

#endif
