/* Updates of many runs in lockstep: whole updates, drawing included, in rounds that take turns with
 * those of PyTorch. */
#include "bench/gpu.h"

#include "base/clock.h"
#include "base/status.h"
#include "bench/cost.h"
#include "rl/cuda/steps.h"

#include <math.h>
#include <stdlib.h>

enum { TRANSITIONS = 5000, WARM_UP = 20, PROFILED = 20 };

/* The settings of a run, all but its seed. */
static wac_status configure(wac_config *config, const wac_bench_gpu *bench, wac_error *error)
{
    WAC_TRY(wac_config_init(config, "point-1", wac_algorithm_name(bench->algorithm), error));
    config->width = bench->width;
    config->batch_size = bench->batch;
    config->precision = (int)bench->precision;
    config->replay_capacity = TRANSITIONS;
    return WAC_STATUS_OK;
}

wac_status wac_bench_gpu_agent(wac_agent **agent, const wac_bench_gpu *bench, wac_error *error)
{
    wac_config *configs = calloc((size_t)bench->runs, sizeof *configs);
    if (!configs)
        return wac_fail_memory(error, "the runs");
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < bench->runs && status == WAC_STATUS_OK; i++) {
        status = configure(&configs[i], bench, error);
        configs[i].seed = i + 1;
    }
    if (status == WAC_STATUS_OK)
        status = wac_agent_create_seats(agent,
                                        &(wac_agent_plan){.device = WAC_DEVICE_CUDA,
                                                          .configs = configs,
                                                          .seats = bench->runs,
                                                          .observations = bench->observations,
                                                          .actions = bench->actions,
                                                          .threads = 1,
                                                          .first_cpu = -1},
                                        error);
    free(configs);
    WAC_TRY(status);
    for (int i = 0; i < bench->runs; i++)
        wac_bench_fill(*agent, i, TRANSITIONS);
    wac_agent_anchor(*agent);
    return WAC_STATUS_OK;
}

static wac_status time_updates(double *seconds, wac_agent *agent, int64_t updates, wac_error *error)
{
    double start = wac_clock_seconds();
    wac_agent_start(agent, updates);
    WAC_TRY(wac_agent_wait(agent, error));
    *seconds = wac_clock_seconds() - start;
    return WAC_STATUS_OK;
}

static wac_status measure(wac_bench_gpu_result *result, wac_agent *agent, wac_bench_peer *peer,
                          double seconds, wac_error *error)
{
    double rates[WAC_BENCH_ROUNDS], peers[WAC_BENCH_ROUNDS], ratios[WAC_BENCH_ROUNDS], took;
    WAC_TRY(time_updates(&took, agent, WARM_UP, error));
    WAC_TRY(time_updates(&took, agent, WARM_UP, error));
    int64_t updates = 10 * (int64_t)fmax(1, round(seconds * WARM_UP / took / 10));
    for (int i = 0; i < WAC_BENCH_ROUNDS; i++) {
        WAC_TRY(time_updates(&took, agent, updates, error));
        rates[i] = (double)agent->seats * (double)updates / took;
        if (!peer)
            continue;
        WAC_TRY(wac_bench_peer_round(&peers[i], peer, error));
        ratios[i] = rates[i] / peers[i];
    }
    result->rate = wac_bench_summarise(rates);
    if (peer) {
        result->peer_rate = wac_bench_summarise(peers);
        result->ratio = wac_bench_summarise(ratios);
    }
    result->kernels =
        wac_gpu_profile(agent, PROFILED, result->names, result->seconds, WAC_BENCH_KERNELS);
    for (int i = 0; i < result->kernels; i++)
        result->seconds[i] /= PROFILED;
    return wac_agent_finish(agent, error);
}

wac_status wac_bench_gpu_run(wac_bench_gpu_result *result, const wac_bench_gpu *bench,
                             wac_bench_peer *peer, double seconds, wac_error *error)
{
    wac_agent *agent = NULL;
    wac_config config;
    *result = (wac_bench_gpu_result){0};
    WAC_TRY(configure(&config, bench, error));
    result->flops = wac_bench_operations(&config, bench->observations, bench->actions);
    result->bytes = wac_bench_bytes(&config, bench->observations, bench->actions);
    WAC_TRY(wac_bench_gpu_agent(&agent, bench, error));
    wac_status status = measure(result, agent, peer, seconds, error);
    wac_agent_destroy(agent);
    return status;
}
