/* Addressable randomness: Philox 4x32 with ten rounds (Salmon et al., 2011).
 *
 * A block of four 32-bit words is a function of (seed, stream, counter). Filling n numbers uses
 * block counter + i / 4, word i % 4 for number i and advances the counter by ceil(n / 4): any
 * thread, or a GPU, can make any part of a fill by itself.
 */
#ifndef WAC_BASE_RNG_H
#define WAC_BASE_RNG_H

#include "wac/base.h"

/* Every purpose draws from a stream of its own, so that none can disturb another. */
typedef enum wac_rng_stream {
    WAC_STREAM_INIT,       /* first weights */
    WAC_STREAM_WORLD,      /* the world during exploration */
    WAC_STREAM_EXPLORE,    /* actions during exploration */
    WAC_STREAM_BATCH,      /* which transitions are drawn */
    WAC_STREAM_NOISE,      /* actions during updates */
    WAC_STREAM_SYNTHETIC,  /* synthetic pairs */
    WAC_STREAM_EVALUATION, /* the world during evaluation */
    WAC_STREAM_REPLAYED,   /* the world of `wac evaluate` */
    WAC_STREAM_BOOTSTRAP,  /* runs drawn for intervals */
    WAC_STREAM_SUBSET,     /* critics that a backup chooses from */
    WAC_STREAM_MASK,       /* members that learn from a transition, by its number */
    WAC_STREAM_LEADER,     /* the member that leads, by the number of the episode */
    WAC_STREAM_COUNT,
} wac_rng_stream;

wac_rng wac_rng_make(uint64_t seed, wac_rng_stream stream);

/* The bijection itself: four words of a counter, scrambled under a key. */
void wac_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

/* The four words of one block: seed as key; counter (two words), stream and 0 as counter. */
void wac_rng_block(const wac_rng *rng, uint64_t counter, uint32_t words[4]);

/* Word to [0, 1), exact in single precision. */
static inline double wac_rng_unit(uint32_t word)
{
    return (word >> 8) * 0x1p-24;
}

/* Two words to two normals (Box and Muller), computed in double. */
void wac_rng_normal_pair(const uint32_t words[2], double normals[2]);

#endif
