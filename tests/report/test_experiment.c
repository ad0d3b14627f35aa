/* Experiment files: what the reader refuses, scales, and what comes with the program. */
#include "report/experiment_file.h"
#include "support/small_runs.h"

static wac_experiment *experiment;

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
        {"claims:\n  - {says: S, rule: level, who: sac, than: oac, factor: 2}",
         "file:7:", "factor"},
        {"claims:\n  - {says: S, rule: ahead-of, who: sac, than: oac, factor: 0}", "file:7:", "0"},
        {"claims:\n  - {says: S, rule: ahead-of, who: {rho: 1, lambda: 1}, than: {rho: 0}}",
         "file:7:", "a side is"},
        {"claims:\n  - {says: S, rule: rises-with, setting: rho, measure: coverage, below: 1}",
         "file:7:", "below"},
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
    assert_message(WAC_STATUS_INPUT, "scales", "quick, half, paper or strong");
    assert_int_equal(parse("title: T\nscales:\n  paper: {environments: lqg, algorithms: sac}\n"
                           "  full: {environments: lqg, algorithms: oac}\n"),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "file:4:", "same scale");
}

/* The largest scale is that of the paper with 20 seeds, unless the file says otherwise; any number
 * of seeds can be asked for. */
static void test_scales(void **state)
{
    (void)state;
    char title[WAC_SCALE_TITLE];
    assert_int_equal(wac_scale_find("full"), WAC_SCALE_PAPER);
    assert_int_equal(wac_scale_find("paper"), WAC_SCALE_PAPER);
    assert_int_equal(wac_scale_find("fool"), -1);
    assert_ok(parse("title: T\nscales:\n  quick: {environments: lqg, algorithms: sac}\n"
                    "  full:\n    - {environments: lqg, algorithms: [sac, oac], seeds: [3, 5]}\n"
                    "    - {environments: riverswim, algorithms: sac, seeds: 2, settings: {width: "
                    "[16, 32]}}\n"));
    const wac_sweep *strong = &experiment->scales[WAC_SCALE_STRONG];
    assert_int_equal(experiment->scales[WAC_SCALE_PAPER].count, 8);
    assert_int_equal(strong->count, 80);
    assert_ok(wac_sweep_check(strong, &error));
    assert_string_equal(strong->runs[0].folder, "lqg/sac/seed-3");
    assert_string_equal(strong->runs[79].folder, "riverswim/sac/width-32/seed-20");
    assert_ok(wac_experiment_reseed(experiment, 3, &error));
    assert_int_equal(experiment->scales[WAC_SCALE_QUICK].count, 3);
    assert_int_equal(experiment->scales[WAC_SCALE_HALF].count, 0);
    assert_int_equal(strong->count, 12);
    assert_string_equal(wac_scale_title(title, experiment, WAC_SCALE_PAPER), "paper with 3 seeds");
    assert_int_equal(wac_experiment_reseed(experiment, 5000, &error), WAC_STATUS_INPUT);
    wac_experiment_free(experiment);
    assert_ok(parse("title: T\nscales:\n  paper: {environments: lqg, algorithms: sac, seeds: 5}\n"
                    "  strong: {environments: lqg, algorithms: sac, seeds: 7}\n"));
    assert_int_equal(experiment->scales[WAC_SCALE_STRONG].count, 7);
    wac_experiment_free(experiment);
}

/* What comes with the program. */
static void test_shipped(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t quick, paper, strong;
        int claims;
    } expected[] = {
        {"coverage-delta", 6, 50, 200, 1}, {"coverage-lqg", 6, 100, 400, 2},
        {"coverage-oac", 6, 210, 840, 1},  {"coverage-riverswim", 15, 100, 400, 2},
        {"halfcheetah", 4, 40, 160, 3},    {"mujoco", 2, 36, 180, 1},
        {"point-dense", 2, 80, 320, 4},    {"point-sparse", 2, 60, 240, 1},
        {"prior", 12, 100, 400, 2},        {"rivals", 2, 30, 60, 0},
        {"riverswim", 12, 0, 0, 1},        {"suite", 88, 1760, 1760, 10},
        {"tables", 24, 400, 400, 2},       {"tuning", 6, 404, 644, 1},
        {"uncertainty-lqg", 2, 10, 40, 1}, {"visits-point2-sparse", 2, 3, 60, 0},
        {"visits-point3", 2, 3, 60, 0},
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
        assert_int_equal(experiment->scales[WAC_SCALE_PAPER].count, expected[i].paper);
        assert_int_equal(experiment->scales[WAC_SCALE_STRONG].count, expected[i].strong);
        for (int scale = 0; scale < WAC_SCALE_TOTAL; scale++)
            if (experiment->scales[scale].count || *experiment->paper)
                assert_ok(wac_sweep_check(&experiment->scales[scale], &error));
        assert_ok(wac_experiment_check(experiment, &error));
        assert_int_equal(experiment->claim_count, expected[i].claims);
        assert_true(experiment->figure_count > 0 && *experiment->shows);
        for (int k = 0; k < experiment->claim_count; k++) {
            const wac_claim *claim = &experiment->claims[k];
            if (*experiment->paper)
                claimed[claim->number] = true;
            /* learning is judged by the whole curve, not by its end */
            for (int j = 0; j < claim->count; j++)
                if (*experiment->paper && claim->number >= 7 && claim->number <= 11 &&
                    claim->parts[j].rule >= WAC_RULE_AHEAD_OF &&
                    claim->parts[j].rule <= WAC_RULE_LEVEL)
                    assert_true(claim->parts[j].measure == WAC_MEASURE_AREA_OF_EPISODES ||
                                claim->parts[j].measure == WAC_MEASURE_AREA_OF_RETURN ||
                                claim->parts[j].rule == WAC_RULE_FASTER);
        }
        wac_experiment_free(experiment);
        free(names[i]);
    }
    free(names);
    for (int i = 1; i <= 12; i++)
        assert_true(claimed[i]);
    memset(&error, 0, sizeof error);
    /* less than what */
    assert_ok(wac_experiment_read(&experiment, "riverswim", &error));
    assert_string_equal(wac_experiment_measure_of(experiment, WAC_SCALE_QUICK), "scale half");
    assert_null(wac_experiment_measure_of(experiment, WAC_SCALE_HALF));
    wac_experiment_free(experiment);
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
        TEST(test_refusals),
        TEST(test_scales),
        TEST(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
