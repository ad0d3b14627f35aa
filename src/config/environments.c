/* What names of environments stand for. */
#include "config/environments.h"

#include "base/words.h"

#include <stdio.h>
#include <string.h>

bool wac_environment_is_model(const char *name)
{
    return strncmp(name, WAC_CUSTOM_PREFIX, strlen(WAC_CUSTOM_PREFIX)) == 0;
}

bool wac_environment_is_plugin(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') && length > 3 && strcmp(name + length - 3, ".so") == 0 &&
           name[length - 4] != '/';
}

bool wac_environment_is_guest(const char *name)
{
    return strncmp(name, "gym:", 4) == 0 || strncmp(name, "python:", 7) == 0;
}

void wac_environment_resolve(char *environment, size_t size, const char *name)
{
    snprintf(environment, size, "%s", name);
    if (wac_word_index(WAC_SPARSE_NAMES, name) >= 0)
        *strrchr(environment, '-') = 0;
}

const char *wac_environment_name(char name[WAC_ENVIRONMENT_NAME], const wac_config *config)
{
    bool sparse =
        (config->reward == WAC_REWARD_SPARSE &&
         wac_word_index(WAC_FOR_POINT, config->environment) >= 0) ||
        (config->reward_beyond > 0 && wac_word_index(WAC_FOR_LOCOMOTION, config->environment) >= 0);
    snprintf(name, WAC_ENVIRONMENT_NAME, "%s%s", config->environment, sparse ? "-sparse" : "");
    return name;
}

void wac_environment_label(char *label, size_t size, const char *environment)
{
    const char *file = environment, *slash = strrchr(environment, '/');
    if (wac_environment_is_model(environment))
        file = slash ? slash + 1 : environment + strlen(WAC_CUSTOM_PREFIX);
    else if (wac_environment_is_plugin(environment))
        file = slash + 1;
    else if (wac_environment_is_guest(environment))
        environment = file = strchr(environment, ':') + 1;
    const char *end = file == environment ? NULL : strrchr(file, '.');
    snprintf(label, size, "%.*s", (int)(end ? (size_t)(end - file) : strlen(file)), file);
}
