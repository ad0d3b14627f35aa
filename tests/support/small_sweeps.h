/* What the tests of sweeps share: a small sweep, and the comparison of two directories. */
#ifndef WAC_TESTS_SUPPORT_SMALL_SWEEPS_H
#define WAC_TESTS_SUPPORT_SMALL_SWEEPS_H

#include "support/program.h"

#include "sweep/execute.h"
#include "sweep/file.h"

#include <fts.h>
#include <signal.h>
#include <time.h>

/* settings of runs of milliseconds */
#define SMALL_RUNS                                                                                 \
    "width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40, updates: 15, "               \
    "evaluation_steps: 60, path_limit: 25, replay_capacity: 1000"

/* six of them */
#define SMALL_SWEEP(epochs)                                                                        \
    "environments: [lqg]\nalgorithms: [sac, oe-wac]\nseeds: 2\n"                                   \
    "settings: {epochs: " epochs ", " SMALL_RUNS "}\noe-wac: {lambda: [0, 0.5]}\n"

/* a search with halving: twice as many runs as samples */
#define SMALL_TUNE(samples)                                                                        \
    "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\nlast: 2\nsamples: " samples                 \
    "\nhalving: 3\nsettings: {epochs: 9, " SMALL_RUNS ", discount: {from: 0.1, to: 0.9}}\n"

static inline int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* All names below a directory, one a line; `except` is left out (null: nothing). free() it. */
static inline char *names_below(const char *directory, const char *except)
{
    char *roots[] = {(char *)directory, NULL}, *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    assert_true(stream && tree);
    for (FTSENT *entry; (entry = fts_read(tree));)
        if (entry->fts_info != FTS_DP && !(except && strcmp(entry->fts_name, except) == 0))
            fprintf(stream, "%s\n", entry->fts_path + strlen(directory));
    fts_close(tree);
    fclose(stream);
    return text;
}

/* The same names in both, and the same bytes in every run. */
static inline void assert_same_sweeps(const char *a, const char *b, const wac_sweep *sweep)
{
    char *names[2] = {names_below(a, "sweep.slurm"), names_below(b, "sweep.slurm")};
    size_t same = 0;
    while (names[0][same] && names[0][same] == names[1][same])
        same++;
    if (names[0][same] || names[1][same])
        fail_msg("%s and %s hold other files, from …%.80s and …%.80s on", a, b,
                 names[0] + (same > 40 ? same - 40 : 0), names[1] + (same > 40 ? same - 40 : 0));
    free(names[0]);
    free(names[1]);
    for (size_t i = 0; i < sweep->count; i++) {
        char paths[2][PATH_MAX];
        assert_ok(wac_path_join(paths[0], PATH_MAX, a, sweep->runs[i].folder, &error));
        assert_ok(wac_path_join(paths[1], PATH_MAX, b, sweep->runs[i].folder, &error));
        assert_same_runs(paths[0], paths[1]);
    }
    char lists[2][PATH_MAX];
    assert_ok(wac_path_join(lists[0], PATH_MAX, a, "sweep.yaml", &error));
    assert_ok(wac_path_join(lists[1], PATH_MAX, b, "sweep.yaml", &error));
    assert_true(same_file(lists[0], lists[1], false));
}

static inline wac_sweep parse(const char *text)
{
    wac_sweep sweep;
    assert_ok(wac_sweep_parse(&sweep, NULL, text, strlen(text), "file", &error));
    return sweep;
}

/* Start `wac WORDS` in a process group of its own, to be struck; its words go to .out and .err. No
 * search for leaks at its end: that is done by a child, and whoever kills it lets the parent wait
 * for ever. */
__attribute__((format(printf, 1, 2))) static inline pid_t start_wac(const char *format, ...)
{
    char words[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    pid_t child = fork_with_files();
    if (child == 0) {
        setpgid(0, 0);
        setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
        become_program(words);
    }
    setpgid(child, child);
    return child;
}

static inline void wait_ms(double milliseconds)
{
    long whole = (long)(milliseconds * 1e6);
    nanosleep(&(struct timespec){whole / 1000000000, whole % 1000000000}, NULL);
}

/* A child of a process, or 0. */
static inline pid_t child_of(pid_t process)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
    int file = open(path, O_RDONLY);
    ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
    if (file >= 0)
        close(file);
    return size > 0 ? (pid_t)atol(text) : 0;
}

#endif
