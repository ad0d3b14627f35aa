/* Random words, bit for bit those of base/rng.c; a compiler for processors takes this, too. */
#ifndef WAC_RL_CUDA_RANDOM_CUH
#define WAC_RL_CUDA_RANDOM_CUH

#include <stdint.h>

#ifdef __CUDACC__
#define DEVICE static __device__ inline
#else
#define DEVICE static inline
#endif

enum { /* wac_rng_stream */
       STREAM_BATCH = 3,
       STREAM_NOISE = 4,
       STREAM_SYNTHETIC = 5,
       STREAM_SUBSET = 9,
       STREAM_MASK = 10,
};

DEVICE uint32_t upper(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)a * b >> 32);
}

DEVICE void draw_words(uint64_t seed, uint32_t stream, uint64_t counter, uint32_t words[4])
{
    uint32_t x0 = (uint32_t)counter, x1 = (uint32_t)(counter >> 32), x2 = stream, x3 = 0;
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint32_t high0 = upper(0xD2511F53u, x0), low0 = 0xD2511F53u * x0;
        uint32_t high1 = upper(0xCD9E8D57u, x2), low1 = 0xCD9E8D57u * x2;
        x0 = high1 ^ x1 ^ key0;
        x1 = low1;
        x2 = high0 ^ x3 ^ key1;
        x3 = low0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    words[0] = x0;
    words[1] = x1;
    words[2] = x2;
    words[3] = x3;
}

#endif
