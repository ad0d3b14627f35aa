/* Tests on ranks: Page, Spearman.
 *
 * Ranks are kept doubled, so that the average rank of ties is a whole number. Small tests are
 * exact: the distribution of the statistic over all ways to hand out the ranks that there are, ties
 * included, is built up by dynamic programming over sums of doubled ranks. */
#include "stats/tests.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 10, MOST_BLOCKS = 30 };

typedef struct ranked {
    double value;
    size_t place;
} ranked;

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const ranked *)a)->value, y = ((const ranked *)b)->value;
    return (x > y) - (x < y);
}

/* Twice the rank (from 1, ties averaged) of each value; scratch: [count]. False for NaN. */
static bool rank_twice(size_t *doubled, ranked *scratch, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (isnan(values[i]))
            return false;
        scratch[i] = (ranked){values[i], i};
    }
    qsort(scratch, count, sizeof *scratch, compare_ranked);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first; end < count && scratch[end].value == scratch[first].value;)
            end++;
        for (size_t i = first; i < end; i++)
            doubled[scratch[i].place] = first + 1 + end; /* ranks first + 1 … end */
    }
    return true;
}

/* The tails of a distribution over whole numbers, both with `at` itself. weights: [count] */
static void read_tails(wac_test *test, const double *weights, size_t count, size_t at)
{
    double below = 0, above = 0;
    for (size_t i = 0; i < at; i++)
        below += weights[i];
    for (size_t i = at + 1; i < count; i++)
        above += weights[i];
    double all = below + weights[at] + above;
    test->rising = (weights[at] + above) / all;
    test->falling = (below + weights[at]) / all;
    test->exact = true;
}

/* --- Page ---------------------------------------------------------------------------------- */

/* What Page's test works with. */
typedef struct trend {
    size_t blocks, settings;
    size_t width;    /* sums of a block are smaller */
    size_t *ranks;   /* [blocks][settings], doubled */
    ranked *scratch; /* [settings] */
    double *orders;  /* [2^settings][width]: ways to hand ranks to the first settings */
    double *sums;    /* [blocks * width]: distribution of the sum over blocks */
    double *next;    /* the same, being made */
} trend;

/* The distribution of sum over j of j * rank, over all orders of one block's ranks; the last row of
 * orders has it. Sets of ranks that are handed out grow one by one: setting j gets the j-th. */
static const double *count_orders(trend *trend, const size_t *ranks)
{
    size_t sets = (size_t)1 << trend->settings, width = trend->width;
    memset(trend->orders, 0, sets * width * sizeof *trend->orders);
    trend->orders[0] = 1;
    for (size_t set = 0; set + 1 < sets; set++) {
        size_t place = (size_t)__builtin_popcountll(set) + 1;
        const double *from = trend->orders + set * width;
        for (size_t i = 0; i < trend->settings; i++) {
            if (set >> i & 1)
                continue;
            size_t step = place * ranks[i];
            double *to = trend->orders + (set | (size_t)1 << i) * width + step;
            for (size_t sum = 0; sum + step < width; sum++)
                to[sum] += from[sum] / (double)place; /* as many ways lead to each set */
        }
    }
    return trend->orders + (sets - 1) * width;
}

static wac_status test_orders(wac_test *test, trend *trend, size_t observed, wac_error *error)
{
    size_t blocks = trend->blocks, settings = trend->settings, width = trend->width;
    size_t room = blocks * width;
    trend->orders = malloc(((size_t)1 << settings) * width * sizeof *trend->orders);
    trend->sums = calloc(room, sizeof *trend->sums);
    trend->next = calloc(room, sizeof *trend->next);
    if (!trend->orders || !trend->sums || !trend->next)
        return wac_fail_memory(error, "a trend test");
    trend->sums[0] = 1;
    for (size_t block = 0; block < blocks; block++) {
        const double *orders = count_orders(trend, trend->ranks + block * settings);
        memset(trend->next, 0, room * sizeof *trend->next);
        for (size_t sum = 0; sum <= block * (width - 1); sum++)
            for (size_t more = 0; trend->sums[sum] > 0 && more < width; more++)
                if (orders[more] > 0)
                    trend->next[sum + more] += trend->sums[sum] * orders[more];
        double *former = trend->sums;
        trend->sums = trend->next;
        trend->next = former;
    }
    read_tails(test, trend->sums, room, observed);
    return WAC_STATUS_OK;
}

static void approximate_page(wac_test *test, const trend *trend)
{
    double k = (double)trend->settings, middle = (k + 1) / 2;
    double positions = k * (k * k - 1) / 12; /* squared distances of 1 … k from their middle */
    double expected = (double)trend->blocks * k * middle * middle, variance = 0;
    for (size_t i = 0; i < trend->blocks * trend->settings; i++) {
        double distance = (double)trend->ranks[i] / 2 - middle;
        variance += distance * distance * positions / (k - 1);
    }
    double z = (test->statistic - expected) / sqrt(variance);
    /* how probable it is that a normal variable is larger, or smaller */
    test->rising = variance > 0 ? 0.5 * erfc(z / sqrt(2)) : 1;
    test->falling = variance > 0 ? 0.5 * erfc(-z / sqrt(2)) : 1;
}

static wac_status test_trend(wac_test *test, trend *trend, const double *values, wac_error *error)
{
    size_t blocks = trend->blocks, settings = trend->settings, observed = 0;
    trend->ranks = malloc(blocks * settings * sizeof *trend->ranks);
    trend->scratch = malloc(settings * sizeof *trend->scratch);
    if (!trend->ranks || !trend->scratch)
        return wac_fail_memory(error, "a trend test");
    for (size_t block = 0; block < blocks; block++) {
        size_t *ranks = trend->ranks + block * settings;
        if (!rank_twice(ranks, trend->scratch, values + block * settings, settings))
            return WAC_STATUS_OK; /* and the numbers stay NaN */
        for (size_t j = 0; j < settings; j++)
            observed += (j + 1) * ranks[j];
    }
    test->statistic = (double)observed / 2;
    if (settings <= MOST_SETTINGS && blocks <= MOST_BLOCKS)
        return test_orders(test, trend, observed, error);
    approximate_page(test, trend);
    return WAC_STATUS_OK;
}

wac_status wac_trend_test(wac_test *test, const double *values, size_t blocks, size_t settings,
                          wac_error *error)
{
    *test = (wac_test){NAN, NAN, NAN, false};
    if (blocks == 0 || settings < 2)
        return WAC_STATUS_OK;
    trend trend = {
        .blocks = blocks,
        .settings = settings,
        .width = settings * (settings + 1) * (2 * settings + 1) / 3 + 1,
    };
    wac_status status = test_trend(test, &trend, values, error);
    free(trend.ranks);
    free(trend.scratch);
    free(trend.orders);
    free(trend.sums);
    free(trend.next);
    return status;
}

/* --- Spearman ------------------------------------------------------------------------------ */

wac_status wac_spearman(double *correlation, const double *x, const double *y, size_t count,
                        wac_error *error)
{
    *correlation = NAN;
    if (count < 2)
        return WAC_STATUS_OK;
    size_t *ranks = malloc(2 * count * sizeof *ranks);
    ranked *scratch = malloc(count * sizeof *scratch);
    wac_status status = WAC_STATUS_OK;
    if (!ranks || !scratch) {
        status = wac_fail_memory(error, "a rank correlation");
    } else if (rank_twice(ranks, scratch, x, count) &&
               rank_twice(ranks + count, scratch, y, count)) {
        double middle = (double)count + 1, xx = 0, yy = 0, xy = 0;
        for (size_t i = 0; i < count; i++) {
            double a = (double)ranks[i] - middle, b = (double)ranks[count + i] - middle;
            xx += a * a;
            yy += b * b;
            xy += a * b;
        }
        if (xx > 0 && yy > 0)
            *correlation = xy / sqrt(xx * yy);
    }
    free(ranks);
    free(scratch);
    return status;
}
