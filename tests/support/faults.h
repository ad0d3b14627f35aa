/* Calls that change the disk fail, or end the process, to order. They are caught by functions of
 * the same name, which stand before those of the C library: these two, and what a test adds of its
 * own.
 */
#ifndef WAC_TESTS_SUPPORT_FAULTS_H
#define WAC_TESTS_SUPPORT_FAULTS_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KILLED = 7 };

static struct {
    int at;       /* the call to strike, counted from 1, or 0 */
    bool kill;    /* end the process there instead of EIO */
    bool writing; /* for a test in which writes in a row count as one */
} fault;

static inline bool strike(void)
{
    fault.writing = false;
    if (fault.at == 0 || --fault.at > 0)
        return false;
    if (fault.kill)
        _exit(KILLED);
    errno = EIO;
    return true;
}

int rename(const char *from, const char *to)
{
    return strike() ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int fsync(int file)
{
    return strike() ? -1 : (int)syscall(SYS_fsync, file);
}

#endif
