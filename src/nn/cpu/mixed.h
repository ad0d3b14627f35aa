/* Hidden layers in mixed precision: products of numbers cut to 16 bits (bf16: a float's sign and
 * exponent, 8 bits of its fraction), summed up in single precision.
 *
 * What enters a product lies in pairs along the depth, as the instruction (vdpbf16ps) reads it. A
 * row of activations is so already. Weights are kept in both ways that passes need, in panels of
 * WAC_PANEL columns: [panel][depth / 2][WAC_PANEL][2]. Every sum has one order, whatever the tile
 * or piece it falls into. Parameters, moments, the first layer, the heads and all gradients of
 * parameters stay in single precision.
 */
#ifndef WAC_NN_CPU_MIXED_H
#define WAC_NN_CPU_MIXED_H

#include "nn/cpu/product.h"

#include <stdint.h>

enum { WAC_PANEL = 32 };

/* lies where floats could */
typedef uint16_t wac_bf16 __attribute__((may_alias));

/* The instructions that this processor lacks, or null: then, and only then, call the rest. */
const char *wac_mixed_missing(void);

/* C [rows][columns] = finish(A B); A(i, k) = a[i * a_row + k], B in panels, depth even, columns a
 * multiple of WAC_PANEL. */
typedef struct wac_mixed_product {
    int rows, columns, depth;
    const wac_bf16 *a;
    ptrdiff_t a_row;
    const wac_bf16 *b;
    float *c;
    ptrdiff_t c_row;
    wac_finish finish;
    const float *bias;
    const wac_bf16 *active;
    ptrdiff_t active_row;
    const wac_span *ahead;
} wac_mixed_product;

void wac_mixed_run(const wac_mixed_product *product);

/* Weights [outputs][inputs], rows first … first+units-1, into the panels of x W^T (`forward`) and
 * of dy W (`back`); all counts multiples of WAC_PANEL. */
void wac_mixed_settle(int outputs, int inputs, int first, int units, const float *weight,
                      wac_bf16 *forward, wac_bf16 *back);

/* y [rows][columns] = relu(x W^T + b), x [rows][depth], turned W^T [depth][columns], all but y in
 * single precision. */
void wac_mixed_first(int rows, int columns, int depth, const float *x, const float *turned,
                     const float *bias, wac_bf16 *y, ptrdiff_t y_row);

/* Rows of x cut to 16 bits; columns a multiple of WAC_PANEL. */
void wac_mixed_cut(int rows, int columns, const float *x, ptrdiff_t x_row, wac_bf16 *y,
                   ptrdiff_t y_row);

/* Rows first … end-1 of the weight gradient dy^T x; dy [rows][outputs], x [rows][inputs], their
 * rows `row` apart. */
void wac_mixed_dweight(int rows, int inputs, int first, int end, const wac_bf16 *dy,
                       const wac_bf16 *x, ptrdiff_t row, float *dweight);

#endif
