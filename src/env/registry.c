/* The worlds that come with the library. */
#include "base/status.h"
#include "base/suggest.h"
#include "config/environments.h"
#include "env/finite.h"
#include "env/guest.h"
#include "env/lqg.h"
#include "env/mountaincar.h"
#include "env/mujoco/custom.h"
#include "env/mujoco/locomotion.h"
#include "env/mujoco/point.h"
#include "env/plugin.h"
#include "env/riverswim.h"

#include <string.h>
#include <strings.h>

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
    &wac_environment_mountaincar,
    &wac_environments_task[0],
    &wac_environments_task[1],
    &wac_environments_task[2],
    &wac_environments_task[3],
    &wac_environments_task[4],
    &wac_environments_task[5],
    &wac_environments_task[6],
    &wac_environments_task[7],
    &wac_environments_finite[0],
    &wac_environments_finite[1],
    &wac_environments_finite[2],
    &wac_environments_finite[3],
    &wac_environments_finite[4],
    &wac_environments_finite[5],
    &wac_environment_custom,
};

const wac_environment_type *wac_environment_type_at(size_t index)
{
    return index < sizeof types / sizeof *types ? types[index] : NULL;
}

/* Those, and the short ones (WAC_SPARSE_NAMES). */
static const char *name_at(const void *names, size_t index)
{
    static const char *const sparse[] = {
        "point-1-sparse",     "point-2-sparse", "point-3-sparse",  "point-4-sparse",
        "halfcheetah-sparse", "hopper-sparse",  "walker2d-sparse", NULL};
    (void)names;
    const wac_environment_type *type = wac_environment_type_at(index);
    return type ? type->name : sparse[index - sizeof types / sizeof *types];
}

wac_status wac_environment_type_find(const wac_environment_type **type, const char *name,
                                     wac_error *error)
{
    char environment[sizeof((wac_config *)NULL)->environment];
    wac_environment_resolve(environment, sizeof environment, name);
    if (wac_environment_is_model(name)) {
        *type = &wac_environment_custom;
        return WAC_STATUS_OK;
    }
    if (wac_environment_is_guest(name))
        return wac_guest_find(type, name, error);
    if (wac_environment_is_plugin(name))
        return wac_environment_load(type, name, error);
    for (size_t i = 0; (*type = wac_environment_type_at(i)); i++)
        if (strcmp((*type)->name, environment) == 0)
            return WAC_STATUS_OK;
    const char *end = strrchr(name, '.');
    if (end && strcasecmp(end, ".xml") == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "unknown environment \"%s\"; a model of your own is " WAC_CUSTOM_PREFIX
                        "%s",
                        WAC_CLIP(name), WAC_SHELL(WAC_CLIP(name)));
    if (end && strcmp(end, ".so") == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "unknown environment \"%s\"; a plug-in is named by its path: ./%s",
                        WAC_CLIP(name), WAC_CLIP(name));
    /* names of Gymnasium end in a version: Hopper-v4 */
    end = strrchr(environment, '-');
    if (end && end[1] == 'v' && strspn(end + 2, "0123456789") == strlen(end + 2))
        environment[end - environment] = 0;
    return wac_fail(error, WAC_STATUS_INPUT, "unknown environment \"%s\"; %s", WAC_CLIP(name),
                    WAC_SUGGEST(environment, name_at, NULL, "\"wac envs\" lists those there are"));
}
