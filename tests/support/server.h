/* `wac watch` as a process of a test's own. */
#ifndef WAC_TESTS_SUPPORT_SERVER_H
#define WAC_TESTS_SUPPORT_SERVER_H

#include "support/program.h"

#include <signal.h>
#include <sys/prctl.h>

typedef struct server {
    pid_t process;
    char url[256]; /* "http://127.0.0.1:34567/" */
    int port;
} server;

/* Whether the part that talks HTTP was built. */
static inline bool has_server(void)
{
    char path[] = WAC_PROGRAM, *slash = strrchr(path, '/'), plugin[sizeof path + 16];
    *slash = 0;
    snprintf(plugin, sizeof plugin, "%s/wac_http.so", path);
    return access(plugin, R_OK) == 0;
}

/* Start `wac watch WORDS`, which finds a port that is free; waits for its address. */
__attribute__((format(printf, 1, 2))) static inline server serve(const char *format, ...)
{
    static char words[4096];
    server made = {0};
    va_list arguments;
    int used = sprintf(words, "watch ");
    va_start(arguments, format);
    vsnprintf(words + used, sizeof words - (size_t)used, format, arguments);
    va_end(arguments);
    unlink(at(".out"));
    made.process = fork_with_files();
    if (made.process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
        become_program(words);
    }
    for (int i = 0; i < 2000 && !strchr(made.url, '\n'); i++) {
        usleep(10000);
        if (access(at(".out"), R_OK) == 0)
            read_back(made.url, sizeof made.url, at(".out"));
    }
    char *end = strchr(made.url, '\n');
    if (!end)
        fail_msg("no address: %s", contents(at(".err"), NULL));
    *end = 0;
    made.port = atoi(strrchr(made.url, ':') + 1);
    return made;
}

/* Someone who goes on with a run, quietly and for longer than a test takes. */
static inline pid_t train_for_long(const char *run)
{
    pid_t trainer = fork();
    if (trainer == 0) {
        char words[512];
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        dup2(null, 2);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        snprintf(words, sizeof words, "train --resume %s --epochs 1000000", run);
        become_program(words);
    }
    return trainer;
}

/* Ask it to end: it does so well. */
static inline void end_server(const server *server)
{
    kill(server->process, SIGTERM);
    assert_int_equal(status_of(server->process), 0);
}

#endif
