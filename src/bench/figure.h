/* The picture of a benchmark. */
#ifndef WAC_BENCH_FIGURE_H
#define WAC_BENCH_FIGURE_H

#include "bench/update.h"

/* A picture (PATH.svg, else PNG) of the cases that differ from the middle in one thing at most, one
 * line an algorithm. Needs the gnuplot program. */
wac_status wac_bench_figure(const wac_bench_case *cases, const wac_bench_result *results, int count,
                            const wac_bench_case *middle, const char *path, wac_error *error);

#endif
