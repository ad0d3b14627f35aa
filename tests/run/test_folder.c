/* The folder of a run: what is in it from the start, what its manifest and its table tell, what is
 * refused, and the table of columns that all this goes by. */
#include "run/folder.h"
#include "support/small_runs.h"

#include "base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* reading and looking fail while this is set */
static bool disk_fails;

static bool fails(void)
{
    if (disk_fails)
        errno = EIO;
    return disk_fails;
}

ssize_t read(int file, void *bytes, size_t size)
{
    return fails() ? -1 : syscall(SYS_read, file, bytes, size);
}

/* as hardened code calls it */
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);

ssize_t __read_chk(int file, void *bytes, size_t size, size_t room)
{
    (void)room;
    return read(file, bytes, size);
}

int access(const char *path, int mode)
{
    return fails() ? -1 : faccessat(AT_FDCWD, path, mode, 0);
}

int lstat(const char *path, struct stat *about)
{
    return fails() ? -1 : fstatat(AT_FDCWD, path, about, AT_SYMLINK_NOFOLLOW);
}

static void test_new_folder(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3), found;
    wac_history history;
    assert_false(wac_folder_is_run(at("run")));
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    assert_int_equal(entries(at("run")), 3);
    assert_true(wac_folder_is_run(at("run")));
    assert_int_equal(wac_folder_make(at("run"), &config, NULL, false, false, &error),
                     WAC_STATUS_INPUT);
    assert_int_equal(entries(root), 1);
    assert_ok(wac_folder_read_config(&found, at("run"), &error));
    assert_int_equal(found.epochs, 3);
    assert_ok(wac_history_read(&history, at("run"), &error));
    assert_int_equal(history.rows, 0);
    assert_false(wac_history_is_complete(&history, &config));
    assert_true(isnan(wac_history_mean(&history, WAC_COLUMN_EPOCH, 10)));
    wac_history_free(&history);
    char path[PATH_MAX];
    assert_false(wac_folder_find_checkpoint(path, at("run")));
    assert_ok(wac_directory_make(at("run/checkpoint.old"), &error));
    assert_true(wac_folder_find_checkpoint(path, at("run")));
    assert_string_equal(path, at("run/checkpoint.old"));
    wac_folder_tidy(at("run")); /* which keeps it, as the only one */
    assert_true(wac_folder_has(at("run"), WAC_FOLDER_CHECKPOINT_OLD));
    assert_ok(wac_directory_make(at("run/checkpoint"), &error));
    wac_folder_tidy(at("run"));
    assert_false(wac_folder_has(at("run"), WAC_FOLDER_CHECKPOINT_OLD));
    assert_false(wac_folder_is_untidy(at("run")));
    assert_false(wac_folder_is_untidy(at("nowhere")));
}

/* A thousand starts of the same process that were cut off: nobody is that unlucky. */
static void test_no_name_is_left(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(mkdir(at("run.%ld-%d.tmp", (long)getpid(), i), 0777), 0);
    assert_int_equal(wac_folder_make(at("run"), &config, NULL, false, false, &error),
                     WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("run"), "choose another one");
    assert_false(wac_path_exists(at("run")));
    assert_int_equal(rmdir(at("run.%ld-7.tmp", (long)getpid())), 0);
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    assert_int_equal(entries(root), 1); /* which tidies up */
}

/* Whoever tidies up leaves alone what another one is just making. */
static void test_tidied_while_made(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    pid_t tidier = fork();
    if (tidier == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (tidier == 0)
        wac_folder_tidy_starts(at("run"));
    for (int i = 0; i < 300; i++) {
        assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
        assert_int_equal(entries(at("run")), 3);
        remove_folder(at("run"));
    }
    kill(tidier, SIGKILL);
    assert_int_equal(waitpid(tidier, NULL, 0), tidier);
}

/* A setting that nobody knows is of the version that wrote the run, if that is another. */
static void test_later_version(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3), read;
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    char *text = contents(at("run/config.yaml"), NULL), later[1 << 15];
    snprintf(later, sizeof later, "%snever_heard_of: 1\n", text);
    free(text);
    save_text(at("run/config.yaml"), later);
    assert_int_equal(wac_folder_read_config(&read, at("run"), &error), WAC_STATUS_INPUT);
    assert_null(strstr(error.message, "written by"));
    save_text(at("run/manifest.json"), "{}");
    assert_int_equal(wac_folder_read_config(&read, at("run"), &error), WAC_STATUS_INPUT);
    assert_null(strstr(error.message, "written by"));
    save_text(at("run/manifest.json"), "{\"version\": \"99.1.0\"}");
    assert_int_equal(wac_folder_read_config(&read, at("run"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "never_heard_of", "written by wac 99.1.0");
}

static void test_manifest(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    wac_manifest manifest = manifest_of(at("run"));
    assert_string_equal(manifest.version, wac_version());
    assert_string_equal(manifest.commit, wac_commit());
    assert_true(manifest.processors > 0 && manifest.seconds == 0 && !manifest.finished);
    assert_ok(wac_manifest_note(at("run"), &config, 2.5, false, NULL, &error));
    manifest = manifest_of(at("run"));
    assert_true(manifest.seconds == 2.5 && !manifest.finished);
    assert_ok(wac_manifest_note(at("run"), &config, 3.25, true, NULL, &error));
    assert_true(manifest_of(at("run")).finished);
    /* one that is damaged tells nothing, and the next note makes it anew */
    static const char *const damaged[] = {"", "{\"finished\": \"tod", "[1]",
                                          "{\"seconds\": \"x\"}"};
    for (int i = 0; i < 4; i++) {
        save_text(at("run/manifest.json"), damaged[i]);
        manifest = manifest_of(at("run"));
        assert_true(!*manifest.version && manifest.seconds == 0 && !manifest.finished);
        assert_ok(wac_manifest_note(at("run"), &config, 1, true, NULL, &error));
        assert_true(manifest_of(at("run")).finished);
    }
    /* so does what is no file */
    assert_int_equal(unlink(at("run/manifest.json")), 0);
    assert_int_equal(mkdir(at("run/manifest.json"), 0777), 0);
    assert_false(manifest_of(at("run")).finished);
    /* and one that is packed without being there says that it was packed */
    char *text;
    size_t size;
    assert_ok(wac_manifest_pack(&text, &size, at("run"), &error));
    assert_ok(wac_manifest_parse(&manifest, text, size, &error));
    free(text);
    assert_true(manifest.packed && !manifest.finished);
}

/* A disk that fails for a moment has lost nothing: not the manifest, nor what is next to another
 * checkpoint that may be there or not. */
static void test_disk_that_fails(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    wac_manifest manifest;
    char path[PATH_MAX];
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    char *before = contents(at("run/manifest.json"), NULL);
    disk_fails = true;
    wac_status status = wac_manifest_note(at("run"), &config, 1, true, NULL, &error);
    disk_fails = false;
    assert_int_equal(status, WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("run/manifest.json"), "Input/output error");
    char *after = contents(at("run/manifest.json"), NULL);
    assert_string_equal(after, before);
    free(before);
    free(after);
    disk_fails = true;
    status = wac_manifest_read(&manifest, at("run"), &error);
    disk_fails = false;
    assert_int_equal(status, WAC_STATUS_IO);

    assert_ok(wac_directory_make(at("run/checkpoint.old"), &error));
    disk_fails = true;
    wac_folder_tidy(at("run"));
    bool has = wac_folder_has(at("run"), WAC_FOLDER_CHECKPOINT);
    status = wac_directory_make(at("fresh"), &error);
    if (status == WAC_STATUS_OK)
        status = wac_directory_replace(at("run/checkpoint"), at("fresh"), &error);
    disk_fails = false;
    assert_true(has); /* for all that is known */
    assert_int_equal(status, WAC_STATUS_IO);
    assert_true(wac_folder_find_checkpoint(path, at("run")));
    assert_string_equal(path, at("run/checkpoint.old"));
}

#define ROW(epoch, reached) #epoch ",0,0," #reached ",,,,,,,,,0,0,,\n"

static void save_rows(const char *rows)
{
    char text[1024];
    snprintf(text, sizeof text, "%s%s", WAC_COLUMN_HEADER, rows);
    save_text(at("run/progress.csv"), text);
}

static void test_history(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 2);
    wac_history history;
    assert_ok(wac_folder_make(at("run"), &config, NULL, false, false, &error));
    assert_ok(wac_directory_make(at("run/checkpoint"), &error));
    static const char *const files[] = {"agent", "replay", "run"};
    for (int i = 0; i < 3; i++)
        save_text(at("run/checkpoint/%s.safetensors", files[i]), "");
    save_rows(ROW(0, ) ROW(1, 4) ROW(2, 8));
    assert_ok(wac_history_read(&history, at("run"), &error));
    assert_int_equal(history.rows, 3);
    assert_true(wac_history_is_complete(&history, &config));
    assert_true(wac_history_mean(&history, WAC_COLUMN_EVAL_RETURN, 10) == 6);
    assert_true(wac_history_mean(&history, WAC_COLUMN_EVAL_RETURN, 1) == 8);
    assert_true(isnan(wac_history_mean(&history, WAC_COLUMN_Q_MEAN, 10)));
    wac_history_free(&history);
    assert_ok(wac_folder_check_finished(at("run"), &config, &error));
    assert_int_equal(wac_progress_last_epoch(at("run")), 2);
    /* the last whole row is known of a table that is cut */
    save_rows(ROW(0, ) ROW(1, 4) "2,0,0");
    assert_int_equal(wac_progress_last_epoch(at("run")), 1);
    assert_int_equal(wac_history_read(&history, at("run"), &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "is cut off"));
    assert_null(history.columns[0]);
    save_rows(ROW(0, ) ROW(1, 4));
    assert_int_equal(wac_folder_check_finished(at("run"), &config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "progress.csv has 2 rows instead of 3");
    config.stop_success = 1;
    assert_int_equal(wac_folder_check_finished(at("run"), &config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "progress.csv has lost its last rows");
    config.stop_success = 0;
    config.epochs = 1;
    assert_ok(wac_folder_check_finished(at("run"), &config, &error));
    assert_int_equal(unlink(at("run/checkpoint/replay.safetensors")), 0);
    assert_int_equal(wac_folder_check_finished(at("run"), &config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "checkpoint/replay.safetensors is missing");
    /* no line, no row */
    static const char *const nothing[] = {"", "\n", "epoch", "epoch\n"};
    for (int i = 0; i < 4; i++) {
        save_text(at("run/progress.csv"), nothing[i]);
        assert_int_equal(wac_progress_last_epoch(at("run")), 0);
    }
    save_rows("");
    config.stop_success = 1;
    assert_ok(wac_history_read(&history, at("run"), &error));
    assert_false(wac_history_is_complete(&history, &config));
    wac_history_free(&history);
    assert_int_equal(unlink(at("run/progress.csv")), 0);
    assert_int_equal(wac_history_read(&history, at("run"), &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("run/progress.csv"), "No such file");
    assert_int_equal(wac_folder_check_finished(at("run"), &config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "progress.csv is missing");
    assert_int_equal(wac_progress_last_epoch(at("run")), 0);
}

static void test_columns(void **state)
{
    (void)state;
    char text[256];
    wac_column column;
    wac_columns_join(text, sizeof text, true);
    assert_string_equal(text, "return, success, episodes, coverage, coverage_visited or online");
    wac_columns_join(text, sizeof text, false);
    assert_string_equal(text, "eval_return, eval_success, eval_episodes, coverage_sampled, "
                              "coverage_visited or explore_return");
    static const struct {
        const char *name;
        wac_column column;
    } cases[] = {
        {"return", WAC_COLUMN_EVAL_RETURN},
        {"eval-return", WAC_COLUMN_EVAL_RETURN},
        {"coverage", WAC_COLUMN_COVERAGE_SAMPLED},
        {"coverage-visited", WAC_COLUMN_COVERAGE_VISITED},
        {"eval_episodes", WAC_COLUMN_EVAL_EPISODES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(wac_column_find(&column, cases[i].name));
        assert_int_equal(column, cases[i].column);
    }
    static const char *const unknown[] = {"", "retur", "returns", "alpha", "epoch", "eval return"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(wac_column_find(&column, unknown[i]));
    /* what can be asked for can be drawn */
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++) {
        const wac_column_row *row = &wac_columns[i];
        assert_true(!row->short_name == !row->words && !row->words == !(row->least < row->most));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_new_folder),    TEST(test_no_name_is_left), TEST(test_tidied_while_made),
        TEST(test_later_version), TEST(test_manifest),        TEST(test_disk_that_fails),
        TEST(test_history),       TEST(test_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
