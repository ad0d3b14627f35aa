/* A worker: a forked process that trains one run and tells through a pipe how it goes.
 *
 * A process, not a thread: whatever a run does to its memory or whatever ends it stays with it, and
 * the end of the pipe tells of that end at once. It saves its run when it is asked to stop
 * (SIGTERM), also by the death of the sweep; Ctrl-C is the sweep's to handle.
 */
#include "sweep/worker.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- in the child ------------------------------------------------------------------------------*/

/* of the child's own process, which trains nothing else */
static volatile int child_stop;

static void ask_child(int number)
{
    (void)number;
    child_stop = 1;
}

typedef struct teller {
    int pipe;
    double told; /* when */
    wac_sweep_message message;
} teller;

/* A message fits into a pipe whole or not at all. Progress can be dropped, the end can not. */
_Static_assert(sizeof(wac_sweep_message) <= PIPE_BUF, "a message must be written in one piece");

static void tell(teller *teller, bool must)
{
    while (write(teller->pipe, &teller->message, sizeof teller->message) < 0) {
        if (errno == EAGAIN && must)
            poll(&(struct pollfd){.fd = teller->pipe, .events = POLLOUT}, 1, -1);
        else if (errno != EINTR)
            return;
    }
}

static void tell_progress(void *user, const wac_progress *progress)
{
    teller *teller = user;
    double time = wac_clock_seconds();
    teller->message.progress = *progress;
    if (time - teller->told < 0.1)
        return;
    teller->told = time;
    tell(teller, false);
}

/* A worker of a sweep that was killed may still be saving the run: give it time. */
static void wait_for_run(const char *folder)
{
    enum { TRIES = 3000 };
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < TRIES && file >= 0 && !child_stop; i++) {
        if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    if (file >= 0)
        close(file);
}

static wac_status train(const wac_sweep_run *run, const char *directory, int processor,
                        teller *teller, wac_error *error)
{
    char folder[PATH_MAX];
    wac_run *made = NULL;
    wac_run_options options = wac_run_options_default();
    options.first_cpu = processor;
    options.progress = tell_progress;
    options.user = teller;
    options.stop = &child_stop;
    WAC_TRY(wac_path_join(folder, sizeof folder, directory, run->folder, error));
    wac_status status = WAC_STATUS_INPUT;
    if (!wac_path_exists(folder))
        status = wac_run_create(&made, &run->config, NULL, folder, &options, error);
    /* it was there, or somebody was faster */
    if (!made && wac_path_exists(folder)) {
        wait_for_run(folder);
        status = wac_run_resume(&made, folder, NULL, &options, run->config.epochs, error);
    }
    WAC_TRY(status);
    double start = wac_clock_seconds();
    status = wac_run_train(made, error);
    teller->message.seconds = wac_clock_seconds() - start;
    wac_run_destroy(made);
    return status;
}

static sigset_t signals_to_stop(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

static _Noreturn void be_child(const wac_sweep_run *run, const char *directory, int processor,
                               int pipe, pid_t parent)
{
    teller teller = {.pipe = pipe};
    wac_error error = {0};
    struct sigaction action = {.sa_handler = ask_child};
    sigset_t asked = signals_to_stop();
    sigemptyset(&action.sa_mask);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
    sigprocmask(SIG_UNBLOCK, &asked, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    wac_status status = train(run, directory, processor, &teller, &error);
    teller.message.word = WAC_SWEEP_WORD_END;
    teller.message.status = status;
    snprintf(teller.message.reason, sizeof teller.message.reason, "%.511s", error.message);
    tell(&teller, true);
    _exit(0);
}

/* --- in the sweep ------------------------------------------------------------------------------*/

int wac_sweep_worker_start(wac_sweep_worker *worker, const wac_sweep_run *run, size_t number,
                           const char *directory, int processor, int lock)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return errno;
    fflush(NULL); /* what is buffered is the parent's to write */
    /* a signal must not meet the child before it can listen */
    sigset_t asked = signals_to_stop(), before;
    sigprocmask(SIG_BLOCK, &asked, &before);
    pid_t process = fork();
    int failure = errno;
    if (process != 0)
        sigprocmask(SIG_SETMASK, &before, NULL);
    if (process < 0) {
        close(ends[0]);
        close(ends[1]);
        return failure;
    }
    if (process == 0) {
        close(ends[0]);
        if (lock >= 0)
            close(lock);
        be_child(run, directory, processor, ends[1], parent);
    }
    close(ends[1]);
    *worker = (wac_sweep_worker){.process = process, .pipe = ends[0], .run = number};
    return 0;
}

/* The process is gone: how, if it has not said so itself. */
static void conclude(wac_sweep_worker *worker)
{
    int result = 0;
    while (waitpid(worker->process, &result, 0) < 0 && errno == EINTR)
        ;
    worker->process = 0;
    close(worker->pipe);
    wac_sweep_message *last = &worker->last;
    if (last->word == WAC_SWEEP_WORD_END)
        return;
    last->word = WAC_SWEEP_WORD_END;
    last->status = WAC_STATUS_IO;
    last->seconds = 0;
    if (WIFSIGNALED(result))
        snprintf(last->reason, sizeof last->reason, "its process was ended by signal %d (%s)",
                 WTERMSIG(result), strsignal(WTERMSIG(result)));
    else
        snprintf(last->reason, sizeof last->reason, "its process ended by itself with status %d",
                 WEXITSTATUS(result));
}

void wac_sweep_worker_read(wac_sweep_worker *worker)
{
    wac_sweep_message message;
    ssize_t size;
    do {
        size = read(worker->pipe, &message, sizeof message);
        if (size == (ssize_t)sizeof message)
            worker->last = message;
    } while (worker->last.word != WAC_SWEEP_WORD_END && (size > 0 || (size < 0 && errno == EINTR)));
    /* a process that has said its last word is gone in no time */
    if (worker->last.word != WAC_SWEEP_WORD_END && size < 0 && errno == EAGAIN)
        return;
    conclude(worker);
}

void wac_sweep_worker_stop(const wac_sweep_worker *worker)
{
    if (worker->process > 0)
        kill(worker->process, SIGTERM);
}
