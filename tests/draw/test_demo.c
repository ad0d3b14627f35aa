/* Pictures: two tiny runs give a PNG and an SVG that say what they should; whatever is missing or
 * broken gives one sentence and leaves nothing behind. Then the demo as a program: interrupted,
 * taken up again, finished, asked for more. */
#include "support/folder.h"

#include "draw/demo.h"
#include "run/columns.h"
#include "wac/wac.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>

static char path_before[8192];
static bool has_gnuplot;

static void assert_sentence(const char *part)
{
    if (!strstr(error.message, part))
        fail_msg("\"%s\" does not say \"%s\"", error.message, part);
    assert_null(strchr(error.message, '\n'));
}

static void train_tiny(const char *directory, const char *algorithm, const char *environment)
{
    wac_config config;
    wac_run *run;
    assert_int_equal(wac_config_init(&config, environment, algorithm, &error), WAC_STATUS_OK);
    config.epochs = 2;
    config.width = config.batch_size = 16;
    config.initial_steps = config.explore_steps = 50;
    config.updates = 10;
    config.evaluation_steps = 600;
    config.replay_capacity = 1000;
    assert_int_equal(wac_run_create(&run, &config, NULL, directory, NULL, &error), WAC_STATUS_OK);
    assert_int_equal(wac_run_train(run, &error), WAC_STATUS_OK);
    wac_run_destroy(run);
}

static int setup(void **state)
{
    (void)state;
    assert_int_equal(make_root("/tmp", "figures"), 0);
    snprintf(path_before, sizeof path_before, "%s", getenv("PATH") ? getenv("PATH") : "/usr/bin");
    has_gnuplot = system("gnuplot --version >/dev/null 2>&1") == 0;
    if (!has_gnuplot)
        print_message("gnuplot is not installed (package gnuplot-nox): no picture is drawn\n");
    assert_int_equal(wac_directory_make(at("temporary"), &error), WAC_STATUS_OK);
    assert_int_equal(wac_directory_make(at("empty"), &error), WAC_STATUS_OK);
    assert_int_equal(wac_directory_make(at("out"), &error), WAC_STATUS_OK);
    setenv("TMPDIR", at("temporary"), 1);
    train_tiny(at("wac"), "oe-wac", "riverswim");
    train_tiny(at("sac"), "sac", "riverswim");
    return 0;
}

static wac_status draw(void)
{
    return wac_figure_demo(at("wac"), at("sac"), at("out/demo"), &error);
}

static int restore_path(void **state)
{
    (void)state;
    return setenv("PATH", path_before, 1);
}

static unsigned big_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (unsigned)b[0] << 24 | (unsigned)b[1] << 16 | (unsigned)b[2] << 8 | b[3];
}

static void test_picture(void **state)
{
    (void)state;
    if (!has_gnuplot)
        skip();
    /* the second time over the first */
    for (int i = 0; i < 2; i++)
        assert_int_equal(draw(), WAC_STATUS_OK);
    assert_int_equal(entries(at("out")), 2);
    assert_int_equal(entries(at("temporary")), 0);

    char *bytes;
    size_t size;
    assert_int_equal(wac_file_read(&bytes, &size, at("out/demo.png"), 1 << 24, &error),
                     WAC_STATUS_OK);
    assert_true(size > 20000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    assert_int_equal(big_endian(bytes + 16), 1600);
    assert_int_equal(big_endian(bytes + 20), 1040);
    assert_memory_equal(bytes + size - 8, "IEND", 4);
    free(bytes);

    assert_int_equal(wac_file_read(&bytes, &size, at("out/demo.svg"), 1 << 24, &error),
                     WAC_STATUS_OK);
    assert_memory_equal(bytes, "<?xml", 5);
    assert_non_null(strstr(bytes + size - 16, "</svg>"));
    const char *const texts[] = {"Neither has learned to reach the prize yet",
                                 "Return",
                                 "Visited",
                                 "always swim up: 161.6",
                                 "Where SAC went",
                                 "Where OE-WAC went",
                                 "dark = never tried",
                                 "dark = found early, and known; bright = never tried",
                                 "position in the river",
                                 "crumb",
                                 "prize"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strstr(bytes, texts[i]))
            fail_msg("the SVG does not say \"%s\"", texts[i]);
    free(bytes);
}

static void test_without_gnuplot(void **state)
{
    (void)state;
    setenv("PATH", at("empty"), 1);
    int before = entries(at("out"));
    assert_int_equal(draw(), WAC_STATUS_INPUT);
    assert_sentence("gnuplot-nox");
    assert_int_equal(entries(at("out")), before);
    assert_int_equal(entries(at("temporary")), 0);
}

static void test_gnuplot_that_fails(void **state)
{
    (void)state;
    wac_directory_make(at("broken"), NULL);
    setenv("PATH", at("broken"), 1);
    int before = entries(at("out"));
    save_text(at("broken/gnuplot"),
              "#!/bin/sh\necho 'line 3: no such palette' >&2\necho >&2\nexit 3\n");
    assert_int_equal(chmod(at("broken/gnuplot"), 0755), 0);
    assert_int_equal(draw(), WAC_STATUS_IO);
    assert_sentence("exit status 3");
    assert_sentence("line 3: no such palette");

    save_text(at("broken/gnuplot"), "#!/bin/sh\nkill -9 $$\n");
    assert_int_equal(chmod(at("broken/gnuplot"), 0755), 0);
    assert_int_equal(draw(), WAC_STATUS_IO);
    assert_sentence("signal 9");

    save_text(at("broken/gnuplot"), "#!/bin/sh\nexit 0\n");
    assert_int_equal(chmod(at("broken/gnuplot"), 0755), 0);
    assert_int_equal(draw(), WAC_STATUS_IO);
    assert_sentence("picture");
    assert_int_equal(entries(at("out")), before);
    assert_int_equal(entries(at("temporary")), 0);
}

static void test_no_place_to_draw(void **state)
{
    (void)state;
    setenv("TMPDIR", at("nowhere"), 1);
    assert_int_equal(draw(), WAC_STATUS_IO);
    assert_sentence("TMPDIR");
    setenv("TMPDIR", at("temporary"), 1);
    if (!has_gnuplot)
        skip();
    assert_int_equal(wac_figure_demo(at("wac"), at("sac"), at("nowhere/demo"), &error),
                     WAC_STATUS_IO);
    assert_sentence("nowhere/demo.png");
    assert_int_equal(entries(at("temporary")), 0);
}

static void test_wrong_runs(void **state)
{
    (void)state;
    const char *out = at("wrong");
    assert_int_equal(wac_figure_demo(at("nowhere"), at("sac"), out, &error), WAC_STATUS_IO);
    assert_sentence("nowhere/progress.csv");
    assert_int_equal(wac_figure_demo(at("sac"), at("wac"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("is a run of sac on riverswim");
    assert_int_equal(wac_figure_demo(at("wac"), at("wac"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("is a run of oe-wac on riverswim");

    train_tiny(at("lqg"), "sac", "lqg");
    assert_int_equal(wac_figure_demo(at("wac"), at("lqg"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("is a run of sac on lqg");
    assert_int_equal(wac_directory_remove(at("lqg/checkpoint"), &error), WAC_STATUS_OK);
    assert_int_equal(wac_figure_demo(at("wac"), at("lqg"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("its checkpoint is gone");
    save_text(at("lqg/progress.csv"), "epoch,seconds\n0,1\n");
    assert_int_equal(wac_figure_demo(at("wac"), at("lqg"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("column 2 is seconds where this version has env_steps");
    save_text(at("lqg/progress.csv"), "epoch,seconds\n0,one\n");
    assert_int_equal(wac_figure_demo(at("wac"), at("lqg"), out, &error), WAC_STATUS_INPUT);
    assert_sentence("lqg/progress.csv");
    assert_int_equal(entries(at("temporary")), 0);
}

static void test_outcome(void **state)
{
    (void)state;
    wac_outcome outcome;
    assert_int_equal(wac_directory_make(at("table"), &error), WAC_STATUS_OK);
    save_text(at("table/progress.csv"), WAC_COLUMN_HEADER);
    assert_int_equal(wac_outcome_read(&outcome, at("table"), &error), WAC_STATUS_OK);
    assert_int_equal(outcome.last_epoch, -1);
    assert_true(isnan(outcome.best_return));

    char text[1024];
#define ROW(epoch, reached, visited, seconds)                                                      \
    epoch ",0,0," reached ",,,," visited ",,,,," seconds ",,,\n"
    snprintf(text, sizeof text, "%s%s", WAC_COLUMN_HEADER,
             ROW("0", "", "", "0.1") ROW("1", "0.15", "0.1", "2") ROW("2", "100", "0.2", "4")
                 ROW("3", "150", "0.4", "6") ROW("4", "90", "0.3", "8"));
    save_text(at("table/progress.csv"), text);
    assert_int_equal(wac_outcome_read(&outcome, at("table"), &error), WAC_STATUS_OK);
    assert_int_equal(outcome.last_epoch, 4);
    assert_int_equal(outcome.solved_epoch, 2);
    assert_true(outcome.best_return == 150 && outcome.last_return == 90);
    assert_true(outcome.visited == 0.3);
}

/* Start the demo, its output in root/said; `flag` may be null. */
static pid_t start_demo(const char *out, const char *flag, const char *value)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int file = open(at("said"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execl(WAC_PROGRAM, "wac", "demo", "--out", out, flag, value, (char *)NULL);
        _exit(127);
    }
    return child;
}

/* The exit status; what was said must contain `part`. */
static int finish_demo(pid_t child, const char *part)
{
    char *text;
    int status = status_of(child);
    assert_true(status >= 0);
    assert_int_equal(wac_file_read(&text, NULL, at("said"), 1 << 20, &error), WAC_STATUS_OK);
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text);
    free(text);
    return status;
}

/* From nothing, with the real settings: interrupted once both runs have begun, then to the end. */
static void test_demo(void **state)
{
    (void)state;
#ifdef WAC_SANITIZED
    skip(); /* minutes */
#endif
    pid_t child = start_demo(at("demo"), "--epochs", "1");
    for (int i = 0; i < 6000; i++) {
        if (wac_path_exists(at("demo/oe-wac/checkpoint")) &&
            wac_path_exists(at("demo/sac/checkpoint")))
            break;
        usleep(10000);
    }
    kill(child, SIGINT);
    char text[PATH_MAX + 64];
    snprintf(text, sizeof text, "go on with: wac demo --out %s --epochs 1\n", at("demo"));
    assert_int_equal(finish_demo(child, text), 1);
    child = start_demo(at("demo"), NULL, NULL);
    assert_int_equal(finish_demo(child, "Neither solved it in 1 epoch"), has_gnuplot ? 0 : 1);
    assert_int_equal(wac_path_exists(at("demo/demo.png")), has_gnuplot);
}

/* A finished demo, tiny: its picture is drawn again, and more epochs go on with it. */
static void test_demo_again(void **state)
{
    (void)state;
    assert_int_equal(wac_directory_make(at("tiny"), &error), WAC_STATUS_OK);
    train_tiny(at("tiny/oe-wac"), "oe-wac", "riverswim");
    train_tiny(at("tiny/sac"), "sac", "riverswim");
    int fine = has_gnuplot ? 0 : 1;
    assert_int_equal(finish_demo(start_demo(at("tiny"), NULL, NULL), "nothing to train"), fine);
    assert_int_equal(finish_demo(start_demo(at("tiny"), NULL, NULL), "Verdict after 2 epochs"),
                     fine);
    assert_int_equal(finish_demo(start_demo(at("tiny"), NULL, NULL), "last return"), fine);
    assert_int_equal(wac_path_exists(at("tiny/demo.png")), has_gnuplot);
    assert_int_equal(wac_path_exists(at("tiny/demo.svg")), has_gnuplot);

    pid_t child = start_demo(at("tiny"), "--epochs", "4");
    assert_int_equal(finish_demo(child, "sac     epoch 4/4  return"), fine);
    child = start_demo(at("tiny"), "--epochs", "5");
    assert_int_equal(finish_demo(child, "oe-wac  epoch 5/5  return"), fine);
    child = start_demo(at("tiny"), "--epochs", "3");
    assert_int_equal(finish_demo(child, "holds a demo of 5 epochs"), 2);
    child = start_demo(at("tiny"), "--seed", "7");
    assert_int_equal(finish_demo(child, "holds a demo with seed 1"), 2);

    /* the picture is all that gnuplot is needed for */
    setenv("PATH", at("empty"), 1);
    assert_int_equal(finish_demo(start_demo(at("tiny"), NULL, NULL), "both runs are whole"), 1);
    assert_int_equal(finish_demo(start_demo(at("tiny"), NULL, NULL), "gnuplot-nox"), 1);
}

/* The other story, likewise. */
static void test_demo_of_a_maze(void **state)
{
    (void)state;
#if !WAC_MUJOCO
    skip();
#endif
    assert_int_equal(wac_directory_make(at("maze"), &error), WAC_STATUS_OK);
    train_tiny(at("maze/oe-wac"), "oe-wac", "point-2");
    train_tiny(at("maze/sac"), "sac", "point-2");
    assert_int_equal(finish_demo(start_demo(at("maze"), "maze", NULL), "best success"),
                     has_gnuplot ? 0 : 1);
    assert_int_equal(wac_path_exists(at("maze/demo.png")), has_gnuplot);
    assert_int_equal(finish_demo(start_demo(at("maze"), NULL, NULL), "not one of this demo"), 2);
    assert_int_equal(finish_demo(start_demo(at("fresh"), "desert", NULL), "river and maze"), 2);
    assert_false(wac_path_exists(at("fresh")));
}

static void test_demo_in_foreign_folders(void **state)
{
    (void)state;
    int before = entries(at("wac"));
    assert_int_equal(finish_demo(start_demo(at("wac"), NULL, NULL), "holds no demo"), 2);
    assert_int_equal(entries(at("wac")), before);

    assert_int_equal(wac_directory_make(at("other"), &error), WAC_STATUS_OK);
    train_tiny(at("other/oe-wac"), "me-wac", "riverswim");
    assert_int_equal(finish_demo(start_demo(at("other"), NULL, NULL), "a run of me-wac"), 2);
    assert_int_equal(entries(at("other")), 1);

    save_text(at("plain"), "a file");
    assert_int_equal(finish_demo(start_demo(at("plain"), NULL, NULL), "holds no demo"), 2);
    assert_int_equal(finish_demo(start_demo(at("fresh"), "--epochs", "0"), "whole number"), 2);
    assert_false(wac_path_exists(at("fresh")));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, restore_path)
    const struct CMUnitTest tests[] = {
        TEST(test_picture),
        TEST(test_without_gnuplot),
        TEST(test_gnuplot_that_fails),
        TEST(test_no_place_to_draw),
        TEST(test_wrong_runs),
        TEST(test_outcome),
        TEST(test_demo),
        TEST(test_demo_again),
        TEST(test_demo_of_a_maze),
        TEST(test_demo_in_foreign_folders),
    };
    return cmocka_run_group_tests(tests, setup, remove_root);
}
