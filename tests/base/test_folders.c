/* Folders: made, placed, emptied and looked into, and what no path can name. */
#include "support/kept_files.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int setup(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    return make_root(base ? base : "/tmp", "folders");
}

static void test_join(void **state)
{
    (void)state;
    char path[8];
    assert_int_equal(wac_path_join(path, sizeof path, "a", "b", &error), WAC_STATUS_OK);
    assert_string_equal(path, "a/b");
    assert_int_equal(wac_path_join(path, sizeof path, "a/", "b", &error), WAC_STATUS_OK);
    assert_string_equal(path, "a/b");
    assert_int_equal(wac_path_join(path, sizeof path, "", "b", &error), WAC_STATUS_OK);
    assert_string_equal(path, "b");
    assert_int_equal(wac_path_join(path, sizeof path, "abcd", "ef", &error), WAC_STATUS_OK);
    assert_string_equal(path, "abcd/ef");
    assert_int_equal(wac_path_join(path, sizeof path, "abcd", "efg", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "abcd", "too long");
    assert_int_equal(wac_path_join(path, sizeof path, "a", "\x1b[m", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "in a has control characters", "choose another one");
}

/* Where TMPDIR says, or else where the system has them. */
static void test_temporary_folders(void **state)
{
    (void)state;
    char path[PATH_MAX], before[PATH_MAX] = "";
    if (getenv("TMPDIR"))
        snprintf(before, sizeof before, "%s", getenv("TMPDIR"));
    setenv("TMPDIR", root, 1);
    assert_ok(wac_directory_temporary(path, sizeof path, "name", &error));
    assert_memory_equal(path, at("name-"), strlen(at("name-")));
    assert_true(wac_path_is_folder(path));
    for (int unset = 0; unset < 2; unset++) {
        if (unset)
            unsetenv("TMPDIR");
        else
            setenv("TMPDIR", "", 1);
        assert_ok(wac_directory_temporary(path, sizeof path, "name", &error));
        assert_memory_equal(path, P_tmpdir "/name-", strlen(P_tmpdir "/name-"));
        remove_folder(path);
    }
    setenv("TMPDIR", at("nowhere"), 1);
    assert_int_equal(wac_directory_temporary(path, sizeof path, "name", &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("nowhere/name-"), "set TMPDIR to a place");
    if (*before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
}

static void test_make_and_remove_folders(void **state)
{
    (void)state;
    assert_int_equal(wac_directory_make(at("a"), &error), WAC_STATUS_OK);
    assert_int_equal(wac_directory_make(at("b//c/d"), &error), WAC_STATUS_OK);
    assert_int_equal(wac_directory_make(at("e/f/"), &error), WAC_STATUS_OK);
    assert_true(wac_path_exists(at("e/f")) && wac_path_exists(at("b/c/d")));
    assert_int_equal(wac_directory_make(at("b/c/d"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("b/c/d"),
                   "exists already; choose another name or remove it");
    assert_int_equal(wac_directory_make("", &error), WAC_STATUS_IO);

    save_text(at("file"), "x");
    assert_int_equal(wac_directory_make(at("file"), &error), WAC_STATUS_INPUT);
    assert_int_equal(wac_directory_make(at("file/x"), &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("file/x"), "Not a directory");
    assert_int_equal(wac_directory_remove(at("file"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("file"), "not a folder");
    assert_true(holds(at("file"), "x"));

    /* what a link points to stays */
    save_text(at("b/c/one"), "1");
    assert_int_equal(symlink(at("e"), at("b/c/link")), 0);
    assert_int_equal(wac_directory_remove(at("b"), &error), WAC_STATUS_OK);
    assert_false(wac_path_exists(at("b")));
    assert_true(wac_path_exists(at("e/f")));
    assert_int_equal(wac_directory_remove(at("b"), &error), WAC_STATUS_OK);
    /* also where the link itself is to go */
    assert_int_equal(symlink(at("e"), at("link")), 0);
    assert_int_equal(wac_directory_remove(at("link"), &error), WAC_STATUS_OK);
    assert_false(wac_path_exists(at("link")));
    assert_true(wac_path_exists(at("e/f")));
}

/* Deeper than a path can tell: said, and left alone. */
static void test_folders_too_deep(void **state)
{
    (void)state;
    char name[201], command[PATH_MAX + 16];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(mkdir(at("deep"), 0777), 0);
    int folder = open(at("deep"), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < PATH_MAX / 200 + 1; i++) {
        assert_int_equal(mkdirat(folder, name, 0777), 0);
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY);
        close(folder);
        folder = next;
    }
    assert_true(folder >= 0);
    close(folder);
    assert_int_equal(wac_directory_remove(at("deep"), &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot remove", "File name too long");
    assert_int_equal(wac_directory_place(at("placed"), at("deep"), &error), WAC_STATUS_IO);
    assert_true(wac_path_exists(at("deep/%s", name)));
    snprintf(command, sizeof command, "rm -r %s", at("deep"));
    assert_int_equal(system(command), 0);
}

/* A disk that hangs in a folder is not emptied with it. */
static void remove_around_a_disk(void)
{
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", at("folder/disk"), "tmpfs", 0, "size=64k"))
        _exit(SKIPPED);
    bool good = wac_file_write(at("folder/disk/a"), "old", 3, NULL) == WAC_STATUS_OK &&
                wac_directory_remove(at("folder"), &error) == WAC_STATUS_IO &&
                strstr(error.message, at("folder/disk")) && holds(at("folder/disk/a"), "old");
    _exit(good ? 0 : 1);
}

static void test_disks_are_left_alone(void **state)
{
    (void)state;
    assert_ok(wac_directory_make(at("folder/disk"), &error));
    int result = in_child(remove_around_a_disk);
    if (result == SKIPPED)
        skip();
    assert_int_equal(result, 0);
    assert_true(wac_path_exists(at("folder/disk")));
}

/* Only where nothing is; links in it are no concern of the disk. */
static void test_place(void **state)
{
    (void)state;
    assert_ok(wac_directory_make(at("fresh/inner"), &error));
    assert_int_equal(symlink("nowhere", at("fresh/link")), 0);
    save_text(at("file"), "x");
    assert_ok(wac_directory_make(at("folder/full"), &error));
    assert_int_equal(wac_directory_place(at("file"), at("fresh"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("file"), "exists already");
    assert_int_equal(wac_directory_place(at("folder"), at("fresh"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("folder"), "exists already");
    assert_int_equal(wac_directory_place(at("no/folder"), at("fresh"), &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("no/folder"), "check that the path is right");
    assert_ok(wac_directory_place(at("placed"), at("fresh"), &error));
    assert_true(wac_path_exists(at("placed/inner")) && !wac_path_exists(at("fresh")));
    char target[16] = "";
    assert_int_equal(readlink(at("placed/link"), target, sizeof target), 7);
}

static void test_leftovers(void **state)
{
    (void)state;
    static const char *const ours[] = {"a.1-0.tmp", "a.4711-12.tmp", "a.77.tmp"};
    static const char *const others[] = {"a.tmp", "a..tmp", "a.1x.tmp", "ab.1.tmp", "a.1.tmp.old"};
    assert_true(wac_directory_is_unused(root, "a"));
    assert_false(wac_directory_is_unused(at("nowhere"), "a"));
    for (int i = 0; i < 2; i++)
        save_text(at("%s", ours[i]), "half");
    assert_ok(wac_directory_make(at("%s/inner", ours[2]), &error));
    save_text(at("%s/inner/two", ours[2]), "half");
    assert_true(wac_directory_is_unused(root, "a"));
    assert_true(wac_directory_is_unused(root, NULL));
    for (int i = 0; i < 5; i++) {
        save_text(at("%s", others[i]), "mine");
        assert_false(wac_directory_is_unused(root, "a"));
        assert_int_equal(wac_directory_is_unused(root, NULL), i < 4);
        wac_directory_tidy(root, "a");
        assert_int_equal(entries(root), 1);
        assert_int_equal(unlink(at("%s", others[i])), 0);
    }
    /* a name that no program of ours makes is left alone, whatever it ends in */
    FILE *file = fopen(at("b\x01.tmp"), "w");
    assert_non_null(file);
    fclose(file);
    wac_directory_tidy(root, NULL);
    assert_int_equal(entries(root), 1);
}

/* A path that no system takes is refused by whoever gets it, and nothing is made on the way. */
static void test_paths_without_end(void **state)
{
    (void)state;
    enum { LONG = PATH_MAX + 100 };
    static char path[LONG + 1], almost[PATH_MAX];
    for (int i = 0; i < LONG; i++)
        path[i] = i % 100 ? 'a' : '/';
    wac_writer writer;
    char *bytes, made[PATH_MAX];
    bool flag;
    assert_int_not_equal(wac_file_write(path, "a", 1, &error), WAC_STATUS_OK);
    assert_message(WAC_STATUS_IO, "cannot write", "too long");
    assert_int_not_equal(wac_file_read(&bytes, NULL, path, 10, &error), WAC_STATUS_OK);
    assert_message(WAC_STATUS_IO, "cannot read", "too long");
    assert_int_not_equal(wac_directory_make(path, &error), WAC_STATUS_OK);
    assert_message(WAC_STATUS_IO, "cannot make", "too long");
    assert_int_not_equal(wac_directory_remove(path, &error), WAC_STATUS_OK);
    assert_message(WAC_STATUS_IO, "cannot remove", "too long");
    assert_int_not_equal(wac_directory_replace(path, at("fresh"), &error), WAC_STATUS_OK);
    assert_string_not_equal(error.message, "");
    assert_int_not_equal(wac_directory_place(at("placed"), path, &error), WAC_STATUS_OK);
    assert_int_not_equal(wac_directory_look(&flag, path, NULL, &error), WAC_STATUS_OK);
    assert_message(WAC_STATUS_IO, "cannot read", "too long");
    assert_false(wac_directory_is_unused(path, NULL));
    assert_int_equal(wac_path_join(made, sizeof made, path, "name", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "the path of name", "is too long");
    /* one that fits, but not with what is put behind it for a while */
    memcpy(almost, path, sizeof almost - 2);
    wac_writer_begin(&writer, almost);
    assert_int_equal(wac_writer_commit(&writer, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot write", "too long");
    assert_int_not_equal(wac_directory_replace(almost, at("fresh"), &error), WAC_STATUS_OK);
    assert_int_equal(entries(root), 0);
}

/* What cannot be looked into is not said to be unused, nor taken. */
static void test_folders_are_looked_into(void **state)
{
    (void)state;
    bool unused = false;
    assert_ok(wac_directory_make(at("folder"), &error));
    assert_ok(wac_directory_look(&unused, at("folder"), "", &error));
    assert_true(unused);
    save_text(at("folder/NAME.123-0.tmp"), "cut off");
    assert_ok(wac_directory_look(&unused, at("folder"), "NAME", &error));
    assert_true(unused);
    assert_ok(wac_directory_look(&unused, at("folder"), "OTHER", &error));
    assert_false(unused);
    /* a file is something */
    assert_ok(wac_directory_look(&unused, at("folder/NAME.123-0.tmp"), "", &error));
    assert_false(unused);
    assert_int_equal(wac_directory_look(&unused, at("nowhere"), "", &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "nowhere", "No such file");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, remove_root)
    const struct CMUnitTest tests[] = {
        TEST(test_join),
        TEST(test_temporary_folders),
        TEST(test_make_and_remove_folders),
        TEST(test_folders_too_deep),
        TEST(test_disks_are_left_alone),
        TEST(test_place),
        TEST(test_leftovers),
        TEST(test_paths_without_end),
        TEST(test_folders_are_looked_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
