/* Serving: a thread that looks at the folders a few times a second, and answers from what it saw.
 */
#include "watch/serve.h"

#include "base/clock.h"
#include "base/plugin.h"
#include "base/status.h"
#include "base/stop.h"
#include "watch/answer.h"
#include "watch/page.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_AFTER = 700, /* milliseconds */
    BEAT_AFTER = 15,  /* seconds, after which a stream says that it is there */
};

typedef struct serving {
    wac_watch_view view;
    pthread_mutex_t lock;            /* of the view */
    char token[WAC_WATCH_TOKEN + 1]; /* empty: none */
    char name[256];                  /* of this machine, where others may come; else empty */
    int port;                        /* 0: not known yet */
    uint64_t news; /* the version that streams tell of, and how often they said nothing */
} serving;

static const char *reason_of(int status)
{
    return status == 403   ? "the address lacks its secret, or has a wrong one"
           : status == 400 ? "the address makes no sense"
                           : "this page knows no such address";
}

static void answer(void *user, const wac_http_request *request, wac_http_answer *answer)
{
    serving *serving = user;
    wac_watch_request asked;
    if (!wac_watch_knows_host(request->host, __atomic_load_n(&serving->port, __ATOMIC_ACQUIRE),
                              *serving->name ? serving->name : NULL)) {
        wac_watch_refuse(answer, 403, "the request was sent to another name than this machine's");
        return;
    }
    if (strcmp(request->method, "GET") != 0) {
        wac_watch_refuse(answer, 405, "only GET is answered");
        return;
    }
    int status = wac_watch_parse(&asked, request->address, serving->token);
    if (status != 200) {
        wac_watch_refuse(answer, status, reason_of(status));
    } else if (asked.route == WAC_WATCH_PAGE) {
        *answer = (wac_http_answer){.status = 200,
                                    .type = "text/html; charset=utf-8",
                                    .lasts = wac_watch_page,
                                    .size = strlen(wac_watch_page)};
    } else if (asked.route == WAC_WATCH_EVENTS) {
        *answer = (wac_http_answer){.status = 200, .type = "text/event-stream", .streams = true};
    } else {
        pthread_mutex_lock(&serving->lock);
        wac_watch_tell(answer, &serving->view, &asked);
        pthread_mutex_unlock(&serving->lock);
    }
}

/* The version in the upper half, beats in the lower. */
static size_t more(void *user, int64_t *seen, char *piece, size_t size)
{
    serving *serving = user;
    uint64_t news = __atomic_load_n(&serving->news, __ATOMIC_ACQUIRE), before = (uint64_t)*seen;
    if (news == before || size < 64)
        return 0;
    *seen = (int64_t)news;
    int length = news >> 32 != before >> 32
                     ? snprintf(piece, size, "data: %llu\n\n", (unsigned long long)(news >> 32))
                     : snprintf(piece, size, ": still here\n\n");
    return (size_t)length;
}

static wac_status make_token(char token[WAC_WATCH_TOKEN + 1], wac_error *error)
{
    unsigned char bytes[WAC_WATCH_TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return wac_fail(error, WAC_STATUS_IO, "the system has no random numbers: %s",
                        strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        sprintf(token + 2 * i, "%02x", bytes[i]);
    return WAC_STATUS_OK;
}

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

static void look_again_and_again(serving *serving, const wac_http_table *table, void *server,
                                 const volatile int *stop)
{
    double beat = wac_clock_seconds();
    uint32_t beats = 0;
    while (!wac_asked_to_stop(stop)) {
        pthread_mutex_lock(&serving->lock);
        wac_shelf_look(&serving->view.shelf);
        uint64_t version = (uint64_t)serving->view.shelf.version;
        pthread_mutex_unlock(&serving->lock);
        if (wac_clock_seconds() - beat > BEAT_AFTER) {
            beat = wac_clock_seconds();
            beats++;
        }
        uint64_t news = version << 32 | beats;
        if (__atomic_exchange_n(&serving->news, news, __ATOMIC_ACQ_REL) != news)
            table->wake(server);
        pause_for(LOOK_AFTER);
    }
}

static wac_status start(const wac_http_table *table, void **server, serving *serving,
                        const wac_watch_options *options, wac_error *error)
{
    const wac_http_handler handler = {answer, more, serving};
    char why[256];
    int port = options->port ? options->port : WAC_WATCH_PORT;
    int failure = table->start(server, options->address, &port, &handler, why, sizeof why);
    if (failure && !options->port) {
        port = 0;
        failure = table->start(server, options->address, &port, &handler, why, sizeof why);
    }
    __atomic_store_n(&serving->port, port, __ATOMIC_RELEASE);
    return failure ? wac_fail(error, WAC_STATUS_INPUT,
                              "cannot listen at %s, port %d: %s; choose another --port",
                              options->address, options->port, why)
                   : WAC_STATUS_OK;
}

static void tell_where(const serving *serving, const wac_watch_options *options)
{
    char url[512], machine[256] = "";
    bool six = strchr(options->address, ':') != NULL;
    /* who listens everywhere is reached by name */
    if (strcmp(options->address, "0.0.0.0") == 0 || strcmp(options->address, "::") == 0)
        snprintf(machine, sizeof machine, "%s", serving->name);
    else
        snprintf(machine, sizeof machine, six ? "[%s]" : "%s", options->address);
    snprintf(url, sizeof url, "http://%s:%d/%s%s", machine, serving->port, serving->token,
             *serving->token ? "/" : "");
    options->ready(options->user, url);
}

wac_status wac_watch_serve(const wac_watch_options *options, wac_error *error)
{
    static serving serving; /* one a process */
    char why[256];
    void *server = NULL;
    const wac_http_table *table =
        wac_plugin_table("wac_http", WAC_HTTP_TABLE, "WAC_HTTP_PLUGIN", why, sizeof why);
    if (!table)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "this program was built without the part that talks to browsers (%s); "
                        "install libmicrohttpd-dev and build again",
                        why);
    bool here =
        strcmp(options->address, WAC_WATCH_HERE) == 0 || strcmp(options->address, "::1") == 0;
    serving.view.allow_stop = options->allow_stop;
    if (!here && gethostname(serving.name, sizeof serving.name - 1) != 0)
        snprintf(serving.name, sizeof serving.name, "%s", options->address);
    if (!here || options->allow_stop)
        WAC_TRY(make_token(serving.token, error));
    wac_shelf_init(&serving.view.shelf, options->folders, options->count);
    wac_shelf_look(&serving.view.shelf);
    pthread_mutex_init(&serving.lock, NULL);
    wac_status status = start(table, &server, &serving, options, error);
    if (status == WAC_STATUS_OK) {
        tell_where(&serving, options);
        look_again_and_again(&serving, table, server, options->stop);
        table->stop(server);
    }
    pthread_mutex_destroy(&serving.lock);
    wac_mind_free(&serving.view.mind);
    wac_shelf_free(&serving.view.shelf);
    return status;
}
