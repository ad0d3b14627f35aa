/* wac evaluate: let a trained policy act, and say how it did. */
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/json.h"
#include "base/status.h"
#include "base/stop.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "run/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac evaluate: let a trained policy act\n"
    "\n"
    "Usage\n"
    "  wac evaluate RUN... [--episodes N] [--policy last|best|behaviour]\n"
    "               [--stochastic] [--seed N] [--json]\n"
    "\n"
    "RUN is the folder of a run. Plays whole episodes with its policy and prints\n"
    "mean, standard deviation (std) and range of their returns, their length, and\n"
    "their success where the task has a goal. Nothing in the folder changes.\n"
    "\n"
    "Flags\n"
    "  --episodes N        how many episodes (10)\n"
    "  --policy NAME       last: the one that training evaluates, as the last\n"
    "                      checkpoint has it (the default); best: as it was when\n"
    "                      training found it best (runs with keep_best; of these\n"
    "                      other episodes it may make less); behaviour: the one\n"
    "                      that explores (only WAC has another)\n"
    "  --stochastic        sample actions instead of taking their mean\n"
    "  --seed N            another set of episodes (0)\n"
    "  --json              a list with an object for each run\n"
    "\n"
    "Examples\n"
    "  wac evaluate runs/riverswim-oe-wac-1\n"
    "  wac evaluate runs/riverswim-oe-wac-1 --episodes 100 --policy behaviour\n"
    "  wac evaluate runs/* --json\n";

static const char *policy = "last";
static bool stochastic, as_json;
static int64_t episodes = 10, seed;
static const cli_option options[] = {
    {"episodes", .count = &episodes, .smallest = 1, .largest = 100000000},
    {"policy", .text = &policy},
    {"stochastic", .on = &stochastic},
    {"seed", .count = &seed, .smallest = 0, .largest = INT64_MAX},
    {"json", .on = &as_json},
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

static json_t *describe(const wac_run *run, const wac_evaluation *e)
{
    char name[WAC_ENVIRONMENT_NAME];
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "run", run->directory, "environment", wac_environment_name(name, &run->config),
                     "algorithm", wac_algorithm_name((wac_algorithm)run->config.algorithm), "seed",
                     (json_int_t)run->config.seed, "epoch", (json_int_t)run->position.epoch,
                     "policy", policy, "stochastic", stochastic, "episodes",
                     (json_int_t)e->episodes, "mean_return", wac_json_number(e->mean_return),
                     "std_return", wac_json_number(e->std_return), "smallest_return",
                     wac_json_number(e->smallest_return), "largest_return",
                     wac_json_number(e->largest_return), "mean_length",
                     wac_json_number((double)e->steps / (double)e->episodes), "success",
                     wac_json_number(e->success));
}

/* One run; `list` null: as words. */
static int evaluate(const char *directory, const wac_run_options *how, json_t *list)
{
    wac_run *opened;
    wac_error error = {0};
    wac_evaluation evaluation;
    bool behaviour = strcmp(policy, "behaviour") == 0;
    if (wac_run_open(&opened, directory, NULL, how, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    wac_status status =
        wac_run_evaluate(&evaluation, opened, behaviour ? WAC_POLICY_BEHAVIOUR : WAC_POLICY_TARGET,
                         stochastic, episodes, seed, &error);
    if (status != WAC_STATUS_OK)
        cli_fail(&error);
    else if (list)
        json_array_append_new(list, describe(opened, &evaluation));
    else
        print_evaluation(opened, &evaluation);
    wac_run_destroy(opened);
    return status == WAC_STATUS_OK ? CLI_OK : CLI_FAILED;
}

static int run(char **words)
{
    int choice = wac_word_index("last|best|behaviour", policy);
    if (choice < 0)
        return cli_refuse("--policy must be last, best or behaviour, not \"%s\"", WAC_CLIP(policy));
    wac_run_options how = wac_run_options_default();
    how.best = choice == 1;
    how.stop = cli_stop_on_signals("stopped at once");
    if (as_json)
        wac_json_begin();
    json_t *list = as_json ? json_array() : NULL;
    int status = CLI_OK;
    for (char **word = words; *word && !wac_asked_to_stop(how.stop); word++) {
        if (words[1] && !as_json)
            printf("%s%s\n", word == words ? "" : "\n", *word);
        if (evaluate(*word, &how, list) != CLI_OK)
            status = CLI_FAILED;
    }
    if (!as_json)
        return status;
    size_t size;
    char *text = wac_json_text(list, JSON_INDENT(2) | JSON_PRESERVE_ORDER, &size);
    json_decref(list);
    if (!text) {
        wac_error error = {0};
        (void)wac_fail_memory(&error, "the list");
        return cli_fail(&error);
    }
    printf("%s\n", text);
    free(text);
    return status;
}

const cli_command cli_evaluate = {
    "evaluate",
    "let a trained policy act",
    help,
    run,
    options,
    CLI_ANY_WORDS,
    "which run? Give its folder, as in: %s evaluate runs/riverswim-oe-wac-1"};
