/* Sweeps: many runs in one directory, several at a time.
 *
 * A sweep is a list of runs, each with a folder of its own below the sweep's directory. It comes
 * from a YAML file (docs/sweeps.md) or from a program that fills the list itself. Every run is an
 * ordinary run folder, the same to the byte as one of `wac train`; a run that is there already is
 * kept if it is finished and whole, and goes on from its checkpoint if not. So the same call again
 * goes on after whatever happened.
 *
 * Runs are trained by processes of their own, one thread and one processor each: a run that fails,
 * crashes or is killed is reported with its reason and does not touch the others. Under mpirun the
 * ranks share the runs out among them (plugins/mpi.c).
 */
#ifndef WAC_SWEEP_SWEEP_H
#define WAC_SWEEP_SWEEP_H

#include "wac/run.h"

enum { WAC_SWEEP_FOLDER = 256, WAC_SWEEP_RUNS = 10000 /* most of them */ };

typedef struct wac_sweep_run {
    wac_config config;
    char folder[WAC_SWEEP_FOLDER]; /* "point-1/oe-wac/lambda-0.5/seed-3" */
} wac_sweep_run;

typedef struct wac_sweep {
    wac_sweep_run *runs; /* [count]; from malloc */
    size_t count;
} wac_sweep;

/* All runs of a sweep file, in an order that follows from its text alone: environments, then
 * algorithms, settings and seeds, each as it is listed. Every config is checked and no two are the
 * same. On failure there is nothing to free. */
wac_status wac_sweep_read(wac_sweep *sweep, const char *path, wac_error *error);

/* The same from memory; `name` stands for the file in messages. */
wac_status wac_sweep_parse(wac_sweep *sweep, const char *text, size_t size, const char *name,
                           wac_error *error);
void wac_sweep_free(wac_sweep *sweep);

/* What a list must fulfil, for programs that fill one themselves: at least one run, every config
 * good, folders relative and below the directory, no two runs with the same folder or settings. */
wac_status wac_sweep_check(const wac_sweep *sweep, wac_error *error);

/* Where a run of the sweep stands. */
typedef enum wac_sweep_state {
    WAC_SWEEP_NEW,     /* nothing there yet */
    WAC_SWEEP_BEGUN,   /* to go on with from its checkpoint, or from the beginning if it has none */
    WAC_SWEEP_RUNNING, /* being trained */
    WAC_SWEEP_DONE,
    WAC_SWEEP_FAILED, /* tried again by the next call, unless it is damaged */
} wac_sweep_state;

typedef struct wac_sweep_item {
    wac_sweep_state state;
    bool kept;             /* was done before this call */
    bool damaged;          /* failed: was finished, and files of it are lost; nobody touches it */
    int worker;            /* who trains it, from 0; -1: nobody */
    wac_progress progress; /* what it told last; before that, of a run begun: epochs and epoch */
    double seconds;        /* that this call has spent on it, once it does not run any more */
    char reason[512];      /* failed: why */
} wac_sweep_item;

/* The sweep as a whole, while it is executed. */
typedef struct wac_sweep_view {
    const wac_sweep *sweep;
    const wac_sweep_item *items; /* [sweep->count] */
    int workers;
    size_t done, running, failed; /* the rest waits; `done` counts those kept too */
    double seconds;               /* since the call */
} wac_sweep_view;

typedef struct wac_sweep_options {
    int workers; /* 0: one for each processor that this process may use; under MPI the ranks */
    /* which share of the runs to train: every share_count-th from number share_index (from 0) on;
     * share_count 0: all. Several processes may train different shares in one directory. */
    int share_index, share_count;
    /* once this is not zero the running runs save themselves and the call returns
     * WAC_STATUS_INTERRUPTED; may be null */
    const volatile int *stop;
    /* called when run `changed` has started, ended or failed, and, with SIZE_MAX, about five times
     * a second in between; null: never */
    void (*progress)(void *user, const wac_sweep_view *view, size_t changed);
    void *user;
} wac_sweep_options;

wac_sweep_options wac_sweep_options_default(void);

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

/* What wac_sweep_execute would find in the directory, with the same refusals; touches nothing.
 * items: [sweep->count]. */
wac_status wac_sweep_inspect(wac_sweep_item *items, const wac_sweep *sweep, const char *directory,
                             wac_error *error);

/* An estimate of the seconds that the rest of the sweep takes with these workers on this machine:
 * a fraction of a second of each kind of run is measured (one thread). */
wac_status wac_sweep_estimate(double *seconds, const wac_sweep *sweep, const wac_sweep_item *items,
                              int workers, wac_error *error);

/* The rank of this process as mpirun or srun has told it in the environment; 0 without them. Of
 * several ranks only the first should speak. */
int wac_sweep_rank(void);

#endif
