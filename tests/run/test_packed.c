/* Packed runs: what of a run goes into an archive, what can be done with it when it comes out, and
 * what cannot; and archives that hold something else. */
#include "support/hostile_archive.h"
#include "support/small_runs.h"

#include "base/tensors.h"
#include "run/folder.h"
#include "run/packed.h"
#include "run/visits.h"

#include <dlfcn.h>
#include <errno.h>

/* What is written is lost when a file is closed, while this is set. */
static bool disk_is_full;

int fclose(FILE *file)
{
    static int (*real)(FILE *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fclose");
    int result = real(file);
    if (!disk_is_full)
        return result;
    errno = ENOSPC;
    return EOF;
}

static int setup_packed(void **state)
{
    int status = setup(state);
    /* so that what is left behind is seen */
    return status || mkdir(at("tmp"), 0777) || setenv("TMPDIR", at("tmp"), 1);
}

static int end_packed(void **state)
{
    int left = entries(at("tmp"));
    unsetenv("TMPDIR");
    return remove_root(state) || left;
}

/* The run "run" below root, packed as "a/b" and unpacked. */
static wac_temporary through_archive(bool networks)
{
    wac_archive *archive;
    wac_temporary folder;
    assert_ok(wac_archive_begin(&archive, at("x.tar.xz"), &error));
    unsigned with = networks ? WAC_PACKED_NETWORKS | WAC_PACKED_CELLS : WAC_PACKED_CELLS;
    assert_ok(wac_packed_add(archive, "a/b", at("run"), with, &error));
    assert_ok(wac_archive_commit(archive, WAC_STATUS_OK, &error));
    assert_ok(wac_packed_open(&folder, at("x.tar.xz"), &error));
    return folder;
}

static const char *inside(const wac_temporary *folder, const char *name)
{
    static char paths[4][PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    assert_ok(wac_path_join(path, PATH_MAX, folder->path, name, &error));
    return path;
}

/* The cells of a packed run as somebody else left them. */
static void other_cells_are_refused(void **state)
{
    (void)state;
    double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS];
    wac_config config = tiny("riverswim", "oe-wac", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    wac_temporary folder = through_archive(false);
    char path[PATH_MAX];
    assert_ok(wac_folder_path(path, inside(&folder, "a/b"), WAC_FOLDER_CELLS, &error));
    char *whole = contents(path, NULL);
    const char *second = strchr(whole, '\n') + 1, *third = strchr(second, '\n') + 1;
    const struct {
        const char *row, *words;
    } others[] = {{NULL, "does not hold the numbers"}, /* one row too few */
                  {"1,\n", "does not hold the numbers"},
                  {",1\n", "does not hold the numbers"},
                  {"1,2,3\n", "cells"},
                  {"1,x\n", "x"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fprintf(out, "%.*s%s%s", (int)(second - whole), whole, others[i].row ? others[i].row : "",
                third);
        assert_int_equal(fclose(out), 0);
        assert_int_equal(wac_cells_read(sigma, visits, inside(&folder, "a/b"), &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, others[i].words, path);
    }
    /* other columns */
    save_text(path, "a\n1\n");
    assert_int_equal(wac_cells_read(sigma, visits, inside(&folder, "a/b"), &error),
                     WAC_STATUS_INPUT);
    free(whole);
    wac_temporary_remove(&folder);
}

/* The lines of a file, ends cut off; free() the first. */
static size_t cut_lines(char *lines[], size_t most, const char *path)
{
    size_t count = 0;
    for (char *line = contents(path, NULL), *end; *line && count < most; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = 0;
        lines[count++] = line;
    }
    return count;
}

/* Progress keeps what is judged by, to the letter, and the rest in every tenth row and the last. */
static void progress_is_thinned(void **state)
{
    (void)state;
    static const char *const aside[] = {"alpha",         "q_mean",  "sigma_visited",
                                        "sigma_uniform", "seconds", "explore_success"};
    enum { EPOCHS = 12, MOST = 20 };
    char *whole[MOST], *thin[MOST];
    wac_config config = tiny("riverswim", "oe-wac", EPOCHS);
    assert_ok(train_new(at("run"), &config, NULL));
    wac_temporary folder = through_archive(false);
    assert_int_equal(cut_lines(whole, MOST, at("run/progress.csv")), EPOCHS + 2);
    assert_int_equal(cut_lines(thin, MOST, inside(&folder, "a/b/progress.csv")), EPOCHS + 2);
    assert_string_equal(whole[0], thin[0]);
    size_t emptied = 0;
    for (int row = 0; row <= EPOCHS; row++) {
        bool kept = row == 0 || row == 10 || row == EPOCHS;
        char *a = whole[row + 1], *b = thin[row + 1];
        for (const char *names = whole[0]; *names; names += *names == ',') {
            bool left_out = false;
            size_t length = strcspn(names, ",");
            for (size_t i = 0; i < sizeof aside / sizeof *aside && !kept; i++)
                left_out |= strlen(aside[i]) == length && memcmp(names, aside[i], length) == 0;
            size_t was = strcspn(a, ","), is = strcspn(b, ",");
            assert_int_equal(is, left_out ? 0 : was);
            assert_memory_equal(a, b, is);
            emptied += left_out && was > 0;
            a += was + (a[was] == ',');
            b += is + (b[is] == ',');
            names += length;
        }
        assert_true(!*a && !*b);
    }
    assert_true(emptied > 3 * (EPOCHS - 2));
    free(whole[0]);
    free(thin[0]);
    wac_temporary_remove(&folder);
}

static void without_networks(void **state)
{
    (void)state;
    double sigma[2][WAC_COVERAGE_BINS], visits[2][WAC_COVERAGE_BINS];
    wac_config config = tiny("riverswim", "oe-wac", 2), read;
    wac_run *run;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_temporary folder = through_archive(false);
    const char *packed = inside(&folder, "a/b");
    assert_int_equal(entries(packed), 4);
    assert_true(same_file(at("run/config.yaml"), inside(&folder, "a/b/config.yaml"), false));
    /* what measures ask of the checkpoint */
    assert_ok(wac_cells_read(sigma[0], visits[0], at("run"), &error));
    assert_ok(wac_cells_read(sigma[1], visits[1], packed, &error));
    assert_memory_equal(sigma[0], sigma[1], sizeof sigma[0]);
    assert_memory_equal(visits[0], visits[1], sizeof visits[0]);
    /* finished and marked, by nobody in particular */
    char *text = contents(inside(&folder, "a/b/manifest.json"), NULL);
    assert_non_null(strstr(text, "\"packed\": true"));
    assert_null(strstr(text, "\"name\""));
    free(text);
    assert_true(manifest_of(packed).finished && manifest_of(packed).packed);
    assert_ok(wac_folder_read_config(&read, packed, &error));
    assert_ok(wac_folder_check_finished(packed, &read, &error));
    /* neither drawn nor resumed */
    assert_int_equal(wac_run_open(&run, packed, NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, packed, "was packed without its networks");
    assert_int_equal(train_on(packed, "riverswim", NULL, 5), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, packed, "can be read, judged and drawn, but not resumed");
    assert_int_equal(train_on(at("x.tar.xz/a/b"), "riverswim", NULL, 5), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "x.tar.xz/a/b is packed", "but not resumed");
    wac_temporary_remove(&folder);
    assert_int_equal(train_on(at("run"), "riverswim", NULL, 3), WAC_STATUS_OK);
}

/* A run that is older than a setting says in the archive what it did, whatever is usual today. */
static void settings_that_are_newer(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "top", 1);
    config.layers = 2;
    config.random_steps = 0;
    assert_ok(train_new(at("run"), &config, NULL));
    char *text = contents(at("run/config.yaml"), NULL);
    for (int i = 0; i < 2; i++) {
        char *line = strstr(text, i ? "\nrandom_steps: " : "\nlayers: ");
        assert_non_null(line);
        memmove(line, strchr(line + 1, '\n'), strlen(strchr(line + 1, '\n')) + 1);
    }
    save_text(at("run/config.yaml"), text);
    free(text);
    wac_temporary folder = through_archive(false);
    text = contents(inside(&folder, "a/b/config.yaml"), NULL);
    assert_non_null(strstr(text, "\nlayers: 2 "));
    assert_non_null(strstr(text, "\nrandom_steps: 0 "));
    free(text);
    wac_temporary_remove(&folder);
}

static int64_t sum_of(const float *numbers, int64_t count)
{
    int64_t filled = 0;
    for (int64_t i = 0; i < count; i++)
        filled += numbers[i] != 0;
    return filled;
}

/* Which arrays of an agent's file are not zero. */
static bool is_kept(const wac_tensor_file *file, const char *name)
{
    const wac_tensor *tensor = wac_tensor_file_find(file, name);
    assert_non_null(tensor);
    return sum_of(tensor->data, wac_tensor_elements(tensor)) > 0;
}

/* It acts, and where maps show that believes, as it did. */
static void with_networks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *environment = i ? "walk" : "riverswim";
        wac_config config = tiny(environment, "oe-wac", 2);
        wac_run *runs[2];
        assert_ok(train_new(at("run"), &config, NULL));
        wac_temporary folder = through_archive(true);
        const char *packed = inside(&folder, "a/b");
        assert_int_equal(entries(packed), i ? 4 : 5);
        assert_int_equal(entries(inside(&folder, "a/b/checkpoint")), 2);
        assert_ok(wac_run_open(&runs[0], at("run"), type_of(environment), NULL, &error));
        assert_ok(wac_run_open(&runs[1], packed, type_of(environment), NULL, &error));
        for (double x = 0; x < 1; x += 0.3) {
            double action[2], mean[2], std[2];
            for (int role = 0; role < 2; role++) {
                for (int k = 0; k < 2; k++)
                    wac_run_act(runs[k], (wac_policy_role)role, &x, &action[k]);
                assert_true(action[0] == action[1]);
            }
            for (int k = 0; k < 2; k++)
                wac_run_value(runs[k], &x, &action[0], &mean[k], &std[k]);
            assert_true((mean[0] == mean[1] && std[0] == std[1]) == (i == 0));
        }
        wac_run_destroy(runs[0]);
        wac_run_destroy(runs[1]);
        wac_tensor_file *file;
        assert_ok(wac_tensor_file_open(&file, inside(&folder, "a/b/checkpoint/agent.safetensors"),
                                       &error));
        assert_true(is_kept(file, "behaviour_policy/hidden0/weight"));
        assert_true(is_kept(file, "target_policy/mean/weight"));
        assert_true(is_kept(file, "std1/hidden0/weight") == (i == 0));
        assert_false(is_kept(file, "target_std1/hidden0/weight"));
        assert_false(is_kept(file, "adam/first/target_policy/mean/weight"));
        wac_tensor_file_close(file);
        assert_int_equal(train_on(packed, environment, NULL, 5), WAC_STATUS_INPUT);
        /* packed once more it is what it was */
        wac_archive *archive;
        size_t sizes[2];
        assert_ok(wac_archive_begin(&archive, at("again.tar.xz"), &error));
        assert_ok(
            wac_packed_add(archive, "a/b", packed, WAC_PACKED_NETWORKS | WAC_PACKED_CELLS, &error));
        assert_ok(wac_archive_commit(archive, WAC_STATUS_OK, &error));
        char *first = contents(at("x.tar.xz"), &sizes[0]);
        char *second = contents(at("again.tar.xz"), &sizes[1]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(first, second, sizes[0]);
        free(first);
        free(second);
        wac_temporary_remove(&folder);
        remove_folder(at("run"));
    }
}

static void paths_into_archives(void **state)
{
    (void)state;
    char archive[PATH_MAX];
    const char *rest;
    save_text(at("x.tar.xz"), "");
    assert_ok(wac_directory_make(at("y.tar.xz"), &error));
    assert_true(wac_packed_find(archive, &rest, at("x.tar.xz")));
    assert_string_equal(archive, at("x.tar.xz"));
    assert_string_equal(rest, "");
    assert_true(wac_packed_find(archive, &rest, at("x.tar.xz//a/b")));
    assert_string_equal(rest, "a/b");
    assert_false(wac_packed_find(archive, &rest, at("y.tar.xz/a")));
    assert_false(wac_packed_find(archive, &rest, at("x.tar.xzz")));
    assert_false(wac_packed_find(archive, &rest, at("z.tar.xz")));
    assert_true(wac_packed_exists(at("x.tar.xz/a")) && wac_packed_exists(at("y.tar.xz")));
    assert_false(wac_packed_exists(at("y.tar.xz/a")));
}

static wac_status open_tar(pile *tar)
{
    wac_temporary folder;
    tar_end(tar);
    pile packed = xz_of(tar);
    assert_ok(wac_file_write(at("bad.tar.xz"), packed.bytes, packed.size, &error));
    free(packed.bytes);
    free(tar->bytes);
    *tar = (pile){0};
    return wac_packed_open(&folder, at("bad.tar.xz"), &error);
}

/* Refused in a sentence, and nothing is left behind (see end_packed). */
static void archives_of_something_else(void **state)
{
    (void)state;
    static const char *const bad[] = {"config.yaml",
                                      "a/replay.safetensors",
                                      "a/checkpoint/replay.safetensors",
                                      "a/agent.safetensors",
                                      "a/config.yaml/x",
                                      "a/xconfig.yaml",
                                      "checkpoint/agent.safetensors"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pile tar = {0};
        tar_file(&tar, "b/config.yaml", "x");
        tar_file(&tar, bad[i], "x");
        assert_int_equal(open_tar(&tar), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "no archive of runs as \"wac pack\" makes it", bad[i]);
    }
    pile tar = {0};
    tar_file(&tar, "a/config.yaml", "x");
    tar_file(&tar, "a/config.yaml", "y");
    assert_int_equal(open_tar(&tar), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad.tar.xz", "holds a/config.yaml twice");
    /* a file where a folder must be */
    tar_file(&tar, "a/config.yaml", "x");
    tar_file(&tar, "a/config.yaml/config.yaml", "y");
    assert_int_equal(open_tar(&tar), WAC_STATUS_IO);
    tar_file(&tar, "../config.yaml", "x");
    assert_int_equal(open_tar(&tar), WAC_STATUS_INPUT);
    assert_false(wac_path_exists(at("tmp/config.yaml")));
}

/* A disk that says at the end that there is no room: the sentence has its reason. */
static void there_is_no_room(void **state)
{
    (void)state;
    pile tar = {0};
    tar_file(&tar, "a/config.yaml", "x");
    disk_is_full = true;
    errno = 0;
    wac_status status = open_tar(&tar);
    disk_is_full = false;
    assert_int_equal(status, WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "No space left on device", "set TMPDIR to a place that has room");
}

#define PACKED(name) cmocka_unit_test_setup_teardown(name, setup_packed, end_packed)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PACKED(other_cells_are_refused),
        PACKED(progress_is_thinned),
        PACKED(without_networks),
        PACKED(settings_that_are_newer),
        PACKED(with_networks),
        PACKED(paths_into_archives),
        PACKED(archives_of_something_else),
        PACKED(there_is_no_room),
    };
    return cmocka_run_group_tests_name("packed", tests, NULL, NULL);
}
