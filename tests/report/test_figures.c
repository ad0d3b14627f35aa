/* Figures: what they show, to the number, by a gnuplot that keeps what it is asked to draw; their
 * sizes and bytes, by the real one; and what is refused. */
#include "support/fake_runs.h"

#include <math.h>
#include <sys/stat.h>

static bool has_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null 2>&1") == 0;
}

/* From here on gnuplot is a program that keeps its folder as kept/N and draws nothing. */
static char *honest_path;

static void keep_scripts(void)
{
    char path[PATH_MAX + 4096];
    mkdir(at("bin"), 0777);
    mkdir(at("kept"), 0777);
    snprintf(path, sizeof path,
             "#!/bin/sh\nn=$(ls %s | wc -l)\ncp -r . %s/$n\necho \"$3\" >%s/$n/commands\n"
             "echo '<svg/>' >picture\n",
             at("kept"), at("kept"), at("kept"));
    save_text(at("bin/gnuplot"), path);
    assert_int_equal(chmod(at("bin/gnuplot"), 0777), 0);
    honest_path = strdup(getenv("PATH"));
    snprintf(path, sizeof path, "%s:%s", at("bin"), honest_path);
    setenv("PATH", path, 1);
}

static int leave(void **state)
{
    if (honest_path)
        setenv("PATH", honest_path, 1);
    free(honest_path);
    honest_path = NULL;
    return remove_root(state);
}

/* A file of the first figure whose script has these words. */
static char *kept(const char *words, const char *file)
{
    for (int i = 0; wac_path_exists(at("kept/%d", i)); i++) {
        char *script = contents(at("kept/%d/script", i), NULL);
        bool found = strstr(script, words);
        free(script);
        if (found)
            return contents(at("kept/%d/%s", i, file), NULL);
    }
    fail_msg("no figure has \"%s\"", words);
    return NULL;
}

/* The numbers of a line of a kept file. */
static void assert_line(const char *words, const char *file, int line, int count,
                        const double *expected)
{
    char *text = kept(words, file), *at = text;
    for (int i = 0; i < line && at; i++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    for (int i = 0; i < count; i++) {
        double found = at ? strtod(at, &at) : NAN;
        if (!(fabs(found - expected[i]) <= 1e-4))
            fail_msg("%s, line %d, number %d: %g, not %g", file, line, i, found, expected[i]);
    }
    free(text);
}
#define ASSERT_LINE(words, file, line, ...)                                                        \
    assert_line(words, file, line, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)),        \
                (double[]){__VA_ARGS__})

static void assert_script(const char *words, const char *part)
{
    char *script = kept(words, "script");
    if (!strstr(script, part))
        fail_msg("the script with \"%s\" lacks \"%s\":\n%s", words, part, script);
    free(script);
}

static void assert_holds(const char *file, const char *words)
{
    char *text = contents(at("%s", file), NULL);
    if (!strstr(text, words))
        fail_msg("%s lacks %s:\n%s", file, words, text);
    free(text);
}

/* RiverSwim: OE-WAC with scores of 0.2, 0.4, 0.6 and 0.8, SAC with 0. */
static void make_scores(void)
{
    for (int i = 0; i < 8; i++) {
        double score = i < 4 ? 0.2 * (i + 1) : 0;
        fake river = {"riverswim", i < 4 ? "oe-wac" : "sac",
                      1 + i % 4,   3,
                      0,           NULL,
                      NULL,        NULL,
                      NULL,        161.6 * score,
                      0.1,         4,
                      -2};
        make_fake(at("runs/river-%d", i), &river);
    }
}

static void make_goals(void)
{
    for (int i = 0; i < 8; i++) { /* every other run succeeds from the start */
        fake point = {"point-1",
                      i < 4 ? "oe-wac" : "sac",
                      1 + i % 4,
                      3,
                      0,
                      NULL,
                      NULL,
                      NULL,
                      NULL,
                      -9,
                      NAN,
                      5 * (i % 2),
                      i % 2 ? 0 : -1};
        make_fake(at("runs/point-%d", i), &point);
    }
}

/* LQG: two settings of SAC, OE-WAC, and another program's TD3. */
static void make_strangers(void)
{
    for (int i = 0; i < 6; i++) {
        fake fake = {"lqg",
                     i < 4 ? "sac" : "oe-wac",
                     1 + i % 2,
                     3,
                     0,
                     "learning_rate",
                     i == 2 || i == 3 ? "0.01" : "0.001",
                     NULL,
                     NULL,
                     -2 + 0.1 * i,
                     0.1,
                     300,
                     -2};
        make_fake(at("runs/%d", i), &fake);
    }
    save_text(at("runs/other.csv"), "run,algorithm,environment,seed,step,value\n"
                                    "a,td3,lqg,1,500,-3\na,td3,lqg,1,90000,-3\n"
                                    "b,td3,lqg,2,500,-4\nb,td3,lqg,2,90000,-4\n");
}

/* --- numbers -------------------------------------------------------------------------------- */

static void test_kinds(void **state)
{
    (void)state;
    make_scores();
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    /* 1 of 4 has a return of 100; Clopper and Pearson */
    ASSERT_LINE("share of runs that solve it", "bars-0", 0, 0, 0.25, 0.006309, 0.805880);
    ASSERT_LINE("share of runs that solve it", "bars-0", 1, 1, 0, 0, 0.602365);
    /* all of four runs are above 0, two above 0.5, none above 1 */
    ASSERT_LINE("score > τ", "profile-0", 0, 0, 1, 1, 1);
    ASSERT_LINE("score > τ", "profile-0", 50, 0.5, 0.5);
    ASSERT_LINE("score > τ", "profile-0", 100, 1, 0, 0, 0);
    ASSERT_LINE("score > τ", "profile-1", 0, 0, 0, 0, 0);
    /* interquartile mean, median, mean, what is missing to 1 */
    ASSERT_LINE("missing to 1", "bars-0", 0, 0, 0.5);
    ASSERT_LINE("missing to 1", "bars-1", 0, 0, 0.5);
    ASSERT_LINE("missing to 1", "bars-2", 0, 0, 0.5);
    ASSERT_LINE("missing to 1", "bars-3", 0, 0, 0.5);
    ASSERT_LINE("missing to 1", "bars-3", 1, 1, 1, 1, 1);
    /* every run of OE-WAC is ahead of every one of SAC */
    ASSERT_LINE("probability that a run", "bars-0", 0, 0, 1, 1, 1, 0);
    assert_script("probability that a run", "set y2tics scale 0 ('SAC' 0)");
    /* the same in numbers, for other programs */
    assert_holds("out/figures/4-solved.csv", "task,line,measure,share,low,high,n\n"
                                             "riverswim,oe-wac,solved,0.25,0.00630946");
    assert_holds("out/figures/5-profile.csv", "task,line,measure,x,share,low,high,n\n"
                                              "all,oe-wac,score,0,1,1,1,4\n");
    assert_holds("out/figures/6-aggregates.csv", "all,oe-wac,gap,0.5,");
    assert_holds("out/figures/7-improvement.csv", "all,oe-wac over sac,score,1,1,1,4\n");
}

/* Of two tasks the median and the mean are of their means; only those that all have are added up.
 */
static void test_tasks(void **state)
{
    (void)state;
    make_scores();
    make_goals();
    fake alone = {"point-2", "sac", 1, 3, 0, NULL, NULL, NULL, NULL, -9, NAN, 1, 0};
    make_fake(at("runs/alone"), &alone);
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    /* OE-WAC: 0, 1, 0, 1 and 0.2 to 0.8; SAC: 0, 1, 0, 1 and 0 */
    ASSERT_LINE("missing to 1", "bars-0", 0, 0, 0.5);
    ASSERT_LINE("missing to 1", "bars-0", 1, 1, 0);
    ASSERT_LINE("missing to 1", "bars-1", 1, 1, 0.25);
    ASSERT_LINE("missing to 1", "bars-2", 1, 1, 0.25);
    ASSERT_LINE("probability that a run", "bars-0", 0, 0, 0.75);
    assert_script("score > τ", "2 tasks");
    /* shares of different tasks have one range */
    char *script = kept("set xlabel 'score' tc rgb grey\nset ytics", "script");
    size_t ranges = 0;
    for (const char *at = script; (at = strstr(at, "set xrange [0:1]")); at++)
        ranges++;
    assert_int_equal(ranges, 3);
    free(script);
}

/* Curves over epochs, steps and time, of means and interquartile means, within what is possible. */
static void test_curves(void **state)
{
    (void)state;
    make_goals();
    keep_scripts();
    assert_done(
        wac("report %s --out %s --x steps --curve iqm --seeds-shown", at("runs"), at("out")));
    ASSERT_LINE("'episodes completed'", "curve-0-0-0", 0, 1000, 0.5, 0, 1);
    ASSERT_LINE("'episodes completed'", "curve-1-0-0", 3, 4000, 2.5, 0, 5);
    assert_script("'episodes completed'", "set xlabel 'environment steps'");
    /* the runs one by one, each ended by a blank line */
    ASSERT_LINE("'episodes completed'", "seeds-0-0-0", 4, 1000, 1);
    ASSERT_LINE("'episodes completed'", "seeds-0-0-0", 6, 2000, 1);
    char *page = contents(at("out/report.html"), NULL);
    assert_non_null(strstr(page, "Interquartile means of 4 runs each; bands are bootstrap"));
    assert_non_null(strstr(page, "Thin lines are single runs."));
    assert_non_null(strstr(page, " --x steps --curve iqm --seeds-shown"));
    free(page);
}

/* Of 600 epochs, and the row before them, 5 each make a point, in the middle of them. */
static void test_long_curves(void **state)
{
    (void)state;
    fake run = {"point-1", "sac", 1, 600, 0, NULL, NULL, NULL, NULL, -9, NAN, 4, 298};
    make_fake(at("runs/long"), &run);
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    ASSERT_LINE("'episodes completed'", "curve-0-0-0", 0, 2, 0);
    ASSERT_LINE("'episodes completed'", "curve-0-0-0", 59, 297, 2. / 5);
    ASSERT_LINE("'episodes completed'", "curve-0-0-0", 120, 600, 1);
    assert_script("'episodes completed'", "set xrange [0:600]");
    assert_holds("out/report.html", "Each point is the mean of 5 epochs.");
}

/* 0.5 ± 2 · 0.577 / 2 reaches beyond what success can be, and 2.5 ± 2.89 below no episode. */
static void test_bands(void **state)
{
    (void)state;
    make_goals();
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    ASSERT_LINE("'episodes completed'", "curve-0-0-0", 2, 2, 0.5, 0, 1);
    ASSERT_LINE("'episodes completed'", "curve-1-0-0", 2, 2, 2.5, 0, 5.38675);
    char *page = contents(at("out/report.html"), NULL);
    assert_non_null(strstr(page, "Bands end at what is possible."));
    free(page);
}

/* No run of RiverSwim is below 0: nor is the axis, though a band is; and its top is on the page. */
static void test_ground(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fake run = {"riverswim", "sac", 1 + i, 3, 0, NULL, NULL, NULL, NULL, 100 * i, 0.1, 4, -2};
        make_fake(at("runs/%d", i), &run);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    ASSERT_LINE("'return'", "curve-0-0-0", 2, 2, 50, -50, 150);
    assert_script("'return'", "set yrange [0:156]");
    assert_script("'score'", "with boxxyerror");
}

/* A name has what tells the most first, and is broken at its commas where it is too long for a row
 * of a narrow legend, or for its share of a row of bars. */
static void test_names(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        fake run = {"lqg",
                    i < 2 ? "oe-wac" : "sac",
                    1,
                    3 + i,
                    0,
                    "entropy_weight",
                    i ? "0.01" : "0.001",
                    i < 2 ? "lambda" : NULL,
                    i ? "5" : "0.5",
                    -1,
                    0.1,
                    4,
                    -2};
        make_fake(at("runs/%d", i), &run);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s --figure-width 3.3in", at("runs"), at("out")));
    assert_script("'return'", "'OE-WAC λ 5, entropy weight 0.01, ' at screen");
    assert_script("'return'", "'epochs 4' at screen");
    assert_script("'score'", "'OE-WAC λ 5, '.\"\\n\".'entropy weight 0.01, '.\"\\n\".'epochs 4' 1");
    /* the panel has more than half of the width */
    char *script = kept("'score'", "script");
    double left = 0, right = 0;
    sscanf(strstr(script, "set lmargin"), "set lmargin at screen %lf; set rmargin at screen %lf",
           &left, &right);
    assert_true(right - left > 0.5);
    free(script);
}

/* The algorithm that all have is for the caption. */
static void test_one_algorithm(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        fake run = {"lqg", "oe-wac", 1,  3,   0, "lambda", i ? "5" : "0.5",
                    NULL,  NULL,     -1, 0.1, 4, -2};
        make_fake(at("runs/%d", i), &run);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    assert_script("'return'", "'λ 5' at screen");
    assert_script("'score'", "'λ 0.5' 0, 'λ 5' 1");
    assert_holds("out/report.html", "All runs are of OE-WAC.");
    assert_holds("out/figures/1-curves.csv", "lqg,oe-wac lambda 5,");
}

/* Four seeds of two algorithms on two tasks of the suite and one that has no scale; settings of
 * their own are not named, since each algorithm has but one choice of them. */
static void make_suite(void)
{
    static const char *const tasks[] = {"pointmaze-u", "reacher-hard", "point-1"};
    for (int i = 0; i < 24; i++) {
        int task = i / 8, seed = 1 + i % 4;
        bool wac = i % 8 < 4;
        fake fake = {tasks[task], wac ? "oe-wac" : "sac",
                     seed,        12,
                     0,           wac ? "target_rate" : "learning_rate",
                     "0.01",      wac ? "width" : "batch_size",
                     "64",        0,
                     NAN,         10,
                     -2};
        fake.reached = task == 0 ? (wac ? 59.5 : 11.9) + seed : task == 1 ? 13.6 : -40;
        make_fake(at("runs/%02d", i), &fake);
    }
}

static void test_normalised(void **state)
{
    (void)state;
    make_suite();
    save_text(at("suite.yaml"),
              "title: T\nscales:\n  quick:\n"
              "    environments: [pointmaze-u, reacher-hard, point-1]\n"
              "    algorithms: [oe-wac, sac]\n    seeds: 4\n    settings: {epochs: 12}\n"
              "    oe-wac: {target_rate: 0.01, width: 64}\n"
              "    sac: {learning_rate: 0.01, batch_size: 64}\nfigures:\n"
              "  - {kind: aggregates, title: A, measure: normalised}\n"
              "  - {kind: profile, title: P, measure: normalised}\n"
              "  - {kind: improvement, title: I, measure: normalised}\n"
              "  - {kind: bars, title: B, measure: normalised}\n");
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    /* means of 0.521 and 0.121 on one task and 0 on the other */
    assert_holds("out/report.html", "<th class=\"n\">OE-WAC</th><th class=\"n\">SAC</th></tr>");
    assert_holds("out/report.html",
                 "<tr><td>PointMaze, U</td><td class=\"n\"><strong>0.52 ± 0.01</strong></td>"
                 "<td class=\"n\">0.12 ± 0.01</td></tr>");
    assert_holds("out/report.html", "<tr><td>mean of 2 tasks</td><td class=\"n\"><strong>0.26"
                                    "</strong></td><td class=\"n\">0.06</td></tr>");
    const outcome *result = wac("stats %s --measure normalised", at("runs"));
    assert_done(result);
    assert_non_null(strstr(result->out, "Returns as shares of the best possible, 2 tasks"));
    assert_done(wac("reproduce %s --from %s --out %s", at("suite.yaml"), at("runs"), at("own")));
    assert_holds("own/report.html", "the share of runs whose normalised return, as a share");
    assert_holds("own/figures/1-aggregates.csv", "all,oe-wac,mean,0.26");
    assert_holds("own/figures/3-improvement.csv", "all,oe-wac over sac,normalised,0.75,");
    assert_script("share of runs with normalised return > τ", "OE-WAC");
    assert_done(wac("stats %s --measure regret", at("runs")));
}

/* A search that ended its choices at different epochs: curves are of choices, those that went
 * furthest; against a setting all count as of the same epoch. */
static void test_search(void **state)
{
    (void)state;
    for (int i = 0; i < 15; i++) {
        char rate[16];
        int epochs = i == 14 ? 9 : i > 11 ? 3 : i == 0 ? 1 : 0;
        snprintf(rate, sizeof rate, "%g", 1e-5 * (1 << i));
        fake run = {"lqg", "oe-wac",  1,   epochs, 0, "learning_rate", rate, NULL,
                    NULL,  -15.0 + i, NAN, 4,      -2};
        make_fake(at("runs/%02d", i), &run);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    static const char *const shown[] = {"lr 0.16384, epochs 9", "lr 0.08192, epochs 3",
                                        "lr 0.04096, epochs 3", "lr 1.0e-05, epochs 1",
                                        "lr 0.02048, epochs 0", "lr 0.00032, epochs 0"};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_script("'return'", shown[i]);
    char *script = kept("'return'", "script");
    assert_non_null(strstr(script, "lr 0.00016"));
    assert_null(strstr(script, "lr 8.0e-05"));
    assert_null(strstr(script, "'epochs"));
    assert_non_null(strstr(script, "2 with points pt ")); /* a curve of one point */
    free(script);
    assert_holds("out/report.html", "Shown are 12 of 15: those that went furthest, then those with "
                                    "the best scores.");
    assert_holds("out/report.html", "As of epoch 0, which all of them reached.");
    /* so many values, of so different size */
    assert_script("'learning rate'", "set logscale x");
    assert_script("'learning rate'", "set xtics autofreq; set format x '10^{%T}'");
    char *page = contents(at("out/report.html"), NULL);
    assert_null(strstr(page, "against epochs"));
    free(page);
}

/* Bars of negative numbers would be the longer the worse. */
static void test_negative(void **state)
{
    (void)state;
    make_strangers();
    keep_scripts();
    assert_done(wac("report %s %s --out %s", at("runs"), at("runs/other.csv"), at("out")));
    char *script = kept("'score'", "script");
    assert_null(strstr(script, "boxxyerror"));
    assert_non_null(strstr(script, "? $2 : NaN):1:3:4 with xerrorbars"));
    free(script);
    assert_holds("out/report.html", "they are points, not bars: further right is more.");
}

/* One run takes twice as long as the other: after 4 seconds it is at half of its way. */
static void test_time(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char command[3 * PATH_MAX];
        fake run = {"lqg", "sac", 1 + i, 4, 0, NULL, NULL, NULL, NULL, 0, NAN, 4, -2};
        make_fake(at("runs/%d", i), &run);
        snprintf(command, sizeof command,
                 "awk -F, -v OFS=, 'NR > 1 { $4 = $1; $13 = %d * $1 } 1' %s >%s && mv %s %s", 2 - i,
                 at("runs/%d/progress.csv", i), at("new"), at("new"),
                 at("runs/%d/progress.csv", i));
        assert_int_equal(system(command), 0);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s --x seconds", at("runs"), at("out")));
    ASSERT_LINE("seconds of training", "curve-0-0-0", 0, 0, 0);
    ASSERT_LINE("seconds of training", "curve-0-0-0", 2, 2, 1.5);
    ASSERT_LINE("seconds of training", "curve-0-0-0", 4, 4, 3);
    char *page = contents(at("out/report.html"), NULL);
    assert_non_null(strstr(page, "are interpolated"));
    free(page);
}

/* A bar that reaches below 0 is whole and solid; one value of a setting makes no figure. */
static void test_settings(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) { /* coverage 0 and 0.2 each */
        fake fake = {"lqg", "oe-wac", 1 + i % 2,     3,   0, "lambda", i < 2 ? "0" : "0.5", NULL,
                     NULL,  -1,       0.2 * (i % 2), 300, -2};
        make_fake(at("runs/%d", i), &fake);
    }
    keep_scripts();
    assert_done(wac("report %s --out %s", at("runs"), at("out")));
    ASSERT_LINE("with yerrorbars", "levels-0-0", 0, 0, 0.1, 0.2);
    assert_script("with yerrorbars", "set yrange [*:*]");
    assert_script("with yerrorbars", "dt 1 lc rgb");
    save_text(at("one.yaml"),
              "title: T\nscales:\n  quick: {environments: lqg, algorithms: oe-wac, seeds: 2, "
              "settings: {epochs: 3, lambda: [0, 0.5]}}\nfigures:\n"
              "  - {kind: settings, title: One, x: lambda, where: {lambda: 0.5}}\n"
              "  - {kind: solved, title: Two}\n");
    const outcome *result =
        wac("reproduce %s --from %s --out %s", at("one.yaml"), at("runs"), at("one"));
    assert_done(result);
    assert_null(strstr(result->err, "could not be drawn"));
    char *page = contents(at("one/report.html"), NULL);
    assert_non_null(strstr(page, "“One” is not drawn: all of these runs have λ 0.5"));
    free(page);
    assert_false(wac_path_exists(at("one/figures/1-settings.svg")));
    assert_true(wac_path_exists(at("one/figures/2-solved.svg")));
}

/* A series has the same colour in all figures of a page. */
static void test_looks(void **state)
{
    (void)state;
    make_strangers();
    keep_scripts();
    assert_done(wac("report %s %s --out %s", at("runs"), at("runs/other.csv"), at("out")));
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
    for (int i = 0; i < 4; i++) { /* OE-WAC, SAC, SAC again, TD3 */
        char part[160];
        char *rows = kept("'score'", "bars-0"), *row = rows;
        int look = -1;
        for (int k = 0; k < i; k++)
            row = strchr(row, '\n') + 1;
        assert_int_equal(sscanf(row, "%*s %*s %*s %*s %d", &look), 1);
        free(rows);
        snprintf(part, sizeof part, "($5 == %d ?", look);
        char *script = kept("'score'", "script"), *bar = strstr(script, part);
        assert_non_null(bar);
        assert_memory_equal(strstr(bar, "rgb '") + 5, colours[i], 7);
        free(script);
        script = kept("'return'", "script");
        snprintf(part, sizeof part, "'curve-0-0-%d' using ($1 / 1):2 with lines", i);
        assert_non_null(bar = strstr(script, part));
        assert_memory_equal(strstr(bar, "lc rgb '") + 8, colours[i], 7);
        free(script);
    }
}

/* Who has no seconds is in no figure over them, nor in its legend, and the page says so. */
static void test_placeless(void **state)
{
    (void)state;
    make_strangers();
    keep_scripts();
    assert_done(
        wac("report %s %s --out %s --x seconds", at("runs"), at("runs/other.csv"), at("out")));
    char *script = kept("seconds of training", "script");
    assert_non_null(strstr(script, "OE-WAC"));
    assert_null(strstr(script, "td3"));
    free(script);
    assert_script("'score'", "td3");
    assert_holds("out/report.html", "Not shown, since no seconds are known: td3.");
}

/* --- files ---------------------------------------------------------------------------------- */

/* Newer versions of cairo compress what tells width and time. */
static bool is_packed_pdf(const char *path)
{
    size_t size;
    char *bytes = contents(path, &size);
    bool packed = memmem(bytes, size, "/ObjStm", 7);
    free(bytes);
    return packed;
}

static double width_of_pdf(const char *path)
{
    size_t size;
    char *bytes = contents(path, &size);
    const char *box = memmem(bytes, size, "/MediaBox", 9);
    double width = NAN;
    assert_non_null(box);
    assert_int_equal(sscanf(box, "/MediaBox%*[ [] 0 0 %lf", &width), 1);
    assert_null(memmem(bytes, size, "CreationDate", 12));
    free(bytes);
    return width;
}

static unsigned width_of_png(const char *path)
{
    char *bytes = contents(path, NULL);
    const unsigned char *at = (const unsigned char *)bytes + 16;
    unsigned width = (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3];
    free(bytes);
    return width;
}

static const char *const names[] = {"1-curves", "2-curves",  "3-curves",     "4-bars",
                                    "5-solved", "6-profile", "7-aggregates", "8-improvement"};
enum { NAMES = sizeof names / sizeof *names };

/* Every figure is as wide as was asked, and the same at every time. */
static void test_files(void **state)
{
    (void)state;
    if (!has_gnuplot())
        skip();
    make_scores();
    make_goals();
    assert_done(wac("report %s --out %s --figure-width 3.3in", at("runs"), at("a")));
    assert_done(wac("report %s --out %s --figure-width 8.4cm", at("runs"), at("b")));
    sleep(1); /* a file that tells the time would tell another one */
    assert_done(wac("report %s --out %s --figure-width 3.3in", at("runs"), at("c")));
    bool packed = is_packed_pdf(at("a/figures/1-curves.pdf"));
    if (packed)
        print_message("this cairo compresses PDFs: their width and time are not looked at\n");
    for (int i = 0; i < NAMES; i++) {
        static const char *const endings[] = {"svg", "png", "pdf"};
        if (!packed) {
            assert_true(fabs(width_of_pdf(at("a/figures/%s.pdf", names[i])) - 237.6) < 0.001);
            assert_true(fabs(width_of_pdf(at("b/figures/%s.pdf", names[i])) - 238.11) < 0.001);
        }
        assert_int_equal(width_of_png(at("a/figures/%s.png", names[i])), 990);
        for (int k = 0; k < (packed ? 2 : 3); k++) {
            size_t size, other;
            char *one = contents(at("a/figures/%s.%s", names[i], endings[k]), &size);
            char *two = contents(at("c/figures/%s.%s", names[i], endings[k]), &other);
            if (size != other || memcmp(one, two, size) != 0)
                fail_msg("%s.%s is not the same again", names[i], endings[k]);
            free(one);
            free(two);
        }
    }
    /* without a width: what the page needs, and another picture for small screens */
    assert_done(wac("report %s --out %s", at("runs"), at("d")));
    assert_true(packed || width_of_pdf(at("d/figures/1-curves.pdf")) > 800);
    assert_true(wac_path_exists(at("d/figures/1-curves-narrow.svg")));
    assert_false(wac_path_exists(at("a/figures/1-curves-narrow.svg")));
    char *page = contents(at("d/report.html"), NULL);
    assert_non_null(strstr(page, "<source media=\"(max-width:40rem)\""));
    free(page);
    /* a report over it takes away what it does not draw */
    assert_done(wac("report %s --out %s --figure-width 3.3in", at("runs"), at("d")));
    assert_false(wac_path_exists(at("d/figures/1-curves-narrow.svg")));
}

/* --- refusals ------------------------------------------------------------------------------- */

static void assert_file_refused(const char *figure, const char *words)
{
    char text[1024];
    snprintf(text, sizeof text,
             "title: T\nscales: {quick: {environments: lqg, algorithms: sac}}\nfigures:\n  - %s\n",
             figure);
    save_text(at("bad.yaml"), text);
    assert_says(wac("reproduce %s --out %s", at("bad.yaml"), at("o")), 2, words);
}

static void test_refusals(void **state)
{
    (void)state;
    make_scores();
    static const char *const lengths[] = {"3.3", "in", "0.2in", "41in", "3.3inch", "-3in", "1e3mm"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        assert_says(wac("report %s --figure-width=%s", at("runs"), lengths[i]), 2,
                    "--figure-width must be a length from 1in to 40in");
    assert_says(wac("report %s --x epochs", at("runs")), 2, "--x must be epoch, steps or seconds");
    assert_says(wac("report %s --curve median", at("runs")), 2, "--curve must be mean or iqm");
    assert_file_refused("{kind: curves, title: T, rows: return, x: lambda}",
                        "\"x\" of curves must be epoch, steps or seconds, not \"lambda\"");
    assert_file_refused("{kind: settings, title: T, x: lamda}", "did you mean");
    assert_file_refused("{kind: bars, title: T, seeds: true}",
                        "\"seeds\" is nothing that bars take");
    assert_file_refused("{kind: solved, title: T, curve: iqm}", "\"curve\" is nothing that solved");
    assert_file_refused("{kind: bars, title: T, x: lambda}", "\"x\" is nothing that bars take");
    assert_file_refused("{kind: curves, title: T, rows: return, curve: median}", "mean");
    assert_file_refused("{kind: solved, title: T, measure: return}",
                        "\"measure\" is nothing that solved take");
    assert_file_refused("{kind: profile, title: T, measure: return}",
                        "\"measure\" of profile must be score or normalised");
    assert_false(wac_path_exists(at("o")));
}

#define FIGURE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIGURE_TEST(test_kinds),         FIGURE_TEST(test_tasks),      FIGURE_TEST(test_curves),
        FIGURE_TEST(test_long_curves),   FIGURE_TEST(test_bands),      FIGURE_TEST(test_time),
        FIGURE_TEST(test_settings),      FIGURE_TEST(test_looks),      FIGURE_TEST(test_placeless),
        FIGURE_TEST(test_ground),        FIGURE_TEST(test_negative),   FIGURE_TEST(test_names),
        FIGURE_TEST(test_one_algorithm), FIGURE_TEST(test_normalised), FIGURE_TEST(test_search),
        FIGURE_TEST(test_files),         FIGURE_TEST(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
