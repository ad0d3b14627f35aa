/* The program with plug-ins: every command that takes an environment takes them, a crash in one is
 * explained, and `wac check` tells good worlds from bad ones. */
#include "support/program.h"

#include <signal.h>

static int enter_plugins(void **state)
{
    return setup(state) == 0 && chdir(WAC_PLUGINS) == 0 ? 0 : -1;
}

static void assert_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no \"%s\" in: %s", words, text);
}

/* --- commands ------------------------------------------------------------------------------- */

static void runs_are_trained_and_used(void **state)
{
    (void)state;
    assert_done(wac("train ./good.so --epochs 3 --out %s " SMALL, at("whole")));
    char *config = contents(at("whole/config.yaml"), NULL);
    assert_int_equal(strncmp(config, "environment: ./good.so\n", 23), 0);
    free(config);
    assert_done(wac("train ./good.so --epochs 2 --out %s " SMALL, at("cut")));
    assert_done(wac("train --resume %s --epochs 3", at("cut")));
    assert_same_runs(at("cut"), at("whole"));
    /* the settings as a file */
    assert_done(wac("train --config %s --out %s", at("whole/config.yaml"), at("again")));
    assert_same_runs(at("again"), at("whole"));
    const outcome *result = wac("evaluate %s", at("whole"));
    assert_done(result);
    assert_has(result->out, "on ./good.so after 3 epochs");
    result = wac("config ./good.so");
    assert_done(result);
    assert_has(result->out, "Settings of ./good.so");
    /* one state, one action: there is a map */
    assert_done(wac("render %s --out %s", at("whole"), at("map.svg")));
    assert_true(wac_path_exists(at("map.svg")));
    /* without --out the folder is named after the file */
    assert_int_equal(chdir(root), 0);
    assert_done(wac("train " WAC_PLUGINS "/good.so --epochs 0 --algorithm sac " SMALL));
    assert_true(wac_path_exists(at("runs/good-sac-1/config.yaml")));
}

static void worlds_may_draw_themselves(void **state)
{
    (void)state;
    assert_done(wac("train ./draws.so --epochs 0 --out %s " SMALL, at("run")));
    const outcome *result = wac("render %s --seconds 1", at("run"));
    assert_done(result);
    assert_has(result->out, "figures/motion.gif\n");
    size_t size;
    char *bytes = contents(at("run/figures/motion.gif"), &size);
    assert_true(size > 1000 && memcmp(bytes, "GIF89a", 6) == 0);
    free(bytes);
    assert_has(wac("render %s --out x.png", at("run"))->err, "moves");
    /* as it is at the start of an episode, by the name of its file */
    assert_int_equal(chdir(root), 0);
    result = wac("render " WAC_PLUGINS "/draws.so");
    assert_done(result);
    assert_string_equal(result->out, "draws.png\ndraws.svg\n");
    bytes = contents(at("draws.svg"), NULL);
    assert_has(bytes, "a walk along a line");
    assert_null(strstr(bytes, "nan"));
    free(bytes);
    assert_says(wac("render " WAC_PLUGINS "/posing.so"), 1, "by itself has nothing to draw");
}

static void sweeps_and_experiments_reach_them(void **state)
{
    (void)state;
    save_text(at("sweep.yaml"),
              "environments: [./good.so, lqg]\nalgorithms: sac\nseeds: 2\n"
              "settings: {width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40,\n"
              "  updates: 15, evaluation_steps: 60, path_limit: 25, epochs: 2}\n"
              "./good.so: {discount: 0.9}\n");
    assert_done(wac("sweep %s --out %s", at("sweep.yaml"), at("sweep")));
    assert_done(wac("train ./good.so --algorithm sac --seed 2 --epochs 2 --discount 0.9 --width 16 "
                    "--batch-size 16 --initial-steps 30 --explore-steps 40 --updates 15 "
                    "--evaluation-steps 60 --path-limit 25 --out %s",
                    at("alone")));
    assert_same_runs(at("sweep/good/sac/seed-2"), at("alone"));
    const outcome *result = wac("stats %s", at("sweep"));
    assert_done(result);
    assert_has(result->out, "./good.so");
    save_text(at("own.yaml"),
              "title: An experiment\nscales:\n  quick:\n    environments: ./good.so\n"
              "    algorithms: [oe-wac, sac]\n    seeds: 2\n"
              "    settings: {width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40,\n"
              "      updates: 15, evaluation_steps: 60, path_limit: 25, epochs: 2}\n"
              "figures:\n  - {kind: curves, title: Return, rows: return}\n"
              "claims:\n  - {says: Ahead, rule: ahead-of, who: oe-wac, than: sac,"
              " where: {environment: ./good.so}}\n");
    assert_done(wac("reproduce %s --out %s", at("own.yaml"), at("own")));
    assert_true(wac_path_exists(at("own/report.html")));
    assert_true(wac_path_exists(at("own/runs/good/sac/seed-1/progress.csv")));
    /* a table of other programs' runs names environments, and loads none */
    save_text(at("foreign.csv"),
              "run,algorithm,environment,seed,step,value\na,ppo,./nowhere.so,1,10,1\n"
              "b,ppo,./crashes.so,1,10,1\n");
    assert_done(wac("stats %s %s", at("sweep"), at("foreign.csv")));
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const char *const commands[] = {"train", "config", "check", "render"};
    for (int i = 0; i < 4; i++) {
        int status = i < 3 ? 2 : 1;
        assert_says(wac("%s ./nowhere.so", commands[i]), status,
                    "there is no plug-in ./nowhere.so");
        assert_says(wac("%s ./version.so", commands[i]), status, "is a plug-in of version 4");
    }
    assert_says(wac("train good.so"), 2, "named by its path: ./good.so");
    assert_says(wac("train ./refuses.so --out %s", at("no")), 1, "the motor has no power");
    assert_says(wac("check ./refuses.so"), 1, "the motor has no power");
    assert_says(wac("check ./sizes.so"), 2, "0 actions");
    assert_false(wac_path_exists(at("no")));
    save_text(at("sweep.yaml"), "environments: ./symbol.so\nalgorithms: sac\nseeds: 1\n");
    assert_says(wac("sweep %s --out %s", at("sweep.yaml"), at("sweep")), 2,
                "sweep.yaml:1: ./symbol.so is no plug-in");
    const outcome *result = wac("train ./numbers.so --out %s " SMALL, at("nan"));
    assert_int_equal(result->status, 1);
    assert_has(result->err, "environment ./numbers.so: observation 0 is nan after step 3");
}

/* --- crashes -------------------------------------------------------------------------------- */

static void crashes_are_explained(void **state)
{
    (void)state;
#if defined WAC_SANITIZED || defined WAC_EMULATED
    skip(); /* others look after crashes there */
#endif
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    const char *const commands[] = {"train", "check", "render"};
    for (int i = 0; i < 3; i++)
        assert_says(wac("%s ./crashes.so", commands[i]), -SIGSEGV,
                    "wac: environment ./crashes.so crashed in create: Segmentation fault; ");
    assert_says(wac("check ./aborts.so"), -SIGABRT, "./aborts.so crashed in step: Aborted; ");
    /* a library cut short */
    char *bytes = contents("good.so", NULL);
    assert_ok(wac_file_write(at("cut.so"), bytes, 900, &error));
    free(bytes);
    assert_says(wac("check %s", at("cut.so")), -SIGBUS, "cut.so crashed in loading: Bus error; ");
    /* in the middle of a run: what was saved is there */
    const outcome *result = wac("train ./aborts.so --out %s " SMALL, at("run"));
    assert_int_equal(result->status, -SIGABRT);
    assert_has(result->err, "./aborts.so crashed in step: Aborted; ");
    assert_true(wac_path_exists(at("run/config.yaml")));
    /* a sweep goes on without it */
    save_text(at("sweep.yaml"),
              "environments: [./aborts.so, ./good.so]\nalgorithms: sac\nseeds: 1\n"
              "settings: {width: 16, batch_size: 16, initial_steps: 30, explore_steps: 40,\n"
              "  updates: 15, evaluation_steps: 60, path_limit: 25, epochs: 1}\n");
    result = wac("sweep %s --out %s", at("sweep.yaml"), at("sweep"));
    assert_int_equal(result->status, 1);
    assert_has(result->err, "./aborts.so crashed in step");
    assert_true(wac_path_exists(at("sweep/good/sac/seed-1/checkpoint")));
}

/* --- wac check ------------------------------------------------------------------------------ */

static void worlds_are_checked(void **state)
{
    (void)state;
    const outcome *result = wac("check ./good.so --reward-min -1");
    assert_done(result);
    assert_string_equal(result->err, "");
    assert_has(result->out, "ok       state    ");
    assert_has(result->out, "\n./good.so: 0 mistakes, 0 notes\n");
    assert_null(strstr(result->out, "note  "));
    result = wac("check ./numbers.so");
    assert_int_equal(result->status, 1);
    assert_has(result->out, "MISTAKE  numbers  observation 0 is nan after step 3");
    assert_has(result->out, "?        seed     ");
    assert_has(result->out, "\n./numbers.so: 1 mistake, 0 notes\n");
    result = wac("check ./good.so --steps 10 --path-limit 5 --algorithm sac");
    assert_done(result);
    assert_has(result->out, "10 steps in 2 episodes");
    assert_says(wac("check rivreswim"), 2, "did you mean \"riverswim\"?");
    assert_says(wac("check lqg --steps 0"), 2, "steps");
    assert_says(wac("check lqg --river-length 3"), 2, "is not read by lqg");
}

#define IN_PLUGINS(name) cmocka_unit_test_setup_teardown(name, enter_plugins, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_PLUGINS(runs_are_trained_and_used),
        IN_PLUGINS(worlds_may_draw_themselves),
        IN_PLUGINS(sweeps_and_experiments_reach_them),
        IN_PLUGINS(what_is_wrong_is_said),
        IN_PLUGINS(crashes_are_explained),
        IN_PLUGINS(worlds_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
