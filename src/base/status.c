/* Failure as a status and a sentence; the log hook. */
#include "base/status.h"

#include "base/words.h"

#include <stdarg.h>
#include <stdio.h>

const char *wac_version(void)
{
    return WAC_VERSION;
}

const char *wac_commit(void)
{
    return WAC_COMMIT;
}

wac_status(wac_fail)(wac_error *error, wac_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        wac_hide_control(error->message);
        error->status = status;
    }
    return status;
}

wac_status(wac_fail_memory)(wac_error *error, const char *what)
{
    return wac_fail(error, WAC_STATUS_MEMORY, "out of memory for %s", what);
}

void wac_log_write(const wac_log *log, const char *format, ...)
{
    if (!log || !log->write)
        return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    wac_hide_control(message);
    log->write(log->user, message);
}
