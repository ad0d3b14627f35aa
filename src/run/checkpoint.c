/* Checkpoints: the folder checkpoint/ of a run, three safetensors files that hold everything the
 * next step depends on and nothing else (no clock, no thread count, no path), so that equal runs
 * have equal bytes. A new one is made beside the old and takes its place whole. */
#include "run/checkpoint.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Says what a checkpoint is of; each file carries it, and loading compares it. */
enum { LABELS = 6 };

typedef struct labels {
    wac_metadata list[LABELS];
    char observations[16], actions[16], width[24];
} labels;

static void make_labels(labels *labels, const wac_run *run)
{
    snprintf(labels->observations, sizeof labels->observations, "%d", run->agent->observations);
    snprintf(labels->actions, sizeof labels->actions, "%d", run->agent->actions);
    snprintf(labels->width, sizeof labels->width, "%" PRId64, run->config.width);
    const wac_metadata list[LABELS] = {
        {"format", "wac-checkpoint-1"},
        {"environment", run->config.environment},
        {"algorithm", wac_algorithm_name((wac_algorithm)run->config.algorithm)},
        {"observation_size", labels->observations},
        {"action_size", labels->actions},
        {"width", labels->width},
    };
    memcpy(labels->list, list, sizeof list);
}

static wac_status check_labels(const wac_run *run, const wac_tensor_file *file, wac_error *error)
{
    labels labels;
    make_labels(&labels, run);
    for (int i = 0; i < LABELS; i++) {
        const char *found = wac_tensor_file_metadata(file, labels.list[i].key);
        if (!found)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s is not a checkpoint of wac: it does not say its %s",
                            wac_tensor_file_path(file), labels.list[i].key);
        if (strcmp(found, labels.list[i].value) != 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s is a checkpoint with %s %s, but config.yaml says %s; put the "
                            "run's own config.yaml back",
                            wac_tensor_file_path(file), labels.list[i].key, WAC_CLIP(found),
                            labels.list[i].value);
    }
    return WAC_STATUS_OK;
}

/* The arrays of one file while it is put together. */
typedef struct list {
    wac_tensor tensors[512];
    char names[512][96];
    size_t count;
} list;

static wac_status add_tensor(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    list *list = user;
    if (list->count == sizeof list->tensors / sizeof *list->tensors)
        return wac_fail(error, WAC_STATUS_INPUT, "a checkpoint holds at most 512 tensors");
    memcpy(list->names[list->count], tensor->name, sizeof tensor->name);
    list->tensors[list->count] = (wac_tensor){
        .name = list->names[list->count],
        .dtype = tensor->dtype,
        .rank = tensor->rank,
        .shape = {tensor->shape[0], tensor->shape[1]},
        .data = tensor->data,
    };
    list->count++;
    return WAC_STATUS_OK;
}

/* An update can ruin the networks without its own losses showing it. */
static wac_status check_finite(const wac_run *run, const list *list, wac_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const wac_tensor *tensor = &list->tensors[i];
        const float *values = tensor->data;
        int64_t elements = tensor->dtype == WAC_DTYPE_F32 ? wac_tensor_elements(tensor) : 0;
        for (int64_t j = 0; j < elements; j++)
            if (!isfinite(values[j]))
                return wac_fail(error, WAC_STATUS_NUMERIC,
                                "%s became %g by update %" PRId64 ", so that is not saved; try a "
                                "smaller learning_rate or check the rewards",
                                tensor->name, (double)values[j], run->position.updates);
    }
    return WAC_STATUS_OK;
}

static wac_status load_tensor(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    int64_t elements = tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1);
    return wac_tensor_file_copy(user, tensor->name, tensor->dtype, elements, tensor->data, error);
}

enum {
    POSITION_SIZE = sizeof(wac_position) / sizeof(int64_t),
    SUMS_SIZE = sizeof(wac_sums) / sizeof(double),
};

/* What the run itself adds to the agent's arrays. `state` [state_size] is the world's. */
static wac_status visit_run(wac_run *run, double *state, wac_agent_visitor *visit, void *user,
                            wac_error *error)
{
    const wac_agent_tensor tensors[] = {
        {"position", WAC_DTYPE_I64, 1, {POSITION_SIZE}, &run->position},
        {"sums", WAC_DTYPE_F64, 1, {SUMS_SIZE}, &run->sums},
        {"coverage/sampled",
         WAC_DTYPE_I64,
         2,
         {WAC_COVERAGE_SIDE, WAC_COVERAGE_SIDE},
         run->sampled.counts},
        {"coverage/visited",
         WAC_DTYPE_I64,
         2,
         {WAC_COVERAGE_SIDE, WAC_COVERAGE_SIDE},
         run->visited.counts},
        {"world", WAC_DTYPE_F64, 1, {run->world->spec.state_size}, state},
        {"observation", WAC_DTYPE_F32, 1, {run->world->spec.observation_size}, run->observation},
        {"replay/count", WAC_DTYPE_I64, 1, {1}, &run->agent->replay.count},
    };
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        WAC_TRY(visit(user, &tensors[i], error));
    return WAC_STATUS_OK;
}

static wac_agent_tensor replay_tensor(wac_replay *replay)
{
    return (wac_agent_tensor){
        "replay/records",
        WAC_DTYPE_F32,
        2,
        {wac_replay_filled(replay), (int64_t)wac_replay_record(replay)},
        replay->records,
    };
}

static wac_status write_list(const list *list, const labels *labels, const char *folder,
                             wac_folder_file file, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, folder, file, error));
    return wac_tensor_file_write(path, list->tensors, list->count, labels->list, LABELS, error);
}

static wac_status write_files(wac_run *run, list *list, double *state, const char *folder,
                              wac_error *error)
{
    labels labels;
    make_labels(&labels, run);
    WAC_TRY(wac_agent_visit(run->agent, add_tensor, list, error));
    WAC_TRY(check_finite(run, list, error));
    WAC_TRY(write_list(list, &labels, folder, WAC_FOLDER_AGENT, error));

    list->count = 0;
    wac_agent_tensor replay = replay_tensor(&run->agent->replay);
    WAC_TRY(add_tensor(list, &replay, error));
    WAC_TRY(write_list(list, &labels, folder, WAC_FOLDER_REPLAY, error));

    list->count = 0;
    run->position.world_counter = (int64_t)run->world_rng.counter;
    run->world->type->save(run->world->self, state);
    WAC_TRY(visit_run(run, state, add_tensor, list, error));
    return write_list(list, &labels, folder, WAC_FOLDER_RUN, error);
}

wac_status wac_checkpoint_save(wac_run *run, wac_error *error)
{
    char path[PATH_MAX], fresh[PATH_MAX];
    WAC_TRY(wac_folder_path(path, run->directory, WAC_FOLDER_CHECKPOINT, error));
    WAC_TRY(wac_folder_path(fresh, run->directory, WAC_FOLDER_CHECKPOINT_NEW, error));
    /* the rows that the checkpoint counts must be on the disk before it is */
    WAC_TRY(wac_runlog_sync(run, error));
    WAC_TRY(wac_directory_remove(fresh, error));
    WAC_TRY(wac_directory_make(fresh, error));
    list *list = calloc(1, sizeof *list);
    double *state = calloc((size_t)run->world->spec.state_size + 1, sizeof *state);
    wac_status status = list && state ? write_files(run, list, state, fresh, error)
                                      : wac_fail_memory(error, "the checkpoint");
    free(state);
    free(list);
    if (status == WAC_STATUS_OK)
        status = wac_directory_replace(path, fresh, error);
    if (status != WAC_STATUS_OK) {
        (void)wac_directory_remove(fresh, NULL);
        return status;
    }
    return wac_runlog_note_time(run, false, error);
}

static wac_status open_file(wac_tensor_file **file, const wac_run *run, const char *folder,
                            wac_folder_file which, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, folder, which, error));
    WAC_TRY(wac_tensor_file_open(file, path, error));
    wac_status status = check_labels(run, *file, error);
    if (status != WAC_STATUS_OK)
        wac_tensor_file_close(*file);
    return status;
}

static wac_status load_agent(wac_run *run, const char *folder, wac_error *error)
{
    wac_tensor_file *file;
    WAC_TRY(open_file(&file, run, folder, WAC_FOLDER_AGENT, error));
    wac_status status = wac_agent_visit(run->agent, load_tensor, file, error);
    wac_normaliser_refresh(&run->agent->normaliser);
    wac_tensor_file_close(file);
    return status;
}

static wac_status load_replay(wac_run *run, const char *folder, wac_error *error)
{
    wac_tensor_file *file;
    WAC_TRY(open_file(&file, run, folder, WAC_FOLDER_REPLAY, error));
    wac_agent_tensor replay = replay_tensor(&run->agent->replay);
    wac_status status = load_tensor(file, &replay, error);
    wac_tensor_file_close(file);
    return status;
}

static wac_status load_run(wac_run *run, const char *folder, wac_error *error)
{
    wac_tensor_file *file;
    WAC_TRY(open_file(&file, run, folder, WAC_FOLDER_RUN, error));
    double *state = calloc((size_t)run->world->spec.state_size + 1, sizeof *state);
    wac_status status = state ? visit_run(run, state, load_tensor, file, error)
                              : wac_fail_memory(error, "the checkpoint");
    if (status == WAC_STATUS_OK)
        status = wac_world_load(run->world, state, run->position.episode_steps, error);
    free(state);
    wac_tensor_file_close(file);
    WAC_TRY(status);
    const wac_position *at = &run->position;
    if (at->epoch < 0 || at->explored < 0 || at->updated < 0 || at->rows < 0 || at->env_steps < 0 ||
        run->agent->replay.count < 0 || (run->agent->replay.count == 0 && at->started))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s/run.safetensors holds a position that no run can be at; use another "
                        "copy of the checkpoint",
                        folder);
    run->world_rng.counter = (uint64_t)at->world_counter;
    return WAC_STATUS_OK;
}

bool wac_checkpoint_rows(int64_t *rows, const char *directory)
{
    char folder[PATH_MAX], path[PATH_MAX];
    wac_tensor_file *file = NULL;
    wac_position at;
    if (!wac_folder_find_checkpoint(folder, directory) ||
        wac_folder_path(path, folder, WAC_FOLDER_RUN, NULL) != WAC_STATUS_OK ||
        wac_tensor_file_open(&file, path, NULL) != WAC_STATUS_OK)
        file = NULL;
    bool known = file && wac_tensor_file_copy(file, "position", WAC_DTYPE_I64, POSITION_SIZE, &at,
                                              NULL) == WAC_STATUS_OK;
    wac_tensor_file_close(file);
    *rows = known ? at.rows : 0;
    return known;
}

static wac_status load_folder(wac_run *run, const char *folder, wac_error *error)
{
    WAC_TRY(load_run(run, folder, error));
    WAC_TRY(load_agent(run, folder, error));
    return load_replay(run, folder, error);
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
