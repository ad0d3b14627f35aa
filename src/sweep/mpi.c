/* The way to MPI: a plugin that is loaded only where mpirun or srun has started this process, so
 * that the program neither needs MPI nor waits for it otherwise. */
#include "sweep/mpi.h"

#include "base/plugin.h"
#include "base/status.h"
#include "base/threads.h"

#include <limits.h>
#include <stdlib.h>

/* A whole number from the environment; -1: none. */
static int number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return -1;
    long number = strtol(text, &end, 10);
    return *end || number < 0 || number > INT_MAX ? -1 : (int)number;
}

int wac_sweep_rank(void)
{
    int rank = number_of("OMPI_COMM_WORLD_RANK");
    if (rank < 0)
        rank = number_of("PMIX_RANK");
    return rank < 0 ? 0 : rank;
}

/* Whether several processes were started together; Open MPI says how many, srun by another name. */
static bool is_one_of_several(void)
{
    int size = number_of("OMPI_COMM_WORLD_SIZE");
    if (size < 0 && number_of("PMIX_RANK") >= 0)
        size = number_of("SLURM_STEP_NUM_TASKS");
    return size > 1;
}

wac_status wac_sweep_ranks_join(wac_sweep_ranks *ranks, wac_error *error)
{
    char why[256];
    int place, companions;
    *ranks = (wac_sweep_ranks){.size = 1, .processor = -1};
    if (!is_one_of_several())
        return WAC_STATUS_OK;
    const wac_mpi_table *table =
        wac_plugin_table("wac_mpi", WAC_MPI_TABLE, "WAC_MPI_PLUGIN", why, sizeof why);
    if (!table)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "started as one of several processes, but without the part that talks "
                        "MPI (%s); install libopenmpi-dev and build again, or start it without "
                        "mpirun",
                        why);
    if (table->start(&ranks->rank, &ranks->size, &place, &companions) != 0)
        return wac_fail(error, WAC_STATUS_IO,
                        "MPI does not start; check the installation with: mpirun hostname");
    ranks->table = table;
    /* more ranks than processors: leave the choice to the system */
    ranks->processor = companions <= wac_processors() ? place : -1;
    return WAC_STATUS_OK;
}
