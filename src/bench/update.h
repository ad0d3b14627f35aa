/* How fast the updates are, as a share of the limit (limit.h). */
#ifndef WAC_BENCH_UPDATE_H
#define WAC_BENCH_UPDATE_H

#include "wac/agent.h"

/* The sizes of two tasks of the paper; all other settings are their presets. */
typedef struct wac_bench_size {
    const char *name; /* as in --env-size */
    const char *preset;
    int observations, actions;
} wac_bench_size;

enum { WAC_BENCH_SIZES = 2 };
extern const wac_bench_size wac_bench_sizes[WAC_BENCH_SIZES]; /* point, halfcheetah */

typedef struct wac_bench_case {
    const wac_bench_size *size;
    wac_algorithm algorithm;
    int width, batch, threads;
    wac_precision precision;
    wac_network network;
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

/* Time updates of an agent with a filled replay; a round lasts about so many seconds. */
wac_status wac_bench_update(wac_bench_result *result, const wac_bench_case *bench,
                            double round_seconds, wac_error *error);

/* Fill the replay of a seat with plausible transitions. */
enum { WAC_BENCH_TRANSITIONS = 100000 };
void wac_bench_fill(wac_agent *agent, int seat, int transitions);

/* An agent of a case, ready to update: pinned from the first processor on, replay filled. */
wac_status wac_bench_agent(wac_agent **agent, const wac_bench_case *bench, wac_error *error);

/* Sorts the rounds. */
enum { WAC_BENCH_ROUNDS = 9 };
typedef struct wac_bench_rounds {
    double median, low, high; /* the latter two: quartiles */
    double spread;            /* between them, as a share of the median */
    double best;              /* the largest */
} wac_bench_rounds;

wac_bench_rounds wac_bench_summarise(double rounds[WAC_BENCH_ROUNDS]);

#endif
