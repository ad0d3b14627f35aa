/* The training loop beside bare updates: a real run in a temporary folder, which stops after every
 * evaluation to time some updates of its own agent. An epoch is what lies between two such stops:
 * exploration, updates, checkpoint, evaluation, a row of the log. */
#include "bench/train.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "bench/update.h"
#include "run/run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BARE_UPDATES = 100 };

typedef struct observer {
    wac_run *run;
    int stops; /* so far; one more than epochs */
    double bare_before;
    double bare;              /* sums over epochs, in seconds of an epoch's updates */
    double spent[WAC_PHASES]; /* the same of the loop */
    double *shares;           /* [epochs] */
    wac_error error;          /* of a bare update */
} observer;

/* Seconds that the updates of an epoch take alone. */
static double time_bare(observer *seen)
{
    wac_losses losses;
    double start = wac_clock_seconds();
    for (int i = 0; i < BARE_UPDATES && seen->error.status == WAC_STATUS_OK; i++)
        seen->error.status = wac_agent_update(seen->run->agent, &losses, &seen->error);
    double each = (wac_clock_seconds() - start) / BARE_UPDATES;
    return each * (double)seen->run->config.updates;
}

static void observe(void *user, const wac_progress *progress)
{
    observer *seen = user;
    wac_run *run = seen->run;
    if (!progress->is_row)
        return;
    double bare = time_bare(seen);
    if (seen->stops > 0) {
        double whole = 0, mean_bare = (seen->bare_before + bare) / 2;
        for (int i = 0; i < WAC_PHASES; i++) {
            seen->spent[i] += run->spent[i];
            whole += run->spent[i];
        }
        seen->bare += mean_bare;
        seen->shares[seen->stops - 1] = mean_bare / whole;
    }
    seen->bare_before = bare;
    seen->stops++;
    memset(run->spent, 0, sizeof run->spent);
    run->phase_start = wac_clock_seconds();
}

static void summarise(wac_bench_loop *loop, const observer *seen, int epochs)
{
    wac_sort(seen->shares, (size_t)epochs);
    *loop = (wac_bench_loop){
        .epochs = epochs,
        .bare = seen->bare / epochs,
        .update = seen->spent[WAC_PHASE_UPDATE] / epochs,
        .explore = seen->spent[WAC_PHASE_EXPLORE] / epochs,
        .evaluate = seen->spent[WAC_PHASE_EVALUATE] / epochs,
        .log = seen->spent[WAC_PHASE_LOG] / epochs,
        .checkpoint = seen->spent[WAC_PHASE_CHECKPOINT] / epochs,
        .share = (seen->shares[(epochs - 1) / 2] + seen->shares[epochs / 2]) / 2,
        .spread = seen->shares[epochs - 1] - seen->shares[0],
    };
}

static wac_status train(observer *seen, const wac_config *config, const char *directory,
                        const wac_run_options *options, wac_error *error)
{
    WAC_TRY(wac_run_create(&seen->run, config, NULL, directory, options, error));
    wac_bench_fill(seen->run->agent, 0, WAC_BENCH_TRANSITIONS);
    wac_status status = wac_run_train(seen->run, error);
    wac_run_destroy(seen->run);
    if (status == WAC_STATUS_OK && seen->error.status != WAC_STATUS_OK)
        status = wac_fail(error, seen->error.status, "%s", seen->error.message);
    return status;
}

wac_status wac_bench_train(wac_bench_loop *loop, const wac_config *config, int threads,
                           const volatile int *stop, wac_error *error)
{
    assert(config->epochs >= 1 && config->stop_success == 0);
    int epochs = (int)config->epochs;
    char folder[PATH_MAX], directory[PATH_MAX];
    WAC_TRY(wac_directory_temporary(folder, sizeof folder, "wac-bench", error));
    observer seen = {.shares = calloc((size_t)epochs, sizeof(double))};
    wac_run_options options = wac_run_options_default();
    options.threads = threads;
    options.first_cpu = 0;
    options.progress = observe;
    options.user = &seen;
    options.stop = stop;
    wac_status status = seen.shares ? wac_path_join(directory, PATH_MAX, folder, "run", error)
                                    : wac_fail_memory(error, "the epochs");
    if (status == WAC_STATUS_OK)
        status = train(&seen, config, directory, &options, error);
    if (status == WAC_STATUS_OK)
        summarise(loop, &seen, epochs);
    free(seen.shares);
    wac_error ignored;
    wac_status removed = wac_directory_remove(folder, status ? &ignored : error);
    return status ? status : removed;
}
