/* wac stats: what several seeds say together. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/json.h"
#include "base/suggest.h"
#include "stats/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "wac stats: what several seeds say together\n"
    "\n"
    "Usage\n"
    "  wac stats DIR|FILE.csv... [--measure NAME] [--json]\n"
    "\n"
    "Reads every finished run at or below DIR (which may be an archive that \"wac\n"
    "pack\" made) and sums them up, one number a run:\n"
    "for each task and algorithm (or setting, where runs differ in more) the mean\n"
    "and the interquartile mean over the seeds; for each pair of algorithms how\n"
    "probable it is that one does better than the other; where scores are shares of\n"
    "the best possible, how many runs get how far. Intervals are of 95 %, from\n"
    "runs drawn anew within each task (never from episodes). Fewer than 4 seeds\n"
    "decide nothing, and the table says so. docs/statistics.md explains each\n"
    "number.\n"
    "\n"
    "FILE.csv is a table of runs of other programs, which are put beside: a header,\n"
    "then a row for each evaluation, with the columns run, algorithm, environment,\n"
    "seed, step (of the environment) and value (the return).\n"
    "\n"
    "Flags\n"
    "  --measure NAME      what a run is judged by (score):\n"
    "      score             Point: success; RiverSwim: return as a share of 161.6,\n"
    "                        what always swimming up earns; others: return\n"
    "      return            return of an evaluation, over the last 10 epochs\n"
    "      success           share of episodes that reach the goal, last 50 epochs\n"
    "      solved            first epoch with success of 0.9 (RiverSwim: return of\n"
    "                        100; LQG: within 10 % of the best linear controller's);\n"
    "                        never is the last epoch + 1\n"
    "      coverage          share of the state-action space covered by samples,\n"
    "                        over all epochs; coverage-visited: by steps\n"
    "      episodes          evaluation episodes completed, over the last 50 epochs\n"
    "      area-of-return, area-of-episodes\n"
    "                        the same over all epochs: the area below the curve\n"
    "      mirror            WAC on LQG, RiverSwim: rank correlation of uncertainty\n"
    "                        and visits; unseen-std: uncertainty where it hardly was\n"
    "      best              highest return\n"
    "      normalised        return over the last 10 epochs, from 0, that of random\n"
    "                        actions, to 1, the best that is known of the task\n"
    "      regret            what is missing to 1 in the episodes of exploration,\n"
    "                        over all epochs\n"
    "  --json              everything as JSON, for other programs\n"
    "\n"
    "Exit status 1 if a run could not be read; the others are summed up anyway.\n"
    "\n"
    "Examples\n"
    "  for seed in 1 2 3 4 5; do\n"
    "    wac train riverswim --epochs 40 --seed $seed\n"
    "    wac train riverswim --epochs 40 --seed $seed --algorithm sac\n"
    "  done\n"
    "  wac stats runs\n"
    "  wac stats runs --measure solved\n"
    "  wac stats runs stable-baselines3.csv\n";

enum { MOST_PAIRS = 66 };

/* --- words and numbers --------------------------------------------------------------------- */

/* A number for a table: about four digits, no exponent in the usual range; "-" for none. */
static const char *figure(char text[32], double number)
{
    if (isnan(number))
        return "-";
    double size = fabs(number);
    if (size >= 1000 && size < 1e9)
        snprintf(text, 32, "%.0f", number);
    else if (size < 1e-12) /* what is left over from rounding */
        return "0";
    else if (size < 1e-3)
        snprintf(text, 32, "%.2g", number);
    else if (size < 1)
        snprintf(text, 32, "%.4f", number);
    else
        snprintf(text, 32, "%.4g", number);
    return text;
}
#define FIGURE(number) figure((char[32]){0}, (number))

/* "0.9 [0.8, 1]" */
static const char *interval(char text[112], const wac_interval *interval)
{
    if (isnan(interval->value))
        return "-";
    snprintf(text, 112, "%s [%s, %s]", FIGURE(interval->value), FIGURE(interval->low),
             FIGURE(interval->high));
    return text;
}
#define INTERVAL(which) interval((char[112]){0}, (which))

static int wider(int width, const char *text)
{
    int length = (int)strlen(text);
    return length > width ? length : width;
}

static bool is_enough(size_t seeds)
{
    return seeds >= WAC_SEEDS_ENOUGH;
}

/* Why a run does not count, or null if it does. */
static const char *excuse(char text[96], const wac_record *run, wac_measure measure)
{
    if (!run->finished) {
        snprintf(text, 96, "%s (%zu of %" PRId64 " epochs)",
                 run->diverged ? "diverged" : "is not finished",
                 run->history.rows ? run->history.rows - 1 : 0, run->config.epochs);
        return text;
    }
    if (!isnan(wac_record_measure(run, measure)))
        return NULL;
    snprintf(text, 96, "has no value for \"%s\"", wac_measure_name(measure));
    return text;
}

/* --- the tables ---------------------------------------------------------------------------- */

/* What stands between the names of a row and its numbers, so many columns each: in a narrow
 * terminal these are a line of their own. */
static const char *gap_between(int names, int numbers)
{
    int rows;
    bool narrow = isatty(STDOUT_FILENO) && names + 2 + numbers >= cli_columns(stdout, &rows);
    return narrow ? "\n      " : "  ";
}

static void print_groups(const wac_comparison *all, const cli_style *style)
{
    int task_width = 4, label_width = 9;
    for (size_t i = 0; i < all->set->group_count; i++) {
        task_width = wider(task_width, all->groups[i].group->task_name);
        label_width = wider(label_width, all->groups[i].group->label);
    }
    const char *gap = gap_between(task_width + 2 + label_width, 58);
    label_width = *gap == '\n' ? 0 : label_width;
    printf("%s%-*s  %-*s%s%5s  %21s  interquartile mean [95 %%]%s\n", style->dim, task_width,
           "task", label_width, "algorithm", gap, "seeds", "mean +- 2 s/sqrt(n)", style->plain);
    for (size_t i = 0; i < all->set->group_count; i++) {
        const wac_group_summary *group = &all->groups[i];
        char mean[72];
        snprintf(mean, sizeof mean, group->count > 1 ? "%s +- %s" : "%s", FIGURE(group->mean),
                 FIGURE(group->spread));
        printf("%-*s  %-*s%s%4zu%s  %21s  %s\n", task_width, group->group->task_name, label_width,
               group->group->label, gap, group->count, is_enough(group->count) ? " " : "*", mean,
               INTERVAL(&group->iqm));
    }
}

/* The shares of runs above some scores, as the rest of a line; of its head for null. */
static void print_profile(const wac_method_summary *method)
{
    static const int points[] = {5, 10, 15, 18}; /* 0.25, 0.5, 0.75, 0.9 */
    fputs(method ? "      " : "  runs", stdout);
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        printf(method ? "   %.2f" : " > %.2f",
               method ? method->profile[points[i]].value : wac_profile_threshold(points[i]));
}

static void print_methods(const wac_comparison *all, const cli_style *style)
{
    enum { PROFILE = 34 };
    char tasks[48];
    const char *iqm_title = "interquartile mean [95 %]", *gap_title = "optimality gap [95 %]";
    int label_width = 9, iqm_width = wider(0, iqm_title), gap_width = wider(0, gap_title);
    for (size_t i = 0; i < all->method_count; i++) {
        if (isnan(all->methods[i].iqm.value))
            continue;
        label_width = wider(label_width, all->methods[i].label);
        iqm_width = wider(iqm_width, INTERVAL(&all->methods[i].iqm));
        gap_width = wider(gap_width, INTERVAL(&all->methods[i].gap));
    }
    printf("\n%s%s as shares of the best possible, %s%s\n", style->bold,
           all->measure == WAC_MEASURE_SCORE ? "Scores" : "Returns",
           cli_count(tasks, (int64_t)all->shared_count, "task"), style->plain);
    /* in a narrow terminal the profiles are a table of their own */
    bool narrow = label_width + iqm_width + gap_width + 4 + PROFILE > cli_width(stdout);
    const char *gap = gap_between(label_width, iqm_width + 2 + gap_width);
    for (int table = 0; table < (narrow ? 2 : 1); table++) {
        bool first = table == 0, profile = !first || !narrow;
        printf("%s%-*s", style->dim, label_width, "algorithm");
        if (first)
            printf("%s%-*s  %-*s", gap, iqm_width, iqm_title, narrow ? 0 : gap_width, gap_title);
        if (profile)
            print_profile(NULL);
        printf("%s\n", style->plain);
        for (size_t i = 0; i < all->method_count; i++) {
            const wac_method_summary *method = &all->methods[i];
            if (isnan(method->iqm.value))
                continue;
            printf("%-*s", label_width, method->label);
            if (first)
                printf("%s%-*s  %-*s", gap, iqm_width, INTERVAL(&method->iqm),
                       narrow ? 0 : gap_width, INTERVAL(&method->gap));
            if (profile)
                print_profile(method);
            putchar('\n');
        }
    }
}

/* Whether an algorithm has finished runs to take shares of. */
static bool has_shares(const wac_comparison *all)
{
    bool some = false;
    for (size_t i = 0; i < all->method_count; i++)
        some |= !isnan(all->methods[i].iqm.value);
    return some;
}

/* Why there is no table of shares. */
static void print_why_no_shares(const wac_comparison *all)
{
    bool scaled = false, normalised = false;
    for (size_t task = 0; task < all->set->task_count; task++) {
        scaled = scaled || !isnan(wac_measure_unit(all->set, task, all->measure));
        normalised = normalised || !isnan(wac_measure_unit(all->set, task, WAC_MEASURE_NORMALISED));
    }
    char text[256];
    snprintf(
        text, sizeof text, "No shares of the best possible: %s",
        all->measure != WAC_MEASURE_SCORE && all->measure != WAC_MEASURE_NORMALISED
            ? "only scores and normalised returns are such shares (--measure score or normalised)"
        : all->shared_count > 0 ? "no run on such a task is finished"
        : scaled                ? "there is no task that all algorithms have runs on"
        : normalised            ? "of these tasks returns are, by --measure normalised"
                     : "what is best possible is not known of these tasks (docs/statistics.md)");
    putchar('\n');
    cli_print_wrapped(text, 0, cli_width(stdout));
}

static void print_pairs(const wac_comparison *all, const cli_style *style)
{
    if (all->pair_count > MOST_PAIRS) {
        printf("\n%zu pairs to compare are too many for a table; give fewer folders, or "
               "--json\n",
               all->pair_count);
        return;
    }
    int better = 6, worse = 4;
    for (size_t i = 0; i < all->pair_count; i++) {
        better = wider(better, all->methods[all->pairs[i].better].label);
        worse = wider(worse, all->methods[all->pairs[i].worse].label);
    }
    printf("\n%sProbability that a run does better%s\n", style->bold, style->plain);
    const char *gap = gap_between(better + 2 + worse, 40);
    worse = *gap == '\n' ? 0 : worse;
    printf("%s%-*s  %-*s%s%5s  %5s  probability [95 %%]%s\n", style->dim, better, "better", worse,
           "than", gap, "tasks", "seeds", style->plain);
    for (size_t i = 0; i < all->pair_count; i++) {
        const wac_pair_summary *pair = &all->pairs[i];
        size_t fewest = pair->improvement.fewest;
        printf("%-*s  %-*s%s%5zu  %4zu%s  %s\n", better, all->methods[pair->better].label, worse,
               all->methods[pair->worse].label, gap, pair->tasks, fewest,
               is_enough(fewest) ? " " : "*", INTERVAL(&pair->improvement));
    }
}

static void print_tables(const wac_comparison *all)
{
    cli_style style = cli_style_of(stdout);
    char runs[48];
    size_t counted = 0, small = 0;
    for (size_t i = 0; i < all->set->group_count; i++) {
        counted += all->groups[i].count;
        small += !is_enough(all->groups[i].count);
    }
    printf("%s%s of %s%s%s\n", style.bold, wac_measure_name(all->measure),
           cli_count(runs, (int64_t)counted, "run"), style.plain,
           all->measure == WAC_MEASURE_SOLVED  ? " (less is better; never: the last epoch + 1)"
           : wac_measure_is_cost(all->measure) ? " (less is better)"
                                               : "");
    print_groups(all, &style);
    if (all->shared_count > 0 && has_shares(all))
        print_methods(all, &style);
    else
        print_why_no_shares(all);
    if (all->pair_count > 0)
        print_pairs(all, &style);
    if (all->method_count > WAC_METHODS_PAIRED)
        printf("\n%zu settings are too many to compare in pairs; give fewer folders\n",
               all->method_count);
    if (small > 0)
        printf("\n* fewer than %d seeds: too few to decide anything, whatever the numbers\n",
               WAC_SEEDS_ENOUGH);
}

/* --- JSON ---------------------------------------------------------------------------------- */

/* An array that lacks something becomes null, and with it everything that it was to be part of. */
static void append(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) != 0) {
        json_decref(*array);
        *array = NULL;
    }
}

static json_t *json_interval(const wac_interval *interval)
{
    return json_pack("{s:o, s:o, s:o}", "value", wac_json_number(interval->value), "low",
                     wac_json_number(interval->low), "high", wac_json_number(interval->high));
}

static json_t *json_group(const wac_group_summary *summary)
{
    const wac_group *group = summary->group;
    json_t *seeds = json_array(), *values = json_array();
    for (size_t i = 0; i < summary->count; i++) {
        append(&seeds, json_integer((json_int_t)summary->runs[i]->config.seed));
        append(&values, wac_json_number(summary->values[i]));
    }
    const wac_config *config = &group->runs[0]->config;
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:b, s:o, s:o, s:o}", "task", group->task_name,
                     "environment", config->environment, "label", group->label, "algorithm",
                     group->runs[0]->algorithm, "seeds", seeds, "values", values, "enough_seeds",
                     is_enough(summary->count), "mean", wac_json_number(summary->mean), "spread",
                     wac_json_number(summary->spread), "iqm", json_interval(&summary->iqm));
}

static json_t *json_method(const wac_method_summary *method)
{
    json_t *profile = json_array();
    for (int i = 0; i < WAC_PROFILE_POINTS; i++) {
        json_t *above = json_real(wac_profile_threshold(i));
        append(&profile, json_pack("{s:o, s:o}", "above", above, "share",
                                   json_interval(&method->profile[i])));
    }
    return json_pack("{s:s, s:b, s:o, s:o, s:o}", "label", method->label, "enough_seeds",
                     is_enough(method->iqm.fewest), "iqm", json_interval(&method->iqm),
                     "optimality_gap", json_interval(&method->gap), "profile", profile);
}

/* The name of a task, by its place. */
static const char *task_name(const wac_comparison *all, size_t task)
{
    size_t i = 0;
    while (all->groups[i].group->task != task)
        i++;
    return all->groups[i].group->task_name;
}

static json_t *json_comparison(const wac_comparison *all)
{
    char reason[96];
    json_t *groups = json_array(), *tasks = json_array(), *methods = json_array(),
           *pairs = json_array(), *left_out = json_array();
    for (size_t i = 0; i < all->set->group_count; i++)
        append(&groups, json_group(&all->groups[i]));
    for (size_t i = 0; i < all->set->task_count; i++)
        if (all->shared[i])
            append(&tasks, json_string(task_name(all, i)));
    for (size_t i = 0; i < all->method_count; i++)
        if (!isnan(all->methods[i].iqm.value))
            append(&methods, json_method(&all->methods[i]));
    for (size_t i = 0; i < all->pair_count; i++) {
        const wac_pair_summary *pair = &all->pairs[i];
        append(&pairs,
               json_pack("{s:s, s:s, s:I, s:b, s:o}", "better", all->methods[pair->better].label,
                         "worse", all->methods[pair->worse].label, "tasks", (json_int_t)pair->tasks,
                         "enough_seeds", is_enough(pair->improvement.fewest), "probability",
                         json_interval(&pair->improvement)));
    }
    for (size_t i = 0; i < all->set->count; i++) {
        const char *why = excuse(reason, &all->set->runs[i], all->measure);
        if (why)
            append(&left_out,
                   json_pack("{s:s, s:s}", "run", all->set->runs[i].path, "reason", why));
    }
    for (size_t i = 0; i < all->set->problem_count; i++)
        append(&left_out, json_pack("{s:s, s:s}", "run", all->set->problems[i].path, "reason",
                                    all->set->problems[i].message));
    return json_pack("{s:s, s:b, s:i, s:I, s:i, s:o, s:{s:o, s:o}, s:o, s:o}", "measure",
                     wac_measure_name(all->measure), "less_is_better",
                     wac_measure_is_cost(all->measure), "resamples", all->bootstrap.resamples,
                     "seed", (json_int_t)all->bootstrap.seed, "seeds_needed", WAC_SEEDS_ENOUGH,
                     "groups", groups, "shares", "tasks", tasks, "methods", methods, "pairs", pairs,
                     "left_out", left_out);
}

static int print_json(const wac_comparison *all)
{
    size_t size;
    json_t *json = json_comparison(all);
    char *text =
        wac_json_text(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15), &size);
    json_decref(json);
    if (!text)
        return cli_fail(&(wac_error){WAC_STATUS_MEMORY,
                                     "cannot make JSON of it: memory ran out, or the "
                                     "name of a folder is not UTF-8; try without --json"});
    puts(text);
    free(text);
    return CLI_OK;
}

/* --- the command --------------------------------------------------------------------------- */

static int read_measure(wac_measure *measure, const char *name)
{
    if (wac_measure_find(measure, name))
        return CLI_OK;
    const char *near = WAC_SUGGEST(name, wac_measure_name_at, NULL, NULL);
    if (near)
        return cli_refuse("unknown measure \"%s\"; %s", WAC_CLIP(name), near);
    return cli_refuse("unknown measure \"%s\"; \"%s help stats\" lists them", WAC_CLIP(name),
                      cli_program());
}

/* What does not count, on stderr. */
static int complain(const wac_runset *set, wac_measure measure)
{
    char reason[96];
    for (size_t i = 0; i < set->count; i++)
        if (excuse(reason, &set->runs[i], measure))
            fprintf(stderr, "wac: %s %s; left out\n", set->runs[i].path, reason);
    for (size_t i = 0; i < set->problem_count; i++) {
        fputs("wac: ", stderr);
        cli_print_sentence(stderr, set->problems[i].message);
    }
    return set->problem_count ? CLI_FAILED : CLI_OK;
}

static const char *name = "score";
static bool json;
static const cli_option options[] = {{"measure", .text = &name}, {"json", .on = &json}, {0}};

static int run(char **words)
{
    wac_measure measure = WAC_MEASURE_SCORE;
    int status = read_measure(&measure, name);
    if (status)
        return status;
    size_t count = 0;
    while (words[count])
        count++;
    wac_runset set;
    wac_comparison comparison;
    wac_error error = {0};
    if (wac_runset_load(&set, (const char *const *)words, count, true, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (wac_compare(&comparison, &set, measure, wac_bootstrap_default(), &error) == WAC_STATUS_OK) {
        status = complain(&set, measure);
        if (json && print_json(&comparison) != CLI_OK)
            status = CLI_FAILED;
        if (!json)
            print_tables(&comparison);
        wac_comparison_free(&comparison);
    } else {
        status = cli_fail(&error);
    }
    wac_runset_free(&set);
    return status;
}

const cli_command cli_stats = {"stats",
                               "sum up runs of several seeds",
                               help,
                               run,
                               options,
                               CLI_ANY_WORDS,
                               "which runs? Give a folder that has some, as in: %s stats runs"};
