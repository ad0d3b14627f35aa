/* wac tune: look for good settings. */
#include "cli.h"
#include "sweep_run.h"
#include "terminal/terminal.h"

#include "base/stop.h"
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
    "  wac tune FILE.yaml [--out DIR] [--workers N] [--dry-run]\n"
    "\n"
    "The file is that of a sweep (\"wac help sweep\"): lists are what to choose from.\n"
    "With \"samples\" so many choices are drawn at random, also from ranges; without\n"
    "it all combinations are tried. Each is trained with all seeds, and ranked by\n"
    "its mean return over the last epochs:\n"
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
    "                             # return, success, coverage, episodes\n"
    "  last: 10                   # epochs at the end that are averaged\n"
    "\n"
    "Ends with the best settings and DIR/tune.csv, which has all of them. Stops and\n"
    "goes on like a sweep, and runs under mpirun like one. More samples, or longer\n"
    "lists, may be asked for later; what is there is kept.\n"
    "\n"
    "Flags\n"
    "  --out DIR           where the runs go (tunes/FILE)\n"
    "  --workers N         runs at a time (one for each processor it may use)\n"
    "  --dry-run           only list what would be done and how long it should take\n"
    "\n"
    "Examples\n"
    "  wac tune sac.yaml --dry-run\n"
    "  wac tune sac.yaml --out tunes/sac\n";

enum { SHOWN = 5 };

/* "  learning_rate 0.0003  width 128" */
static void print_settings(const wac_sweep *sweep, const wac_config *config)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        char value[64];
        if (!wac_tune_varies(sweep, &settings[i]) || !wac_config_reads(config, &settings[i]))
            continue;
        wac_config_format(config, &settings[i], value, sizeof value);
        printf("  %s %s", settings[i].name, value);
    }
}

/* The best choices of one environment and algorithm, and how to train with the first. */
static void print_rivals(const wac_sweep *sweep, const wac_tuned *list, size_t count,
                         const char *directory)
{
    const wac_config *best = &sweep->runs[list[0].first].config;
    char name[WAC_ENVIRONMENT_NAME], text[48];
    cli_style style = cli_style_of(stdout);
    const char *algorithm = wac_algorithm_name((wac_algorithm)best->algorithm);
    printf("\n%s%s on %s%s, best of %s\n", style.bold, algorithm, wac_environment_name(name, best),
           style.plain, cli_count(text, (int64_t)count, "choice"));
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        printf("  %10.5g  (%.5g .. %.5g)", list[i].mean, list[i].smallest, list[i].largest);
        print_settings(sweep, &sweep->runs[list[i].first].config);
        if (list[i].finished < list[i].runs)
            printf("  (%zu of %zu seeds)", list[i].finished, list[i].runs);
        putchar('\n');
    }
    if (list[0].finished > 0)
        printf("  train with the first: %s train --config %s/%s/config.yaml\n", cli_program(),
               directory, sweep->runs[list[0].first].folder);
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

static int conclude(const wac_sweep *sweep, const wac_search *search, const char *directory)
{
    wac_error error = {0};
    wac_tuned *list;
    size_t count;
    char seeds[48], span[80];
    if (wac_tune_rank(&list, &count, sweep, search, directory, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    describe_span(span, sweep, search->last);
    printf("%s over %s: mean (min .. max) of %s\n", wac_columns[search->measure].name, span,
           cli_count(seeds, (int64_t)list[0].runs, "seed"));
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && wac_tune_is_rival(sweep, &list[i], &list[end]))
            end++;
        print_rivals(sweep, &list[i], end - i, directory);
    }
    wac_status status = wac_tune_write(list, count, sweep, directory, &error);
    free(list);
    if (status != WAC_STATUS_OK)
        return cli_fail(&error);
    printf("\nall of them: %s/tune.csv\n", directory);
    return CLI_OK;
}

static const char *out;
static int64_t workers;
static bool dry;
static const cli_option options[] = {
    {"out", .text = &out},
    {"workers", .count = &workers, .smallest = 1, .largest = 1024},
    {"dry-run", .on = &dry},
    {0},
};

static int run(char **words)
{
    const char *file = words[0];
    char directory[PATH_MAX], command[3 * PATH_MAX];
    wac_error error = {0};
    wac_sweep sweep;
    wac_search search;
    int status;
    cli_sweep_directory(directory, out, "tunes", file);
    wac_status read = wac_sweep_read(&sweep, &search, file, &error);
    if (read == WAC_STATUS_OK) {
        read = wac_tune_check(&sweep, &search, &error);
        if (read != WAC_STATUS_OK)
            wac_sweep_free(&sweep);
    }
    if (read != WAC_STATUS_OK)
        return cli_blame(&error);
    if (dry) {
        status = cli_sweep_dry_run(&sweep, directory, (int)workers);
        wac_sweep_free(&sweep);
        return status;
    }
    wac_sweep_options how = {.workers = (int)workers};
    snprintf(command, sizeof command, "%s tune %s%s%s", cli_program(), file, out ? " --out " : "",
             out ? out : "");
    bool speaks;
    status = cli_sweep_run(&sweep, directory, &how, command, &speaks);
    /* what has failed is ranked last, but the rest is worth knowing */
    if (speaks && status != CLI_USAGE && !wac_asked_to_stop(how.stop)) {
        int ranked = conclude(&sweep, &search, directory);
        status = status ? status : ranked;
    }
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
