/* The training loop beside bare updates of the same agent. */
#ifndef WAC_BENCH_TRAIN_H
#define WAC_BENCH_TRAIN_H

#include "wac/config.h"

/* Seconds are per epoch. */
typedef struct wac_bench_loop {
    int epochs;
    double bare;                                       /* the epoch's updates alone */
    double update, explore, evaluate, log, checkpoint; /* in the loop */
    double share, spread; /* bare / the whole loop: median of the epochs, largest less smallest */
} wac_bench_loop;

/* Train by this config in a temporary folder, from a replay that has been filled. `stop`: see
 * wac_run_options. */
wac_status wac_bench_train(wac_bench_loop *loop, const wac_config *config, int threads,
                           const volatile int *stop, wac_error *error);

#endif
