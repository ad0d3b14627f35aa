/* Times updates in turns with another program: each line on stdin asks for a round, each line on
 * stdout is its updates per second. bench/peers/compare.py and the scripts beside it hold the other
 * end. */
#include "base/clock.h"
#include "base/words.h"
#include "bench/update.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *message)
{
    fprintf(stderr, "bench_update_rounds: %s\n", message);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 6)
        return fail("usage: bench_update_rounds ALGORITHM THREADS SECONDS [SIZE [NETWORK]] < "
                    "requests");
    int algorithm = wac_word_index(&WAC_ALGORITHM_WORDS[1], argv[1]);
    if (algorithm < 0)
        return fail("no such algorithm");
    int size = 0;
    while (argc > 4 && size < WAC_BENCH_SIZES && strcmp(argv[4], wac_bench_sizes[size].name) != 0)
        size++;
    if (size == WAC_BENCH_SIZES)
        return fail("no such size");
    int network = argc > 5 ? wac_word_index(WAC_NETWORKS, argv[5]) : WAC_NETWORK_PLAIN;
    if (network < 0)
        return fail("no such network");
    wac_bench_case bench = {.size = &wac_bench_sizes[size],
                            .algorithm = (wac_algorithm)algorithm,
                            .width = network == WAC_NETWORK_PLAIN ? 256 : 512,
                            .network = (wac_network)network,
                            .batch = 256,
                            .threads = atoi(argv[2])};
    double seconds = strtod(argv[3], NULL);
    wac_agent *agent;
    wac_error error = {0};
    if (bench.threads < 1 || wac_bench_agent(&agent, &bench, &error) != WAC_STATUS_OK)
        return fail(error.message);
    wac_losses losses;
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < 10 && !status; i++)
        status = wac_agent_update(agent, &losses, &error);
    printf("ready %s\n", wac_version());
    fflush(stdout);
    for (int letter; !status && (letter = getchar()) != EOF;) {
        if (letter != '\n')
            continue;
        int64_t count = 0;
        double start = wac_clock_seconds(), spent = 0;
        for (; spent < seconds && !status; spent = wac_clock_seconds() - start, count++)
            status = wac_agent_update(agent, &losses, &error);
        printf("%.6g\n", (double)count / spent);
        fflush(stdout);
    }
    wac_agent_destroy(agent);
    return status ? fail(error.message) : 0;
}
