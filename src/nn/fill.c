/* Random numbers, four words at a time. */
#include "nn/fill.h"

void wac_fill_uniform(wac_rng *rng, size_t count, real low, real high, real *out)
{
    uint32_t words[4];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        out[i] = low + (high - low) * (real)wac_rng_unit(words[i % 4]);
    }
}

void wac_fill_normal(wac_rng *rng, size_t count, real *out)
{
    uint32_t words[4];
    double normals[2];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        if (i % 2 == 0)
            wac_rng_normal_pair(words + i % 4, normals);
        out[i] = (real)normals[i % 2];
    }
}

void wac_fill_index(wac_rng *rng, size_t count, int64_t limit, int64_t *out)
{
    uint32_t words[4];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        out[i] = (int64_t)(((uint64_t)words[i % 4] * (uint64_t)limit) >> 32);
    }
}
