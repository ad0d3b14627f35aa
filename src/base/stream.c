/* By the C library's streams to memory. Their last step cuts the memory to size; where that fails
 * they say that all went well, and leave null. */
#include "base/stream.h"

#include "base/files.h"
#include "base/status.h"

#include <stdlib.h>

bool wac_stream_open(wac_stream *stream)
{
    *stream = (wac_stream){0};
    stream->to = open_memstream(&stream->text, &stream->size);
    return stream->to;
}

bool wac_stream_close(wac_stream *stream)
{
    bool good = !ferror(stream->to);
    good = fclose(stream->to) == 0 && good;
    stream->to = NULL;
    return good && stream->text;
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
