/* Products by AVX-512: tiles of 14 x 32, 28 sums in the 32 registers. */
#if defined(__AVX512F__) && defined(__FMA__)
#include <immintrin.h>

#define NAME(function) function##_avx512
#define LANES 16
#define VECTORS 2
#define TILE_ROWS 14
#define SPARE 24
#define vector __m512
#define V_ZERO _mm512_setzero_ps()
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, x) _mm512_storeu_ps(p, x)
#define V_SPREAD(x) _mm512_set1_ps(x)
#define V_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define V_ADD(a, b) _mm512_add_ps(a, b)
#define V_MAX(a, b) _mm512_max_ps(a, b)
#define V_KEEP(x, active)                                                                          \
    _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(active, _mm512_setzero_ps(), _CMP_GT_OQ), x)
#define V_ZIP_LOW(a, b)                                                                            \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define V_ZIP_HIGH(a, b)                                                                           \
    __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#include "nn/cpu/product_kernel.h"
#endif
