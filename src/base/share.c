/* Finding files from where this very code was loaded: nothing is compiled in, so that an
 * installation can be moved. */
#include "base/share.h"

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
    bool is_library = dladdr1((void *)wac_share_find, &info, (void **)&object, RTLD_DL_LINKMAP) &&
                      object && *object->l_name;
    if (!is_library)
        wac_program_path(origin);
    else if (!realpath(object->l_name, origin))
        return false;
    char *slash = strrchr(origin, '/');
    if (slash)
        *slash = 0;
    return slash;
}

wac_status wac_share_find(char *path, size_t size, const char *kind, const char *variable,
                          const char *what, const char *name, wac_error *error)
{
    const char *chosen = getenv(variable);
    if (chosen && *chosen) {
        WAC_TRY(wac_path_join(path, size, chosen, name, error));
        if (wac_path_exists(path))
            return WAC_STATUS_OK;
        return wac_fail(error, WAC_STATUS_INPUT,
                        "there is no %s %s; the variable %s says to look there", what, path,
                        variable);
    }
    char folder[PATH_MAX], shared[PATH_MAX + 32], places[3 * sizeof shared + 8] = "";
    if (!find_origin(folder))
        return wac_fail(
            error, WAC_STATUS_IO,
            "cannot tell where this program is, hence not where to look for the %s; set "
            "the variable %s to the right folder",
            what, variable);
    for (int level = 0; level < 3; level++) {
        snprintf(shared, sizeof shared, "%s/share/wac/%s", folder, kind);
        WAC_TRY(wac_path_join(path, size, shared, name, error));
        if (wac_path_exists(path))
            return WAC_STATUS_OK;
        strcat(strcat(places, *places ? ", " : ""), shared);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = 0;
    }
    return wac_fail(
        error, WAC_STATUS_INPUT,
        "cannot find the %s%s%s; set the variable %s to the right folder, or use one of "
        "those that were looked at: %s",
        what, *name ? " " : "", name, variable, places);
}
