/* A list of zeroed chunks, given out from front to back. calloc, because a large chunk then stays
 * untouched until it is used. Chunks lie on large pages where the system has them: an update walks
 * over more small ones than a processor keeps addresses of. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* one piece a chunk, and hardly any room behind it, where overruns are looked for */
#ifdef WAC_SANITIZED
enum { ALIGNMENT = 64, PAGE = ALIGNMENT, CHUNK = 0 };
#else
enum { ALIGNMENT = 64, PAGE = 2 << 20, CHUNK = 4 * PAGE };
#endif

struct wac_arena_chunk {
    struct wac_arena_chunk *next;
    uintptr_t free, end;
};

static struct wac_arena_chunk *add_chunk(wac_arena *arena, size_t bytes)
{
    size_t size = bytes > CHUNK ? bytes : CHUNK;
    struct wac_arena_chunk *chunk = calloc(1, sizeof *chunk + size + PAGE);
    if (!chunk)
        return NULL;
    uintptr_t start = (uintptr_t)(chunk + 1);
    chunk->next = arena->chunks;
    chunk->free = (start + PAGE - 1) / PAGE * PAGE;
    chunk->end = chunk->free + size;
    arena->chunks = chunk;
#if defined MADV_HUGEPAGE && !defined WAC_SANITIZED
    /* a wish, not a need */
    (void)madvise((void *)chunk->free, size / PAGE * PAGE, MADV_HUGEPAGE);
#endif
    return chunk;
}

void *wac_arena_take(wac_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    struct wac_arena_chunk *chunk = arena->chunks;
    bool possible = !__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX / 2;
    if (possible && (!chunk || bytes > chunk->end - chunk->free))
        chunk = add_chunk(arena, bytes);
    if (!possible || !chunk) {
        arena->failed = true;
        return NULL;
    }
    void *piece = (void *)chunk->free;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    chunk->free = bytes < chunk->end - chunk->free ? chunk->free + bytes : chunk->end;
    return piece;
}

void wac_arena_release(wac_arena *arena)
{
    for (struct wac_arena_chunk *chunk = arena->chunks; chunk;) {
        struct wac_arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *arena = (wac_arena){0};
}
