/* The program as a user meets it: what it prints where, its exit status, what it says to bad input,
 * and that neither Ctrl-C nor a full disk costs anything. */
#include "run_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <utmp.h>

/* settings of a run of milliseconds */
#define SMALL                                                                                      \
    "--width 16 --batch-size 16 --initial-steps 30 --explore-steps 40 --updates 15 "               \
    "--evaluation-steps 60 --path-limit 25 --replay-capacity 1000"

/* --- running it ----------------------------------------------------------------------------- */

typedef struct outcome {
    int status; /* of its exit, or minus the signal that ended it */
    char out[16384], err[16384];
} outcome;

static rlim_t file_limit = RLIM_INFINITY;

/* In the child: become `wac WORDS`, split at spaces. */
static void become_program(char *words)
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

static int status_of(pid_t child)
{
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    return WIFEXITED(result) ? WEXITSTATUS(result) : -WTERMSIG(result);
}

static void read_back(char *text, size_t size, const char *path)
{
    char *bytes = contents(path, NULL);
    snprintf(text, size, "%s", bytes);
    free(bytes);
}

__attribute__((format(printf, 1, 2))) static const outcome *wac(const char *format, ...)
{
    static outcome result;
    static char words[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        const int flags = O_WRONLY | O_CREAT | O_TRUNC;
        if (dup2(open(at(".out"), flags, 0666), 1) < 0 ||
            dup2(open(at(".err"), flags, 0666), 2) < 0)
            _exit(126);
        become_program(words);
    }
    result.status = status_of(child);
    read_back(result.out, sizeof result.out, at(".out"));
    read_back(result.err, sizeof result.err, at(".err"));
    return &result;
}

/* One sentence on stderr with this in it, nothing on stdout, this exit status. */
static void assert_says(const outcome *result, int status, const char *words)
{
    const char *end = strchr(result->err, '\n');
    if (result->status != status || !strstr(result->err, words) ||
        strncmp(result->err, "wac: ", 5) != 0 || !end || end[1] || result->out[0])
        fail_msg("status %d, \"%s\"; expected %d, \"%s\"", result->status, result->err, status,
                 words);
}

static void assert_done(const outcome *result)
{
    if (result->status != 0)
        fail_msg("status %d: %s", result->status, result->err);
}

/* --- help ----------------------------------------------------------------------------------- */

static void help_is_there(void **state)
{
    (void)state;
    const char *const commands[] = {"train", "evaluate", "envs", "config", "verify", "demo"};
    const char *const overviews[] = {"--help", "-h", "help"};
    for (int i = 0; i < 3; i++) {
        const outcome *result = wac("%s", overviews[i]);
        assert_int_equal(result->status, 0);
        assert_string_equal(result->err, "");
        for (int j = 0; j < 6; j++)
            assert_non_null(strstr(result->out, commands[j]));
    }
    for (int j = 0; j < 6; j++) {
        const outcome *result = wac("%s --help", commands[j]);
        char text[sizeof result->out];
        assert_int_equal(result->status, 0);
        assert_string_equal(result->err, "");
        assert_non_null(strstr(result->out, "Usage"));
        assert_non_null(strstr(result->out, commands[j]));
        strcpy(text, result->out);
        assert_string_equal(wac("help %s", commands[j])->out, text);
    }
    const char *const flags[] = {"--algorithm", "--seed",         "--epochs",
                                 "--threads",   "--stop-success", "--out",
                                 "--config",    "--resume",       "--KEY"};
    const outcome *result = wac("train --help");
    for (int i = 0; i < 9; i++)
        assert_non_null(strstr(result->out, flags[i]));
    result = wac("--version");
    assert_int_equal(result->status, 0);
    assert_non_null(strstr(result->out, WAC_VERSION));
    result = wac("%s", "");
    assert_int_equal(result->status, 2);
    assert_string_equal(result->out, "");
    assert_non_null(strstr(result->err, "wac COMMAND"));
    result = wac("envs");
    assert_true(strstr(result->out, "riverswim") && strstr(result->out, "lqg"));
}

/* --- bad input ------------------------------------------------------------------------------ */

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int status;
        const char *answer;
    } cases[] = {
        {"trian", 2, "unknown command \"trian\"; did you mean \"train\"?"},
        {"xyzzy", 2, "unknown command \"xyzzy\"; see \"wac --help\""},
        {"help trian", 2, "did you mean \"train\"?"},
        {"train", 2, "name an environment"},
        {"train rivrswim", 2, "unknown environment \"rivrswim\"; did you mean \"riverswim\"?"},
        {"train lqg lqg", 2, "what to do with \"lqg\"?"},
        {"train lqg --algorithm oe_wca", 2, "did you mean \"oe-wac\"?"},
        {"train lqg --algorithm ppo", 2, "unknown algorithm \"ppo\""},
        {"train lqg --epoch 3", 2, "unknown flag \"--epoch\"; did you mean \"--epochs\"?"},
        {"train lqg --pathlimit 3", 2, "did you mean \"--path-limit\"?"},
        {"train lqg -e 3", 2, "unknown flag \"-e\""},
        {"train lqg --algorithm sac --lambda 1", 2, "\"lambda\" is not read by sac"},
        {"train lqg --oac-beta 1", 2, "\"oac_beta\" is not read by oe-wac"},
        {"train lqg --river-length 9", 2, "\"river_length\" is not read by lqg"},
        {"train lqg --epochs", 2, "--epochs needs a value"},
        {"train lqg --epochs --seed 1", 2, "--epochs needs a value"},
        {"train lqg --epochs many", 2, "epochs must be a whole number, not \"many\""},
        {"train lqg --epochs 1.5", 2, "epochs must be a whole number"},
        {"train lqg --epochs -1", 2, "epochs must be from 0"},
        {"train lqg --width 0", 2, "width must be from 1"},
        {"train lqg --seed 1e30", 2, "seed must be"},
        {"train lqg --discount nan", 2, "discount must be a number"},
        {"train lqg --discount 1", 2, "discount must be from 0 to 0.999999"},
        {"train lqg --learning-rate 1e999", 2, "learning_rate must be"},
        {"train lqg --entropy-tuning maybe", 2, "entropy_tuning must be false or true"},
        {"train riverswim --reward-rule papers", 2, "reward_rule"},
        {"train lqg --reward-min 2", 2, "reward_min (2) must be below reward_max"},
        {"train lqg --threads 0", 2, "--threads must be a whole number from 1"},
        {"train lqg --stop-success 0.5", 1, "lqg has none; leave it out"},
        {"train lqg --out /dev/null/run", 1, "Not a directory"},
        {"train --resume a --out b", 2, "leave --out out"},
        {"train --resume a --config b", 2, "leave --config out"},
        {"train --resume a lqg", 2, "leave \"lqg\" out"},
        {"train --resume a --seed 2", 2, "--resume takes seed from the run"},
        {"train --resume a --epochs 0", 2, "--epochs must be at least 1"},
        {"train --resume a --epochs x", 2, "epochs must be a whole number"},
        {"train --resume /no/such/run", 1, "there is no run /no/such/run"},
        {"train --resume /dev/null", 1, "there is no run /dev/null"},
        {"evaluate", 2, "which run?"},
        {"evaluate /no/such/run", 1, "/no/such/run is not a run"},
        {"evaluate a b", 2, "what to do with \"b\"?"},
        {"evaluate a --episodes 0", 2, "--episodes must be a whole number from 1"},
        {"evaluate a --policy best", 2, "--policy must be target or behaviour, not \"best\""},
        {"evaluate a --polices target", 2, "did you mean \"--policy\"?"},
        {"evaluate a --stochastic=1", 2, "--stochastic takes no value"},
        {"config rivrswim", 2, "did you mean \"riverswim\"?"},
        {"envs now", 2, "what to do with \"now\"?"},
    };
    assert_int_equal(chdir(root), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_says(wac("%s", cases[i].words), cases[i].status, cases[i].answer);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(entries(root), 2); /* the captured output */
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
        const char *answer;
    } cases[] = {
        {"", 2, ":1: the file is empty"},
        {"environment: lqg\nepochz: 3\n", 2, ":2: unknown setting \"epochz\"; did you mean"},
        {"environment: lqg\nepochs: [1, 2]\n", 2, ":2: a setting has one value"},
        {"environment: lqg\nepochs: 'x", 2, "this is not YAML"},
        {"environment: lqg\nepochs: \"1", 2, "this is not YAML"},
        {"environment: lqg\n\tepochs: 1\n", 2, "this is not YAML"},
        {"environment: lqg\nepochs: -3\n", 2, ":2: epochs must be from 0"},
        {"environment: lqg\nalgorithm: sac\nlambda: 1\n", 2, ":3: setting \"lambda\" is not read"},
        {"environment: lgq\n", 2, "did you mean \"lqg\"?"},
        {"epochs: 3\n", 2, "names no environment"},
        {"- a\n- b\n", 2, "no list of settings"},
        {"\x7f"
         "ELF\x02\x01",
         2, "this is not YAML"},
        {"{\"a\": 1}", 2, "unknown setting \"a\""},
    };
    char path[PATH_MAX];
    strcpy(path, at("my.yaml"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        save_text(path, cases[i].text);
        const outcome *result = wac("train --config %s --out %s", path, at("run"));
        assert_says(result, cases[i].status, cases[i].answer);
        if (!strstr(result->err, "my.yaml") && !strstr(result->err, "lgq"))
            fail_msg("no file named: %s", result->err);
    }
    assert_says(wac("train --config %s --out %s", at("no.yaml"), at("run")), 1,
                "No such file or directory; check that the path is right");
    assert_says(wac("train --config %s --out %s", root, at("run")), 2, "not a regular file");
    assert_false(wac_path_exists(at("run")));

    /* a good one, as the program itself writes it; flags win */
    char *text = strdup(wac("config lqg --algorithm sac --yaml")->out);
    save_text(path, text);
    free(text);
    assert_done(wac("train --config %s --out %s " SMALL " --epochs 1", path, at("run")));
    text = contents(at("run/config.yaml"), NULL);
    assert_true(strstr(text, "algorithm: sac") && strstr(text, "epochs: 1 "));
    free(text);
}

static void a_run_is_never_overwritten(void **state)
{
    (void)state;
    assert_done(wac("train lqg --out %s " SMALL " --epochs 1", at("run")));
    assert_done(wac("train lqg --out %s " SMALL " --epochs 1", at("same")));
    struct stat before, after;
    assert_int_equal(stat(at("run/manifest.json"), &before), 0);
    assert_says(wac("train lqg --out %s " SMALL " --epochs 2", at("run")), 1, "exists already");
    assert_says(wac("train lqg --out %s/ " SMALL " --epochs 2", at("run")), 1, "--resume");
    assert_says(wac("train lqg --out %s", at("run/config.yaml")), 1, "exists already");
    assert_same_runs(at("run"), at("same"));
    assert_int_equal(stat(at("run/manifest.json"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);

    /* the name that a run gets by itself */
    assert_int_equal(chdir(root), 0);
    const outcome *result = wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 0");
    assert_done(result);
    assert_string_equal(result->out, "runs/lqg-oac-7\n");
    assert_true(wac_path_exists(at("runs/lqg-oac-7/checkpoint")));
    assert_says(wac("train lqg --seed 7 --algorithm oac"), 1, "runs/lqg-oac-7 exists already");
    assert_int_equal(chdir("/"), 0);
}

/* --- signals -------------------------------------------------------------------------------- */

/* Start training without end; returns once `words` have appeared on its stderr. */
static pid_t start_long_run(int *err, const char *words)
{
    int ends[2];
    char arguments[1024], text[65536];
    snprintf(arguments, sizeof arguments, "train riverswim --out %s " SMALL " --epochs 1000000",
             at("run"));
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        dup2(open("/dev/null", O_WRONLY), 1);
        close(ends[0]);
        become_program(arguments);
    }
    close(ends[1]);
    *err = ends[0];
    size_t used = 0;
    do {
        ssize_t count = read(*err, text + used, sizeof text - 1 - used);
        assert_true(count > 0);
        used += (size_t)count;
        text[used] = 0;
    } while (!strstr(text, words));
    return child;
}

/* The last bytes of what comes until the other side closes. */
static void drain(int file, char *text, size_t size)
{
    size_t used = 0;
    ssize_t count;
    while ((count = read(file, text + used, size - 1 - used)) > 0 ||
           (count < 0 && errno == EINTR)) {
        used += count > 0 ? (size_t)count : 0;
        if (used > size / 2) {
            memmove(text, text + size / 4, used - size / 4);
            used -= size / 4;
        }
    }
    text[used] = 0;
    close(file);
}

static long rows(const char *path)
{
    char *text = contents(path, NULL);
    long count = -1; /* the header */
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    free(text);
    return count;
}

static void signals_leave_a_whole_run(void **state)
{
    (void)state;
    const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        int err;
        char text[4096];
        pid_t child = start_long_run(&err, i ? "epoch 2/" : "epoch 0/");
        /* meanwhile nobody else may train it */
        assert_says(wac("train --resume %s", at("run")), 1, "being trained by another process");
        kill(child, signals[i]);
        drain(err, text, sizeof text);
        assert_int_equal(status_of(child), 1);
        assert_non_null(strstr(text, "stopped and saved; go on with: wac train --resume "));
        assert_non_null(strstr(text, at("run")));
        long epochs = rows(at("run/progress.csv")) + 2;
        assert_done(wac("train --resume %s --epochs %ld --threads 2", at("run"), epochs));
        assert_done(wac("train riverswim --out %s " SMALL " --epochs %ld", at("whole"), epochs));
        assert_same_runs(at("whole"), at("run"));
        remove_folder(at("whole"));
        remove_folder(at("run"));
    }
}

/* --- what it looks like --------------------------------------------------------------------- */

static void plain_lines_without_a_terminal(void **state)
{
    (void)state;
    const outcome *result =
        wac("train riverswim --out %s " SMALL " --epochs 3 --seed 5", at("run"));
    assert_done(result);
    char folder[PATH_MAX + 1];
    snprintf(folder, sizeof folder, "%s\n", at("run"));
    assert_string_equal(result->out, folder);
    assert_null(strpbrk(result->err, "\033\r\b"));
    int lines = 0;
    char line[32];
    for (const char *c = result->err; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 4); /* what and where, then a line an epoch */
    for (int i = 0; i <= 3; i++) {
        snprintf(line, sizeof line, "\nepoch %d/3 ", i);
        assert_non_null(strstr(result->err, line));
    }
    assert_null(strpbrk(wac("envs")->out, "\033"));
    assert_null(strpbrk(wac("config")->out, "\033"));
}

/* All that the program writes to a terminal of 100 columns. The test keeps the terminal open
 * itself, for what is not yet read when the last user leaves may be lost, and writes the end mark.
 */
static void on_terminal(char *text, size_t size, char *words, bool colour, int status)
{
    static const char mark[] = "<end>";
    int terminal, user, result = 0;
    struct winsize window = {.ws_row = 40, .ws_col = 100};
    assert_int_equal(openpty(&terminal, &user, NULL, NULL, &window), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(terminal);
        login_tty(user);
        setenv("TERM", "xterm", 1);
        if (colour)
            unsetenv("NO_COLOR");
        else
            setenv("NO_COLOR", "1", 1);
        become_program(words);
    }
    bool ended = false;
    size_t used = 0;
    for (text[0] = 0; !strstr(text, mark); text[used] = 0) {
        struct pollfd reader = {.fd = terminal, .events = POLLIN};
        if (poll(&reader, 1, 20) > 0) {
            ssize_t count = read(terminal, text + used, size - 1 - used);
            assert_true(count > 0);
            used += (size_t)count;
        } else if (!ended && waitpid(child, &result, WNOHANG) == child) {
            ended = true;
            assert_int_equal(write(user, mark, strlen(mark)), strlen(mark));
        }
    }
    close(terminal);
    close(user);
    assert_true(WIFEXITED(result));
    assert_int_equal(WEXITSTATUS(result), status);
}

static bool has_colour(const char *text)
{
    for (const char *c = strstr(text, "\033["); c; c = strstr(c + 1, "\033["))
        if (c[2 + strspn(c + 2, "0123456789;")] == 'm')
            return true;
    return false;
}

static void a_bar_on_a_terminal(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[1024];
    for (int colour = 0; colour < 2; colour++) {
        snprintf(words, sizeof words, "train riverswim --out %s " SMALL " --epochs 3",
                 at("run%d", colour));
        on_terminal(text, sizeof text, words, colour, 0);
        const char *percent = strchr(text, '%');
        assert_non_null(percent);
        assert_true(percent[-1] >= '0' && percent[-1] <= '9');
        assert_non_null(strchr(text, '\r'));
        assert_non_null(strstr(text, "left")); /* the time */
        assert_non_null(strstr(text, "100%"));
        assert_non_null(strstr(text, "return"));
        assert_non_null(strstr(text, "coverage"));
        if (!colour)
            assert_false(has_colour(text));
        strcpy(words, "envs");
        on_terminal(text, sizeof text, words, colour, 0);
        assert_int_equal(has_colour(text), colour);
        strcpy(words, "train lgq");
        on_terminal(text, sizeof text, words, colour, 2);
        assert_non_null(strstr(text, "did you mean"));
    }
}

static void output_that_cannot_be_written(void **state)
{
    (void)state;
    int full = open("/dev/full", O_WRONLY);
    if (full < 0)
        skip();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        char words[] = "config";
        dup2(full, 1);
        dup2(open("/dev/null", O_WRONLY), 2);
        become_program(words);
    }
    close(full);
    assert_int_equal(status_of(child), 1);
}

/* --- evaluate ------------------------------------------------------------------------------- */

static void evaluate_tells_and_changes_nothing(void **state)
{
    (void)state;
    char first[4096];
    for (int i = 0; i < ALGORITHMS; i++) {
        assert_done(wac("train lqg --algorithm %s --out %s " SMALL " --epochs 2", algorithms[i],
                        at("run")));
        assert_done(wac("train lqg --algorithm %s --out %s " SMALL " --epochs 2", algorithms[i],
                        at("same")));
        const outcome *result = wac("evaluate %s", at("run"));
        assert_done(result);
        assert_string_equal(result->err, "");
        assert_non_null(strstr(result->out, "on lqg after 2 epochs, target policy, 10 episodes"));
        assert_non_null(strstr(result->out, "return   -"));
        assert_non_null(strstr(result->out, "length   25.0 steps"));
        assert_null(strstr(result->out, "success"));
        strcpy(first, result->out);
        assert_string_equal(wac("evaluate %s/", at("run"))->out, first);
        assert_string_not_equal(wac("evaluate %s --seed 1", at("run"))->out, first);
        result = wac("evaluate %s --policy behaviour --stochastic --episodes 3", at("run"));
        assert_done(result);
        assert_non_null(strstr(result->out, "behaviour policy, 3 episodes"));
        assert_same_runs(at("run"), at("same"));
        remove_folder(at("run"));
        remove_folder(at("same"));
    }
    assert_done(wac("train lqg --out %s " SMALL " --epochs 0", at("run")));
    remove_folder(at("run/checkpoint"));
    assert_says(wac("evaluate %s", at("run")), 1, "no checkpoint yet; train it first");
    save_text(at("run/config.yaml"), "environment: lqg\n");
    assert_says(wac("evaluate %s", at("run")), 1, "was cut short");
}

/* --- a full disk ---------------------------------------------------------------------------- */

static void a_limit_on_files(void **state)
{
    (void)state;
    assert_done(wac("train lqg --out %s " SMALL " --epochs 2", at("whole")));
    file_limit = 20000; /* less than a checkpoint */
    const outcome *result = wac("train lqg --out %s " SMALL " --epochs 2", at("run"));
    file_limit = RLIM_INFINITY;
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "File too large; raise the limit"));
    assert_non_null(strstr(result->err, "go on with: wac train --resume"));
    assert_int_equal(entries(at("run")), 3);
    assert_done(wac("train --resume %s", at("run")));
    assert_same_runs(at("whole"), at("run"));
}

/* Leave so many bytes of the disk free. */
static void fill(const char *path, off_t leave)
{
    static char bytes[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    off_t size = 0;
    ssize_t count;
    while ((count = write(file, bytes, sizeof bytes)) > 0)
        size += count;
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(ftruncate(file, size > leave ? size - leave : 0), 0);
    close(file);
}

static void a_full_disk_costs_nothing(void **state)
{
    (void)state;
    assert_int_equal(mkdir(at("disk"), 0777), 0);
    /* a disk of 1 MB that only this process and its children see */
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("tmpfs", at("disk"), "tmpfs", 0, "size=1m")) {
        print_message("not run: cannot mount a small disk here\n");
        skip();
    }
    fill(at("disk/ballast"), 0);
    const outcome *result = wac("train lqg --out %s " SMALL, at("disk/run"));
    assert_says(result, 1, "No space left on device; free some space");
    assert_int_equal(entries(at("disk")), 1);
    assert_int_equal(unlink(at("disk/ballast")), 0);

    assert_done(wac("train lqg --out %s " SMALL " --epochs 3", at("whole")));
    int failures = 0;
    for (off_t leave = 0;; leave += 8192) {
        assert_done(wac("train lqg --out %s " SMALL " --epochs 1", at("disk/run")));
        fill(at("disk/ballast"), leave);
        result = wac("train --resume %s --epochs 3", at("disk/run"));
        bool done = result->status == 0;
        if (!done) {
            assert_int_equal(result->status, 1);
            assert_non_null(strstr(result->err, "No space left on device; free some space"));
            assert_int_equal(entries(at("disk/run")), 4); /* nothing half written */
            failures++;
        }
        assert_int_equal(unlink(at("disk/ballast")), 0);
        assert_done(wac("train --resume %s --epochs 3", at("disk/run")));
        assert_same_runs(at("whole"), at("disk/run"));
        remove_folder(at("disk/run"));
        if (done)
            break;
    }
    assert_true(failures > 2);
    assert_int_equal(umount(at("disk")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(help_is_there),
        TEST(nonsense_is_refused),
        TEST(bad_files_are_refused),
        TEST(a_run_is_never_overwritten),
        TEST(signals_leave_a_whole_run),
        TEST(plain_lines_without_a_terminal),
        TEST(a_bar_on_a_terminal),
        TEST(output_that_cannot_be_written),
        TEST(evaluate_tells_and_changes_nothing),
        TEST(a_limit_on_files),
        TEST(a_full_disk_costs_nothing),
    };
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
