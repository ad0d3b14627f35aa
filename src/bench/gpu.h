/* How fast a GPU trains many runs in lockstep, and on what it spends its time. */
#ifndef WAC_BENCH_GPU_H
#define WAC_BENCH_GPU_H

#include "bench/peer.h"
#include "bench/update.h"

enum { WAC_BENCH_KERNELS = 64 };

typedef struct wac_bench_gpu_result {
    wac_bench_rounds rate; /* updates a second, of all runs together */
    double flops, bytes;   /* of one update of one run: bench/cost.h */
    /* one update of all runs, kernel by kernel, in seconds; with the waiting between them */
    int kernels;
    const char *names[WAC_BENCH_KERNELS];
    double seconds[WAC_BENCH_KERNELS];
    wac_bench_rounds peer_rate, ratio; /* of PyTorch, and ours to its, round by round; or 0 */
} wac_bench_gpu_result;

/* Rounds of about so many seconds, in turns with PyTorch where `peer` is not null. */
wac_status wac_bench_gpu_run(wac_bench_gpu_result *result, const wac_bench_gpu *bench,
                             wac_bench_peer *peer, double seconds, wac_error *error);

/* An agent of a case, ready to update. */
wac_status wac_bench_gpu_agent(wac_agent **agent, const wac_bench_gpu *bench, wac_error *error);

#endif
