/* Sweeps and searches where the system fails at any place: executed, judged. */
#include "support/failing_here.h"
#include "support/small_sweeps.h"

#include "rl/cuda/steps.h"
#include "sweep/folder.h"
#include "sweep/ladder.h"
#include "sweep/tune.h"
#include "sweep/worker.h"

#define TINIEST                                                                                    \
    "epochs: 1, width: 4, batch_size: 4, initial_steps: 10, explore_steps: 10, updates: 5, "       \
    "evaluation_steps: 10, path_limit: 5, replay_capacity: 100"

static wac_sweep listed;

static void no_sweep(void)
{
    remove_folder(at("sweep"));
}

/* --- executing --------------------------------------------------------------------------------*/

/* A run that fails is told, and the next call goes on to the same bytes. */
static wac_status execute_by(const wac_sweep_options *options, wac_error *failure)
{
    wac_sweep_outcome outcome;
    wac_status status = wac_sweep_execute(&listed, at("sweep"), options, &outcome, failure);
    if (status == WAC_STATUS_OK)
        assert_int_equal(outcome.done + outcome.failed, listed.count);
    return status;
}

static wac_status execute(wac_error *failure)
{
    return execute_by(&(wac_sweep_options){.workers = 1}, failure);
}

static wac_status in_lockstep(wac_error *failure)
{
    return execute_by(&(wac_sweep_options){.lockstep = true, .workers = 1}, failure);
}

static void executions(void **state)
{
    (void)state;
    listed = parse("environments: [lqg]\nalgorithms: [sac]\nsettings: {" TINIEST "}\n");
    every_call_fails(&(library_call){"a sweep executed", no_sweep, execute, NULL, 0});
    every_call_fails(&(library_call){"a sweep in lockstep", no_sweep, in_lockstep, NULL, 0});
    wac_sweep_free(&listed);
}

/* A GPU that is there is found, or it is said why not. */
static wac_status probe(wac_error *failure)
{
    return wac_sweep_worker_probe(WAC_DEVICE_CUDA, failure);
}

static void devices(void **state)
{
    (void)state;
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    int count;
    assert_ok(wac_gpu_count(&count, &error)); /* which loads it: that is the system's matter */
    every_call_fails(&(library_call){"a device tried", NULL, probe, NULL, 0});
    unsetenv("WAC_CUDA_PLUGIN");
}

/* --- searching --------------------------------------------------------------------------------*/

static wac_search search;

static wac_status judge_search(wac_error *failure)
{
    wac_ladder *ladder;
    wac_tuned tuned[2];
    wac_sweep_item *items;
    WAC_TRY(wac_sweep_inspect(&items, &listed, at("sweep"), failure));
    wac_status status = wac_ladder_create(&ladder, &listed, &search, at("sweep"), failure);
    if (status == WAC_STATUS_OK) {
        wac_ladder_begin(ladder, items);
        wac_ladder_rank(tuned, ladder, 0);
        status = wac_tune_write(ladder, at("sweep"), failure);
        wac_ladder_destroy(ladder);
    }
    free(items);
    return status;
}

static void searches(void **state)
{
    (void)state;
    static const char text[] = "environments: [lqg]\nalgorithms: [sac]\nlast: 1\n"
                               "settings: {" TINIEST ", discount: [0.5, 0.9]}\n";
    assert_ok(wac_sweep_parse(&listed, &search, text, strlen(text), "file", &error));
    assert_ok(execute(&error));
    every_call_fails(&(library_call){"a search", NULL, judge_search, NULL, 0});
    wac_sweep_free(&listed);
}

int main(int argc, char **argv)
{
    (void)argc;
    start_under_orders(argv);
    const struct CMUnitTest tests[] = {
        TEST(devices),
        TEST(executions),
        TEST(searches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
