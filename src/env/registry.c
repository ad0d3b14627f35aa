/* The worlds that come with the library. */
#include "env/registry.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "env/locomotion.h"
#include "env/lqg.h"
#include "env/own_model.h"
#include "env/point.h"
#include "env/riverswim.h"

#include <stdio.h>
#include <string.h>

static const wac_environment_type *const types[] = {
    &wac_environment_lqg,
    &wac_environment_riverswim,
    &wac_environments_point[0],
    &wac_environments_point[1],
    &wac_environments_point[2],
    &wac_environments_point[3],
    &wac_environments_locomotion[0],
    &wac_environments_locomotion[1],
    &wac_environments_locomotion[2],
    &wac_environment_own_model,
};

const wac_environment_type *wac_environment_type_at(size_t index)
{
    return index < sizeof types / sizeof *types ? types[index] : NULL;
}

static const char *name_at(const void *names, size_t index)
{
    (void)names;
    const wac_environment_type *type = wac_environment_type_at(index);
    return type ? type->name : NULL;
}

void wac_environment_resolve(char *environment, size_t size, const char *name)
{
    snprintf(environment, size, "%s", name);
    if (wac_word_index(WAC_SPARSE_NAMES, name) >= 0)
        *strrchr(environment, '-') = 0;
}

void wac_environment_label(char *label, size_t size, const char *environment)
{
    const char *file = environment;
    if (strncmp(environment, WAC_OWN_MODEL, strlen(WAC_OWN_MODEL)) == 0) {
        const char *slash = strrchr(environment, '/');
        file = slash ? slash + 1 : environment + strlen(WAC_OWN_MODEL);
    }
    const char *end = file == environment ? NULL : strrchr(file, '.');
    snprintf(label, size, "%.*s", (int)(end ? (size_t)(end - file) : strlen(file)), file);
}

wac_status wac_environment_type_find(const wac_environment_type **type, const char *name,
                                     wac_error *error)
{
    char environment[sizeof((wac_config *)NULL)->environment];
    wac_environment_resolve(environment, sizeof environment, name);
    if (strncmp(name, WAC_OWN_MODEL, strlen(WAC_OWN_MODEL)) == 0) {
        *type = &wac_environment_own_model;
        return WAC_STATUS_OK;
    }
    for (size_t i = 0; (*type = wac_environment_type_at(i)); i++)
        if (strcmp((*type)->name, environment) == 0)
            return WAC_STATUS_OK;
    const char *near = wac_suggest(name, name_at, NULL);
    if (near)
        return wac_fail(error, WAC_STATUS_INPUT, "unknown environment \"%s\"; did you mean \"%s\"?",
                        WAC_CLIP(name), near);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "unknown environment \"%s\"; `wac envs` lists those there are", WAC_CLIP(name));
}
