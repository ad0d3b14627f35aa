/* Matrix products of the sizes that small networks have, with what follows them fused in.
 *
 *   C [rows][columns] = finish(A B),   A(i, k) = a[i * a_row + k * a_depth],
 *                                      B(k, j) = b[k * b_row + j * b_column]
 *
 * A and B are walked by steps: a matrix and its transpose are the same numbers walked differently.
 * B's rows or its columns are contiguous (one of its steps is 1). Every element of C is one chain
 * of fused multiply-adds over k, whatever the tile it falls into, so cutting a product into pieces
 * changes no bit, and neither does the vector unit.
 */
#ifndef WAC_NN_CPU_PRODUCT_H
#define WAC_NN_CPU_PRODUCT_H

#include <stddef.h>

#define WAC_INLINE static inline __attribute__((always_inline))

/* Sums stay in registers only if every loop over them is unrolled. */
#ifdef __clang__
#define WAC_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WAC_UNROLL _Pragma("GCC unroll 24")
#endif

/* Before a loop whose arrays are the same or apart: no check whether they overlap. */
#ifdef __clang__
#define WAC_APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define WAC_APART _Pragma("GCC ivdep")
#endif

/* X(1) X(2) … X(n): code for each number of rows, or depth, where that has to be a constant. */
#define WAC_EACH(n, X) WAC_EACH_TO(n, X)
#define WAC_EACH_TO(n, X) WAC_TO_##n(X)
#define WAC_TO_6(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define WAC_TO_10(X) WAC_TO_6(X) X(7) X(8) X(9) X(10)
#define WAC_TO_14(X) WAC_TO_10(X) X(11) X(12) X(13) X(14)
#define WAC_TO_24(X) WAC_TO_14(X) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24)

static inline int wac_smaller(int a, int b)
{
    return a < b ? a : b;
}

typedef enum wac_finish {
    WAC_FINISH_STORE,     /* C = A B */
    WAC_FINISH_BIAS_RELU, /* C = max(A B + bias, 0), bias [columns] */
    WAC_FINISH_MASK, /* C = A B where active > 0, else 0; active laid out like C, and apart from
                        it if the depth is more than WAC_PRODUCT_DEPTH */
} wac_finish;

/* Up to here sums stay in registers to their end; longer ones go through C. */
enum { WAC_PRODUCT_DEPTH = 256 };

/* Numbers that will be needed soon. */
typedef struct wac_span {
    const float *start;
    size_t count;
} wac_span;

typedef struct wac_product {
    int rows, columns, depth;
    const float *a;
    ptrdiff_t a_row, a_depth;
    const float *b;
    ptrdiff_t b_row, b_column;
    float *c;
    ptrdiff_t c_row;
    wac_finish finish;
    const float *bias, *active;
    wac_span ahead; /* to be brought into the cache meanwhile */
} wac_product;

/* By the best version for this processor. */
void wac_product_run(const wac_product *product);

/* The instructions that this processor lacks for mixed precision (mixed.h), or null. */
const char *wac_mixed_missing(void);

/* The versions; each only where the processor has the instructions, the library everywhere. */
void wac_product_avx512(const wac_product *product);
void wac_product_avx2(const wac_product *product);
void wac_product_neon(const wac_product *product);
void wac_product_library(const wac_product *product);

#endif
