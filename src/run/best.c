/* Keeping the best agent. */
#include "run/best.h"

#include "base/status.h"
#include "rl/steps.h"
#include "run/folder.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(const wac_agent_tensor *tensor)
{
    return (size_t)wac_agent_tensor_elements(tensor) * wac_dtype_size(tensor->dtype);
}

/* All that an agent is, but for what it remembers. */
static wac_status visit(wac_run *run, wac_agent_visitor *visitor, void *user, wac_error *error)
{
    for (wac_state state = WAC_STATE_NETWORKS; state <= WAC_STATE_LEARNING; state++)
        WAC_TRY(run->agent->steps->visit(run->agent, run->seat, state, visitor, user, error));
    return WAC_STATUS_OK;
}

wac_status wac_best_init(wac_run *run, wac_error *error)
{
    wac_best *best = &run->best;
    best->mean_return = NAN;
    if (!run->config.keep_best)
        return WAC_STATUS_OK;
    WAC_TRY(visit(run, wac_save_add, &best->list, error));
    size_t size = 0, arrays = best->list.count;
    for (size_t i = 0; i < arrays; i++)
        size += size_of(&best->list.tensors[i]);
    best->bytes = calloc(size, 1);
    if (!best->bytes)
        return wac_fail_memory(error, "the best agent");
    char *at = best->bytes;
    for (size_t i = 0; i < arrays; at += size_of(&best->list.tensors[i++]))
        best->list.tensors[i].data = at;
    const wac_agent_tensor own[] = {{"best/epoch", WAC_DTYPE_I64, 1, {1}, &best->epoch},
                                    {"best/return", WAC_DTYPE_F64, 1, {1}, &best->mean_return}};
    WAC_TRY(wac_save_add(&best->list, &own[0], error));
    return wac_save_add(&best->list, &own[1], error);
}

void wac_best_free(wac_best *best)
{
    free(best->list.tensors);
    free(best->bytes);
}

/* Between the live arrays, one by one, and those kept. */
typedef struct copying {
    const wac_agent_tensor *kept; /* the next of them */
    bool back;
} copying;

static wac_status copy(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    (void)error;
    copying *copying = user;
    void *kept = (copying->kept++)->data;
    memcpy(copying->back ? tensor->data : kept, copying->back ? kept : tensor->data,
           size_of(tensor));
    return WAC_STATUS_OK;
}

wac_status wac_best_note(wac_run *run, bool *better, double mean_return, wac_error *error)
{
    wac_best *best = &run->best;
    *better = best->bytes && !isnan(mean_return) && !(mean_return <= best->mean_return);
    if (!*better)
        return WAC_STATUS_OK;
    WAC_TRY(visit(run, copy, &(copying){.kept = best->list.tensors}, error));
    best->epoch = run->position.epoch;
    best->mean_return = mean_return;
    return WAC_STATUS_OK;
}

wac_status wac_best_save(const wac_run *run, const char *folder, wac_checksum *sum,
                         wac_error *error)
{
    char path[PATH_MAX];
    *sum = (wac_checksum){""};
    if (isnan(run->best.mean_return))
        return WAC_STATUS_OK;
    WAC_TRY(wac_folder_path(path, folder, WAC_FOLDER_BEST, error));
    return wac_save_write(&run->best.list, run->agent, run->seat, NULL, 0, path, sum, error);
}

wac_status wac_best_load(wac_run *run, const char *folder, wac_checksum *sum, wac_error *error)
{
    const wac_best *best = &run->best;
    wac_tensor_file *file;
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, folder, WAC_FOLDER_BEST, error));
    WAC_TRY(wac_save_open(&file, run->agent, run->seat, path, error));
    wac_status status = WAC_STATUS_OK;
    for (size_t i = 0; i < best->list.count && status == WAC_STATUS_OK; i++)
        status = wac_save_read(file, &best->list.tensors[i], error);
    const char *own = wac_tensor_file_metadata(file, "checksum");
    snprintf(sum->digits, sizeof sum->digits, "%s", own ? own : "");
    wac_tensor_file_close(file);
    WAC_TRY(status);
    return best->epoch >= 0 && best->epoch <= run->position.epoch && isfinite(best->mean_return)
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_INPUT,
                          "%s holds an evaluation that the run cannot have had; use another copy "
                          "of the checkpoint",
                          path);
}

wac_status wac_best_take(wac_run *run, wac_error *error)
{
    if (isnan(run->best.mean_return))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s keeps no best policy; %s, or take the last one", run->directory,
                        run->config.keep_best ? "wait for its first evaluation"
                                              : "train it with --keep-best true");
    WAC_TRY(visit(run, copy, &(copying){.kept = run->best.list.tensors, .back = true}, error));
    for (wac_state state = WAC_STATE_NETWORKS; state <= WAC_STATE_LEARNING; state++)
        run->agent->steps->settle(run->agent, run->seat, state);
    run->position.epoch = run->best.epoch;
    return WAC_STATUS_OK;
}
