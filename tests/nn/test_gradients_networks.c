/* Networks of the reference backend, in double: there by hand, back against finite differences,
 * and on by Adam and Polyak. */
#include "support/slopes.h"

static const wac_ops *const ops = &wac_ops_reference;

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

/* --- steps ----------------------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_go_forward),
        cmocka_unit_test(blocks_go_forward),
        cmocka_unit_test(normalised_blocks_go_forward),
        cmocka_unit_test(networks_go_back),
        cmocka_unit_test(adam_steps),
        cmocka_unit_test(polyak_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
