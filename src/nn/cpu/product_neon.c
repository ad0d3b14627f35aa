/* Products by NEON, which every arm64 processor has: tiles of 6 x 16, 24 sums in the 32 registers.
 */
#if defined(__aarch64__)
#include <arm_neon.h>

#define NAME(function) function##_neon
#define LANES 4
#define VECTORS 4
#define TILE_ROWS 6
#define SPARE 24
#define vector float32x4_t
#define V_ZERO vdupq_n_f32(0)
#define V_LOAD(p) vld1q_f32(p)
#define V_STORE(p, x) vst1q_f32(p, x)
#define V_SPREAD(x) vdupq_n_f32(x)
#define V_FMA(a, b, c) vfmaq_f32(c, a, b)
#define V_ADD(a, b) vaddq_f32(a, b)
#define V_MAX(a, b) larger(a, b)
#define V_KEEP(x, active)                                                                          \
    vreinterpretq_f32_u32(vandq_u32(vcgtq_f32(active, V_ZERO), vreinterpretq_u32_f32(x)))
#define V_ZIP_LOW(a, b) vzip1q_f32(a, b)
#define V_ZIP_HIGH(a, b) vzip2q_f32(a, b)

/* as on other processors, to the sign of a zero */
static inline float32x4_t larger(float32x4_t a, float32x4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

#include "nn/cpu/product_kernel.h"
#endif
