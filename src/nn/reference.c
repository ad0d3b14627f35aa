/* The reference backend's networks: forward, backward, Adam and Polyak in plain loops. The oracle
 * of every faster version, and the only code of the gradient checks in double precision. */
#include "nn/backend.h"

#include <string.h>

/* y [rows][outputs] = x W^T + b, then ReLU if asked */
static void layer_forward(const wac_layer *layer, int rows, const real *x, real *y, bool relu)
{
    for (int i = 0; i < rows; i++) {
        for (int o = 0; o < layer->outputs; o++) {
            real sum = 0;
            for (int k = 0; k < layer->inputs; k++)
                sum += x[i * layer->inputs + k] * layer->weight[o * layer->inputs + k];
            sum += layer->bias[o];
            y[i * layer->outputs + o] = relu && sum < 0 ? 0 : sum;
        }
    }
}

/* gradient of the layer's parameters from dy [rows][outputs] and its input x */
static void layer_dparams(const wac_layer *dlayer, int rows, const real *x, const real *dy)
{
    for (int o = 0; o < dlayer->outputs; o++) {
        real bias = 0;
        for (int i = 0; i < rows; i++)
            bias += dy[i * dlayer->outputs + o];
        dlayer->bias[o] = bias;
        for (int k = 0; k < dlayer->inputs; k++) {
            real sum = 0;
            for (int i = 0; i < rows; i++)
                sum += dy[i * dlayer->outputs + o] * x[i * dlayer->inputs + k];
            dlayer->weight[o * dlayer->inputs + k] = sum;
        }
    }
}

/* dx [rows][inputs - first] = dy W, and zero where the layer's input, a ReLU's output, was zero
 * (active null: the input was no ReLU's); dx may take the place of `active` */
static void layer_dinput(const wac_layer *layer, int rows, int first, const real *dy,
                         const real *active, real *dx)
{
    int kept = layer->inputs - first;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < kept; k++) {
            real sum = 0;
            for (int o = 0; o < layer->outputs; o++)
                sum += dy[i * layer->outputs + o] * layer->weight[o * layer->inputs + first + k];
            dx[i * kept + k] = !active || active[i * layer->inputs + k] > 0 ? sum : 0;
        }
    }
}

/* --- residual networks ------------------------------------------------------------------------ */

/* N: y = scale x' + shift, with x' = (x - mean) / deviation of each row */
static void norm_forward(const wac_layer *norm, int rows, const real *x, real *normal,
                         real *inverse, int inverses, real *y)
{
    int width = norm->outputs;
    for (int i = 0; i < rows; i++, x += width, normal += width, y += width, inverse += inverses) {
        real mean = 0, square = 0;
        for (int j = 0; j < width; j++)
            mean += x[j];
        mean /= (real)width;
        for (int j = 0; j < width; j++)
            square += (x[j] - mean) * (x[j] - mean);
        *inverse = 1 / sqrt(square / (real)width + WAC_NORM_EPSILON);
        for (int j = 0; j < width; j++) {
            normal[j] = (x[j] - mean) * *inverse;
            y[j] = normal[j] * norm->weight[j] + norm->bias[j];
        }
    }
}

/* dx += the way back from dy through N */
static void norm_back(const wac_layer *norm, int rows, const real *normal, const real *inverse,
                      int inverses, const real *dy, real *dx)
{
    int width = norm->outputs;
    for (int i = 0; i < rows; i++, dy += width, normal += width, dx += width, inverse += inverses) {
        real mean = 0, along = 0;
        for (int j = 0; j < width; j++) {
            mean += dy[j] * norm->weight[j] / (real)width;
            along += dy[j] * norm->weight[j] * normal[j] / (real)width;
        }
        for (int j = 0; j < width; j++)
            dx[j] += *inverse * (dy[j] * norm->weight[j] - mean - normal[j] * along);
    }
}

static void norm_dparams(const wac_layer *dnorm, int rows, const real *normal, const real *dy)
{
    int width = dnorm->outputs;
    for (int j = 0; j < width; j++) {
        dnorm->weight[j] = dnorm->bias[j] = 0;
        for (int i = 0; i < rows; i++) {
            dnorm->weight[j] += dy[i * width + j] * normal[i * width + j];
            dnorm->bias[j] += dy[i * width + j];
        }
    }
}

/* What N made, from what is kept of it. */
static void norm_again(const wac_layer *norm, int rows, const real *normal, real *y)
{
    for (int i = 0; i < rows * norm->outputs; i++)
        y[i] = normal[i] * norm->weight[i % norm->outputs] + norm->bias[i % norm->outputs];
}

static void residual_forward(const wac_stack *stack, int member, int rows, const real *x,
                             const wac_pass *pass)
{
    int blocks = stack->shape.blocks, width = stack->shape.width;
    real *const *h = pass->h, *stream = h[WAC_KEPT_STREAM], *scratch = h[WAC_KEPT_SCRATCH];
    wac_layer layers[WAC_LAYERS_MOST];
    for (int i = 0; i <= wac_shape_head(&stack->shape); i++)
        layers[i] = wac_stack_layer(stack, stack->params, member, i);
    layer_forward(&layers[0], rows, x, stream, false);
    for (int k = 0; k <= blocks; k++) {
        const wac_layer *own = layers + wac_shape_block(&stack->shape, k);
        bool last = k == blocks;
        norm_forward(&own[0], rows, stream, h[last ? WAC_KEPT_APART : WAC_KEPT_BLOCK + 2 * k],
                     h[WAC_KEPT_INVERSES] + k, blocks + 1, scratch);
        if (last) {
            layer_forward(&own[1], rows, scratch, pass->out, false);
            break;
        }
        layer_forward(&own[1], rows, scratch, h[WAC_KEPT_BLOCK + 2 * k + 1], true);
        layer_forward(&own[2], rows, h[WAC_KEPT_BLOCK + 2 * k + 1], scratch, false);
        for (int i = 0; i < rows * width; i++)
            stream[i] += scratch[i];
    }
}

/* The gradient of the stream takes its place, that of a block's middle takes the middle's. */
static void residual_backward(const wac_stack *stack, int member, wac_input input,
                              const wac_pass *pass, const real *dout, const wac_gradient *gradient)
{
    int blocks = stack->shape.blocks, width = stack->shape.width, rows = input.rows;
    real *const *h = pass->h, *stream = h[WAC_KEPT_STREAM], *scratch = h[WAC_KEPT_SCRATCH];
    real *slope = h[WAC_KEPT_SLOPE];
    wac_layer layers[WAC_LAYERS_MOST], dlayers[WAC_LAYERS_MOST];
    for (int i = 0; i <= wac_shape_head(&stack->shape); i++) {
        layers[i] = wac_stack_layer(stack, stack->params, member, i);
        if (gradient->params)
            dlayers[i] = wac_stack_layer(stack, gradient->params, member, i);
    }
    for (int i = 0; i < rows * width; i++)
        stream[i] = 0;
    for (int k = blocks; k >= 0; k--) {
        int at = wac_shape_block(&stack->shape, k);
        bool last = k == blocks;
        const real *normal = h[last ? WAC_KEPT_APART : WAC_KEPT_BLOCK + 2 * k], *dy = dout;
        if (!last) {
            real *middle = h[WAC_KEPT_BLOCK + 2 * k + 1];
            if (gradient->params)
                layer_dparams(&dlayers[at + 2], rows, middle, stream);
            layer_dinput(&layers[at + 2], rows, 0, stream, middle, middle);
            dy = middle;
        }
        norm_again(&layers[at], rows, normal, scratch);
        if (gradient->params)
            layer_dparams(&dlayers[at + 1], rows, scratch, dy);
        layer_dinput(&layers[at + 1], rows, 0, dy, NULL, slope);
        if (gradient->params)
            norm_dparams(&dlayers[at], rows, normal, slope);
        norm_back(&layers[at], rows, normal, h[WAC_KEPT_INVERSES] + k, blocks + 1, slope, stream);
    }
    if (gradient->params)
        layer_dparams(&dlayers[0], rows, input.x + (size_t)member * input.stride, stream);
    int kept = stack->shape.inputs - gradient->input_first;
    if (gradient->inputs)
        layer_dinput(&layers[0], rows, gradient->input_first, stream, NULL,
                     gradient->inputs + (size_t)member * (size_t)(pass->capacity * kept));
}

/* --- residual networks that are normalised behind their layers -------------------------------- */

static void cut_below_zero(int count, real *x)
{
    for (int i = 0; i < count; i++)
        x[i] = x[i] < 0 ? 0 : x[i];
}

static void after_forward(const wac_stack *stack, int member, int rows, const real *x,
                          const wac_pass *pass)
{
    int blocks = stack->shape.blocks, count = rows * stack->shape.width;
    int norms = wac_shape_norms(&stack->shape);
    real *const *h = pass->h, *stream = h[WAC_KEPT_STREAM], *scratch = h[WAC_KEPT_SCRATCH];
    real *inverses = h[WAC_KEPT_INVERSES];
    wac_layer layers[WAC_LAYERS_MOST];
    for (int i = 0; i <= wac_shape_head(&stack->shape); i++)
        layers[i] = wac_stack_layer(stack, stack->params, member, i);
    layer_forward(&layers[0], rows, x, scratch, false);
    norm_forward(&layers[1], rows, scratch, h[WAC_KEPT_APART], inverses, norms, stream);
    cut_below_zero(count, stream);
    for (int k = 0; k < blocks; k++) {
        const wac_layer *own = layers + wac_shape_block(&stack->shape, k);
        real *const *kept = h + WAC_KEPT_BLOCK + 4 * k;
        memcpy(kept[3], stream, (size_t)count * sizeof *stream);
        layer_forward(&own[0], rows, stream, scratch, false);
        norm_forward(&own[1], rows, scratch, kept[0], inverses + 2 * k + 1, norms, kept[1]);
        cut_below_zero(count, kept[1]);
        layer_forward(&own[2], rows, kept[1], stream, false);
        norm_forward(&own[3], rows, stream, kept[2], inverses + 2 * k + 2, norms, scratch);
        for (int i = 0; i < count; i++)
            stream[i] = kept[3][i] + scratch[i];
    }
    layer_forward(&layers[wac_shape_head(&stack->shape)], rows, stream, pass->out, false);
}

/* Through a normalisation and the layer in front of it, which read x: from dy, by da, the gradient
 * of what the layer made, to dx (null: not wanted). dlayer[0] null: no gradients of parameters. */
static void layer_and_norm_back(const wac_layer *layer, const wac_layer *dlayer, int rows,
                                const real *x, const real *normal, const real *inverse, int norms,
                                const real *dy, real *da, real *dx)
{
    for (int i = 0; i < rows * layer->outputs; i++)
        da[i] = 0;
    norm_back(&layer[1], rows, normal, inverse, norms, dy, da);
    if (dlayer) {
        norm_dparams(&dlayer[1], rows, normal, dy);
        layer_dparams(&dlayer[0], rows, x, da);
    }
    if (dx)
        layer_dinput(&layer[0], rows, 0, da, NULL, dx);
}

/* The gradient of the stream takes its place; in the end that of what the first layer made. */
static void after_backward(const wac_stack *stack, int member, wac_input input,
                           const wac_pass *pass, const real *dout, const wac_gradient *gradient)
{
    int blocks = stack->shape.blocks, rows = input.rows, count = rows * stack->shape.width;
    int norms = wac_shape_norms(&stack->shape), head = wac_shape_head(&stack->shape);
    real *const *h = pass->h, *stream = h[WAC_KEPT_STREAM], *scratch = h[WAC_KEPT_SCRATCH];
    real *slope = h[WAC_KEPT_SLOPE], *inverses = h[WAC_KEPT_INVERSES];
    wac_layer layers[WAC_LAYERS_MOST], dlayers[WAC_LAYERS_MOST];
    for (int i = 0; i <= head; i++) {
        layers[i] = wac_stack_layer(stack, stack->params, member, i);
        if (gradient->params)
            dlayers[i] = wac_stack_layer(stack, gradient->params, member, i);
    }
    if (gradient->params)
        layer_dparams(&dlayers[head], rows, stream, dout);
    layer_dinput(&layers[head], rows, 0, dout, NULL, stream);
    for (int k = blocks - 1; k >= 0; k--) {
        int at = wac_shape_block(&stack->shape, k);
        real *const *kept = h + WAC_KEPT_BLOCK + 4 * k;
        layer_and_norm_back(&layers[at + 2], gradient->params ? &dlayers[at + 2] : NULL, rows,
                            kept[1], kept[2], inverses + 2 * k + 2, norms, stream, scratch, slope);
        for (int i = 0; i < count; i++)
            slope[i] = kept[1][i] > 0 ? slope[i] : 0;
        layer_and_norm_back(&layers[at], gradient->params ? &dlayers[at] : NULL, rows, kept[3],
                            kept[0], inverses + 2 * k + 1, norms, slope, scratch, kept[1]);
        for (int i = 0; i < count; i++)
            stream[i] += kept[1][i];
    }
    for (int i = 0; i < count; i++)
        slope[i] = h[WAC_KEPT_BLOCK + 3][i] > 0 ? stream[i] : 0;
    layer_and_norm_back(&layers[0], gradient->params ? &dlayers[0] : NULL, rows,
                        input.x + (size_t)member * input.stride, h[WAC_KEPT_APART], inverses, norms,
                        slope, stream, NULL);
    int wanted = stack->shape.inputs - gradient->input_first;
    if (gradient->inputs)
        layer_dinput(&layers[0], rows, gradient->input_first, stream, NULL,
                     gradient->inputs + (size_t)member * (size_t)(pass->capacity * wanted));
}

/* --- the table -------------------------------------------------------------------------------- */

static void forward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    (void)team;
    int head = stack->shape.hidden;
    for (int m = 0; m < stack->members; m++) {
        wac_pass own = wac_pass_at(pass, stack, m, 0);
        const real *x = input.x + (size_t)m * input.stride;
        if (stack->shape.blocks) {
            (stack->shape.after ? after_forward : residual_forward)(stack, m, input.rows, x, &own);
            continue;
        }
        for (int i = 0; i <= head; i++) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            layer_forward(&layer, input.rows, i ? own.h[i - 1] : x, i < head ? own.h[i] : own.out,
                          i < head);
        }
    }
}

/* the gradient of a layer's activations takes their place once the layer above is done with them */
static void backward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass,
                     const real *dout, const wac_gradient *gradient)
{
    (void)team;
    int rows = input.rows, kept = stack->shape.inputs - gradient->input_first;
    for (int m = 0; m < stack->members; m++) {
        wac_pass own = wac_pass_at(pass, stack, m, 0);
        const real *dy = dout + (size_t)m * (size_t)(pass->capacity * stack->shape.outputs);
        if (stack->shape.blocks) {
            (stack->shape.after ? after_backward : residual_backward)(stack, m, input, &own, dy,
                                                                      gradient);
            continue;
        }
        for (int i = stack->shape.hidden; i >= 0; i--) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            if (gradient->params) {
                wac_layer dlayer = wac_stack_layer(stack, gradient->params, m, i);
                layer_dparams(&dlayer, rows, i ? own.h[i - 1] : input.x + (size_t)m * input.stride,
                              dy);
            }
            if (i > 0) {
                layer_dinput(&layer, rows, 0, dy, own.h[i - 1], own.h[i - 1]);
                dy = own.h[i - 1];
            } else if (gradient->inputs) {
                layer_dinput(&layer, rows, gradient->input_first, dy, NULL,
                             gradient->inputs + (size_t)m * (size_t)(pass->capacity * kept));
            }
        }
    }
}

static void adam(wac_team *team, const wac_stack *stack, const real *gradient, wac_moments moments,
                 wac_adam_factors factors)
{
    (void)team;
    wac_adam_shrink(factors, wac_stack_size(stack), stack->params);
    for (size_t i = 0; i < wac_stack_size(stack); i++)
        wac_adam_move(factors, gradient[i], &moments.first[i], &moments.second[i],
                      &stack->params[i]);
}

static void polyak(wac_team *team, const wac_stack *target, const wac_stack *source, double rate)
{
    (void)team;
    for (size_t i = 0; i < wac_stack_size(target); i++)
        target->params[i] += (real)rate * (source->params[i] - target->params[i]);
}

const wac_ops wac_ops_reference = {
    .forward = forward,
    .infer = forward,
    .backward = backward,
    .adam = adam,
    .polyak = polyak,
};
