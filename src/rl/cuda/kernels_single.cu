/* The passes in precision single. */
#include "rl/cuda/kernels.cuh"

extern const pass_launches launches_single = LAUNCHES(WAC_ENGINE_SINGLE);
