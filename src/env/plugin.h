/* Worlds of other people: shared objects that export a table (wac/env.h). */
#ifndef WAC_ENV_PLUGIN_H
#define WAC_ENV_PLUGIN_H

#include "wac/env.h"

/* The table of the plug-in at this path. Its name is the path, whatever the plug-in calls itself:
 * so it can not pass for a world of the library's. It stays loaded; any thread may ask. */
wac_status wac_environment_load(const wac_environment_type **type, const char *path,
                                wac_error *error);

#endif
