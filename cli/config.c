/* wac config: every setting with its value, range and meaning, by those who read it. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/words.h"
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac config: show the settings\n"
    "\n"
    "Usage\n"
    "  wac config [ENV] [--algorithm NAME] [--yaml]\n"
    "\n"
    "Without ENV: every setting with its default, range and meaning. With ENV: the\n"
    "values that training on that environment starts from. A setting can be\n"
    "changed by a flag of \"wac train\" (--path-limit 100) or by a line of a file\n"
    "(path_limit: 100) for --config.\n"
    "\n"
    "Flags\n"
    "  --algorithm NAME   show only what this algorithm reads\n"
    "  --yaml             print a file for \"wac train --config FILE\" (needs ENV)\n"
    "\n"
    "Examples\n"
    "  wac config\n"
    "  wac config riverswim --algorithm sac\n"
    "  wac config lqg --yaml > my.yaml    edit it, then: wac train --config my.yaml\n";

/* columns of the table */
enum { NAME = 20, VALUE = 12, RANGE = 22, MEANING = 2 + NAME + VALUE + RANGE };

/* Of the algorithms those that this is about: where an environment is not finite, no tables. */
static bool same_readers(const wac_setting *a, const wac_setting *b, unsigned about)
{
    const char *one = a->environments ? a->environments : "";
    const char *other = b->environments ? b->environments : "";
    return (a->algorithms & about) == (b->algorithms & about) && strcmp(one, other) == 0;
}

static void print_names(unsigned algorithms)
{
    const char *between = "";
    for (int i = 0; algorithms >> i; i++) {
        if (!(algorithms >> i & 1u))
            continue;
        printf("%s%s", between, wac_algorithm_name((wac_algorithm)i));
        between = " and ";
    }
}

static bool is_one(unsigned algorithms)
{
    return algorithms && (algorithms & (algorithms - 1)) == 0;
}

static void print_readers(const wac_setting *setting, unsigned about)
{
    unsigned algorithms = setting->algorithms & about;
    cli_style style = cli_style_of(stdout);
    printf("\n%sRead by ", style.bold);
    if (setting->environments) {
        char names[128];
        wac_words_join(names, sizeof names, setting->environments);
        printf("the environment %s", names);
    } else if (algorithms == (WAC_FOR_ALL & about)) {
        printf("every algorithm");
    } else if (algorithms == WAC_FOR_NETWORKS) {
        printf("every algorithm with networks");
    } else if (is_one(WAC_FOR_NETWORKS ^ algorithms)) {
        printf("every algorithm%s but ", about == WAC_FOR_NETWORKS ? "" : " with networks");
        print_names(WAC_FOR_NETWORKS ^ algorithms);
    } else {
        print_names(algorithms);
    }
    printf("%s\n", style.plain);
}

/* 1e6 rather than 1e+06 */
static void format_bound(char *text, size_t size, double bound)
{
    snprintf(text, size, "%g", bound);
    char *exponent = strchr(text, 'e');
    if (!exponent)
        return;
    char *digits = exponent + 1 + (exponent[1] == '-');
    size_t skip = strspn(digits, "+0");
    memmove(digits, digits + skip, strlen(digits + skip) + 1);
}

/* How much of "one|two|three" fits into the column. */
static size_t fit_words(const char *words)
{
    size_t fits = 0;
    for (size_t end = 0; words[end] && fits + 1 < RANGE; fits = end) {
        end = fits + strcspn(words + fits, "|");
        end += words[end] == '|';
        if (end >= RANGE && fits > 0)
            break;
    }
    return fits;
}

static void print_setting(const wac_config *config, const wac_setting *setting)
{
    char value[64], range[256];
    wac_config_format(config, setting, value, sizeof value);
    if (setting->words) {
        snprintf(range, sizeof range, "%s", setting->words);
    } else {
        char low[16], high[16];
        format_bound(low, sizeof low, setting->smallest);
        format_bound(high, sizeof high, setting->largest);
        snprintf(range, sizeof range, "%s .. %s", low, high);
    }
    /* what is too long for its column goes on below, from word to word */
    size_t first = fit_words(range);
    printf("  %-*s%-*s%-*.*s", NAME, setting->name, VALUE, value, RANGE, (int)first, range);
    cli_print_wrapped(setting->help, MEANING, cli_width(stdout));
    for (const char *rest = range + first; *rest; rest += fit_words(rest))
        printf("%*s%.*s\n", MEANING - RANGE, "", (int)fit_words(rest), rest);
}

/* The values that a group of settings has: those of the config, if its algorithm reads them, or of
 * the first algorithm that does. */
static wac_status group_config(wac_config *config, const wac_config *chosen,
                               const wac_setting *setting, wac_error *error)
{
    *config = *chosen;
    if (setting->algorithms >> chosen->algorithm & 1u)
        return WAC_STATUS_OK;
    int reader = __builtin_ctz(setting->algorithms);
    return wac_config_init(config, chosen->environment, wac_algorithm_name((wac_algorithm)reader),
                           error);
}

/* `one_algorithm`, `one_environment`: leave out what others read. */
static wac_status print_settings(const wac_config *chosen, bool one_algorithm, bool one_environment,
                                 wac_error *error)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    bool finite = wac_word_index(WAC_FOR_FINITE, chosen->environment) >= 0;
    unsigned about = one_environment && !finite ? WAC_FOR_NETWORKS : WAC_FOR_ALL;
    printf("  %-*s%-*s%-*s%s\n", NAME, "setting", VALUE, "value", RANGE, "range", "meaning");
    for (size_t i = 0; i < count; i++) {
        const wac_setting *first = &settings[i];
        size_t earlier = 0;
        while (!same_readers(&settings[earlier], first, about))
            earlier++;
        bool other_environment = one_environment && first->environments &&
                                 wac_word_index(first->environments, chosen->environment) < 0;
        bool other_algorithm = one_algorithm && !(first->algorithms >> chosen->algorithm & 1u);
        if (earlier < i || other_environment || other_algorithm || !(first->algorithms & about))
            continue;

        wac_config config;
        wac_status status = group_config(&config, chosen, first, error);
        if (status)
            return status;
        print_readers(first, about);
        for (size_t j = i; j < count; j++)
            if (same_readers(&settings[j], first, about))
                print_setting(&config, &settings[j]);
    }
    return WAC_STATUS_OK;
}

static const char *algorithm;
static bool yaml;
static const cli_option options[] = {{"algorithm", .text = &algorithm}, {"yaml", .on = &yaml}, {0}};

static int run(char **words)
{
    const char *environment = words[0];
    if (yaml && !environment)
        return cli_refuse("--yaml needs an environment, as in: %s config riverswim --yaml",
                          cli_program());
    const wac_environment_type *type;
    wac_config config;
    wac_error error = {0};
    if ((environment && wac_environment_type_find(&type, environment, &error)) ||
        wac_config_init(&config, environment ? environment : "yours", algorithm, &error))
        return cli_blame(&error);
    if (yaml) {
        char *text;
        if (wac_config_yaml(&text, &config, &error))
            return cli_fail(&error);
        fputs(text, stdout);
        free(text);
        return CLI_OK;
    }
    if (environment)
        printf("Settings of %s (%s%s)\n\n", environment,
               algorithm ? "" : "unless told otherwise, with ",
               wac_algorithm_name((wac_algorithm)config.algorithm));
    else
        printf("All settings and their defaults (\"%s config ENV\": those of ENV)\n\n",
               cli_program());
    if (print_settings(&config, algorithm, environment, &error))
        return cli_fail(&error);
    putchar('\n');
    cli_print_wrapped("Change one with a flag (--path-limit 100) or a line of a --config file "
                      "(path_limit: 100).",
                      0, cli_width(stdout));
    return CLI_OK;
}

const cli_command cli_config = {
    "config", "show the settings, their ranges and presets", help, run, options, 1, NULL};
