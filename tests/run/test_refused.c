/* A run that cannot go on says why, names the file and the way out, and changes nothing. */
#include "stats/runset.h"
#include "support/sealing.h"
#include "support/stopping.h"

/* The run is refused with these words, and not a byte of it changes. */
static void assert_refused(const char *run, const char *path, const char *words)
{
    char command[3 * PATH_MAX];
    remove_folder(at("copy"));
    snprintf(command, sizeof command, "cp -a '%s' '%s'", run, at("copy"));
    assert_int_equal(system(command), 0);
    wac_status status = train_on(run, "lqg", NULL, 0);
    if (status == WAC_STATUS_OK)
        fail_msg("went on, and should have said \"%s\"", words);
    assert_message(status, path, words);
    snprintf(command, sizeof command, "diff -r '%s' '%s'", run, at("copy"));
    assert_int_equal(system(command), 0);
}

/* Put other bytes in the place of a file, see the run refused, put the file back. */
static void refuse_bytes(const char *path, const char *bytes, size_t size, const char *words)
{
    size_t whole_size;
    char *whole = contents(path, &whole_size);
    assert_ok(wac_file_write(path, bytes, size, &error));
    assert_refused(at("run"), path, words);
    assert_ok(wac_file_write(path, whole, whole_size, &error));
    free(whole);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "oe-wac", 3);
    wac_run_options options = stop_after(160, 1); /* three rows are written */
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);

    const char *const files[] = {"agent", "replay", "run"};
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX];
        size_t size;
        strcpy(path, at("run/checkpoint/%s.safetensors", files[i]));
        char *bytes = contents(path, &size);
        const size_t cuts[] = {0, 5, 8, 100, size / 2, size - 1};
        for (size_t j = 0; j < sizeof cuts / sizeof *cuts; j++)
            refuse_bytes(path, bytes, cuts[j], "copied whole");
        refuse_bytes(path, "not a tensor in sight", 21, "copied whole");
        free(bytes);
        assert_int_equal(rename(path, at("aside")), 0);
        assert_refused(at("run"), path, "back, or train it again: wac train --config");
        assert_int_equal(rename(at("aside"), path), 0);
    }

    char path[PATH_MAX];
    strcpy(path, at("run/progress.csv"));
    size_t size;
    char *bytes = contents(path, &size);
    size_t first = strcspn(bytes, "\n") + 1;
    refuse_bytes(path, bytes, first, "fewer than the 3 rows that the checkpoint counts");
    refuse_bytes(path, bytes, size - 1, "fewer than the 3 rows that the checkpoint counts");
    refuse_bytes(path, "", 0, "columns of a progress file");
    refuse_bytes(path, "epoch,loss\n0,1\n1,1\n2,1\n", 23, "columns of a progress file");
    /* a line that is no row would be counted as one, and a real one cut off for it */
    char *longer = malloc(size + 64);
    int head = snprintf(longer, size + 64, "%.*s# my note\n", (int)first, bytes);
    memcpy(longer + head, bytes + first, size - first);
    refuse_bytes(path, longer, (size_t)head + size - first, "put the file back as it was");
    free(longer);
    /* nor is a number changed unseen, be it a digit of the rows that the checkpoint counts */
    char *digit = strstr(bytes + first, "\n1,") + strlen("\n1,");
    ++*digit;
    refuse_bytes(path, bytes, size, "other numbers than the run wrote; put the file back as it");
    --*digit;
    free(bytes);
    assert_int_equal(rename(path, at("aside")), 0);
    assert_refused(at("run"), path,
                   "is missing; put the file back as it was, or train it again: wac");
    assert_int_equal(rename(at("aside"), path), 0);

    strcpy(path, at("run/config.yaml"));
    bytes = contents(path, &size);
    refuse_bytes(path, bytes, 0, "empty");
    size_t last = (size_t)(strstr(bytes, "precision: single") - bytes) + strlen("precision: s");
    for (size_t cut = 10; cut < last; cut += 97)
        refuse_bytes(path, bytes, cut, "config.yaml");
    refuse_bytes(path, bytes, last, "config.yaml");
    refuse_bytes(path, "x: 1", 4, "config.yaml:1: unknown setting");
    refuse_bytes(path, "seed: [", 7, "this is not YAML");
    free(bytes);
    assert_int_equal(rename(path, at("aside")), 0);
    assert_refused(at("run"), at("run"), "no config.yaml");
    assert_int_equal(rename(at("aside"), path), 0);

    /* and when all is back in place it goes on as if nothing had been */
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("run"));
}

/* Have the run's file note another checksum of the file `part` beside it. */
static void note_sum(const char *part, const wac_checksum *sum)
{
    size_t size;
    char *bytes = contents(at("run/checkpoint/run.safetensors"), &size);
    assert_true(bind_part(bytes, size, part, sum));
    assert_ok(wac_file_write(at("run/checkpoint/run.safetensors"), bytes, size, &error));
    free(bytes);
}

/* A number in a file of arrays, made another by somebody who knows of checksums; -1: the last of
 * its array. */
static void refuse_element(const char *part, const char *name, int64_t element, const void *number,
                           size_t number_size, const char *words)
{
    char quoted[64], path[PATH_MAX];
    size_t size;
    uint64_t header;
    long first, end;
    strcpy(path, at("run/checkpoint/%s.safetensors", part));
    char *bytes = contents(path, &size);
    wac_checksum before, after;
    assert_true(seal(&before, bytes, size));
    memcpy(&header, bytes, sizeof header);
    snprintf(quoted, sizeof quoted, "\"%s\"", name);
    const char *at_name = strstr(bytes + 8, quoted);
    assert_non_null(at_name);
    assert_int_equal(sscanf(strstr(at_name, "data_offsets\":[") + 15, "%ld,%ld", &first, &end), 2);
    char *place = element < 0 ? bytes + 8 + header + end - number_size
                              : bytes + 8 + header + first + (size_t)element * number_size;
    assert_true(memcmp(place, number, number_size) != 0);
    memcpy(place, number, number_size);
    assert_true(seal(&after, bytes, size));
    bool bound = strcmp(part, "run") != 0;
    if (bound)
        note_sum(part, &after);
    refuse_bytes(path, bytes, size, words);
    assert_null(strstr(error.message, "checksum"));
    if (bound)
        note_sum(part, &before);
    free(bytes);
}

static void refuse_number(const char *part, const char *name, int64_t number, const char *words)
{
    refuse_element(part, name, 0, &number, sizeof number, words);
}

/* Counts that no run can have reached are refused before anything is done with them. */
static void impossible_counts_are_refused(void **state)
{
    (void)state;
    static const int64_t numbers[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX - 1,
                                      (INT64_C(1) << 53) + 1};
    static const char *const counts[][2] = {{"replay", "replay/count"},
                                            {"agent", "adam/steps/critics"},
                                            {"agent", "counter/batch"},
                                            {"run", "position"},
                                            {"run", "replay/count"}};
    wac_config config = tiny("lqg", "oe-wac", 3);
    wac_run_options options = stop_after(160, 1);
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            refuse_number(counts[i][0], counts[i][1], numbers[k],
                          "use another copy of the checkpoint");
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("run"));
}

/* Models have not learned more often than critics, and what their bonus counts for is a number. */
static void impossible_models_are_refused(void **state)
{
    (void)state;
    static const float large = 1e6F;
    wac_config config = tiny("lqg", "maxinfosac", 3);
    wac_run_options options = stop_after(30 + 2 * (1 + 40 + 15) + 1 + 19, 1);
    assert_ok(train_new(at("whole"), &config, NULL));
    assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);
    refuse_number("agent", "adam/steps/models", 31, "number of steps that no agent can have");
    refuse_element("agent", "log_bonus_weight", 0, &large, sizeof large,
                   "log_bonus_weight that no agent can have");
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
    assert_same_runs(at("whole"), at("run"));
}

/* Nor are numbers that cannot be, by themselves or beside each other and the settings. The run has
 * done 30 steps, two epochs of 40 steps and 15 updates, and 19 steps of the third. */
static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    static const char words[] = "use another copy of the checkpoint";
    enum { EPOCH, STARTED, EVALUATED, EXPLORED, UPDATED, STEPS, UPDATES, ROWS, EPISODE, EPISODES };
    static const struct {
        int element;
        int64_t number;
    } positions[] = {
        {EPOCH, 1},         {EPOCH, 3},     {EPOCH, INT64_C(1) << 50},
        {STARTED, 0},       {STARTED, 2},   {EVALUATED, 0},
        {EVALUATED, 2},     {EXPLORED, 18}, {EXPLORED, 41},
        {EXPLORED, -3},     {UPDATED, 1},   {UPDATED, 16},
        {STEPS, 128},       {STEPS, 130},   {UPDATES, 29},
        {UPDATES, 31},      {ROWS, 2},      {ROWS, 4},
        {EPISODE, 25},      {EPISODES, 41}, {EPISODES + 1, 40},
        {EPISODES + 2, -1},
    };
    static const struct {
        const char *file, *name;
        int64_t element;
        double number; /* in arrays of float */
    } reals[] = {
        {"agent", "policy/hidden0/weight", 3, NAN},
        {"agent", "q2/out/bias", 0, INFINITY},
        {"agent", "target_q1/hidden1/weight", -1, -INFINITY},
        {"agent", "adam/first/q1/hidden0/bias", 2, NAN},
        {"agent", "adam/second/q1/hidden0/bias", 2, -1e-3},
        {"agent", "adam/second/log_alpha", 0, -1},
        {"agent", "log_alpha", 0, 1e6},
        {"agent", "log_alpha", 0, NAN},
        {"replay", "replay/records", 7, NAN},
        {"replay", "replay/records", -1, 0.5},
        {"run", "observation", 0, NAN},
        {"run", "observation", 0, 1.5},
    };
    static const struct {
        const char *file, *name;
        int64_t element;
        double number; /* in arrays of double */
    } doubles[] = {
        {"run", "sums", 0, NAN},
        {"run", "sums", 1, INFINITY},
        {"run", "sums", 2, INFINITY},
        {"run", "sums", 3, INFINITY},
        {"run", "sums", 4, -INFINITY},
        {"run", "sums", 5, INFINITY},
        {"run", "losses", 0, INFINITY},
        {"run", "sums", 6, -0.5},
        {"run", "sums", 6, 1.5},
        {"run", "world", 0, NAN},
        {"agent", "normaliser/mean", 0, NAN},
        {"agent", "normaliser/squares", 0, -1},
        {"agent", "normaliser/count", 0, 7.5},
    };
    static const struct {
        const char *file, *name;
        int64_t number;
    } counts[] = {
        {"run", "visits/explored", 1000},
        {"run", "visits/explored", INT64_C(1) << 53},
        {"run", "coverage/sampled", INT64_C(1) << 53},
        {"run", "coverage/sampled", -1},
        {"run", "visits/evaluated", 1000},
        {"run", "visits/evaluated", -1},
        {"run", "replay/count", 128},
        {"replay", "replay/count", 128},
        {"agent", "adam/steps/critics", 29},
        {"agent", "adam/steps/policies", 31},
        {"agent", "adam/steps/log_alpha", 31},
    };
    wac_config config = tiny("lqg", "sac", 3);
    for (int running = 0; running < 2; running++) {
        config.normalisation = running ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
        wac_run_options options = stop_after(30 + 2 * (1 + 40 + 15) + 1 + 19, 1);
        assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);
        for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
            refuse_element("run", "position", positions[i].element, &positions[i].number,
                           sizeof positions[i].number, words);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            refuse_number(counts[i].file, counts[i].name, counts[i].number, "");
        for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
            float number = (float)reals[i].number;
            if (running && number == 1.5F)
                continue;
            refuse_element(reals[i].file, reals[i].name, reals[i].element, &number, sizeof number,
                           words);
        }
        for (size_t i = 0; i < sizeof doubles / sizeof *doubles; i++) {
            if (!running && strncmp(doubles[i].name, "normaliser", 10) == 0)
                continue;
            refuse_element(doubles[i].file, doubles[i].name, doubles[i].element, &doubles[i].number,
                           sizeof doubles[i].number, words);
        }
        remove_folder(at("run"));
    }
}

/* Before the initial exploration is over nothing has been learnt or evaluated. */
static void impossible_beginnings_are_refused(void **state)
{
    (void)state;
    enum { EPOCH, STARTED, EVALUATED, EXPLORED, UPDATED, STEPS };
    static const struct {
        int element;
        int64_t number;
    } positions[] = {{EPOCH, 1},    {EVALUATED, 1}, {EXPLORED, 31},
                     {EXPLORED, 9}, {UPDATED, 1},   {STEPS, 11}};
    wac_config config = tiny("lqg", "sac", 1);
    wac_run_options options = stop_after(10, 1);
    assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++)
        refuse_element("run", "position", positions[i].element, &positions[i].number,
                       sizeof positions[i].number, "use another copy of the checkpoint");
}

/* The best evaluation is one that the run has had. */
static void impossible_bests_are_refused(void **state)
{
    (void)state;
    static const char words[] = "an evaluation that the run cannot have had";
    wac_config config = tiny("lqg", "sac", 2);
    config.keep_best = true;
    assert_ok(train_new(at("run"), &config, NULL));
    refuse_number("best", "best/epoch", -1, words);
    refuse_number("best", "best/epoch", 3, words);
    const double endless = INFINITY;
    refuse_element("best", "best/return", 0, &endless, sizeof endless, words);
}

/* Of several worlds each has its own episode and its own numbers. */
static void impossible_walks_are_refused(void **state)
{
    (void)state;
    static const char words[] = "use another copy of the checkpoint";
    wac_config config = tiny("lqg", "sac", 1);
    config.worlds = 3;
    wac_run_options options = stop_after(20, 1);
    assert_int_equal(train_new(at("run"), &config, &options), WAC_STATUS_INTERRUPTED);
    refuse_number("run", "steps-2", -1, words);
    refuse_number("run", "steps-3", config.path_limit, words);
    refuse_number("run", "counter-2", 5, words);
    const double none = NAN;
    refuse_element("run", "return-3", 0, &none, sizeof none, words);
}

/* What a table that is cut off calls for is said truly: the row after the last epoch is made again,
 * what the checkpoint counts is not. */
static void cut_tables_name_the_way_out(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    wac_runset set;
    const char *const run[] = {at("run")};
    char path[PATH_MAX];
    size_t size;
    assert_ok(train_new(at("run"), &config, NULL));
    strcpy(path, at("run/progress.csv"));
    char *bytes = contents(path, &size);
    size_t row = (size_t)((char *)memrchr(bytes, '\n', size - 1) - bytes);
    assert_ok(wac_file_write(path, bytes, row - 3, &error));
    assert_int_equal(wac_runset_load(&set, run, 1, false, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, path, "cut off; train it again: wac train --config");
    assert_refused(at("run"), path, "as it was, or train it again: wac train --config");
    assert_ok(wac_file_write(path, bytes, size - 3, &error));
    assert_int_equal(wac_runset_load(&set, run, 1, false, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, path, "cut off; mend it: wac train --resume");
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
    assert_ok(wac_runset_load(&set, run, 1, false, &error));
    assert_true(set.runs[0].finished);
    wac_runset_free(&set);
    free(bytes);

    /* nor is a run that has lost its checkpoint begun anew, unless it had hardly begun */
    remove_folder(at("run/checkpoint"));
    assert_refused(at("run"), at("run"), "its checkpoint is gone; put the folder checkpoint back");
    bytes = contents(path, &size);
    assert_ok(wac_file_write(path, bytes, strcspn(bytes, "\n") + 1, &error));
    free(bytes);
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
}

static void foreign_checkpoints_are_refused(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    assert_ok(train_new(at("run"), &config, NULL));
    assert_int_equal(rename(at("run/checkpoint"), at("own")), 0);
    static const struct {
        const char *environment, *algorithm;
        int64_t width;
        const char *words;
    } others[] = {
        {"lqg", "oac", 16, "algorithm oac, but config.yaml says sac"},
        {"lqg", "oe-wac", 16, "algorithm oe-wac, but config.yaml says sac"},
        {"lqg", "sac", 24, "width 24, but config.yaml says 16"},
        {"riverswim", "sac", 16, "environment riverswim, but config.yaml says lqg"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        wac_config other = tiny(others[i].environment, others[i].algorithm, 2);
        other.width = others[i].width;
        assert_ok(train_new(at("other"), &other, NULL));
        assert_int_equal(rename(at("other/checkpoint"), at("run/checkpoint")), 0);
        assert_refused(at("run"), at("run/checkpoint"), others[i].words);
        remove_folder(at("run/checkpoint"));
        remove_folder(at("other"));
    }

    /* files of two moments do not make a checkpoint */
    config.epochs = 1;
    assert_ok(train_new(at("other"), &config, NULL));
    assert_int_equal(rename(at("own"), at("run/checkpoint")), 0);
    const char *mixed = at("run/checkpoint/replay.safetensors");
    assert_int_equal(rename(mixed, at("aside")), 0);
    assert_int_equal(rename(at("other/checkpoint/replay.safetensors"), mixed), 0);
    assert_refused(at("run"), mixed, "of another moment, than run.safetensors");
    assert_int_equal(rename(at("aside"), mixed), 0);
    assert_ok(train_on(at("run"), "lqg", NULL, 0));
}

/* Every bit counts: whichever of a checkpoint's files has one that is another is refused. */
static void every_bit_is_checked(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 1);
    const char *const files[] = {"agent", "replay", "run"};
    config.width = 4;
    assert_ok(train_new(at("run"), &config, NULL));
    for (int i = 0; i < 3; i++) {
        char path[PATH_MAX];
        size_t size;
        strcpy(path, at("run/checkpoint/%s.safetensors", files[i]));
        char *bytes = contents(path, &size);
        for (size_t place = 0; place < size; place += 1 + size / 400) {
            wac_run *run;
            bytes[place] ^= (char)(1 << place % 8);
            assert_ok(wac_file_write(path, bytes, size, &error));
            error = (wac_error){0};
            wac_status status = wac_run_open(&run, at("run"), NULL, NULL, &error);
            if (status == WAC_STATUS_OK)
                fail_msg("bit %zu of byte %zu of %s is another, and nobody minds", place % 8, place,
                         path);
            assert_int_equal(status, WAC_STATUS_INPUT);
            assert_true(strstr(error.message, path) || strstr(error.message, "config.yaml"));
            bytes[place] ^= (char)(1 << place % 8);
        }
        assert_ok(wac_file_write(path, bytes, size, &error));
        free(bytes);
    }
    assert_ok(train_on(at("run"), "lqg", NULL, 2));
}

/* Whole files of another run, be its shape the same, are no part of this one; nor do settings
 * change on the way. */
static void files_of_other_runs_are_refused(void **state)
{
    (void)state;
    const char *const files[] = {"agent", "replay", "run"};
    wac_config config = tiny("lqg", "sac", 2), other = config;
    assert_ok(train_new(at("run"), &config, NULL));
    other.seed = 2;
    assert_ok(train_new(at("other"), &other, NULL));
    for (int i = 0; i < 3; i++) {
        size_t size;
        char path[PATH_MAX];
        strcpy(path, at("run/checkpoint/%s.safetensors", files[i]));
        char *bytes = contents(at("other/checkpoint/%s.safetensors", files[i]), &size);
        refuse_bytes(path, bytes, size,
                     i < 2 ? "of another run" : "seed 2, but config.yaml says 1");
        free(bytes);
    }
    char path[PATH_MAX];
    strcpy(path, at("run/config.yaml"));
    char *text = contents(path, NULL), *place = strstr(text, "\ndiscount: ");
    assert_non_null(place);
    place[strlen("\ndiscount: 0.")]--;
    assert_ok(wac_file_write(path, text, strlen(text), &error));
    assert_refused(at("run"), at("run/checkpoint/run.safetensors"),
                   "is of a run with discount 0.9");
    free(text);
}

static void nothing_to_resume(void **state)
{
    (void)state;
    wac_run *run;
    assert_int_equal(train_on(at("no"), "lqg", NULL, 0), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("no"), "check that the path is right");
    assert_int_equal(entries(root), 0);
    save_text(at("file"), "x");
    assert_int_equal(train_on(at("file"), "lqg", NULL, 0), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("file"), "check that the path is right");
    assert_ok(wac_directory_make(at("empty"), &error));
    assert_int_equal(train_on(at("empty"), "lqg", NULL, 0), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("empty"), "no config.yaml");
    assert_int_equal(entries(at("empty")), 0);
    assert_int_equal(wac_run_resume(&run, "", NULL, NULL, 0, &error), WAC_STATUS_INPUT);
    char name[PATH_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(wac_run_resume(&run, name, NULL, NULL, 0, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "the name of the run's folder is too long", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(damaged_files_are_refused),         TEST(impossible_counts_are_refused),
        TEST(impossible_models_are_refused),     TEST(impossible_numbers_are_refused),
        TEST(impossible_beginnings_are_refused), TEST(impossible_walks_are_refused),
        TEST(impossible_bests_are_refused),      TEST(cut_tables_name_the_way_out),
        TEST(foreign_checkpoints_are_refused),   TEST(every_bit_is_checked),
        TEST(files_of_other_runs_are_refused),   TEST(nothing_to_resume),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
