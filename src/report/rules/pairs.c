/* One side against another. Where both have several settings, and they can be matched, seeds are
 * compared within each setting (stratified); where they can not, every setting of one is held
 * against every setting of the other, each a finding of its own. */
#include "report/rules/pairs.h"

#include "base/rng.h"
#include "base/status.h"
#include "config/config.h"
#include "report/names.h"
#include "stats/estimates.h"
#include "stats/tests.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETTINGS = 64 };      /* or tasks */
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
    bool is_cost;    /* less is better */
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
    wac_estimated difference = wac_estimate_difference(&a, &b), apart = difference;
    apart.value = fabs(difference.value);
    double reach = wac_estimated_reach(&difference);
    double margin =
        MARGIN * fmax(fabs(wac_mean(a.values, a.count)), fabs(wac_mean(b.values, b.count)));
    finding->estimate = difference.value;
    finding->low = difference.value - reach;
    finding->high = difference.value + reach;
    finding->leaning = apart.value < margin ? WAC_VERDICT_HOLDS : WAC_VERDICT_FAILS;
    finding->p_for = wac_estimated_below(&apart, margin);
    finding->p_against = wac_estimated_above(&apart, margin);
    free(means);
    return WAC_STATUS_OK;
}

/* p-values of the rule, and what it estimates (for level with its interval). */
static wac_status weigh(wac_finding *finding, const samples *samples, wac_error *error)
{
    wac_test test;
    if (finding->rule == WAC_RULE_LEVEL)
        return weigh_level(finding, samples, error);
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD, less = spread || samples->is_cost;
    wac_two_sample_test *run = spread              ? wac_spread_test
                               : samples->imagined ? wac_rank_test_quick
                                                   : wac_rank_test;
    WAC_TRY(run(&test, samples->a, samples->b, samples->strata, error));
    double even = spread ? 0 : 0.5;
    finding->estimate = samples->is_cost && !spread ? 1 - test.statistic : test.statistic;
    finding->p_for = less ? test.falling : test.rising;
    finding->p_against = less ? test.rising : test.falling;
    double ahead = less ? even - test.statistic : test.statistic - even;
    finding->leaning = ahead > 0   ? WAC_VERDICT_HOLDS
                       : ahead < 0 ? WAC_VERDICT_FAILS
                                   : WAC_VERDICT_UNDECIDED;
    return WAC_STATUS_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

/* Values that are not there; they are NaN. */
typedef struct gaps {
    size_t unknown; /* all of them */
    size_t never;   /* of runs that are finished */
} gaps;

static bool is_over_all(const wac_case *at)
{
    return at->part->rule == WAC_RULE_AHEAD_OVER_ALL;
}

/* The epochs that a stratum is compared after: the fewest of all, but tasks have their own. */
static int64_t epochs_of(const wac_case *at, const side *a, const side *b, size_t stratum,
                         int64_t fewest)
{
    int64_t one = a->groups[stratum]->runs->config->epochs;
    int64_t other = b->groups[stratum]->runs->config->epochs;
    return !is_over_all(at) ? fewest : one < other ? one : other;
}

static gaps collect(samples *samples, const wac_case *at, const side *a, const side *b,
                    int64_t epochs)
{
    gaps gaps = {0};
    double *next = samples->numbers;
    for (size_t s = 0; s < samples->strata; s++)
        for (int turn = 0; turn < 2; turn++) {
            const wac_planned_group *group = turn ? b->groups[s] : a->groups[s];
            int64_t until = epochs_of(at, a, b, s, epochs);
            *(turn ? &samples->b[s] : &samples->a[s]) = (wac_values){next, group->count};
            for (size_t i = 0; i < group->count; i++, next++) {
                *next = wac_planned_value(&group->runs[i], at->part->measure, until);
                gaps.unknown += isnan(*next);
                gaps.never += isnan(*next) && group->runs[i].fate == WAC_FATE_FINISHED;
                if (turn)
                    *next *= at->part->factor;
            }
        }
    return gaps;
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

/* Evidence where values are unknown: what holds whatever they are. */
static wac_status weigh_whatever(wac_finding *finding, const samples *known, samples *copy,
                                 size_t total, wac_error *error)
{
    wac_finding best = *finding, worst = *finding;
    double bad = known->is_cost ? INFINITY : -INFINITY;
    assume(copy, known, total, bad, -bad);
    WAC_TRY(weigh(&worst, copy, error));
    assume(copy, known, total, -bad, bad);
    WAC_TRY(weigh(&best, copy, error));
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

static wac_status study(wac_finding *trial, void *user, size_t seeds, wac_rng *rng,
                        wac_error *error)
{
    const samples *known = user;
    samples drawn = {.strata = known->strata, .is_cost = known->is_cost, .imagined = true};
    drawn.numbers = malloc(2 * known->strata * seeds * sizeof *drawn.numbers);
    if (!drawn.numbers)
        return wac_fail_memory(error, "the seeds that it would take");
    double *next = draw_seeds(drawn.a, known->a, known->strata, seeds, drawn.numbers, rng);
    draw_seeds(drawn.b, known->b, known->strata, seeds, next, rng);
    wac_status status = weigh(trial, &drawn, error);
    free(drawn.numbers);
    return status;
}

/* --- words ------------------------------------------------------------------------------------ */

/* Mean of all values that are finite, or of their distances from the medians of their settings. */
static double mean_of(const wac_values *strata, size_t count, bool of_distances)
{
    double sum = 0, known = 0;
    for (size_t s = 0; s < count; s++) {
        double median = wac_median(strata[s].values, strata[s].count);
        for (size_t i = 0; i < strata[s].count; i++) {
            double value = strata[s].values[i];
            if (!isfinite(value))
                continue;
            sum += of_distances ? fabs(value - median) : value;
            known++;
        }
    }
    return known > 0 ? sum / known : NAN;
}

/* What stands for no success at all in each stratum; infinite where it is not epochs of first
 * success that are compared. never: [strata] */
static void find_never(double *never, const wac_case *at, const wac_finding *finding, const side *a,
                       const side *b, size_t strata)
{
    for (size_t s = 0; s < strata; s++)
        never[s] = at->part->measure == WAC_MEASURE_SOLVED
                       ? (double)epochs_of(at, a, b, s, finding->epochs) + 1
                       : INFINITY;
}

/* How many values of a side stand for none, of how many that are known. */
typedef struct share {
    size_t never, known;
} share;

static share share_of(const wac_values *strata, size_t count, const double *never, double factor)
{
    share share = {0};
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < strata[s].count; i++) {
            share.known += !isnan(strata[s].values[i]);
            share.never += isfinite(never[s]) && strata[s].values[i] >= factor * never[s];
        }
    return share;
}

/* " (never counts as 46)", or nothing where it is in no mean. */
static const char *never_of(char text[WAC_SHORT + 64], const wac_finding *finding,
                            const wac_values *strata, size_t count, const double *never,
                            double factor)
{
    bool alike = true;
    share share = share_of(strata, count, never, factor);
    for (size_t s = 1; s < count; s++)
        alike = alike && never[s] == never[0];
    *text = 0;
    if (share.never && (share.never < share.known || finding->rule == WAC_RULE_LESS_SPREAD))
        snprintf(text, WAC_SHORT + 64, " (never counts as %s)",
                 alike ? WAC_DIGITS(factor * *never) : "a task's last epoch + 1");
    return text;
}

/* "22.8 for OE-WAC", "never for SAC". */
static void describe_side(wac_finding *finding, const wac_values *strata, size_t count,
                          const char *who, const double *never, double factor)
{
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD;
    share share = share_of(strata, count, never, factor);
    if (share.never && share.never == share.known && !spread)
        wac_finding_add(finding, "never for %s", who);
    else
        wac_finding_add(finding, "%s for %s", WAC_DIGITS(mean_of(strata, count, spread)), who);
}

static bool is_cut(const wac_case *at, const side *a, const side *b, size_t strata, int64_t fewest)
{
    for (size_t s = 0; s < strata; s++) {
        int64_t epochs = epochs_of(at, a, b, s, fewest);
        if (a->groups[s]->runs->config->epochs > epochs ||
            b->groups[s]->runs->config->epochs > epochs)
            return true;
    }
    return false;
}

static void describe(wac_finding *finding, const wac_case *at, const samples *samples,
                     const side *a, const side *b)
{
    size_t strata = samples->strata;
    double factor = at->part->factor;
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD;
    char own[WAC_SETTINGS_TEXT] = "", other[WAC_SETTINGS_TEXT] = "";
    if (strata == 1) {
        wac_case_settings(own, at, a->groups[0], a->who);
        wac_case_settings(other, at, b->groups[0], b->who);
    }
    wac_case_title(at, finding);
    double never[MOST_SETTINGS];
    find_never(never, at, finding, a, b, strata);
    char who[2 * WAC_SETTINGS_TEXT];
    wac_finding_add(finding, "%s", spread ? "mean distance from the median " : "");
    snprintf(who, sizeof who, "%s%s", finding->who, own);
    describe_side(finding, samples->a, strata, who, never, 1);
    char first[WAC_SHORT + 64], second[WAC_SHORT + 64];
    never_of(first, finding, samples->a, strata, never, 1);
    never_of(second, finding, samples->b, strata, never, factor);
    wac_finding_add(finding, "%s, ", strcmp(first, second) == 0 ? "" : first); /* said once */
    snprintf(who, sizeof who, "%s%s%s%s", factor != 1 ? WAC_DIGITS(factor) : "",
             factor != 1 ? " times " : "", finding->than, other);
    describe_side(finding, samples->b, strata, who, never, factor);
    wac_finding_add(finding, "%s", second);
    if (finding->rule == WAC_RULE_LEVEL)
        wac_finding_add(finding, "; difference %s", WAC_DIGITS(finding->estimate));
    else if (!spread && !isnan(finding->estimate))
        wac_finding_add(finding, "; %s is %s with probability %s", finding->who,
                        finding->rule == WAC_RULE_FASTER ? "first" : "ahead",
                        WAC_DIGITS(finding->estimate));
    if (finding->low < finding->high) /* not where all seeds say the same */
        wac_finding_add(finding, ", 95 %% interval %s to %s", WAC_DIGITS(finding->low),
                        WAC_DIGITS(finding->high));
    if (finding->rule == WAC_RULE_LEVEL)
        wac_finding_add(finding, ", to be within %s %% of the larger mean",
                        WAC_DIGITS(100 * MARGIN));
    const char *bound = finding->missing && isnan(finding->estimate) ? "at most " : "";
    wac_finding_add(finding, "; p %s%s, of the contrary %s%s", bound, WAC_DIGITS(finding->p_for),
                    bound, WAC_DIGITS(finding->p_against));
    if (strata > 1)
        wac_finding_add(finding, "; compared within each of %zu %s", strata,
                        is_over_all(at) ? "tasks" : "settings");
    bool cut = is_cut(at, a, b, strata, finding->epochs);
    if (cut && is_over_all(at))
        wac_finding_add(finding, "; of longer runs as many epochs as the others have");
    else if (cut)
        wac_finding_add(finding, "; of longer runs the first %lld epochs",
                        (long long)finding->epochs);
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
static wac_status add_interval(wac_finding *finding, const samples *samples, wac_error *error)
{
    wac_interval interval;
    if (finding->rule == WAC_RULE_LEVEL || finding->rule == WAC_RULE_LESS_SPREAD ||
        (samples->strata > 1 && finding->rule != WAC_RULE_AHEAD_OVER_ALL))
        return WAC_STATUS_OK;
    const wac_values *better = samples->is_cost ? samples->b : samples->a;
    const wac_values *worse = samples->is_cost ? samples->a : samples->b;
    WAC_TRY(wac_interval_of(&interval, WAC_ESTIMATE_IMPROVEMENT, better, worse, samples->strata,
                            wac_bootstrap_default(), error));
    finding->low = interval.low;
    finding->high = interval.high;
    return WAC_STATUS_OK;
}

/* Why the spread of a side is not that of learning, or null: it has none, or it has a goal that it
 * never reaches. */
static const char *lacks_spread(const side *side, const wac_values *strata, size_t count,
                                int64_t epochs)
{
    bool constant = true, has_goal = false, solves = false;
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < strata[s].count; i++) {
            const wac_planned_run *run = &side->groups[s]->runs[i];
            constant &= strata[s].values[i] == strata[s].values[0];
            has_goal |= !isnan(wac_planned_value(run, WAC_MEASURE_SUCCESS, epochs));
            solves |= wac_planned_is_solved(run, epochs);
        }
    return constant ? "always comes out the same" : has_goal && !solves ? "never succeeds" : NULL;
}

static wac_status compare_spreads(const wac_case *at, wac_finding *finding, const samples *known,
                                  const side *a, const side *b)
{
    for (int turn = 0; turn < 2; turn++) {
        const char *lacks =
            lacks_spread(turn ? b : a, turn ? known->b : known->a, known->strata, finding->epochs);
        if (lacks)
            return wac_case_lack(at, finding, "%s %s, so its spread says nothing of learning",
                                 turn ? finding->than : finding->who, lacks);
    }
    WAC_TRY(weigh(finding, known, at->error));
    describe(finding, at, known, a, b);
    if (finding->seeds < WAC_SEEDS_SPREAD) {
        finding->counts = false;
        finding->seeds_needed = WAC_SEEDS_SPREAD;
    }
    return wac_case_end(at, finding);
}

static wac_status conclude(const wac_case *at, wac_finding *finding, samples *known, samples *copy,
                           const side *a, const side *b, gaps gaps)
{
    bool spread = finding->rule == WAC_RULE_LESS_SPREAD;
    bool needs_all = spread || finding->rule == WAC_RULE_LEVEL;
    if (gaps.never)
        return wac_case_lack(at, finding, "%zu of %zu runs have no %s", gaps.never,
                             finding->planned, wac_measure_words(at->part->measure));
    if (needs_all && !are_finite(known))
        return wac_case_lack(at, finding,
                             "%zu of %zu runs of %s and %s are missing or diverged, and this needs "
                             "all",
                             finding->planned - finding->finished, finding->planned, finding->who,
                             finding->than);
    if (finding->rule == WAC_RULE_FASTER && !gaps.unknown &&
        !has_success(known, (double)finding->epochs + 1))
        return wac_case_lack(at, finding, "neither %s nor %s ever succeeds in %lld epochs",
                             finding->who, finding->than, (long long)finding->epochs);
    if (spread)
        return compare_spreads(at, finding, known, a, b);
    if (gaps.unknown) {
        WAC_TRY(weigh_whatever(finding, known, copy, finding->planned, at->error));
    } else {
        WAC_TRY(weigh(finding, known, at->error));
        if (!at->plan->is_quick)
            WAC_TRY(add_interval(finding, known, at->error));
        WAC_TRY(wac_case_seeds_needed(at, finding, study, known));
    }
    describe(finding, at, known, a, b);
    return wac_case_end(at, finding);
}

static wac_status compare(const wac_case *at, const side *a, const side *b, size_t strata)
{
    wac_finding finding = wac_case_begin(at, a->who, b->who);
    for (size_t s = 0; s < strata; s++) {
        wac_case_count(&finding, a->groups[s]);
        wac_case_count(&finding, b->groups[s]);
    }
    samples known = {.strata = strata, .is_cost = wac_measure_is_cost(at->part->measure)}, copy;
    known.numbers = malloc(2 * finding.planned * sizeof *known.numbers);
    if (!known.numbers)
        return wac_fail_memory(at->error, "the values of runs");
    copy.numbers = known.numbers + finding.planned;
    gaps gaps = collect(&known, at, a, b, finding.epochs);
    wac_status status = conclude(at, &finding, &known, &copy, a, b, gaps);
    free(known.numbers);
    return status;
}

/* Whether two groups are of the same settings, as far as both sides read them and are not told
 * apart by them. */
static bool is_match(const side *a, const side *b, const wac_planned_group *own,
                     const wac_planned_group *other)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    const wac_config *x = own->runs->config, *y = other->runs->config;
    for (size_t i = 0; i < count; i++)
        if (wac_group_counts(&settings[i]) && wac_config_reads(x, &settings[i]) &&
            wac_config_reads(y, &settings[i]) && strcmp(settings[i].name, "algorithm") != 0 &&
            strcmp(settings[i].name, a->who->key) != 0 &&
            strcmp(settings[i].name, b->who->key) != 0 && wac_setting_compare(&settings[i], x, y))
            return false;
    return true;
}

static bool has_same_seeds(const wac_planned_group *a, const wac_planned_group *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; i < a->count && same; i++)
        same = a->runs[i].config->seed == b->runs[i].config->seed;
    return same;
}

/* Puts b's groups into the order of a's; false where they do not match one to one. */
static bool match(side *a, side *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        size_t found = i, matches = 0;
        for (size_t k = i; k < b->count; k++)
            if (is_match(a, b, a->groups[i], b->groups[k])) {
                found = k;
                matches++;
            }
        if (matches != 1 || !has_same_seeds(a->groups[i], a->groups[0]) ||
            !has_same_seeds(b->groups[found], b->groups[0]))
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
        wac_finding none = wac_case_begin(at, who, than);
        return wac_case_lack(at, &none, "no run of %s is planned", a.count ? none.than : none.who);
    }
    if (match(&a, &b))
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

/* --- over all tasks --------------------------------------------------------------------------- */

static const wac_planned_group *find_task(const side *side, size_t task)
{
    for (size_t i = 0; i < side->count; i++)
        if (side->groups[i]->task == task)
            return side->groups[i];
    return NULL;
}

/* Whether a side has one group in each of its tasks, all with the same seeds: a task is a setting
 * like others then. */
static bool is_even(const side *side)
{
    for (size_t i = 0; i < side->count; i++)
        if (find_task(side, side->groups[i]->task) != side->groups[i] ||
            !has_same_seeds(side->groups[i], side->groups[0]))
            return false;
    return true;
}

/* What both have, in the same order. */
static void keep_shared_tasks(side *a, side *b)
{
    side one = {.who = a->who}, other = {.who = b->who};
    for (size_t i = 0; i < a->count; i++) {
        const wac_planned_group *match = find_task(b, a->groups[i]->task);
        if (!match)
            continue;
        one.groups[one.count++] = a->groups[i];
        other.groups[other.count++] = match;
    }
    *a = one;
    *b = other;
}

/* The first environment that is asked for by name and that a side has no group in, or null. */
static const char *find_lacking(const wac_case *at, const side *side)
{
    const wac_condition *named = wac_where_find(&at->part->where, "environment");
    for (int i = 0; named && i < named->count; i++) {
        bool there = false;
        for (size_t k = 0; k < side->count && !there; k++)
            there = strcmp(side->groups[k]->environment, named->values[i]) == 0;
        if (!there)
            return named->values[i];
    }
    return NULL;
}

static wac_status compare_overall(const wac_case *at, const wac_condition *who,
                                  const wac_condition *than)
{
    side a = side_of(at, who), b = side_of(at, than);
    wac_finding none = wac_case_begin(at, who, than);
    for (int turn = 0; turn < 2; turn++) {
        const side *side = turn ? &b : &a;
        const char *name = turn ? none.than : none.who;
        if (side->count == 0)
            return wac_case_lack(at, &none, "no run of %s is planned", name);
        const char *lacking = find_lacking(at, side);
        char place[WAC_PRETTY];
        if (lacking)
            return wac_case_lack(at, &none, "no run of %s is planned in %s", name,
                                 wac_pretty_environment(place, lacking));
        if (!is_even(side))
            return wac_case_lack(at, &none,
                                 "%s has other seeds in some tasks, or several settings; say "
                                 "which by \"where\"",
                                 name);
    }
    keep_shared_tasks(&a, &b);
    if (a.count == 0)
        return wac_case_lack(at, &none, "there is no task that %s and %s share", none.who,
                             none.than);
    return compare(at, &a, &b, a.count);
}

wac_status wac_rule_pairs_overall(const wac_case *at)
{
    const wac_claim_part *part = at->part;
    for (int i = 0; i < part->who_count; i++)
        for (int k = 0; k < part->than_count; k++)
            WAC_TRY(compare_overall(at, &part->who[i], &part->than[k]));
    return WAC_STATUS_OK;
}
