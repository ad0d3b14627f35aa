/* Checkpoints: the folder checkpoint/ of a run, with the agent's two files and one more of the
 * run's own, which hold everything the next step depends on and nothing else (no clock, no thread
 * count, no path), so that equal runs have equal bytes. A new one is made beside the old and takes
 * its place whole. */
#include "run/checkpoint.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/config.h"
#include "rl/save.h"
#include "run/events.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/run.h"
#include "run/train.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    POSITION_SIZE = sizeof(wac_position) / sizeof(int64_t),
    SUMS_SIZE = sizeof(wac_sums) / sizeof(double),
};

#define LOSSES_NAME "losses" /* which older checkpoints lack */

/* A walk beside the first, whose own are in the position, the sums and the tensors of the run. */
static wac_status visit_walk(wac_walk *walk, int64_t number, double *state,
                             wac_agent_visitor *visit, void *user, wac_error *error)
{
    const wac_environment_spec *spec = &walk->world->spec;
    wac_agent_tensor tensors[] = {
        {"world", WAC_DTYPE_F64, 1, {spec->state_size}, state},
        {"observation", WAC_DTYPE_F32, 1, {spec->observation_size}, walk->observation},
        {"steps", WAC_DTYPE_I64, 1, {1}, &walk->steps},
        {"return", WAC_DTYPE_F64, 1, {1}, &walk->sum},
        {"counter", WAC_DTYPE_I64, 1, {1}, &walk->rng.counter},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        char name[sizeof tensors->name];
        snprintf(name, sizeof name, "%.32s-%lld", tensors[i].name, (long long)number + 1);
        memcpy(tensors[i].name, name, sizeof name);
        WAC_TRY(visit(user, &tensors[i], error));
    }
    return WAC_STATUS_OK;
}

/* What the run itself adds to the agent's files. `state` [worlds][state_size] is the worlds';
 * `remembered`, by the agent, tells whether its files are of the same moment. */
static wac_status visit_run(wac_run *run, double *state, int64_t *remembered,
                            wac_agent_visitor *visit, void *user, wac_error *error)
{
    enum { SIDE = WAC_COVERAGE_SIDE };
    const wac_grid grid = wac_world_grid(run->world);
    int64_t across = grid.cells[0], up = grid.cells[1];
    const wac_agent_tensor tensors[] = {
        {"position", WAC_DTYPE_I64, 1, {POSITION_SIZE}, &run->position},
        {"sums", WAC_DTYPE_F64, 1, {SUMS_SIZE}, &run->sums},
        {LOSSES_NAME, WAC_DTYPE_F64, 1, {WAC_RUN_LOSSES}, run->losses},
        {"coverage/sampled", WAC_DTYPE_I64, 2, {SIDE, SIDE}, run->sampled.counts},
        {"visits/explored",
         WAC_DTYPE_I64,
         2,
         {across, up},
         run->visits[WAC_POLICY_BEHAVIOUR].counts},
        {"visits/evaluated", WAC_DTYPE_I64, 2, {across, up}, run->visits[WAC_POLICY_TARGET].counts},
        {"world", WAC_DTYPE_F64, 1, {run->world->spec.state_size}, state},
        {"observation",
         WAC_DTYPE_F32,
         1,
         {run->world->spec.observation_size},
         run->walks->observation},
        {"replay/count", WAC_DTYPE_I64, 1, {1}, remembered},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        WAC_TRY(visit(user, &tensors[i], error));
    for (int64_t i = 1; i < run->config.worlds; i++)
        WAC_TRY(visit_walk(&run->walks[i], i, state + i * run->world->spec.state_size, visit, user,
                           error));
    return WAC_STATUS_OK;
}

/* Room for the worlds' states; free() it. */
static double *make_states(const wac_run *run)
{
    return calloc((size_t)run->config.worlds * (size_t)run->world->spec.state_size + 1,
                  sizeof(double));
}

/* --- what binds the files -------------------------------------------------------------------- */

/* The run's own file notes the checksums of the agent's and of the table's rows, and the settings
 * that made them all. */
static const char *const part_notes[WAC_SAVE_PARTS] = {
    [WAC_SAVE_PART_AGENT] = "agent", [WAC_SAVE_PART_REPLAY] = "replay"};
static const char settings_note[] = "settings", best_note[] = "best", rows_note[] = "progress";

/* Epochs may be raised, others change no number, and what is looked at need not be computed as it
 * was. A prior that is measured becomes known on the way. */
static bool is_noted(const wac_config *config, const wac_setting *setting)
{
#define IS(name) (setting->offset == offsetof(wac_config, name))
    bool measured = config->reward_prior == WAC_REWARD_PRIOR_MEASURED;
    return wac_config_reads(config, setting) && !IS(epochs) && !IS(checkpoint_interval) &&
           !IS(replay_checkpoint) && !IS(keep_best) && !IS(precision) &&
           !(measured && (IS(reward_min) || IS(reward_max)));
#undef IS
}

enum { SETTINGS_TEXT = WAC_SETTINGS_TOTAL * 128 };

/* A line for each: "discount: 0.99". */
static void print_settings(char text[SETTINGS_TEXT], const wac_config *config)
{
    size_t count, used = 0;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        char value[64];
        if (!is_noted(config, &settings[i]))
            continue;
        wac_config_format(config, &settings[i], value, sizeof value);
        used += (size_t)snprintf(text + used, SETTINGS_TEXT - used, "%s: %s\n", settings[i].name,
                                 value);
    }
}

/* One of these lines against the settings of the run. Those that one of the two versions does not
 * have count for nothing. */
static wac_status check_setting(const wac_config *config, const char *line, const char *path,
                                wac_error *error)
{
    char name[64], value[64], own[64];
    const wac_setting *setting;
    wac_config then = *config;
    if (sscanf(line, "%63[^:]: %63[^\n]", name, value) != 2 ||
        wac_setting_find(&setting, name, NULL) != WAC_STATUS_OK || !is_noted(config, setting) ||
        wac_config_set(&then, name, value, NULL) != WAC_STATUS_OK ||
        wac_setting_compare(setting, &then, config) == 0)
        return WAC_STATUS_OK;
    wac_config_format(config, setting, own, sizeof own);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is of a run with %s %s, but config.yaml says %s; put the run's own "
                    "config.yaml back",
                    path, name, value, own);
}

static wac_status check_settings(const wac_config *config, const wac_tensor_file *file,
                                 wac_error *error)
{
    const char *line = wac_tensor_file_metadata(file, settings_note);
    while (line && *line) {
        WAC_TRY(check_setting(config, line, file->path, error));
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    return WAC_STATUS_OK;
}

/* --- saving ---------------------------------------------------------------------------------- */

static wac_status write_files(wac_run *run, bool last, wac_save_list *list, double *state,
                              const char *folder, wac_error *error)
{
    bool replay = run->config.replay_checkpoint == WAC_REPLAY_CHECKPOINT_ALL ||
                  (run->config.replay_checkpoint == WAC_REPLAY_CHECKPOINT_LAST && last);
    wac_save_sums sums;
    wac_checksum best;
    WAC_TRY(wac_seat_save(run->agent, run->seat, folder, replay, &sums, error));
    WAC_TRY(wac_best_save(run, folder, &best, error));
    run->position.world_counter = (int64_t)run->walks->rng.counter;
    run->position.episode_steps = run->walks->steps;
    run->sums.episode_return = run->walks->sum;
    for (int64_t i = 0; i < run->config.worlds; i++)
        wac_world_save(run->walks[i].world, state + i * run->world->spec.state_size);
    int64_t remembered = run->agent->seat[run->seat].remembered;
    WAC_TRY(visit_run(run, state, &remembered, wac_save_add, list, error));
    char path[PATH_MAX], settings[SETTINGS_TEXT];
    WAC_TRY(wac_folder_path(path, folder, WAC_FOLDER_RUN, error));
    print_settings(settings, &run->config);
    const wac_checksum rows = wac_checksum_make(run->rows_sum);
    wac_metadata notes[WAC_SAVE_PARTS + 3] = {{settings_note, settings}, {rows_note, rows.digits}};
    size_t count = 2;
    for (int i = 0; i < WAC_SAVE_PARTS; i++)
        if (*sums.of[i].digits)
            notes[count++] = (wac_metadata){part_notes[i], sums.of[i].digits};
    if (*best.digits)
        notes[count++] = (wac_metadata){best_note, best.digits};
    return wac_save_write(list, run->agent, run->seat, notes, count, path, NULL, error);
}

wac_status wac_checkpoint_save(wac_run *run, bool last, wac_error *error)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    WAC_TRY(wac_folder_path(path, run->directory, WAC_FOLDER_CHECKPOINT, error));
    WAC_TRY(wac_folder_path(fresh, run->directory, WAC_FOLDER_CHECKPOINT_NEW, error));
    /* the rows that the checkpoint counts must be on the disk before it is */
    WAC_TRY(wac_maps_sync(run, error));
    WAC_TRY(wac_runlog_sync(run, error));
    WAC_TRY(wac_events_sync(run, error));
    WAC_TRY(wac_directory_remove(fresh, error));
    WAC_TRY(wac_directory_make(fresh, error));
    wac_save_list list = {0};
    double *state = make_states(run);
    wac_status status = state ? write_files(run, last, &list, state, fresh, error)
                              : wac_fail_memory(error, "the checkpoint");
    free(state);
    free(list.tensors);
    if (status == WAC_STATUS_OK)
        status = wac_directory_replace(path, fresh, error);
    if (status != WAC_STATUS_OK) {
        (void)wac_directory_remove(fresh, NULL);
        return status;
    }
    return wac_runlog_note_time(run, false, error);
}

/* --- what can be ----------------------------------------------------------------------------- */

static bool is_total(int64_t total, int64_t times, int64_t each, int64_t rest)
{
    return total == (__int128)times * each + rest;
}

/* Whether a run with such settings can be there: what it has done so far follows from its epoch. */
static bool is_position(const wac_position *at, const wac_config *config)
{
    const int64_t *numbers = (const int64_t *)at;
    for (size_t i = 0; i < POSITION_SIZE; i++)
        if (numbers[i] < 0 || numbers[i] > WAC_SAVE_MOST)
            return false;
    int64_t initial = config->initial_steps, steps = config->explore_steps;
    bool good = at->started ? at->started == 1 && at->evaluated <= 1 && at->explored <= steps &&
                                  is_total(at->env_steps, at->epoch, steps, initial + at->explored)
                            : !at->epoch && !at->evaluated && !at->updated &&
                                  at->explored <= initial && at->env_steps == at->explored;
    return good &&
           is_total(at->updates, at->epoch, wac_updates_after(config, steps), at->updated) &&
           at->updated <= wac_updates_after(config, at->explored) &&
           at->rows == at->epoch + at->evaluated && at->episode_steps < config->path_limit &&
           at->explore_episodes <= (initial > steps ? initial : steps) &&
           at->explore_successes <= at->explore_episodes;
}

/* A mean, a share, or none. */
static bool is_known_or_not(double value)
{
    return isnan(value) || isfinite(value);
}

static bool are_losses(const double *losses)
{
    for (int i = 0; i < WAC_RUN_LOSSES; i++)
        if (!is_known_or_not(losses[i]))
            return false;
    return true;
}

static bool are_sums(const wac_sums *sums)
{
    return isfinite(sums->episode_return) && isfinite(sums->explore_returns) &&
           is_known_or_not(sums->q_mean) && is_known_or_not(sums->sigma_visited) &&
           is_known_or_not(sums->sigma_uniform) && is_known_or_not(sums->eval_return) &&
           (isnan(sums->eval_success) || (sums->eval_success >= 0 && sums->eval_success <= 1));
}

/* The sum of counts; -1 where one is below zero. */
static __int128 total_of(const int64_t *counts, int64_t cells)
{
    __int128 total = 0;
    for (int64_t i = 0; i < cells; i++) {
        if (counts[i] < 0)
            return -1;
        total += counts[i];
    }
    return total;
}

/* Every step and every pair that was drawn is counted once; others may have had the agent learn
 * besides. An evaluation may be counted whose row could not be written. */
static bool are_counts(const wac_run *run)
{
    const wac_position *at = &run->position;
    const wac_grid grid = wac_world_grid(run->world);
    int64_t cells = (int64_t)grid.cells[0] * grid.cells[1];
    int64_t steps = cells ? at->env_steps : 0;
    bool covers = wac_world_has_coverage(run->world);
    __int128 evaluated = total_of(run->visits[WAC_POLICY_TARGET].counts, cells);
    __int128 sampled = total_of(run->sampled.counts, WAC_COVERAGE_BINS);
    return total_of(run->visits[WAC_POLICY_BEHAVIOUR].counts, cells) == steps &&
           sampled >= (covers ? (__int128)at->updates * run->config.batch_size : 0) &&
           sampled <= (covers ? WAC_SAVE_MOST : 0) && evaluated >= 0 &&
           evaluated <= (__int128)(at->rows + 1) * run->config.evaluation_steps;
}

static bool is_observation(const wac_run *run, const wac_walk *walk)
{
    for (int i = 0; i < run->world->spec.observation_size; i++)
        if (!isfinite(walk->observation[i]) ||
            (!run->world->raw && fabsf(walk->observation[i]) > 1))
            return false;
    return true;
}

static bool are_walks(const wac_run *run)
{
    for (int64_t i = 0; i < run->config.worlds; i++) {
        const wac_walk *walk = &run->walks[i];
        if (!is_observation(run, walk) || walk->steps < 0 ||
            walk->steps >= run->config.path_limit || !isfinite(walk->sum) ||
            walk->rng.counter >> WAC_WALK_BITS != (uint64_t)i)
            return false;
    }
    return true;
}

/* What no run with these settings can have; null: nothing. `remembered`: by its agent, which others
 * may have told more. */
static const char *find_impossible(const wac_run *run, int64_t remembered)
{
    return !is_position(&run->position, &run->config)          ? "a position"
           : !are_sums(&run->sums) || !are_losses(run->losses) ? "sums"
           : remembered < run->position.env_steps || remembered > WAC_SAVE_MOST
               ? "a number of transitions"
           : !are_counts(run) ? "visits"
           : !are_walks(run)  ? "an observation"
                              : NULL;
}

/* --- loading --------------------------------------------------------------------------------- */

/* The checksums of the files beside the run's own; empty: not told. */
typedef struct noted {
    wac_save_sums parts;
    wac_checksum best;
} noted;

static void read_note(wac_checksum *sum, const wac_tensor_file *file, const char *key)
{
    const char *digits = wac_tensor_file_metadata(file, key);
    snprintf(sum->digits, sizeof sum->digits, "%s", digits ? digits : "");
}

static wac_status read_tensor(void *file, const wac_agent_tensor *tensor, wac_error *error)
{
    return strcmp(tensor->name, LOSSES_NAME) == 0 && !wac_tensor_file_find(file, LOSSES_NAME)
               ? WAC_STATUS_OK
               : wac_save_read(file, tensor, error);
}

static wac_status load_run(wac_run *run, int64_t *remembered, noted *noted, const char *folder,
                           wac_error *error)
{
    wac_tensor_file *file;
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, folder, WAC_FOLDER_RUN, error));
    WAC_TRY(wac_save_open(&file, run->agent, run->seat, path, error));
    for (int i = 0; i < WAC_SAVE_PARTS; i++)
        read_note(&noted->parts.of[i], file, part_notes[i]);
    read_note(&noted->best, file, best_note);
    read_note(&run->noted_rows, file, rows_note);
    wac_status status = check_settings(&run->config, file, error);
    double *state = make_states(run);
    if (status == WAC_STATUS_OK)
        status = state ? visit_run(run, state, remembered, read_tensor, file, error)
                       : wac_fail_memory(error, "the checkpoint");
    run->walks->rng.counter = (uint64_t)run->position.world_counter;
    run->walks->steps = run->position.episode_steps;
    run->walks->sum = run->sums.episode_return;
    const char *impossible = status == WAC_STATUS_OK ? find_impossible(run, *remembered) : NULL;
    if (impossible)
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "%s holds %s that no run with the settings of its config.yaml can have; "
                          "use another copy of the checkpoint, or put the run's own config.yaml "
                          "back",
                          path, impossible);
    wac_error cause = {0};
    for (int64_t i = 0; i < run->config.worlds && status == WAC_STATUS_OK; i++) {
        status = wac_world_load(run->walks[i].world, state + i * run->world->spec.state_size,
                                run->walks[i].steps, &cause);
        if (status != WAC_STATUS_OK)
            (void)wac_fail(error, status, "%s: %s", path, cause.message);
    }
    free(state);
    wac_tensor_file_close(file);
    return status;
}

/* The position in the checkpoint of a folder. */
static bool read_position(wac_position *at, const char *folder)
{
    char path[PATH_MAX];
    wac_tensor_file *file = NULL;
    if (wac_folder_path(path, folder, WAC_FOLDER_RUN, NULL) != WAC_STATUS_OK ||
        wac_tensor_file_open(&file, path, NULL) != WAC_STATUS_OK)
        file = NULL;
    bool known = file && wac_tensor_file_copy(file, "position", WAC_DTYPE_I64, POSITION_SIZE, at,
                                              NULL) == WAC_STATUS_OK;
    wac_tensor_file_close(file);
    return known;
}

bool wac_checkpoint_rows(int64_t *rows, const char *directory)
{
    char folder[PATH_MAX];
    wac_position at;
    bool known = wac_folder_find_checkpoint(folder, directory) && read_position(&at, folder);
    *rows = known ? at.rows : 0;
    return known;
}

/* Whether a checkpoint was made or packed without a replay, not robbed of it. */
static bool lacks_replay(const wac_config *config, bool packed, const char *folder)
{
    return !wac_folder_has(folder, WAC_FOLDER_REPLAY) &&
           (config->replay_checkpoint != WAC_REPLAY_CHECKPOINT_ALL || packed);
}

bool wac_checkpoint_goes_on(const char *directory, int64_t epochs)
{
    char folder[PATH_MAX];
    wac_config config;
    wac_manifest manifest;
    wac_position at;
    if (wac_folder_read_config(&config, directory, NULL) != WAC_STATUS_OK ||
        wac_manifest_read(&manifest, directory, NULL) != WAC_STATUS_OK ||
        !wac_folder_find_checkpoint(folder, directory) ||
        !lacks_replay(&config, manifest.packed, folder))
        return true; /* or whoever tries will be told why not */
    return !read_position(&at, folder) || at.epoch >= epochs;
}

static wac_status fail_lost(const wac_run *run, const char *folder, wac_folder_file file,
                            wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, folder, file, error));
    return wac_fail(
        error, WAC_STATUS_INPUT,
        "the checkpoint of the run %s has lost a file: put %s back, or " WAC_TRAIN_AGAIN,
        run->directory, path, WAC_SHELL(run->directory));
}

/* Refuses a checkpoint that is there, but has lost one of its files. */
static wac_status check_files(const wac_run *run, const char *folder, wac_error *error)
{
    static const wac_folder_file files[] = {WAC_FOLDER_RUN, WAC_FOLDER_AGENT, WAC_FOLDER_REPLAY};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!wac_folder_has(folder, files[i]) &&
            !(files[i] == WAC_FOLDER_REPLAY && run->lacks_replay))
            return fail_lost(run, folder, files[i], error);
    return WAC_STATUS_OK;
}

static wac_status fail_moment(const char *folder, const char *file, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s/%s is of another run, or of another moment, than run.safetensors beside "
                    "it; use another copy of the checkpoint",
                    folder, file);
}

static wac_status load_best(wac_run *run, const char *folder, const wac_checksum *noted,
                            wac_error *error)
{
    wac_checksum sum;
    if (!wac_folder_has(folder, WAC_FOLDER_BEST))
        return fail_lost(run, folder, WAC_FOLDER_BEST, error);
    WAC_TRY(wac_best_load(run, folder, &sum, error));
    return strcmp(sum.digits, noted->digits) == 0 ? WAC_STATUS_OK
                                                  : fail_moment(folder, "best.safetensors", error);
}

static wac_status load_folder(wac_run *run, const char *folder, wac_error *error)
{
    int64_t remembered = 0;
    wac_manifest manifest;
    WAC_TRY(wac_manifest_read(&manifest, run->directory, error));
    run->lacks_replay = lacks_replay(&run->config, manifest.packed, folder);
    WAC_TRY(check_files(run, folder, error));
    bool replay = !run->lacks_replay && !run->peeks;
    noted noted;
    wac_save_sums sums;
    WAC_TRY(load_run(run, &remembered, &noted, folder, error));
    if (manifest.packed)
        run->noted_rows = (wac_checksum){0};
    WAC_TRY(wac_seat_load(run->agent, run->seat, folder, replay, &sums, error));
    /* what was packed has lost what nobody needs any more */
    for (int i = 0; i < WAC_SAVE_PARTS - !replay && !manifest.packed; i++)
        if (*noted.parts.of[i].digits && strcmp(noted.parts.of[i].digits, sums.of[i].digits) != 0)
            return fail_moment(folder, i == WAC_SAVE_PART_AGENT ? WAC_SAVE_AGENT : WAC_SAVE_REPLAY,
                               error);
    if (replay && run->agent->seat[run->seat].remembered != remembered)
        return fail_moment(folder, WAC_SAVE_REPLAY, error);
    if (replay && wac_seat_updates(&run->agent->seat[run->seat]) < run->position.updates)
        return fail_moment(folder, WAC_SAVE_AGENT, error);
    return *noted.best.digits && run->config.keep_best && !manifest.packed
               ? load_best(run, folder, &noted.best, error)
               : WAC_STATUS_OK;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

wac_status wac_checkpoint_load(wac_run *run, bool *found, wac_error *error)
{
    /* who only looks holds no lock: if the folder was replaced meanwhile, read the new one */
    enum { ATTEMPTS = 100 };
    wac_status status = WAC_STATUS_OK;
    bool steady = false;
    for (int i = 0; i < ATTEMPTS && !steady; i++) {
        char folder[PATH_MAX];
        struct stat before, after;
        *found = wac_folder_find_checkpoint(folder, run->directory);
        if (!*found)
            return WAC_STATUS_OK;
        bool there = stat(folder, &before) == 0;
        status = load_folder(run, folder, error);
        steady = there && stat(folder, &after) == 0 && is_same(&before, &after);
    }
    return status;
}
