/* Reading addresses: strict, without escapes, of which none of ours has any. */
#include "watch/request.h"

#include "base/number.h"
#include "base/words.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The same time whatever the guess. */
static bool is_token(const char *text, const char *token)
{
    unsigned char difference = 0;
    for (size_t i = 0; i < WAC_WATCH_TOKEN; i++) {
        difference |= (unsigned char)(text[i] ^ token[i]);
        if (!text[i])
            return false;
    }
    return difference == 0;
}

static bool read_number(double *number, const char *text)
{
    return wac_number_parse(number, text) && isfinite(*number);
}

static bool read_count(int64_t *count, const char *text)
{
    double number;
    if (!read_number(&number, text) || number < 0 || number > 1e15 || number != floor(number))
        return false;
    *count = (int64_t)number;
    return true;
}

/* The column of exactly this name in the file. */
static bool read_column(wac_column *column, const char *text)
{
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        if (strcmp(wac_columns[i].name, text) == 0) {
            *column = (wac_column)i;
            return true;
        }
    return false;
}

/* "epoch=7" */
static bool read_argument(wac_watch_request *request, char *text)
{
    const struct {
        const char *name;
        int64_t *count;
    } counts[] = {
        {"run", &request->run},     {"since", &request->since}, {"from", &request->from},
        {"epoch", &request->epoch}, {"seed", &request->seed},   {"i", &request->i},
        {"j", &request->j},
    };
    char *value = strchr(text, '=');
    if (!value)
        return false;
    *value++ = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(text, counts[i].name) == 0)
            return read_count(counts[i].count, value);
    if (strcmp(text, "column") == 0)
        return read_column(&request->column, value);
    return strcmp(text, "x") == 0   ? read_number(&request->x, value)
           : strcmp(text, "y") == 0 ? read_number(&request->y, value)
                                    : false;
}

static bool is_complete(const wac_watch_request *request)
{
    bool needs_run = request->route >= WAC_WATCH_PROGRESS && request->route <= WAC_WATCH_STOP;
    if (needs_run && request->run < 0)
        return false;
    return request->route == WAC_WATCH_CURVES  ? request->column < WAC_COLUMN_TOTAL
           : request->route == WAC_WATCH_VALUE ? !isnan(request->x) && !isnan(request->y)
           : request->route == WAC_WATCH_PLANE ? request->i >= 0 && request->j >= 0
                                               : true;
}

int wac_watch_parse(wac_watch_request *request, const char *address, const char *token)
{
#define WORD(value, word) word,
    static const char *const words[] = {WAC_WATCH_ROUTES(WORD)};
#undef WORD
    char text[256], *place;
    *request = (wac_watch_request){.route = WAC_WATCH_TOTAL,
                                   .run = -1,
                                   .since = -1,
                                   .from = -1,
                                   .epoch = -1,
                                   .seed = -1,
                                   .i = -1,
                                   .j = -1,
                                   .x = NAN,
                                   .y = NAN,
                                   .column = WAC_COLUMN_TOTAL};
    if (*address != '/')
        return 400;
    address++;
    if (*token) {
        if (!is_token(address, token) || address[WAC_WATCH_TOKEN] != '/')
            return 403;
        address += WAC_WATCH_TOKEN + 1;
    }
    if (strlen(address) >= sizeof text)
        return 404;
    strcpy(text, address);
    char *query = strchr(text, '?');
    if (query)
        *query++ = 0;
    for (int i = 0; i < WAC_WATCH_TOTAL; i++)
        if (strcmp(text, words[i]) == 0)
            request->route = (wac_watch_route)i;
    if (request->route == WAC_WATCH_TOTAL)
        return 404;
    for (char *word = query ? strtok_r(query, "&", &place) : NULL; word;
         word = strtok_r(NULL, "&", &place))
        if (!read_argument(request, word))
            return 400;
    return is_complete(request) ? 200 : 400;
}

/* A name by which anybody reaches this machine who is on it. */
static bool is_own_name(const char *name)
{
    return strcasecmp(name, "localhost") == 0 || strcmp(name, "127.0.0.1") == 0 ||
           strcmp(name, "::1") == 0;
}

bool wac_watch_knows_host(const char *host, int port, const char *name)
{
    char text[256], expected[16], address[16];
    if (!host || strlen(host) >= sizeof text)
        return false;
    strcpy(text, host);
    char *bare = text, *end = strrchr(text, ':');
    if (*text == '[') { /* an address of IPv6 */
        bare = text + 1;
        char *bracket = strchr(bare, ']');
        if (!bracket)
            return false;
        end = bracket[1] ? bracket + 1 : NULL;
        *bracket = 0;
    }
    if (end) {
        snprintf(expected, sizeof expected, "%d", port);
        if (*end != ':' && *end != 0)
            return false;
        *end++ = 0;
        if (strcmp(end, expected) != 0)
            return false;
    } else if (port != 80) {
        return false;
    }
    if (is_own_name(bare))
        return true;
    /* who listens to others is called by any of its addresses: a number cannot be led elsewhere */
    return name && (strcasecmp(bare, name) == 0 || inet_pton(AF_INET, bare, address) == 1 ||
                    inet_pton(AF_INET6, bare, address) == 1);
}
