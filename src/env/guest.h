/* Environments that another language brings: "gym:NAME" are Python's. Whoever runs the library
 * together with that language says where they are to be had. */
#ifndef WAC_ENV_GUEST_H
#define WAC_ENV_GUEST_H

#include "wac/env.h"

/* As wac_environment_type_find. Null: nobody is here; then such a name is an error. */
typedef wac_status wac_guest_find_fn(const wac_environment_type **type, const char *name,
                                     wac_error *error);
void wac_guest_set(wac_guest_find_fn *find);

wac_status wac_guest_find(const wac_environment_type **type, const char *name, wac_error *error);

#endif
