/* What tests of files and folders share: what a file holds, and a child to do something in. */
#ifndef WAC_TESTS_SUPPORT_KEPT_FILES_H
#define WAC_TESTS_SUPPORT_KEPT_FILES_H

#include "support/folder.h"

enum { SKIPPED = 77 };

static inline bool holds(const char *path, const char *text)
{
    char *bytes;
    size_t size;
    if (wac_file_read(&bytes, &size, path, 1 << 20, NULL) != WAC_STATUS_OK)
        return false;
    bool same = size == strlen(text) && memcmp(bytes, text, size + 1) == 0;
    free(bytes);
    return same;
}

/* Exit code of the child that runs `body`. */
static inline int in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status = status_of(child);
    assert_true(status >= 0);
    return status;
}

#endif
