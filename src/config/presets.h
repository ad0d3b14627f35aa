/* The settings of the paper's experiments, environment by environment. */
#ifndef WAC_CONFIG_PRESETS_H
#define WAC_CONFIG_PRESETS_H

#include "wac/base.h"

typedef struct wac_preset {
    const char *environments; /* "first|second" */
    const char *key, *value;
} wac_preset;

const wac_preset *wac_presets(size_t *count);

#endif
