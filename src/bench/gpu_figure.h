/* The picture of what a GPU does. */
#ifndef WAC_BENCH_GPU_FIGURE_H
#define WAC_BENCH_GPU_FIGURE_H

#include "bench/results.h"

/* A picture (PATH.svg, else PNG) of results: updates a second of all runs together against their
 * number, a panel for each algorithm, a line for each precision, those of PyTorch and of processors
 * beside them. Needs the gnuplot program. */
wac_status wac_bench_gpu_figure(const json_t *results, const char *path, wac_error *error);

#endif
