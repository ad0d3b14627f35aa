/* A number that tells texts apart: FNV-1a (Fowler, Noll and Vo), 64 bits. Some are kept in files,
 * so it stays as it is. */
#ifndef WAC_BASE_HASH_H
#define WAC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define WAC_HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what `hash` was of, and these bytes behind it. */
static inline uint64_t wac_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
