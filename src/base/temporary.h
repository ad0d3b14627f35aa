/* A folder that does not outlast the process: it goes when it is told to, and also when the process
 * ends by an error, a signal or a crash. */
#ifndef WAC_BASE_TEMPORARY_H
#define WAC_BASE_TEMPORARY_H

#include "wac/base.h"

#include <limits.h>
#include <sys/types.h>

typedef struct wac_temporary {
    char path[PATH_MAX];
    int leash;    /* held open as long as the folder is to stay */
    pid_t keeper; /* who removes it */
} wac_temporary;

/* A new one, with a name that begins so; see wac_directory_temporary. */
wac_status wac_temporary_make(wac_temporary *folder, const char *name, wac_error *error);

/* It is gone when this returns. */
void wac_temporary_remove(wac_temporary *folder);

#endif
