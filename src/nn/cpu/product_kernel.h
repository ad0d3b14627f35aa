/* The product, for one vector unit. The includer defines
 *
 *   NAME(function) the function's name with the unit's
 *   LANES          floats in a vector
 *   VECTORS        vectors in a tile's row; a tile is TILE_ROWS x PANEL, PANEL = VECTORS * LANES
 *   TILE_ROWS      6 or 14
 *   SPARE          10 or 24: vectors of a panel that leave registers to work with
 *   vector, V_ZERO, V_LOAD, V_STORE, V_SPREAD (one float to all lanes), V_FMA, V_ADD,
 *   V_MAX (the second if either is no number: those must not vanish in a ReLU),
 *   V_KEEP(x, active): x where active > 0, else 0
 *   V_ZIP_LOW(a, b), V_ZIP_HIGH(a, b): a0 b0 a1 b1 … of the lower, of the upper halves
 *
 * The sums of a tile stay in registers. A tile's rows of A pass by all of B's panels before the
 * next tile's do; B is up to DEPTH x COLUMNS at a time, so that it stays in the second-level cache.
 */
#include "nn/cpu/product.h"

#include <stdbool.h>
#include <string.h>

enum {
    DEPTH = WAC_PRODUCT_DEPTH,
    COLUMNS = 256,
    PANEL = VECTORS * LANES,
    LINE = 64 / sizeof(float),
    DEEP = 64, /* from here on the end of a tile is far enough to fetch what it needs */
    FAR = 1024 /* rows of B that are this far apart fight for their place in the cache */
};

/* Where a tile is: `columns` of C from `column`, `rows` from `row`, `depth` steps from `from`. */
typedef struct place {
    int row, rows, column, columns, from, depth;
} place;

/* A panel of B: rows of PANEL numbers, `step` apart. */
typedef struct panel {
    const float *start;
    ptrdiff_t step;
} panel;

/* Lines to be brought into the cache, some whenever a piece of the work begins. */
typedef struct fetch {
    const float *next, *end;
    ptrdiff_t step; /* numbers at a time */
} fetch;

static fetch fetch_evenly(wac_span span, int pieces)
{
    ptrdiff_t lines = ((ptrdiff_t)span.count + LINE - 1) / LINE;
    return (fetch){span.start, span.start + span.count, (lines + pieces - 1) / pieces * LINE};
}

static inline void fetch_some(fetch *fetch)
{
    const float *end =
        fetch->end - fetch->next > fetch->step ? fetch->next + fetch->step : fetch->end;
    for (; fetch->next < end; fetch->next += LINE)
        __builtin_prefetch(fetch->next);
}

/* Step k of a tile: what A's column k adds to the sums. The lines of A that come after those in use
 * are asked for, one row's in each step. */
WAC_INLINE void add_step(const int rows, const float *a, ptrdiff_t a_row, ptrdiff_t a_depth,
                         panel b, int k, vector sum[TILE_ROWS][VECTORS])
{
    if (a_depth == 1 && k % LINE < rows)
        __builtin_prefetch(a + k % LINE * a_row + (k / LINE + 1) * LINE);
    vector row[VECTORS];
    WAC_UNROLL
    for (int v = 0; v < VECTORS; v++)
        row[v] = V_LOAD(b.start + k * b.step + v * LANES);
    const float *number = a + k * a_depth;
    WAC_UNROLL
    for (int i = 0; i < rows; i++) {
        vector value = V_SPREAD(*number);
        WAC_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[i][v] = V_FMA(value, row[v], sum[i][v]);
        number += a_row;
        __asm__("" : "+r"(number)); /* one address, not as many as there are rows */
    }
}

/* `rows` (a constant where this is inlined) by PANEL sums into c; with `finish` applied at the end
 * of the depth */
WAC_INLINE void tile(const wac_product *p, const int rows, const place *at, panel b, float *c,
                     ptrdiff_t c_row, wac_finish finish)
{
    vector sum[TILE_ROWS][VECTORS];
    const float *active = finish == WAC_FINISH_MASK ? p->active + (c - p->c) : NULL;
    WAC_UNROLL
    for (int i = 0; i < rows; i++) {
        WAC_UNROLL
        for (int v = 0; v < VECTORS; v++)
            sum[i][v] = at->from == 0 ? V_ZERO : V_LOAD(c + i * c_row + v * LANES);
    }
    const float *a = p->a + at->row * p->a_row + at->from * p->a_depth;
    int k = 0;
    /* in the first steps of a deep tile, what its end needs is asked for, row by row */
    for (; at->depth >= DEEP && k < rows; k++) {
        WAC_UNROLL
        for (int line = 0; line < PANEL; line += LINE) {
            __builtin_prefetch(c + k * c_row + line, 1);
            if (finish == WAC_FINISH_MASK)
                __builtin_prefetch(active + k * c_row + line);
        }
        add_step(rows, a, p->a_row, p->a_depth, b, k, sum);
    }
    for (; k < at->depth; k++)
        add_step(rows, a, p->a_row, p->a_depth, b, k, sum);

    WAC_UNROLL
    for (int i = 0; i < rows; i++) {
        WAC_UNROLL
        for (int v = 0; v < VECTORS; v++) {
            vector value = sum[i][v];
            if (finish == WAC_FINISH_BIAS_RELU)
                value = V_MAX(V_ZERO, V_ADD(value, V_LOAD(p->bias + at->column + v * LANES)));
            else if (finish == WAC_FINISH_MASK)
                value = V_KEEP(value, V_LOAD(active + i * c_row + v * LANES));
            V_STORE(c + i * c_row + v * LANES, value);
        }
    }
}

/* The same for any number of rows up to TILE_ROWS: one copy for each, so that sums stay in
 * registers. */
static void tile_of(const wac_product *p, const place *at, panel b, float *c, ptrdiff_t c_row,
                    wac_finish finish)
{
#define ROWS(n)                                                                                    \
    case n:                                                                                        \
        tile(p, n, at, b, c, c_row, finish);                                                       \
        break;
    switch (at->rows) {
        WAC_EACH(TILE_ROWS, ROWS)
    }
#undef ROWS
}

/* A tile that C's right edge cuts: made aside, then its columns are copied. */
static void edge_tile(const wac_product *p, const place *at, panel b, float *c, wac_finish finish)
{
    _Alignas(64) float aside[TILE_ROWS * PANEL];
    for (int i = 0; at->from > 0 && i < at->rows; i++)
        memcpy(aside + i * PANEL, c + i * p->c_row, (size_t)at->columns * sizeof *c);
    tile_of(p, at, b, aside, PANEL, WAC_FINISH_STORE);
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

/* A square of LANES x LANES: zipping rows half a square apart, again and again. */
WAC_INLINE void turn_square(const float *from, ptrdiff_t step, float *to)
{
    vector row[LANES], zipped[LANES];
    WAC_UNROLL
    for (int i = 0; i < LANES; i++)
        row[i] = V_LOAD(from + i * step);
    WAC_UNROLL
    for (int stage = 1; stage < LANES; stage *= 2) {
        WAC_UNROLL
        for (int i = 0; i < LANES / 2; i++) {
            zipped[2 * i] = V_ZIP_LOW(row[i], row[i + LANES / 2]);
            zipped[2 * i + 1] = V_ZIP_HIGH(row[i], row[i + LANES / 2]);
        }
        WAC_UNROLL
        for (int i = 0; i < LANES; i++)
            row[i] = zipped[i];
    }
    WAC_UNROLL
    for (int i = 0; i < LANES; i++)
        V_STORE(to + i * PANEL, row[i]);
}

/* A panel's copy where B's columns are contiguous. */
static void turn_panel(const float *b, ptrdiff_t step, int columns, int depth, float *copy)
{
    int whole = depth / LANES * LANES;
    for (int j = 0; j < PANEL; j += LANES) {
        bool full = j + LANES <= columns;
        for (int k = 0; full && k < whole; k += LANES)
            turn_square(b + j * step + k, step, copy + k * PANEL + j);
        for (int k = full ? whole : 0; k < depth; k++)
            for (int i = j; i < j + LANES; i++)
                copy[k * PANEL + i] = i < columns ? b[i * step + k] : 0;
    }
}

/* B where it lies; or a copy of it, if the panel is cut by B's edge or its rows are far apart, or
 * are no rows */
static panel panel_of(const wac_product *p, const place *at, float *copy)
{
    const float *b = p->b + at->column * p->b_column + at->from * p->b_row;
    if (p->b_column != 1) {
        turn_panel(b, p->b_column, at->columns, at->depth, copy);
        return (panel){copy, PANEL};
    }
    if (at->columns == PANEL && p->b_row < FAR)
        return (panel){b, p->b_row};
    for (int k = 0; k < at->depth; k++) {
        memcpy(copy + k * PANEL, b + k * p->b_row, (size_t)at->columns * sizeof *b);
        memset(copy + k * PANEL + at->columns, 0, (size_t)(PANEL - at->columns) * sizeof *b);
    }
    return (panel){copy, PANEL};
}

/* A panel of C where the depth (a constant where this is inlined) is so small that B's panel, or
 * its columns one vector at a time, stay in registers: row after row, the same sums. */
WAC_INLINE void shallow(const wac_product *p, const int depth, int column, panel from, fetch *fetch)
{
    const int vectors = depth * VECTORS <= SPARE ? VECTORS : 1;
    vector b[SPARE][VECTORS], bias[VECTORS];
    for (int part = 0; part < VECTORS; part += vectors) {
        WAC_UNROLL
        for (int v = 0; v < vectors; v++) {
            int at = (part + v) * LANES;
            bias[v] = V_LOAD(p->bias + column + at);
            WAC_UNROLL
            for (int k = 0; k < depth; k++)
                b[k][v] = V_LOAD(from.start + k * from.step + at);
        }
        const float *a = p->a;
        float *c = p->c + column + part * LANES;
        for (int i = 0; i < p->rows; i++, a += p->a_row, c += p->c_row) {
            fetch_some(fetch);
            vector sum[VECTORS];
            WAC_UNROLL
            for (int v = 0; v < vectors; v++)
                sum[v] = V_ZERO;
            WAC_UNROLL
            for (int k = 0; k < depth; k++) {
                vector value = V_SPREAD(a[k]);
                WAC_UNROLL
                for (int v = 0; v < vectors; v++)
                    sum[v] = V_FMA(value, b[k][v], sum[v]);
            }
            WAC_UNROLL
            for (int v = 0; v < vectors; v++)
                V_STORE(c + v * LANES, V_MAX(V_ZERO, V_ADD(sum[v], bias[v])));
        }
    }
}

/* Products with few inputs, as first layers have; false: not one of those. */
static bool shallow_product(const wac_product *p)
{
    if (p->depth > SPARE || p->columns % PANEL != 0 || p->a_depth != 1 ||
        p->finish != WAC_FINISH_BIAS_RELU)
        return false;
    place at = {.columns = PANEL, .depth = p->depth};
    fetch fetch = fetch_evenly(p->ahead, p->rows * (p->columns / PANEL));
    for (; at.column < p->columns; at.column += PANEL) {
        _Alignas(64) float copy[SPARE * PANEL];
        panel b = panel_of(p, &at, copy);
#define DEPTH_IS(n)                                                                                \
    case n:                                                                                        \
        shallow(p, n, at.column, b, &fetch);                                                       \
        break;
        switch (p->depth) {
            WAC_EACH(SPARE, DEPTH_IS)
        }
#undef DEPTH_IS
    }
    return true;
}

void NAME(wac_product)(const wac_product *p)
{
    if (p->rows == 0 || shallow_product(p))
        return;
    _Alignas(64) float copies[COLUMNS / PANEL][DEPTH * PANEL];
    panel panels[COLUMNS / PANEL];
    int tiles = (p->rows + TILE_ROWS - 1) / TILE_ROWS * ((p->columns + PANEL - 1) / PANEL);
    fetch fetch = fetch_evenly(p->ahead, tiles);
    place at;
    for (int first = 0; first < p->columns; first += COLUMNS) {
        int end = wac_smaller(first + COLUMNS, p->columns);
        for (at.from = 0; at.from < p->depth; at.from += DEPTH) {
            at.depth = wac_smaller(DEPTH, p->depth - at.from);
            wac_finish finish = at.from + at.depth == p->depth ? p->finish : WAC_FINISH_STORE;
            for (int i = 0; first + i * PANEL < end; i++) {
                at.column = first + i * PANEL;
                at.columns = wac_smaller(PANEL, end - at.column);
                panels[i] = panel_of(p, &at, copies[i]);
            }
            /* tiles of about the same height: low ones wait for B */
            for (at.row = 0; at.row < p->rows; at.row += at.rows) {
                int left = p->rows - at.row, tiles = (left + TILE_ROWS - 1) / TILE_ROWS;
                at.rows = (left + tiles - 1) / tiles;
                for (int i = 0; first + i * PANEL < end; i++) {
                    at.column = first + i * PANEL;
                    at.columns = wac_smaller(PANEL, end - at.column);
                    float *c = p->c + at.row * p->c_row + at.column;
                    fetch_some(&fetch);
                    if (at.columns == PANEL)
                        tile_of(p, &at, panels[i], c, p->c_row, finish);
                    else
                        edge_tile(p, &at, panels[i], c, finish);
                }
            }
        }
    }
}
