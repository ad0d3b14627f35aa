/* Means, and intervals by stratified bootstrap.
 *
 * A pool holds the samples of one algorithm task by task, sorted, so that a resample depends on the
 * set of values and not on the order in which runs were found. Resampling writes a drawn pool of
 * the same shape; a statistic looks at drawn pools only, and the value of an interval is that of a
 * pool drawn as it is. */
#include "stats/estimates.h"

#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "stats/distributions.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

wac_bootstrap wac_bootstrap_default(void)
{
    return (wac_bootstrap){.seed = 1, .resamples = 2000};
}

/* --- one sample ---------------------------------------------------------------------------- */

bool wac_has_nan(const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i]))
            return true;
    return false;
}

double wac_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : NAN;
}

double wac_std(const double *values, size_t count)
{
    double mean = wac_mean(values, count), sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return count > 1 ? sqrt(sum / (double)(count - 1)) : NAN;
}

double wac_spread(const double *values, size_t count)
{
    return 2 * wac_std(values, count) / sqrt((double)count);
}

wac_interval wac_interval_share(size_t successes, size_t count)
{
    double k = (double)successes, n = (double)count;
    return (wac_interval){
        .value = count ? k / n : NAN,
        .low = successes ? wac_beta_quantile(0.025, k, n - k + 1) : 0,
        .high = successes < count ? wac_beta_quantile(0.975, k + 1, n - k) : 1,
        .fewest = count,
    };
}

/* The value with `place` smaller ones. */
static double value_at(const double *values, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        if (below <= place && place < below + equal)
            return values[i];
    }
    return NAN;
}

double wac_median(const double *values, size_t count)
{
    return count
               ? (value_at(values, count, (count - 1) / 2) + value_at(values, count, count / 2)) / 2
               : NAN;
}

/* --- means by Student's t ------------------------------------------------------------------ */

wac_estimated wac_estimate_mean(const wac_values *sample)
{
    double n = (double)sample->count;
    return (wac_estimated){
        .value = wac_mean(sample->values, sample->count),
        .error = wac_std(sample->values, sample->count) / sqrt(n),
        .freedom = n - 1,
    };
}

wac_estimated wac_estimate_difference(const wac_values *a, const wac_values *b)
{
    wac_estimated own = wac_estimate_mean(a), other = wac_estimate_mean(b);
    double x = own.error * own.error, y = other.error * other.error;
    return (wac_estimated){
        .value = own.value - other.value,
        .error = sqrt(x + y),
        .freedom = (x + y) * (x + y) / (x * x / own.freedom + y * y / other.freedom),
    };
}

double wac_estimated_reach(const wac_estimated *estimated)
{
    return estimated->error > 0 ? wac_t_quantile(0.975, estimated->freedom) * estimated->error
                                : estimated->error;
}

double wac_estimated_above(const wac_estimated *estimated, double bound)
{
    double ahead = estimated->value - bound;
    if (estimated->error > 0)
        return wac_t_tail(ahead / estimated->error, estimated->freedom);
    return estimated->error == 0 && ahead > 0 ? 0 : 1;
}

double wac_estimated_below(const wac_estimated *estimated, double bound)
{
    wac_estimated mirrored = {-estimated->value, estimated->error, estimated->freedom};
    return wac_estimated_above(&mirrored, -bound);
}

/* --- pools --------------------------------------------------------------------------------- */

/* A value of a pool, how much it counts, and how often it was drawn. */
typedef struct weighed {
    double value, weight;
    size_t *times;
} weighed;

/* All samples of an algorithm; without any, tasks is 0. Every task counts the same: as if each of
 * its runs were there as often as it takes to give all tasks equally many (`share`). */
typedef struct pool {
    const wac_values *samples; /* for their counts */
    size_t tasks, total;
    double share;    /* what a task counts: its runs together */
    double *values;  /* [total], task by task, sorted within each */
    double *drawn;   /* [total], as values, resampled */
    size_t *times;   /* [total], how often each of the values was drawn */
    weighed *sorted; /* [total], all of the values, so that nobody has to sort what is drawn */
} pool;

/* The least common multiple of the counts, so that weights are whole numbers; where that is too
 * large to be exact, a large number instead. */
static double find_share(const wac_values *samples, size_t tasks)
{
    const double most = (double)(1LL << 40);
    uint64_t share = 1;
    for (size_t i = 0; i < tasks && (double)share < most; i++) {
        uint64_t a = share, b = samples[i].count;
        if (b == 0)
            continue;
        while (a % b != 0) {
            uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        share = share / b * samples[i].count;
    }
    return fmin((double)share, most);
}

static double weight_of(const pool *pool, size_t task)
{
    return pool->share / (double)pool->samples[task].count;
}

static double weight_of_all(const pool *pool)
{
    return pool->share * (double)pool->tasks;
}

static int compare_weighed(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    int order = (x->value > y->value) - (x->value < y->value);
    return order ? order : (x->weight > y->weight) - (x->weight < y->weight);
}

static wac_status fill_pool(pool *pool, const wac_values *samples, size_t tasks, wac_error *error)
{
    *pool = (struct pool){.samples = samples, .tasks = tasks, .share = find_share(samples, tasks)};
    for (size_t i = 0; i < tasks; i++)
        pool->total += samples[i].count;
    /* one more, so that an empty pool is no failure */
    pool->values = malloc((2 * pool->total + 1) * sizeof *pool->values);
    pool->times = malloc((pool->total + 1) * sizeof *pool->times);
    pool->sorted = malloc((pool->total + 1) * sizeof *pool->sorted);
    if (!pool->values || !pool->times || !pool->sorted)
        return wac_fail_memory(error, "resampling");
    pool->drawn = pool->values + pool->total;
    size_t first = 0;
    for (size_t i = 0; i < tasks; first += samples[i++].count) {
        double *values = pool->values + first;
        if (samples[i].count > 0)
            memcpy(values, samples[i].values, samples[i].count * sizeof *values);
        if (!wac_has_nan(values, samples[i].count))
            wac_sort(values, samples[i].count);
        for (size_t k = 0; k < samples[i].count; k++) {
            size_t *times = &pool->times[first + k];
            *times = 1;
            pool->sorted[first + k] = (weighed){values[k], weight_of(pool, i), times};
        }
    }
    qsort(pool->sorted, pool->total, sizeof *pool->sorted, compare_weighed);
    memcpy(pool->drawn, pool->values, pool->total * sizeof *pool->drawn);
    return WAC_STATUS_OK;
}

static void free_pool(pool *pool)
{
    free(pool->values);
    free(pool->times);
    free(pool->sorted);
}

/* Whole numbers below a bound, four from each block of the generator. */
typedef struct dice {
    wac_rng rng;
    uint32_t words[4];
    int used;
} dice;

static size_t throw_dice(dice *dice, size_t bound)
{
    if (dice->used == 4) {
        wac_rng_block(&dice->rng, dice->rng.counter++, dice->words);
        dice->used = 0;
    }
    return (size_t)((uint64_t)dice->words[dice->used++] * bound >> 32);
}

static void resample(pool *pool, dice *dice)
{
    size_t first = 0;
    memset(pool->times, 0, pool->total * sizeof *pool->times);
    for (size_t i = 0; i < pool->tasks; first += pool->samples[i++].count)
        for (size_t k = 0; k < pool->samples[i].count; k++) {
            size_t place = first + throw_dice(dice, pool->samples[i].count);
            pool->drawn[first + k] = pool->values[place];
            pool->times[place]++;
        }
}

/* --- statistics of drawn pools ------------------------------------------------------------- */

/* What is asked: a pool or two, and thresholds where it takes some. A statistic may write over what
 * is drawn. */
typedef struct question {
    pool a, b;
    const double *thresholds;
    size_t answers; /* numbers that the statistic gives */
    void (*statistic)(double *answers, struct question *question);
} question;

/* A quarter of the weight, rounded down, is cut off at either end. */
static void give_iqm(double *answers, question *question)
{
    const pool *pool = &question->a;
    double all = weight_of_all(pool), cut = floor(all / 4), before = 0, sum = 0;
    for (size_t i = 0; i < pool->total; i++)
        for (size_t k = 0; k < *pool->sorted[i].times; k++) {
            double after = before + pool->sorted[i].weight;
            double from = before > cut ? before : cut, to = after < all - cut ? after : all - cut;
            sum += to > from ? pool->sorted[i].value * (to - from) : 0;
            before = after;
        }
    answers[0] = sum / (all - 2 * cut);
}

/* By linear interpolation between the two nearest of sorted values. */
static double quantile_of(const double *sorted, size_t count, double quantile)
{
    double place = quantile * (double)(count - 1);
    size_t below = (size_t)place;
    if (below + 1 >= count)
        return sorted[count - 1];
    return sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* The mean of each task, in the place of its first value; returns where they are. */
static double *task_means(pool *pool)
{
    const double *values = pool->drawn;
    for (size_t i = 0; i < pool->tasks; values += pool->samples[i++].count)
        pool->drawn[i] = wac_mean(values, pool->samples[i].count);
    return pool->drawn;
}

static void give_mean(double *answers, question *question)
{
    answers[0] = wac_mean(task_means(&question->a), question->a.tasks);
}

static void give_median(double *answers, question *question)
{
    double *means = task_means(&question->a);
    wac_sort(means, question->a.tasks);
    answers[0] = quantile_of(means, question->a.tasks, 0.5);
}

static void give_gap(double *answers, question *question)
{
    const pool *pool = &question->a;
    const double *drawn = pool->drawn;
    double sum = 0;
    for (size_t task = 0; task < pool->tasks; task++)
        for (size_t k = 0; k < pool->samples[task].count; k++)
            sum += weight_of(pool, task) * fmax(0, 1 - *drawn++);
    answers[0] = sum / weight_of_all(pool);
}

static void give_profile(double *answers, question *question)
{
    const pool *pool = &question->a;
    for (size_t i = 0; i < question->answers; i++) {
        const double *drawn = pool->drawn;
        double above = 0;
        for (size_t task = 0; task < pool->tasks; task++)
            for (size_t k = 0; k < pool->samples[task].count; k++)
                above += *drawn++ > question->thresholds[i] ? weight_of(pool, task) : 0;
        answers[i] = above / weight_of_all(pool);
    }
}

static void give_improvement(double *answers, question *question)
{
    const double *a = question->a.drawn, *b = question->b.drawn;
    double sum = 0;
    for (size_t task = 0; task < question->a.tasks; task++) {
        size_t m = question->a.samples[task].count, n = question->b.samples[task].count;
        size_t halves = 0; /* two for a win, one for a tie */
        for (size_t i = 0; i < m; i++)
            for (size_t k = 0; k < n; k++)
                halves += (size_t)(a[i] > b[k]) + (size_t)(a[i] >= b[k]);
        sum += (double)halves / (2 * (double)m * (double)n);
        a += m;
        b += n;
    }
    answers[0] = sum / (double)question->a.tasks;
}

/* --- intervals ----------------------------------------------------------------------------- */

/* Runs in the smallest sample; 0 where anything keeps an answer from having a meaning. */
static size_t fewest_of(const pool *pool)
{
    size_t fewest = pool->tasks > 0 ? SIZE_MAX : 0;
    for (size_t i = 0; i < pool->tasks; i++)
        if (pool->samples[i].count < fewest)
            fewest = pool->samples[i].count;
    return wac_has_nan(pool->values, pool->total) ? 0 : fewest;
}

static wac_status bootstrap_answers(wac_interval *intervals, question *question,
                                    wac_bootstrap bootstrap, wac_error *error)
{
    size_t answers = question->answers, resamples = (size_t)bootstrap.resamples;
    double *table = malloc(answers * (resamples + 1) * sizeof *table); /* [answers][resamples] */
    if (!table)
        return wac_fail_memory(error, "resampling");
    double *row = table + answers * resamples; /* [answers] */
    question->statistic(row, question);
    for (size_t i = 0; i < answers; i++)
        intervals[i].value = row[i];
    dice dice = {.rng = wac_rng_make(bootstrap.seed, WAC_STREAM_BOOTSTRAP), .used = 4};
    for (size_t r = 0; r < resamples; r++) {
        resample(&question->a, &dice);
        resample(&question->b, &dice);
        question->statistic(row, question);
        for (size_t i = 0; i < answers; i++)
            table[i * resamples + r] = row[i];
    }
    for (size_t i = 0; i < answers; i++) {
        double *drawn = table + i * resamples;
        wac_sort(drawn, resamples);
        intervals[i].low = quantile_of(drawn, resamples, 0.025);
        intervals[i].high = quantile_of(drawn, resamples, 0.975);
    }
    free(table);
    return WAC_STATUS_OK;
}

/* Fills in the pools of a question (b may be null), then answers it. */
static wac_status answer(wac_interval *intervals, question *question, const wac_values *a,
                         const wac_values *b, size_t tasks, wac_bootstrap bootstrap,
                         wac_error *error)
{
    assert(bootstrap.resamples > 0);
    wac_status status = fill_pool(&question->a, a, tasks, error);
    if (status == WAC_STATUS_OK)
        status = fill_pool(&question->b, b, b ? tasks : 0, error);
    if (status == WAC_STATUS_OK) {
        size_t fewest = fewest_of(&question->a), other = b ? fewest_of(&question->b) : fewest;
        fewest = other < fewest ? other : fewest;
        for (size_t i = 0; i < question->answers; i++)
            intervals[i] = (wac_interval){NAN, NAN, NAN, fewest};
        if (fewest > 0 && question->answers > 0)
            status = bootstrap_answers(intervals, question, bootstrap, error);
    }
    free_pool(&question->a);
    free_pool(&question->b);
    return status;
}

wac_status wac_interval_of(wac_interval *interval, wac_estimate estimate, const wac_values *a,
                           const wac_values *b, size_t tasks, wac_bootstrap bootstrap,
                           wac_error *error)
{
    static void (*const statistics[])(double *answers, question *question) = {
        [WAC_ESTIMATE_IQM] = give_iqm,
        [WAC_ESTIMATE_MEAN] = give_mean,
        [WAC_ESTIMATE_MEDIAN] = give_median,
        [WAC_ESTIMATE_GAP] = give_gap,
        [WAC_ESTIMATE_IMPROVEMENT] = give_improvement,
    };
    question question = {.statistic = statistics[estimate], .answers = 1};
    return answer(interval, &question, a, b, tasks, bootstrap, error);
}

wac_status wac_profile(wac_interval *intervals, const double *thresholds, size_t count,
                       const wac_values *samples, size_t tasks, wac_bootstrap bootstrap,
                       wac_error *error)
{
    question question = {.statistic = give_profile, .answers = count, .thresholds = thresholds};
    return answer(intervals, &question, samples, NULL, tasks, bootstrap, error);
}
