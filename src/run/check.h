/* The state of a run, found out by reading all of it. */
#ifndef WAC_RUN_CHECK_H
#define WAC_RUN_CHECK_H

#include "wac/run.h"

typedef enum wac_run_state {
    WAC_RUN_STATE_NEW,      /* no checkpoint yet: it begins from the beginning */
    WAC_RUN_STATE_BEGUN,    /* can go on from its checkpoint */
    WAC_RUN_STATE_KEPT,     /* its checkpoint holds no replay: it can be used, but not go on */
    WAC_RUN_STATE_PACKED,   /* the same, on purpose: see run/packed.h */
    WAC_RUN_STATE_FINISHED, /* and can be trained further, if its checkpoint holds the replay */
} wac_run_state;

typedef struct wac_checkup {
    wac_run_state state;
    bool trains;   /* another process trains it right now */
    bool diverged; /* its last try left the finite numbers */
    bool cut;      /* a write was cut off; whoever goes on with it tidies up */
    int64_t epoch, epochs;
} wac_checkup;

/* Reads settings, table and checkpoint of a run, its checksums and all its numbers, as if to go on
 * with it, and changes nothing. What is damaged or lost is an error (input), with the way out; so
 * is what cannot be read this moment (io, memory). */
wac_status wac_run_check(wac_checkup *checkup, const char *directory, wac_error *error);

#endif
