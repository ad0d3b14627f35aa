/* Who brings environments of another language; set once, before anything else runs. */
#include "env/guest.h"

#include "base/status.h"
#include "base/suggest.h"

static wac_guest_find_fn *host;

void wac_guest_set(wac_guest_find_fn *find)
{
    host = find;
}

wac_status wac_guest_find(const wac_environment_type **type, const char *name, wac_error *error)
{
    if (host)
        return host(type, name, error);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "\"%s\" is an environment of Python; use the package wac there "
                    "(docs/gymnasium.md)",
                    WAC_CLIP(name));
}
