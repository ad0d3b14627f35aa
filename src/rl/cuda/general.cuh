/* How the kernels of the general part are written: as C functions that do one piece of work of one
 * seat, so that a compiler for processors makes a plugin of them, too, with which all of it is
 * tested where there is no GPU (tests/support/emulated_gpu.c).
 *
 *   EACH(name)    a thread for each piece: `i` is its number
 *   WARPS(name)   a warp for each piece: its lanes, LANES of them, share it; on a processor one
 *
 * Both see the view `v`, the task `t`, the seat `own` and its number `seat`. No kernel writes what
 * another piece of its own reads, and every sum has one order: bytes hang on the seat alone.
 */
#ifndef WAC_RL_CUDA_GENERAL_CUH
#define WAC_RL_CUDA_GENERAL_CUH

#include "rl/cuda/general.h"
#include "rl/cuda/random.cuh"

#include <math.h>

#ifdef __CUDACC__
#define UNROLL _Pragma("unroll 16") /* many numbers are on their way at once */
enum { LANES = 32, EACH_THREADS = 256, WARP_THREADS = 128 };
typedef cudaStream_t wac_stream;
#else
#define UNROLL
enum { LANES = 1 };
typedef void *wac_stream;
#endif

DEVICE bool takes_part(const wac_general_seat *own, bool movers)
{
    return own->active && (!movers || own->moves);
}

#ifdef __CUDACC__
#define EACH(name)                                                                                 \
    static __device__ void name##_piece(const wac_general_view *v, const wac_general_task *t,      \
                                        wac_general_seat *own, int seat, int i);                   \
    static __global__ void name##_kernel(const __grid_constant__ wac_general_view v,               \
                                         const __grid_constant__ wac_general_task t)               \
    {                                                                                              \
        int i = blockIdx.x * EACH_THREADS + threadIdx.x, seat = blockIdx.y;                        \
        if (i < t.count && takes_part(v.seats + seat, t.movers))                                   \
            name##_piece(&v, &t, v.seats + seat, seat, i);                                         \
    }                                                                                              \
    void launch_general_##name(const wac_general_view *v, const wac_general_task *t,               \
                               wac_stream on)                                                      \
    {                                                                                              \
        dim3 grid((t->count + EACH_THREADS - 1) / EACH_THREADS, v->seat_count);                    \
        name##_kernel<<<grid, EACH_THREADS, 0, on>>>(*v, *t);                                      \
    }                                                                                              \
    static __device__ void name##_piece(const wac_general_view *v, const wac_general_task *t,      \
                                        wac_general_seat *own, int seat, int i)
#define WARPS(name)                                                                                \
    static __device__ void name##_piece(const wac_general_view *v, const wac_general_task *t,      \
                                        wac_general_seat *own, int seat, int i, int lane);         \
    static __global__ void name##_kernel(const __grid_constant__ wac_general_view v,               \
                                         const __grid_constant__ wac_general_task t)               \
    {                                                                                              \
        int i = (blockIdx.x * WARP_THREADS + threadIdx.x) / LANES, seat = blockIdx.y;              \
        if (i < t.count && takes_part(v.seats + seat, t.movers))                                   \
            name##_piece(&v, &t, v.seats + seat, seat, i, threadIdx.x % LANES);                    \
    }                                                                                              \
    void launch_general_##name(const wac_general_view *v, const wac_general_task *t,               \
                               wac_stream on)                                                      \
    {                                                                                              \
        int each = WARP_THREADS / LANES;                                                           \
        dim3 grid((t->count + each - 1) / each, v->seat_count);                                    \
        name##_kernel<<<grid, WARP_THREADS, 0, on>>>(*v, *t);                                      \
    }                                                                                              \
    static __device__ void name##_piece(const wac_general_view *v, const wac_general_task *t,      \
                                        wac_general_seat *own, int seat, int i, int lane)
#else
#define EMULATE(name, ...)                                                                         \
    void launch_general_##name(const wac_general_view *v, const wac_general_task *t,               \
                               wac_stream on)                                                      \
    {                                                                                              \
        (void)on;                                                                                  \
        for (int seat = 0; seat < v->seat_count; seat++)                                           \
            for (int i = 0; i < t->count && takes_part(v->seats + seat, t->movers); i++)           \
                name##_piece(v, t, v->seats + seat, seat, __VA_ARGS__);                            \
    }
#define EACH(name)                                                                                 \
    static void name##_piece(const wac_general_view *v, const wac_general_task *t,                 \
                             wac_general_seat *own, int seat, int i);                              \
    EMULATE(name, i)                                                                               \
    static void name##_piece(const wac_general_view *v, const wac_general_task *t,                 \
                             wac_general_seat *own, int seat, int i)
#define WARPS(name)                                                                                \
    static void name##_piece(const wac_general_view *v, const wac_general_task *t,                 \
                             wac_general_seat *own, int seat, int i, int lane);                    \
    EMULATE(name, i, 0)                                                                            \
    static void name##_piece(const wac_general_view *v, const wac_general_task *t,                 \
                             wac_general_seat *own, int seat, int i, int lane)
#endif
#define UNUSED (void)v, (void)t, (void)own, (void)seat, (void)i

/* launches, by name */
typedef void wac_general_launch(const wac_general_view *v, const wac_general_task *t,
                                wac_stream on);
#define X(name) wac_general_launch launch_general_##name;
WAC_GENERAL_KERNELS(X)
#undef X

/* the array of a seat */
DEVICE float *of(wac_array array, int seat)
{
    return array.at + (size_t)seat * array.seat;
}

/* the lanes' sums, to all of them */
DEVICE double sum_of_lanes(double sum)
{
#ifdef __CUDACC__
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
#endif
    return sum;
}

/* a weight and its slope, from the number that learns; see wac_weight_bend */
DEVICE float bent_weight(float number, float *slope)
{
    float t = tanhf(number), weight = expf(-10 + 8.75f * (1 + t));
    *slope = weight * 8.75f * (1 - t * t);
    return weight;
}

DEVICE float clamped(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* see wac_log_std_of */
DEVICE float log_std_of(bool bent, float head, float *slope)
{
    if (!bent) {
        *slope = head >= -20 && head <= 2;
        return clamped(head, -20, 2);
    }
    float t = tanhf(head);
    *slope = 6 * (1 - t * t);
    return -10 + 6 * (1 + t);
}

/* see wac_adam_move */
DEVICE void adam_move(wac_general_factors factors, float gradient, float *first, float *second,
                      float *value)
{
    *first += factors.fresh * (gradient - *first);
    *second = 0.999f * *second + 0.001f * gradient * gradient;
    *value -= factors.step * *first / (sqrtf(*second) * factors.correction + 1e-8f);
}

DEVICE void weight_move(wac_general_factors factors, float gradient, wac_general_weight *weight)
{
    adam_move(factors, gradient, &weight->first, &weight->second, &weight->number);
}

#endif
