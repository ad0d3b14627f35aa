/* The program where the power is cut: every state that a disk may be left in (support/disk.h) by a
 * command, at every moment. The same command again, or a resume, ends in the same bytes as if
 * nothing had been, and what a command had told to be done stays.
 *
 *     test_power                  a sample
 *     test_power whole [I N]      every state, or share I (from 0) of N (make test-power)
 *     test_power NAME [STATE]     one command, one state of it, which is left in the folder it
 * names
 */
#include "support/disk.h"
#include "support/trials.h"

enum { SAMPLE = 25 }; /* states of a command, and all after its end */

/* Where runs are made, what a cut has left goes with the next command; beside other files it stays.
 */
enum { MAKE_RUNS = 7 };

static const command commands[] = {
    {"train", {0}, "train riverswim " SMALL " --epochs 2 --out run", "run"},
    {"train-deep", {0}, "train lqg " SMALL " --epochs 1 --out here/and/run", "here/and/run"},
    {"train-maps", {0}, "train riverswim " SMALL " --epochs 2 --maps --out run", "run"},
    {"resume", {RUN}, "train --resume run --epochs 2", NULL},
    {"sweep", {0}, "sweep sweep.yaml --out runs --workers 1", NULL},
    {"sweep-on",
     {"sweep begun.yaml --out runs --workers 1"},
     "sweep more.yaml --out runs --workers 1",
     NULL},
    {"tune", {0}, "tune tune.yaml --out runs --workers 1", NULL},
    {"pack", {SWEEP}, "pack runs --out kept/packed.tar.xz", NULL},
    {"report", {SWEEP}, "report runs", NULL},
    {"report-table", {SWEEP}, "report runs foreign.csv --out report --csv all.csv", NULL},
    {"render", {RUN}, "render run", NULL},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static struct {
    size_t states, problems;
} total;

static void complain(const command *command, size_t number, const char *what, const char *said)
{
    total.problems++;
    print_error("%s, state %zu: %s\n%s\n", command->name, number, what, said);
}

/* The calls of a command, and what was there before. */
static void record(disk *disk, const command *command)
{
    make_work(at("start"));
    disk_scan(disk, at("work"));
    is_recorded = true;
    assert_done(run_in_peace(command->words));
    is_recorded = false;
    disk_read(disk, at("record"));
    assert_int_equal(unlink(at("record")), 0);
    /* nothing has gone past the record */
    disk_state end = {disk->call_count, UINT64_MAX, {0}};
    for (size_t i = 0; i < DISK_UNSYNCED; i++)
        end.fates[i] = DISK_FATE_THERE;
    disk_save(disk, &end, at("told"));
    const char *what = difference_below(at("work"), at("told"), true, true);
    if (what)
        fail_msg("%s: the record lacks %s", command->name, what);
    remove_folder(at("told"));
}

static void try_state(const command *command, disk *disk, const disk_state *state, size_t number)
{
    remove_folder(at("work"));
    disk_save(disk, state, at("work"));
    total.states++;
    const char *lost = difference_below(at("whole"), at("work"), false, true);
    if (state->cut == disk->call_count && lost)
        complain(command, number, "what was told to be done is lost", lost);
    const outcome *result = go_on(command);
    if (result->status != 0)
        complain(command, number, "it cannot go on", result->err);
    else if ((lost = difference_below(at("whole"), at("work"), false,
                                      command - commands >= MAKE_RUNS)))
        complain(command, number, "it ends differently", lost);
}

static void try_command(const command *command, bool all, const char *only)
{
    static outcome reference;
    disk disk = {0};
    disk_states states = {0};
    size_t before = total.states, problems = total.problems;
    make_reference(command, &reference);
    record(&disk, command);
    disk_list(&states, &disk);
    if (only) {
        size_t number = (size_t)atol(only);
        assert_true(number < states.count);
        try_state(command, &disk, &states.list[number], number);
    } else {
        size_t step = all ? 1 : (states.count + SAMPLE - 1) / SAMPLE;
        for (size_t i = 0; i < states.count; i++)
            if ((i % step == 0 || states.list[i].cut == disk.call_count) &&
                i / step % shares == share)
                try_state(command, &disk, &states.list[i], i);
    }
    print_message("%s: %zu calls, %zu states, %zu tried, %zu problems%s\n", command->name,
                  disk.call_count, states.count, total.states - before, total.problems - problems,
                  states.skipped ? "; too many names in doubt to try all" : "");
    free(states.list);
    free(states.hashes);
    disk_free(&disk);
}

static void nothing_is_lost_where_the_power_is_cut(void **state)
{
    (void)state;
    bool whole = wants("whole");
    const char *name = whole ? NULL : wanted[0];
    for (int i = 0; i < COMMANDS; i++)
        if (!name || strcmp(name, commands[i].name) == 0)
            try_command(&commands[i], wanted[0], whole ? NULL : wanted[1]);
    print_message("%zu states, %zu problems\n", total.states, total.problems);
    assert_int_equal(total.problems, 0);
}

int main(int argc, char **argv)
{
    return run_trials(argc, argv,
                      &(struct CMUnitTest)cmocka_unit_test_setup_teardown(
                          nothing_is_lost_where_the_power_is_cut, prepare_trials, remove_root));
}
