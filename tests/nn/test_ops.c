/* The cpu backend, in both precisions, against the reference, from one list of shapes; and the same
 * bytes from it at any number of threads. */
#include "nn/backend.h"
#include "nn/cpu/mixed.h"
#include "nn/cpu/product.h"
#include "nn/fill.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct shape_case {
    int members, rows, inputs, width, outputs;
    int hidden; /* layers of a plain network */
    int blocks; /* of a residual one */
    bool after; /* which is normalised behind its layers */
} shape_case;

/* around every edge on which the fast code may cut: single rows, pieces of rows, lanes, heads */
static const shape_case cases[] = {
    {1, 1, 1, 1, 1, 2, 0, false},
    {2, 1, 2, 16, 1, 2, 0, false},
    {1, 1, 4, 256, 4, 2, 0, false},
    {4, 1, 23, 256, 1, 2, 0, false},
    {2, 3, 1, 1, 12, 2, 0, false},
    {3, 3, 5, 31, 2, 2, 0, false},
    {4, 3, 17, 128, 12, 2, 0, false},
    {2, 2, 6, 256, 1, 2, 0, false},
    {1, 4, 3, 31, 1, 2, 0, false},
    {2, 5, 3, 31, 1, 2, 0, false},
    {1, 7, 8, 17, 2, 2, 0, false},
    {3, 16, 15, 16, 2, 2, 0, false},
    {4, 64, 2, 16, 1, 2, 0, false},
    {1, 64, 23, 31, 12, 2, 0, false},
    {2, 64, 2, 128, 1, 2, 0, false},
    {3, 127, 1, 31, 2, 2, 0, false},
    {1, 127, 4, 128, 12, 2, 0, false},
    {2, 128, 16, 16, 16, 2, 0, false},
    {4, 129, 3, 31, 1, 2, 0, false},
    {1, 129, 23, 128, 2, 2, 0, false},
    {2, 129, 7, 1, 1, 2, 0, false},
    {2, 256, 2, 128, 1, 2, 0, false},
    {4, 256, 3, 128, 1, 2, 0, false},
    {1, 256, 4, 256, 4, 2, 0, false},
    {2, 256, 23, 31, 12, 2, 0, false},
    {2, 410, 6, 256, 1, 2, 0, false},
    {3, 410, 1, 16, 1, 2, 0, false},
    {4, 410, 5, 31, 2, 2, 0, false},
    {2, 257, 9, 100, 3, 2, 0, false},
    {1, 33, 11, 257, 5, 2, 0, false},
    {2, 300, 376, 64, 17, 2, 0, false},
    {1, 410, 12, 144, 1, 2, 0, false},
    {1, 3, 2, 32, 2, 2, 0, false},
    {2, 57, 5, 32, 3, 2, 0, false},
    {3, 75, 3, 96, 1, 2, 0, false},
    {1, 257, 7, 320, 2, 2, 0, false},
    /* other numbers of hidden layers than two */
    {1, 1, 4, 31, 1, 1, 0, false},
    {2, 256, 23, 128, 12, 1, 0, false},
    {3, 75, 3, 320, 2, 1, 0, false},
    {1, 1, 1, 1, 1, 3, 0, false},
    {2, 5, 3, 31, 1, 3, 0, false},
    {3, 127, 1, 31, 2, 3, 0, false},
    {2, 256, 23, 256, 50, 3, 0, false},
    {1, 257, 7, 320, 2, 3, 0, false},
    {4, 129, 3, 16, 1, 4, 0, false},
    {2, 300, 9, 300, 3, 4, 0, false},
    /* residual: rows and widths around what is done at once, heads, one block and most of them */
    {1, 1, 1, 2, 1, 0, 1, false},
    {2, 3, 5, 31, 2, 0, 2, false},
    {3, 16, 15, 16, 2, 0, 1, false},
    {1, 4, 3, 33, 1, 0, 4, false},
    {1, 5, 3, 64, 12, 0, 3, false},
    {2, 64, 2, 32, 1, 0, 2, false},
    {4, 129, 3, 31, 1, 0, 1, false},
    {3, 57, 70, 17, 3, 0, 2, false},
    {2, 256, 6, 128, 1, 0, 2, false},
    {1, 256, 4, 128, 4, 0, 1, false},
    {2, 300, 23, 80, 1, 0, 2, false},
    {3, 33, 7, 320, 5, 0, 1, false},
    /* normalised behind their layers */
    {1, 1, 1, 2, 1, 0, 1, true},
    {2, 3, 5, 31, 2, 0, 2, true},
    {3, 16, 15, 16, 2, 0, 1, true},
    {1, 4, 3, 33, 1, 0, 4, true},
    {1, 5, 3, 64, 12, 0, 3, true},
    {2, 64, 2, 32, 1, 0, 2, true},
    {4, 129, 3, 31, 1, 0, 1, true},
    {3, 57, 70, 17, 3, 0, 2, true},
    {2, 256, 6, 128, 1, 0, 2, true},
    {1, 256, 4, 128, 4, 0, 1, true},
    {2, 300, 23, 80, 1, 0, 2, true},
    {3, 33, 7, 320, 5, 0, 1, true},
};

enum { CASES = sizeof cases / sizeof *cases, VARIANTS = 4, THREADS = 3 };

/* What a run of all networks' operations makes. */
typedef struct results {
    wac_arena arena;
    wac_stack stack, target;
    wac_pass pass, after;
    real *dparams, *dinputs, *only_dparams, *only_dinputs;
    size_t inputs; /* numbers of dinputs */
    wac_moments moments;
} results;

static void fill(uint64_t seed, size_t count, real low, real high, real *out)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    wac_fill_uniform(&rng, count, low, high, out);
}

/* --- 16-bit numbers --------------------------------------------------------------------------- */

/* the nearest, of two the even one */
static wac_bf16 cut_number(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (wac_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float whole_number(wac_bf16 x)
{
    uint32_t bits = (uint32_t)x << 16;
    float whole;
    memcpy(&whole, &bits, sizeof whole);
    return whole;
}

static wac_shape shape_of(const shape_case *c)
{
    return (wac_shape){c->inputs,           c->width,         c->outputs, .hidden = c->hidden,
                       .blocks = c->blocks, .after = c->after};
}

static bool is_mixed(const wac_ops *ops, const shape_case *c)
{
    return ops == &wac_ops_mixed && c->hidden == 2 && c->width % WAC_PANEL == 0;
}

/* Arrays that a pass keeps for the way back, and what of them is not only the backend's business.
 */
static size_t kept(const shape_case *c, int i)
{
    wac_shape shape = shape_of(c);
    return (size_t)wac_shape_kept(&shape, i);
}

static bool is_told(const shape_case *c, int i)
{
    bool back = c->after && i >= WAC_KEPT_BLOCK + 4 * c->blocks; /* the way back's */
    return !c->blocks || (i != WAC_KEPT_SCRATCH && i != WAC_KEPT_SLOPE && !back);
}

/* rows of floats into their first halves, and back */
static void cut_rows(size_t rows, size_t width, const float *from, float *to)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++)
            ((wac_bf16 *)(to + i * width))[j] = cut_number(from[i * width + j]);
}

static void fill_rows(size_t rows, size_t width, float *h)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = width; j-- > 0;)
            h[i * width + j] = whole_number(((wac_bf16 *)(h + i * width))[j]);
}

/* variant: 1 inputs of each member's own, 2 leave out the first inputs */
static void run(results *r, const wac_ops *ops, wac_team *team, const shape_case *c, int variant,
                const wac_pass *activations)
{
    *r = (results){0};
    wac_arena *arena = &r->arena;
    wac_shape shape = shape_of(c);
    int capacity = c->rows + variant, first = variant & 2 ? c->inputs / 2 : 0;
    size_t rows = (size_t)(c->members * capacity), stride = (size_t)(c->rows * c->inputs);
    wac_pass used;
    wac_stack_init(&r->stack, arena, shape, c->members);
    wac_stack_init(&r->target, arena, shape, c->members);
    wac_pass_init(&r->pass, arena, &r->stack, capacity, ops);
    wac_pass_init(&r->after, arena, &r->stack, capacity, ops);
    wac_pass_init(&used, arena, &r->stack, capacity, ops);
    size_t params = wac_stack_size(&r->stack), outputs = rows * (size_t)c->outputs;
    r->inputs = rows * (size_t)(c->inputs - first);
    r->moments = (wac_moments){WAC_TAKE(arena, real, params), WAC_TAKE(arena, real, params)};
    r->dparams = WAC_TAKE(arena, real, params);
    r->only_dparams = WAC_TAKE(arena, real, params);
    r->dinputs = WAC_TAKE(arena, real, r->inputs);
    r->only_dinputs = WAC_TAKE(arena, real, r->inputs);
    real *x = WAC_TAKE(arena, real, stride * (size_t)c->members);
    real *dout = WAC_TAKE(arena, real, outputs);
    real *gradient = WAC_TAKE(arena, real, params);
    assert_false(arena->failed);
    fill(1, stride * (size_t)c->members, -1, 1, x);
    fill(2, outputs, -1, 1, dout);
    /* some rows that do not count, and a piece without any that does */
    for (size_t i = 0; i < rows; i++)
        if (i % 3 == 1 || i / 140 == 1)
            memset(dout + i * (size_t)c->outputs, 0, (size_t)c->outputs * sizeof *dout);
    wac_rng rng = wac_rng_make(3, WAC_STREAM_INIT);
    for (int m = 0; m < c->members; m++) {
        wac_stack_randomise(&r->stack, m, false, 0.5, &rng);
        wac_stack_randomise(&r->target, m, false, 0.5, &rng);
        for (int i = 0; i <= wac_shape_head(&shape); i++) { /* no scale or shift does nothing */
            wac_layer layer = wac_stack_layer(&r->stack, r->stack.params, m, i);
            if (c->blocks)
                fill((uint64_t)(20 + i), (size_t)layer.outputs, -0.5, 0.5, layer.bias);
            if (wac_shape_is_norm(&shape, i))
                fill((uint64_t)(60 + i), (size_t)layer.outputs, 0.5, 1.5, layer.weight);
        }
    }

    wac_input input = {.x = x, .stride = variant & 1 ? stride : 0, .rows = c->rows};
    ops->forward(team, &r->stack, input, &r->pass);
    /* the way back from the same activations in both backends: one that is zero but for rounding
     * must not be on in one and off in the other; each time from a copy, since it uses them up */
    const wac_pass *given = activations ? activations : &r->pass;
    const wac_gradient wanted[] = {{r->dparams, r->dinputs, first},
                                   {.params = r->only_dparams},
                                   {.inputs = r->only_dinputs, .input_first = first}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        for (int k = 0; kept(c, k) > 0; k++)
            memcpy(used.h[k], given->h[k], rows * kept(c, k) * sizeof *used.h[k]);
        if (activations && is_mixed(ops, c))
            cut_rows(rows, (size_t)c->width, given->h[0], used.h[0]);
        ops->backward(team, &r->stack, input, &used, dout, &wanted[i]);
    }
    /* the same gradients for both: Adam's step depends on the sign of the smallest */
    for (int step = 0; step < 3; step++) {
        fill((uint64_t)(10 + step), params, -1, 1, gradient);
        ops->adam(team, &r->stack, gradient, r->moments,
                  wac_adam_decay(step + 1, 1e-3, variant & 2 ? 10 : 0));
        ops->polyak(team, &r->target, &r->stack, 0.01);
    }
    /* and through the new weights of both */
    ops->infer(team, variant & 1 ? &r->target : &r->stack, input, &r->after);
}

/* Each number to its own size and to the usual size in its array, and many of them on average much
 * closer. */
static void assert_near(const real *a, const real *b, size_t count, double tolerance,
                        const char *what, const shape_case *c, int variant)
{
    double square = 0;
    for (size_t i = 0; i < count; i++)
        square += (double)b[i] * (double)b[i];
    double usual = sqrt(square / (double)count), off = 0;
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        off += difference * difference;
        if (!(difference <= tolerance * (usual + fabs((double)b[i]))))
            fail_msg("%s[%zu] is %.9g, not %.9g (members %d, rows %d, inputs %d, width %d, "
                     "outputs %d, variant %d)",
                     what, i, (double)a[i], (double)b[i], c->members, c->rows, c->inputs, c->width,
                     c->outputs, variant);
    }
    off = sqrt(off / (double)count);
    if (count >= 100 && off > tolerance / 4 * usual)
        fail_msg("%s is off by %g on average, to %g (members %d, rows %d, inputs %d, width %d, "
                 "outputs %d, variant %d)",
                 what, off, usual, c->members, c->rows, c->inputs, c->width, c->outputs, variant);
}

static void assert_near_params(const wac_stack *stack, real *a, real *b, double tolerance,
                               const char *what, const shape_case *c, int variant)
{
    for (int m = 0; m < stack->members; m++)
        for (int i = 0; i <= wac_shape_head(&stack->shape); i++) {
            wac_layer x = wac_stack_layer(stack, a, m, i), y = wac_stack_layer(stack, b, m, i);
            assert_near(x.weight, y.weight, (size_t)(x.inputs * x.outputs), tolerance, what, c,
                        variant);
            assert_near(x.bias, y.bias, (size_t)x.outputs, tolerance, what, c, variant);
        }
}

static void assert_same(const void *a, const void *b, size_t count, const char *what,
                        const shape_case *c, int threads)
{
    if (memcmp(a, b, count * sizeof(real)) != 0)
        fail_msg("%s differs at %d threads (members %d, rows %d, inputs %d, width %d, outputs %d)",
                 what, threads, c->members, c->rows, c->inputs, c->width, c->outputs);
}

static void check_case(const wac_ops *ops, const shape_case *c, int variant)
{
    results expected, r[THREADS];
    run(&expected, &wac_ops_reference, NULL, c, variant, NULL);
    for (int t = 0; t < THREADS; t++) {
        wac_team *team;
        wac_error error = {0};
        assert_int_equal(wac_team_create(&team, t + 1, -1, &error), WAC_STATUS_OK);
        run(&r[t], ops, team, c, variant, &expected.pass);
        wac_team_destroy(team);
    }

    const double exact = 1e-5, tolerance = is_mixed(ops, c) ? 3e-2 : exact;
    const results *cpu = &r[0];
    size_t params = wac_stack_size(&cpu->stack);
    size_t rows = (size_t)(c->members * cpu->pass.capacity), width = (size_t)c->width;
    if (is_mixed(ops, c))
        for (int t = 0; t < THREADS; t++)
            fill_rows(rows, width, r[t].pass.h[0]);
    for (int i = 0; kept(c, i) > 0; i++)
        if (is_told(c, i))
            assert_near(cpu->pass.h[i], expected.pass.h[i], rows * kept(c, i), tolerance,
                        "what is kept", c, variant);
    assert_near(cpu->pass.out, expected.pass.out, rows * (size_t)c->outputs, tolerance, "out", c,
                variant);
    assert_near(cpu->after.out, expected.after.out, rows * (size_t)c->outputs, tolerance,
                "out of the new weights", c, variant);
    assert_near_params(&cpu->stack, cpu->dparams, expected.dparams, tolerance, "dparams", c,
                       variant);
    assert_near(cpu->dinputs, expected.dinputs, cpu->inputs, tolerance, "dinputs", c, variant);
    assert_same(cpu->dinputs, cpu->only_dinputs, cpu->inputs, "dinputs alone", c, 1);
    assert_same(cpu->dparams, cpu->only_dparams, params, "dparams alone", c, 1);
    assert_near_params(&cpu->stack, cpu->stack.params, expected.stack.params, exact, "adam", c,
                       variant);
    assert_near_params(&cpu->stack, cpu->moments.first, expected.moments.first, exact,
                       "first moment", c, variant);
    assert_near_params(&cpu->stack, cpu->moments.second, expected.moments.second, exact,
                       "second moment", c, variant);
    assert_near_params(&cpu->stack, cpu->target.params, expected.target.params, exact, "polyak", c,
                       variant);

    for (int t = 1; t < THREADS; t++) {
        for (int i = 0; kept(c, i) > 0; i++)
            assert_same(r[t].pass.h[i], cpu->pass.h[i], rows * kept(c, i), "what is kept", c,
                        t + 1);
        assert_same(r[t].pass.out, cpu->pass.out, rows * (size_t)c->outputs, "out", c, t + 1);
        assert_same(r[t].after.out, cpu->after.out, rows * (size_t)c->outputs, "new out", c, t + 1);
        assert_same(r[t].dparams, cpu->dparams, params, "dparams", c, t + 1);
        assert_same(r[t].dinputs, cpu->dinputs, cpu->inputs, "dinputs", c, t + 1);
        assert_same(r[t].stack.params, cpu->stack.params, params, "adam", c, t + 1);
        assert_same(r[t].moments.first, cpu->moments.first, params, "first moment", c, t + 1);
        assert_same(r[t].moments.second, cpu->moments.second, params, "second moment", c, t + 1);
        assert_same(r[t].target.params, cpu->target.params, params, "polyak", c, t + 1);
    }
    for (int t = 0; t < THREADS; t++)
        wac_arena_release(&r[t].arena);
    wac_arena_release(&expected.arena);
}

static void check_cases(const wac_ops *ops, bool residual)
{
    for (int i = 0; i < CASES; i++)
        if ((cases[i].blocks > 0) == residual)
            check_case(ops, &cases[i], i % VARIANTS);
    /* all variants, where it is cheap */
    for (int i = 0; i < CASES; i++)
        for (int variant = 0; variant < VARIANTS; variant++)
            if (cases[i].rows * cases[i].width <= 64 * 32 && (cases[i].blocks > 0) == residual)
                check_case(ops, &cases[i], variant);
}

static void backends_agree(void **state)
{
    (void)state;
    check_cases(&wac_ops_cpu, false);
}

static void residual_backends_agree(void **state)
{
    (void)state;
    check_cases(&wac_ops_cpu, true);
}

static void skip_without_bf16(void)
{
    const char *missing = wac_mixed_missing();
    if (missing) {
        print_message("not checked: this processor has no %s\n", missing);
        skip();
    }
}

static void mixed_precision_agrees(void **state)
{
    (void)state;
    skip_without_bf16();
    check_cases(&wac_ops_mixed, false);
}

/* which stay in single precision */
static void mixed_residual_networks_agree(void **state)
{
    (void)state;
    skip_without_bf16();
    check_cases(&wac_ops_mixed, true);
}

/* Each weight becomes the nearest 16-bit number, in both ways that a product walks them: seen by
 * multiplying with one. */
static void weights_are_cut_to_the_nearest(void **state)
{
    (void)state;
    skip_without_bf16();
    enum { DEPTH = 288, COLUMNS = 320 }; /* more than is done at once */
    static float weight[DEPTH * COLUMNS], c[DEPTH * COLUMNS];
    static wac_bf16 unit[DEPTH * DEPTH];
    fill(6, DEPTH * COLUMNS, -1, 1, weight);
    for (int i = 0; i < 8; i++) /* halfway between two, and next to that */
        weight[i] = 1 + (float)(i / 2 * 2 + 1) * 0x1p-8f + (float)(i % 2) * 0x1p-20f;
    for (int i = 0; i < DEPTH; i++)
        unit[i * DEPTH + i] = cut_number(1);
    for (int turned = 0; turned < 2; turned++) {
        wac_mixed_run(&(wac_mixed_product){.rows = DEPTH,
                                           .columns = COLUMNS,
                                           .depth = DEPTH,
                                           .a = unit,
                                           .a_row = DEPTH,
                                           .b = weight,
                                           .b_row = turned ? 1 : COLUMNS,
                                           .b_column = turned ? DEPTH : 1,
                                           .c = c,
                                           .c_row = COLUMNS});
        for (int k = 0; k < DEPTH; k++)
            for (int j = 0; j < COLUMNS; j++)
                assert_true(
                    c[k * COLUMNS + j] ==
                    whole_number(cut_number(weight[turned ? j * DEPTH + k : k * COLUMNS + j])));
    }
}

/* A number that is none must show in the loss, or training would go on without it. */
static void what_is_no_number_stays_none(void **state)
{
    (void)state;
    static const int rows[] = {1, 4, 37, 256};
    const wac_ops *const backends[] = {&wac_ops_reference, &wac_ops_cpu, &wac_ops_mixed};
    wac_team *team;
    wac_error error = {0};
    assert_int_equal(wac_team_create(&team, 1, -1, &error), WAC_STATUS_OK);
    for (int b = 0; b < (wac_mixed_missing() ? 2 : 3); b++)
        for (int n = 0; n < 4; n++)
            /* 3 on: those of two blocks; 12 on: normalised behind layers */
            for (int layer = 0; layer < 3 + 9 + 11; layer++)
                for (int bias = 0; bias < 2; bias++) {
                    wac_arena arena = {0};
                    wac_stack stack;
                    wac_pass pass;
                    wac_rng rng = wac_rng_make(1, WAC_STREAM_INIT);
                    int own = layer - (layer >= 12 ? 12 : layer >= 3 ? 3 : 0);
                    wac_shape shape = {3,
                                       b < 2 ? 33 : 64,
                                       1,
                                       .hidden = 2,
                                       .blocks = layer >= 3 ? 2 : 0,
                                       .after = layer >= 12};
                    wac_stack_init(&stack, &arena, shape, 1);
                    wac_pass_init(&pass, &arena, &stack, rows[n], backends[b]);
                    real *x = WAC_TAKE(&arena, real, (size_t)(rows[n] * 3));
                    assert_false(arena.failed);
                    fill(2, (size_t)(rows[n] * 3), -1, 1, x);
                    wac_stack_randomise(&stack, 0, false, 0.5, &rng);
                    wac_layer hit = wac_stack_layer(&stack, stack.params, 0, own);
                    *(bias ? hit.bias : hit.weight) = NAN;
                    backends[b]->forward(team, &stack, (wac_input){.x = x, .rows = rows[n]}, &pass);
                    assert_true(isnan(pass.out[0]) && isnan(pass.out[rows[n] - 1]));
                    wac_arena_release(&arena);
                }
    wac_team_destroy(team);
}

/* --- products: every version that this processor can run ------------------------------------- */

typedef struct version {
    const char *name;
    void (*run)(const wac_product *product);
    bool here, exact;
} version;

enum { SIDE = 600, GAP = 3, FAR = 1024 };

/* C by the plain definition, sums in double */
static void product_expected(const wac_product *p, float *c)
{
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < p->columns; j++) {
            double sum = 0;
            for (int k = 0; k < p->depth; k++)
                sum += (double)p->a[i * p->a_row + k * p->a_depth] *
                       (double)p->b[k * p->b_row + j * p->b_column];
            if (p->finish == WAC_FINISH_BIAS_RELU)
                sum = fmax(sum + (double)p->bias[j], 0);
            else if (p->finish == WAC_FINISH_MASK)
                sum = p->active[i * p->c_row + j] > 0 ? sum : 0;
            c[i * p->c_row + j] = (float)sum;
        }
}

/* C as the fast versions have it to the bit: every element one chain of fused multiply-adds */
static void product_by_chains(const wac_product *p)
{
    for (int i = 0; i < p->rows; i++)
        for (int j = 0; j < p->columns; j++) {
            float sum = 0;
            for (int k = 0; k < p->depth; k++)
                sum = fmaf(p->a[i * p->a_row + k * p->a_depth],
                           p->b[k * p->b_row + j * p->b_column], sum);
            if (p->finish == WAC_FINISH_BIAS_RELU)
                sum = sum + p->bias[j] < 0 ? 0 : sum + p->bias[j];
            else if (p->finish == WAC_FINISH_MASK)
                sum = p->active[i * p->c_row + j] > 0 ? sum : 0;
            p->c[i * p->c_row + j] = sum;
        }
}

static version versions[] = {
    {"chains", product_by_chains, true, true},
    {"library", wac_product_library, true, false},
#if defined(__x86_64__)
    {"avx2", wac_product_avx2, false, true},
    {"avx512", wac_product_avx512, false, true},
#elif defined(__aarch64__)
    {"neon", wac_product_neon, true, true},
#endif
};
enum { VERSIONS = sizeof versions / sizeof *versions, LAYOUTS = 16, FINISHES = 3 };

static float a[SIDE * SIDE], b[SIDE * (SIDE + FAR)], active[SIDE * SIDE], bias[SIDE];

/* variant: a layout, and LAYOUTS times a finish */
static void check_product(int rows, int columns, int depth, int variant)
{
    static float expected[SIDE * SIDE], c[VERSIONS][SIDE * SIDE];
    int gap = variant & 1 ? GAP : 0; /* rows that are part of longer ones */
    bool turned = variant & 2, far = variant & 4, b_turned = variant & 8;
    ptrdiff_t b_step = (b_turned ? depth : columns) + (far ? FAR : gap);
    size_t count = (size_t)(rows * (columns + gap));
    wac_product p = {
        .rows = rows,
        .columns = columns,
        .depth = depth,
        .a = a,
        .a_row = turned ? 1 : depth + gap,
        .a_depth = turned ? rows + gap : 1,
        .b = b,
        .b_row = b_turned ? 1 : b_step,
        .b_column = b_turned ? b_step : 1,
        .c_row = columns + gap,
        .finish = (wac_finish)(variant / LAYOUTS),
        .bias = bias,
        .active = active,
    };
    memset(expected, 0, sizeof(float) * count);
    product_expected(&p, expected);
    int exact = -1;
    for (int v = 0; v < VERSIONS; v++) {
        if (!versions[v].here)
            continue;
        /* what was there before does not matter, and gaps stay as they are */
        for (size_t i = 0; i < count; i++)
            c[v][i] = i % (size_t)(columns + gap) < (size_t)columns ? NAN : 0;
        p.c = c[v];
        if (p.finish == WAC_FINISH_MASK && depth <= WAC_PRODUCT_DEPTH) {
            for (size_t i = 0; i < count; i++) /* but for a mask that is in place */
                c[v][i] = isnan(c[v][i]) ? active[i] : 0;
            p.active = c[v];
        }
        versions[v].run(&p);
        for (size_t i = 0; i < count; i++)
            if (!(fabsf(c[v][i] - expected[i]) <= 1e-6f * (float)(depth + 4)))
                fail_msg("%s: %d x %d x %d, variant %d: [%zu] is %g, not %g", versions[v].name,
                         rows, columns, depth, variant, i, (double)c[v][i], (double)expected[i]);
        if (versions[v].exact && exact >= 0)
            assert_memory_equal(c[v], c[exact], count * sizeof(float));
        if (versions[v].exact)
            exact = v;
    }
}

static void fill_products(void)
{
    fill(1, SIDE * SIDE, -1, 1, a);
    fill(2, SIDE * (SIDE + FAR), -1, 1, b);
    fill(3, SIDE * SIDE, -1, 1, active);
    fill(4, SIDE, -1, 1, bias);
#if defined(__x86_64__)
    bool fused = __builtin_cpu_supports("fma");
    versions[2].here = fused && __builtin_cpu_supports("avx2");
    versions[3].here = fused && __builtin_cpu_supports("avx512f");
#endif
}

static void products_agree(void **state)
{
    (void)state;
    static const int sizes[][3] = {/* rows, columns, depth */
                                   {1, 1, 1},    {1, 16, 5},    {5, 1, 1},     {5, 31, 1},
                                   {1, 33, 300}, {6, 16, 256},  {7, 17, 257},  {14, 32, 16},
                                   {15, 47, 31}, {13, 33, 513}, {128, 64, 23}, {29, 128, 128},
                                   {9, 64, 10},  {30, 96, 13},  {20, 32, 25},  {17, 300, 40}};
    fill_products();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int variant = 0; variant < FINISHES * LAYOUTS; variant++)
            check_product(sizes[s][0], sizes[s][1], sizes[s][2], variant);
}

/* There is code of its own for each height of a tile, in one go or in two, and for each small
 * depth; so all of them, in some layout. */
static void products_of_every_height_agree(void **state)
{
    (void)state;
    enum { HIGHEST = 15, DEEPEST = 25 };
    fill_products();
    for (int variant = 0; variant < FINISHES * LAYOUTS; variant += LAYOUTS) {
        for (int rows = 1; rows <= HIGHEST; rows++) {
            check_product(rows, 33, 257, variant + rows % LAYOUTS);
            check_product(rows, 64, 40, variant + (rows + 2) % LAYOUTS);
        }
        for (int depth = 1; depth <= DEEPEST; depth++)
            for (int layout = 0; layout < LAYOUTS; layout += 5)
                check_product(3, 64, depth, variant + layout);
    }
}

/* The same of mixed precision, against sums in double of the same cut numbers. */
static void mixed_products_of_every_height_agree(void **state)
{
    (void)state;
    skip_without_bf16();
    enum { HIGHEST = 15, COLUMNS = 64, DEEP = 288 };
    static wac_bf16 x[HIGHEST * DEEP], on[HIGHEST * COLUMNS];
    static float c[HIGHEST * COLUMNS];
    fill_products();
    for (int i = 0; i < HIGHEST * DEEP; i++)
        x[i] = cut_number(a[i]);
    for (int i = 0; i < HIGHEST * COLUMNS; i++)
        on[i] = cut_number(active[i]);
    for (int rows = 1; rows <= HIGHEST; rows++)
        for (int finish = 0; finish < FINISHES; finish++)
            for (int depth = WAC_PANEL; depth <= DEEP; depth += DEEP - WAC_PANEL) {
                bool turned = (rows + finish) % 2;
                ptrdiff_t b_row = turned ? 1 : COLUMNS, b_column = turned ? depth : 1;
                wac_mixed_run(&(wac_mixed_product){.rows = rows,
                                                   .columns = COLUMNS,
                                                   .depth = depth,
                                                   .a = x,
                                                   .a_row = depth,
                                                   .b = b,
                                                   .b_row = b_row,
                                                   .b_column = b_column,
                                                   .c = c,
                                                   .c_row = COLUMNS,
                                                   .finish = (wac_finish)finish,
                                                   .bias = bias,
                                                   .active = on,
                                                   .active_row = COLUMNS});
                for (int i = 0; i < rows * COLUMNS; i++) {
                    int row = i / COLUMNS, column = i % COLUMNS;
                    double sum = 0;
                    for (int k = 0; k < depth; k++)
                        sum += (double)whole_number(x[row * depth + k]) *
                               (double)whole_number(cut_number(b[k * b_row + column * b_column]));
                    if (finish == WAC_FINISH_BIAS_RELU)
                        sum = fmax(sum + (double)bias[column], 0);
                    else if (finish == WAC_FINISH_MASK)
                        sum = active[i] > 0 ? sum : 0;
                    assert_true(fabs((double)c[i] - sum) <= 1e-6 * (depth + 4));
                }
            }
}

static void mixed_gradients_of_every_height_agree(void **state)
{
    (void)state;
    skip_without_bf16();
    enum { HIGHEST = 15, INPUTS = 64, MOST = 301 };
    static const int batches[] = {1, 6, 257, MOST};
    static wac_bf16 dy[(MOST + 1) * INPUTS], x[(MOST + 1) * INPUTS];
    static float dweight[INPUTS * INPUTS];
    fill_products();
    for (size_t n = 0; n < sizeof batches / sizeof *batches; n++)
        for (int units = 1; units <= HIGHEST; units++) {
            int rows = batches[n], first = units % 3;
            for (int i = 0; i < MOST * INPUTS; i++) {
                dy[i] = cut_number(a[i]);
                x[i] = cut_number(b[i]);
            }
            for (int i = rows * INPUTS; i < (rows + 1) * INPUTS; i++) /* nobody's business */
                dy[i] = x[i] = cut_number(NAN);
            wac_mixed_dweight(rows, INPUTS, first, first + units, dy, x, INPUTS, dweight);
            for (int unit = first; unit < first + units; unit++)
                for (int j = 0; j < INPUTS; j++) {
                    double sum = 0;
                    for (int i = 0; i < rows; i++)
                        sum += (double)whole_number(dy[i * INPUTS + unit]) *
                               (double)whole_number(x[i * INPUTS + j]);
                    assert_true(fabs((double)dweight[unit * INPUTS + j] - sum) <=
                                1e-6 * (rows + 4));
                }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_agree),
        cmocka_unit_test(products_of_every_height_agree),
        cmocka_unit_test(mixed_products_of_every_height_agree),
        cmocka_unit_test(mixed_gradients_of_every_height_agree),
        cmocka_unit_test(what_is_no_number_stays_none),
        cmocka_unit_test(backends_agree),
        cmocka_unit_test(residual_backends_agree),
        cmocka_unit_test(weights_are_cut_to_the_nearest),
        cmocka_unit_test(mixed_precision_agrees),
        cmocka_unit_test(mixed_residual_networks_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
