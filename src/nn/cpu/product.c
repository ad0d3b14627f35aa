/* Which version runs, and the one for every other machine: the library's. */
#include "nn/cpu/product.h"
#include "nn/cpu/mixed.h"

#include <cblas.h>
#include <stdbool.h>

/* BLIS, then what follows the product. */
void wac_product_library(const wac_product *p)
{
    /* a row or column alone can be walked both ways; the library wants the long step to be so */
    bool straight = p->a_depth == 1 && p->a_row >= p->depth;
    cblas_sgemm(CblasRowMajor, straight ? CblasNoTrans : CblasTrans, CblasNoTrans, p->rows,
                p->columns, p->depth, 1, p->a, (int)(straight ? p->a_row : p->a_depth), p->b,
                (int)p->b_row, 0, p->c, (int)p->c_row);
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

typedef enum unit { UNIT_NONE, UNIT_AVX2, UNIT_AVX512, UNIT_NEON } unit;

static unit best_unit(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
        return UNIT_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return UNIT_AVX2;
#elif defined(__aarch64__)
    return UNIT_NEON;
#endif
    return UNIT_NONE;
}

const char *wac_mixed_missing(void)
{
#if defined(__x86_64__)
    if (best_unit() != UNIT_AVX512 || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl"))
        return "AVX-512 (F, BW, VL)";
    return __builtin_cpu_supports("avx512bf16") ? NULL : "AVX512_BF16";
#else
    return "AVX512_BF16";
#endif
}

void wac_product_run(const wac_product *p)
{
    switch (best_unit()) {
#if defined(__x86_64__)
    case UNIT_AVX512:
        wac_product_avx512(p);
        break;
    case UNIT_AVX2:
        wac_product_avx2(p);
        break;
#elif defined(__aarch64__)
    case UNIT_NEON:
        wac_product_neon(p);
        break;
#endif
    default:
        wac_product_library(p);
    }
}

void wac_turn(int rows, int columns, const float *from, float *to, int to_row)
{
    switch (best_unit()) {
#if defined(__x86_64__)
    case UNIT_AVX512:
        wac_turn_avx512(rows, columns, from, to, to_row);
        break;
    case UNIT_AVX2:
        wac_turn_avx2(rows, columns, from, to, to_row);
        break;
#elif defined(__aarch64__)
    case UNIT_NEON:
        wac_turn_neon(rows, columns, from, to, to_row);
        break;
#endif
    default:
        for (int j = 0; j < columns; j++)
            for (int i = 0; i < rows; i++)
                to[(ptrdiff_t)j * to_row + i] = from[(ptrdiff_t)i * columns + j];
    }
}
