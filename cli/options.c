/* Arguments of the subcommands, and the config that they add up to. */
#include "options.h"

#include "terminal/terminal.h"

#include "base/suggest.h"
#include "config/config.h"
#include "config/environments.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Where a suggestion may come from. */
typedef struct known {
    const cli_option *options;
    bool settings;
} known;

static const char *known_name(const void *names, size_t index)
{
    const known *all = names;
    for (const cli_option *option = all->options; option->name; option++)
        if (index-- == 0)
            return option->name;
    return all->settings ? wac_setting_name(NULL, index) : NULL;
}

static int refuse_flag(const cli_arguments *arguments, const cli_option *options,
                       const char *command, const char *flag, const char *name)
{
    known all = {options, arguments->takes_settings};
    const char *near = wac_suggest(name, known_name, &all);
    if (!near)
        return cli_refuse("unknown flag \"%s\"; see \"%s %s --help\"", WAC_CLIP(flag),
                          cli_program(), command);
    /* settings are written with underscores, flags with dashes */
    char spelled[64];
    snprintf(spelled, sizeof spelled, "%s", near);
    for (char *letter = spelled; *letter; letter++)
        *letter = *letter == '_' ? '-' : *letter;
    return cli_refuse("unknown flag \"%s\"; did you mean \"--%s\"?", WAC_CLIP(flag), spelled);
}

static int read_count(const cli_option *option, const char *text)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    bool whole = *text && !text[strspn(text, "+-0123456789")] && !*end;
    if (!whole || errno || number < option->smallest || number > option->largest)
        return cli_refuse("--%s must be a whole number from %lld to %lld, not \"%s\"", option->name,
                          (long long)option->smallest, (long long)option->largest, WAC_CLIP(text));
    *option->count = number;
    return CLI_OK;
}

static const cli_option *find_option(const cli_option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

/* One flag at argv[*index], which moves on to its value if that is an argument of its own. */
static int read_flag(cli_arguments *arguments, const cli_option *options, char **argv, int *index)
{
    const char *flag = argv[*index];
    const char *equals = strchr(flag, '=');
    char name[64];
    size_t length = equals ? (size_t)(equals - flag) : strlen(flag);
    snprintf(name, sizeof name, "%.*s", (int)(length < 2 ? 0 : length - 2), flag + 2);

    const cli_option *option = find_option(options, name);
    const wac_setting *setting = NULL;
    if (!option && arguments->takes_settings)
        wac_setting_find(&setting, name, NULL);
    if (flag[1] != '-' || (!option && !setting))
        return refuse_flag(arguments, options, argv[0], flag, flag[1] == '-' ? name : flag + 1);

    if (option && option->on) {
        if (equals)
            return cli_refuse("--%s takes no value", name);
        *option->on = true;
        return CLI_OK;
    }
    const char *value = equals ? equals + 1 : argv[*index + 1];
    if (!value || (!equals && strncmp(value, "--", 2) == 0)) {
        char range[128] = "";
        if (setting)
            wac_setting_range(setting, range, sizeof range);
        return cli_refuse("--%s needs a value%s%s", name, setting ? ": " : "", range);
    }
    *index += !equals;
    if (setting) {
        size_t count;
        arguments->settings[setting - wac_settings(&count)] = value;
        return CLI_OK;
    }
    if (option->count)
        return read_count(option, value);
    *option->text = value;
    return CLI_OK;
}

int cli_parse(cli_arguments *arguments, const cli_option *options, int argc, char **argv)
{
    bool flags = true;
    arguments->words = argv + 1;
    for (int i = 1; i < argc; i++) {
        if (flags && strcmp(argv[i], "--") == 0) {
            flags = false;
        } else if (flags && argv[i][0] == '-' && argv[i][1]) {
            int status = read_flag(arguments, options, argv, &i);
            if (status)
                return status;
        } else if (arguments->word_count == arguments->most_words) {
            return cli_refuse("what to do with \"%s\"? see \"%s %s --help\"", WAC_CLIP(argv[i]),
                              cli_program(), argv[0]);
        } else {
            arguments->words[arguments->word_count++] = argv[i];
        }
    }
    arguments->words[arguments->word_count] = NULL;
    return CLI_OK;
}

/* The algorithm asked for by a flag; null: none. */
static const char *chosen_algorithm(const cli_arguments *arguments)
{
    size_t count;
    const wac_setting *algorithm;
    wac_setting_find(&algorithm, "algorithm", NULL);
    return arguments->settings[algorithm - wac_settings(&count)];
}

static wac_status read_config(wac_config *config, const cli_arguments *arguments,
                              const char *environment, const char *file, wac_error *error)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count), *algorithm;
    wac_setting_find(&algorithm, "algorithm", NULL);
    const char *chosen = chosen_algorithm(arguments);
    const wac_environment_type *type;

    wac_status status = WAC_STATUS_OK;
    if (environment)
        status = wac_environment_type_find(&type, environment, error);
    if (!status)
        status = file ? wac_config_read(config, file, environment, chosen, error)
                      : wac_config_init(config, environment, chosen, error);
    if (!status && !environment)
        status = wac_environment_type_find(&type, config->environment, error);
    for (size_t i = 0; i < count && !status; i++)
        if (arguments->settings[i] && &settings[i] != algorithm)
            status = wac_config_set(config, settings[i].name, arguments->settings[i], error);
    return status ? status : wac_config_check(config, error);
}

/* Whether a file is fine but for the algorithm that a flag asks for; then `own` is the file's. */
static bool is_for_another(wac_config *own, const cli_arguments *arguments, const char *environment,
                           const char *file)
{
    const char *chosen = file ? chosen_algorithm(arguments) : NULL;
    wac_config config;
    return chosen && wac_config_read(own, file, environment, NULL, NULL) == WAC_STATUS_OK &&
           wac_config_init(&config, own->environment, chosen, NULL) == WAC_STATUS_OK &&
           config.algorithm != own->algorithm &&
           wac_config_read(&config, file, environment, chosen, NULL) != WAC_STATUS_OK;
}

int cli_read_config(wac_config *config, const cli_arguments *arguments, const char *environment,
                    const char *file)
{
    if (!environment && !file)
        return cli_refuse("name an environment, such as riverswim; \"%s envs\" lists them",
                          cli_program());
    wac_error error = {0};
    wac_config own;
    char name[WAC_ENVIRONMENT_NAME];
    wac_status status = read_config(config, arguments, environment, file, &error);
    if (status == WAC_STATUS_INPUT && is_for_another(&own, arguments, environment, file))
        return cli_refuse("%s. The file is for %s; make one with: %s config %s --algorithm %s "
                          "--yaml",
                          error.message, wac_algorithm_name((wac_algorithm)own.algorithm),
                          cli_program(), wac_environment_name(name, &own),
                          chosen_algorithm(arguments));
    return status ? cli_blame(&error) : CLI_OK;
}
