/* Lists of runs where the system fails at any place: read from a file, begun, counted on,
 * estimated. By a clock that moves on with every look, so that an estimate takes no time. */
#include "support/failing_here.h"
#include "support/small_sweeps.h"
#include "support/stopping.h"

#include "sweep/estimate.h"
#include "sweep/folder.h"
#include "sweep/ladder.h"
#include "sweep/tune.h"

#define TINIEST                                                                                    \
    "epochs: 1, width: 4, batch_size: 4, initial_steps: 10, explore_steps: 10, updates: 5, "       \
    "evaluation_steps: 10, path_limit: 5, replay_capacity: 100"

static wac_sweep listed;

static void no_sweep(void)
{
    remove_folder(at("sweep"));
}

/* a list that libyaml forgets where it lacks memory for the one around it */
enum { LIBYAML = 144 };

static const char all_keys[] =
    "environments: [lqg, riverswim]\nalgorithms: [sac, oe-wac]\nseeds: [1, 5]\nsamples: 3\n"
    "seed: 4\nmeasure: eval_return\nlast: 2\nhalving: 3\n"
    "settings: {epochs: 9, width: [8, 16], discount: {from: 0.1, to: 0.9}}\n"
    "oe-wac: {lambda: {from: 0.01, to: 1, scale: log}}\n";

static wac_status read_file(wac_error *failure)
{
    wac_sweep sweep;
    wac_search search;
    WAC_TRY(wac_sweep_read(&sweep, &search, at("file.yaml"), failure));
    wac_ladder *ladder;
    wac_status status = wac_tune_check(&sweep, &search, failure);
    if (status == WAC_STATUS_OK)
        status = wac_ladder_create(&ladder, &sweep, &search, at("nowhere"), failure);
    if (status == WAC_STATUS_OK)
        wac_ladder_destroy(ladder);
    wac_sweep_free(&sweep);
    return status;
}

static wac_status take(wac_error *failure)
{
    int lock;
    wac_sweep_item *items;
    size_t count, begun;
    WAC_TRY(wac_sweep_take(&lock, &items, &listed, at("sweep"), (wac_sweep_share){0}, failure));
    free(items);
    close(lock);
    WAC_TRY(wac_sweep_inspect(&items, &listed, at("sweep"), failure));
    free(items);
    WAC_TRY(wac_sweep_count(&count, &begun, at("sweep"), failure));
    assert_int_equal(count, listed.count);
    assert_true(begun == 0 || order->at); /* what cannot be looked for may be there */
    wac_sweep more;
    WAC_TRY(wac_sweep_reseed(&more, &listed, 3, failure));
    assert_int_equal(more.count, 6);
    wac_sweep_free(&more);
    return WAC_STATUS_OK;
}

static wac_status estimate(wac_error *failure)
{
    static const wac_sweep_item items[2];
    double time;
    return wac_sweep_estimate(&time, &listed, items, 2, failure);
}

static void lists(void **state)
{
    (void)state;
    save_text(at("file.yaml"), all_keys);
    every_call_fails(&(library_call){"the file of a search", NULL, read_file, NULL, LIBYAML});
    listed = parse("environments: [lqg]\nalgorithms: [sac, oe-wac]\nsettings: {" TINIEST "}\n");
    every_call_fails(&(library_call){"a sweep begun", no_sweep, take, NULL, 0});
    every_call_fails(&(library_call){"an estimate", NULL, estimate, NULL, 0});
    wac_sweep_free(&listed);
}

int main(int argc, char **argv)
{
    (void)argc;
    start_under_orders(argv);
    const struct CMUnitTest tests[] = {
        TEST(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
