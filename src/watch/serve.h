/* A page in the browser that shows runs while they train. */
#ifndef WAC_WATCH_SERVE_H
#define WAC_WATCH_SERVE_H

#include "wac/base.h"

#include <stddef.h>

#define WAC_WATCH_HERE "127.0.0.1"
enum { WAC_WATCH_PORT = 8740 };

typedef struct wac_watch_options {
    char **folders; /* runs, or folders of runs; they may come later, and vanish */
    size_t count;
    const char *address; /* to listen at; WAC_WATCH_HERE: only for who is on this machine */
    int port;            /* 0: WAC_WATCH_PORT, or another that is free */
    bool allow_stop;     /* the page may stop runs */
    /* called once with where the page is */
    void (*ready)(void *user, const char *url);
    void *user;
    const volatile int *stop; /* once this is not zero it ends */
} wac_watch_options;

/* Until it is told to stop; OK then. Only reads the folders. Where others may come, or runs be
 * stopped, the address has a secret in it. */
wac_status wac_watch_serve(const wac_watch_options *options, wac_error *error);

#endif
