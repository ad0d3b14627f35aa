/* Quantile critics, deterministic policies and the bandit, in double: beliefs and errors in plain
 * numbers, their gradients against finite differences. */
#include "nn/fill.h"
#include "rl/bandit.h"
#include "rl/host/quantiles.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 6, CAPACITY = 8, MOST = 12, CRITICS = 3, A = 2 };

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", value, expected, tolerance);
}

static void fill(uint64_t seed, int count, double least, double most, real *values)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_NOISE);
    wac_fill_uniform(&rng, (size_t)count, least, most, values);
}

/* What critics said, and the belief of it in plain numbers. */
typedef struct said {
    int n;
    real out[CRITICS * CAPACITY * MOST], weight[ROWS];
    wac_critic_rows critics;
} said;

static said say(int n, int critics, double kappa)
{
    said said = {.n = n};
    fill(1, CRITICS * CAPACITY * MOST, -1.5, 1.5, said.out);
    fill(2, ROWS, 0.05, 0.4, said.weight);
    said.critics = (wac_critic_rows){
        .rows = ROWS, .capacity = CAPACITY, .means = critics, .kappa = (real)kappa};
    return said;
}

static double belief(const said *s, int row, int q)
{
    double mean = 0, squares = 0;
    int critics = s->critics.means;
    for (int k = 0; k < critics; k++)
        mean += s->out[(k * CAPACITY + row) * s->n + q] / critics;
    for (int k = 0; k < critics; k++)
        squares += pow(s->out[(k * CAPACITY + row) * s->n + q] - mean, 2);
    if (s->critics.population)
        return mean + s->critics.kappa * sqrt(squares / critics);
    return mean + s->critics.kappa * sqrt(squares / (critics > 1 ? critics - 1 : 1) + 1e-4);
}

static void targets_are_beliefs(void **state)
{
    (void)state;
    for (int c = 0; c < 2 * CRITICS; c++) {
        said s = say(5, 1 + c / 2, -0.7);
        s.critics.population = c % 2;
        real reward[ROWS], log_prob[ROWS], terminal[ROWS], target[ROWS * MOST];
        fill(3, ROWS, -1, 1, reward);
        fill(4, ROWS, -3, 0, log_prob);
        for (int i = 0; i < ROWS; i++)
            terminal[i] = i == 2;
        s.critics.out = s.out;
        wac_quantile_target(s.n, &(wac_backup){.next = s.critics,
                                               .reward = reward,
                                               .terminal = terminal,
                                               .log_prob = log_prob,
                                               .alpha = (real)0.2,
                                               .discount = (real)0.9,
                                               .mean_target = target});
        for (int i = 0; i < ROWS; i++)
            for (int q = 0; q < s.n; q++) {
                double on = i == 2 ? 0 : 0.9;
                assert_near(target[i * s.n + q],
                            reward[i] + on * (belief(&s, i, q) - 0.2 * log_prob[i]), 1e-12);
            }
    }
}

/* sum of weight times the mean belief */
static double climbed(said *s, real *dout)
{
    real bound[ROWS], own[CRITICS * CAPACITY * MOST];
    double sum = 0;
    s->critics.out = s->out;
    wac_quantile_bound(s->n, &s->critics, s->weight, bound, dout ? dout : own);
    for (int i = 0; i < ROWS; i++)
        sum += s->weight[i] * bound[i];
    return sum;
}

static void beliefs_are_climbed(void **state)
{
    (void)state;
    static const double kappas[] = {-1, 0, 0.8};
    for (int c = 0; c < 18; c++) {
        said s = say(2 + 3 * (c % 9 / 3), 1 + c % 9 / 3, kappas[c % 3]);
        s.critics.population = c >= 9;
        real dout[CRITICS * CAPACITY * MOST] = {0};
        double plain = 0, sum = climbed(&s, dout);
        for (int i = 0; i < ROWS; i++)
            for (int q = 0; q < s.n; q++)
                plain += s.weight[i] * belief(&s, i, q) / s.n;
        assert_near(sum, plain, 1e-12);
        for (int k = 0; k < s.critics.means; k++)
            for (int i = 0; i < ROWS * s.n; i++) {
                real *at = &s.out[k * CAPACITY * s.n + i], before = *at;
                double sides[2];
                for (int side = 0; side < 2; side++) {
                    *at = before + (side ? 1e-6 : -1e-6);
                    sides[side] = climbed(&s, NULL);
                }
                *at = before;
                assert_near(dout[at - s.out], (sides[0] - sides[1]) / 2e-6, 1e-8);
            }
        /* the value is that without optimism */
        double mean = 0;
        s.critics.kappa = 0;
        for (int q = 0; q < s.n; q++)
            mean += belief(&s, 4, q) / s.n;
        assert_near(wac_quantile_mean(s.n, &s.critics, 4), mean, 1e-12);
    }
}

/* Where two critics agree, the distance between them has no slope: neither is preferred. */
static void agreement_is_flat(void **state)
{
    (void)state;
    said s = say(4, 2, 0.9);
    real dout[CRITICS * CAPACITY * MOST] = {0};
    s.critics.population = true;
    memcpy(s.out + CAPACITY * s.n, s.out, ROWS * MOST / 3 * sizeof *s.out);
    climbed(&s, dout);
    for (int i = 0; i < ROWS * s.n; i++) {
        double even = -s.weight[i / s.n] / 2 / s.n;
        assert_near(dout[i], even, 1e-15);
        assert_near(dout[CAPACITY * s.n + i], even, 1e-15);
    }
}

static double huber(double u)
{
    return fabs(u) <= 1 ? u * u / 2 : fabs(u) - 0.5;
}

static void errors_are_regressed(void **state)
{
    (void)state;
    for (int n = 1; n <= MOST; n += 4) {
        said s = say(n, 1, 0);
        real target[ROWS * MOST], dout[ROWS * MOST], other[ROWS * MOST];
        double loss, average, plain = 0, mean = 0, beyond = 0;
        fill(5, ROWS * n, -2, 2, target);
        wac_quantile_error(n, ROWS, s.out, target, s.weight, dout, &loss, &average);
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < n; i++) {
                mean += s.out[r * n + i] / (ROWS * n);
                for (int j = 0; j < n; j++) {
                    double u = target[r * n + j] - s.out[r * n + i], tau = (i + 0.5) / n;
                    plain += s.weight[r] * fabs(tau - (u < 0)) * huber(u) / n;
                    beyond += fabs(u) > 1;
                }
            }
        assert_near(loss, plain, 1e-12);
        assert_near(average, mean, 1e-12);
        assert_true(beyond > 0);
        for (int i = 0; i < ROWS * n; i++) {
            double sides[2];
            real before = s.out[i];
            for (int side = 0; side < 2; side++) {
                s.out[i] = before + (side ? 1e-6 : -1e-6);
                wac_quantile_error(n, ROWS, s.out, target, s.weight, other, &sides[side], &average);
            }
            s.out[i] = before;
            assert_near(dout[i], (sides[1] - sides[0]) / 2e-6, 1e-6);
        }
    }
}

/* As many quantiles as there may be, and no number beside them is looked at. */
static void there_may_be_many(void **state)
{
    (void)state;
    enum { N = WAC_QUANTILES_MOST };
    real *numbers[3];
    for (int i = 0; i < 3; i++) {
        numbers[i] = malloc(2 * N * sizeof *numbers[i]);
        assert_non_null(numbers[i]);
        fill(20 + (uint64_t)i, 2 * N, -2, 2, numbers[i]);
    }
    const real *out = numbers[0], *target = numbers[1], weight[] = {(real)0.25, (real)0.75};
    double loss, average, plain = 0, mean = 0;
    wac_quantile_error(N, 2, out, target, weight, numbers[2], &loss, &average);
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < N; i++) {
            mean += out[r * N + i] / (2 * N);
            for (int j = 0; j < N; j++) {
                double u = target[r * N + j] - out[r * N + i], tau = (i + 0.5) / N;
                plain += weight[r] * fabs(tau - (u < 0)) * huber(u) / N;
            }
        }
    assert_near(loss, plain, 1e-9);
    assert_near(average, mean, 1e-12);
    for (int i = 0; i < 3; i++)
        free(numbers[i]);
}

/* Where targets are draws, what is learned are their quantiles, up to Huber's rounding. */
static void quantiles_are_found(void **state)
{
    (void)state;
    enum { N = 4 };
    real out[N] = {0}, target[N], dout[N], weight = 1;
    double loss, average;
    wac_rng rng = wac_rng_make(7, WAC_STREAM_NOISE);
    for (int i = 0; i < 200000; i++) {
        wac_fill_uniform(&rng, N, 0, 1000, target);
        wac_quantile_error(N, 1, out, target, &weight, dout, &loss, &average);
        for (int q = 0; q < N; q++)
            out[q] -= 2000.0 / (i + 100) * dout[q];
    }
    for (int q = 0; q < N; q++)
        assert_near(out[q], 1000 * (q + 0.5) / N, 10);
}

static double did(wac_sample *s, const real *daction)
{
    double sum = 0;
    wac_policy_sample(s);
    for (int i = 0; i < ROWS * A; i++)
        sum += daction[i] * s->action[i];
    return sum;
}

static void deterministic_policies_go_back(void **state)
{
    (void)state;
    real heads[ROWS * A], noise[ROWS * A], action[ROWS * A], log_prob[ROWS], daction[ROWS * A];
    real dheads[ROWS * A], weight[ROWS] = {0};
    fill(8, ROWS * A, -1.5, 1.5, heads);
    fill(9, ROWS * A, -4, 4, noise);
    fill(10, ROWS * A, -1, 1, daction);
    wac_sample s = {.rows = ROWS,
                    .actions = A,
                    .per_row = A,
                    .heads = heads,
                    .noise = noise,
                    .action = action,
                    .log_prob = log_prob};
    did(&s, daction);
    wac_policy_gradient(&s, daction, 0, weight, dheads);
    for (int i = 0; i < ROWS * A; i++) {
        real before = heads[i];
        double sides[2];
        assert_near(action[i], tanh(before), 1e-15);
        for (int side = 0; side < 2; side++) {
            heads[i] = before + (side ? 1e-6 : -1e-6);
            sides[side] = did(&s, daction);
        }
        heads[i] = before;
        assert_near(dheads[i], (sides[1] - sides[0]) / 2e-6, 1e-8);
    }
    /* with noise: cut at both ends, and so is the action */
    int cut = 0, outside = 0;
    s.noise_std = (real)0.3;
    s.noise_most = (real)0.5;
    wac_policy_sample(&s);
    for (int i = 0; i < ROWS * A; i++) {
        double added = fmin(fmax(0.3 * noise[i], -0.5), 0.5);
        cut += fabs(added) == 0.5;
        outside += fabs(tanh(heads[i]) + added) > 1;
        assert_near(action[i], fmin(fmax(tanh(heads[i]) + added, -1), 1), 1e-15);
        assert_true(log_prob[i / A] == 0);
    }
    assert_true(cut > 1 && cut < ROWS * A && outside > 0);
}

static void a_bandit_finds_the_better_arm(void **state)
{
    (void)state;
    for (int better = 0; better < 2; better++) {
        wac_bandit bandit = {0};
        wac_rng rng = wac_rng_make(11, WAC_STREAM_LEADER), noise = wac_rng_make(12, 0);
        int last = 0, taken = 0;
        assert_true(wac_bandit_chance(&bandit) == 0.5);
        for (int i = 0; i < 2000; i++, rng.counter++) {
            int arm = wac_bandit_arm(&bandit, &rng);
            assert_int_equal(arm, wac_bandit_arm(&bandit, &rng)); /* nothing is used up */
            /* what an arm does is a change, as a policy that learns has it */
            last += arm == better ? 1 : -1;
            wac_bandit_feed(&bandit, arm, 0.1, last + 0.1 * wac_rng_normal(&noise));
            taken += i >= 500 && arm == better;
        }
        assert_true(taken > 0.6 * 1500);
        assert_true(isfinite(bandit.weight[0]) && isfinite(bandit.weight[1]));
    }
}

/* Returns that never change, or by as much each time, tell nothing, and break nothing. */
static void a_bandit_needs_differences(void **state)
{
    (void)state;
    wac_bandit bandit = {0};
    for (int i = 0; i < 20; i++)
        wac_bandit_feed(&bandit, i % 2, 0.1, 0);
    assert_true(bandit.weight[0] == 0 && bandit.weight[1] == 0);
    for (int i = 0; i < 20; i++)
        wac_bandit_feed(&bandit, i % 2, 1e6, i % 3 ? 1e9 : -1e9);
    assert_true(isfinite(bandit.weight[0]) && isfinite(bandit.weight[1]));
    assert_true(wac_bandit_chance(&bandit) >= 0 && wac_bandit_chance(&bandit) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_beliefs),
        cmocka_unit_test(beliefs_are_climbed),
        cmocka_unit_test(agreement_is_flat),
        cmocka_unit_test(errors_are_regressed),
        cmocka_unit_test(there_may_be_many),
        cmocka_unit_test(quantiles_are_found),
        cmocka_unit_test(deterministic_policies_go_back),
        cmocka_unit_test(a_bandit_finds_the_better_arm),
        cmocka_unit_test(a_bandit_needs_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
