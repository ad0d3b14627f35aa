/* Products of the general part on tensor cores: a block of threads makes a tile of one member's C,
 * each number the sum over the depth in one order. Factors of any shape come from memory in single
 * precision, piece by piece, and are cut on their way into shared memory: a piece is on its way
 * while the one before is multiplied. */
#include "rl/cuda/general_product.cuh"

#include "rl/cuda/general.cuh"
#include "rl/cuda/product.cuh"

/* A factor's share of a tile: `OUTER` numbers beside the depth, kept piece by piece as they lie in
 * memory: in rows along the depth, or (turned) a row for each number of depth. */
template <int OUTER_, bool TURNED_, int THREADS_, typename element_> struct factor {
    typedef element_ element;
    static constexpr int OUTER = OUTER_, THREADS = THREADS_;
    static constexpr bool TURNED = TURNED_;
    static constexpr int DEPTH = 64 / (int)sizeof(element); /* of a piece */
    static constexpr int ROWS = TURNED ? DEPTH : OUTER, COLUMNS = TURNED ? OUTER : DEPTH;
    /* padded, so that a warp's reads do not meet in a bank */
    static constexpr int PADDING = TURNED && sizeof(element) == 4 ? 8 : 16 / (int)sizeof(element);
    static constexpr int ROW = COLUMNS + PADDING, SIZE = ROWS * ROW;
    static constexpr int ALL = OUTER * DEPTH / 4, FOURS = (ALL + THREADS - 1) / THREADS;
    static_assert(ALL % THREADS == 0 || FOURS == 1, "threads have as much to do, or one at most");

    /* where it begins, and how far it is to the next row */
    const float *from;
    int row;
    int outers, depth; /* what is left from there on */
    bool aligned;
    float4 four[FOURS]; /* on their way */
    float4 total;       /* of those that a thread has kept, which are of the same columns */
};

template <typename type>
__device__ inline void begin(type &f, const wac_matrix &matrix, int seat, int member, int first,
                             int outers, int depth)
{
    f.row = matrix.row;
    f.from = matrix.at + (size_t)seat * matrix.seat + (size_t)member * matrix.member +
             (type::TURNED ? (size_t)first : (size_t)first * f.row);
    f.outers = outers - first;
    f.depth = depth;
    f.total = make_float4(0, 0, 0, 0);
    f.aligned = ((size_t)f.from & 15) == 0 && f.row % 4 == 0;
}

/* The next piece; what is beyond the factor is zero. */
template <typename type> __device__ inline void ask(type &f)
{
    int rows = type::TURNED ? f.depth : f.outers, columns = type::TURNED ? f.outers : f.depth;
    rows = rows < type::ROWS ? rows : type::ROWS; /* more threads than there are fours */
#pragma unroll
    for (int i = 0; i < type::FOURS; i++) {
        int number = (i * type::THREADS + threadIdx.x) * 4;
        int r = number / type::COLUMNS, c = number % type::COLUMNS;
        const float *at = f.from + (size_t)r * f.row + c;
        float4 four = make_float4(0, 0, 0, 0);
        if (r < rows && f.aligned && c + 4 <= columns) {
            four = *(const float4 *)at;
        } else if (r < rows) {
            four.x = c < columns ? at[0] : 0;
            four.y = c + 1 < columns ? at[1] : 0;
            four.z = c + 2 < columns ? at[2] : 0;
            four.w = c + 3 < columns ? at[3] : 0;
        }
        f.four[i] = four;
    }
    f.from += type::TURNED ? (size_t)type::DEPTH * f.row : (size_t)type::DEPTH;
    f.depth -= type::DEPTH;
}

__device__ inline void put(float *to, float4 four)
{
    *(float4 *)to = four;
}

__device__ inline void put(half_t *to, float4 four)
{
    *(uint2 *)to = make_uint2(halves(four.x, four.y), halves(four.z, four.w));
}

/* It is there: into shared memory, times a power of two. */
template <typename type>
__device__ inline void keep(typename type::element *to, type &f, float scale)
{
#pragma unroll
    for (int i = 0; i < type::FOURS; i++) {
        int number = (i * type::THREADS + threadIdx.x) * 4;
        float4 four = f.four[i];
        if (number >= type::ALL * 4)
            break;
        f.total.x += four.x;
        f.total.y += four.y;
        f.total.z += four.z;
        f.total.w += four.w;
        four.x *= scale;
        four.y *= scale;
        four.z *= scale;
        four.w *= scale;
        put(to + number / type::COLUMNS * type::ROW + number % type::COLUMNS, four);
    }
}

/* The sums over the depth of what lies across, as many as there are, to `sums`; each is made of
 * those of several threads, which `parts` has room for. */
template <typename type>
__device__ inline void tell_sums(const type &f, float4 *parts, float *sums, int count)
{
    constexpr int FOURS = type::COLUMNS / 4; /* in a row */
    static_assert(type::THREADS % FOURS == 0, "a thread's numbers are of the same columns");
    parts[threadIdx.x] = f.total;
    __syncthreads();
    const float *part = (const float *)parts;
    for (int i = threadIdx.x; i < type::COLUMNS && i < count; i += type::THREADS) {
        float sum = 0;
        for (int thread = i / 4; thread < type::THREADS; thread += FOURS)
            sum += part[4 * thread + i % 4];
        sums[i] = sum;
    }
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

__device__ inline float *member_of(const wac_matrix &matrix, int seat, int member)
{
    return matrix.at + (size_t)seat * matrix.seat + (size_t)member * matrix.member;
}

/* A warp's part of a tile that is so long: 32, or all of what is narrow. */
__host__ __device__ constexpr int part_of(int side)
{
    return side < 32 ? side : 32;
}

__host__ __device__ constexpr int threads_of(int m, int n)
{
    return 32 * (m / part_of(m)) * (n / part_of(n));
}

template <int PRECISION, int M, int N, bool A_ACROSS, bool B_ALONG>
__global__ __launch_bounds__(threads_of(M, N), 512 / threads_of(M, N)) void product_kernel(
    wac_general_seat *seats, const __grid_constant__ wac_product p)
{
    constexpr bool SINGLE = PRECISION == WAC_ENGINE_SINGLE;
    constexpr int WARP_ROWS = part_of(M), WARP_COLUMNS = part_of(N), THREADS = threads_of(M, N);
    constexpr int MT = WARP_ROWS / 16, NT = WARP_COLUMNS / 8;
    typedef typename kind<PRECISION>::element element;
    typedef factor<M, A_ACROSS, THREADS, element> a_factor;
    typedef factor<N, !B_ALONG, THREADS, element> b_factor;
    __shared__ __align__(16) element a_kept[2][a_factor::SIZE], b_kept[2][b_factor::SIZE];

    int member = blockIdx.y, seat = blockIdx.z;
    const wac_general_seat *own = seats + seat;
    if (!takes_part(own, p.movers))
        return;
    int tiles = (p.n + N - 1) / N, top = blockIdx.x / tiles * M, left = blockIdx.x % tiles * N;
    int depth = p.k + (p.more_depth ? own->synthetic : 0);
    int chosen = p.chosen ? own->subset[member] : member;
    int pieces = (depth + a_factor::DEPTH - 1) / a_factor::DEPTH;
    float scale = p.scale > 0 ? p.scale : 1;
    a_factor a;
    b_factor b;
    begin(a, p.a, seat, member, top, p.m, depth);
    begin(b, p.b, seat, chosen, left, p.n, depth);

    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int row = warp / (N / WARP_COLUMNS) * WARP_ROWS;
    int column = warp % (N / WARP_COLUMNS) * WARP_COLUMNS;
    float c[MT][NT][4] = {};
    ask(a);
    ask(b);
    keep(a_kept[0], a, scale);
    keep(b_kept[0], b, 1);
    __syncthreads();
    for (int i = 0; i < pieces; i++) {
        bool more = i + 1 < pieces;
        if (more) {
            ask(a);
            ask(b);
        }
        add_products<SINGLE, MT, NT, A_ACROSS, !B_ALONG>(
            c, a_kept[i % 2] + (A_ACROSS ? row : row * a_factor::ROW), a_factor::ROW,
            b_kept[i % 2] + (B_ALONG ? column * b_factor::ROW : column), b_factor::ROW,
            a_factor::DEPTH);
        if (more) {
            keep(a_kept[(i + 1) % 2], a, scale);
            keep(b_kept[(i + 1) % 2], b, 1);
        }
        __syncthreads();
    }

    if (A_ACROSS && p.sums.at && left == 0) {
        static_assert(sizeof a_kept >= THREADS * sizeof(float4), "there is room for parts");
        tell_sums(a, (float4 *)a_kept, member_of(p.sums, seat, member) + top, p.m - top);
    }
    float *to = member_of(p.c, seat, member), back = 1 / scale;
    const float *bias = p.bias.at ? member_of(p.bias, seat, chosen) : NULL;
    const float *active = p.active.at ? member_of(p.active, seat, member) : NULL;
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int n = 0; n < NT; n++)
#pragma unroll
            for (int k = 0; k < 4; k++)
                finish(p, to, bias, active, top + row + m * 16 + lane / 4 + k / 2 * 8,
                       left + column + n * 8 + lane % 4 * 2 + k % 2, c[m][n][k] * back);
}

template <int PRECISION, int M, int N>
static void launch_tiles(const wac_general_view &view, const wac_product &p, cudaStream_t stream)
{
    constexpr int THREADS = threads_of(M, N);
    int tiles = ((p.m + M - 1) / M) * ((p.n + N - 1) / N);
    dim3 grid(tiles, p.members, view.seat_count);
    if (p.b_along)
        product_kernel<PRECISION, M, N, false, true><<<grid, THREADS, 0, stream>>>(view.seats, p);
    else if (p.a_across)
        product_kernel<PRECISION, M, N, true, false><<<grid, THREADS, 0, stream>>>(view.seats, p);
    else
        product_kernel<PRECISION, M, N, false, false><<<grid, THREADS, 0, stream>>>(view.seats, p);
}

/* Whatever the tile, a number is the same sum of the same products. What is narrow is made in
 * single precision (wac_product.exact). */
template <int PRECISION>
static void launch(const wac_general_view &view, const wac_product &p, cudaStream_t stream)
{
    enum { NARROW = 16 };
    if (PRECISION == WAC_ENGINE_SINGLE && p.n <= NARROW)
        launch_tiles<WAC_ENGINE_SINGLE, 128, NARROW>(view, p, stream);
    else if (PRECISION == WAC_ENGINE_SINGLE && p.m <= NARROW)
        launch_tiles<WAC_ENGINE_SINGLE, NARROW, 128>(view, p, stream);
    else if (p.m > 64 && p.n > 64)
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
