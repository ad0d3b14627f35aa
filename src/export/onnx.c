/* Writing ONNX. */
#include "export/onnx.h"

#include "base/files.h"
#include "base/protobuf.h"
#include "base/status.h"
#include "export/onnx_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_tensor(wac_message *graph, const char *name, const float *values, int rows,
                       int columns)
{
    wac_message tensor = {0};
    size_t size = (size_t)(rows ? rows : 1) * (size_t)(columns ? columns : 1);
    if (rows)
        wac_message_add_number(&tensor, TENSOR_SHAPE, (uint64_t)rows);
    if (columns)
        wac_message_add_number(&tensor, TENSOR_SHAPE, (uint64_t)columns);
    wac_message_add_number(&tensor, TENSOR_TYPE, TYPE_FLOAT);
    wac_message_add_text(&tensor, TENSOR_NAME, name);
    wac_message_add_bytes(&tensor, TENSOR_DATA, values, size * sizeof *values);
    wac_message_add_message(graph, GRAPH_TENSOR, &tensor);
}

/* A node called like its output; null ends the inputs. */
static void add_node(wac_message *graph, const char *kind, const char *output,
                     const char *const inputs[4])
{
    wac_message node = {0};
    for (int i = 0; i < 4 && inputs[i]; i++)
        wac_message_add_text(&node, NODE_INPUT, inputs[i]);
    wac_message_add_text(&node, NODE_OUTPUT, output);
    wac_message_add_text(&node, NODE_NAME, output);
    wac_message_add_text(&node, NODE_KIND, kind);
    if (strcmp(kind, "Concat") == 0) {
        wac_message axis = {0};
        wac_message_add_text(&axis, ATTRIBUTE_NAME, "axis");
        wac_message_add_number(&axis, ATTRIBUTE_INT, 1);
        wac_message_add_number(&axis, ATTRIBUTE_TYPE, ATTRIBUTE_IS_INT);
        wac_message_add_message(&node, NODE_ATTRIBUTE, &axis);
    }
    wac_message_add_message(graph, GRAPH_NODE, &node);
}

#define ADD_NODE(graph, kind, output, ...)                                                         \
    add_node(graph, kind, output, (const char *const[4]){__VA_ARGS__})

/* An input or output, [batch][size]. */
static void add_value(wac_message *graph, int field, const char *name, int size, const char *about)
{
    wac_message batch = {0}, entries = {0}, sizes = {0}, tensor = {0}, type = {0}, value = {0};
    wac_message_add_text(&batch, SIZE_NAME, "batch");
    wac_message_add_message(&sizes, SIZES_ENTRY, &batch);
    wac_message_add_number(&entries, SIZE_NUMBER, (uint64_t)size);
    wac_message_add_message(&sizes, SIZES_ENTRY, &entries);
    wac_message_add_number(&tensor, TENSOR_OF, TYPE_FLOAT);
    wac_message_add_message(&tensor, TENSOR_SIZES, &sizes);
    wac_message_add_message(&type, TYPE_TENSOR, &tensor);
    wac_message_add_text(&value, VALUE_NAME, name);
    wac_message_add_message(&value, VALUE_TYPE, &type);
    wac_message_add_text(&value, VALUE_DOC, about);
    wac_message_add_message(graph, field, &value);
}

/* The mean of a row is a product; so is that of squares, with what is added to it as a bias. */
static void add_means(wac_message *graph, int width)
{
    static const float zero = 0, epsilon = WAC_NORM_EPSILON;
    char name[32];
    float *shares = calloc((size_t)width, sizeof *shares);
    if (!shares) {
        graph->failed = true;
        return;
    }
    for (int i = 0; i < width; i++)
        shares[i] = 1 / (float)width;
    snprintf(name, sizeof name, "shares%d", width);
    add_tensor(graph, name, shares, width, 1);
    snprintf(name, sizeof name, "zero%d", width);
    add_tensor(graph, name, &zero, 1, 0);
    snprintf(name, sizeof name, "epsilon%d", width);
    add_tensor(graph, name, &epsilon, 1, 0);
    free(shares);
}

/* A row normalised, scaled and shifted: from `from` to `out`, by nodes called after it. */
static void add_norm(wac_message *graph, int width, const char *from, const char *weight,
                     const char *bias, const char *out)
{
    static const char *const parts[] = {"mean",      "centred", "square", "variance",
                                        "deviation", "normal",  "scaled"};
    char names[7][128], shares[32], zero[32], epsilon[32];
    for (int i = 0; i < 7; i++)
        snprintf(names[i], sizeof names[i], "%s/%s", out, parts[i]);
    snprintf(shares, sizeof shares, "shares%d", width);
    snprintf(zero, sizeof zero, "zero%d", width);
    snprintf(epsilon, sizeof epsilon, "epsilon%d", width);
    ADD_NODE(graph, "Gemm", names[0], from, shares, zero);
    ADD_NODE(graph, "Sub", names[1], from, names[0]);
    ADD_NODE(graph, "Mul", names[2], names[1], names[1]);
    ADD_NODE(graph, "Gemm", names[3], names[2], shares, epsilon);
    ADD_NODE(graph, "Sqrt", names[4], names[3]);
    ADD_NODE(graph, "Div", names[5], names[1], names[4]);
    ADD_NODE(graph, "Mul", names[6], names[5], weight);
    ADD_NODE(graph, "Add", out, names[6], bias);
}

/* Layers of a network from `input` to NETWORK/out. */
static void add_network(wac_message *graph, const wac_portable *portable, int network,
                        const char *input)
{
    const wac_export_network *net = wac_portable_network(portable, network);
    const char *name = portable->names[network];
    char from[96], weight[112], bias[112], sum[112], out[96], stream[96] = "";
    int head = wac_portable_layers(portable, network) - 1;
    snprintf(from, sizeof from, "%s", input);
    for (int l = 0; l <= head; l++) {
        char label[WAC_LAYER_NAME];
        wac_portable_layer(portable, network, l, label);
        int inputs = wac_portable_inputs(portable, network, l);
        int outputs = wac_portable_outputs(portable, network, l);
        bool norm = wac_portable_is_norm(portable, network, l), after = net->after;
        bool adds = after ? l > 1 && l % 4 == 1 : net->blocks && l > 0 && l % 3 == 0;
        bool relu = after ? norm && !adds : !norm && !adds && l < head && !(net->blocks && l == 0);
        snprintf(out, sizeof out, "%s/%s", name, label);
        snprintf(weight, sizeof weight, "%s/weight", out);
        snprintf(bias, sizeof bias, "%s/bias", out);
        snprintf(sum, sizeof sum, "%s/sum", out);
        add_tensor(graph, weight, net->weight[l], norm ? outputs : inputs, norm ? 0 : outputs);
        add_tensor(graph, bias, net->bias[l], outputs, 0);
        const char *to = adds || relu ? sum : out;
        if (norm)
            add_norm(graph, net->width, after ? from : stream, weight, bias, to);
        else
            ADD_NODE(graph, "Gemm", to, from, weight, bias);
        if (adds)
            ADD_NODE(graph, "Add", out, stream, sum);
        else if (relu)
            ADD_NODE(graph, "Relu", out, sum);
        if (adds || (net->blocks && l == after))
            snprintf(stream, sizeof stream, "%s", out);
        snprintf(from, sizeof from, "%s", out);
    }
}

/* The critic with the smallest upper bound, one after another. Its name in front, "best2/mean". */
static void add_values(wac_message *graph, const wac_portable *portable)
{
    const wac_export_policy *policy = &portable->policy;
    char best[3][96] = {"", "", ""}; /* bound, mean, std */
    if (policy->stds)
        add_tensor(graph, "kappa", &policy->kappa, 0, 0);
    ADD_NODE(graph, "Concat", "pair", "seen", "tanh");
    for (int i = 0; i < policy->means + policy->stds; i++) {
        char out[96], std[96];
        add_network(graph, portable, 1 + i, "pair");
        snprintf(out, sizeof out, "%s/out", portable->names[1 + i]);
        snprintf(std, sizeof std, "%s/std", portable->names[1 + i]);
        if (i >= policy->means)
            ADD_NODE(graph, "Exp", std, out);
    }
    for (int k = 0; k < policy->means; k++) {
        const char *name = portable->names[1 + k];
        char own[3][96], part[96], less[96];
        bool last = k == policy->means - 1;
        snprintf(own[0], sizeof own[0], "%s/bound", name);
        snprintf(own[1], sizeof own[1], "%s/out", name);
        snprintf(part, sizeof part, "%s/bonus", name);
        snprintf(less, sizeof less, "%s/less", name);
        if (policy->stds) {
            snprintf(own[2], sizeof own[2], "%s/std",
                     portable->names[1 + policy->means + k % policy->stds]);
            ADD_NODE(graph, "Mul", part, own[2], "kappa");
            ADD_NODE(graph, "Add", own[0], own[1], part);
        } else {
            ADD_NODE(graph, "Identity", own[0], own[1]);
        }
        if (k > 0)
            ADD_NODE(graph, "Less", less, own[0], best[0]);
        for (int j = last; j < (policy->stds ? 3 : 2); j++) { /* the last bound is nobody's */
            static const char *const outputs[] = {"bound", "value", "std"};
            char chosen[96];
            snprintf(chosen, sizeof chosen, "%s%s%s", last ? "" : name, last ? "" : "/best/",
                     outputs[j]);
            if (k > 0)
                ADD_NODE(graph, "Where", chosen, less, own[j], best[j]);
            else
                ADD_NODE(graph, "Identity", chosen, own[j]);
            snprintf(best[j], sizeof best[j], "%s", chosen);
        }
    }
}

static void add_entry(wac_message *model, const char *key, const char *value)
{
    wac_message entry = {0};
    wac_message_add_text(&entry, ENTRY_KEY, key);
    wac_message_add_text(&entry, ENTRY_VALUE, value);
    wac_message_add_message(model, MODEL_METADATA, &entry);
}

static void add_graph(wac_message *model, const wac_portable *portable)
{
    const wac_export_policy *policy = &portable->policy;
    const float lowest = -policy->limit, highest = policy->limit;
    wac_message graph = {0};
    wac_message_add_text(&graph, GRAPH_NAME, "policy");
    add_tensor(&graph, "offset", policy->offset, policy->observations, 0);
    add_tensor(&graph, "factor", policy->factor, policy->observations, 0);
    add_tensor(&graph, "lowest", &lowest, 0, 0);
    add_tensor(&graph, "highest", &highest, 0, 0);
    add_tensor(&graph, "middle", policy->middle, policy->actions, 0);
    add_tensor(&graph, "half", policy->half, policy->actions, 0);
    if (policy->actor.blocks)
        add_means(&graph, policy->actor.width);
    if (policy->means && policy->critics->blocks && policy->critics->width != policy->actor.width)
        add_means(&graph, policy->critics->width);
    ADD_NODE(&graph, "Sub", "centred", "observation", "offset");
    ADD_NODE(&graph, "Mul", "scaled", "centred", "factor");
    ADD_NODE(&graph, "Clip", "seen", "scaled", "lowest", "highest");
    add_network(&graph, portable, 0, "seen");
    ADD_NODE(&graph, "Tanh", "tanh", "policy/mean");
    ADD_NODE(&graph, "Mul", "swing", "tanh", "half");
    ADD_NODE(&graph, "Add", "action", "swing", "middle");
    add_value(&graph, GRAPH_INPUT, "observation", policy->observations,
              "raw, in the world's own units");
    add_value(&graph, GRAPH_OUTPUT, "action", policy->actions, "in the world's own units");
    if (policy->means) {
        add_values(&graph, portable);
        add_value(&graph, GRAPH_OUTPUT, "value", 1, "what the action is believed to be worth");
    }
    if (policy->stds)
        add_value(&graph, GRAPH_OUTPUT, "std", 1, "how unsure of that the critics are");
    wac_message_add_message(model, MODEL_GRAPH, &graph);
}

wac_status wac_onnx_write(const wac_portable *portable, const char *path, wac_error *error)
{
    wac_message model = {0}, opset = {0};
    char epoch[32];
    snprintf(epoch, sizeof epoch, "%" PRId64, portable->epoch);
    wac_message_add_number(&model, MODEL_IR, WAC_ONNX_IR);
    wac_message_add_text(&model, MODEL_PRODUCER, "wac");
    wac_message_add_text(&model, MODEL_VERSION, wac_version());
    wac_message_add_text(&model, MODEL_DOC, "a policy, in the units of its world");
    add_graph(&model, portable);
    wac_message_add_number(&opset, OPSET_VERSION, WAC_ONNX_OPSET);
    wac_message_add_message(&model, MODEL_OPSET, &opset);
    add_entry(&model, "environment", portable->environment);
    add_entry(&model, "algorithm", portable->algorithm);
    add_entry(&model, "epoch", epoch);
    wac_status status = model.failed ? wac_fail_memory(error, "the exported policy")
                                     : wac_file_write(path, model.bytes, model.size, error);
    wac_message_free(&model);
    return status;
}
