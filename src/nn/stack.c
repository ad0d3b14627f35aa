/* Where the numbers of a stack lie, and what they are at first. */
#include "nn/stack.h"

#include "nn/backend.h"
#include "nn/fill.h"

#include <assert.h>
#include <math.h>

/* start every tensor on a cache line, of a GPU as well */
static size_t padded(size_t count)
{
    enum { LINE = 128 / sizeof(real) };
    return (count + LINE - 1) / LINE * LINE;
}

static wac_layer layer_sizes(const wac_shape *shape, int layer)
{
    return (wac_layer){
        .inputs = layer == 0 ? shape->inputs : shape->width,
        .outputs = layer == shape->hidden ? shape->outputs : shape->width,
    };
}

static size_t layer_size(const wac_shape *shape, int i)
{
    wac_layer layer = layer_sizes(shape, i);
    return padded((size_t)layer.inputs * (size_t)layer.outputs) + padded((size_t)layer.outputs);
}

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members)
{
    assert(shape.hidden > 0 && shape.hidden <= WAC_HIDDEN_MOST);
    *stack = (wac_stack){.shape = shape, .members = members};
    for (int i = 0; i <= shape.hidden; i++)
        stack->stride += layer_size(&shape, i);
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
    for (int i = 0; i < layer; i++)
        start += layer_size(&stack->shape, i);
    wac_layer result = layer_sizes(&stack->shape, layer);
    result.weight = start;
    result.bias = start + padded((size_t)result.inputs * (size_t)result.outputs);
    return result;
}

void wac_stack_randomise(const wac_stack *stack, int member, bool by_inputs, double output,
                         wac_rng *rng)
{
    for (int i = 0; i <= stack->shape.hidden; i++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
        bool last = i == stack->shape.hidden;
        real bound = (real)(last ? output : 1 / sqrt(by_inputs ? layer.inputs : layer.outputs));
        wac_fill_uniform(rng, (size_t)layer.inputs * (size_t)layer.outputs, -bound, bound,
                         layer.weight);
        if (last)
            wac_fill_uniform(rng, (size_t)layer.outputs, -bound, bound, layer.bias);
        else
            for (int o = 0; o < layer.outputs; o++)
                layer.bias[o] = (real)0.1;
    }
}

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity,
                   const wac_ops *ops)
{
    size_t rows = (size_t)stack->members * (size_t)capacity;
    int spare = ops->spare_width ? ops->spare_width(&stack->shape) : 0;
    *pass = (wac_pass){.capacity = capacity, .ops = ops, .spare_width = spare};
    for (int i = 0; i < stack->shape.hidden; i++)
        pass->h[i] = WAC_TAKE(arena, real, rows * (size_t)stack->shape.width);
    pass->spare = WAC_TAKE(arena, real, rows * (size_t)spare);
    pass->out = WAC_TAKE(arena, real, rows * (size_t)stack->shape.outputs);
}

wac_pass wac_pass_at(const wac_pass *pass, const wac_stack *stack, int member, int row)
{
    size_t rows = (size_t)member * (size_t)pass->capacity + (size_t)row;
    wac_pass at = *pass;
    for (int i = 0; i < stack->shape.hidden; i++)
        at.h[i] += rows * (size_t)stack->shape.width;
    at.spare += rows * (size_t)pass->spare_width;
    at.out += rows * (size_t)stack->shape.outputs;
    return at;
}
