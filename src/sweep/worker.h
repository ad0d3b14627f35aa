/* A process that trains one run of a sweep, and what it says. */
#ifndef WAC_SWEEP_WORKER_H
#define WAC_SWEEP_WORKER_H

#include "sweep/list.h"
#include "wac/run.h"

#include <sys/types.h>

/* What a worker says of the run it trains. */
typedef enum wac_sweep_word {
    WAC_SWEEP_WORD_PROGRESS,
    WAC_SWEEP_WORD_END, /* status, and what is wrong if it is not OK */
} wac_sweep_word;

typedef struct wac_sweep_message {
    wac_sweep_word word;
    wac_status status;
    wac_progress progress;
    double seconds; /* end: spent in training */
    char reason[512];
} wac_sweep_message;

typedef struct wac_sweep_worker {
    pid_t process; /* 0: idle */
    int pipe;      /* it talks through; never blocks */
    size_t run;
    wac_sweep_message last; /* what it said last */
} wac_sweep_worker;

/* Start a run, or go on with it until its config's last epoch, on processor `processor` of those
 * that this process may use (-1: any). The child closes the descriptor `lock`. errno, or 0. */
int wac_sweep_worker_start(wac_sweep_worker *worker, const wac_sweep_run *run, size_t number,
                           const char *directory, int processor, int lock);

/* Take in what it has said. Once it is over, `last` is its end and the worker is idle. */
void wac_sweep_worker_read(wac_sweep_worker *worker);

/* Ask it to save the run and end. */
void wac_sweep_worker_stop(const wac_sweep_worker *worker);

#endif
