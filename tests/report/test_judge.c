/* Claims: every decision rule on runs that are made to hold, to fail and to leave it open; and what
 * the reader of experiment files refuses. */
#include "report/experiment_file.h"
#include "report/judge.h"
#include "support/fake_runs.h"

static wac_runset set;
static wac_experiment *experiment;
static wac_judgement judgement;

#define SCALES                                                                                     \
    "title: T\nscales:\n"                                                                          \
    "  quick: {environments: lqg, algorithms: sac, seeds: 1}\n"                                    \
    "  half: {environments: lqg, algorithms: sac, seeds: 2}\n"                                     \
    "  full: {environments: lqg, algorithms: sac, seeds: 3}\n"

static wac_status parse(const char *text)
{
    memset(&error, 0, sizeof error);
    return wac_experiment_parse(&experiment, strdup(text), strlen(text), "t", "file", &error);
}

/* The verdict on a claim of these lines (in flow style, after `says`) about the runs in root. */
static wac_verdict judge(const char *rule)
{
    char text[2048];
    const char *folder = root;
    snprintf(text, sizeof text, SCALES "claims:\n  - {says: S, %s}\n", rule);
    assert_ok(parse(text));
    assert_ok(wac_runset_load(&set, &folder, 1, false, &error));
    /* what is there is what was planned */
    wac_sweep sweep = {calloc(set.count, sizeof *sweep.runs), set.count};
    for (size_t i = 0; i < set.count; i++)
        sweep.runs[i].config = set.runs[i].config;
    wac_plan plan;
    wac_judgement_free(&judgement);
    assert_ok(wac_plan_make(&plan, &sweep, &set, &error));
    assert_ok(wac_claim_judge(&judgement, &experiment->claims[0], &plan, &error));
    wac_plan_free(&plan);
    wac_sweep_free(&sweep);
    wac_runset_free(&set);
    wac_experiment_free(experiment);
    assert_true(judgement.count > 0);
    return judgement.verdict;
}

static void assert_verdict(const char *rule, wac_verdict verdict, wac_verdict leaning,
                           const char *words)
{
    wac_verdict found = judge(rule);
    if (found != verdict || judgement.leaning != leaning ||
        !strstr(judgement.findings[0].text, words))
        fail_msg("%s: %s (leaning %s): %s; expected %s, \"%s\"", rule, wac_verdict_name(found),
                 wac_verdict_name(judgement.leaning), judgement.findings[0].text,
                 wac_verdict_name(verdict), words);
}

static int forget(void **state)
{
    wac_judgement_free(&judgement);
    return remove_root(state);
}
#define CLAIM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, forget)

/* --- trends ----------------------------------------------------------------------------------- */

/* Coverage at each of some values of a setting: level + noise that differs from seed to seed. */
static void make_levels(const char *algorithm, const char *key, const char *const *values,
                        const double *levels, int count, int seeds, double noise)
{
    for (int i = 0; i < count; i++)
        for (int seed = 1; seed <= seeds; seed++) {
            fake fake = {"lqg", algorithm, seed, 3, 0, key, values[i], NULL, NULL, -1, 0.0, 10, -2};
            fake.coverage = levels[i] + noise * ((seed * 7 + i * 3) % 5 - 2);
            make_fake(at("%s-%s-%d", key, values[i], seed), &fake);
        }
}

static const char *const lambdas[] = {"0", "0.25", "0.5", "1"};

static void test_rises(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 4, 0.01);
    const char *rises = "rule: rises-with, setting: lambda, measure: coverage";
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "4 seeds");
    assert_verdict("rule: falls-with, setting: lambda, measure: coverage", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "it rises");
    assert_verdict("rule: not-monotone, setting: lambda, measure: coverage", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "1 for falling");
    /* the numbers are in the text, in order */
    judge(rises);
    assert_non_null(
        strstr(judgement.findings[0].text, "0.405, 0.497, 0.603, 0.695 at lambda 0, 0.25"));
    /* other runs are not looked at */
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage, where: {environment: "
                   "riverswim}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "no run");
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage, where: {lambda: 0.5}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "in all runs");
    assert_verdict("rule: rises-with, setting: rho, measure: coverage", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "rho is 0.5 in all runs");
}

static void test_falls(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.7, .6, .5, .4}, 4, 5, 0.01);
    assert_verdict("rule: falls-with, setting: lambda, measure: coverage", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "5 seeds");
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "it falls");
}

/* Three seeds decide nothing, but point somewhere. */
static void test_few_seeds(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 3, 0.01);
    assert_verdict("rule: rises-with, setting: lambda, measure: coverage", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_HOLDS, "3 seeds");
    assert_verdict("rule: falls-with, setting: lambda, measure: coverage", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_FAILS, "3 seeds");
    assert_verdict("rule: not-monotone, setting: lambda, measure: coverage", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_FAILS, "3 seeds");
}

/* Seeds that lack a run at some setting are no blocks; unfinished runs do not count. */
static void test_gaps(void **state)
{
    (void)state;
    make_levels("oe-wac", "lambda", lambdas, (double[]){.4, .5, .6, .7}, 4, 5, 0.01);
    remove_folder(at("lambda-0.5-5"));
    const char *rises = "rule: rises-with, setting: lambda, measure: coverage";
    assert_verdict(rises, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "4 seeds");
    remove_folder(at("lambda-0-4"));
    fake cut = {"lqg", "oe-wac", 4, 3, 2, "lambda", "0", NULL, NULL, -1, 0.4, 10, -2};
    make_fake(at("cut"), &cut);
    assert_verdict(rises, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS, "3 seeds");
}

static void test_not_monotone(void **state)
{
    (void)state;
    static const char *const deltas[] = {"5", "10", "20", "30"};
    const char *rule = "rule: not-monotone, setting: oac_delta, measure: coverage";
    make_levels("oac", "oac_delta", deltas, (double[]){.3, .5, .5, .3}, 4, 5, 0.001);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "for rising");
    /* on the whole it rises, but one step goes down */
    remove_folder(root);
    assert_ok(wac_directory_make(root, &error));
    make_levels("oac", "oac_delta", deltas, (double[]){.3, .5, .45, .7}, 4, 5, 0.001);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "the step from 10 to 20 goes against it");
}

/* Spread: the same means, wider for small rho. */
static void test_spread_falls(void **state)
{
    (void)state;
    static const char *const rhos[] = {"0.25", "0.5", "1"};
    for (int i = 0; i < 3; i++)
        for (int seed = 1; seed <= 6; seed++) {
            fake fake = {"lqg", "oe-wac", seed, 3, 0, "rho", rhos[i], NULL, NULL, -1, 0, 10, -2};
            fake.coverage = 0.5 + (seed - 3.5) * 0.02 / (1 << i);
            make_fake(at("%d-%d", i, seed), &fake);
        }
    assert_verdict("rule: falls-with, setting: rho, measure: spread of coverage", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "distance from the median");
    assert_verdict("rule: rises-with, setting: rho, measure: coverage", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "coverage 0.5, 0.5, 0.5");
}

/* --- algorithms ------------------------------------------------------------------------------- */

/* Runs on Point 1, solved from an epoch on that differs a little from seed to seed. */
static void make_solvers(const char *algorithm, int seeds, int solved, int step, double episodes)
{
    for (int seed = 1; seed <= seeds; seed++) {
        fake fake = {"point-1",
                     algorithm,
                     seed,
                     60,
                     0,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     -100.0 + seed,
                     NAN,
                     episodes + seed,
                     solved < 0 ? -1 : solved + step * seed};
        make_fake(at("%s-%d", algorithm, seed), &fake);
    }
}

static void test_ahead(void **state)
{
    (void)state;
    make_solvers("me-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, 30, 5, 20);
    const char *ahead = "rule: ahead-of, who: me-wac, than: sac, measure: episodes";
    assert_verdict(ahead, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "95 % interval 1 to 1");
    assert_verdict("rule: ahead-of, who: sac, than: me-wac, measure: episodes", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "the other way round");
    assert_verdict("rule: faster, who: me-wac, than: sac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "epoch of first success: ME-WAC 12.5, SAC 42.5");
    assert_verdict("rule: faster, who: sac, than: me-wac", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS,
                   "is first 0");
    assert_verdict("rule: less-spread, who: me-wac, than: sac, measure: solved", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "standard deviations");
    assert_verdict("rule: less-spread, who: sac, than: me-wac, measure: solved", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "the other way round");
    assert_verdict("rule: ahead-of, who: me-wac, than: oac", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "no finished run of OAC");
    /* score: success of the last 50 of 61 rows, and both pairs must hold */
    assert_verdict("rule: ahead-of, who: me-wac, than: [sac, oac]", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "is better 1");
    assert_int_equal(judgement.count, 2);
}

static void test_ahead_of_equals(void **state)
{
    (void)state;
    make_solvers("me-wac", 5, 10, 2, 30);
    make_solvers("sac", 5, 10, 2, 30);
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: episodes", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "is better 0.5");
    assert_verdict("rule: level, who: me-wac, than: sac, measure: episodes", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "difference of interquartile means 0");
}

/* More probable than not is not enough. */
static void test_hardly_ahead(void **state)
{
    (void)state;
    make_solvers("me-wac", 5, 10, 2, 31.5);
    make_solvers("sac", 5, 10, 2, 30);
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: episodes", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "is better 0.76");
    assert_null(strstr(judgement.findings[0].text, "the other way round"));
}

static void test_level_fails(void **state)
{
    (void)state;
    make_solvers("me-wac", 5, 10, 2, 30);
    make_solvers("sac", 5, 10, 2, 50);
    assert_verdict("rule: level, who: me-wac, than: sac, measure: episodes", WAC_VERDICT_FAILS,
                   WAC_VERDICT_FAILS, "−20");
}

static void test_counts(void **state)
{
    (void)state;
    make_solvers("oe-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, -1, 0, 10);
    make_solvers("oac", 3, -1, 0, 10);
    fake lucky = {"point-1", "oac", 4, 60, 0, NULL, NULL, NULL, NULL, -90, NAN, 20, 30};
    make_fake(at("oac-4"), &lucky);
    static const struct {
        const char *rule, *who;
        wac_verdict verdict;
    } cases[] = {
        {"never", "sac", WAC_VERDICT_HOLDS},      {"never", "oac", WAC_VERDICT_FAILS},
        {"never", "oe-wac", WAC_VERDICT_FAILS},   {"some", "sac", WAC_VERDICT_FAILS},
        {"some", "oac", WAC_VERDICT_HOLDS},       {"some", "oe-wac", WAC_VERDICT_FAILS},
        {"any", "sac", WAC_VERDICT_FAILS},        {"any", "oac", WAC_VERDICT_HOLDS},
        {"any", "oe-wac", WAC_VERDICT_HOLDS},     {"all", "sac", WAC_VERDICT_FAILS},
        {"all", "oac", WAC_VERDICT_FAILS},        {"all", "oe-wac", WAC_VERDICT_HOLDS},
        {"all", "me-wac", WAC_VERDICT_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "rule: %s, who: %s", cases[i].rule, cases[i].who);
        assert_verdict(rule, cases[i].verdict, cases[i].verdict,
                       cases[i].verdict == WAC_VERDICT_UNDECIDED ? "no finished run" : "of 4 runs");
    }
}

/* A claim of several parts fails if one fails, else is undecided if one is. */
static void test_compound(void **state)
{
    (void)state;
    make_solvers("oe-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, -1, 0, 10);
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: sac}]", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "4 of 4");
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: oac}]",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "4 of 4");
    assert_verdict("parts: [{rule: all, who: oac}, {rule: all, who: [oe-wac, sac]}]",
                   WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "no finished run");
    assert_int_equal(judgement.count, 3);
}

/* RiverSwim is solved by return. */
static void test_riverswim(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        fake fake = {"riverswim", "oe-wac", seed, 12, 0, NULL, NULL, NULL, NULL, 120, .3, 10, -2};
        make_fake(at("w%d", seed), &fake);
        fake.algorithm = "sac";
        fake.reached = 0.15;
        make_fake(at("s%d", seed), &fake);
    }
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: sac}]", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "4 of 4 runs");
}

/* --- correlation, of real runs ------------------------------------------------------------------
 */

static void test_correlation(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        wac_config config = tiny("lqg", "oe-wac", 2);
        config.seed = seed;
        assert_ok(train_new(at("%d", seed), &config, NULL));
    }
    /* barely trained: no mirror yet */
    assert_verdict("rule: correlation, above: -0.9", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "rank correlation");
    assert_verdict("rule: correlation, below: -0.9", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS,
                   "asked for below −0.9");
    assert_verdict("rule: correlation, below: 1.5", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "4 seeds");
    remove_folder(at("4"));
    assert_verdict("rule: correlation, below: 1.5", WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS,
                   "3 seeds");
}

/* --- the reader ---------------------------------------------------------------------------------
 */

static void test_refusals(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"claims:\n  - {says: S, rule: rises, setting: lambda}", "file:7:", "rises-with"},
        {"claims:\n  - {says: S, rule: rises-with}", "file:7:", "needs \"setting\""},
        {"claims:\n  - {says: S, rule: rises-with, setting: lamda, measure: coverage}",
         "file:7:", "lambda"},
        {"claims:\n  - {says: S, rule: rises-with, setting: rho, measure: covrage}",
         "file:7:", "coverage"},
        {"claims:\n  - {says: S, rule: rises-with, setting: rho}", "file:7:", "\"measure\""},
        {"claims:\n  - {rule: never, who: sac}", "file:7:", "says"},
        {"claims:\n  - {says: S}", "file:7:", "rule"},
        {"claims:\n  - {says: S, rule: never}", "file:7:", "who"},
        {"claims:\n  - {says: S, rule: never, who: sca}", "file:7:", "sac"},
        {"claims:\n  - {says: S, rule: ahead-of, who: sac}", "file:7:", "than"},
        {"claims:\n  - {says: S, rule: never, who: sac, than: oac}", "file:7:", "than"},
        {"claims:\n  - {says: S, rule: correlation}", "file:7:", "below"},
        {"claims:\n  - {says: S, rule: never, who: sac, below: 1}", "file:7:", "below"},
        {"claims:\n  - {says: S, rule: never, who: sac, parts: [{rule: all, who: sac}]}",
         "file:7:", "not both"},
        {"claims:\n  - {says: S, parts: [{says: T, rule: all, who: sac}]}", "file:7:", "part"},
        {"claims:\n  - {says: S, rule: all, who: sac, were: {}}", "file:7:", "where"},
        {"claims:\n  - {says: S, rule: all, who: sac, where: {environment: lqq}}",
         "file:7:", "lqg"},
        {"claims: []", "file:6:", "entries"},
        {"figures:\n  - {kind: curves, title: T}", "file:7:", "rows"},
        {"figures:\n  - {kind: curve, title: T}", "file:7:", "curves"},
        {"figures:\n  - {kind: settings, title: T}", "file:7:", "x"},
        {"figures:\n  - {kind: bars}", "file:7:", "title"},
        {"titel: T", "file:6:", "title"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s\n", SCALES, cases[i][0]);
        if (parse(text) == WAC_STATUS_OK)
            fail_msg("accepted: %s", cases[i][0]);
        assert_null(experiment);
        assert_message(WAC_STATUS_INPUT, cases[i][1], cases[i][2]);
    }
    assert_int_equal(parse(""), WAC_STATUS_INPUT);
    assert_int_equal(parse("title: λ\nscales: {quick: 1}"), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "file:2:", "sweep");
    /* faults within the runs keep their line, also behind letters of two bytes */
    assert_int_equal(parse("title: λλλ\nscales:\n  quick: {environments: lqg, algorithms: [sac],\n"
                           "    settings: {epochz: 3}}\n"),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "file:4:", "epochs");
    assert_int_equal(parse("title: T\nscales:\n  half: {environments: lqg, algorithms: sac}\n"),
                     WAC_STATUS_OK);
    wac_experiment_free(experiment);
    assert_int_equal(parse("title: T\nscales: {}\n"), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "scales", "quick, half or full");
}

/* What comes with the program. */
static void test_shipped(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t quick, full;
        int claims;
    } expected[] = {
        {"coverage-delta", 6, 50, 1}, {"coverage-lqg", 6, 100, 3},
        {"coverage-oac", 6, 210, 1},  {"coverage-riverswim", 6, 100, 2},
        {"mujoco", 2, 36, 1},         {"point-dense", 2, 80, 4},
        {"point-sparse", 2, 60, 1},   {"tuning", 3, 384, 1},
        {"uncertainty-lqg", 2, 2, 1}, {"visits-point2-sparse", 2, 3, 0},
        {"visits-point3", 2, 3, 0},
    };
    char **names;
    size_t count;
    bool claimed[13] = {0};
    assert_int_equal(setenv("WAC_EXPERIMENTS", WAC_SOURCE_DIR "/experiments", 1), 0);
    assert_ok(wac_experiment_list(&names, &count, &error));
    assert_int_equal(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(names[i], expected[i].name);
        assert_ok(wac_experiment_read(&experiment, names[i], &error));
        assert_int_equal(experiment->scales[WAC_SCALE_QUICK].count, expected[i].quick);
        assert_int_equal(experiment->scales[WAC_SCALE_FULL].count, expected[i].full);
        assert_ok(wac_experiment_check(experiment, &error));
        assert_int_equal(experiment->claim_count, expected[i].claims);
        assert_true(experiment->figure_count > 0 && *experiment->paper && *experiment->shows);
        for (int k = 0; k < experiment->claim_count; k++)
            claimed[experiment->claims[k].number] = true;
        wac_experiment_free(experiment);
        free(names[i]);
    }
    free(names);
    for (int i = 1; i <= 12; i++)
        assert_true(claimed[i]);
    memset(&error, 0, sizeof error);
    assert_int_equal(wac_experiment_read(&experiment, "coverage-lgq", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "coverage-lgq", "coverage-lqg");
    assert_int_equal(setenv("WAC_EXPERIMENTS", "/nowhere", 1), 0);
    assert_int_equal(wac_experiment_read(&experiment, "mujoco", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "/nowhere", "WAC_EXPERIMENTS");
    assert_int_equal(unsetenv("WAC_EXPERIMENTS"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM_TEST(test_rises),        CLAIM_TEST(test_falls),
        CLAIM_TEST(test_few_seeds),    CLAIM_TEST(test_gaps),
        CLAIM_TEST(test_not_monotone), CLAIM_TEST(test_spread_falls),
        CLAIM_TEST(test_ahead),        CLAIM_TEST(test_ahead_of_equals),
        CLAIM_TEST(test_hardly_ahead), CLAIM_TEST(test_level_fails),
        CLAIM_TEST(test_counts),       CLAIM_TEST(test_compound),
        CLAIM_TEST(test_riverswim),    CLAIM_TEST(test_correlation),
        CLAIM_TEST(test_refusals),     CLAIM_TEST(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
