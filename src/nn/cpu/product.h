/* Matrix products of the sizes that small networks have, with what follows them fused in.
 *
 *   C [rows][columns] = finish(A B),   A(i, k) = a[i * a_row + k * a_depth],
 *                                      B(k, j) = b[k * b_depth + j * b_column]
 *
 * Steps instead of transposition flags: a matrix and its transpose are the same numbers walked
 * differently. Every element of C is one chain of fused multiply-adds over k, whatever the tile it
 * falls into, so cutting a product into pieces changes no bit, and neither does the vector unit.
 */
#ifndef WAC_NN_CPU_PRODUCT_H
#define WAC_NN_CPU_PRODUCT_H

#include <stddef.h>

typedef enum wac_finish {
    WAC_FINISH_STORE,     /* C = A B */
    WAC_FINISH_BIAS_RELU, /* C = max(A B + bias, 0), bias [columns] */
    WAC_FINISH_MASK,      /* C = A B where active > 0, else 0; active laid out like C */
} wac_finish;

typedef struct wac_product {
    int rows, columns, depth;
    const float *a;
    ptrdiff_t a_row, a_depth;
    const float *b;
    ptrdiff_t b_depth, b_column;
    float *c;
    ptrdiff_t c_row;
    wac_finish finish;
    const float *bias, *active;
} wac_product;

/* By the best version for this processor. */
void wac_product_run(const wac_product *product);

/* The versions; the first two only where the processor has the instructions. */
void wac_product_avx512(const wac_product *product);
void wac_product_avx2(const wac_product *product);
void wac_product_library(const wac_product *product);

#endif
