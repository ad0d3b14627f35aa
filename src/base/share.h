/* Files that come with the program: models, experiments. */
#ifndef WAC_BASE_SHARE_H
#define WAC_BASE_SHARE_H

#include "wac/base.h"

/* The path of `name` among the files of a kind ("models") into a caller's buffer. It is looked for
 * in the folder that the environment variable names and only there; if that is not set, in
 * share/wac/KIND beside the library (or the program that holds it) and in the two folders above: so
 * it is found after an installation anywhere, and in a build folder. `name` may be empty: the
 * folder itself. The error calls it by `what` ("model file") and names every place. */
wac_status wac_share_find(char *path, size_t size, const char *kind, const char *variable,
                          const char *what, const char *name, wac_error *error);

#endif
