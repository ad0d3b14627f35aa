/* One side against another. Where both have several settings, and they can be matched, seeds are
 * compared within each setting (stratified); where they can not, every setting of one is held
 * against every setting of the other, each a finding of its own. */
#include "report/rules/pairs.h"

#include "base/rng.h"
#include "base/status.h"
#include "config/config.h"
#include "stats/distributions.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 64, STUDIES = 60 };
static const double MARGIN = 0.1; /* of level: a share of the larger mean */

/* A side: its groups, one for each setting. */
typedef struct side {
    const wac_condition *who;
    const wac_planned_group *groups[MOST_SETTINGS];
    size_t count;
} side;

/* The values of both sides, setting by setting. */
typedef struct samples {
    wac_values a[MOST_SETTINGS], b[MOST_SETTINGS];
    size_t strata;
    double *numbers; /* where they live */
    bool imagined;   /* not of runs that there are */
} samples;

/* --- evidence --------------------------------------------------------------------------------- */

/* The mean of each seed over the settings, into `means` [count]. */
static wac_values seed_means(double *means, const wac_values *strata, size_t count)
{
    for (size_t i = 0; i < strata->count; i++) {
        means[i] = 0;
        for (size_t s = 0; s < count; s++)
            means[i] += strata[s].values[i] / (double)count;
    }
    return (wac_values){means, strata->count};
}

static bool are_finite(const samples *samples)
{
    for (size_t s = 0; s < samples->strata; s++)
        for (size_t side = 0; side < 2; side++) {
            const wac_values *values = side ? &samples->b[s] : &samples->a[s];
            for (size_t i = 0; i < values->count; i++)
                if (!isfinite(values->values[i]))
                    return false;
        }
    return true;
}

/* Whether the means differ by less than a share of the larger one; by Welch's t, one-sided. */
static wac_status weigh_level(wac_finding *finding, const samples *samples, wac_error *error)
{
    double *means = malloc((samples->a->count + samples->b->count) * sizeof *means);
    if (!means)
        return wac_fail_memory(error, "the means of seeds");
    wac_values a = seed_means(means, samples->a, samples->strata);
    wac_values b = seed_means(means + a.count, samples->b, samples->strata);
    wac_interval difference = wac_interval_means(&a, &b);
    double margin =
        MARGIN * fmax(fabs(wac_mean(a.values, a.count)), fabs(wac_mean(b.values, b.count)));
    double own = pow(wac_std(a.values, a.count), 2) / (double)a.count;
    double other = pow(wac_std(b.values, b.count), 2) / (double)b.count, both = own + other;
    double freedom =
        both * both / (own * own / ((double)a.count - 1) + other * other / ((double)b.count - 1));
    double room = margin - fabs(difference.value);
    finding->estimate = difference.value;
    finding->low = difference.low;
    finding->high = difference.high;
    finding->leaning = room > 0 ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
    if (a.count > 1 && b.count > 1) {
        finding->p_for = both > 0 ? wac_t_tail(room / sqrt(both), freedom) : room < 0;
        finding->p_against = both > 0 ? wac_t_tail(-room / sqrt(both), freedom) : room >= 0;
    }
    free(means);
    return WAC_STATUS_OK;
}

/* p-values of the rule, and what it estimates (for level with its interval). */
static wac_status weigh(wac_finding *finding, const samples *samples, bool is_cost,
                        wac_error *error)
{
    wac_test test;
    if (finding->rule == WAC_RULE_LEVEL)
        return weigh_level(finding, samples, error);
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD, less = spread || is_cost;
    wac_two_sample_test *run = spread              ? wac_spread_test
                               : samples->imagined ? wac_rank_test_quick
                                                   : wac_rank_test;
    WAC_TRY(run(&test, samples->a, samples->b, samples->strata, error));
    double even = spread ? 0 : 0.5;
    finding->estimate = test.statistic;
    finding->p_for = less ? test.falling : test.rising;
    finding->p_against = less ? test.rising : test.falling;
    double ahead = less ? even - test.statistic : test.statistic - even;
    finding->leaning = ahead > 0   ? WAC_VERDICT_HOLDS
                       : ahead < 0 ? WAC_VERDICT_FAILS
                                   : WAC_VERDICT_UNDECIDED;
    return WAC_STATUS_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* How many values nobody knows yet; they are NaN. */
static size_t collect(samples *samples, const wac_case *at, const side *a, const side *b,
                      int64_t epochs)
{
    size_t unknown = 0;
    double *next = samples->numbers;
    for (size_t s = 0; s < samples->strata; s++)
        for (int turn = 0; turn < 2; turn++) {
            const wac_planned_group *group = turn ? b->groups[s] : a->groups[s];
            *(turn ? &samples->b[s] : &samples->a[s]) = (wac_values){next, group->count};
            for (size_t i = 0; i < group->count; i++, next++) {
                *next = wac_planned_value(&group->runs[i], at->part->measure, epochs);
                unknown += isnan(*next);
                if (turn)
                    *next *= at->part->factor;
            }
        }
    return unknown;
}

/* A copy in which what is unknown is `of_a` on one side and `of_b` on the other. */
static void assume(samples *copy, const samples *known, size_t total, double of_a, double of_b)
{
    double *numbers = copy->numbers;
    *copy = *known;
    copy->numbers = numbers;
    memcpy(numbers, known->numbers, total * sizeof *numbers);
    for (size_t s = 0; s < known->strata; s++)
        for (int turn = 0; turn < 2; turn++) {
            wac_values *values = turn ? &copy->b[s] : &copy->a[s];
            double *own = numbers + (values->values - known->numbers);
            values->values = own;
            for (size_t i = 0; i < values->count; i++)
                own[i] = isnan(own[i]) ? (turn ? of_b : of_a) : own[i];
        }
}

/* Evidence where runs are missing: what holds whatever they bring. */
static wac_status weigh_whatever(wac_finding *finding, const samples *known, samples *copy,
                                 size_t total, wac_error *error)
{
    bool is_cost = finding->rule == WAC_RULE_FASTER;
    wac_finding best = *finding, worst = *finding;
    if (finding->rule == WAC_RULE_LEVEL || finding->rule == WAC_RULE_LESS_SPREAD)
        return WAC_STATUS_OK;
    double bad = is_cost ? INFINITY : -INFINITY;
    assume(copy, known, total, bad, -bad);
    WAC_TRY(weigh(&worst, copy, is_cost, error));
    assume(copy, known, total, -bad, bad);
    WAC_TRY(weigh(&best, copy, is_cost, error));
    finding->p_for = worst.p_for;
    finding->p_against = best.p_against;
    finding->leaning = worst.leaning == best.leaning ? worst.leaning : WAC_VERDICT_UNDECIDED;
    return WAC_STATUS_OK;
}

/* --- how many seeds it would take ------------------------------------------------------------- */

/* Draws `count` seeds of one side with replacement, each with its values under all settings. */
static double *draw_seeds(wac_values *to, const wac_values *from, size_t strata, size_t count,
                          double *next, wac_rng *rng)
{
    for (size_t s = 0; s < strata; s++)
        to[s] = (wac_values){next + s * count, count};
    for (size_t i = 0; i < count; i++) {
        size_t seed = (size_t)(wac_rng_uniform(rng) * (double)from->count);
        for (size_t s = 0; s < strata; s++)
            next[s * count + i] = from[s].values[seed];
    }
    return next + strata * count;
}

/* The fewest seeds with which four of five studies like this one would be decided, as far as the
 * seeds at hand can tell. */
static wac_status find_seeds_needed(wac_finding *finding, const samples *known, bool is_cost,
                                    wac_error *error)
{
    static const size_t sizes[] = {5, 6, 8, 10, 12, 15, 20, 30, 50, WAC_SEEDS_MOST};
    size_t strata = known->strata;
    if (finding->rule == WAC_RULE_LESS_SPREAD) {
        finding->seeds_needed = finding->seeds < WAC_SEEDS_SPREAD ? WAC_SEEDS_SPREAD : 0;
        return WAC_STATUS_OK;
    }
    samples study = {.strata = strata, .imagined = true};
    study.numbers = malloc(2 * strata * WAC_SEEDS_MOST * sizeof *study.numbers);
    if (!study.numbers)
        return wac_fail_memory(error, "the seeds that it would take");
    wac_rng rng = wac_rng_make(1, WAC_STREAM_BOOTSTRAP);
    wac_status status = WAC_STATUS_OK;
    finding->seeds_needed = WAC_SEEDS_MOST + 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && status == WAC_STATUS_OK; k++) {
        int decided = 0;
        for (int i = 0; i < STUDIES && status == WAC_STATUS_OK && sizes[k] > finding->seeds; i++) {
            wac_finding trial = *finding;
            double *next = draw_seeds(study.a, known->a, strata, sizes[k], study.numbers, &rng);
            draw_seeds(study.b, known->b, strata, sizes[k], next, &rng);
            status = weigh(&trial, &study, is_cost, error);
            decided += trial.p_for <= trial.level || trial.p_against <= trial.level;
        }
        if (decided * 5 >= STUDIES * 4) {
            finding->seeds_needed = sizes[k];
            break;
        }
    }
    free(study.numbers);
    return status;
}

/* --- words ------------------------------------------------------------------------------------ */

static double mean_of(const wac_values *strata, size_t count)
{
    double sum = 0, known = 0;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < strata[s].count; i++)
            if (isfinite(strata[s].values[i])) {
                sum += strata[s].values[i];
                known++;
            }
    return known > 0 ? sum / known : NAN;
}

static void describe(wac_finding *finding, const wac_case *at, const samples *samples)
{
    double factor = at->part->factor;
    const char *words = wac_measure_words(at->part->measure);
    wac_finding_add(finding, "%s, %s: %s %s, %s%s%s %s (means)", at->place, words, finding->who,
                    WAC_DIGITS(mean_of(samples->a, samples->strata)),
                    factor != 1 ? WAC_DIGITS(factor) : "", factor != 1 ? " times " : "",
                    finding->than, WAC_DIGITS(mean_of(samples->b, samples->strata)));
    if (finding->rule == WAC_RULE_LEVEL)
        wac_finding_add(finding, "; difference %s, to be within %s %% of the larger",
                        WAC_DIGITS(finding->estimate), WAC_DIGITS(100 * MARGIN));
    else if (finding->rule == WAC_RULE_LESS_SPREAD)
        wac_finding_add(finding, "; mean distance from the median %s by %s",
                        finding->estimate < 0 ? "smaller" : "larger",
                        WAC_DIGITS(fabs(finding->estimate)));
    else
        wac_finding_add(finding, "; probability that %s %s %s", finding->who,
                        finding->rule == WAC_RULE_FASTER ? "is first" : "is better",
                        WAC_DIGITS(finding->estimate));
    if (!isnan(finding->low))
        wac_finding_add(finding, ", 95 %% interval %s to %s", WAC_DIGITS(finding->low),
                        WAC_DIGITS(finding->high));
    wac_finding_add(finding, "; p %s, of the contrary %s", WAC_DIGITS(finding->p_for),
                    WAC_DIGITS(finding->p_against));
    if (samples->strata > 1)
        wac_finding_add(finding, ", within each of %zu settings", samples->strata);
}

/* --- findings --------------------------------------------------------------------------------- */

static bool has_success(const samples *samples, double never)
{
    for (size_t s = 0; s < samples->strata; s++)
        for (int turn = 0; turn < 2; turn++) {
            const wac_values *values = turn ? &samples->b[s] : &samples->a[s];
            for (size_t i = 0; i < values->count; i++)
                if (values->values[i] < never)
                    return true;
        }
    return false;
}

/* The size of the effect, shown beside the test: a bootstrap interval of the probability. */
static wac_status add_interval(wac_finding *finding, const samples *samples, bool is_cost,
                               wac_error *error)
{
    wac_interval interval;
    if (finding->rule == WAC_RULE_LEVEL || finding->rule == WAC_RULE_LESS_SPREAD ||
        samples->strata > 1)
        return WAC_STATUS_OK;
    WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_IMPROVEMENT, is_cost ? samples->b : samples->a,
                            is_cost ? samples->a : samples->b, 1, wac_bootstrap_default(), error));
    finding->estimate = interval.value;
    finding->low = interval.low;
    finding->high = interval.high;
    return WAC_STATUS_OK;
}

static wac_status conclude(const wac_case *at, wac_finding *finding, samples *known, samples *copy,
                           size_t total, size_t unknown)
{
    bool is_cost = wac_measure_is_cost(at->part->measure);
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD;
    bool needs_numbers = spread || finding->rule == WAC_RULE_LEVEL;
    if (finding->rule == WAC_RULE_FASTER && !has_success(known, (double)finding->epochs + 1) &&
        !unknown)
        return wac_case_lack(at, "neither %s nor %s ever succeeds in %lld epochs", finding->who,
                             finding->than, (long long)finding->epochs);
    if (unknown) {
        WAC_TRY(weigh_whatever(finding, known, copy, total, at->error));
    } else if (!needs_numbers || are_finite(known)) {
        WAC_TRY(weigh(finding, known, is_cost, at->error));
        if (!at->plan->is_quick)
            WAC_TRY(add_interval(finding, known, is_cost, at->error));
    }
    if (spread && finding->seeds < WAC_SEEDS_SPREAD)
        finding->p_for = finding->p_against = 1;
    bool decided = finding->p_for <= finding->level || finding->p_against <= finding->level;
    if (!at->plan->is_quick && !unknown && (!decided || finding->seeds < WAC_SEEDS_ENOUGH) &&
        (!needs_numbers || are_finite(known)))
        WAC_TRY(find_seeds_needed(finding, known, is_cost, at->error));
    describe(finding, at, known);
    return wac_case_end(at, finding);
}

static wac_status compare(const wac_case *at, const side *a, const side *b, size_t strata)
{
    wac_finding finding = wac_case_begin(at, a->who, b->who);
    for (size_t s = 0; s < strata; s++) {
        wac_case_count(&finding, a->groups[s]);
        wac_case_count(&finding, b->groups[s]);
    }
    size_t total = finding.planned;
    samples known = {.strata = strata}, copy = {.strata = strata};
    known.numbers = malloc(2 * total * sizeof *known.numbers);
    if (!known.numbers)
        return wac_fail_memory(at->error, "the values of runs");
    copy.numbers = known.numbers + total;
    size_t unknown = collect(&known, at, a, b, finding.epochs);
    wac_status status = conclude(at, &finding, &known, &copy, total, unknown);
    free(known.numbers);
    return status;
}

/* Whether two groups are of the same settings, as far as both sides read them and are not told
 * apart by them. */
static bool is_match(const wac_case *at, const side *a, const side *b, const wac_planned_group *own,
                     const wac_planned_group *other)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    const wac_config *x = own->runs->config, *y = other->runs->config;
    (void)at;
    for (size_t i = 0; i < count; i++)
        if (wac_group_counts(&settings[i]) && wac_config_reads(x, &settings[i]) &&
            wac_config_reads(y, &settings[i]) && strcmp(settings[i].name, "algorithm") != 0 &&
            strcmp(settings[i].name, a->who->key) != 0 &&
            strcmp(settings[i].name, b->who->key) != 0 && wac_setting_compare(&settings[i], x, y))
            return false;
    return own->count == other->count;
}

/* Puts b's groups into the order of a's; false where they do not match one to one. */
static bool match(const wac_case *at, side *a, side *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        size_t found = i, matches = 0;
        for (size_t k = i; k < b->count; k++)
            if (is_match(at, a, b, a->groups[i], b->groups[k])) {
                found = k;
                matches++;
            }
        if (matches != 1 || a->groups[i]->count != a->groups[0]->count)
            return false;
        const wac_planned_group *moved = b->groups[i];
        b->groups[i] = b->groups[found];
        b->groups[found] = moved;
    }
    return true;
}

static side side_of(const wac_case *at, const wac_condition *who)
{
    side side = {.who = who};
    for (size_t g = 0; g < at->plan->group_count && side.count < MOST_SETTINGS; g++)
        if (wac_case_means(at, &at->plan->groups[g], who))
            side.groups[side.count++] = &at->plan->groups[g];
    return side;
}

static wac_status compare_sides(const wac_case *at, const wac_condition *who,
                                const wac_condition *than)
{
    side a = side_of(at, who), b = side_of(at, than);
    if (a.count == 0 || b.count == 0) {
        wac_finding named = wac_case_begin(at, who, than);
        return wac_case_lack(at, "no run of %s", a.count ? named.than : named.who);
    }
    if (match(at, &a, &b))
        return compare(at, &a, &b, a.count);
    for (size_t i = 0; i < a.count; i++)
        for (size_t k = 0; k < b.count; k++) {
            side one = {.who = who, .groups = {a.groups[i]}, .count = 1};
            side other = {.who = than, .groups = {b.groups[k]}, .count = 1};
            WAC_TRY(compare(at, &one, &other, 1));
        }
    return WAC_STATUS_OK;
}

wac_status wac_rule_pairs(const wac_case *at)
{
    const wac_claim_part *part = at->part;
    for (int i = 0; i < part->who_count; i++)
        for (int k = 0; k < part->than_count; k++)
            WAC_TRY(compare_sides(at, &part->who[i], &part->than[k]));
    return WAC_STATUS_OK;
}
