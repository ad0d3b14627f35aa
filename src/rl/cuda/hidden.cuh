/* The gradient of hidden weights from what the passes kept of a batch, and Adam along it, without
 * its leaving the processor that computed it. */
#ifndef WAC_RL_CUDA_HIDDEN_CUH
#define WAC_RL_CUDA_HIDDEN_CUH

#include "rl/cuda/adam.cuh"

extern __shared__ __align__(128) char shared_memory[];

/* d1^T h0, a square of SIDE x SIDE of it, and the weights that move by it: four neighbours of a row
 * for each thread at a time, which come while earlier ones are at work, from before the first
 * product on. */
template <int PRECISION, int SIDE, bool WIDE> struct square {
    typedef typename kind<PRECISION>::element element;
    static constexpr int THREADS = 256, WARPS_M = 2;
    static constexpr int MT = SIDE / WARPS_M / 16, NT = SIDE / WARPS_N / 8;
    static constexpr int DEPTH = 64 / sizeof(element), STAGES = 3;
    static constexpr int ROW = SIDE + 8;
    static constexpr int STAGE = 2 * DEPTH * ROW; /* of d1, and of h0 */
    static constexpr int COPIES = STAGES * STAGE * (int)sizeof(element);
    static constexpr int SUMS =
        SIDE * SIDE * (int)sizeof(float); /* the gradient, when it is there */
    static constexpr int COMING_AT = COPIES > SUMS ? COPIES : SUMS;
    static constexpr int FOURS = SIDE / 4, AT_ONCE = THREADS / FOURS, STEPS = SIDE / AT_ONCE;
    static constexpr int ARRAYS = 4, AHEAD = WIDE ? 3 : 2; /* weights, moments, targets; steps */
    static constexpr int BYTES = COMING_AT + AHEAD * ARRAYS * THREADS * (int)sizeof(float4);
    static_assert(BYTES <= shared_of_block(WIDE), "a block of threads has no more");

    /* where the gradient of a row's column lies, such that writers of eight rows do not meet */
    static __device__ inline int sum_at(int row, int column)
    {
        return row * SIDE + (column ^ (row & 3) * 8);
    }
};

/* Weights, moments and targets on their way to the thread that moves them. */
template <typename square_t> struct coming {
    const float *from[square_t::ARRAYS]; /* of the thread's first step; the last may be null */
    size_t step;
    float4 *slots;

    __device__ inline coming(const mover &m, size_t first, size_t step_size)
        : step(step_size), slots((float4 *)(shared_memory + square_t::COMING_AT) + threadIdx.x)
    {
        from[0] = m.params + first;
        from[1] = m.first + first;
        from[2] = m.second + first;
        from[3] = m.target ? m.target + first : NULL;
    }

    __device__ inline float4 *slot(int i, int array) const
    {
        return slots + (i % square_t::AHEAD * square_t::ARRAYS + array) * square_t::THREADS;
    }

    __device__ inline void ask(int i) const
    {
#pragma unroll
        for (int array = 0; array < square_t::ARRAYS; array++)
            if (i < square_t::STEPS && (array < 3 || from[3]))
                copy_16(slot(i, array), from[array] + i * step);
    }
};

/* Four neighbours of hidden weights. */
__device__ inline void move_four(const mover &m, size_t weights_at, size_t place, float4 g,
                                 float4 value, float4 first, float4 second, float4 target)
{
    size_t at = weights_at + place;
    value.x = move(m, g.x, first.x, second.x, value.x, target.x);
    value.y = move(m, g.y, first.y, second.y, value.y, target.y);
    value.z = move(m, g.z, first.z, second.z, value.z, target.z);
    value.w = move(m, g.w, first.w, second.w, value.w, target.w);
    *(float4 *)(m.params + at) = value;
    *(float4 *)(m.first + at) = first;
    *(float4 *)(m.second + at) = second;
    if (m.half)
        put_four(m.half + place, value);
    if (m.target)
        *(float4 *)(m.target + at) = target;
    if (m.target_half)
        put_four(m.target_half + place, target);
}

template <int PRECISION, int SIDE, bool WIDE>
__global__ __launch_bounds__(256, 2) void move_hidden_kernel(const __grid_constant__ engine_view e,
                                                             bool critics)
{
    if (is_left_out(WIDE))
        return;
    typedef square<PRECISION, SIDE, WIDE> square_t;
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
    int active = early(&e.seats[seat].active);
    int pieces = tiles_taught(e, critics, seat, member) * e.tile / DEPTH;
    mover mover = mover_of(e, stack, critics, seat, member);
    int row = threadIdx.x / square_t::FOURS, column = threadIdx.x % square_t::FOURS * 4;
    size_t place = (size_t)(m0 + row) * width + n0 + column,
           step = (size_t)square_t::AT_ONCE * width;
    coming<square_t> coming(mover, stack.at.weight[1] + place, step);
    for (int i = 0; i < STAGES - 1; i++) {
        ask(i); /* there is always a tile, and it has so many */
        if (i == STAGES - 2)
            for (int ahead = 0; ahead < square_t::AHEAD; ahead++)
                coming.ask(ahead);
        copies_asked();
    }
    if (!active)
        return;
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
                *(float2 *)(sums + square_t::sum_at(warp_m + m * 16 + half * 8 + lane / 4,
                                                    warp_n + n * 8 + lane % 4 * 2)) =
                    make_float2(c[m][n][2 * half], c[m][n][2 * half + 1]);
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < square_t::STEPS; i++) {
        copies_wait<square_t::AHEAD - 1>();
        float4 g = *(const float4 *)(sums + square_t::sum_at(row + i * square_t::AT_ONCE, column));
        move_four(mover, stack.at.weight[1], place + i * step, g, *coming.slot(i, 0),
                  *coming.slot(i, 1), *coming.slot(i, 2), *coming.slot(i, 3));
        coming.ask(i + square_t::AHEAD);
        copies_asked();
    }
    if (n0 == 0 && threadIdx.x < SIDE)
        move_one(mover, stack.at.bias[1] + m0 + threadIdx.x, bias);
}

#endif
