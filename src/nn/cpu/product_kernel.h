/* The product, for one vector unit. The includer defines
 *
 *   KERNEL         name of the function
 *   LANES          floats in a vector
 *   VECTORS        vectors in a tile's row; a tile is TILE_ROWS x PANEL, PANEL = VECTORS * LANES
 *   TILE_ROWS      6 or 14
 *   vector, V_ZERO, V_LOAD, V_STORE, V_SPREAD (one float to all lanes), V_FMA, V_ADD,
 *   V_MAX (the second if either is no number: those must not vanish in a ReLU),
 *   V_KEEP(x, active): x where active > 0, else 0
 *   V_ZIP_LOW(a, b), V_ZIP_HIGH(a, b): a0 b0 a1 b1 … of the lower, of the upper halves
 *
 * B is packed, a panel of one tile's width and up to DEPTH numbers deep at a time, into a buffer
 * that stays in the first-level cache while all rows of A pass by. The tile's sums stay in
 * registers.
 */
#include "nn/cpu/product.h"

#include <string.h>

/* sums stay in registers only if every loop over them is unrolled */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { DEPTH = 256, PANEL = VECTORS * LANES };

/* Where a tile is: `columns` of C from `column`, `rows` from `row`, `depth` steps from `from`. */
typedef struct place {
    int row, rows, column, columns, from, depth;
} place;

/* A square of LANES x LANES, transposed: zipping rows half a square apart, again and again. */
static inline __attribute__((always_inline)) void turn(const float *from, ptrdiff_t step, float *to)
{
    vector row[LANES], zipped[LANES];
    UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = V_LOAD(from + i * step);
    UNROLL
    for (int stage = 1; stage < LANES; stage *= 2) {
        UNROLL
        for (int i = 0; i < LANES / 2; i++) {
            zipped[2 * i] = V_ZIP_LOW(row[i], row[i + LANES / 2]);
            zipped[2 * i + 1] = V_ZIP_HIGH(row[i], row[i + LANES / 2]);
        }
        UNROLL
        for (int i = 0; i < LANES; i++)
            row[i] = zipped[i];
    }
    UNROLL
    for (int i = 0; i < LANES; i++)
        V_STORE(to + i * PANEL, row[i]);
}

/* panel [depth][PANEL], zero beyond the columns */
static void pack(const wac_product *p, const place *at, float *panel)
{
    const float *b = p->b + at->column * p->b_column + at->from * p->b_depth;
    if (at->columns < PANEL)
        memset(panel, 0, (size_t)at->depth * PANEL * sizeof *panel);
    if (p->b_column == 1) {
        for (int k = 0; k < at->depth; k++)
            memcpy(panel + k * PANEL, b + k * p->b_depth, (size_t)at->columns * sizeof *b);
        return;
    }
    /* whole squares, then what is left below and beside them */
    int depth = p->b_depth == 1 ? at->depth / LANES * LANES : 0;
    int columns = depth > 0 ? at->columns / LANES * LANES : 0;
    for (int k = 0; k < depth; k += LANES)
        for (int j = 0; j < columns; j += LANES)
            turn(b + k + j * p->b_column, p->b_column, panel + k * PANEL + j);
    for (int j = 0; j < at->columns; j++)
        for (int k = j < columns ? depth : 0; k < at->depth; k++)
            panel[k * PANEL + j] = b[k * p->b_depth + j * p->b_column];
}

/* `rows` (a constant where this is inlined) by PANEL sums into c; with `finish` applied at the end
 * of the depth */
static inline __attribute__((always_inline)) void tile(const wac_product *p, const int rows,
                                                       const place *at, const float *panel,
                                                       float *c, ptrdiff_t c_row, wac_finish finish)
{
    vector sum[TILE_ROWS][VECTORS];
    UNROLL
    for (int i = 0; i < rows; i++)
        UNROLL
    for (int v = 0; v < VECTORS; v++)
        sum[i][v] = at->from == 0 ? V_ZERO : V_LOAD(c + i * c_row + v * LANES);

    const float *a = p->a + at->row * p->a_row + at->from * p->a_depth;
    const ptrdiff_t a_row = p->a_row, a_depth = p->a_depth;
    for (int k = 0; k < at->depth; k++) {
        vector b[VECTORS];
        UNROLL
        for (int v = 0; v < VECTORS; v++)
            b[v] = V_LOAD(panel + k * PANEL + v * LANES);
        UNROLL
        for (int i = 0; i < rows; i++) {
            vector value = V_SPREAD(a[i * a_row + k * a_depth]);
            UNROLL
            for (int v = 0; v < VECTORS; v++)
                sum[i][v] = V_FMA(value, b[v], sum[i][v]);
        }
    }

    UNROLL
    for (int i = 0; i < rows; i++) {
        UNROLL
        for (int v = 0; v < VECTORS; v++) {
            vector value = sum[i][v];
            if (finish == WAC_FINISH_BIAS_RELU)
                value = V_MAX(V_ZERO, V_ADD(value, V_LOAD(p->bias + at->column + v * LANES)));
            else if (finish == WAC_FINISH_MASK)
                value = V_KEEP(value, V_LOAD(p->active + (c - p->c) + i * c_row + v * LANES));
            V_STORE(c + i * c_row + v * LANES, value);
        }
    }
}

/* The same for any number of rows up to TILE_ROWS: one copy for each, so that sums stay in
 * registers. */
static void tile_of(const wac_product *p, const place *at, const float *panel, float *c,
                    ptrdiff_t c_row, wac_finish finish)
{
#define ROWS(n)                                                                                    \
    case n:                                                                                        \
        tile(p, n, at, panel, c, c_row, finish);                                                   \
        break;
    switch (at->rows) {
        ROWS(1)
        ROWS(2)
        ROWS(3)
        ROWS(4)
        ROWS(5) ROWS(6)
#if TILE_ROWS > 6
            ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12) ROWS(13) ROWS(14)
#endif
    }
#undef ROWS
}

/* A tile that C's right edge cuts: made aside, then its columns are copied. */
static void edge_tile(const wac_product *p, const place *at, const float *panel, float *c,
                      wac_finish finish)
{
    _Alignas(64) float aside[TILE_ROWS * PANEL];
    for (int i = 0; at->from > 0 && i < at->rows; i++)
        memcpy(aside + i * PANEL, c + i * p->c_row, (size_t)at->columns * sizeof *c);
    tile_of(p, at, panel, aside, PANEL, WAC_FINISH_STORE);
    for (int i = 0; i < at->rows; i++) {
        float *row = c + i * p->c_row;
        for (int j = 0; j < at->columns; j++) {
            float value = aside[i * PANEL + j];
            if (finish == WAC_FINISH_BIAS_RELU) {
                value += p->bias[at->column + j];
                value = value < 0 ? 0 : value;
            } else if (finish == WAC_FINISH_MASK) {
                value = p->active[row - p->c + j] > 0 ? value : 0;
            }
            row[j] = value;
        }
    }
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void KERNEL(const wac_product *p)
{
    _Alignas(64) float panel[DEPTH * PANEL];
    place at;
    for (at.column = 0; at.column < p->columns; at.column += PANEL) {
        at.columns = smaller(PANEL, p->columns - at.column);
        for (at.from = 0; at.from < p->depth; at.from += DEPTH) {
            at.depth = smaller(DEPTH, p->depth - at.from);
            wac_finish finish = at.from + at.depth == p->depth ? p->finish : WAC_FINISH_STORE;
            pack(p, &at, panel);
            for (at.row = 0; at.row < p->rows; at.row += TILE_ROWS) {
                float *c = p->c + at.row * p->c_row + at.column;
                at.rows = smaller(TILE_ROWS, p->rows - at.row);
                if (at.columns == PANEL)
                    tile_of(p, &at, panel, c, p->c_row, finish);
                else
                    edge_tile(p, &at, panel, c, finish);
            }
        }
    }
}
