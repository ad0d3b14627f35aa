/* A bar with percentage, time left, return, coverage and speed; or a line an epoch. */
#include "progress.h"

#include <assert.h>
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
    cli_stop();
}

void cli_stop(void)
{
    /* runs in several threads may be looking */
    __atomic_store_n(&stop_asked, 1, __ATOMIC_RELAXED);
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

/* add "  name value", or nothing for a value without meaning */
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

/* Epochs done, the present one in part. */
static double work_of(const wac_progress *p)
{
    double part = p->epoch_updates_due > 0 && p->epoch < p->epochs
                      ? (double)p->epoch_updates / (double)p->epoch_updates_due
                      : 0;
    return (double)p->epoch + part;
}

void cli_meter_update(cli_meter *meter, const wac_progress *progress)
{
    meter->latest = *progress;
    if (meter->begun)
        return;
    meter->begun = true;
    meter->first_seconds = progress->seconds;
    meter->first_work = work_of(progress);
    meter->first_updates = progress->updates;
}

void cli_meter_line(const cli_meter *meter, char *line, size_t size)
{
    const wac_progress *p = &meter->latest;
    int used = meter->name ? snprintf(line, size, "%-6s  ", meter->name) : 0;
    snprintf(line + used, size - (size_t)used, "epoch %lld/%lld", (long long)p->epoch,
             (long long)p->epochs);
    append(line, size, "  return %.5g", p->eval_return);
    append(line, size, "  success %.2f", p->eval_success);
    append(line, size, "  coverage %.3f", p->coverage_visited);
    append(line, size, "  sigma %.3g", p->sigma_visited);
    append(line, size, "  %.1f s", p->seconds);
}

/* What stands right of the bar. Widths are fixed, so that rows line up and nothing jumps. */
static void format_figures(const cli_meter *meter, char *text, size_t size)
{
    const wac_progress *p = &meter->latest;
    double work = work_of(p), epochs = (double)p->epochs;
    double elapsed = p->seconds - meter->first_seconds, done = work - meter->first_work;
    bool finished = meter->over && p->epoch >= p->epochs;
    char left[24] = "?";
    if (done > 0.02 && elapsed > 0.5)
        cli_format_seconds(left, elapsed / done * (epochs - work));
    /* 100 % is for what is really done */
    snprintf(text, size, " %3d%%", finished ? 100 : (int)fmin(99, floor(100 * work / epochs)));
    size_t used = strlen(text);
    if (finished)
        snprintf(text + used, size - used, "  %9s", "done");
    else
        snprintf(text + used, size - used, "  %4s left", left);
    append(text, size, "  return %6.4g", p->eval_return);
    append(text, size, "  success %.2f", p->eval_success);
    append(text, size, "  coverage %.2f", p->coverage_visited);
    if (elapsed > 0.5)
        append(text, size, "  %.0f updates/s",
               (double)(p->updates - meter->first_updates) / elapsed);
}

/* The two sides of a live line; the bar stands in between. */
typedef struct row {
    char title[48], figures[240];
    double share;
} row;

static row make_row(const cli_meter *meter)
{
    const wac_progress *p = &meter->latest;
    row row = {0};
    if (meter->name)
        snprintf(row.title, sizeof row.title, "%-6s ", meter->name);
    else if (meter->begun)
        snprintf(row.title, sizeof row.title, "epoch %lld/%lld ", (long long)p->epoch,
                 (long long)p->epochs);
    if (!meter->begun) {
        snprintf(row.figures, sizeof row.figures, " %s", meter->over ? "stopped" : "starting");
        return row;
    }
    format_figures(meter, row.figures, sizeof row.figures);
    row.share = p->epochs > 0 ? work_of(p) / (double)p->epochs : 1;
    return row;
}

static void draw_row(FILE *stream, const row *row, int cells, int columns)
{
    char bar[64];
    int full = (int)(row->share * cells);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(cells - full));
    int room = columns - 1 - (int)strlen(row->title) - cells;
    cli_style style = cli_style_of(stream);
    fprintf(stream, "\r\033[K%s%s%s%s%.*s%s%s%.*s%s%.*s", style.bold, row->title, style.plain,
            style.blue, full, bar, style.plain, style.dim, cells - full, bar + full, style.plain,
            room > 0 ? room : 0, row->figures);
}

void cli_progress_draw(cli_progress *display, const cli_meter *meters, int count)
{
    enum { SHORTEST = 5, LONGEST = 30, MOST = 8 };
    row rows[MOST];
    int columns = columns_of(display->stream), cells = LONGEST;
    assert(count <= MOST);
    /* bars are equally long and take the room that the rest leaves */
    for (int i = 0; i < count; i++) {
        rows[i] = make_row(&meters[i]);
        int room = columns - 1 - (int)(strlen(rows[i].title) + strlen(rows[i].figures));
        cells = room < cells ? room : cells;
    }
    cells = cells < SHORTEST ? SHORTEST : cells;
    if (display->shown > 1)
        fprintf(display->stream, "\033[%dA", display->shown - 1);
    for (int i = 0; i < count; i++) {
        draw_row(display->stream, &rows[i], cells, columns);
        if (i + 1 < count)
            fputc('\n', display->stream);
    }
    fflush(display->stream);
    display->shown = count;
}

void cli_progress_show(void *user, const wac_progress *progress)
{
    cli_progress *display = user;
    cli_meter *meter = &display->meter;
    cli_meter_update(meter, progress);
    meter->over = progress->is_row && progress->epoch >= progress->epochs;
    if (display->live) {
        cli_progress_draw(display, meter, 1);
    } else if (progress->is_row) {
        char line[320] = "";
        cli_meter_line(meter, line, sizeof line);
        fprintf(display->stream, "%s\n", line);
        fflush(display->stream);
    }
}

void cli_progress_end(cli_progress *display)
{
    if (display->shown)
        fputc('\n', display->stream);
    display->shown = 0;
}
