/* Archives that nobody of good will makes: tar to order, and xz around any bytes. */
#ifndef WAC_TESTS_SUPPORT_HOSTILE_ARCHIVE_H
#define WAC_TESTS_SUPPORT_HOSTILE_ARCHIVE_H

#include <lzma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pile {
    uint8_t *bytes;
    size_t size;
} pile;

static inline void pile_add(pile *pile, const void *bytes, size_t size)
{
    pile->bytes = realloc(pile->bytes, pile->size + size + 1);
    if (!pile->bytes)
        abort();
    if (size > 0)
        memcpy(pile->bytes + pile->size, bytes, size);
    pile->size += size;
}

/* An entry with a header of this name and type that says `says` bytes; then the bytes, padded. */
static inline void tar_entry(pile *tar, const char *name, char type, const char *says,
                             const void *bytes, size_t size)
{
    static const char zeros[512];
    char head[513] = {0};
    unsigned sum = 0;
    snprintf(head, 101, "%s", name);
    memcpy(head + 100, "0000644\0000000000\0000000000", 24);
    snprintf(head + 124, 12, "%s", says);
    memcpy(head + 136, "00000000000", 11);
    memset(head + 148, ' ', 8);
    head[156] = type;
    memcpy(head + 157, "elsewhere", type == '1' || type == '2' ? 9 : 0);
    memcpy(head + 257, "ustar  ", 8);
    for (int i = 0; i < 512; i++)
        sum += (unsigned char)head[i];
    snprintf(head + 148, 8, "%06o", sum);
    pile_add(tar, head, 512);
    pile_add(tar, bytes, size);
    pile_add(tar, zeros, (512 - size % 512) % 512);
}

static inline void tar_file(pile *tar, const char *name, const char *text)
{
    char says[12];
    snprintf(says, sizeof says, "%011o", (unsigned)strlen(text));
    tar_entry(tar, name, '0', says, text, strlen(text));
}

static inline void tar_end(pile *tar)
{
    static const char zeros[1024];
    pile_add(tar, zeros, sizeof zeros);
}

/* xz around it; free() the bytes of both. */
static inline pile xz_of(const pile *tar)
{
    size_t room = lzma_stream_buffer_bound(tar->size), used = 0;
    pile packed = {malloc(room), 0};
    if (!packed.bytes || lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, tar->bytes, tar->size,
                                                 packed.bytes, &used, room) != LZMA_OK)
        abort();
    packed.size = used;
    return packed;
}

#endif
