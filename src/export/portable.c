/* Policies as plain numbers: taken from runs, rounded, written and read. */
#include "export/portable.h"

#include "base/number.h"
#include "base/status.h"
#include "config/environments.h"
#include "rl/host/host.h"
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wac_portable_networks(const wac_portable *portable)
{
    return 1 + portable->policy.means + portable->policy.stds;
}

const wac_export_network *wac_portable_network(const wac_portable *portable, int network)
{
    return network == 0 ? &portable->policy.actor : &portable->policy.critics[network - 1];
}

int wac_portable_inputs(const wac_portable *portable, int network, int layer)
{
    return layer == 0 ? wac_portable_network(portable, network)->inputs : portable->policy.width;
}

int wac_portable_outputs(const wac_portable *portable, int network, int layer)
{
    return layer == WAC_EXPORT_LAYERS - 1 ? wac_portable_network(portable, network)->outputs
                                          : portable->policy.width;
}

const char *wac_portable_layer(int network, int layer)
{
    return layer == 0 ? "hidden0" : layer == 1 ? "hidden1" : network == 0 ? "mean" : "out";
}

/* --- making ---------------------------------------------------------------------------------- */

/* The sizes that all else follows from. */
typedef struct sizes {
    int observations, actions, width, means, stds;
} sizes;

/* One with nothing but zeros. */
static wac_status make(wac_portable **out, sizes sizes, wac_error *error)
{
    wac_arena arena = {0};
    size_t observations = (size_t)sizes.observations, actions = (size_t)sizes.actions,
           width = (size_t)sizes.width;
    int critic_count = sizes.means + sizes.stds;
    wac_portable *portable = WAC_TAKE(&arena, wac_portable, 1);
    wac_export_network *critics = WAC_TAKE(&arena, wac_export_network, (size_t)critic_count);
    wac_export_network actor = {.inputs = sizes.observations, .outputs = sizes.actions};
    for (int i = 0; i <= critic_count && !arena.failed; i++) {
        wac_export_network *net = i == 0 ? &actor : &critics[i - 1];
        if (i > 0)
            *net = (wac_export_network){.inputs = sizes.observations + sizes.actions, .outputs = 1};
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++) {
            size_t inputs = l == 0 ? (size_t)net->inputs : width;
            size_t outputs = l == WAC_EXPORT_LAYERS - 1 ? (size_t)net->outputs : width;
            net->weight[l] = WAC_TAKE(&arena, float, inputs *outputs);
            net->bias[l] = WAC_TAKE(&arena, float, outputs);
        }
    }
    const wac_export_policy policy = {
        .observations = sizes.observations,
        .actions = sizes.actions,
        .width = sizes.width,
        .offset = WAC_TAKE(&arena, float, observations),
        .factor = WAC_TAKE(&arena, float, observations),
        .middle = WAC_TAKE(&arena, float, actions),
        .half = WAC_TAKE(&arena, float, actions),
        .actor = actor,
        .critics = critic_count ? critics : NULL,
        .means = sizes.means,
        .stds = sizes.stds,
    };
    float *work = WAC_TAKE(&arena, float, observations + actions + 2 * width);
    if (arena.failed) {
        wac_arena_release(&arena);
        return wac_fail_memory(error, "the exported policy");
    }
    portable->policy = policy;
    portable->work = work;
    portable->arena = arena;
    *out = portable;
    return WAC_STATUS_OK;
}

void wac_portable_destroy(wac_portable *portable)
{
    if (!portable)
        return;
    wac_arena arena = portable->arena; /* holds it */
    wac_arena_release(&arena);
}

/* What make() took is ours to write. */
static float *writable(const float *array)
{
    return (float *)(uintptr_t)array;
}

/* From [outputs][inputs] to [inputs][outputs]. */
static void transpose(float *to, const float *from, int inputs, int outputs)
{
    for (int o = 0; o < outputs; o++)
        for (int i = 0; i < inputs; i++)
            to[(size_t)i * (size_t)outputs + (size_t)o] =
                from[(size_t)o * (size_t)inputs + (size_t)i];
}

/* Of the head only what is asked for, from output `first` on. */
static void take_network(wac_portable *portable, int network, const wac_stack *stack, int member,
                         int first)
{
    const wac_export_network *net = wac_portable_network(portable, network);
    for (int l = 0; l < WAC_EXPORT_LAYERS; l++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, l);
        int outputs = wac_portable_outputs(portable, network, l); /* without a policy's log-stds */
        int from = l == WAC_EXPORT_LAYERS - 1 ? first : 0;
        transpose(writable(net->weight[l]), layer.weight + (size_t)(from * layer.inputs),
                  layer.inputs, outputs);
        memcpy(writable(net->bias[l]), layer.bias + from, (size_t)outputs * sizeof(float));
    }
}

/* How the world's units become the agent's, and the reverse. */
static void take_units(wac_portable *portable, const wac_world *world, const wac_normaliser *seen)
{
    const wac_environment_spec *spec = &world->spec;
    const wac_export_policy *policy = &portable->policy;
    for (int i = 0; i < policy->observations; i++) {
        double low = spec->observation_low[i], high = spec->observation_high[i];
        writable(policy->offset)[i] = seen->on ? seen->offset[i] : (float)((low + high) / 2);
        writable(policy->factor)[i] = seen->on ? seen->scale[i] : (float)(2 / (high - low));
    }
    for (int i = 0; i < policy->actions; i++) {
        writable(policy->middle)[i] = (float)((spec->action_low[i] + spec->action_high[i]) / 2);
        writable(policy->half)[i] = (float)((spec->action_high[i] - spec->action_low[i]) / 2);
    }
}

wac_status wac_portable_make(wac_portable **out, wac_run *run, bool critics, wac_error *error)
{
    wac_portable *portable = NULL;
    const wac_agent *agent = run->agent;
    const wac_algorithm_row *row = agent->row;
    if (row->table)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s is a table, and only networks are exported; its numbers are in "
                        "checkpoint/agent.safetensors",
                        run->directory);
    if (agent->members > 1)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s is an ensemble of %d policies, and only one can be exported; "
                        "its networks are in checkpoint/agent.safetensors",
                        run->directory, agent->members);
    if (critics && row->particles)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s has particles, and only critics with posterior gaussian are "
                        "exported; leave --with-value out",
                        run->directory);
    if (critics && row->quantiles)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the critics of the run %s put out quantiles, and only means and stds are "
                        "exported; leave --with-value out",
                        run->directory);
    const wac_desk *desk = wac_host_desk(agent, run->seat);
    sizes sizes = {.observations = agent->observations,
                   .actions = agent->actions,
                   .width = (int)run->config.width,
                   .means = critics ? row->means : 0,
                   .stds = critics ? row->stds : 0};
    WAC_TRY(make(&portable, sizes, error));
    char name[WAC_ENVIRONMENT_NAME];
    wac_environment_label(portable->environment, sizeof portable->environment,
                          wac_environment_name(name, &run->config));
    portable->algorithm = wac_algorithm_name((wac_algorithm)run->config.algorithm);
    portable->epoch = run->position.epoch;
    portable->policy.kappa = desk->seat->kappa;
    take_units(portable, run->world, &desk->normaliser);
    take_network(portable, 0, &desk->policies, wac_agent_policy(agent, WAC_POLICY_TARGET), 0);
    snprintf(portable->names[0], sizeof *portable->names, "policy");
    for (int i = 0; i < sizes.means + sizes.stds; i++) {
        bool std = i >= sizes.means;
        int k = std ? i - sizes.means : i;
        /* two heads of one network go as two networks */
        take_network(portable, 1 + i, &desk->critics, row->shared ? k : i, row->shared && std);
        snprintf(portable->names[1 + i], sizeof *portable->names, "%s%d",
                 std           ? "std"
                 : row->shared ? "mean"
                               : row->critics,
                 1 + k);
    }
    *out = portable;
    return WAC_STATUS_OK;
}

/* --- 8 bits ---------------------------------------------------------------------------------- */

/* The largest weight of an output becomes 127. */
static void quantise(float *weight, float *scale, int inputs, int outputs)
{
    for (int o = 0; o < outputs; o++) {
        float largest = 0;
        for (int i = 0; i < inputs; i++)
            largest = fmaxf(largest, fabsf(weight[(size_t)i * (size_t)outputs + (size_t)o]));
        scale[o] = largest / 127;
        for (int i = 0; i < inputs; i++) {
            float *number = &weight[(size_t)i * (size_t)outputs + (size_t)o];
            *number = largest > 0 ? roundf(*number / scale[o]) : 0;
            *number = fminf(fmaxf(*number, -127), 127); /* where the scale is next to nothing */
        }
    }
}

wac_status wac_portable_quantise(wac_portable *portable, wac_error *error)
{
    float *scales[1 + WAC_CRITICS_MOST][WAC_EXPORT_LAYERS];
    int networks = wac_portable_networks(portable);
    for (int i = 0; i < networks; i++)
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++)
            scales[i][l] =
                WAC_TAKE(&portable->arena, float, (size_t)wac_portable_outputs(portable, i, l));
    if (portable->arena.failed)
        return wac_fail_memory(error, "the exported policy");
    for (int i = 0; i < networks; i++) {
        wac_export_network *net = i == 0 ? &portable->policy.actor
                                         : (wac_export_network *)&portable->policy.critics[i - 1];
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++) {
            quantise(writable(net->weight[l]), scales[i][l], wac_portable_inputs(portable, i, l),
                     wac_portable_outputs(portable, i, l));
            net->scale[l] = scales[i][l];
        }
    }
    return WAC_STATUS_OK;
}

/* --- safetensors ----------------------------------------------------------------------------- */

enum {
    UNITS = 4,
    TENSORS_MOST = UNITS + (1 + WAC_CRITICS_MOST) * 2 * WAC_EXPORT_LAYERS,
    TENSOR_NAME = 64,
};

static const char format[] = "wac-policy-1";
static const char formula[] =
    "x = clip((observation - observation/offset) * observation/factor, -1, 1); "
    "action = action/middle + action/half * tanh(policy(x)), hidden layers with ReLU; critics read "
    "x and (action - action/middle) / action/half, std critics give logarithms; the one to trust "
    "has the smallest mean + kappa * std";

/* The arrays of a policy by name; weights are null here. */
static size_t list_tensors(wac_tensor *tensors, char names[][TENSOR_NAME],
                           const wac_portable *portable)
{
    const wac_export_policy *policy = &portable->policy;
    const struct {
        const char *name;
        int size;
        const float *data;
    } units[UNITS] = {
        {"observation/offset", policy->observations, policy->offset},
        {"observation/factor", policy->observations, policy->factor},
        {"action/middle", policy->actions, policy->middle},
        {"action/half", policy->actions, policy->half},
    };
    size_t count = 0;
    for (; count < UNITS; count++)
        tensors[count] = (wac_tensor){.name = units[count].name,
                                      .rank = 1,
                                      .shape = {units[count].size},
                                      .data = units[count].data};
    for (int i = 0; i < wac_portable_networks(portable); i++)
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++, count += 2) {
            const char *parts[] = {"weight", "bias"};
            int64_t outputs = wac_portable_outputs(portable, i, l);
            tensors[count] =
                (wac_tensor){.rank = 2, .shape = {outputs, wac_portable_inputs(portable, i, l)}};
            tensors[count + 1] = (wac_tensor){
                .rank = 1, .shape = {outputs}, .data = wac_portable_network(portable, i)->bias[l]};
            for (size_t k = 0; k < 2; k++) {
                snprintf(names[count + k], TENSOR_NAME, "%s/%s/%s", portable->names[i],
                         wac_portable_layer(i, l), parts[k]);
                tensors[count + k].name = names[count + k];
            }
        }
    return count;
}

wac_status wac_portable_write(const wac_portable *portable, const char *path, wac_error *error)
{
    wac_tensor tensors[TENSORS_MOST];
    char names[TENSORS_MOST][TENSOR_NAME], kappa[32], epoch[32], means[16], stds[16];
    size_t count = list_tensors(tensors, names, portable), at = UNITS;
    wac_arena arena = {0};
    for (int i = 0; i < wac_portable_networks(portable); i++)
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++, at += 2) {
            int inputs = wac_portable_inputs(portable, i, l);
            int outputs = wac_portable_outputs(portable, i, l);
            float *weight = WAC_TAKE(&arena, float, (size_t)inputs *(size_t)outputs);
            if (weight)
                transpose(weight, wac_portable_network(portable, i)->weight[l], outputs, inputs);
            tensors[at].data = weight;
        }
    snprintf(kappa, sizeof kappa, "%.9g", (double)portable->policy.kappa);
    snprintf(epoch, sizeof epoch, "%" PRId64, portable->epoch);
    snprintf(means, sizeof means, "%d", portable->policy.means);
    snprintf(stds, sizeof stds, "%d", portable->policy.stds);
    const wac_metadata metadata[] = {
        {"format", format},
        {"environment", portable->environment},
        {"algorithm", portable->algorithm},
        {"epoch", epoch},
        {"means", means},
        {"stds", stds},
        {"kappa", kappa},
        {"formula", formula},
    };
    wac_status status =
        arena.failed
            ? wac_fail_memory(error, "the exported policy")
            : wac_tensor_file_write_sealed(path, tensors, count, metadata,
                                           sizeof metadata / sizeof *metadata, NULL, error);
    wac_arena_release(&arena);
    return status;
}

wac_status wac_portable_read(wac_portable *portable, const char *path, wac_error *error)
{
    wac_tensor tensors[TENSORS_MOST];
    char names[TENSORS_MOST][TENSOR_NAME];
    size_t count = list_tensors(tensors, names, portable);
    wac_tensor_file *file;
    WAC_TRY(wac_tensor_file_open(&file, path, error));
    wac_status status = WAC_STATUS_OK;
    for (size_t i = 0; i < count && status == WAC_STATUS_OK; i++)
        if (tensors[i].rank == 1)
            status = wac_tensor_file_copy(file, tensors[i].name, WAC_DTYPE_F32, tensors[i].shape[0],
                                          writable(tensors[i].data), error);
    size_t at = UNITS;
    for (int i = 0; i < wac_portable_networks(portable); i++)
        for (int l = 0; l < WAC_EXPORT_LAYERS; l++, at += 2) {
            int outputs = (int)tensors[at].shape[0], inputs = (int)tensors[at].shape[1];
            float *weight = calloc((size_t)outputs * (size_t)inputs, sizeof *weight);
            if (status == WAC_STATUS_OK)
                status = weight ? wac_tensor_file_copy(file, tensors[at].name, WAC_DTYPE_F32,
                                                       (int64_t)outputs * inputs, weight, error)
                                : wac_fail_memory(error, "the exported policy");
            if (status == WAC_STATUS_OK)
                transpose(writable(wac_portable_network(portable, i)->weight[l]), weight, inputs,
                          outputs);
            free(weight);
        }
    wac_tensor_file_close(file);
    return status;
}

/* --- in double precision --------------------------------------------------------------------- */

static void run_layer(const wac_portable *portable, int layer, const double *x, double *y)
{
    const wac_export_network *net = &portable->policy.actor;
    int inputs = wac_portable_inputs(portable, 0, layer);
    int outputs = wac_portable_outputs(portable, 0, layer);
    for (int o = 0; o < outputs; o++) {
        double sum = 0;
        for (int i = 0; i < inputs; i++)
            sum += (double)net->weight[layer][(size_t)i * (size_t)outputs + (size_t)o] * x[i];
        sum = sum * (net->scale[layer] ? (double)net->scale[layer][o] : 1) +
              (double)net->bias[layer][o];
        y[o] = layer < WAC_EXPORT_LAYERS - 1 && sum < 0 ? 0 : sum;
    }
}

void wac_portable_act_exactly(const wac_portable *portable, const float *observation,
                              double *action, double *work)
{
    const wac_export_policy *policy = &portable->policy;
    double *seen = work, *first = seen + policy->observations, *second = first + policy->width;
    for (int i = 0; i < policy->observations; i++)
        seen[i] = wac_clamp(((double)observation[i] - (double)policy->offset[i]) *
                                (double)policy->factor[i],
                            -1, 1);
    run_layer(portable, 0, seen, first);
    run_layer(portable, 1, first, second);
    run_layer(portable, 2, second, action);
    for (int i = 0; i < policy->actions; i++)
        action[i] = (double)policy->middle[i] + (double)policy->half[i] * tanh(action[i]);
}

/* --- who plays ------------------------------------------------------------------------------- */

static void act(void *self, const float *observation, float *action)
{
    wac_portable *portable = self;
    wac_export_act_by(&portable->policy, observation, action, portable->work);
}

static void value(void *self, const float *observation, const float *action, float *mean,
                  float *std)
{
    wac_portable *portable = self;
    wac_export_value_by(&portable->policy, observation, action, mean, std, portable->work);
}

wac_player wac_portable_player(wac_portable *portable)
{
    return (wac_player){act, portable->policy.means ? value : NULL, portable};
}
