/* What an update costs. */
#ifndef WAC_BENCH_COST_H
#define WAC_BENCH_COST_H

#include "wac/config.h"

/* Multiplications and additions in the matrix products of one update, however it is computed. */
double wac_bench_operations(const wac_config *config, int observations, int actions);

/* Bytes between a GPU's memory and its processors in one update, where nothing stays there from one
 * step to the next. */
double wac_bench_bytes(const wac_config *config, int observations, int actions);

#endif
