/* What `wac bench` was asked for; one function a subject. Each returns an exit status. */
#ifndef WAC_CLI_BENCH_H
#define WAC_CLI_BENCH_H

#include "cli.h"

/* 0 and null: not given. */
typedef struct cli_bench_flags {
    bool json, quick;
    const char *algorithm, *size, *precision, *figure;
    int64_t width, batch, threads, epochs;
} cli_bench_flags;

/* Numbers from a busy machine are no use: say so where others had this share of the time. */
void cli_bench_warn(double lost);

int cli_bench_kernels(void);
int cli_bench_train(const cli_bench_flags *flags);
int cli_bench_update(const cli_bench_flags *flags);

#endif
