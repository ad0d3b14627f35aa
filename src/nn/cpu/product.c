/* Which version of the product runs, and the one for every other machine: the library's. */
#include "nn/cpu/product.h"

#include <cblas.h>

/* BLIS, then what follows the product. */
void wac_product_library(const wac_product *p)
{
    enum CBLAS_TRANSPOSE a_turned = p->a_depth == 1 ? CblasNoTrans : CblasTrans;
    enum CBLAS_TRANSPOSE b_turned = p->b_column == 1 ? CblasNoTrans : CblasTrans;
    int a_step = (int)(p->a_depth == 1 ? p->a_row : p->a_depth);
    int b_step = (int)(p->b_column == 1 ? p->b_depth : p->b_column);
    cblas_sgemm(CblasRowMajor, a_turned, b_turned, p->rows, p->columns, p->depth, 1, p->a, a_step,
                p->b, b_step, 0, p->c, (int)p->c_row);
    for (int i = 0; p->finish != WAC_FINISH_STORE && i < p->rows; i++) {
        float *row = p->c + i * p->c_row;
        for (int j = 0; j < p->columns; j++) {
            float value = p->finish == WAC_FINISH_BIAS_RELU ? row[j] + p->bias[j] : row[j];
            float keep = p->finish == WAC_FINISH_BIAS_RELU ? value : p->active[i * p->c_row + j];
            row[j] = keep > 0 ? value : 0;
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
