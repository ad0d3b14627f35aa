/* Fowler, Noll and Vo's hash. */
#include "base/hash.h"

uint64_t wac_hash(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}
