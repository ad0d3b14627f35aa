/* The passes in precision mixed. */
#include "rl/cuda/kernels.cuh"

extern const pass_launches launches_mixed = LAUNCHES(WAC_ENGINE_MIXED);
