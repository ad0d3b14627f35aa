/* MPI for sweeps: a few messages between ranks, as a plugin (src/sweep/mpi.c loads it). Built
 * where Open MPI is; the program itself does not know it. */
#include "sweep/mpi.h"

#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Which ranks of this host may use the same processors: how many are below us, and in all. */
static int find_place(int *place, int *companions)
{
    MPI_Comm host;
    int size = 0, rank = 0;
    cpu_set_t own;
    *place = 0;
    *companions = 1;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own) != 0 ||
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) !=
            MPI_SUCCESS)
        return 1;
    MPI_Comm_size(host, &size);
    MPI_Comm_rank(host, &rank);
    cpu_set_t *all = calloc((size_t)size, sizeof *all);
    int failure = !all || MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE,
                                        host) != MPI_SUCCESS;
    for (int i = 0; i < size && !failure; i++) {
        bool same = i != rank && CPU_EQUAL(&all[i], &own);
        *place += same && i < rank;
        *companions += same;
    }
    free(all);
    MPI_Comm_free(&host);
    return failure;
}

static int start(int *rank, int *size, int *place, int *companions)
{
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    return find_place(place, companions);
}

static int send_bytes(int to, const void *bytes, size_t size)
{
    return MPI_Send(bytes, (int)size, MPI_BYTE, to, 0, MPI_COMM_WORLD) != MPI_SUCCESS;
}

static int receive_bytes(int *from, void *bytes, size_t size)
{
    int there = 0;
    MPI_Status status;
    *from = -1;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status) != MPI_SUCCESS)
        return 1;
    if (!there)
        return 0;
    if (MPI_Recv(bytes, (int)size, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, &status) !=
        MPI_SUCCESS)
        return 1;
    *from = status.MPI_SOURCE;
    return 0;
}

static void end(void)
{
    MPI_Finalize();
}

extern const wac_mpi_table wac_mpi_table_v1;
WAC_API const wac_mpi_table wac_mpi_table_v1 = {
    .start = start,
    .send = send_bytes,
    .receive = receive_bytes,
    .end = end,
};
