/* Inside a sweep: its directory, its workers, and the ranks of MPI. */
#ifndef WAC_SWEEP_PARTS_H
#define WAC_SWEEP_PARTS_H

#include "sweep/file.h"
#include "sweep/sweep.h"

#include <sys/types.h>

/* --- sweep_folder.c -------------------------------------------------------------------------- */

/* True for the runs of the share that the options ask for. */
static inline bool wac_sweep_is_ours(const wac_sweep_options *options, size_t run)
{
    return options->share_count < 1 ||
           run % (size_t)options->share_count == (size_t)options->share_index;
}

/* Make the directory, lock it, see what is there and note the list: what wac_sweep_inspect does,
 * plus the marks that the sweep leaves. Close *lock when it is over. On failure all is as it was.
 */
wac_status wac_sweep_claim(int *lock, wac_sweep_item *items, const wac_sweep *sweep,
                           const char *directory, const wac_sweep_options *options,
                           wac_error *error);

/* A number that tells two lists apart. */
#define WAC_SWEEP_HASH 0xcbf29ce484222325u
uint64_t wac_sweep_hash(uint64_t hash, const char *text);
uint64_t wac_sweep_fingerprint(const wac_sweep *sweep);

/* --- sweep_worker.c -------------------------------------------------------------------------- */

/* What a worker says of the run it trains. */
typedef enum wac_sweep_word {
    WAC_SWEEP_TELLS, /* progress */
    WAC_SWEEP_ENDS,  /* status, and what is wrong if it is not OK */
} wac_sweep_word;

typedef struct wac_sweep_message {
    wac_sweep_word word;
    wac_status status;
    wac_progress progress;
    double seconds; /* ends: spent in training */
    char reason[512];
} wac_sweep_message;

/* A process that trains one run. */
typedef struct wac_sweep_worker {
    pid_t process; /* 0: idle */
    int pipe;      /* it talks through; never blocks */
    size_t run;
    wac_sweep_message last; /* what it said last */
} wac_sweep_worker;

/* Start a run on processor `processor` of those that this process may use (-1: any). The child
 * closes the descriptor `lock`. errno, or 0. */
int wac_sweep_worker_start(wac_sweep_worker *worker, const wac_sweep_run *run, size_t number,
                           const char *directory, int processor, int lock);

/* Take in what it has said. True once it is over: then `last` is its end, the worker is idle. */
bool wac_sweep_worker_read(wac_sweep_worker *worker);

/* Ask it to save the run and end. */
void wac_sweep_worker_stop(const wac_sweep_worker *worker);

/* --- sweep_mpi.c ----------------------------------------------------------------------------- */

/* What the plugin (plugins/mpi.c) offers; int results are 0, or not where MPI has failed. */
typedef struct wac_mpi_table {
    int version; /* WAC_MPI_VERSION */
    /* `place`: how many lower ranks of this host may use exactly the same processors */
    int (*start)(int *rank, int *size, int *place, int *companions);
    int (*send)(int to, const void *bytes, size_t size);
    /* the next message of anybody, if there is one: *from is -1 if not */
    int (*receive)(int *from, void *bytes, size_t size);
    void (*end)(void);
} wac_mpi_table;

enum { WAC_MPI_VERSION = 1 };
#define WAC_MPI_TABLE "wac_mpi_table_v1"

/* The ranks, if the environment says that there are several: *table is null where this is an
 * ordinary process. A missing plugin is an error then. */
typedef struct wac_sweep_ranks {
    const wac_mpi_table *table;
    int rank, size;
    int processor; /* where to pin this rank's run; -1: nowhere */
} wac_sweep_ranks;

wac_status wac_sweep_ranks_join(wac_sweep_ranks *ranks, wac_error *error);

#endif
