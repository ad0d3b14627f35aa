/* Settings: the table of WAC_SETTINGS at work. Values arrive as text, leave as text that reads back
 * to the same bits, and are checked in between. Numbers are those of the C locale, whatever the
 * program around the library speaks. */
#include "config/config.h"

#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "config/presets.h"
#include "config/synonyms.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW(name, kind, low, high, words, algorithms, environments, help)                          \
    {#name, kind, low, high, words, algorithms, environments, help, offsetof(wac_config, name)},
#define ROW_REAL(name, value, low, high, ...)                                                      \
    ROW(name, WAC_SETTING_REAL, low, high, NULL, __VA_ARGS__)
#define ROW_COUNT(name, value, low, high, ...)                                                     \
    ROW(name, WAC_SETTING_COUNT, low, high, NULL, __VA_ARGS__)
#define ROW_FLAG(name, value, ...) ROW(name, WAC_SETTING_FLAG, 0, 1, "false|true", __VA_ARGS__)
#define ROW_CHOICE(name, value, words, ...) ROW(name, WAC_SETTING_CHOICE, 0, 0, words, __VA_ARGS__)

static const wac_setting settings[] = {WAC_SETTINGS(ROW_REAL, ROW_COUNT, ROW_FLAG, ROW_CHOICE)};

#define DEFAULT(name, value, ...) .name = value,
static const wac_config defaults = {WAC_SETTINGS(DEFAULT, DEFAULT, DEFAULT, DEFAULT)};

#define NAME(value, name) name,
static const char *const algorithms[] = {WAC_ALGORITHMS(NAME) NULL};

const wac_setting *wac_settings(size_t *count)
{
    *count = WAC_SETTINGS_TOTAL;
    return settings;
}

const char *wac_network_name(wac_network network)
{
    static const char *const names[] = {"plain", "simba", "bronet"};
    return names[network];
}

const char *wac_algorithm_name(wac_algorithm algorithm)
{
    assert((unsigned)algorithm < WAC_ALGORITHM_TOTAL);
    return algorithms[algorithm];
}

const char *wac_setting_name(const void *names, size_t index)
{
    (void)names;
    return index < WAC_SETTINGS_TOTAL ? settings[index].name : NULL;
}

wac_status wac_setting_find(const wac_setting **setting, const char *name, wac_error *error)
{
    for (*setting = settings; *setting < settings + WAC_SETTINGS_TOTAL; ++*setting)
        if (wac_word_is((*setting)->name, name))
            return WAC_STATUS_OK;
    *setting = NULL;
    return wac_fail(
        error, WAC_STATUS_INPUT, "unknown setting \"%s\"; %s", WAC_CLIP(name),

        WAC_SETTING_SUGGEST(name, wac_setting_name, NULL, "\"wac config\" lists them all"));
}

void wac_setting_range(const wac_setting *setting, char *text, size_t size)
{
    if (!setting->words) {
        int digits = setting->kind == WAC_SETTING_COUNT ? 19 : 15;
        wac_number_print(text, size, "from %.*g to %.*g", digits, setting->smallest, digits,
                         setting->largest);
        return;
    }
    wac_words_join(text, size, setting->words);
}

static wac_status refuse_value(const wac_setting *setting, const char *value, wac_error *error)
{
    char range[128];
    wac_setting_range(setting, range, sizeof range);
    return wac_fail(error, WAC_STATUS_INPUT, "%s must be %s, not \"%s\"", setting->name, range,
                    WAC_CLIP(value));
}

static bool within(const wac_setting *setting, double number)
{
    return number >= setting->smallest && number <= setting->largest;
}

static wac_status set_number(void *field, const wac_setting *setting, const char *value,
                             wac_error *error)
{
    bool whole = setting->kind == WAC_SETTING_COUNT;
    double number;
    errno = 0;
    bool good = wac_number_parse(&number, value);
    if (whole)
        good = good && floor(number) == number && !(errno == ERANGE && number == 0);
    if (!good)
        return wac_fail(error, WAC_STATUS_INPUT, "%s must be a %snumber, not \"%s\"", setting->name,
                        whole ? "whole " : "", WAC_CLIP(value));
    if (!within(setting, number))
        return refuse_value(setting, value, error);
    if (!whole)
        *(double *)field = number;
    else /* a double does not hold all digits of a large one */
        *(int64_t *)field = strpbrk(value, ".eE") ? (int64_t)number : strtoll(value, NULL, 10);
    return WAC_STATUS_OK;
}

static wac_status set_word(void *field, const wac_setting *setting, const char *value,
                           wac_error *error)
{
    int index = wac_word_index(setting->words, value);
    if (setting->kind == WAC_SETTING_FLAG && index < 0)
        index = wac_word_index("off|on", value);
    if (setting->kind == WAC_SETTING_FLAG && index < 0)
        index = wac_word_index("no|yes", value);
    if (index < 0)
        return refuse_value(setting, value, error);
    if (setting->kind == WAC_SETTING_FLAG)
        *(bool *)field = index == 1;
    else
        *(int *)field = index;
    return WAC_STATUS_OK;
}

/* Which of its words a FLAG or CHOICE has. */
static int index_at(const void *field, const wac_setting *setting)
{
    return setting->kind == WAC_SETTING_FLAG ? *(const bool *)field : *(const int *)field;
}

static bool environment_reads(const wac_config *config, const wac_setting *setting)
{
    return !setting->environments ||
           wac_word_index(setting->environments, config->environment) >= 0;
}

bool wac_config_reads(const wac_config *config, const wac_setting *setting)
{
    return (unsigned)config->algorithm < WAC_ALGORITHM_TOTAL &&
           (setting->algorithms >> config->algorithm & 1u) && environment_reads(config, setting);
}

int wac_setting_compare(const wac_setting *setting, const wac_config *a, const wac_config *b)
{
    const void *x = (const char *)a + setting->offset, *y = (const char *)b + setting->offset;
    if (setting->kind == WAC_SETTING_REAL)
        return (*(const double *)x > *(const double *)y) -
               (*(const double *)x < *(const double *)y);
    if (setting->kind == WAC_SETTING_COUNT)
        return (*(const int64_t *)x > *(const int64_t *)y) -
               (*(const int64_t *)x < *(const int64_t *)y);
    return index_at(x, setting) - index_at(y, setting);
}

/* How early names have a setting. */
enum { RANKS = 6 };
static int rank_of(const wac_setting *setting)
{
    switch (setting->offset) {
    case offsetof(wac_config, algorithm):
        return 0;
    case offsetof(wac_config, lambda):
        return 1;
    case offsetof(wac_config, rho):
        return 2;
    case offsetof(wac_config, epochs):
        return RANKS - 1;
    default:
        return setting->algorithms != WAC_FOR_ALL ? 3 : 4;
    }
}

const wac_setting *wac_setting_named(size_t place)
{
    for (int rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < WAC_SETTINGS_TOTAL; i++)
            if (rank_of(&settings[i]) == rank && place-- == 0)
                return &settings[i];
    return NULL;
}

int wac_config_compare(const wac_config *a, const wac_config *b, wac_setting_fn *counts)
{
    int order = strcmp(a->environment, b->environment);
    for (int rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < WAC_SETTINGS_TOTAL && !order; i++)
            if (rank_of(&settings[i]) == rank && (!counts || counts(&settings[i])) &&
                (wac_config_reads(a, &settings[i]) || wac_config_reads(b, &settings[i])))
                order = wac_setting_compare(&settings[i], a, b);
    return order;
}

static wac_status refuse_unread(const wac_config *config, const wac_setting *setting,
                                wac_error *error)
{
    char readers[256] = "";
    if (!environment_reads(config, setting)) {
        wac_words_join(readers, sizeof readers, setting->environments);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "setting \"%s\" is not read by %s (only by %s); leave it out or choose "
                        "another environment",
                        setting->name, config->environment, readers);
    }
    size_t used = 0;
    for (int i = 0; i < WAC_ALGORITHM_TOTAL; i++)
        if (setting->algorithms >> i & 1u)
            used += (size_t)snprintf(readers + used, sizeof readers - used, "%s%s",
                                     used ? ", " : "", algorithms[i]);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "setting \"%s\" is not read by %s (only by %s); leave it out or choose another "
                    "algorithm",
                    setting->name, wac_algorithm_name((wac_algorithm)config->algorithm), readers);
}

/* Environment and algorithm decide the preset: they may be repeated, but not changed. */
static wac_status refuse_change(const char *what, const char *present, const char *value,
                                wac_error *error)
{
    if (strcmp(present, value) == 0)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is %s here and can not become \"%s\"; start from the preset of that %s",
                    what, present, WAC_CLIP(value), what);
}

wac_status wac_config_set(wac_config *config, const char *name, const char *value, wac_error *error)
{
    assert((unsigned)config->algorithm < WAC_ALGORITHM_TOTAL);
    if (strcmp(name, "environment") == 0) {
        /* a short name repeats its environment only where the rewards are sparse, too */
        char own[WAC_ENVIRONMENT_NAME];
        bool same = strcmp(wac_environment_name(own, config), value) == 0;
        return same ? WAC_STATUS_OK
                    : refuse_change("environment", config->environment, value, error);
    }
    const wac_setting *setting;
    WAC_TRY(wac_setting_find(&setting, name, error));
    if (strcmp(setting->name, "algorithm") == 0)
        return refuse_change("algorithm", algorithms[config->algorithm], value, error);
    if (!wac_config_reads(config, setting))
        return refuse_unread(config, setting, error);
    void *field = (char *)config + setting->offset;
    return setting->words ? set_word(field, setting, value, error)
                          : set_number(field, setting, value, error);
}

/* A name that can stand in a YAML file, a folder's name and a message; a path may have some more.
 */
static wac_status check_environment(const char *name, size_t size, wac_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "0123456789-_./:", of_paths[] = " +@~()";
    size_t length = strnlen(name, size);
    bool is_path = wac_environment_is_plugin(name) || wac_environment_is_model(name);
    bool good = length > 0 && length < size && !strchr(": ", name[length - 1]) &&
                (strchr(letters, *name) || wac_environment_is_plugin(name));
    for (size_t i = 0; good && i < length; i++)
        good = strchr(letters, name[i]) || strchr(others, name[i]) ||
               (is_path && strchr(of_paths, name[i]));
    if (good)
        return WAC_STATUS_OK;
    return wac_fail(
        error, WAC_STATUS_INPUT,
        "environment \"%s\" is no good name; use at most %zu letters, digits, or any "
        "of \"-_./:\" (in a path also spaces and \"+@~()\"), with a letter first (but for a "
        "plug-in, ./FILE.so) and no colon last",
        length < size ? WAC_CLIP(name) : "...", size - 1);
}

wac_status wac_config_init(wac_config *config, const char *name, const char *algorithm,
                           wac_error *error)
{
    wac_config fresh = defaults;
    const char *environment = fresh.environment;
    WAC_TRY(check_environment(name, sizeof fresh.environment, error));
    wac_environment_resolve(fresh.environment, sizeof fresh.environment, name);

    size_t count;
    const wac_preset *presets = wac_presets(&count);
    for (size_t i = 0; i < count && !algorithm; i++)
        if (wac_word_index(presets[i].environments, environment) >= 0 &&
            strcmp(presets[i].key, "algorithm") == 0)
            algorithm = presets[i].value;
    if (algorithm)
        fresh.algorithm = wac_word_index(&WAC_ALGORITHM_WORDS[1], algorithm);
    if (fresh.algorithm < 0) {
        char choices[256] = "choose ";
        size_t used = strlen(choices);
        wac_words_join(choices + used, sizeof choices - used, &WAC_ALGORITHM_WORDS[1]);
        return wac_fail(error, WAC_STATUS_INPUT, "unknown algorithm \"%s\"; %s",
                        WAC_CLIP(algorithm),
                        WAC_SUGGEST(algorithm, wac_name_in_array, algorithms, choices));
    }

    if (wac_environment_is_guest(name)) {
        fresh.reward_min = fresh.reward_max = 0; /* not known */
        if (wac_guest_preset)
            wac_guest_preset(&fresh);
    }
    char both[64 + sizeof fresh.environment], anywhere[64];
    snprintf(both, sizeof both, "%s:%s", algorithms[fresh.algorithm], environment);
    snprintf(anywhere, sizeof anywhere, "%s:*", algorithms[fresh.algorithm]);
    for (size_t i = 0; i < count; i++) {
        const char *owners = presets[i].environments;
        bool is_ours = wac_word_index(owners, environment) >= 0 ||
                       wac_word_index(owners, name) >= 0 || wac_word_index(owners, both) >= 0 ||
                       wac_word_index(owners, anywhere) >= 0;
        if (!is_ours || strcmp(presets[i].key, "algorithm") == 0)
            continue;
        const wac_setting *setting;
        WAC_TRY(wac_setting_find(&setting, presets[i].key, error));
        if (wac_config_reads(&fresh, setting))
            WAC_TRY(wac_config_set(&fresh, presets[i].key, presets[i].value, error));
    }
    *config = fresh;
    return WAC_STATUS_OK;
}

/* The fewest digits that read back to the same double. */
static void format_real(double number, char *text, size_t size)
{
    double back = 0;
    for (int digits = 15; digits <= 17; digits++) {
        wac_number_print(text, size, "%.*g", digits, number);
        if (wac_number_parse(&back, text) && back == number)
            break;
    }
    /* 1e-06 is a string to many readers of YAML, 1.0e-06 a number to all */
    char *exponent = strchr(text, 'e');
    if (exponent && !strchr(text, '.') && strlen(text) + 2 < size) {
        memmove(exponent + 2, exponent, strlen(exponent) + 1);
        memcpy(exponent, ".0", 2);
    }
}

void wac_config_format(const wac_config *config, const wac_setting *setting, char *text,
                       size_t size)
{
    const void *field = (const char *)config + setting->offset;
    size_t length = 0;
    if (setting->kind == WAC_SETTING_REAL) {
        format_real(*(const double *)field, text, size);
    } else if (setting->kind == WAC_SETTING_COUNT) {
        snprintf(text, size, "%lld", (long long)*(const int64_t *)field);
    } else {
        const char *word = wac_word_at(setting->words, index_at(field, setting), &length);
        snprintf(text, size, "%.*s", word ? (int)length : 1, word ? word : "?");
    }
}

static bool in_range(const wac_config *config, const wac_setting *setting)
{
    const void *field = (const char *)config + setting->offset;
    size_t length;
    if (setting->kind == WAC_SETTING_REAL)
        return within(setting, *(const double *)field);
    if (setting->kind == WAC_SETTING_COUNT)
        return within(setting, (double)*(const int64_t *)field);
    return wac_word_at(setting->words, index_at(field, setting), &length) != NULL;
}

bool wac_config_lacks_prior(const wac_config *config)
{
    return WAC_FOR_WAC >> config->algorithm & 1u &&
           config->reward_prior == WAC_REWARD_PRIOR_GIVEN &&
           wac_environment_is_guest(config->environment) && config->reward_min == 0 &&
           config->reward_max == 0;
}

/* Whether one network can be what its kind, posterior, trunk and rates ask for. */
static wac_status check_networks(const wac_config *config, wac_error *error)
{
    bool particles = config->posterior == WAC_POSTERIOR_PARTICLES;
    bool shared = config->trunk == WAC_TRUNK_SHARED;
    if (!(WAC_FOR_WAC >> config->algorithm & 1u) || (!particles && !shared))
        return WAC_STATUS_OK;
    if (particles && shared)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "trunk shared is for posterior gaussian, and particles come from one "
                        "network as it is; set trunk to apart, or posterior to gaussian");
    if (config->std_learning_rate != config->learning_rate) {
        char std[32], rate[32];
        format_real(config->std_learning_rate, std, sizeof std);
        format_real(config->learning_rate, rate, sizeof rate);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "std_learning_rate (%s) must be learning_rate (%s) with %s, where one "
                        "network learns mean and spread; set both to the same, or %s",
                        std, rate, particles ? "posterior particles" : "trunk shared",
                        particles ? "posterior to gaussian" : "trunk to apart");
    }
    return WAC_STATUS_OK;
}

/* Whether a bandit can tell what its choice for an episode did. */
static wac_status check_bandit(const wac_config *config, wac_error *error)
{
    if (!(WAC_FOR_TOP >> config->algorithm & 1u) || config->optimism_low == config->optimism_high)
        return WAC_STATUS_OK;
    if (config->optimism_low > config->optimism_high) {
        char low[32], high[32];
        format_real(config->optimism_low, low, sizeof low);
        format_real(config->optimism_high, high, sizeof high);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "optimism_low (%s) must not be above optimism_high (%s)", low, high);
    }
    if (config->worlds > 1)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "a bandit chooses the optimism of one episode, and worlds (%lld) are "
                        "several at a time; set worlds to 1, or optimism_low and optimism_high to "
                        "the same",
                        (long long)config->worlds);
    if (config->update_interval == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "a bandit judges what is learned during an episode, and with "
                        "update_interval 0 nothing is; set it to 1, or optimism_low and "
                        "optimism_high to the same");
    return WAC_STATUS_OK;
}

/* Whether an optimism can be learned on from there. */
static wac_status check_optimist(const wac_config *config, wac_error *error)
{
    char text[32];
    if (!(WAC_FOR_BRO >> config->algorithm & 1u) ||
        (config->optimism >= 1e-4 && config->optimism <= 1e3))
        return WAC_STATUS_OK;
    format_real(config->optimism, text, sizeof text);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "optimism (%s) is where bro begins to learn it, and must be from 0.0001 to "
                    "1000; for one that stays there set divergence_rate to 0",
                    text);
}

wac_status wac_config_check(const wac_config *config, wac_error *error)
{
    WAC_TRY(check_environment(config->environment, sizeof config->environment, error));
    if ((unsigned)config->algorithm >= WAC_ALGORITHM_TOTAL)
        return wac_fail(error, WAC_STATUS_INPUT, "algorithm number %d does not exist",
                        config->algorithm);
    for (size_t i = 0; i < WAC_SETTINGS_TOTAL; i++) {
        char text[64];
        wac_config_format(config, &settings[i], text, sizeof text);
        if (wac_config_reads(config, &settings[i]) && !in_range(config, &settings[i]))
            return refuse_value(&settings[i], text, error);
    }
    bool has_prior = WAC_FOR_PRIORS >> config->algorithm & 1u &&
                     config->reward_prior == WAC_REWARD_PRIOR_GIVEN &&
                     !wac_config_lacks_prior(config);
    if (has_prior && config->reward_min >= config->reward_max) {
        char low[32], high[32];
        format_real(config->reward_min, low, sizeof low);
        format_real(config->reward_max, high, sizeof high);
        return wac_fail(error, WAC_STATUS_INPUT, "reward_min (%s) must be below reward_max (%s)",
                        low, high);
    }
    if (WAC_FOR_REDQ >> config->algorithm & 1u && config->subset > config->critics)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "subset (%lld) must not be larger than critics (%lld), from which it is "
                        "drawn",
                        (long long)config->subset, (long long)config->critics);
    if (WAC_FOR_WAC >> config->algorithm & 1u && config->normalisation == WAC_NORMALISATION_NONE)
        return wac_fail(
            error, WAC_STATUS_INPUT,
            "%s draws synthetic pairs from where normalised observations can be, and with "
            "normalisation none that is nowhere; set it to bounds or running",
            wac_algorithm_name((wac_algorithm)config->algorithm));
    WAC_TRY(check_networks(config, error));
    WAC_TRY(check_bandit(config, error));
    WAC_TRY(check_optimist(config, error));
    if (WAC_FOR_SUNRISE >> config->algorithm & 1u && config->worlds > 1 &&
        config->exploration == WAC_EXPLORATION_SAMPLING)
        return wac_fail(
            error, WAC_STATUS_INPUT,
            "exploration sampling has one member lead for an episode, and worlds (%lld) "
            "are several at a time; set worlds to 1, or exploration to optimistic or "
            "mean",
            (long long)config->worlds);
    if (config->precision != WAC_PRECISION_SINGLE && config->backend != WAC_BACKEND_CPU)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "precision mixed and tf32 are for backend cpu; set precision to single, or "
                        "backend to cpu");
    return WAC_STATUS_OK;
}
