/* Executing a sweep.
 *
 * Every run is an ordinary run folder, the same to the byte as one of `wac train`; a run that is
 * there already is kept if it is finished and whole, and goes on from its checkpoint if not. So the
 * same call again goes on after whatever happened.
 *
 * Runs are trained by processes of their own, one thread and one processor each: a run that fails,
 * crashes or is killed is reported with its reason and does not touch the others. Under mpirun the
 * ranks share the runs out among them (plugins/mpi.c).
 */
#ifndef WAC_SWEEP_EXECUTE_H
#define WAC_SWEEP_EXECUTE_H

#include "sweep/folder.h"

/* The sweep as a whole, while it is executed. */
typedef struct wac_sweep_view {
    const wac_sweep *sweep;
    const wac_sweep_item *items;  /* [sweep->count] */
    size_t done, running, failed; /* the rest waits; `done` counts those kept too */
    double seconds;               /* since the call */
} wac_sweep_view;

typedef struct wac_sweep_options {
    int workers; /* 0: one for each processor that this process may use; under MPI the ranks */
    /* which runs to train; several processes may train different shares in one directory */
    wac_sweep_share share;
    /* once this is not zero the running runs save themselves and the call returns
     * WAC_STATUS_INTERRUPTED; may be null */
    const volatile int *stop;
    /* called when run `changed` has started, ended or failed, and, with SIZE_MAX, about five times
     * a second in between; null: never */
    void (*progress)(void *user, const wac_sweep_view *view, size_t changed);
    void *user;
} wac_sweep_options;

/* How it ended. */
typedef struct wac_sweep_outcome {
    size_t done, failed, left; /* left: neither, after an interruption */
    size_t damaged;            /* of those that failed; see wac_sweep_item */
    size_t diverged;           /* of those that failed: left the finite numbers, and would again */
    double busy;               /* seconds spent training, over all workers */
    double seconds;            /* that the call took */
    int workers;
    int rank; /* under MPI; only rank 0 knows the rest and should speak of it */
} wac_sweep_outcome;

/* Train all runs of the list in `directory`, which is made if it is not there. It keeps the list as
 * sweep.yaml. A directory that holds another sweep is refused, and so is anything that is no sweep:
 * every run that has begun there must be in the list, with the same settings. So the list may grow.
 * Two sweeps at once in one directory are refused. WAC_STATUS_OK where runs have failed, too: see
 * the outcome.
 *
 * Processes are forked: the caller must be the only thread of the program. */
wac_status wac_sweep_execute(const wac_sweep *sweep, const char *directory,
                             const wac_sweep_options *options, wac_sweep_outcome *outcome,
                             wac_error *error);

#endif
