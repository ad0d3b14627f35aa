/* Archives: what goes in comes out, in the same bytes whenever it is done, and tar agrees; what is
 * cut off, damaged or hostile is refused with one sentence. And folders that do not outlast the
 * process, however it ends. */
#include "base/archive.h"
#include "base/temporary.h"
#include "support/folder.h"
#include "support/hostile_archive.h"

#include <signal.h>
#include <sys/stat.h>

/* What came out, as one text. */
static pile seen;

static wac_status see(void *user, const char *name, const void *bytes, size_t size,
                      wac_error *failure)
{
    (void)user;
    (void)failure;
    pile_add(&seen, name, strlen(name));
    pile_add(&seen, "=", 1);
    pile_add(&seen, bytes, size);
    pile_add(&seen, ";", 1);
    return WAC_STATUS_OK;
}

static wac_status look(const char *path)
{
    free(seen.bytes);
    seen = (pile){0};
    memset(&error, 0, sizeof error);
    wac_status status = wac_archive_read(path, see, NULL, &error);
    pile_add(&seen, "", 1);
    return status;
}

static wac_status look_at(const pile *tar)
{
    pile packed = xz_of(tar);
    assert_ok(wac_file_write(at("bad.tar.xz"), packed.bytes, packed.size, &error));
    free(packed.bytes);
    return look(at("bad.tar.xz"));
}

static char long_name[300];

static void make(const char *path)
{
    wac_archive *archive;
    assert_ok(wac_archive_begin(&archive, path, &error));
    wac_archive_add(archive, "a/empty", NULL, 0);
    wac_archive_add(archive, "a/text", "hello\n", 6);
    wac_archive_add(archive, long_name, "far", 3);
    wac_archive_add(archive, "b", "last", 4);
    assert_ok(wac_archive_commit(archive, WAC_STATUS_OK, &error));
}

static int setup(void **state)
{
    (void)state;
    memset(long_name, 'x', sizeof long_name - 1);
    for (int i = 50; i < 299; i += 50)
        long_name[i] = '/';
    /* in memory where that is possible: an fsync on a busy disk takes long */
    return make_root(quick_disk(), "archive");
}

static void in_and_out(void **state)
{
    (void)state;
    char expected[512], command[3 * PATH_MAX];
    make(at("one.tar.xz"));
    assert_ok(look(at("one.tar.xz")));
    snprintf(expected, sizeof expected, "a/empty=;a/text=hello\n;%s=far;b=last;", long_name);
    assert_string_equal((char *)seen.bytes, expected);
    /* again, the same bytes */
    size_t sizes[2];
    make(at("two.tar.xz"));
    char *one = contents(at("one.tar.xz"), &sizes[0]), *two = contents(at("two.tar.xz"), &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(one, two, sizes[0]);
    free(one);
    free(two);
    /* tar unpacks it, and what tar packs is read, folders included */
    snprintf(command, sizeof command,
             "cd %s && mkdir out && tar -xf one.tar.xz -C out && test -f out/%s && tar -cJf "
             "three.tar.xz -C out a b",
             root, long_name);
    if (system("tar --version >/dev/null 2>&1 && xz --version >/dev/null 2>&1") != 0)
        return;
    assert_int_equal(system(command), 0);
    assert_ok(look(at("three.tar.xz")));
    assert_non_null(strstr((char *)seen.bytes, "a/text=hello\n;"));
    assert_non_null(strstr((char *)seen.bytes, "b=last;"));
}

static void whole_or_not_at_all(void **state)
{
    (void)state;
    wac_archive *archive;
    make(at("kept.tar.xz"));
    assert_ok(wac_archive_begin(&archive, at("kept.tar.xz"), &error));
    wac_archive_add(archive, "new", "x", 1);
    assert_int_equal(wac_archive_commit(archive, WAC_STATUS_INPUT, &error), WAC_STATUS_INPUT);
    assert_int_equal(entries(root), 1);
    assert_ok(look(at("kept.tar.xz")));
    assert_non_null(strstr((char *)seen.bytes, "b=last;"));
    assert_ok(wac_archive_begin(&archive, at("nowhere/x.tar.xz"), &error));
    wac_archive_add(archive, "new", "x", 1);
    assert_int_equal(wac_archive_commit(archive, WAC_STATUS_OK, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot write", "nowhere/x.tar.xz");
}

static void cut_or_damaged(void **state)
{
    (void)state;
    size_t size;
    make(at("one.tar.xz"));
    char *bytes = contents(at("one.tar.xz"), &size);
    for (size_t length = 0; length < size; length++) {
        assert_ok(wac_file_write(at("cut.tar.xz"), bytes, length, &error));
        assert_int_equal(look(at("cut.tar.xz")), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cut.tar.xz", "cut off or damaged");
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 0x10;
        assert_ok(wac_file_write(at("cut.tar.xz"), bytes, size, &error));
        assert_int_equal(look(at("cut.tar.xz")), WAC_STATUS_INPUT);
        bytes[i] ^= 0x10;
    }
    /* something behind it */
    bytes[size] = 0;
    assert_ok(wac_file_write(at("cut.tar.xz"), bytes, size + 1, &error));
    assert_int_equal(look(at("cut.tar.xz")), WAC_STATUS_INPUT);
    free(bytes);
    /* no xz, no tar, nothing in it, no end */
    pile tar = {0};
    tar_file(&tar, "a", "x");
    tar_end(&tar);
    assert_ok(wac_file_write(at("plain.tar.xz"), tar.bytes, tar.size, &error));
    assert_int_equal(look(at("plain.tar.xz")), WAC_STATUS_INPUT);
    tar.bytes[0] ^= 1; /* the checksum tells */
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    tar.bytes[0] ^= 1;
    tar.size -= 1024;
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    tar.size = 0;
    pile_add(&tar, "not a tar, but long enough", 26);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    tar.size = 0;
    tar_end(&tar);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    free(tar.bytes);
    assert_int_equal(look(at("none.tar.xz")), WAC_STATUS_IO);
}

static void names_that_lead_elsewhere(void **state)
{
    (void)state;
    static const char *const bad[] = {"/etc/passwd", "../up", "a/../../up", "..",
                                      "a/..",        "./a",   "a//b",       "a/./b",
                                      "a/",          "",      "a\nb",       "a\033[2J"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pile tar = {0};
        tar_file(&tar, "fine", "x");
        tar_file(&tar, bad[i], "x");
        tar_end(&tar);
        assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "bad.tar.xz", "leads elsewhere or is none");
        /* as a long one, too */
        tar.size = 0;
        tar_entry(&tar, "././@LongLink", 'L', "00000000100", bad[i], strlen(bad[i]) + 1);
        tar_file(&tar, "short", "x");
        tar_end(&tar);
        assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
        free(tar.bytes);
    }
    /* longer than a name can be, be it the last part or one before */
    for (int part = 0; part < 2; part++) {
        char name[304], says[12];
        memset(name, 'a', sizeof name);
        strcpy(name + 300, part ? "/a" : "");
        snprintf(says, sizeof says, "%011o", (unsigned)strlen(name) + 1);
        pile tar = {0};
        tar_entry(&tar, "././@LongLink", 'L', says, name, strlen(name) + 1);
        tar_file(&tar, "short", "x");
        tar_end(&tar);
        assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "bad.tar.xz", "leads elsewhere or is none");
        free(tar.bytes);
    }
}

/* The last entry as POSIX has it: a name in two parts. */
static void split_name(pile *tar, const char *prefix)
{
    uint8_t *head = tar->bytes + tar->size - 2 * 512;
    unsigned sum = 0;
    memcpy(head + 257, "ustar\00000", 8);
    snprintf((char *)head + 345, 155, "%s", prefix);
    memset(head + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += head[i];
    snprintf((char *)head + 148, 8, "%06o", sum);
}

/* As other programs write them: folders, blanks around sizes, names in two parts. */
static void archives_of_others(void **state)
{
    (void)state;
    pile tar = {0};
    tar_entry(&tar, "runs/", '5', "00000000000", "", 0);
    tar_entry(&tar, "more", '5', "0", "", 0);
    tar_entry(&tar, "a", '0', "  2 ", "xy", 2);
    tar_entry(&tar, "b", '\0', "3", "abc", 3);
    split_name(&tar, "runs/deep");
    tar_entry(&tar, "c", '0', "1", "z", 1);
    split_name(&tar, "");
    tar_end(&tar);
    assert_int_equal(look_at(&tar), WAC_STATUS_OK);
    assert_string_equal((char *)seen.bytes, "a=xy;runs/deep/b=abc;c=z;");
    /* a folder has nothing in it itself, and its name leads nowhere else either */
    tar.size = 0;
    tar_entry(&tar, "runs/", '5', "1", "x", 1);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    tar.size = 0;
    tar_entry(&tar, "../", '5', "0", "", 0);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    tar.size = 0;
    tar_file(&tar, "up", "x");
    split_name(&tar, "..");
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    free(tar.bytes);
}

static void no_plain_files(void **state)
{
    (void)state;
    for (const char *type = "123467xgKSVM"; *type; type++) {
        pile tar = {0};
        tar_entry(&tar, "thing", *type, "00000000000", NULL, 0);
        tar_end(&tar);
        assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "\"thing\"", "is a link or no plain file");
        free(tar.bytes);
    }
}

static void sizes_that_lie(void **state)
{
    (void)state;
    static const char *const sizes[] = {"00000000007", "77777777777", "0000000000x", "-0000000001",
                                        "\200\0\0\0\0\0\0\0\0\0\1"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        pile tar = {0};
        tar_entry(&tar, "thing", '0', sizes[i], NULL, 0);
        assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
        free(tar.bytes);
    }
}

/* Little that becomes much: stopped long before it fills anything. */
static void bombs(void **state)
{
    (void)state;
    enum { MANY = 100 << 20 };
    pile tar = {0}, zeros = {calloc(MANY, 1), MANY};
    assert_non_null(zeros.bytes);
    tar_entry(&tar, "zeros", '0', "00620000000", zeros.bytes, MANY);
    tar_end(&tar);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad.tar.xz", "would become more than 67 million");
    assert_int_equal(seen.size, 1);
    /* behind the end as well */
    tar.size = 0;
    tar_file(&tar, "a", "x");
    pile_add(&tar, zeros.bytes, zeros.size);
    assert_int_equal(look_at(&tar), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "bad.tar.xz", "would become more than");
    free(tar.bytes);
    free(zeros.bytes);
}

/* --- folders that do not last ------------------------------------------------------------------
 */

static bool is_gone(const char *path)
{
    for (int i = 0; i < 500 && wac_path_exists(path); i++)
        usleep(10000);
    return !wac_path_exists(path);
}

static void gone_when_told(void **state)
{
    (void)state;
    wac_temporary folder;
    char path[PATH_MAX + 8];
    assert_ok(wac_temporary_make(&folder, "wac-test", &error));
    snprintf(path, sizeof path, "%s/a", folder.path);
    assert_ok(wac_directory_make(path, &error));
    wac_temporary_remove(&folder);
    assert_false(wac_path_exists(folder.path));
    setenv("TMPDIR", at("nowhere"), 1);
    assert_int_equal(wac_temporary_make(&folder, "wac-test", &error), WAC_STATUS_IO);
    unsetenv("TMPDIR");
    assert_message(WAC_STATUS_IO, "temporary folder", "TMPDIR");
}

/* By whatever ends it, also a Ctrl-C that reaches its whole group. */
static void gone_with_the_process(void **state)
{
    (void)state;
    static const int ends[] = {0, SIGINT, SIGTERM, SIGKILL, SIGABRT};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        int ready[2];
        assert_int_equal(pipe(ready), 0);
        fflush(NULL);
        pid_t child = fork();
        if (child == 0) {
            wac_temporary folder;
            setpgid(0, 0);
            signal(SIGINT, SIG_DFL);
            signal(SIGABRT, SIG_DFL);
            if (wac_temporary_make(&folder, "wac-test", &error) != WAC_STATUS_OK ||
                write(ready[1], folder.path, sizeof folder.path) != sizeof folder.path)
                _exit(1);
            if (ends[i] == 0)
                _exit(0);
            for (;;)
                pause();
        }
        char path[PATH_MAX];
        close(ready[1]);
        size_t have = 0;
        for (ssize_t got;
             have < sizeof path && (got = read(ready[0], path + have, sizeof path - have)) > 0;)
            have += (size_t)got;
        assert_int_equal(have, sizeof path);
        close(ready[0]);
        if (ends[i])
            assert_int_equal(kill(-child, ends[i]), 0);
        assert_int_equal(status_of(child), -ends[i]);
        assert_true(is_gone(path));
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(in_and_out),         TEST(whole_or_not_at_all),
        TEST(cut_or_damaged),     TEST(names_that_lead_elsewhere),
        TEST(archives_of_others), TEST(no_plain_files),
        TEST(sizes_that_lie),     TEST(bombs),
        TEST(gone_when_told),     TEST(gone_with_the_process),
    };
    int failed = cmocka_run_group_tests_name("archive", tests, NULL, NULL);
    free(seen.bytes);
    return failed;
}
