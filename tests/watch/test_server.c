/* The server of `wac watch`, by real connections: what it answers, and what nobody gets out of it,
 * whatever he sends. Without the part that talks HTTP all is skipped. */
#include "support/server.h"

#include "run/run.h"
#include "watch/request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#define NEED_SERVER()                                                                              \
    do {                                                                                           \
        (void)state;                                                                               \
        if (!has_server()) {                                                                       \
            print_message(                                                                         \
                "skipped: there is no libmicrohttpd (Debian: libmicrohttpd-dev) here\n");          \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* --- connections ------------------------------------------------------------------------------ */

static int dial(int port)
{
    int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_true(line >= 0);
    if (connect(line, (struct sockaddr *)&to, sizeof to) != 0)
        fail_msg("nobody listens: %s", strerror(errno));
    return line;
}

/* What can be sent; the other side may have had enough. */
static void say(int line, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t sent = send(line, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        done += (size_t)sent;
    }
}

/* All that comes until the end of the line, or of patience. */
static char *hear(int line, double seconds)
{
    size_t size = 0, room = 1 << 20;
    char *text = malloc(room);
    for (double end = now() + seconds; now() < end && size + 4096 < room;) {
        struct pollfd waits = {.fd = line, .events = POLLIN};
        if (poll(&waits, 1, (int)(1000 * (end - now())) + 1) <= 0)
            break;
        ssize_t got = read(line, text + size, room - size - 1);
        if (got <= 0)
            break;
        size += (size_t)got;
    }
    text[size] = 0;
    return text;
}

/* The status of a raw request; 0: none came. The answer is kept. */
static char *answer;
static int request(int port, const char *bytes, size_t size)
{
    int line = dial(port), status = 0;
    say(line, bytes, size);
    free(answer);
    answer = hear(line, 5);
    close(line);
    sscanf(answer, "HTTP/1.1 %d", &status);
    return status;
}

static int get_as(int port, const char *method, const char *address, const char *host)
{
    static char text[8192];
    int size =
        snprintf(text, sizeof text, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
                 method, address, host);
    return request(port, text, (size_t)size);
}

static int get(const server *server, const char *address)
{
    char host[64];
    snprintf(host, sizeof host, "127.0.0.1:%d", server->port);
    return get_as(server->port, "GET", address, host);
}

/* --- a folder of runs --------------------------------------------------------------------------*/

static void train_here(const char *folder)
{
    wac_config config = tiny("lqg", "oe-wac", 3);
    wac_run_options options = wac_run_options_default();
    options.maps = true;
    assert_ok(train_new(folder, &config, &options));
}

static void what_there_is_is_told(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    const struct {
        const char *address;
        int status;
        const char *part;
    } asked[] = {
        {"/", 200, "<!doctype html>"},
        {"/runs", 200, "\"name\":\"first\""},
        {"/runs?since=0", 200, "\"state\":\"finished\""},
        {"/runs?since=1000000", 200, "\"runs\":[]"},
        {"/curves?column=eval_return", 200, "\"y\":["},
        {"/progress?run=0", 200, "\"losses\":[["},
        {"/progress?run=0&from=3", 200, "\"from\":3"},
        {"/world?run=0", 200, "\"over\":\"state and action\""},
        {"/map?run=0", 200, "octet-stream"},
        {"/map?run=0&epoch=3", 200, "Content-Length: 7456"},
        {"/value?run=0&x=0.5&y=-1", 200, "\"upper\":"},
        {"/play?run=0&seed=3", 200, "\"behaviour\":{\"points\":[["},
        {"/plane?run=0&i=0&j=0", 200, "\"std\":["},
        {"/map?run=0&epoch=4", 404, "error"},
        {"/plane?run=0&i=1&j=0", 404, "1 observations"},
        {"/world?run=1", 404, "no such run"},
        {"/stop?run=0", 403, "--allow-stop"},
        {"/events?", 200, "text/event-stream"},
        {"/value?run=0&x=0.5", 400, "makes no sense"},
        {"/value?run=0&x=nan&y=0", 400, ""},
        {"/value?run=0&x=1e999&y=0", 400, ""},
        {"/map?run=-1", 400, ""},
        {"/map?run=0.5", 400, ""},
        {"/map?run=99999999999999999999999", 400, ""},
        {"/curves?column=nothing", 400, ""},
        {"/runs?since", 400, ""},
        {"/runs?other=1", 400, ""},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        if (strncmp(asked[i].address, "/events", 7) == 0)
            continue; /* it does not end */
        int status = get(&server, asked[i].address);
        if (status != asked[i].status || !strstr(answer, asked[i].part))
            fail_msg("%s: %d, %.2000s", asked[i].address, status, answer);
        assert_non_null(strstr(answer, "X-Content-Type-Options: nosniff"));
        assert_non_null(strstr(answer, "Content-Security-Policy: default-src 'none'"));
        assert_non_null(strstr(answer, "Cache-Control: no-store"));
        assert_null(strstr(answer, "Access-Control"));
    }
    end_server(&server);
}

/* --- who may ask ------------------------------------------------------------------------------ */

static void only_get_is_answered(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    char host[64];
    static const char *const methods[] = {"POST",    "PUT",   "HEAD",  "DELETE",
                                          "OPTIONS", "TRACE", "PATCH", "BREW"};
    snprintf(host, sizeof host, "localhost:%d", server.port);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        assert_int_equal(get_as(server.port, methods[i], "/runs", host), 405);
    char post[256];
    int size = snprintf(post, sizeof post,
                        "POST /runs HTTP/1.1\r\nHost: %s\r\nContent-Length: 5\r\n"
                        "Connection: close\r\n\r\nhello",
                        host);
    assert_int_equal(request(server.port, post, (size_t)size), 405);
    end_server(&server);
}

static void other_names_are_refused(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    char right[64], wrong[64];
    static const char *const good[] = {"127.0.0.1", "localhost", "LocalHost", "[::1]"};
    static const char *const bad[] = {
        "evil.example", "localhost.evil.example", "127.0.0.1.evil", "", "[::1", "169.254.1.1", "0",
        "127.1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(right, sizeof right, "%s:%d", good[i], server.port);
        snprintf(wrong, sizeof wrong, "%s:%d", good[i], server.port + 1);
        assert_int_equal(get_as(server.port, "GET", "/runs", right), 200);
        assert_int_equal(get_as(server.port, "GET", "/runs", wrong), 403);
        assert_int_equal(get_as(server.port, "GET", "/", good[i]), 403);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(wrong, sizeof wrong, "%s:%d", bad[i], server.port);
        assert_int_equal(get_as(server.port, "GET", "/runs", wrong), 403);
        assert_null(strstr(answer, "first"));
    }
    static const char none[] = "GET /runs HTTP/1.1\r\nConnection: close\r\n\r\n";
    int status = request(server.port, none, sizeof none - 1);
    assert_true(status == 400 || status == 403);
    end_server(&server);
}

static void a_secret_is_asked_for(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s --allow-stop", at("runs"));
    const char *token = strrchr(server.url, '/') - WAC_WATCH_TOKEN;
    char address[256];
    static const char *const bare[] = {"/", "/runs", "/events",
                                       "/00000000000000000000000000000000/runs"};
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        assert_int_equal(get(&server, bare[i]), 403);
    snprintf(address, sizeof address, "/%.31s0/runs", token);
    if (token[31] != '0')
        assert_int_equal(get(&server, address), 403);
    snprintf(address, sizeof address, "/%.31s/runs", token);
    assert_int_equal(get(&server, address), 403);
    snprintf(address, sizeof address, "/%.32sx/runs", token);
    assert_int_equal(get(&server, address), 403);
    snprintf(address, sizeof address, "/%.32s/runs", token);
    assert_int_equal(get(&server, address), 200);
    assert_non_null(strstr(answer, "\"stops\":true"));
    /* of a run that nobody trains there is nothing to stop */
    snprintf(address, sizeof address, "/%.32s/stop?run=0", token);
    assert_int_equal(get(&server, address), 409);
    end_server(&server);
    /* every time another */
    struct server other = serve("%s --allow-stop", at("runs"));
    assert_string_not_equal(strrchr(server.url, ':') + 6, strrchr(other.url, ':') + 6);
    end_server(&other);
}

/* --- what is not of the runs ------------------------------------------------------------------ */

static void no_address_leads_to_a_file(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    save_text(at("secret"), "OUT OF THE FOLDER");
    server server = serve("%s", at("runs"));
    static const char *const tricks[] = {
        "/../secret",
        "/first/../../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "//etc/passwd",
        "/runs/../../secret",
        "/first/config.yaml",
        "/first",
        "/runs/",
        "/./runs",
        "/map/../runs",
        "/map?run=../0",
        "/map?run=0/../../secret",
        "/%00",
        "/runs%00",
        "/\\..\\secret",
        "/..;/secret",
        "/secret",
        "/file:///etc/passwd",
        "*",
        "http://127.0.0.1/runs",
        "/.git/config",
        "/favicon.ico",
        "/progress?run=0&from=../../secret",
    };
    for (size_t i = 0; i < sizeof tricks / sizeof *tricks; i++) {
        int status = get(&server, tricks[i]);
        if (status != 404 && status != 400)
            fail_msg("%s: %d", tricks[i], status);
        assert_null(strstr(answer, "OUT OF"));
        assert_null(strstr(answer, "root:"));
        assert_null(strstr(answer, "environment:"));
    }
    end_server(&server);
}

static void links_lead_nowhere(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    train_here(at("elsewhere/other"));
    assert_int_equal(symlink(at("elsewhere/other"), at("runs/linked")), 0);
    assert_int_equal(symlink(at("elsewhere"), at("runs/third")), 0);
    assert_int_equal(unlink(at("runs/first/maps.bin")), 0);
    assert_int_equal(symlink(at("elsewhere/other/maps.bin"), at("runs/first/maps.bin")), 0);
    server server = serve("%s", at("runs"));
    assert_int_equal(get(&server, "/runs"), 200);
    assert_non_null(strstr(answer, "first"));
    assert_null(strstr(answer, "linked"));
    assert_null(strstr(answer, "other"));
    assert_int_equal(get(&server, "/map?run=0&epoch=1"), 404);
    end_server(&server);
}

/* A world that is somebody's program is listed, and not run. */
static void no_plug_in_is_run(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    char *text = contents(at("runs/first/config.yaml"), NULL), *line = strstr(text, "lqg");
    char other[8192];
    snprintf(other, sizeof other, "%.*s./first.so%s", (int)(line - text), text, line + 3);
    save_text(at("runs/first/config.yaml"), other);
    free(text);
    server server = serve("%s", at("runs"));
    assert_int_equal(get(&server, "/runs"), 200);
    assert_int_equal(get(&server, "/play?run=0"), 404);
    assert_int_equal(get(&server, "/map?run=0"), 404);
    end_server(&server);
}

/* --- who asks badly --------------------------------------------------------------------------- */

static void half_requests_hold_nobody_up(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    enum { HALVES = 60 };
    int lines[HALVES];
    for (int i = 0; i < HALVES; i++) {
        static const char *const parts[] = {"", "G", "GET /runs HTTP/1.1\r\n",
                                            "GET /runs HTTP/1.1\r\nHost: localhost"};
        lines[i] = dial(server.port);
        say(lines[i], parts[i % 4], strlen(parts[i % 4]));
    }
    double start = now();
    for (int i = 0; i < 20; i++)
        assert_int_equal(get(&server, "/runs"), 200);
    assert_true(now() - start < 10);
    for (int i = 0; i < HALVES; i++)
        close(lines[i]);
    /* and what is no HTTP at all */
    static const char noise[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello \r\n\r\n\r\n";
    request(server.port, noise, sizeof noise);
    assert_int_equal(get(&server, "/runs"), 200);
    end_server(&server);
}

static void long_addresses_are_refused(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    for (size_t size = 200; size <= (size_t)4 << 20; size *= 5) {
        char *text = malloc(size + 256), *end = text;
        end += sprintf(end, "GET /map?run=");
        memset(end, '1', size);
        end += size;
        end += sprintf(end, " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n",
                       server.port);
        int status = request(server.port, text, (size_t)(end - text));
        assert_true(status == 0 || (status >= 400 && status < 500)); /* 0: it has hung up */
        /* the same as a header */
        end = text + sprintf(text, "GET /runs HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX: ", server.port);
        memset(end, 'x', size > 200 ? size : 200);
        end += size;
        end += sprintf(end, "\r\nConnection: close\r\n\r\n");
        status = request(server.port, text, (size_t)(end - text));
        assert_true(status == 0 || status == 200 || (status >= 400 && status < 500));
        free(text);
        assert_int_equal(get(&server, "/runs"), 200);
    }
    end_server(&server);
}

/* Who asks for much and reads nothing. */
static void slow_readers_hold_nobody_up(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    enum { SLOW = 40, TIMES = 200 };
    int lines[SLOW];
    char text[128];
    int size =
        snprintf(text, sizeof text, "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", server.port);
    for (int i = 0; i < SLOW; i++) {
        lines[i] = dial(server.port);
        int little = 4096;
        setsockopt(lines[i], SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
        for (int k = 0; k < TIMES; k++)
            if (send(lines[i], text, (size_t)size, MSG_NOSIGNAL | MSG_DONTWAIT) <= 0)
                break;
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(get(&server, "/runs"), 200);
    for (int i = 0; i < SLOW; i++)
        close(lines[i]);
    end_server(&server);
}

/* --- many --------------------------------------------------------------------------------------*/

/* Adds a row to the table of a run, as its training does. */
static void add_row(const char *folder)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/progress.csv", folder);
    char *text = contents(path, NULL), *end = text + strlen(text) - 1, *line = end;
    while (line[-1] != '\n')
        line--;
    FILE *file = fopen(path, "a");
    fprintf(file, "%d%s", atoi(line) + 1, strchr(line, ','));
    fclose(file);
    free(text);
}

static void hold_streams(int *lines, int count, const server *server)
{
    char text[128];
    int size = snprintf(text, sizeof text, "GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                        server->port);
    for (int i = 0; i < count; i++) {
        lines[i] = dial(server->port);
        say(lines[i], text, (size_t)size);
    }
}

/* Waits for an event on a line. */
static void assert_event(int line)
{
    char text[4096] = "";
    size_t size = 0;
    for (double end = now() + 10; now() < end && !strstr(text, "data: ");) {
        struct pollfd waits = {.fd = line, .events = POLLIN};
        if (poll(&waits, 1, 1000) <= 0)
            continue;
        ssize_t got = read(line, text + size, sizeof text - size - 1);
        assert_true(got > 0);
        text[size += (size_t)got] = 0;
    }
    assert_non_null(strstr(text, "data: "));
}

static void many_streams_and_requests_are_held(void **state)
{
    NEED_SERVER();
    enum { STREAMS = 200 };
#ifdef WAC_SANITIZED
    enum { REQUESTS = 1000 };
#else
    enum { REQUESTS = 10000 };
#endif
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    int lines[STREAMS];
    hold_streams(lines, STREAMS, &server);
    for (int i = 0; i < STREAMS; i++)
        assert_event(lines[i]);
    char text[128], piece[16384];
    int size = snprintf(text, sizeof text, "GET /runs HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
                        server.port);
    int line = dial(server.port);
    for (int i = 0; i < REQUESTS; i++) {
        if (i % 1000 == 999) { /* and another connection now and then */
            close(line);
            line = dial(server.port);
        }
        say(line, text, (size_t)size);
        size_t got = 0, wanted = SIZE_MAX;
        while (got < wanted) {
            ssize_t part = read(line, piece + got, sizeof piece - got - 1);
            assert_true(part > 0);
            piece[got += (size_t)part] = 0;
            char *body = strstr(piece, "\r\n\r\n"), *length = strstr(piece, "Content-Length: ");
            if (body && length)
                wanted = (size_t)(body + 4 - piece) + (size_t)atoi(length + 16);
        }
        assert_memory_equal(piece, "HTTP/1.1 200", 12);
    }
    close(line);
    add_row(at("runs/first"));
    for (int i = 0; i < STREAMS; i++) {
        assert_event(lines[i]);
        close(lines[i]);
    }
    end_server(&server);
}

static void the_end_comes_with_streams_open(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    int lines[20];
    hold_streams(lines, 20, &server);
    for (int i = 0; i < 20; i++)
        assert_event(lines[i]);
    double start = now();
    end_server(&server);
    assert_true(now() - start < 5);
    for (int i = 0; i < 20; i++)
        close(lines[i]);
}

/* --- folders that change ---------------------------------------------------------------------- */

/* Asks until the list has this in it. */
static void await(const server *server, const char *part)
{
    for (double end = now() + 20; now() < end;) {
        assert_int_equal(get(server, "/runs"), 200);
        if (strstr(answer, part))
            return;
        usleep(100000);
    }
    fail_msg("no %s in %s", part, answer);
}

static void folders_come_and_go(void **state)
{
    NEED_SERVER();
    train_here(at("runs/first"));
    server server = serve("%s", at("runs"));
    await(&server, "\"state\":\"finished\"");
    assert_int_equal(rename(at("runs"), at("away")), 0);
    await(&server, "\"state\":\"gone\"");
    assert_int_equal(get(&server, "/map?run=0&epoch=1"), 404);
    assert_int_equal(get(&server, "/progress?run=0"), 404);
    assert_int_equal(rename(at("away"), at("runs")), 0);
    await(&server, "\"state\":\"finished\"");
    train_here(at("runs/deep/below/second"));
    await(&server, "deep/below/second");
    /* whatever a folder is called */
    train_here(at("runs/odd \xff <script>'\"& name"));
    await(&server, "odd ? <script>'\\\"& name");
    /* damage is told, not served */
    save_text(at("runs/first/progress.csv"), "epoch\n0\n");
    await(&server, "\"state\":\"failed\"");
    assert_non_null(strstr(answer, "progress.csv"));
    end_server(&server);
    /* the lock of a run that is watched is nobody's: it can be trained on */
    assert_ok(train_on(at("runs/deep/below/second"), "lqg", NULL, 5));
}

static void a_run_is_stopped_and_can_go_on(void **state)
{
    NEED_SERVER();
    const outcome *made = wac("train lqg --epochs 1 --out %s " SMALL, at("runs/long"));
    assert_int_equal(made->status, 0);
    pid_t trainer = train_for_long(at("runs/long"));
    server server = serve("%s --allow-stop", at("runs"));
    char address[256], *token = strrchr(server.url, '/') - WAC_WATCH_TOKEN;
    for (double end = now() + 20; now() < end;) {
        snprintf(address, sizeof address, "/%.32s/stop?run=0", token);
        if (get(&server, address) == 200)
            break;
        usleep(100000);
    }
    assert_non_null(strstr(answer, "stopped"));
    assert_int_equal(status_of(trainer), 1);
    wac_run *run;
    assert_ok(wac_run_resume(&run, at("runs/long"), NULL, NULL, 0, &error));
    wac_run_destroy(run);
    end_server(&server);
}

static void what_cannot_be_is_refused(void **state)
{
    NEED_SERVER();
    assert_says(wac("watch %s", at("nowhere")), 1, "there is no folder");
    mkdir(at("runs"), 0777);
    assert_says(wac("watch %s --listen here", at("runs")), 2, "here is no address");
    server server = serve("%s", at("runs"));
    /* an empty folder may get runs */
    assert_int_equal(get(&server, "/runs"), 200);
    assert_says(wac("watch %s --port %d", at("runs"), server.port), 2, "choose another --port");
    end_server(&server);
}

/* The page beside training; the run is the same with and without. */
static void training_shows_itself(void **state)
{
    NEED_SERVER();
    const outcome *result = wac("train lqg --epochs 3 --watch --out %s " SMALL, at("with"));
    assert_int_equal(result->status, 0);
    result = wac("train lqg --epochs 3 --out %s " SMALL, at("without"));
    assert_int_equal(result->status, 0);
    assert_true(wac_path_exists(at("with/maps.bin")));
    assert_int_equal(unlink(at("with/maps.bin")), 0);
    assert_same_runs(at("with"), at("without"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_there_is_is_told),
        TEST(only_get_is_answered),
        TEST(other_names_are_refused),
        TEST(a_secret_is_asked_for),
        TEST(no_address_leads_to_a_file),
        TEST(links_lead_nowhere),
        TEST(no_plug_in_is_run),
        TEST(half_requests_hold_nobody_up),
        TEST(long_addresses_are_refused),
        TEST(slow_readers_hold_nobody_up),
        TEST(many_streams_and_requests_are_held),
        TEST(the_end_comes_with_streams_open),
        TEST(folders_come_and_go),
        TEST(a_run_is_stopped_and_can_go_on),
        TEST(what_cannot_be_is_refused),
        TEST(training_shows_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
