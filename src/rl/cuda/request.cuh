/* What both engines know of their GPU: which one it is, and what has failed there first. */
#ifndef WAC_RL_CUDA_REQUEST_CUH
#define WAC_RL_CUDA_REQUEST_CUH

#include <stdarg.h>
#include <stdio.h>

typedef struct requests {
    int device; /* CUDA's number of the GPU */
    cudaError_t failure;
    const char *failed_at;
} requests;

static inline int explain(char *why, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, size, format, arguments);
    va_end(arguments);
    return -1;
}

/* Whatever a thread asks for next is of this GPU; false where something has failed before. */
static inline bool is_ready(const requests *to)
{
    return to->failure == cudaSuccess && cudaSetDevice(to->device) == cudaSuccess;
}

/* Keep the first failure. */
static inline void check(requests *to, cudaError_t result, const char *at)
{
    if (result != cudaSuccess && to->failure == cudaSuccess) {
        to->failure = result;
        to->failed_at = at;
    }
}

/* Until a stream is done; what has failed. */
static inline int wait_for(requests *to, cudaStream_t stream, char *why, size_t size)
{
    if (to->failure == cudaSuccess)
        check(to, cudaStreamSynchronize(stream), "waiting");
    return to->failure == cudaSuccess
               ? 0
               : explain(why, size, "%s (at: %s)", cudaGetErrorString(to->failure), to->failed_at);
}

#endif
