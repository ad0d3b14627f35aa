/* Which version of the product runs, and the one for every other machine: the library's. */
#include "nn/cpu/product.h"

#include <cblas.h>
#include <stdbool.h>

/* BLIS, then what follows the product. */
void wac_product_library(const wac_product *p)
{
    /* a row or column alone can be walked both ways; the library wants the long step to be so */
    bool a_straight = p->a_depth == 1 && p->a_row >= p->depth;
    bool b_straight = p->b_column == 1 && p->b_depth >= p->columns;
    cblas_sgemm(CblasRowMajor, a_straight ? CblasNoTrans : CblasTrans,
                b_straight ? CblasNoTrans : CblasTrans, p->rows, p->columns, p->depth, 1, p->a,
                (int)(a_straight ? p->a_row : p->a_depth), p->b,
                (int)(b_straight ? p->b_depth : p->b_column), 0, p->c, (int)p->c_row);
    for (int i = 0; p->finish != WAC_FINISH_STORE && i < p->rows; i++) {
        float *row = p->c + i * p->c_row;
        for (int j = 0; j < p->columns; j++) {
            float value = p->finish == WAC_FINISH_BIAS_RELU ? row[j] + p->bias[j] : row[j];
            bool off =
                p->finish == WAC_FINISH_BIAS_RELU ? value < 0 : !(p->active[i * p->c_row + j] > 0);
            row[j] = off ? 0 : value;
        }
    }
}

void wac_product_run(const wac_product *p)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma")) {
        wac_product_avx512(p);
        return;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        wac_product_avx2(p);
        return;
    }
#endif
    wac_product_library(p);
}
