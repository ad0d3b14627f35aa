/* Philox 4x32-10 and what is made of its words. */
#include "base/rng.h"

#include <math.h>

wac_rng wac_rng_make(uint64_t seed, wac_rng_stream stream)
{
    return (wac_rng){.seed = seed, .stream = (uint32_t)stream};
}

void wac_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
    uint32_t key0 = key[0], key1 = key[1];
    for (int round = 0; round < 10; round++) {
        uint64_t product0 = (uint64_t)0xD2511F53u * x0;
        uint64_t product1 = (uint64_t)0xCD9E8D57u * x2;
        x0 = (uint32_t)(product1 >> 32) ^ x1 ^ key0;
        x1 = (uint32_t)product1;
        x2 = (uint32_t)(product0 >> 32) ^ x3 ^ key1;
        x3 = (uint32_t)product0;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    words[0] = x0;
    words[1] = x1;
    words[2] = x2;
    words[3] = x3;
}

void wac_rng_block(const wac_rng *rng, uint64_t counter, uint32_t words[4])
{
    const uint32_t place[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), rng->stream, 0};
    const uint32_t key[2] = {(uint32_t)rng->seed, (uint32_t)(rng->seed >> 32)};
    wac_philox(place, key, words);
}

void wac_rng_normal_pair(const uint32_t words[2], double normals[2])
{
    /* the first word to (0, 1], so that the logarithm exists */
    double radius = sqrt(-2.0 * log((words[0] + 1.0) * 0x1p-32));
    double angle = 6.283185307179586 * (words[1] * 0x1p-32);
    normals[0] = radius * cos(angle);
    normals[1] = radius * sin(angle);
}

double wac_rng_uniform(wac_rng *rng)
{
    uint32_t words[4];
    wac_rng_block(rng, rng->counter++, words);
    return (((uint64_t)words[0] << 32 | words[1]) >> 11) * 0x1p-53;
}

double wac_rng_normal(wac_rng *rng)
{
    uint32_t words[4];
    double normals[2];
    wac_rng_block(rng, rng->counter++, words);
    wac_rng_normal_pair(words, normals);
    return normals[0];
}
