/* Blocks, streams and normalisations, by products and by loops that vectorise. */
#include "nn/cpu/residual.h"

#include "nn/cpu/layers.h"

#include <math.h>
#include <string.h>

enum { LANES = 16 };

static const wac_span nothing = {0};

int wac_residual_spare(const wac_shape *shape)
{
    return WAC_BLOCK_SPREAD * shape->width; /* the gradient of a block's middle */
}

static int layer_of_block(int block)
{
    return WAC_BLOCK_LAYERS * block + 1;
}

static wac_layer layer_at(const wac_stack *stack, int member, int layer)
{
    return wac_stack_layer(stack, stack->params, member, layer);
}

/* What block `block` read normalised; there is one more, that of the head. */
static float *normal_of(const wac_stack *stack, const wac_pass *pass, int block)
{
    return pass->h[block == stack->shape.blocks ? WAC_KEPT_LAST : WAC_KEPT_BLOCK + 2 * block];
}

static float *middle_of(const wac_pass *pass, int block)
{
    return pass->h[WAC_KEPT_BLOCK + 2 * block + 1];
}

/* --- rows by loops ---------------------------------------------------------------------------- */

/* A sum of many, some at a time, in an order that is the same for all vector units. */
typedef struct sums {
    float of[LANES];
} sums;

WAC_INLINE float total(const sums *sums)
{
    float sum = 0;
    for (int l = 0; l < LANES; l++)
        sum += sums->of[l];
    return sum;
}

/* Add to the stream what a layer made (null: it is there), and its bias; then normalise it.
 * `normal` and `inverse` may be null: not kept. `y` may take the place of `made`. */
WAC_VECTORISED static void add_and_normalise(const wac_layer *norm, int rows, const float *bias,
                                             const float *made, float *stream, float *normal,
                                             float *inverse, int inverses, float *y)
{
    int width = norm->outputs, whole = width / LANES * LANES;
    const float *scale = norm->weight, *shift = norm->bias;
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)i * (size_t)width;
        float *s = stream + row, *out = y + row, *kept = normal ? normal + row : NULL;
        sums sum = {{0}}, square = {{0}};
        if (made)
            for (int j = 0; j < width; j++)
                s[j] += made[row + (size_t)j] + bias[j];
        else
            for (int j = 0; j < width; j++)
                s[j] += bias[j];
        for (int j = 0; j < whole; j += LANES)
            for (int l = 0; l < LANES; l++)
                sum.of[l] += s[j + l];
        for (int j = whole; j < width; j++)
            sum.of[j - whole] += s[j];
        float mean = total(&sum) / (float)width;
        for (int j = 0; j < whole; j += LANES)
            for (int l = 0; l < LANES; l++)
                square.of[l] += (s[j + l] - mean) * (s[j + l] - mean);
        for (int j = whole; j < width; j++)
            square.of[j - whole] += (s[j] - mean) * (s[j] - mean);
        float factor = 1 / sqrtf(total(&square) / (float)width + WAC_NORM_EPSILON);
        if (inverse)
            inverse[(size_t)i * (size_t)inverses] = factor;
        if (kept)
            for (int j = 0; j < width; j++) {
                kept[j] = (s[j] - mean) * factor;
                out[j] = kept[j] * scale[j] + shift[j];
            }
        else
            for (int j = 0; j < width; j++)
                out[j] = (s[j] - mean) * factor * scale[j] + shift[j];
    }
}

/* dx, or if told so what is there and, the way back from dy through a normalisation; what it made
 * goes to y */
WAC_VECTORISED static void normalise_back(const wac_layer *norm, int rows, const float *normal,
                                          const float *inverse, int inverses, const float *dy,
                                          bool add, float *dx, float *y)
{
    int width = norm->outputs, whole = width / LANES * LANES;
    const float *scale = norm->weight, *shift = norm->bias;
    for (int i = 0; i < rows; i++) {
        size_t row = (size_t)i * (size_t)width;
        const float *d = dy + row, *n = normal + row;
        float *to = dx + row, *out = y + row, factor = inverse[(size_t)i * (size_t)inverses];
        sums sum = {{0}}, product = {{0}};
        for (int j = 0; j < whole; j += LANES)
            for (int l = 0; l < LANES; l++) {
                float along = d[j + l] * scale[j + l];
                sum.of[l] += along;
                product.of[l] += along * n[j + l];
            }
        for (int j = whole; j < width; j++) {
            float along = d[j] * scale[j];
            sum.of[j - whole] += along;
            product.of[j - whole] += along * n[j];
        }
        float mean = total(&sum) / (float)width, along = total(&product) / (float)width;
        if (add)
            for (int j = 0; j < width; j++)
                to[j] += factor * (d[j] * scale[j] - mean - n[j] * along);
        else
            for (int j = 0; j < width; j++)
                to[j] = factor * (d[j] * scale[j] - mean - n[j] * along);
        for (int j = 0; j < width; j++)
            out[j] = n[j] * scale[j] + shift[j];
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
        for (int j = 0; j < width; j++)
            to[j] = d[0] * head->weight[j];
        for (int o = 1; o < outputs; o++)
            for (int j = 0; j < width; j++)
                to[j] += d[o] * head->weight[(size_t)o * (size_t)width + (size_t)j];
    }
}

/* columns first … end-1 of dout^T z */
WAC_VECTORISED static void head_dweight(const wac_layer *dhead, int rows, int first, int end,
                                        const float *dout, const float *z)
{
    int width = dhead->inputs, outputs = dhead->outputs;
    for (int o = 0; o < outputs; o++) {
        float *to = dhead->weight + (size_t)o * (size_t)width;
        for (int j = first; j < end; j++)
            to[j] = 0;
        for (int i = 0; i < rows; i++) {
            const float *from = z + (size_t)i * (size_t)width;
            float d = dout[(size_t)i * (size_t)outputs + (size_t)o];
            for (int j = first; j < end; j++)
                to[j] += d * from[j];
        }
    }
}

/* --- passes ----------------------------------------------------------------------------------- */

/* What a layer makes of x without its bias, which the stream gets. */
static void make(wac_layer layer, bool few, int rows, const float *x, float *y)
{
    layer.bias = NULL;
    wac_hidden_forward(&layer, few, rows, x, y, nothing);
}

void wac_residual_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                          bool few, bool kept, const float *x, float *out)
{
    int blocks = stack->shape.blocks;
    float *stream = pass->h[WAC_KEPT_STREAM], *scratch = pass->h[WAC_KEPT_SCRATCH];
    wac_layer below = layer_at(stack, member, 0);
    make(below, few, rows, x, stream);
    for (int k = 0; k <= blocks; k++) {
        wac_layer norm = layer_at(stack, member, layer_of_block(k));
        wac_layer up = layer_at(stack, member, layer_of_block(k) + 1); /* or the head */
        add_and_normalise(&norm, rows, below.bias, k ? scratch : NULL, stream,
                          kept ? normal_of(stack, pass, k) : NULL,
                          kept ? pass->h[WAC_KEPT_INVERSES] + k : NULL, blocks + 1, scratch);
        if (k == blocks) {
            wac_dots(&up, rows, scratch, out);
            break;
        }
        float *middle = middle_of(pass, kept ? k : 0);
        wac_hidden_forward(&up, few, rows, scratch, middle, nothing);
        below = layer_at(stack, member, layer_of_block(k) + 2);
        make(below, few, rows, middle, scratch);
    }
}

void wac_residual_rows(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                       int rows, const int *list, const float *dout)
{
    int blocks = stack->shape.blocks, block = blocks - stage;
    float *stream = pass->h[WAC_KEPT_STREAM], *slope = pass->h[WAC_KEPT_SLOPE];
    wac_layer norm = layer_at(stack, member, layer_of_block(block));
    wac_layer up = layer_at(stack, member, layer_of_block(block) + 1); /* or the head */
    if (stage == 0) {
        head_dinput(&up, rows, list, dout, slope);
    } else {
        wac_layer down = layer_at(stack, member, layer_of_block(block) + 2);
        wac_hidden_dinput(&down, rows, 0, stream, middle_of(pass, block), pass->spare, nothing);
        wac_hidden_dinput(&up, rows, 0, pass->spare, NULL, slope, nothing);
    }
    normalise_back(&norm, rows, normal_of(stack, pass, block), pass->h[WAC_KEPT_INVERSES] + block,
                   blocks + 1, slope, stage > 0, stream, pass->h[WAC_KEPT_SCRATCH]);
}

void wac_residual_units(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                        int rows, int first, int end, const float *x, const float *dout,
                        float *dparams)
{
    int block = stack->shape.blocks - stage, width = stack->shape.width, at = layer_of_block(block);
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
        int from = WAC_BLOCK_SPREAD * first, to = WAC_BLOCK_SPREAD * end;
        wac_hidden_dweight(&dup, rows, from, to, read, pass->spare, nothing);
        wac_sum_rows(rows, dup.outputs, from, to, pass->spare, dup.bias);
    }
    wac_hidden_dweight(&dbelow, rows, first, end, block > 0 ? middle_of(pass, block - 1) : x,
                       stream, nothing);
    wac_sum_rows(rows, width, first, end, stream, dbelow.bias);
}

void wac_residual_select(const wac_shape *shape, const wac_pass *pass, int count, const int *list)
{
    for (int a = WAC_KEPT_INVERSES, kept; (kept = wac_shape_kept(shape, a)) > 0; a++)
        for (int i = 0; i < count; i++)
            if (list[i] != i)
                memcpy(pass->h[a] + (size_t)i * (size_t)kept,
                       pass->h[a] + (size_t)list[i] * (size_t)kept,
                       (size_t)kept * sizeof *pass->h[a]);
}
