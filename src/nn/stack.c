/* Where the numbers of a stack lie, and what they are at first. */
#include "nn/backend.h"

#include <math.h>

/* start every tensor on a cache line */
static size_t padded(size_t count)
{
    enum { LINE = 64 / sizeof(real) };
    return (count + LINE - 1) / LINE * LINE;
}

static wac_layer layer_sizes(const wac_shape *shape, int layer)
{
    return (wac_layer){
        .inputs = layer == 0 ? shape->inputs : shape->width,
        .outputs = layer == WAC_LAYERS - 1 ? shape->outputs : shape->width,
    };
}

static size_t layer_size(const wac_layer *layer)
{
    return padded((size_t)layer->inputs * (size_t)layer->outputs) + padded((size_t)layer->outputs);
}

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members)
{
    *stack = (wac_stack){.shape = shape, .members = members};
    for (int i = 0; i < WAC_LAYERS; i++) {
        wac_layer layer = layer_sizes(&shape, i);
        stack->stride += layer_size(&layer);
    }
    stack->params = WAC_TAKE(arena, real, wac_stack_size(stack));
}

wac_stack wac_stack_slice(const wac_stack *stack, int first, int members)
{
    wac_stack slice = *stack;
    slice.members = members;
    slice.params = stack->params + (size_t)first * stack->stride;
    return slice;
}

size_t wac_stack_size(const wac_stack *stack)
{
    return (size_t)stack->members * stack->stride;
}

wac_layer wac_stack_layer(const wac_stack *stack, real *block, int member, int layer)
{
    real *start = block + (size_t)member * stack->stride;
    for (int i = 0; i < layer; i++) {
        wac_layer before = layer_sizes(&stack->shape, i);
        start += layer_size(&before);
    }
    wac_layer result = layer_sizes(&stack->shape, layer);
    result.weight = start;
    result.bias = start + padded((size_t)result.inputs * (size_t)result.outputs);
    return result;
}

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity)
{
    size_t rows = (size_t)stack->members * (size_t)capacity;
    pass->capacity = capacity;
    pass->h0 = WAC_TAKE(arena, real, rows * (size_t)stack->shape.width);
    pass->h1 = WAC_TAKE(arena, real, rows * (size_t)stack->shape.width);
    pass->dh0 = stack->shape.width <= WAC_IN_PLACE
                    ? pass->h0
                    : WAC_TAKE(arena, real, rows * (size_t)stack->shape.width);
    pass->out = WAC_TAKE(arena, real, rows * (size_t)stack->shape.outputs);
}

wac_pass wac_pass_from(const wac_pass *pass, const wac_stack *stack, int row)
{
    size_t rows = (size_t)row;
    return (wac_pass){
        .capacity = pass->capacity,
        .h0 = pass->h0 + rows * (size_t)stack->shape.width,
        .h1 = pass->h1 + rows * (size_t)stack->shape.width,
        .dh0 = pass->dh0 + rows * (size_t)stack->shape.width,
        .out = pass->out + rows * (size_t)stack->shape.outputs,
    };
}

wac_pass wac_pass_slice(const wac_pass *pass, const wac_stack *stack, int first)
{
    return wac_pass_from(pass, stack, first * pass->capacity);
}

void wac_stack_randomise(const wac_stack *stack, int member, double output, const wac_ops *ops,
                         wac_rng *rng)
{
    for (int i = 0; i < WAC_LAYERS; i++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
        bool last = i == WAC_LAYERS - 1;
        real bound = (real)(last ? output : 1 / sqrt(layer.outputs));
        ops->fill_uniform(rng, (size_t)layer.inputs * (size_t)layer.outputs, -bound, bound,
                          layer.weight);
        if (last)
            ops->fill_uniform(rng, (size_t)layer.outputs, -bound, bound, layer.bias);
        else
            for (int o = 0; o < layer.outputs; o++)
                layer.bias[o] = (real)0.1;
    }
}
