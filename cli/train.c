/* wac train: learn a policy, or go on learning one. */
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"
#include "watch.h"

#include "base/files.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/config.h"
#include "config/environments.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/packed.h"
#include "run/run.h"
#include "run/train.h"

#include <ctype.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const char help[] =
    "wac train: learn a policy\n"
    "\n"
    "Usage\n"
    "  wac train ENV\n"
    "            [--algorithm oe-wac|me-wac|sac|oac|redq|sunrise|\n"
    "                         maxinfosac|sac-rnd|top|bro|simba]\n"
    "            [--out DIR] [--KEY VALUE ...]\n"
    "  wac train --config FILE [ENV] [--KEY VALUE ...]\n"
    "  wac train [ENV] --from RUN [--policy best|last] [--KEY VALUE ...]\n"
    "  wac train --resume DIR [--epochs N] [--threads N] [--device NAME]\n"
    "\n"
    "A run is a new folder with its settings (config.yaml), one row an epoch\n"
    "(progress.csv) and all that is needed to go on (checkpoint/). The same\n"
    "settings and seed give the same files, with any --threads.\n"
    "\n"
    "Ctrl-C stops and saves; --resume goes on as if nothing had happened. A second\n"
    "Ctrl-C stops at once: what came after the last checkpoint is done again.\n"
    "\n"
    "Flags\n"
    "  --algorithm NAME    who learns (\"wac config ENV\" tells the default)\n"
    "  --seed N            seed of every random number (1)\n"
    "  --epochs N          rounds of evaluation, exploration and training\n"
    "  --stop-success X    stop once this share of evaluation episodes reaches the\n"
    "                      goal\n"
    "  --threads N         threads that share the work (1)\n"
    "  --device NAME       where updates are computed: cpu, or cuda for a GPU (cpu)\n"
    "  --out DIR           folder of the run, new or empty (runs/ENV-ALGORITHM-SEED;\n"
    "                      with a letter behind it where others have that name)\n"
    "  --config FILE       settings from a YAML file; flags win over it\n"
    "  --resume DIR        go on with a run, to its end or to --epochs N\n"
    "  --from RUN          begin with the agent of a run, with an empty replay; the\n"
    "                      settings are those of RUN, unless ENV or a FILE is given\n"
    "  --policy NAME       that agent: last, or best (of its evaluations, if RUN was\n"
    "                      trained with --keep-best true)\n"
    "  --maps              keep a map of each epoch: where it has been, what it is\n"
    "                      unsure of (maps.bin; for \"wac watch\" and \"wac render\n"
    "                      --movie\"); a run that has them goes on with them\n"
    "  --tensorboard       write events, too, for \"tensorboard --logdir DIR\"\n"
    "  --watch             show the run and its maps in the browser while it trains\n"
    "                      (\"wac help watch\"); the address is told\n"
    "  --KEY VALUE         any setting that \"wac config ENV\" lists, as\n"
    "                      --path-limit 100\n"
    "\n"
    "Examples\n"
    "  wac train riverswim\n"
    "  wac train riverswim --algorithm sac --seed 2 --epochs 30 --out runs/sac-2\n"
    "  wac train lqg --lambda 0.25 --noise-std 0.15\n"
    "  wac config lqg --yaml > my.yaml && wac train --config my.yaml\n"
    "  wac train --resume runs/sac-2 --epochs 60\n"
    "  wac train point-2 --from runs/point-1-oe-wac-1 --epochs 50\n";

static const char *out, *file, *resume, *from, *policy, *device, *values[WAC_SETTINGS_TOTAL];
static int64_t threads = 1;
static bool maps, tensorboard, watches;
static const cli_option options[] = {
    {"out", .text = &out},
    {"config", .text = &file},
    {"resume", .text = &resume},
    {"from", .text = &from},
    {"policy", .text = &policy},
    {"device", .text = &device},
    {"threads", .count = &threads, .smallest = 1, .largest = 1024},
    {"maps", .on = &maps},
    {"tensorboard", .on = &tensorboard},
    {"watch", .on = &watches},
    {"", .settings = values},
    {0},
};

/* Of all settings only the number of epochs may change when a run goes on. */
static int check_resume(const char *word, int64_t *epochs)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    wac_config scratch;
    wac_error error;
    if (word)
        return cli_refuse("--resume takes the environment from the run; leave \"%s\" out", word);
    if (wac_config_init(&scratch, "any", NULL, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    for (size_t i = 0; i < count; i++) {
        const char *value = values[i];
        if (value && settings[i].offset != offsetof(wac_config, epochs))
            return cli_refuse(
                "--resume takes %s from the run; only --epochs, --threads and --device "
                "may change, so leave it out",
                settings[i].name);
        if (value && wac_config_set(&scratch, "epochs", value, &error) != WAC_STATUS_OK)
            return cli_blame(&error);
        if (value && scratch.epochs == 0)
            return cli_refuse("--epochs must be at least 1 with --resume, not 0");
        if (value)
            *epochs = scratch.epochs;
    }
    return CLI_OK;
}

static void print_log(void *user, const char *message)
{
    cli_progress_end(user);
    fprintf(stderr, "%s\n", message);
}

/* The setting that two runs do not share, as "learning_rate is 0.0003 there"; empty: none, or the
 * new one has more epochs. */
static void tell_apart(char *text, size_t size, const wac_config *there, const wac_config *config)
{
    const wac_setting *setting;
    *text = 0;
    if (strcmp(there->environment, config->environment) != 0)
        snprintf(text, size, "%s is there", there->environment);
    for (size_t i = 0; !*text && (setting = wac_setting_named(i)); i++) {
        char value[64];
        bool reads = wac_config_reads(there, setting) || wac_config_reads(config, setting);
        int order = wac_setting_compare(setting, there, config);
        bool longer = setting->offset == offsetof(wac_config, epochs) && order < 0;
        if (!reads || order == 0 || longer)
            continue;
        wac_config_format(there, setting, value, sizeof value);
        snprintf(text, size, "%s is %s there", setting->name, value);
    }
}

/* A run is never overwritten, nor anything else. Where the very run that is asked for is there
 * already, more of it may be had. `named`: by the user. TAKEN: try another name. */
enum { TAKEN = -1 };
static int check_out(const char *folder, const wac_config *config, bool named)
{
    char apart[320] = "its settings cannot be read", more[48] = "";
    wac_config there;
    wac_manifest manifest = {0};
    const char *slash = strrchr(folder, '/');
    if (wac_word_index(".|..", slash ? slash + 1 : folder) >= 0)
        return cli_refuse("--out must name a folder of its own, not \"%s\"", folder);
    if (!wac_path_exists(folder) || wac_directory_is_unused(folder, ""))
        return CLI_OK;
    if (!wac_folder_is_run(folder))
        return named ? cli_refuse("%s exists and is no run; choose another --out", folder) : TAKEN;
    if (from)
        return named ? cli_refuse("%s is another run already; choose another --out", folder)
                     : TAKEN;
    if (wac_folder_read_config(&there, folder, NULL) == WAC_STATUS_OK)
        tell_apart(apart, sizeof apart, &there, config);
    if (!*apart && wac_manifest_read(&manifest, folder, NULL) != WAC_STATUS_OK)
        manifest = (wac_manifest){0}; /* whoever goes on will be told */
    if (!*apart && (manifest.packed || !wac_checkpoint_goes_on(folder, config->epochs)))
        snprintf(apart, sizeof apart, "it cannot go on without its replay");
    if (*apart && named)
        return cli_refuse("%s is another run already (%s); choose another --out", folder, apart);
    if (*apart)
        return TAKEN;
    if (wac_run_is_in_use(folder))
        return cli_refuse("another process is training this very run in %s; wait for it, or choose "
                          "another --out or --seed",
                          folder);
    if (config->epochs > there.epochs)
        snprintf(more, sizeof more, " --epochs %" PRId64, config->epochs);
    else if (manifest.finished)
        return cli_refuse(
            "%s is this very run, and finished; try it with: %s evaluate %s, or choose "
            "another --out or --seed",
            folder, cli_program(), WAC_SHELL(folder));
    return cli_refuse("%s is this very run already; go on with: %s train --resume %s%s, or choose "
                      "another --out or --seed",
                      folder, cli_program(), WAC_SHELL(folder), more);
}

/* The folder that a run gets by itself: runs/ENV-ALGORITHM-SEED, with the base name of a model; a
 * letter from b on behind it where others have that name. Returns an exit status. */
static int name_folder(char *folder, size_t size, const wac_config *config)
{
    int status = TAKEN;
    char name[WAC_ENVIRONMENT_NAME], label[320];
    wac_environment_label(label, sizeof label, wac_environment_name(name, config));
    for (char *letter = label; *letter; letter++)
        if (!isalnum((unsigned char)*letter) && !strchr("._-", *letter))
            *letter = '-';
    for (char letter = 'a'; letter <= 'z' && status == TAKEN; letter++) {
        snprintf(folder, size, "runs/%s-%s-%" PRId64 "%.1s", label,
                 wac_algorithm_name((wac_algorithm)config->algorithm), config->seed,
                 letter == 'a' ? "" : &letter);
        status = check_out(folder, config, false);
    }
    return status == TAKEN ? cli_refuse("all names to %s are taken; choose an --out", folder)
                           : status;
}

static int train(wac_run *run, const char *directory, cli_progress *display)
{
    char checkpoint[PATH_MAX];
    wac_error error = {0};
    int64_t epochs = wac_run_config(run)->epochs;
    wac_status status = wac_run_train(run, &error);
    wac_run_destroy(run);
    cli_progress_end(display);
    if (status == WAC_STATUS_OK) {
        printf("%s\n", directory);
        return CLI_OK;
    }
    bool stopped = status == WAC_STATUS_INTERRUPTED;
    if (!stopped)
        cli_fail(&error);
    if (!wac_checkpoint_goes_on(directory, epochs))
        fprintf(stderr,
                "wac: %sthe checkpoint holds no replay, so the run cannot go on; start again with "
                "another --out, or remove %s\n",
                stopped ? "stopped; " : "", directory);
    else
        fprintf(stderr, "wac: %s%s go on with: %s train --resume %s\n",
                !wac_folder_find_checkpoint(checkpoint, directory) ? "nothing was saved yet"
                : stopped                                          ? "stopped and saved"
                                                                   : "the last checkpoint is whole",
                status == WAC_STATUS_NUMERIC
                    ? ", but the same would come of it again: start anew with other settings and "
                      "another --out, or, where the environment was mended,"
                    : ";",
                cli_program(), WAC_SHELL(directory));
    return CLI_FAILED;
}

static int run(char **words)
{
    int64_t epochs = 0;
    wac_config config;
    char origin[PATH_MAX];
    wac_error error = {0};
    if (resume && (out || file || from))
        return cli_refuse("--resume goes on with a run as it is; leave --%s out", out    ? "out"
                                                                                  : file ? "config"
                                                                                         : "from");
    int best = policy ? wac_word_index("last|best", policy) : 0;
    if (policy && !from)
        return cli_refuse("--policy is for --from RUN; leave it out");
    if (best < 0)
        return cli_refuse("--policy must be last or best, not \"%s\"", WAC_CLIP(policy));
    if (from && wac_packed_check_run(from, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (from && !words[0] && !file) {
        if (wac_folder_path(origin, from, WAC_FOLDER_CONFIG, NULL) != WAC_STATUS_OK)
            return cli_refuse("the path of --from is too long");
        file = origin;
    }
    int status =
        resume ? check_resume(words[0], &epochs) : cli_read_config(&config, values, words[0], file);
    wac_run_options how = wac_run_options_default();
    if (status || (status = cli_read_device(&how.device, device)))
        return status;

    cli_progress display = cli_progress_make(stderr);
    how.threads = (int)threads;
    how.from = from;
    how.maps = maps || watches;
    how.tensorboard = tensorboard;
    how.best = best == 1;
    how.log = (wac_log){print_log, &display};
    how.progress = cli_progress_show;
    how.user = &display;
    how.stop = cli_stop_on_signals(CLI_STOPPED_AT_ONCE);
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */

    wac_run *made;
    char folder[512], name[WAC_ENVIRONMENT_NAME];
    if (resume) {
        if (watches && (status = cli_watch_beside(resume)))
            return status;
        if (wac_run_resume(&made, resume, NULL, &how, epochs, &error) != WAC_STATUS_OK)
            return cli_fail(&error);
        /* the library has said that all is done */
        int64_t done = wac_run_config(made)->epochs;
        if (wac_run_is_complete(made) && wac_checkpoint_goes_on(resume, done + 1))
            fprintf(stderr, "train on with: %s train --resume %s --epochs %" PRId64 "\n",
                    cli_program(), WAC_SHELL(resume), done > 0 ? 2 * done : 10);
        return train(made, resume, &display);
    }
    status = out ? check_out(out, &config, true) : name_folder(folder, sizeof folder, &config);
    if (status)
        return status;
    out = out ? out : folder;
    if (watches && (status = cli_watch_beside(out)))
        return status;
    /* what is wrong with another run is not asked wrongly */
    if (wac_run_create(&made, &config, NULL, out, &how, &error) != WAC_STATUS_OK)
        return from ? cli_fail(&error) : cli_blame(&error);
    size_t taken = strlen(out) - 1; /* the letter behind the name that others have */
    if (out == folder && isalpha((unsigned char)out[taken]))
        fprintf(stderr, "%.*s is another run already\n", (int)taken, out);
    fprintf(stderr, "training %s on %s in %s\n",
            wac_algorithm_name((wac_algorithm)config.algorithm),
            wac_environment_name(name, &config), out);
    return train(made, out, &display);
}

const cli_command cli_train = {"train", "learn a policy on an environment", help, run, options, 1,
                               NULL};
