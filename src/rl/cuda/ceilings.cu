/* The ceilings of a GPU, measured by kernels that do one thing and nothing else: numbers go from
 * one large array to another; products, by the instructions that updates use, of numbers that never
 * leave the registers, in chains enough to hide their latency. The best of some rounds counts. */
#include "rl/cuda/ceilings.cuh"

#include "rl/cuda/product.cuh"

enum {
    ROUNDS = 9,
    THREADS = 256,
    FOURS = 4,      /* times four numbers that a thread copies */
    BLOCKS = 2,     /* of products, on a processor */
    CHAINS = 16,    /* of a warp */
    PRODUCTS = 8192 /* of a chain: about a millisecond */
};

static const size_t LARGEST = (size_t)1 << 30, SMALLEST = (size_t)1 << 26; /* bytes of an array */

/* --- memory ----------------------------------------------------------------------------------- */

__global__ void copy_kernel(float4 *to, const float4 *from)
{
    size_t at = (size_t)blockIdx.x * THREADS * FOURS + threadIdx.x;
    float4 four[FOURS];
#pragma unroll
    for (int i = 0; i < FOURS; i++)
        four[i] = from[at + i * THREADS];
#pragma unroll
    for (int i = 0; i < FOURS; i++)
        to[at + i * THREADS] = four[i];
}

typedef struct arrays {
    float4 *from, *to;
    size_t bytes; /* of each */
} arrays;

static void copy_once(const void *user, int processors)
{
    const arrays *arrays = (const struct arrays *)user;
    (void)processors;
    copy_kernel<<<(unsigned)(arrays->bytes / (THREADS * FOURS * sizeof(float4))), THREADS>>>(
        arrays->to, arrays->from);
}

/* --- products --------------------------------------------------------------------------------- */

template <bool HALF> __global__ __launch_bounds__(THREADS, BLOCKS) void product_kernel(float *out)
{
    unsigned a[4], b[2];
    float c[CHAINS][4], sum = 0;
    for (int i = 0; i < 4; i++)
        a[i] = 0x3f803f80u + threadIdx.x + i; /* about one, in both kinds */
    for (int i = 0; i < 2; i++)
        b[i] = 0x3a803a80u + threadIdx.x + i; /* about a thousandth */
#pragma unroll
    for (int k = 0; k < CHAINS; k++)
        for (int i = 0; i < 4; i++)
            c[k][i] = 0;
    for (int times = 0; times < PRODUCTS; times++)
#pragma unroll
        for (int k = 0; k < CHAINS; k++)
            if (HALF)
                multiply_half(c[k], a, b);
            else
                multiply_tf32(c[k], a, b);
#pragma unroll
    for (int k = 0; k < CHAINS; k++)
        for (int i = 0; i < 4; i++)
            sum += c[k][i];
    if (sum < 0) /* it is not, but nobody knows */
        *out = sum;
}

template <bool HALF> static void multiply_once(const void *user, int processors)
{
    product_kernel<HALF><<<BLOCKS * processors, THREADS>>>((float *)user);
}

/* --- timing ----------------------------------------------------------------------------------- */

static cudaError_t time_best(double *seconds, void (*once)(const void *user, int processors),
                             const void *user, int processors)
{
    cudaEvent_t before = NULL, after = NULL;
    cudaError_t result = cudaEventCreate(&before);
    if (result == cudaSuccess)
        result = cudaEventCreate(&after);
    *seconds = 0;
    /* the first warms up */
    for (int round = 0; round <= ROUNDS && result == cudaSuccess; round++) {
        float milliseconds = 0;
        cudaEventRecord(before);
        once(user, processors);
        cudaEventRecord(after);
        result = cudaEventSynchronize(after);
        if (result == cudaSuccess)
            result = cudaEventElapsedTime(&milliseconds, before, after);
        if (round == 1 || (round > 1 && 1e-3 * milliseconds < *seconds))
            *seconds = 1e-3 * milliseconds;
    }
    if (before)
        cudaEventDestroy(before);
    if (after)
        cudaEventDestroy(after);
    return result;
}

/* Two arrays as large as there is room for, up to a limit. */
static cudaError_t make_arrays(arrays *arrays)
{
    cudaError_t result = cudaErrorMemoryAllocation;
    for (arrays->bytes = LARGEST; arrays->bytes >= SMALLEST; arrays->bytes /= 2) {
        result = cudaMalloc(&arrays->from, 2 * arrays->bytes);
        if (result != cudaErrorMemoryAllocation)
            break;
        cudaGetLastError(); /* it is told */
    }
    arrays->to = (float4 *)((char *)arrays->from + arrays->bytes);
    return result;
}

cudaError_t measure_ceilings(wac_engine_ceilings *ceilings, int processors)
{
    arrays arrays = {NULL, NULL, 0};
    double copied = 0, half = 0, tf32 = 0;
    cudaError_t result = make_arrays(&arrays);
    if (result != cudaSuccess)
        return result;
    result = cudaMemset(arrays.from, 0, 2 * arrays.bytes);
    if (result == cudaSuccess)
        result = time_best(&copied, copy_once, &arrays, processors);
    if (result == cudaSuccess)
        result = time_best(&half, multiply_once<true>, arrays.to, processors);
    if (result == cudaSuccess)
        result = time_best(&tf32, multiply_once<false>, arrays.to, processors);
    cudaFree(arrays.from);
    if (result != cudaSuccess)
        return result;
    double times = (double)BLOCKS * processors * THREADS / 32 * CHAINS * PRODUCTS;
    ceilings->memory = 2.0 * (double)arrays.bytes / copied;
    ceilings->products[WAC_ENGINE_MIXED] = times * 2 * 16 * 8 * 16 / half;
    ceilings->products[WAC_ENGINE_TF32] = times * 2 * 16 * 8 * 8 / tf32;
    ceilings->products[WAC_ENGINE_SINGLE] = ceilings->products[WAC_ENGINE_TF32] / 3;
    return cudaSuccess;
}
