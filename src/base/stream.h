/* A text that is printed into memory: there whole or not at all. */
#ifndef WAC_BASE_STREAM_H
#define WAC_BASE_STREAM_H

#include "wac/base.h"

#include <stdio.h>

typedef struct wac_stream {
    FILE *to;   /* print here; null where there is no memory to begin with */
    char *text; /* once it is closed: all of it, with a zero behind; free() it in any case */
    size_t size;
    size_t room; /* of the text */
} wac_stream;

/* False where there is no memory; then there is nothing to close. It stays where it is until it is
 * closed. */
bool wac_stream_open(wac_stream *stream);

/* Whether all that was printed is there. */
bool wac_stream_close(wac_stream *stream);

/* Close it and write the text to a file, as wac_file_write does, then free it. `status` is what
 * came of printing; if that is a failure it is passed on, and nothing is written. */
wac_status wac_stream_save(wac_stream *stream, const char *path, wac_status status,
                           wac_error *error);

#endif
