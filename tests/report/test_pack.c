/* wac pack, and its archives wherever folders of runs are read: the same answers, the same bytes
 * whenever it is done, nothing left behind, and refusals in one sentence. And studies in parts. */
#include "run/packed.h"
#include "support/fake_runs.h"

#include <glob.h>
#include <signal.h>
#include <sys/stat.h>

/* LQG with two values of lambda and five seeds each. */
static void make_lqg(const char *folder)
{
    for (int i = 0; i < 10; i++) {
        fake fake = {"lqg", "oe-wac", 1 + i % 5,     5,   0, "lambda", i < 5 ? "0" : "0.5", NULL,
                     NULL,  -1,       0.3 + 0.1 * i, 300, -2};
        make_fake(at("%s/%d", folder, i), &fake);
    }
}

static void assert_same_bytes(const char *a, const char *b)
{
    if (!same_file(a, b, false))
        fail_msg("%s and %s differ", a, b);
}

/* Folders of the product in TMPDIR; a sanitizer has files of its own there while it starts. */
static int folders_left(void)
{
    glob_t found;
    int status = glob(at("tmp/wac-*"), 0, NULL, &found),
        count = status == 0 ? (int)found.gl_pathc : 0;
    assert_true(status == 0 || status == GLOB_NOMATCH);
    globfree(&found);
    return count;
}

/* A TMPDIR of its own, which must be empty again in the end. */
static int setup_pack(void **state)
{
    int status = setup(state);
    return status || mkdir(at("tmp"), 0777) || setenv("TMPDIR", at("tmp"), 1);
}

static int end_pack(void **state)
{
    for (int i = 0; i < 300 && folders_left(); i++)
        usleep(10000);
    int left = folders_left();
    unsetenv("TMPDIR");
    return remove_root(state) || left;
}

static void archives_as_folders(void **state)
{
    (void)state;
    make_lqg("runs");
    const outcome *result = wac("pack %s", at("runs"));
    assert_done(result);
    assert_string_equal(result->out, at("runs.tar.xz\n"));
    assert_non_null(strstr(result->err, "10 runs, "));
    /* the same answers; but for the names of runs */
    result = wac("stats %s --measure coverage", at("runs"));
    assert_done(result);
    char said[sizeof result->out];
    strcpy(said, result->out);
    /* a run and itself without what archives leave out are one */
    result = wac("stats %s %s --measure coverage", at("runs"), at("runs.tar.xz"));
    assert_done(result);
    assert_string_equal(result->out, said);
    result = wac("stats %s --measure coverage", at("runs.tar.xz"));
    assert_done(result);
    assert_string_equal(result->out, said);
    assert_int_equal(mkdir(at("study"), 0777), 0);
    assert_int_equal(rename(at("runs.tar.xz"), at("study/runs.tar.xz")), 0);
    result = wac("stats %s --measure coverage", at("study"));
    assert_done(result);
    assert_string_equal(result->out, said);
    result = wac("stats %s --measure coverage", at("study/runs.tar.xz/3"));
    assert_done(result);
    assert_non_null(strstr(result->out, "coverage of 1 run"));
    /* where there is a folder runs beside it, that counts */
    assert_int_equal(rename(at("runs"), at("study/runs")), 0);
    assert_done(wac("stats %s", at("study")));
    assert_int_equal(rename(at("study/runs"), at("runs")), 0);
    assert_done(wac("report %s --csv %s --x seconds", at("study/runs.tar.xz"), at("all.csv")));
    char *table = contents(at("all.csv"), NULL);
    assert_non_null(strstr(table, at("study/runs.tar.xz/0,lqg,")));
    free(table);
    char *page = contents(at("study/runs-report/report.html"), NULL);
    assert_non_null(strstr(page, "tar -xf "));
    assert_non_null(strstr(page, " 0/config.yaml\nwac train --config 0/config.yaml --out again"));
    assert_null(strstr(page, at("tmp")));
    free(page);
    /* packed again, from wherever and in parts: the same bytes */
    assert_done(wac("pack %s --out %s", at("study"), at("new/b.tar.xz")));
    assert_same_bytes(at("study/runs.tar.xz"), at("new/b.tar.xz"));
    assert_int_equal(mkdir(at("half"), 0777), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(rename(at("runs/%d", i), at("half/%d", i)), 0);
    assert_done(wac("pack %s", at("half/")));
    assert_done(wac("pack %s %s --out %s", at("half.tar.xz"), at("runs"), at("c.tar.xz")));
    assert_same_bytes(at("study/runs.tar.xz"), at("c.tar.xz"));
}

static void refusals(void **state)
{
    (void)state;
    make_lqg("runs");
    assert_says(wac("pack"), 2, "which folder of runs?");
    assert_says(wac("pack %s", at("none")), 1, "cannot search");
    assert_says(wac("pack %s --out %s", at("runs"), at("x.zip")), 2, "must be called FILE.tar.xz");
    assert_says(wac("pack %s %s", at("runs/0"), at("runs/1")), 2, "name the archive with --out");
    assert_int_equal(mkdir(at("other"), 0777), 0);
    fake fake = {"lqg", "sac", 1, 5, 0, NULL, NULL, NULL, NULL, -1, 0.5, 300, -2};
    make_fake(at("other/0"), &fake);
    assert_says(wac("pack %s %s --out %s", at("runs"), at("other"), at("x.tar.xz")), 2,
                "would both be called 0 in the archive");
    save_text(at("t.csv"), "run,algorithm,environment,seed,step,value\na,b,lqg,1,1000,2\n");
    assert_says(wac("pack %s --out %s", at("t.csv"), at("x.tar.xz")), 2, "of another program");
    save_text(at("runs/3/progress.csv"), "epoch\n");
    assert_says(wac("pack %s --out %s", at("runs"), at("x.tar.xz")), 1, "runs/3/progress.csv");
    assert_false(wac_path_exists(at("x.tar.xz")));
    /* an archive that is none, wherever one is read; and what is wrong inside goes by its name */
    save_text(at("bad.tar.xz"), "nonsense");
    static const char *const commands[] = {"stats",
                                           "report",
                                           "pack",
                                           "render",
                                           "reproduce coverage-lqg --from",
                                           "reproduce --all --from"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_says(wac("%s %s", commands[i], at("bad.tar.xz")), 1,
                    at("bad.tar.xz: it is cut off or damaged"));
    assert_int_equal(mkdir(at("study"), 0777), 0);
    assert_int_equal(rename(at("bad.tar.xz"), at("study/runs.tar.xz")), 0);
    assert_says(wac("stats %s", at("study")), 1, "cut off or damaged");
    assert_done(wac("pack %s --out %s", at("other"), at("x.tar.xz")));
    assert_says(wac("stats %s", at("x.tar.xz/7")), 1, "there is no 7 in");
    assert_says(wac("render %s", at("x.tar.xz")), 1, "has networks to draw with");
    assert_says(wac("train --resume %s", at("x.tar.xz/0")), 1,
                "can be read, judged and drawn, but not resumed");
    /* where a run is asked for */
    assert_int_equal(mkdir(at("kept"), 0777), 0);
    assert_int_equal(symlink(at("x.tar.xz"), at("kept/runs.tar.xz")), 0);
    static const char *const readers[] = {"check", "evaluate", "train lqg --from"};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        assert_says(wac("%s %s", readers[i], at("x.tar.xz")), 1, "x.tar.xz is an archive of runs");
        assert_says(wac("%s %s", readers[i], at("kept")), 1, "unpack it: tar -xf ");
    }
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command,
             "cd %s && mkdir t && tar -xf x.tar.xz -C t && echo nonsense > t/0/progress.csv && tar "
             "-cJf y.tar.xz -C t 0",
             root);
    if (system("xz --version >/dev/null 2>&1") == 0) {
        assert_int_equal(system(command), 0);
        assert_says(wac("stats %s", at("y.tar.xz")), 1, at("y.tar.xz/0/progress.csv:1"));
    }
}

/* An experiment of runs of milliseconds. */
static const char mine[] =
    "title: T\nscales:\n"
    "  quick: {environments: riverswim, algorithms: [oe-wac, sac], seeds: 4, settings: {epochs: 3, "
    "width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40, updates: 15, "
    "evaluation_steps: 60, path_limit: 25, replay_capacity: 1000}}\n"
    "figures:\n  - {kind: curves, title: R, rows: return}\n  - {kind: maps, title: M}\n"
    "claims:\n  - {says: never, rule: never, who: sac}\n"
    "  - {says: mirrors, rule: correlation, below: 0, where: {algorithm: oe-wac}}\n";

/* Trained at once, and in two parts that are packed where they were trained: the same verdicts, and
 * the same pictures. */
static void studies_in_parts(void **state)
{
    (void)state;
    save_text(at("mine.yaml"), mine);
    assert_says(wac("reproduce %s --only 1/2 --from %s", at("mine.yaml"), at("a")), 2,
                "--only is for training");
    assert_says(wac("reproduce %s --only 3/2", at("mine.yaml")), 2, "--only must be as in 3/12");
    assert_says(wac("reproduce --all --only 1/2"), 2, "takes --from and --out");
    assert_done(wac("reproduce %s --out %s --workers 2", at("mine.yaml"), at("whole")));
    for (int i = 1; i <= 2; i++) {
        const outcome *result = wac("reproduce %s --only %d/2 --out %s --workers 2",
                                    at("mine.yaml"), i, at("part-%d", i));
        assert_done(result);
        assert_string_equal(result->out, at("part-%d\n", i));
        assert_false(wac_path_exists(at("part-%d/report.html", i)));
        assert_done(wac("pack %s --out %s", at("part-%d", i), at("%d.tar.xz", i)));
    }
    const outcome *both =
        wac("pack %s %s --out %s", at("1.tar.xz"), at("2.tar.xz"), at("both.tar.xz"));
    assert_done(both);
    assert_non_null(strstr(both->err, "8 runs, 2 with networks, "));
    assert_done(wac("reproduce %s --from %s %s --out %s", at("mine.yaml"), at("1.tar.xz"),
                    at("part-2/runs"), at("judged")));
    assert_same_bytes(at("whole/claims.json"), at("judged/claims.json"));
    assert_same_bytes(at("whole/figures/1-curves.svg"), at("judged/figures/1-curves.svg"));
    /* the report again, from where the parts are */
    const outcome *result = wac("report %s", at("judged"));
    assert_done(result);
    assert_null(strstr(result->err, "missing"));
    /* brought home: it stands by itself */
    result = wac("pack %s", at("judged"));
    assert_done(result);
    assert_string_equal(result->out, at("judged/runs.tar.xz\n"));
    assert_non_null(strstr(result->err, "8 runs, 2 with networks, "));
    for (int i = 1; i <= 2; i++) {
        remove_folder(at("part-%d", i));
        assert_int_equal(unlink(at("%d.tar.xz", i)), 0);
    }
    assert_done(wac("report %s", at("judged")));
    assert_same_bytes(at("whole/claims.json"), at("judged/claims.json"));
    assert_same_bytes(at("whole/figures/2-maps.svg"), at("judged/figures/2-maps.svg"));
    char *note = contents(at("judged/reproduce.json"), NULL);
    assert_null(strstr(note, root));
    free(note);
    /* cells are kept of all runs, since a claim reads them; if none does, of those that maps show
     */
    for (int i = 0; i < 2; i++) {
        wac_temporary folder;
        char path[PATH_MAX];
        int cells = 0;
        if (i == 1) {
            char text[2048];
            snprintf(text, sizeof text, "%.*s", (int)(strstr(mine, "  - {says: mirrors") - mine),
                     mine);
            save_text(at("judged/experiment.yaml"), text);
        }
        assert_done(wac("pack %s --out %s", at("judged"), at("cells.tar.xz")));
        assert_ok(wac_packed_open(&folder, at("cells.tar.xz"), &error));
        for (int seed = 1; seed <= 4; seed++) {
            snprintf(path, sizeof path, "%.900s/riverswim/oe-wac/seed-%d/cells.csv", folder.path,
                     seed);
            cells += wac_path_exists(path);
        }
        assert_int_equal(cells, i ? 1 : 4);
        wac_temporary_remove(&folder);
    }
    /* judged where an archive lies, which is all that a folder needs to hold */
    assert_int_equal(mkdir(at("lies"), 0777), 0);
    assert_int_equal(rename(at("judged/runs.tar.xz"), at("lies/runs.tar.xz")), 0);
    assert_done(wac("reproduce %s --scale quick --from %s --out %s", at("mine.yaml"), at("lies"),
                    at("lies")));
    assert_same_bytes(at("whole/claims.json"), at("lies/claims.json"));
    note = contents(at("lies/reproduce.json"), NULL);
    assert_null(strstr(note, root));
    free(note);
    /* drawn, of a whole archive or one run of it */
    assert_done(wac("render %s --out %s", at("lies"), at("two.png")));
    assert_done(
        wac("render %s --out %s", at("lies/runs.tar.xz/riverswim/sac/seed-1"), at("one.png")));
    assert_says(
        wac("render %s --out %s", at("lies/runs.tar.xz/riverswim/sac/seed-2"), at("none.png")), 1,
        "has networks to draw with");
    /* unpacked as the runs of a study it counts as done, and more seeds can be added */
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command,
             "cd %s && rm -r whole/runs/riverswim && tar -xf lies/runs.tar.xz -C whole/runs", root);
    assert_int_equal(system(command), 0);
    result = wac("reproduce %s --out %s", at("mine.yaml"), at("whole"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do: 8 runs done"));
    result = wac("check %s", at("whole/runs"));
    assert_done(result);
    assert_non_null(strstr(result->out, "8 runs: 0 finished, 8 packed, 0 damaged\n"));
}

/* Killed while it works: the folder goes, too. */
static void nothing_is_left_by_a_signal(void **state)
{
    (void)state;
    make_lqg("runs");
    assert_done(wac("pack %s", at("runs")));
    for (int i = 0; i < 6; i++) {
        pid_t child = fork_with_files();
        if (child == 0) {
            char words[PATH_MAX + 32];
            snprintf(words, sizeof words, "stats %s", at("runs.tar.xz"));
            setpgid(0, 0);
            become_program(words);
        }
        (void)setpgid(child, child);
        for (int wait = 0; wait < 2000 && folders_left() == 0; wait++)
            usleep(500);
        kill(-child, i % 2 ? SIGKILL : SIGINT);
        (void)status_of(child);
        for (int wait = 0; wait < 1000 && folders_left(); wait++)
            usleep(5000);
        assert_int_equal(folders_left(), 0);
    }
}

#define PACK(name) cmocka_unit_test_setup_teardown(name, setup_pack, end_pack)

int main(void)
{
    if (system("command -v gnuplot >/dev/null 2>&1") != 0) {
        puts("no gnuplot: not tested");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        PACK(archives_as_folders),
        PACK(refusals),
        PACK(studies_in_parts),
        PACK(nothing_is_left_by_a_signal),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
