/* wac bench gpu. */
#ifndef WAC_CLI_BENCH_GPU_H
#define WAC_CLI_BENCH_GPU_H

#include <stdbool.h>
#include <stdint.h>

/* What was asked of wac bench; 0 and null: not given. */
typedef struct bench_flags {
    bool json, quick, cpu;
    const char *algorithm, *size, *precision, *network, *figure;
    const char *runs, *peer, *from;
    int64_t width, batch, threads, epochs, seeds;
} bench_flags;

enum { BENCH_WIDTH = 256, BENCH_BATCH = 256 }; /* where no flag says otherwise */

/* Returns an exit status. */
int bench_gpu(const bench_flags *flags);

#endif
