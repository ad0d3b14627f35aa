/* Matrix products of the sizes that small networks have, with what follows them fused in.
 *
 *   C [rows][columns] = finish(A B),   A(i, k) = a[i * a_row + k * a_depth],
 *                                      B(k, j) = b[k * b_row + j]
 *
 * A is walked by steps: a matrix and its transpose are the same numbers walked differently. B's
 * rows are contiguous. Every element of C is one chain of fused multiply-adds over k, whatever the
 * tile it falls into, so cutting a product into pieces changes no bit, and neither does the vector
 * unit.
 */
#ifndef WAC_NN_CPU_PRODUCT_H
#define WAC_NN_CPU_PRODUCT_H

#include <stddef.h>

typedef enum wac_finish {
    WAC_FINISH_STORE,     /* C = A B */
    WAC_FINISH_BIAS_RELU, /* C = max(A B + bias, 0), bias [columns] */
    WAC_FINISH_MASK,      /* C = A B where active > 0, else 0; active laid out like C */
} wac_finish;

typedef struct wac_span {
    const float *start;
    size_t count;
} wac_span;

typedef struct wac_product {
    int rows, columns, depth;
    const float *a;
    ptrdiff_t a_row, a_depth;
    const float *b;
    ptrdiff_t b_row;
    float *c;
    ptrdiff_t c_row;
    wac_finish finish;
    const float *bias, *active;
    const wac_span
        *ahead; /* [2], or null: what comes next, to be brought into the cache meanwhile */
} wac_product;

/* By the best version for this processor. */
void wac_product_run(const wac_product *product);

/* to(j, i) = from(i, j), from [rows][columns], the rows of `to` to_row apart. */
void wac_turn(int rows, int columns, const float *from, float *to, int to_row);

/* The versions; each only where the processor has the instructions, the library everywhere. */
void wac_product_avx512(const wac_product *product);
void wac_product_avx2(const wac_product *product);
void wac_product_neon(const wac_product *product);
void wac_product_library(const wac_product *product);
void wac_turn_avx512(int rows, int columns, const float *from, float *to, int to_row);
void wac_turn_avx2(int rows, int columns, const float *from, float *to, int to_row);
void wac_turn_neon(int rows, int columns, const float *from, float *to, int to_row);

#endif
