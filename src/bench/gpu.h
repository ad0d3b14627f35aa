/* How fast a GPU trains many runs in lockstep, and on what it spends its time. */
#ifndef WAC_BENCH_GPU_H
#define WAC_BENCH_GPU_H

#include "wac/agent.h"

enum { WAC_BENCH_KERNELS = 16 };

typedef struct wac_bench_gpu {
    wac_algorithm algorithm;
    wac_precision precision;
    int runs, width, batch, observations, actions;
} wac_bench_gpu;

typedef struct wac_bench_gpu_result {
    double rate, low, high; /* updates a second, of all runs together: median and quartiles */
    double flops;           /* of one update of one run */
    /* one update of all runs, kernel by kernel, in seconds; with the waiting between them */
    int kernels;
    const char *names[WAC_BENCH_KERNELS];
    double seconds[WAC_BENCH_KERNELS];
} wac_bench_gpu_result;

/* `rounds` rounds of about so many seconds. */
wac_status wac_bench_gpu_run(wac_bench_gpu_result *result, const wac_bench_gpu *bench, int rounds,
                             double seconds, wac_error *error);

#endif
