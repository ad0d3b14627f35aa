/* The program where the system fails it: one call after another fails, of every kind, once and from
 * then on. The program ends by itself and with a sentence, leaves nothing behind that it took, and
 * loses nothing: the same command again, or a resume, ends in the same bytes as if nothing had
 * been.
 *
 *     test_faults                    a sample
 *     test_faults whole [I N]        from every place that calls come from the first and the last
 *                                    one, of those for memory the first; or share I (from 0) of N
 *                                    (make test-faults)
 *     test_faults NAME               the same of one command
 *     test_faults NAME KIND [CALL]   every call of one command and kind, or one of them
 *     test_faults every [I N]        every call; or a share
 */
#include "support/trials.h"

enum {
    SANITIZER = 99, /* the status by which a sanitizer ends a program */
    TRIALS = 2,     /* calls of a command and kind in a sample */
};

#define NAME(id, name, code) name,
static const char *const kinds[FAILING_TOTAL] = {FAILING_KINDS(NAME)};
#undef NAME

#define RECORDED WAC_SOURCE_DIR "/tests/recorded/"

static const command commands[] = {
    {"train", {0}, "train riverswim " SMALL " --epochs 2 --threads 2 --out run", "run"},
    {"train-file", {0}, "train --config my.yaml --out run", "run"},
    {"train-model", {0}, MODEL, "run"},
    {"train-maps", {0}, "train riverswim " SMALL " --epochs 2 --maps --out run", "run"},
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
    {"export-c", {RUN}, "export run --to c --out policy.h", NULL},
    {"export-onnx", {RUN}, "export run --to onnx --with-value --out policy.onnx", NULL},
    {"export-tensors", {RUN}, "export run --to safetensors --out policy.safetensors", NULL},
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

/* --- trials ------------------------------------------------------------------------------------*/

typedef struct trial {
    const command *command;
    const outcome *reference; /* how it ends in peace */
    failing_kind kind;
    long call;
    bool on; /* all after it fail, too */
} trial;

static struct {
    long trials, failed, gone_on, problems;
} total;

static void complain(const trial *trial, const char *what, const outcome *result)
{
    total.problems++;
    print_error("%s, call %ld%s of %s: %s; status %d\n%s\n%s\n", trial->command->name, trial->call,
                trial->on ? " and all after it" : "", kinds[trial->kind], what, result->status,
                result->err, result->out);
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
    const char *line =
        strncmp(result->err, "wac: ", 5) == 0 ? result->err : strstr(result->err, "\nwac: ");
    if (!line || strlen(line) < 20)
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

/* Whether the command has gone on already from what lies in the folder of work. Asked twice about
 * the same, it has. */
static bool went_on(const command *command)
{
    static const struct command *last;
    static uint64_t *states;
    static size_t count, room;
    if (command != last)
        count = 0;
    last = command;
    uint64_t state = state_of(at("work"));
    for (size_t i = 0; state && i < count; i++)
        if (states[i] == state)
            return true;
    if (count == room)
        assert_non_null(states = realloc(states, (room = 2 * room + 64) * sizeof *states));
    states[count++] = state;
    return false;
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
    if (!failed || untouched || went_on(trial->command))
        return;
    total.gone_on++;
    result = go_on(trial->command);
    problem = result->status ? "it cannot go on afterwards"
                             : judge_success(trial, result, may_leave(trial));
    if (problem)
        complain(trial, problem, result);
}

/* Which calls of a kind fail: a loop asks for memory a thousand times from one place. */
typedef enum depth { SAMPLE, PLACES, EVERY } depth;

/* Where the calls of a command come from, of all kinds: order->of, place and last. */
static void find_places(const command *command)
{
    make_work(at("start"));
    order->kind = FAILING_TOTAL;
    atomic_store(&order->places, 0);
    order->looking = 1;
    assert_done(run_in_peace(command->words));
    order->looking = 0;
    assert_true(atomic_load(&order->places) < FAILING_PLACES);
}

/* Those of all calls of a kind that shall fail; returns how many. What is on the disk is not the
 * same at the first and the last call from a place; most calls for memory do not care. */
static long choose_calls(long *chosen, failing_kind kind, long calls, depth depth)
{
    long count = 0, step = depth == SAMPLE ? (calls + TRIALS - 1) / TRIALS : 1;
    if (depth != PLACES) {
        for (long call = 1; call <= calls; call += step)
            chosen[count++] = call;
        return count;
    }
    for (long i = 0; i < atomic_load(&order->places); i++)
        if (order->of[i] == (int)kind) {
            chosen[count++] = order->place[i];
            if (kind != FAILING_MEMORY && order->last[i] != order->place[i])
                chosen[count++] = order->last[i];
        }
    return count;
}

static void try_kind(const command *command, const outcome *reference, failing_kind kind,
                     long calls, long only_call, depth depth)
{
    static size_t number;
    long before = total.problems, *chosen = malloc((size_t)(calls + 1) * 2 * sizeof *chosen);
    assert_non_null(chosen);
    long count = choose_calls(chosen, kind, calls, depth);
    for (int on = 0; on < 2; on++)
        for (long i = 0; i < count; i++)
            if ((!only_call || chosen[i] == only_call) && number++ % shares == share)
                try_once(&(trial){command, reference, kind, chosen[i], on});
    free(chosen);
    if (depth != SAMPLE && calls)
        print_message("%s: %ld calls of %s, %ld tried, %ld problems\n", command->name, calls,
                      kinds[kind], count, total.problems - before);
}

/* only_kind null, only_call 0: all of them. */
static void try_command(const command *command, const char *only_kind, long only_call, depth depth)
{
    static outcome reference;
    long calls[FAILING_TOTAL];
    make_reference(command, &reference);
    if (depth == PLACES)
        find_places(command);
    for (int i = 0; i < FAILING_TOTAL; i++)
        calls[i] = atomic_load(&order->calls[i]);
    for (failing_kind kind = 0; kind < FAILING_TOTAL; kind++)
        if (!only_kind || strcmp(only_kind, kinds[kind]) == 0)
            try_kind(command, &reference, kind, calls[kind], only_call, depth);
}

/* --- the whole ---------------------------------------------------------------------------------*/

static void nothing_is_lost_where_calls_fail(void **state)
{
    (void)state;
    bool every = wants("every"), all = every || wants("whole");
    const char *name = all ? NULL : wanted[0], *kind = all ? NULL : wanted[1];
    long call = kind && wanted[2] ? atol(wanted[2]) : 0;
    depth depth = !wanted[0] ? SAMPLE : every || kind ? EVERY : PLACES;
    for (int i = 0; i < COMMANDS; i++)
        if ((!name || strcmp(name, commands[i].name) == 0) &&
            (WAC_MUJOCO || !strstr(commands[i].name, "model")))
            try_command(&commands[i], kind, call, depth);
    print_message("%ld trials, %ld of them failed, from %ld of those it went on; %ld problems\n",
                  total.trials, total.failed, total.gone_on, total.problems);
    assert_int_equal(total.problems, 0);
}

int main(int argc, char **argv)
{
    return run_trials(argc, argv,
                      &(struct CMUnitTest)cmocka_unit_test_setup_teardown(
                          nothing_is_lost_where_calls_fail, prepare_trials, remove_root));
}
