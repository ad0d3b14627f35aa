/* A bar with percentage, time left, return, coverage and speed; or a line an epoch. */
#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static volatile int stop_asked;

static void ask_to_stop(int number)
{
    if (stop_asked) {
        signal(number, SIG_DFL);
        raise(number);
    }
    stop_asked = 1;
}

const volatile int *cli_stop_on_signals(void)
{
    struct sigaction action = {.sa_handler = ask_to_stop};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &stop_asked;
}

cli_progress cli_progress_make(FILE *stream)
{
    const char *terminal = getenv("TERM");
    return (cli_progress){.stream = stream,
                          .live = isatty(fileno(stream)) &&
                                  !(terminal && strcmp(terminal, "dumb") == 0)};
}

void cli_format_seconds(char text[24], double seconds)
{
    long total = lround(fmax(0, fmin(seconds, 1e9)));
    if (total >= 3600)
        snprintf(text, 24, "%ld:%02ld:%02ld", total / 3600, total / 60 % 60, total % 60);
    else
        snprintf(text, 24, "%ld:%02ld", total / 60, total % 60);
}

/* " NAME value", nothing for a value without meaning */
static void append(char *text, size_t size, const char *format, double value)
{
    size_t used = strlen(text);
    if (!isnan(value))
        snprintf(text + used, size - used, format, value);
}

static int columns_of(FILE *stream)
{
    struct winsize window;
    return ioctl(fileno(stream), TIOCGWINSZ, &window) == 0 && window.ws_col > 20 ? window.ws_col
                                                                                  : 80;
}

static void show_bar(cli_progress *display, const wac_progress *p, double work)
{
    double elapsed = p->seconds - display->first_seconds;
    double done = work - display->first_work;
    double share = p->epochs ? work / (double)p->epochs : 1;
    char figures[200] = "", left[24] = "?";
    if (done > 0.02 && elapsed > 0.5)
        cli_format_seconds(left, elapsed / done * ((double)p->epochs - work));
    append(figures, sizeof figures, "  return %.4g", p->eval_return);
    append(figures, sizeof figures, "  success %.2f", p->eval_success);
    append(figures, sizeof figures, "  coverage %.2f", p->coverage_visited);
    if (elapsed > 0.5)
        append(figures, sizeof figures, "  %.0f updates/s",
               (double)(p->updates - display->first_updates) / elapsed);

    char line[320];
    int used = snprintf(line, sizeof line, "epoch %lld/%lld ", (long long)p->epoch,
                        (long long)p->epochs);
    enum { CELLS = 20 };
    for (int i = 0; i < CELLS; i++)
        used += snprintf(line + used, sizeof line - (size_t)used, "%s",
                         i < (int)(share * CELLS) ? "#" : ".");
    snprintf(line + used, sizeof line - (size_t)used, " %3.0f%%  %s left%s", 100 * share, left,
             figures);
    fprintf(display->stream, "\r\033[K%.*s", columns_of(display->stream) - 1, line);
    fflush(display->stream);
    display->shown = true;
}

static void show_line(cli_progress *display, const wac_progress *p)
{
    char line[320];
    snprintf(line, sizeof line, "epoch %lld/%lld", (long long)p->epoch, (long long)p->epochs);
    append(line, sizeof line, "  return %.5g", p->eval_return);
    append(line, sizeof line, "  success %.2f", p->eval_success);
    append(line, sizeof line, "  coverage %.3f", p->coverage_visited);
    append(line, sizeof line, "  sigma %.3g", p->sigma_visited);
    append(line, sizeof line, "  %.1f s", p->seconds);
    fprintf(display->stream, "%s\n", line);
    fflush(display->stream);
}

void cli_progress_show(void *user, const wac_progress *p)
{
    cli_progress *display = user;
    double work = (double)p->epoch;
    if (p->epoch_updates_due > 0)
        work += (double)p->epoch_updates / (double)p->epoch_updates_due;
    if (!display->begun) {
        display->begun = true;
        display->first_seconds = p->seconds;
        display->first_work = work;
        display->first_updates = p->updates;
    }
    if (display->live)
        show_bar(display, p, work);
    else if (p->is_row)
        show_line(display, p);
}

void cli_progress_end(cli_progress *display)
{
    if (display->shown)
        fputc('\n', display->stream);
    display->shown = false;
}
