/* Playing ONNX files. */
#include "export/graph.h"

#include "base/files.h"
#include "base/protobuf.h"
#include "base/status.h"
#include "export/onnx_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_MOST = 8192, NODES_MOST = 4096, INPUTS_MOST = 4 };

/* A named row of numbers. */
typedef struct slot {
    const unsigned char *name;
    size_t name_size;
    float *values;
    int size;
} slot;

typedef enum kind {
    SUB,
    MUL,
    ADD,
    DIV,
    CLIP,
    GEMM,
    RELU,
    TANH,
    EXP,
    SQRT,
    CONCAT,
    LESS,
    WHERE,
    IDENTITY
} kind;
static const char *const kind_names[] = {"Sub",    "Mul",  "Add",   "Div",     "Clip",
                                         "Gemm",   "Relu", "Tanh",  "Exp",     "Sqrt",
                                         "Concat", "Less", "Where", "Identity"};
enum { KINDS = sizeof kind_names / sizeof *kind_names };

typedef struct node {
    kind kind;
    const slot *inputs[INPUTS_MOST];
    int input_count;
    slot *output;
} node;

struct wac_graph {
    char *bytes; /* of the file */
    slot slots[SLOTS_MOST];
    int slot_count;
    node nodes[NODES_MOST];
    int node_count;
    const slot *observation, *action, *value, *std;
    wac_arena arena;
};

/* --- reading --------------------------------------------------------------------------------- */

static slot *find(wac_graph *graph, const unsigned char *name, size_t size)
{
    for (int i = 0; i < graph->slot_count; i++)
        if (graph->slots[i].name_size == size && memcmp(graph->slots[i].name, name, size) == 0)
            return &graph->slots[i];
    return NULL;
}

static slot *find_text(wac_graph *graph, const char *name)
{
    return find(graph, (const unsigned char *)name, strlen(name));
}

/* A new name for so many numbers; null where that cannot be. */
static slot *add(wac_graph *graph, const unsigned char *name, size_t name_size, int size)
{
    if (size < 1 || graph->slot_count == SLOTS_MOST || find(graph, name, name_size))
        return NULL;
    slot *slot = &graph->slots[graph->slot_count];
    slot->name = name;
    slot->name_size = name_size;
    slot->size = size;
    slot->values = WAC_TAKE(&graph->arena, float, (size_t)size);
    graph->slot_count += slot->values != NULL;
    return slot->values ? slot : NULL;
}

static wac_field inside(const wac_field *field)
{
    return (wac_field){.at = field->bytes, .end = field->bytes + field->size};
}

static bool read_tensor(wac_graph *graph, const wac_field *field)
{
    const unsigned char *name = NULL, *data = NULL;
    size_t name_size = 0, data_size = 0;
    uint64_t type = 0, size = 1;
    for (wac_field part = inside(field); wac_field_next(&part);) {
        if (part.field == TENSOR_SHAPE && !part.bytes && part.number < 1 << 20)
            size *= part.number;
        else if (part.field == TENSOR_TYPE && !part.bytes)
            type = part.number;
        else if (part.field == TENSOR_NAME && part.bytes)
            name = part.bytes, name_size = part.size;
        else if (part.field == TENSOR_DATA && part.bytes)
            data = part.bytes, data_size = part.size;
    }
    if (!name || !data || type != TYPE_FLOAT || data_size != size * sizeof(float))
        return false;
    slot *slot = add(graph, name, name_size, (int)size);
    if (slot)
        memcpy(slot->values, data, data_size);
    return slot;
}

/* How many numbers come out; 0 where it cannot be. */
static int output_size(const node *node)
{
    int sizes[INPUTS_MOST] = {0}, largest = 0, sum = 0;
    for (int i = 0; i < node->input_count; i++) {
        sizes[i] = node->inputs[i]->size;
        largest = sizes[i] > largest ? sizes[i] : largest;
        sum += sizes[i];
    }
    static const int expected[KINDS] = {2, 2, 2, 2, 3, 3, 1, 1, 1, 1, 2, 2, 3, 1};
    if (node->input_count != expected[node->kind])
        return 0;
    if (node->kind == GEMM)
        return (int64_t)sizes[0] * sizes[2] == sizes[1] ? sizes[2] : 0;
    if (node->kind == CONCAT)
        return sum;
    for (int i = 0; i < node->input_count; i++)
        if (sizes[i] != 1 && sizes[i] != largest)
            return 0;
    return largest;
}

static bool read_node(wac_graph *graph, const wac_field *field)
{
    node node = {.kind = (kind)KINDS};
    const unsigned char *output = NULL;
    size_t output_length = 0;
    for (wac_field part = inside(field); wac_field_next(&part);) {
        if (part.field == NODE_INPUT && part.bytes) {
            const slot *input = find(graph, part.bytes, part.size);
            if (!input || node.input_count == INPUTS_MOST)
                return false;
            node.inputs[node.input_count++] = input;
        } else if (part.field == NODE_OUTPUT && part.bytes) {
            output = part.bytes, output_length = part.size;
        } else if (part.field == NODE_KIND && part.bytes) {
            for (int i = 0; i < KINDS; i++)
                if (strlen(kind_names[i]) == part.size &&
                    memcmp(kind_names[i], part.bytes, part.size) == 0)
                    node.kind = (kind)i;
        }
    }
    if (node.kind == (kind)KINDS || !output || graph->node_count == NODES_MOST)
        return false;
    node.output = add(graph, output, output_length, output_size(&node));
    graph->nodes[graph->node_count++] = node;
    return node.output;
}

/* The fields of a kind in the graph; false where one makes no sense. */
static bool read_fields(wac_graph *graph, wac_field whole, int field,
                        bool (*read)(wac_graph *graph, const wac_field *field))
{
    while (wac_field_next(&whole))
        if (whole.field == field && !(whole.bytes && read(graph, &whole)))
            return false;
    return whole.at == whole.end;
}

static bool read_model(wac_graph *graph, size_t size, const wac_export_policy *like)
{
    wac_field model = {.at = (const unsigned char *)graph->bytes,
                       .end = (const unsigned char *)graph->bytes + size};
    while (wac_field_next(&model) && !(model.field == MODEL_GRAPH && model.bytes))
        ;
    if (model.field != MODEL_GRAPH || !model.bytes)
        return false;
    static const char observation[] = "observation";
    graph->observation =
        add(graph, (const unsigned char *)observation, sizeof observation - 1, like->observations);
    if (!graph->observation || !read_fields(graph, inside(&model), GRAPH_TENSOR, read_tensor) ||
        !read_fields(graph, inside(&model), GRAPH_NODE, read_node))
        return false;
    graph->action = find_text(graph, "action");
    graph->value = like->means ? find_text(graph, "value") : NULL;
    graph->std = like->stds ? find_text(graph, "std") : NULL;
    return graph->action && graph->action->size == like->actions &&
           (!like->means || (graph->value && graph->value->size == 1)) &&
           (!like->stds || (graph->std && graph->std->size == 1));
}

wac_status wac_graph_read(wac_graph **out, const wac_export_policy *like, const char *path,
                          wac_error *error)
{
    size_t size;
    wac_graph *graph = calloc(1, sizeof *graph);
    if (!graph)
        return wac_fail_memory(error, "the exported policy");
    wac_status status = wac_file_read(&graph->bytes, &size, path, SIZE_MAX / 2, error);
    if (status == WAC_STATUS_OK && !read_model(graph, size, like))
        status = graph->arena.failed
                     ? wac_fail_memory(error, "the exported policy")
                     : wac_fail(error, WAC_STATUS_INPUT, "%s holds no policy of this kind", path);
    if (status != WAC_STATUS_OK)
        wac_graph_destroy(graph);
    else
        *out = graph;
    return status;
}

void wac_graph_destroy(wac_graph *graph)
{
    if (!graph)
        return;
    wac_arena_release(&graph->arena);
    free(graph->bytes);
    free(graph);
}

/* --- playing --------------------------------------------------------------------------------- */

static void multiply(const node *node)
{
    const float *x = node->inputs[0]->values, *weight = node->inputs[1]->values;
    for (int o = 0; o < node->output->size; o++) {
        float sum = 0;
        for (int i = 0; i < node->inputs[0]->size; i++)
            sum += x[i] * weight[i * node->output->size + o];
        node->output->values[o] = sum + node->inputs[2]->values[o];
    }
}

static float at(const node *node, int input, int i)
{
    const slot *slot = node->inputs[input];
    return slot->values[slot->size == 1 ? 0 : i];
}

static float combine(const node *node, int i)
{
    float a = at(node, 0, i), b = node->input_count > 1 ? at(node, 1, i) : 0;
    switch (node->kind) {
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case ADD:
        return a + b;
    case DIV:
        return a / b;
    case CLIP:
        return a < b ? b : a > at(node, 2, i) ? at(node, 2, i) : a;
    case RELU:
        return a < 0 ? 0 : a;
    case TANH:
        return tanhf(a);
    case EXP:
        return expf(a);
    case SQRT:
        return sqrtf(a);
    case LESS:
        return a < b;
    case WHERE:
        return a != 0 ? b : at(node, 2, i);
    default:
        return a;
    }
}

static void play(const node *node)
{
    if (node->kind == GEMM) {
        multiply(node);
        return;
    }
    for (int i = 0; i < node->output->size; i++) {
        int first = node->inputs[0]->size;
        node->output->values[i] = node->kind != CONCAT ? combine(node, i)
                                  : i < first          ? node->inputs[0]->values[i]
                                                       : node->inputs[1]->values[i - first];
    }
}

static void act(void *self, const float *observation, float *action)
{
    const wac_graph *graph = self;
    memcpy(graph->observation->values, observation,
           (size_t)graph->observation->size * sizeof *observation);
    for (int i = 0; i < graph->node_count; i++)
        play(&graph->nodes[i]);
    memcpy(action, graph->action->values, (size_t)graph->action->size * sizeof *action);
}

static void value(void *self, const float *observation, const float *action, float *mean,
                  float *std)
{
    const wac_graph *graph = self;
    (void)observation, (void)action;
    *mean = graph->value->values[0];
    *std = graph->std ? graph->std->values[0] : 0;
}

wac_player wac_graph_player(wac_graph *graph)
{
    return (wac_player){act, graph->value ? value : NULL, graph};
}
