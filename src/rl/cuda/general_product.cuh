/* Products of the general part (general_product.cu). */
#ifndef WAC_RL_CUDA_GENERAL_PRODUCT_CUH
#define WAC_RL_CUDA_GENERAL_PRODUCT_CUH

#include "rl/cuda/general.h"

void launch_product(wac_engine_precision precision, const wac_general_view &view,
                    const wac_product &product, cudaStream_t stream);

#endif
