/* What a browser may ask for: a few addresses with a few numbers. No address leads to a file: runs
 * are asked for by their place in the list. */
#ifndef WAC_WATCH_REQUEST_H
#define WAC_WATCH_REQUEST_H

#include "run/columns.h"
#include "wac/base.h"

/* X(VALUE, "what the address ends with") */
#define WAC_WATCH_ROUTES(X)                                                                        \
    X(PAGE, "")                                                                                    \
    X(RUNS, "runs")         /* ?since=VERSION: the list */                                         \
    X(CURVES, "curves")     /* ?column=NAME&since=VERSION: a column of all runs */                 \
    X(PROGRESS, "progress") /* ?run=ID&from=ROW: all columns of a run, and its losses */           \
    X(WORLD, "world")       /* ?run=ID: what a map of it lies over, and walls */                   \
    X(MAP, "map")           /* ?run=ID&epoch=N: a map; without an epoch the present one */         \
    X(VALUE, "value")       /* ?run=ID&x=X&y=Y: what the agent believes there */                   \
    X(PLAY, "play")         /* ?run=ID&seed=N: an episode of both policies */                      \
    X(BODY, "body")         /* ?run=ID: what a world in MuJoCo is made of */                       \
    X(MOTION, "motion")     /* ?run=ID&seed=N: where its parts are in those episodes */            \
    X(PLANE, "plane")       /* ?run=ID&i=I&j=J: values over two observations */                    \
    X(STOP, "stop")         /* ?run=ID: have it save itself and end */                             \
    X(EVENTS, "events")     /* a stream: the version of the list, whenever it rises */

#define WAC_WATCH_VALUE(value, word) WAC_WATCH_##value,
typedef enum wac_watch_route { WAC_WATCH_ROUTES(WAC_WATCH_VALUE) WAC_WATCH_TOTAL } wac_watch_route;

typedef struct wac_watch_request {
    wac_watch_route route;
    int64_t run;   /* -1: not given, as all below */
    int64_t since; /* of a list: all that has changed after this version */
    int64_t from;  /* first row */
    int64_t epoch;
    int64_t seed;
    int64_t i, j;      /* observations */
    double x, y;       /* NaN: not given */
    wac_column column; /* WAC_COLUMN_TOTAL: not given */
} wac_watch_request;

enum { WAC_WATCH_TOKEN = 32 }; /* letters of a token */

/* Reads the address of a request as it came, "/TOKEN/map?run=3&epoch=7"; `token` empty: there is
 * none. An HTTP status: 200, 403 for a wrong token, 404 for what nobody knows, 400 for what makes
 * no sense. */
int wac_watch_parse(wac_watch_request *request, const char *address, const char *token);

/* Whether a request was sent to us by name: a browser that was led here by another name (so that
 * somebody else's page may read the answers) says so in its Host. `name`: what this machine is
 * called, for those that listen to others; null: only this machine is listened to. */
bool wac_watch_knows_host(const char *host, int port, const char *name);

#endif
