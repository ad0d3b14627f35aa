/* PyTorch's updates of many runs on a GPU (bench/peers/torch_lockstep.py): a process that times a
 * round whenever it is asked to. */
#ifndef WAC_BENCH_PEER_H
#define WAC_BENCH_PEER_H

#include "wac/agent.h"

#include <stdio.h>
#include <sys/types.h>

/* A case: so many runs of one algorithm and precision, all of these sizes. */
typedef struct wac_bench_gpu {
    wac_algorithm algorithm;
    wac_precision precision;
    int runs, width, batch, observations, actions;
} wac_bench_gpu;

/* How PyTorch may be run: the fastest of them all, or one by name. */
#define WAC_BENCH_PEER_WAYS "fastest|max-autotune|max-autotune-combined|default|combined|eager"

typedef struct wac_bench_peer {
    pid_t process;
    FILE *talk, *complaints;
    char torch[32], way[32]; /* its version, and how it runs */
} wac_bench_peer;

/* Whether there are a python3 with PyTorch and the program. */
wac_status wac_bench_peer_find(wac_error *error);

/* Whether it has an algorithm: OAC learns as SAC does, and no GPU trains those behind it. */
bool wac_bench_peer_has(wac_algorithm algorithm);

/* Start it, and wait until it is ready; rounds will last about so many seconds. */
wac_status wac_bench_peer_start(wac_bench_peer *peer, const wac_bench_gpu *bench, const char *way,
                                double seconds, wac_error *error);

/* One round: updates a second, of all runs together. */
wac_status wac_bench_peer_round(double *rate, wac_bench_peer *peer, wac_error *error);

void wac_bench_peer_end(wac_bench_peer *peer);

#endif
