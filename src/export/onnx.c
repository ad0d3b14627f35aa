/* Writing ONNX. */
#include "export/onnx.h"

#include "base/files.h"
#include "base/protobuf.h"
#include "base/status.h"
#include "export/onnx_fields.h"

#include <inttypes.h>
#include <stdio.h>
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

/* Layers of a network from `input` to NETWORK/out. */
static void add_network(wac_message *graph, const wac_portable *portable, int network,
                        const char *input)
{
    const wac_export_network *net = wac_portable_network(portable, network);
    char from[96], weight[96], bias[96], sum[96], out[96];
    snprintf(from, sizeof from, "%s", input);
    for (int l = 0; l < WAC_EXPORT_LAYERS; l++) {
        const char *label = wac_portable_layer(network, l), *name = portable->names[network];
        int inputs = wac_portable_inputs(portable, network, l);
        int outputs = wac_portable_outputs(portable, network, l);
        bool last = l == WAC_EXPORT_LAYERS - 1;
        snprintf(weight, sizeof weight, "%s/%s/weight", name, label);
        snprintf(bias, sizeof bias, "%s/%s/bias", name, label);
        snprintf(sum, sizeof sum, "%s/%s/sum", name, label);
        snprintf(out, sizeof out, "%s/%s", name, label);
        add_tensor(graph, weight, net->weight[l], inputs, outputs);
        add_tensor(graph, bias, net->bias[l], outputs, 0);
        ADD_NODE(graph, "Gemm", last ? out : sum, from, weight, bias);
        if (!last)
            ADD_NODE(graph, "Relu", out, sum);
        snprintf(from, sizeof from, "%s", out);
    }
}

/* The critic with the smallest upper bound, one after another. Its name in front, "best2/mean". */
static void add_values(wac_message *graph, const wac_portable *portable)
{
    const wac_export_policy *policy = &portable->policy;
    char best[3][96] = {"", "", ""}; /* bound, mean, std */
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
    static const float lowest = -1, highest = 1;
    const wac_export_policy *policy = &portable->policy;
    wac_message graph = {0};
    wac_message_add_text(&graph, GRAPH_NAME, "policy");
    add_tensor(&graph, "offset", policy->offset, policy->observations, 0);
    add_tensor(&graph, "factor", policy->factor, policy->observations, 0);
    add_tensor(&graph, "lowest", &lowest, 0, 0);
    add_tensor(&graph, "highest", &highest, 0, 0);
    add_tensor(&graph, "middle", policy->middle, policy->actions, 0);
    add_tensor(&graph, "half", policy->half, policy->actions, 0);
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
