/* An exported header, compiled and loaded: the proof that it does what it should. */
#ifndef WAC_EXPORT_COMPILED_H
#define WAC_EXPORT_COMPILED_H

#include "base/temporary.h"
#include "export/portable.h"

#define WAC_COMPILER "cc"
#define WAC_COMPILER_FLAGS "-std=c99 -O2 -Wall -Wextra -pedantic -Werror"

typedef struct wac_compiled {
    wac_temporary folder;
    void *library;
    void (*act)(const float *observation, float *action);
    int (*self_test)(void);
    void (*value)(const float *observation, const float *action, float *mean, float *std);
} wac_compiled;

/* WAC_STATUS_OK and *found = false where there is no compiler. `text` is that of a header whose
 * identifiers begin with `name`. */
wac_status wac_compiled_make(wac_compiled *compiled, bool *found, const char *text, size_t size,
                             const char *name, wac_error *error);
void wac_compiled_destroy(wac_compiled *compiled);

wac_player wac_compiled_player(wac_compiled *compiled);

#endif
