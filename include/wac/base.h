/* Status, messages, and the generator of random numbers.
 *
 * Every function that can fail for a reason outside the program (memory, files, settings) returns a
 * wac_status and fills the caller's wac_error with one sentence that names the thing and the way
 * out. Mistakes of the programmer (a null pointer, a wrong size) are asserted. Nothing here, or
 * anywhere in the library, keeps global state: two runs in two threads never meet.
 */
#ifndef WAC_BASE_H
#define WAC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WAC_API __attribute__((visibility("default")))

typedef enum wac_status {
    WAC_STATUS_OK,
    WAC_STATUS_MEMORY,      /* an allocation failed */
    WAC_STATUS_IO,          /* a file could not be read or written */
    WAC_STATUS_INPUT,       /* a setting, file or argument makes no sense */
    WAC_STATUS_NUMERIC,     /* training left the finite numbers */
    WAC_STATUS_INTERRUPTED, /* the caller asked to stop; what was done is saved */
} wac_status;

/* Caller-owned; `message` is a sentence without a final newline, empty after success. */
typedef struct wac_error {
    wac_status status;
    char message[1024];
} wac_error;

/* Receives what the library would like a person to know, one line at a time. */
typedef struct wac_log {
    void (*write)(void *user, const char *message); /* null: silence */
    void *user;
} wac_log;

/* "0.1.0" */
WAC_API const char *wac_version(void);

/* A stream of random numbers. A draw is a function of (seed, stream, counter) and of nothing else,
 * so that a resumed run, another thread count or another device continues with the same numbers. */
typedef struct wac_rng {
    uint64_t seed;
    uint32_t stream;
    uint64_t counter; /* advances by one with every draw */
} wac_rng;

WAC_API double wac_rng_uniform(wac_rng *rng); /* in [0, 1) */
WAC_API double wac_rng_normal(wac_rng *rng);  /* mean 0, deviation 1 */

#ifdef __cplusplus
}
#endif
#endif
