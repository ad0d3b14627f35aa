/* The passes in precision single. */
#include "rl/cuda/kernels.cuh"

extern const pass_launches launches_single[2] = {LAUNCHES(WAC_ENGINE_SINGLE, false),
                                                 LAUNCHES(WAC_ENGINE_SINGLE, true)};
