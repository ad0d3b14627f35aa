/* Running gnuplot: no shell in between, nothing of the user's own gnuplot settings, and what it
 * complains about ends up in the message. */
#include "draw/plot.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static const char messages[] = "messages";

wac_status wac_plot_begin(wac_plot *plot, wac_error *error)
{
    *plot = (wac_plot){0};
    return wac_directory_temporary(plot->directory, sizeof plot->directory, "wac-plot", error);
}

static void close_file(wac_plot *plot)
{
    if (plot->file && fclose(plot->file) && !plot->failure)
        plot->failure = errno;
    plot->file = NULL;
}

void wac_plot_file(wac_plot *plot, const char *format, ...)
{
    char name[NAME_MAX], path[PATH_MAX];
    va_list arguments;
    close_file(plot);
    if (plot->failure)
        return;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    if (wac_path_join(path, sizeof path, plot->directory, name, NULL) != WAC_STATUS_OK)
        plot->failure = ENAMETOOLONG;
    else if (!(plot->file = fopen(path, "we")))
        plot->failure = errno;
}

void wac_plot_print(wac_plot *plot, const char *format, ...)
{
    if (!plot->file)
        return;
    va_list arguments;
    va_start(arguments, format);
    if (vfprintf(plot->file, format, arguments) < 0 && !plot->failure)
        plot->failure = errno;
    va_end(arguments);
}

/* Start gnuplot in the folder, its complaints going to a file there; 0 or errno. */
static int start(pid_t *process, const char *directory, char *commands)
{
    char *arguments[] = {"gnuplot", "--default-settings", "-e", commands, WAC_PLOT_SCRIPT, NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    if (!(failure = posix_spawn_file_actions_addchdir_np(&actions, directory)) &&
        !(failure =
              posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) &&
        !(failure = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages,
                                                     O_WRONLY | O_CREAT | O_TRUNC, 0600)) &&
        !(failure = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)))
        failure = posix_spawnp(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

/* Why gnuplot gave up: its last line that says something. */
static wac_status fail_drawing(wac_error *error, const wac_plot *plot, int result)
{
    char path[PATH_MAX], *text = NULL, *reason = NULL;
    if (WIFSIGNALED(result))
        return wac_fail(error, WAC_STATUS_IO, "gnuplot was stopped by signal %d (%s)",
                        WTERMSIG(result), strsignal(WTERMSIG(result)));
    if (wac_path_join(path, sizeof path, plot->directory, messages, NULL) == WAC_STATUS_OK)
        (void)wac_file_read(&text, NULL, path, 1 << 20, NULL);
    for (char *rest = text, *line; rest && (line = strsep(&rest, "\n"));)
        if (line[strspn(line, " \t^")])
            reason = line + strspn(line, " \t");
    wac_status status =
        wac_fail(error, WAC_STATUS_IO, "gnuplot could not draw (exit status %d): %.300s",
                 WEXITSTATUS(result), reason ? reason : "it did not say why");
    free(text);
    return status;
}

static void report(const wac_plot *plot)
{
    char path[PATH_MAX], *text;
    int64_t lines = 0;
    if (wac_path_join(path, sizeof path, plot->directory, WAC_PLOT_PROGRESS, NULL) ||
        wac_file_read(&text, NULL, path, 1 << 20, NULL))
        return; /* not there yet */
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    free(text);
    plot->progress(plot->user, lines);
}

/* Wait for gnuplot, looking up ten times a second if there is something to look at; 0 or errno. */
static int await(const wac_plot *plot, pid_t process, int *result)
{
    bool looks = plot->progress || plot->stop;
    for (bool stopped = false;;) {
        pid_t ended = waitpid(process, result, looks ? WNOHANG : 0);
        if (ended == process)
            return 0;
        if (ended < 0 && errno != EINTR)
            return errno;
        if (!looks)
            continue;
        if (plot->progress)
            report(plot);
        if (!stopped && wac_asked_to_stop(plot->stop))
            stopped = kill(process, SIGTERM) == 0;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
}

static wac_status take_picture(const wac_plot *plot, const char *path, wac_error *error)
{
    char drawn[PATH_MAX], *bytes;
    size_t size;
    WAC_TRY(wac_path_join(drawn, sizeof drawn, plot->directory, "picture", error));
    WAC_TRY(wac_file_read(&bytes, &size, drawn, 1 << 28, error));
    wac_status status = wac_file_write(path, bytes, size, error);
    free(bytes);
    return status;
}

static wac_status fail_absent(wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "cannot draw: the program gnuplot is not installed; install it with: "
                    "apt-get install gnuplot-nox");
}

wac_status wac_plot_find(wac_error *error)
{
    const char *folders = getenv("PATH");
    char path[PATH_MAX];
    for (folders = folders ? folders : "/bin:/usr/bin"; *folders;) {
        int length = (int)strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s%sgnuplot", length, folders, length ? "/" : "");
        if (access(path, X_OK) == 0)
            return WAC_STATUS_OK;
        folders += length + (folders[length] == ':');
    }
    return fail_absent(error);
}

static wac_status run(const wac_plot *plot, char *commands, wac_error *error)
{
    pid_t process;
    int result, failure = start(&process, plot->directory, commands);
    if (failure == ENOENT)
        return fail_absent(error);
    if (failure)
        return wac_fail(error, WAC_STATUS_IO, "cannot start gnuplot: %s", strerror(failure));
    if ((failure = await(plot, process, &result)))
        return wac_fail(error, WAC_STATUS_IO, "cannot wait for gnuplot: %s", strerror(failure));
    if (result && wac_asked_to_stop(plot->stop))
        return wac_fail(error, WAC_STATUS_INTERRUPTED, "interrupted while drawing");
    return result ? fail_drawing(error, plot, result) : WAC_STATUS_OK;
}

wac_status wac_plot_draw(wac_plot *plot, int width, int height, const char *path, wac_error *error)
{
    /* a point is 4/3 of a pixel; an SVG must do with the fonts of whoever looks at it */
    static const char *const terminals[][2] = {
        {".svg", "svg background '#ffffff' font 'sans-serif,12' fontscale 1.3333"},
        {".gif", "gif animate delay 5 loop 0 optimize font 'DejaVu Sans,12'"},
        {".pdf", "pdfcairo background '#ffffff' font 'DejaVu Sans,12' fontscale 0.76 lw 1.3"},
        {"", "pngcairo background '#ffffff' font 'DejaVu Sans,12'"},
    };
    const char *dot = path ? strrchr(path, '.') : NULL, *ending = dot ? dot : "";
    char commands[512], size[48];
    int kind = 0;
    while (*terminals[kind][0] && strcmp(terminals[kind][0], ending) != 0)
        kind++;
    close_file(plot);
    if (plot->failure)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", plot->directory,
                        strerror(plot->failure));
    if (strcmp(terminals[kind][0], ".pdf") == 0) /* 96 pixels are an inch */
        wac_number_print(size, sizeof size, "%.4fin,%.4fin", width / 96.0, height / 96.0);
    else
        snprintf(size, sizeof size, "%d,%d", width, height);
    snprintf(commands, sizeof commands,
             "set encoding utf8; set terminal %s size %s enhanced; set output%s",
             terminals[kind][1], size, path ? " 'picture'" : "");
    WAC_TRY(run(plot, commands, error));
    return path ? take_picture(plot, path, error) : WAC_STATUS_OK;
}

void wac_plot_end(wac_plot *plot)
{
    close_file(plot);
    (void)wac_directory_remove(plot->directory, NULL);
}
