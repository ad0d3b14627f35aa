/* Policies as plain numbers: taken from runs, rounded, written and read. */
#include "export/portable.h"

#include "base/number.h"
#include "base/status.h"
#include "config/environments.h"
#include "rl/host/host.h"
#include "run/run.h"

#include <float.h>
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

static wac_shape shape_of(const wac_export_network *net)
{
    return (wac_shape){.inputs = net->inputs,
                       .width = net->width,
                       .outputs = net->outputs,
                       .hidden = net->hidden,
                       .blocks = net->blocks,
                       .after = net->after};
}

static wac_layer sizes_of(const wac_portable *portable, int network, int layer)
{
    wac_shape shape = shape_of(wac_portable_network(portable, network));
    return wac_shape_layer(&shape, layer);
}

int wac_portable_inputs(const wac_portable *portable, int network, int layer)
{
    return sizes_of(portable, network, layer).inputs;
}

int wac_portable_outputs(const wac_portable *portable, int network, int layer)
{
    return sizes_of(portable, network, layer).outputs;
}

int wac_portable_layers(const wac_portable *portable, int network)
{
    wac_shape shape = shape_of(wac_portable_network(portable, network));
    return wac_shape_head(&shape) + 1;
}

bool wac_portable_is_norm(const wac_portable *portable, int network, int layer)
{
    wac_shape shape = shape_of(wac_portable_network(portable, network));
    return wac_shape_is_norm(&shape, layer);
}

static int work_of(const wac_shape *shape)
{
    return (shape->blocks ? 2 + wac_shape_spread(shape) : 2) * shape->width;
}

int wac_portable_work(const wac_portable *portable)
{
    int most = 0;
    for (int i = 0; i < wac_portable_networks(portable); i++) {
        wac_shape shape = shape_of(wac_portable_network(portable, i));
        most = work_of(&shape) > most ? work_of(&shape) : most;
    }
    return most;
}

void wac_portable_layer(const wac_portable *portable, int network, int layer,
                        char name[WAC_LAYER_NAME])
{
    wac_shape shape = shape_of(wac_portable_network(portable, network));
    if (layer == wac_shape_head(&shape))
        snprintf(name, WAC_LAYER_NAME, "%s", network == 0 ? "mean" : "out");
    else
        wac_layer_name(&shape, layer, name);
}

/* --- making ---------------------------------------------------------------------------------- */

/* The shapes that all else follows from; of the policy only the means. */
typedef struct sizes {
    wac_shape actor, critic;
    int means, stds;
} sizes;

static wac_export_network take(wac_arena *arena, const wac_shape *shape)
{
    wac_export_network net = {.inputs = shape->inputs,
                              .outputs = shape->outputs,
                              .width = shape->width,
                              .hidden = shape->hidden,
                              .blocks = shape->blocks,
                              .after = shape->after};
    for (int l = 0; l <= wac_shape_head(shape); l++) {
        wac_layer layer = wac_shape_layer(shape, l);
        size_t outputs = (size_t)layer.outputs;
        net.weight[l] = WAC_TAKE(arena, float, (size_t)layer.inputs *outputs);
        net.bias[l] = WAC_TAKE(arena, float, outputs);
    }
    return net;
}

/* One with nothing but zeros. */
static wac_status make(wac_portable **out, sizes sizes, wac_error *error)
{
    wac_arena arena = {0};
    int observations = sizes.actor.inputs, actions = sizes.actor.outputs;
    int critic_count = sizes.means + sizes.stds;
    int own = work_of(&sizes.actor), other = critic_count ? work_of(&sizes.critic) : 0;
    wac_portable *portable = WAC_TAKE(&arena, wac_portable, 1);
    wac_export_network *critics = WAC_TAKE(&arena, wac_export_network, (size_t)critic_count);
    wac_export_network actor = take(&arena, &sizes.actor);
    for (int i = 0; i < critic_count && !arena.failed; i++)
        critics[i] = take(&arena, &sizes.critic);
    const wac_export_policy policy = {
        .observations = observations,
        .actions = actions,
        .offset = WAC_TAKE(&arena, float, (size_t)observations),
        .factor = WAC_TAKE(&arena, float, (size_t)observations),
        .middle = WAC_TAKE(&arena, float, (size_t)actions),
        .half = WAC_TAKE(&arena, float, (size_t)actions),
        .actor = actor,
        .critics = critic_count ? critics : NULL,
        .means = sizes.means,
        .stds = sizes.stds,
    };
    int room = observations + actions + (own > other ? own : other);
    float *work = WAC_TAKE(&arena, float, (size_t)room);
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
    int head = wac_portable_layers(portable, network) - 1;
    for (int l = 0; l <= head; l++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, l);
        int outputs = wac_portable_outputs(portable, network, l); /* without a policy's log-stds */
        int from = l == head ? first : 0;
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
    bool none = world->raw && !seen->on; /* they are seen as they are */
    portable->policy.limit = none ? FLT_MAX : 1;
    for (int i = 0; i < policy->observations; i++) {
        double low = none ? -1 : spec->observation_low[i],
               high = none ? 1 : spec->observation_high[i];
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
    sizes sizes = {.actor = desk->policies.shape,
                   .critic = desk->critics.shape,
                   .means = critics ? row->means : 0,
                   .stds = critics ? row->stds : 0};
    sizes.actor.outputs = agent->actions;
    sizes.critic.outputs = 1;
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
        for (int l = 0; l < wac_portable_layers(portable, i); l++)
            scales[i][l] =
                WAC_TAKE(&portable->arena, float, (size_t)wac_portable_outputs(portable, i, l));
    if (portable->arena.failed)
        return wac_fail_memory(error, "the exported policy");
    for (int i = 0; i < networks; i++) {
        wac_export_network *net = i == 0 ? &portable->policy.actor
                                         : (wac_export_network *)&portable->policy.critics[i - 1];
        for (int l = 0; l < wac_portable_layers(portable, i); l++) {
            quantise(writable(net->weight[l]), scales[i][l], wac_portable_inputs(portable, i, l),
                     wac_portable_outputs(portable, i, l));
            net->scale[l] = scales[i][l];
        }
    }
    return WAC_STATUS_OK;
}

/* --- safetensors ----------------------------------------------------------------------------- */

enum {
    UNITS = 5,
    TENSORS_MOST = UNITS + (1 + WAC_CRITICS_MOST) * 2 * WAC_EXPORT_LAYERS,
    TENSOR_NAME = 96,
};

static const char format[] = "wac-policy-1";
static const char formula[] =
    "x = clip((observation - observation/offset) * observation/factor, -observation/limit, "
    "observation/limit); "
    "action = action/middle + action/half * tanh(policy(x)), hidden layers with ReLU (with an "
    "embedding: s = embedding(x), for each block s += down(relu(up(norm(s)))), then the last layer "
    "of norm(s); with norm_down: s = relu(norm(embedding(x))), for each block s += "
    "norm_down(down(relu(norm(up(s))))), then the last layer of s; norm: layer normalisation, "
    "epsilon 1e-6); critics read "
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
        {"observation/limit", 1, &policy->limit},
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
        for (int l = 0; l < wac_portable_layers(portable, i); l++, count += 2) {
            char label[WAC_LAYER_NAME];
            const char *parts[] = {"weight", "bias"};
            int64_t outputs = wac_portable_outputs(portable, i, l);
            wac_portable_layer(portable, i, l, label);
            tensors[count] =
                (wac_tensor){.rank = 2, .shape = {outputs, wac_portable_inputs(portable, i, l)}};
            tensors[count + 1] = (wac_tensor){
                .rank = 1, .shape = {outputs}, .data = wac_portable_network(portable, i)->bias[l]};
            for (size_t k = 0; k < 2; k++) {
                snprintf(names[count + k], TENSOR_NAME, "%s/%s/%s", portable->names[i], label,
                         parts[k]);
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
        for (int l = 0; l < wac_portable_layers(portable, i); l++, at += 2) {
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
        for (int l = 0; l < wac_portable_layers(portable, i); l++, at += 2) {
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

static double weight_at(const wac_export_network *net, int layer, int outputs, int i, int o)
{
    double weight = (double)net->weight[layer][(size_t)i * (size_t)outputs + (size_t)o];
    return weight * (net->scale[layer] ? (double)net->scale[layer][o] : 1);
}

static void run_layer(const wac_portable *portable, int layer, bool relu, const double *x,
                      double *y)
{
    const wac_export_network *net = &portable->policy.actor;
    int inputs = wac_portable_inputs(portable, 0, layer);
    int outputs = wac_portable_outputs(portable, 0, layer);
    for (int o = 0; o < outputs; o++) {
        double sum = (double)net->bias[layer][o];
        for (int i = 0; i < inputs; i++)
            sum += weight_at(net, layer, outputs, i, o) * x[i];
        y[o] = relu && sum < 0 ? 0 : sum;
    }
}

static void run_norm(const wac_portable *portable, int layer, const double *x, double *y)
{
    const wac_export_network *net = &portable->policy.actor;
    double mean = 0, variance = 0;
    for (int i = 0; i < net->width; i++)
        mean += x[i] / net->width;
    for (int i = 0; i < net->width; i++)
        variance += (x[i] - mean) * (x[i] - mean) / net->width;
    for (int i = 0; i < net->width; i++)
        y[i] = (x[i] - mean) / sqrt(variance + (double)WAC_NORM_EPSILON) *
                   weight_at(net, layer, net->width, 0, i) +
               (double)net->bias[layer][i];
}

static void cut_below_zero(int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = x[i] < 0 ? 0 : x[i];
}

/* What the head reads, to `second`; the network is normalised behind its layers. */
static void run_normalised(const wac_portable *portable, const double *seen, double *stream,
                           double *second)
{
    const wac_export_network *net = &portable->policy.actor;
    double *middle = second + net->width;
    run_layer(portable, 0, false, seen, second);
    run_norm(portable, 1, second, stream);
    cut_below_zero(net->width, stream);
    for (int k = 0, at = 2; k < net->blocks; k++, at += 4) {
        run_layer(portable, at, false, stream, second);
        run_norm(portable, at + 1, second, middle);
        cut_below_zero(net->width, middle);
        run_layer(portable, at + 2, false, middle, second);
        run_norm(portable, at + 3, second, middle);
        for (int i = 0; i < net->width; i++)
            stream[i] += middle[i];
    }
    memcpy(second, stream, (size_t)net->width * sizeof *second);
}

static void run_residual(const wac_portable *portable, const double *seen, double *stream,
                         double *second)
{
    const wac_export_network *net = &portable->policy.actor;
    int at = 1;
    run_layer(portable, 0, false, seen, stream);
    for (int k = 0; k < net->blocks; k++, at += 3) {
        run_norm(portable, at, stream, second);
        run_layer(portable, at + 1, true, second, second + net->width);
        run_layer(portable, at + 2, false, second + net->width, second);
        for (int i = 0; i < net->width; i++)
            stream[i] += second[i];
    }
    run_norm(portable, at, stream, second);
}

static void run_plain(const wac_portable *portable, const double *seen, double *first,
                      double *second)
{
    const wac_export_network *net = &portable->policy.actor;
    const double *from = seen;
    for (int i = 0; i < net->hidden; i++) {
        double *to = (net->hidden - i) % 2 ? second : first;
        run_layer(portable, i, true, from, to);
        from = to;
    }
}

void wac_portable_act_exactly(const wac_portable *portable, const float *observation,
                              double *action, double *work)
{
    const wac_export_policy *policy = &portable->policy;
    const wac_export_network *net = &policy->actor;
    double *seen = work, *first = seen + policy->observations, *second = first + net->width;
    for (int i = 0; i < policy->observations; i++)
        seen[i] = wac_clamp(((double)observation[i] - (double)policy->offset[i]) *
                                (double)policy->factor[i],
                            -(double)policy->limit, (double)policy->limit);
    (net->after    ? run_normalised
     : net->blocks ? run_residual
                   : run_plain)(portable, seen, first, second);
    run_layer(portable, wac_portable_layers(portable, 0) - 1, false, second, action);
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
