/* Runs that versions before this one have made (tests/old_runs; docs/format.md): those of a format
 * that is read are checked, evaluated, reported and go on like any other; those of one that is not
 * are refused with the way out, and left as they are. */
#include "support/program.h"

#include <glob.h>

#define OLD_RUNS WAC_SOURCE_DIR "/tests/old_runs/"

static const char *const names[] = {"sac", "oe-wac"}; /* of each format that is read */

/* A copy of a kept run, to be changed. */
static void copy_run(const char *name)
{
    pid_t child = fork();
    if (child == 0) {
        execlp("cp", "cp", "-r", OLD_RUNS, at("old"), (char *)NULL);
        _exit(127);
    }
    assert_int_equal(status_of(child), 0);
    assert_int_equal(rename(at("old/%s", name), at("run")), 0);
    remove_folder(at("old"));
}

static char *format_of(const char *directory)
{
    wac_tensor_file *file;
    char path[PATH_MAX];
    assert_ok(wac_path_join(path, sizeof path, directory, "checkpoint/run.safetensors", &error));
    assert_ok(wac_tensor_file_open(&file, path, &error));
    char *format = strdup(wac_tensor_file_metadata(file, "format"));
    wac_tensor_file_close(file);
    return format;
}

/* Rows up to the one of an epoch. */
static void keep_rows(char *text, int epoch)
{
    for (int i = 0; i < epoch + 2; i++)
        text = strchr(text, '\n') + 1;
    *text = 0;
}

/* A run that went on, and one of this version from its beginning, where this processor and version
 * give the numbers that the old run has. */
static void compare_with_new(const char *old, const char *algorithm)
{
    const bool running = strcmp(algorithm, "oe-wac") == 0;
    char path[PATH_MAX];
    assert_done(wac("train lqg --algorithm %s " SMALL " --normalisation %s --epochs 3 --out %s",
                    algorithm, running ? "running" : "bounds", at("new")));
    assert_ok(wac_path_join(path, sizeof path, old, "progress.csv", &error));
    char *then = contents(path, NULL), *now = contents(at("new/progress.csv"), NULL);
    forget_seconds(then);
    forget_seconds(now);
    keep_rows(now, 2);
    bool same = strcmp(then, now) == 0;
    free(then);
    free(now);
    if (same)
        assert_same_runs(at("run"), at("new"));
    else
        print_message("other numbers than in %s: not compared any further\n", old);
    remove_folder(at("new"));
}

static void try_run(int version, const char *algorithm)
{
    char name[64], old[PATH_MAX];
    snprintf(name, sizeof name, "format-%d-%s", version, algorithm);
    snprintf(old, sizeof old, OLD_RUNS "%s", name);
    copy_run(name);
    const outcome *result = wac("check %s", at("run"));
    assert_done(result);
    assert_non_null(strstr(result->out, "whole"));
    result = wac("evaluate %s", at("run"));
    assert_done(result);
    char evaluated[PATH_MAX + 16];
    snprintf(evaluated, sizeof evaluated, "%s.evaluated", old);
    char *expected = contents(evaluated, NULL);
    assert_string_equal(result->out, expected);
    free(expected);
    assert_done(wac("stats %s", at("run")));
    assert_done(wac("report %s --out %s", at("run"), at("page")));
    remove_folder(at("page"));
    assert_done(wac("pack %s --out %s", at("run"), at("packed.tar.xz")));
    assert_done(wac("train --resume %s --epochs 3", at("run")));
    char *format = format_of(at("run"));
    assert_string_equal(format, "wac-checkpoint-4");
    free(format);
    compare_with_new(old, algorithm);
    remove_folder(at("run"));
    assert_int_equal(unlink(at("packed.tar.xz")), 0);
}

static void runs_of_formats_that_are_read(void **state)
{
    (void)state;
    for (int version = 3; version <= 4; version++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            try_run(version, names[i]);
}

static void runs_of_formats_that_are_not(void **state)
{
    (void)state;
    for (int version = 1; version <= 2; version++) {
        char name[64], says[64], old[PATH_MAX];
        snprintf(name, sizeof name, "format-%d-sac", version);
        snprintf(says, sizeof says, "has the format wac-checkpoint-%d,", version);
        snprintf(old, sizeof old, OLD_RUNS "%s", name);
        copy_run(name);
        assert_says(wac("evaluate %s", at("run")), 1, says);
        assert_says(wac("evaluate %s", at("run")), 1, "use the version that wrote it");
        assert_says(wac("train --resume %s --epochs 3", at("run")), 1, "or train the run again");
        assert_says(wac("render %s", at("run")), 1, says);
        /* what is told by its rows is told still */
        const outcome *result = wac("stats %s", at("run"));
        assert_done(result);
        assert_non_null(strstr(result->out, "sac"));
        /* and nothing has been changed */
        assert_same_runs(old, at("run"));
        remove_folder(at("run"));
    }
}

/* A run is kept of every format, so that whoever raises the number keeps one, too. */
static void every_format_is_kept(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob(OLD_RUNS "format-*-sac", 0, NULL, &found), 0);
    assert_done(wac("train lqg --algorithm sac " SMALL " --epochs 1 --out %s", at("run")));
    char *format = format_of(at("run")), last[64];
    snprintf(last, sizeof last, "wac-checkpoint-%zu", found.gl_pathc);
    assert_string_equal(format, last);
    free(format);
    globfree(&found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_of_formats_that_are_read),
        TEST(runs_of_formats_that_are_not),
        TEST(every_format_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
