/* Products of the general part on tensor cores: a block of threads makes a tile of one member's C,
 * each number the sum over the depth in one order. Factors of any shape come from memory in single
 * precision; they are cut on their way into shared memory, the next pieces being asked for while
 * the last ones are multiplied. */
#include "rl/cuda/general_product.cuh"

#include "rl/cuda/general.cuh"
#include "rl/cuda/product.cuh"

enum { DEPTH = 32 }; /* of a piece */

/* Where a warp's tile lies in a block of M x N numbers made by WARPS warps, and how it is cut. */
template <int M, int N> struct tile {
    static constexpr int WARPS = M == 128 ? 8 : 4, THREADS = 32 * WARPS;
    static constexpr int ACROSS = M == 128 ? 4 : 2; /* warps beside each other */
    static constexpr int WARP_M = M / (WARPS / ACROSS), WARP_N = N / ACROSS;
    static constexpr int MT = WARP_M / 16, NT = WARP_N / 8;
};

/* A piece of a factor, `OUTER` numbers by DEPTH of depth, kept as it lies in memory: rows of the
 * depth, or (turned) a row for each number of depth. Padded, so that a warp's reads do not meet. */
template <int OUTER, bool TURNED, typename element> struct piece {
    static constexpr int ROWS = TURNED ? DEPTH : OUTER, COLUMNS = TURNED ? OUTER : DEPTH;
    static constexpr int ROW =
        COLUMNS + 16 / (int)sizeof(element) * (TURNED && sizeof(element) == 4 ? 2 : 1);
    static constexpr int SIZE = ROWS * ROW;
};

/* Numbers of a piece on their way, a thread's share: fours along a row. */
template <int OUTER, bool TURNED, int THREADS> struct load {
    static constexpr int COLUMNS = TURNED ? OUTER : DEPTH;
    static constexpr int FOURS = OUTER * DEPTH / 4 / THREADS;
    float4 four[FOURS];
};

/* What is beyond the factor is zero. `outers` and `depth` are what is left of it from here on. */
template <int OUTER, bool TURNED, int THREADS>
__device__ inline void ask(load<OUTER, TURNED, THREADS> &numbers, const float *from, int row,
                           int outers, int depth, bool aligned)
{
    constexpr int COLUMNS = load<OUTER, TURNED, THREADS>::COLUMNS;
    int rows = TURNED ? depth : outers, columns = TURNED ? outers : depth;
#pragma unroll
    for (int i = 0; i < load<OUTER, TURNED, THREADS>::FOURS; i++) {
        int number = (i * THREADS + threadIdx.x) * 4, r = number / COLUMNS, c = number % COLUMNS;
        const float *at = from + (size_t)r * row + c;
        float4 four = make_float4(0, 0, 0, 0);
        if (r < rows && aligned && c + 4 <= columns) {
            four = *(const float4 *)at;
        } else if (r < rows) {
            four.x = c < columns ? at[0] : 0;
            four.y = c + 1 < columns ? at[1] : 0;
            four.z = c + 2 < columns ? at[2] : 0;
            four.w = c + 3 < columns ? at[3] : 0;
        }
        numbers.four[i] = four;
    }
}

__device__ inline void put(float *to, float4 four)
{
    *(float4 *)to = four;
}

__device__ inline void put(half_t *to, float4 four)
{
    *(uint2 *)to = make_uint2(halves(four.x, four.y), halves(four.z, four.w));
}

template <int OUTER, bool TURNED, int THREADS, typename element>
__device__ inline void keep(element *to, const load<OUTER, TURNED, THREADS> &numbers, float scale)
{
    typedef piece<OUTER, TURNED, element> kept;
#pragma unroll
    for (int i = 0; i < load<OUTER, TURNED, THREADS>::FOURS; i++) {
        int number = (i * THREADS + threadIdx.x) * 4;
        float4 four = numbers.four[i];
        four.x *= scale;
        four.y *= scale;
        four.z *= scale;
        four.w *= scale;
        put(to + number / kept::COLUMNS * kept::ROW + number % kept::COLUMNS, four);
    }
}

__device__ inline const float *member_of(const wac_matrix &matrix, int seat, int member)
{
    return matrix.at + (size_t)seat * matrix.seat + (size_t)member * matrix.member;
}

__device__ inline bool is_aligned(const float *at, int row)
{
    return ((size_t)at & 15) == 0 && row % 4 == 0;
}

/* What becomes of a sum: bias, ReLU, what is not active, and what is there. */
__device__ inline void finish(const wac_product &p, float *c, const float *bias,
                              const float *active, int i, int j, float value)
{
    if (i >= p.m || j >= p.n)
        return;
    float *to = c + (size_t)i * p.c.row + j;
    if (bias)
        value += bias[j];
    if (p.relu && value < 0)
        value = 0;
    if (active && !(active[(size_t)i * p.active.row + j] > 0))
        value = 0;
    *to = p.more ? *to + value : value;
}

template <int PRECISION, int M, int N, bool A_ACROSS, bool B_ALONG>
__global__
__launch_bounds__(tile<M, N>::THREADS) void product_kernel(wac_general_seat *seats,
                                                           const __grid_constant__ wac_product p)
{
    typedef typename kind<PRECISION>::element element;
    typedef tile<M, N> own;
    constexpr bool SINGLE = PRECISION == WAC_ENGINE_SINGLE;
    typedef piece<M, A_ACROSS, element> a_piece;
    typedef piece<N, !B_ALONG, element> b_piece;
    __shared__ __align__(16) element a_kept[a_piece::SIZE], b_kept[b_piece::SIZE];

    int member = blockIdx.y, seat = blockIdx.z;
    const wac_general_seat *seen = seats + seat;
    if (!takes_part(seen, p.movers))
        return;
    int tiles = (p.n + N - 1) / N, top = blockIdx.x / tiles * M, left = blockIdx.x % tiles * N;
    int depth = p.k + (p.more_depth ? seen->synthetic : 0);
    int chosen = p.chosen ? seen->subset[member] : member;
    const float *a = member_of(p.a, seat, member), *b = member_of(p.b, seat, chosen);
    a += A_ACROSS ? (size_t)top : (size_t)top * p.a.row;
    b += B_ALONG ? (size_t)left * p.b.row : (size_t)left;
    size_t a_step = A_ACROSS ? (size_t)DEPTH * p.a.row : DEPTH;
    size_t b_step = B_ALONG ? DEPTH : (size_t)DEPTH * p.b.row;
    bool a_aligned = is_aligned(a, p.a.row), b_aligned = is_aligned(b, p.b.row);
    float scale = p.scale > 0 ? p.scale : 1;

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_m = warp / own::ACROSS * own::WARP_M, warp_n = warp % own::ACROSS * own::WARP_N;
    float c[own::MT][own::NT][4] = {};
    load<M, A_ACROSS, own::THREADS> a_next;
    load<N, !B_ALONG, own::THREADS> b_next;
    ask(a_next, a, p.a.row, p.m - top, depth, a_aligned);
    ask(b_next, b, p.b.row, p.n - left, depth, b_aligned);
    for (int done = 0; done < depth; done += DEPTH) {
        keep(a_kept, a_next, scale);
        keep(b_kept, b_next, 1);
        __syncthreads();
        a += a_step;
        b += b_step;
        if (done + DEPTH < depth) {
            ask(a_next, a, p.a.row, p.m - top, depth - done - DEPTH, a_aligned);
            ask(b_next, b, p.b.row, p.n - left, depth - done - DEPTH, b_aligned);
        }
        const element *a_first = a_kept + (A_ACROSS ? warp_m : warp_m * a_piece::ROW);
        const element *b_first = b_kept + (B_ALONG ? warp_n * b_piece::ROW : warp_n);
        add_products<SINGLE, own::MT, own::NT, A_ACROSS, !B_ALONG>(c, a_first, a_piece::ROW,
                                                                   b_first, b_piece::ROW, DEPTH);
        __syncthreads();
    }

    float *to = (float *)member_of(p.c, seat, member), back = 1 / scale;
    const float *bias = p.bias.at ? member_of(p.bias, seat, chosen) : NULL;
    const float *active = p.active.at ? member_of(p.active, seat, member) : NULL;
#pragma unroll
    for (int m = 0; m < own::MT; m++)
#pragma unroll
        for (int n = 0; n < own::NT; n++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                finish(p, to, bias, active, top + warp_m + m * 16 + lane / 4 + k / 2 * 8,
                       left + warp_n + n * 8 + lane % 4 * 2 + k % 2, c[m][n][k] * back);
}

template <int PRECISION, int M, int N>
static void launch_tiles(const wac_general_view &view, const wac_product &p, cudaStream_t stream)
{
    int tiles = ((p.m + M - 1) / M) * ((p.n + N - 1) / N);
    dim3 grid(tiles, p.members, view.seat_count);
    constexpr int THREADS = tile<M, N>::THREADS;
    if (p.b_along)
        product_kernel<PRECISION, M, N, false, true><<<grid, THREADS, 0, stream>>>(view.seats, p);
    else if (p.a_across)
        product_kernel<PRECISION, M, N, true, false><<<grid, THREADS, 0, stream>>>(view.seats, p);
    else
        product_kernel<PRECISION, M, N, false, false><<<grid, THREADS, 0, stream>>>(view.seats, p);
}

/* By the shape alone, so that a seat's bytes are the same in any company. */
template <int PRECISION>
static void launch(const wac_general_view &view, const wac_product &p, cudaStream_t stream)
{
    if (p.m > 64 && p.n > 64)
        launch_tiles<PRECISION, 128, 128>(view, p, stream);
    else
        launch_tiles<PRECISION, 64, 64>(view, p, stream);
}

void launch_product(wac_engine_precision precision, const wac_general_view &view,
                    const wac_product &p, cudaStream_t stream)
{
    if (precision == WAC_ENGINE_MIXED)
        launch<WAC_ENGINE_MIXED>(view, p, stream);
    else if (precision == WAC_ENGINE_TF32)
        launch<WAC_ENGINE_TF32>(view, p, stream);
    else
        launch<WAC_ENGINE_SINGLE>(view, p, stream);
}
