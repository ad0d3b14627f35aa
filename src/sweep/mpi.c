/* The way to MPI: a plugin that is loaded only where mpirun or srun has started this process, so
 * that the program neither needs MPI nor waits for it otherwise. */
#include "sweep/mpi.h"

#include "base/files.h"
#include "base/status.h"
#include "base/threads.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char plugin_name[] = "wac_mpi.so";

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

/* "../lib/wac/" and "" beside the program: an installation, and a build folder. */
static void *open_plugin(char *why, size_t size)
{
    static const char *const places[] = {"", "../lib/wac/", "../lib/"};
    const char *named = getenv("WAC_MPI_PLUGIN");
    char program[PATH_MAX], path[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = 0;
    snprintf(why, size, "there is no %s beside the program nor in ../lib/wac", plugin_name);
    for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
        if (i == 0 && !named)
            continue;
        snprintf(path, sizeof path, "%s%s%s", i ? program : named, i ? places[i - 1] : "",
                 i ? plugin_name : "");
        if (!wac_path_exists(path))
            continue;
        /* global: the parts that Open MPI loads by itself look for its names */
        void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (plugin)
            return plugin;
        snprintf(why, size, "%s", dlerror());
    }
    return NULL;
}

wac_status wac_sweep_ranks_join(wac_sweep_ranks *ranks, wac_error *error)
{
    char why[256];
    int place, companions;
    *ranks = (wac_sweep_ranks){.size = 1, .processor = -1};
    if (!is_one_of_several())
        return WAC_STATUS_OK;
    void *plugin = open_plugin(why, sizeof why);
    const wac_mpi_table *table = plugin ? dlsym(plugin, WAC_MPI_TABLE) : NULL;
    if (!table || table->version != WAC_MPI_VERSION)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "started as one of several processes, but without the part that talks "
                        "MPI (%s); install libopenmpi-dev and build again, or start it without "
                        "mpirun",
                        plugin ? "the one that is there is of another version" : why);
    if (table->start(&ranks->rank, &ranks->size, &place, &companions) != 0)
        return wac_fail(error, WAC_STATUS_IO,
                        "MPI does not start; check the installation with: mpirun hostname");
    ranks->table = table;
    /* more ranks than processors: leave the choice to the system */
    ranks->processor = companions <= wac_processors() ? place : -1;
    return WAC_STATUS_OK;
}
