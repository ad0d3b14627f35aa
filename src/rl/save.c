/* Saving and loading agents. */
#include "rl/save.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/config.h"
#include "rl/steps.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t wac_agent_tensor_elements(const wac_agent_tensor *tensor)
{
    return tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1);
}

/* --- files ---------------------------------------------------------------------------------- */

/* The format that is written, and the one before checksums, which is read, too (docs/format.md). */
#define FORMAT "wac-checkpoint-4"
#define UNSEALED_FORMAT "wac-checkpoint-3"

/* What an agent a file is of; each file carries it, and loading compares it. */
enum { LABELS = 13 };

typedef struct labels {
    wac_metadata list[LABELS];
    int count;
    char observations[16], actions[16], width[24], critics[16], models[16], quantiles[16];
    char layers[24], blocks[24], policy_width[24], policy_blocks[24];
} labels;

static void make_labels(labels *labels, const wac_agent *agent, int seat)
{
    const wac_config *config = &agent->seat[seat].config;
    snprintf(labels->observations, sizeof labels->observations, "%d", agent->observations);
    snprintf(labels->actions, sizeof labels->actions, "%d", agent->actions);
    snprintf(labels->width, sizeof labels->width, "%" PRId64, config->width);
    snprintf(labels->critics, sizeof labels->critics, "%d", agent->critics);
    snprintf(labels->models, sizeof labels->models, "%d", agent->row->models);
    snprintf(labels->quantiles, sizeof labels->quantiles, "%d", agent->row->quantiles);
    const wac_metadata list[] = {
        {"format", FORMAT},
        {"environment", config->environment},
        {"algorithm", wac_algorithm_name((wac_algorithm)config->algorithm)},
        {"observation_size", labels->observations},
        {"action_size", labels->actions},
        {"width", labels->width},
    };
    labels->count = sizeof list / sizeof *list;
    memcpy(labels->list, list, sizeof list);
    /* numbers that are settings of some */
    if (agent->row->subset || agent->row->members)
        labels->list[labels->count++] = (wac_metadata){"critics", labels->critics};
    if (agent->row->models)
        labels->list[labels->count++] = (wac_metadata){"models", labels->models};
    if (agent->row->quantiles)
        labels->list[labels->count++] = (wac_metadata){"quantiles", labels->quantiles};
    if (config->network == WAC_NETWORK_PLAIN) {
        snprintf(labels->layers, sizeof labels->layers, "%" PRId64, config->layers);
        labels->list[labels->count++] = (wac_metadata){"layers", labels->layers};
        return;
    }
    snprintf(labels->blocks, sizeof labels->blocks, "%" PRId64, config->blocks);
    snprintf(labels->policy_width, sizeof labels->policy_width, "%" PRId64, config->policy_width);
    snprintf(labels->policy_blocks, sizeof labels->policy_blocks, "%" PRId64,
             config->policy_blocks);
    const wac_metadata residual[] = {{"network", wac_network_name((wac_network)config->network)},
                                     {"blocks", labels->blocks},
                                     {"policy_width", labels->policy_width},
                                     {"policy_blocks", labels->policy_blocks}};
    memcpy(labels->list + labels->count, residual, sizeof residual);
    labels->count += sizeof residual / sizeof *residual;
}

static bool is_unsealed(const wac_tensor_file *file)
{
    const char *format = wac_tensor_file_metadata(file, "format");
    return format && strcmp(format, UNSEALED_FORMAT) == 0;
}

static wac_status check_labels(const labels *labels, const wac_tensor_file *file, wac_error *error)
{
    for (int i = 0; i < labels->count; i++) {
        const wac_metadata *label = &labels->list[i];
        const char *found = wac_tensor_file_metadata(file, label->key);
        if (!found && strcmp(label->key, "layers") == 0)
            found = "2"; /* as many as there were before files said it */
        if (!found)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s is not a checkpoint of wac: it does not say its %s", file->path,
                            label->key);
        if (strcmp(found, label->value) == 0 || (i == 0 && is_unsealed(file)))
            continue;
        if (i == 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s has the format %s, and this version of wac reads " UNSEALED_FORMAT
                            " and " FORMAT "; use the version that wrote it (manifest.json tells "
                            "its commit), or train the run again",
                            file->path, WAC_CLIP(found));
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is a checkpoint with %s %s, but config.yaml says %s; put the run's own "
                        "config.yaml back",
                        file->path, label->key, WAC_CLIP(found), label->value);
    }
    return WAC_STATUS_OK;
}

static wac_status check_sum(const wac_tensor_file *file, wac_error *error)
{
    if (wac_tensor_file_is_whole(file) || is_unsealed(file))
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is damaged: its checksum is not that of what it holds; use another copy of "
                    "the checkpoint",
                    file->path);
}

wac_status wac_save_add(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    wac_save_list *list = user;
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        wac_agent_tensor *more = realloc(list->tensors, room * sizeof *more);
        if (!more)
            return wac_fail_memory(error, "the checkpoint");
        list->tensors = more;
        list->room = room;
    }
    list->tensors[list->count++] = *tensor;
    return WAC_STATUS_OK;
}

wac_status wac_save_write(const wac_save_list *list, const wac_agent *agent, int seat,
                          const wac_metadata *notes, size_t note_count, const char *path,
                          wac_checksum *sum, wac_error *error)
{
    labels labels;
    wac_metadata metadata[LABELS + WAC_SAVE_NOTES];
    wac_tensor *tensors = calloc(list->count, sizeof *tensors);
    if (!tensors)
        return wac_fail_memory(error, "the checkpoint");
    for (size_t i = 0; i < list->count; i++) {
        const wac_agent_tensor *from = &list->tensors[i];
        tensors[i] = (wac_tensor){.name = from->name,
                                  .dtype = from->dtype,
                                  .rank = from->rank,
                                  .shape = {from->shape[0], from->shape[1]},
                                  .data = from->data};
    }
    make_labels(&labels, agent, seat);
    size_t count = (size_t)labels.count;
    memcpy(metadata, labels.list, count * sizeof *metadata);
    assert(note_count <= WAC_SAVE_NOTES);
    for (size_t i = 0; i < note_count; i++)
        metadata[count + i] = notes[i];
    wac_status status = wac_tensor_file_write_sealed(path, tensors, list->count, metadata,
                                                     count + note_count, sum, error);
    free(tensors);
    return status;
}

wac_status wac_save_open(wac_tensor_file **file, const wac_agent *agent, int seat, const char *path,
                         wac_error *error)
{
    labels labels;
    WAC_TRY(wac_tensor_file_open(file, path, error));
    make_labels(&labels, agent, seat);
    wac_status status = check_labels(&labels, *file, error);
    if (status == WAC_STATUS_OK)
        status = check_sum(*file, error);
    if (status != WAC_STATUS_OK)
        wac_tensor_file_close(*file);
    return status;
}

wac_status wac_save_read(void *file, const wac_agent_tensor *tensor, wac_error *error)
{
    return wac_tensor_file_copy(file, tensor->name, tensor->dtype,
                                wac_agent_tensor_elements(tensor), tensor->data, error);
}

/* --- agents --------------------------------------------------------------------------------- */

typedef struct part {
    const char *file;
    wac_state first, last;
} part;

/* The replay is the last. */
static const part parts[WAC_SAVE_PARTS] = {
    [WAC_SAVE_PART_AGENT] = {WAC_SAVE_AGENT, WAC_STATE_NETWORKS, WAC_STATE_LEARNING},
    [WAC_SAVE_PART_REPLAY] = {WAC_SAVE_REPLAY, WAC_STATE_REPLAY, WAC_STATE_REPLAY},
};

static wac_status visit_part(const part *part, wac_agent *agent, int seat, wac_agent_visitor *visit,
                             void *user, wac_error *error)
{
    for (wac_state state = part->first; state <= part->last; state++)
        WAC_TRY(agent->steps->visit(agent, seat, state, visit, user, error));
    return WAC_STATUS_OK;
}

/* An update can ruin the networks without its own losses showing it. */
static wac_status check_finite(const wac_save_list *list, const wac_seat *seat, wac_error *error)
{
    for (size_t i = 0; i < list->count; i++) {
        const wac_agent_tensor *tensor = &list->tensors[i];
        const float *values = tensor->data;
        int64_t elements = tensor->dtype == WAC_DTYPE_F32 ? wac_agent_tensor_elements(tensor) : 0;
        for (int64_t j = 0; j < elements; j++)
            if (!isfinite(values[j]))
                return wac_fail(error, WAC_STATUS_NUMERIC,
                                "%s became %g by update %" PRId64 ", so that is not saved; try a "
                                "smaller learning_rate or check the rewards",
                                tensor->name, fabs((double)values[j]), wac_seat_updates(seat));
    }
    return WAC_STATUS_OK;
}

wac_status wac_seat_save(wac_agent *agent, int seat, const char *directory, bool replay,
                         wac_save_sums *sums, wac_error *error)
{
    wac_save_list list = {0};
    wac_status status = WAC_STATUS_OK;
    if (sums)
        *sums = (wac_save_sums){0};
    for (int i = 0; i < WAC_SAVE_PARTS - !replay && status == WAC_STATUS_OK; i++) {
        char path[PATH_MAX];
        list.count = 0;
        status = wac_path_join(path, sizeof path, directory, parts[i].file, error);
        if (status == WAC_STATUS_OK)
            status = visit_part(&parts[i], agent, seat, wac_save_add, &list, error);
        if (status == WAC_STATUS_OK && parts[i].last != WAC_STATE_REPLAY)
            status = check_finite(&list, &agent->seat[seat], error);
        if (status == WAC_STATUS_OK)
            status = wac_save_write(&list, agent, seat, NULL, 0, path, sums ? &sums->of[i] : NULL,
                                    error);
    }
    free(list.tensors);
    return status;
}

static double real_at(const wac_agent_tensor *tensor, int64_t index)
{
    return tensor->dtype == WAC_DTYPE_F32 ? (double)((const float *)tensor->data)[index]
                                          : ((const double *)tensor->data)[index];
}

/* Whether an agent can have such numbers: counts that can be counted on with, finite numbers,
 * squares that are not below zero, and in a record of the replay an end that is one or none. Some
 * counts are not kept as whole numbers. */
static bool is_possible(const wac_agent_tensor *tensor)
{
    static const char moments[] = "adam/second/";
    const char *last = strrchr(tensor->name, '/');
    bool square = strncmp(tensor->name, moments, strlen(moments)) == 0 ||
                  (last && strcmp(last, "/squares") == 0);
    bool record = strcmp(tensor->name, "replay/records") == 0;
    bool whole = last && strcmp(last, "/count") == 0;
    for (int64_t i = 0; i < wac_agent_tensor_elements(tensor); i++) {
        if (tensor->dtype == WAC_DTYPE_I64) {
            int64_t count = ((const int64_t *)tensor->data)[i];
            if (count < 0 || count > WAC_SAVE_MOST)
                return false;
            continue;
        }
        double number = real_at(tensor, i);
        bool end = record && (i + 1) % tensor->shape[1] == 0;
        if (!isfinite(number) || ((square || whole) && number < 0) ||
            (whole && number != floor(number)) || (end && number != 0 && number != 1))
            return false;
    }
    return true;
}

static wac_status fail_array(const char *path, const char *name, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s holds a %s that no agent can have; use another copy of the checkpoint",
                    path, name);
}

static wac_status read_checked(void *file, const wac_agent_tensor *tensor, wac_error *error)
{
    WAC_TRY(wac_save_read(file, tensor, error));
    return is_possible(tensor)
               ? WAC_STATUS_OK
               : fail_array(((const wac_tensor_file *)file)->path, tensor->name, error);
}

/* What several arrays say together. */
static wac_status check_seat(const wac_agent *agent, const wac_seat *seat, const char *path,
                             wac_error *error)
{
    if (seat->policy_steps > seat->critic_steps || seat->entropy_steps > seat->critic_steps ||
        seat->model_steps > seat->critic_steps)
        return fail_array(path, "number of steps", error);
    for (int i = 0; i < agent->policies; i++)
        if (!isfinite(seat->alpha[i]))
            return fail_array(path, "log_alpha", error);
    if (!isfinite(seat->bonus_weight))
        return fail_array(path, "log_bonus_weight", error);
    return WAC_STATUS_OK;
}

wac_status wac_seat_load(wac_agent *agent, int seat, const char *directory, bool replay,
                         wac_save_sums *sums, wac_error *error)
{
    if (sums)
        *sums = (wac_save_sums){0};
    for (int i = 0; i < WAC_SAVE_PARTS - !replay; i++) {
        wac_tensor_file *file;
        char path[PATH_MAX];
        WAC_TRY(wac_path_join(path, sizeof path, directory, parts[i].file, error));
        WAC_TRY(wac_save_open(&file, agent, seat, path, error));
        const char *sum = wac_tensor_file_metadata(file, "checksum");
        if (sums)
            snprintf(sums->of[i].digits, sizeof sums->of[i].digits, "%s", sum ? sum : "");
        wac_status status = visit_part(&parts[i], agent, seat, read_checked, file, error);
        wac_tensor_file_close(file);
        WAC_TRY(status);
        for (wac_state state = parts[i].first; state <= parts[i].last; state++)
            agent->steps->settle(agent, seat, state);
        WAC_TRY(check_seat(agent, &agent->seat[seat], path, error));
    }
    return WAC_STATUS_OK;
}

wac_status wac_agent_save(wac_agent *agent, const char *directory, wac_error *error)
{
    return wac_seat_save(agent, 0, directory, true, NULL, error);
}

wac_status wac_agent_load(wac_agent *agent, const char *directory, wac_error *error)
{
    return wac_seat_load(agent, 0, directory, true, NULL, error);
}
