/* Statistics against NumPy and SciPy (recorded/statistics.json), and what must hold of any. */
#include "base/json.h"
#include "stats/estimates.h"
#include "stats/tests.h"
#include "support/small_runs.h"

static json_t *recorded;

static int load_recorded(void **state)
{
    (void)state;
    recorded = json_load_file(WAC_SOURCE_DIR "/tests/recorded/statistics.json", 0, NULL);
    return recorded ? 0 : -1;
}

static int drop_recorded(void **state)
{
    (void)state;
    json_decref(recorded);
    return 0;
}

/* The cases of one kind, one after the other; all of them are met or the test fails. */
#define FOR_CASES(kind, item)                                                                      \
    assert_true(json_array_size(json_object_get(recorded, kind)) > 0);                             \
    for (size_t case_ = 0; case_ < json_array_size(json_object_get(recorded, kind)); case_++)      \
        for (const json_t *item = json_array_get(json_object_get(recorded, kind), case_); item;    \
             item = NULL)

/* null stands for NaN */
static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    assert_non_null(value);
    return json_is_null(value) ? NAN : json_number_value(value);
}

enum { MOST = 512 };

static size_t numbers(double values[MOST], const json_t *array)
{
    size_t count = json_array_size(array);
    assert_true(json_is_array(array) && count <= MOST);
    for (size_t i = 0; i < count; i++)
        values[i] = json_number_value(json_array_get(array, i));
    return count;
}

/* Rows of numbers, one after the other. */
static size_t table(double values[MOST], size_t *rows, const json_t *array)
{
    size_t count = 0;
    *rows = json_array_size(array);
    for (size_t i = 0; i < *rows; i++)
        count += numbers(values + count, json_array_get(array, i));
    return count;
}

typedef struct tasks {
    double values[MOST];
    wac_values samples[8];
    size_t count;
} tasks;

static void read_tasks(tasks *tasks, const json_t *array)
{
    double *next = tasks->values;
    tasks->count = json_array_size(array);
    assert_true(tasks->count > 0 && tasks->count <= 8);
    for (size_t i = 0; i < tasks->count; i++) {
        size_t count = numbers(next, json_array_get(array, i));
        tasks->samples[i] = (wac_values){next, count};
        next += count;
    }
}

static void near(double value, double expected, double tolerance)
{
    if (isnan(expected) ? !isnan(value) : !(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", value, expected, tolerance);
}

static void close_to(double value, double expected)
{
    near(value, expected, 1e-12 * fmax(1, fabs(expected)));
}

/* --- against the recording ----------------------------------------------------------------- */

static void test_one_sample(void **state)
{
    (void)state;
    double values[MOST];
    FOR_CASES("one_sample", item)
    {
        size_t count = numbers(values, json_object_get(item, "values"));
        close_to(wac_mean(values, count), number(item, "mean"));
        close_to(wac_std(values, count), number(item, "std"));
        close_to(wac_spread(values, count), number(item, "spread"));
        wac_interval iqm;
        assert_ok(wac_interval_of(&iqm, WAC_ESTIMATE_IQM, &(wac_values){values, count}, NULL, 1,
                                  (wac_bootstrap){.resamples = 1}, &error));
        close_to(iqm.value, number(item, "iqm"));
    }
}

/* `step`: the distance of two values that the statistic can take, where those are few. */
static void check_interval(const wac_interval *interval, const json_t *expected, double share,
                           double step, size_t fewest)
{
    double tolerance = share * number(expected, "std") + step;
    close_to(interval->value, number(expected, "value"));
    near(interval->low, number(expected, "low"), tolerance);
    near(interval->high, number(expected, "high"), tolerance);
    assert_int_equal(interval->fewest, fewest);
}

static size_t smallest(const tasks *tasks)
{
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < tasks->count; i++)
        least = tasks->samples[i].count < least ? tasks->samples[i].count : least;
    return least;
}

static void check_intervals(const json_t *item, wac_bootstrap bootstrap, double share)
{
    static tasks a, b;
    wac_interval found, profile[8];
    double thresholds[MOST];
    read_tasks(&a, json_object_get(item, "a"));
    read_tasks(&b, json_object_get(item, "b"));
    size_t n = a.count, all = 0, fewest = smallest(&a);
    for (size_t i = 0; i < n; i++)
        all += a.samples[i].count;
    double step = 0.1 / (double)all; /* the samples have one decimal */
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IQM, a.samples, NULL, n, bootstrap, &error));
    check_interval(&found, json_object_get(item, "iqm"), share, 2 * step, fewest);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_MEAN, a.samples, NULL, n, bootstrap, &error));
    check_interval(&found, json_object_get(item, "mean"), share, step, fewest);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_MEDIAN, a.samples, NULL, n, bootstrap, &error));
    check_interval(&found, json_object_get(item, "median"), share, 0.1 / (double)fewest, fewest);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_GAP, a.samples, NULL, n, bootstrap, &error));
    check_interval(&found, json_object_get(item, "gap"), share, step, fewest);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IMPROVEMENT, a.samples, b.samples, n, bootstrap,
                              &error));
    check_interval(&found, json_object_get(item, "improvement"), share,
                   1 / (double)(fewest * fewest * n), fewest);
    size_t points = numbers(thresholds, json_object_get(item, "thresholds"));
    assert_true(points <= 8);
    assert_ok(wac_profile(profile, thresholds, points, a.samples, n, bootstrap, &error));
    for (size_t i = 0; i < points; i++)
        check_interval(&profile[i], json_array_get(json_object_get(item, "profile"), i), share,
                       1 / (double)all, fewest);
}

static void test_intervals(void **state)
{
    (void)state;
    FOR_CASES("intervals", item)
    {
        /* a bound from 20000 resamples has an error of about 0.02 deviations, from 2000 of 0.06 */
        check_intervals(item, (wac_bootstrap){.seed = 5, .resamples = 20000}, 0.08);
        check_intervals(item, wac_bootstrap_default(), 0.25);
    }
}

static void check_test(const wac_test *test, const json_t *expected)
{
    close_to(test->statistic, number(expected, "statistic"));
    close_to(test->rising, number(expected, "rising"));
    close_to(test->falling, number(expected, "falling"));
    assert_int_equal(test->exact, json_is_true(json_object_get(expected, "exact")));
}

static void check_page(const json_t *item)
{
    double values[MOST];
    size_t blocks;
    wac_test test;
    size_t count = table(values, &blocks, json_object_get(item, "values"));
    assert_ok(wac_trend_test(&test, values, blocks, count / blocks, &error));
    check_test(&test, item);
}

static void test_page(void **state)
{
    (void)state;
    FOR_CASES("page", item)
    check_page(item);
    FOR_CASES("page_ties", item)
    check_page(item);
}

static void check_two_samples(const char *kind, wac_two_sample_test *run)
{
    FOR_CASES(kind, item)
    {
        tasks a, b;
        wac_test test, turned;
        read_tasks(&a, json_object_get(item, "a"));
        read_tasks(&b, json_object_get(item, "b"));
        assert_int_equal(run(&test, a.samples, b.samples, a.count, NULL), WAC_STATUS_OK);
        check_test(&test, item);
        assert_int_equal(run(&turned, b.samples, a.samples, a.count, NULL), WAC_STATUS_OK);
        close_to(turned.rising, test.falling);
        close_to(turned.falling, test.rising);
    }
}

static void test_two_samples(void **state)
{
    (void)state;
    check_two_samples("rank", wac_rank_test);
    check_two_samples("spread_of_two", wac_spread_test);
}

/* Many values: near to the exact test, whichever way, and the same at every call. */
static void test_many_values(void **state)
{
    (void)state;
    enum { SIDE = 201 };
    static double x[SIDE], y[SIDE];
    for (int i = 0; i < SIDE; i++) {
        x[i] = i % 40;
        y[i] = (i * 7) % 40 + 1.5;
    }
    wac_values small_x = {x, SIDE - 1}, small_y = {y, SIDE - 1}, all_x = {x, SIDE},
               all_y = {y, SIDE};
    wac_test exact, near_to, drawn, again;
    assert_int_equal(wac_rank_test(&exact, &small_x, &small_y, 1, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_rank_test(&near_to, &all_x, &all_y, 1, NULL), WAC_STATUS_OK);
    assert_true(exact.exact && !near_to.exact);
    near(near_to.falling, exact.falling, 0.01);
    assert_int_equal(wac_spread_test(&drawn, &small_x, &small_y, 1, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_spread_test(&again, &small_x, &small_y, 1, NULL), WAC_STATUS_OK);
    assert_true(!drawn.exact && drawn.rising == again.rising);
    near(drawn.rising + drawn.falling, 1, 0.05);
    /* distances that are clearly apart, and none at all */
    for (int i = 0; i < SIDE; i++)
        y[i] = x[i] / 8;
    wac_values twenty_x = {x, 20}, twenty_y = {y, 20}, same = {(double[20]){0}, 20};
    assert_int_equal(wac_spread_test(&drawn, &twenty_y, &twenty_x, 1, NULL), WAC_STATUS_OK);
    assert_true(!drawn.exact && drawn.falling < 0.001 && drawn.rising > 0.99);
    assert_int_equal(wac_spread_test(&drawn, &same, &same, 1, NULL), WAC_STATUS_OK);
    assert_true(drawn.rising == 1 && drawn.falling == 1);
}

static void test_corrections_and_intervals(void **state)
{
    (void)state;
    FOR_CASES("holm", item)
    {
        double p[MOST], expected[MOST], corrected[MOST];
        size_t count = numbers(p, json_object_get(item, "p"));
        numbers(expected, json_object_get(item, "adjusted"));
        wac_holm(corrected, p, count);
        for (size_t i = 0; i < count; i++)
            close_to(corrected[i], expected[i]);
    }
    FOR_CASES("shares", item)
    {
        wac_interval share =
            wac_interval_share((size_t)number(item, "successes"), (size_t)number(item, "count"));
        close_to(share.low, number(item, "low"));
        close_to(share.high, number(item, "high"));
    }
    FOR_CASES("means", item)
    {
        double x[MOST], y[MOST];
        wac_values a = {x, numbers(x, json_object_get(item, "a"))};
        wac_values b = {y, numbers(y, json_object_get(item, "b"))};
        wac_estimated difference = wac_estimate_difference(&a, &b);
        double reach = wac_estimated_reach(&difference);
        close_to(difference.value, number(item, "value"));
        near(difference.value - reach, number(item, "low"), 1e-10);
        near(difference.value + reach, number(item, "high"), 1e-10);
        /* a bound at the end of the interval leaves 2.5 % beyond */
        near(wac_estimated_above(&difference, difference.value - reach), 0.025, 1e-10);
        near(wac_estimated_below(&difference, difference.value - reach), 0.975, 1e-10);
    }
    /* what has no error is above a bound or is not; of what has none that is known nobody can say
     */
    const wac_estimated sure = {.value = 2, .error = 0, .freedom = 3},
                        unknown = {.value = 2, .error = NAN, .freedom = 3};
    assert_true(wac_estimated_above(&sure, 1) == 0 && wac_estimated_above(&sure, 3) == 1);
    assert_true(wac_estimated_above(&sure, 2) == 1 && wac_estimated_above(&unknown, 1) == 1);
}

static void test_spearman(void **state)
{
    (void)state;
    double x[MOST], y[MOST], found;
    FOR_CASES("spearman", item)
    {
        size_t count = numbers(x, json_object_get(item, "x"));
        assert_int_equal(numbers(y, json_object_get(item, "y")), count);
        assert_ok(wac_spearman(&found, x, y, count, &error));
        close_to(found, number(item, "correlation"));
    }
}

/* --- what must hold of any ----------------------------------------------------------------- */

static bool same_bytes(const wac_interval *a, const wac_interval *b)
{
    return memcmp(&a->value, &b->value, 3 * sizeof a->value) == 0;
}

/* In another order the runs of a task say the same, to the bit; so does the same seed again. */
static void test_order_and_seed(void **state)
{
    (void)state;
    const double x[] = {0.3, 0.9, 0.1, 0.7, 0.2}, y[] = {0.2, 0.7, 0.3, 0.1, 0.9};
    const double u[] = {0.5, 0.4, 0.8, 0.6}, v[] = {0.6, 0.8, 0.5, 0.4};
    const wac_values one[] = {{x, 5}, {u, 4}}, other[] = {{y, 5}, {v, 4}};
    wac_bootstrap usual = wac_bootstrap_default(), another = {.seed = 3, .resamples = 500};
    wac_interval a, b;
    assert_ok(wac_interval_of(&a, WAC_ESTIMATE_GAP, one, NULL, 2, usual, &error));
    assert_ok(wac_interval_of(&b, WAC_ESTIMATE_GAP, other, NULL, 2, usual, &error));
    assert_true(same_bytes(&a, &b));
    assert_ok(wac_interval_of(&a, WAC_ESTIMATE_IMPROVEMENT, one, one + 1, 1, usual, &error));
    assert_ok(wac_interval_of(&b, WAC_ESTIMATE_IMPROVEMENT, other, other + 1, 1, usual, &error));
    assert_true(same_bytes(&a, &b));
    assert_ok(wac_interval_of(&a, WAC_ESTIMATE_IQM, one, NULL, 2, usual, &error));
    assert_ok(wac_interval_of(&b, WAC_ESTIMATE_IQM, other, NULL, 2, usual, &error));
    assert_true(same_bytes(&a, &b));
    assert_ok(wac_interval_of(&b, WAC_ESTIMATE_IQM, other, NULL, 2, another, &error));
    assert_true(a.value == b.value && (a.low != b.low || a.high != b.high));
    assert_true(a.low < a.value && a.value < a.high);
    assert_int_equal(a.fewest, 4);
}

/* Drawing within tasks: two tasks far apart leave no doubt about the mean where each of them has
 * none, and a profile between them stays at one half. */
static void test_strata(void **state)
{
    (void)state;
    const double low[] = {1, 1, 1, 1}, high[] = {9, 9, 9, 9}, threshold = 5;
    const wac_values samples[] = {{low, 4}, {high, 4}};
    wac_interval found;
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IQM, samples, NULL, 2, wac_bootstrap_default(),
                              &error));
    assert_true(found.value == 5 && found.low == 5 && found.high == 5);
    assert_ok(wac_profile(&found, &threshold, 1, samples, 2, wac_bootstrap_default(), &error));
    assert_true(found.value == 0.5 && found.low == 0.5 && found.high == 0.5);
    /* at the threshold is not above it */
    const double at_one = 1;
    assert_ok(wac_profile(&found, &at_one, 1, samples, 1, wac_bootstrap_default(), &error));
    assert_true(found.value == 0);
}

/* A task with more runs counts no more: as if the runs of the others were repeated. */
static void test_tasks_count_equally(void **state)
{
    (void)state;
    const double few[] = {0.1, 0.5}, many[] = {0.2, 0.6, 0.7, 0.8, 0.9, 1.2};
    const double repeated[] = {0.1, 0.1, 0.1, 0.5, 0.5, 0.5}, thresholds[] = {0.4, 0.65};
    const wac_values uneven[] = {{few, 2}, {many, 6}}, even[] = {{repeated, 6}, {many, 6}};
    static const wac_estimate estimates[] = {WAC_ESTIMATE_IQM, WAC_ESTIMATE_GAP};
    wac_bootstrap usual = wac_bootstrap_default();
    wac_interval a, b, one[2], other[2];
    for (int i = 0; i < 2; i++) {
        assert_ok(wac_interval_of(&a, estimates[i], uneven, NULL, 2, usual, &error));
        assert_ok(wac_interval_of(&b, estimates[i], even, NULL, 2, usual, &error));
        close_to(a.value, b.value);
    }
    close_to(b.value, (0.7 + 1.8 / 6) / 2); /* what is missing to 1 in each, averaged */
    assert_ok(wac_profile(one, thresholds, 2, uneven, 2, usual, &error));
    assert_ok(wac_profile(other, thresholds, 2, even, 2, usual, &error));
    for (int i = 0; i < 2; i++)
        close_to(one[i].value, other[i].value);
    close_to(one[0].value, (1. / 2 + 5. / 6) / 2);
}

static void test_improvement_bounds(void **state)
{
    (void)state;
    const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
    const wac_values a = {high, 4}, b = {low, 4};
    wac_interval found;
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IMPROVEMENT, &a, &b, 1, wac_bootstrap_default(),
                              &error));
    assert_true(found.value == 1 && found.low == 1 && found.high == 1);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IMPROVEMENT, &b, &a, 1, wac_bootstrap_default(),
                              &error));
    assert_true(found.value == 0 && found.low == 0 && found.high == 0);
    assert_ok(wac_interval_of(&found, WAC_ESTIMATE_IMPROVEMENT, &a, &a, 1, wac_bootstrap_default(),
                              &error));
    assert_true(found.value == 0.5 && found.low < 0.5 && found.high > 0.5);
}

/* Nothing known: NaN, not a number that looks like one. */
static void test_nothing(void **state)
{
    (void)state;
    double holes[] = {1, NAN, 3, 4}, constant[] = {2, 2, 2, 2}, found;
    const double good[] = {1, 2, 3, 4};
    const wac_values empty = {NULL, 0}, torn = {holes, 4}, fine[] = {{good, 4}, {NULL, 0}};
    wac_bootstrap usual = wac_bootstrap_default();
    wac_interval interval;
    wac_test test;
    assert_true(isnan(wac_mean(NULL, 0)) && isnan(wac_std(good, 1)) && isnan(wac_spread(good, 1)));
    const wac_values *bad[] = {&empty, &torn};
    for (int i = 0; i < 2; i++) {
        assert_ok(wac_interval_of(&interval, WAC_ESTIMATE_IQM, bad[i], NULL, 1, usual, &error));
        assert_true(isnan(interval.value) && isnan(interval.low) && isnan(interval.high));
        assert_int_equal(interval.fewest, 0);
        assert_ok(
            wac_interval_of(&interval, WAC_ESTIMATE_IMPROVEMENT, fine, bad[i], 1, usual, &error));
        assert_true(isnan(interval.value) && interval.fewest == 0);
    }
    assert_ok(wac_interval_of(&interval, WAC_ESTIMATE_GAP, fine, NULL, 2, usual,
                              &error)); /* a task without runs */
    assert_true(isnan(interval.value) && interval.fewest == 0);
    assert_ok(wac_interval_of(&interval, WAC_ESTIMATE_IQM, fine, NULL, 0, usual, &error));
    assert_true(isnan(interval.value) && interval.fewest == 0);
    assert_ok(wac_trend_test(&test, holes, 2, 2, &error));
    assert_true(isnan(test.statistic) && isnan(test.rising));
    assert_ok(wac_trend_test(&test, constant, 2, 2, &error)); /* all tied: no trend either way */
    assert_true(test.rising == 1 && test.falling == 1 && test.exact);
    assert_ok(wac_spearman(&found, constant, good, 4, &error));
    assert_true(isnan(found));
    assert_ok(wac_spearman(&found, good, good, 4, &error));
    close_to(found, 1);
}

/* One run of one task is its median, whatever memory held before. */
static void test_median_of_one(void **state)
{
    (void)state;
    double *volatile before[8], value = 0.25;
    wac_interval median;
    for (int i = 0; i < 8; i++) {
        before[i] = malloc(3 * sizeof **before);
        assert_non_null(before[i]);
        for (int k = 0; k < 3; k++)
            ((volatile double *)before[i])[k] = NAN;
    }
    for (int i = 0; i < 8; i++)
        free(before[i]);
    assert_ok(wac_interval_of(&median, WAC_ESTIMATE_MEDIAN, &(wac_values){&value, 1}, NULL, 1,
                              wac_bootstrap_default(), &error));
    assert_true(median.value == 0.25 && median.low == 0.25 && median.high == 0.25);
}

/* A test that draws: the deal that was seen, and 20 000 more. */
static void test_drawn_deals(void **state)
{
    (void)state;
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i * i % 23;
        y[i] = i * 5 % 17 * 1.25;
    }
    wac_test test;
    assert_ok(wac_spread_test(&test, &(wac_values){x, 20}, &(wac_values){y, 20}, 1, &error));
    assert_true(!test.exact && test.rising > 0.01 && test.falling > 0.01);
    near(fabs(remainder(20001 * test.rising, 1)), 0, 1e-6);
    near(fabs(remainder(20001 * test.falling, 1)), 0, 1e-6);
}

/* The smallest p-value that there is: one order of all. */
static void test_extremes(void **state)
{
    (void)state;
    double values[25], p = 1;
    wac_test test;
    for (int i = 0; i < 25; i++)
        values[i] = i % 5 + 10 * (i / 5);
    assert_ok(wac_trend_test(&test, values, 5, 5, &error));
    for (int block = 0; block < 5; block++)
        p /= 120;
    near(test.rising, p, 1e-12 * p);
    close_to(test.falling, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_sample),
        cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_two_samples),
        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_corrections_and_intervals),
        cmocka_unit_test(test_spearman),
        cmocka_unit_test(test_order_and_seed),
        cmocka_unit_test(test_strata),
        cmocka_unit_test(test_tasks_count_equally),
        cmocka_unit_test(test_improvement_bounds),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_median_of_one),
        cmocka_unit_test(test_drawn_deals),
    };
    return cmocka_run_group_tests(tests, load_recorded, drop_recorded);
}
