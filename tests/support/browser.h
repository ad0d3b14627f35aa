/* A real browser for tests: Chromium without a window, spoken to through a pipe (its DevTools
 * protocol: JSON, a zero byte after each message). */
#ifndef WAC_TESTS_SUPPORT_BROWSER_H
#define WAC_TESTS_SUPPORT_BROWSER_H

#include "support/folder.h"

#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static struct browser {
    pid_t process;
    int to, from;
    long calls;
    char *session;      /* of the page */
    json_t *complaints; /* of the page's console */
    char *text;         /* read and not yet taken */
    size_t size, room;
} browser;

static inline double browser_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Where it is; null: nowhere. */
static inline const char *browser_program(void)
{
    static const char *const places[] = {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                                         "/usr/bin/google-chrome"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], X_OK) == 0)
            return places[i];
    return NULL;
}

/* The next message, or null after so many seconds. */
static inline json_t *browser_read(double seconds)
{
    double end = browser_clock() + seconds;
    for (;;) {
        char *zero = browser.size ? memchr(browser.text, 0, browser.size) : NULL;
        if (zero) {
            json_t *message = json_loads(browser.text, 0, NULL);
            size_t used = (size_t)(zero + 1 - browser.text);
            memmove(browser.text, zero + 1, browser.size -= used);
            return message;
        }
        struct pollfd waits = {.fd = browser.from, .events = POLLIN};
        double left = end - browser_clock();
        if (left <= 0 || poll(&waits, 1, (int)(1000 * left) + 1) <= 0)
            return NULL;
        if (browser.room - browser.size < 65536)
            browser.text = realloc(browser.text, browser.room = 2 * browser.room + 131072);
        ssize_t got = read(browser.from, browser.text + browser.size, 65536);
        if (got <= 0)
            return NULL;
        browser.size += (size_t)got;
    }
}

static inline void browser_note(const json_t *message)
{
    const char *method = json_string_value(json_object_get(message, "method"));
    const json_t *told = json_object_get(message, "params");
    const json_t *entry = json_object_get(told, "entry");
    const char *type = json_string_value(json_object_get(told, "type"));
    bool bad =
        method &&
        (strcmp(method, "Runtime.exceptionThrown") == 0 ||
         (strcmp(method, "Runtime.consoleAPICalled") == 0 && type && strcmp(type, "error") == 0) ||
         (entry && strcmp(json_string_value(json_object_get(entry, "level")), "error") == 0));
    if (bad)
        json_array_append(browser.complaints, (json_t *)told);
}

/* Has it do something; uses up the parameters. The result, to be given up by json_decref. */
static inline json_t *browser_call(const char *method, json_t *parameters)
{
    json_t *call = json_pack("{s:I, s:s, s:o}", "id", (json_int_t)++browser.calls, "method", method,
                             "params", parameters ? parameters : json_object());
    if (browser.session)
        json_object_set_new(call, "sessionId", json_string(browser.session));
    char *text = json_dumps(call, JSON_COMPACT);
    size_t size = strlen(text) + 1;
    json_decref(call);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(browser.to, text + done, size - done);
        assert_true(written > 0);
        done += (size_t)written;
    }
    free(text);
    for (;;) {
        json_t *message = browser_read(60);
        if (!message)
            fail_msg("the browser does not answer to %s", method);
        if (json_integer_value(json_object_get(message, "id")) == browser.calls) {
            json_t *result = json_incref(json_object_get(message, "result"));
            if (!result)
                fail_msg("%s: %s", method, json_dumps(message, 0));
            json_decref(message);
            return result;
        }
        browser_note(message);
        json_decref(message);
    }
}

static inline void browser_do(const char *method, json_t *parameters)
{
    json_decref(browser_call(method, parameters));
}

/* What an expression of JavaScript is, there; promises are waited for. */
static inline json_t *browser_evaluate(const char *expression)
{
    json_t *result =
        browser_call("Runtime.evaluate", json_pack("{s:s, s:b, s:b}", "expression", expression,
                                                   "returnByValue", true, "awaitPromise", true));
    if (json_object_get(result, "exceptionDetails"))
        fail_msg("%s: %s", expression, json_dumps(result, 0));
    json_t *value = json_incref(json_object_get(json_object_get(result, "result"), "value"));
    json_decref(result);
    return value;
}

static inline double browser_number(const char *expression)
{
    json_t *value = browser_evaluate(expression);
    double number = json_is_true(value) ? 1 : json_number_value(value);
    json_decref(value);
    return number;
}

/* Seconds until an expression is true. */
static inline double browser_wait(const char *expression, double most)
{
    double start = browser_clock();
    while (browser_number(expression) == 0) {
        if (browser_clock() - start > most)
            fail_msg("not within %g seconds: %s; complaints: %s; page: %s", most, expression,
                     json_dumps(browser.complaints, JSON_COMPACT),
                     json_dumps(browser_evaluate("document.body.innerText"), JSON_ENCODE_ANY));
        usleep(20000);
    }
    return browser_clock() - start;
}

static inline void browser_start(void)
{
    int to[2], from[2];
    static char profile[PATH_MAX + 32];
    snprintf(profile, sizeof profile, "--user-data-dir=%s", at("browser"));
    browser = (struct browser){.complaints = json_array()};
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    browser.process = fork();
    if (browser.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        int null = open("/dev/null", O_RDWR);
        dup2(null, 0);
        dup2(null, 1);
        dup2(null, 2);
        int in = fcntl(to[0], F_DUPFD, 10), out = fcntl(from[1], F_DUPFD, 10);
        dup2(in, 3);
        dup2(out, 4);
        close(in);
        close(out);
        setpgid(0, 0);
        execl(browser_program(), "chromium", "--headless", "--no-sandbox", "--disable-gpu",
              "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--hide-scrollbars",
              "--no-first-run", "--disable-background-networking", "--disable-extensions", profile,
              "--remote-debugging-pipe", "about:blank", (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    browser.to = to[1];
    browser.from = from[0];
    json_t *made = browser_call("Target.createTarget", json_pack("{s:s}", "url", "about:blank"));
    json_t *joined = browser_call(
        "Target.attachToTarget",
        json_pack("{s:O, s:b}", "targetId", json_object_get(made, "targetId"), "flatten", true));
    browser.session = strdup(json_string_value(json_object_get(joined, "sessionId")));
    json_decref(made);
    json_decref(joined);
    browser_do("Runtime.enable", NULL);
    browser_do("Log.enable", NULL);
    browser_do("Page.enable", NULL);
}

/* A window of this size, dark or light. */
static inline void browser_look(int width, int height, bool dark)
{
    browser_do("Emulation.setDeviceMetricsOverride",
               json_pack("{s:i, s:i, s:i, s:b}", "width", width, "height", height,
                         "deviceScaleFactor", 1, "mobile", false));
    browser_do("Emulation.setEmulatedMedia",
               json_pack("{s:[{s:s, s:s}]}", "features", "name", "prefers-color-scheme", "value",
                         dark ? "dark" : "light"));
}

static inline void browser_open(const char *url)
{
    browser_do("Page.navigate", json_pack("{s:s}", "url", url));
}

/* One more page, beside the first. */
static inline void browser_open_another(const char *url)
{
    char *session = browser.session;
    browser.session = NULL;
    browser_do("Target.createTarget", json_pack("{s:s}", "url", url));
    browser.session = session;
}

static inline void browser_key(const char *key, const char *text)
{
    static const char *const types[] = {"keyDown", "keyUp"};
    for (int i = 0; i < 2; i++) {
        json_t *parameters =
            json_pack("{s:s, s:s, s:s}", "type", types[i], "key", key, "code", key);
        if (text && i == 0)
            json_object_set_new(parameters, "text", json_string(text));
        browser_do("Input.dispatchKeyEvent", parameters);
    }
}

static inline void browser_point(double x, double y)
{
    browser_do("Input.dispatchMouseEvent",
               json_pack("{s:s, s:f, s:f}", "type", "mouseMoved", "x", x, "y", y));
}

/* The page, or its window, as a PNG. */
static inline void browser_shoot(const char *path, bool whole)
{
    json_t *shot =
        browser_call("Page.captureScreenshot",
                     json_pack("{s:s, s:b}", "format", "png", "captureBeyondViewport", whole));
    const char *text = json_string_value(json_object_get(shot, "data"));
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    unsigned bits = 0;
    int count = 0;
    for (; text && *text && *text != '='; text++) {
        bits = bits << 6 | (unsigned)(strchr(digits, *text) - digits);
        if ((count += 6) >= 8)
            fputc((int)(bits >> (count -= 8) & 255), file);
    }
    fclose(file);
    json_decref(shot);
}

static inline void browser_end(void)
{
    if (browser.process > 0) {
        kill(-browser.process, SIGKILL);
        kill(browser.process, SIGKILL);
        waitpid(browser.process, NULL, 0);
    }
    close(browser.to);
    close(browser.from);
    json_decref(browser.complaints);
    free(browser.session);
    free(browser.text);
    browser = (struct browser){0};
}

#endif
