/* Benchmarks: how fast the updates are, as a share of what the processor could do at best.
 *
 * The limit is measured, not looked up: fused multiply-adds on registers, nothing else, on the very
 * threads that the updates run on, taking turns with them. An update's operations are counted from
 * the sizes of its layers (bench_count.c), however it is computed.
 */
#ifndef WAC_BENCH_BENCH_H
#define WAC_BENCH_BENCH_H

#include "base/threads.h"
#include "wac/agent.h"

enum { WAC_BENCH_ROUNDS = 9, WAC_BENCH_MOST_ENTRIES = 32 };

/* The sizes of two tasks of the paper; all other settings are their presets. */
typedef struct wac_bench_size {
    const char *name; /* as in --env-size */
    const char *preset;
    int observations, actions;
} wac_bench_size;

extern const wac_bench_size wac_bench_sizes[2]; /* point, halfcheetah */

typedef struct wac_bench_case {
    const wac_bench_size *size;
    wac_algorithm algorithm;
    int width, batch, threads;
    wac_precision precision;
} wac_bench_case;

typedef struct wac_bench_result {
    double updates_per_second; /* median of the rounds */
    double spread;             /* from first to third quartile, as a share of the median */
    double operations;         /* of one update */
    double limit;              /* operations per second of these threads, best of the rounds */
    double share_of_limit;
    double lost;       /* share of the threads' time that other programs had */
    double round_trip; /* see wac_bench_round_trip, median of the rounds */
} wac_bench_result;

/* Multiplications and additions in the matrix products of one update; bench_count.c has the sum. */
double wac_bench_operations(const wac_config *config, int observations, int actions);

/* One measurement of the limit: operations per second of all threads of a team at once. */
double wac_bench_limit(wac_team *team);

/* Seconds for a number to get from a team's first thread to its second and back, 0 with one thread:
 * how far apart their processors are, which in a virtual machine can change any time. */
double wac_bench_round_trip(wac_team *team);

/* The vector unit that the limit is measured with: "AVX-512", … */
const char *wac_bench_unit(void);

/* Time updates of an agent with a filled replay; a round lasts about so many seconds. */
wac_status wac_bench_update(wac_bench_result *result, const wac_bench_case *bench,
                            double round_seconds, wac_error *error);

/* A picture (PATH.png or PATH.svg) of the cases that differ from the middle in one thing at most,
 * one line an algorithm. Needs the gnuplot program. */
wac_status wac_bench_figure(const wac_bench_case *cases, const wac_bench_result *results, int count,
                            const wac_bench_case *middle, const char *path, wac_error *error);

/* Fill the replay of an agent with plausible transitions. */
void wac_bench_fill(wac_agent *agent);

/* An agent of a case, ready to update: pinned from the first processor on, replay filled. */
wac_status wac_bench_agent(wac_agent **agent, const wac_bench_case *bench, wac_error *error);

/* One product by one version of the kernel. */
typedef struct wac_bench_kernel {
    const char *version, *shape;
    int rows, columns, depth;
    double operations_per_second, share_of_limit; /* best of the rounds, by one thread */
} wac_bench_kernel;

typedef void wac_bench_kernel_fn(void *user, const wac_bench_kernel *kernel);

/* Time all products of an update of width 256, 64, 128 and 512; `tell` hears of each. A round lasts
 * at least so many seconds. */
wac_status wac_bench_kernels(double round_seconds, wac_bench_kernel_fn *tell, void *user,
                             wac_error *error);

/* The training loop beside bare updates of the same agent. Seconds are per epoch. */
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

/* Sorts the rounds. */
typedef struct wac_bench_rounds {
    double median, spread, best; /* best: the largest */
} wac_bench_rounds;

wac_bench_rounds wac_bench_summarise(double rounds[WAC_BENCH_ROUNDS]);

#endif
