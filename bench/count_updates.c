/* So many updates of an algorithm at a small size, for scripts/count-instructions. */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    wac_bench_case bench = {&wac_bench_sizes[0], WAC_ALGORITHM_OE_WAC, 64, 64, 1,
                            WAC_PRECISION_SINGLE};
    while (argc == 3 && strcmp(wac_algorithm_name(bench.algorithm), argv[1]) != 0)
        if (bench.algorithm++ == WAC_ALGORITHM_OAC)
            argc = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: bench_count_updates ALGORITHM UPDATES\n");
        return 2;
    }
    wac_agent *agent;
    wac_error error = {0};
    wac_status status = wac_bench_agent(&agent, &bench, &error);
    if (!status) {
        wac_losses losses;
        for (int i = atoi(argv[2]); i > 0 && !status; i--)
            status = wac_agent_update(agent, &losses, &error);
        wac_agent_destroy(agent);
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status;
}
