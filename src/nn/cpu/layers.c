/* Layers by products and by loops that vectorise. */
#include "nn/cpu/layers.h"

enum {
    LANES = 16,
    TOGETHER = 4,       /* dot products at a time */
    NARROW = 8,         /* up to so many columns are taken as rows of … */
    NARROW_DEPTH = 1024 /* … up to this length */
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

WAC_VECTORISED static void head_dinput(const wac_layer *head, int rows, const int *list,
                                       const float *dout, const float *h, float *dh)
{
    int width = head->inputs, outputs = head->outputs;
    for (int i = 0; i < rows; i++) {
        int from = list ? list[i] : i;
        float *row = dh + (size_t)i * (size_t)width;
        const float *active = h + (size_t)from * (size_t)width, *weight = head->weight;
        const float *d = dout + (size_t)from * (size_t)outputs;
        if (outputs == 1) {
            for (int j = 0; j < width; j++) {
                float value = d[0] * weight[j]; /* in any case, or it does not vectorise */
                row[j] = active[j] > 0 ? value : 0;
            }
            continue;
        }
        for (int j = 0; j < width; j++)
            row[j] = d[0] * weight[j];
        for (int o = 1; o < outputs; o++)
            for (int j = 0; j < width; j++)
                row[j] += d[o] * weight[o * width + j];
        for (int j = 0; j < width; j++)
            row[j] = active[j] > 0 ? row[j] : 0;
    }
}

WAC_VECTORISED static void mask_rows(int rows, const int *list, int width, const float *h,
                                     float *dh)
{
    for (int i = 0; i < rows; i++) {
        float *row = dh + (size_t)i * (size_t)width;
        const float *active = h + (size_t)list[i] * (size_t)width;
        for (int j = 0; j < width; j++)
            row[j] = active[j] > 0 ? row[j] : 0;
    }
}

WAC_VECTORISED static void head_dweight(const wac_layer *dhead, int rows, int first, int end,
                                        const float *dout, const float *h)
{
    int width = dhead->inputs;
    for (int o = 0; o < dhead->outputs; o++) {
        float *dweight = dhead->weight + (size_t)o * (size_t)width;
        for (int j = first; j < end; j++)
            dweight[j] = 0;
        for (int i = 0; i < rows; i++) {
            const float *row = h + (size_t)i * (size_t)width;
            float d = dout[i * dhead->outputs + o];
            for (int j = first; j < end; j++)
                dweight[j] += d * row[j];
        }
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

void wac_head_dinput(const wac_layer *head, int rows, const int *list, const float *dout,
                     const float *h, float *dh)
{
    head_dinput(head, rows, list, dout, h, dh);
}

void wac_mask_rows(int rows, const int *list, int width, const float *h, float *dh)
{
    mask_rows(rows, list, width, h, dh);
}

void wac_head_dweight(const wac_layer *dhead, int rows, int first, int end, const float *dout,
                      const float *h)
{
    head_dweight(dhead, rows, first, end, dout, h);
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
                       const float *active, float *dx, const wac_span *ahead)
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
                                   .active = active,
                                   .ahead = ahead});
}

void wac_hidden_dparams(const wac_layer *dlayer, int rows, int first, int end, const float *x,
                        const float *dy)
{
    int units = end - first, inputs = dlayer->inputs;
    float *dweight = dlayer->weight + (size_t)first * (size_t)inputs;
    if (inputs < WAC_UNITS / 4) {
        /* few columns: make the transpose, whose rows are long, and turn it */
        float turned[WAC_UNITS / 4 * WAC_UNITS];
        wac_product_run(&(wac_product){.rows = inputs,
                                       .columns = units,
                                       .depth = rows,
                                       .a = x,
                                       .a_row = 1,
                                       .a_depth = inputs,
                                       .b = dy + first,
                                       .b_row = dlayer->outputs,
                                       .c = turned,
                                       .c_row = units});
        for (int u = 0; u < units; u++)
            for (int k = 0; k < inputs; k++)
                dweight[u * inputs + k] = turned[k * units + u];
    } else {
        wac_product_run(&(wac_product){.rows = units,
                                       .columns = inputs,
                                       .depth = rows,
                                       .a = dy + first,
                                       .a_row = 1,
                                       .a_depth = dlayer->outputs,
                                       .b = x,
                                       .b_row = inputs,
                                       .c = dweight,
                                       .c_row = inputs});
    }
    wac_sum_rows(rows, dlayer->outputs, first, end, dy, dlayer->bias);
}
