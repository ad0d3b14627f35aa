/* Files of arrays, changed by somebody who knows of checksums. */
#ifndef WAC_TESTS_SUPPORT_SEALING_H
#define WAC_TESTS_SUPPORT_SEALING_H

#include "base/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of such a file, with the checksum that belongs to them; false: they are none. */
static inline bool seal(wac_checksum *sum, char *bytes, size_t size)
{
    wac_tensor_file *file;
    char *copy = malloc(size + 1);
    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    if (wac_tensor_file_parse(&file, copy, size, "file", NULL) != WAC_STATUS_OK)
        return false;
    wac_tensor_file_seal(file);
    *sum = wac_tensor_file_checksum(file);
    memcpy(bytes, file->bytes, size);
    wac_tensor_file_close(file);
    return true;
}

/* Have the run's own file note another checksum of the file `part` beside it, and be sealed. */
static inline bool bind_part(char *run, size_t size, const char *part, const wac_checksum *sum)
{
    char key[64];
    wac_checksum own;
    snprintf(key, sizeof key, "\"%s\":\"", part);
    char *place = memmem(run, size, key, strlen(key));
    size_t digits = strlen(sum->digits);
    if (!place || place + strlen(key) + digits > run + size)
        return false;
    memcpy(place + strlen(key), sum->digits, digits);
    return seal(&own, run, size);
}

#endif
