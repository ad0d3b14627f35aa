/* The ranks of MPI that share a sweep, and the plugin that talks to them. */
#ifndef WAC_SWEEP_MPI_H
#define WAC_SWEEP_MPI_H

#include "wac/base.h"

/* What the plugin (plugins/mpi.c) offers; int results are 0, or not where MPI has failed. */
typedef struct wac_mpi_table {
    /* `place`: how many lower ranks of this host may use exactly the same processors */
    int (*start)(int *rank, int *size, int *place, int *companions);
    int (*send)(int to, const void *bytes, size_t size);
    /* the next message of anybody, if there is one: *from is -1 if not */
    int (*receive)(int *from, void *bytes, size_t size);
    void (*end)(void);
} wac_mpi_table;

#define WAC_MPI_TABLE "wac_mpi_table_v1"

/* The ranks, if the environment says that there are several: *table is null where this is an
 * ordinary process. A missing plugin is an error then. */
typedef struct wac_sweep_ranks {
    const wac_mpi_table *table;
    int rank, size;
    int processor; /* where to pin this rank's run; -1: nowhere */
} wac_sweep_ranks;

wac_status wac_sweep_ranks_join(wac_sweep_ranks *ranks, wac_error *error);

/* The rank of this process as mpirun or srun has told it in the environment; 0 without them. Of
 * several ranks only the first should speak. */
int wac_sweep_rank(void);

#endif
