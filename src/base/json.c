/* What jansson does not say by itself. Writing goes into a buffer of known size: nothing has to
 * grow on the way. */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

/* What jansson takes memory with, be it another's, and whether it failed this thread. */
static json_malloc_t take;
static _Thread_local bool starved;

/* Once it has failed it goes on to: jansson leaves out what it had no room for, and with room for
 * what comes after would read beyond the end of a text, or end the program. */
static void *take_and_note(size_t size)
{
    void *block = starved ? NULL : take(size);
    starved = starved || !block;
    return block;
}

static void watch_memory(void)
{
    json_free_t give;
    json_get_alloc_funcs(&take, &give);
    json_set_alloc_funcs(take_and_note, give);
}

void wac_json_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_memory);
    starved = false;
}

json_t *wac_json_load(const char *text, size_t size, size_t flags, json_error_t *reason)
{
    wac_json_begin();
    json_t *json = json_loadb(text, size, flags, reason);
    bool whole = !starved;
    starved = false;
    if (!whole)
        json_decref(json);
    errno = whole ? 0 : ENOMEM;
    return whole ? json : NULL;
}

char *wac_json_text(const json_t *json, size_t flags, size_t *size)
{
    *size = json && !starved ? json_dumpb(json, NULL, 0, flags) : 0;
    starved = false;
    char *text = *size ? malloc(*size + 1) : NULL;
    if (text && json_dumpb(json, text, *size, flags) != *size) {
        free(text);
        text = NULL;
    }
    if (text)
        text[*size] = 0;
    return text;
}

json_t *wac_json_number(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}
