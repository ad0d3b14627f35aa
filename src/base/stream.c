/* By a stream of the C library that hands on what it has. Not by its own one to memory, which
 * forgets to say so where memory lacks for more, and loses what was to go there. */
#include "base/stream.h"

#include "base/files.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* None of the bytes is an error, which the stream remembers. */
static ssize_t keep(void *cookie, const char *bytes, size_t size)
{
    wac_stream *stream = cookie;
    if (size >= stream->room - stream->size) {
        size_t room = 2 * (stream->size + size) + 1;
        char *more = realloc(stream->text, room);
        if (!more)
            return 0;
        stream->text = more;
        stream->room = room;
    }
    memcpy(stream->text + stream->size, bytes, size);
    stream->size += size;
    stream->text[stream->size] = 0;
    return (ssize_t)size;
}

bool wac_stream_open(wac_stream *stream)
{
    *stream = (wac_stream){.text = calloc(1, 1), .room = 1};
    if (stream->text)
        stream->to = fopencookie(stream, "w", (cookie_io_functions_t){.write = keep});
    if (!stream->to) {
        free(stream->text);
        stream->text = NULL;
    }
    return stream->to;
}

bool wac_stream_close(wac_stream *stream)
{
    bool good = !ferror(stream->to);
    good = fclose(stream->to) == 0 && good;
    stream->to = NULL;
    return good;
}

wac_status wac_stream_save(wac_stream *stream, const char *path, wac_status status,
                           wac_error *error)
{
    bool whole = wac_stream_close(stream);
    if (status == WAC_STATUS_OK)
        status = whole ? wac_file_write(path, stream->text, stream->size, error)
                       : wac_fail_memory(error, path);
    free(stream->text);
    return status;
}
