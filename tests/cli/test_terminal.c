/* The program on a terminal and without one: its bar and its plain lines, and that a signal costs
 * nothing. */
#include "support/program.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <utmp.h>

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
        assert_says(wac("train riverswim --out %s " SMALL " --epochs 1000000", at("run")), 2,
                    "another process is training this very run in ");
        kill(child, signals[i]);
        drain(err, text, sizeof text);
        assert_int_equal(status_of(child), 1);
        assert_non_null(
            strstr(text, "stopped and saved; go on with: " WAC_PROGRAM " train --resume "));
        assert_non_null(strstr(text, at("run")));
        long epochs = rows(at("run/progress.csv")) + 2;
        assert_done(wac("train --resume %s --epochs %ld --threads 2", at("run"), epochs));
        assert_done(wac("train riverswim --out %s " SMALL " --epochs %ld", at("whole"), epochs));
        assert_same_runs(at("whole"), at("run"));
        remove_folder(at("whole"));
        remove_folder(at("run"));
    }
}

static void a_second_signal_ends_at_once(void **state)
{
    (void)state;
    int err;
    char text[4096];
    pid_t child = start_long_run(&err, "epoch 2/");
    /* the second comes before the first is answered: both wait while the program is halted */
    kill(child, SIGSTOP);
    kill(child, SIGINT);
    kill(child, SIGTERM);
    kill(child, SIGCONT);
    drain(err, text, sizeof text);
    int status = status_of(child);
    assert_true(status == -SIGINT || status == -SIGTERM);
    assert_non_null(
        strstr(text, "wac: stopped at once; the last checkpoint, if there was one, is whole\n"));
    assert_done(wac("train --resume %s --epochs %ld", at("run"), rows(at("run/progress.csv"))));
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

/* All that the program writes to a terminal. The test keeps the terminal open itself, for what is
 * not yet read when the last user leaves may be lost, and writes the end mark. */
static void on_terminal(char *text, size_t size, char *words, int columns, bool colour, int status)
{
    static const char mark[] = "<end>";
    int terminal, user, result = 0;
    struct winsize window = {.ws_row = 40, .ws_col = (unsigned short)columns};
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

/* Tables fit into 80 columns. */
static void narrow_tables(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[1024];
    const char *const commands[] = {"envs",
                                    "config riverswim",
                                    "reproduce",
                                    "verify update " WAC_SOURCE_DIR
                                    "/tests/recorded/oac_cheetah_dims.safetensors",
                                    "stats " WAC_SOURCE_DIR "/results/riverswim/runs.tar.xz",
                                    "stats " WAC_SOURCE_DIR "/results/tuning/runs.tar.xz"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        snprintf(words, sizeof words, "%s", commands[i]);
        on_terminal(text, sizeof text, words, 80, false, 0);
        int columns = 0;
        for (const char *c = text; *c; c++) {
            columns = *c == '\n' ? 0 : columns + ((*c & 0xc0) != 0x80 && *c != '\r');
            if (columns > 79)
                fail_msg("%s: %.80s", words, c - 79);
        }
    }
}

static void a_bar_on_a_terminal(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[1024];
    for (int colour = 0; colour < 2; colour++) {
        snprintf(words, sizeof words, "train riverswim --out %s " SMALL " --epochs 3",
                 at("run%d", colour));
        on_terminal(text, sizeof text, words, 100, colour, 0);
        const char *percent = strchr(text, '%');
        assert_non_null(percent);
        assert_true(percent[-1] >= '0' && percent[-1] <= '9');
        assert_non_null(strchr(text, '\r'));
        assert_non_null(strstr(text, "left")); /* the time */
        assert_non_null(strstr(text, "100%"));
        assert_non_null(strstr(text, "return"));
        assert_non_null(strstr(text, "visited"));
        if (!colour)
            assert_false(has_colour(text));
        strcpy(words, "envs");
        on_terminal(text, sizeof text, words, 100, colour, 0);
        assert_int_equal(has_colour(text), colour);
        strcpy(words, "train lgq");
        on_terminal(text, sizeof text, words, 100, colour, 2);
        assert_non_null(strstr(text, "did you mean"));
    }
}

/* Columns of the longest line, without escape sequences. */
static int longest_line(const char *text)
{
    int column = 0, longest = 0;
    for (; *text; text++) {
        if (*text == '\033')
            text += 2 + strspn(text + 2, "0123456789;"); /* ends on the letter */
        else if (*text == '\r' || *text == '\n')
            column = 0;
        else
            longest = ++column > longest ? column : longest;
    }
    return longest;
}

static void a_bar_fits_its_terminal(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[1024];
    static const struct {
        int columns;
        bool visited; /* shown */
    } cases[] = {{100, true}, {80, true}, {40, false}, {22, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* in a folder of its own, so that only the bar is long */
        assert_int_equal(chdir(root), 0);
        snprintf(words, sizeof words, "train riverswim --out r%zu " SMALL " --epochs 12", i);
        on_terminal(text, sizeof text, words, cases[i].columns, true, 0);
        assert_int_equal(chdir("/"), 0);
        char *bars = strchr(text, '\n') + 1; /* after what and where */
        bars = strstr(bars, "\033[K");
        assert_non_null(bars);
        int longest = longest_line(bars);
        if (longest > cases[i].columns - 5)
            fail_msg("%d columns of %d", longest, cases[i].columns);
        assert_int_equal(strstr(bars, "visited") != NULL, cases[i].visited);
        assert_non_null(strstr(bars, "100%"));
    }
    /* the table of settings */
    for (int columns = 60; columns <= 100; columns += 20) {
        strcpy(words, "config riverswim");
        on_terminal(text, sizeof text, words, columns, true, 0);
        if (columns >= 80)
            assert_true(longest_line(text) < columns);
    }
}

/* Where the two have been, below their bars, if there is room. */
static void the_demo_shows_its_river(void **state)
{
    (void)state;
    static char text[1 << 20];
    char words[PATH_MAX + 64];
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    assert_done(wac("train riverswim --out %s/demo/oe-wac " SMALL " --epochs 1", root));
    assert_done(
        wac("train riverswim --algorithm sac --out %s/demo/sac " SMALL " --epochs 1", root));
    for (int columns = 90, epochs = 3; columns >= 60; columns -= 30, epochs += 2) {
        snprintf(words, sizeof words, "demo --out %s/demo --epochs %d", root, epochs);
        on_terminal(text, sizeof text, words, columns, false, 0);
        const char *bars = strstr(text, "\033[K"), *verdict = strstr(text, "Verdict");
        assert_true(bars && verdict && bars < verdict);
        const char *river = strstr(bars, "  OE-WAC  "), *unsure = strstr(bars, "unsure  ");
        if (columns == 90)
            assert_true(river && river < verdict && unsure && unsure < verdict);
        else
            assert_true(river > verdict && !unsure);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(signals_leave_a_whole_run),      TEST(a_second_signal_ends_at_once),
        TEST(plain_lines_without_a_terminal), TEST(a_bar_on_a_terminal),
        TEST(a_bar_fits_its_terminal),        TEST(narrow_tables),
        TEST(the_demo_shows_its_river),
    };
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
