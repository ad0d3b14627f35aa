/* Warm starts: a new run begins with the agent of another. */
#ifndef WAC_RUN_INHERIT_H
#define WAC_RUN_INHERIT_H

#include "run/folder.h"
#include "wac/run.h"

/* What the options of a new run say; the path becomes absolute. */
wac_status wac_origin_of(wac_origin *origin, const wac_run_options *options, wac_error *error);

/* Make a run's agent that of another: networks, moments, entropy weights and normalisation, but not
 * what it remembers, nor where its random numbers are. Without an origin it stays untrained. */
wac_status wac_run_inherit(wac_run *run, const wac_origin *origin, wac_error *error);

#endif
