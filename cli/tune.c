/* wac tune: look for good settings. */
#include "cli.h"
#include "sweep_run.h"
#include "terminal/terminal.h"

#include "base/status.h"
#include "base/stop.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "sweep/tune.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac tune: look for good settings\n"
    "\n"
    "Usage\n"
    "  wac tune FILE.yaml [--out DIR] [--workers N] [--device NAME]\n"
    "           [--dry-run] [--KEY VALUE ...]\n"
    "\n"
    "The file is that of a sweep (\"wac help sweep\"): lists are what to choose from.\n"
    "With \"samples\" so many choices are drawn at random, also from ranges; without\n"
    "it all combinations are tried. Each is trained with all seeds, and ranked:\n"
    "\n"
    "  environments: [riverswim]\n"
    "  algorithms: [sac]\n"
    "  seeds: 3\n"
    "  settings:\n"
    "    epochs: 40\n"
    "    width: [64, 128, 256]\n"
    "    learning_rate: {from: 1e-5, to: 1e-3, scale: log}   # or scale: linear\n"
    "  samples: 20                # choices for each environment and algorithm\n"
    "  seed: 1                    # of the draws\n"
    "  measure: eval_return       # a column of progress.csv, or as in \"wac stats\":\n"
    "                             # return, success, coverage, episodes, online\n"
    "  last: 10                   # epochs at the end that are averaged\n"
    "  halving: 3                 # only the best third goes on, and of that a third\n"
    "\n"
    "With \"measure: solved-hardest\" (the usual one where all environments have a\n"
    "goal) the choices of an algorithm are compared over all environments: by runs\n"
    "solved in the two hardest that any of them solved, then by episodes there.\n"
    "With \"measure: normalised\" they are compared over all environments, too: by\n"
    "the mean return, as a share of what can be won in each.\n"
    "With \"halving\" all choices are trained for a part of the epochs first, and\n"
    "only the better ones go on.\n"
    "\n"
    "Ends with the best settings and DIR/tune.csv, which has all of them. Stops and\n"
    "goes on like a sweep, and runs under mpirun like one. More samples, or longer\n"
    "lists, may be asked for later; what is there is kept.\n"
    "\n"
    "Flags\n"
    "  --out DIR           where the runs go (tunes/FILE)\n"
    "  --workers N         runs at a time (one for each processor it may use)\n"
    "  --device NAME       cpu, or cuda: train on GPUs, in groups of runs of equal\n"
    "                      shape, --workers N groups at a time on each (4)\n"
    "  --dry-run           only list what would be done and how long it should take\n"
    "  --KEY VALUE         a setting for all runs that the file does not set\n"
    "\n"
    "Examples\n"
    "  wac tune sac.yaml --dry-run\n"
    "  wac tune sac.yaml --out tunes/sac\n";

enum { SHOWN = 5 };

/* "  learning_rate 0.0003  width 128" */
static void print_settings(const wac_choices *choices, size_t field, const wac_config *config)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        char value[64];
        if (!wac_field_varies(choices, field, &settings[i]))
            continue;
        wac_config_format(config, &settings[i], value, sizeof value);
        printf("  %s %s", settings[i].name, value);
    }
}

/* "9 choices to epoch 3, 4 to epoch 9, 1 to epoch 27" */
static void print_rungs(const wac_ladder *ladder, size_t field)
{
    const wac_choices *choices = wac_ladder_choices(ladder);
    size_t run = choices->runs[choices->list[choices->fields[field].first].first];
    for (int i = 0; i < wac_ladder_rungs(ladder, field); i++)
        printf("%s%zu to epoch %lld", i ? ", " : "  rungs: ", wac_ladder_arrived(ladder, field, i),
               (long long)wac_ladder_epochs(ladder, run, i));
    putchar('\n');
}

/* "in point-3 (2 of 18 runs solved) and point-2 (7 of 18)" */
static void print_hardest(const wac_choices *choices, const wac_hardest *hardest)
{
    if (hardest->count == 0)
        printf("; nobody solved anything: by episodes in all environments");
    for (int i = 0; i < hardest->count; i++) {
        int length;
        const char *name = wac_choices_environment(choices, hardest->list[i].environment, &length);
        printf("%s %.*s (%zu of %zu%s)", i ? " and" : " in", length, name, hardest->list[i].solved,
               hardest->list[i].runs, i ? "" : " runs solved");
    }
}

static void print_choice(const wac_choices *choices, const wac_tuned *tuned, int64_t furthest)
{
    const wac_choice *choice = &choices->list[tuned->choice];
    if (choices->search->rule == WAC_SEARCH_RULE_HARDEST)
        printf("  %zu of %zu solved  %.5g episodes", tuned->solved, tuned->planned,
               tuned->episodes);
    else if (tuned->finished == 0)
        printf("  no run ended");
    else
        printf("  %10.5g  (%.5g .. %.5g)", tuned->mean, tuned->smallest, tuned->largest);
    print_settings(choices, choice->field,
                   &choices->sweep->runs[choices->runs[choice->first]].config);
    if (tuned->finished > 0 && tuned->finished < choice->count)
        printf("  (%zu of %zu %s)", tuned->finished, choice->count,
               wac_search_is_over_all(choices->search) ? "runs" : "seeds");
    if (tuned->epochs < furthest)
        printf("  (to epoch %lld)", (long long)tuned->epochs);
    putchar('\n');
}

/* A seed that the search has not seen: the one after its largest. */
static int64_t fresh_seed(const wac_sweep *sweep)
{
    int64_t largest = 0;
    for (size_t i = 0; i < sweep->count; i++)
        largest = sweep->runs[i].config.seed > largest ? sweep->runs[i].config.seed : largest;
    return largest + 1;
}

/* What stands below the name of an algorithm in a sweep: "  sac: {width: 64}". */
static void print_block(const wac_choices *choices, size_t field, const wac_sweep_run *run)
{
    size_t count;
    const char *separator = "";
    const wac_setting *settings = wac_settings(&count);
    printf("  for a sweep: %s: {", wac_algorithm_name((wac_algorithm)run->config.algorithm));
    for (size_t i = 0; i < count; i++) {
        char value[64];
        if (!wac_field_varies(choices, field, &settings[i]))
            continue;
        wac_config_format(&run->config, &settings[i], value, sizeof value);
        printf("%s%s: %s", separator, settings[i].name, value);
        separator = ", ";
    }
    puts("}");
}

/* Whether no choice of a field did better than another, so that the ranking tells nothing. */
static bool are_alike(const wac_choices *choices, const wac_tuned *list, size_t count)
{
    bool hardest = choices->search->rule == WAC_SEARCH_RULE_HARDEST;
    for (size_t i = 1; i < count; i++)
        if (hardest ? list[i].solved != list->solved || list[i].episodes != list->episodes
                    : list[i].mean != list->mean)
            return false;
    return count > 1;
}

/* The best choices of a field, and how to train with the first. */
static void print_field(const wac_ladder *ladder, size_t field, const wac_tuned *list,
                        const char *directory)
{
    const wac_choices *choices = wac_ladder_choices(ladder);
    size_t count = choices->fields[field].count;
    const wac_sweep_run *best =
        &choices->sweep->runs[choices->runs[choices->list[list[0].choice].first]];
    char name[WAC_ENVIRONMENT_NAME], text[48];
    cli_style style = cli_style_of(stdout);
    const char *algorithm = wac_algorithm_name((wac_algorithm)best->config.algorithm);
    bool hardest = choices->search->rule == WAC_SEARCH_RULE_HARDEST;
    bool over_all = wac_search_is_over_all(choices->search);
    printf("\n%s%s%s%s%s, best of %s", style.bold, algorithm, over_all ? "" : " on ",
           over_all ? "" : wac_environment_name(name, &best->config), style.plain,
           cli_count(text, (int64_t)count, "choice"));
    if (hardest)
        print_hardest(choices, &list[0].hardest);
    putchar('\n');
    if (wac_ladder_rungs(ladder, field) > 1)
        print_rungs(ladder, field);
    if (are_alike(choices, list, count))
        puts("  all came out alike, so none is better; in the order of the list:");
    for (size_t i = 0; i < count && i < SHOWN; i++)
        print_choice(choices, &list[i], list[0].epochs);
    if (over_all)
        print_block(choices, field, best);
    if (list[0].finished > 0) {
        char file[2 * PATH_MAX];
        snprintf(file, sizeof file, "%s/%s/config.yaml", directory, best->folder);
        printf("  train with the first, on another seed: %s train --config %s --seed %lld\n",
               cli_program(), WAC_SHELL(file), (long long)fresh_seed(choices->sweep));
    }
}

/* "the last 10 epochs", or what there is of them. */
static void describe_span(char text[80], const wac_sweep *sweep, int64_t last)
{
    int64_t fewest = INT64_MAX, most = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        int64_t rows = sweep->runs[i].config.epochs + 1; /* with that before the first */
        fewest = rows < fewest ? rows : fewest;
        most = rows > most ? rows : most;
    }
    if (fewest >= last)
        snprintf(text, 80, "the last %lld epochs", (long long)last);
    else if (most < last)
        snprintf(text, 80, "all epochs, 0 to %lld", (long long)most - 1);
    else
        snprintf(text, 80, "the last %lld epochs (all, where there are fewer)", (long long)last);
}

static void print_measure(const wac_choices *choices)
{
    const wac_search *search = choices->search;
    char seeds[48], span[80];
    if (search->rule == WAC_SEARCH_RULE_HARDEST) {
        printf("runs solved in the two hardest environments that any run solved, then episodes "
               "there (mean of all epochs)\n");
        return;
    }
    describe_span(span, choices->sweep, search->last);
    bool over_all = wac_search_is_over_all(search);
    printf("%s over %s: mean (min .. max) of %s\n",
           over_all ? "return as a share of what can be won" : wac_search_measure(search), span,
           cli_count(seeds, (int64_t)choices->list[0].count, over_all ? "run" : "seed"));
}

static int conclude(const wac_ladder *ladder, const char *directory)
{
    wac_error error = {0};
    const wac_choices *choices = wac_ladder_choices(ladder);
    wac_tuned *list = malloc(choices->count * sizeof *list);
    if (!list) {
        (void)wac_fail_memory(&error, "the ranking");
        return cli_fail(&error);
    }
    print_measure(choices);
    for (size_t i = 0; i < choices->field_count; i++) {
        wac_ladder_rank(list, ladder, i);
        print_field(ladder, i, list, directory);
    }
    free(list);
    if (wac_tune_write(ladder, directory, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    printf("\nall of them: %s/tune.csv\n", directory);
    return CLI_OK;
}

static const char *out, *device, *values[WAC_SETTINGS_TOTAL];
static wac_given given;
static int64_t workers;
static bool dry;
static const cli_option options[] = {
    {"out", .text = &out},       {"workers", .count = &workers, .smallest = 1, .largest = 1024},
    {"device", .text = &device}, {"dry-run", .on = &dry},
    {"", .settings = values},    {0},
};

static int search_for(const wac_sweep *sweep, const char *file, const char *directory,
                      wac_sweep_options *how)
{
    char command[4 * PATH_MAX], flags[WAC_GIVEN_FLAGS];
    bool speaks;
    snprintf(command, sizeof command, "%s tune %s%s%s%s", cli_program(), WAC_SHELL(file),
             out ? " --out " : "", out ? WAC_SHELL(out) : "", wac_given_flags(flags, &given));
    int status = cli_sweep_run(sweep, directory, how, command, &speaks);
    /* what has failed is ranked last, but the rest is worth knowing */
    if (speaks && status != CLI_USAGE && !wac_asked_to_stop(how->stop)) {
        int ranked = conclude(how->ladder, directory);
        status = status ? status : ranked;
    }
    return status;
}

static int run(char **words)
{
    char directory[PATH_MAX];
    wac_error error = {0};
    wac_sweep sweep;
    wac_search search;
    wac_sweep_options how = {.workers = (int)workers};
    int status = cli_read_device(&how.device, device);
    if (status || (status = cli_read_given(&given, values)))
        return status;
    cli_sweep_directory(directory, out, "tunes", words[0]);
    if (wac_sweep_read(&sweep, &search, words[0], &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    if (wac_sweep_give(&sweep, &given, words[0], &error) != WAC_STATUS_OK ||
        wac_tune_check(&sweep, &search, &error) != WAC_STATUS_OK ||
        wac_ladder_create(&how.ladder, &sweep, &search, directory, &error) != WAC_STATUS_OK)
        status = cli_blame(&error);
    else
        status = dry ? cli_sweep_dry_run(&sweep, directory, &how)
                     : search_for(&sweep, words[0], directory, &how);
    wac_ladder_destroy(how.ladder);
    wac_sweep_free(&sweep);
    return status;
}

const cli_command cli_tune = {"tune",
                              "look for good settings",
                              help,
                              run,
                              options,
                              1,
                              "name a file; \"%s help tune\" shows one"};
