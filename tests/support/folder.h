/* What most tests share: a folder for each test, its files, the last error, the end of a child. */
#ifndef WAC_TESTS_SUPPORT_FOLDER_H
#define WAC_TESTS_SUPPORT_FOLDER_H

#include "base/files.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char root[PATH_MAX]; /* of one test */
static wac_error error;

/* In memory where that is possible: a sync on a busy disk takes long. */
static inline const char *quick_disk(void)
{
    return access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp";
}

/* A new root below `base`, and no error yet; 0 if that went well. */
static inline int make_root(const char *base, const char *name)
{
    snprintf(root, sizeof root, "%s/wac-%s-XXXXXX", base, name);
    memset(&error, 0, sizeof error);
    return mkdtemp(root) ? 0 : -1;
}

static inline int remove_root(void **state)
{
    (void)state;
    return wac_directory_remove(root, &error) == WAC_STATUS_OK ? 0 : -1;
}

/* A path below root; the 64 latest stay valid. */
__attribute__((format(printf, 1, 2))) static inline const char *at(const char *format, ...)
{
    static char paths[64][PATH_MAX];
    static int next;
    char *path = paths[next++ % 64], name[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    assert_true(snprintf(path, PATH_MAX, "%s/%s", root, name) < PATH_MAX);
    return path;
}

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        if ((call) != WAC_STATUS_OK)                                                               \
            fail_msg("%s: %s", #call, error.message);                                              \
    } while (0)

/* The last error is one sentence with these parts. */
static inline void assert_message(wac_status status, const char *one, const char *other)
{
    assert_int_equal(error.status, status);
    if (!strstr(error.message, one) || !strstr(error.message, other))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", error.message, one, other);
    assert_null(strchr(error.message, '\n'));
}

static inline void remove_folder(const char *path)
{
    assert_ok(wac_directory_remove(path, &error));
}

/* noinline: gcc 12 takes the result for a pointer to `bytes` */
__attribute__((noinline, unused)) static char *contents(const char *path, size_t *size)
{
    char *bytes;
    assert_ok(wac_file_read(&bytes, size, path, SIZE_MAX / 2, &error));
    return bytes;
}

static inline void save_text(const char *path, const char *text)
{
    assert_ok(wac_file_write(path, text, strlen(text), &error));
}

static inline int entries(const char *path)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int count = -2; /* . and .. */
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* How a child ended: its exit status, or minus the signal. */
static inline int status_of(pid_t child)
{
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
}

#endif
