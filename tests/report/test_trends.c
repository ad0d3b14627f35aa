/* Claims about a setting whose values are in order: rising, falling, and neither, on runs that are
 * made to hold, to fail and to leave it open. */
#include "support/judging.h"

static const char rises[] = "rule: rises-with, setting: lambda, measure: coverage";
static const char falls[] = "rule: falls-with, setting: lambda, measure: coverage";
static const char not_monotone[] = "rule: not-monotone, setting: lambda, measure: coverage";

static void test_rises(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 5, 0.01);
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "5 seeds");
    assert_verdict(falls, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "1 for falling");
    assert_verdict(not_monotone, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "1 for falling");
    /* the numbers are in the text, in order */
    judge(rises);
    assert_non_null(strstr(judgement.findings[0].text,
                           "LQG, coverage, mean of all epochs: 0.4, 0.5, 0.6, 0.7 at λ 0, 0.25"));
    /* other runs are not looked at */
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage, where: {environment: "
                   "riverswim}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "no run is planned");
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage, where: {lambda: 0.5}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "in all runs");
    assert_verdict("rule: rises-with, setting: rho, measure: coverage", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "ρ is 0.5 in all runs");
    assert_verdict("rule: rises-with, setting: lambda, measure: success", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "some runs have no success");
}

static void test_falls(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.7, .6, .5, .4}, 4, 5, 0.01);
    assert_verdict(falls, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "5 seeds");
    assert_verdict(rises, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "1 for rising");
}

/* Of the epoch of first success "never" is a word, and where nobody succeeds there is no trend. */
static void test_trend_of_first_success(void **state)
{
    (void)state;
    const char *rule = "rule: falls-with, setting: lambda, measure: solved";
    for (int late = 1; late >= 0; late--) {
        const int solved[] = {-1, late ? 50 : -1, late ? 20 : -1};
        clear();
        for (int i = 0; i < 3; i++)
            for (int seed = 1; seed <= 5; seed++) {
                fake fake = {"point-1", "oe-wac", seed, 60,  0,  "lambda", lambdas[i],
                             NULL,      NULL,     -90,  NAN, 20, solved[i]};
                if (seed == 5 && late && i == 1)
                    fake.solved = -1;
                make_fake(at("%d-%d", i, seed), &fake);
            }
        if (late)
            assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                           "Point 1, epoch of first success: never, 52.2, 20 at λ 0, 0.25, 0.5 "
                           "(never counts as 61); Page's test: ");
        else
            assert_verdict(rule, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                           "no run ever succeeds in 60 epochs, so there is no trend to see");
    }
}

/* Three seeds decide nothing, but point somewhere. */
static void test_few_seeds(void **state)
{
    (void)state;
    char outlook[WAC_OUTLOOK];
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 3, 0.01);
    assert_verdict(rises, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS, "3 seeds");
    assert_string_equal(wac_finding_outlook(outlook, judgement.findings), "needs 4 seeds at least");
    assert_verdict(falls, WAC_VERDICT_UNDECIDED, WAC_VERDICT_FAILS, "3 seeds");
    assert_verdict(not_monotone, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "3 seeds");
}

/* A trend needs every planned run; one that diverged is the worst there is. */
static void test_gaps(void **state)
{
    (void)state;
    char outlook[WAC_OUTLOOK];
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 6, 0.01);
    remove_folder(at("lambda-0.5-5"));
    plan_also("lqg", "oe-wac", 5, 3, "lambda", "0.5");
    assert_verdict(rises, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "1 of 24 runs are missing");
    assert_int_equal(judgement.findings[0].missing, 1);
    assert_string_equal(wac_finding_outlook(outlook, judgement.findings), "waits for run-23");
    fake lost = {"lqg", "oe-wac", 5, 3, 2, "lambda", "0.5", NULL, NULL, -1, 0.6, 10, -2};
    make_fake(at("lost"), &lost);
    save_text(at("lost/manifest.json"), "{\"diverged\": \"a loss\"}\n");
    planned_count = 0;
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "1 of 24 runs diverged");
    assert_null(strstr(judgement.findings[0].text, "inf"));
}

/* A seed more in some settings does not move the others out of their rows. */
static void test_seeds_are_matched(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 5, 0.01);
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "5 seeds");
    double p = judgement.findings[0].p_for;
    fake more = {"lqg", "oe-wac", 0, 3, 0, "lambda", "0.5", NULL, NULL, -1, 0.1, 10, -2};
    make_fake(at("more"), &more);
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "5 seeds");
    assert_true(judgement.findings[0].p_for == p);
}

static void test_not_monotone(void **state)
{
    (void)state;
    static const char *const deltas[] = {"5", "10", "20", "30"};
    const char *rule = "rule: not-monotone, setting: oac_delta, measure: coverage";
    make_levels("oac", "oac_delta", deltas, (double[]){.3, .5, .5, .3}, 4, 8, 0.001);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "at OAC δ 5, 10");
    /* on the whole it rises, but one step goes down */
    clear();
    make_levels("oac", "oac_delta", deltas, (double[]){.3, .5, .45, .7}, 4, 8, 0.001);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "a fall between neighbours");
    assert_verdict("rule: rises-with, setting: oac_delta, measure: coverage", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "a fall between neighbours");
}

/* What bends is not rising too, whether at a step or slowly, and whatever the number of seeds; what
 * is constant is neither. */
static void test_trends_exclude_each_other(void **state)
{
    (void)state;
    static const double shapes[][5] = {
        {.10, .50, .70, .80, .30}, {.10, .80, .78, .76, .74}, {.50, .90, .85, .80, .75}};
    for (size_t i = 0; i < 3; i++)
        for (int seeds = 4; seeds <= 16; seeds *= 2) {
            clear();
            make_levels("oe-wac", "lambda", lambdas, shapes[i], 5, seeds, 0.012);
            wac_verdict rising = judge(rises), bent = judge(not_monotone), falling = judge(falls);
            assert_true((rising == WAC_VERDICT_HOLDS) + (bent == WAC_VERDICT_HOLDS) +
                            (falling == WAC_VERDICT_HOLDS) <=
                        1);
            if (seeds == 16)
                assert_true(bent == WAC_VERDICT_HOLDS && rising != WAC_VERDICT_HOLDS);
        }
    clear();
    make_levels("oe-wac", "lambda", lambdas, (double[]){.5, .5, .5, .5, .5}, 5, 10, 0);
    assert_verdict(not_monotone, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "0.5, 0.5, 0.5");
    assert_verdict(rises, WAC_VERDICT_UNDECIDED, WAC_VERDICT_FAILS, "0.5, 0.5, 0.5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM_TEST(test_rises),
        CLAIM_TEST(test_falls),
        CLAIM_TEST(test_trend_of_first_success),
        CLAIM_TEST(test_few_seeds),
        CLAIM_TEST(test_gaps),
        CLAIM_TEST(test_seeds_are_matched),
        CLAIM_TEST(test_not_monotone),
        CLAIM_TEST(test_trends_exclude_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
