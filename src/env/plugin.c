/* Loading a plug-in, and what can be wrong with one before its world is made. */
#include "env/plugin.h"

#include "base/files.h"
#include "base/plugin.h"
#include "base/status.h"
#include "env/world.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYMBOL "wac_environment_plugin_table"
#define REBUILD "build it again with the headers of this one (pkg-config --cflags wac)"

/* A table that was handed out; callers keep it as long as they like, so it is never freed. */
typedef struct loaded {
    wac_environment_type type;
    const wac_environment_plugin *plugin;
    struct loaded *next;
    char path[];
} loaded;

static loaded *all;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static wac_status refuse_missing(const char *path, wac_error *error)
{
    char folder[PATH_MAX];
    if (*path == '/' || !getcwd(folder, sizeof folder))
        return wac_fail(error, WAC_STATUS_INPUT, "there is no plug-in %s", path);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "there is no plug-in %s in %.400s; a relative path counts from where the "
                    "program is started",
                    path, folder);
}

static wac_status check_functions(const wac_environment_type *type, const char *path,
                                  wac_error *error)
{
    const char *missing = !type->create    ? "create"
                          : !type->destroy ? "destroy"
                          : !type->reset   ? "reset"
                          : !type->step    ? "step"
                          : !type->save    ? "save"
                                           : "load";
    if (type->create && type->destroy && type->reset && type->step && !type->save == !type->load)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s: its table has no function \"%s\"; only save and load may be left out, and "
                    "only both",
                    path, missing);
}

static wac_status check_plugin(const wac_environment_plugin *plugin, const char *path,
                               wac_error *error)
{
    if (plugin->version != WAC_ENVIRONMENT_VERSION)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is a plug-in of version %lld, and this wac takes version %d; " REBUILD,
                        path, (long long)plugin->version, WAC_ENVIRONMENT_VERSION);
    if (!plugin->config || strcmp(plugin->config, WAC_CONFIG_LAYOUT) != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s was built for another wac, whose settings are others; " REBUILD, path);
    if (!plugin->type)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s exports no table of functions; name it in WAC_ENVIRONMENT_EXPORT",
                        path);
    return check_functions(plugin->type, path, error);
}

static wac_status open_plugin(const wac_environment_plugin **plugin, const char *path,
                              wac_error *error)
{
    char why[512];
    if (!wac_path_exists(path))
        return refuse_missing(path, error);
    wac_world_enter(path, "loading"); /* its constructors run */
    *plugin = wac_plugin_table_at(path, SYMBOL, why, sizeof why);
    wac_world_leave();
    if (*plugin)
        return check_plugin(*plugin, path, error);
    if (*why)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s cannot be loaded: %s; a plug-in is a shared object for this machine: "
                        "docs/own-environments.md",
                        path, why);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is no plug-in: it does not export " SYMBOL
                    "; end its source with WAC_ENVIRONMENT_EXPORT(&TYPE)",
                    path);
}

static wac_status hand_out(const wac_environment_type **type, const wac_environment_plugin *plugin,
                           const char *path, wac_error *error)
{
    for (loaded *known = all; known; known = known->next)
        if (known->plugin == plugin && strcmp(known->path, path) == 0) {
            *type = &known->type;
            return WAC_STATUS_OK;
        }
    loaded *new = calloc(1, sizeof *new + strlen(path) + 1);
    if (!new)
        return wac_fail_memory(error, "a plug-in");
    strcpy(new->path, path);
    new->type = *plugin->type;
    new->type.name = new->path;
    if (!new->type.summary)
        new->type.summary = "";
    new->plugin = plugin;
    new->next = all;
    all = new;
    *type = &new->type;
    return WAC_STATUS_OK;
}

wac_status wac_environment_load(const wac_environment_type **type, const char *path,
                                wac_error *error)
{
    const wac_environment_plugin *plugin;
    WAC_TRY(open_plugin(&plugin, path, error));
    pthread_mutex_lock(&mutex);
    wac_status status = hand_out(type, plugin, path, error);
    pthread_mutex_unlock(&mutex);
    return status;
}
