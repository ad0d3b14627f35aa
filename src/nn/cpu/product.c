/* Which version runs, and the one for every other machine: the library's. */
#include "nn/cpu/product.h"

#include <cblas.h>
#include <stdbool.h>

/* BLIS, then what follows the product: a block at a time and aside, since C may be where the mask
 * is. */
void wac_product_library(const wac_product *p)
{
    enum { ROWS = 64, COLUMNS = 256 };
    float block[ROWS * COLUMNS];
    /* a row or column alone can be walked both ways; the library wants the long step to be so */
    bool a_straight = p->a_depth == 1 && p->a_row >= p->depth;
    bool b_straight = p->b_column == 1 && p->b_row >= p->columns;
    for (int row = 0; row < p->rows; row += ROWS)
        for (int column = 0; column < p->columns; column += COLUMNS) {
            int rows = wac_smaller(ROWS, p->rows - row),
                columns = wac_smaller(COLUMNS, p->columns - column);
            cblas_sgemm(CblasRowMajor, a_straight ? CblasNoTrans : CblasTrans,
                        b_straight ? CblasNoTrans : CblasTrans, rows, columns, p->depth, 1,
                        p->a + row * p->a_row, (int)(a_straight ? p->a_row : p->a_depth),
                        p->b + column * p->b_column, (int)(b_straight ? p->b_row : p->b_column), 0,
                        block, columns);
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < columns; j++) {
                    ptrdiff_t at = (row + i) * p->c_row + column + j;
                    float value = block[i * columns + j];
                    if (p->finish == WAC_FINISH_BIAS_RELU) {
                        value += p->bias[column + j];
                        value = value < 0 ? 0 : value;
                    } else if (p->finish == WAC_FINISH_MASK) {
                        value = p->active[at] > 0 ? value : 0;
                    }
                    p->c[at] = value;
                }
        }
}

typedef void version(const wac_product *product);

static version *best_version(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
        return wac_product_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return wac_product_avx2;
#elif defined(__aarch64__)
    return wac_product_neon;
#endif
    return wac_product_library;
}

const char *wac_mixed_missing(void)
{
#if defined(__x86_64__)
    if (best_version() != wac_product_avx512 || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl"))
        return "AVX-512 (F, BW, VL)";
    return __builtin_cpu_supports("avx512bf16") ? NULL : "AVX512_BF16";
#else
    return "AVX512_BF16";
#endif
}

void wac_product_run(const wac_product *p)
{
    best_version()(p);
}
