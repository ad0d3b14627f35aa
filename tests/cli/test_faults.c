/* The program where the system fails it: one call after another fails, of every kind, once and from
 * then on. The program ends by itself and with a sentence, leaves nothing behind that it took, and
 * loses nothing: the same command again, or a resume, ends in the same bytes as if nothing had
 * been.
 *
 *     test_faults                     a sample
 *     test_faults whole [I N]         every call, or share I (from 0) of N (make test-faults)
 *     test_faults NAME [KIND [CALL]]  one command, one kind, one call of it
 */
#include "support/failing_calls.h"
#include "support/small_sweeps.h"

#include <jansson.h>
#include <sys/mman.h>

enum {
    SANITIZER = 99, /* the status by which a sanitizer ends a program */
    SECONDS = 120,  /* that a command may take */
    TRIALS = 2,     /* calls of a command and kind in a sample */
};

#define NAME(id, name, code) name,
static const char *const kinds[FAILING_TOTAL] = {FAILING_KINDS(NAME)};
#undef NAME

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
#define RECORDED WAC_SOURCE_DIR "/tests/recorded/"

static const command commands[] = {
    {"train", {0}, "train riverswim " SMALL " --epochs 2 --threads 2 --out run", "run"},
    {"train-file", {0}, "train --config my.yaml --out run", "run"},
    {"train-model", {0}, MODEL, "run"},
    {"resume", {RUN}, "train --resume run --epochs 2 --threads 2", NULL},
    {"resume-model", {MODEL}, "train --resume run --epochs 2", NULL},
    {"sweep", {0}, "sweep sweep.yaml --out runs --workers 1", NULL},
    {"sweep-on",
     {"sweep begun.yaml --out runs --workers 1"},
     "sweep more.yaml --out runs --workers 1",
     NULL},
    {"sweep-model", {0}, "sweep model.yaml --out runs --workers 1", NULL},
    {"sweep-list",
     {"sweep begun.yaml --out runs --workers 1"},
     "sweep more.yaml --out runs --dry-run",
     NULL},
    {"sweep-slurm", {0}, "sweep sweep.yaml --out runs --slurm", NULL},
    {"tune", {0}, "tune tune.yaml --out runs --workers 1", NULL},
    {"report", {SWEEP}, "report runs", NULL},
    {"report-table", {SWEEP}, "report runs foreign.csv --out report --csv all.csv", NULL},
    {"stats", {SWEEP}, "stats runs foreign.csv --json", NULL},
    {"pack", {SWEEP}, "pack runs --out packed.tar.xz", NULL},
    {"stats-packed", {SWEEP, "pack runs --out packed.tar.xz"}, "stats packed.tar.xz", NULL},
    {"check", {SWEEP}, "check runs", NULL},
    {"evaluate", {RUN}, "evaluate run", NULL},
    {"evaluate-model", {MODEL}, "evaluate run", NULL},
    {"render", {RUN}, "render run", NULL},
    {"render-model", {MODEL}, "render run", NULL},
    {"config", {0}, "config riverswim --yaml", NULL},
    {"envs", {0}, "envs", NULL},
    {"experiments", {0}, "reproduce", NULL},
    {"verify", {0}, "verify update " RECORDED "oe_wac_1d.safetensors --threads 2", NULL},
    {"verify-env", {0}, "verify env lqg " RECORDED "lqg.csv", NULL},
    {"help", {0}, "help train", NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static failing_order *order; /* shared with the program */

/* --- the program -------------------------------------------------------------------------------*/

/* A folder to work in, as `like` is, or as every command finds it. */
static void make_work(const char *like)
{
    remove_folder(at("work"));
    if (like) {
        pid_t child = fork();
        if (child == 0) {
            execlp("cp", "cp", "-a", like, at("work"), (char *)NULL);
            _exit(127);
        }
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

/* `wac WORDS` in the folder of work, under the orders. */
static const outcome *run_program(const char *words)
{
    static outcome result;
    char copy[8192], path[PATH_MAX + 4096];
    snprintf(copy, sizeof copy, "%s", words);
    for (int i = 0; i < FAILING_TOTAL; i++)
        atomic_store(&order->calls[i], 0);
    atomic_store(&order->struck, 0);
    pid_t child = fork_with_files();
    if (child == 0) {
        if (chdir(at("work")) != 0)
            _exit(126);
        snprintf(path, sizeof path, "%s:%s", at("bin"), getenv("PATH"));
        setenv("PATH", path, 1);
        setenv("TMPDIR", at("tmp"), 1);
        setenv("WAC_FAILING_CALLS", at("order"), 1);
        setenv("ASAN_OPTIONS", "verify_asan_link_order=0:exitcode=99:allocator_may_return_null=1",
               1);
        setenv("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1", 1);
        setenv("LD_PRELOAD", WAC_FAILING_CALLS, 1);
        alarm(SECONDS);
        become_program(copy);
    }
    result.status = status_of(child);
    read_back(result.out, sizeof result.out, at(".out"));
    read_back(result.err, sizeof result.err, at(".err"));
    return &result;
}

static const outcome *run_in_peace(const char *words)
{
    order->at = 0;
    return run_program(words);
}

/* --- what is left ------------------------------------------------------------------------------*/

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

/* What two manifests of the same run share. */
static json_t *read_manifest(const char *path)
{
    json_t *manifest = json_load_file(path, 0, NULL),
           *machine = json_object_get(manifest, "machine");
    json_object_del(machine, "processor"); /* a nicety */
    json_object_set_new(manifest, "seconds", json_null());
    return manifest;
}

static bool same_manifest(const char *a, const char *b)
{
    json_t *one = read_manifest(a), *two = read_manifest(b);
    bool same = one && json_equal(one, two);
    json_decref(one);
    json_decref(two);
    return same;
}

/* All names below a folder but those of writes that were cut off. */
static char *whole_names(const char *directory, int *cut)
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

static bool same_contents(const char *a, const char *b, bool exactly)
{
    if (!exactly && ends_with(a, "manifest.json"))
        return same_manifest(a, b);
    return same_file(a, b, !exactly && ends_with(a, "progress.csv"));
}

/* What differs between two folders, or null. Unless they shall be equal exactly, times may differ.
 */
static const char *difference_below(const char *whole, const char *work, bool exactly,
                                    bool may_leave)
{
    static char what[PATH_MAX];
    int cut, none;
    char *names = whole_names(whole, &none), *here = whole_names(work, &cut);
    bool same = strcmp(names, here) == 0;
    snprintf(what, sizeof what, "the list of files");
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

/* --- trials ------------------------------------------------------------------------------------*/

typedef struct trial {
    const command *command;
    const outcome *reference; /* how it ends in peace */
    failing_kind kind;
    long call;
    bool on; /* all after it fail, too */
} trial;

static struct {
    long trials, failed, problems;
    int share, shares; /* only every so many-th trial */
} total = {.shares = 1};

static void complain(const trial *trial, const char *what, const outcome *result)
{
    total.problems++;
    print_error("%s, call %ld%s of %s: %s; status %d\n%s\n", trial->command->name, trial->call,
                trial->on ? " and all after it" : "", kinds[trial->kind], what, result->status,
                result->err);
}

/* What is wrong with how it failed; null: nothing. */
static const char *judge_failure(const trial *trial, const outcome *result)
{
    if (atomic_load(&order->struck) == 0)
        return "failed though nothing did";
    if (result->status < 0)
        return "ended by a signal";
    if (result->status == SANITIZER)
        return "the sanitizer found something";
    if (result->status != 1 && result->status != 2)
        return "a status that means nothing";
    const char *line = strstr(result->err, "wac: ");
    if (!line || (line != result->err && line[-1] != '\n') || strlen(line) < 20)
        return "no sentence";
    if (trial->kind == FAILING_MEMORY && !strcasestr(result->err, "memory"))
        return "the sentence does not say that memory ran out";
    if (strstr(result->err, "(null)") || strstr(result->err, "Success"))
        return "the sentence has no reason";
    return NULL;
}

/* What is wrong with how it was done; null: nothing. */
static const char *judge_success(const trial *trial, const outcome *result, bool may_leave)
{
    return strcmp(result->out, trial->reference->out) != 0
               ? "done, but it said something else"
               : difference_below(at("whole"), at("work"), false, may_leave);
}

/* What a removal needs may be what failed. */
static bool may_leave(const trial *trial)
{
    static const failing_kind needed[] = {FAILING_REMOVE, FAILING_LIST, FAILING_LOOK, FAILING_OPEN,
                                          FAILING_MEMORY};
    bool may = trial->on;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        may = may || trial->kind == needed[i];
    return may;
}

static void check_temporary(const trial *trial, const outcome *result)
{
    if (entries(at("tmp")) == 0)
        return;
    if (!may_leave(trial))
        complain(trial, "a temporary folder is left", result);
    remove_folder(at("tmp"));
    assert_ok(wac_directory_make(at("tmp"), &error));
}

/* The same command again, or a resume of what it made, in peace. */
static const outcome *go_on(const command *command)
{
    char words[PATH_MAX];
    if (!command->run || access(at("work/%s", command->run), F_OK) != 0)
        return run_in_peace(command->words);
    snprintf(words, sizeof words, "train --resume %s", command->run);
    return run_in_peace(words);
}

static void try_once(const trial *trial)
{
    static const command *last;
    static bool untouched; /* the folder of work */
    if (trial->command != last || !untouched)
        make_work(at("start"));
    last = trial->command;
    order->kind = trial->kind;
    order->at = trial->call;
    order->on = trial->on;
    const outcome *result = run_program(trial->command->words);
    total.trials++;
    bool failed = result->status != 0;
    const char *problem =
        failed ? judge_failure(trial, result) : judge_success(trial, result, may_leave(trial));
    total.failed += failed;
    if (problem)
        complain(trial, problem, result);
    check_temporary(trial, result);
    untouched = !difference_below(at("start"), at("work"), true, false);
    if (!failed || untouched)
        return;
    result = go_on(trial->command);
    problem = result->status ? "it cannot go on afterwards"
                             : judge_success(trial, result, may_leave(trial));
    if (problem)
        complain(trial, problem, result);
}

/* As it should be; the calls are counted. */
static void make_reference(const command *command, outcome *reference, long calls[FAILING_TOTAL])
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
    for (int i = 0; i < FAILING_TOTAL; i++)
        calls[i] = atomic_load(&order->calls[i]);
    assert_int_equal(rename(at("work"), at("whole")), 0);
}

/* only_kind null, only_call 0: all of them, or a sample. */
static void try_command(const command *command, const char *only_kind, long only_call, bool all)
{
    static outcome reference;
    long calls[FAILING_TOTAL], number = 0;
    make_reference(command, &reference, calls);
    for (failing_kind kind = 0; kind < FAILING_TOTAL; kind++) {
        if (only_kind && strcmp(only_kind, kinds[kind]) != 0)
            continue;
        long step = all ? 1 : (calls[kind] + TRIALS - 1) / TRIALS, before = total.problems;
        for (int on = 0; on < 2; on++)
            for (long call = 1; call <= calls[kind]; call += step)
                if ((!only_call || call == only_call) && number++ % total.shares == total.share)
                    try_once(&(trial){command, &reference, kind, call, on});
        if (all && calls[kind])
            print_message("%s: %ld calls of %s, %ld problems\n", command->name, calls[kind],
                          kinds[kind], total.problems - before);
    }
}

/* --- the whole ---------------------------------------------------------------------------------*/

static const char *wanted[4]; /* the words of the command line */

static int prepare(void **state)
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

static void nothing_is_lost_where_calls_fail(void **state)
{
    (void)state;
    bool whole = wanted[0] && strcmp(wanted[0], "whole") == 0;
    const char *name = whole ? NULL : wanted[0], *kind = whole ? NULL : wanted[1];
    long call = kind && wanted[2] ? atol(wanted[2]) : 0;
    if (whole && wanted[2]) {
        total.share = atoi(wanted[1]);
        total.shares = atoi(wanted[2]);
        assert_true(total.shares > 0);
    }
    for (int i = 0; i < COMMANDS; i++)
        if ((!name || strcmp(name, commands[i].name) == 0) &&
            (WAC_MUJOCO || !strstr(commands[i].name, "model")))
            try_command(&commands[i], kind, call, wanted[0]);
    print_message("%ld trials, %ld of them failed; %ld problems\n", total.trials, total.failed,
                  total.problems);
    assert_int_equal(total.problems, 0);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 1; i < argc && i <= 3; i++)
        wanted[i - 1] = argv[i];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_lost_where_calls_fail, prepare, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
