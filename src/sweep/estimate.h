/* How long a sweep will take. */
#ifndef WAC_SWEEP_ESTIMATE_H
#define WAC_SWEEP_ESTIMATE_H

#include "sweep/folder.h"

/* An estimate of the seconds that the rest of the sweep takes with these workers on this machine:
 * a fraction of a second of each kind of run is measured (one thread). */
wac_status wac_sweep_estimate(double *seconds, const wac_sweep *sweep, const wac_sweep_item *items,
                              int workers, wac_error *error);

/* Whether an update and a step of both take the same time. */
bool wac_sweep_is_same_kind(const wac_config *a, const wac_config *b);

#endif
