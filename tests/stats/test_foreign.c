/* Runs of other programs: read from a table, put on our epochs, compared with ours. */
#include "base/json.h"
#include "stats/compare.h"
#include "stats/foreign.h"
#include "support/fake_runs.h"

#define HEADER "run,algorithm,environment,seed,step,value\n"

static wac_foreign foreign;
static wac_runset set;

static wac_status parse(const char *text)
{
    char *copy = strdup(text);
    memset(&error, 0, sizeof error);
    wac_status status = wac_foreign_parse(&foreign, copy, strlen(text), "x.csv", &error);
    free(copy);
    return status;
}

/* --- the table ----------------------------------------------------------------------------- */

static void test_columns(void **state)
{
    (void)state;
    /* any order, others between, quotes, CRLF, a mark at the start, empty lines, whole numbers as
     * floats, values that are not there */
    assert_ok(parse("\xef\xbb\xbf"
                    "Value,note,step,seed,run,environment,algorithm\r\n"
                    "1.5,\"a, \"\"b\"\"\",2000.0,3.0,\"x,y\",HalfCheetah-v4,td3\r\n"
                    "\r\n"
                    "-1,,1000,3,\"x,y\",HalfCheetah-v4,td3\r\n"
                    ",,3000,3,\"x,y\",HalfCheetah-v4,td3\r\n"
                    "NaN,,4000,3,\"x,y\",HalfCheetah-v4,td3\r\n"
                    "7,,0,4,z,lqg,\"big \"\"ppo\"\"\""));
    assert_int_equal(foreign.count, 2);
    const wac_foreign_run *run = &foreign.runs[0];
    assert_string_equal(run->run, "x,y");
    assert_string_equal(run->algorithm, "td3");
    assert_string_equal(run->environment, "HalfCheetah-v4");
    assert_int_equal(run->seed, 3);
    assert_int_equal(run->count, 2);
    assert_true(run->points[0].step == 1000 && run->points[0].value == -1);
    assert_true(run->points[1].step == 2000 && run->points[1].value == 1.5);
    assert_string_equal(foreign.runs[1].algorithm, "big \"ppo\"");
    wac_foreign_free(&foreign);
    /* of several measures the one that counts, wherever its column is */
    assert_ok(parse("measure,run,algorithm,environment,seed,step,value\n"
                    "loss,a,td3,lqg,1,10,4\neval_return,a,td3,lqg,1,10,5\n"));
    assert_int_equal(foreign.runs[0].count, 1);
    assert_true(foreign.runs[0].points[0].value == 5);
    wac_foreign_free(&foreign);
    /* episodes of one evaluation */
    assert_ok(parse(HEADER "a,td3,lqg,1,10,4\na,td3,lqg,1,20,9\na,td3,lqg,1,10,2\n"));
    assert_int_equal(foreign.runs[0].count, 2);
    assert_true(foreign.runs[0].points[0].value == 3 && foreign.runs[0].points[1].value == 9);
    wac_foreign_free(&foreign);
}

/* Many runs of many rows, the last first: each is put in order. */
static void test_many(void **state)
{
    (void)state;
    enum { RUNS = 40, ROWS = 150 };
    char *text = malloc(RUNS * ROWS * 48);
    assert_non_null(text);
    char *end = stpcpy(text, HEADER);
    for (int row = ROWS; row > 0; row--)
        for (int run = 0; run < RUNS; run++)
            end += sprintf(end, "r%d,td3,lqg,%d,%d,%d\n", run, run, row, run * row);
    assert_ok(parse(text));
    free(text);
    assert_int_equal(foreign.count, RUNS);
    for (size_t run = 0; run < RUNS; run++) {
        assert_int_equal(foreign.runs[run].seed, run);
        assert_int_equal(foreign.runs[run].count, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(foreign.runs[run].points[i].step == (double)(i + 1));
            assert_true(foreign.runs[run].points[i].value == (double)(run * (i + 1)));
        }
    }
    wac_foreign_free(&foreign);
}

/* Any number of rows: also as many as there is room for at once. */
static void test_any_number(void **state)
{
    (void)state;
    char text[130 * 32];
    for (int rows = 1; rows <= 129; rows++) {
        char *end = stpcpy(text, HEADER);
        for (int row = 0; row < rows; row++)
            end += sprintf(end, "a,td3,lqg,1,%d,%d\n", row, 2 * row);
        assert_ok(parse(text));
        assert_int_equal(foreign.runs[0].count, rows);
        assert_true(foreign.runs[0].points[rows - 1].value == 2 * (rows - 1));
        wac_foreign_free(&foreign);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *line, *says;
    } cases[] = {
        {"", "x.csv:1:", "is empty"},
        {"\nrun\n", "x.csv:1:", "must name the columns"},
        {"run,algorithm,environment,seed,step\n", "x.csv:1:", "no column \"value\""},
        {"run,algorithm,environment,seed,step,value,Seed\n", "x.csv:1:", "two columns"},
        {HEADER, "x.csv", "has no row with a value"},
        {HEADER "a,td3,lqg,1,10,\n", "x.csv", "has no row with a value"},
        {HEADER "a,td3,lqg,1,10,1\na,td3,lqg,1,10\n", "x.csv:3:", "has 5 cells, the header has 6"},
        {HEADER "a,td3,lqg,1,10,\"1\n", "x.csv:2:", "cell 6 begins with a quote"},
        {HEADER "a,\"td\"3,lqg,1,10,1\n", "x.csv:2:", "cell 2 begins with a quote"},
        {HEADER "a,td3,lqg,one,10,1\n", "x.csv:2:", "column seed: \"one\""},
        {HEADER "a,td3,lqg,1.5,10,1\n", "x.csv:2:", "column seed: \"1.5\""},
        {HEADER "a,td3,lqg,-1,10,1\n", "x.csv:2:", "column seed"},
        {HEADER "\na,td3,lqg,1,-10,1\n", "x.csv:3:", "column step: \"-10\""},
        {HEADER "a,td3,lqg,1,,1\n", "x.csv:2:", "column step"},
        {HEADER "a,td3,lqg,1,10,inf\n", "x.csv:2:", "column value: \"inf\" is not a number"},
        {HEADER "a,,lqg,1,10,1\n", "x.csv:2:", "column algorithm"},
        {HEADER "a,td3,my world,1,10,1\n", "x.csv:2:", "environment \"my world\" is no good name"},
        {HEADER "a,td3,,1,10,1\n", "x.csv:2:", "environment"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(parse(cases[i].text), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, cases[i].line, cases[i].says);
        assert_true(!foreign.runs && foreign.count == 0);
    }
    memset(&error, 0, sizeof error);
    char zero[] = HEADER "a\0b";
    assert_int_equal(wac_foreign_parse(&foreign, zero, sizeof zero - 1, "x.csv", &error),
                     WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "x.csv", "not text");
}

static void test_epochs(void **state)
{
    (void)state;
    wac_config config;
    wac_history history;
    assert_ok(wac_config_init(&config, "lqg", "sac", &error));
    config.initial_steps = 100;
    config.explore_steps = 50;
    config.epochs = 10;
    assert_ok(parse(HEADER "a,td3,lqg,1,110,1\na,td3,lqg,1,149,2\na,td3,lqg,1,200,3\n"
                           "a,td3,lqg,1,260,4\nb,td3,lqg,2,5,6\n"));
    /* evaluations after 100, 150, 200, 250 steps; the next, after 300, it did not reach */
    assert_int_equal(wac_foreign_epochs(&foreign.runs[0], &config), 3);
    assert_ok(wac_foreign_place(&history, &foreign.runs[0], &config, &error));
    assert_int_equal(history.rows, 4);
    static const double steps[] = {100, 150, 200, 250}, values[] = {NAN, 2, 3, 3};
    for (int i = 0; i < 4; i++) {
        double value = history.columns[WAC_COLUMN_EVAL_RETURN][i];
        assert_true(value == values[i] || (isnan(value) && isnan(values[i])));
        assert_true(history.columns[WAC_COLUMN_ENV_STEPS][i] == steps[i]);
        assert_true(history.columns[WAC_COLUMN_EPOCH][i] == i);
        assert_true(isnan(history.columns[WAC_COLUMN_COVERAGE_SAMPLED][i]));
    }
    wac_history_free(&history);
    /* no further than asked for; and one that ended before the first */
    config.epochs = 1;
    assert_ok(wac_foreign_place(&history, &foreign.runs[0], &config, &error));
    assert_int_equal(history.rows, 2);
    wac_history_free(&history);
    assert_ok(wac_foreign_place(&history, &foreign.runs[1], &config, &error));
    assert_int_equal(history.rows, 1);
    assert_true(history.columns[WAC_COLUMN_EVAL_RETURN][0] == 6);
    wac_history_free(&history);
    wac_foreign_free(&foreign);
}

/* --- beside ours --------------------------------------------------------------------------- */

static wac_status load_two(const char *one, const char *other)
{
    const char *const paths[] = {one, other};
    memset(&error, 0, sizeof error);
    return wac_runset_load(&set, paths, other ? 2 : 1, true, &error);
}

/* Seeds 1 and 2 of a run of ours, of 4 epochs, evaluated after 1000, 2000 … steps. */
static void make_ours(const char *environment, double reached)
{
    for (int seed = 1; seed <= 2; seed++) {
        fake fake = {environment, "sac", seed,           4,   0, NULL, NULL,
                     NULL,        NULL,  seed * reached, NAN, 1, -2};
        make_fake(at("runs/%s-%d", environment, seed), &fake);
    }
}

static void check_group(size_t place, const char *task, const char *label, double mean)
{
    const wac_group *group = &set.groups[place];
    double values[16];
    assert_true(place < set.group_count);
    assert_string_equal(group->task_name, task);
    assert_string_equal(group->label, label);
    size_t count = wac_records_measure(values, NULL, group->runs, group->count, WAC_MEASURE_RETURN);
    if (isnan(mean))
        assert_int_equal(count, 0);
    else if (!(fabs(wac_mean(values, count) - mean) < 1e-9))
        fail_msg("%s: %g, not %g", label, wac_mean(values, count), mean);
}

/* Two algorithms of other programs, one of which has a name of ours. */
static const char *beside(void)
{
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, HEADER);
    for (int seed = 1; seed <= 3; seed++)
        for (int step = 500; step <= 9000; step += 500) {
            /* at 1000 … 5000 steps: seed + 1 … seed + 5; later ones are beyond our runs */
            used += (size_t)snprintf(text + used, sizeof text - used, "t%d,td3,LQG,%d,%d,%g\n",
                                     seed, seed, step, seed + step / 1000.0);
            used += (size_t)snprintf(text + used, sizeof text - used, "s%d,SAC,lqg,%d,%d,%d\n",
                                     seed, seed, step, step <= 5000 ? 10 * seed : 9999);
        }
    return text;
}

static void test_means(void **state)
{
    (void)state;
    make_ours("lqg", -2);
    save_text(at("other.csv"), beside());
    assert_ok(load_two(at("runs"), at("other.csv")));
    assert_int_equal(set.count, 8);
    assert_int_equal(set.task_count, 1);
    assert_int_equal(set.group_count, 3);
    check_group(0, "lqg", "sac", -3);
    check_group(1, "lqg", "SAC (other)", 20);
    check_group(2, "lqg", "td3", 5);
    assert_int_equal(set.groups[2].finished, 3);
    assert_int_equal(set.groups[2].runs[0]->history.rows, 5);
    assert_string_equal(set.groups[2].runs[0]->path, at("other.csv: t1"));
    assert_true(wac_record_is_foreign(set.groups[2].runs[0]));
    assert_false(wac_record_is_foreign(set.groups[0].runs[0]));
    for (size_t i = 0; i < WAC_SETTINGS_TOTAL; i++)
        assert_false(set.differs[i]); /* they have no settings */
    wac_runset_free(&set);
    /* in whichever order, and by themselves */
    assert_ok(load_two(at("other.csv"), at("runs")));
    check_group(2, "lqg", "td3", 5);
    wac_runset_free(&set);
    assert_ok(load_two(at("other.csv"), NULL));
    assert_int_equal(set.group_count, 2);
    check_group(1, "lqg", "td3", 7); /* up to 9000 steps */
    assert_int_equal(set.runs[0].config.epochs, 8);
    wac_runset_free(&set);
}

static void test_tasks(void **state)
{
    (void)state;
    make_ours("lqg", -2);
    save_text(at("other.csv"), HEADER "a,td3,HalfCheetah-v4,1,3000,1\nb,td3,halfcheetah,1,3000,2\n"
                                      "c,td3,Point-2-Sparse,1,3000,3\nd,td3,point-2,1,3000,4\n"
                                      "e,td3,lqg,1,3000,5\nf,ppo,halfcheetah,1,9000,6\n");
    assert_ok(load_two(at("runs"), at("other.csv")));
    check_group(0, "HalfCheetah-v4", "td3", 1);
    check_group(1, "halfcheetah", "ppo", NAN); /* nothing by where td3 ends */
    check_group(2, "halfcheetah", "td3", 2);
    check_group(3, "lqg", "sac", -3);
    check_group(4, "lqg", "td3", NAN); /* ends before ours do */
    assert_int_equal(set.groups[4].finished, 0);
    assert_int_equal(set.groups[4].runs[0]->history.rows, 3);
    check_group(5, "point-2", "td3", 4);
    check_group(6, "point-2-sparse", "td3", 3);
    assert_int_equal(set.task_count, 5);
    wac_runset_free(&set);
    /* our only task of that name is meant, though it is not as the preset has it; of two, the
     * preset's is */
    fake other = {"riverswim", "sac", 1, 2, 0, "path_limit", "50", NULL, NULL, 1, NAN, 1, -2};
    make_fake(at("river"), &other);
    save_text(at("river.csv"), HEADER "a,td3,riverswim,1,3000,1\n");
    assert_ok(load_two(at("river"), at("river.csv")));
    assert_int_equal(set.task_count, 1);
    wac_runset_free(&set);
    other.value = "60";
    make_fake(at("river/more/run"), &other); /* a run is not searched further */
    make_fake(at("rivers/one"), &other);
    other.value = "50";
    make_fake(at("rivers/two"), &other);
    assert_ok(load_two(at("rivers"), at("river.csv")));
    assert_int_equal(set.task_count, 3);
    check_group(2, "riverswim path_limit 300", "td3", 1);
    wac_runset_free(&set);
}

static void test_bad_tables(void **state)
{
    (void)state;
    make_ours("lqg", -2);
    save_text(at("bad.csv"), HEADER "a,td3,lqg,1,10,much\n");
    assert_ok(load_two(at("runs"), at("bad.csv")));
    assert_int_equal(set.count, 2);
    assert_int_equal(set.problem_count, 1);
    assert_string_equal(set.problems[0].path, at("bad.csv"));
    assert_non_null(strstr(set.problems[0].message, "bad.csv:2: column value: \"much\""));
    wac_runset_free(&set);
    assert_int_equal(load_two(at("bad.csv"), NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad.csv:2:", "much");
    save_text(at("one.csv"), HEADER "a,td3,lqg,1,5000,1\nb,td3,lqg,1,5000,2\n");
    assert_int_equal(load_two(at("one.csv"), NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "one.csv: a", "one.csv: b have the same algorithm");
    assert_int_equal(load_two(at("runs"), at("runs/lqg-1/progress.csv")), WAC_STATUS_OK);
    assert_non_null(strstr(set.problems[0].message, "progress.csv:1: has no column \"run\""));
    wac_runset_free(&set);
    save_text(at("one.csv"), "run;algorithm;environment;seed;step;value\na;td3;lqg;1;5000;1\n");
    assert_int_equal(load_two(at("one.csv"), NULL), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "one.csv:1:", "separated by commas, not by semicolons");
    save_text(at("one.csv"), beside());
    assert_int_equal(load_two(at("one.csv"), at("one.csv")), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "the table", "given twice");
    assert_int_equal(load_two(at("none.csv"), NULL), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "there is no file", at("none.csv"));
}

static void test_program(void **state)
{
    (void)state;
    make_ours("lqg", -2);
    save_text(at("other.csv"), beside());
    const outcome *result = wac("stats %s %s --measure return", at("runs"), at("other.csv"));
    assert_done(result);
    assert_non_null(strstr(result->out, "return of 8 runs"));
    assert_non_null(strstr(result->out, "SAC (other)"));
    result = wac("stats %s %s --json", at("runs"), at("other.csv"));
    assert_done(result);
    json_t *json = json_loads(result->out, 0, NULL);
    json_t *group = json_array_get(json_object_get(json, "groups"), 2);
    assert_string_equal(json_string_value(json_object_get(group, "algorithm")), "td3");
    assert_true(fabs(json_number_value(json_object_get(group, "mean")) - 5) < 1e-9);
    json_decref(json);
    /* what a table does not tell is said */
    result = wac("stats %s %s --measure episodes", at("runs"), at("other.csv"));
    assert_done(result);
    assert_non_null(strstr(result->err, "other.csv: t1 has no value for \"episodes\"; left out"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_columns), TEST(test_many),       TEST(test_any_number),
        TEST(test_refused), TEST(test_epochs),     TEST(test_means),
        TEST(test_tasks),   TEST(test_bad_tables), TEST(test_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
