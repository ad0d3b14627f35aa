/* The picture of a benchmark: what an update costs, and how much of the limit it reaches, against
 * width, batch and threads. Every panel has the cases that differ from the middle in nothing else.
 */
#include "bench/figure.h"

#include "base/status.h"
#include "draw/plot.h"
#include "draw/style.h"

enum { AXES = 3, WIDTH = 1500, HEIGHT = 900 };

static int at(const wac_bench_case *bench, int axis)
{
    return axis == 0 ? bench->width : axis == 1 ? bench->batch : bench->threads;
}

/* Whether a case lies on the axis through the middle. */
static bool on_axis(const wac_bench_case *bench, const wac_bench_case *middle, int axis)
{
    for (int other = 0; other < AXES; other++)
        if (other != axis && at(bench, other) != at(middle, other))
            return false;
    return bench->size == middle->size && bench->algorithm == middle->algorithm;
}

/* The cases of one axis and algorithm in ascending order; returns how many. */
static int write_axis(wac_plot *plot, const wac_bench_case *cases, const wac_bench_result *results,
                      int count, const wac_bench_case *middle, int axis)
{
    int written = 0, last = 0;
    wac_plot_file(plot, "axis%d-%d", axis, (int)middle->algorithm);
    for (;;) {
        int next = -1;
        for (int i = 0; i < count; i++)
            if (on_axis(&cases[i], middle, axis) && at(&cases[i], axis) > last &&
                (next < 0 || at(&cases[i], axis) < at(&cases[next], axis)))
                next = i;
        if (next < 0)
            return written;
        last = at(&cases[next], axis);
        wac_plot_print(plot, "%d %.9g %.9g\n", last, 1e3 / results[next].updates_per_second,
                       100 * results[next].share_of_limit);
        written++;
    }
}

static void write_script(wac_plot *plot, const wac_bench_case *middle,
                         const bool has[AXES][WAC_ALGORITHM_TOTAL])
{
    static const char *const names[] = {"width", "batch", "threads"};
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    wac_plot_print(plot,
                   "set border 3 lc rgb '#5a5a5a'\n"
                   "set tics out nomirror scale 0.5 tc rgb '#5a5a5a'\n"
                   "set key left top reverse Left\n"
                   "set grid lc rgb '#e0e0e0'\n"
                   "set multiplot layout 2,3 title 'An update at %s size: width %d, batch %d, %d "
                   "thread%s where not varied'\n",
                   middle->size->name, middle->width, middle->batch, middle->threads,
                   middle->threads == 1 ? "" : "s");
    for (int row = 0; row < 2; row++) {
        for (int axis = 0; axis < AXES; axis++) {
            wac_plot_print(plot, "set xlabel '%s'\nset ylabel '%s'\n", names[axis],
                           row ? "share of the limit, %" : "milliseconds");
            wac_plot_print(plot, "set logscale x 2\n%s\n",
                           row ? "unset logscale y; set yrange [0:100]; unset key"
                               : "set logscale y; set yrange [*:*]");
            wac_plot_print(plot, "plot ");
            for (int i = 0, shown = 0; i < WAC_ALGORITHM_TOTAL; i++) {
                const wac_style *style = wac_style_of((wac_algorithm)i);
                char title[WAC_STYLE_TITLE];
                if (has[axis][i])
                    wac_plot_print(plot,
                                   "%s'axis%d-%d' using 1:%d with linespoints lw 2 ps 1.2 "
                                   "lc rgb '%s' pt %d dt %s title '%s'",
                                   shown++ ? ", " : "", axis, i, row ? 3 : 2, style->colour,
                                   style->mark, style->dash,
                                   wac_style_title(title, wac_algorithm_name((wac_algorithm)i)));
            }
            wac_plot_print(plot, "\n");
        }
        wac_plot_print(plot, "unset key\n");
    }
    wac_plot_print(plot, "unset multiplot\n");
}

wac_status wac_bench_figure(const wac_bench_case *cases, const wac_bench_result *results, int count,
                            const wac_bench_case *middle, const char *path, wac_error *error)
{
    wac_plot plot;
    WAC_TRY(wac_plot_begin(&plot, error));
    bool has[AXES][WAC_ALGORITHM_TOTAL];
    for (int axis = 0; axis < AXES; axis++)
        for (int i = 0; i < WAC_ALGORITHM_TOTAL; i++) {
            wac_bench_case through = *middle;
            through.algorithm = (wac_algorithm)i;
            has[axis][i] = write_axis(&plot, cases, results, count, &through, axis) > 0;
        }
    write_script(&plot, middle, has);
    wac_status status = wac_plot_draw(&plot, WIDTH, HEIGHT, path, error);
    wac_plot_end(&plot);
    return status;
}
