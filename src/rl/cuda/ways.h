/* What both ways of training on a GPU share, the fused kernels (steps.c) and the general ones
 * (general_steps.c). */
#ifndef WAC_RL_CUDA_WAYS_H
#define WAC_RL_CUDA_WAYS_H

#include "nn/stack.h"
#include "rl/cuda/steps.h"

/* A table of the plugin, where there is a GPU. */
wac_status wac_gpu_table(const void **table, const char *name, wac_error *error);

/* Refuses what is the processors' alone. */
wac_status wac_gpu_check(const wac_agent *agent, wac_error *error);

/* The most transitions that one of the runs comes to hold: no more memory than that. */
int64_t wac_gpu_transitions(const wac_agent *agent);

/* The parameters of a stack that acts lie there from now on. */
void wac_gpu_move_stack(wac_stack *stack, float *to);

/* There was no memory for the agent; the GPU does not go on. */
wac_status wac_gpu_is_full(wac_error *error, const char *why);
wac_status wac_gpu_has_failed(wac_error *error, const char *why);

#endif
