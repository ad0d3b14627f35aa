/* wac evaluate: let a trained policy act, and say how it did. */
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/suggest.h"
#include "config/environments.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

static const char help[] =
    "wac evaluate: let a trained policy act\n"
    "\n"
    "Usage\n"
    "  wac evaluate RUN [--episodes N] [--policy target|behaviour] [--stochastic]\n"
    "               [--seed N]\n"
    "\n"
    "RUN is the folder of a run. Plays whole episodes with its last checkpoint and\n"
    "prints mean, standard deviation (std) and range of their returns, their\n"
    "length, and their success where the task has a goal. Nothing in the folder\n"
    "changes.\n"
    "\n"
    "Flags\n"
    "  --episodes N        how many episodes (10)\n"
    "  --policy NAME       target: the one that training evaluates (the default);\n"
    "                      behaviour: the one that explores (SAC and OAC have one\n"
    "                      policy for both)\n"
    "  --stochastic        sample actions instead of taking their mean\n"
    "  --seed N            another set of episodes (0)\n"
    "\n"
    "Examples\n"
    "  wac evaluate runs/riverswim-oe-wac-1\n"
    "  wac evaluate runs/riverswim-oe-wac-1 --episodes 100 --policy behaviour\n";

static const char *policy = "target";
static bool stochastic;
static int64_t episodes = 10, seed;
static const cli_option options[] = {
    {"episodes", .count = &episodes, .smallest = 1, .largest = 100000000},
    {"policy", .text = &policy},
    {"stochastic", .on = &stochastic},
    {"seed", .count = &seed, .smallest = 0, .largest = INT64_MAX},
    {0},
};

static void print_evaluation(const wac_run *run, const wac_evaluation *e)
{
    char name[WAC_ENVIRONMENT_NAME], epochs[48], episodes[48];
    printf("%s on %s after %s, %s policy, %s\n",
           wac_algorithm_name((wac_algorithm)run->config.algorithm),
           wac_environment_name(name, &run->config),
           cli_count(epochs, run->position.epoch, "epoch"), policy,
           cli_count(episodes, e->episodes, "episode"));
    /* five digits of the largest, and all to the same place */
    double largest = fmax(fabs(e->smallest_return), fabs(e->largest_return));
    int places = largest > 0 ? 4 - (int)floor(log10(largest)) : 1;
    places = places < 0 ? 0 : places > 9 ? 9 : places;
    printf("return   %.*f", places, e->mean_return);
    if (!isnan(e->std_return))
        printf(" +- %.*f std", places, e->std_return);
    printf("   (%.*f to %.*f)\n", places, e->smallest_return, places, e->largest_return);
    printf("length   %.1f steps\n", (double)e->steps / (double)e->episodes);
    if (!isnan(e->success))
        printf("success  %.3f\n", e->success);
}

static int run(char **words)
{
    bool target = strcmp(policy, "target") == 0;
    if (!target && strcmp(policy, "behaviour") != 0)
        return cli_refuse("--policy must be target or behaviour, not \"%s\"", WAC_CLIP(policy));

    wac_run *opened;
    wac_error error = {0};
    wac_evaluation evaluation;
    wac_run_options how = wac_run_options_default();
    how.stop = cli_stop_on_signals("stopped at once");
    if (wac_run_open(&opened, words[0], NULL, &how, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (wac_run_evaluate(&evaluation, opened, target ? WAC_POLICY_TARGET : WAC_POLICY_BEHAVIOUR,
                         stochastic, episodes, seed, &error) == WAC_STATUS_OK)
        print_evaluation(opened, &evaluation);
    else
        cli_fail(&error);
    wac_run_destroy(opened);
    return error.status ? CLI_FAILED : CLI_OK;
}

const cli_command cli_evaluate = {
    "evaluate",
    "let a trained policy act",
    help,
    run,
    options,
    1,
    "which run? Give its folder, as in: %s evaluate runs/riverswim-oe-wac-1"};
