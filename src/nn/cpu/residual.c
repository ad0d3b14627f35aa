/* Blocks, streams and normalisations, by products and by loops that vectorise. */
#include "nn/cpu/residual.h"

#include "nn/cpu/layers.h"

#include <math.h>
#include <string.h>

enum { LANES = WAC_LANES };

typedef wac_lanes lanes;

static const wac_span nothing = {0};

int wac_residual_spare(const wac_shape *shape)
{
    /* the gradient of a block's middle; what else is needed is kept with the rest */
    return shape->after ? 0 : wac_shape_spread(shape) * shape->width;
}

int wac_residual_stages(const wac_shape *shape)
{
    return shape->blocks + (shape->after ? 2 : 1);
}

static wac_layer layer_at(const wac_stack *stack, int member, int layer)
{
    return wac_stack_layer(stack, stack->params, member, layer);
}

/* What block `block` read normalised; there is one more, that of the head. */
static float *normal_of(const wac_stack *stack, const wac_pass *pass, int block)
{
    return pass->h[block == stack->shape.blocks ? WAC_KEPT_APART : WAC_KEPT_BLOCK + 2 * block];
}

static float *middle_of(const wac_pass *pass, int block)
{
    return pass->h[WAC_KEPT_BLOCK + 2 * block + 1];
}

/* --- rows by loops ---------------------------------------------------------------------------- */

/* A sum of many, in an order that is the same for all vector units: halves are added to halves. */
WAC_INLINE float total(const lanes *many)
{
    lanes sum = *many;
    sum += __builtin_shufflevector(sum, sum, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    sum += __builtin_shufflevector(sum, sum, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11);
    sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
    return sum[0] + sum[1];
}

/* What becomes of a row once it is normalised: no change, ReLU, or it is added to another. */
typedef enum finish { AS_IT_IS, RELU, ADDED } finish;

/* Add to the stream what a layer made (null: it is there), and its bias; then normalise it.
 * `normal` and `inverse` may be null: not kept. `y` may take the place of `made`; what it is added
 * to is `to`. */
WAC_VECTORISED static void add_and_normalise(const wac_layer *norm, int rows, const float *bias,
                                             const float *made, float *stream, float *normal,
                                             float *inverse, int inverses, finish finish,
                                             const float *to, float *y)
{
    int width = norm->outputs, whole = width / LANES * LANES;
    const float *scale = norm->weight, *shift = norm->bias;
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)i * (size_t)width;
        float *s = stream + row, *out = y + row, *kept = normal ? normal + row : NULL;
        lanes sum = {0}, square = {0};
        float rest = 0;
        if (made) {
            WAC_APART
            for (int j = 0; j < width; j++)
                s[j] += made[row + (size_t)j] + bias[j];
        } else {
            WAC_APART
            for (int j = 0; j < width; j++)
                s[j] += bias[j];
        }
        for (int j = 0; j < whole; j += LANES)
            sum += *(const lanes *)(s + j);
        for (int j = whole; j < width; j++)
            rest += s[j];
        float mean = (total(&sum) + rest) / (float)width;
        rest = 0;
        for (int j = 0; j < whole; j += LANES) {
            lanes away = *(const lanes *)(s + j) - mean;
            square += away * away;
        }
        for (int j = whole; j < width; j++)
            rest += (s[j] - mean) * (s[j] - mean);
        float factor = 1 / sqrtf((total(&square) + rest) / (float)width + WAC_NORM_EPSILON);
        if (inverse)
            inverse[(size_t)i * (size_t)inverses] = factor;
        if (kept) {
            WAC_APART
            for (int j = 0; j < width; j++)
                kept[j] = (s[j] - mean) * factor;
        }
        if (finish == ADDED) {
            WAC_APART
            for (int j = 0; j < width; j++)
                out[j] = to[row + (size_t)j] + ((s[j] - mean) * factor * scale[j] + shift[j]);
        } else {
            WAC_APART
            for (int j = 0; j < width; j++)
                out[j] = (s[j] - mean) * factor * scale[j] + shift[j];
        }
        if (finish == RELU) {
            WAC_APART
            for (int j = 0; j < width; j++)
                out[j] = out[j] < 0 ? 0 : out[j];
        }
    }
}

/* dx, or if told so what is there and, the way back from dy through a normalisation; what it made
 * goes to y, unless that is null */
WAC_VECTORISED static void normalise_back(const wac_layer *norm, int rows, const float *normal,
                                          const float *inverse, int inverses, const float *dy,
                                          bool add, float *dx, float *y)
{
    int width = norm->outputs, whole = width / LANES * LANES;
    const float *scale = norm->weight, *shift = norm->bias;
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)i * (size_t)width;
        const float *d = dy + row, *n = normal + row;
        float *to = dx + row, *out = y ? y + row : NULL;
        float factor = inverse[(size_t)i * (size_t)inverses];
        lanes sum = {0}, product = {0};
        float rest = 0, other = 0;
        for (int j = 0; j < whole; j += LANES) {
            lanes along = *(const lanes *)(d + j) * *(const lanes *)(scale + j);
            sum += along;
            product += along * *(const lanes *)(n + j);
        }
        for (int j = whole; j < width; j++) {
            rest += d[j] * scale[j];
            other += d[j] * scale[j] * n[j];
        }
        float mean = (total(&sum) + rest) / (float)width;
        float along = (total(&product) + other) / (float)width;
        if (add) {
            WAC_APART
            for (int j = 0; j < width; j++)
                to[j] += factor * (d[j] * scale[j] - mean - n[j] * along);
        } else {
            WAC_APART
            for (int j = 0; j < width; j++)
                to[j] = factor * (d[j] * scale[j] - mean - n[j] * along);
        }
        if (out) {
            WAC_APART
            for (int j = 0; j < width; j++)
                out[j] = n[j] * scale[j] + shift[j];
        }
    }
}

/* columns first … end-1 of sums over rows of dy, times the normalised entries and as they are */
WAC_VECTORISED static void sum_norm(int rows, int width, int first, int end, const float *normal,
                                    const float *dy, float *dscale, float *dshift)
{
    for (int j = first; j < end; j++)
        dscale[j] = dshift[j] = 0;
    for (int i = 0; i < rows; i++) {
        const float *d = dy + (size_t)i * (size_t)width, *n = normal + (size_t)i * (size_t)width;
        for (int j = first; j < end; j++) {
            dscale[j] += d[j] * n[j];
            dshift[j] += d[j];
        }
    }
}

/* dz [rows][width] = dout W, of its own rows or of those of the list */
WAC_VECTORISED static void head_dinput(const wac_layer *head, int rows, const int *list,
                                       const float *dout, float *dz)
{
    int width = head->inputs, outputs = head->outputs;
    for (int i = 0; i < rows; i++) {
        const float *d = dout + (size_t)(list ? list[i] : i) * (size_t)outputs;
        float *to = dz + (size_t)i * (size_t)width;
        int j = 0;
        for (; j + LANES <= width; j += LANES) {
            lanes sum = {0};
            for (int o = 0; o < outputs; o++)
                sum += d[o] * *(const lanes *)(head->weight + o * width + j);
            *(lanes *)(to + j) = sum;
        }
        for (; j < width; j++) {
            to[j] = 0;
            for (int o = 0; o < outputs; o++)
                to[j] += d[o] * head->weight[o * width + j];
        }
    }
}

/* columns first … end-1 of dout^T z */
WAC_VECTORISED static void head_dweight(const wac_layer *dhead, int rows, int first, int end,
                                        const float *dout, const float *z)
{
    int width = dhead->inputs, outputs = dhead->outputs;
    for (int o = 0; o < outputs; o++) {
        float *to = dhead->weight + o * width;
        int j = first;
        for (; j + LANES <= end; j += LANES) {
            lanes sum = {0};
            for (int i = 0; i < rows; i++)
                sum += dout[i * outputs + o] * *(const lanes *)(z + i * width + j);
            *(lanes *)(to + j) = sum;
        }
        for (; j < end; j++) {
            to[j] = 0;
            for (int i = 0; i < rows; i++)
                to[j] += dout[i * outputs + o] * z[i * width + j];
        }
    }
}

/* dx where x, a ReLU's output, was above zero */
WAC_VECTORISED static void mask(size_t count, const float *x, const float *dx, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] = x[i] > 0 ? dx[i] : 0;
}

WAC_VECTORISED static void add(size_t count, const float *x, float *to)
{
    for (size_t i = 0; i < count; i++)
        to[i] += x[i];
}

/* --- passes ----------------------------------------------------------------------------------- */

/* What a layer makes of x without its bias, which the stream gets. */
static void make(wac_layer layer, bool few, int rows, const float *x, float *y)
{
    layer.bias = NULL;
    wac_hidden_forward(&layer, few, rows, x, y, nothing);
}

static void before_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                           bool few, bool kept, const float *x, float *out)
{
    int blocks = stack->shape.blocks;
    float *stream = pass->h[WAC_KEPT_STREAM], *scratch = pass->h[WAC_KEPT_SCRATCH];
    wac_layer below = layer_at(stack, member, 0);
    make(below, few, rows, x, stream);
    for (int k = 0; k <= blocks; k++) {
        int at = wac_shape_block(&stack->shape, k);
        wac_layer norm = layer_at(stack, member, at);
        wac_layer up = layer_at(stack, member, at + 1); /* or the head */
        add_and_normalise(&norm, rows, below.bias, k ? scratch : NULL, stream,
                          kept ? normal_of(stack, pass, k) : NULL,
                          kept ? pass->h[WAC_KEPT_INVERSES] + k : NULL, blocks + 1, AS_IT_IS, NULL,
                          scratch);
        if (k == blocks) {
            wac_head_forward(&up, few, rows, scratch, out);
            break;
        }
        float *middle = middle_of(pass, kept ? k : 0);
        wac_hidden_forward(&up, few, rows, scratch, middle, nothing);
        below = layer_at(stack, member, at + 2);
        make(below, few, rows, middle, scratch);
    }
}

static void before_rows(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                        int rows, const int *list, const float *dout)
{
    int blocks = stack->shape.blocks, block = blocks - stage;
    int at = wac_shape_block(&stack->shape, block);
    float *stream = pass->h[WAC_KEPT_STREAM], *slope = pass->h[WAC_KEPT_SLOPE];
    wac_layer norm = layer_at(stack, member, at);
    wac_layer up = layer_at(stack, member, at + 1); /* or the head */
    if (stage == 0) {
        head_dinput(&up, rows, list, dout, slope);
    } else {
        wac_layer down = layer_at(stack, member, at + 2);
        wac_hidden_dinput(&down, rows, 0, stream, middle_of(pass, block), pass->spare, nothing);
        wac_hidden_dinput(&up, rows, 0, pass->spare, NULL, slope, nothing);
    }
    normalise_back(&norm, rows, normal_of(stack, pass, block), pass->h[WAC_KEPT_INVERSES] + block,
                   blocks + 1, slope, stage > 0, stream, pass->h[WAC_KEPT_SCRATCH]);
}

static void before_units(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                         int rows, int first, int end, const float *x, const float *dout,
                         float *dparams)
{
    int block = stack->shape.blocks - stage, width = stack->shape.width;
    int at = wac_shape_block(&stack->shape, block), spread = wac_shape_spread(&stack->shape);
    const float *stream = pass->h[WAC_KEPT_STREAM], *read = pass->h[WAC_KEPT_SCRATCH];
    wac_layer dnorm = wac_stack_layer(stack, dparams, member, at);
    wac_layer dup = wac_stack_layer(stack, dparams, member, at + 1); /* or of the head */
    wac_layer dbelow = wac_stack_layer(stack, dparams, member, at - 1);
    sum_norm(rows, width, first, end, normal_of(stack, pass, block), pass->h[WAC_KEPT_SLOPE],
             dnorm.weight, dnorm.bias);
    if (stage == 0) {
        head_dweight(&dup, rows, first, end, dout, read);
        if (first == 0)
            wac_sum_rows(rows, dup.outputs, 0, dup.outputs, dout, dup.bias);
    } else {
        int from = spread * first, to = spread * end;
        wac_hidden_dweight(&dup, rows, from, to, read, pass->spare, nothing);
        wac_sum_rows(rows, dup.outputs, from, to, pass->spare, dup.bias);
    }
    wac_hidden_dweight(&dbelow, rows, first, end, block > 0 ? middle_of(pass, block - 1) : x,
                       stream, nothing);
    wac_sum_rows(rows, width, first, end, stream, dbelow.bias);
}

/* --- passes of networks that are normalised behind their layers ------------------------------- */

/* What is kept of a block, and what the way back makes for all of them. */
enum { NORMAL, MIDDLE, SECOND, READ, PER_BLOCK };
enum { MIDDLE_SLOPE, FIRST_SLOPE, ADDITION };

static float *kept_of(const wac_pass *pass, int block, int what)
{
    return pass->h[WAC_KEPT_BLOCK + PER_BLOCK * block + what];
}

static float *shared_of(const wac_stack *stack, const wac_pass *pass, int what)
{
    return kept_of(pass, stack->shape.blocks, what);
}

/* One layer and its normalisation, the norm-th of the network, from x to y. */
static void layer_and_norm(const wac_stack *stack, int member, const wac_pass *pass, int layer,
                           int rows, bool few, const float *x, float *normal, int number,
                           finish finish, const float *to, float *y)
{
    wac_layer own = layer_at(stack, member, layer), norm = layer_at(stack, member, layer + 1);
    float *scratch = pass->h[WAC_KEPT_SCRATCH];
    make(own, few, rows, x, scratch);
    add_and_normalise(&norm, rows, own.bias, NULL, scratch, normal,
                      normal ? pass->h[WAC_KEPT_INVERSES] + number : NULL,
                      wac_shape_norms(&stack->shape), finish, to, y);
}

static void after_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                          bool few, bool kept, const float *x, float *out)
{
    const wac_shape *shape = &stack->shape;
    float *stream = kept ? kept_of(pass, 0, READ) : pass->h[WAC_KEPT_STREAM];
    layer_and_norm(stack, member, pass, 0, rows, few, x, kept ? pass->h[WAC_KEPT_APART] : NULL, 0,
                   RELU, NULL, stream);
    for (int k = 0; k < shape->blocks; k++) {
        int at = wac_shape_block(shape, k);
        float *middle = kept_of(pass, kept ? k : 0, MIDDLE), *next = pass->h[WAC_KEPT_STREAM];
        if (kept && k + 1 < shape->blocks)
            next = kept_of(pass, k + 1, READ);
        layer_and_norm(stack, member, pass, at, rows, few, stream,
                       kept ? kept_of(pass, k, NORMAL) : NULL, 2 * k + 1, RELU, NULL, middle);
        layer_and_norm(stack, member, pass, at + 2, rows, few, middle,
                       kept ? kept_of(pass, k, SECOND) : NULL, 2 * k + 2, ADDED, stream, next);
        stream = next;
    }
    wac_layer head = layer_at(stack, member, wac_shape_head(shape));
    wac_head_forward(&head, few, rows, stream, out);
}

static void norm_rows(const wac_stack *stack, int member, const wac_pass *pass, int layer,
                      int number, int rows, const float *normal, const float *dy, float *dx)
{
    wac_layer norm = layer_at(stack, member, layer);
    normalise_back(&norm, rows, normal, pass->h[WAC_KEPT_INVERSES] + number,
                   wac_shape_norms(&stack->shape), dy, false, dx, NULL);
}

static void after_rows(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                       int rows, const int *list, const float *dout)
{
    const wac_shape *shape = &stack->shape;
    int block = shape->blocks - stage, at = wac_shape_block(shape, block);
    size_t count = (size_t)rows * (size_t)shape->width;
    float *stream = pass->h[WAC_KEPT_STREAM], *slope = pass->h[WAC_KEPT_SLOPE];
    float *scratch = pass->h[WAC_KEPT_SCRATCH];
    if (stage == 0) {
        wac_layer head = layer_at(stack, member, wac_shape_head(shape));
        memcpy(scratch, stream, count * sizeof *scratch); /* which the head read */
        head_dinput(&head, rows, list, dout, stream);
        return;
    }
    if (block < 0) {
        mask(count, kept_of(pass, 0, READ), stream, slope);
        norm_rows(stack, member, pass, 1, 0, rows, pass->h[WAC_KEPT_APART], slope, stream);
        return;
    }
    float *middle = shared_of(stack, pass, MIDDLE_SLOPE),
          *first = shared_of(stack, pass, FIRST_SLOPE);
    float *addition = shared_of(stack, pass, ADDITION);
    wac_layer up = layer_at(stack, member, at), down = layer_at(stack, member, at + 2);
    memcpy(slope, stream, count * sizeof *slope);
    norm_rows(stack, member, pass, at + 3, 2 * block + 2, rows, kept_of(pass, block, SECOND), slope,
              scratch);
    wac_hidden_dinput(&down, rows, 0, scratch, kept_of(pass, block, MIDDLE), middle, nothing);
    norm_rows(stack, member, pass, at + 1, 2 * block + 1, rows, kept_of(pass, block, NORMAL),
              middle, first);
    wac_hidden_dinput(&up, rows, 0, first, NULL, addition, nothing);
    add(count, addition, stream);
}

/* Units of a layer that read x, and of its normalisation, from the slopes of what they made. */
static void layer_and_norm_units(const wac_stack *stack, int member, int layer, int rows, int first,
                                 int end, const float *x, const float *da, const float *normal,
                                 const float *dy, float *dparams)
{
    wac_layer own = wac_stack_layer(stack, dparams, member, layer);
    wac_layer norm = wac_stack_layer(stack, dparams, member, layer + 1);
    sum_norm(rows, norm.outputs, first, end, normal, dy, norm.weight, norm.bias);
    wac_hidden_dweight(&own, rows, first, end, x, da, nothing);
    wac_sum_rows(rows, own.outputs, first, end, da, own.bias);
}

static void after_units(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                        int rows, int first, int end, const float *x, const float *dout,
                        float *dparams)
{
    const wac_shape *shape = &stack->shape;
    int block = shape->blocks - stage, at = wac_shape_block(shape, block);
    const float *stream = pass->h[WAC_KEPT_STREAM], *slope = pass->h[WAC_KEPT_SLOPE];
    const float *scratch = pass->h[WAC_KEPT_SCRATCH];
    if (stage == 0) {
        wac_layer head = wac_stack_layer(stack, dparams, member, wac_shape_head(shape));
        head_dweight(&head, rows, first, end, dout, scratch);
        if (first == 0)
            wac_sum_rows(rows, head.outputs, 0, head.outputs, dout, head.bias);
    } else if (block < 0) {
        layer_and_norm_units(stack, member, 0, rows, first, end, x, stream, pass->h[WAC_KEPT_APART],
                             slope, dparams);
    } else {
        layer_and_norm_units(stack, member, at + 2, rows, first, end, kept_of(pass, block, MIDDLE),
                             scratch, kept_of(pass, block, SECOND), slope, dparams);
        layer_and_norm_units(stack, member, at, rows, first, end, kept_of(pass, block, READ),
                             shared_of(stack, pass, FIRST_SLOPE), kept_of(pass, block, NORMAL),
                             shared_of(stack, pass, MIDDLE_SLOPE), dparams);
    }
}

/* --- either ----------------------------------------------------------------------------------- */

void wac_residual_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                          bool few, bool kept, const float *x, float *out)
{
    (stack->shape.after ? after_forward : before_forward)(stack, member, pass, rows, few, kept, x,
                                                          out);
}

void wac_residual_rows(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                       int rows, const int *list, const float *dout)
{
    (stack->shape.after ? after_rows : before_rows)(stack, member, pass, stage, rows, list, dout);
}

void wac_residual_units(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                        int rows, int first, int end, const float *x, const float *dout,
                        float *dparams)
{
    (stack->shape.after ? after_units : before_units)(stack, member, pass, stage, rows, first, end,
                                                      x, dout, dparams);
}

void wac_residual_select(const wac_shape *shape, const wac_pass *pass, int count, const int *list)
{
    /* the head of one reads the stream itself */
    for (int a = shape->after ? WAC_KEPT_STREAM : WAC_KEPT_INVERSES, kept;
         (kept = wac_shape_kept(shape, a)) > 0; a++)
        for (int i = 0; i < count; i++)
            if (list[i] != i)
                memcpy(pass->h[a] + (size_t)i * (size_t)kept,
                       pass->h[a] + (size_t)list[i] * (size_t)kept,
                       (size_t)kept * sizeof *pass->h[a]);
}
