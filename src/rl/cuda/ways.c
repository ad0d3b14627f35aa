/* Which way a GPU trains an agent, what GPUs there are, and what both ways share. */
#include "rl/cuda/ways.h"

#include "base/plugin.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

bool wac_gpu_is_fused(const wac_config *config, int observations, int actions)
{
    enum { MOST = 512 };
    const wac_algorithm_row row = wac_algorithm_row_of(config);
    int64_t width = config->width;
    return (width == 64 || width == 128 || width == 256 || width == 512) && observations <= MOST &&
           actions <= MOST && !row.subset && !row.delay && !row.members && !row.bonus &&
           !row.quantiles && !row.deterministic && !row.optimist && !row.shared &&
           wac_row_critics(&row) <= WAC_ENGINE_CRITICS && config->network == WAC_NETWORK_PLAIN &&
           config->layers == 2 && config->log_std == WAC_LOG_STD_CLAMPED &&
           config->weight_decay <= 0 && !wac_config_has_resets(config) &&
           !getenv("WAC_CUDA_GENERAL"); /* as tests do */
}

const wac_steps *wac_gpu_steps(const wac_agent_plan *plan)
{
    bool fused = !plan->row; /* one that is made up may be anything */
    for (int i = 0; i < plan->seats; i++)
        fused = fused && wac_gpu_is_fused(&plan->configs[i], plan->observations, plan->actions);
    return fused ? &wac_steps_cuda : &wac_steps_general;
}

static const wac_engine_precision precisions[] = {
    [WAC_PRECISION_SINGLE] = WAC_ENGINE_SINGLE,
    [WAC_PRECISION_MIXED] = WAC_ENGINE_MIXED,
    [WAC_PRECISION_TF32] = WAC_ENGINE_TF32,
};

wac_engine_precision wac_gpu_precision(wac_precision precision)
{
    return precisions[precision];
}

/* --- the plugin, and the GPUs that it sees ---------------------------------------------------- */

static wac_status load(const void **table, const char *name, wac_error *error)
{
    char why[256];
    *table = wac_plugin_table("wac_cuda", name, "WAC_CUDA_PLUGIN", why, sizeof why);
    return *table ? WAC_STATUS_OK
                  : wac_fail(error, WAC_STATUS_INPUT,
                             "--device cuda needs the part of wac that is built with CUDA (%s); "
                             "install the CUDA toolkit and build again, or use --device cpu",
                             why);
}

wac_status wac_gpu_count(int *count, wac_error *error)
{
    char why[256];
    const void *table;
    WAC_TRY(load(&table, WAC_ENGINE_TABLE, error));
    *count = ((const wac_engine_table *)table)->count(why, sizeof why);
    return *count >= 0
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_INPUT,
                          "--device cuda finds no GPU to use: %s, or use --device cpu", why);
}

wac_status wac_gpu_table(const void **table, const char *name, wac_error *error)
{
    int gpus;
    WAC_TRY(wac_gpu_count(&gpus, error));
    return load(table, name, error);
}

static wac_status fail_gpu(wac_error *error, const char *why)
{
    return wac_fail(error, WAC_STATUS_IO, "the GPU cannot be used: %s", why);
}

wac_status wac_gpu_describe(wac_engine_gpu *description, int gpu, wac_error *error)
{
    char why[256];
    const void *table;
    WAC_TRY(wac_gpu_table(&table, WAC_ENGINE_TABLE, error));
    const wac_engine_table *engine = table;
    return engine->describe(description, gpu, why, sizeof why) == 0 ? WAC_STATUS_OK
                                                                    : fail_gpu(error, why);
}

wac_status wac_gpu_ceilings(wac_gpu_limits *limits, int gpu, wac_error *error)
{
    char why[256];
    const void *table;
    wac_engine_ceilings all;
    WAC_TRY(wac_gpu_table(&table, WAC_ENGINE_TABLE, error));
    const wac_engine_table *engine = table;
    if (engine->ceilings(&all, gpu, why, sizeof why) != 0)
        return fail_gpu(error, why);
    limits->memory = all.memory;
    for (int i = 0; i < WAC_ENGINE_PRECISIONS; i++)
        limits->products[i] = all.products[precisions[i]];
    return WAC_STATUS_OK;
}

/* --- agents ----------------------------------------------------------------------------------- */

wac_status wac_gpu_check(const wac_agent *agent, wac_error *error)
{
    return agent->seat->config.backend == WAC_BACKEND_CPU
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_INPUT,
                          "backend reference is the processor's; use --device cpu");
}

int64_t wac_gpu_transitions(const wac_agent *agent)
{
    int64_t most = 1;
    for (int i = 0; i < agent->seats; i++) {
        const wac_config *config = &agent->seat[i].config;
        int64_t all = config->initial_steps + config->epochs * config->explore_steps;
        all = all < config->replay_capacity ? all : config->replay_capacity;
        most = all > most ? all : most;
    }
    return most;
}

void wac_gpu_move_stack(wac_stack *stack, float *to)
{
    memcpy(to, stack->params, wac_stack_size(stack) * sizeof *to);
    stack->params = to;
}

wac_status wac_gpu_is_full(wac_error *error, const char *why)
{
    return wac_fail(error, WAC_STATUS_MEMORY,
                    "the GPU cannot take the runs: %s; train fewer at once, with a smaller "
                    "replay_capacity, or use --device cpu",
                    why);
}

wac_status wac_gpu_has_failed(wac_error *error, const char *why)
{
    return wac_fail(error, WAC_STATUS_IO,
                    "the GPU has failed: %s; what was saved before is whole, and goes on there or "
                    "with --device cpu",
                    why);
}
