/* wac watch: a page in the browser that shows runs while they train. */
#include "watch.h"

#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/suggest.h"
#include "watch/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char help[] =
    "wac watch: see runs in the browser while they train\n"
    "\n"
    "Usage\n"
    "  wac watch [DIR...] [--port N] [--listen ADDRESS] [--allow-stop]\n"
    "\n"
    "DIR is a run, a sweep or any folder of runs (without one: runs, or else this\n"
    "folder); more may come into it later. The page that it tells the address of\n"
    "shows all of them in a table and as curves; of one run what it has seen and\n"
    "what it is unsure of, epoch by epoch, what the agent thinks of a state, and\n"
    "both of its policies at play. Going back through time needs the maps that\n"
    "\"wac train ... --maps\" keeps; the rest works for every run.\n"
    "\n"
    "Folders are only read, and who trains there is not disturbed. The page needs\n"
    "no network. Ctrl-C ends it.\n"
    "\n"
    "Flags\n"
    "  --port N            where the page is (8740, or another if that is taken)\n"
    "  --listen ADDRESS    for other machines, too: 0.0.0.0, or one of this one's\n"
    "                      addresses; then the address of the page has a secret in\n"
    "                      it, without which nothing is shown\n"
    "  --allow-stop        runs can be stopped from the page, as by Ctrl-C: they\n"
    "                      save themselves and can go on (with a secret, too)\n"
    "\n"
    "Examples\n"
    "  wac watch\n"
    "  wac watch sweeps/mine\n"
    "  wac train point-2 --watch             train a run, and watch that one\n"
    "  wac watch runs --listen 0.0.0.0       from another machine, not encrypted;\n"
    "                                        ssh -L 8740:localhost:8740 MACHINE is\n"
    "                                        better where others listen\n";

static int64_t port;
static const char *listen_at = WAC_WATCH_HERE;
static bool allow_stop;
static const cli_option options[] = {
    {"port", .count = &port, .smallest = 1, .largest = 65535},
    {"listen", .text = &listen_at},
    {"allow-stop", .on = &allow_stop},
    {0},
};

static void tell_address(void *user, const char *url)
{
    (void)user;
    printf("%s\n", url);
    fflush(stdout);
}

static int serve(char **folders, size_t count, void (*ready)(void *, const char *), void *user,
                 const volatile int *stop)
{
    wac_error error = {0};
    wac_status status = wac_watch_serve(&(wac_watch_options){.folders = folders,
                                                             .count = count,
                                                             .address = listen_at,
                                                             .port = (int)port,
                                                             .allow_stop = allow_stop,
                                                             .ready = ready,
                                                             .user = user,
                                                             .stop = stop},
                                        &error);
    return status == WAC_STATUS_OK ? CLI_OK : cli_blame(&error);
}

static int run(char **words)
{
    size_t count = 0;
    char *usual[] = {wac_path_exists("runs") ? "runs" : ".", NULL};
    char **folders = words[0] ? words : usual;
    for (; folders[count]; count++)
        if (!wac_path_is_folder(folders[count]) && !wac_path_exists(folders[count]))
            return cli_refuse("there is no folder %s; check that the path is right",
                              WAC_CLIP(folders[count])),
                   CLI_FAILED;
    return serve(folders, count, tell_address, NULL, cli_stop_on_signals("stopped at once"));
}

/* --- beside training -------------------------------------------------------------------------- */

static volatile int ended;

static void note_end(int signal)
{
    (void)signal;
    ended = 1;
}

/* Tells whoever waits at the pipe, too. */
static void tell_trainer(void *user, const char *url)
{
    fprintf(stderr, "watch it at %s\n", url);
    (void)!write(*(const int *)user, "", 1);
}

/* In the process beside: gives way to training, and ends with it. */
static void serve_beside(char *folder, pid_t trainer, int pipe)
{
    struct sigaction action = {.sa_handler = note_end};
    sigaction(SIGTERM, &action, NULL);
    signal(SIGINT, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != trainer)
        _exit(CLI_OK);
    (void)!nice(10);
    _exit(serve((char *[]){folder, NULL}, 1, tell_trainer, &pipe, &ended));
}

int cli_watch_beside(const char *folder)
{
    int pipes[2];
    char path[PATH_MAX], byte;
    snprintf(path, sizeof path, "%s", folder);
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return cli_refuse("cannot start a process for --watch: %s; leave it out", strerror(errno));
    fflush(NULL);
    pid_t trainer = getpid(), child = fork();
    if (child == 0) {
        close(pipes[0]);
        serve_beside(path, trainer, pipes[1]);
    }
    close(pipes[1]);
    /* it has said what is wrong if it ends before it is ready */
    bool ready = child > 0 && read(pipes[0], &byte, 1) == 1;
    close(pipes[0]);
    return ready       ? CLI_OK
           : child > 0 ? CLI_USAGE
                       : cli_refuse("cannot start a process for --watch; leave it out");
}

const cli_command cli_watch = {
    "watch", "see runs in the browser while they train", help, run, options, CLI_ANY_WORDS, NULL};
