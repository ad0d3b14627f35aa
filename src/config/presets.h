/* Settings that suit an environment, or an algorithm there or anywhere. */
#ifndef WAC_CONFIG_PRESETS_H
#define WAC_CONFIG_PRESETS_H

#include "wac/config.h"

typedef struct wac_preset {
    const char *environments; /* "first|second"; "redq:hopper": for that algorithm there, "redq:*":
                               * for it anywhere */
    const char *key, *value;
} wac_preset;

const wac_preset *wac_presets(size_t *count);

/* What whoever brings environments of another language knows of one: fills the config's settings.
 * Null: nobody is here. */
typedef void wac_guest_preset_fn(wac_config *config);
extern wac_guest_preset_fn *wac_guest_preset;

#endif
