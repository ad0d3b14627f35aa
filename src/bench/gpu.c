/* Updates of many runs in lockstep: whole updates, drawing included, in rounds. */
#include "bench/gpu.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/status.h"
#include "bench/cost.h"
#include "bench/update.h"
#include "rl/cuda/steps.h"

#include <math.h>
#include <stdlib.h>

enum { TRANSITIONS = 5000, WARM_UP = 20, PROFILED = 20 };

static wac_status make_agent(wac_agent **agent, const wac_bench_gpu *bench, double *flops,
                             wac_error *error)
{
    wac_config *configs = calloc((size_t)bench->runs, sizeof *configs);
    if (!configs)
        return wac_fail_memory(error, "the runs");
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < bench->runs && status == WAC_STATUS_OK; i++) {
        status =
            wac_config_init(&configs[i], "point-1", wac_algorithm_name(bench->algorithm), error);
        configs[i].width = bench->width;
        configs[i].batch_size = bench->batch;
        configs[i].precision = (int)bench->precision;
        configs[i].replay_capacity = TRANSITIONS;
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
    *flops = wac_bench_operations(configs, bench->observations, bench->actions);
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

static wac_status measure(wac_bench_gpu_result *result, wac_agent *agent, int rounds,
                          double seconds, wac_error *error)
{
    double rates[64], took;
    rounds = rounds < 64 ? rounds : 64;
    WAC_TRY(time_updates(&took, agent, WARM_UP, error));
    WAC_TRY(time_updates(&took, agent, WARM_UP, error));
    int64_t updates = 10 * (int64_t)fmax(1, round(seconds * WARM_UP / took / 10));
    for (int i = 0; i < rounds; i++) {
        WAC_TRY(time_updates(&took, agent, updates, error));
        rates[i] = (double)agent->seats * (double)updates / took;
    }
    wac_sort(rates, (size_t)rounds);
    result->rate = (rates[(rounds - 1) / 2] + rates[rounds / 2]) / 2;
    result->low = rates[rounds / 4];
    result->high = rates[rounds - 1 - rounds / 4];
    result->kernels =
        wac_gpu_profile(agent, PROFILED, result->names, result->seconds, WAC_BENCH_KERNELS);
    for (int i = 0; i < result->kernels; i++)
        result->seconds[i] /= PROFILED;
    return wac_agent_finish(agent, error);
}

wac_status wac_bench_gpu_run(wac_bench_gpu_result *result, const wac_bench_gpu *bench, int rounds,
                             double seconds, wac_error *error)
{
    wac_agent *agent = NULL;
    *result = (wac_bench_gpu_result){0};
    WAC_TRY(make_agent(&agent, bench, &result->flops, error));
    wac_status status = measure(result, agent, rounds, seconds, error);
    wac_agent_destroy(agent);
    return status;
}
