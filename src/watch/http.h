/* The plugin that talks HTTP (plugins/http.c), so that the program itself does not need the library
 * for it. */
#ifndef WAC_WATCH_HTTP_H
#define WAC_WATCH_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wac_http_request {
    const char *method;  /* "GET" */
    const char *address; /* as it came, "/map?run=3" */
    const char *host;    /* null: not told */
} wac_http_request;

typedef struct wac_http_answer {
    int status;
    const char *type;  /* "application/json"; lasts */
    const void *lasts; /* the body, where it lasts; else … */
    void *body;        /* … from malloc; the plugin frees it */
    size_t size;
    bool streams; /* no body: what `more` tells */
} wac_http_answer;

/* Called from several threads. */
typedef struct wac_http_handler {
    void (*answer)(void *user, const wac_http_request *request, wac_http_answer *answer);
    /* the next piece of a stream that has seen so much (0 at first); 0: nothing new */
    size_t (*more)(void *user, int64_t *seen, char *piece, size_t size);
    void *user;
} wac_http_handler;

typedef struct wac_http_table {
    /* Begin to listen; `port` 0: any that is free, and which is told. 0, or not with the reason. */
    int (*start)(void **server, const char *address, int *port, const wac_http_handler *handler,
                 char *why, size_t size);
    /* Streams have something new. */
    void (*wake)(void *server);
    void (*stop)(void *server);
} wac_http_table;

#define WAC_HTTP_TABLE "wac_http_table_v1"

#endif
