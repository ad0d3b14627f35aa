/* What fuzzers share: the entry, what must hold, bytes taken one by one, a folder in memory. */
#ifndef WAC_TESTS_FUZZ_FUZZ_H
#define WAC_TESTS_FUZZ_FUZZ_H

#include "base/files.h"
#include "base/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds)
{
    if (!holds)
        abort();
}

/* What is left of an input that is taken byte by byte; zeros at its end. */
static struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline uint8_t fuzz_byte(void)
{
    if (fuzz_input.size == 0)
        return 0;
    fuzz_input.size--;
    return *fuzz_input.data++;
}

/* Something usual, something at the edge, or any bits at all. */
static inline double fuzz_number(double usual)
{
    static const double edges[] = {0, -0.0, 1e39, -1e39, 1e308, -1e308, 5e-324, 1, -1};
    uint8_t kind = fuzz_byte();
    double number = usual;
    if (kind < 160)
        return usual + (double)(kind % 16) / 16;
    if (kind == 160)
        return NAN;
    if (kind == 161)
        return INFINITY;
    if (kind < 200)
        return edges[kind % 9];
    for (size_t i = 0; i < sizeof number; i++)
        ((uint8_t *)&number)[i] = fuzz_byte();
    return number;
}

/* What fails says why, and what does not says nothing. */
static inline wac_status expect_sentence(wac_status status, const wac_error *error)
{
    require((status == WAC_STATUS_OK) == !error->message[0] &&
            !wac_has_control(error->message, ""));
    return status;
}

static inline void put_file(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "w");
    require(out && fwrite(bytes, 1, size, out) == size);
    fclose(out);
}

static char fuzz_root[64];

static inline void fuzz_remove_root(void)
{
    (void)wac_directory_remove(fuzz_root, NULL);
}

/* A folder of this process, in memory where there is a place for files there; false: it was made
 * before. */
static inline bool fuzz_make_root(void)
{
    if (*fuzz_root)
        return false;
    snprintf(fuzz_root, sizeof fuzz_root, "%s/wac-fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    require(mkdtemp(fuzz_root));
    atexit(fuzz_remove_root);
    return true;
}

#endif
