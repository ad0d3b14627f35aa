/* Layers by products and by loops that vectorise. */
#include "nn/cpu/layers.h"

#include <stdint.h>

enum {
    LANES = 16,
    TOGETHER = 4,        /* dot products at a time */
    NARROW = 8,          /* up to so many columns are taken as rows of … */
    NARROW_DEPTH = 1024, /* … up to this length */
    FEW_INPUTS = 64,     /* below, weight gradients are made … */
    UNITS = 256          /* … for so many hidden units at once */
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* wherever it lies in memory */
typedef float lanes
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

WAC_VECTORISED static void dots(const wac_layer *layer, int rows, const float *x, float *y)
{
    int inputs = layer->inputs, outputs = layer->outputs;
    for (int first = 0; first < rows * outputs; first += TOGETHER) {
        const float *row[TOGETHER], *weight[TOGETHER];
        lanes sums[TOGETHER] = {0};
        int last = rows * outputs - 1;
        for (int d = 0; d < TOGETHER; d++) {
            int at = smaller(first + d, last);
            row[d] = x + (size_t)(at / outputs) * (size_t)inputs;
            weight[d] = layer->weight + (size_t)(at % outputs) * (size_t)inputs;
        }
        int k = 0;
        for (; k + LANES <= inputs; k += LANES)
            for (int d = 0; d < TOGETHER; d++)
                sums[d] += *(const lanes *)(row[d] + k) * *(const lanes *)(weight[d] + k);
        for (int d = 0; d < TOGETHER && first + d <= last; d++) {
            float sum = layer->bias ? layer->bias[(first + d) % outputs] : 0;
            for (int i = k; i < inputs; i++)
                sum += row[d][i] * weight[d][i];
            for (int l = 0; l < LANES; l++)
                sum += sums[d][l];
            y[first + d] = sum;
        }
    }
}

typedef int32_t ints
    __attribute__((vector_size(LANES * sizeof(int32_t)), aligned(sizeof(int32_t)), may_alias));

/* one row of wac_head_back, with so many outputs (a constant where that pays) */
static inline __attribute__((always_inline)) void head_row(const int outputs, int width, int first,
                                                           int end, const float *d,
                                                           const float *weight, const float *h,
                                                           float *dh, float *dweight, float *sums)
{
    int j = first;
    for (; j + LANES <= end; j += LANES) {
        lanes active = *(const lanes *)(h + j), value = d[0] * *(const lanes *)(weight + j);
        for (int o = 1; o < outputs; o++)
            value += d[o] * *(const lanes *)(weight + o * width + j);
        value = (lanes)((ints)value & (ints)(active > 0));
        *(lanes *)(dh + j) = value;
        for (int o = 0; dweight && o < outputs; o++)
            *(lanes *)(dweight + o * width + j) += d[o] * active;
        if (sums)
            *(lanes *)(sums + j) += value;
    }
    for (; j < end; j++) {
        float active = h[j], value = d[0] * weight[j];
        for (int o = 1; o < outputs; o++)
            value += d[o] * weight[o * width + j];
        dh[j] = active > 0 ? value : 0;
        for (int o = 0; dweight && o < outputs; o++)
            dweight[o * width + j] += d[o] * active;
        if (sums)
            sums[j] += dh[j];
    }
}

WAC_VECTORISED static void head_back(const wac_layer *head, int rows, const int *list, int first,
                                     int end, const float *dout, float *h, float *dweight,
                                     float *sums)
{
    int width = head->inputs, outputs = head->outputs;
    for (int o = 0; dweight && o < outputs; o++)
        for (int j = first; j < end; j++)
            dweight[o * width + j] = 0;
    for (int j = first; sums && j < end; j++)
        sums[j] = 0;
    for (int i = 0; i < rows; i++) {
        int from = list ? list[i] : i;
        const float *d = dout + (size_t)from * (size_t)outputs;
        const float *active = h + (size_t)from * (size_t)width;
        float *row = h + (size_t)i * (size_t)width;
        if (outputs == 1)
            head_row(1, width, first, end, d, head->weight, active, row, dweight, sums);
        else
            head_row(outputs, width, first, end, d, head->weight, active, row, dweight, sums);
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
void wac_dots(const wac_layer *layer, int rows, const float *x, float *y)
{
    dots(layer, rows, x, y);
}

void wac_head_back(const wac_layer *head, int rows, const int *list, int first, int end,
                   const float *dout, float *h, float *dweight, float *sums)
{
    head_back(head, rows, list, first, end, dout, h, dweight, sums);
}

void wac_sum_rows(int rows, int width, int first, int end, const float *dy, float *sums)
{
    sum_rows(rows, width, first, end, dy, sums);
}

void wac_touch(int count, const float *numbers)
{
    for (int i = 0; i < count; i += LANES)
        (void)*(const volatile float *)(numbers + i);
}

void wac_hidden_forward(const wac_layer *layer, const float *turned, int rows, const float *x,
                        float *y, const wac_span *ahead)
{
    if (!turned) {
        wac_dots(layer, rows, x, y);
        for (int i = 0; i < rows * layer->outputs; i++)
            y[i] = y[i] < 0 ? 0 : y[i];
        return;
    }
    wac_product_run(&(wac_product){.rows = rows,
                                   .columns = layer->outputs,
                                   .depth = layer->inputs,
                                   .a = x,
                                   .a_row = layer->inputs,
                                   .a_depth = 1,
                                   .b = turned,
                                   .b_row = layer->outputs,
                                   .c = y,
                                   .c_row = layer->outputs,
                                   .finish = WAC_FINISH_BIAS_RELU,
                                   .bias = layer->bias,
                                   .ahead = ahead});
}

void wac_hidden_dinput(const wac_layer *layer, int rows, int first, const float *dy,
                       const float *active, float *dx)
{
    int kept = layer->inputs - first;
    if (kept <= NARROW && layer->outputs <= NARROW_DEPTH && !active) {
        /* a few columns, turned into rows: dot products */
        float turned[NARROW * NARROW_DEPTH];
        wac_layer narrow = {.inputs = layer->outputs, .outputs = kept, .weight = turned};
        for (int o = 0; o < layer->outputs; o++)
            for (int k = 0; k < kept; k++)
                turned[k * layer->outputs + o] = layer->weight[o * layer->inputs + first + k];
        wac_dots(&narrow, rows, dy, dx);
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
                                   .c = dx,
                                   .c_row = kept,
                                   .finish = active ? WAC_FINISH_MASK : WAC_FINISH_STORE,
                                   .active = active});
}

void wac_hidden_dweight(const wac_layer *dlayer, int rows, int first, int end, const float *x,
                        const float *dy)
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
                                       .c = dlayer->weight + (size_t)first * (size_t)inputs,
                                       .c_row = inputs});
        return;
    }
    /* few columns: make the transpose, whose rows are long, and turn it */
    for (int from = first; from < end; from += UNITS) {
        float turned[FEW_INPUTS * UNITS], *dweight = dlayer->weight + (size_t)(from * inputs);
        int units = smaller(UNITS, end - from);
        wac_product_run(&(wac_product){.rows = inputs,
                                       .columns = units,
                                       .depth = rows,
                                       .a = x,
                                       .a_row = 1,
                                       .a_depth = inputs,
                                       .b = dy + from,
                                       .b_row = dlayer->outputs,
                                       .c = turned,
                                       .c_row = units});
        for (int u = 0; u < units; u++)
            for (int k = 0; k < inputs; k++)
                dweight[u * inputs + k] = turned[k * units + u];
    }
}
