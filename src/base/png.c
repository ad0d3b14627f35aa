/* PNG with one piece of data that is stored as it is. */
#include "base/png.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *put(unsigned char *at, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (unsigned char)(number >> shift);
    return at;
}

/* Length, name, data (which is there already), checksum. */
static unsigned char *seal(unsigned char *at, const char *name, uint32_t size)
{
    put(at, size);
    memcpy(at + 4, name, 4);
    return put(at + 8 + size, lzma_crc32(at + 4, size + 4, 0));
}

static uint32_t adler(const unsigned char *bytes, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

unsigned char *wac_png_grey(size_t *size, const unsigned char *pixels, int width, int height)
{
    static const unsigned char mark[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    size_t row = (size_t)width + 1, raw = row * (size_t)height;
    unsigned char *bytes = malloc(raw + 128), *at = bytes;
    if (!bytes)
        return NULL;
    memcpy(at, mark, sizeof mark);
    at += sizeof mark;
    put(put(at + 8, (uint32_t)width), (uint32_t)height);
    memcpy(at + 16, "\x08\0\0\0\0", 5); /* eight bits, grey, nothing special */
    at = seal(at, "IHDR", 13);
    unsigned char *data = at + 8;
    memcpy(data, "\x78\x01\x01", 3); /* zlib: one block, stored, the last */
    data[3] = (unsigned char)raw;
    data[4] = (unsigned char)(raw >> 8);
    data[5] = (unsigned char)~data[3];
    data[6] = (unsigned char)~data[4];
    for (int i = 0; i < height; i++) {
        data[7 + (size_t)i * row] = 0; /* no filter */
        memcpy(data + 8 + (size_t)i * row, pixels + (size_t)i * (size_t)width, (size_t)width);
    }
    put(data + 7 + raw, adler(data + 7, raw));
    at = seal(at, "IDAT", (uint32_t)raw + 11);
    at = seal(at, "IEND", 0);
    *size = (size_t)(at - bytes);
    return bytes;
}
