/* What a page is told: the answers to its requests, as JSON, or as a record of maps.bin. */
#ifndef WAC_WATCH_ANSWER_H
#define WAC_WATCH_ANSWER_H

#include "watch/http.h"
#include "watch/mind.h"
#include "watch/request.h"

typedef struct wac_watch_view {
    wac_shelf shelf;
    wac_mind mind;
    bool allow_stop;
} wac_watch_view;

/* Of any route but the page and the events. A failure is an answer, too. */
void wac_watch_tell(wac_http_answer *answer, wac_watch_view *view,
                    const wac_watch_request *request);

/* {"error": sentence} */
void wac_watch_refuse(wac_http_answer *answer, int status, const char *sentence);

#endif
