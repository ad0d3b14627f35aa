/* Arguments of the subcommands, and the config that they add up to. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/number.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/config.h"
#include "config/environments.h"
#include "config/synonyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *known_name(const void *names, size_t index)
{
    for (const cli_option *option = names; option->name; option++) {
        size_t count = option->settings ? WAC_SETTINGS_TOTAL : 1;
        if (index < count)
            return option->settings ? wac_setting_name(NULL, index) : option->name;
        index -= count;
    }
    return NULL;
}

/* "train, sweep or tune": the commands that have a flag of this name, which is no setting. */
static bool find_owners(char *text, size_t size, const char *name)
{
    char words[256] = "";
    for (const cli_command *const *command = cli_commands; *command; command++)
        for (const cli_option *option = (*command)->options; option && option->name; option++)
            if (*option->name && strcmp(option->name, name) == 0)
                snprintf(words + strlen(words), sizeof words - strlen(words), "%s%s",
                         *words ? "|" : "", (*command)->name);
    wac_words_join(text, size, words);
    return *words;
}

static int refuse_flag(const cli_option *options, const char *command, const char *flag,
                       const char *name)
{
    char owners[256];
    if (wac_word_index("train|config", command) >= 0 &&
        wac_word_index("env|environment|env-id|env-name|env_id|env_name|task", name) >= 0)
        return cli_refuse("unknown flag \"%s\"; the environment needs none, as in: %s %s riverswim",
                          WAC_CLIP(flag), cli_program(), command);
    const char *near = WAC_SETTING_SUGGEST(name, known_name, options, NULL);
    if (!near && find_owners(owners, sizeof owners, name))
        return cli_refuse("unknown flag \"%s\"; it is one of %s, see \"%s help %s\"",
                          WAC_CLIP(flag), owners, cli_program(), command);
    if (!near)
        return cli_refuse("unknown flag \"%s\"; see \"%s help %s\"", WAC_CLIP(flag), cli_program(),
                          command);
    /* settings are written with underscores, flags with dashes, two of them before each */
    char spelled[WAC_SUGGESTION + 32];
    size_t used = 0, quotes = 0;
    for (; *near && used + 4 < sizeof spelled; near++) {
        spelled[used++] = *near == '_' ? '-' : *near;
        if (*near == '"' && quotes++ % 2 == 0)
            used += (size_t)sprintf(spelled + used, "--");
    }
    return cli_refuse("unknown flag \"%s\"; %.*s", WAC_CLIP(flag), (int)used, spelled);
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

static int read_length(const cli_option *option, const char *text)
{
    enum { SHORTEST = 1, LONGEST = 40 };
    static const double inches[] = {1, 1 / 2.54, 1 / 25.4};
    char number[32];
    double value;
    size_t length = strspn(text, "0123456789.");
    int unit = wac_word_index("in|cm|mm", text + length);
    snprintf(number, sizeof number, "%.*s", (int)(length < 31 ? length : 31), text);
    value = unit >= 0 && wac_number_parse(&value, number) ? value * inches[unit] : 0;
    if (!(value >= SHORTEST && value <= LONGEST))
        return cli_refuse(
            "--%s must be a length from %din to %din, as in 3.3in, 84mm or 8.4cm, not "
            "\"%s\"",
            option->name, SHORTEST, LONGEST, WAC_CLIP(text));
    *option->inches = value;
    return CLI_OK;
}

/* The option of this name; that of the settings if it is one of theirs. */
static const cli_option *find_option(const cli_option *options, const char *name,
                                     const wac_setting **setting)
{
    *setting = NULL;
    for (; options->name; options++)
        if (options->settings ? wac_setting_find(setting, name, NULL) == WAC_STATUS_OK
                              : strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

/* One flag at argv[*index], which moves on to its value if that is an argument of its own. */
static int read_flag(const cli_option *options, char **argv, int *index)
{
    const char *flag = argv[*index];
    const char *equals = strchr(flag, '=');
    char name[64];
    size_t length = equals ? (size_t)(equals - flag) : strlen(flag);
    snprintf(name, sizeof name, "%.*s", (int)(length < 2 ? 0 : length - 2), flag + 2);

    const wac_setting *setting;
    const cli_option *option = find_option(options, name, &setting);
    if (flag[1] != '-' || !option)
        return refuse_flag(options, argv[0], flag, flag[1] == '-' ? name : flag + 1);
    if (option->on) {
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
    size_t count;
    if (option->count)
        return read_count(option, value);
    if (option->inches)
        return read_length(option, value);
    *(setting ? &option->settings[setting - wac_settings(&count)] : option->text) = value;
    return CLI_OK;
}

int cli_parse(const cli_option *options, int most, int argc, char **argv)
{
    bool flags = true;
    int words = 0;
    for (int i = 1; i < argc; i++) {
        if (flags && strcmp(argv[i], "--") == 0) {
            flags = false;
        } else if (flags && argv[i][0] == '-' && argv[i][1]) {
            int status = read_flag(options, argv, &i);
            if (status)
                return status;
        } else if (words == most) {
            return cli_refuse("what to do with \"%s\"? see \"%s help %s\"", WAC_CLIP(argv[i]),
                              cli_program(), argv[0]);
        } else {
            argv[++words] = argv[i];
        }
    }
    argv[1 + words] = NULL;
    return CLI_OK;
}

int cli_read_device(wac_device *device, const char *text)
{
    int found = wac_word_index(WAC_DEVICES, text ? text : "cpu");
    if (found < 0)
        return cli_refuse("--device must be cpu or cuda, not \"%s\"", WAC_CLIP(text));
    *device = (wac_device)found;
    return CLI_OK;
}

/* The algorithm asked for by a flag; null: none. */
static const char *chosen_algorithm(const char *const *values)
{
    size_t count;
    const wac_setting *algorithm;
    wac_setting_find(&algorithm, "algorithm", NULL);
    return values[algorithm - wac_settings(&count)];
}

static wac_status read_config(wac_config *config, const char *const *values,
                              const char *environment, const char *file, wac_error *error)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    const char *chosen = chosen_algorithm(values);
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
        if (values[i] && values[i] != chosen)
            status = wac_config_set(config, settings[i].name, values[i], error);
    return status ? status : wac_config_check(config, error);
}

/* Whether a file is fine but for the algorithm that a flag asks for; then `own` is the file's. */
static bool is_for_another(wac_config *own, const char *const *values, const char *environment,
                           const char *file)
{
    const char *chosen = file ? chosen_algorithm(values) : NULL;
    wac_config config;
    return chosen && wac_config_read(own, file, environment, NULL, NULL) == WAC_STATUS_OK &&
           wac_config_init(&config, own->environment, chosen, NULL) == WAC_STATUS_OK &&
           config.algorithm != own->algorithm &&
           wac_config_read(&config, file, environment, chosen, NULL) != WAC_STATUS_OK;
}

int cli_read_config(wac_config *config, const char *const *values, const char *environment,
                    const char *file)
{
    if (!environment && !file)
        return cli_refuse("name an environment, such as riverswim; \"%s envs\" lists them",
                          cli_program());
    const char *end = environment && !file ? strrchr(environment, '.') : NULL;
    if (end && wac_word_index(".yaml|.yml", end) >= 0)
        return cli_refuse(
            "unknown environment \"%s\"; a file of settings goes behind train --config",
            WAC_CLIP(environment));
    wac_error error = {0};
    wac_config own;
    char name[WAC_ENVIRONMENT_NAME];
    wac_status status = read_config(config, values, environment, file, &error);
    if (status == WAC_STATUS_INPUT && is_for_another(&own, values, environment, file))
        return cli_refuse("%s. The file is for %s; make one with: %s config %s --algorithm %s "
                          "--yaml",
                          error.message, wac_algorithm_name((wac_algorithm)own.algorithm),
                          cli_program(), wac_environment_name(name, &own),
                          chosen_algorithm(values));
    return status ? cli_blame(&error) : CLI_OK;
}
