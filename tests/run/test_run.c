/* Runs from their start to their end: what progress.csv says, the same bytes for the same seed,
 * what replay remembers, where it has been, when a run is done, what a world may do wrong, and how
 * much memory it takes. */
#include "rl/host/host.h"
#include "support/small_runs.h"

#include "base/csv.h"
#include "base/tensors.h"
#include "nn/cpu/mixed.h"
#include "run/check.h"
#include "run/run.h"
#include "run/train.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* the columns of progress.csv that are promised, in this order */
static const char *const columns[] = {
    "epoch",         "env_steps",        "updates",          "eval_return", "eval_success",
    "eval_episodes", "coverage_sampled", "coverage_visited", "alpha",       "q_mean",
    "sigma_visited", "sigma_uniform",    "seconds",
};
enum {
    EPOCH,
    STEPS,
    UPDATES,
    RETURN,
    SUCCESS,
    EPISODES,
    SAMPLED,
    VISITED,
    ALPHA,
    Q,
    SIGMA,
    UNIFORM,
    SECONDS,
    COLUMNS
};

static wac_csv progress_of(const char *run)
{
    wac_csv csv;
    assert_ok(wac_csv_read(&csv, at("%s/progress.csv", run), &error));
    assert_true(csv.columns >= COLUMNS);
    for (int i = 0; i < COLUMNS; i++)
        assert_string_equal(csv.names[i], columns[i]);
    return csv;
}

/* --- progress.csv --------------------------------------------------------------------------- */

static void rows_say_what_was_known(void **state)
{
    (void)state;
    const char *const environments[] = {"riverswim", "lqg", "walk"};
    for (int i = 0; i < 3 * ALGORITHMS; i++) {
        const char *environment = environments[i / ALGORITHMS], *name = algorithms[i % ALGORITHMS];
        bool goal = i / ALGORITHMS == 2, wac = i % ALGORITHMS < 2;
        wac_config config = tiny(environment, name, 4);
        assert_ok(train_new(at("run"), &config, NULL));
        wac_csv csv = progress_of("run");
        assert_int_equal(csv.rows, 5);
        for (size_t k = 0; k < csv.rows; k++) {
            const double *row = csv.cells + k * csv.columns;
            assert_true(row[EPOCH] == (double)k);
            assert_true(row[STEPS] == 30 + 40 * (double)k);
            assert_true(row[UPDATES] == 15 * (double)k);
            assert_true(isfinite(row[RETURN]));
            assert_int_equal(isnan(row[SUCCESS]), !goal);
            if (goal)
                assert_true(row[SUCCESS] >= 0 && row[SUCCESS] <= 1);
            else
                assert_true(row[EPISODES] == 2); /* of 25 steps, and 10 steps are dropped */
            assert_int_equal(isnan(row[SAMPLED]), k == 0);
            assert_true(row[VISITED] > 0 && row[VISITED] <= 1);
            bool entropic = config.algorithm != WAC_ALGORITHM_TOP;
            assert_true((row[ALPHA] > 0) == entropic && (k > 0 || row[ALPHA] == entropic));
            assert_int_equal(isnan(row[Q]), k == 0);
            assert_int_equal(isnan(row[SIGMA]), k == 0 || !wac);
            assert_int_equal(isnan(row[UNIFORM]), k == 0 || !wac);
            assert_true(row[SECONDS] >= 0);
        }
        wac_csv_free(&csv);
        remove_folder(at("run"));
    }
}

static void nothing_may_be_done(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oe-wac", 0);
    assert_ok(train_new(at("none"), &config, NULL));
    wac_csv csv = progress_of("none");
    assert_int_equal(csv.rows, 1);
    assert_true(wac_csv_at(&csv, 0, STEPS) == 30);
    wac_csv_free(&csv);

    /* epochs without exploration report no episodes, those without updates no losses */
    config.epochs = 2;
    config.explore_steps = config.updates = config.evaluation_steps = 0;
    assert_ok(train_new(at("idle"), &config, NULL));
    csv = progress_of("idle");
    assert_int_equal(csv.rows, 3);
    int episodes = wac_csv_column(&csv, "explore_episodes");
    for (size_t k = 0; k < 3; k++) {
        const double *row = csv.cells + k * csv.columns;
        assert_true(row[STEPS] == 30 && row[UPDATES] == 0 && row[EPISODES] == 0);
        assert_true(isnan(row[RETURN]) && isnan(row[Q]) && isnan(row[SAMPLED]));
        assert_true(row[episodes] == (k == 0)); /* 30 steps of 25 */
    }
    wac_csv_free(&csv);
}

static void returns_of_exploration(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "sac", 3);
    walk_order.stride = 0; /* only the noise moves: every episode is as long as it may be */
    walk_order.reward = 100;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_csv csv = progress_of("run");
    int episodes = wac_csv_column(&csv, "explore_episodes"),
        value = wac_csv_column(&csv, "explore_return"),
        success = wac_csv_column(&csv, "explore_success");
    assert_true(episodes > 0 && value > 0 && success > 0);
    for (size_t k = 0; k < csv.rows; k++) {
        assert_true(wac_csv_at(&csv, k, episodes) == 1); /* the rest is cut at the epoch's end */
        assert_true(wac_csv_at(&csv, k, success) == 0);
        assert_true(fabs(wac_csv_at(&csv, k, value)) < 100);
    }
    wac_csv_free(&csv);
}

/* What is on the disk at each row. */
static void note_checkpoint(void *user, const wac_progress *progress)
{
    if (!progress->is_row)
        return;
    wac_tensor_file *file;
    int64_t position[12];
    assert_ok(wac_tensor_file_open(&file, at("run/checkpoint/run.safetensors"), &error));
    assert_ok(wac_tensor_file_copy(file, "position", WAC_DTYPE_I64, 12, position, &error));
    wac_tensor_file_close(file);
    ((int64_t *)user)[progress->epoch] = position[0];
}

static void checkpoints_come_at_their_interval(void **state)
{
    (void)state;
    int64_t epochs[8];
    wac_config config = tiny("lqg", "sac", 7);
    wac_run_options options = wac_run_options_default();
    options.progress = note_checkpoint;
    options.user = epochs;
    static const int64_t expected[][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 0, 0, 3, 3, 3, 6, 7}};
    for (int i = 0; i < 2; i++) {
        config.checkpoint_interval = i ? 3 : 1;
        assert_ok(train_new(at("run"), &config, &options));
        assert_memory_equal(epochs, expected[i], sizeof epochs);
        remove_folder(at("run"));
    }
}

/* --- the same bytes ------------------------------------------------------------------------- */

static void same_seed_same_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * ALGORITHMS; i++) {
        wac_config config =
            tiny(i < ALGORITHMS ? "riverswim" : "lqg", algorithms[i % ALGORITHMS], 2);
        config.batch_size = 71; /* more than one piece of work */
        bool plain = config.network == WAC_NETWORK_PLAIN;
        if (i >= ALGORITHMS && plain && !wac_mixed_missing()) {
            config.precision = WAC_PRECISION_MIXED;
            config.width = 64;
        }
        for (int threads = 1; threads <= 3; threads += 2) {
            wac_run_options options = with_threads(threads);
            assert_ok(train_new(at("run%d", threads), &config, &options));
            assert_same_runs(at("run1"), at("run%d", threads));
        }
        config.seed = 2;
        assert_ok(train_new(at("other"), &config, NULL));
        size_t sizes[2];
        const char *const files[] = {"agent", "replay", "run"};
        for (int j = 0; j < 3; j++) {
            const char *one = at("run1/checkpoint/%s.safetensors", files[j]),
                       *two = at("other/checkpoint/%s.safetensors", files[j]);
            free(contents(one, &sizes[0]));
            free(contents(two, &sizes[1]));
            assert_int_equal(sizes[0], sizes[1]);
            assert_false(same_file(one, two, false));
        }
        assert_false(same_file(at("run1/progress.csv"), at("other/progress.csv"), true));
        const char *const folders[] = {"run1", "run3", "other"};
        for (int j = 0; j < 3; j++)
            remove_folder(at("%s", folders[j]));
    }
}

static void evaluation_disturbs_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("riverswim", algorithms[i], 3);
        assert_ok(train_new(at("some"), &config, NULL));
        config.evaluation_steps = 0;
        assert_ok(train_new(at("none"), &config, NULL));
        const char *const files[] = {"agent", "replay"};
        for (int j = 0; j < 2; j++)
            assert_true(same_file(at("some/checkpoint/%s.safetensors", files[j]),
                                  at("none/checkpoint/%s.safetensors", files[j]), false));
        remove_folder(at("some"));
        remove_folder(at("none"));
    }
}

/* --- visits --------------------------------------------------------------------------------- */

static const int64_t *array_of(const wac_tensor_file *file, const char *name, int64_t elements)
{
    const wac_tensor *tensor = wac_tensor_file_find(file, name);
    assert_non_null(tensor);
    assert_int_equal(wac_tensor_elements(tensor), elements);
    return tensor->data;
}

static int cell_of(double value, double low, double high, int cells)
{
    return (int)fmax(0, fmin(cells - 1, floor((value - low) / (high - low) * cells)));
}

/* Exploration is counted where the steps of the replay began, which is left out of the checkpoint;
 * the target policy over every step of the evaluations before the epochs. */
static void assert_visits(const wac_config *config, bool place, double low[2], double high[2])
{
    enum { MOST = 50 * 39 };
    int cells[2] = {place ? 50 : 20, place ? 39 : 20}, columns;
    int64_t expected[MOST] = {0}, steps = 0, size = cells[0] * cells[1];
    wac_config forgetful = *config;
    wac_tensor_file *run, *replay;
    forgetful.replay_checkpoint = WAC_REPLAY_CHECKPOINT_NONE;
    assert_ok(train_new(at("run"), config, NULL));
    assert_ok(train_new(at("forgetful"), &forgetful, NULL));
    assert_true(same_arrays(at("run/checkpoint/run.safetensors"),
                            at("forgetful/checkpoint/run.safetensors")));
    assert_ok(wac_tensor_file_open(&replay, at("run/checkpoint/replay.safetensors"), &error));
    const wac_tensor *records = wac_tensor_file_find(replay, "replay/records");
    columns = (int)records->shape[1];
    for (int64_t i = 0; i < records->shape[0]; i++) {
        float entries[2]; /* observation and action follow each other */
        memcpy(entries, (const float *)records->data + i * columns, sizeof entries);
        int x = cell_of((double)entries[0], low[0], high[0], cells[0]);
        int y = cell_of((double)entries[1], low[1], high[1], cells[1]);
        expected[x * cells[1] + y]++;
    }
    assert_ok(wac_tensor_file_open(&run, at("forgetful/checkpoint/run.safetensors"), &error));
    assert_memory_equal(array_of(run, "visits/explored", size), expected, size * 8);
    const int64_t *evaluated = array_of(run, "visits/evaluated", size);
    for (int64_t i = 0; i < size; i++)
        steps += evaluated[i];
    assert_int_equal(steps, config->epochs * config->evaluation_steps);
    wac_tensor_file_close(run);
    wac_tensor_file_close(replay);
    remove_folder(at("run"));
    remove_folder(at("forgetful"));
}

static void visits_are_counted(void **state)
{
    (void)state;
    double low[2] = {-1, -1}, high[2] = {1, 1};
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("riverswim", algorithms[i], 3);
        assert_visits(&config, false, low, high);
    }
#if WAC_MUJOCO
    wac_config maze = tiny("point-2-sparse", "oe-wac", 3);
    assert_visits(&maze, true, low, high);
    maze.normalisation = WAC_NORMALISATION_RUNNING;
    assert_visits(&maze, true, (double[]){0, -9.7}, (double[]){25, 9.7});
#endif
    wac_config config = tiny("walk", "sac", 3);
    walk_order.place = true;
    assert_int_equal(train_new(at("run"), &config, NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "environment walk says where it is", "two observations");
    walk_order.observations = 3;
    assert_visits(&config, true, low, high);
    /* without a place, and with more than one observation, there is nothing to count */
    walk_order.place = false;
    wac_tensor_file *file;
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_tensor_file_open(&file, at("run/checkpoint/run.safetensors"), &error));
    array_of(file, "visits/explored", 0);
    array_of(file, "visits/evaluated", 0);
    wac_tensor_file_close(file);
}

/* --- goals ---------------------------------------------------------------------------------- */

static void success_ends_a_run(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "sac", 200);
    config.learning_rate = 0.01;
    config.updates = 40;
    config.stop_success = 0.75;
    walk_order.reward = 20;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_csv csv = progress_of("run");
    assert_true(csv.rows > 1 && csv.rows < 200);
    for (size_t k = 0; k < csv.rows; k++)
        assert_int_equal(wac_csv_at(&csv, k, SUCCESS) >= 0.75, k + 1 == csv.rows);
    wac_csv_free(&csv);

    assert_ok(train_new(at("again"), &config, NULL));
    for (int i = 0; i < 2; i++) {
        assert_ok(train_on(at("again"), "walk", NULL, 0));
        assert_same_runs(at("run"), at("again"));
    }

    walk_order.goalless = true;
    assert_int_equal(train_new(at("goalless"), &config, NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "stop_success", "walk has none; leave it out");
    assert_false(wac_path_exists(at("goalless")));
}

static void replay_tells_ends_from_limits(void **state)
{
    (void)state;
    enum { OBSERVATION, ACTION, REWARD, NEXT, TERMINAL, RECORD };
    wac_config config = tiny("walk", "sac", 10);
    walk_order.stride = 0.6;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_tensor_file *file;
    assert_ok(wac_tensor_file_open(&file, at("run/checkpoint/replay.safetensors"), &error));
    const wac_tensor *records = wac_tensor_file_find(file, "replay/records");
    assert_non_null(records);
    assert_int_equal(records->shape[0], 430);
    assert_int_equal(records->shape[1], RECORD);
    int ends = 0, limits = 0, length = 0;
    for (int i = 0; i < 430; i++) {
        const float *record = (const float *)records->data + i * RECORD;
        bool epoch_ends = i == 29 || (i > 29 && (i - 29) % 40 == 0);
        length++;
        assert_true(record[TERMINAL] == (float)(record[NEXT] >= 1));
        assert_true(fabs((double)record[ACTION]) <= 1);
        assert_true(fabs((double)(record[NEXT] - record[OBSERVATION] - record[REWARD])) < 1e-6);
        bool limit = length == 25 && record[TERMINAL] == 0;
        ends += record[TERMINAL] == 1;
        limits += limit;
        if (record[TERMINAL] == 1 || limit || epoch_ends)
            length = 0; /* and the next observation is that of the step, not of a new start */
        else if (i < 429)
            assert_true(record[NEXT] == record[RECORD + OBSERVATION]);
    }
    assert_true(ends > 0 && limits > 0);
    wac_tensor_file_close(file);
}

/* --- worlds that fail ----------------------------------------------------------------------- */

/* A fault stops the run with these words; without it the run goes on from where it was saved. */
static void assert_recovers(const char *algorithm, wac_status status, const char *one,
                            const char *other)
{
    wac_config config = tiny("walk", algorithm, 3);
    struct walk_order order = walk_order;
    walk_order.fault_step = 0;
    assert_ok(train_new(at("whole"), &config, NULL));
    /* in the exploration of the second epoch: 30 + 60 + 40 + 60 steps are before it */
    walk_order = order;
    walk_order.step = 0;
    walk_order.fault_step = 200;
    wac_status result = train_new(at("run"), &config, NULL);
    if (result != status)
        fail_msg("status %d instead of %d: %s", result, status, error.message);
    assert_message(status, one, other);
    walk_order.fault_step = 0;
    assert_ok(train_on(at("run"), "walk", NULL, 0));
    assert_same_runs(at("whole"), at("run"));
    remove_folder(at("whole"));
    remove_folder(at("run"));
}

static void faults_of_the_world_stop_the_run(void **state)
{
    (void)state;
    walk_order.fails = WAC_STATUS_IO;
    walk_order.message = "the legs are broken";
    assert_recovers("oe-wac", WAC_STATUS_IO, "environment walk: step 10 of an episode",
                    "the legs are broken");
    walk_order.message = NULL;
    assert_recovers("sac", WAC_STATUS_IO, "environment walk", "does not say why");
    /* a world has no say in when a run is saved */
    walk_order.fails = WAC_STATUS_INTERRUPTED;
    assert_recovers("sac", WAC_STATUS_INPUT, "environment walk", "does not say why");
    walk_order.fails = WAC_STATUS_OK;
    walk_order.observation = NAN;
    assert_recovers("me-wac", WAC_STATUS_NUMERIC, "environment walk", "observation 0 is nan");
    walk_order.observation = 0;
    walk_order.bad_reward = NAN;
    assert_recovers("sac", WAC_STATUS_NUMERIC, "environment walk", "the reward is nan");
    walk_order.bad_reward = -INFINITY;
    assert_recovers("oac", WAC_STATUS_NUMERIC, "environment walk", "the reward is -inf");
}

static void losses_beyond_numbers_stop_the_run(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        /* beyond the networks' numbers at once: never remembered */
        walk_order.bad_reward = 1e300;
        assert_recovers(algorithms[i], WAC_STATUS_NUMERIC, "the reward is 1e+300",
                        "mend the environment");
        /* or only when squared, which the losses, in double, do not show; TOP's only add up */
        walk_order.bad_reward = i % 2 ? 1e38 : -1e25;
        if (strcmp(algorithms[i], "top") == 0)
            walk_order.bad_reward = 3e38;
        assert_recovers(algorithms[i], WAC_STATUS_NUMERIC, "became",
                        "try a smaller learning_rate or check the rewards");
    }
}

static void ruined_networks_are_not_saved(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "sac", 2);
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    volatile int stop = 0;
    options.stop = &stop;
    assert_ok(train_new(at("whole"), &config, NULL));
    walk_order.step = 0;
    walk_order.fault_step = 140;
    walk_order.stop = &stop;
    assert_ok(wac_run_create(&run, &config, &walk, at("run"), &options, &error));
    assert_int_equal(wac_run_train(run, &error), WAC_STATUS_INTERRUPTED);
    walk_order.fault_step = stop = 0;
    wac_host_desk(run->agent, 0)->critics.params[3] = INFINITY;
    stop = 1;
    assert_int_equal(wac_run_train(run, &error), WAC_STATUS_NUMERIC);
    assert_message(WAC_STATUS_NUMERIC, "q1/hidden0/weight became inf", "interrupted");
    wac_run_destroy(run);
    assert_ok(train_on(at("run"), "walk", NULL, 0));
    assert_same_runs(at("whole"), at("run"));
}

/* Where nothing is known of rewards, some are looked for first; a world that fails then is told. */
static wac_status begin_unknown(void)
{
    wac_run *run;
    wac_config config = tiny("gym:walk", "oe-wac", 1);
    wac_status status = wac_run_create(&run, &config, &walk, at("run"), NULL, &error);
    if (status == WAC_STATUS_OK)
        wac_run_destroy(run);
    assert_false(wac_path_exists(at("run")));
    return status;
}

static void worlds_that_fail_before_the_start(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        walk_order.step = 0;
        walk_order.fault_step = late ? 40 : 1;
        walk_order.fails = WAC_STATUS_IO;
        walk_order.message = "the way is blocked";
        assert_int_equal(begin_unknown(), WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, "environment walk", "the way is blocked");
    }
    walk_order.fault_step = 0;
    walk_order.no_reset = true;
    assert_int_equal(begin_unknown(), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "environment walk", "the start is blocked");
    walk_order.no_reset = false;
    /* one that does not fail: what it pays is told, to choose a range by */
    assert_int_equal(begin_unknown(), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "oe-wac", "reward");
}

/* Every evaluation has chances of its own, also where nothing was learnt in between. */
static void evaluations_draw_anew(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    config.updates = 0;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_history history;
    assert_ok(wac_history_read(&history, at("run"), &error));
    const double *returns = history.columns[WAC_COLUMN_EVAL_RETURN];
    assert_true(history.rows == 3 && returns[0] != returns[1] && returns[1] != returns[2]);
    wac_history_free(&history);
}

/* The uncertainty that synthetic samples are held to is that before the updates of the epoch. */
static void anchors_follow_epoch_by_epoch(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oe-wac", 3);
    wac_run *runs[4];
    for (int epochs = 0; epochs < 4; epochs++) {
        config.epochs = epochs;
        assert_ok(wac_run_create(&runs[epochs], &config, NULL, at("run%d", epochs), NULL, &error));
        assert_ok(wac_run_train(runs[epochs], &error));
    }
    for (int epochs = 1; epochs < 4; epochs++) {
        const wac_desk *before = wac_host_desk(runs[epochs - 1]->agent, 0);
        const wac_desk *after = wac_host_desk(runs[epochs]->agent, 0);
        size_t size = wac_stack_size(&after->anchors) * sizeof(real);
        const real *stds = wac_stack_slice(&before->critics, 2, 2).params;
        assert_memory_equal(after->anchors.params, stds, size);
        assert_memory_not_equal(after->anchors.params,
                                wac_stack_slice(&after->critics, 2, 2).params, size);
    }
    for (int epochs = 0; epochs < 4; epochs++)
        wac_run_destroy(runs[epochs]);
}

/* Every part of a run takes time, and is told apart; fewer threads than one are one. */
static void phases_take_time(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = with_threads(0);
    wac_run *run;
    assert_ok(wac_run_create(&run, &config, NULL, at("run"), &options, &error));
    assert_int_equal(run->options.threads, 1);
    assert_ok(wac_run_train(run, &error));
    for (int phase = 0; phase < WAC_PHASES; phase++)
        assert_true(run->spent[phase] > 0);
    wac_run_destroy(run);
}

/* What lies between two parts of a run, as in company, counts for none. */
static void waiting_is_no_phase(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    wac_run *run;
    assert_ok(wac_run_create(&run, &config, NULL, at("run"), NULL, &error));
    wac_train_begin(run);
    run->phase_start -= 1000;
    assert_ok(wac_train_explore(run, false, &error));
    for (int phase = 0; phase < WAC_PHASES; phase++)
        assert_true(run->spent[phase] >= 0 && run->spent[phase] < 900);
    wac_run_destroy(run);
}

/* A table that ends in the middle of a line, though the checkpoint counts that row, or that never
 * began one. */
static void tables_end_with_a_line(void **state)
{
    (void)state;
    wac_checkup checkup;
    wac_config config = tiny("lqg", "sac", 3);
    config.checkpoint_interval = 1;
    assert_ok(train_new(at("run"), &config, NULL));
    char *text = contents(at("run/progress.csv"), NULL);
    for (int line = 0; line < 3; line++) {
        char *end = text + strlen(text);
        end[-1] = 0; /* without what ends the line */
        *(strrchr(text, ',')) = 0;
        save_text(at("run/progress.csv"), text);
        assert_int_equal(wac_run_check(&checkup, at("run"), &error), WAC_STATUS_INPUT);
        if (line > 0)
            assert_message(WAC_STATUS_INPUT, at("run/progress.csv"), "is cut off");
        *(strrchr(text, '\n') + 1) = 0;
    }
    free(text);
    static const char *const begun[] = {"", "epoch"};
    for (int i = 0; i < 2; i++) {
        save_text(at("run/progress.csv"), begun[i]);
        assert_int_equal(wac_run_check(&checkup, at("run"), &error), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, at("run/progress.csv"), "");
    }
}

/* Who has it open for training is known to everybody else, and only then. */
static void a_run_in_use_is_known(void **state)
{
    (void)state;
    wac_run *run, *other;
    wac_checkup checkup;
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(wac_run_create(&run, &config, NULL, at("run"), NULL, &error));
    assert_true(wac_run_is_in_use(at("run")));
    assert_ok(wac_run_check(&checkup, at("run"), &error));
    assert_true(checkup.trains && checkup.state == WAC_RUN_STATE_NEW);
    assert_int_equal(wac_run_open(&other, at("run"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "no checkpoint yet", "another process is training it");
    assert_int_equal(wac_run_resume(&other, at("run"), NULL, NULL, 0, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "being trained by another process", "");
    wac_run_destroy(run);
    assert_false(wac_run_is_in_use(at("run")));
    assert_false(wac_run_is_in_use(at("nowhere")));
    assert_ok(wac_run_check(&checkup, at("run"), &error));
    assert_false(checkup.trains);
    assert_int_equal(wac_run_open(&other, at("run"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "no checkpoint yet", "wac train --resume");
}

static void worlds_that_do_not_start(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "sac", 1);
    walk_order.no_reset = true;
    assert_int_equal(train_new(at("run"), &config, NULL), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "environment walk: the start of an episode", "is blocked");
    walk_order.no_reset = false;
    assert_ok(train_on(at("run"), "walk", NULL, 0));
    walk_order.no_load = true;
    assert_int_equal(train_on(at("run"), "walk", NULL, 0), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "environment walk: the state of a checkpoint", "not say why");
    walk_order.observations = 600;
    assert_int_equal(train_new(at("large"), &config, NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "environment walk declares 600 observations", "from 1 to 512");
    walk_order.observations = walk_order.actions = 0;
    assert_false(wac_path_exists(at("large")));
    assert_int_equal(entries(root), 1);
}

/* --- folders -------------------------------------------------------------------------------- */

/* Locks of a file system that has none. */
static bool without_locks;

int flock(int file, int operation)
{
    errno = ENOLCK;
    return without_locks ? -1 : (int)syscall(SYS_flock, file, operation);
}

static void a_run_without_a_lock_is_refused(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    without_locks = true;
    wac_status status = train_on(at("run"), "lqg", NULL, 2);
    without_locks = false;
    assert_int_equal(status, WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot lock the run", "a file system that has locks");
    assert_ok(train_on(at("run"), "lqg", NULL, 2));
}

/* In a container every process may have the same number: one that was killed while it made a run
 * must not be in the way of the next. */
static void a_half_made_run_is_not_in_the_way(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    assert_ok(wac_directory_make(at("run.%ld-0.tmp", (long)getpid()), &error));
    assert_ok(wac_directory_make(at("run.%ld-1.tmp", (long)getpid()), &error));
    assert_ok(train_new(at("run"), &config, NULL));
}

static void no_folder_is_touched_but_its_own(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    const char *const neighbours[] = {"run.old", "run.new", "run.tmp"};
    for (int i = 0; i < 3; i++) {
        assert_ok(wac_directory_make(at("%s", neighbours[i]), &error));
        save_text(at("%s/notes", neighbours[i]), "keep me");
    }
    assert_ok(train_new(at("run"), &config, NULL));
    assert_int_equal(train_new(at("run.old"), &config, NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "exists already", "resume");
    assert_int_equal(train_new(at("run/progress.csv"), &config, NULL), WAC_STATUS_INPUT);
    assert_ok(train_on(at("run"), "lqg", NULL, 2));
    for (int i = 0; i < 3; i++) {
        char *text = contents(at("%s/notes", neighbours[i]), NULL);
        assert_string_equal(text, "keep me");
        free(text);
    }
    assert_int_equal(entries(root), 4);

    /* somebody was faster */
    assert_ok(wac_directory_make(at("late"), &error));
    save_text(at("late/notes"), "late");
    assert_int_equal(wac_directory_place(at("run"), at("late"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("run"), "exists already");
    assert_true(wac_path_exists(at("run/checkpoint")) && wac_path_exists(at("late/notes")));
    assert_int_equal(wac_directory_place(at("run/progress.csv"), at("late"), &error),
                     WAC_STATUS_INPUT);
    assert_ok(wac_directory_place(at("new"), at("late"), &error));
    assert_true(wac_path_exists(at("new/notes")) && !wac_path_exists(at("late")));
    assert_int_equal(wac_directory_place(at("newer"), at("late"), &error), WAC_STATUS_IO);
}

/* --- memory --------------------------------------------------------------------------------- */

#ifndef WAC_SANITIZED
/* O 4, A 2, widths 256, a million transitions; exits with what went wrong */
static void use_memory(void)
{
    enum { TRANSITIONS = 1000000, LIMIT = 200 * 1024 /* KiB */ };
    wac_run *run;
    wac_config config;
    wac_run_options options = with_threads(2);
    walk_order.observations = 4;
    walk_order.actions = 2;
    if (wac_config_init(&config, "walk", "oe-wac", &error) != WAC_STATUS_OK)
        _exit(1);
    config.epochs = 1;
    config.updates = 20;
    assert_int_equal(config.width, 256);
    assert_int_equal(config.replay_capacity, TRANSITIONS);
    if (wac_run_create(&run, &config, &walk, at("run"), &options, &error) != WAC_STATUS_OK)
        _exit(2);
    for (int i = 0; i < TRANSITIONS; i++) {
        float x = (float)(i % 1000) / 1000;
        wac_agent_remember(wac_run_agent(run), (float[]){x, x, -x, 0}, (float[]){x, -x}, 0.1,
                           (float[]){-x, x, x, 0}, false);
    }
    if (wac_run_train(run, &error) != WAC_STATUS_OK)
        _exit(3);
    wac_run_destroy(run);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (usage.ru_maxrss > LIMIT)
        _exit(4);
    /* reading it back must fit too */
    if (train_on(at("run"), "walk", &options, 0) != WAC_STATUS_OK)
        _exit(5);
    getrusage(RUSAGE_SELF, &usage);
    printf("peak memory: %.0f MiB\n", (double)usage.ru_maxrss / 1024);
    fflush(stdout);
    _exit(usage.ru_maxrss > LIMIT ? 6 : 0);
}
#endif

static void memory_stays_small(void **state)
{
    (void)state;
#ifdef WAC_SANITIZED
    skip();
#else
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        use_memory();
    assert_int_equal(status_of(child), 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_say_what_was_known),
        TEST(nothing_may_be_done),
        TEST(returns_of_exploration),
        TEST(checkpoints_come_at_their_interval),
        TEST(same_seed_same_bytes),
        TEST(evaluation_disturbs_nothing),
        TEST(anchors_follow_epoch_by_epoch),
        TEST(phases_take_time),
        TEST(waiting_is_no_phase),
        TEST(tables_end_with_a_line),
        TEST(visits_are_counted),
        TEST(success_ends_a_run),
        TEST(replay_tells_ends_from_limits),
        TEST(faults_of_the_world_stop_the_run),
        TEST(losses_beyond_numbers_stop_the_run),
        TEST(ruined_networks_are_not_saved),
        TEST(worlds_that_do_not_start),
        TEST(worlds_that_fail_before_the_start),
        TEST(a_run_in_use_is_known),
        TEST(evaluations_draw_anew),
        TEST(no_folder_is_touched_but_its_own),
        TEST(a_run_without_a_lock_is_refused),
        TEST(a_half_made_run_is_not_in_the_way),
        TEST(memory_stays_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
