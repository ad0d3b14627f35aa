/* Updates per second: whole updates, drawing the batch included, in rounds that take turns with
 * measurements of the limit. */
#include "bench/update.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "bench/cost.h"
#include "bench/limit.h"
#include "rl/host/host.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>

enum { WARM_UP = 3, MOST_ENTRIES = 32 };

const wac_bench_size wac_bench_sizes[WAC_BENCH_SIZES] = {
    {"point", "point-1", 4, 2},
    {"halfcheetah", "halfcheetah", 17, 6},
};

wac_bench_rounds wac_bench_summarise(double rounds[WAC_BENCH_ROUNDS])
{
    enum { LAST = WAC_BENCH_ROUNDS - 1 };
    wac_sort(rounds, WAC_BENCH_ROUNDS);
    double median = rounds[LAST / 2], low = rounds[LAST / 4], high = rounds[LAST - LAST / 4];
    return (wac_bench_rounds){
        .median = median,
        .low = low,
        .high = high,
        .spread = (high - low) / median,
        .best = rounds[LAST],
    };
}

/* A walk through [-1, 1]^O that actions push around, with the rewards of the prior. */
void wac_bench_fill(wac_agent *agent, int seat, int transitions)
{
    const wac_config *config = &agent->seat[seat].config;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_EXPLORE);
    float at[MOST_ENTRIES] = {0}, next[MOST_ENTRIES], action[MOST_ENTRIES];
    for (int i = 0; i < transitions; i++) {
        double far = 0;
        for (int j = 0; j < agent->actions; j++)
            action[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        for (int j = 0; j < agent->observations; j++) {
            double push = 0.1 * (double)action[j % agent->actions];
            double noise = 0.05 * (2 * wac_rng_uniform(&rng) - 1);
            next[j] = (float)fmax(-1, fmin(1, (double)at[j] + push + noise));
            far += (double)next[j] * (double)next[j] / agent->observations;
        }
        bool ended = i % 300 == 299;
        double reward = config->reward_min + (config->reward_max - config->reward_min) * far;
        agent->steps->remember(agent, seat, at, action, reward, next, ended);
        for (int j = 0; j < agent->observations; j++)
            at[j] = ended ? 0 : next[j];
    }
}

wac_status wac_bench_agent(wac_agent **agent, const wac_bench_case *bench, wac_error *error)
{
    const wac_bench_size *size = bench->size;
    wac_config config;
    WAC_TRY(wac_config_init(&config, size->preset, wac_algorithm_name(bench->algorithm), error));
    config.width = bench->width;
    config.batch_size = bench->batch;
    config.precision = (int)bench->precision;
    config.network = (int)bench->network;
    WAC_TRY(wac_config_check(&config, error));
    WAC_TRY(wac_agent_create(agent, &config, size->observations, size->actions, bench->threads, 0,
                             error));
    wac_bench_fill(*agent, 0, WAC_BENCH_TRANSITIONS);
    wac_agent_anchor(*agent);
    return WAC_STATUS_OK;
}

/* Seconds that so many updates take. */
static wac_status time_updates(double *seconds, wac_agent *agent, int64_t count, wac_error *error)
{
    wac_losses losses;
    double start = wac_clock_seconds();
    for (int64_t i = 0; i < count; i++)
        WAC_TRY(wac_agent_update(agent, &losses, error));
    *seconds = wac_clock_seconds() - start;
    return WAC_STATUS_OK;
}

static wac_status measure(wac_bench_result *result, wac_agent *agent, double round_seconds,
                          wac_error *error)
{
    wac_team *team = ((const wac_host *)agent->device)->team;
    double seconds, limits[WAC_BENCH_ROUNDS], rates[WAC_BENCH_ROUNDS], trips[WAC_BENCH_ROUNDS];
    /* the first ones meet cold caches; then as many as tell how many make a round */
    WAC_TRY(time_updates(&seconds, agent, WARM_UP, error));
    int64_t count = 1;
    do {
        count *= 2;
        WAC_TRY(time_updates(&seconds, agent, count, error));
    } while (seconds < round_seconds / 4);
    count = (int64_t)ceil((double)count * round_seconds / seconds);
    wac_bench_limit(team);
    double start = wac_clock_seconds(), had = wac_clock_processor_seconds();
    for (int round = 0; round < WAC_BENCH_ROUNDS; round++) {
        limits[round] = wac_bench_limit(team);
        trips[round] = wac_bench_round_trip(team);
        WAC_TRY(time_updates(&seconds, agent, count, error));
        rates[round] = (double)count / seconds;
    }
    double wanted = (wac_clock_seconds() - start) * wac_team_threads(team);
    result->lost = fmax(0, 1 - (wac_clock_processor_seconds() - had) / wanted);
    wac_bench_rounds rate = wac_bench_summarise(rates);
    result->updates_per_second = rate.median;
    result->spread = rate.spread;
    result->limit = wac_bench_summarise(limits).best;
    result->round_trip = wac_bench_summarise(trips).median;
    result->share_of_limit = result->operations * rate.median / result->limit;
    return WAC_STATUS_OK;
}

wac_status wac_bench_update(wac_bench_result *result, const wac_bench_case *bench,
                            double round_seconds, wac_error *error)
{
    wac_agent *agent;
    WAC_TRY(wac_bench_agent(&agent, bench, error));
    result->operations =
        wac_bench_operations(&agent->seat->config, bench->size->observations, bench->size->actions);
    wac_status status = measure(result, agent, round_seconds, error);
    wac_agent_destroy(agent);
    return status;
}
