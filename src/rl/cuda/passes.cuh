/* Networks on a GPU: a block of threads takes tiles of rows through a network, forth and back,
 * without leaving the processor it runs on.
 *
 * The activations of a hidden layer lie in shared memory, and so do the weights of the next, where
 * they fit (256 x 256 numbers of 16 bits do); else they pass by, some at a time. What a layer makes
 * is in registers first: thread and place of a number are the same in every layer, so that which
 * numbers were above zero (ReLU) is remembered as bits by the thread that will need to know.
 */
#ifndef WAC_RL_CUDA_PASSES_CUH
#define WAC_RL_CUDA_PASSES_CUH

#include "rl/cuda/view.cuh"

/* Rows that a network reads: [rows][a] | [rows][b]. */
typedef struct rows_view {
    const float *a, *b;
    int a_size, b_size;
    int first, count; /* rows of them in this tile, from the first on */
} rows_view;

/* where an entry of a row lies, or null beyond what counts */
__device__ inline const float *row_entry(const rows_view &x, int row, int k)
{
    if (row >= x.count)
        return NULL;
    size_t at = (size_t)(x.first + row);
    if (k < x.a_size)
        return x.a + at * x.a_size + k;
    k -= x.a_size;
    return k < x.b_size ? x.b + at * x.b_size + k : NULL;
}

/* The same number, of which the compiler knows nothing: what follows from it is worked out where it
 * is needed, and takes no room before. */
__device__ inline int anew(int number)
{
    asm volatile("" : "+r"(number));
    return number;
}

/* max(x, 0); what is no number stays so, to be found */
__device__ inline float above_zero(float x)
{
    float y;
    asm("max.NaN.f32 %0, %1, 0f00000000;" : "=f"(y) : "f"(x));
    return y;
}

/* NB columns of a layer at a time, BLOCKS times; ROWS of the batch at a time. RESIDENT: all hidden
 * weights fit into shared memory and stay there, and two groups of threads, each with tiles of its
 * own, hide each other's waiting; else weights pass by, and there is one group. WIDE: with the
 * shared memory of a Hopper, else with that of any GPU from compute capability 8.0 on. */
template <int PRECISION, int NB, int BLOCKS, bool WIDE> struct pass {
    typedef typename kind<PRECISION>::element element;
    static constexpr bool SINGLE = PRECISION == WAC_ENGINE_SINGLE;
    static constexpr bool RESIDENT = sizeof(element) == 2 && BLOCKS == 1 && (WIDE || NB <= 128);
    static constexpr int WIDTH = NB * BLOCKS;
    static constexpr int ROWS = rows_of_tile(WIDTH, sizeof(element), WIDE), THREADS = 4 * ROWS;
    static constexpr int GROUPS = RESIDENT ? 2 : 1, ALL_THREADS = GROUPS * THREADS;
    static constexpr int MT = 2, NT = NB / WARPS_N / 8, WARPS_M = ROWS / 16 / MT;
    static constexpr int VECTOR = 16 / sizeof(element);
    static constexpr int DEPTH =
        (RESIDENT || WIDE && sizeof(element) == 4 && BLOCKS == 1 ? 128 : 64) /
        sizeof(element); /* of a piece */
    static constexpr int PIECES = WIDTH / DEPTH;
    static constexpr int STAGES = RESIDENT ? PIECES : WIDE && sizeof(element) == 2 ? 3 : 2;
    static constexpr int ROW = WIDTH + VECTOR;                          /* of activations */
    static constexpr int ALONG_ROW = RESIDENT ? DEPTH : DEPTH + VECTOR; /* of a piece of weights */
    static constexpr int ACROSS_ROW = NB + 8;
    static constexpr int STAGE =
        RESIDENT || NB * ALONG_ROW > DEPTH *ACROSS_ROW ? NB *ALONG_ROW : DEPTH *ACROSS_ROW;
    static constexpr int INPUTS = 8;                      /* of the first layer, at a time */
    static constexpr int AT_HAND = RESIDENT ? INPUTS : 0; /* whose weights stay, too */
    static constexpr int OUTPUTS = 4;                     /* of the last, at a time */
    static constexpr int COLUMNS = 16;                    /* of gathered sums, at a time */
    static constexpr int WORDS = (MT * NT * 4 + 31) / 32 * BLOCKS; /* of bits */

    /* vectors of a network that are at hand: biases of hidden layers, weights of the first outputs
     */
    enum { BIAS0, BIAS1, LAST, EDGES = LAST + OUTPUTS };

    /* shared memory, in bytes from its beginning */
    static constexpr int WEIGHTS = STAGES * STAGE * (int)sizeof(element); /* of all threads … */
    static constexpr int EDGES_AT = WEIGHTS;
    static constexpr int FIRST_AT = EDGES_AT + EDGES * WIDTH * (int)sizeof(float);
    static constexpr int GROUPS_AT = FIRST_AT + WIDTH * AT_HAND * (int)sizeof(float);
    static constexpr int ACTIVATIONS = ROWS * ROW * (int)sizeof(element); /* … and of a group */
    static constexpr int INPUTS_AT = (BLOCKS > 1 ? 2 : 1) * ACTIVATIONS;
    static constexpr int INPUT_BYTES = ROWS * INPUTS * (int)sizeof(float);
    static constexpr int PARTIAL_AT = INPUTS_AT + (AT_HAND ? 2 : 1) * INPUT_BYTES;
    static constexpr int ROWS_AT = PARTIAL_AT + ROWS * COLUMNS * (int)sizeof(float);
    static constexpr int GROUP = ROWS_AT + ROWS * (int)sizeof(float);
    static constexpr int BYTES = GROUPS_AT + GROUPS * GROUP;
    static_assert(BYTES <= shared_of_block(WIDE), "a block of threads has no more");
    static_assert(WARPS_N * OUTPUTS == COLUMNS, "sums of rows and gathered ones share their room");

    typedef float sums[MT][NT][4];
    typedef unsigned bits[WORDS];

    char *shared, *own; /* of all, and of this group */
    int group, thread;  /* in the group */
    int warp_m, warp_n, lane_row, lane_column;
    bool busy;   /* of the tile's rows that count some are this warp's */
    bool loaded; /* resident weights are there */
    int turn;    /* inputs of which of two tiles are to come */

    __device__ inline pass(char *memory)
        : shared(memory), group(threadIdx.x / THREADS), thread(threadIdx.x % THREADS),
          loaded(false), turn(0)
    {
        int warp = thread / 32, lane = thread % 32;
        own = shared + GROUPS_AT + group * GROUP;
        warp_m = warp / WARPS_N;
        warp_n = warp % WARPS_N;
        lane_row = warp_m * MT * 16 + lane / 4;
        lane_column = warp_n * NT * 8 + lane % 4 * 2;
    }

    /* until all threads of the group are here, or all of the block */
    __device__ inline void meet() const
    {
        if (GROUPS == 1)
            __syncthreads();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1 + group), "n"(THREADS) : "memory");
    }

    /* the next tile has so many rows */
    __device__ inline void take_rows(int count)
    {
        busy = warp_m * MT * 16 < count;
    }

    /* the tiles of a network that are this group's: from which on, every how many */
    __device__ inline int first_tile() const
    {
        return blockIdx.x * GROUPS + group;
    }

    __device__ inline int step() const
    {
        return gridDim.x * GROUPS;
    }

    __device__ inline element *activations() const
    {
        return (element *)own;
    }

    /* what a product makes of activations: in their place, where it is made all at once */
    __device__ inline element *results() const
    {
        return (element *)(own + (BLOCKS > 1 ? ACTIVATIONS : 0));
    }

    /* inputs of the tile's rows, and weights of the first layer, some columns of each: rows of
     * INPUTS numbers, such that eight of them never meet in a bank */
    __device__ inline float *input_rows() const
    {
        return (float *)(own + INPUTS_AT + (AT_HAND ? (turn ^ 1) * INPUT_BYTES : 0));
    }

    /* … of the tile to come */
    __device__ inline float *coming_rows() const
    {
        return (float *)(own + INPUTS_AT + (AT_HAND ? turn * INPUT_BYTES : 0));
    }

    static __device__ inline int input_at(int row, int k)
    {
        return row * INPUTS + (k ^ (row & 4));
    }

    __device__ inline float *first_weights() const
    {
        return (float *)(shared + FIRST_AT);
    }

    __device__ inline element *stage(int i) const
    {
        return (element *)shared + i * STAGE;
    }

    __device__ inline float *partial() const
    {
        return (float *)(own + PARTIAL_AT);
    }

    /* one number for each row of the tile */
    __device__ inline float *row_values() const
    {
        return (float *)(own + ROWS_AT);
    }

    __device__ inline float *edge(int which) const
    {
        return (float *)(shared + EDGES_AT) + which * WIDTH;
    }

    /* ask for the edges of a network with so many outputs, and the first columns of its first
     * weights */
    __device__ inline void ask_edges(const float *params, const wac_engine_layout &at, int inputs,
                                     int outputs) const
    {
        constexpr int EACH = WIDTH / 4;
        int count = LAST + (outputs < OUTPUTS ? outputs : OUTPUTS);
        for (int i = threadIdx.x; i < count * EACH; i += ALL_THREADS) {
            int which = i / EACH, column = i % EACH * 4;
            const float *from = which == BIAS0   ? params + at.bias[0]
                                : which == BIAS1 ? params + at.bias[1]
                                                 : params + at.weight[2] + (which - LAST) * WIDTH;
            copy_16(edge(which) + column, from + column);
        }
        if (AT_HAND > 0)
            ask_first(params + at.weight[0], inputs);
        copies_asked();
    }

    /* the first columns of the first weights; what is beyond all of them is zero */
    __device__ inline void ask_first(const float *weight, int inputs) const
    {
        float *to = first_weights();
#pragma unroll
        for (int i = 0; i < WIDTH * INPUTS / ALL_THREADS; i++) {
            int at = i * ALL_THREADS + (int)threadIdx.x, row = at / INPUTS, k = at % INPUTS;
            if (k < inputs)
                copy_4(to + input_at(row, k), weight + (size_t)row * inputs + k);
            else
                to[input_at(row, k)] = 0;
        }
    }

    /* all threads of the block wait for the edges, and what was asked for before them */
    __device__ inline void await_edges() const
    {
        copies_wait<OPEN>(); /* which are those of the weights, asked for after them */
        __syncthreads();
    }

    /* each number of the sums: what(row, column, value) for the two neighbours in a row */
    template <typename function>
    __device__ inline void each(const sums c, int block, function what) const
    {
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int half = 0; half < 2; half++)
#pragma unroll
                for (int n = 0; n < NT; n++)
                    what(lane_row + m * 16 + half * 8, block * NB + lane_column + n * 8,
                         c[m][n][2 * half], c[m][n][2 * half + 1]);
    }

    static __device__ inline void clear(sums c)
    {
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int n = 0; n < NT; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    c[m][n][i] = 0;
    }

    /* sums begin with the bias of their column */
    __device__ inline void begin_sums(sums c, const float *bias, int block) const
    {
#pragma unroll
        for (int n = 0; n < NT; n++) {
            float2 b = *(const float2 *)(bias + block * NB + lane_column + n * 8);
#pragma unroll
            for (int m = 0; m < MT; m++) {
                c[m][n][0] = c[m][n][2] = b.x;
                c[m][n][1] = c[m][n][3] = b.y;
            }
        }
    }

    /* bits of the numbers above zero, which stay as they are; the others become zero. A bit is the
     * sign of its number's opposite, shifted in behind those before it. */
    static __device__ inline void rectify(sums c, bits above, int block)
    {
        constexpr int EACH = WORDS / BLOCKS;
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int n = 0; n < NT; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    unsigned &word = above[block * EACH + ((m * NT + n) * 4 + i) / 32];
                    word = __funnelshift_l(__float_as_uint(0.f - c[m][n][i]), word, 1);
                    c[m][n][i] = above_zero(c[m][n][i]);
                }
    }

    static __device__ inline void mask(sums c, const bits above, int block)
    {
        constexpr int EACH = WORDS / BLOCKS, COUNT = MT * NT * 4 < 32 ? MT * NT * 4 : 32;
#pragma unroll
        for (int m = 0; m < MT; m++)
#pragma unroll
            for (int n = 0; n < NT; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    int at = (m * NT + n) * 4 + i;
                    if (!(above[block * EACH + at / 32] & 1u << (COUNT - 1 - at % 32)))
                        c[m][n][i] = 0;
                }
    }

    /* --- the first layer ---------------------------------------------------------------------- */

    /* ask for the first inputs of a tile to come */
    __device__ inline void ask_inputs(const rows_view &x) const
    {
        float *to = coming_rows();
#pragma unroll
        for (int i = 0; i < ROWS * INPUTS / THREADS; i++) {
            int at = i * THREADS + thread, row = at / INPUTS, k = at % INPUTS;
            const float *from = row_entry(x, row, k);
            if (from)
                copy_4(to + input_at(row, k), from);
            else
                to[input_at(row, k)] = 0;
        }
    }

    /* the inputs at hand of the first tile; asked for before edges */
    template <typename rows_fn> __device__ inline void begin_inputs(rows_fn rows_of, int tile) const
    {
        if (AT_HAND > 0)
            ask_inputs(rows_of(tile));
    }

    /* the inputs at hand of a tile have come; ask for those of the tile that follows */
    template <typename rows_fn> __device__ inline void turn_inputs(rows_fn rows_of, int tile)
    {
        if (loaded) /* not the first tile, which came with the edges */
            copies_wait<0>();
        meet();
        turn_over();
        ask_inputs(rows_of(tile + step()));
        copies_asked();
    }

    /* the inputs that were to come are there */
    __device__ inline void turn_over()
    {
        turn ^= 1;
    }

    /* c += inputs times weights, some columns of each */
    __device__ inline void add_inputs(sums c, const float *weights) const
    {
        int lane = thread % 32;
        unsigned fa[MT][4], fb[NT][2];
        if (!busy)
            return;
#pragma unroll
        for (int m = 0; m < MT; m++)
            load_tiles(fa[m],
                       shared_address(input_rows() +
                                      input_at((warp_m * MT + m) * 16 + lane % 16, lane / 16 * 4)));
#pragma unroll
        for (int n = 0; n < NT; n += 2) {
            unsigned both[4];
            load_tiles(both, shared_address(weights + input_at((warp_n * NT + n) * 8 +
                                                                   lane / 16 * 8 + lane % 8,
                                                               lane / 8 % 2 * 4)));
            fb[n][0] = both[0];
            fb[n][1] = both[1];
            fb[n + 1][0] = both[2];
            fb[n + 1][1] = both[3];
        }
        add_step<SINGLE, MT, NT>(c, fa, fb, weights);
    }

    /* the first layer of tile `tile`, whose rows are rows_of(tile), into the activations; above:
     * its bits. Ends with all threads together. */
    template <typename rows_fn>
    __device__ inline void first_layer(rows_fn rows_of, int tile, const float *weight, int inputs,
                                       bits above)
    {
        if (AT_HAND > 0)
            turn_inputs(rows_of, tile);
        for (int block = 0; block < BLOCKS; block++) {
            sums c;
            begin_sums(c, edge(BIAS0), block);
            if (AT_HAND > 0 && inputs <= AT_HAND) {
                add_inputs(c, first_weights());
                rectify(c, above, block);
                put_block(activations(), c, block);
                continue;
            }
#pragma unroll 1
            for (int first = 0; first < inputs; first += INPUTS) {
                if (first >= AT_HAND)
                    take_inputs(rows_of(anew(tile)), weight, inputs, block, first);
                add_inputs(c, first < AT_HAND ? first_weights() : (const float *)results());
            }
            meet();
            rectify(c, above, block);
            put_block(activations(), c, block);
        }
        meet();
    }

    /* inputs from column `first` on, beyond those at hand, and their weights where results will be.
     * Begins and ends with all threads together. */
    __device__ inline void take_inputs(const rows_view &x, const float *weight, int inputs,
                                       int block, int first) const
    {
        float *weights = (float *)results(), *rows = input_rows();
        static_assert(NB * INPUTS * sizeof(float) <= ACTIVATIONS, "there must be room");
        meet();
        for (int i = thread; i < NB * INPUTS; i += THREADS) {
            int n = i / INPUTS, k = i % INPUTS;
            weights[input_at(n, k)] =
                first + k < inputs ? weight[(size_t)(block * NB + n) * inputs + first + k] : 0;
        }
        for (int i = thread; i < ROWS * INPUTS; i += THREADS) {
            const float *from = row_entry(x, i / INPUTS, first + i % INPUTS);
            rows[input_at(i / INPUTS, i % INPUTS)] = from ? *from : 0;
        }
        meet();
    }

    /* entry k of a row of the tile, of whose inputs the first are at hand */
    __device__ inline float input_entry(const rows_view &x, int inputs, int row, int k) const
    {
        if (inputs <= INPUTS)
            return input_rows()[input_at(row, k)];
        const float *from = row_entry(x, row, k);
        return from ? *from : 0;
    }

    /* --- hidden weights ----------------------------------------------------------------------- */

    /* where 8 numbers of resident weights lie, from row n and column k on: swizzled, so that those
     * of 8 rows never meet in a bank */
    __device__ inline const element *resident(int n, int k) const
    {
        return stage(k / DEPTH) + n * DEPTH + ((k % DEPTH / VECTOR) ^ (n & 7)) * VECTOR;
    }

    /* ask for piece `piece` of the weights [WIDTH][WIDTH] that make columns of a block: W^T where
     * they lie along the depth, W where across */
    template <bool ACROSS>
    __device__ inline void ask(const element *weight, int block, int piece) const
    {
        element *to = stage(piece % STAGES);
        constexpr int PER_ROW = (ACROSS ? NB : DEPTH) / VECTOR;
        constexpr int COUNT = NB * DEPTH / VECTOR;
#pragma unroll
        for (int i = 0; i < (COUNT + ALL_THREADS - 1) / ALL_THREADS; i++) {
            int at = i * ALL_THREADS + (int)threadIdx.x;
            if (COUNT % ALL_THREADS != 0 && at >= COUNT)
                break;
            int row = at / PER_ROW, column = at % PER_ROW * VECTOR;
            if (ACROSS)
                copy_16(to + row * ACROSS_ROW + column,
                        weight + (size_t)(piece * DEPTH + row) * WIDTH + block * NB + column);
            else
                copy_16(RESIDENT ? (element *)resident(row, piece * DEPTH + column)
                                 : to + row * ALONG_ROW + column,
                        weight + (size_t)(block * NB + row) * WIDTH + piece * DEPTH + column);
        }
    }

    /* the first pieces, or all, so that they come while something else is done; asked for after
     * edges. Resident weights are asked for once, along. */
    template <bool ACROSS> __device__ inline void prefetch(const element *weight) const
    {
        constexpr int COUNT = RESIDENT ? PIECES : STAGES - 1;
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            ask<ACROSS>(weight, 0, i);
            copies_asked();
        }
    }

    /* groups of copies that are open after a prefetch */
    static constexpr int OPEN = RESIDENT ? PIECES : STAGES - 1;

    /* c += activations times resident weights. Steps along k and n change bits of an address that
     * the lane does not, so that they are one operation each. */
    template <bool ACROSS> __device__ inline void add_resident(sums c) const
    {
        constexpr int STEP = 16, BYTE = sizeof(element);
        int lane = thread % 32, column = warp_n * NT * 8;
        unsigned a = shared_address(activations() + (warp_m * MT * 16 + lane % 16) * ROW +
                                    lane / 16 * VECTOR);
        unsigned b = shared_address(
            ACROSS ? resident(lane % 16, column + lane / 16 * VECTOR)
                   : resident(column + lane / 16 * 8 + lane % 8, lane / 8 % 2 * VECTOR));
#pragma unroll 1
        for (int piece = 0; piece < PIECES; piece++) {
#pragma unroll
            for (int k = 0; k < DEPTH; k += STEP) {
                unsigned fa[MT][4], fb[NT][2];
#pragma unroll
                for (int m = 0; m < MT; m++)
                    load_tiles(fa[m], a + (m * 16 * ROW + k) * BYTE);
#pragma unroll
                for (int n = 0; n < NT; n += 2) {
                    unsigned both[4];
                    if (ACROSS)
                        load_tiles_across(both, (b ^ n * VECTOR * BYTE) + k * DEPTH * BYTE);
                    else
                        load_tiles(both, (b ^ k * BYTE) + n * 8 * DEPTH * BYTE);
                    fb[n][0] = both[0];
                    fb[n][1] = both[1];
                    fb[n + 1][0] = both[2];
                    fb[n + 1][1] = both[3];
                }
                add_step<SINGLE, MT, NT>(c, fa, fb, (const element *)0);
            }
            a += DEPTH * BYTE;
            b += (ACROSS ? DEPTH * DEPTH : STAGE) * BYTE;
        }
    }

    /* resident weights: the first time all threads of the block wait for all of them; so must those
     * that have nothing to do */
    __device__ inline void await_weights()
    {
        if (!RESIDENT || loaded)
            return;
        copies_wait<0>();
        __syncthreads();
        loaded = true;
    }

    template <bool ACROSS> __device__ inline void multiply_resident(sums c)
    {
        await_weights();
        if (busy)
            add_resident<ACROSS>(c);
    }

    template <bool ACROSS>
    __device__ inline void multiply_passing(sums c, const element *weight, int block) const
    {
#pragma unroll 1
        for (int piece = 0; piece < PIECES; piece++) {
            copies_wait<(STAGES > 1 ? STAGES - 2 : 0)>();
            meet();
            int next = piece + STAGES - 1;
            if (next < PIECES)
                ask<ACROSS>(weight, block, next);
            copies_asked();
            const element *from = stage(piece % STAGES);
            const element *a = activations() + warp_m * MT * 16 * ROW + piece * DEPTH;
            if (!busy)
                continue;
            if (ACROSS)
                add_products<SINGLE, MT, NT, false, true>(c, a, ROW, from + warp_n * NT * 8,
                                                          ACROSS_ROW, DEPTH);
            else
                add_products<SINGLE, MT, NT, false, false>(
                    c, a, ROW, from + warp_n * NT * 8 * ALONG_ROW, ALONG_ROW, DEPTH);
        }
    }

    /* c = activations times the weights of a block (along: plus bias), whose first pieces have been
     * asked for; asks for those of the next block. Begins and ends with all threads together. */
    template <bool ACROSS>
    __device__ inline void multiply_hidden(sums c, const element *weight, int block)
    {
        if (ACROSS)
            clear(c);
        else
            begin_sums(c, edge(BIAS1), block);
        if constexpr (RESIDENT)
            multiply_resident<ACROSS>(c);
        else
            multiply_passing<ACROSS>(c, weight, block);
        meet();
        if (BLOCKS > 1 && block + 1 < BLOCKS) {
#pragma unroll
            for (int i = 0; i < STAGES - 1; i++) {
                ask<ACROSS>(weight, block + 1, i);
                copies_asked();
            }
        }
    }

    /* --- sums along rows ---------------------------------------------------------------------- */

    /* pairs of a vector: those of a thread's columns, the first being `column` */
    static __device__ inline void take_pairs(float2 w[NT], const float *vector, int column)
    {
#pragma unroll
        for (int n = 0; n < NT; n++)
            w[n] = *(const float2 *)(vector + column + n * 8);
    }

    /* … of a matrix's column, whose neighbours are `row` apart, and the first lies at `from` */
    static __device__ inline void take_pairs_down(float2 w[NT], const float *from, size_t row)
    {
#pragma unroll
        for (int n = 0; n < NT; n++)
            w[n] = make_float2(from[n * 8 * row], from[(n * 8 + 1) * row]);
    }

    /* out(row, o) for o of `outputs`: the sum over the columns of a block of c times what
     * weights(pairs, o, column) gives, in one order; each of them once, by some thread. Ends with
     * all threads together. */
    template <typename weights_fn, typename out_fn>
    __device__ inline void dot_rows(sums c, int block, int outputs, weights_fn weights,
                                    out_fn out) const
    {
        float *parts = partial();
        int lane = thread % 32;
        for (int first = 0; first < outputs; first += OUTPUTS) {
#pragma unroll 1
            for (int o = 0; o < OUTPUTS && first + o < outputs; o++) {
                float2 w[NT];
                weights(w, first + o, block * NB + lane_column);
#pragma unroll
                for (int m = 0; m < MT; m++)
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        float sum = 0;
#pragma unroll
                        for (int n = 0; n < NT; n++) {
                            sum += c[m][n][2 * half] * w[n].x;
                            sum += c[m][n][2 * half + 1] * w[n].y;
                        }
                        sum += __shfl_xor_sync(~0u, sum, 1);
                        sum += __shfl_xor_sync(~0u, sum, 2);
                        if (lane % 4 == 0)
                            parts[(warp_n * ROWS + lane_row + m * 16 + half * 8) * OUTPUTS + o] =
                                sum;
                    }
            }
            meet();
            int row = thread / OUTPUTS, o = thread % OUTPUTS;
            if (first + o < outputs) {
                float sum = 0;
#pragma unroll
                for (int w = 0; w < WARPS_N; w++)
                    sum += parts[(w * ROWS + row) * OUTPUTS + o];
                out(row, first + o, sum);
            }
            meet();
        }
    }

    /* --- sums down columns -------------------------------------------------------------------- */

    /* out [columns][WIDTH] = results^T small, where small(row, column) is 0 beyond what
     * counts: the gradient of weights beside the hidden ones. Begins and ends with all threads
     * together. */
    template <typename small_fn>
    __device__ inline void gather(int columns, small_fn small, float *out) const
    {
        element *rows = (element *)partial();
        int warp = thread / 32, lane = thread % 32;
        for (int first = 0; first < columns; first += COLUMNS) {
            for (int i = thread; i < ROWS * COLUMNS; i += THREADS) {
                int row = i / COLUMNS, column = first + i % COLUMNS;
                cut(rows + i, column < columns ? small(row, column) : 0);
            }
            meet();
            for (int m = warp * 16; m < WIDTH; m += THREADS / 2) {
                float c[1][2][4] = {};
                add_products<SINGLE, 1, 2, true, true>(c, (const element *)results() + m, ROW,
                                                       (const element *)rows, COLUMNS, ROWS);
#pragma unroll
                for (int n = 0; n < 2; n++)
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        int column = first + n * 8 + lane % 4 * 2 + i % 2;
                        if (column < columns)
                            out[(size_t)column * WIDTH + m + lane / 4 + i / 2 * 8] = c[0][n][i];
                    }
            }
            meet();
        }
    }

    /* --- traces ------------------------------------------------------------------------------- */

    /* activations or results as they lie, to rows of a trace */
    __device__ inline void keep(const element *from, element *to) const
    {
        for (int i = thread; i < ROWS * WIDTH / VECTOR; i += THREADS) {
            int row = i / (WIDTH / VECTOR), column = i % (WIDTH / VECTOR) * VECTOR;
            *(float4 *)(to + (size_t)row * WIDTH + column) =
                *(const float4 *)(from + row * ROW + column);
        }
    }

    /* ask for rows of a trace, to where results are */
    __device__ inline void ask_results(const element *from) const
    {
        element *to = results();
        for (int i = thread; i < ROWS * WIDTH / VECTOR; i += THREADS) {
            int row = i / (WIDTH / VECTOR), column = i % (WIDTH / VECTOR) * VECTOR;
            copy_16(to + row * ROW + column, from + (size_t)row * WIDTH + column);
        }
    }

    /* sums of a block, to activations or results */
    __device__ inline void put_block(element *to, const sums c, int block) const
    {
        if constexpr (sizeof(element) == 2) {
            int lane = thread % 32;
            half_t *corner = (half_t *)to + (warp_m * MT * 16 + lane % 16) * ROW + block * NB +
                             warp_n * NT * 8 + lane / 16 * 8;
#pragma unroll
            for (int m = 0; m < MT; m++)
#pragma unroll
                for (int n = 0; n < NT; n += 2)
                    store_tiles(corner + m * 16 * ROW + n * 8, c[m][n], c[m][n + 1]);
            return;
        }
        each(c, block, [&](int row, int column, float a, float b) {
            *(float2 *)(to + row * ROW + column) = make_float2(a, b);
        });
    }
};

#endif
