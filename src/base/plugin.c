/* Finding plugins: in a build folder as in an installation. */
#include "base/plugin.h"

#include "base/files.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_plugin(const char *name, const char *variable, char *why, size_t size)
{
    static const char *const places[] = {"", "../lib/wac/", "../lib/"};
    const char *named = getenv(variable);
    char program[PATH_MAX], path[PATH_MAX + 64];
    wac_program_path(program);
    char *slash = strrchr(program, '/');
    if (slash)
        slash[1] = 0;
    snprintf(why, size, "there is no %s.so beside the program nor in ../lib/wac", name);
    for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
        if (i == 0 && !named)
            continue;
        if (i == 0)
            snprintf(path, sizeof path, "%s", named);
        else
            snprintf(path, sizeof path, "%s%s%s.so", program, places[i - 1], name);
        if (!wac_path_exists(path))
            continue;
        /* global: the parts that a plugin loads by itself may look for its names */
        void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
        if (plugin)
            return plugin;
        snprintf(why, size, "%s", dlerror());
    }
    return NULL;
}

const void *wac_plugin_table(const char *name, const char *table, const char *variable, char *why,
                             size_t size)
{
    void *plugin = open_plugin(name, variable, why, size);
    const void *found = plugin ? dlsym(plugin, table) : NULL;
    if (plugin && !found)
        snprintf(why, size, "the %s.so that is there is of another version", name);
    return found;
}

/* The plugin calls the library, which somebody (Python) may have loaded for himself alone. */
static void show_library(void)
{
    static const char here;
    Dl_info own;
    if (dladdr(&here, &own) && own.dli_fname)
        (void)dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

const void *wac_plugin_table_at(const char *path, const char *table, char *why, size_t size)
{
    show_library();
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(why, size, "%s", plugin ? "" : dlerror());
    return plugin ? dlsym(plugin, table) : NULL;
}
