/* The passes in precision tf32. */
#include "rl/cuda/kernels.cuh"

extern const pass_launches launches_tf32[2] = {LAUNCHES(WAC_ENGINE_TF32, false),
                                               LAUNCHES(WAC_ENGINE_TF32, true)};
