/* What sweeps and benchmarks ask a GPU beside the steps. */
#ifndef WAC_RL_CUDA_STEPS_H
#define WAC_RL_CUDA_STEPS_H

#include "rl/cuda/engine.h"
#include "rl/steps.h"

/* Whether there is a GPU to use. A process that has asked cannot fork children that use it. */
wac_status wac_gpu_check(wac_error *error);

/* Until updates that were started are done; nothing is brought back. */
wac_status wac_gpu_wait(wac_agent *agent, wac_error *error);

/* Seconds of each kernel of an update, one after the other, over so many updates; returns how many
 * kernels there are. */
int wac_gpu_profile(wac_agent *agent, int64_t updates, const char **names, double *seconds,
                    int most);

#endif
