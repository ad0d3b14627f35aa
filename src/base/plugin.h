/* Parts of the program that are loaded only where they are wanted, so that it does not need what
 * they need. */
#ifndef WAC_BASE_PLUGIN_H
#define WAC_BASE_PLUGIN_H

#include <stddef.h>

/* The symbol `table` of NAME.so, which lies beside the program, in ../lib/wac, in ../lib, or where
 * the environment variable says; null with the reason in `why` if there is none. It stays loaded.
 */
const void *wac_plugin_table(const char *name, const char *table, const char *variable, char *why,
                             size_t size);

/* The symbol `table` of the plugin at this path, whose names nobody else sees; null with the reason
 * in `why`, which is empty where it was loaded and has no such symbol. It stays loaded. */
const void *wac_plugin_table_at(const char *path, const char *table, char *why, size_t size);

#endif
