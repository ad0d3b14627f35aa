/* Replays a recorded update and says how far ours is from it.
 *
 * A recording (safetensors) holds the weights before the first update, each update's batch and
 * noise, and what must come out: losses, entropy weights, final weights, and of some algorithms
 * actions. docs/verify.md describes the format.
 */
#ifndef WAC_VERIFY_UPDATE_H
#define WAC_VERIFY_UPDATE_H

#include "wac/agent.h"

/* The worst of one kind of figure: `miss` is the error as a share of its tolerance. */
typedef struct wac_worst {
    double error, miss;
    char name[128];
} wac_worst;

typedef struct wac_update_report {
    char algorithm[16];
    int steps;
    wac_worst scalars; /* relative; within 1e-6 absolute counts as equal */
    wac_worst weights; /* |change - expected| / |expected| of a trained tensor */
    wac_worst targets; /* absolute, of target and frozen networks */
    wac_worst actions; /* absolute, of exploration; name empty without any */
    bool passed;
} wac_update_report;

/* The largest errors that pass. */
typedef struct wac_tolerances {
    double scalars, weights, targets, actions;
} wac_tolerances;

/* Recordings are in single precision: from numbers that are cut more comes out something else. */
const wac_tolerances *wac_verify_tolerances(wac_precision precision);

/* How to compute. */
typedef struct wac_verify_options {
    wac_device device;
    wac_backend_kind backend;
    wac_precision precision;
    int threads;
} wac_verify_options;

wac_status wac_verify_update(wac_update_report *report, const char *path,
                             const wac_verify_options *options, wac_error *error);

#endif
