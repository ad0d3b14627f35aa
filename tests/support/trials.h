/* What tests of the program in a hostile system share: commands in a folder of their own, under the
 * library of failing calls, and whether what they leave is what they should. */
#ifndef WAC_TESTS_SUPPORT_TRIALS_H
#define WAC_TESTS_SUPPORT_TRIALS_H

#include "support/failing_calls.h"
#include "support/small_sweeps.h"

#include <jansson.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>

/* A command, in a folder of its own. */
typedef struct command {
    const char *name;
    const char *before[4]; /* what has been done there already */
    const char *words;
    const char *run; /* that it makes, to be resumed; null: the command is repeated */
} command;

#define RUN "train riverswim " SMALL " --epochs 1 --out run"
#define MODEL "train point-1 " SMALL " --epochs 1 --out run"
#define SWEEP "sweep sweep.yaml --out runs --workers 2"

enum { SECONDS = 120 }; /* that a command may take */

static failing_order *order; /* shared with the program */

/* --- the program -------------------------------------------------------------------------------*/

/* A folder to work in, as `like` is, or as every command finds it. */
static inline void make_work(const char *like)
{
    remove_folder(at("work"));
    if (like) {
        char from[PATH_MAX], to[PATH_MAX];
        pid_t child; /* no fork, which copies tables of all memory that a sanitizer has here */
        snprintf(from, sizeof from, "%s", like);
        snprintf(to, sizeof to, "%s", at("work"));
        char *words[] = {"cp", "-a", from, to, NULL};
        assert_int_equal(posix_spawnp(&child, "cp", NULL, NULL, words, environ), 0);
        assert_int_equal(status_of(child), 0);
        return;
    }
    assert_ok(wac_directory_make(at("work"), &error));
    save_text(at("work/my.yaml"), "environment: lqg\nalgorithm: sac\nepochs: 1\nwidth: 16\n"
                                  "batch_size: 16\ninitial_steps: 30\nexplore_steps: 40\n"
                                  "updates: 15\nevaluation_steps: 60\npath_limit: 25\n"
                                  "replay_capacity: 1000\n");
    save_text(at("work/sweep.yaml"), "environments: [lqg]\nalgorithms: [sac, oe-wac]\nseeds: 2\n"
                                     "settings: {epochs: 1, " SMALL_RUNS "}\n");
    save_text(at("work/begun.yaml"), "environments: [lqg]\nalgorithms: [sac]\n"
                                     "settings: {epochs: 1, " SMALL_RUNS "}\n");
    save_text(at("work/more.yaml"), "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\n"
                                    "settings: {epochs: 2, " SMALL_RUNS "}\n");
    save_text(at("work/model.yaml"), "environments: [point-1]\nalgorithms: [sac]\nseeds: 2\n"
                                     "settings: {epochs: 1, " SMALL_RUNS "}\n");
    save_text(at("work/tune.yaml"),
              "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\nsamples: 2\n"
              "settings: {epochs: 1, " SMALL_RUNS ", discount: {from: 0.1, to: 0.9}}\n");
    save_text(at("work/foreign.csv"), "run,algorithm,environment,seed,step,value\n"
                                      "a,theirs,lqg,1,0,-3\na,theirs,lqg,1,40,-2\n"
                                      "b,theirs,lqg,2,0,-4\nb,theirs,lqg,2,40,-1\n");
}

static int starts = -1;  /* where the program waits for orders to start */
static bool is_recorded; /* its calls are noted in the file `record` */

/* In the child. */
static inline void become_starter(int orders)
{
    char path[PATH_MAX + 4096], leaks[PATH_MAX + 64], number[16];
    snprintf(path, sizeof path, "%s:%s", at("bin"), getenv("PATH"));
    setenv("PATH", path, 1);
    setenv("TMPDIR", at("tmp"), 1);
    setenv("WAC_FAILING_CALLS", at("order"), 1);
    snprintf(number, sizeof number, "%d", orders);
    setenv("WAC_STARTS", number, 1);
    setenv("ASAN_OPTIONS", "verify_asan_link_order=0:exitcode=99:allocator_may_return_null=1", 1);
    setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1", 1);
    /* MuJoCo loses what it has so far of a simulation, libyaml what it has of a document, when
     * memory lacks for the rest */
    snprintf(leaks, sizeof leaks, "suppressions=%s:print_suppressions=0", at("leaks"));
    setenv("LSAN_OPTIONS", leaks, 1);
    setenv("LD_PRELOAD", WAC_FAILING_CALLS, 1);
    execl(WAC_PROGRAM, WAC_PROGRAM, (char *)NULL);
    _exit(127);
}

static inline void start_starter(void)
{
    int ends[2];
    save_text(at("leaks"), "leak:mju_malloc\nleak:yaml_parser_load\n");
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    assert_int_equal(fcntl(ends[0], F_SETFD, FD_CLOEXEC), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        become_starter(ends[1]);
    close(ends[1]);
    starts = ends[0];
}

/* `wac WORDS` in the folder of work, under the orders. */
static inline const outcome *run_program(const char *words)
{
    static outcome result;
    static failing_start start;
    int status;
    if (starts < 0)
        start_starter();
    for (int i = 0; i < FAILING_TOTAL; i++)
        atomic_store(&order->calls[i], 0);
    atomic_store(&order->struck, 0);
    snprintf(start.folder, sizeof start.folder, "%s", at("work"));
    snprintf(start.out, sizeof start.out, "%s", at(".out"));
    snprintf(start.err, sizeof start.err, "%s", at(".err"));
    snprintf(start.record, sizeof start.record, "%s", is_recorded ? at("record") : "");
    snprintf(start.words, sizeof start.words, "%s", words);
    start.seconds = SECONDS;
    assert_int_equal(send(starts, &start, sizeof start, MSG_NOSIGNAL), sizeof start);
    assert_int_equal(recv(starts, &status, sizeof status, 0), sizeof status);
    result.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
    read_back(result.out, sizeof result.out, at(".out"));
    read_back(result.err, sizeof result.err, at(".err"));
    return &result;
}

static inline const outcome *run_in_peace(const char *words)
{
    order->at = 0;
    return run_program(words);
}

/* --- what is left ------------------------------------------------------------------------------*/

static inline bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* What two manifests of the same run share. */
static inline json_t *read_manifest(const char *path)
{
    json_t *manifest = json_load_file(path, 0, NULL),
           *machine = json_object_get(manifest, "machine");
    json_object_del(machine, "processor"); /* a nicety */
    json_object_set_new(manifest, "seconds", json_null());
    return manifest;
}

static inline bool same_manifest(const char *a, const char *b)
{
    json_t *one = read_manifest(a), *two = read_manifest(b);
    bool same = one && json_equal(one, two);
    json_decref(one);
    json_decref(two);
    return same;
}

/* All names below a folder but those of writes that were cut off. */
static inline char *whole_names(const char *directory, int *cut)
{
    char *names = names_below(directory, NULL), *to = names;
    *cut = 0;
    for (char *line = names; *line;) {
        size_t length = strcspn(line, "\n") + 1;
        bool is_cut = memmem(line, length, ".tmp", 4) != NULL;
        *cut += is_cut;
        if (!is_cut)
            to = (char *)memmove(to, line, length) + length;
        line += length;
    }
    *to = 0;
    return names;
}

static inline bool same_contents(const char *a, const char *b, bool exactly)
{
    if (!exactly && ends_with(a, "manifest.json"))
        return same_manifest(a, b);
    return same_file(a, b, !exactly && ends_with(a, "progress.csv"));
}

/* What differs between two folders, or null. Unless they shall be equal exactly, times may differ.
 */
static inline const char *difference_below(const char *whole, const char *work, bool exactly,
                                           bool may_leave)
{
    static char what[PATH_MAX];
    int cut, none;
    char *names = whole_names(whole, &none), *here = whole_names(work, &cut);
    bool same = strcmp(names, here) == 0;
    size_t equal = 0; /* up to the first line that differs */
    for (size_t i = 0; names[i] && names[i] == here[i]; i++)
        equal = names[i] == '\n' ? i + 1 : equal;
    snprintf(what, sizeof what, "the list of files, %.*s instead of %.*s",
             (int)strcspn(here + equal, "\n"), here + equal, (int)strcspn(names + equal, "\n"),
             names + equal);
    if (same && cut && !may_leave) {
        snprintf(what, sizeof what, "what is left behind");
        same = false;
    }
    free(here);
    char *place;
    for (char *name = strtok_r(names, "\n", &place); same && name;
         name = strtok_r(NULL, "\n", &place)) {
        char one[2 * PATH_MAX], two[2 * PATH_MAX];
        struct stat about;
        snprintf(what, sizeof what, "%s", name);
        snprintf(one, sizeof one, "%s%s", whole, name);
        snprintf(two, sizeof two, "%s%s", work, name);
        if (stat(one, &about) != 0 || !S_ISREG(about.st_mode))
            continue;
        same = same_contents(one, two, exactly);
    }
    free(names);
    return same ? NULL : what;
}

static inline uint64_t hash_on(uint64_t hash, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211UL;
    return hash;
}

static inline uint64_t hash_file(uint64_t hash, const char *path)
{
    size_t size;
    char *bytes = contents(path, &size), *manifest = NULL;
    if (ends_with(path, "progress.csv")) {
        forget_seconds(bytes);
        size = strlen(bytes);
    } else if (ends_with(path, "manifest.json")) {
        json_t *read = read_manifest(path);
        manifest = read ? json_dumps(read, JSON_SORT_KEYS) : NULL;
        json_decref(read);
    }
    hash = manifest ? hash_on(hash, manifest, strlen(manifest)) : hash_on(hash, bytes, size);
    free(manifest);
    free(bytes);
    return hash;
}

/* What lies below a folder, but for times, as a number; 0: writes that were cut off are there. */
static inline uint64_t state_of(const char *folder)
{
    int cut;
    char *names = whole_names(folder, &cut), *place;
    uint64_t hash = hash_on(14695981039346656037UL, names, strlen(names));
    for (char *name = strtok_r(names, "\n", &place); !cut && name;
         name = strtok_r(NULL, "\n", &place)) {
        char path[2 * PATH_MAX];
        struct stat about;
        snprintf(path, sizeof path, "%s%s", folder, name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            hash = hash_file(hash, path);
    }
    free(names);
    return cut ? 0 : hash;
}

/* --- trials ------------------------------------------------------------------------------------*/

/* The folders `start`, as the command finds it, and `whole`, as it should leave it. */
static inline void make_reference(const command *command, outcome *reference)
{
    remove_folder(at("start"));
    remove_folder(at("whole"));
    make_work(NULL);
    order->time = 1000000000; /* a run keeps the time of its beginning */
    for (int i = 0; i < 4 && command->before[i]; i++)
        assert_done(run_in_peace(command->before[i]));
    assert_int_equal(rename(at("work"), at("start")), 0);
    make_work(at("start"));
    order->time = 1100000000;
    *reference = *run_in_peace(command->words);
    assert_done(reference);
    assert_int_equal(rename(at("work"), at("whole")), 0);
}

/* The same command again, or a resume of what it made, in peace. */
static inline const outcome *go_on(const command *command)
{
    char words[PATH_MAX];
    if (!command->run || access(at("work/%s", command->run), F_OK) != 0)
        return run_in_peace(command->words);
    snprintf(words, sizeof words, "train --resume %s", command->run);
    return run_in_peace(words);
}

static inline int prepare_trials(void **state)
{
    if (setup(state) != 0)
        return -1;
    assert_ok(wac_directory_make(at("tmp"), &error));
    assert_ok(wac_directory_make(at("bin"), &error));
    save_text(at("bin/gnuplot"), "#!/bin/sh\necho drawn >picture\n");
    assert_int_equal(chmod(at("bin/gnuplot"), 0755), 0);
    int file = open(at("order"), O_RDWR | O_CREAT, 0600);
    assert_true(file >= 0 && ftruncate(file, sizeof *order) == 0);
    order = mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return order == MAP_FAILED ? -1 : 0;
}

/* --- what is wanted ----------------------------------------------------------------------------*/

static const char *wanted[3];    /* the words of the command line */
static size_t share, shares = 1; /* only every so many-th trial */

/* True for "WORD" or "WORD I N": all of them, or share I (from 0) of N. */
static inline bool wants(const char *word)
{
    bool wants = wanted[0] && strcmp(wanted[0], word) == 0;
    if (wants && wanted[2]) {
        share = (size_t)atol(wanted[1]);
        shares = (size_t)atol(wanted[2]);
        assert_true(shares > 0);
    }
    return wants;
}

static inline int run_trials(int argc, char **argv, const struct CMUnitTest *test)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc && i <= 3; i++)
        wanted[i - 1] = argv[i];
    const struct CMUnitTest tests[] = {*test};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
