/* Whole epochs, as a sweep has them (sweep/child.h), and bare updates of the same groups. Groups
 * are at different points of different rounds at any moment, so both are measured over a stretch of
 * time in which all of them are at work: from the moment when the last has ended its first round
 * until the first ends its last. What a group did up to a moment within a round is in proportion.
 */
#include "bench/epochs.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/status.h"
#include "base/stop.h"
#include "bench/gpu.h"
#include "sweep/child.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAZES = 4,
    ENDLESS = 100000, /* epochs: they are stopped */
    CAPACITY = 100000 /* of replays: more than they come to hold */
};

/* What a group has done up to the end of a round. */
enum {
    TIME,
    BUSY,
    UPDATES,
    EPOCHS,
    PARTS,
    PHASES = PARTS + WAC_LOCKSTEP_PARTS,
    VALUES = PHASES + WAC_PHASES
};
typedef struct tally {
    double values[VALUES];
} tally;

typedef struct track {
    const void *group; /* whatever tells it from others */
    wac_algorithm algorithm;
    int runs;
    tally *rounds; /* [count] */
    int count, room;
} track;

typedef struct observer {
    pthread_mutex_t mutex;
    track tracks[WAC_BENCH_GROUPS];
    int groups;                /* that there will be */
    int wanted;                /* rounds of each */
    const volatile int *asked; /* by the user … */
    volatile int stop;         /* … or by us: all have had enough */
    bool failed;               /* no memory */
} observer;

static track *find_track(observer *seen, const void *group)
{
    for (int i = 0; i < seen->groups; i++)
        if (!seen->tracks[i].group || seen->tracks[i].group == group)
            return &seen->tracks[i];
    return NULL;
}

static void add_round(observer *seen, track *track, const tally *tally)
{
    if (track->count == track->room) {
        int room = 2 * track->room + 16;
        void *rounds = realloc(track->rounds, (size_t)room * sizeof *track->rounds);
        if (!rounds) {
            seen->failed = true;
            return;
        }
        track->rounds = rounds;
        track->room = room;
    }
    track->rounds[track->count++] = *tally;
}

/* A group has ended a round. Once all have had enough, nothing counts any more. */
static void note_round(observer *seen, const void *group, wac_algorithm algorithm, int runs,
                       tally *tally)
{
    pthread_mutex_lock(&seen->mutex);
    track *track = find_track(seen, group);
    if (track && !wac_asked_to_stop(&seen->stop)) {
        track->group = group;
        track->algorithm = algorithm;
        track->runs = runs;
        tally->values[TIME] = wac_clock_seconds();
        tally->values[BUSY] = wac_clock_processor_seconds();
        add_round(seen, track, tally);
    }
    bool enough = true;
    for (int i = 0; i < seen->groups; i++)
        enough = enough && seen->tracks[i].count >= seen->wanted;
    if (enough || seen->failed || !track || wac_asked_to_stop(seen->asked))
        __atomic_store_n(&seen->stop, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&seen->mutex);
}

static void begin(observer *seen, const wac_bench_epochs *bench, const volatile int *asked)
{
    *seen = (observer){.mutex = PTHREAD_MUTEX_INITIALIZER,
                       .groups = bench->count,
                       .wanted = bench->epochs + 1,
                       .asked = asked};
}

static void end(observer *seen)
{
    for (int i = 0; i < seen->groups; i++)
        free(seen->tracks[i].rounds);
}

static wac_status check(const observer *seen, wac_error *error)
{
    if (wac_asked_to_stop(seen->asked))
        return wac_fail(error, WAC_STATUS_INTERRUPTED, "interrupted");
    for (int i = 0; i < seen->groups; i++)
        if (seen->failed || seen->tracks[i].count < seen->wanted)
            return wac_fail_memory(error, "the rounds of the groups");
    return WAC_STATUS_OK;
}

/* --- the stretch of time in which all are at work ----------------------------------------------
 */

static double value_at(const track *track, double time, int value)
{
    int i = 1;
    while (i < track->count - 1 && track->rounds[i].values[TIME] < time)
        i++;
    const double *before = track->rounds[i - 1].values, *after = track->rounds[i].values;
    double share = (time - before[TIME]) / (after[TIME] - before[TIME]);
    return before[value] + share * (after[value] - before[value]);
}

/* A value's growth in a second, of all groups together. */
static double growth(const observer *seen, int value)
{
    double from = 0, to = 0, sum = 0;
    for (int i = 0; i < seen->groups; i++) {
        const track *track = &seen->tracks[i];
        double first = track->rounds[0].values[TIME];
        double last = track->rounds[track->count - 1].values[TIME];
        from = i == 0 || first > from ? first : from;
        to = i == 0 || last < to ? last : to;
    }
    for (int i = 0; i < seen->groups; i++)
        sum += value_at(&seen->tracks[i], to, value) - value_at(&seen->tracks[i], from, value);
    return sum / (to - from);
}

static wac_bench_group group_of(const track *track)
{
    wac_bench_group group = {.algorithm = track->algorithm, .runs = track->runs};
    const double *first = track->rounds[0].values, *last = track->rounds[track->count - 1].values;
    double rounds = track->count - 1;
    group.seconds = (last[TIME] - first[TIME]) / rounds;
    for (int i = 0; i < WAC_LOCKSTEP_PARTS; i++)
        group.parts[i] = (last[PARTS + i] - first[PARTS + i]) / rounds;
    return group;
}

/* --- whole epochs ------------------------------------------------------------------------------
 */

static void observe(void *user, const wac_lockstep *all)
{
    tally tally = {0};
    const wac_run *any = NULL;
    int runs = 0;
    for (int i = 0; i < all->count; i++) {
        const wac_run *run = all->runs[i];
        if (!run)
            continue;
        any = run;
        runs++;
        tally.values[UPDATES] += (double)run->position.updates;
        tally.values[EPOCHS] += (double)run->position.epoch;
        for (int k = 0; k < WAC_PHASES; k++)
            tally.values[PHASES + k] += run->spent[k];
    }
    memcpy(tally.values + PARTS, all->watch->spent, sizeof all->watch->spent);
    if (any)
        note_round(user, all->watch, (wac_algorithm)any->config.algorithm, runs, &tally);
}

static wac_status list_runs(wac_sweep *sweep, const wac_bench_epochs *bench, wac_error *error)
{
    sweep->runs =
        calloc((size_t)MAZES * (size_t)bench->count * (size_t)bench->seeds, sizeof *sweep->runs);
    if (!sweep->runs)
        return wac_fail_memory(error, "the runs");
    for (int i = 0; i < MAZES * bench->count * bench->seeds; i++) {
        wac_sweep_run *run = &sweep->runs[sweep->count++];
        int seed = i % bench->seeds + 1, maze = i / bench->seeds % MAZES + 1;
        const char *algorithm = wac_algorithm_name(bench->algorithms[i / bench->seeds / MAZES]);
        char name[16];
        snprintf(name, sizeof name, "point-%d", maze);
        snprintf(run->folder, sizeof run->folder, "%s/%s/seed-%d", name, algorithm, seed);
        WAC_TRY(wac_config_init(&run->config, name, algorithm, error));
        run->config.seed = seed;
        run->config.precision = (int)bench->precision;
        run->config.epochs = run->config.checkpoint_interval = ENDLESS;
        run->config.replay_capacity = CAPACITY;
        run->config.replay_checkpoint = WAC_REPLAY_CHECKPOINT_NONE;
    }
    return WAC_STATUS_OK;
}

/* Why a run has ended, if not because it was stopped. */
static wac_status read_messages(const char *path, wac_error *error)
{
    char *bytes;
    size_t size;
    WAC_TRY(wac_file_read(&bytes, &size, path, (size_t)1 << 30, error));
    wac_status status = WAC_STATUS_OK;
    for (size_t at = 0; at + sizeof(wac_sweep_message) <= size && status == WAC_STATUS_OK;
         at += sizeof(wac_sweep_message)) {
        wac_sweep_message message;
        memcpy(&message, bytes + at, sizeof message);
        if (message.word == WAC_SWEEP_WORD_END && message.status != WAC_STATUS_OK &&
            message.status != WAC_STATUS_INTERRUPTED)
            status = wac_fail(error, message.status, "%s", message.reason);
    }
    free(bytes);
    return status;
}

static wac_status train(observer *seen, const wac_bench_epochs *bench, const wac_sweep *sweep,
                        const char *folder, int processors, wac_error *error)
{
    char path[PATH_MAX];
    wac_lockstep_watch watch = {.round = observe, .user = seen};
    wac_sweep_errand *errands = calloc(sweep->count, sizeof *errands);
    if (!errands)
        return wac_fail_memory(error, "the runs");
    for (size_t i = 0; i < sweep->count; i++)
        errands[i] = (wac_sweep_errand){i, sweep->runs[i].config.epochs};
    wac_status status = wac_path_join(path, sizeof path, folder, "messages", error);
    int file = status ? -1 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (!status && file < 0)
        status = wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    if (!status) {
        wac_sweep_child_train(&(wac_sweep_task){.sweep = sweep,
                                                .directory = folder,
                                                .errands = errands,
                                                .count = sweep->count,
                                                .device = WAC_DEVICE_CUDA,
                                                .gpus = 1,
                                                .groups = bench->count,
                                                .seats = MAZES * bench->seeds,
                                                .threads = processors,
                                                .apart = true,
                                                .watch = &watch},
                              file, &seen->stop);
        status = read_messages(path, error);
    }
    if (file >= 0)
        close(file);
    free(errands);
    return status ? status : check(seen, error);
}

static wac_status measure_epochs(wac_bench_epochs_result *result, const wac_bench_epochs *bench,
                                 const volatile int *stop, wac_error *error)
{
    observer seen;
    wac_sweep sweep = {0};
    char folder[PATH_MAX];
    WAC_TRY(wac_directory_temporary(folder, sizeof folder, "wac-bench", error));
    begin(&seen, bench, stop);
    result->processors = wac_processors();
    wac_status status = list_runs(&sweep, bench, error);
    if (status == WAC_STATUS_OK)
        status = train(&seen, bench, &sweep, folder, result->processors, error);
    if (status == WAC_STATUS_OK) {
        result->runs = (int)sweep.count;
        result->rate = growth(&seen, UPDATES);
        result->busy = growth(&seen, BUSY) / seen.groups / result->processors;
        for (int i = 0; i < WAC_PHASES; i++)
            result->phases[i] = growth(&seen, PHASES + i) / growth(&seen, EPOCHS);
        for (int i = 0; i < seen.groups; i++)
            result->groups[result->count++] = group_of(&seen.tracks[i]);
    }
    end(&seen);
    wac_sweep_free(&sweep);
    wac_error ignored;
    wac_status removed = wac_directory_remove(folder, status ? &ignored : error);
    return status ? status : removed;
}

/* --- bare updates ------------------------------------------------------------------------------
 */

typedef struct hand {
    observer *seen;
    pthread_t thread;
    wac_agent *agent;
    wac_error error;
} hand;

static void *update(void *argument)
{
    hand *hand = argument;
    wac_agent *agent = hand->agent;
    const wac_config *config = &agent->seat->config;
    tally tally = {0};
    while (!wac_asked_to_stop(&hand->seen->stop) && hand->error.status == WAC_STATUS_OK) {
        wac_agent_start(agent, config->updates);
        (void)wac_agent_wait(agent, &hand->error);
        tally.values[UPDATES] += (double)(config->updates * agent->seats);
        note_round(hand->seen, hand, (wac_algorithm)config->algorithm, agent->seats, &tally);
    }
    if (hand->error.status != WAC_STATUS_OK)
        __atomic_store_n(&hand->seen->stop, 1, __ATOMIC_RELAXED);
    return NULL;
}

static wac_status update_all(observer *seen, hand *hands, int count, wac_error *error)
{
    int begun = 0;
    wac_status status = WAC_STATUS_OK;
    while (begun < count && pthread_create(&hands[begun].thread, NULL, update, &hands[begun]) == 0)
        begun++;
    if (begun < count) {
        status = wac_fail_memory(error, "the threads");
        __atomic_store_n(&seen->stop, 1, __ATOMIC_RELAXED);
    }
    for (int i = 0; i < begun; i++) {
        pthread_join(hands[i].thread, NULL);
        if (status == WAC_STATUS_OK && hands[i].error.status != WAC_STATUS_OK)
            status = wac_fail(error, hands[i].error.status, "%s", hands[i].error.message);
    }
    return status ? status : check(seen, error);
}

static wac_status measure_bare(wac_bench_epochs_result *result, const wac_bench_epochs *bench,
                               const volatile int *stop, wac_error *error)
{
    observer seen;
    hand hands[WAC_BENCH_GROUPS] = {0};
    wac_status status = WAC_STATUS_OK;
    begin(&seen, bench, stop);
    for (int i = 0; i < bench->count && status == WAC_STATUS_OK; i++) {
        hands[i].seen = &seen;
        status =
            wac_bench_gpu_agent(&hands[i].agent,
                                &(wac_bench_gpu){.algorithm = bench->algorithms[i],
                                                 .precision = bench->precision,
                                                 .runs = MAZES * bench->seeds,
                                                 .width = 256,
                                                 .batch = 256,
                                                 .observations = wac_bench_sizes[0].observations,
                                                 .actions = wac_bench_sizes[0].actions},
                                error);
    }
    if (status == WAC_STATUS_OK)
        status = update_all(&seen, hands, bench->count, error);
    if (status == WAC_STATUS_OK)
        result->bare = growth(&seen, UPDATES);
    for (int i = 0; i < bench->count; i++)
        wac_agent_destroy(hands[i].agent);
    end(&seen);
    return status;
}

wac_status wac_bench_epochs_run(wac_bench_epochs_result *result, const wac_bench_epochs *bench,
                                const volatile int *stop, wac_error *error)
{
    assert(bench->count <= WAC_BENCH_GROUPS && bench->epochs >= 1 && bench->seeds >= 1);
    *result = (wac_bench_epochs_result){0};
    WAC_TRY(measure_epochs(result, bench, stop, error));
    return measure_bare(result, bench, stop, error);
}
