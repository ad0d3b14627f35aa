/* A worker: a forked process that trains runs and tells through a pipe how it goes.
 *
 * A process, not a thread: whatever a run does to its memory or whatever ends it stays with it, and
 * the end of the pipe tells of that end at once. It saves its runs when it is asked to stop
 * (SIGTERM), also by the death of the sweep; Ctrl-C is the sweep's to handle.
 */
#include "sweep/worker.h"

#include "base/status.h"
#include "rl/cuda/steps.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- in the child ------------------------------------------------------------------------------*/

/* of the child's own process, which does nothing else */
static volatile int child_stop;

static void ask_child(int number)
{
    (void)number;
    __atomic_store_n(&child_stop, 1, __ATOMIC_RELAXED);
}

static sigset_t signals_to_stop(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

static _Noreturn void be_child(const wac_sweep_task *task, int pipe, pid_t parent)
{
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
    wac_sweep_child_train(task, pipe, &child_stop);
    _exit(0);
}

/* --- in the sweep ------------------------------------------------------------------------------*/

int wac_sweep_worker_start(wac_sweep_worker *worker, const wac_sweep_task *task, int lock)
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
        be_child(task, ends[1], parent);
    }
    close(ends[1]);
    *worker = (wac_sweep_worker){process, ends[0]};
    return 0;
}

/* The process is gone: how. */
static void conclude(wac_sweep_worker *worker, wac_sweep_message *message)
{
    int result = 0;
    while (waitpid(worker->process, &result, 0) < 0 && errno == EINTR)
        ;
    worker->process = 0;
    close(worker->pipe);
    *message = (wac_sweep_message){.word = WAC_SWEEP_WORD_GONE, .status = WAC_STATUS_IO};
    if (WIFSIGNALED(result))
        snprintf(message->reason, sizeof message->reason, "its process was ended by signal %d (%s)",
                 WTERMSIG(result), strsignal(WTERMSIG(result)));
    else
        snprintf(message->reason, sizeof message->reason,
                 "its process ended by itself with status %d", WEXITSTATUS(result));
}

bool wac_sweep_worker_read(wac_sweep_worker *worker, wac_sweep_message *message)
{
    ssize_t size;
    do
        size = read(worker->pipe, message, sizeof *message);
    while (size < 0 && errno == EINTR);
    if (size < 0 && errno == EAGAIN)
        return false;
    if (size != (ssize_t)sizeof *message)
        conclude(worker, message);
    return true;
}

void wac_sweep_worker_stop(const wac_sweep_worker *worker)
{
    if (worker->process > 0)
        kill(worker->process, SIGTERM);
}

wac_status wac_sweep_worker_probe(wac_device device, wac_error *error)
{
    int ends[2], result = 0;
    wac_error answer = {0};
    if (device != WAC_DEVICE_CUDA)
        return WAC_STATUS_OK;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot try the device: %s", strerror(errno));
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        int count;
        (void)wac_gpu_count(&count, &answer);
        while (write(ends[1], &answer, sizeof answer) < 0 && errno == EINTR)
            ;
        _exit(0);
    }
    int failure = errno;
    close(ends[1]);
    ssize_t size = 0;
    while (process > 0 && (size = read(ends[0], &answer, sizeof answer)) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    while (process > 0 && waitpid(process, &result, 0) < 0 && errno == EINTR)
        ;
    if (process < 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot try the device: %s", strerror(failure));
    if (size != (ssize_t)sizeof answer)
        return wac_fail(error, WAC_STATUS_IO,
                        "--device cuda ends the program that tries it; check the GPU's driver, or "
                        "use --device cpu");
    return answer.status == WAC_STATUS_OK ? WAC_STATUS_OK
                                          : wac_fail(error, answer.status, "%s", answer.message);
}
