/* The table of a sweep: a head with counts, a bar and the time left, and a line for each run that
 * is being trained. */
#include "terminal/sweep_view.h"

#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "bench/cost.h"

#include <math.h>
#include <string.h>

enum { MOST_ROWS = 64, NARROWEST = 40, FEWEST = 5 };

cli_sweep_view cli_sweep_view_make(FILE *stream)
{
    return (cli_sweep_view){.stream = stream, .live = cli_progress_make(stream).live};
}

void cli_format_duration(char text[48], double seconds)
{
    if (seconds < 90)
        cli_count(text, (int64_t)fmax(1, round(seconds)), "second");
    else if (seconds < 5400)
        snprintf(text, 48, "%.0f minutes", seconds / 60);
    else if (seconds < 36 * 3600.0)
        snprintf(text, 48, "%.1f hours", seconds / 3600);
    else
        snprintf(text, 48, "%.1f days", seconds / 86400);
}

/* What an epoch costs beside others, roughly: enough to guess the time left. An update takes its
 * operations at the size of Point; a step, for one row and a world, as long as some 570 a weight.
 */
static double cost_of(const wac_config *config)
{
    double width = (double)config->width;
    double steps = (double)(config->explore_steps + config->evaluation_steps);
    if (config->algorithm >= WAC_ALGORITHM_TABLES)
        return steps;
    return (double)config->updates * wac_bench_operations(config, 4, 2) +
           steps * 570 * width * (width + 40);
}

/* The work of the whole sweep, and how much of it is done. */
static double sum_work(const wac_sweep_view *view, double *done)
{
    double sum = 0;
    *done = 0;
    for (size_t i = 0; i < view->sweep->count; i++) {
        const wac_sweep_item *item = &view->items[i];
        const wac_config *config = &view->sweep->runs[i].config;
        double cost = cost_of(config), epochs = (double)item->epochs;
        bool over = item->state == WAC_SWEEP_STATE_DONE || item->state == WAC_SWEEP_STATE_FAILED;
        sum += cost * epochs;
        *done += cost * (over ? epochs : fmin(epochs, cli_progress_work(&item->progress)));
    }
    return sum;
}

/* Back to where the table began, with nothing behind. */
static void clear(cli_sweep_view *view)
{
    if (view->shown > 1)
        fprintf(view->stream, "\033[%dA", view->shown - 1);
    if (view->shown)
        fputs("\r\033[J", view->stream);
    view->shown = 0;
}

void cli_sweep_view_end(cli_sweep_view *view)
{
    clear(view);
    fflush(view->stream);
}

/* "epoch 12/30  return 0.15" */
static void describe(char *text, size_t size, const wac_progress *p)
{
    int used = snprintf(text, size, "epoch %lld/%lld", (long long)p->epoch, (long long)p->epochs);
    if (p->updates > 0 || p->seconds > 0) {
        if (!isnan(p->eval_return))
            used += snprintf(text + used, size - (size_t)used, "  return %.5g", p->eval_return);
        if (!isnan(p->eval_success))
            snprintf(text + used, size - (size_t)used, "  success %.2f", p->eval_success);
    }
}

static void draw_head(const cli_sweep_view *view, const wac_sweep_view *sweep, int columns)
{
    enum { CELLS = 20 };
    double done, sum = sum_work(sweep, &done), work = done - view->first_work;
    char left[24] = "?", bar[CELLS + 1], text[256];
    cli_style style = cli_style_of(view->stream);
    if (work > 0 && sweep->seconds > 1)
        cli_format_seconds(left, (sum - done) / work * sweep->seconds);
    int full = sum > 0 ? (int)(CELLS * done / sum) : 0;
    memset(bar, '#', CELLS);
    memset(bar + full, '.', (size_t)(CELLS - full));
    bar[CELLS] = 0;
    snprintf(text, sizeof text, "%zu of %zu done  %zu running  %zu failed  %s left", sweep->done,
             sweep->sweep->count, sweep->running, sweep->failed, left);
    fprintf(view->stream, "%s%.*s%s", style.bold, columns, text, style.plain);
    if ((int)strlen(text) + CELLS + 2 <= columns)
        fprintf(view->stream, "  %s%.*s%s%s%s%s", style.blue, full, bar, style.plain, style.dim,
                bar + full, style.plain);
}

static void draw(cli_sweep_view *view, const wac_sweep_view *sweep)
{
    enum { SPARE = 5 }; /* the echo of Ctrl-C, even twice, must not begin a new line */
    int rows, columns = cli_columns(view->stream, &rows), name_width = 0, count = 0;
    columns = (columns > NARROWEST ? columns : NARROWEST) - SPARE;
    rows = rows > FEWEST ? rows : FEWEST;
    size_t running[MOST_ROWS];
    int most = rows - 3 < MOST_ROWS ? rows - 3 : MOST_ROWS;
    for (size_t i = 0; i < sweep->sweep->count && count < most; i++)
        if (sweep->items[i].state == WAC_SWEEP_STATE_RUNNING)
            running[count++] = i;
    for (int i = 0; i < count; i++) {
        int width = (int)strlen(sweep->sweep->runs[running[i]].folder);
        name_width = width > name_width ? width : name_width;
    }
    clear(view);
    draw_head(view, sweep, columns);
    for (int i = 0; i < count; i++) {
        char line[WAC_SWEEP_FOLDER + 128];
        const char *folder = sweep->sweep->runs[running[i]].folder;
        int used = snprintf(line, sizeof line, "  %-*s  ", name_width, folder);
        describe(line + used, sizeof line - (size_t)used, &sweep->items[running[i]].progress);
        fprintf(view->stream, "\n%.*s", columns, line);
    }
    view->shown = count + 1;
    fflush(view->stream);
}

/* A line about a run that has ended, or begins anew. */
static void tell(cli_sweep_view *view, const wac_sweep_view *sweep, size_t run)
{
    const wac_sweep_item *item = &sweep->items[run];
    const char *folder = sweep->sweep->runs[run].folder;
    cli_style style = cli_style_of(view->stream);
    if (item->state == WAC_SWEEP_STATE_RUNNING) {
        fprintf(view->stream, "again   %s: its checkpoint holds no replay, so it begins anew\n",
                folder);
    } else if (item->state == WAC_SWEEP_STATE_FAILED) {
        fprintf(view->stream, "%sfailed%s  %s: ", style.red, style.plain, folder);
        cli_print_sentence(view->stream, item->reason);
    } else if (item->state == WAC_SWEEP_STATE_DONE && !view->live) {
        char text[128];
        describe(text, sizeof text, &item->progress);
        fprintf(view->stream, "%zu/%zu  %s  %s  %.1f s\n", sweep->done + sweep->failed,
                sweep->sweep->count, folder, text, item->seconds);
    }
    fflush(view->stream);
}

void cli_sweep_view_show(void *user, const wac_sweep_view *sweep, size_t changed)
{
    cli_sweep_view *view = user;
    if (!view->begun) {
        view->begun = true;
        (void)sum_work(sweep, &view->first_work);
    }
    if (changed != SIZE_MAX &&
        (sweep->items[changed].state != WAC_SWEEP_STATE_RUNNING || sweep->items[changed].again)) {
        if (view->live)
            clear(view);
        tell(view, sweep, changed);
    }
    /* starts and ends of tiny runs come in masses: the next look will show them */
    if (view->live && changed == SIZE_MAX)
        draw(view, sweep);
}
