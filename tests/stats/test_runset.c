/* Sets of runs: found, read, grouped, measured; and what `wac stats` says about them. */
#include "base/json.h"
#include "config/config.h"
#include "run/visits.h"
#include "stats/compare.h"
#include "support/program.h"

#define HEADER                                                                                     \
    "epoch,env_steps,updates,eval_return,eval_success,eval_episodes,coverage_sampled,"             \
    "coverage_visited,alpha,q_mean,sigma_visited,sigma_uniform,seconds,explore_episodes,"          \
    "explore_return,explore_success\n"

static wac_runset set;

static void save_config(const char *folder, const wac_config *config)
{
    char path[PATH_MAX], *text;
    if (!wac_path_exists(folder))
        assert_ok(wac_directory_make(folder, &error));
    assert_ok(wac_path_join(path, sizeof path, folder, "config.yaml", &error));
    assert_ok(wac_config_yaml(&text, config, &error));
    save_text(path, text);
    free(text);
}

static void save_progress(const char *folder, const char *text)
{
    char path[PATH_MAX];
    assert_ok(wac_path_join(path, sizeof path, folder, "progress.csv", &error));
    save_text(path, text);
}

/* A run whose every evaluation has this return and success (NaN: none), with `rows` rows. */
static void make_run(const char *folder, const wac_config *config, int rows, double reached,
                     double success)
{
    char text[65536];
    size_t used = (size_t)snprintf(text, sizeof text, HEADER);
    for (int i = 0; i < rows; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%d,%d,%d,%.9g,", i, i, i, reached);
        if (!isnan(success))
            used += (size_t)snprintf(text + used, sizeof text - used, "%.9g", success);
        used += (size_t)snprintf(text + used, sizeof text - used, ",10,0.5,0.25,1,,,,0.1,3,,\n");
    }
    save_config(folder, config);
    save_progress(folder, text);
}

static wac_config settings(const char *environment, const char *algorithm, int64_t seed)
{
    wac_config config;
    assert_ok(wac_config_init(&config, environment, algorithm, &error));
    config.seed = seed;
    config.epochs = 3;
    return config;
}

static wac_status load(const char *folder, bool go_on)
{
    memset(&error, 0, sizeof error);
    return wac_runset_load(&set, &folder, 1, go_on, &error);
}

/* --- reading ------------------------------------------------------------------------------- */

/* Runs that a program made, found at any depth, in order, with what they wrote. */
static void test_real_runs(void **state)
{
    (void)state;
    wac_config config = tiny("riverswim", "sac", 2);
    assert_ok(train_new(at("b/deep/er/run"), &config, NULL));
    config.seed = 2;
    assert_ok(train_new(at("a"), &config, NULL));
    /* not runs: a hidden folder, one being made, a file, a link back up */
    make_run(at(".hidden"), &config, 4, 1, NAN);
    make_run(at("c.12.tmp"), &config, 4, 1, NAN);
    save_text(at("notes"), "config.yaml");
    assert_int_equal(symlink(root, at("b/loop")), 0);
    assert_ok(load(root, false));
    assert_int_equal(set.count, 2);
    assert_string_equal(set.runs[0].path, at("a"));
    assert_string_equal(set.runs[1].path, at("b/deep/er/run"));
    for (int i = 0; i < 2; i++) {
        const wac_record *run = &set.runs[i];
        assert_true(run->finished);
        assert_int_equal(run->history.rows, 3);
        assert_int_equal(run->config.seed, 2 - i);
        assert_int_equal(run->config.width, 16);
        assert_true(run->history.columns[WAC_COLUMN_ENV_STEPS][2] == 30 + 2 * 40);
        assert_true(run->history.columns[WAC_COLUMN_UPDATES][2] == 2 * 15);
        assert_true(isnan(run->history.columns[WAC_COLUMN_Q_MEAN][0]));
        assert_true(isfinite(run->history.columns[WAC_COLUMN_EVAL_RETURN][1]));
    }
    /* one group, seeds ascending */
    assert_int_equal(set.group_count, 1);
    assert_int_equal(set.groups[0].count, 2);
    assert_int_equal(set.groups[0].finished, 2);
    assert_ptr_equal(set.groups[0].runs[0], &set.runs[1]);
    wac_runset_free(&set);
}

static void test_finished(void **state)
{
    (void)state;
    wac_config config = settings("point-1", "sac", 1);
    const struct {
        int rows;
        double success, stop;
        bool finished;
    } cases[] = {{0, 0, 0, false},  {3, 1, 0, false},     {4, 0, 0, true},     {5, 0, 0, true},
                 {2, 1, 0.9, true}, {2, 0.5, 0.9, false}, {2, NAN, 0.9, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        config.stop_success = cases[i].stop;
        make_run(at("run"), &config, cases[i].rows, -5, cases[i].success);
        assert_ok(load(at("run"), false));
        assert_int_equal(set.runs[0].history.rows, cases[i].rows);
        assert_int_equal(set.runs[0].finished, cases[i].finished);
        wac_runset_free(&set);
    }
}

/* Rows that were changed after the end are not counted; what has no note of them is. */
static void test_changed(void **state)
{
    (void)state;
    wac_config config = tiny("riverswim", "sac", 2);
    assert_ok(train_new(at("run"), &config, NULL));
    char *text;
    size_t size;
    assert_ok(wac_file_read(&text, &size, at("run/progress.csv"), 1 << 20, &error));
    char *cell = strrchr(text, '\n');
    do
        cell--;
    while (*cell != '\n');
    cell = strchr(strchr(strchr(cell, ',') + 1, ',') + 1, ',') + 1; /* the last return */
    *cell = *cell == '1' ? '2' : '1';
    save_text(at("run/progress.csv"), text);
    free(text);
    assert_int_equal(load(at("run"), false), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "run/progress.csv has other numbers than the run wrote",
                   "train it again: wac train --config");
    assert_int_equal(unlink(at("run/manifest.json")), 0);
    assert_ok(load(at("run"), false));
    wac_runset_free(&set);
}

/* Each damage is a sentence that names the file; the other run is read all the same. */
static void test_damage(void **state)
{
    (void)state;
    const struct {
        const char *text, *says;
    } cases[] = {
        {"", "is empty"},
        {"epoch,steps\n0,1\n", "column 2 is steps where this version has env_steps"},
        {"epoch\n0\n", "column 2 is missing"},
        {HEADER "0,1,2,3,,,,,,,,,0,0,,\n1,2,",
         "progress.csv is cut off; train it again: wac train --config"},
        {HEADER "0,1,2,3,,,,,,,,,0,0,,\n1,2,3\n", ":3: this row has 3 cells"},
        {HEADER "0,1,2,3,,,,,,,,,0,0,,\n2,1,2,3,,,,,,,,,0,0,,\n", ":3: epoch 1 is expected"},
        {HEADER "1,1,2,3,,,,,,,,,0,0,,\n", ":2: epoch 0 is expected"},
        {HEADER ",1,2,3,,,,,,,,,0,0,,\n", ":2: epoch 0 is expected"},
        {HEADER "0,1,2,much,,,,,,,,,0,0,,\n", "column eval_return: \"much\" is not a number"},
        {HEADER "0,1,2,nan,,,,,,,,,0,0,,\n", "is not a number"},
    };
    wac_config config = settings("riverswim", "sac", 1);
    make_run(at("good"), &config, 4, 1, NAN);
    config.seed = 2;
    save_config(at("bad"), &config);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        save_progress(at("bad"), cases[i].text);
        assert_int_equal(load(root, false), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "bad/progress.csv", cases[i].says);
        assert_true(set.count == 0 && !set.runs && !set.problems);
        assert_ok(load(root, true));
        assert_int_equal(set.count, 1);
        assert_string_equal(set.runs[0].path, at("good"));
        assert_int_equal(set.problem_count, 1);
        assert_string_equal(set.problems[0].path, at("bad"));
        assert_non_null(strstr(set.problems[0].message, cases[i].says));
        wac_runset_free(&set);
    }
    assert_int_equal(unlink(at("bad/progress.csv")), 0);
    assert_int_equal(load(at("bad"), true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad/progress.csv", "missing");
    save_progress(at("bad"), HEADER);
    save_text(at("bad/config.yaml"), "environment: riverswim\nalgorithm: sac\n");
    assert_int_equal(load(root, false), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad/config.yaml", "seed");
    assert_int_equal(unlink(at("bad/config.yaml")), 0);
    assert_int_equal(load(root, false), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad/config.yaml", "missing");
    /* a run that could be read, and one that could not, of several bad ones */
    remove_folder(at("good"));
    assert_ok(wac_directory_make(at("worse"), &error));
    save_progress(at("worse"), HEADER);
    assert_int_equal(load(root, true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "none of the 2 runs", "bad/config.yaml");
}

static void test_nothing_there(void **state)
{
    (void)state;
    assert_int_equal(load(root, true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "no run in", root);
    assert_int_equal(load(at("nowhere"), true), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "nowhere",
                   "No such file or directory; name a folder that has runs");
    save_text(at("file"), "text");
    assert_int_equal(load(at("file"), true), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "file", "Not a directory");
    /* a path of just the length that leaves no room for its end */
    char path[PATH_MAX + 1];
    memset(path, 'a', PATH_MAX);
    path[PATH_MAX] = 0;
    assert_int_equal(load(path, true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "the path aaa", "is too long");
}

/* --- groups -------------------------------------------------------------------------------- */

/* Another share covered in the last row. */
static void change_last(const char *path)
{
    size_t size;
    char *text = contents(path, &size), *last = NULL;
    for (char *place = text; (place = strstr(place, "0.25")); place++)
        last = place;
    assert_non_null(last);
    memcpy(last, "0.35", 4);
    assert_ok(wac_file_write(path, text, size, &error));
    free(text);
}

static void test_twice(void **state)
{
    (void)state;
    wac_config config = settings("riverswim", "sac", 1);
    make_run(at("one"), &config, 4, 1, NAN);
    const char *const both[] = {root, at("one/")};
    assert_int_equal(wac_runset_load(&set, both, 2, true, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("one"), "given twice");
    /* the same run in another folder, even where it was saved at other moments */
    config.checkpoint_interval = 7;
    make_run(at("other"), &config, 4, 1, NAN);
    assert_ok(load(root, true));
    assert_int_equal(set.count, 1);
    assert_string_equal(set.runs[0].path, at("one"));
    assert_int_equal(set.groups[0].count, 1);
    wac_runset_free(&set);
    /* but not where it tells something else */
    make_run(at("other"), &config, 4, 2, NAN);
    assert_int_equal(load(root, true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("one"), at("other"));
    /* not even in its last row alone */
    make_run(at("other"), &config, 4, 1, NAN);
    change_last(at("other/progress.csv"));
    assert_int_equal(load(root, true), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("one"), at("other"));
    assert_message(WAC_STATUS_INPUT, "same settings and seed", "");
    config.seed = 2;
    make_run(at("other"), &config, 4, 1, NAN);
    assert_ok(load(root, true));
    assert_int_equal(set.group_count, 1);
    wac_runset_free(&set);
    const char *const three[] = {at("one"), at("other"), at("other/.")};
    assert_int_equal(wac_runset_load(&set, three, 3, true, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("other"), "given twice");
}

static void check_group(size_t place, size_t task, const char *task_name, const char *label,
                        size_t count)
{
    const wac_group *group = &set.groups[place];
    assert_true(place < set.group_count);
    assert_string_equal(group->task_name, task_name);
    assert_string_equal(group->label, label);
    assert_int_equal(group->task, task);
    assert_int_equal(group->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(group->runs[i]->group, place);
        assert_true(i == 0 || group->runs[i - 1]->config.seed < group->runs[i]->config.seed);
    }
}

static void test_groups(void **state)
{
    (void)state;
    wac_config config;
    for (int seed = 3; seed > 0; seed--) {
        config = settings("riverswim", "sac", seed);
        make_run(at("sac-%d", seed), &config, 4, 1, NAN);
        config = settings("riverswim", "oe-wac", seed);
        make_run(at("wac-%d", seed), &config, 4, 2, NAN);
    }
    assert_ok(load(root, false));
    assert_int_equal(set.group_count, 2);
    assert_int_equal(set.task_count, 1);
    check_group(0, 0, "riverswim", "oe-wac", 3);
    check_group(1, 0, "riverswim", "sac", 3);
    wac_runset_free(&set);

    /* another lambda, another river, another task, sparse rewards */
    config = settings("riverswim", "oe-wac", 1);
    config.lambda = 0.5;
    make_run(at("lambda"), &config, 4, 1, NAN);
    config = settings("riverswim", "sac", 1);
    config.river_length = 30;
    make_run(at("river"), &config, 4, 1, NAN);
    config = settings("point-2", "sac", 1);
    make_run(at("point"), &config, 4, 1, 0);
    config = settings("point-2-sparse", "me-wac", 1);
    make_run(at("sparse"), &config, 4, 1, 0);
    assert_ok(load(root, false));
    assert_int_equal(set.group_count, 6);
    assert_int_equal(set.task_count, 4);
    check_group(0, 0, "point-2", "sac", 1);
    check_group(1, 1, "point-2-sparse", "me-wac lambda 0.6", 1);
    check_group(2, 2, "riverswim river_length 25", "oe-wac lambda 0.25", 3);
    check_group(3, 2, "riverswim river_length 25", "oe-wac lambda 0.5", 1);
    check_group(4, 2, "riverswim river_length 25", "sac", 3);
    check_group(5, 3, "riverswim river_length 30", "sac", 1);
    const wac_setting *lambda;
    size_t count;
    assert_ok(wac_setting_find(&lambda, "lambda", &error));
    for (size_t i = 0; i < WAC_SETTINGS_TOTAL; i++)
        assert_int_equal(set.differs[i], i == 0 || &wac_settings(&count)[i] == lambda);
    wac_runset_free(&set);
}

/* What algorithms have by themselves does not show: TOP learns after each step, SAC after an epoch.
 */
static void test_presets(void **state)
{
    (void)state;
    wac_config sac = settings("riverswim", "sac", 1), top = settings("riverswim", "top", 1);
    assert_true(sac.update_interval != top.update_interval);
    make_run(at("sac"), &sac, 4, 1, NAN);
    make_run(at("top"), &top, 4, 2, NAN);
    assert_ok(load(root, false));
    check_group(0, 0, "riverswim", "sac", 1);
    check_group(1, 0, "riverswim", "top", 1);
    wac_runset_free(&set);

    top.update_interval = 10; /* what somebody has chosen does */
    remove_folder(at("top"));
    make_run(at("top"), &top, 4, 2, NAN);
    assert_ok(load(root, false));
    check_group(0, 0, "riverswim", "sac update_interval 0", 1);
    check_group(1, 0, "riverswim", "top update_interval 10", 1);
    wac_runset_free(&set);
}

/* One algorithm needs no name where its settings tell the groups apart. */
static void test_grid(void **state)
{
    (void)state;
    const double lambdas[] = {0, 0.25, 1};
    for (int i = 0; i < 6; i++) {
        wac_config config = settings("lqg", "oe-wac", 1);
        config.lambda = lambdas[i / 2];
        config.rho = i % 2 ? 1 : 0.5;
        make_run(at("run-%d", i), &config, 4, -1, NAN);
    }
    assert_ok(load(root, false));
    assert_int_equal(set.group_count, 6);
    check_group(0, 0, "lqg", "oe-wac lambda 0, rho 0.5", 1);
    check_group(1, 0, "lqg", "oe-wac lambda 0, rho 1", 1);
    check_group(5, 0, "lqg", "oe-wac lambda 1, rho 1", 1);
    wac_runset_free(&set);
}

/* --- measures ------------------------------------------------------------------------------ */

/* A search that ends its choices at different epochs: names have those last, groups are in the
 * order of names, and who went furthest comes first, then who has the better score. */
static void test_rungs(void **state)
{
    (void)state;
    static const struct {
        double lambda, rate;
        int64_t epochs;
        double reached;
        size_t place;
    } choices[] = {{0, 0.001, 3, -6, 2},
                   {0, 0.01, 1, -1, 3},
                   {0.5, 0.001, 1, -2, 4},
                   {0.5, 0.01, 9, -9, 0},
                   {1, 0.001, 3, -5, 1}};
    size_t *places;
    for (int i = 4; i >= 0; i--) {
        wac_config config = settings("lqg", "oe-wac", 1);
        config.lambda = choices[i].lambda;
        config.learning_rate = choices[i].rate;
        config.epochs = choices[i].epochs;
        make_run(at("%d", i), &config, (int)config.epochs + 1, choices[i].reached, NAN);
    }
    assert_ok(load(root, false));
    assert_true(set.rungs);
    assert_string_equal(set.groups[3].label, "oe-wac lambda 0.5, learning_rate 0.01, epochs 9");
    assert_ok(wac_groups_rank(&places, &set, &error));
    for (size_t i = 0; i < 5; i++) {
        assert_true(set.groups[i].runs[0]->config.lambda == choices[i].lambda);
        assert_int_equal(places[i], choices[i].place);
    }
    free(places);
    wac_runset_free(&set);
    /* the same choice at another length is one more choice */
    wac_config config = settings("lqg", "oe-wac", 1);
    config.lambda = 0;
    config.learning_rate = 0.001;
    config.epochs = 4;
    make_run(at("longer"), &config, 5, -1, NAN);
    assert_ok(load(root, false));
    assert_false(set.rungs);
    wac_runset_free(&set);
}

/* Where settings are many, algorithms that are alone in each task have their names alone, and the
 * others what is chosen between in them. */
static void test_alone(void **state)
{
    (void)state;
    static const char *const tasks[] = {"lqg", "lqg", "riverswim", "riverswim", "riverswim"},
                             *const names[] = {"oe-wac", "sac", "sac", "top", "sac"};
    static const char *const labels[2][5] = {{"oe-wac", "sac", "sac", "top"},
                                             {"oe-wac", "sac width 17, learning_rate 0.002",
                                              "sac width 18, learning_rate 0.003",
                                              "sac width 20, learning_rate 0.005", "top"}};
    for (int i = 0; i < 5; i++) {
        wac_config config = settings(tasks[i], names[i], 1);
        config.width = 16 + i;
        config.batch_size = i == 2 || i == 4 ? 48 : 32 + i;
        config.learning_rate = 1e-3 * (1 + i);
        make_run(at("%d", i), &config, 4, -1, NAN);
        if (i < 3)
            continue;
        assert_ok(load(root, false));
        assert_int_equal(set.group_count, i + 1);
        for (size_t k = 0; k < set.group_count; k++)
            assert_string_equal(set.groups[k].label, labels[i - 3][k]);
        wac_runset_free(&set);
    }
}

/* A choice of which no run is finished comes last. */
static void test_unfinished_rank(void **state)
{
    (void)state;
    size_t *places;
    for (int i = 0; i < 3; i++) {
        wac_config config = settings("lqg", "oe-wac", 1);
        config.lambda = 0.5 * i;
        make_run(at("%d", i), &config, i == 1 ? 2 : 4, -9 + i, NAN);
    }
    assert_ok(load(root, false));
    assert_ok(wac_groups_rank(&places, &set, &error));
    assert_true(places[0] == 1 && places[1] == 2 && places[2] == 0);
    free(places);
    wac_runset_free(&set);
}

/* The mean uncertainty of the quarter of all cells that was visited least, and of those that were
 * as seldom as its last. */
static void test_unseen_cells(void **state)
{
    (void)state;
    static char text[WAC_CELLS_TEXT + 1];
    wac_config config = settings("riverswim", "oe-wac", 1);
    make_run(at("run"), &config, 4, 1, NAN);
    for (int ties = 0; ties < 2; ties++) {
        double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS], sum = 0;
        int quarter = WAC_COVERAGE_BINS / 4, few = quarter + 3 * ties;
        for (int i = 0; i < WAC_COVERAGE_BINS; i++) {
            int place = i * 7 % WAC_COVERAGE_BINS; /* in the order of visits */
            sigma[i] = place < few ? place : 1e6;
            visits[i] = ties && place >= quarter - 2 && place < few ? quarter - 2 : place;
            sum += place < few ? place : 0;
        }
        text[wac_cells_write(text, sigma, visits)] = 0;
        save_text(at("run/cells.csv"), text);
        assert_ok(load(at("run"), false));
        double found = wac_record_measure(&set.runs[0], WAC_MEASURE_UNSEEN_STD);
        assert_true(fabs(found - sum / few) < 1e-9 * found);
        wac_runset_free(&set);
    }
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++)
        assert_int_equal(wac_measure_reads_cells((wac_measure)i),
                         i == WAC_MEASURE_UNSEEN_STD || i == WAC_MEASURE_MIRROR);
}

static void test_measures(void **state)
{
    (void)state;
    json_t *recorded = json_load_file(WAC_SOURCE_DIR "/tests/recorded/statistics.json", 0, NULL);
    const json_t *cases = json_object_get(recorded, "measures"), *item;
    char *text = contents(WAC_SOURCE_DIR "/tests/recorded/progress.csv", NULL);
    size_t index;
    assert_int_equal(json_array_size(cases), 4);
    json_array_foreach(cases, index, item)
    {
        wac_config config =
            settings(json_string_value(json_object_get(item, "environment")), "sac", 1);
        config.epochs = 60;
        save_config(at("run"), &config);
        save_progress(at("run"), text);
        assert_ok(load(at("run"), false));
        assert_true(set.runs[0].finished);
        for (int i = 0; i < WAC_MEASURE_TOTAL; i++) {
            double value = wac_record_measure(&set.runs[0], (wac_measure)i);
            const json_t *known = json_object_get(item, wac_measure_name((wac_measure)i));
            double expected = json_number_value(known);
            if (known ? !(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)))
                      : !isnan(value)) /* without a checkpoint */
                fail_msg("%s: %.17g, not %.17g", wac_measure_name((wac_measure)i), value, expected);
        }
        assert_true(wac_record_is_solved(&set.runs[0]));
        wac_runset_free(&set);
    }
    free(text);
    json_decref(recorded);
}

static void test_unsolved(void **state)
{
    (void)state;
    const struct {
        const char *environment;
        double reached, success, solved;
    } cases[] = {
        {"point-1", -5, 0.89, 4},   {"point-1", -5, 0.9, 0}, {"riverswim", 99.9, NAN, 4},
        {"riverswim", 100, NAN, 0}, {"lqg", -1.04, NAN, 4},  {"lqg", -1.02, NAN, 0},
        {"hopper", 5, NAN, NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_config config = settings(cases[i].environment, "sac", 1);
        make_run(at("run"), &config, 4, cases[i].reached, cases[i].success);
        assert_ok(load(at("run"), false));
        double solved = wac_record_measure(&set.runs[0], WAC_MEASURE_SOLVED);
        assert_true(solved == cases[i].solved || (isnan(solved) && isnan(cases[i].solved)));
        assert_int_equal(wac_record_is_solved(&set.runs[0]), cases[i].solved == 0);
        wac_runset_free(&set);
    }
    /* one that stopped at success, be it one epoch before the last, has what was asked for */
    wac_config config = settings("point-1", "sac", 1);
    config.stop_success = 0.5;
    for (int rows = 2; rows <= 3; rows++) {
        make_run(at("run"), &config, rows, -5, 0.6);
        assert_ok(load(at("run"), false));
        assert_true(wac_record_measure(&set.runs[0], WAC_MEASURE_SOLVED) == rows - 1);
        wac_runset_free(&set);
    }
    /* a run that has just begun has no numbers */
    config.stop_success = 0;
    make_run(at("run"), &config, 0, 0, 0);
    assert_ok(load(at("run"), false));
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++)
        assert_true(isnan(wac_record_measure(&set.runs[0], (wac_measure)i)));
    wac_runset_free(&set);
}

static void test_score_unit(void **state)
{
    (void)state;
    wac_config config = settings("hopper", "sac", 1);
    make_run(at("hopper-1"), &config, 4, 100, NAN);
    config.seed = 2;
    make_run(at("hopper-2"), &config, 4, 300, NAN);
    config.seed = 3;
    make_run(at("hopper-3"), &config, 3, 90000, NAN); /* unfinished: does not count */
    config = settings("hopper", "me-wac", 1);
    make_run(at("hopper-4"), &config, 4, 150, NAN);
    config = settings("lqg", "sac", 1);
    make_run(at("lqg"), &config, 4, 1, NAN);
    config = settings("point-1", "sac", 1);
    make_run(at("point"), &config, 4, 1, 1);
    config = settings("riverswim", "sac", 1);
    make_run(at("river"), &config, 4, 1, NAN);
    config.path_limit = 100;
    make_run(at("short"), &config, 4, 1, NAN);
    assert_ok(load(root, false));
    assert_int_equal(set.task_count, 5);
    assert_true(wac_measure_unit(&set, 0, WAC_MEASURE_SCORE) == 200); /* hopper */
    assert_true(isnan(wac_measure_unit(&set, 1, WAC_MEASURE_SCORE))); /* lqg */
    assert_true(wac_measure_unit(&set, 2, WAC_MEASURE_SCORE) == 1);   /* point */
    assert_true(isnan(wac_measure_unit(&set, 3, WAC_MEASURE_SCORE))); /* riverswim path_limit 100 */
    assert_true(wac_measure_unit(&set, 4, WAC_MEASURE_SCORE) == 1);   /* riverswim path_limit 300 */
    /* what can be won is known of a task as the preset has it */
    for (size_t task = 3; task <= 4; task++) {
        assert_int_equal(wac_measure_is_share(&set, task, WAC_MEASURE_NORMALISED), task == 4);
        double unit = wac_measure_unit(&set, task, WAC_MEASURE_NORMALISED);
        assert_true(task == 4 ? unit == 1 : isnan(unit));
    }
    for (size_t i = 0; i < set.group_count; i++)
        if (set.groups[i].task >= 3) {
            double share = wac_record_measure(set.groups[i].runs[0], WAC_MEASURE_NORMALISED);
            assert_int_equal(isnan(share) != 0, set.groups[i].task == 3);
        }
    wac_runset_free(&set);
}

/* --- comparing, and the program ------------------------------------------------------------ */

/* Four seeds of each of two algorithms on two tasks. */
static void make_two_tasks(void)
{
    static const char *const tasks[] = {"riverswim", "point-1"}, *const names[] = {"oe-wac", "sac"};
    for (int task = 0; task < 2; task++)
        for (int which = 0; which < 2; which++)
            for (int seed = 1; seed <= 4; seed++) {
                wac_config config = settings(tasks[task], names[which], seed);
                double success = which ? 0.1 * seed : 1 - 0.05 * seed;
                make_run(at("%s-%s-%d", tasks[task], names[which], seed), &config, 4,
                         161.6 * success, task ? success : NAN);
            }
}

static void test_compare(void **state)
{
    (void)state;
    wac_comparison found;
    make_two_tasks();
    assert_ok(load(root, false));
    assert_ok(wac_compare(&found, &set, WAC_MEASURE_SCORE, wac_bootstrap_default(), &error));
    assert_int_equal(found.method_count, 2);
    assert_int_equal(found.shared_count, 2);
    assert_int_equal(found.pair_count, 1);
    assert_int_equal(found.groups[0].count, 4);
    assert_true(fabs(found.groups[0].mean - 0.875) < 1e-9);
    assert_true(fabs(found.groups[0].iqm.value - 0.875) < 1e-9);
    assert_true(fabs(found.methods[1].gap.value - 0.75) < 1e-9);
    assert_true(found.methods[0].profile[10].value == 1 && found.methods[1].profile[10].value == 0);
    assert_string_equal(found.methods[found.pairs[0].better].label, "oe-wac");
    assert_int_equal(found.pairs[0].tasks, 2);
    assert_true(found.pairs[0].improvement.value == 1 && found.pairs[0].improvement.low == 1);
    assert_int_equal(found.pairs[0].improvement.fewest, 4);
    wac_comparison_free(&found);
    /* fewer epochs are better: still oe-wac */
    assert_ok(wac_compare(&found, &set, WAC_MEASURE_SOLVED, wac_bootstrap_default(), &error));
    assert_string_equal(found.methods[found.pairs[0].better].label, "oe-wac");
    assert_int_equal(found.shared_count, 0);
    wac_comparison_free(&found);
    wac_runset_free(&set);
}

/* No table of shares where no run that could have one is finished. */
static void test_no_shares(void **state)
{
    (void)state;
    wac_config done = settings("lqg", "sac", 1), begun = settings("riverswim", "sac", 1);
    make_run(at("done"), &done, 4, -1, NAN);
    make_run(at("begun"), &begun, 2, 1, NAN);
    const outcome *result = wac("stats %s", root);
    assert_done(result);
    assert_null(strstr(result->out, "Scores as shares"));
    assert_non_null(
        strstr(result->out, "No shares of the best possible: no run on such a task is finished"));
    assert_ok(load(root, false));
    static const wac_measure shares[] = {WAC_MEASURE_SUCCESS, WAC_MEASURE_COVERAGE_VISITED},
                             others[] = {WAC_MEASURE_RETURN, WAC_MEASURE_SOLVED};
    for (int i = 0; i < 2; i++) {
        assert_true(wac_measure_is_share(&set, 0, shares[i]));
        assert_false(wac_measure_is_share(&set, 0, others[i]));
    }
    wac_runset_free(&set);
}

static void test_program(void **state)
{
    (void)state;
    make_two_tasks();
    const outcome *result = wac("stats %s", root);
    assert_done(result);
    assert_non_null(strstr(result->out, "score of 16 runs"));
    assert_non_null(strstr(result->out, "0.8750 +- 0.0645"));
    assert_non_null(strstr(result->out, "1 [1, 1]"));
    assert_null(strstr(result->out, "fewer than 4"));
    assert_string_equal(result->err, "");
    char first[sizeof result->out];
    snprintf(first, sizeof first, "%s", result->out);
    assert_string_equal(wac("stats %s", root)->out, first);

    assert_null(strstr(result->out, "No shares of the best possible"));
    assert_non_null(strstr(wac("stats %s --measure return", root)->out,
                           "No shares of the best possible: only scores"));

    /* JSON that reads back */
    result = wac("stats --json %s --measure solved", root);
    assert_done(result);
    json_t *json = json_loads(result->out, 0, NULL);
    assert_non_null(json);
    assert_int_equal(json_array_size(json_object_get(json, "groups")), 4);
    assert_true(json_is_true(json_object_get(json, "less_is_better")));
    json_decref(json);

    /* an unfinished run is left out, and leaves too few seeds; a broken one is status 1 */
    wac_config config = settings("point-1", "sac", 4);
    make_run(at("point-1-sac-4"), &config, 3, 1, 1);
    result = wac("stats %s", root);
    assert_done(result);
    assert_non_null(strstr(result->err, "point-1-sac-4 is not finished (2 of 3 epochs); left out"));
    assert_non_null(strstr(result->out, "score of 15 runs"));
    assert_non_null(strstr(result->out, "* fewer than 4 seeds: too few to decide"));
    save_progress(at("point-1-sac-4"), "epoch");
    result = wac("stats %s", root);
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "point-1-sac-4/progress.csv"));
    assert_non_null(strstr(result->out, "score of 15 runs"));
}

/* Runs that are the same in every row are level, however many rows there are. */
static void test_level(void **state)
{
    (void)state;
    for (int epochs = 3; epochs <= 11; epochs += 8) {
        wac_config config = settings("lqg", "sac", 1);
        config.epochs = epochs;
        make_run(at("%d", epochs), &config, epochs + 1, 0.15, 0);
    }
    const outcome *result = wac("stats %s --measure return", root);
    assert_done(result);
    assert_non_null(strstr(result->out, "0.5000 [0.5000, 0.5000]"));
}

static void test_program_help(void **state)
{
    (void)state;
    const outcome *result = wac("stats --help");
    assert_done(result);
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++)
        assert_non_null(strstr(result->out, wac_measure_name((wac_measure)i)));
    for (const char *line = result->out; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 79);
}

static void test_program_refuses(void **state)
{
    (void)state;
    wac_config config = settings("lqg", "sac", 1);
    assert_says(wac("stats"), 2, "which runs?");
    assert_says(wac("stats %s", root), 1, "no run in");
    make_run(at("one"), &config, 4, 1, NAN);
    assert_says(wac("stats %s --measure retrun", root), 2, "did you mean \"return\"?");
    assert_says(wac("stats %s --measure xyz", root), 2, "help stats\" lists them");
    wac_measure measure;
    assert_true(wac_measure_find(&measure, "coverage_visited"));
    assert_int_equal(measure, WAC_MEASURE_COVERAGE_VISITED);
    assert_says(wac("stats %s --measure success", root), 1, "(lqg); choose another one");
    assert_says(wac("stats %s %s", root, at("one")), 1, "given twice");
    make_run(at("two"), &config, 4, 2, NAN);
    assert_says(wac("stats %s", root), 1, "same settings and seed");
    assert_says(wac("stats %s", at("no.csv")), 1, "there is no file");
    remove_folder(at("two"));
    make_run(at("one"), &config, 2, 1, NAN);
    assert_says(wac("stats %s", root), 1, "one is not finished; ");
    config.seed = 2;
    make_run(at("two"), &config, 2, 2, NAN);
    assert_says(wac("stats %s", root), 1, "and none of the others is finished;");
    for (int i = 0; i < 2; i++) {
        config.seed = 1 + i;
        make_run(at(i ? "two" : "one"), &config, 4, 1, NAN);
    }
    assert_says(wac("stats %s --measure success", root), 1, ", nor for any of the others;");
}

/* 200 runs of 300 epochs are an ordinary experiment. */
static void test_many(void **state)
{
    (void)state;
    wac_config config = settings("point-1", "sac", 1);
    config.epochs = 300;
    for (int i = 0; i < 200; i++) {
        config.seed = i % 5;
        config.width = 1 + i / 5;
        make_run(at("%03d", i), &config, 301, -5, 0.5);
    }
    assert_ok(load(root, false));
    assert_int_equal(set.count, 200);
    assert_int_equal(set.group_count, 40);
    assert_string_equal(set.groups[39].label, "sac width 40");
    wac_runset_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_real_runs),    TEST(test_finished),      TEST(test_changed),
        TEST(test_damage),       TEST(test_nothing_there), TEST(test_twice),
        TEST(test_groups),       TEST(test_presets),       TEST(test_grid),
        TEST(test_rungs),        TEST(test_measures),      TEST(test_unfinished_rank),
        TEST(test_unseen_cells), TEST(test_alone),         TEST(test_unsolved),
        TEST(test_score_unit),   TEST(test_compare),       TEST(test_no_shares),
        TEST(test_program),      TEST(test_program_help),  TEST(test_program_refuses),
        TEST(test_many),         TEST(test_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
