/* Mixed precision by AVX-512 with BF16: tiles of 14 x 32, 28 sums in the 32 registers. */
#include "nn/cpu/mixed.h"

#if defined(__AVX512BF16__)
#include <immintrin.h>
#include <stdbool.h>

enum {
    LANES = 16,
    TILE_ROWS = 14,
    DEPTH = 256,  /* rows of a batch whose products are summed up at once … */
    COLUMNS = 256 /* … for so many columns */
};

/* two numbers, neighbours in depth */
typedef uint32_t pair __attribute__((may_alias));

WAC_INLINE __m512 dot(__m512 sum, __m512i a, __m512i b)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}

/* 32 numbers, low ones first */
WAC_INLINE __m512i halves(__m512 low, __m512 high)
{
    return (__m512i)_mm512_cvtne2ps_pbh(high, low);
}

/* a0 b0 a1 b1 … of numbers 0 … 15, of 16 … 31 */
WAC_INLINE void zip(__m512i a, __m512i b, __m512i *low, __m512i *high)
{
    const __m512i first =
        _mm512_set_epi16(47, 15, 46, 14, 45, 13, 44, 12, 43, 11, 42, 10, 41, 9, 40, 8, 39, 7, 38, 6,
                         37, 5, 36, 4, 35, 3, 34, 2, 33, 1, 32, 0);
    *low = _mm512_permutex2var_epi16(a, first, b);
    *high = _mm512_permutex2var_epi16(a, _mm512_add_epi16(first, _mm512_set1_epi16(16)), b);
}

typedef __m512 sums[TILE_ROWS][2];

/* sums += `rows` (a constant where this is inlined) of A times a panel, over `pairs` of depth; A's
 * pair (i, k) is a[i * a_row + k * a_step] */
WAC_INLINE void add_products(const int rows, int pairs, const pair *a, ptrdiff_t a_row,
                             const ptrdiff_t a_step, const pair *b, sums sum)
{
    for (int line = 0; line < pairs; line += LANES) {
        if (a_step == 1 && line + LANES < pairs) {
            WAC_UNROLL
            for (int i = 0; i < rows; i++)
                __builtin_prefetch(a + i * a_row + line + LANES);
        }
        int end = wac_smaller(line + LANES, pairs);
        for (int k = line; k < end; k++) {
            __m512i low = _mm512_loadu_si512(b + k * WAC_PANEL);
            __m512i high = _mm512_loadu_si512(b + k * WAC_PANEL + LANES);
            const pair *number = a + k * a_step;
            WAC_UNROLL
            for (int i = 0; i < rows; i++) {
                __m512i value = _mm512_set1_epi32((int)*number);
                sum[i][0] = dot(sum[i][0], value, low);
                sum[i][1] = dot(sum[i][1], value, high);
                number += a_row;
                __asm__("" : "+r"(number)); /* one address, not as many as there are rows */
            }
        }
    }
}

/* so far, or nothing yet; and what comes later is asked for */
WAC_INLINE void begin_sums(const int rows, bool more, const float *c, ptrdiff_t c_row, sums sum)
{
    WAC_UNROLL
    for (int i = 0; i < rows; i++) {
        sum[i][0] = more ? _mm512_loadu_ps(c + i * c_row) : _mm512_setzero_ps();
        sum[i][1] = more ? _mm512_loadu_ps(c + i * c_row + LANES) : _mm512_setzero_ps();
        __builtin_prefetch(c + i * c_row, 1);
        __builtin_prefetch(c + i * c_row + LANES, 1);
    }
}

/* Where a tile of wac_mixed_run is: `depth` steps from `from`. */
typedef struct place {
    int row, column, from, depth;
} place;

WAC_INLINE void tile(const wac_mixed_product *p, const int rows, const place *at, const pair *panel)
{
    sums sum;
    int row = at->row, column = at->column;
    float *c = p->c + row * p->c_row + column;
    begin_sums(rows, at->from > 0, c, p->c_row, sum);
    add_products(rows, at->depth / 2, (const pair *)(p->a + row * p->a_row + at->from),
                 p->a_row / 2, 1, panel, sum);
    wac_finish finish = at->from + at->depth == p->depth ? p->finish : WAC_FINISH_STORE;
    WAC_UNROLL
    for (int i = 0; i < rows; i++) {
        __m512 low = sum[i][0], high = sum[i][1];
        if (finish == WAC_FINISH_BIAS_RELU) {
            /* the second if either is no number: those must not vanish */
            __m512 zero = _mm512_setzero_ps();
            low = _mm512_max_ps(zero, _mm512_add_ps(low, _mm512_loadu_ps(p->bias + column)));
            high =
                _mm512_max_ps(zero, _mm512_add_ps(high, _mm512_loadu_ps(p->bias + column + LANES)));
        } else if (finish == WAC_FINISH_MASK) {
            __mmask32 on = _mm512_cmpgt_epi16_mask(
                _mm512_loadu_si512(p->active + (row + i) * p->active_row + column),
                _mm512_setzero_si512());
            low = _mm512_maskz_mov_ps((__mmask16)on, low);
            high = _mm512_maskz_mov_ps((__mmask16)(on >> LANES), high);
        }
        _mm512_storeu_ps(c + i * p->c_row, low);
        _mm512_storeu_ps(c + i * p->c_row + LANES, high);
    }
}

/* A tile of the weight gradient: A is `units` of dy, zipped, LANES pairs a step. */
WAC_INLINE void gradient_tile(const int units, int pairs, const pair *a, const pair *b, bool more,
                              float *c, ptrdiff_t c_row)
{
    sums sum;
    begin_sums(units, more, c, c_row, sum);
    add_products(units, pairs, a, 1, LANES, b, sum);
    WAC_UNROLL
    for (int i = 0; i < units; i++) {
        _mm512_storeu_ps(c + i * c_row, sum[i][0]);
        _mm512_storeu_ps(c + i * c_row + LANES, sum[i][1]);
    }
}

/* one copy for each number of rows, so that sums stay in registers */
#define FOR_ROWS(rows, call)                                                                       \
    switch (rows) {                                                                                \
        CASE(1, call)                                                                              \
        CASE(2, call)                                                                              \
        CASE(3, call)                                                                              \
        CASE(4, call)                                                                              \
        CASE(5, call)                                                                              \
        CASE(6, call)                                                                              \
        CASE(7, call)                                                                              \
        CASE(8, call)                                                                              \
        CASE(9, call)                                                                              \
        CASE(10, call)                                                                             \
        CASE(11, call)                                                                             \
        CASE(12, call)                                                                             \
        CASE(13, call)                                                                             \
        CASE(14, call)                                                                             \
    }
#define CASE(n, call)                                                                              \
    case n: {                                                                                      \
        enum { ROWS = n };                                                                         \
        call;                                                                                      \
        break;                                                                                     \
    }

/* of the rows that are left: tiles of about the same height, low ones wait for B */
static int tile_rows(int left)
{
    int tiles = (left + TILE_ROWS - 1) / TILE_ROWS;
    return (left + tiles - 1) / tiles;
}

/* 16 rows of 16 pairs become columns */
WAC_INLINE void turn_square(__m512i row[LANES], pair *to)
{
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    WAC_UNROLL
    for (int stage = 1; stage < LANES; stage *= 2) {
        __m512i zipped[LANES];
        WAC_UNROLL
        for (int i = 0; i < LANES / 2; i++) {
            zipped[2 * i] = _mm512_permutex2var_epi32(row[i], low, row[i + LANES / 2]);
            zipped[2 * i + 1] = _mm512_permutex2var_epi32(row[i], high, row[i + LANES / 2]);
        }
        WAC_UNROLL
        for (int i = 0; i < LANES; i++)
            row[i] = zipped[i];
    }
    WAC_UNROLL
    for (int i = 0; i < LANES; i++)
        _mm512_storeu_si512(to + i * WAC_PANEL, row[i]);
}

WAC_INLINE __m512i cut_32(const float *numbers)
{
    return halves(_mm512_loadu_ps(numbers), _mm512_loadu_ps(numbers + LANES));
}

/* A panel of B, cut to 16 bits, its rows zipped two by two. */
static void make_panel(const wac_mixed_product *p, const place *at, pair *panel)
{
    const float *b = p->b + at->column * p->b_column + at->from * p->b_row;
    if (p->b_column == 1) {
        for (int k = 0; k < at->depth; k += 2, panel += WAC_PANEL) {
            __m512i low, high;
            zip(cut_32(b + k * p->b_row), cut_32(b + (k + 1) * p->b_row), &low, &high);
            _mm512_storeu_si512(panel, low);
            _mm512_storeu_si512(panel + LANES, high);
        }
        return;
    }
    /* its columns are contiguous: pairs already, to be turned */
    for (int j = 0; j < WAC_PANEL; j += LANES)
        for (int k = 0; k < at->depth; k += 2 * LANES) {
            __m512i row[LANES];
            WAC_UNROLL
            for (int i = 0; i < LANES; i++)
                row[i] = cut_32(b + (j + i) * p->b_column + k);
            turn_square(row, panel + k / 2 * WAC_PANEL + j);
        }
}

void wac_mixed_run(const wac_mixed_product *p)
{
    _Alignas(64) pair panels[COLUMNS * DEPTH / 2];
    for (int first = 0; first < p->columns; first += COLUMNS) {
        int end = wac_smaller(first + COLUMNS, p->columns);
        place at;
        for (at.from = 0; at.from < p->depth; at.from += DEPTH) {
            at.depth = wac_smaller(DEPTH, p->depth - at.from);
            for (at.column = first; at.column < end; at.column += WAC_PANEL)
                make_panel(p, &at, panels + (at.column - first) * at.depth / 2);
            for (int rows, row = 0; row < p->rows; row += rows) {
                rows = tile_rows(p->rows - row);
                at.row = row;
                for (at.column = first; at.column < end; at.column += WAC_PANEL)
                    FOR_ROWS(rows, tile(p, ROWS, &at, panels + (at.column - first) * at.depth / 2))
            }
        }
    }
}

void wac_mixed_cut(int rows, int columns, const float *x, ptrdiff_t x_row, wac_bf16 *y,
                   ptrdiff_t y_row)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j += WAC_PANEL)
            _mm512_storeu_si512(y + i * y_row + j, cut_32(x + i * x_row + j));
}

/* x [rows][columns], its rows zipped two by two, into panels; the row behind the last is zero */
static void zip_rows(int rows, int columns, const wac_bf16 *x, ptrdiff_t row, pair *panels)
{
    int pairs = (rows + 1) / 2;
    for (int k = 0; k < pairs; k++)
        for (int column = 0; column < columns; column += WAC_PANEL) {
            const wac_bf16 *start = x + 2 * k * row + column;
            __m512i low, high, a = _mm512_loadu_si512(start);
            __m512i b = 2 * k + 1 < rows ? _mm512_loadu_si512(start + row) : _mm512_setzero_si512();
            zip(a, b, &low, &high);
            pair *to = panels + (ptrdiff_t)column * pairs + k * WAC_PANEL;
            _mm512_storeu_si512(to, low);
            _mm512_storeu_si512(to + LANES, high);
        }
}

/* `units` of dy zipped the same way, LANES pairs a step */
static void zip_units(int rows, int units, const wac_bf16 *dy, ptrdiff_t row, pair *to)
{
    __mmask16 here = (__mmask16)((1u << units) - 1);
    for (int i = 0; i < rows; i += 2, to += LANES) {
        __m256i a = _mm256_maskz_loadu_epi16(here, dy + i * row);
        __m256i b = i + 1 < rows ? _mm256_maskz_loadu_epi16(here, dy + (i + 1) * row)
                                 : _mm256_setzero_si256();
        /* a's in the low halves */
        _mm512_store_si512(to, _mm512_or_si512(_mm512_cvtepu16_epi32(a),
                                               _mm512_slli_epi32(_mm512_cvtepu16_epi32(b), 16)));
    }
}

void wac_mixed_dweight(int rows, int inputs, int first, int end, const wac_bf16 *dy,
                       const wac_bf16 *x, ptrdiff_t row, float *dweight)
{
    _Alignas(64) pair b[COLUMNS * DEPTH / 2], a[LANES * DEPTH / 2];
    for (int column = 0; column < inputs; column += COLUMNS) {
        int columns = wac_smaller(COLUMNS, inputs - column);
        for (int from = 0; from < rows; from += DEPTH) {
            int depth = wac_smaller(DEPTH, rows - from), pairs = (depth + 1) / 2;
            zip_rows(depth, columns, x + from * row + column, row, b);
            for (int unit = first, units; unit < end; unit += units) {
                units = tile_rows(end - unit);
                zip_units(depth, units, dy + from * row + unit, row, a);
                for (int panel = 0; panel < columns; panel += WAC_PANEL) {
                    float *c = dweight + (ptrdiff_t)unit * inputs + column + panel;
                    FOR_ROWS(units, gradient_tile(ROWS, pairs, a, b + (ptrdiff_t)panel * pairs,
                                                  from > 0, c, inputs))
                }
            }
        }
    }
}
#else
/* never called: wac_mixed_missing says why */
#pragma GCC diagnostic ignored "-Wunused-parameter"

void wac_mixed_run(const wac_mixed_product *product)
{
}

void wac_mixed_cut(int rows, int columns, const float *x, ptrdiff_t x_row, wac_bf16 *y,
                   ptrdiff_t y_row)
{
}

void wac_mixed_dweight(int rows, int inputs, int first, int end, const wac_bf16 *dy,
                       const wac_bf16 *x, ptrdiff_t row, float *dweight)
{
}
#endif
