/* Maps: what is in them, that training does not notice them, and that they are the same however
 * often a run is stopped; and that files that no run has written are refused. */
#include "support/stopping.h"

#include "base/csv.h"
#include "run/check.h"
#include "run/maps.h"
#include "run/run.h"

static wac_run_options mapped(long stop_at)
{
    wac_run_options options = stop_after(stop_at, 1);
    options.maps = true;
    return options;
}

static wac_map read_map(const char *directory, int64_t index)
{
    static wac_map map;
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, directory, &error));
    assert_ok(wac_atlas_read(&map, &atlas, index, &error));
    wac_atlas_close(&atlas);
    return map;
}

static int64_t count_maps(const char *directory)
{
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, directory, &error));
    wac_atlas_close(&atlas);
    return atlas.count;
}

/* A place for the walk: x, and half of it. */
static wac_config on_place(const char *algorithm, int64_t epochs)
{
    walk_order.place = true;
    walk_order.observations = walk_order.actions = 2;
    return tiny("walk", algorithm, epochs);
}

static void a_map_tells_visits_values_and_actions(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * ALGORITHMS; i++) {
        bool place = i >= ALGORITHMS;
        const char *name = algorithms[i % ALGORITHMS];
        bool sigma = strstr(name, "wac") || strcmp(name, "sunrise") == 0;
        wac_config config = place ? on_place(name, 2) : tiny("riverswim", name, 2);
        wac_run_options options = mapped(-1);
        assert_ok(train_new(at("run"), &config, &options));
        wac_atlas atlas;
        assert_ok(wac_atlas_open(&atlas, at("run"), &error));
        assert_int_equal(atlas.count, 3);
        assert_int_equal(atlas.first, 0);
        assert_int_equal(atlas.shape.is_place, place);
        assert_int_equal(isfinite(atlas.shape.kappa) != 0, sigma);
        assert_true(atlas.shape.action[0] == -1 && atlas.shape.action[1] == 1);
        int cells = atlas.shape.grid.cells[0] * atlas.shape.grid.cells[1];
        int values = atlas.shape.values[0] * atlas.shape.values[1];
        assert_int_equal(cells, place ? 50 * 39 : 400);
        assert_int_equal(values, place ? 25 * 20 : 400);
        wac_atlas_close(&atlas);
        for (int64_t k = 0; k < 3; k++) {
            wac_map map = read_map(at("run"), k);
            int64_t visits = 0;
            for (int cell = 0; cell < cells; cell++)
                visits += map.visits[cell];
            assert_int_equal(visits, 30 + 40 * k);
            for (int cell = 0; cell < values; cell++) {
                assert_true(isfinite(map.mean[cell]));
                assert_int_equal(isfinite(map.std[cell]) != 0, sigma);
            }
            assert_int_equal(isfinite(map.losses[0]) != 0, k > 0);
            assert_true((map.losses[5] > 0) == (strcmp(name, "top") != 0));
            assert_true(map.way_points >= 1 && map.way_points <= 25);
            assert_true(fabsf(map.way[0][0]) <= (place ? 0.02f : 25));
            for (int point = map.way_points; point < WAC_MAP_WAY; point++)
                assert_true(map.way[point][0] == 0 && map.way[point][1] == 0);
        }
        remove_folder(at("run"));
        walk_order = (struct walk_order){.stride = 0.2, .reward = 1};
    }
}

/* The last map of a run of no more updates is that of its checkpoint; a value is that of a pair. */
/* Whatever an agent is shown, values and actions are those at the middle of a cell. */
static void says_itself(int normalisation)
{
    wac_config config = tiny("riverswim", "oe-wac", 2);
    config.normalisation = normalisation;
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    static wac_map told, own;
    told = read_map(at("run"), 2);
    wac_run *run;
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    wac_map_fill(&own, run);
    assert_memory_equal(told.visits, own.visits, 400 * sizeof *own.visits);
    assert_memory_equal(told.mean, own.mean, 400 * sizeof *own.mean);
    assert_memory_equal(told.std, own.std, 400 * sizeof *own.std);
    assert_memory_equal(told.losses, own.losses, sizeof own.losses);
    for (int point = 0; point < WAC_MAP_WAY; point++) /* nothing is written beside the values */
        assert_true(own.way[point][0] == 0 && own.way[point][1] == 0);
    for (int point = 0; point < told.way_points; point++) {
        double place = (double)told.way[point][0], action;
        wac_run_act(run, WAC_POLICY_TARGET, &place, &action);
        assert_true(fabs(action - (double)told.way[point][1]) < 1e-5);
    }
    /* more visits than a map can tell */
    run->visits[WAC_POLICY_BEHAVIOUR].counts[7] = (int64_t)1 << 40;
    wac_map_fill(&own, run);
    assert_int_equal(own.visits[7], UINT32_MAX);
    assert_int_equal(own.visits[8], told.visits[8]);
    for (int state_cell = 0; state_cell < 20; state_cell += 7)
        for (int action_cell = 0; action_cell < 20; action_cell += 5) {
            double place = 25 * (state_cell + 0.5) / 20, push = -1 + (action_cell + 0.5) / 10;
            double mean, std, action;
            wac_run_value(run, &place, &push, &mean, &std);
            int cell = 20 * state_cell + action_cell;
            assert_true(fabs(mean - (double)told.mean[cell]) < 1e-5 * (1 + fabs(mean)));
            assert_true(fabs(std - (double)told.std[cell]) < 1e-5 * (1 + fabs(std)));
            for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
                wac_run_act(run, (wac_policy_role)role, &place, &action);
                assert_true(fabs(action - told.actions[role][cell][0] / 127.) < 0.5 / 127 + 1e-6);
            }
        }
    wac_run_destroy(run);
}

static void a_map_is_what_the_run_says_itself(void **state)
{
    (void)state;
    says_itself(WAC_NORMALISATION_BOUNDS);
    remove_folder(at("run"));
    says_itself(WAC_NORMALISATION_RUNNING);
}

static void training_does_not_notice(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny(i % 2 ? "lqg" : "riverswim", algorithms[i], 3);
        wac_run_options options = mapped(-1), plain = stop_after(-1, 1);
        assert_ok(train_new(at("with"), &config, &options));
        assert_ok(train_new(at("without"), &config, &plain));
        assert_int_equal(count_maps(at("with")), 4);
        assert_int_equal(wac_atlas_open(&(wac_atlas){0}, at("without"), &error), WAC_STATUS_INPUT);
        assert_int_equal(unlink(at("with/maps.bin")), 0);
        assert_same_runs(at("with"), at("without"));
        remove_folder(at("with"));
        remove_folder(at("without"));
    }
}

static void stopping_anywhere_changes_no_map(void **state)
{
    (void)state;
    wac_config config = on_place("oe-wac", 3);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("whole"), &config, &options));
    long reports = watch.reports, step = 11;
#ifdef WAC_SANITIZED
    step = 53;
#endif
    for (long stop_at = 0; stop_at < reports; stop_at += step) {
        options = mapped(stop_at);
        assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
        /* not asked for again */
        options = stop_after(-1, 2);
        assert_ok(train_on(at("parts"), "walk", &options, 0));
        assert_same_runs(at("whole"), at("parts"));
        remove_folder(at("parts"));
    }
}

/* More in the file than the checkpoint counts, as kill -9 and power cuts leave it. */
static void what_is_beyond_the_checkpoint_is_cut(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oe-wac", 4);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("whole"), &config, &options));
    size_t size;
    char *bytes = contents(at("whole/maps.bin"), &size);
    config.epochs = 2;
    for (size_t cut = 0; cut < 3; cut++) {
        options = mapped(-1);
        assert_ok(train_new(at("run"), &config, &options));
        /* two rows are counted: nothing, all, or a part of what may come behind them */
        size_t record = (size - 512) / 5;
        size_t kept = 512 + 2 * record + (size_t[]){0, record, record / 2}[cut];
        assert_ok(wac_file_write(at("run/maps.bin"), bytes, kept, &error));
        assert_ok(train_on(at("run"), "lqg", NULL, 4));
        assert_same_runs(at("whole"), at("run"));
        remove_folder(at("run"));
    }
    /* the last row stands in the table, and its map does not: both are made again */
    assert_ok(wac_file_write(at("whole/maps.bin"), bytes, size - 100, &error));
    assert_ok(train_on(at("whole"), "lqg", NULL, 0));
    size_t again;
    char *mended = contents(at("whole/maps.bin"), &again);
    assert_int_equal(size, again);
    assert_memory_equal(bytes, mended, size);
    free(bytes);
    free(mended);
}

static void maps_may_begin_later_and_end(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = stop_after(-1, 1);
    assert_ok(train_new(at("run"), &config, &options));
    options = mapped(-1);
    assert_ok(train_on(at("run"), "lqg", &options, 5));
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    assert_int_equal(atlas.first, 2);
    assert_int_equal(atlas.count, 4);
    wac_atlas_close(&atlas);
    assert_int_equal(unlink(at("run/maps.bin")), 0);
    assert_ok(train_on(at("run"), "lqg", NULL, 6));
    assert_false(wac_path_exists(at("run/maps.bin")));
}

/* Of a world that is more than its place: the rest is in the middle of its bounds. */
static void a_map_of_a_place_leaves_the_rest_in_the_middle(void **state)
{
    (void)state;
    walk_order.place = true;
    walk_order.observations = 4;
    walk_order.actions = 2;
    wac_config config = tiny("walk", "oe-wac", 1);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    wac_run *run;
    assert_ok(wac_run_open(&run, at("run"), &walk, NULL, &error));
    wac_map_shape shape = wac_map_shape_of(run);
    static wac_map map;
    map = read_map(at("run"), 1);
    for (int cell = 0; cell < shape.values[0] * shape.values[1]; cell += 71) {
        double seen[4] = {wac_cell_middle(cell / shape.values[1], shape.values[0], -1, 1),
                          wac_cell_middle(cell % shape.values[1], shape.values[1], -1, 1)};
        double action[2], mean, std;
        wac_run_act(run, WAC_POLICY_BEHAVIOUR, seen, action);
        wac_run_value(run, seen, action, &mean, &std);
        assert_true(fabs(mean - (double)map.mean[cell]) < 1e-5 * (1 + fabs(mean)));
        assert_true(fabs(std - (double)map.std[cell]) < 1e-5 * (1 + fabs(std)));
        for (int i = 0; i < 2; i++)
            assert_true(fabs(action[i] - map.actions[WAC_POLICY_BEHAVIOUR][cell][i] / 127.) <
                        0.5 / 127 + 1e-6);
    }
    wac_run_destroy(run);
}

/* An older checkpoint is put back: maps of later rows would lie between. */
static void maps_begin_anew_after_a_step_back(void **state)
{
    (void)state;
    char command[3 * PATH_MAX];
    wac_config config = tiny("lqg", "sac", 1);
    wac_run_options plain = stop_after(-1, 1), options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &plain));
    snprintf(command, sizeof command, "cp -r %s %s && cp -r %s %s", at("run/checkpoint"),
             at("kept"), at("run"), at("whole"));
    assert_int_equal(system(command), 0);
    assert_ok(train_on(at("whole"), "lqg", &options, 5));
    assert_ok(train_on(at("run"), "lqg", &plain, 3));
    assert_ok(train_on(at("run"), "lqg", &options, 5));
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    assert_int_equal(atlas.first, 3);
    remove_folder(at("run/checkpoint"));
    assert_int_equal(rename(at("kept"), at("run/checkpoint")), 0);
    int open_before = entries("/proc/self/fd");
    assert_ok(train_on(at("run"), "lqg", &plain, 0));
    assert_int_equal(entries("/proc/self/fd"), open_before);
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    assert_int_equal(atlas.first, 1);
    assert_same_runs(at("whole"), at("run"));
}

/* The header with one of its parts replaced by another of any length. */
static void save_header(const char *bytes, size_t size, const char *from, const char *to)
{
    char *other = malloc(size + 1), header[512 + 1], text[2 * 512];
    memcpy(other, bytes, size);
    memcpy(header, bytes, 512);
    header[512] = 0;
    char *place = strstr(header, from);
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - header), header, to,
             place + strlen(from));
    memset(other, ' ', 511);
    memcpy(other, text, strnlen(text, 511));
    assert_ok(wac_file_write(at("run/maps.bin"), other, size, &error));
    free(other);
}

static void headers_that_no_run_writes(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    size_t size;
    wac_atlas atlas;
    char *bytes = contents(at("run/maps.bin"), &size);
    for (const char *end = strchr(bytes, '}') + 1; end < bytes + 512; end++)
        assert_int_equal(*end, end < bytes + 511 ? ' ' : '\n');
    static const char *const bad[][2] = {
        {"\"first\": 0", "\"first\": 3000000000"},
        {"\"cells\": [20, 20]", "\"cells\": [2000000000, 20]"},
        {"\"cells\": [20, 20]", "\"cells\": [60000, 60000]"},
        {"\"cells\": [20, 20]", "\"cells\": [0, 20]"},
        {"\"values\": [20, 20]", "\"values\": [2000000000, 20]"},
        {"\"values\": [20, 20]", "\"values\": [20, -1]"},
        {"\"format\": \"", "\"format\": 1, \"was\": \""},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        save_header(bytes, size, bad[i][0], bad[i][1]);
        assert_int_equal(wac_atlas_open(&atlas, at("run"), &error), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, at("run/maps.bin"), "does not begin as the maps");
    }
    /* what is not said is nothing, and of a place is not of a state */
    save_header(bytes, size, "\"over\": \"state and action\"", "\"under\": 1");
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    assert_true(!atlas.shape.is_place && isnan(atlas.shape.kappa));
    save_header(bytes, size, "\"kappa\": null", "\"kappa\": 2.5");
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    assert_true(atlas.shape.kappa == 2.5);
    save_header(bytes, size, "state and action", "place");
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    assert_true(atlas.shape.is_place);
    assert_int_equal(train_on(at("run"), "lqg", NULL, 3), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("run/maps.bin"), "does not begin as the maps");
    /* as many cells, laid out otherwise */
    save_header(bytes, size, "\"values\": [20, 20]", "\"values\": [40, 10]");
    assert_int_equal(train_on(at("run"), "lqg", NULL, 3), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("run/maps.bin"), "does not begin as the maps");
    /* a folder is no file */
    assert_int_equal(unlink(at("run/maps.bin")), 0);
    assert_int_equal(mkdir(at("run/maps.bin"), 0777), 0);
    assert_int_equal(wac_atlas_open(&atlas, at("run"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("run/maps.bin"), "does not begin as the maps");
    save_text(at("run/maps.bin/file"), "so that it is not empty");
    assert_int_equal(train_on(at("run"), "lqg", NULL, 3), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot open", at("run/maps.bin"));
    free(bytes);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    size_t size;
    char *bytes = contents(at("run/maps.bin"), &size);
    const struct {
        const char *from, *to; /* of the header */
        size_t size;
        const char *message;
    } others[] = {
        {"", "", 100, "does not begin"},
        {"", "", 512 + 100, "has 0 maps where the checkpoint counts 2"},
        {"maps-1", "maps-2", size, "does not begin"},
        {"[20, 20]", "[21, 20]", size, "does not begin"},
        {"[20, 20]", "[99999", size, "does not begin"},
        {"-4.0", "-5.0", size, "does not begin"},
        {"\"first\": 0", "\"first\":-1", size, "does not begin"},
        {"\"format\"", "\"farmat\"", size, "does not begin"},
        {"[20, 20]", "[20, -2]", size, "does not begin"},
        {"[20, 20]", "[20,  0]", size, "does not begin"},
        {"\"record\"", "\"recard\"", size, "does not begin"},
        {"{", "[", size, "does not begin"},
    };
    int open_before = entries("/proc/self/fd");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *other = malloc(size + 1);
        memcpy(other, bytes, size);
        char *place = memmem(other, 512, others[i].from, strlen(others[i].from));
        assert_non_null(place);
        memcpy(place, others[i].to, strlen(others[i].to));
        assert_ok(wac_file_write(at("run/maps.bin"), other, others[i].size, &error));
        free(other);
        wac_checkup checkup;
        if (!strstr(others[i].to, "5.0"))
            assert_int_equal(wac_run_check(&checkup, at("run"), &error), WAC_STATUS_INPUT);
        assert_int_equal(train_on(at("run"), "lqg", NULL, 3), WAC_STATUS_INPUT);
        if (!strstr(error.message, others[i].message) || !strstr(error.message, "remove it"))
            fail_msg("%s", error.message);
        assert_int_equal(entries("/proc/self/fd"), open_before);
    }
    free(bytes);
    /* nor is a link followed */
    assert_int_equal(rename(at("run/maps.bin"), at("elsewhere")), 0);
    assert_int_equal(symlink("../elsewhere", at("run/maps.bin")), 0);
    wac_atlas atlas;
    assert_int_equal(wac_atlas_open(&atlas, at("run"), &error), WAC_STATUS_INPUT);
}

/* A way that no map has room for is none; and a map that is not there is not read. */
static void ways_have_an_end(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    size_t size;
    static wac_map map;
    char *bytes = contents(at("run/maps.bin"), &size);
    static const float points[] = {-1, WAC_MAP_WAY + 1, 1e30F};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        memcpy(bytes + 512 + sizeof map.losses, &points[i], sizeof *points);
        assert_ok(wac_file_write(at("run/maps.bin"), bytes, size, &error));
        assert_int_equal(read_map(at("run"), 0).way_points, 0);
    }
    free(bytes);
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    assert_int_equal(wac_atlas_read(&map, &atlas, atlas.count, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "no such map", "");
    wac_atlas_close(&atlas);
}

/* As many states and actions as a grid has cells for. */
static void tables_have_maps(void **state)
{
    (void)state;
    wac_config config;
    assert_ok(wac_config_init(&config, "deep-sea", NULL, &error));
    config.sea_size = 31;
    config.epochs = 2;
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    wac_atlas_close(&atlas);
    int cells = atlas.shape.grid.cells[0] * atlas.shape.grid.cells[1];
    assert_int_equal(cells, 2 * (31 * 31 + 1));
    assert_int_equal(atlas.shape.values[0] * atlas.shape.values[1], cells);
    static wac_map told, own;
    told = read_map(at("run"), 2);
    wac_run *run;
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    wac_map_fill(&own, run);
    assert_memory_equal(told.visits, own.visits, (size_t)cells * sizeof *own.visits);
    assert_memory_equal(told.mean, own.mean, (size_t)cells * sizeof *own.mean);
    for (int cell = 0; cell < cells; cell += 97) {
        double place = cell / 2, choice = cell % 2, mean, std;
        wac_run_value(run, &place, &choice, &mean, &std);
        assert_true(fabs(mean - (double)told.mean[cell]) < 1e-5 * (1 + fabs(mean)));
        assert_true(fabs(std - (double)told.std[cell]) < 1e-5 * (1 + fabs(std)));
    }
    wac_run_destroy(run);
}

/* A world without a grid has no map, but losses. */
static void losses_are_kept_of_any_world(void **state)
{
    (void)state;
    walk_order.observations = 3;
    wac_config config = tiny("walk", "oe-wac", 2);
    wac_run_options options = mapped(-1);
    assert_ok(train_new(at("run"), &config, &options));
    wac_map map = read_map(at("run"), 2);
    for (int i = 0; i < 7; i++)
        assert_true(isfinite(map.losses[i]));
    assert_int_equal(map.way_points, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_map_tells_visits_values_and_actions),
        TEST(a_map_is_what_the_run_says_itself),
        TEST(ways_have_an_end),
        TEST(training_does_not_notice),
        TEST(stopping_anywhere_changes_no_map),
        TEST(what_is_beyond_the_checkpoint_is_cut),
        TEST(maps_may_begin_later_and_end),
        TEST(a_map_of_a_place_leaves_the_rest_in_the_middle),
        TEST(maps_begin_anew_after_a_step_back),
        TEST(headers_that_no_run_writes),
        TEST(other_files_are_refused),
        TEST(tables_have_maps),
        TEST(losses_are_kept_of_any_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
