/* Networks of all seats on a GPU: forward, backward and Adam as nn/reference.c has them, of
 * products and small kernels. */
#include "rl/cuda/general_gpu.h"

void wac_general_run(wac_general_gpu *gpu, wac_general_kernel kernel, wac_general_task task)
{
    task.movers = gpu->movers;
    if (task.count > 0)
        gpu->table->run(gpu->engine, kernel, &gpu->view, &task);
}

wac_general_net wac_general_slice(const wac_general_net *net, int first, int members)
{
    wac_general_net slice = *net;
    size_t at = (size_t)first * net->stack.stride;
    slice.stack = wac_stack_slice(&net->stack, first, members);
    if (net->first) {
        slice.first += at;
        slice.second += at;
        slice.gradient += at;
    }
    return slice;
}

wac_general_trace wac_general_at(const wac_general_trace *trace, const wac_general_net *net,
                                 int place)
{
    return (wac_general_trace){wac_pass_at(&trace->pass, &net->stack, place, 0), trace->places};
}

/* numbers of a row, in an array of a trace */
static wac_matrix numbers(const wac_general_trace *trace, float *at, int count)
{
    size_t member = (size_t)trace->pass.capacity * (size_t)count;
    return (wac_matrix){at, (size_t)trace->places * member, member, count};
}

wac_array wac_general_out(const wac_general_trace *trace, const wac_general_net *net)
{
    wac_matrix out = numbers(trace, trace->pass.out, net->stack.shape.outputs);
    return (wac_array){out.at, out.seat};
}

/* A way through networks. */
typedef struct way {
    wac_general_gpu *gpu;
    const wac_general_net *net;
    const wac_general_trace *trace;
    wac_general_rows rows;
    wac_matrix x;
    bool learns;
} way;

static int most_rows(const way *w)
{
    return w->rows.count + (w->rows.pairs ? w->gpu->view.synthetic : 0);
}

static wac_matrix kept(const way *w, int i)
{
    return numbers(w->trace, w->trace->pass.h[i], wac_shape_kept(&w->net->stack.shape, i));
}

static wac_matrix weights_of(const way *w, const wac_layer *layer)
{
    return (wac_matrix){layer->weight, w->net->seat, w->net->stack.stride, layer->inputs};
}

static wac_matrix biases_of(const way *w, const wac_layer *layer)
{
    return (wac_matrix){layer->bias, w->net->seat, w->net->stack.stride, layer->outputs};
}

static wac_layer layer_at(const way *w, int i)
{
    return wac_stack_layer(&w->net->stack, w->net->stack.params, 0, i);
}

static wac_layer gradient_at(const way *w, int i)
{
    return wac_stack_layer(&w->net->stack, w->net->gradient, 0, i);
}

static void multiply(const way *w, wac_product product)
{
    product.members = w->net->stack.members;
    product.movers = w->gpu->movers;
    if (product.m > 0 && product.members > 0)
        w->gpu->table->multiply(w->gpu->engine, &w->gpu->view, &product);
}

/* Layers of few inputs or outputs are made in single precision whatever is asked for: it takes no
 * longer, and what a policy acts by hangs on them. By their sizes alone, not by the rows, which
 * hang on the company. */
static bool is_exact(const wac_layer *layer)
{
    enum { FEW = 32 };
    return layer->inputs <= FEW || layer->outputs <= FEW;
}

/* y = x W^T + b, then a ReLU; or that is added to y */
static void layer_forward(const way *w, int i, wac_matrix x, wac_matrix y, bool relu, bool more)
{
    wac_layer layer = layer_at(w, i);
    multiply(w, (wac_product){.a = x,
                              .b = weights_of(w, &layer),
                              .b_along = true,
                              .c = y,
                              .bias = biases_of(w, &layer),
                              .m = most_rows(w),
                              .n = layer.outputs,
                              .k = layer.inputs,
                              .exact = is_exact(&layer),
                              .relu = relu,
                              .more = more,
                              .chosen = w->net->chosen});
}

/* the gradient of a layer that read x, from dy */
static void layer_dparams(const way *w, int i, wac_matrix x, wac_matrix dy)
{
    if (!w->learns)
        return;
    wac_layer layer = gradient_at(w, i);
    multiply(w, (wac_product){.a = dy,
                              .a_across = true,
                              .b = x,
                              .c = weights_of(w, &layer),
                              .sums = biases_of(w, &layer),
                              .scale = w->gpu->scale,
                              .m = layer.outputs,
                              .n = layer.inputs,
                              .k = w->rows.count,
                              .exact = is_exact(&layer),
                              .more_depth = w->rows.pairs});
}

/* dx = dy W from input `first` on, zero where `active` is */
static void layer_dinput(const way *w, int i, int first, wac_matrix dy, wac_matrix active,
                         wac_matrix dx)
{
    wac_layer layer = layer_at(w, i);
    wac_matrix weights = weights_of(w, &layer);
    weights.at += first;
    multiply(w, (wac_product){.a = dy,
                              .b = weights,
                              .c = dx,
                              .active = active,
                              .scale = w->gpu->scale,
                              .m = most_rows(w),
                              .n = layer.inputs - first,
                              .exact = is_exact(&layer) || first > 0,
                              .k = layer.outputs});
}

/* --- plain networks --------------------------------------------------------------------------- */

static void plain_forward(const way *w)
{
    int head = w->net->stack.shape.hidden;
    wac_matrix out = numbers(w->trace, w->trace->pass.out, w->net->stack.shape.outputs);
    for (int i = 0; i <= head; i++)
        layer_forward(w, i, i ? kept(w, i - 1) : w->x, i < head ? kept(w, i) : out, i < head,
                      false);
}

/* The gradient of a layer's activations takes their place; that of the first layer's outputs. */
static wac_matrix plain_backward(const way *w, wac_matrix dy)
{
    for (int i = w->net->stack.shape.hidden; i > 0; i--) {
        layer_dparams(w, i, kept(w, i - 1), dy);
        layer_dinput(w, i, 0, dy, kept(w, i - 1), kept(w, i - 1));
        dy = kept(w, i - 1);
    }
    return dy;
}

/* --- parts of residual networks --------------------------------------------------------------- */

/* What all kernels of normalisation `i`, the k-th, want to know. */
static wac_general_task norm_task(const way *w, int i, int k, bool pieces_are_rows)
{
    wac_layer layer = layer_at(w, i);
    int norms = wac_shape_norms(&w->net->stack.shape), rows = most_rows(w);
    wac_matrix inverses = numbers(w->trace, w->trace->pass.h[WAC_KEPT_INVERSES] + k, norms);
    int pieces = w->net->stack.members * rows;
    return (wac_general_task){.count = pieces_are_rows ? pieces : pieces * layer.outputs,
                              .rows = rows,
                              .columns = layer.outputs,
                              .capacity = w->trace->pass.capacity,
                              .stride = (int)w->net->stack.stride,
                              .first = (int)(layer.bias - layer.weight),
                              .flags = norms,
                              .z = {inverses.at, inverses.seat},
                              .v = {layer.weight, w->net->seat}};
}

static wac_array array_of(wac_matrix matrix)
{
    return (wac_array){matrix.at, matrix.seat};
}

static void norm_forward(const way *w, int i, int k, wac_matrix x, wac_matrix normal, wac_matrix y,
                         bool relu)
{
    wac_general_task task = norm_task(w, i, k, true);
    task.x = array_of(x);
    task.y = array_of(normal);
    task.w = array_of(y);
    task.relu = relu;
    task.chosen = w->net->chosen;
    wac_general_run(w->gpu, WAC_GENERAL_norm, task);
}

static void norm_again(const way *w, int i, wac_matrix normal, wac_matrix y)
{
    wac_general_task task = norm_task(w, i, 0, false);
    task.y = array_of(normal);
    task.w = array_of(y);
    wac_general_run(w->gpu, WAC_GENERAL_norm_again, task);
}

static void norm_back(const way *w, int i, int k, wac_matrix normal, wac_matrix dy, wac_matrix dx,
                      bool fresh)
{
    if (w->learns) {
        wac_general_task sums = norm_task(w, i, k, false);
        wac_layer gradient = gradient_at(w, i);
        sums.count = w->net->stack.members * gradient.outputs;
        sums.rows = w->rows.count;
        sums.flags = w->rows.pairs;
        sums.x = array_of(dy);
        sums.y = array_of(normal);
        sums.z = (wac_array){gradient.weight, w->net->seat};
        wac_general_run(w->gpu, WAC_GENERAL_norm_sums, sums);
    }
    wac_general_task task = norm_task(w, i, k, true);
    task.x = array_of(dy);
    task.y = array_of(normal);
    task.w = array_of(dx);
    task.fresh = fresh;
    wac_general_run(w->gpu, WAC_GENERAL_norm_back, task);
}

/* z from x and y, number by number, of all members */
static void combine(const way *w, wac_general_kernel kernel, wac_matrix x, wac_matrix y,
                    wac_matrix z)
{
    wac_general_run(w->gpu, kernel,
                    (wac_general_task){.count = w->net->stack.members * (int)z.member,
                                       .x = array_of(x),
                                       .y = array_of(y),
                                       .z = array_of(z)});
}

/* --- normalised in front of blocks ------------------------------------------------------------ */

static void residual_forward(const way *w)
{
    const wac_shape *shape = &w->net->stack.shape;
    wac_matrix stream = kept(w, WAC_KEPT_STREAM), scratch = kept(w, WAC_KEPT_SCRATCH);
    wac_matrix out = numbers(w->trace, w->trace->pass.out, shape->outputs);
    layer_forward(w, 0, w->x, stream, false, false);
    for (int k = 0; k <= shape->blocks; k++) {
        int at = wac_shape_block(shape, k), own = WAC_KEPT_BLOCK + 2 * k;
        bool last = k == shape->blocks;
        norm_forward(w, at, k, stream, kept(w, last ? WAC_KEPT_APART : own), scratch, false);
        layer_forward(w, at + 1, scratch, last ? out : kept(w, own + 1), !last, false);
        if (!last)
            layer_forward(w, at + 2, kept(w, own + 1), stream, false, true);
    }
}

static wac_matrix residual_backward(const way *w, wac_matrix dout)
{
    const wac_shape *shape = &w->net->stack.shape;
    wac_matrix stream = kept(w, WAC_KEPT_STREAM), scratch = kept(w, WAC_KEPT_SCRATCH);
    wac_matrix slope = kept(w, WAC_KEPT_SLOPE), none = {0};
    for (int k = shape->blocks; k >= 0; k--) {
        int at = wac_shape_block(shape, k), own = WAC_KEPT_BLOCK + 2 * k;
        bool last = k == shape->blocks;
        wac_matrix normal = kept(w, last ? WAC_KEPT_APART : own), dy = dout;
        if (!last) {
            wac_matrix middle = kept(w, own + 1);
            layer_dparams(w, at + 2, middle, stream);
            layer_dinput(w, at + 2, 0, stream, middle, middle);
            dy = middle;
        }
        norm_again(w, at, normal, scratch);
        layer_dparams(w, at + 1, scratch, dy);
        layer_dinput(w, at + 1, 0, dy, none, slope);
        norm_back(w, at, k, normal, slope, stream, last);
    }
    return stream;
}

/* --- normalised behind layers ----------------------------------------------------------------- */

static void after_forward(const way *w)
{
    const wac_shape *shape = &w->net->stack.shape;
    wac_matrix stream = kept(w, WAC_KEPT_STREAM), scratch = kept(w, WAC_KEPT_SCRATCH);
    wac_matrix out = numbers(w->trace, w->trace->pass.out, shape->outputs);
    layer_forward(w, 0, w->x, scratch, false, false);
    norm_forward(w, 1, 0, scratch, kept(w, WAC_KEPT_APART),
                 shape->blocks ? kept(w, WAC_KEPT_BLOCK + 3) : stream, true);
    for (int k = 0; k < shape->blocks; k++) {
        int at = wac_shape_block(shape, k), own = WAC_KEPT_BLOCK + 4 * k;
        wac_matrix read = kept(w, own + 3);
        layer_forward(w, at, read, scratch, false, false);
        norm_forward(w, at + 1, 2 * k + 1, scratch, kept(w, own), kept(w, own + 1), true);
        layer_forward(w, at + 2, kept(w, own + 1), stream, false, false);
        norm_forward(w, at + 3, 2 * k + 2, stream, kept(w, own + 2), scratch, false);
        combine(w, WAC_GENERAL_add, read, scratch,
                k + 1 < shape->blocks ? kept(w, own + 7) : stream);
    }
    layer_forward(w, wac_shape_head(shape), stream, out, false, false);
}

/* Through a normalisation and the layer in front of it, which read x; da is the gradient of what
 * that layer made. */
static void layer_and_norm_back(const way *w, int i, int k, wac_matrix x, wac_matrix normal,
                                wac_matrix dy, wac_matrix da)
{
    norm_back(w, i + 1, k, normal, dy, da, true);
    layer_dparams(w, i, x, da);
}

static wac_matrix after_backward(const way *w, wac_matrix dout)
{
    const wac_shape *shape = &w->net->stack.shape;
    wac_matrix stream = kept(w, WAC_KEPT_STREAM), scratch = kept(w, WAC_KEPT_SCRATCH);
    wac_matrix slope = kept(w, WAC_KEPT_SLOPE), none = {0};
    int head = wac_shape_head(shape);
    layer_dparams(w, head, stream, dout);
    layer_dinput(w, head, 0, dout, none, stream);
    for (int k = shape->blocks - 1; k >= 0; k--) {
        int at = wac_shape_block(shape, k), own = WAC_KEPT_BLOCK + 4 * k;
        wac_matrix middle = kept(w, own + 1), read = kept(w, own + 3);
        layer_and_norm_back(w, at + 2, 2 * k + 2, middle, kept(w, own + 2), stream, scratch);
        layer_dinput(w, at + 2, 0, scratch, middle, slope);
        layer_and_norm_back(w, at, 2 * k + 1, read, kept(w, own), slope, scratch);
        layer_dinput(w, at, 0, scratch, none, middle);
        combine(w, WAC_GENERAL_add, stream, middle, stream);
    }
    combine(w, WAC_GENERAL_mask, stream, kept(w, WAC_KEPT_BLOCK + 3), slope);
    layer_and_norm_back(w, 0, 0, w->x, kept(w, WAC_KEPT_APART), slope, stream);
    return stream;
}

/* --- all -------------------------------------------------------------------------------------- */

static wac_matrix input_of(const wac_general_net *net, wac_array x)
{
    return (wac_matrix){x.at, x.seat, 0, net->stack.shape.inputs};
}

void wac_general_forward(wac_general_gpu *gpu, const wac_general_net *net, wac_array x,
                         wac_general_rows rows, const wac_general_trace *trace)
{
    way w = {gpu, net, trace, rows, input_of(net, x), false};
    if (!net->stack.shape.blocks)
        plain_forward(&w);
    else if (net->stack.shape.after)
        after_forward(&w);
    else
        residual_forward(&w);
}

void wac_general_backward(wac_general_gpu *gpu, const wac_general_net *net, wac_array x,
                          wac_general_rows rows, const wac_general_trace *trace, wac_array dout,
                          bool learns, wac_array dx, int first)
{
    const wac_shape *shape = &net->stack.shape;
    way w = {gpu, net, trace, rows, input_of(net, x), learns};
    wac_matrix dy = numbers(trace, dout.at, shape->outputs), none = {0};
    dy.seat = dout.seat;
    if (!shape->blocks)
        dy = plain_backward(&w, dy);
    else
        dy = shape->after ? after_backward(&w, dy) : residual_backward(&w, dy);
    if (!shape->after)
        layer_dparams(&w, 0, w.x, dy);
    if (dx.at) {
        wac_matrix to = numbers(trace, dx.at, shape->inputs - first);
        to.seat = dx.seat;
        layer_dinput(&w, 0, first, dy, none, to);
    }
}

void wac_general_move(wac_general_gpu *gpu, const wac_general_net *net, wac_general_learner learner,
                      int stds, const wac_general_net *targets)
{
    wac_general_task task = {.count = (int)wac_stack_size(&net->stack),
                             .first = stds,
                             .flags = (int)learner,
                             .stride = (int)net->stack.stride,
                             .x = {net->stack.params, net->seat},
                             .y = {net->first, net->seat},
                             .z = {net->second, net->seat},
                             .w = {net->gradient, net->seat}};
    if (targets)
        task.v = (wac_array){targets->stack.params, targets->seat};
    wac_general_run(gpu, WAC_GENERAL_adam, task);
}
