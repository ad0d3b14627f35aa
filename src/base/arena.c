/* A list of zeroed pieces. calloc, because large ones then stay untouched until they are used. */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 64 };

struct wac_arena_piece {
    struct wac_arena_piece *next;
};

void *wac_arena_take(wac_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    struct wac_arena_piece *piece = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= SIZE_MAX / 2)
        piece = calloc(1, sizeof *piece + ALIGNMENT + bytes);
    if (!piece) {
        arena->failed = true;
        return NULL;
    }
    piece->next = arena->pieces;
    arena->pieces = piece;
    uintptr_t start = (uintptr_t)(piece + 1);
    return (void *)((start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void wac_arena_release(wac_arena *arena)
{
    for (struct wac_arena_piece *piece = arena->pieces; piece;) {
        struct wac_arena_piece *next = piece->next;
        free(piece);
        piece = next;
    }
    *arena = (wac_arena){0};
}
