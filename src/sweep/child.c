/* Training runs of a sweep in groups.
 *
 * Runs of equal shape are seats of one agent and train in lockstep (run/lockstep.h). Several groups
 * go on at the same time, each in a thread with an agent of its own, so that a device learns for
 * one while another explores; who has done with a group takes the next. Several GPUs have as many
 * groups of each shape, and as many threads; on which of them a run is trained changes no byte of
 * it. A process for a single run has one group of one.
 */
#include "sweep/child.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/pool.h"
#include "base/status.h"
#include "base/stop.h"
#include "rl/cuda/steps.h"
#include "run/checkpoint.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

/* --- telling ----------------------------------------------------------------------------------*/

typedef struct teller {
    int pipe;
    double told; /* when */
    wac_sweep_message message;
} teller;

/* A message fits into a pipe whole or not at all. Progress can be dropped, the rest can not. */
_Static_assert(sizeof(wac_sweep_message) <= PIPE_BUF, "a message must be written in one piece");

static void tell(teller *teller, wac_sweep_word word)
{
    wac_sweep_message *message = &teller->message;
    message->word = word;
    while (write(teller->pipe, message, sizeof *message) < 0) {
        if (errno == EAGAIN && word != WAC_SWEEP_WORD_PROGRESS)
            poll(&(struct pollfd){.fd = teller->pipe, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            return;
    }
}

static void tell_progress(void *user, const wac_progress *progress)
{
    teller *teller = user;
    double time = wac_clock_seconds();
    teller->message.progress = *progress;
    if (time - teller->told < 0.1)
        return;
    teller->told = time;
    tell(teller, WAC_SWEEP_WORD_PROGRESS);
}

static void tell_end(teller *teller, wac_status status, const wac_error *error)
{
    teller->message.status = status;
    if (status != WAC_STATUS_OK)
        snprintf(teller->message.reason, sizeof teller->message.reason, "%.511s", error->message);
    tell(teller, WAC_SWEEP_WORD_END);
}

/* A run for which there is no memory at all. */
static void tell_starved(int pipe, size_t run)
{
    wac_error error;
    teller teller = {.pipe = pipe, .message.run = run};
    tell(&teller, WAC_SWEEP_WORD_BEGIN);
    tell_end(&teller, wac_fail_memory(&error, "the process that trains it"), &error);
}

/* --- groups -----------------------------------------------------------------------------------*/

/* What is the same for the seats of an agent; and for those that learn together, lest some wait. */
typedef struct shape {
    int64_t algorithm, width, batch_size, backend, precision, update_interval;
    int64_t critics, subset, policy_delay, members, models, quantiles, posterior, particles, trunk;
    int64_t network, layers, blocks, policy_width, policy_blocks;
    int64_t observations, actions;
    int64_t fused; /* of a GPU's two ways it goes that one */
} shape;

typedef struct group {
    const wac_sweep_errand **errands; /* [count] */
    int count;
    int64_t updates; /* of the run that has most: they take as long for one as for all */
} group;

typedef struct crew {
    const wac_sweep_task *task;
    int pipe;
    const volatile int *stop;
    const wac_sweep_errand **sorted; /* [task->count] by shape, then as they came */
    shape *shapes;                   /* [task->count] of the errands as they came */
    group *groups;                   /* [count] */
    int count, next;
    int gpus;
    wac_pool *pool; /* of all groups */
    pthread_mutex_t mutex;
} crew;

static const wac_config *config_of(const wac_sweep_task *task, const wac_sweep_errand *errand)
{
    return &task->sweep->runs[errand->run].config;
}

/* How much a world shows and takes; nothing where it cannot be made: its run will say why. */
static void measure_world(shape *shape, const wac_config *config)
{
    const wac_environment_type *type;
    wac_world *world;
    if (wac_environment_type_find(&type, config->environment, NULL) != WAC_STATUS_OK ||
        wac_world_create(&world, type, config, NULL) != WAC_STATUS_OK)
        return;
    shape->observations = world->spec.observation_size;
    shape->actions = world->spec.action_size;
    wac_world_destroy(world);
}

static void find_shapes(crew *crew)
{
    const wac_sweep_task *task = crew->task;
    for (size_t i = 0; i < task->count; i++) {
        const wac_config *config = config_of(task, &task->errands[i]);
        shape *shape = &crew->shapes[i];
        *shape = (struct shape){.algorithm = config->algorithm,
                                .width = config->width,
                                .batch_size = config->batch_size,
                                .backend = config->backend,
                                .precision = config->precision,
                                .update_interval = config->update_interval,
                                .critics = config->critics,
                                .subset = config->subset,
                                .policy_delay = config->policy_delay,
                                .members = config->members,
                                .models = config->models,
                                .quantiles = config->quantiles,
                                .posterior = config->posterior,
                                .particles = config->particles,
                                .trunk = config->trunk,
                                .network = config->network,
                                .layers = config->layers,
                                .blocks = config->blocks,
                                .policy_width = config->policy_width,
                                .policy_blocks = config->policy_blocks};
        size_t like = 0;
        while (like < i &&
               strcmp(config_of(task, &task->errands[like])->environment, config->environment) != 0)
            like++;
        if (like == i) {
            measure_world(shape, config);
        } else {
            shape->observations = crew->shapes[like].observations;
            shape->actions = crew->shapes[like].actions;
        }
        shape->fused = task->device == WAC_DEVICE_CUDA &&
                       wac_gpu_is_fused(config, (int)shape->observations, (int)shape->actions);
    }
}

/* Those of one shape, in as few groups as can be, of much the same size; where steps and updates
 * take turns within an epoch, which no device is busy with, in as many as go on at the same time.
 * With several GPUs as many for each of them, as long as there are runs. */
static void cut_shape(crew *crew, const wac_sweep_errand **members, size_t count)
{
    size_t seats = (size_t)crew->task->seats, gpus = (size_t)crew->gpus;
    size_t groups = (count + seats - 1) / seats, at_once = (size_t)crew->task->groups * gpus;
    if (groups < at_once && config_of(crew->task, *members)->update_interval > 0)
        groups = at_once;
    groups = (groups + gpus - 1) / gpus * gpus;
    if (groups > count)
        groups = count;
    for (size_t i = 0; i < groups; i++) {
        size_t first = count * i / groups, end = count * (i + 1) / groups;
        group *own = &crew->groups[crew->count++];
        *own = (group){members + first, (int)(end - first), 0};
        for (int k = 0; k < own->count; k++) {
            int64_t updates =
                config_of(crew->task, own->errands[k])->updates * own->errands[k]->epochs;
            own->updates = updates > own->updates ? updates : own->updates;
        }
    }
}

static int longer_first(const void *left, const void *right)
{
    const group *a = left, *b = right;
    if (a->updates != b->updates)
        return a->updates > b->updates ? -1 : 1;
    return a->errands < b->errands ? -1 : 1;
}

static void make_groups(crew *crew)
{
    const wac_sweep_task *task = crew->task;
    size_t placed = 0;
    find_shapes(crew);
    for (size_t i = 0; i < task->count; i++) {
        const shape *shape = &crew->shapes[i];
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = memcmp(shape, &crew->shapes[k], sizeof *shape) == 0;
        if (seen)
            continue;
        size_t first = placed;
        for (size_t k = i; k < task->count; k++)
            if (memcmp(shape, &crew->shapes[k], sizeof *shape) == 0)
                crew->sorted[placed++] = &task->errands[k];
        cut_shape(crew, crew->sorted + first, placed - first);
    }
    qsort(crew->groups, (size_t)crew->count, sizeof *crew->groups, longer_first);
}

/* --- training one -----------------------------------------------------------------------------*/

/* Give a process of a sweep that was killed time to save the run; then hold its folder. -1: it is
 * not to be had. */
static int hold_folder(const char *folder, const volatile int *stop)
{
    enum { TRIES = 3000 };
    int file = wac_open(folder, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < TRIES && file >= 0 && !wac_asked_to_stop(stop); i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            return file;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (file >= 0)
        close(file);
    return -1;
}

/* A run that cannot go on from its checkpoint makes way for one from the beginning: under a name
 * that the next sweep would tidy away. */
static void make_way(const char *folder, int64_t epochs, const volatile int *stop)
{
    char aside[PATH_MAX + 32];
    int held = hold_folder(folder, stop);
    if (held < 0)
        return;
    snprintf(aside, sizeof aside, "%s.%ld.tmp", folder, (long)getpid());
    if (!wac_checkpoint_goes_on(folder, epochs) && rename(folder, aside) == 0)
        (void)wac_directory_remove(aside, NULL);
    close(held);
}

static wac_status prepare(wac_run **run, const crew *crew, const wac_sweep_errand *errand,
                          teller *teller, wac_error *error)
{
    const wac_sweep_run *wanted = &crew->task->sweep->runs[errand->run];
    wac_config config = wanted->config;
    char folder[PATH_MAX];
    wac_run_options options = wac_run_options_default();
    options.device = crew->task->device;
    options.maps = crew->task->maps;
    options.progress = tell_progress;
    options.user = teller;
    options.stop = crew->stop;
    options.from = *crew->task->sweep->from ? crew->task->sweep->from : NULL;
    options.best = crew->task->sweep->best;
    config.epochs = errand->epochs;
    WAC_TRY(wac_path_join(folder, sizeof folder, crew->task->directory, wanted->folder, error));
    if (wac_path_exists(folder))
        make_way(folder, errand->epochs, crew->stop);
    if (!wac_path_exists(folder))
        return wac_run_prepare(run, &config, NULL, folder, &options, 0, error);
    return wac_run_prepare(run, NULL, NULL, folder, &options, errand->epochs, error);
}

/* --- training a group -------------------------------------------------------------------------*/

/* A group at work; arrays are [count]. */
typedef struct company {
    int gpu;
    int count;
    wac_run **runs;
    teller *tellers;
    wac_config *configs;
    wac_agent *agent;
    double start;
} company;

static void end_run(void *user, int number, wac_run *run, wac_status status, const wac_error *error)
{
    company *company = user;
    teller *teller = &company->tellers[number];
    teller->message.seconds = (wac_clock_seconds() - company->start) / company->count;
    wac_run_destroy(run); /* whoever hears of the end may open it */
    tell_end(teller, status, error);
}

/* All that are still there end for the same reason. */
static void end_all(company *company, wac_status status, const wac_error *error)
{
    for (int i = 0; i < company->count; i++) {
        if (company->runs[i])
            end_run(company, i, company->runs[i], status, error);
        company->runs[i] = NULL;
    }
}

/* An agent with a seat for each run that is there. */
static wac_status make_agent(company *company, const crew *crew, wac_error *error)
{
    int seats = 0;
    const wac_environment_spec *spec = NULL;
    for (int i = 0; i < company->count; i++)
        if (company->runs[i]) {
            company->configs[seats++] = *wac_run_config(company->runs[i]);
            spec = wac_run_spec(company->runs[i]);
        }
    if (!spec)
        return WAC_STATUS_OK;
    return wac_agent_create_seats(&company->agent,
                                  &(wac_agent_plan){.device = crew->task->device,
                                                    .gpu = company->gpu,
                                                    .configs = company->configs,
                                                    .seats = seats,
                                                    .observations = spec->observation_size,
                                                    .actions = spec->action_size,
                                                    .states = spec->states,
                                                    .choices = spec->choices,
                                                    .threads = 1,
                                                    .first_cpu = crew->task->first_cpu},
                                  error);
}

/* Settings and worlds of all; who has none has ended. */
static void prepare_all(company *company, const crew *crew, const group *group)
{
    for (int i = 0; i < group->count; i++) {
        wac_error error;
        teller *teller = &company->tellers[i];
        *teller = (struct teller){.pipe = crew->pipe, .message.run = group->errands[i]->run};
        tell(teller, WAC_SWEEP_WORD_BEGIN);
        wac_status status = prepare(&company->runs[i], crew, group->errands[i], teller, &error);
        if (status != WAC_STATUS_OK)
            tell_end(teller, status, &error);
    }
}

/* A process of a sweep that was killed may have made the folder of a new run since: go on with what
 * it leaves. */
static wac_status sit(company *company, const crew *crew, const group *group, int number, int seat,
                      wac_error *error)
{
    wac_run **run = &company->runs[number];
    bool is_new = (*run)->epochs_before < 0;
    wac_status status = wac_run_sit(*run, company->agent, seat, error);
    if (status == WAC_STATUS_OK || !is_new)
        return status;
    wac_run_destroy(*run);
    *run = NULL;
    WAC_TRY(prepare(run, crew, group->errands[number], &company->tellers[number], error));
    return wac_run_sit(*run, company->agent, seat, error);
}

/* A seat for each; who cannot take it has ended. */
static void seat_all(company *company, const crew *crew, const group *group)
{
    for (int i = 0, seat = 0; i < company->count; i++) {
        wac_error error;
        if (!company->runs[i])
            continue;
        wac_status status = sit(company, crew, group, i, seat++, &error);
        if (status == WAC_STATUS_OK)
            continue;
        end_run(company, i, company->runs[i], status, &error);
        company->runs[i] = NULL;
    }
}

/* Nothing has happened, but to those that have ended: they leave the group. */
static void dissolve(company *company, group *group)
{
    group->count = 0;
    for (int i = 0; i < company->count; i++) {
        if (company->runs[i])
            group->errands[group->count++] = group->errands[i];
        wac_run_destroy(company->runs[i]);
        company->runs[i] = NULL;
    }
}

/* False where there is no memory for so many. */
static bool train_company(company *company, const crew *crew, group *group)
{
    wac_error error;
    const wac_lockstep_watch *wanted = crew->task->watch;
    wac_lockstep_watch watch = wanted ? *wanted : (wac_lockstep_watch){0};
    company->start = wac_clock_seconds();
    prepare_all(company, crew, group);
    wac_status status = make_agent(company, crew, &error);
    bool fits = status != WAC_STATUS_MEMORY || group->count == 1;
    if (!fits)
        dissolve(company, group);
    if (status != WAC_STATUS_OK)
        end_all(company, status, &error);
    seat_all(company, crew, group);
    wac_lockstep_train(&(wac_lockstep){.runs = company->runs,
                                       .count = company->count,
                                       .pool = crew->pool,
                                       .apart = crew->task->apart,
                                       .ended = end_run,
                                       .user = company,
                                       .watch = wanted ? &watch : NULL});
    wac_agent_destroy(company->agent);
    return fits;
}

static void train_group(const crew *crew, int gpu, group *group)
{
    size_t count = (size_t)group->count;
    company company = {.gpu = gpu,
                       .count = group->count,
                       .runs = calloc(count, sizeof *company.runs),
                       .tellers = calloc(count, sizeof *company.tellers),
                       .configs = calloc(count, sizeof *company.configs)};
    bool fits =
        company.runs && company.tellers && company.configs && train_company(&company, crew, group);
    free(company.runs);
    free(company.tellers);
    free(company.configs);
    /* then one half after the other */
    int half = group->count / 2, rest = group->count - half;
    if (!fits && half > 0)
        train_group(crew, gpu, &(struct group){group->errands, half, 0});
    if (!fits && rest > 0 && company.count > 1)
        train_group(crew, gpu, &(struct group){group->errands + half, rest, 0});
    else if (!fits && rest > 0)
        tell_starved(crew->pipe, group->errands[0]->run);
}

/* --- the whole --------------------------------------------------------------------------------*/

/* A thread that trains groups on one GPU. */
typedef struct hand {
    pthread_t thread;
    crew *crew;
    int gpu, first; /* the group that it begins with */
} hand;

/* Group after group. */
static void *work(void *argument)
{
    const hand *hand = argument;
    crew *crew = hand->crew;
    for (int group = hand->first; group < crew->count && !wac_asked_to_stop(crew->stop);) {
        train_group(crew, hand->gpu, &crew->groups[group]);
        pthread_mutex_lock(&crew->mutex);
        group = crew->next++;
        pthread_mutex_unlock(&crew->mutex);
    }
    return NULL;
}

static void train_all(crew *crew)
{
    enum { MOST = 256 };
    hand hands[MOST];
    int wanted = crew->task->groups * crew->gpus, count = 1;
    if (wanted > crew->count)
        wanted = crew->count;
    if (wanted > MOST)
        wanted = MOST;
    for (int i = 0; i < wanted; i++)
        hands[i] = (hand){.crew = crew, .gpu = i % crew->gpus, .first = i};
    /* as many as there can be, the first is this one; then whatever group is left is anybody's */
    pthread_mutex_lock(&crew->mutex);
    while (count < wanted && pthread_create(&hands[count].thread, NULL, work, &hands[count]) == 0)
        count++;
    crew->next = count;
    pthread_mutex_unlock(&crew->mutex);
    work(&hands[0]);
    for (int i = 1; i < count; i++)
        pthread_join(hands[i].thread, NULL);
}

/* Where there is none, the runs will say why. */
static int count_gpus(const wac_sweep_task *task)
{
    int count = task->gpus;
    if (task->device != WAC_DEVICE_CUDA ||
        (count == 0 && wac_gpu_count(&count, NULL) != WAC_STATUS_OK))
        return 1;
    return count;
}

void wac_sweep_child_train(const wac_sweep_task *task, int pipe, const volatile int *stop)
{
    crew crew = {.task = task,
                 .pipe = pipe,
                 .stop = stop,
                 .sorted = calloc(task->count, sizeof *crew.sorted),
                 .shapes = calloc(task->count, sizeof *crew.shapes),
                 .groups = calloc(task->count, sizeof *crew.groups),
                 .gpus = count_gpus(task),
                 .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (crew.sorted && crew.shapes && crew.groups) {
        make_groups(&crew);
        /* a single thread needs no helper; without any, groups do all by themselves */
        if (task->threads > 1)
            (void)wac_pool_create(&crew.pool, task->threads, NULL);
        train_all(&crew);
        wac_pool_destroy(crew.pool);
    } else {
        for (size_t i = 0; i < task->count; i++)
            tell_starved(pipe, task->errands[i].run);
    }
    free(crew.sorted);
    free(crew.shapes);
    free(crew.groups);
}
