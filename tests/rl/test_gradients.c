/* Every operation of the reference backend and of a batch, in double, against finite differences or
 * a formula written down a second time. Whole losses are in test_gradients_losses.c. */
#include "nn/backend.h"
#include "nn/fill.h"
#include "rl/bonus.h"
#include "rl/host/batch.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const wac_ops *const ops = &wac_ops_reference;

static void fill(uint64_t seed, size_t count, real low, real high, real *out)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    wac_fill_uniform(&rng, count, low, high, out);
}

static void fill_noise(uint64_t seed, size_t count, real *out)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_NOISE);
    wac_fill_normal(&rng, count, out);
}

static void assert_close(double value, double expected, double relative, double absolute)
{
    double bound = relative * fmax(fabs(value), fabs(expected)) + absolute;
    if (!(fabs(value - expected) <= bound))
        fail_msg("%.15g, expected %.15g", value, expected);
}

typedef double objective(void *context);

/* d objective / d *at by a central difference */
static double slope_at(objective *f, void *context, real *at)
{
    const double step = 1e-5;
    static const double weights[] = {1, -8, 8, -1}; /* so that curvature does not count */
    real before = *at;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        *at = before + (i < 2 ? i - 2 : i - 1) * step;
        sum += weights[i] * f(context);
    }
    *at = before;
    return sum / (12 * step);
}

/* gradient[i] belongs to at[i]; `noise`: rounding in the objective, over the step */
static void assert_gradient(objective *f, void *context, real *at, const real *gradient,
                            size_t count, double noise)
{
    for (size_t i = 0; i < count; i++)
        assert_close(gradient[i], slope_at(f, context, &at[i]), 1e-6, noise);
}

/* --- networks -------------------------------------------------------------------------------- */

typedef struct network {
    wac_arena arena;
    wac_stack stack;
    wac_pass pass;
    wac_input input;
    real *x;       /* what input.x points at, to be changed */
    real *weights; /* [members][capacity][outputs], of the outputs in the objective */
} network;

static void network_make(network *n, wac_shape shape, int members, int rows, bool shared)
{
    int capacity = rows + 3; /* more room than rows */
    size_t outputs = (size_t)(members * capacity * shape.outputs);
    *n = (network){0};
    wac_stack_init(&n->stack, &n->arena, shape, members);
    wac_pass_init(&n->pass, &n->arena, &n->stack, capacity, ops);
    n->weights = WAC_TAKE(&n->arena, real, outputs);
    size_t own = (size_t)(rows * shape.inputs) + 5; /* a gap between members */
    n->x = WAC_TAKE(&n->arena, real, own * (size_t)members);
    assert_false(n->arena.failed);
    n->input = (wac_input){.x = n->x, .stride = shared ? 0 : own, .rows = rows};
    fill(1, own * (size_t)members, -1, 1, n->x);
    fill(2, outputs, -1, 1, n->weights);
    for (int m = 0; m < members; m++)
        for (int i = 0; i <= wac_shape_head(&shape); i++) {
            wac_layer layer = wac_stack_layer(&n->stack, n->stack.params, m, i);
            uint64_t seed = (uint64_t)(100 + 40 * m + i);
            fill(seed, (size_t)(layer.inputs * layer.outputs), -1, 1, layer.weight);
            fill(seed + 20, (size_t)layer.outputs, -0.5, 0.5, layer.bias);
        }
}

static double network_objective(void *context)
{
    network *n = context;
    ops->forward(NULL, &n->stack, n->input, &n->pass);
    double sum = 0;
    for (int m = 0; m < n->stack.members; m++)
        for (int i = 0; i < n->input.rows * n->stack.shape.outputs; i++) {
            size_t at = (size_t)(m * n->pass.capacity * n->stack.shape.outputs + i);
            sum += n->weights[at] * n->pass.out[at];
        }
    return sum;
}

static void networks_go_back(void **state)
{
    (void)state;
    static const wac_shape shapes[] = {{1, 1, 1, .hidden = 2},
                                       {5, 7, 2, .hidden = 2},
                                       {4, 16, 6, .hidden = 2},
                                       {3, 8, 2, .hidden = 1},
                                       {3, 8, 2, .hidden = 4},
                                       {1, 2, 1, .blocks = 1},
                                       {5, 7, 2, .blocks = 2},
                                       {4, 6, 3, .blocks = 4},
                                       {1, 2, 1, .blocks = 1, .after = true},
                                       {5, 7, 2, .blocks = 2, .after = true},
                                       {4, 6, 3, .blocks = 4, .after = true}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int variant = 0; variant < 4; variant++) {
            network n;
            wac_shape shape = shapes[s];
            bool shared = variant % 2;
            int first = variant / 2 * (shape.inputs / 2), kept = shape.inputs - first;
            int members = 1 + variant % 3, rows = 6;
            network_make(&n, shape, members, rows, shared);
            size_t params = wac_stack_size(&n.stack);
            size_t inputs = (size_t)(members * n.pass.capacity * kept);
            real *dparams = WAC_TAKE(&n.arena, real, params);
            real *dinputs = WAC_TAKE(&n.arena, real, inputs);
            wac_gradient gradient = {dparams, dinputs, first};
            network_objective(&n);
            ops->backward(NULL, &n.stack, n.input, &n.pass, n.weights, &gradient);
            /* padding included: it has no part in anything */
            assert_gradient(network_objective, &n, n.stack.params, dparams, params, 1e-9);
            for (int i = 0; i < rows; i++)
                for (int k = 0; k < kept; k++) {
                    size_t x = (size_t)(i * shape.inputs + first + k);
                    double sum = 0; /* members that share an input all pull at it */
                    for (int m = 0; m < members; m++) {
                        double d = dinputs[(m * n.pass.capacity + i) * kept + k];
                        real *at = &n.x[(size_t)m * n.input.stride + x];
                        sum += d;
                        if (!shared)
                            assert_close(d, slope_at(network_objective, &n, at), 1e-6, 1e-9);
                    }
                    if (shared)
                        assert_close(sum, slope_at(network_objective, &n, &n.x[x]), 1e-6, 1e-9);
                }
            /* one without the other gives the same */
            real *again = WAC_TAKE(&n.arena, real, params > inputs ? params : inputs);
            network_objective(&n);
            ops->backward(NULL, &n.stack, n.input, &n.pass, n.weights,
                          &(wac_gradient){.params = again});
            assert_memory_equal(again, dparams, params * sizeof *again);
            memset(again, 0, inputs * sizeof *again);
            network_objective(&n);
            ops->backward(NULL, &n.stack, n.input, &n.pass, n.weights,
                          &(wac_gradient){.inputs = again, .input_first = first});
            assert_memory_equal(again, dinputs, inputs * sizeof *again);
            wac_arena_release(&n.arena);
        }
    }
}

/* the layers themselves, once by hand */
static void networks_go_forward(void **state)
{
    (void)state;
    network n;
    network_make(&n, (wac_shape){3, 5, 2, .hidden = 3}, 2, 4, false);
    ops->forward(NULL, &n.stack, n.input, &n.pass);
    for (int m = 0; m < 2; m++)
        for (int i = 0; i < 4; i++) {
            real values[5], next[5];
            memcpy(values, n.x + (size_t)m * n.input.stride + i * 3, 3 * sizeof *values);
            for (int l = 0; l <= n.stack.shape.hidden; l++) {
                wac_layer layer = wac_stack_layer(&n.stack, n.stack.params, m, l);
                for (int o = 0; o < layer.outputs; o++) {
                    next[o] = layer.bias[o];
                    for (int k = 0; k < layer.inputs; k++)
                        next[o] += layer.weight[o * layer.inputs + k] * values[k];
                    if (l < n.stack.shape.hidden)
                        next[o] = fmax(next[o], 0);
                }
                memcpy(values, next, sizeof values);
            }
            for (int o = 0; o < 2; o++)
                assert_close(n.pass.out[(m * n.pass.capacity + i) * 2 + o], values[o], 1e-12, 0);
        }
    wac_arena_release(&n.arena);
}

/* a residual network, by hand */
static void blocks_go_forward(void **state)
{
    (void)state;
    enum { IN = 3, W = 5, OUT = 2, BLOCKS = 2, MEMBERS = 2, N = 4 };
    network n;
    network_make(&n, (wac_shape){IN, W, OUT, .blocks = BLOCKS}, MEMBERS, N, false);
    ops->forward(NULL, &n.stack, n.input, &n.pass);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < N; i++) {
            const real *x = n.x + (size_t)m * n.input.stride + i * IN;
            double s[W];
            wac_layer in = wac_stack_layer(&n.stack, n.stack.params, m, 0);
            for (int j = 0; j < W; j++) {
                s[j] = in.bias[j];
                for (int k = 0; k < IN; k++)
                    s[j] += in.weight[j * IN + k] * x[k];
            }
            for (int b = 0; b <= BLOCKS; b++) {
                wac_layer norm = wac_stack_layer(&n.stack, n.stack.params, m, 3 * b + 1);
                wac_layer up = wac_stack_layer(&n.stack, n.stack.params, m, 3 * b + 2);
                double mean = 0, variance = 0, read[W], middle[4 * W];
                assert_true(norm.inputs == 1 && norm.outputs == W && up.inputs == W);
                for (int j = 0; j < W; j++)
                    mean += s[j] / W;
                for (int j = 0; j < W; j++)
                    variance += (s[j] - mean) * (s[j] - mean) / W;
                for (int j = 0; j < W; j++)
                    read[j] = norm.weight[j] * (s[j] - mean) / sqrt(variance + 1e-6) + norm.bias[j];
                for (int o = 0; o < up.outputs; o++) {
                    double sum = up.bias[o];
                    for (int j = 0; j < W; j++)
                        sum += up.weight[o * W + j] * read[j];
                    if (b == BLOCKS)
                        assert_close(n.pass.out[(m * n.pass.capacity + i) * OUT + o], sum, 1e-12,
                                     0);
                    else
                        middle[o] = fmax(sum, 0);
                }
                if (b == BLOCKS)
                    break;
                wac_layer down = wac_stack_layer(&n.stack, n.stack.params, m, 3 * b + 3);
                assert_true(up.outputs == 4 * W && down.inputs == 4 * W && down.outputs == W);
                for (int j = 0; j < W; j++) {
                    s[j] += down.bias[j];
                    for (int k = 0; k < 4 * W; k++)
                        s[j] += down.weight[j * 4 * W + k] * middle[k];
                }
            }
        }
    wac_arena_release(&n.arena);
}

/* f(N(W x + b)), or without f */
static void layer_and_norm(const network *n, int member, int layer, const double *x, bool relu,
                           double *y)
{
    wac_layer own = wac_stack_layer(&n->stack, n->stack.params, member, layer);
    wac_layer norm = wac_stack_layer(&n->stack, n->stack.params, member, layer + 1);
    double mean = 0, variance = 0;
    int width = own.outputs;
    assert_true(norm.inputs == 1 && norm.outputs == width);
    for (int j = 0; j < width; j++) {
        y[j] = own.bias[j];
        for (int k = 0; k < own.inputs; k++)
            y[j] += own.weight[j * own.inputs + k] * x[k];
        mean += y[j] / width;
    }
    for (int j = 0; j < width; j++)
        variance += (y[j] - mean) * (y[j] - mean) / width;
    for (int j = 0; j < width; j++) {
        y[j] = norm.weight[j] * (y[j] - mean) / sqrt(variance + 1e-6) + norm.bias[j];
        y[j] = relu ? fmax(y[j], 0) : y[j];
    }
}

/* one that is normalised behind its layers */
static void normalised_blocks_go_forward(void **state)
{
    (void)state;
    enum { IN = 3, W = 5, OUT = 2, BLOCKS = 2, MEMBERS = 2, N = 4 };
    network n;
    network_make(&n, (wac_shape){IN, W, OUT, .blocks = BLOCKS, .after = true}, MEMBERS, N, false);
    ops->forward(NULL, &n.stack, n.input, &n.pass);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < N; i++) {
            double x[IN], s[W], middle[W], made[W];
            for (int k = 0; k < IN; k++)
                x[k] = n.x[(size_t)m * n.input.stride + (size_t)(i * IN + k)];
            layer_and_norm(&n, m, 0, x, true, s);
            for (int b = 0; b < BLOCKS; b++) {
                layer_and_norm(&n, m, 4 * b + 2, s, true, middle);
                layer_and_norm(&n, m, 4 * b + 4, middle, false, made);
                for (int j = 0; j < W; j++)
                    s[j] += made[j];
            }
            wac_layer head = wac_stack_layer(&n.stack, n.stack.params, m, 4 * BLOCKS + 2);
            assert_int_equal(wac_shape_head(&n.stack.shape), 4 * BLOCKS + 2);
            for (int o = 0; o < OUT; o++) {
                double sum = head.bias[o];
                for (int j = 0; j < W; j++)
                    sum += head.weight[o * W + j] * s[j];
                assert_close(n.pass.out[(m * n.pass.capacity + i) * OUT + o], sum, 1e-12, 0);
            }
        }
    wac_arena_release(&n.arena);
}

/* --- policies -------------------------------------------------------------------------------- */

enum { MEMBERS = 2, ROWS = 6, ACTIONS = 3, HEADS = 2 * ACTIONS };

typedef struct policies {
    wac_sample sample;
    real heads[MEMBERS * ROWS * HEADS];
    real noise[MEMBERS * ROWS * ACTIONS], action[MEMBERS * ROWS * ACTIONS];
    real log_prob[MEMBERS * ROWS];
    real daction[MEMBERS * ROWS * ACTIONS], dlog_prob[MEMBERS], weight[MEMBERS * ROWS];
} policies;

/* rows count differently, one of them not at all */
static real row_weight(int i)
{
    return 0.3 * ((i + 1) % 5);
}

static real *log_std_of(policies *p, int m, int i, int j)
{
    return &p->heads[(m * ROWS + i) * HEADS + ACTIONS + j];
}

static void policies_make(policies *p)
{
    *p = (policies){.dlog_prob = {0.3, 0.07}};
    p->sample = (wac_sample){.rows = MEMBERS * ROWS,
                             .actions = ACTIONS,
                             .per_row = HEADS,
                             .heads = p->heads,
                             .noise = p->noise,
                             .action = p->action,
                             .log_prob = p->log_prob};
    fill(11, MEMBERS * ROWS * HEADS, -1.5, 0.8, p->heads);
    fill(12, MEMBERS * ROWS * ACTIONS, -1, 1, p->daction);
    fill_noise(13, MEMBERS * ROWS * ACTIONS, p->noise);
    for (int i = 0; i < MEMBERS * ROWS; i++)
        p->weight[i] = row_weight(i);
    /* just inside and beyond both ends of the clamp */
    static const real nasty[] = {-19.99, -20.01, -25, -1000, 1.99, 2.01, 2.5, 30};
    for (int i = 0; i < 8; i++)
        *log_std_of(p, i % 2, i / 2, i % 3) = nasty[i];
}

static double policies_objective(void *context)
{
    policies *p = context;
    wac_policy_sample(&p->sample);
    double sum = 0;
    for (int i = 0; i < MEMBERS * ROWS * ACTIONS; i++)
        sum += p->daction[i] * p->action[i];
    for (int i = 0; i < MEMBERS * ROWS; i++)
        sum += p->dlog_prob[i / ROWS] * p->weight[i] * p->log_prob[i];
    return sum;
}

static void policies_sample_and_go_back(void **state)
{
    (void)state;
    policies p;
    policies_make(&p);
    real dheads[MEMBERS * ROWS * HEADS] = {0};
    policies_objective(&p);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < ROWS; i++) {
            double log_prob = 0;
            for (int j = 0; j < ACTIONS; j++) {
                int at = (m * ROWS + i) * ACTIONS + j;
                double mean = p.heads[(m * ROWS + i) * HEADS + j];
                double std = exp(fmin(fmax(*log_std_of(&p, m, i, j), -20), 2));
                double u = mean + std * p.noise[at], a = tanh(u), z = (u - mean) / std;
                assert_close(p.action[at], a, 1e-14, 0);
                log_prob += -z * z / 2 - log(std * sqrt(2 * acos(-1.0))) - log(1 - a * a + 1e-6);
            }
            assert_close(p.log_prob[m * ROWS + i], log_prob, 1e-6, 1e-6);
        }
    for (int m = 0; m < MEMBERS; m++) {
        int row = m * ROWS, at = row * ACTIONS;
        wac_sample own = p.sample;
        own.rows = ROWS;
        own.heads += row * HEADS;
        own.noise += at;
        own.action += at;
        own.log_prob += row;
        wac_policy_gradient(&own, p.daction + at, p.dlog_prob[m], p.weight + row,
                            dheads + row * HEADS);
    }
    /* 1 - a * a loses digits where the action is all but 1, hence the noise */
    assert_gradient(policies_objective, &p, p.heads, dheads, MEMBERS * ROWS * HEADS, 2e-7);
    /* beyond the clamp exactly none, within it some; and the mean goes on learning */
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ACTIONS; j++) {
                real log_std = *log_std_of(&p, m, i, j);
                const real *d = &dheads[(m * ROWS + i) * HEADS + j];
                assert_true((d[ACTIONS] == 0) == (log_std < -20 || log_std > 2));
                if (log_std < 2)
                    assert_true(d[0] != 0);
            }
}

/* --- critics --------------------------------------------------------------------------------- */

typedef struct errors {
    int rows, synthetic;
    real out[2 * 12], target[12], weight[12], anchor[2 * 7], dout[2 * 12];
    double losses[2], regularisation[2], average, averages[2];
} errors;

enum { OUT_CAPACITY = 12, ANCHOR_CAPACITY = 7 };
static const real lambda = 0.6, sigma_max = 1.7;

static double mean_objective(void *context)
{
    errors *e = context;
    double averages[2];
    for (int k = 0; k < 2; k++)
        wac_mean_error(e->rows, e->out + k * OUT_CAPACITY, e->target, e->weight,
                       e->dout + k * OUT_CAPACITY, &e->losses[k], &averages[k]);
    e->average = (averages[0] + averages[1]) / 2;
    return e->losses[0] + e->losses[1];
}

static void mean_errors_go_back(void **state)
{
    (void)state;
    errors e = {.rows = 9};
    fill(21, 24, -3, 3, e.out);
    fill(22, 12, -3, 3, e.target);
    for (int i = 0; i < 12; i++)
        e.weight[i] = row_weight(i) / 9;
    mean_objective(&e);
    real dout[24];
    memcpy(dout, e.dout, sizeof dout);
    assert_gradient(mean_objective, &e, e.out, dout, 24, 1e-9); /* 0 in the unused rows */
    mean_objective(&e);
    double average = 0;
    for (int k = 0; k < 2; k++) {
        double loss = 0;
        for (int i = 0; i < 9; i++) {
            loss += row_weight(i) * pow(e.out[k * 12 + i] - e.target[i], 2) / 9;
            average += e.out[k * 12 + i] / 18;
        }
        assert_close(e.losses[k], loss, 1e-12, 0);
    }
    assert_close(e.average, average, 1e-12, 0);
}

static double std_objective(void *context)
{
    errors *e = context;
    double averages[2][2];
    for (int k = 0; k < 2; k++)
        wac_std_error(e->rows, e->synthetic, e->out + k * OUT_CAPACITY, e->target,
                      e->anchor + k * ANCHOR_CAPACITY, lambda, sigma_max,
                      e->dout + k * OUT_CAPACITY, &e->losses[k], &e->regularisation[k],
                      averages[k]);
    for (int i = 0; i < 2; i++)
        e->averages[i] = (averages[0][i] + averages[1][i]) / 2;
    return e->losses[0] + e->losses[1] + lambda * (e->regularisation[0] + e->regularisation[1]);
}

static void std_errors_go_back(void **state)
{
    (void)state;
    for (int synthetic = 0; synthetic <= 6; synthetic += 3) {
        errors e = {.rows = 5, .synthetic = synthetic};
        fill(31, 24, -2, 1, e.out);
        fill(32, 12, 0, sigma_max, e.target);
        fill(33, 14, -1, 2, e.anchor); /* on both sides of ln sigma_max = 0.53 */
        e.target[1] = sigma_max;       /* clamped */
        e.target[2] = 0;               /* at an end of the world */
        e.anchor[0] = 5;
        e.anchor[ANCHOR_CAPACITY] = -1;
        std_objective(&e);
        real dout[24];
        memcpy(dout, e.dout, sizeof dout);
        assert_gradient(std_objective, &e, e.out, dout, 24, 1e-9);
        std_objective(&e);
        double averages[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            double loss = 0, regularisation = 0;
            for (int i = 0; i < 5; i++) {
                loss += pow(exp(e.out[k * 12 + i]) - e.target[i], 2) / 5;
                averages[0] += exp(e.out[k * 12 + i]) / 10;
            }
            for (int i = 0; i < synthetic; i++) {
                double anchor = fmin(exp(e.anchor[k * 7 + i]), sigma_max);
                double std = exp(e.out[k * 12 + 5 + i]);
                regularisation += (std - anchor) * (std - anchor) / synthetic;
                averages[1] += std / (2 * synthetic);
            }
            assert_close(e.losses[k], loss, 1e-12, 0);
            assert_close(e.regularisation[k], regularisation, 1e-12, 0);
        }
        assert_close(e.averages[0], averages[0], 1e-12, 0);
        if (synthetic)
            assert_close(e.averages[1], averages[1], 1e-12, 0);
        else
            assert_true(isnan(e.averages[1]));
    }
}

enum { BOUNDS = 7 * 12 };

typedef struct bounds {
    wac_critic_rows critics;
    void (*aim)(const wac_critic_rows *critics, const real *weight, real *bound, real *dout);
    real out[BOUNDS], dout[BOUNDS], weight[12];
} bounds;

static double bound_objective(void *context)
{
    bounds *b = context;
    real bound[12];
    double sum = 0;
    for (int i = 0; i < b->critics.rows; i++)
        b->weight[i] = row_weight(i) / b->critics.rows;
    b->aim(&b->critics, b->weight, bound, b->dout);
    for (int i = 0; i < b->critics.rows; i++)
        sum += b->weight[i] * bound[i];
    return -sum;
}

static void upper_bounds_go_back(void **state)
{
    (void)state;
    static const struct {
        int means, stds;
        real kappa;
    } variants[] = {{2, 0, 9}, /* kappa is not to be read without std */
                    {2, 2, 1.6448536269514722},
                    {2, 2, 0},
                    {2, 2, -0.5},
                    {1, 1, 1.5},
                    {5, 0, 9},
                    {3, 3, 0.7},
                    {4, 2, 1.3},
                    {6, 1, 2}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        int means = variants[v].means, stds = variants[v].stds;
        bounds b = {.critics = {.rows = 10,
                                .capacity = 12,
                                .means = means,
                                .stds = stds,
                                .first_std = means,
                                .kappa = variants[v].kappa},
                    .aim = wac_upper_bound};
        b.critics.out = b.out;
        fill(44, BOUNDS, -1, 1, b.out);
        double objective = bound_objective(&b), sum = 0;
        real dout[BOUNDS];
        memcpy(dout, b.dout, sizeof dout);
        assert_gradient(bound_objective, &b, b.out, dout, (size_t)(means + stds) * 12, 1e-9);
        int chosen[8] = {0};
        for (int i = 0; i < 10; i++) {
            double values[8], smallest = INFINITY;
            int best = 0;
            for (int k = 0; k < means; k++) {
                values[k] = b.out[k * 12 + i];
                if (stds)
                    values[k] += b.critics.kappa * exp(b.out[(means + k % stds) * 12 + i]);
                if (values[k] < smallest)
                    smallest = values[best = k];
            }
            for (int k = 0; k < means; k++) {
                assert_true(k == best || values[k] > smallest + 1e-3); /* no ties */
                assert_true(k == best || dout[k * 12 + i] == 0);
            }
            for (int k = 0; k < stds; k++)
                assert_true(k == best % stds || dout[(means + k) * 12 + i] == 0);
            sum += row_weight(i) * smallest;
            chosen[best]++;
        }
        assert_close(-objective, sum / 10, 1e-12, 0);
        for (int k = 0; means == 2 && k < 2; k++)
            assert_true(chosen[k] > 1);
    }
}

static void averages_go_back(void **state)
{
    (void)state;
    for (int means = 1; means <= 7; means++) {
        bounds b = {.critics = {.rows = 10, .capacity = 12, .means = means, .first_std = means},
                    .aim = wac_average_mean};
        b.critics.out = b.out;
        fill(45, BOUNDS, -1, 1, b.out);
        double objective = bound_objective(&b), sum = 0;
        real dout[BOUNDS];
        memcpy(dout, b.dout, sizeof dout);
        assert_gradient(bound_objective, &b, b.out, dout, (size_t)means * 12, 1e-9);
        for (int k = 0; k < means; k++)
            for (int i = 0; i < 10; i++)
                sum += row_weight(i) * b.out[k * 12 + i] / (10 * means);
        assert_close(-objective, sum, 1e-12, 0);
    }
}

/* an ensemble's rows: mean and std of all its critics, and what the std makes a row count */
static void spreads_weigh(void **state)
{
    (void)state;
    enum { N = 6, ROWS_HELD = 12, USED = 10 };
    real out[N * ROWS_HELD], weight[USED];
    wac_critic_rows critics = {.rows = USED, .capacity = ROWS_HELD, .means = N, .out = out};
    fill(46, N * ROWS_HELD, -1, 1, out);
    for (int k = 0; k < N; k++)
        out[k * ROWS_HELD] = 0.75; /* they agree */
    static const real temperatures[] = {0, 3, 20, 1e6};
    for (int t = 0; t < 4; t++) {
        wac_weigh_spread(&critics, temperatures[t], weight);
        for (int i = 0; i < USED; i++) {
            double sum = 0, squares = 0;
            real mean, std;
            for (int k = 0; k < N; k++) {
                double value = out[k * ROWS_HELD + i];
                sum += value;
                squares += value * value;
            }
            wac_mean_spread(&critics, i, &mean, &std);
            assert_close(mean, sum / N, 1e-12, 0);
            assert_close(std, sqrt(fmax(squares / N - sum * sum / (N * N), 0)), 1e-7, 1e-7);
            double sigmoid = exp(-temperatures[t] * std) / (1 + exp(-temperatures[t] * std));
            assert_close(weight[i], sigmoid + 0.5, 1e-12, 0);
            assert_true(i == 0 || t == 0 ? weight[i] == 1 : weight[i] >= 0.5 && weight[i] < 0.9);
        }
    }
}

/* --- bonuses ---------------------------------------------------------------------------------- */

enum { MODELS_MOST = 5, MODEL_ROWS = 4, MODEL_CAPACITY = 6, OUTPUTS = 3 };

typedef struct bonuses {
    wac_model_rows said;
    const wac_bonus_rule *rule;
    real out[MODELS_MOST * MODEL_CAPACITY * OUTPUTS], dout[MODELS_MOST * MODEL_CAPACITY * OUTPUTS];
    real target[MODEL_ROWS * OUTPUTS], bonus[MODEL_ROWS];
} bonuses;

static double bonus_sum(void *context)
{
    bonuses *b = context;
    double sum = 0;
    b->rule->bonus(&b->said, b->bonus, b->dout);
    for (int i = 0; i < MODEL_ROWS; i++)
        sum += b->bonus[i];
    return sum;
}

static void bonuses_go_back(void **state)
{
    (void)state;
    static const real share[OUTPUTS] = {0.25, 0.25, 0.5};
    for (int models = 1; models <= MODELS_MOST; models++) {
        bonuses b = {.said = {.rows = MODEL_ROWS,
                              .capacity = MODEL_CAPACITY,
                              .models = models,
                              .outputs = OUTPUTS,
                              .share = share},
                     .rule = models == 1 ? &wac_bonus_novelty : &wac_bonus_information};
        b.said.out = b.out;
        b.said.target = b.target;
        fill(51, sizeof b.out / sizeof *b.out, -1, 1, b.out);
        fill(52, MODEL_ROWS * OUTPUTS, -1, 1, b.target);
        bonus_sum(&b);
        real dout[MODELS_MOST * MODEL_CAPACITY * OUTPUTS], with[MODEL_ROWS];
        memcpy(dout, b.dout, sizeof dout);
        memcpy(with, b.bonus, sizeof with);
        assert_gradient(bonus_sum, &b, b.out, dout, (size_t)models * MODEL_CAPACITY * OUTPUTS,
                        1e-7);
        b.rule->bonus(&b.said, b.bonus, NULL); /* the same where no slope is asked for */
        assert_memory_equal(b.bonus, with, sizeof with);
    }

    /* by hand: outputs 1, 2 and 6 have a variance of 7, so do 0, 1 and 5; equal ones tell nothing
     */
    const real three[] = {1, 4, 0, 2, 4, 1, 6, 4, 5}, one[] = {3, 0, 1}, random[] = {1, 0, -1};
    real bonus;
    wac_model_rows said = {1, 1, 3, OUTPUTS, three, NULL, share};
    wac_bonus_information.bonus(&said, &bonus, NULL);
    assert_close(bonus, 0.75 * log(1 + 7e6), 1e-12, 0);
    said = (wac_model_rows){1, 1, 1, OUTPUTS, one, random, share};
    wac_bonus_novelty.bonus(&said, &bonus, NULL);
    assert_close(bonus, 0.25 * 4 + 0.5 * 4, 1e-12, 0);
}

static void targets_are_backed_up(void **state)
{
    (void)state;
    enum { N = 4, C = 5 };
    /* row: smaller mean and bound agree; disagree; sigma clamped; the world ends */
    const real out[4 * C] = {1,   1,   2, 3,   0, /* mean 1 */
                             2,   2,   3, 1,   0, /* mean 2 */
                             0,   1,   2, 0.3, 0, /* ln std 1 */
                             0.5, -2., 2, 0.2, 0 /* ln std 2 */};
    const real reward[N] = {0.5, -1, 2, 3}, terminal[N] = {0, 0, 0, 1};
    const real log_prob[N] = {-1, 0.5, 2, 4};
    real mean_target[N], std_target[N];
    wac_backup backup = {
        .next = {.rows = N,
                 .capacity = C,
                 .means = 2,
                 .stds = 2,
                 .first_std = 2,
                 .out = (real *)out,
                 .kappa = 1.5},
        .reward = reward,
        .terminal = terminal,
        .log_prob = log_prob,
        .alpha = 0.2,
        .discount = 0.9,
        .sigma_max = 3,
        .mean_target = mean_target,
        .std_target = std_target,
    };
    wac_td_target(&backup);
    static const int chosen[N] = {0, 1, 0, 1};
    for (int i = 0; i < N; i++) {
        double on = terminal[i] == 1 ? 0 : 0.9;
        double mean = out[chosen[i] * C + i], std = exp(out[(2 + chosen[i]) * C + i]);
        assert_close(mean_target[i], reward[i] + on * (mean - 0.2 * log_prob[i]), 1e-14, 0);
        assert_close(std_target[i], fmin(on * std, 3), 1e-14, 0);
    }
    assert_true(std_target[2] == 3 && std_target[3] == 0 && mean_target[3] == 3);

    /* without stds the smaller mean is taken, and nothing behind it is read */
    backup.next.stds = 0;
    backup.std_target = NULL;
    backup.next.kappa = 1000;
    wac_td_target(&backup);
    assert_close(mean_target[1], -1 + 0.9 * (1 - 0.2 * 0.5), 1e-14, 0);
    assert_close(mean_target[2], 2 + 0.9 * (2 - 0.2 * 2), 1e-14, 0);

    /* of a subset the smallest, whatever the others say */
    static const int64_t subsets[][2] = {{3, 1}, {2, 0}};
    backup.next.means = 2;
    for (int s = 0; s < 2; s++) {
        backup.next.subset = subsets[s];
        wac_td_target(&backup);
        for (int i = 0; i < N; i++) {
            double least = fmin(out[subsets[s][0] * C + i], out[subsets[s][1] * C + i]);
            double on = terminal[i] == 1 ? 0 : 0.9;
            assert_close(mean_target[i], reward[i] + on * (least - 0.2 * log_prob[i]), 1e-14, 0);
        }
    }
}

/* --- steps ----------------------------------------------------------------------------------- */

/* Adam as Kingma and Ba print it (algorithm 1), with weight decay as Loshchilov and Hutter do
 * (algorithm 2). */
static double adam_expected(const double *gradients, int steps, double rate, double decay,
                            double value)
{
    double m = 0, v = 0;
    for (int t = 1; t <= steps; t++) {
        double g = gradients[t - 1];
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        value -= rate *
                 ((m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8) + decay * value);
    }
    return value;
}

static void adam_steps(void **state)
{
    (void)state;
    enum { STEPS = 7 };
    network n;
    network_make(&n, (wac_shape){2, 3, 1, .hidden = 2}, 4, 1, true);
    size_t size = wac_stack_size(&n.stack);
    real *before = WAC_TAKE(&n.arena, real, size), *gradient = WAC_TAKE(&n.arena, real, size);
    double(*history)[STEPS] = wac_arena_take(&n.arena, size, sizeof *history);
    double rates[] = {1e-3, 0, 0.5, 0.5}, decays[] = {0, 0.1, 0, 0.1};
    wac_moments moments = {WAC_TAKE(&n.arena, real, size), WAC_TAKE(&n.arena, real, size)};
    memcpy(before, n.stack.params, size * sizeof *before);
    for (int t = 0; t < STEPS; t++) {
        fill((uint64_t)(50 + t), size, -1, 1, gradient);
        gradient[0] = 0;
        gradient[1] *= 1e-9; /* as small as epsilon */
        for (size_t i = 0; i < size; i++)
            history[i][t] = gradient[i];
        for (int m = 0; m < n.stack.members; m++) {
            wac_stack one = wac_stack_slice(&n.stack, m, 1);
            ops->adam(NULL, &one, gradient + (size_t)m * one.stride,
                      wac_moments_slice(moments, &one, m),
                      wac_adam_decay(t + 1, rates[m], decays[m]));
        }
        for (size_t i = 0; i < size; i++)
            assert_close(n.stack.params[i],
                         adam_expected(history[i], t + 1, rates[i / n.stack.stride],
                                       decays[i / n.stack.stride], before[i]),
                         1e-12, 1e-14);
    }
    wac_arena_release(&n.arena);
}

static void polyak_follows(void **state)
{
    (void)state;
    network target, source;
    network_make(&target, (wac_shape){2, 3, 1, .hidden = 2}, 2, 1, true);
    network_make(&source, (wac_shape){2, 3, 1, .hidden = 2}, 2, 1, true);
    size_t size = wac_stack_size(&target.stack);
    fill(61, size, -1, 1, target.stack.params);
    fill(62, size, -1, 1, source.stack.params);
    real *before = WAC_TAKE(&target.arena, real, size);
    memcpy(before, target.stack.params, size * sizeof *before);
    ops->polyak(NULL, &target.stack, &source.stack, 0.005);
    for (size_t i = 0; i < size; i++)
        assert_close(target.stack.params[i], 0.995 * before[i] + 0.005 * source.stack.params[i],
                     1e-13, 1e-16);
    ops->polyak(NULL, &target.stack, &source.stack, 1);
    for (size_t i = 0; i < size; i++)
        assert_close(target.stack.params[i], source.stack.params[i], 1e-13, 1e-16);
    wac_arena_release(&target.arena);
    wac_arena_release(&source.arena);
}

/* -log alpha * sum(weight (log pi + H)), whose slope in log alpha the entropy weight descends */
typedef struct temper {
    policies *policies;
    int member;
    real log_alpha;
} temper;

static double temper_objective(void *context)
{
    temper *t = context;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += t->policies->weight[t->member * ROWS + i] *
               (t->policies->log_prob[t->member * ROWS + i] - ACTIONS);
    return -t->log_alpha * sum;
}

static void entropy_steps(void **state)
{
    (void)state;
    policies p;
    policies_make(&p);
    policies_objective(&p);
    real log_alpha[MEMBERS] = {0.3, -1}, first[MEMBERS] = {0}, second[MEMBERS] = {0};
    wac_entropy entropy = {log_alpha, first, second};
    real before[MEMBERS] = {0.3, -1};
    double history[MEMBERS][4];
    for (int t = 0; t < 4; t++) {
        for (int m = 0; m < MEMBERS; m++) {
            temper temper = {&p, m, log_alpha[m]};
            history[m][t] = slope_at(temper_objective, &temper, &temper.log_alpha);
        }
        wac_entropy_step(MEMBERS, ROWS, p.log_prob, p.weight, -ACTIONS,
                         wac_adam_prepare(t + 1, 1e-3), &entropy);
        for (int m = 0; m < MEMBERS; m++) {
            if (t == 0) /* the gradient itself */
                assert_close(first[m] / 0.1, history[m][0], 1e-8, 0);
            assert_close(log_alpha[m], adam_expected(history[m], t + 1, 1e-3, 0, before[m]), 1e-8,
                         0);
        }
        fill_noise((uint64_t)(70 + t), MEMBERS * ROWS * ACTIONS, p.noise);
        policies_objective(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_go_forward),
        cmocka_unit_test(blocks_go_forward),
        cmocka_unit_test(normalised_blocks_go_forward),
        cmocka_unit_test(networks_go_back),
        cmocka_unit_test(policies_sample_and_go_back),
        cmocka_unit_test(mean_errors_go_back),
        cmocka_unit_test(std_errors_go_back),
        cmocka_unit_test(upper_bounds_go_back),
        cmocka_unit_test(averages_go_back),
        cmocka_unit_test(spreads_weigh),
        cmocka_unit_test(bonuses_go_back),
        cmocka_unit_test(targets_are_backed_up),
        cmocka_unit_test(adam_steps),
        cmocka_unit_test(polyak_follows),
        cmocka_unit_test(entropy_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
