/* Folders that do not outlast the process. A second process, the keeper, makes the folder, waits at
 * one end of a socket until the first lets go of the other, as it does in whatever way it ends, and
 * then becomes rm. It is in a session of its own, where no Ctrl-C reaches it, and holds nothing
 * else open. */
#include "base/temporary.h"

#include "base/files.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the keeper tells: how it went, and where the folder is. */
typedef struct answer {
    wac_error error;
    char path[PATH_MAX];
} answer;

/* In the second process; it may be a copy of one with many threads, so that memory is left alone.
 */
static void keep(int leash, const char *name)
{
    answer answer = {.error = {0}};
    struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN}; /* which is when it is let go */
    setsid();
    int nowhere = open("/dev/null", O_RDWR);
    dup2(leash, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    bool made = wac_directory_temporary(answer.path, sizeof answer.path, name, &answer.error) ==
                WAC_STATUS_OK;
    if (send(STDIN_FILENO, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer)
        while (poll(&end, 1, -1) < 0 && errno == EINTR)
            ;
    if (made)
        execl("/bin/rm", "rm", "-rf", "--", answer.path, (char *)NULL);
    _exit(127);
}

/* -1 and errno; ends[0] is this process's. */
static pid_t start_keeper(int ends[2], const char *name)
{
    sigset_t every, before;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    /* what ends this process must not end the keeper, too, before it is out of reach */
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    pid_t keeper = fork();
    int failure = errno;
    if (keeper == 0)
        keep(ends[1], name);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (keeper < 0)
        close(ends[0]);
    errno = failure;
    return keeper;
}

wac_status wac_temporary_make(wac_temporary *folder, const char *name, wac_error *error)
{
    int ends[2];
    answer answer;
    ssize_t got;
    folder->keeper = start_keeper(ends, name);
    if (folder->keeper < 0)
        return wac_fail(error, WAC_STATUS_IO,
                        "cannot start the process that removes a temporary folder: %s",
                        strerror(errno));
    folder->leash = ends[0];
    do
        got = recv(folder->leash, &answer, sizeof answer, 0);
    while (got < 0 && errno == EINTR);
    if (got == sizeof answer && answer.error.status == WAC_STATUS_OK) {
        strcpy(folder->path, answer.path);
        return WAC_STATUS_OK;
    }
    wac_temporary_remove(folder);
    return wac_fail(error, WAC_STATUS_IO, "%s",
                    got == sizeof answer ? answer.error.message
                                         : "cannot make a temporary folder: its keeper has ended");
}

void wac_temporary_remove(wac_temporary *folder)
{
    close(folder->leash);
    while (waitpid(folder->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
}
