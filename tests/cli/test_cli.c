/* The program as a user meets it: what it prints, its exit status, what it says to bad input, and
 * that a full disk costs nothing. Terminals and signals are in test_terminal.c. */
#include "support/program.h"

#include <errno.h>
#include <jansson.h>
#include <sched.h>
#include <sys/mount.h>

/* --- help ----------------------------------------------------------------------------------- */

/* A terminal of 80 columns breaks no line. */
static void assert_narrow(const char *text)
{
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        if (length > 79)
            fail_msg("%zu columns: %.*s", length, (int)length, text);
    }
}

static void help_is_there(void **state)
{
    (void)state;
    enum { COMMANDS = 18 };
    const char *const commands[COMMANDS] = {"train",  "evaluate",   "export", "sweep",     "tune",
                                            "render", "stats",      "report", "reproduce", "pack",
                                            "envs",   "config",     "check",  "verify",    "bench",
                                            "demo",   "completion", "watch"};
    const char *const overviews[] = {"--help", "-h", "help", "help help", "help --help"};
    for (int i = 0; i < 5; i++) {
        const outcome *result = wac("%s", overviews[i]);
        assert_int_equal(result->status, 0);
        assert_string_equal(result->err, "");
        assert_narrow(result->out);
        assert_non_null(strstr(result->out, "2 asked wrongly"));
        for (int j = 0; j < COMMANDS; j++)
            assert_non_null(strstr(result->out, commands[j]));
    }
    for (int j = 0; j < COMMANDS; j++) {
        const outcome *result = wac("%s --help", commands[j]);
        char text[sizeof result->out];
        assert_int_equal(result->status, 0);
        assert_string_equal(result->err, "");
        assert_non_null(strstr(result->out, "Usage"));
        assert_non_null(strstr(result->out, commands[j]));
        assert_narrow(result->out);
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
    assert_non_null(strstr(result->out, "point-1-sparse"));
}

/* --- bad input ------------------------------------------------------------------------------ */

/* What an installation gets from the program: pages of the manual, and what shells complete. */
static void the_program_documents_itself(void **state)
{
    (void)state;
    assert_non_null(strstr(wac("help --man")->out, ".BR wac\\-export (1)"));
    const char *page = wac("help --man train")->out;
    const char *const parts[] = {".TH WAC-TRAIN 1 ", "wac\\-train \\- learn a policy",
                                 ".SH SYNOPSIS",     ".SH DESCRIPTION\nA run is",
                                 ".SH FLAGS",        ".SH EXAMPLES"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_non_null(strstr(page, parts[i]));
    static const char *const shells[] = {"bash", "zsh", "fish"};
    for (size_t i = 0; i < 3; i++) {
        const outcome *result = wac("completion %s", shells[i]);
        assert_int_equal(result->status, 0);
        assert_true(strstr(result->out, "keep-best") && strstr(result->out, "oe-wac me-wac") &&
                    strstr(result->out, " riverswim"));
    }
    assert_says(wac("completion csh"), 2, "must be bash, zsh or fish");
    assert_says(wac("help --man trian"), 2, "did you mean \"train\"?");
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int status;
        const char *answer;
    } cases[] = {
        {"trian", 2, "unknown command \"trian\"; did you mean \"train\"?"},
        {"xyzzy", 2, "unknown command \"xyzzy\"; see \"" WAC_PROGRAM " help\""},
        {"help trian", 2, "did you mean \"train\"?"},
        {"train", 2, "name an environment"},
        {"train rivrswim", 2, "unknown environment \"rivrswim\"; did you mean \"riverswim\"?"},
        {"train lqg lqg", 2, "what to do with \"lqg\"?"},
        {"train lqg --algorithm oe_wca", 2, "did you mean \"oe-wac\"?"},
        {"train lqg --algorithm ppo", 2, "unknown algorithm \"ppo\""},
        {"train lqg --epoch 3", 2, "unknown flag \"--epoch\"; did you mean \"--epochs\"?"},
        {"train lqg --algorithm wac", 2, "did you mean \"oe-wac\" or \"me-wac\"?"},
        {"train lqg --lr 3", 2, "did you mean \"--learning-rate\"?"},
        {"train lqg --gamma 3", 2, "did you mean \"--discount\"?"},
        {"train lqg --total_timesteps 3", 2,
         "did you mean \"--epochs\"? An epoch takes explore-steps steps"},
        {"train lqg --output-dir x", 2, "did you mean \"--out\"?"},
        {"train lqg --jobs 2", 2, "did you mean \"--threads\"?"},
        {"train lqg --gpu", 2, "did you mean \"--device\"? It takes cpu or cuda"},
        {"train --env lqg", 2, "the environment needs none, as in: " WAC_PROGRAM " train river"},
        {"train arm.xml", 2, "a model of your own is mujoco:arm.xml"},
        {"train my.yaml", 2, "a file of settings goes behind train --config"},
        {"train Hopper-v4", 2, "unknown environment \"Hopper-v4\"; did you mean \"hopper\"?"},
        {"sweep a.yaml --jobs 2", 2, "did you mean \"--workers\"?"},
        {"evaluate a --num-episodes 2", 2, "did you mean \"--episodes\"?"},
        {"evaluate a --device cuda", 2,
         "unknown flag \"--device\"; it is one of train, sweep, tune, reproduce or verify, see \""},
        {"reproduce riverswim --onyl a", 2, "did you mean \"--only\"?"},
        {"train lqg --pathlimit 3", 2, "did you mean \"--path-limit\"?"},
        {"train lqg -e 3", 2, "unknown flag \"-e\""},
        {"train lqg --algorithm sac --lambda 1", 2, "\"lambda\" is not read by sac"},
        {"train lqg --oac-beta 1", 2, "\"oac_beta\" is not read by oe-wac"},
        {"train lqg --critics 5", 2, "\"critics\" is not read by oe-wac (only by redq)"},
        {"train lqg --policy-delay 5", 2, "\"policy_delay\" is not read by oe-wac"},
        {"train lqg --algorithm redq --critics 33", 2, "critics must be from 2 to 32"},
        {"train lqg --algorithm top --posterior gaussian", 2,
         "setting \"posterior\" is not read by top (only by oe-wac, me-wac, wql)"},
        {"train lqg --algorithm oe-wac --quantiles 7", 2,
         "setting \"quantiles\" is not read by oe-wac (only by top, bro)"},
        {"train lqg --algorithm redq --subset 11", 2,
         "subset (11) must not be larger than critics (10)"},
        {"train lqg --members 5", 2, "\"members\" is not read by oe-wac (only by sunrise)"},
        {"train lqg --algorithm sunrise --members 17", 2, "members must be from 1 to 16"},
        {"train lqg --algorithm sunrise --num-ensemble 3", 2, "did you mean \"--members\"?"},
        {"train lqg --algorithm sunrise --exploration sampling --worlds 2", 2,
         "set worlds to 1, or exploration to optimistic or mean"},
        {"train lqg --algorithm sac --trunk shared", 2, "\"trunk\" is not read by sac"},
        {"train lqg --posterior cauchy", 2, "posterior must be gaussian or particles"},
        {"train lqg --posterior particles --particles 1", 2, "particles must be from 2 to 10000"},
        {"train lqg --posterior particles --trunk shared", 2, "set trunk to apart, or posterior"},
        {"train lqg --trunk shared --learning-rate 1e-3", 2, "set both to the same, or trunk"},
        {"train lqg --network resnet", 2, "network must be plain, simba or bronet"},
        {"train lqg --network simba --blocks 5", 2, "blocks must be from 1 to 4"},
        {"train lqg --network bronet --precision mixed", 2, "set precision to single, or network"},
        {"train lqg --actor-hidden-dim 128", 2, "did you mean \"--policy-width\"?"},
        {"train lqg --target-entropy -3", 2, "did you mean \"--entropy-target\"?"},
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
        {"train lqg --stop-success 0.5", 2, "lqg has none; leave it out"},
        {"train lqg --out /dev/null/run", 1, "Not a directory"},
        {"train --resume a --out b", 2, "leave --out out"},
        {"train --resume a --config b", 2, "leave --config out"},
        {"train lqg --device gpu", 2, "--device must be cpu or cuda, not \"gpu\""},
        {"train --resume a lqg", 2, "leave \"lqg\" out"},
        {"train --resume a --seed 2", 2, "--resume takes seed from the run"},
        {"train --resume a --epochs 0", 2, "--epochs must be at least 1"},
        {"train --resume a --epochs x", 2, "epochs must be a whole number"},
        {"train --resume /no/such/run", 1, "there is no run /no/such/run"},
        {"train --resume /dev/null", 1, "there is no run /dev/null"},
        {"evaluate", 2, "which run?"},
        {"evaluate /no/such/run", 1, "there is no run /no/such/run"},
        {"evaluate a --episodes 0", 2, "--episodes must be a whole number from 1"},
        {"evaluate a --policy target", 2, "--policy must be last, best or behaviour, not \"targ"},
        {"evaluate a --polices target", 2, "did you mean \"--policy\"?"},
        {"evaluate a --stochastic=1", 2, "--stochastic takes no value"},
        {"export", 2, "which run?"},
        {"export a", 2, "what as? Give --to c, onnx or safetensors"},
        {"export a --to tflite", 2, "--to must be c, onnx or safetensors, not \"tflite\""},
        {"export a --to c --weights int4", 2, "--weights must be float or int8"},
        {"export a --to onnx --weights int8", 2, "--weights int8 is for --to c only"},
        {"export /no/such/run --to c", 1, "there is no run /no/such/run"},
        {"export / --to c", 1, "/ is not a run"},
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
        {"environment: lqg\ngamma: 0.9\n", 2, ":2: unknown setting \"gamma\"; did you mean \"disc"},
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

    /* a good file for another algorithm */
    save_text(path, "environment: lqg\nlambda: 1\n");
    assert_says(wac("train --config %s --algorithm sac --out %s", path, at("run")), 2,
                "The file is for oe-wac; make one with: " WAC_PROGRAM
                " config lqg --algorithm sac --yaml");

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
    assert_says(wac("train lqg --out %s " SMALL " --epochs 2", at("run")), 2,
                "is this very run already; go on with: " WAC_PROGRAM " train --resume ");
    assert_says(wac("train lqg --out %s/ " SMALL " --epochs 2", at("run")), 2,
                "/run/ --epochs 2, or choose another --out or --seed");
    assert_says(wac("train lqg --out %s " SMALL " --epochs 1", at("run")), 2,
                "is this very run, and finished; try it with: " WAC_PROGRAM " evaluate ");
    /* what it tells to type can be typed */
    assert_int_equal(rename(at("same"), at("it's")), 0);
    assert_says(wac("train lqg --out %s " SMALL " --epochs 2", at("it's")), 2,
                "/it'\\''s' --epochs 2, or");
    assert_int_equal(rename(at("it's"), at("same")), 0);
    assert_says(wac("train lqg --out %s " SMALL " --epochs 0", at("run")), 2,
                "is another run already (epochs is 1 there); choose another --out");
    assert_says(wac("train lqg --out %s " SMALL " --epochs 2 --learning-rate 0", at("run")), 2,
                "is another run already (learning_rate is 0.0003 there); choose another --out");
    assert_says(wac("train riverswim --out %s " SMALL " --epochs 1", at("run")), 2,
                "is another run already (lqg is there); choose another --out");
    assert_says(wac("train lqg --out %s", at("run/config.yaml")), 2, "exists and is no run");
    assert_says(wac("train lqg --out %s", root), 2, "exists and is no run");
    assert_says(wac("train lqg --out %s/.", root), 2, "--out must name a folder of its own");
    assert_same_runs(at("run"), at("same"));
    assert_int_equal(stat(at("run/manifest.json"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_mtim.tv_nsec == after.st_mtim.tv_nsec);

    /* the name that a run gets by itself */
    assert_int_equal(chdir(root), 0);
    const outcome *result = wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 0");
    assert_done(result);
    assert_string_equal(result->out, "runs/lqg-oac-7\n");
    assert_true(wac_path_exists(at("runs/lqg-oac-7/checkpoint")));
    assert_says(wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 0"), 2,
                "runs/lqg-oac-7 is this very run, and finished");
    assert_says(wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 1"), 2,
                "go on with: " WAC_PROGRAM " train --resume runs/lqg-oac-7 --epochs 1, or choose");
    result = wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 0 --learning-rate 0");
    assert_done(result);
    assert_string_equal(result->out, "runs/lqg-oac-7b\n");
    assert_non_null(strstr(result->err, "runs/lqg-oac-7 is another run already\n"));
    assert_int_equal(mkdir("runs/lqg-oac-7c", 0777), 0); /* an empty folder is as good as none */
    result = wac("train lqg --seed 7 --algorithm oac " SMALL " --epochs 0 --learning-rate 1");
    assert_done(result);
    assert_string_equal(result->out, "runs/lqg-oac-7c\n");
    assert_true(wac_path_exists(at("runs/lqg-oac-7c/checkpoint")));
    if (WAC_MUJOCO) {
        result = wac("train point-1-sparse " SMALL " --epochs 0");
        assert_done(result);
        assert_string_equal(result->out, "runs/point-1-sparse-oe-wac-1\n");
        assert_non_null(strstr(result->err, "training oe-wac on point-1-sparse in "));
    }
    assert_int_equal(chdir("/"), 0);

    /* more of a finished one must be asked for */
    result = wac("train --resume %s", at("run"));
    assert_done(result);
    assert_non_null(strstr(result->err, "train on with: " WAC_PROGRAM " train --resume "));
    assert_non_null(strstr(result->err, " --epochs 2\n"));
}

/* With standard descriptors closed no file of a run gets their numbers, and nobody's words. */
static void closed_descriptors(void **state)
{
    (void)state;
    static const char *const closed[] = {">&- 2>&-", "<&- >&- 2>&-", "2>&-", "<&- 2>&-"};
    assert_done(wac("train lqg --out %s " SMALL " --epochs 2", at("open")));
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++) {
        char command[2 * PATH_MAX];
        snprintf(command, sizeof command, "%s train lqg --out %s " SMALL " --epochs 2 %s",
                 WAC_PROGRAM, at("closed-%zu", i), closed[i]);
        assert_int_equal(system(command), 0); /* what nobody wants to hear is no failure */
        assert_same_runs(at("open"), at("closed-%zu", i));
    }
}

/* Nor does a reader that leaves early end the training, or fail a command. */
static void a_reader_that_leaves(void **state)
{
    (void)state;
    char command[3 * PATH_MAX];
    assert_done(wac("train lqg --out %s " SMALL " --epochs 20", at("read")));
    snprintf(command, sizeof command,
             "{ %s train lqg --out %s " SMALL " --epochs 20; echo $? > %s; } 2>&1 | head -1 "
             "> /dev/null",
             WAC_PROGRAM, at("left"), at("status"));
    assert_int_equal(system(command), 0);
    assert_same_runs(at("read"), at("left"));
    char *status = contents(at("status"), NULL);
    assert_string_equal(status, "0\n");
    free(status);
    snprintf(command, sizeof command, "{ %s config; echo $? > %s; } 2> %s | head -1 > /dev/null",
             WAC_PROGRAM, at("status"), at("err"));
    assert_int_equal(system(command), 0);
    status = contents(at("status"), NULL);
    assert_string_equal(status, "0\n");
    free(status);
    status = contents(at("err"), NULL);
    assert_string_equal(status, "");
    free(status);

    /* the seconds of a manifest have no more digits than were measured */
    char *manifest = contents(at("read/manifest.json"), NULL);
    const char *seconds = strstr(manifest, "\"seconds\": ");
    assert_true(seconds && strcspn(strchr(seconds, '.'), ",\n") <= 4);
    free(manifest);
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
        assert_non_null(strstr(result->out, "on lqg after 2 epochs, last policy, 10 episodes"));
        assert_non_null(strstr(result->out, "return   -"));
        assert_non_null(strstr(result->out, " std   ("));
        assert_non_null(strstr(result->out, "length   25.0 steps"));
        assert_null(strstr(result->out, "success"));
        strcpy(first, result->out);
        assert_string_equal(wac("evaluate %s/", at("run"))->out, first);
        assert_string_not_equal(wac("evaluate %s --seed 1", at("run"))->out, first);
        result = wac("evaluate %s --policy behaviour --stochastic --episodes 3", at("run"));
        assert_done(result);
        assert_non_null(strstr(result->out, "behaviour policy, 3 episodes\n"));
        result = wac("evaluate %s --episodes 1", at("run"));
        assert_non_null(strstr(result->out, "last policy, 1 episode\n"));
        assert_same_runs(at("run"), at("same"));
        remove_folder(at("run"));
        remove_folder(at("same"));
    }
    assert_done(wac("train lqg --out %s " SMALL " --epochs 0", at("run")));
    const outcome *mistaken = wac("verify update %s", at("run/checkpoint/agent.safetensors"));
    assert_int_equal(mistaken->status, 1);
    assert_non_null(strstr(mistaken->err, "is a checkpoint of a run, not a recorded update"));
    remove_folder(at("run/checkpoint"));
    assert_says(wac("evaluate %s", at("run")), 1,
                "no checkpoint yet; go on with: " WAC_PROGRAM " train --resume ");
    save_text(at("run/config.yaml"), "environment: lqg\n");
    assert_says(wac("evaluate %s", at("run")), 1, "was cut short");
}

static void evaluate_several_as_json(void **state)
{
    (void)state;
    json_error_t reason;
    assert_int_equal(wac("train lqg --epochs 2 --keep-best true --out %s " SMALL, at("a"))->status,
                     0);
    assert_int_equal(
        wac("train riverswim --epochs 1 --algorithm sac --out %s " SMALL, at("b"))->status, 0);
    json_t *list = json_loads(wac("evaluate %s %s --json", at("a"), at("b"))->out, 0, &reason);
    assert_int_equal(json_array_size(list), 2);
    const json_t *first = json_array_get(list, 0), *second = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(first, "run")), at("a"));
    assert_string_equal(json_string_value(json_object_get(second, "algorithm")), "sac");
    assert_int_equal(json_integer_value(json_object_get(first, "epoch")), 2);
    assert_true(json_is_real(json_object_get(second, "mean_return")));
    assert_true(json_is_null(json_object_get(first, "success")));
    json_decref(list);
    const outcome *result = wac("evaluate %s %s --episodes 2", at("a"), at("b"));
    assert_non_null(strstr(result->out, "/a\noe-wac on lqg after 2 epochs, last policy"));
    assert_non_null(strstr(result->out, "/b\nsac on riverswim after 1 epoch, last policy"));
    assert_int_equal(wac("evaluate %s --policy best", at("a"))->status, 0);

    /* one that is missing costs the others nothing */
    result = wac("evaluate %s /no/such/run %s --json --policy best", at("a"), at("b"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "there is no run /no/such/run"));
    assert_non_null(strstr(result->err, "keeps no best policy"));
    list = json_loads(result->out, 0, &reason);
    assert_int_equal(json_array_size(list), 1);
    json_decref(list);
}

/* A new folder beside the old one, with the old one's settings unless others are given. */
static void training_from_a_run(void **state)
{
    (void)state;
    assert_int_equal(wac("train lqg --epochs 1 --keep-best true --out %s " SMALL, at("a"))->status,
                     0);
    assert_int_equal(wac("train --from %s --epochs 2 --out %s", at("a"), at("b"))->status, 0);
    wac_config config;
    assert_ok(wac_folder_read_config(&config, at("b"), &error));
    assert_true(config.width == 16 && config.epochs == 2 && config.keep_best);
    assert_int_equal(
        wac("train riverswim --from %s --policy best --out %s " SMALL, at("a"), at("c"))->status,
        0);
    assert_says(wac("train lqg --from %s --out %s", at("a"), at("d")), 1,
                "its width is 16, not 128; add --width 16");
    assert_says(wac("train lqg --from %s --algorithm sac --out %s", at("a"), at("d")), 1,
                "its algorithm is oe-wac, not sac");
    assert_says(wac("train lqg --from %s --out %s", at("none"), at("d")), 1, "there is no run");
    assert_says(wac("train --from %s --out %s", at("a"), at("b")), 2, "another run already");
    assert_says(wac("train --from %s --policy first", at("a")), 2, "must be last or best");
    assert_says(wac("train lqg --policy best"), 2, "--policy is for --from RUN");
    assert_says(wac("train --resume %s --from %s", at("a"), at("b")), 2, "leave --from out");
    assert_false(wac_path_exists(at("d")));
}

/* One new file, and what it is worth; or nothing, and why. */
static void export_tells_and_overwrites_nothing(void **state)
{
    (void)state;
    assert_int_equal(wac("train riverswim --epochs 1 --out %s " SMALL, at("run"))->status, 0);
    const outcome *result = wac("export %s --to c --out %s --weights int8", at("run"), at("a.h"));
    assert_int_equal(result->status, 0);
    const char *const told[] = {
        "a.h", "of constants", "multiplications an action", "10000 random and", "int8", "return"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        assert_non_null(strstr(result->out, told[i]));
    assert_narrow(strchr(result->out, '\n') + 1);
    /* named after the run; of a sweep after what tells it from others */
    assert_int_equal(chdir(root), 0);
    assert_done(wac("export run/ --to safetensors"));
    assert_int_equal(mkdir(at("river"), 0777), 0);
    assert_int_equal(mkdir(at("river/sac"), 0777), 0);
    assert_int_equal(rename(at("run"), at("river/sac/seed-1")), 0);
    assert_done(wac("export river/sac/seed-1 --to safetensors"));
    assert_int_equal(rename(at("river/sac/seed-1"), at("run")), 0);
    assert_int_equal(chdir("/"), 0);
    assert_true(wac_path_exists(at("run.safetensors")));
    assert_true(wac_path_exists(at("river_sac_seed_1.safetensors")));
    result = wac("export %s --to onnx --out %s --evaluate", at("run"), at("a.onnx"));
    assert_int_equal(result->status, 0);
    assert_non_null(strstr(result->out, "opset 13"));
    assert_says(wac("export %s --to c --out %s", at("run"), at("a.h")), 1, "a.h exists already");

    /* of a later version, and without a checkpoint */
    static const char found[] = "wac-checkpoint-4", later[] = "wac-checkpoint-9";
    size_t size;
    char *bytes = contents(at("run/checkpoint/run.safetensors"), &size);
    memcpy(memmem(bytes, size, found, strlen(found)), later, strlen(later));
    assert_ok(wac_file_write(at("run/checkpoint/run.safetensors"), bytes, size, &error));
    free(bytes);
    assert_says(wac("export %s --to c --out %s", at("run"), at("b.h")), 1, "has the format wac-");
    remove_folder(at("run/checkpoint"));
    assert_says(wac("export %s --to c --out %s", at("run"), at("b.h")), 1,
                "but its checkpoint is gone");
    assert_false(wac_path_exists(at("b.h")));
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
    assert_non_null(
        strstr(result->err, "nothing was saved yet; go on with: " WAC_PROGRAM " train --re"));
    assert_int_equal(entries(at("run")), 3);
    assert_says(wac("evaluate %s", at("run")), 1, "go on with: " WAC_PROGRAM " train --resume ");
    assert_done(wac("train --resume %s", at("run")));
    assert_same_runs(at("whole"), at("run"));
}

static void what_diverges_would_again(void **state)
{
    (void)state;
    const outcome *result = wac("train lqg --out %s --algorithm sac --epochs 3 --learning-rate 1 "
                                "--width 16 --batch-size 16 --evaluation-steps 60",
                                at("run"));
    assert_int_equal(result->status, 1);
    assert_non_null(strstr(result->err, "try a smaller learning_rate"));
    assert_non_null(strstr(result->err, "the last checkpoint is whole, but the same would come"));
    assert_non_null(strstr(result->err, "was mended, go on with: " WAC_PROGRAM " train --resume"));
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

/* A run without a replay is good for everything but going on, and says so. */
static void without_a_replay(void **state)
{
    (void)state;
    assert_done(wac("train lqg --algorithm sac --epochs 1 --width 8 --batch-size 8 --updates 3 "
                    "--initial-steps 20 --explore-steps 20 --evaluation-steps 20 --path-limit 10 "
                    "--replay-checkpoint none --out %s",
                    at("run")));
    assert_false(wac_path_exists(at("run/checkpoint/replay.safetensors")));
    assert_done(wac("evaluate %s --episodes 2", at("run")));
    assert_says(wac("train --resume %s --epochs 2", at("run")), 1,
                "its checkpoint holds no replay");
    /* commands can be pasted, also those that the library knows of */
    assert_says(wac("train --resume %s --epochs 2", at("run")), 1,
                "train it again: " WAC_PROGRAM " train --config");
    const outcome *result = wac("train --resume %s", at("run"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do"));
    assert_null(strstr(result->err, "train on with"));
}

/* A device that is not there is refused once, before anything is made. */
static void without_a_gpu(void **state)
{
    (void)state;
    static const char *const commands[] = {"train lqg --out", "sweep many.yaml --out",
                                           "tune many.yaml --out", "reproduce riverswim --out"};
    save_text(at("many.yaml"), "environments: lqg\nalgorithms: sac\nseeds: 3\n"
                               "settings:\n  epochs: 1\n  learning_rate: [1e-3, 1e-4]\n");
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
    assert_int_equal(chdir(root), 0);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_says(wac("%s new --device cuda", commands[i]), 2, "or use --device cpu");
    assert_int_equal(chdir("/"), 0);
    unsetenv("CUDA_VISIBLE_DEVICES");
    assert_false(wac_path_exists(at("new")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(help_is_there),
        TEST(the_program_documents_itself),
        TEST(nonsense_is_refused),
        TEST(bad_files_are_refused),
        TEST(a_run_is_never_overwritten),
        TEST(closed_descriptors),
        TEST(a_reader_that_leaves),
        TEST(output_that_cannot_be_written),
        TEST(evaluate_tells_and_changes_nothing),
        TEST(export_tells_and_overwrites_nothing),
        TEST(evaluate_several_as_json),
        TEST(training_from_a_run),
        TEST(without_a_replay),
        TEST(without_a_gpu),
        TEST(what_diverges_would_again),
        TEST(a_limit_on_files),
        TEST(a_full_disk_costs_nothing),
    };
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
