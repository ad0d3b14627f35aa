/* Files and folders survive: every system call that changes the disk fails once, or ends the
 * process, and afterwards the old or the new state is there, whole. */
#include "support/faults.h"
#include "support/folder.h"
#include "support/kept_files.h"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static struct {
    bool on;      /* a few bytes at a time, and interrupted in between */
    bool nothing; /* no bytes, and no error */
    int count;
} short_writes;

int unlink(const char *path)
{
    return strike() ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int rmdir(const char *path)
{
    return strike() ? -1 : unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

ssize_t write(int file, const void *bytes, size_t size)
{
    if (strike())
        return -1;
    if (short_writes.nothing)
        return 0;
    if (short_writes.on && short_writes.count++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return syscall(SYS_write, file, bytes, short_writes.on && size > 7 ? 7 : size);
}

static int setup(void **state)
{
    (void)state;
    memset(&fault, 0, sizeof fault);
    memset(&short_writes, 0, sizeof short_writes);
    const char *base = getenv("TMPDIR");
    return make_root(base ? base : "/tmp", "files");
}

static int teardown(void **state)
{
    memset(&fault, 0, sizeof fault);
    memset(&short_writes, 0, sizeof short_writes);
    return remove_root(state);
}

static void test_round_trip(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 4096, 1000003};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *bytes = malloc(sizes[i] + 1), *back;
        size_t size = 42;
        for (size_t j = 0; j < sizes[i]; j++)
            bytes[j] = (char)(j * 31 + j / 256);
        assert_int_equal(wac_file_write(at("a"), bytes, sizes[i], &error), WAC_STATUS_OK);
        assert_int_equal(wac_file_read(&back, &size, at("a"), sizes[i], &error), WAC_STATUS_OK);
        assert_int_equal(size, sizes[i]);
        assert_true(memcmp(back, bytes, size) == 0);
        assert_int_equal(back[size], 0);
        free(bytes);
        free(back);
    }
    assert_int_equal(entries(root), 1);
    assert_string_equal(error.message, "");
}

static void test_short_and_interrupted_writes(void **state)
{
    (void)state;
    short_writes.on = true;
    save_text(at("a"), "a sentence of more than seven bytes");
    short_writes.on = false;
    assert_true(short_writes.count >= 10);
    assert_true(holds(at("a"), "a sentence of more than seven bytes"));
}

/* A disk that takes nothing and says nothing is a broken one. */
static void test_writes_of_nothing(void **state)
{
    (void)state;
    save_text(at("a"), "old");
    short_writes.nothing = true;
    wac_status status = wac_file_write(at("a"), "new", 3, &error);
    int file = wac_open(at("a"), O_WRONLY | O_APPEND);
    int code = wac_file_append(file, "more", 4);
    short_writes.nothing = false;
    close(file);
    assert_int_equal(status, WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("a"), "Input/output error");
    assert_int_equal(code, EIO);
    assert_true(holds(at("a"), "old"));
    assert_int_equal(entries(root), 1);
}

/* What cannot be added is not there, also where nothing can be cut off again. */
static void test_adding_to_what_takes_nothing(void **state)
{
    (void)state;
    int ends[2];
    save_text(at("a"), "old");
    int file = wac_open(at("a"), O_RDONLY);
    assert_int_equal(wac_file_append(file, "more", 4), EBADF);
    close(file);
    assert_true(holds(at("a"), "old"));
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    void (*handler)(int) = signal(SIGPIPE, SIG_IGN);
    assert_int_equal(wac_file_append(ends[1], "more", 4), EPIPE);
    signal(SIGPIPE, handler);
    close(ends[1]);
}

static void test_advice(void **state)
{
    (void)state;
    static const struct {
        int code;
        const char *words;
    } cases[] = {
        {ENOSPC, "free some space"},  {EDQUOT, "free some space"}, {EACCES, "permissions"},
        {EPERM, "permissions"},       {EROFS, "can be written"},   {ENOENT, "path is right"},
        {ENOTDIR, "path is right"},   {EISDIR, "not a folder's"},  {EFBIG, "ulimit -f"},
        {EMFILE, "ulimit -n"},        {ENFILE, "ulimit -n"},       {ENAMETOOLONG, "shorter path"},
        {ENOMEM, "free some memory"}, {EIO, "check the disk"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_non_null(strstr(wac_file_advice(cases[i].code), cases[i].words));
}

/* Where a program has closed what it reads from and writes to, its files do not take that place. */
static void open_without_standard_files(void)
{
    for (int i = 0; i <= STDERR_FILENO; i++)
        close(i);
    int file = wac_open(at("a"), O_RDONLY), missing = wac_open(at("b"), O_RDONLY);
    char letter = 0;
    bool good = file > STDERR_FILENO && missing < 0 && errno == ENOENT &&
                read(file, &letter, 1) == 1 && letter == 'o' && fcntl(STDIN_FILENO, F_GETFD) < 0 &&
                fcntl(file, F_GETFD) == FD_CLOEXEC;
    _exit(good ? 0 : 1);
}

static void test_standard_files_are_nobodys(void **state)
{
    (void)state;
    save_text(at("a"), "old");
    assert_int_equal(in_child(open_without_standard_files), 0);
}

/* In "/", which is a folder of this test for a while. */
static void write_at_the_top(void)
{
    int top = open("/", O_RDONLY | O_DIRECTORY);
    if (chroot(root) || chdir("/"))
        _exit(SKIPPED);
    bool good = wac_file_write("/a", "new", 3, NULL) == WAC_STATUS_OK &&
                wac_directory_make("/b", NULL) == WAC_STATUS_OK && holds("/a", "new");
    _exit(fchdir(top) == 0 && chroot(".") == 0 && good ? 0 : 1);
}

static void test_files_at_the_top(void **state)
{
    (void)state;
    int result = in_child(write_at_the_top);
    if (result == SKIPPED)
        skip();
    assert_int_equal(result, 0);
    assert_true(holds(at("a"), "new") && wac_path_is_folder(at("b")));
    assert_false(wac_path_is_folder(at("a")));
    assert_false(wac_path_is_folder(at("none")));
}

static void test_permissions_follow_the_umask(void **state)
{
    (void)state;
    struct stat about;
    mode_t before = umask(027);
    save_text(at("a"), "x");
    umask(before);
    assert_int_equal(stat(at("a"), &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
}

static void test_other_temporary_file_is_left_alone(void **state)
{
    (void)state;
    char name[64];
    snprintf(name, sizeof name, "a.%ld-0.tmp", (long)getpid());
    save_text(at("%s", name), "somebody else's");
    save_text(at("a"), "x");
    assert_true(holds(at("%s", name), "somebody else's"));
    assert_true(holds(at("a"), "x"));
    assert_int_equal(entries(root), 2);
    /* nor are a thousand of them */
    for (int i = 1; i < 1000; i++) {
        FILE *file = fopen(at("a.%ld-%d.tmp", (long)getpid(), i), "w");
        assert_non_null(file);
        fclose(file);
    }
    assert_int_equal(wac_file_write(at("a"), "y", 1, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("a"), "File exists");
    assert_true(holds(at("a"), "x"));
    assert_int_equal(entries(root), 1001);
}

static void test_name_without_folder(void **state)
{
    (void)state;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(root), 0);
    wac_status status = wac_file_write("a", "x", 1, &error);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, WAC_STATUS_OK);
    assert_true(holds(at("a"), "x"));
}

static void test_write_that_fails_keeps_the_old_file(void **state)
{
    (void)state;
    int strikes = 0;
    for (int call = 1;; call++) {
        save_text(at("a"), "old");
        fault.at = call;
        wac_status status = wac_file_write(at("a"), "new", 3, &error);
        bool struck = fault.at == 0;
        fault.at = 0;
        assert_int_equal(entries(root), 1);
        if (!struck) {
            assert_int_equal(status, WAC_STATUS_OK);
            break;
        }
        assert_int_equal(status, WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, at("a"), "Input/output error; check the disk");
        /* the last call is the fsync of the folder, when the new file is in place */
        assert_true(holds(at("a"), call < 4 ? "old" : "new"));
        strikes++;
    }
    /* write, fsync, rename, fsync */
    assert_int_equal(strikes, 4);
}

static void write_new(void)
{
    wac_file_write(at("a"), "new", 3, NULL);
}

static void test_write_that_is_cut_off_keeps_the_old_file(void **state)
{
    (void)state;
    int kills = 0;
    for (int call = 1;; call++) {
        save_text(at("a"), "old");
        fault.at = call;
        fault.kill = true;
        int result = in_child(write_new);
        fault.at = 0;
        if (result == 0)
            break;
        assert_int_equal(result, KILLED);
        assert_true(holds(at("a"), call < 4 ? "old" : "new"));
        kills++;
    }
    assert_int_equal(kills, 4);
    assert_true(holds(at("a"), "new"));
}

static void test_limit_on_file_size(void **state)
{
    (void)state;
    static char bytes[100000];
    struct rlimit before, small;
    save_text(at("a"), "old");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 5000;
    setrlimit(RLIMIT_FSIZE, &small);
    wac_status status = wac_file_write(at("a"), bytes, sizeof bytes, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("a"), "File too large");
    assert_true(holds(at("a"), "old"));
    assert_int_equal(entries(root), 1);
}

/* a disk of 64 KB, seen by this process only */
static void fill_disk(void)
{
    static char bytes[1 << 20];
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", root, "tmpfs", 0, "size=64k"))
        _exit(SKIPPED);
    bool good = wac_file_write(at("a"), "old", 3, NULL) == WAC_STATUS_OK &&
                wac_file_write(at("a"), bytes, sizeof bytes, &error) == WAC_STATUS_IO &&
                strstr(error.message, at("a")) &&
                strstr(error.message, "No space left on device; free some space and try again") &&
                holds(at("a"), "old") && entries(root) == 1;
    _exit(good ? 0 : 1);
}

static void test_full_disk(void **state)
{
    (void)state;
    int result = in_child(fill_disk);
    if (result == SKIPPED) {
        print_message("not run: cannot mount a small disk here\n");
        skip();
    }
    assert_int_equal(result, 0);
}

static void write_without_permission(void)
{
    if (geteuid() == 0 && setuid(65534))
        _exit(SKIPPED);
    bool good = wac_file_write(at("locked/a"), "x", 1, &error) == WAC_STATUS_IO &&
                strstr(error.message, at("locked/a")) &&
                strstr(error.message, "Permission denied; check the permissions");
    _exit(good ? 0 : 1);
}

static void test_folder_without_permission(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("locked"), 0777), 0);
    assert_int_equal(chmod(at("locked"), 0555), 0);
    assert_int_equal(chmod(root, 0755), 0);
    int result = in_child(write_without_permission);
    assert_int_equal(entries(at("locked")), 0);
    if (result == SKIPPED)
        skip();
    assert_int_equal(result, 0);
}

static void test_write_to_wrong_places(void **state)
{
    (void)state;
    char name[300];
    assert_int_equal(wac_file_write(at("no/a"), "x", 1, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("no/a"),
                   "No such file or directory; check that the path is right");
    assert_int_equal(mkdir(at("folder"), 0777), 0);
    assert_int_equal(wac_file_write(at("folder"), "x", 1, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("folder"), "Is a directory");
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = 0;
    assert_int_equal(wac_file_write(at("%s", name), "x", 1, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, name, "File name too long; choose a shorter path");
    assert_int_equal(wac_file_write("", "x", 1, &error), WAC_STATUS_IO);
    assert_int_equal(wac_file_write(at("no/a"), "x", 1, NULL), WAC_STATUS_IO);
    assert_int_equal(entries(root), 1);
}

static void test_read_of_wrong_things(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    assert_int_equal(wac_file_read(&bytes, &size, at("no"), 10, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("no"),
                   "No such file or directory; check that the path is right");
    assert_null(bytes);
    assert_int_equal(wac_file_read(&bytes, &size, root, 10, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, root, "not a regular file");
    /* a pipe that nobody writes to must not hang */
    assert_int_equal(mkfifo(at("pipe"), 0666), 0);
    assert_int_equal(wac_file_read(&bytes, &size, at("pipe"), 10, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("pipe"), "not a regular file");
    save_text(at("a"), "12345");
    assert_int_equal(wac_file_read(&bytes, &size, at("a"), 4, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("a"), "5 bytes and at most 4");
    assert_null(bytes);
    assert_int_equal(wac_file_read(&bytes, NULL, at("a"), 5, &error), WAC_STATUS_OK);
    assert_string_equal(bytes, "12345");
    free(bytes);
    /* says that it is empty, but is not */
    assert_int_equal(wac_file_read(&bytes, &size, "/proc/self/status", 10, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "/proc/self/status", "changed meanwhile");
}

static void make_folder(const char *name, const char *text)
{
    assert_int_equal(wac_directory_make(at("%s/inner", name), &error), WAC_STATUS_OK);
    save_text(at("%s/one", name), text);
    save_text(at("%s/inner/two", name), text);
}

static bool is_whole(const char *name, const char *text)
{
    return holds(at("%s/one", name), text) && holds(at("%s/inner/two", name), text);
}

static void start_over(void)
{
    const char *names[] = {"run", "run.old", "run.new"};
    for (int i = 0; i < 3; i++)
        assert_int_equal(wac_directory_remove(at("%s", names[i]), &error), WAC_STATUS_OK);
    make_folder("run", "old");
    make_folder("run.new", "new");
}

static void test_replace(void **state)
{
    (void)state;
    make_folder("run.new", "first");
    assert_int_equal(wac_directory_replace(at("run"), at("run.new"), &error), WAC_STATUS_OK);
    assert_true(is_whole("run", "first"));
    make_folder("run.new", "second");
    assert_int_equal(wac_directory_replace(at("run/"), at("run.new"), &error), WAC_STATUS_OK);
    assert_true(is_whole("run", "second"));
    assert_int_equal(entries(root), 1);

    assert_int_equal(wac_directory_replace(at("run"), at("run.new"), &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, at("run.new"), "No such file or directory");
    assert_true(is_whole("run", "second"));

    /* names of a single letter, where one is */
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(root), 0);
    make_folder("n", "third");
    wac_status status = wac_directory_replace("r", "n", &error);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, WAC_STATUS_OK);
    assert_true(is_whole("r", "third"));
}

static void test_replace_after_a_cut(void **state)
{
    (void)state;
    /* cut off between the two renames */
    make_folder("run.old", "old");
    make_folder("run.new", "new");
    for (int call = 1; !wac_path_exists(at("run")); call++) {
        fault.at = call;
        wac_directory_replace(at("run"), at("run.new"), &error);
        fault.at = 0;
        /* the only whole one is not given up before there is another */
        assert_true(is_whole("run", "new") || is_whole("run.old", "old"));
    }
    /* cut off while the old one was being removed */
    assert_int_equal(wac_directory_remove(at("run.old/inner"), &error), WAC_STATUS_OK);
    wac_directory_make(at("run.old"), &error);
    make_folder("run.new", "newer");
    assert_int_equal(wac_directory_replace(at("run"), at("run.new"), &error), WAC_STATUS_OK);
    assert_true(is_whole("run", "newer"));
    assert_int_equal(entries(root), 1);
}

static void test_replace_that_fails_leaves_a_whole_folder(void **state)
{
    (void)state;
    int strikes = 0;
    for (int call = 1;; call++) {
        start_over();
        fault.at = call;
        wac_status status = wac_directory_replace(at("run"), at("run.new"), &error);
        bool struck = fault.at == 0;
        fault.at = 0;
        if (!struck) {
            assert_int_equal(status, WAC_STATUS_OK);
            break;
        }
        assert_int_equal(status, WAC_STATUS_IO);
        assert_message(WAC_STATUS_IO, root, "Input/output error");
        assert_true(is_whole("run", "old") || is_whole("run", "new"));
        strikes++;
    }
    /* four fsyncs, two renames, an fsync, four removals */
    assert_int_equal(strikes, 11);
    assert_true(is_whole("run", "new"));
    assert_int_equal(entries(root), 1);
}

static void replace(void)
{
    wac_directory_replace(at("run"), at("run.new"), NULL);
}

static void test_replace_that_is_cut_off_leaves_a_whole_folder(void **state)
{
    (void)state;
    int kills = 0, only_old = 0;
    for (int call = 1;; call++) {
        start_over();
        fault.at = call;
        fault.kill = true;
        int result = in_child(replace);
        fault.at = 0;
        if (result == 0)
            break;
        assert_int_equal(result, KILLED);
        bool there = is_whole("run", "old") || is_whole("run", "new");
        assert_true(there || is_whole("run.old", "old"));
        only_old += !there;
        kills++;
        /* and the next one goes through */
        wac_directory_remove(at("run.new"), NULL);
        make_folder("run.new", "newest");
        assert_int_equal(wac_directory_replace(at("run"), at("run.new"), &error), WAC_STATUS_OK);
        assert_true(is_whole("run", "newest"));
        assert_int_equal(entries(root), 1);
    }
    assert_int_equal(kills, 11);
    assert_int_equal(only_old, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),
        TEST(test_short_and_interrupted_writes),
        TEST(test_writes_of_nothing),
        TEST(test_adding_to_what_takes_nothing),
        TEST(test_advice),
        TEST(test_standard_files_are_nobodys),
        TEST(test_files_at_the_top),
        TEST(test_permissions_follow_the_umask),
        TEST(test_other_temporary_file_is_left_alone),
        TEST(test_name_without_folder),
        TEST(test_write_that_fails_keeps_the_old_file),
        TEST(test_write_that_is_cut_off_keeps_the_old_file),
        TEST(test_limit_on_file_size),
        TEST(test_full_disk),
        TEST(test_folder_without_permission),
        TEST(test_write_to_wrong_places),
        TEST(test_read_of_wrong_things),
        TEST(test_replace),
        TEST(test_replace_after_a_cut),
        TEST(test_replace_that_fails_leaves_a_whole_folder),
        TEST(test_replace_that_is_cut_off_leaves_a_whole_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
