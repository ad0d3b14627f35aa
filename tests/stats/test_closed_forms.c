/* Distributions and tests where the answer is a formula, and at their edges: none, one, all equal,
 * what is no number. */
#include "stats/distributions.h"
#include "stats/estimates.h"
#include "stats/tests.h"
#include "support/folder.h"

#include <math.h>

static void assert_near(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void students_t(void **state)
{
    (void)state;
    const double shares[] = {0.001, 0.02, 0.25, 0.4, 0.6, 0.75, 0.98, 0.999};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double p = shares[i];
        assert_near(wac_t_quantile(p, 1), tan(M_PI * (p - 0.5)));
        assert_near(wac_t_quantile(p, 2), (2 * p - 1) / sqrt(2 * p * (1 - p)));
        assert_near(wac_t_tail(wac_t_quantile(p, 7.5), 7.5), 1 - p);
        assert_near(wac_t_quantile(p, 30), -wac_t_quantile(1 - p, 30));
    }
    const double values[] = {-40, -3, -0.5, 0, 0.01, 1, 12};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        double t = values[i];
        assert_near(wac_t_tail(t, 1), 0.5 - atan(t) / M_PI);
        assert_near(wac_t_tail(t, 2), 0.5 - t / (2 * sqrt(2 + t * t)));
    }
    assert_near(wac_t_tail(INFINITY, 3), 0);
    assert_near(wac_t_tail(-INFINITY, 3), 1);
    assert_near(wac_t_tail(NAN, 3), 1);
    /* beyond what a double tells apart from the ends */
    assert_near(wac_t_tail(1e200, 3), 0);
    assert_near(wac_t_tail(-1e200, 3), 1);
}

static void beta(void **state)
{
    (void)state;
    const double shares[] = {0.01, 0.3, 0.5, 0.9};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double p = shares[i];
        for (double a = 0.5; a < 40; a *= 3) {
            assert_near(wac_beta_quantile(p, a, 1), pow(p, 1 / a));
            assert_near(wac_beta_quantile(p, 1, a), -expm1(log1p(-p) / a));
            assert_near(wac_beta_quantile(p, a, 2 * a), 1 - wac_beta_quantile(1 - p, 2 * a, a));
        }
    }
    assert_near(wac_beta_quantile(0.5, 6, 6), 0.5);
}

static void assert_nothing(const wac_test *test)
{
    assert_true(isnan(test->statistic) && isnan(test->rising) && isnan(test->falling));
}

static void nothing_to_compare(void **state)
{
    (void)state;
    wac_two_sample_test *const tests[] = {wac_rank_test, wac_rank_test_quick, wac_spread_test};
    double some[] = {1, 2, 3}, hole[] = {1, NAN, 3};
    const wac_values full = {some, 3}, none = {some, 0}, broken = {hole, 3};
    wac_test test;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        assert_ok(tests[i](&test, &none, &full, 1, &error));
        assert_nothing(&test);
        assert_ok(tests[i](&test, &full, &none, 1, &error));
        assert_nothing(&test);
        assert_ok(tests[i](&test, &broken, &full, 1, &error));
        assert_nothing(&test);
        assert_ok(tests[i](&test, &full, &broken, 1, &error));
        assert_nothing(&test);
    }
    assert_ok(wac_trend_test(&test, some, 0, 3, &error));
    assert_nothing(&test);
    assert_ok(wac_trend_test(&test, some, 3, 1, &error));
    assert_nothing(&test);
    assert_ok(wac_trend_test(&test, hole, 1, 3, &error));
    assert_nothing(&test);
}

/* Over many strata there are so many sums that large studies are approximated. */
static void many_strata(void **state)
{
    (void)state;
    enum { STRATA = 16, SEEDS = 200, FEW = 20 };
    static double numbers[2][SEEDS];
    wac_values a[STRATA], b[STRATA];
    wac_test test;
    for (int i = 0; i < SEEDS; i++) {
        numbers[0][i] = i;
        numbers[1][i] = i - 0.5;
    }
    for (int large = 0; large < 2; large++) {
        for (int s = 0; s < STRATA; s++) {
            a[s] = (wac_values){numbers[0], large ? SEEDS : FEW};
            b[s] = (wac_values){numbers[1], large ? SEEDS : FEW};
        }
        assert_ok(wac_rank_test(&test, a, b, STRATA, &error));
        assert_int_equal(test.exact, !large);
        assert_near(test.statistic, 0.5 + 0.5 / (large ? SEEDS : FEW));
        assert_true(test.rising > 0.3 && test.rising < 0.5 && test.falling > 0.5);
    }
}

/* Where all are equal nothing speaks for an effect, neither exactly nor by approximation. */
static void all_equal(void **state)
{
    (void)state;
    enum { MANY = 500, SETTINGS = 12 };
    static double same[MANY * SETTINGS];
    const wac_values few = {same, 4}, many = {same, MANY};
    const wac_values *const sizes[] = {&few, &many};
    wac_test test;
    for (int i = 0; i < 2; i++) {
        assert_ok(wac_rank_test(&test, sizes[i], sizes[i], 1, &error));
        assert_near(test.statistic, 0.5);
        assert_near(test.rising, 1);
        assert_near(test.falling, 1);
        assert_int_equal(test.exact, i == 0);
        assert_ok(wac_trend_test(&test, same, sizes[i]->count, i ? SETTINGS : 3, &error));
        assert_near(test.rising, 1);
        assert_near(test.falling, 1);
        assert_int_equal(test.exact, i == 0);
    }
    assert_ok(wac_spread_test(&test, &few, &few, 1, &error));
    assert_near(test.statistic, 0);
    assert_near(test.rising, 1);
    assert_near(test.falling, 1);
}

/* Complete separation of n from m: one deal in (n + m over n) is as far. */
static void separated(void **state)
{
    (void)state;
    double low[] = {1, 2, 3}, high[] = {4, 5, 6, 7};
    const wac_values a = {low, 3}, b = {high, 4};
    wac_test test;
    assert_ok(wac_rank_test(&test, &b, &a, 1, &error));
    assert_near(test.statistic, 1);
    assert_near(test.rising, 1.0 / 35);
    assert_near(test.falling, 1);
    assert_ok(wac_rank_test(&test, &a, &b, 1, &error));
    assert_near(test.statistic, 0);
    assert_near(test.falling, 1.0 / 35);
    /* rising in each of two blocks: one way in 3! of each */
    const double blocks[] = {1, 2, 3, 10, 20, 30};
    assert_ok(wac_trend_test(&test, blocks, 2, 3, &error));
    assert_near(test.rising, 1.0 / 36);
    assert_near(test.falling, 1);
    assert_true(test.exact);
}

static void spearman(void **state)
{
    (void)state;
    const double up[] = {1, 2, 3, 4}, down[] = {8, 6, 4, 2}, same[] = {5, 5, 5, 5},
                 hole[] = {1, NAN, 3, 4}, tied[] = {1, 1, 2, 2};
    double correlation;
    assert_ok(wac_spearman(&correlation, up, down, 4, &error));
    assert_near(correlation, -1);
    assert_ok(wac_spearman(&correlation, up, up, 2, &error));
    assert_near(correlation, 1);
    /* ranks 1.5, 1.5, 3.5, 3.5 against 1 to 4 */
    assert_ok(wac_spearman(&correlation, up, tied, 4, &error));
    assert_near(correlation, 4 / sqrt(20));
    const double *const bad[] = {same, hole};
    for (int i = 0; i < 2; i++) {
        assert_ok(wac_spearman(&correlation, up, bad[i], 4, &error));
        assert_true(isnan(correlation));
        assert_ok(wac_spearman(&correlation, bad[i], up, 4, &error));
        assert_true(isnan(correlation));
    }
    for (size_t count = 0; count < 2; count++) {
        assert_ok(wac_spearman(&correlation, up, up, count, &error));
        assert_true(isnan(correlation));
    }
}

/* What is no number leaves a median without one, and nothing behind the values is read. */
static void medians_with_holes(void **state)
{
    (void)state;
    for (size_t count = 1; count < 6; count++) {
        double *values = malloc(count * sizeof *values);
        assert_non_null(values);
        for (size_t i = 0; i < count; i++)
            values[i] = i % 2 ? 1 : NAN;
        assert_true(isnan(wac_median(values, count)));
        for (size_t i = 0; i < count; i++)
            values[i] = (double)(i * 3 % count);
        if (count % 3)
            assert_true(wac_median(values, count) == (double)(count - 1) / 2);
        free(values);
    }
    assert_true(isnan(wac_median(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(students_t),         cmocka_unit_test(beta),
        cmocka_unit_test(nothing_to_compare), cmocka_unit_test(all_equal),
        cmocka_unit_test(many_strata),        cmocka_unit_test(separated),
        cmocka_unit_test(spearman),           cmocka_unit_test(medians_with_holes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
