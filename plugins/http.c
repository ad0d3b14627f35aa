/* HTTP for `wac watch`, by libmicrohttpd, as a plugin (src/watch/serve.c loads it): a few threads
 * that wait for all connections at once. A stream that has nothing to tell sleeps until it is
 * woken; one whose reader does not read skips what it misses, and keeps nothing for it. */
#include "watch/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
    THREADS = 4,
    CONNECTIONS = 1024,
    MEMORY = 16 << 10, /* of a connection: its request must fit */
    PIECE = 512,       /* of a stream */
    PATIENCE = 20,     /* seconds with somebody who neither asks nor reads */
};

typedef struct stream {
    struct server *server;
    struct MHD_Connection *connection;
    struct stream *next;
    int64_t seen;
    bool sleeps;
} stream;

typedef struct server {
    struct MHD_Daemon *daemon;
    wac_http_handler handler;
    pthread_mutex_t lock; /* of the streams */
    stream *streams;
    bool stopping;
} server;

/* --- streams --------------------------------------------------------------------------------- */

static ssize_t read_stream(void *user, uint64_t position, char *piece, size_t most)
{
    stream *stream = user;
    server *server = stream->server;
    (void)position;
    pthread_mutex_lock(&server->lock);
    size_t size = server->stopping
                      ? 0
                      : server->handler.more(server->handler.user, &stream->seen, piece, most);
    if (size == 0 && !server->stopping) {
        stream->sleeps = true;
        MHD_suspend_connection(stream->connection);
    }
    bool ends = server->stopping;
    pthread_mutex_unlock(&server->lock);
    return ends ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)size;
}

static void end_stream(void *user)
{
    stream *stream = user;
    server *server = stream->server;
    pthread_mutex_lock(&server->lock);
    struct stream **place = &server->streams;
    while (*place && *place != stream)
        place = &(*place)->next;
    if (*place)
        *place = stream->next;
    pthread_mutex_unlock(&server->lock);
    free(stream);
}

static struct MHD_Response *make_stream(server *server, struct MHD_Connection *connection)
{
    stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    *stream = (struct stream){.server = server, .connection = connection};
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_stream, stream, end_stream);
    if (!response) {
        free(stream);
        return NULL;
    }
    pthread_mutex_lock(&server->lock);
    stream->next = server->streams;
    server->streams = stream;
    pthread_mutex_unlock(&server->lock);
    return response;
}

static void wake_all(server *server)
{
    for (stream *stream = server->streams; stream; stream = stream->next)
        if (stream->sleeps) {
            stream->sleeps = false;
            MHD_resume_connection(stream->connection);
        }
}

static void wake(void *user)
{
    server *server = user;
    pthread_mutex_lock(&server->lock);
    wake_all(server);
    pthread_mutex_unlock(&server->lock);
}

/* --- requests -------------------------------------------------------------------------------- */

/* What every answer says: nobody else's page may use it, nothing keeps it, and the page itself
 * loads nothing from anywhere. */
static void add_headers(struct MHD_Response *response, const wac_http_answer *answer)
{
    static const char *const headers[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
         "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
    };
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(response, headers[i][0], headers[i][1]);
}

/* A request: its address as it came, and not what libmicrohttpd makes of it. */
typedef struct asked {
    bool begun; /* its headers were seen; only then may be answered, or the connection ends */
    char address[];
} asked;

static void *keep_address(void *user, const char *address, struct MHD_Connection *connection)
{
    (void)user, (void)connection;
    size_t size = strlen(address) + 1;
    asked *asked = malloc(sizeof *asked + size);
    if (!asked)
        return NULL;
    asked->begun = false;
    memcpy(asked->address, address, size);
    return asked;
}

static void forget_address(void *user, struct MHD_Connection *connection, void **asked,
                           enum MHD_RequestTerminationCode code)
{
    (void)user, (void)connection, (void)code;
    free(*asked);
    *asked = NULL;
}

static enum MHD_Result answer(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *data_size, void **request)
{
    server *server = user;
    wac_http_answer answer = {.status = MHD_HTTP_INTERNAL_SERVER_ERROR, .type = "text/plain"};
    (void)url, (void)version, (void)data;
    asked *asked = *request;
    if (!asked)
        return MHD_NO;
    if (!asked->begun) {
        asked->begun = true;
        return MHD_YES;
    }
    if (*data_size > 0) { /* whoever sends something has asked wrongly, and is told below */
        *data_size = 0;
        return MHD_YES;
    }
    server->handler.answer(
        server->handler.user,
        &(wac_http_request){
            method, asked->address,
            MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST)},
        &answer);
    struct MHD_Response *response =
        answer.streams ? make_stream(server, connection)
        : answer.body
            ? MHD_create_response_from_buffer(answer.size, answer.body, MHD_RESPMEM_MUST_FREE)
            : MHD_create_response_from_buffer(answer.lasts ? answer.size : 0,
                                              (void *)(answer.lasts ? answer.lasts : ""),
                                              MHD_RESPMEM_PERSISTENT);
    if (!response) {
        free(answer.body);
        return MHD_NO;
    }
    add_headers(response, &answer);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)answer.status, response);
    MHD_destroy_response(response);
    return result;
}

/* --- the server ------------------------------------------------------------------------------ */

/* An address of either family, with a port. */
static int read_address(struct sockaddr_storage *to, const char *address, int port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)to;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
    memset(to, 0, sizeof *to);
    if (inet_pton(AF_INET, address, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        return 0;
    }
    if (inet_pton(AF_INET6, address, &six->sin6_addr) != 1)
        return 1;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return 0;
}

static void be_silent(void *user, const char *format, va_list arguments)
{
    (void)user, (void)format, (void)arguments;
}

static int start(void **out, const char *address, int *port, const wac_http_handler *handler,
                 char *why, size_t size)
{
    struct sockaddr_storage place;
    struct rlimit files;
    if (read_address(&place, address, *port)) {
        snprintf(why, size, "%s is no address", address);
        return 1;
    }
    server *server = calloc(1, sizeof *server);
    if (!server) {
        snprintf(why, size, "no memory left");
        return 1;
    }
    server->handler = *handler;
    pthread_mutex_init(&server->lock, NULL);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < 2 * CONNECTIONS) {
        files.rlim_cur = files.rlim_max < 2 * CONNECTIONS ? files.rlim_max : 2 * CONNECTIONS;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (place.ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    errno = 0;
    server->daemon = MHD_start_daemon(
        flags, (uint16_t)*port, NULL, NULL, answer, server, MHD_OPTION_EXTERNAL_LOGGER, be_silent,
        NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&place, MHD_OPTION_THREAD_POOL_SIZE,
        (unsigned)THREADS, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)PATIENCE, MHD_OPTION_URI_LOG_CALLBACK, keep_address, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, forget_address, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (!info) {
        snprintf(why, size, "%s", errno ? strerror(errno) : "the port is taken");
        if (server->daemon)
            MHD_stop_daemon(server->daemon);
        pthread_mutex_destroy(&server->lock);
        free(server);
        return 1;
    }
    *port = info->port;
    *out = server;
    return 0;
}

static void stop(void *user)
{
    server *server = user;
    pthread_mutex_lock(&server->lock);
    server->stopping = true;
    wake_all(server);
    pthread_mutex_unlock(&server->lock);
    MHD_stop_daemon(server->daemon);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

__attribute__((visibility("default"))) const wac_http_table wac_http_table_v1 = {start, wake, stop};
