/* Runs where the system fails at any place: trained anew, gone on with, begun with another's agent,
 * used, checked, packed. */
#include "support/failing_here.h"
#include "support/small_runs.h"

#include "base/archive.h"
#include "base/temporary.h"
#include "run/check.h"
#include "run/maps.h"
#include "run/packed.h"

static wac_config config;

/* Smaller than small: there are a thousand of them. */
static wac_config tiniest(int64_t epochs)
{
    wac_config made = tiny("riverswim", "me-wac", epochs);
    made.width = made.batch_size = 4;
    made.initial_steps = made.explore_steps = made.evaluation_steps = 10;
    made.path_limit = made.updates = 5;
    made.replay_capacity = 100;
    return made;
}

/* A copy of a run with all there may be in it. */
static void copy_run(const char *from, const char *to)
{
    remove_folder(to);
    assert_ok(wac_directory_make(at("%s/checkpoint", strrchr(to, '/') + 1), &error));
    for (int file = 0; file < WAC_FOLDER_TOTAL; file++) {
        char path[2][PATH_MAX];
        char folder[2][PATH_MAX];
        bool deep = file >= WAC_FOLDER_AGENT;
        for (int i = 0; i < 2; i++) {
            assert_ok(wac_path_join(folder[i], PATH_MAX, i ? to : from, deep ? "checkpoint" : ".",
                                    &error));
            assert_ok(wac_folder_path(path[i], folder[i], (wac_folder_file)file, &error));
        }
        if (wac_path_exists(path[0]) && !wac_path_is_folder(path[0])) {
            size_t size;
            char *bytes = contents(path[0], &size);
            FILE *out = fopen(path[1], "w");
            assert_true(out && fwrite(bytes, 1, size, out) == size && fclose(out) == 0);
            free(bytes);
        }
    }
}

static wac_run_options all_files(void)
{
    wac_run_options options = with_threads(1);
    options.maps = options.tensorboard = true;
    return options;
}

static wac_status train(wac_run *run, wac_error *failure)
{
    wac_status status = wac_run_train(run, failure);
    wac_run_destroy(run);
    return status;
}

/* --- training ---------------------------------------------------------------------------------*/

static void no_run(void)
{
    remove_folder(at("run"));
}

static wac_status train_anew(wac_error *failure)
{
    wac_run *run;
    wac_run_options options = all_files();
    WAC_TRY(wac_run_create(&run, &config, NULL, at("run"), &options, failure));
    return train(run, failure);
}

static void is_the_same(void)
{
    static const char *const files[] = {"config.yaml", "checkpoint/agent.safetensors",
                                        "checkpoint/best.safetensors", "maps.bin"};
    for (size_t i = 0; i < 4; i++)
        if (!same_file(at("whole/%s", files[i]), at("run/%s", files[i]), false))
            fail_msg("%s is another", files[i]);
}

static void new_runs(void **state)
{
    (void)state;
    config = tiniest(1);
    wac_run_options options = all_files();
    assert_ok(train_new(at("whole"), &config, &options));
    every_call_fails(&(library_call){"a new run", no_run, train_anew, is_the_same, 0});
}

static void begun_run(void)
{
    copy_run(at("begun"), at("run"));
}

static wac_status train_further(wac_error *failure)
{
    wac_run *run;
    wac_run_options options = with_threads(1);
    WAC_TRY(wac_run_resume(&run, at("run"), NULL, &options, 2, failure));
    return train(run, failure);
}

/* What failed can be gone on with: in the end it is as if nothing had been. Memory changes no file
 * by itself, and is left to tests that take longer. */
static wac_status fail_and_go_on(wac_error *failure)
{
    wac_status status = train_further(failure);
    if (order->kind == FAILING_MEMORY)
        return status;
    long place = order->at;
    order->at = 0;
    wac_error second = {0};
    if (status != WAC_STATUS_OK && train_further(&second) != WAC_STATUS_OK)
        fail_msg("after \"%s\" it does not go on: %s", failure->message, second.message);
    is_the_same();
    order->at = place;
    return status;
}

static void resumed_runs(void **state)
{
    (void)state;
    config = tiniest(2);
    wac_run_options options = all_files();
    assert_ok(train_new(at("whole"), &config, &options));
    config.epochs = 1;
    assert_ok(train_new(at("begun"), &config, &options));
    every_call_fails(
        &(library_call){"a run gone on with", begun_run, fail_and_go_on, is_the_same, 0});
}

static wac_status begin_with_another(wac_error *failure)
{
    wac_run *run;
    wac_run_options options = with_threads(1);
    options.from = at("whole");
    options.best = true;
    WAC_TRY(wac_run_create(&run, &config, NULL, at("run"), &options, failure));
    wac_run_destroy(run);
    return WAC_STATUS_OK;
}

static void inherited_runs(void **state)
{
    (void)state;
    config = tiniest(1);
    assert_ok(train_new(at("whole"), &config, NULL));
    every_call_fails(&(library_call){"a run that inherits", no_run, begin_with_another, NULL, 0});
}

/* --- using ------------------------------------------------------------------------------------*/

static double worth;

static wac_status use(wac_error *failure)
{
    wac_run *run;
    wac_evaluation evaluation;
    double observation = 12, action, mean, std;
    wac_run_options options = with_threads(1);
    WAC_TRY(wac_run_open(&run, at("whole"), NULL, &options, failure));
    wac_run_act(run, WAC_POLICY_TARGET, &observation, &action);
    wac_run_value(run, &observation, &action, &mean, &std);
    wac_status status = wac_run_evaluate(&evaluation, run, WAC_POLICY_TARGET, false, 2, 1, failure);
    wac_run_destroy(run);
    if (status == WAC_STATUS_OK && worth != 0)
        assert_true(worth == mean);
    worth = mean;
    return status;
}

static wac_status look(wac_error *failure)
{
    wac_checkup checkup;
    wac_atlas atlas;
    static wac_map map;
    wac_history history;
    WAC_TRY(wac_run_check(&checkup, at("whole"), failure));
    assert_int_equal(checkup.state, WAC_RUN_STATE_FINISHED);
    WAC_TRY(wac_atlas_open(&atlas, at("whole"), failure));
    wac_status status = wac_atlas_read(&map, &atlas, 1, failure);
    wac_atlas_close(&atlas);
    WAC_TRY(status);
    WAC_TRY(wac_history_read(&history, at("whole"), failure));
    assert_int_equal(history.rows, 2);
    wac_history_free(&history);
    return WAC_STATUS_OK;
}

static wac_status pack(wac_error *failure)
{
    wac_archive *archive;
    WAC_TRY(wac_archive_begin(&archive, at("runs.tar.xz"), failure));
    wac_status status = wac_packed_add(archive, "one", at("whole"),
                                       WAC_PACKED_NETWORKS | WAC_PACKED_CELLS, failure);
    return wac_archive_commit(archive, status, failure);
}

static wac_status unpack(wac_error *failure)
{
    wac_temporary folder;
    WAC_TRY(wac_packed_open(&folder, at("runs.tar.xz"), failure));
    wac_temporary_remove(&folder);
    return WAC_STATUS_OK;
}

static void used_runs(void **state)
{
    (void)state;
    config = tiniest(1);
    wac_run_options options = all_files();
    assert_ok(train_new(at("whole"), &config, &options));
    every_call_fails(&(library_call){"a run in use", NULL, use, NULL, 0});
    every_call_fails(&(library_call){"a run looked at", NULL, look, NULL, 0});
    every_call_fails(&(library_call){"a run packed", NULL, pack, NULL, 0});
    every_call_fails(&(library_call){"a run unpacked", NULL, unpack, NULL, 0});
}

/* --- agents -----------------------------------------------------------------------------------*/

static wac_agent *small_agent;

static wac_status save_agent(wac_error *failure)
{
    return wac_agent_save(small_agent, root, failure);
}

static wac_status load_agent(wac_error *failure)
{
    return wac_agent_load(small_agent, root, failure);
}

static void saved_agents(void **state)
{
    (void)state;
    config = tiniest(1);
    assert_ok(wac_agent_create(&small_agent, &config, 1, 1, 1, -1, &error));
    every_call_fails(&(library_call){"an agent saved", NULL, save_agent, NULL, 0});
    every_call_fails(&(library_call){"an agent loaded", NULL, load_agent, NULL, 0});
    wac_agent_destroy(small_agent);
}

int main(int argc, char **argv)
{
    (void)argc;
    start_under_orders(argv);
    const struct CMUnitTest tests[] = {
        TEST(new_runs),  TEST(resumed_runs), TEST(inherited_runs),
        TEST(used_runs), TEST(saved_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
