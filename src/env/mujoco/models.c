/* Finding model files. */
#include "env/mujoco/models.h"

#include "base/share.h"

wac_status wac_model_find(char *path, size_t size, const char *name, wac_error *error)
{
    return wac_share_find(path, size, "models", "WAC_MODELS", "model file", name, error);
}
