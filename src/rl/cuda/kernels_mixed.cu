/* The passes in precision mixed. */
#include "rl/cuda/kernels.cuh"

extern const pass_launches launches_mixed[2] = {LAUNCHES(WAC_ENGINE_MIXED, false),
                                                LAUNCHES(WAC_ENGINE_MIXED, true)};
