/* Running gnuplot: no shell in between, nothing of the user's own gnuplot settings, and what it
 * complains about ends up in the message. */
#include "draw/plot.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
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

/* Wait for gnuplot, looking up if there is something to look at, soon at first and at last ten
 * times a second; 0 or errno. */
static int await(const wac_plot *plot, pid_t process, int *result)
{
    const long longest = 100000000; /* nanoseconds */
    bool looks = plot->progress || plot->stop;
    long pause = 1000000;
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
        nanosleep(&(struct timespec){.tv_nsec = pause}, NULL);
        pause = 2 * pause < longest ? 2 * pause : longest;
    }
}

/* An entry of a PDF, from its key to its last letter, becomes `text`, if that fits: all in such a
 * file is found by its offset. */
static void replace_entry(char *bytes, size_t size, const char *key, char last, const char *text)
{
    char *at = memmem(bytes, size, key, strlen(key));
    char *end = at ? memchr(at, last, size - (size_t)(at - bytes)) : NULL;
    if (!end || strlen(text) > (size_t)(end - at) + 1)
        return;
    memset(at, ' ', (size_t)(end - at) + 1);
    memcpy(at, text, strlen(text));
}

/* A PDF does not tell when it was made, and is as wide as was asked, not in whole points; but where
 * cairo (from 1.18 on) has compressed these entries it stays as it is. */
static void correct_pdf(char *bytes, size_t size, const wac_plot *plot)
{
    static const char box[] = "   /MediaBox [ 0 0 ";
    char text[64];
    int height;
    const char *at = memmem(bytes, size, box, sizeof box - 1);
    replace_entry(bytes, size, "/CreationDate (", ')', "");
    if (!at || plot->inches <= 0 || sscanf(at + sizeof box - 1, "%*d %d", &height) != 1)
        return;
    wac_number_print(text, sizeof text, "/MediaBox[0 0 %.6g %d]", 72 * plot->inches, height);
    replace_entry(bytes, size, box, ']', text);
}

static wac_status take_picture(const wac_plot *plot, const char *path, bool is_pdf,
                               wac_error *error)
{
    char drawn[PATH_MAX], *bytes;
    size_t size;
    WAC_TRY(wac_path_join(drawn, sizeof drawn, plot->directory, "picture", error));
    WAC_TRY(wac_file_read(&bytes, &size, drawn, 1 << 28, error));
    if (is_pdf)
        correct_pdf(bytes, size, plot);
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

/* Terminals by the ending of the file. `dots`: how many of its own make an inch where the page has
 * a width in print; a point is 4/3 of a pixel, and an SVG must do with the fonts of whoever looks
 * at it. */
typedef struct terminal {
    const char *ending, *words;
    double dots, text, lines;
} terminal;

static const terminal *find_terminal(const char *path)
{
    static const terminal terminals[] = {
        {".svg", "svg background '#ffffff' font 'sans-serif,12'", 0, 1.3333, 1},
        {".gif", "gif animate delay 5 loop 0 optimize font 'DejaVu Sans,12'", 0, 1, 1},
        {".pdf", "pdfcairo background '#ffffff' font 'DejaVu Sans,12'", 96, 0.76, 1.3},
        {"", "pngcairo background '#ffffff' font 'DejaVu Sans,12'", 300, 1, 1},
    };
    const char *dot = path ? strrchr(path, '.') : NULL;
    const terminal *found = terminals;
    while (*found->ending && (!dot || strcmp(found->ending, dot) != 0))
        found++;
    return found;
}

wac_status wac_plot_draw(wac_plot *plot, int width, int height, const char *path, wac_error *error)
{
    const terminal *terminal = find_terminal(path);
    char commands[512], size[48], scale[96] = "", zooms[24];
    close_file(plot);
    if (plot->failure)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", plot->directory,
                        strerror(plot->failure));
    double zoom = plot->inches * terminal->dots / width;
    zoom = zoom > 0 ? zoom : 1;
    bool is_pdf = strcmp(terminal->ending, ".pdf") == 0;
    if (is_pdf) /* in whole points, or gnuplot cuts off the rest */
        wac_number_print(size, sizeof size, "%.5fin,%.5fin",
                         (ceil(0.75 * zoom * width) + 0.01) / 72,
                         (ceil(0.75 * zoom * height) + 0.01) / 72);
    else
        snprintf(size, sizeof size, "%.0f,%.0f", zoom * width, zoom * height);
    if (strcmp(terminal->ending, ".gif") != 0)
        wac_number_print(scale, sizeof scale, " fontscale %.5f lw %.5f", zoom * terminal->text,
                         zoom * terminal->lines);
    wac_number_print(zooms, sizeof zooms, "%.5f", zoom);
    snprintf(commands, sizeof commands,
             "zoom = %s; set encoding utf8; set terminal %s%s size %s enhanced; set output%s",
             zooms, terminal->words, scale, size, path ? " 'picture'" : "");
    WAC_TRY(run(plot, commands, error));
    return path ? take_picture(plot, path, is_pdf, error) : WAC_STATUS_OK;
}

void wac_plot_end(wac_plot *plot)
{
    close_file(plot);
    (void)wac_directory_remove(plot->directory, NULL);
}
