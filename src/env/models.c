/* Finding model files from where this very code was loaded: nothing is compiled in, so that an
 * installation can be moved. */
#include "env/models.h"

#include "base/files.h"
#include "base/status.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder of the file that holds this function: a shared library, or else the program. */
static bool find_origin(char origin[PATH_MAX])
{
    Dl_info info;
    struct link_map *object = NULL;
    bool is_library = dladdr1((void *)wac_model_find, &info, (void **)&object, RTLD_DL_LINKMAP) &&
                      object && *object->l_name;
    if (!realpath(is_library ? object->l_name : "/proc/self/exe", origin))
        return false;
    *strrchr(origin, '/') = 0;
    return true;
}

wac_status wac_model_find(char *path, size_t size, const char *name, wac_error *error)
{
    const char *chosen = getenv("WAC_MODELS");
    if (chosen && *chosen) {
        WAC_TRY(wac_path_join(path, size, chosen, name, error));
        if (wac_path_exists(path))
            return WAC_STATUS_OK;
        return wac_fail(error, WAC_STATUS_INPUT,
                        "there is no model file %s; the variable WAC_MODELS says to look there",
                        path);
    }
    char folder[PATH_MAX], models[PATH_MAX + 32], places[3 * sizeof models + 8] = "";
    if (!find_origin(folder))
        return wac_fail(error, WAC_STATUS_IO,
                        "cannot tell where this program is, hence not where its model files are; "
                        "set the variable WAC_MODELS to their folder");
    for (int level = 0; level < 3; level++) {
        snprintf(models, sizeof models, "%s/share/wac/models", folder);
        WAC_TRY(wac_path_join(path, size, models, name, error));
        if (wac_path_exists(path))
            return WAC_STATUS_OK;
        strcat(strcat(places, *places ? ", " : ""), models);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    return wac_fail(error, WAC_STATUS_INPUT,
                    "cannot find the model file %s; set the variable WAC_MODELS to its folder, or "
                    "put it into one of those that were looked at: %s",
                    name, places);
}
