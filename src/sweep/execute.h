/* Executing a sweep.
 *
 * Every run is an ordinary run folder, the same to the byte as one of `wac train`; a run that is
 * there already is kept if it is finished and whole, and goes on from its checkpoint if not. So the
 * same call again goes on after whatever happened.
 *
 * Runs are trained by processes of their own, one thread and one processor each: a run that fails,
 * crashes or is killed is reported with its reason and does not touch the others. Under mpirun the
 * ranks share the runs out among them (plugins/mpi.c).
 *
 * In lockstep, as on a GPU, one process trains them all, in groups of equal shape (child.c); the
 * files are the same.
 */
#ifndef WAC_SWEEP_EXECUTE_H
#define WAC_SWEEP_EXECUTE_H

#include "sweep/ladder.h"

/* The sweep as a whole, while it is executed. */
typedef struct wac_sweep_view {
    const wac_sweep *sweep;
    const wac_sweep_item *items;  /* [sweep->count] */
    size_t done, running, failed; /* the rest waits; `done` counts those kept too */
    double seconds;               /* since the call */
} wac_sweep_view;

typedef struct wac_sweep_options {
    /* 0: one for each processor that this process may use; under MPI the ranks. In lockstep the
     * groups at the same time on each GPU, 0: a few */
    int workers;
    wac_device device;
    bool maps;     /* see wac_run_options */
    bool lockstep; /* on the CPU, too: for tests */
    int seats;     /* in lockstep, most of a group; 0: as many as are good for a GPU */
    /* which runs to train; several processes may train different shares in one directory */
    wac_sweep_share share;
    /* a search whose runs are trained rung by rung, of this sweep and directory, not begun yet;
     * null: all runs to their end. Not with a share */
    wac_ladder *ladder;
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
    int workers;               /* 0: in lockstep */
    int rank;                  /* under MPI; only rank 0 knows the rest and should speak of it */
} wac_sweep_outcome;

/* Train all runs of the list in `directory`, which is made if it is not there. It keeps the list as
 * sweep.yaml. A directory that holds another sweep is refused, and so is anything that is no sweep:
 * every run that has begun there must be in the list, with the same settings, of which only epochs
 * may be raised. So the list may grow, and all of it go on.
 * Two sweeps at once in one directory are refused. WAC_STATUS_OK where runs have failed, too: see
 * the outcome.
 *
 * Processes are forked: the caller must be the only thread of the program. */
wac_status wac_sweep_execute(const wac_sweep *sweep, const char *directory,
                             const wac_sweep_options *options, wac_sweep_outcome *outcome,
                             wac_error *error);

/* Refuses a device that cannot be used, where runs are left to train on it; touches nothing.
 * wac_sweep_execute begins with this. */
wac_status wac_sweep_check_device(const wac_sweep *sweep, const char *directory, wac_device device,
                                  wac_error *error);

#endif
