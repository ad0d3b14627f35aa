/* Hidden layers in mixed precision: products of numbers cut to 16 bits (bf16: a float's sign and
 * exponent, 8 bits of its fraction), summed up in single precision.
 *
 * What enters a product lies in pairs along the depth, as the instruction (vdpbf16ps) reads it. A
 * row of activations is so already; weights are cut and put into panels of WAC_PANEL columns,
 * [depth / 2][WAC_PANEL][2], when a product begins. Every sum has one order, whatever the tile or
 * piece it falls into. Parameters, moments, the first layer, the heads and all gradients of
 * parameters stay in single precision. Nothing here may be called where wac_mixed_missing
 * (product.h) names something.
 */
#ifndef WAC_NN_CPU_MIXED_H
#define WAC_NN_CPU_MIXED_H

#include "nn/cpu/product.h"

#include <stdint.h>

enum { WAC_PANEL = 32 };

/* lies where floats could */
typedef uint16_t wac_bf16 __attribute__((may_alias));

/* C [rows][columns] = finish(A B); A(i, k) = a[i * a_row + k], B(k, j) = b[k * b_row + j *
 * b_column], one of these 1; depth and columns multiples of WAC_PANEL. */
typedef struct wac_mixed_product {
    int rows, columns, depth;
    const wac_bf16 *a;
    ptrdiff_t a_row;
    const float *b;
    ptrdiff_t b_row, b_column;
    float *c;
    ptrdiff_t c_row;
    wac_finish finish;
    const float *bias;
    const wac_bf16 *active;
    ptrdiff_t active_row;
} wac_mixed_product;

void wac_mixed_run(const wac_mixed_product *product);

/* Rows of x cut to 16 bits; columns a multiple of WAC_PANEL. */
void wac_mixed_cut(int rows, int columns, const float *x, ptrdiff_t x_row, wac_bf16 *y,
                   ptrdiff_t y_row);

/* Rows first … end-1 of the weight gradient dy^T x; dy [rows][outputs], x [rows][inputs], their
 * rows `row` apart. */
void wac_mixed_dweight(int rows, int inputs, int first, int end, const wac_bf16 *dy,
                       const wac_bf16 *x, ptrdiff_t row, float *dweight);

#endif
