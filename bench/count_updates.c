/* So many updates of an algorithm at a small size, for scripts/count-instructions. */
#include "base/words.h"
#include "bench/update.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int algorithm = argc == 3 ? wac_word_index(&WAC_ALGORITHM_WORDS[1], argv[1]) : -1;
    if (algorithm < 0) {
        fprintf(stderr, "usage: bench_count_updates ALGORITHM UPDATES\n");
        return 2;
    }
    wac_bench_case bench = {&wac_bench_sizes[0],  (wac_algorithm)algorithm, 64, 64, 1,
                            WAC_PRECISION_SINGLE, WAC_NETWORK_PLAIN};
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
