/* The generator: known answers, moments, streams apart, and fills that can be made in parts. */
#include "nn/fill.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* kat_vectors of the Random123 distribution, philox4x32 with 10 rounds */
static void known_answers(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], words[4];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t words[4];
        wac_philox(cases[i].counter, cases[i].key, words);
        assert_memory_equal(words, cases[i].words, sizeof words);
    }
}

/* where seed, stream and counter go: a change here would change every run ever made */
static void blocks_are_addressed(void **state)
{
    (void)state;
    const wac_rng rng = {.seed = 0x299f31d0a4093822u, .stream = 7, .counter = 99};
    const uint32_t place[4] = {0x243f6a88, 0x85a308d3, 7, 0}, key[2] = {0xa4093822, 0x299f31d0};
    uint32_t expected[4], words[4];
    wac_philox(place, key, expected);
    wac_rng_block(&rng, 0x85a308d3243f6a88u, words);
    assert_memory_equal(words, expected, sizeof words);

    const wac_rng zero = wac_rng_make(0, WAC_STREAM_INIT);
    static const uint32_t first[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    wac_rng_block(&zero, 0, words);
    assert_memory_equal(words, first, sizeof words);
}

typedef struct moments {
    double mean, variance, skew, kurtosis, low, high;
} moments;

static moments moments_of(const double *x, size_t count)
{
    moments m = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < count; i++) {
        m.mean += x[i] / (double)count;
        m.low = fmin(m.low, x[i]);
        m.high = fmax(m.high, x[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double d = x[i] - m.mean;
        m.variance += d * d / (double)count;
        m.skew += d * d * d / (double)count;
        m.kurtosis += d * d * d * d / (double)count;
    }
    m.skew /= pow(m.variance, 1.5);
    m.kurtosis /= m.variance * m.variance;
    return m;
}

enum { MANY = 400000 };

/* tolerances: about five deviations of each estimate */
static void assert_uniform(const double *x)
{
    moments m = moments_of(x, MANY);
    assert_true(m.low >= 0 && m.low < 1e-4 && m.high < 1 && m.high > 1 - 1e-4);
    assert_true(fabs(m.mean - 0.5) < 0.0025 && fabs(m.variance - 1.0 / 12) < 0.0006);
    assert_true(fabs(m.skew) < 0.015 && fabs(m.kurtosis - 1.8) < 0.015);
}

static void assert_normal(const double *x)
{
    moments m = moments_of(x, MANY);
    assert_true(fabs(m.mean) < 0.008 && fabs(m.variance - 1) < 0.012);
    assert_true(fabs(m.skew) < 0.02 && fabs(m.kurtosis - 3) < 0.04);
    assert_true(m.low < -4 && m.low > -6.7 && m.high > 4 && m.high < 6.7);
    /* the middle half lies within 0.6745 deviations */
    int inside = 0;
    for (size_t i = 0; i < MANY; i++)
        inside += fabs(x[i]) < 0.67448975;
    assert_true(abs(inside - MANY / 2) < 1600);
}

static void single_draws(void **state)
{
    (void)state;
    double *x = malloc(MANY * sizeof *x);
    wac_rng rng = wac_rng_make(42, WAC_STREAM_WORLD);
    for (size_t i = 0; i < MANY; i++)
        x[i] = wac_rng_uniform(&rng);
    assert_int_equal(rng.counter, MANY); /* one a draw */
    assert_uniform(x);
    for (size_t i = 0; i < MANY; i++)
        x[i] = wac_rng_normal(&rng);
    assert_int_equal(rng.counter, 2 * MANY);
    assert_normal(x);
    free(x);

    /* a draw depends on its counter, not on what was drawn before */
    wac_rng again = wac_rng_make(42, WAC_STREAM_WORLD);
    again.counter = 12345;
    rng.counter = 12345;
    assert_true(wac_rng_uniform(&rng) == wac_rng_uniform(&again));
}

static void fills_have_the_right_shape(void **state)
{
    (void)state;
    double *x = malloc(MANY * sizeof *x);
    real *values = malloc(MANY * sizeof *values);
    wac_rng rng = wac_rng_make(7, WAC_STREAM_NOISE);
    wac_fill_uniform(&rng, MANY, 0, 1, values);
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)values[i];
    assert_uniform(x);
    wac_fill_normal(&rng, MANY, values);
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)values[i];
    assert_normal(x);
    /* neighbours, which share a block or a pair, know nothing of each other */
    for (size_t lag = 1; lag <= 4; lag++) {
        double sum = 0;
        for (size_t i = 0; i + lag < MANY; i++)
            sum += x[i] * x[i + lag];
        assert_true(fabs(sum / MANY) < 0.008);
    }

    wac_fill_uniform(&rng, MANY, -1, 1, values);
    for (size_t i = 0; i < MANY; i++)
        assert_true(values[i] >= -1 && values[i] < 1);
    wac_fill_uniform(&rng, 1000, 3, 3, values);
    for (size_t i = 0; i < 1000; i++)
        assert_true(values[i] == 3);
    free(values);
    free(x);
}

static void streams_are_apart(void **state)
{
    (void)state;
    enum { DRAWS = 20000, STREAMS = WAC_STREAM_COUNT };
    static real values[STREAMS + 1][DRAWS];
    for (int s = 0; s <= STREAMS; s++) {
        /* the last: another seed */
        wac_rng rng = wac_rng_make(s < STREAMS ? 5 : 6, (wac_rng_stream)(s % STREAMS));
        wac_fill_normal(&rng, DRAWS, values[s]);
    }
    for (int s = 0; s <= STREAMS; s++) {
        for (int t = 0; t < s; t++) {
            double sum = 0;
            int equal = 0;
            for (size_t i = 0; i < DRAWS; i++) {
                sum += (double)values[s][i] * (double)values[t][i];
                equal += values[s][i] == values[t][i];
            }
            assert_true(fabs(sum / DRAWS) < 5 / sqrt(DRAWS));
            assert_true(equal < 5);
        }
    }
}

/* any part of a fill that starts at a multiple of four can be made by itself */
static void fills_are_addressable(void **state)
{
    (void)state;
    enum { COUNT = 1003 };
    static const size_t cuts[] = {0, 4, 8, 40, 500, 504, 1000, COUNT};
    static real whole[COUNT], parts[COUNT];
    static int64_t whole_index[COUNT], parts_index[COUNT];
    for (int kind = 0; kind < 3; kind++) {
        wac_rng rng = wac_rng_make(11, WAC_STREAM_BATCH), start;
        rng.counter = (1ull << 32) - 3; /* over the end of a word */
        start = rng;
        if (kind == 0)
            wac_fill_uniform(&rng, COUNT, -2, 3, whole);
        else if (kind == 1)
            wac_fill_normal(&rng, COUNT, whole);
        else
            wac_fill_index(&rng, COUNT, 1000003, whole_index);
        assert_int_equal(rng.counter - start.counter, (COUNT + 3) / 4);
        for (size_t i = sizeof cuts / sizeof *cuts - 1; i-- > 0;) { /* from the last to the first */
            size_t first = cuts[i], count = cuts[i + 1] - first;
            wac_rng part = start;
            part.counter += first / 4;
            if (kind == 0)
                wac_fill_uniform(&part, count, -2, 3, parts + first);
            else if (kind == 1)
                wac_fill_normal(&part, count, parts + first);
            else
                wac_fill_index(&part, count, 1000003, parts_index + first);
            assert_int_equal(part.counter - start.counter, (cuts[i + 1] + 3) / 4);
        }
        if (kind < 2)
            assert_memory_equal(whole, parts, sizeof whole);
        else
            assert_memory_equal(whole_index, parts_index, sizeof whole_index);
    }
    wac_rng rng = wac_rng_make(11, WAC_STREAM_BATCH);
    wac_fill_normal(&rng, 0, whole);
    assert_int_equal(rng.counter, 0);
}

static void indices_are_in_bounds_and_even(void **state)
{
    (void)state;
    static const int64_t limits[] = {1, 2, 3, 10, 1000, 1000000, 1000000000, 0xffffffff};
    enum { COUNT = 100000 };
    int64_t *index = malloc(COUNT * sizeof *index);
    wac_rng rng = wac_rng_make(3, WAC_STREAM_BATCH);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        int64_t low = INT64_MAX, high = -1;
        int tenths[10] = {0};
        wac_fill_index(&rng, COUNT, limits[l], index);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(index[i] >= 0 && index[i] < limits[l]);
            low = index[i] < low ? index[i] : low;
            high = index[i] > high ? index[i] : high;
            tenths[index[i] * 10 / limits[l]]++;
        }
        assert_true((double)low <= 1e-3 * (double)limits[l]);
        assert_true((double)high >= 0.999 * (double)limits[l] - 1);
        if (limits[l] % 10 == 0)
            for (int i = 0; i < 10; i++)
                assert_true(abs(tenths[i] - COUNT / 10) < 500); /* five deviations */
    }
    free(index);
}

static void extreme_words_make_finite_normals(void **state)
{
    (void)state;
    static const uint32_t extremes[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
        double unit = wac_rng_unit(extremes[i]);
        assert_true(unit >= 0 && unit < 1 && unit == (double)(float)unit);
        for (size_t j = 0; j < sizeof extremes / sizeof *extremes; j++) {
            const uint32_t words[2] = {extremes[i], extremes[j]};
            double normals[2];
            wac_rng_normal_pair(words, normals);
            assert_true(isfinite(normals[0]) && isfinite(normals[1]));
            /* sqrt(2 ln 2^32) is the largest radius */
            assert_true(hypot(normals[0], normals[1]) < 6.67);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(blocks_are_addressed),
        cmocka_unit_test(single_draws),
        cmocka_unit_test(fills_have_the_right_shape),
        cmocka_unit_test(streams_are_apart),
        cmocka_unit_test(fills_are_addressable),
        cmocka_unit_test(indices_are_in_bounds_and_even),
        cmocka_unit_test(extreme_words_make_finite_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
