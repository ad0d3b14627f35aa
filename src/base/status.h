/* How the library reports failure: fill the caller's wac_error, return its status. */
#ifndef WAC_BASE_STATUS_H
#define WAC_BASE_STATUS_H

#include "wac/base.h"

/* "395a2b8c01d2", or "unknown": what this was built from. */
const char *wac_commit(void);

/* Formats the message (`error` may be null) and returns `status`, so that a failing function can
 * end with `return wac_fail(error, …)`. */
wac_status wac_fail(wac_error *error, wac_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

wac_status wac_fail_memory(wac_error *error, const char *what);

/* What an analyser cannot know (make analyse): that these two never return OK. */
#ifdef WAC_ANALYSED
static inline wac_status wac_not_ok(wac_status status)
{
    if (status == WAC_STATUS_OK)
        __builtin_unreachable();
    return status;
}
#define wac_fail(...) wac_not_ok((wac_fail)(__VA_ARGS__))
#define wac_fail_memory(...) wac_not_ok((wac_fail_memory)(__VA_ARGS__))
#endif

/* Hand `message` to the log, if there is one. */
void wac_log_write(const wac_log *log, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the status of `call` from the enclosing function unless it is OK. */
#define WAC_TRY(call)                                                                              \
    do {                                                                                           \
        wac_status try_status_ = (call);                                                           \
        if (try_status_ != WAC_STATUS_OK)                                                          \
            return try_status_;                                                                    \
    } while (0)

#endif
