/* Starting a run, opening one again, and closing it. */
#include "run/run.h"

#include "base/files.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/environments.h"
#include "run/checkpoint.h"
#include "run/events.h"
#include "run/folder.h"
#include "run/inherit.h"
#include "run/log.h"
#include "run/packed.h"
#include "run/prior.h"
#include "run/train.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

wac_run_options wac_run_options_default(void)
{
    return (wac_run_options){.threads = 1, .first_cpu = -1};
}

wac_agent *wac_run_agent(wac_run *run)
{
    return run->agent;
}

const wac_config *wac_run_config(const wac_run *run)
{
    return &run->config;
}

void wac_run_destroy(wac_run *run)
{
    if (!run)
        return;
    if (run->agent) {
        run->agent->seat[run->seat].active = false;
        run->agent->seat[run->seat].drawn = NULL;
    }
    if (run->owns_agent)
        wac_agent_destroy(run->agent);
    wac_best_free(&run->best);
    wac_team_destroy(run->team);
    for (int64_t i = 0; run->walks && i < run->config.worlds; i++)
        wac_world_destroy(run->walks[i].world);
    free(run->walks);
    wac_world_destroy(run->evaluation_world);
    if (run->progress_file >= 0)
        close(run->progress_file);
    wac_maps_close(run);
    wac_events_close(run);
    if (run->lock >= 0)
        close(run->lock);
    free(run);
}

/* The worlds that are explored. Each has random numbers of its own, a stretch of the stream. */
static wac_status make_walks(wac_run *run, const wac_environment_type *type, wac_error *error)
{
    int64_t count = run->config.worlds;
    run->walks = calloc((size_t)count, sizeof *run->walks);
    if (!run->walks)
        return wac_fail_memory(error, "the worlds");
    for (int64_t i = 0; i < count; i++) {
        WAC_TRY(wac_world_create(&run->walks[i].world, type, &run->config, error));
        run->walks[i].rng = wac_rng_make((uint64_t)run->config.seed, WAC_STREAM_WORLD);
        run->walks[i].rng.counter = (uint64_t)i << WAC_WALK_BITS;
    }
    run->world = run->walks[0].world;
    int threads = run->options.threads < count ? run->options.threads : (int)count;
    return threads > 1 ? wac_team_create(&run->team, threads, run->options.first_cpu, error)
                       : WAC_STATUS_OK;
}

/* The worlds of run->config. */
static wac_status build(wac_run *run, const wac_environment_type *type,
                        const wac_run_options *options, bool made_before, wac_error *error)
{
    run->options = options ? *options : wac_run_options_default();
    if (run->options.threads < 1)
        run->options.threads = 1;
    WAC_TRY(wac_config_check(&run->config, error));
    if (!type && wac_environment_type_find(&type, run->config.environment, error) != WAC_STATUS_OK)
        return made_before && !wac_environment_is_plugin(run->config.environment) &&
                       !wac_environment_is_guest(run->config.environment)
                   ? wac_fail(error, WAC_STATUS_INPUT,
                              "the run %s is of the environment \"%s\", which this program does "
                              "not have; use the program that made the run",
                              run->directory, run->config.environment)
                   : WAC_STATUS_INPUT;
    WAC_TRY(make_walks(run, type, error));
    WAC_TRY(wac_world_create(&run->evaluation_world, type, &run->config, error));
    WAC_TRY(wac_prior_check(run, error));
    if (run->config.stop_success > 0 && !run->world->spec.has_goal)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "stop_success needs a goal to reach, and %s has none; leave it out",
                        type->name);
    run->sums = (wac_sums){.q_mean = NAN,
                           .sigma_visited = NAN,
                           .sigma_uniform = NAN,
                           .eval_return = NAN,
                           .eval_success = NAN};
    for (int i = 0; i < WAC_RUN_LOSSES; i++)
        run->losses[i] = NAN;
    return WAC_STATUS_OK;
}

static void take_seat(wac_run *run, wac_agent *agent, int seat)
{
    run->agent = agent;
    run->seat = seat;
    if (wac_world_has_coverage(run->world))
        agent->seat[seat].drawn = &run->sampled;
}

/* An untrained agent of the run's own. */
static wac_status make_agent(wac_run *run, wac_error *error)
{
    wac_agent *agent;
    WAC_TRY(
        wac_agent_create_seats(&agent,
                               &(wac_agent_plan){.device = run->options.device,
                                                 .configs = &run->config,
                                                 .seats = 1,
                                                 .observations = run->world->spec.observation_size,
                                                 .actions = run->world->spec.action_size,
                                                 .states = run->world->spec.states,
                                                 .choices = run->world->spec.choices,
                                                 .threads = run->options.threads,
                                                 .first_cpu = run->options.first_cpu},
                               error));
    run->owns_agent = true;
    take_seat(run, agent, 0);
    return WAC_STATUS_OK;
}

/* Nobody else may train this run while it is open. */
static wac_status take_lock(wac_run *run, wac_error *error)
{
    run->lock = wac_open(run->directory, O_RDONLY | O_DIRECTORY);
    if (run->lock < 0 && (errno == ENOENT || errno == ENOTDIR))
        return wac_fail(error, WAC_STATUS_INPUT, "there is no run %s; check that the path is right",
                        run->directory);
    if (run->lock < 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot open the run %s: %s; check its permissions",
                        run->directory, strerror(errno));
    if (flock(run->lock, LOCK_EX | LOCK_NB) == 0)
        return WAC_STATUS_OK;
    if (errno == EWOULDBLOCK)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s is being trained by another process; wait for it or stop it",
                        run->directory);
    return wac_fail(error, WAC_STATUS_IO,
                    "cannot lock the run %s: %s; without a lock two processes could train it at "
                    "once: put it on a file system that has locks",
                    run->directory, strerror(errno));
}

bool wac_run_is_in_use(const char *directory)
{
    int lock = wac_open(directory, O_RDONLY | O_DIRECTORY);
    bool taken = lock >= 0 && flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lock >= 0)
        close(lock);
    return taken;
}

static wac_status allocate(wac_run **run, const char *directory, wac_error *error)
{
    *run = calloc(1, sizeof **run);
    if (!*run)
        return wac_fail_memory(error, "the run");
    (*run)->lock = (*run)->progress_file = (*run)->events_file = -1;
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (length == 0 || length >= sizeof(*run)->directory - 64) {
        free(*run);
        return wac_fail(error, WAC_STATUS_INPUT, "the name of the run's folder is %s",
                        length ? "too long" : "empty");
    }
    memcpy((*run)->directory, directory, length);
    return WAC_STATUS_OK;
}

/* A run that is ready goes to the caller, one that failed goes nowhere. */
static wac_status hand_over(wac_run **out, wac_run *run, wac_status status)
{
    if (status == WAC_STATUS_OK)
        *out = run;
    else
        wac_run_destroy(run);
    return status;
}

/* A new folder for a run that is ready. */
static wac_status start(wac_run *run, wac_error *error)
{
    wac_origin origin;
    WAC_TRY(wac_origin_of(&origin, &run->options, error));
    WAC_TRY(wac_run_inherit(run, &origin, error));
    WAC_TRY(wac_folder_make(run->directory, &run->config, &origin, run->options.maps,
                            run->options.tensorboard, error));
    WAC_TRY(take_lock(run, error));
    if (run->config.evaluation_steps > 0 && run->config.evaluation_steps < run->config.path_limit)
        wac_log_write(&run->options.log,
                      "note: evaluation_steps is below path_limit, so an evaluation may end before "
                      "its first episode does, and then has no return");
    WAC_TRY(wac_runlog_open(run, error));
    WAC_TRY(wac_maps_open(run, error));
    WAC_TRY(wac_events_open(run, error));
    /* whatever becomes of that run, this one has begun with its agent as it is now */
    return *origin.run ? wac_checkpoint_save(run, false, error) : WAC_STATUS_OK;
}

static wac_status read_config(wac_run *run, wac_error *error)
{
    WAC_TRY(wac_packed_check_run(run->directory, error));
    return wac_folder_read_config(&run->config, run->directory, error);
}

/* Go on in a folder that is there. */
static wac_status resume(wac_run *run, wac_error *error)
{
    bool found;
    int64_t before = run->epochs_before;
    wac_manifest manifest;
    WAC_TRY(wac_checkpoint_load(run, &found, error));
    WAC_TRY(wac_manifest_read(&manifest, run->directory, error));
    if (!found) {
        WAC_TRY(wac_runlog_check_fresh(run->directory, error));
        WAC_TRY(wac_run_inherit(run, &manifest.origin, error));
    }
    if (run->position.epoch > run->config.epochs)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s has done %lld epochs already; ask for more than that",
                        run->directory, (long long)run->position.epoch);
    if (run->lacks_replay && !wac_run_is_learnt(run))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s cannot go on: its checkpoint holds no replay, since its "
                        "replay_checkpoint is not all; " WAC_TRAIN_AGAIN,
                        run->directory, WAC_SHELL(run->directory));
    /* first of all: from here on its last row may be missing */
    if (run->config.epochs > before && manifest.finished)
        WAC_TRY(
            wac_manifest_note(run->directory, &run->config, manifest.seconds, false, NULL, error));
    WAC_TRY(wac_maps_open(run, error));
    WAC_TRY(wac_runlog_open(run, error));
    WAC_TRY(wac_maps_cut(run, error));
    WAC_TRY(wac_events_open(run, error));
    wac_folder_tidy(run->directory);
    if (run->config.epochs != before)
        WAC_TRY(wac_folder_write_config(run->directory, &run->config, error));
    const wac_position *at = &run->position;
    if (wac_run_is_complete(run))
        wac_log_write(&run->options.log, "nothing left to do: epoch %lld was the last",
                      (long long)at->epoch);
    else if (found && (at->explored || at->updated))
        wac_log_write(&run->options.log,
                      "going on in epoch %lld of %lld, after %lld steps and %lld updates of it",
                      (long long)at->epoch, (long long)run->config.epochs, (long long)at->explored,
                      (long long)at->updated);
    else if (found)
        wac_log_write(&run->options.log, "going on with epoch %lld of %lld", (long long)at->epoch,
                      (long long)run->config.epochs);
    else
        wac_log_write(&run->options.log, "no checkpoint yet: starting from the beginning");
    return WAC_STATUS_OK;
}

static wac_status prepare(wac_run *run, const wac_config *config, const wac_environment_type *type,
                          const wac_run_options *options, int64_t epochs, wac_error *error)
{
    bool unused = true;
    if (config && wac_path_exists(run->directory))
        WAC_TRY(wac_directory_look(&unused, run->directory, "", error));
    if (!unused)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s exists already; choose another folder, or resume the run that is there",
                        run->directory);
    if (config) {
        run->config = *config;
        run->epochs_before = -1;
    } else {
        WAC_TRY(wac_packed_refuse(run->directory, error));
        WAC_TRY(take_lock(run, error));
        WAC_TRY(read_config(run, error));
        run->epochs_before = run->config.epochs;
        if (epochs > 0)
            run->config.epochs = epochs;
    }
    return build(run, type, options, !config, error);
}

wac_status wac_run_prepare(wac_run **out, const wac_config *config,
                           const wac_environment_type *type, const char *directory,
                           const wac_run_options *options, int64_t epochs, wac_error *error)
{
    wac_run *run;
    WAC_TRY(allocate(&run, directory, error));
    return hand_over(out, run, prepare(run, config, type, options, epochs, error));
}

wac_status wac_run_sit(wac_run *run, wac_agent *agent, int seat, wac_error *error)
{
    take_seat(run, agent, seat);
    WAC_TRY(wac_best_init(run, error));
    return run->epochs_before < 0 ? start(run, error) : resume(run, error);
}

/* The second half with an agent of the run's own. */
static wac_status sit_alone(wac_run *run, wac_error *error)
{
    WAC_TRY(make_agent(run, error));
    return wac_run_sit(run, run->agent, 0, error);
}

wac_status wac_run_create(wac_run **out, const wac_config *config, const wac_environment_type *type,
                          const char *directory, const wac_run_options *options, wac_error *error)
{
    wac_run *run;
    WAC_TRY(wac_run_prepare(&run, config, type, directory, options, 0, error));
    return hand_over(out, run, sit_alone(run, error));
}

wac_status wac_run_resume(wac_run **out, const char *directory, const wac_environment_type *type,
                          const wac_run_options *options, int64_t epochs, wac_error *error)
{
    wac_run *run;
    WAC_TRY(wac_run_prepare(&run, NULL, type, directory, options, epochs, error));
    return hand_over(out, run, sit_alone(run, error));
}

static wac_status look(wac_run *run, const wac_environment_type *type,
                       const wac_run_options *options, wac_error *error)
{
    bool found;
    WAC_TRY(read_config(run, error));
    /* a run can be looked at on any processor */
    run->config.precision = WAC_PRECISION_SINGLE;
    WAC_TRY(build(run, type, options, true, error));
    WAC_TRY(make_agent(run, error));
    WAC_TRY(wac_best_init(run, error));
    WAC_TRY(wac_checkpoint_load(run, &found, error));
    if (found)
        return run->options.best ? wac_best_take(run, error) : WAC_STATUS_OK;
    wac_manifest manifest;
    WAC_TRY(wac_manifest_read(&manifest, run->directory, error));
    if (manifest.packed)
        return wac_fail(error, WAC_STATUS_INPUT, "the run %s was packed without its networks",
                        run->directory);
    if (wac_run_is_in_use(run->directory))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s has no checkpoint yet; another process is training it: wait a "
                        "little",
                        run->directory);
    WAC_TRY(wac_runlog_check_fresh(run->directory, error));
    return wac_fail(error, WAC_STATUS_INPUT,
                    "the run %s has no checkpoint yet; go on with: wac train --resume %s",
                    run->directory, WAC_SHELL(run->directory));
}

wac_status wac_run_open(wac_run **out, const char *directory, const wac_environment_type *type,
                        const wac_run_options *options, wac_error *error)
{
    wac_run *run;
    WAC_TRY(allocate(&run, directory, error));
    return hand_over(out, run, look(run, type, options, error));
}

wac_status wac_run_peek(wac_run **out, const char *directory, wac_error *error)
{
    wac_run *run;
    WAC_TRY(allocate(&run, directory, error));
    run->peeks = true;
    return hand_over(out, run, look(run, NULL, NULL, error));
}
