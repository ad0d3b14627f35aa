/* Lines of updates a second against runs, both on logarithmic axes. A GPU's line ends where it was
 * measured last; that of processors goes on, since with more runs than processors the rest wait. */
#include "bench/gpu_figure.h"

#include "base/status.h"
#include "base/words.h"
#include "draw/plot.h"
#include "draw/style.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_PANELS = 4, MOST_POINTS = 64, KINDS = 3, PANEL_WIDTH = 480, HEIGHT = 460 };
enum { LEFT = 90, GAP = 40, LEGEND = 270 }; /* pixels beside the panels */

/* Whose line it is. */
typedef enum kind { OURS, PEER, CPU } kind;

typedef struct line {
    int count;
    double runs[MOST_POINTS], rates[MOST_POINTS]; /* in ascending order of runs */
} line;

typedef struct panel {
    const char *algorithm;
    line lines[KINDS][WAC_ENGINE_PRECISIONS];
    double most_runs;  /* of a GPU's case */
    double processors; /* the most that had a run each */
} panel;

static void add_point(line *line, double runs, double rate)
{
    int at = 0;
    if (!(runs >= 1 && rate > 0)) /* not for logarithms */
        return;
    while (at < line->count && line->runs[at] < runs)
        at++;
    /* what was measured again counts as it was last */
    bool again = at < line->count && line->runs[at] == runs;
    if (!again && line->count == MOST_POINTS)
        return;
    for (int i = line->count; !again && i > at; i--) {
        line->runs[i] = line->runs[i - 1];
        line->rates[i] = line->rates[i - 1];
    }
    line->count += !again;
    line->runs[at] = runs;
    line->rates[at] = rate;
}

static double median_of(const json_t *row)
{
    return json_number_value(
        json_object_get(json_object_get(row, "run_updates_per_second"), "median"));
}

/* The panel of a row's algorithm, a new one if need be; null where there are too many. */
static panel *find_panel(panel panels[MOST_PANELS], int *count, const json_t *row)
{
    const char *algorithm = json_string_value(json_object_get(row, "algorithm"));
    if (!algorithm || wac_word_index(&WAC_ALGORITHM_WORDS[1], algorithm) < 0)
        return NULL;
    for (int i = 0; i < *count; i++)
        if (strcmp(panels[i].algorithm, algorithm) == 0)
            return &panels[i];
    if (*count == MOST_PANELS)
        return NULL;
    panels[*count] = (panel){.algorithm = algorithm};
    return &panels[(*count)++];
}

static void take_rows(panel panels[MOST_PANELS], int *count, const json_t *list, bool is_cpu)
{
    const json_t *row;
    size_t i;
    json_array_foreach(list, i, row)
    {
        panel *panel = find_panel(panels, count, row);
        int precision =
            wac_word_index(WAC_PRECISIONS, json_string_value(json_object_get(row, "precision")));
        double runs = json_number_value(json_object_get(row, "runs"));
        const json_t *peer = json_object_get(row, "peer");
        if (!panel || precision < 0)
            continue;
        add_point(&panel->lines[is_cpu ? CPU : OURS][precision], runs, median_of(row));
        if (peer)
            add_point(&panel->lines[PEER][precision], runs, median_of(peer));
        double *most = is_cpu ? &panel->processors : &panel->most_runs;
        *most = fmax(*most, runs);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void write_data(wac_plot *plot, const panel *panel, int number)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int p = 0; p < WAC_ENGINE_PRECISIONS; p++) {
            const line *line = &panel->lines[kind][p];
            if (line->count == 0)
                continue;
            wac_plot_file(plot, "line%d-%d-%d", number, kind, p);
            for (int i = 0; i < line->count; i++)
                wac_plot_print(plot, "%g %g\n", line->runs[i], line->rates[i]);
            if (kind == CPU && line->runs[line->count - 1] < panel->most_runs)
                wac_plot_print(plot, "%g %g\n", panel->most_runs, line->rates[line->count - 1]);
        }
}

static void write_line(wac_plot *plot, const panel *panel, int number, kind kind, int precision)
{
    size_t size;
    const char *word = wac_word_at(WAC_PRECISIONS, precision, &size);
    const wac_style *style = wac_style_at((size_t)precision);
    wac_plot_print(plot, "'line%d-%d-%d' with %s lw 2 lc rgb '%s' ", number, (int)kind, precision,
                   kind == CPU ? "lines" : "linespoints", kind == CPU ? "#7f7f7f" : style->colour);
    /* of PyTorch the same colour, broken and with hollow marks */
    if (kind == OURS)
        wac_plot_print(plot, "pt %d ps 1.1 title '%.*s'", style->mark, (int)size, word);
    else if (kind == PEER)
        wac_plot_print(plot, "dt (8,4) pt %d ps 1.1 title '%.*s, PyTorch'", style->mark - 1,
                       (int)size, word);
    else
        wac_plot_print(plot, "dt %s title '%.*s, %g processor%s'", precision ? "(3,3)" : "1",
                       (int)size, word, panel->processors, panel->processors > 1 ? "s" : "");
}

/* Fastest first, as they lie in the picture. */
static void write_panel(wac_plot *plot, const panel *panel, int number)
{
    static const int precisions[] = {WAC_PRECISION_MIXED, WAC_PRECISION_TF32, WAC_PRECISION_SINGLE};
    char title[WAC_STYLE_TITLE];
    wac_plot_print(plot, "set title '%s'\nplot ", wac_style_title(title, panel->algorithm));
    for (int kind = 0, shown = 0; kind < KINDS; kind++)
        for (int p = 0; p < WAC_ENGINE_PRECISIONS; p++)
            if (panel->lines[kind][precisions[p]].count > 0) {
                wac_plot_print(plot, "%s", shown++ ? ", " : "");
                write_line(plot, panel, number, (enum kind)kind, precisions[p]);
            }
    wac_plot_print(plot, "\nunset ylabel\nset format y ''\n");
}

static int lines_of(const panel *panel)
{
    int lines = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int p = 0; p < WAC_ENGINE_PRECISIONS; p++)
            lines += panel->lines[kind][p].count > 0;
    return lines;
}

/* Ends of the axes, which are those of all panels; upwards at half powers of ten. */
static void write_ranges(wac_plot *plot, const panel *panels, int count)
{
    double runs = 1, low = INFINITY, high = 0;
    for (int i = 0; i < count; i++) {
        runs = fmax(runs, fmax(panels[i].most_runs, panels[i].processors));
        for (int kind = 0; kind < KINDS; kind++)
            for (int p = 0; p < WAC_ENGINE_PRECISIONS; p++) {
                const line *line = &panels[i].lines[kind][p];
                for (int k = 0; k < line->count; k++) {
                    low = fmin(low, line->rates[k]);
                    high = fmax(high, line->rates[k]);
                }
            }
    }
    wac_plot_print(plot, "set xrange [1:%g]\nset yrange [%g:%g]\n", fmax(2, runs) * 1.05,
                   pow(10, floor(2 * log10(low)) / 2), pow(10, ceil(2 * log10(high)) / 2));
}

/* Its name, without what a script takes for something else. */
static void name_gpu(char *name, size_t size, const json_t *results)
{
    const char *given = json_string_value(json_object_get(json_object_get(results, "gpu"), "name"));
    size_t used = 0;
    for (const char *c = given ? given : "GPU"; *c && used + 1 < size; c++)
        if (isalnum((unsigned char)*c) || strchr(" -.,()", *c))
            name[used++] = *c;
    name[used] = 0;
}

static void write_script(wac_plot *plot, const panel *panels, int count, int width,
                         const json_t *results)
{
    const json_t *size = json_object_get(results, "size");
    char name[64];
    int fullest = 0;
    name_gpu(name, sizeof name, results);
    for (int i = 1; i < count; i++)
        fullest = lines_of(&panels[i]) > lines_of(&panels[fullest]) ? i : fullest;
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot,
                   "set border 3 lc rgb '#5a5a5a'\n"
                   "set tics out nomirror scale 0.5 tc rgb '#5a5a5a'\n"
                   "set grid lt 1 lc rgb '#e0e0e0'\n"
                   "set logscale x 2\nset logscale y 10\n"
                   "set format x '%%.0f'\nset format y '%%.0s%%c'\n"
                   "set xlabel 'runs'\nset ylabel 'updates per second, all runs together'\n"
                   "set multiplot layout 1,%d title '%s; %.0f observations, %.0f actions, width "
                   "%.0f, batch %.0f' noenhanced margins %.4f,%.4f,0.14,0.84 spacing %.4f\n",
                   count, name, json_number_value(json_object_get(size, "observations")),
                   json_number_value(json_object_get(size, "actions")),
                   json_number_value(json_object_get(size, "width")),
                   json_number_value(json_object_get(size, "batch")), (double)LEFT / width,
                   1 - (double)LEGEND / width, (double)GAP / width);
    write_ranges(plot, panels, count);
    for (int i = 0; i < count; i++) {
        if (i == fullest)
            wac_plot_print(plot, "set key at screen %.4f,0.84 left top Left reverse\n",
                           1 - (LEGEND - 15.0) / width);
        else
            wac_plot_print(plot, "unset key\n");
        write_panel(plot, &panels[i], i);
    }
    wac_plot_print(plot, "unset multiplot\n");
}

wac_status wac_bench_gpu_figure(const json_t *results, const char *path, wac_error *error)
{
    wac_plot plot;
    panel panels[MOST_PANELS];
    int count = 0;
    take_rows(panels, &count, json_object_get(results, "rates"), false);
    if (count == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "there are no rates to draw");
    take_rows(panels, &count, json_object_get(results, "cpu"), true);
    WAC_TRY(wac_plot_begin(&plot, error));
    for (int i = 0; i < count; i++)
        write_data(&plot, &panels[i], i);
    int width = LEFT + count * PANEL_WIDTH + LEGEND;
    write_script(&plot, panels, count, width, results);
    wac_status status = wac_plot_draw(&plot, width, HEIGHT, path, error);
    wac_plot_end(&plot);
    return status;
}
