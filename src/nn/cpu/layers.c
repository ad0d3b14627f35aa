/* Layers by products and by loops that vectorise. */
#include "nn/cpu/layers.h"

#include <stdint.h>

enum {
    LANES = WAC_LANES,
    SOME = 4,            /* rows, or outputs, at a time */
    NARROW = 8,          /* up to so many columns are taken as rows of … */
    NARROW_DEPTH = 1024, /* … up to this length */
    FEW_INPUTS = 64,     /* below, weight gradients are made … */
    UNITS = 256          /* … for so many hidden units at once */
};

typedef wac_lanes lanes;

/* Dot products of `rows` of x with `outputs` of the weights (constants where this is inlined): at
 * once, so that none waits for its own sum. */
WAC_INLINE void dots_of(const int rows, const int outputs, int length, const float *x,
                        const float *weight, const float *bias, float *y, int y_row)
{
    lanes sums[SOME][SOME];
    for (int i = 0; i < rows; i++)
        for (int o = 0; o < outputs; o++)
            sums[i][o] = (lanes){0};
    int k = 0;
    for (; k + LANES <= length; k += LANES) {
        lanes row[SOME];
        for (int i = 0; i < rows; i++)
            row[i] = *(const lanes *)(x + i * length + k);
        for (int o = 0; o < outputs; o++)
            for (int i = 0; i < rows; i++)
                sums[i][o] += row[i] * *(const lanes *)(weight + o * length + k);
    }
    for (int i = 0; i < rows; i++)
        for (int o = 0; o < outputs; o++) {
            float sum = bias ? bias[o] : 0;
            for (int rest = k; rest < length; rest++)
                sum += x[i * length + rest] * weight[o * length + rest];
            for (int l = 0; l < LANES; l++)
                sum += sums[i][o][l];
            y[i * y_row + o] = sum;
        }
}

/* The same for any number of outputs. */
WAC_INLINE void dots_of_rows(const int rows, const wac_layer *layer, const float *x, float *y)
{
    int length = layer->inputs, outputs = layer->outputs;
    for (int o = 0; o < outputs;) {
        const float *weight = layer->weight + (size_t)o * (size_t)length;
        const float *bias = layer->bias ? layer->bias + o : NULL;
        if (o + SOME <= outputs) {
            dots_of(rows, SOME, length, x, weight, bias, y + o, outputs);
            o += SOME;
        } else {
            dots_of(rows, 1, length, x, weight, bias, y + o, outputs);
            o++;
        }
    }
}

/* y [rows][outputs] = x W^T + b (or 0) by dot products, some at a time, so that none waits for its
 * own sums: best for narrow heads, and for few rows */
WAC_VECTORISED static void dots(const wac_layer *layer, int rows, const float *x, float *y)
{
    int i = 0;
    for (; i + SOME <= rows; i += SOME)
        dots_of_rows(SOME, layer, x + (size_t)i * (size_t)layer->inputs,
                     y + (size_t)i * (size_t)layer->outputs);
    for (; i < rows; i++)
        dots_of_rows(1, layer, x + (size_t)i * (size_t)layer->inputs,
                     y + (size_t)i * (size_t)layer->outputs);
}

/* The same vector of bits or none of them. */
typedef int32_t ints
    __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/* Some rows of wac_head_back: so many, with so many outputs (constants where that pays). */
WAC_INLINE void head_rows(const int rows, const int outputs, int width, int first, int end,
                          const float *const *d, const float *const *h, const float *weight,
                          float *dweight, float *sums, float *dh)
{
    int j = first;
    for (; j + LANES <= end; j += LANES) {
        lanes active[SOME], value[SOME];
        for (int i = 0; i < rows; i++) {
            active[i] = *(const lanes *)(h[i] + j);
            value[i] = d[i][0] * *(const lanes *)(weight + j);
        }
        for (int o = 1; o < outputs; o++)
            for (int i = 0; i < rows; i++)
                value[i] += d[i][o] * *(const lanes *)(weight + o * width + j);
        for (int o = 0; dweight && o < outputs; o++) {
            lanes sum = *(const lanes *)(dweight + o * width + j);
            for (int i = 0; i < rows; i++)
                sum += d[i][o] * active[i];
            *(lanes *)(dweight + o * width + j) = sum;
        }
        for (int i = 0; i < rows; i++) {
            value[i] = (lanes)((ints)value[i] & (ints)(active[i] > 0));
            *(lanes *)(dh + i * width + j) = value[i];
        }
        if (sums) {
            lanes sum = *(const lanes *)(sums + j);
            for (int i = 0; i < rows; i++)
                sum += value[i];
            *(lanes *)(sums + j) = sum;
        }
    }
    for (; j < end; j++)
        for (int i = 0; i < rows; i++) {
            float active = h[i][j], value = d[i][0] * weight[j];
            for (int o = 1; o < outputs; o++)
                value += d[i][o] * weight[o * width + j];
            for (int o = 0; dweight && o < outputs; o++)
                dweight[o * width + j] += d[i][o] * active;
            dh[i * width + j] = active > 0 ? value : 0;
            if (sums)
                sums[j] += dh[i * width + j];
        }
}

WAC_VECTORISED static void head_back(const wac_layer *head, int rows, const int *list, int first,
                                     int end, const float *dout, float *h, float *dweight,
                                     float *sums)
{
    int width = head->inputs, outputs = head->outputs;
    const float *weight = head->weight;
    for (int o = 0; dweight && o < outputs; o++)
        for (int j = first; j < end; j++)
            dweight[o * width + j] = 0;
    for (int j = first; sums && j < end; j++)
        sums[j] = 0;
    for (int i = 0, some; i < rows; i += some) {
        const float *d[SOME], *from[SOME];
        float *dh = h + (size_t)i * (size_t)width;
        some = outputs > 1 && i + SOME <= rows ? SOME : 1;
        for (int r = 0; r < some; r++) {
            size_t row = (size_t)(list ? list[i + r] : i + r);
            d[r] = dout + row * (size_t)outputs;
            from[r] = h + row * (size_t)width;
        }
        if (outputs == 1)
            head_rows(1, 1, width, first, end, d, from, weight, dweight, sums, dh);
        else if (some == 1)
            head_rows(1, outputs, width, first, end, d, from, weight, dweight, sums, dh);
        else
            head_rows(SOME, outputs, width, first, end, d, from, weight, dweight, sums, dh);
    }
}

WAC_VECTORISED static void sum_rows(int rows, int width, int first, int end, const float *dy,
                                    float *sums)
{
    for (int j = first; j < end; j++)
        sums[j] = 0;
    for (int i = 0; i < rows; i++) {
        const float *row = dy + (size_t)i * (size_t)width;
        for (int j = first; j < end; j++)
            sums[j] += row[j];
    }
}

/* A function of several versions can not be seen from outside. */
void wac_head_back(const wac_layer *head, int rows, const int *list, int first, int end,
                   const float *dout, float *h, float *dweight, float *sums)
{
    head_back(head, rows, list, first, end, dout, h, dweight, sums);
}

void wac_sum_rows(int rows, int width, int first, int end, const float *dy, float *sums)
{
    sum_rows(rows, width, first, end, dy, sums);
}

/* y = finish(x W^T) */
static void forward_product(const wac_layer *layer, int rows, const float *x, float *y,
                            wac_finish finish, wac_span ahead)
{
    wac_product_run(&(wac_product){.rows = rows,
                                   .columns = layer->outputs,
                                   .depth = layer->inputs,
                                   .a = x,
                                   .a_row = layer->inputs,
                                   .a_depth = 1,
                                   .b = layer->weight,
                                   .b_row = 1,
                                   .b_column = layer->inputs,
                                   .c = y,
                                   .c_row = layer->outputs,
                                   .finish = finish,
                                   .bias = layer->bias,
                                   .ahead = ahead});
}

void wac_head_forward(const wac_layer *head, bool few, int rows, const float *x, float *y)
{
    int outputs = head->outputs;
    if (few || outputs < LANES) {
        dots(head, rows, x, y);
        return;
    }
    forward_product(head, rows, x, y, WAC_FINISH_STORE, (wac_span){0});
    for (int i = 0; i < rows; i++)
        for (int o = 0; o < outputs; o++)
            y[(size_t)i * (size_t)outputs + (size_t)o] += head->bias[o];
}

void wac_hidden_forward(const wac_layer *layer, bool few, int rows, const float *x, float *y,
                        wac_span ahead)
{
    if (few) {
        dots(layer, rows, x, y);
        for (int i = 0; layer->bias && i < rows * layer->outputs; i++)
            y[i] = y[i] < 0 ? 0 : y[i];
        return;
    }
    forward_product(layer, rows, x, y, layer->bias ? WAC_FINISH_BIAS_RELU : WAC_FINISH_STORE,
                    ahead);
}

void wac_hidden_dinput(const wac_layer *layer, int rows, int first, const float *dy,
                       const float *active, float *dx, wac_span ahead)
{
    int kept = layer->inputs - first;
    if (kept <= NARROW && layer->outputs <= NARROW_DEPTH && !active) {
        /* a few columns, turned into rows: dot products */
        float turned[NARROW * NARROW_DEPTH];
        wac_layer narrow = {.inputs = layer->outputs, .outputs = kept, .weight = turned};
        for (int o = 0; o < layer->outputs; o++)
            for (int k = 0; k < kept; k++)
                turned[k * layer->outputs + o] = layer->weight[o * layer->inputs + first + k];
        dots(&narrow, rows, dy, dx);
        return;
    }
    wac_product_run(&(wac_product){.rows = rows,
                                   .columns = kept,
                                   .depth = layer->outputs,
                                   .a = dy,
                                   .a_row = layer->outputs,
                                   .a_depth = 1,
                                   .b = layer->weight + first,
                                   .b_row = layer->inputs,
                                   .b_column = 1,
                                   .c = dx,
                                   .c_row = kept,
                                   .finish = active ? WAC_FINISH_MASK : WAC_FINISH_STORE,
                                   .active = active,
                                   .ahead = ahead});
}

void wac_hidden_dweight(const wac_layer *dlayer, int rows, int first, int end, const float *x,
                        const float *dy, wac_span ahead)
{
    int inputs = dlayer->inputs;
    if (inputs >= FEW_INPUTS) {
        wac_product_run(&(wac_product){.rows = end - first,
                                       .columns = inputs,
                                       .depth = rows,
                                       .a = dy + first,
                                       .a_row = 1,
                                       .a_depth = dlayer->outputs,
                                       .b = x,
                                       .b_row = inputs,
                                       .b_column = 1,
                                       .c = dlayer->weight + (size_t)first * (size_t)inputs,
                                       .c_row = inputs,
                                       .ahead = ahead});
        return;
    }
    /* few columns: make the transpose, whose rows are long, and turn it */
    for (int from = first; from < end; from += UNITS) {
        float turned[FEW_INPUTS * UNITS], *dweight = dlayer->weight + (size_t)(from * inputs);
        int units = wac_smaller(UNITS, end - from);
        wac_product_run(&(wac_product){.rows = inputs,
                                       .columns = units,
                                       .depth = rows,
                                       .a = x,
                                       .a_row = 1,
                                       .a_depth = inputs,
                                       .b = dy + from,
                                       .b_row = dlayer->outputs,
                                       .b_column = 1,
                                       .c = turned,
                                       .c_row = units});
        for (int u = 0; u < units; u++)
            for (int k = 0; k < inputs; k++)
                dweight[u * inputs + k] = turned[k * units + u];
    }
}
