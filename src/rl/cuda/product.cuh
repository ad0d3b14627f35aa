/* Products on tensor cores: what a block of threads does with a tile.
 *
 * Warps, so many by four, share a tile of C, each the sums of its part in registers. Numbers come
 * from shared memory in rows along the depth ("along"), or in rows across it ("across"). Precision
 * is a matter of how the numbers of a fragment are cut, so that one text serves all of them:
 *
 *   tf32    numbers of 32 bits; the units read the upper 19, so adding half of the last bit rounds
 *   single  the same, each number as the sum of two such: a b = a1 b1 + a1 b2 + a2 b1
 *   mixed   numbers of 16 bits (fp16), cut to the same 11 as tf32, of a narrower range
 */
#ifndef WAC_RL_CUDA_PRODUCT_CUH
#define WAC_RL_CUDA_PRODUCT_CUH

#include "rl/cuda/engine.h"

#include <cuda_fp16.h>

enum { WARPS_N = 4 };

typedef __half half_t;

template <int PRECISION> struct kind {
    typedef float element;
};
template <> struct kind<WAC_ENGINE_MIXED> {
    typedef half_t element;
};

__device__ inline unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

/* four 8 x 8 tiles of 16-bit numbers (8 x 4 of 32 bits); each lane gives the address of a row, in
 * shared memory */
__device__ inline void load_tiles(unsigned tiles[4], unsigned row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(row));
}

__device__ inline void load_tiles_across(unsigned tiles[4], unsigned row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tiles[0]), "=r"(tiles[1]), "=r"(tiles[2]), "=r"(tiles[3])
                 : "r"(row));
}

__device__ inline void multiply_half(float c[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline void multiply_tf32(float c[4], const unsigned a[4], const unsigned b[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ inline unsigned rounded(unsigned number)
{
    return number + 0x1000u;
}

/* what is left of a number beside its upper 19 bits, rounded likewise */
__device__ inline unsigned rest(unsigned number, unsigned upper)
{
    float left = __uint_as_float(number) - __uint_as_float(upper & 0xffffe000u);
    return rounded(__float_as_uint(left));
}

/* c += a b of 16 x 8 x 8 numbers of 32 bits, which are cut here */
template <bool SINGLE>
__device__ inline void multiply(float c[4], const unsigned a[4], const unsigned b[2])
{
    unsigned a1[4], b1[2];
#pragma unroll
    for (int i = 0; i < 4; i++)
        a1[i] = rounded(a[i]);
#pragma unroll
    for (int i = 0; i < 2; i++)
        b1[i] = rounded(b[i]);
    if (SINGLE) {
        unsigned a2[4], b2[2];
#pragma unroll
        for (int i = 0; i < 4; i++)
            a2[i] = rest(a[i], a1[i]);
#pragma unroll
        for (int i = 0; i < 2; i++)
            b2[i] = rest(b[i], b1[i]);
        multiply_tf32(c, a1, b2);
        multiply_tf32(c, a2, b1);
    }
    multiply_tf32(c, a1, b1);
}

/* --- fragments of a warp ---------------------------------------------------------------------- */

/* A, 16 x 16 numbers of 16 bits or 16 x 8 of 32; `a` is where its first number lies */
__device__ inline void fragment_a(unsigned out[4], const half_t *a, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles(out, shared_address(a + (lane % 16) * row + lane / 16 * 8));
}

__device__ inline void fragment_a(unsigned out[4], const float *a, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles(out, shared_address(a + (lane % 16) * row + lane / 16 * 4));
}

__device__ inline void fragment_a_across(unsigned out[4], const half_t *a, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles_across(out, shared_address(a + (lane % 8 + lane / 16 * 8) * row + lane / 8 % 2 * 8));
}

__device__ inline void fragment_a_across(unsigned out[4], const float *a, int row)
{
    int lane = threadIdx.x % 32;
    const float *at = a + lane % 4 * row + lane / 4;
    out[0] = __float_as_uint(at[0]);
    out[1] = __float_as_uint(at[8]);
    out[2] = __float_as_uint(at[4 * row]);
    out[3] = __float_as_uint(at[4 * row + 8]);
}

/* B for two neighbouring tiles of 8 columns: out[0], out[1] of the first */
__device__ inline void fragment_b(unsigned out[4], const half_t *b, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles(out, shared_address(b + (lane / 16 * 8 + lane % 8) * row + lane / 8 % 2 * 8));
}

__device__ inline void fragment_b(unsigned out[4], const float *b, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles(out, shared_address(b + (lane / 16 * 8 + lane % 8) * row + lane / 8 % 2 * 4));
}

__device__ inline void fragment_b_across(unsigned out[4], const half_t *b, int row)
{
    int lane = threadIdx.x % 32;
    load_tiles_across(out, shared_address(b + (lane % 16) * row + lane / 16 * 8));
}

__device__ inline void fragment_b_across(unsigned out[4], const float *b, int row)
{
    int lane = threadIdx.x % 32;
    const float *at = b + lane % 4 * row + lane / 4;
    out[0] = __float_as_uint(at[0]);
    out[1] = __float_as_uint(at[4 * row]);
    out[2] = __float_as_uint(at[8]);
    out[3] = __float_as_uint(at[4 * row + 8]);
}

/* c += A B for one step of depth, 16 of 16-bit numbers or 8 of 32 */
template <bool SINGLE, int MT, int NT>
__device__ inline void add_step(float c[MT][NT][4], const unsigned a[MT][4],
                                const unsigned b[NT][2], const half_t *)
{
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int n = 0; n < NT; n++)
            multiply_half(c[m][n], a[m], b[n]);
}

template <bool SINGLE, int MT, int NT>
__device__ inline void add_step(float c[MT][NT][4], const unsigned a[MT][4],
                                const unsigned b[NT][2], const float *)
{
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int n = 0; n < NT; n++)
            multiply<SINGLE>(c[m][n], a[m], b[n]);
}

/* The sums of a warp: MT x 16 rows, NT x 8 columns, over `depth` (a multiple of a step), its first
 * numbers at a and b; whether A and B lie across. */
template <bool SINGLE, int MT, int NT, bool A_ACROSS, bool B_ACROSS, typename element>
__device__ inline void add_products(float c[MT][NT][4], const element *a, int a_row,
                                    const element *b, int b_row, int depth)
{
    constexpr int STEP = 32 / sizeof(element);
    for (int k = 0; k < depth; k += STEP) {
        unsigned fa[MT][4], fb[NT][2];
#pragma unroll
        for (int m = 0; m < MT; m++)
            if (A_ACROSS)
                fragment_a_across(fa[m], a + k * a_row + m * 16, a_row);
            else
                fragment_a(fa[m], a + m * 16 * a_row + k, a_row);
#pragma unroll
        for (int n = 0; n < NT; n += 2) {
            unsigned both[4];
            if (B_ACROSS)
                fragment_b_across(both, b + k * b_row + n * 8, b_row);
            else
                fragment_b(both, b + n * 8 * b_row + k, b_row);
            fb[n][0] = both[0];
            fb[n][1] = both[1];
            fb[n + 1][0] = both[2];
            fb[n + 1][1] = both[3];
        }
        add_step<SINGLE, MT, NT>(c, fa, fb, a);
    }
}

/* two numbers cut to 16 bits; what is beyond their range becomes the last within */
__device__ inline unsigned halves(float first, float second)
{
    unsigned both;
    asm("cvt.rn.satfinite.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
    return both;
}

/* a number as products read it */
__device__ inline void cut(float *to, float number)
{
    *to = number;
}

__device__ inline void cut(half_t *to, float number)
{
    *to = __ushort_as_half((unsigned short)halves(number, 0));
}

/* sums of 16 x 16 numbers, of two neighbouring tiles, cut to 16 bits; each lane gives the address
 * of a row's half */
__device__ inline void store_tiles(half_t *row, const float left[4], const float right[4])
{
    unsigned words[4] = {halves(left[0], left[1]), halves(left[2], left[3]),
                         halves(right[0], right[1]), halves(right[2], right[3])};
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     shared_address(row)),
                 "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
                 : "memory");
#else
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned to = __shfl_sync(~0u, shared_address(row), i * 8 + lane / 4) + lane % 4 * 4;
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(words[i]) : "memory");
    }
#endif
}

/* --- numbers on their way --------------------------------------------------------------------- */

/* Asked for before the copies below that follow it: behind these it would wait for all of them. */
__device__ inline int early(const int *from)
{
    int number;
    asm volatile("ld.global.s32 %0, [%1];" : "=r"(number) : "l"(from));
    return number;
}

__device__ inline float early(const float *from)
{
    float number;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(number) : "l"(from));
    return number;
}

__device__ inline void copy_16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from));
}

__device__ inline void copy_4(void *to, const void *from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(from));
}

__device__ inline void copies_asked()
{
    asm volatile("cp.async.commit_group;");
}

/* until all but the last `OPEN` groups are there */
template <int OPEN> __device__ inline void copies_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(OPEN));
}

#endif
