/* Whole epochs of training on a GPU beside the bare updates of the same groups of runs. */
#ifndef WAC_BENCH_EPOCHS_H
#define WAC_BENCH_EPOCHS_H

#include "run/lockstep.h"
#include "run/run.h"

/* So many seeds of each algorithm in each of the four mazes, with their presets: a group for each
 * algorithm. */
typedef struct wac_bench_epochs {
    const wac_algorithm *algorithms; /* [count] */
    int count;
    wac_precision precision;
    int seeds;
    int epochs; /* of every group that are measured, at least */
} wac_bench_epochs;

enum { WAC_BENCH_GROUPS = 8 };

typedef struct wac_bench_group {
    wac_algorithm algorithm;
    int runs;
    double seconds;                   /* of an epoch … */
    double parts[WAC_LOCKSTEP_PARTS]; /* … and of what that consists */
} wac_bench_group;

typedef struct wac_bench_epochs_result {
    int runs, processors;
    double rate, bare;         /* updates a second of all runs, in whole epochs and alone */
    double busy;               /* share of the processors' time that this process had */
    double phases[WAC_PHASES]; /* seconds of a run in an epoch; those of updates mean nothing */
    int count;
    wac_bench_group groups[WAC_BENCH_GROUPS]; /* [count] */
} wac_bench_epochs_result;

/* Trains in a temporary folder, all groups at the same time, after an epoch that warms up; then
 * updates the same groups without anything else. `stop`: see wac_run_options. */
wac_status wac_bench_epochs_run(wac_bench_epochs_result *result, const wac_bench_epochs *bench,
                                const volatile int *stop, wac_error *error);

#endif
