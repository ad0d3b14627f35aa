/* wac check: the state of runs, or the usual mistakes in a world. */
#include "check_runs.h"
#include "cli.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "config/environments.h"
#include "env/check.h"

#include <string.h>

static const char help[] =
    "wac check: whether runs are whole, or an environment is right\n"
    "\n"
    "Usage\n"
    "  wac check DIR...\n"
    "  wac check ENV [--steps N] [--KEY VALUE ...]\n"
    "\n"
    "DIR is a run, or holds runs at any depth, as a sweep does. Each is read as if\n"
    "to go on with it: settings, table and checkpoint, the checksums of its files,\n"
    "and whether all its numbers can be. A line tells how far it is and what it can\n"
    "do; of a damaged one what is wrong, and the way out. Nothing is changed, and\n"
    "what is being trained may be looked at. The exit status is 1 if one is damaged\n"
    "or cannot be read.\n"
    "\n"
    "ENV is any environment: one that \"wac envs\" lists, a model of your own\n"
    "(mujoco:FILE.xml), a plug-in (./FILE.so) or one of Gymnasium (gym:NAME).\n"
    "Plays episodes of random and of extreme actions, then plays them again: in\n"
    "another world, after other episodes, beside another world, from saved states.\n"
    "Says for each of ten things whether it is right, and how to mend what is not:\n"
    "\n"
    "  steps      no function of the environment fails\n"
    "  sizes      all that was declared is written, and nothing else\n"
    "  numbers    observations and rewards are finite\n"
    "  bounds     observations keep theirs\n"
    "  seed       all chance comes from the generator\n"
    "  reset      nothing is left over from the episode before\n"
    "  apart      two worlds do not disturb each other\n"
    "  state      save and load are exact, so that runs can go on\n"
    "  ends       terminated, truncated and success mean what they say\n"
    "  rewards    are within WAC's prior (reward_min, reward_max)\n"
    "\n"
    "and what random actions bring on average.\n"
    "A \"note\" may be meant so; a \"MISTAKE\" cannot, and makes the exit status 1.\n"
    "\n"
    "Flags of an environment\n"
    "  --steps N           begin no new episode after so many steps (10000)\n"
    "  --KEY VALUE         any setting that \"wac config ENV\" lists, as\n"
    "                      --path-limit 100\n"
    "\n"
    "Examples\n"
    "  wac check runs/riverswim-oe-wac-1\n"
    "  wac check sweeps/mine\n"
    "  wac check ./my_env.so\n"
    "  wac check mujoco:arm.xml --path-limit 50\n"
    "  wac check riverswim\n";

static const char *values[WAC_SETTINGS_TOTAL];
static int64_t steps = 10000;
static const cli_option options[] = {
    {"steps", .count = &steps, .smallest = 1, .largest = 1000000000},
    {"", .settings = values},
    {0},
};

static void print_findings(const wac_check *check)
{
    static const char *const words[] = {"ok", "note", "MISTAKE", "?"};
    cli_style style = cli_style_of(stdout);
    const char *const colours[] = {style.green, style.blue, style.red, style.dim};
    for (int i = 0; i < WAC_CHECK_TOTAL; i++) {
        const wac_finding *finding = &check->findings[i];
        printf("%s%-7s%s  %-7s  ", colours[finding->verdict], words[finding->verdict], style.plain,
               finding->subject);
        cli_print_wrapped(finding->text, 18, cli_width(stdout));
    }
}

static int check_world(const char *environment)
{
    wac_config config;
    int status = cli_read_config(&config, values, environment, NULL);
    if (status)
        return status;
    char name[WAC_ENVIRONMENT_NAME], notes[48], mistakes[48];
    const wac_environment_type *type;
    wac_check check;
    wac_error error = {0};
    if (wac_environment_type_find(&type, config.environment, &error) != WAC_STATUS_OK ||
        wac_check_world(&check, type, &config, steps, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    print_findings(&check);
    int wrong = wac_check_count(&check, WAC_VERDICT_MISTAKE);
    printf("\n%s: %s, %s\n", wac_environment_name(name, &config),
           cli_count(mistakes, wrong, "mistake"),
           cli_count(notes, wac_check_count(&check, WAC_VERDICT_NOTE), "note"));
    if (check.random_episodes > 0)
        printf("random actions bring a return of %g (mean of %s)\n", check.random_return,
               cli_count(notes, check.random_episodes, "episode"));
    return wrong ? CLI_FAILED : CLI_OK;
}

/* A folder, or a path that could be one: neither a plug-in's nor a model's. */
static bool names_runs(const char *word)
{
    return wac_path_is_folder(word) ||
           (strchr(word, '/') && !strchr(word, ':') && !wac_environment_is_plugin(word));
}

static int run(char **words)
{
    if (!names_runs(words[0]))
        return words[1]
                   ? cli_refuse("one environment at a time, or folders of runs; \"%s\" is none",
                                words[0])
                   : check_world(words[0]);
    int status = CLI_OK;
    for (; *words && status != CLI_USAGE; words++) {
        int one = cli_check_runs(*words);
        status = one ? one : status;
    }
    return status;
}

const cli_command cli_check = {
    "check",       "whether runs are whole, or an environment is right", help, run, options,
    CLI_ANY_WORDS, "check what? As in: %s check runs/riverswim-oe-wac-1"};
