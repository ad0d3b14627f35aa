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

int wac_shape_head(const wac_shape *shape)
{
    return shape->blocks ? (shape->after ? 4 : 3) * shape->blocks + 2 : shape->hidden;
}

int wac_shape_block(const wac_shape *shape, int block)
{
    return shape->after ? 4 * block + 2 : 3 * block + 1;
}

int wac_shape_spread(const wac_shape *shape)
{
    return shape->after ? 1 : 4;
}

int wac_shape_norms(const wac_shape *shape)
{
    return (shape->after ? 2 : 1) * shape->blocks + 1;
}

bool wac_shape_is_norm(const wac_shape *shape, int layer)
{
    return shape->blocks && layer % (shape->after ? 2 : 3) == 1;
}

int wac_shape_kept(const wac_shape *shape, int i)
{
    if (!shape->blocks)
        return i < shape->hidden ? shape->width : 0;
    if (i == WAC_KEPT_INVERSES)
        return wac_shape_norms(shape);
    int at = i - WAC_KEPT_BLOCK;
    if (at >= (shape->after ? 4 * shape->blocks + 3 : 2 * shape->blocks))
        return 0;
    return at >= 0 && at % 2 ? wac_shape_spread(shape) * shape->width : shape->width;
}

wac_layer wac_shape_layer(const wac_shape *shape, int layer)
{
    wac_layer sizes = {.inputs = shape->width, .outputs = shape->width};
    if (layer == 0)
        sizes.inputs = shape->inputs;
    if (layer == wac_shape_head(shape))
        sizes.outputs = shape->outputs;
    else if (wac_shape_is_norm(shape, layer))
        sizes.inputs = 1;
    else if (shape->blocks && layer % 3 == 2)
        sizes.outputs *= wac_shape_spread(shape);
    else if (shape->blocks && layer > 0)
        sizes.inputs *= wac_shape_spread(shape);
    return sizes;
}

int64_t wac_shape_products(const wac_shape *shape)
{
    int64_t sum = 0;
    for (int i = 0; i <= wac_shape_head(shape); i++) {
        wac_layer layer = wac_shape_layer(shape, i);
        sum += wac_shape_is_norm(shape, i) ? 0 : (int64_t)layer.inputs * layer.outputs;
    }
    return sum;
}

static size_t layer_size(const wac_shape *shape, int i)
{
    wac_layer layer = wac_shape_layer(shape, i);
    return padded((size_t)layer.inputs * (size_t)layer.outputs) + padded((size_t)layer.outputs);
}

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members)
{
    assert(shape.blocks ? shape.blocks <= WAC_BLOCKS_MOST
                        : shape.hidden > 0 && shape.hidden <= WAC_HIDDEN_MOST);
    *stack = (wac_stack){.shape = shape, .members = members};
    for (int i = 0; i <= wac_shape_head(&shape); i++)
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
    wac_layer result = wac_shape_layer(&stack->shape, layer);
    result.weight = start;
    result.bias = start + padded((size_t)result.inputs * (size_t)result.outputs);
    return result;
}

static void fill(real *values, int count, real value)
{
    for (int i = 0; i < count; i++)
        values[i] = value;
}

/* A layer of a residual network but the head. */
static void randomise_residual(const wac_layer *layer, bool norm, bool first, wac_rng *rng)
{
    int most = layer->inputs > layer->outputs ? layer->inputs : layer->outputs;
    size_t count = (size_t)layer->inputs * (size_t)layer->outputs;
    real deviation = (real)(first ? 1 / sqrt(most) : sqrt(2.0 / layer->inputs));
    fill(layer->bias, layer->outputs, 0);
    if (norm) {
        fill(layer->weight, layer->outputs, 1);
        return;
    }
    wac_fill_normal(rng, count, layer->weight);
    for (size_t i = 0; i < count; i++)
        layer->weight[i] *= deviation;
}

/* where weights of a layer begin, from minus that to that */
static double first_bound(const wac_layer *layer, wac_first_weights how)
{
    switch (how) {
    case WAC_FIRST_WEIGHTS_INPUTS:
        return 1 / sqrt(layer->inputs);
    case WAC_FIRST_WEIGHTS_BOTH:
        return sqrt(6.0 / (layer->inputs + layer->outputs));
    default:
        return 1 / sqrt(layer->outputs);
    }
}

void wac_stack_randomise(const wac_stack *stack, int member, wac_first_weights how, double output,
                         wac_rng *rng)
{
    const wac_shape *shape = &stack->shape;
    for (int i = 0; i <= wac_shape_head(shape); i++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
        bool last = i == wac_shape_head(shape);
        if (shape->blocks && !last) {
            randomise_residual(&layer, wac_shape_is_norm(shape, i), i == 0, rng);
            continue;
        }
        bool alike = how == WAC_FIRST_WEIGHTS_BOTH && !shape->blocks;
        real bound = (real)(last && !alike ? output : first_bound(&layer, how));
        wac_fill_uniform(rng, (size_t)layer.inputs * (size_t)layer.outputs, -bound, bound,
                         layer.weight);
        if (alike)
            fill(layer.bias, layer.outputs, 0);
        else if (last)
            wac_fill_uniform(rng, (size_t)layer.outputs, -bound, bound, layer.bias);
        else
            fill(layer.bias, layer.outputs, (real)0.1);
    }
}

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity,
                   const wac_ops *ops)
{
    size_t rows = (size_t)stack->members * (size_t)capacity;
    int spare = ops->spare_width ? ops->spare_width(&stack->shape) : 0;
    *pass = (wac_pass){.capacity = capacity, .ops = ops, .spare_width = spare};
    for (int i = 0, kept; (kept = wac_shape_kept(&stack->shape, i)) > 0; i++)
        pass->h[i] = WAC_TAKE(arena, real, rows * (size_t)kept);
    pass->spare = WAC_TAKE(arena, real, rows * (size_t)spare);
    pass->out = WAC_TAKE(arena, real, rows * (size_t)stack->shape.outputs);
}

wac_pass wac_pass_at(const wac_pass *pass, const wac_stack *stack, int member, int row)
{
    size_t rows = (size_t)member * (size_t)pass->capacity + (size_t)row;
    wac_pass at = *pass;
    for (int i = 0, kept; (kept = wac_shape_kept(&stack->shape, i)) > 0; i++)
        at.h[i] += rows * (size_t)kept;
    at.spare += rows * (size_t)pass->spare_width;
    at.out += rows * (size_t)stack->shape.outputs;
    return at;
}
