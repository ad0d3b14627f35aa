/* Tests of two samples, of trends, and a correlation: permutations of what there is.
 *
 * Ranks are kept doubled, so that the average rank of ties is a whole number. Small tests are
 * exact: the distribution of the statistic over all ways to hand out the ranks that there are, ties
 * included, is built up by dynamic programming over sums of doubled ranks. */
#include "stats/tests.h"

#include "base/number.h"
#include "base/rng.h"
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

/* How probable it is that a normal variable is larger, or smaller; NaN: where nothing varies. */
static void read_normal(wac_test *test, double z)
{
    test->rising = isnan(z) ? 1 : 0.5 * erfc(z / sqrt(2));
    test->falling = isnan(z) ? 1 : 0.5 * erfc(-z / sqrt(2));
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

/* --- Mann-Whitney -------------------------------------------------------------------------- */

enum {
    MOST_RANKED = 400,
    MOST_IMAGINED = 20,
    MOST_WAYS = MOST_RANKED * (MOST_RANKED * (MOST_RANKED + 1) + 1), /* of one stratum */
};

/* The distribution of the sum of `some` of `all` scores: numbers of ways, [width]. Sums of more
 * scores grow out of those of fewer, score by score. `ways`: [some + 1][width], zeroed. */
static const double *deal_scores(double *ways, const size_t *scores, size_t all, size_t some,
                                 size_t width)
{
    ways[0] = 1;
    for (size_t i = 0; i < all; i++) {
        size_t most = i + 1 < some ? i + 1 : some;
        for (size_t k = most; k > 0; k--) {
            const double *from = ways + (k - 1) * width;
            double *to = ways + k * width;
            for (size_t sum = scores[i]; sum < width; sum++)
                to[sum] += from[sum - scores[i]];
        }
    }
    return ways + some * width;
}

static void approximate_deal(wac_test *test, const size_t *scores, double n, double m, double sum)
{
    double all = n + m, mean = 0, squares = 0;
    for (size_t i = 0; i < (size_t)all; i++)
        mean += (double)scores[i];
    mean /= all; /* of whole numbers: where all are equal it is exactly theirs */
    for (size_t i = 0; i < (size_t)all; i++)
        squares += ((double)scores[i] - mean) * ((double)scores[i] - mean);
    double variance = n * m / (all * (all - 1)) * squares;
    double z = (sum - n * mean) / sqrt(variance);
    read_normal(test, variance > 0 ? z : NAN);
}

/* Each seed's sum of doubled ranks over the strata. False for NaN. */
static bool add_ranks(size_t *scores, size_t *ranks, ranked *scratch, double *values,
                      const wac_values *a, const wac_values *b, size_t strata)
{
    size_t n = a->count, all = n + b->count;
    memset(scores, 0, all * sizeof *scores);
    for (size_t s = 0; s < strata; s++) {
        memcpy(values, a[s].values, n * sizeof *values);
        memcpy(values + n, b[s].values, b->count * sizeof *values);
        if (!rank_twice(ranks, scratch, values, all))
            return false;
        for (size_t i = 0; i < all; i++)
            scores[i] += ranks[i];
    }
    return true;
}

static wac_status test_ranks(wac_test *test, const wac_values *a, const wac_values *b,
                             size_t strata, size_t most_exact, wac_error *error)
{
    size_t n = a->count, m = b->count, all = n + m, sum = 0;
    *test = (wac_test){NAN, NAN, NAN, false};
    if (n == 0 || m == 0)
        return WAC_STATUS_OK;
    size_t width = strata * all * (all + 1) + 1; /* all doubled ranks together, and zero */
    bool exact = all <= most_exact && (n + 1) * width <= MOST_WAYS;
    double *values = malloc(all * sizeof *values);
    size_t *scores = malloc(2 * all * sizeof *scores);
    ranked *scratch = malloc(all * sizeof *scratch);
    double *ways = exact ? calloc((n + 1) * width, sizeof *ways) : NULL;
    wac_status status = WAC_STATUS_OK;
    if (!values || !scores || !scratch || (exact && !ways)) {
        status = wac_fail_memory(error, "a rank test");
    } else if (add_ranks(scores, scores + all, scratch, values, a, b, strata)) {
        for (size_t i = 0; i < n; i++)
            sum += scores[i];
        double u = ((double)sum / (double)strata - (double)(n * (n + 1))) / 2;
        test->statistic = u / ((double)n * (double)m);
        if (exact)
            read_tails(test, deal_scores(ways, scores, all, n, width), width, sum);
        else
            approximate_deal(test, scores, (double)n, (double)m, (double)sum);
    }
    free(values);
    free(scores);
    free(scratch);
    free(ways);
    return status;
}

wac_status wac_rank_test(wac_test *test, const wac_values *a, const wac_values *b, size_t strata,
                         wac_error *error)
{
    return test_ranks(test, a, b, strata, MOST_RANKED, error);
}

wac_status wac_rank_test_quick(wac_test *test, const wac_values *a, const wac_values *b,
                               size_t strata, wac_error *error)
{
    return test_ranks(test, a, b, strata, MOST_IMAGINED, error);
}

/* --- spread -------------------------------------------------------------------------------- */

enum { MOST_DEALS = 200000, DRAWN_DEALS = 20000 };

/* Adds each value's distance from the median to `sums` [count]. */
static void add_distances(double *sums, const wac_values *sample)
{
    double median = wac_median(sample->values, sample->count);
    for (size_t i = 0; i < sample->count; i++)
        sums[i] += fabs(sample->values[i] - median);
}

/* Ways to choose `some` of `all`; any large number where they are many. */
static double ways_to_choose(size_t all, size_t some)
{
    double ways = 1;
    for (size_t i = 1; i <= some; i++)
        ways *= (double)(all - some + i) / (double)i;
    return ways;
}

/* The next choice of `some` places out of `all`, in ascending order; false after the last. */
static bool next_choice(size_t *places, size_t some, size_t all)
{
    size_t i = some;
    while (i > 0 && places[i - 1] == all - some + i - 1)
        i--;
    if (i == 0)
        return false;
    places[i - 1]++;
    for (; i < some; i++)
        places[i] = places[i - 1] + 1;
    return true;
}

static double sum_at(const double *values, const size_t *places, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[places[i]];
    return sum;
}

/* How many deals have a sum as large, or as small, as the one seen. */
typedef struct tally {
    double seen, slack; /* sums this close are the same but for rounding */
    double above, below, all;
} tally;

static void count_deal(tally *tally, double sum)
{
    tally->above += sum >= tally->seen - tally->slack;
    tally->below += sum <= tally->seen + tally->slack;
    tally->all++;
}

static void deal_distances(wac_test *test, const double *distances, size_t n, size_t all,
                           size_t *places, double seen)
{
    tally tally = {.seen = seen, .slack = 1e-12 * fabs(seen)};
    for (size_t i = 0; i < all; i++)
        places[i] = i;
    test->exact = ways_to_choose(all, n) <= MOST_DEALS;
    if (test->exact) {
        do
            count_deal(&tally, sum_at(distances, places, n));
        while (next_choice(places, n, all));
    } else {
        wac_rng rng = wac_rng_make(1, WAC_STREAM_BOOTSTRAP);
        count_deal(&tally, seen); /* the one that was seen is one of them */
        for (int draw = 0; draw < DRAWN_DEALS; draw++) {
            for (size_t i = 0; i < n; i++) { /* the first n of a shuffle */
                size_t pick = i + (size_t)(wac_rng_uniform(&rng) * (double)(all - i));
                size_t place = places[pick];
                places[pick] = places[i];
                places[i] = place;
            }
            count_deal(&tally, sum_at(distances, places, n));
        }
    }
    test->rising = tally.above / tally.all;
    test->falling = tally.below / tally.all;
}

wac_status wac_spread_test(wac_test *test, const wac_values *a, const wac_values *b, size_t strata,
                           wac_error *error)
{
    size_t n = a->count, m = b->count;
    *test = (wac_test){NAN, NAN, NAN, false};
    for (size_t s = 0; s < strata; s++)
        if (n == 0 || m == 0 || wac_has_nan(a[s].values, n) || wac_has_nan(b[s].values, m))
            return WAC_STATUS_OK;
    double *distances = calloc(n + m, sizeof *distances);
    size_t *places = malloc((n + m) * sizeof *places);
    wac_status status = WAC_STATUS_OK;
    if (distances && places) {
        for (size_t s = 0; s < strata; s++) {
            add_distances(distances, &a[s]);
            add_distances(distances + n, &b[s]);
        }
        wac_sort(distances, n); /* so that the order of runs does not count */
        wac_sort(distances + n, m);
        double own = wac_mean(distances, n), other = wac_mean(distances + n, m);
        test->statistic = (own - other) / (double)strata;
        wac_sort(distances, n + m);
        deal_distances(test, distances, n, n + m, places, own * (double)n);
    } else {
        status = wac_fail_memory(error, "a test of spread");
    }
    free(distances);
    free(places);
    return status;
}

/* --- several tests ------------------------------------------------------------------------- */

void wac_holm(double *corrected, const double *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        corrected[i] = p[i];
        for (size_t j = 0; j < count; j++) { /* what does not go before p[i] changes nothing */
            size_t smaller = 0;
            for (size_t k = 0; k < count; k++)
                smaller += p[k] < p[j];
            if (p[j] <= p[i])
                corrected[i] = fmax(corrected[i], (double)(count - smaller) * p[j]);
        }
        corrected[i] = fmin(1, corrected[i]);
    }
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
    read_normal(test, variance > 0 ? z : NAN);
}

static wac_status test_trend(wac_test *test, trend *trend, const double *values, wac_error *error)
{
    size_t blocks = trend->blocks, settings = trend->settings, observed = 0;
    trend->ranks = calloc(blocks * settings, sizeof *trend->ranks);
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
