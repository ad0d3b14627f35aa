/* Where the model files are: MJCF, one for each MuJoCo world. */
#ifndef WAC_ENV_MUJOCO_MODELS_H
#define WAC_ENV_MUJOCO_MODELS_H

#include "wac/base.h"

/* The path of the model file `name` into a caller's buffer. It is looked for in the folder that the
 * variable WAC_MODELS names and only there; if it is not set, in share/wac/models beside the
 * library (or the program that holds it) and in the two folders above: so it is found after an
 * installation anywhere, and in a build folder. The error names every place. */
wac_status wac_model_find(char *path, size_t size, const char *name, wac_error *error);

#endif
