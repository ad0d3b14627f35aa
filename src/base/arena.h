/* Memory that lives as long as its owner: taken piece by piece in create, given back at once.
 *
 * A piece that cannot be had comes back null and leaves the arena marked as failed, so that create
 * functions lay out everything first and check once, before they write into any of it.
 */
#ifndef WAC_BASE_ARENA_H
#define WAC_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wac_arena {
    struct wac_arena_chunk *chunks;
    bool failed;
} wac_arena;

/* `count` zeroed elements of `size` bytes, aligned to a cache line. Large pieces cost memory only
 * as they are written. */
void *wac_arena_take(wac_arena *arena, size_t count, size_t size);

void wac_arena_release(wac_arena *arena);

#define WAC_TAKE(arena, type, count) ((type *)wac_arena_take((arena), (count), sizeof(type)))

#endif
