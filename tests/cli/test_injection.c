/* Names from outside that mean something to somebody: to a shell, to gnuplot, to a browser, to TeX,
 * to a terminal. Folders, tables, experiments, manifests and plug-ins are called by them, and go
 * through every command that prints or draws. Nothing of it is obeyed: no file `pwned` appears, no
 * page has the script as a script, and no control character comes out.
 */
#include "support/small_sweeps.h"

#include <ftw.h>

/* no blanks, at which the words of a command line are split; ${IFS} is one to a shell */
#define SHELL "`touch${IFS}pwned`$(touch${IFS}pwned);touch${IFS}pwned;"
#define GNUPLOT "'.system(\"touch\\tpwned\").'\"`touch${IFS}pwned`{/:Bold=99}@_^~"
#define MARKUP "<script>alert(1)</script>&lt;\"'--><img/src=x>"
#define TEX "\\write18{touch,pwned}$_^%&#~{}"
#define SEQUENCES "\033[31mred\033]0;title\007\302\23331m\177\b"

static const char *const plain[] = {SHELL, GNUPLOT, MARKUP, TEX};
static const char *const hostile[] = {SEQUENCES, "two\nlines", "tab\tstop", "\302\233c1"};
enum { PLAIN = sizeof plain / sizeof *plain, HOSTILE = sizeof hostile / sizeof *hostile };

#define TABLE_HEADER "run,algorithm,environment,seed,step,value\n"

/* As a terminal sees it: text and ends of lines. */
static bool is_text(const char *said)
{
    for (; *said; said++)
        if (((unsigned char)*said < ' ' && *said != '\n') || *said == 0x7f ||
            strncmp(said, "\302\233", 2) == 0)
            return false;
    return true;
}

static int look(const char *path, const struct stat *about, int kind, struct FTW *place)
{
    (void)about;
    const char *name = path + place->base;
    if (strcmp(name, "pwned") == 0)
        fail_msg("%s: something was obeyed", path);
    size_t length = strlen(name);
    if (kind != FTW_F || length < 5 || strcmp(name + length - 5, ".html") != 0)
        return 0;
    char *page = contents(path, NULL);
    if (strstr(page, "<script>alert") || strstr(page, "<img/src") || !is_text(page))
        fail_msg("%s has what it should not have", path);
    free(page);
    return 0;
}

/* Whatever became of it, it was said in plain text, and nothing was obeyed. */
static const outcome *safe(const outcome *result)
{
    if (!is_text(result->out) || !is_text(result->err))
        fail_msg("control characters: %s%s", result->out, result->err);
    if (result->status < 0 || result->status > 2)
        fail_msg("status %d: %s", result->status, result->err);
    assert_int_equal(nftw(root, look, 8, FTW_PHYS), 0);
    return result;
}

static void go_to_root(void)
{
    assert_int_equal(chdir(root), 0);
}

/* As Slurm would: the program is told to do nothing. */
static void run_script(const char *path)
{
    pid_t child = fork_with_files();
    if (child == 0) {
        setenv("SLURM_ARRAY_TASK_ID", "none", 1);
        execlp("bash", "bash", path, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(status_of(child), 2); /* which is no part of the work */
    assert_int_equal(nftw(root, look, 8, FTW_PHYS), 0);
}

#define RUN "lqg " SMALL " --epochs 1"

/* As a file can be called. */
static char *file_name(const char *text)
{
    char *name = strdup(text);
    assert_non_null(name);
    for (char *c = name; (c = strchr(c, '/'));)
        *c = '|';
    return name;
}

static void folders(void **state)
{
    (void)state;
    go_to_root();
    for (int i = 0; i < PLAIN; i++) {
        char *name = file_name(plain[i]);
        assert_done(safe(wac("train " RUN " --out %s", name)));
        safe(wac("train " RUN " --out %s", name)); /* which is there */
        assert_done(safe(wac("evaluate %s", name)));
        assert_done(safe(wac("check %s", name)));
        assert_done(safe(wac("stats %s", name)));
        assert_done(safe(wac("pack %s", name)));
        safe(wac("render %s", name));
        safe(wac("report %s", name));
        safe(wac("stats %s.tar.xz", name));
        save_text(at("sweep.yaml"), "environments: [lqg]\nalgorithms: [sac]\n");
        assert_done(safe(wac("sweep sweep.yaml --out s-%s --slurm", name)));
        run_script(at("s-%s/sweep.slurm", name));
        free(name);
    }
}

static void words(void **state)
{
    (void)state;
    go_to_root();
    static const char *const commands[] = {
        "train",     "train --resume", "evaluate",    "envs",   "config", "verify env",
        "demo",      "verify update",  "render",      "sweep",  "tune",   "stats",
        "report",    "reproduce",      "pack",        "bench",  "check",  "train lqg --out",
        "train lqg", "help",           "sweep --out", "export", "",       "train --config",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (int k = 0; k < HOSTILE; k++) {
            const outcome *result = safe(wac("%s %s", commands[i], hostile[k]));
            assert_says(result, 2, "control characters");
        }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        for (int k = 0; k < PLAIN; k++)
            if (strcmp(commands[i], "train lqg --out") != 0)
                assert_true(safe(wac("%s %s", commands[i], plain[k]))->status > 0);
}

static void names_that_are_found(void **state)
{
    (void)state;
    go_to_root();
    assert_done(wac("train " RUN " --out runs/good"));
    assert_done(wac("train " RUN " --seed 2 --out runs/other"));
    for (int k = 0; k < HOSTILE; k++) {
        char name[64];
        snprintf(name, sizeof name, "runs/%s", hostile[k]);
        assert_int_equal(rename("runs/other", name), 0);
        assert_true(safe(wac("stats runs"))->status > 0);
        assert_true(safe(wac("report runs"))->status > 0);
        assert_true(safe(wac("check runs"))->status > 0);
        assert_true(safe(wac("pack runs --out runs.tar.xz"))->status > 0);
        assert_int_equal(rename(name, "runs/other"), 0);
    }
}

/* With quotes as CSV has them. */
static void write_table(const char *path, const char *name)
{
    char label[512], *to = label;
    for (const char *from = name; *from; from++) {
        if (*from == '"')
            *to++ = '"';
        *to++ = *from;
    }
    *to = 0;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(TABLE_HEADER, file);
    for (int seed = 1; seed < 4; seed++)
        for (int step = 0; step < 80; step += 40)
            fprintf(file, "\"%s\",\"%s\",lqg,%d,%d,%d\n", label, label, seed, step, seed - step);
    fclose(file);
}

static void tables(void **state)
{
    (void)state;
    go_to_root();
    assert_done(wac("train " RUN " --out runs/good"));
    for (int i = 0; i < PLAIN; i++) {
        write_table(at("their.csv"), plain[i]);
        assert_done(safe(wac("stats runs their.csv")));
        assert_done(safe(wac("stats runs their.csv --json")));
        safe(wac("report runs their.csv --out report --csv all.csv"));
    }
    for (int k = 0; k < HOSTILE; k++) {
        write_table(at("their.csv"), hostile[k]);
        assert_true(safe(wac("stats runs their.csv"))->status > 0);
        safe(wac("report runs their.csv --out report"));
    }
}

/* An experiment whose every text is `text`, as YAML in double quotes. */
static void write_experiment(const char *text)
{
    FILE *file = fopen(at("own.yaml"), "w");
    assert_non_null(file);
    fprintf(file, "title: \"%s\"\nshows: \"%s\"\n", text, text);
    fprintf(file, "scales: {quick: {environments: lqg, algorithms: oe-wac, seeds: 1, settings: "
                  "{epochs: 1, " SMALL_RUNS "}}}\n");
    fprintf(file, "figures: [{kind: curves, title: \"%s\", rows: return}]\n", text);
    fprintf(file, "claims: [{says: \"%s\", parts: [{rule: never, who: oe-wac}]}]\n", text);
    fclose(file);
}

static void experiments_and_manifests(void **state)
{
    (void)state;
    go_to_root();
    static const char *const texts[] = {
        "`touch pwned` $(touch pwned) '.system('touch pwned').'",
        "<script>alert(1)</script>",
        "\\\\write18{touch pwned}",
        "two\\nlines\\n'.system('touch pwned').'",
        "\\e[31mred\\a",
        "\\x9b31m",
    };
    enum { SHOWN = 4 }; /* the others have control characters */
    assert_done(wac("train " RUN " --out runs/good"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_experiment(texts[i]);
        const outcome *result = safe(wac("reproduce ./own.yaml --from runs --out study-%zu", i));
        assert_int_equal(result->status, i < SHOWN ? 0 : 2);
        char sweep[512];
        snprintf(sweep, sizeof sweep, "environments: [\"%s\"]\nalgorithms: [\"%s\"]\n", texts[i],
                 texts[i]);
        save_text(at("sweep.yaml"), sweep);
        safe(wac("sweep sweep.yaml"));
        safe(wac("tune sweep.yaml"));
    }
    save_text(at("runs/good/manifest.json"),
              "{\"program\": \"wac\", \"version\": \"\\u001b[31m<script>alert(1)</script>\", "
              "\"commit\": \"`touch pwned`\\u009b\", \"environment\": \"lqg\", \"algorithm\": "
              "\"oe-wac\", \"machine\": {\"processor\": \"<script>alert(1)</script>\\u0007\"}}\n");
    safe(wac("report runs"));
    safe(wac("check runs"));
    safe(wac("evaluate runs/good"));
    safe(wac("train --resume runs/good --epochs 2"));
}

static void plugins(void **state)
{
    (void)state;
    go_to_root();
    for (int i = 0; i < PLAIN; i++) {
        char *name = file_name(plain[i]);
        assert_int_equal(symlink(WAC_PLUGINS "/good.so", at("%s.so", name)), 0);
        safe(wac("check ./%s.so", name));
        safe(wac("train ./%s.so " SMALL " --epochs 1 --out run-%d", name, i));
        safe(wac("render run-%d", i));
        safe(wac("report run-%d", i));
        safe(wac("stats run-%d", i));
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words),  TEST(folders), TEST(names_that_are_found),
        TEST(tables), TEST(plugins), TEST(experiments_and_manifests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
