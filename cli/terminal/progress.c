/* A bar with percentage, time left, return, cells visited and speed; or a line an epoch. */
#include "terminal/progress.h"

#include "terminal/terminal.h"

#include <assert.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int stop_asked;
static const char *last_words;
static bool on_terminal;

/* Only what is safe in a signal handler. */
static void say(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t count = write(STDERR_FILENO, text, left);
        if (count <= 0)
            return;
        text += count;
        left -= (size_t)count;
    }
}

static void ask_to_stop(int number)
{
    if (stop_asked) {
        /* behind a bar and the echo of the key stands no newline */
        say(on_terminal ? "\nwac: " : "wac: ");
        say(last_words);
        say("\n");
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

const volatile int *cli_stop_on_signals(const char *words)
{
    last_words = words;
    on_terminal = isatty(STDERR_FILENO);
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

double cli_progress_work(const wac_progress *p)
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
    meter->first_work = cli_progress_work(progress);
    meter->first_updates = progress->updates;
}

void cli_meter_print(const cli_meter *meter, FILE *stream)
{
    const wac_progress *p = &meter->latest;
    char line[320] = "";
    enum { SIZE = sizeof line };
    if (meter->name)
        fprintf(stream, "%-6s  ", meter->name);
    append(line, SIZE, "  return %.5g", p->eval_return);
    append(line, SIZE, "  success %.2f", p->eval_success);
    append(line, SIZE, "  visited %.3f", p->coverage_visited);
    append(line, SIZE, "  sigma %.3g", p->sigma_visited);
    append(line, SIZE, "  %.1f s", p->seconds);
    fprintf(stream, "epoch %lld/%lld%s\n", (long long)p->epoch, (long long)p->epochs, line);
    fflush(stream);
}

/* What stands right of the bar, the most important first: a narrow terminal leaves out the last. */
enum { PERCENT, LEFT, RETURN, SUCCESS, VISITED, SPEED, FIELDS };

/* A live line: the bar stands between the title and the fields. */
typedef struct row {
    char title[64], short_title[48]; /* with the space behind */
    char fields[FIELDS][40];
    double share;
} row;

/* Widths are fixed, so that rows line up and nothing jumps; what has no meaning stays empty. */
static void format_fields(const cli_meter *meter, row *row)
{
    const wac_progress *p = &meter->latest;
    enum { SIZE = sizeof row->fields[0] };
    double work = cli_progress_work(p), epochs = (double)p->epochs;
    double elapsed = p->seconds - meter->first_seconds, done = work - meter->first_work;
    bool finished = meter->over && p->epoch >= p->epochs;
    char left[24] = "?";
    if (done > 0.02 && elapsed > 0.5)
        cli_format_seconds(left, elapsed / done * (epochs - work));
    /* 100 % is for what is really done */
    snprintf(row->fields[PERCENT], SIZE, " %3d%%",
             finished ? 100 : (int)fmin(99, floor(100 * work / epochs)));
    if (finished)
        snprintf(row->fields[LEFT], SIZE, "  %9s", "done");
    else
        snprintf(row->fields[LEFT], SIZE, "  %4s left", left);
    append(row->fields[RETURN], SIZE, "  return %6.4g", p->eval_return);
    append(row->fields[SUCCESS], SIZE, "  success %.2f", p->eval_success);
    append(row->fields[VISITED], SIZE, "  visited %.2f", p->coverage_visited);
    if (elapsed > 0.5)
        append(row->fields[SPEED], SIZE, "  %.0f updates/s",
               (double)(p->updates - meter->first_updates) / elapsed);
}

static row make_row(const cli_meter *meter)
{
    const wac_progress *p = &meter->latest;
    row row = {0};
    if (meter->name) {
        snprintf(row.title, sizeof row.title, "%-6s ", meter->name);
        snprintf(row.short_title, sizeof row.short_title, "%-6s ", meter->name);
    } else if (meter->begun) {
        snprintf(row.short_title, sizeof row.short_title, "%lld/%lld ", (long long)p->epoch,
                 (long long)p->epochs);
        snprintf(row.title, sizeof row.title, "epoch %s", row.short_title);
    }
    if (!meter->begun) {
        snprintf(row.fields[PERCENT], sizeof row.fields[PERCENT], " %s",
                 meter->over ? "stopped" : "starting");
        return row;
    }
    format_fields(meter, &row);
    row.share = p->epochs > 0 ? cli_progress_work(p) / (double)p->epochs : 1;
    return row;
}

/* Columns of a row but for its bar, with its first `fields` fields. */
static int width_of(const row *row, bool whole_title, int fields)
{
    size_t width = strlen(whole_title ? row->title : row->short_title);
    for (int i = 0; i < fields; i++)
        width += strlen(row->fields[i]);
    return (int)width;
}

/* How rows are drawn: all in the same way. */
typedef struct layout {
    bool whole_title;
    int fields, cells;
} layout;

/* The most that leaves room for a bar. */
static layout choose_layout(const row *rows, int count, int columns)
{
    enum { SHORTEST = 5, LONGEST = 30 };
    layout layout = {.whole_title = true, .fields = FIELDS};
    for (;;) {
        layout.cells = LONGEST;
        for (int i = 0; i < count; i++) {
            int room = columns - width_of(&rows[i], layout.whole_title, layout.fields);
            layout.cells = room < layout.cells ? room : layout.cells;
        }
        if (layout.cells >= SHORTEST)
            return layout;
        if (layout.whole_title)
            layout.whole_title = false;
        else if (layout.fields > 1)
            layout.fields--;
        else
            break;
    }
    layout.cells = 0;
    return layout;
}

static void draw_row(FILE *stream, const row *row, const layout *layout)
{
    char bar[64];
    int full = (int)(row->share * layout->cells);
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(layout->cells - full));
    cli_style style = cli_style_of(stream);
    fprintf(stream, "\r\033[K%s%s%s%s%.*s%s%s%.*s%s", style.bold,
            layout->whole_title ? row->title : row->short_title, style.plain, style.blue, full, bar,
            style.plain, style.dim, layout->cells - full, bar + full, style.plain);
    for (int i = 0; i < layout->fields; i++)
        fputs(row->fields[i], stream);
}

/* To the start of the bars that stand there. A terminal that got narrower has broken their lines
 * into several. */
static void go_back(const cli_progress *display, int columns)
{
    int lines = 0;
    for (int i = 0; i < display->shown; i++)
        lines += display->widths[i] > columns ? (display->widths[i] + columns - 1) / columns : 1;
    if (lines > 1)
        fprintf(display->stream, "\033[%dA", lines - 1);
    if (columns < display->columns)
        fputs("\r\033[J", display->stream);
}

/* Whether a picture fits below the bars. */
static bool has_room(const cli_picture *picture, int bars, int columns, int lines)
{
    bool fits = bars + picture->lines < lines;
    for (int i = 0; i < picture->lines; i++)
        fits = fits && (int)strlen(picture->text[i]) <= columns;
    return fits;
}

void cli_progress_draw(cli_progress *display, const cli_meter *meters, int count,
                       const cli_picture *picture)
{
    enum { SPARE = 5, NARROWEST = 21 }; /* spare: the echo of Ctrl-C, even twice, begins no line */
    row rows[CLI_PROGRESS_ROWS];
    int lines, columns = cli_columns(display->stream, &lines), before = display->shown;
    columns = columns >= NARROWEST ? columns : 80;
    assert(count <= CLI_PROGRESS_ROWS);
    for (int i = 0; i < count; i++)
        rows[i] = make_row(&meters[i]);
    layout layout = choose_layout(rows, count, columns - SPARE);
    go_back(display, columns);
    for (int i = 0; i < count; i++) {
        draw_row(display->stream, &rows[i], &layout);
        display->widths[i] = width_of(&rows[i], layout.whole_title, layout.fields) + layout.cells;
        if (i + 1 < count)
            fputc('\n', display->stream);
    }
    display->shown = count;
    for (int i = 0; picture && i < picture->lines; i++) {
        if (!has_room(picture, count, columns - SPARE, lines))
            break;
        display->widths[display->shown++] = (int)strlen(picture->text[i]);
        fprintf(display->stream, "\n\r\033[K%s", picture->text[i]);
    }
    if (display->shown < before)
        fputs("\033[J", display->stream);
    fflush(display->stream);
    display->columns = columns;
}

void cli_progress_show(void *user, const wac_progress *progress)
{
    cli_progress *display = user;
    cli_meter *meter = &display->meter;
    cli_meter_update(meter, progress);
    meter->over = progress->is_row && progress->epoch >= progress->epochs;
    if (display->live)
        cli_progress_draw(display, meter, 1, NULL);
    else if (progress->is_row)
        cli_meter_print(meter, display->stream);
}

void cli_progress_end(cli_progress *display)
{
    if (display->shown)
        fputc('\n', display->stream);
    display->shown = 0;
}
