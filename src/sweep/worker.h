/* A process that trains runs of a sweep, seen from the sweep. */
#ifndef WAC_SWEEP_WORKER_H
#define WAC_SWEEP_WORKER_H

#include "sweep/child.h"

#include <sys/types.h>

typedef struct wac_sweep_worker {
    pid_t process; /* 0: idle */
    int pipe;      /* it talks through; never blocks */
} wac_sweep_worker;

/* Have a new process do a task. The child closes the descriptor `lock`. errno, or 0. */
int wac_sweep_worker_start(wac_sweep_worker *worker, const wac_sweep_task *task, int lock);

/* The next thing that it has said; false: nothing now. The last is WAC_SWEEP_WORD_GONE, with a
 * `reason` why runs that it has begun may not have ended; then the worker is idle. */
bool wac_sweep_worker_read(wac_sweep_worker *worker, wac_sweep_message *message);

/* Ask it to save its runs and end. */
void wac_sweep_worker_stop(const wac_sweep_worker *worker);

/* Whether a device can be used, asked in a process of its own: what has begun to use CUDA must not
 * fork. */
wac_status wac_sweep_worker_probe(wac_device device, wac_error *error);

#endif
