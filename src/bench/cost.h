/* What an update costs. */
#ifndef WAC_BENCH_COST_H
#define WAC_BENCH_COST_H

#include "wac/config.h"

/* Multiplications and additions in the matrix products of one update, however it is computed. */
double wac_bench_operations(const wac_config *config, int observations, int actions);

#endif
