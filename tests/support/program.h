/* What the tests of the program share: running it, and what it said. */
#ifndef WAC_TESTS_SUPPORT_PROGRAM_H
#define WAC_TESTS_SUPPORT_PROGRAM_H

#include "support/small_runs.h"

#include <fcntl.h>
#include <sys/resource.h>

/* settings of a run of milliseconds */
#define SMALL                                                                                      \
    "--width 16 --batch-size 16 --initial-steps 30 --explore-steps 40 --updates 15 "               \
    "--evaluation-steps 60 --path-limit 25 --replay-capacity 1000"

typedef struct outcome {
    int status; /* of its exit, or minus the signal that ended it */
    char out[16384], err[16384];
} outcome;

static rlim_t file_limit = RLIM_INFINITY;

/* fork(); what the child says goes to the files .out and .err. */
static inline pid_t fork_with_files(void)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (child == 0 &&
        (dup2(open(at(".out"), flags, 0666), 1) < 0 || dup2(open(at(".err"), flags, 0666), 2) < 0))
        _exit(126);
    return child;
}

/* In the child: become `wac WORDS`, split at spaces. */
static inline void become_program(char *words)
{
    char *arguments[64] = {WAC_PROGRAM}, *place;
    int count = 1;
    for (char *word = strtok_r(words, " ", &place); word; word = strtok_r(NULL, " ", &place))
        arguments[count++] = word;
    if (file_limit != RLIM_INFINITY)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){file_limit, file_limit});
    execv(WAC_PROGRAM, arguments);
    _exit(127);
}

static inline void read_back(char *text, size_t size, const char *path)
{
    char *bytes = contents(path, NULL);
    snprintf(text, size, "%s", bytes);
    free(bytes);
}

__attribute__((format(printf, 1, 2))) static inline const outcome *wac(const char *format, ...)
{
    static outcome result;
    static char words[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    pid_t child = fork_with_files();
    if (child == 0)
        become_program(words);
    result.status = status_of(child);
    read_back(result.out, sizeof result.out, at(".out"));
    read_back(result.err, sizeof result.err, at(".err"));
    return &result;
}

/* One sentence on stderr with this in it, nothing on stdout, this exit status. */
static inline void assert_says(const outcome *result, int status, const char *words)
{
    const char *end = strchr(result->err, '\n');
    if (result->status != status || !strstr(result->err, words) ||
        strncmp(result->err, "wac: ", 5) != 0 || !end || end[1] || result->out[0])
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", result->status, result->err, status,
                 words);
}

static inline void assert_done(const outcome *result)
{
    if (result->status != 0)
        fail_msg("status %d: %s", result->status, result->err);
}

#endif
