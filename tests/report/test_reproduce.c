/* wac reproduce: experiments trained and judged, judged again from runs of before, and the
 * scoreboard of all. */
#include "base/json.h"
#include "report/scoreboard_files.h"
#include "support/reports.h"

#include <sys/stat.h>

static void test_from(void **state)
{
    (void)state;
    make_point("runs");
    fake other = {"point-1", "sac", 1, 7, 0, NULL, NULL, NULL, NULL, -90, NAN, 30, 2};
    make_fake(at("runs/other"), &other);
    assert_says(wac("reproduce mujoco --from %s --out %s", at("runs"), at("out")), 1,
                "runs belongs to mujoco: the nearest has environment point-1, not ");
    assert_says(
        wac("reproduce point-dense --scale paper --from %s --out %s", at("runs"), at("out")), 1,
        "at scale paper: the nearest has epochs 7, not 300; ");
    assert_non_null(strstr(wac("reproduce mujoco --from %s --out %s", at("runs"), at("out"))->err,
                           "experiments/mujoco.yaml says which would\n"));
    assert_false(wac_path_exists(at("out")));
    /* the scale is found out: quick */
    const outcome *result = wac("reproduce point-dense --from %s --out %s", at("runs"), at("out"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 7  undecided  Point 1: all four solve it"));
    assert_non_null(strstr(result->out, "scale quick"));
    assert_non_null(strstr(result->out, at("out/report.html\n")));
    assert_non_null(strstr(result->err, "judged at scale quick"));
    assert_non_null(strstr(result->err, "1 of the runs are no part"));
    char *page = page_of("out");
    static const char *const parts[] = {
        "id=\"claims\"",
        "at scale quick",
        "Point 1: ME-WAC solves it in 1 of 1 run (exact 95 % interval",
        "<strong>needs 4 seeds at least</strong>",
        "points towards",
        "Figure 4 a, b",
        "<td class=\"n\">1*</td>",
        "* fewer than 4 seeds: too few",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(page, parts[i]))
            fail_msg("the page lacks \"%s\"", parts[i]);
    free(page);
    /* the verdicts as data */
    json_error_t why;
    json_t *claims = json_load_file(at("out/claims.json"), 0, &why);
    assert_non_null(claims);
    assert_string_equal(json_string_value(json_object_get(claims, "scale")), "quick");
    assert_int_equal(json_array_size(json_object_get(claims, "claims")), 4);
    json_decref(claims);
    assert_int_equal(count_lines(at("out/data.csv"), "run,task,environment,algorithm,seed"),
                     1 + 2 * 26 * 9);
    /* what was made can be reported again */
    remove_folder(at("runs/sac"));
    result = wac("report %s", at("out"));
    assert_done(result);
    assert_non_null(strstr(result->err, "missing: point-1/sac/seed-1"));
    assert_non_null(strstr(result->out, "SAC solves it in 0 of 0 runs"));
    assert_non_null(strstr(result->out, "waits for point-1/sac/seed-1"));
    /* a note of old, and claims that nobody judges so any more */
    save_text(at("out/reproduce.json"), "{\"experiment\": \"point-dense\", \"scale\": \"full\", "
                                        "\"runs\": \"../runs\"}\n");
    save_text(at("out/experiment.yaml"), "title: T\nscales: {}\n");
    result = wac("report %s", at("out"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "judged by the claims of today"));
    assert_non_null(strstr(result->err, "belongs to point-dense at scale paper"));
}

/* A small experiment of one's own, trained, judged, and judged again. */
static void test_reproduce(void **state)
{
    (void)state;
    const char *runs = "{environments: lqg, algorithms: oe-wac, seeds: 4, settings: {epochs: 1, "
                       "width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40, updates: "
                       "5, evaluation_steps: 60, replay_capacity: 1000, lambda: [0, 0.5]}}";
    char text[4096];
    snprintf(text, sizeof text,
             "title: Mine\nscales:\n  quick: %s\n  half: %s\n  paper: %s\n"
             "figures:\n  - {kind: maps, title: Maps, where: {lambda: 0.5}}\n"
             "  - {kind: curves, title: Return, rows: return, lines: algorithm}\n"
             "  - {kind: settings, title: Score, measure: score, x: lambda}\n"
             "claims:\n  - {says: it is so, rule: correlation, below: 1.5}\n",
             runs, runs, runs);
    save_text(at("mine.yaml"), text);
    /* what it would do and how long that takes, and nothing is done */
    const outcome *result = wac("reproduce %s --out %s --dry-run", at("mine.yaml"), at("out"));
    assert_done(result);
    assert_non_null(strstr(result->out, "start  lqg/oe-wac/lambda-0.5/seed-4\n"));
    assert_non_null(strstr(result->out, "8 to start, 0 to go on with, 0 done\nabout "));
    assert_false(wac_path_exists(at("out")));
    result = wac("reproduce %s --out %s --workers 1", at("mine.yaml"), at("out"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 1  holds      it is so"));
    assert_non_null(strstr(result->out, "epochs than scale paper."));
    char *page = page_of("out");
    assert_non_null(strstr(page, "<th>Claim</th>"));
    assert_null(strstr(page, "The paper"));
    assert_true(!has_program("gnuplot") || !strstr(page, "could not be drawn"));
    free(page);
    assert_int_equal(entries(at("out/runs/lqg/oe-wac")), 2);
    if (has_program("gnuplot")) {
        assert_true(wac_path_exists(at("out/figures/1-maps.svg")));
        assert_true(wac_path_exists(at("out/figures/1-maps.pdf")));
        /* runs of different settings are not one line */
        char *curves = contents(at("out/figures/2-curves.svg"), NULL);
        assert_non_null(strstr(curves, "λ 0.5"));
        free(curves);
        /* scores below 0 are within the range */
        char *levels = contents(at("out/figures/3-settings.svg"), NULL);
        assert_non_null(strstr(levels, "−"));
        assert_null(strstr(levels, "no data"));
        free(levels);
    }
    /* settings for all runs: the same again goes on, others are refused */
    for (int i = 0; i < 2; i++) {
        result = wac("reproduce %s --out %s --workers 1 --discount 0.9 --replay-checkpoint none",
                     at("mine.yaml"), at("given"));
        assert_done(result);
        assert_int_equal(strstr(result->err, "nothing left to do") != NULL, i);
    }
    assert_non_null(strstr(result->out, " 1  holds      it is so"));
    page = page_of("given");
    assert_non_null(strstr(page, " --scale quick --replay-checkpoint none --discount 0.9 --out "));
    free(page);
    char *own = contents(at("given/runs/lqg/oe-wac/lambda-0.5/seed-4/config.yaml"), NULL);
    assert_true(strstr(own, "discount: 0.9 ") && strstr(own, "replay_checkpoint: none "));
    free(own);
    result = wac("report %s", at("given"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 1  holds      it is so"));
    assert_says(wac("reproduce %s --out %s", at("mine.yaml"), at("given")), 2,
                "holds mine with --replay-checkpoint none --discount 0.9; give the same");
    assert_says(wac("reproduce %s --out %s --discount 0.9", at("mine.yaml"), at("out")), 2,
                "holds mine without --discount 0.9; give the same");
    assert_says(wac("reproduce %s --out %s --width 32", at("mine.yaml"), at("new")), 2,
                "mine at scale quick itself says the width of its runs; leave --width out");
    assert_false(wac_path_exists(at("new")));
    /* another experiment does not take its place */
    char *before = contents(at("out/experiment.yaml"), NULL);
    result = wac("reproduce mujoco --out %s --workers 1", at("out"));
    assert_says(result, 2, "holds the experiment mine");
    assert_says(wac("reproduce %s --scale half --out %s", at("mine.yaml"), at("out")), 2,
                "holds mine at scale quick");
    assert_true(wac_path_exists(at("out/report.html")));
    char *after = contents(at("out/experiment.yaml"), NULL);
    assert_string_equal(before, after);
    free(before);
    free(after);
    /* one is lost: the next call makes it anew */
    remove_folder(at("out/runs/lqg/oe-wac/lambda-0/seed-2"));
    result = wac("reproduce %s --out %s --dry-run", at("mine.yaml"), at("out"));
    assert_done(result);
    assert_non_null(strstr(result->out, "1 to start, 0 to go on with, 7 done\n"));
    result = wac("reproduce %s --out %s --workers 1", at("mine.yaml"), at("out"));
    assert_done(result);
    assert_null(strstr(result->err, "missing"));
}

static void test_reproduce_refusals(void **state)
{
    (void)state;
    const outcome *result = wac("reproduce");
    assert_done(result);
    assert_non_null(strstr(result->out, "point-dense"));
    assert_non_null(strstr(result->out, "80: "));
    assert_says(wac("reproduce point-dens"), 2, "did you mean \"point-dense\"?");
    assert_says(wac("reproduce xyzzy"), 2, "lists them");
    assert_says(wac("reproduce mujoco --scale huge"), 2, "quick, half, paper or strong");
    assert_says(wac("reproduce --scale full"), 2, "name an experiment");
    assert_says(wac("reproduce --dry-run"), 2, "name an experiment");
    assert_says(wac("reproduce mujoco --dry-run --from %s", at("none")), 2, "trains nothing");
    assert_says(wac("reproduce mujoco --from %s --out %s", at("none"), at("o")), 1, "none");
    save_text(at("file"), "x");
    assert_says(wac("reproduce mujoco --out %s", at("file/x")), 1, "file/x");
    /* nothing of others is touched, nothing is left behind */
    mkdir(at("other"), 0777);
    save_text(at("other/sweep.yaml"), "x");
    assert_says(wac("reproduce mujoco --out %s", at("other")), 2, "has files in it");
    assert_int_equal(entries(at("other")), 1);
    mkdir(at("empty"), 0777);
    assert_int_equal(wac("reproduce mujoco --from %s --out %s", at("empty"), at("o"))->status, 1);
    assert_false(wac_path_exists(at("o")));
    save_text(at("half.yaml"),
              "title: T\nscales: {half: {environments: lqg, algorithms: sac}, full: "
              "{environments: lqg, algorithms: oac}}\n");
    assert_says(wac("reproduce %s --scale quick --out %s", at("half.yaml"), at("o")), 2,
                "half has no scale quick; it has half, paper, strong");
    save_text(at("sweep.yaml"), "environments: lqg\nalgorithms: sac\n");
    assert_says(wac("reproduce %s", at("sweep.yaml")), 2, "wac sweep ");
    save_text(at("tiny.yaml"), "title: T\nscales: {tiny: {environments: lqg}}\n");
    assert_says(wac("reproduce %s", at("tiny.yaml")), 2, "scales are quick, half, paper, strong");
    /* a claim about runs that nobody makes */
    save_text(at("none.yaml"), "title: T\nscales: {quick: {environments: lqg, algorithms: sac}}\n"
                               "claims: [{says: S, rule: all, who: oac}]\n");
    assert_says(wac("reproduce %s --out %s", at("none.yaml"), at("o")), 2,
                "claim 1 (S): no scale has a run of oac");
    save_text(at("bad.yaml"), "title: 3\nscalez: {}\n");
    assert_says(wac("reproduce %s --out %s", at("bad.yaml"), at("o")), 2,
                "did you mean \"scales\"");
}

/* --- the scoreboard ----------------------------------------------------------------------------
 */

static void make_coverage(const char *folder, const char *environment, double slope, int seeds)
{
    static const char *const lambdas[] = {"0", "0.5", "1"};
    bool noisy = strcmp(environment, "lqg") == 0;
    for (int i = 0; i < 3; i++)
        for (int seed = 1; seed <= seeds; seed++) {
            fake fake = {environment,
                         "oe-wac",
                         seed,
                         15,
                         0,
                         "lambda",
                         lambdas[i],
                         noisy ? "noise_std" : "width",
                         noisy ? "0.15" : "64",
                         -1,
                         0,
                         10,
                         -2};
            fake.coverage = 0.5 + slope * i + 0.001 * seed;
            make_fake(at("%s/%d-%d", folder, i, seed), &fake);
        }
}

static const char *verdict_of(const json_t *claims, size_t number)
{
    const json_t *claim = json_array_get(json_object_get(claims, "claims"), number - 1);
    assert_int_equal(json_integer_value(json_object_get(claim, "number")), number);
    return json_string_value(json_object_get(claim, "verdict"));
}

static void assert_scores(const char *first)
{
    json_t *claims = json_load_file(at("board/claims.json"), 0, NULL);
    assert_non_null(claims);
    assert_int_equal(json_array_size(json_object_get(claims, "claims")), 12);
    assert_int_equal(json_array_size(json_object_get(claims, "experiments")), 9);
    assert_string_equal(verdict_of(claims, 1), first);
    assert_string_equal(verdict_of(claims, 12), "not run");
    const json_t *finding = json_array_get(
        json_object_get(json_array_get(json_object_get(claims, "claims"), 0), "findings"), 0);
    assert_string_equal(json_string_value(json_object_get(finding, "experiment")), "coverage-lqg");
    assert_int_equal(json_integer_value(json_object_get(finding, "planned")), 15);
    assert_true(json_real_value(json_object_get(finding, "p")) < 0.001);
    json_decref(claims);
}

static void test_scoreboard(void **state)
{
    (void)state;
    make_coverage("lqg", "lqg", 0.1, 5);
    assert_says(wac("reproduce --all --from %s", at("nowhere")), 1, "there is no folder");
    assert_says(wac("reproduce --all %s", at("lqg")), 2, "after --from");
    assert_says(wac("reproduce --all --scale half"), 2, "at their own scale");
    assert_says(wac("reproduce --all --figure-width 3in"), 2, "takes --from and --out");
    assert_says(wac("reproduce --all --precision mixed"), 2, "takes --from and --out");
    assert_says(wac("reproduce --precision mixed"), 2, "name an experiment");
    assert_says(wac("reproduce --workers 2"), 2, "name an experiment");
    const outcome *listed = wac("reproduce");
    assert_int_equal(listed->status, 0);
    assert_non_null(strstr(listed->out, "\nriverswim             12: 2 min "));
    assert_non_null(strstr(listed->out, " reproduce riverswim\n"));
    const outcome *result = wac("reproduce --all --from %s --out %s", at("lqg"), at("board"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 1  undecided  Coverage rises with λ"));
    assert_non_null(strstr(result->out, "coverage-lqg (quick), coverage-riverswim (not run)"));
    assert_non_null(strstr(result->out, "0 hold, 0 fail, 3 undecided, 9 not run"));
    assert_non_null(strstr(result->out, at("board/scoreboard.html\n")));
    assert_scores("undecided");
    /* both hold */
    make_coverage("river", "riverswim", 0.1, 5);
    result = wac("reproduce --all --from %s %s --out %s", at("lqg"), at("river"), at("board"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 1  holds      Coverage rises with λ"));
    assert_non_null(strstr(result->out, "1 holds, 0 fail, 2 undecided, 9 not run"));
    assert_scores("holds");
    char *page = contents(at("board/scoreboard.html"), NULL);
    assert_non_null(strstr(page, "<span class=\"soft\">coverage-riverswim</span>"));
    assert_non_null(strstr(page, "not run: wac reproduce mujoco"));
    assert_non_null(strstr(page, "9 <span class=\"v not run\">not run</span>.</p>"));
    assert_non_null(strstr(page, "not run</span></td><td>wac reproduce mujoco runs it</td>"));
    assert_int_equal(count_of(page, "<details>"), 3);
    assert_null(strstr(page, "<script"));
    free(page);
    char *table = contents(at("board/scoreboard.tex"), NULL);
    assert_non_null(strstr(table, "\\toprule"));
    assert_non_null(strstr(table, " & not run & mujoco (not run) \\\\"));
    assert_non_null(strstr(table, "1 & Coverage rises with $\\lambda$, on LQG and on RiverSwim & "
                                  "holds & coverage-lqg (quick), coverage-riverswim (quick) \\\\"));
    free(table);
    /* one fails */
    remove_folder(at("river"));
    make_coverage("river", "riverswim", -0.1, 5);
    assert_done(wac("reproduce --all --from %s %s --out %s", at("lqg"), at("river"), at("board")));
    assert_scores("fails");
    /* folders of `wac reproduce`, at their own scale and seeds, found below the one that is given
     */
    make_coverage("more", "lqg", 0.1, 7);
    mkdir(at("made"), 0777);
    assert_done(wac("reproduce coverage-lqg --from %s --scale quick --seeds 7 --out %s", at("more"),
                    at("made/seven")));
    result = wac("reproduce --all --from %s --out %s", at("made"), at("made"));
    assert_done(result);
    assert_non_null(strstr(result->out, "coverage-lqg (quick with 7 seeds)"));
    assert_says(wac("reproduce --all --from %s --out %s", at("made"), at("made/seven")), 2,
                "holds the experiment coverage-lqg");
    assert_int_equal(mkdir(at("empty"), 0777), 0);
    assert_says(wac("reproduce --all --from %s --out %s", at("empty"), at("nothing")), 1,
                at("empty belongs to an experiment with claims of the paper (there is: no run at "
                   "all)"));
    assert_false(wac_path_exists(at("nothing")));
    /* with settings of its own: runs of the experiment are those that have them */
    make_coverage("mixed", "lqg", 0.1, 5);
    char change[2 * PATH_MAX];
    snprintf(change, sizeof change, "sed -i 's/^precision: single/precision: mixed/' %s/*/*.yaml",
             at("mixed"));
    assert_int_equal(system(change), 0);
    mkdir(at("given"), 0777);
    strcpy(change, at("given/lqg"));
    assert_says(wac("reproduce coverage-lqg --from %s --out %s", at("mixed"), change), 1,
                "precision");
    assert_says(wac("reproduce coverage-lqg --from %s --out %s --lambda 0.5", at("mixed"), change),
                2, "coverage-lqg at scale quick itself says the lambda of its runs");
    assert_done(wac("reproduce coverage-lqg --from %s --out %s --scale quick --precision mixed",
                    at("mixed"), change));
    page = page_of("given/lqg");
    assert_non_null(strstr(page, "--scale quick --precision mixed --from"));
    free(page);
    assert_says(wac("reproduce coverage-lqg --from %s --out %s --scale quick", at("mixed"), change),
                2, "holds coverage-lqg with --precision mixed; give the same, or");
    result = wac("report %s", change);
    assert_done(result);
    assert_null(strstr(result->err, "missing"));
    /* the folder says with which it was made */
    assert_done(wac("pack %s", change));
    result = wac("reproduce coverage-lqg --from %s --out %s", change, at("given/again"));
    assert_done(result);
    assert_null(strstr(result->err, "missing"));
    remove_folder(at("given/again"));
    result = wac("reproduce --all --from %s %s --out %s", at("given"), at("river"), at("board"));
    assert_done(result);
    assert_scores("fails");
    /* an experiment that is none of the paper's */
    mkdir(at("own"), 0777);
    save_text(at("mine.yaml"), "title: T\nscales:\n  half: {environments: lqg, algorithms: oe-wac, "
                               "seeds: 5, settings: {epochs: 15, lambda: [0, 0.5, 1], noise_std: "
                               "0.15}}\nclaims:\n  - {says: up, rule: rises-with, setting: lambda, "
                               "measure: coverage}\n");
    assert_done(wac("reproduce %s --from %s --out %s", at("mine.yaml"), at("lqg"), at("own/mine")));
    assert_says(wac("reproduce --all --from %s --out %s", at("own"), at("nothing")), 1,
                "(there is: mine (half) has a claim of its own: holds)");
    assert_false(wac_path_exists(at("nothing")));
    result = wac("reproduce --all --from %s %s --out %s", at("own"), at("lqg"), at("board"));
    assert_done(result);
    assert_non_null(
        strstr(result->out, "not of the paper: mine (half) has a claim of its own: holds\n"));
    page = contents(at("board/scoreboard.html"), NULL);
    assert_non_null(strstr(page, "Not of the paper: mine (half) has a claim of its own: holds."));
    free(page);
    json_t *data = json_load_file(at("board/claims.json"), 0, NULL);
    const json_t *other = json_array_get(json_object_get(data, "others"), 0);
    assert_string_equal(json_string_value(json_object_get(other, "experiment")), "mine");
    assert_string_equal(verdict_of(other, 1), "holds");
    json_decref(data);
}

static void test_tex(void **state)
{
    (void)state;
    char *made;
    size_t size;
    FILE *to = open_memstream(&made, &size);
    wac_tex_escape(to, "5 % of λ_x & {a} ~ \\ −1 < #2");
    fclose(to);
    assert_string_equal(made, "5 \\% of $\\lambda$\\_x \\& \\{a\\} \\textasciitilde{} "
                              "\\textbackslash{} $-$1 $<$ \\#2");
    free(made);
}

static void test_seeds(void **state)
{
    (void)state;
    make_coverage("runs", "lqg", 0.1, 5);
    const outcome *result = wac("reproduce coverage-lqg --from %s --scale quick --seeds 6 --out %s",
                                at("runs"), at("out"));
    assert_done(result);
    assert_non_null(strstr(result->err, "missing: lqg/oe-wac/lambda-0_rho-0.5/seed-6"));
    char *page = page_of("out");
    assert_non_null(strstr(page, "at scale quick with 6 seeds"));
    assert_non_null(strstr(page, "<strong>waits for lqg/oe-wac/lambda-0_rho-0.5/seed-6, "
                                 "lqg/oe-wac/lambda-0.5_rho-0.5/seed-6 and 1 more</strong>"));
    free(page);
    assert_says(
        wac("reproduce coverage-lqg --from %s --scale quick --out %s", at("runs"), at("out")), 2,
        "with --seeds 6");
    assert_says(wac("reproduce coverage-lqg --from %s --seeds 6 --out %s", at("runs"), at("out")),
                2, "holds coverage-lqg at scale quick");
    assert_says(wac("reproduce coverage-lqg --from %s --scale quick --seeds 5 --out %s", at("runs"),
                    at("out")),
                2, "with --seeds 6; give --seeds with as many or more,");
    assert_done(wac("reproduce coverage-lqg --from %s --scale quick --seeds 7 --out %s", at("runs"),
                    at("out")));
    /* further seeds are not passed over in silence */
    assert_says(wac("reproduce coverage-lqg --from %s --scale quick --seeds 4 --out %s", at("runs"),
                    at("fewer")),
                2, "further seeds than --seeds 4");
    assert_false(wac_path_exists(at("fewer")));
    /* the report remembers */
    result = wac("report %s", at("out"));
    assert_done(result);
    assert_non_null(strstr(result->err, "missing: lqg/oe-wac/lambda-0_rho-0.5/seed-6"));
    json_t *claims = json_load_file(at("out/claims.json"), 0, NULL);
    assert_int_equal(json_integer_value(json_object_get(claims, "seeds_asked_for")), 7);
    assert_string_equal(json_string_value(json_object_get(claims, "experiment")), "coverage-lqg");
    assert_int_equal(json_array_size(json_object_get(claims, "missing")), 6);
    json_decref(claims);
    assert_says(wac("reproduce coverage-lqg --seeds 0"), 2, "--seeds must be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_from),       TEST(test_reproduce), TEST(test_reproduce_refusals),
        TEST(test_scoreboard), TEST(test_tex),       TEST(test_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
