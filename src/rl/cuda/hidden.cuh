/* The gradient of hidden weights from what the passes kept of a batch, and Adam along it, without
 * its leaving the processor that computed it. */
#ifndef WAC_RL_CUDA_HIDDEN_CUH
#define WAC_RL_CUDA_HIDDEN_CUH

#include "rl/cuda/adam.cuh"

extern __shared__ __align__(128) char shared_memory[];

/* d1^T h0, a square of SIDE x SIDE of it. */
template <int PRECISION, int SIDE> struct square {
    typedef typename kind<PRECISION>::element element;
    static constexpr int THREADS = 256, WARPS_M = 2;
    static constexpr int MT = SIDE / WARPS_M / 16, NT = SIDE / WARPS_N / 8;
    static constexpr int DEPTH = 32, STAGES = 3;
    static constexpr int ROW = SIDE + 8;
    static constexpr int STAGE = 2 * DEPTH * ROW; /* of d1, and of h0 */
    static constexpr int SUM_ROW = SIDE + 4;      /* of the gradient, when it is there */
    static constexpr int COPIES = STAGES * STAGE * (int)sizeof(element);
    static constexpr int SUMS = SIDE * SUM_ROW * (int)sizeof(float);
    static constexpr int BYTES = COPIES > SUMS ? COPIES : SUMS;
};

/* Four neighbours of hidden weights, COUNT times, `step` apart: all are asked for before the first
 * is written. */
template <int COUNT>
__device__ inline void move_fours(const mover &m, size_t weights_at, size_t place, size_t step,
                                  const float *gradients, int gradient_step)
{
    float4 value[COUNT], first[COUNT], second[COUNT], target[COUNT];
    size_t at = weights_at + place;
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        value[i] = *(float4 *)(m.params + at + i * step);
        first[i] = *(float4 *)(m.first + at + i * step);
        second[i] = *(float4 *)(m.second + at + i * step);
        if (m.target)
            target[i] = *(float4 *)(m.target + at + i * step);
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        float4 g = *(const float4 *)(gradients + i * gradient_step);
        value[i].x = move(m, g.x, first[i].x, second[i].x, value[i].x, target[i].x);
        value[i].y = move(m, g.y, first[i].y, second[i].y, value[i].y, target[i].y);
        value[i].z = move(m, g.z, first[i].z, second[i].z, value[i].z, target[i].z);
        value[i].w = move(m, g.w, first[i].w, second[i].w, value[i].w, target[i].w);
        *(float4 *)(m.params + at + i * step) = value[i];
        *(float4 *)(m.first + at + i * step) = first[i];
        *(float4 *)(m.second + at + i * step) = second[i];
        if (m.half)
            put_four(m.half + place + i * step, value[i]);
        if (m.target)
            *(float4 *)(m.target + at + i * step) = target[i];
        if (m.target_half)
            put_four(m.target_half + place + i * step, target[i]);
    }
}

template <int PRECISION, int SIDE>
__global__ __launch_bounds__(256, 2) void move_hidden_kernel(const __grid_constant__ engine_view e,
                                                             bool critics)
{
    typedef square<PRECISION, SIDE> square_t;
    typedef typename square_t::element element;
    constexpr int MT = square_t::MT, NT = square_t::NT, ROW = square_t::ROW;
    constexpr int DEPTH = square_t::DEPTH, STAGES = square_t::STAGES, THREADS = square_t::THREADS;
    constexpr int VECTOR = 16 / sizeof(element), PER_ROW = SIDE / VECTOR;
    int width = e.width, sides = width / SIDE;
    int m0 = blockIdx.x / sides * SIDE, n0 = blockIdx.x % sides * SIDE;
    int member = blockIdx.z, seat = seat_at(e);
    const stack_view &stack = critics ? e.critic : e.policy;
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    const element *d1 = trace_of<element>(trace, trace.d1, stack.members, seat, member, width) + m0;
    const element *h0 = trace_of<element>(trace, trace.h0, stack.members, seat, member, width) + n0;
    element *stages = (element *)shared_memory;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_m = warp % square_t::WARPS_M * MT * 16, warp_n = warp / square_t::WARPS_M * NT * 8;
    auto ask = [&](int piece) {
        element *to = stages + piece % STAGES * square_t::STAGE;
#pragma unroll
        for (int i = threadIdx.x; i < DEPTH * PER_ROW; i += THREADS) {
            int row = i / PER_ROW, column = i % PER_ROW * VECTOR;
            size_t from = (size_t)(piece * DEPTH + row) * width + column;
            copy_16(to + row * ROW + column, d1 + from);
            copy_16(to + (DEPTH + row) * ROW + column, h0 + from);
        }
    };
    for (int i = 0; i < STAGES - 1; i++) {
        ask(i); /* there is always a tile, and it has so many */
        copies_asked();
    }
    if (!e.seats[seat].active)
        return;
    mover mover = mover_of(e, stack, critics, seat, member);
    int pieces = tiles_taught(e, critics, seat, member) * e.tile / DEPTH;
    float c[MT][NT][4];
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int n = 0; n < NT; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                c[m][n][i] = 0;
    float bias = 0;
    for (int piece = 0; piece < pieces; piece++) {
        copies_wait<STAGES - 2>();
        __syncthreads();
        if (piece + STAGES - 1 < pieces)
            ask(piece + STAGES - 1);
        copies_asked();
        const element *a = stages + piece % STAGES * square_t::STAGE, *b = a + DEPTH * ROW;
        add_products<PRECISION == WAC_ENGINE_SINGLE, MT, NT, true, true>(c, a + warp_m, ROW,
                                                                         b + warp_n, ROW, DEPTH);
        if (n0 == 0 && threadIdx.x < SIDE)
            for (int row = 0; row < DEPTH; row++)
                bias += (float)a[row * ROW + threadIdx.x];
    }
    /* the sums into shared memory, so that rows of weights are read and written whole */
    __syncthreads();
    float *sums = (float *)shared_memory;
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int n = 0; n < NT; n++)
                *(float2 *)(sums + (warp_m + m * 16 + half * 8 + lane / 4) * square_t::SUM_ROW +
                            warp_n + n * 8 + lane % 4 * 2) =
                    make_float2(c[m][n][2 * half], c[m][n][2 * half + 1]);
    __syncthreads();
    constexpr int FOURS = SIDE / 4, AT_ONCE = THREADS / FOURS, COUNT = 4;
    int row = threadIdx.x / FOURS, column = threadIdx.x % FOURS * 4;
    for (; row < SIDE; row += COUNT * AT_ONCE)
        move_fours<COUNT>(mover, stack.at.weight[1], (size_t)(m0 + row) * width + n0 + column,
                          (size_t)AT_ONCE * width, sums + row * square_t::SUM_ROW + column,
                          AT_ONCE * square_t::SUM_ROW);
    if (n0 == 0 && threadIdx.x < SIDE)
        move_one(mover, stack.at.bias[1] + m0 + threadIdx.x, bias);
}

#endif
