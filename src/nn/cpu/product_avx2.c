/* Products by AVX2 with fused multiply-add: tiles of 6 x 16, 12 sums in the 16 registers. */
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#define NAME(function) function##_avx2
#define LANES 8
#define VECTORS 2
#define TILE_ROWS 6
#define SPARE 10
#define vector __m256
#define V_ZERO _mm256_setzero_ps()
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, x) _mm256_storeu_ps(p, x)
#define V_SPREAD(x) _mm256_set1_ps(x)
#define V_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define V_ADD(a, b) _mm256_add_ps(a, b)
#define V_MAX(a, b) _mm256_max_ps(a, b)
#define V_KEEP(x, active) _mm256_and_ps(_mm256_cmp_ps(active, _mm256_setzero_ps(), _CMP_GT_OQ), x)
#define V_ZIP_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define V_ZIP_HIGH(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#include "nn/cpu/product_kernel.h"
#endif
