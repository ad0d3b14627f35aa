/* What a GPU does at best. */
#ifndef WAC_RL_CUDA_CEILINGS_CUH
#define WAC_RL_CUDA_CEILINGS_CUH

#include "rl/cuda/engine.h"

/* Of the GPU that this thread uses, which has so many processors. */
cudaError_t measure_ceilings(wac_engine_ceilings *ceilings, int processors);

#endif
