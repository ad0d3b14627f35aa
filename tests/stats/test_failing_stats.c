/* Sets of runs and what is computed of them, where the system fails at any place. */
#include "support/failing_here.h"
#include "support/fake_runs.h"

#include "base/archive.h"
#include "run/packed.h"
#include "stats/compare.h"
#include "stats/foreign.h"
#include "stats/runset.h"
#include "stats/tests.h"

/* --- sets -------------------------------------------------------------------------------------*/

/* Two algorithms in two worlds, some in folders, some in archives, found or given, some in
 * another's table. */
static void make_runs(void)
{
    static const char *const worlds[] = {"riverswim", "point-1"}, *const names[] = {"sac",
                                                                                    "oe-wac"};
    for (int i = 0; i < 16; i++)
        make_fake(at("runs/%d", i), &(fake){.environment = worlds[i % 2],
                                            .algorithm = names[i / 2 % 2],
                                            .seed = i / 4,
                                            .epochs = 2,
                                            .reached = 10 + i % 5,
                                            .coverage = 0.5,
                                            .episodes = 3,
                                            .solved = i % 3 - 1});
    make_fake(at("other"), &(fake){.environment = "lqg",
                                   .algorithm = "sac",
                                   .epochs = 1,
                                   .reached = 1,
                                   .coverage = 0.1,
                                   .episodes = 1,
                                   .solved = -2});
    make_fake(at("another"), &(fake){.environment = "lqg",
                                     .algorithm = "oac",
                                     .epochs = 1,
                                     .reached = 1,
                                     .coverage = 0.1,
                                     .episodes = 1,
                                     .solved = -2});
    assert_ok(wac_directory_make(at("packed"), &error));
    for (int i = 0; i < 2; i++) {
        wac_archive *archive;
        const char *path = i ? at("more.tar.xz") : at("packed/runs.tar.xz");
        assert_ok(wac_archive_begin(&archive, path, &error));
        wac_status status =
            wac_packed_add(archive, "one", i ? at("another") : at("other"), 0, &error);
        assert_ok(wac_archive_commit(archive, status, &error));
    }
    save_text(at("their.csv"), "run,algorithm,environment,seed,step,value\n"
                               "a,theirs,riverswim,1,0,-3\na,theirs,riverswim,1,2000,-2\n"
                               "b,theirs,riverswim,2,0,-4\nb,theirs,riverswim,2,2000,-1\n");
}

static wac_status load(wac_error *failure)
{
    wac_runset set;
    const char *const folders[] = {at("runs"), at("packed"), at("more.tar.xz"), at("their.csv")};
    WAC_TRY(wac_runset_load(&set, folders, 4, false, failure));
    /* an archive whose name is too long is passed over; one that cannot be looked at is not */
    assert_true(set.count == 20 || (order->at && order->kind == FAILING_JOIN));
    size_t *places;
    wac_status status = wac_groups_rank(&places, &set, failure);
    if (status == WAC_STATUS_OK)
        free(places);
    wac_runset_free(&set);
    return status;
}

/* What cannot be read becomes a problem of the set, run by run; lacking memory ends it all the
 * same. */
static wac_status load_and_go_on(wac_error *failure)
{
    wac_runset set;
    const char *const folders[] = {at("broken"), at("runs")};
    WAC_TRY(wac_runset_load(&set, folders, 2, true, failure));
    assert_true(set.problem_count > 0);
    assert_int_equal(set.count + set.problem_count, 18);
    for (size_t i = 0; i < set.problem_count; i++)
        assert_non_null(set.problems[i].message);
    wac_runset_free(&set);
    return WAC_STATUS_OK;
}

static void sets(void **state)
{
    (void)state;
    make_runs();
    every_call_fails(&(library_call){"a set of runs", NULL, load, NULL, 0});
    for (int i = 0; i < 2; i++)
        make_fake(i ? at("broken/run") : at("broken/sound"),
                  &(fake){.environment = "lqg", .algorithm = "sac", .epochs = 1, .solved = -2});
    save_text(at("broken/run/progress.csv"), "no,table\n");
    every_call_fails(&(library_call){"a set with a problem", NULL, load_and_go_on, NULL, 0});
}

static wac_runset loaded;

static wac_status compare(wac_error *failure)
{
    wac_comparison comparison;
    WAC_TRY(wac_compare(&comparison, &loaded, WAC_MEASURE_SCORE, (wac_bootstrap){1, 100}, failure));
    assert_int_equal(comparison.method_count, 2);
    assert_int_equal(comparison.pair_count, 1);
    wac_comparison_free(&comparison);
    return WAC_STATUS_OK;
}

static void comparisons(void **state)
{
    (void)state;
    make_runs();
    const char *const folders[] = {at("runs")};
    assert_ok(wac_runset_load(&loaded, folders, 1, false, &error));
    every_call_fails(&(library_call){"a comparison", NULL, compare, NULL, 0});
    wac_runset_free(&loaded);
}

/* --- tests on ranks ---------------------------------------------------------------------------*/

static const double some[] = {1, 2, 3, 4, 5, 6.5}, others[] = {2, 1, 4, 3, 6, 5};
static const wac_values a[] = {{some, 6}}, b[] = {{others, 6}};

static wac_status test_by(wac_two_sample_test *by, wac_error *failure)
{
    wac_test test;
    WAC_TRY(by(&test, a, b, 1, failure));
    assert_true(test.rising > 0 && test.rising <= 1);
    return WAC_STATUS_OK;
}

static wac_status by_rank(wac_error *failure)
{
    return test_by(wac_rank_test, failure);
}

static wac_status by_spread(wac_error *failure)
{
    return test_by(wac_spread_test, failure);
}

static wac_status by_trend(wac_error *failure)
{
    wac_test test;
    return wac_trend_test(&test, some, 2, 3, failure);
}

static wac_status by_correlation(wac_error *failure)
{
    double correlation;
    WAC_TRY(wac_spearman(&correlation, some, others, 6, failure));
    assert_true(correlation > 0.8 && correlation < 0.9);
    return WAC_STATUS_OK;
}

static void ranks(void **state)
{
    (void)state;
    every_call_fails(&(library_call){"a test on ranks", NULL, by_rank, NULL, 0});
    every_call_fails(&(library_call){"a test on spread", NULL, by_spread, NULL, 0});
    every_call_fails(&(library_call){"a test on trend", NULL, by_trend, NULL, 0});
    every_call_fails(&(library_call){"a correlation", NULL, by_correlation, NULL, 0});
}

int main(int argc, char **argv)
{
    (void)argc;
    start_under_orders(argv);
    const struct CMUnitTest tests[] = {
        TEST(sets),
        TEST(comparisons),
        TEST(ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
