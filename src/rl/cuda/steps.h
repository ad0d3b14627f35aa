/* What sweeps and benchmarks ask a GPU beside the steps. */
#ifndef WAC_RL_CUDA_STEPS_H
#define WAC_RL_CUDA_STEPS_H

#include "rl/cuda/engine.h"
#include "rl/steps.h"

/* Who has the newer of a seat's networks, and what the GPU has of its replay. */
typedef struct wac_gpu_place {
    bool changed;     /* the desk's networks are newer than the GPU's */
    bool learned;     /* the GPU's are newer than the desk's */
    int64_t uploaded; /* transitions that the GPU has */
} wac_gpu_place;

/* How many GPUs there are to use; fails where there is none. A process that has asked cannot fork
 * children that use one. */
wac_status wac_gpu_count(int *count, wac_error *error);

wac_status wac_gpu_describe(wac_engine_gpu *description, int gpu, wac_error *error);

/* Whether the fused kernels are made for such a run; else it is trained by the general part of the
 * plugin, as is every run where the environment variable WAC_CUDA_GENERAL is set. Runs that are to
 * end in the same bytes as by themselves are not mixed with others. */
bool wac_gpu_is_fused(const wac_config *config, int observations, int actions);

/* The steps that train such agents. */
const wac_steps *wac_gpu_steps(const wac_agent_plan *plan);

wac_engine_precision wac_gpu_precision(wac_precision precision);

/* See wac_engine_ceilings; products by wac_precision. */
typedef struct wac_gpu_limits {
    double memory, products[WAC_ENGINE_PRECISIONS];
} wac_gpu_limits;

wac_status wac_gpu_ceilings(wac_gpu_limits *limits, int gpu, wac_error *error);

/* Seconds of each kernel of an update, one after the other, over so many updates; returns how many
 * kernels there are. */
int wac_gpu_profile(wac_agent *agent, int64_t updates, const char **names, double *seconds,
                    int most);

/* The same of agents whose steps are wac_steps_general. */
int wac_general_profile(wac_agent *agent, int64_t updates, const char **names, double *seconds,
                        int most);

#endif
