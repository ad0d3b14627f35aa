/* Training runs in lockstep: runs whose agent is one, a seat for each, explore side by side, learn
 * together and write their own folders, which become what they would alone, to the byte. They may
 * be at different epochs, and of different lengths; one that fails or stops leaves the others
 * alone. */
#ifndef WAC_RUN_LOCKSTEP_H
#define WAC_RUN_LOCKSTEP_H

#include "base/pool.h"
#include "wac/run.h"

typedef struct wac_lockstep {
    wac_run **runs; /* [count] of one agent; null: nobody. Null once a run has ended */
    int count;
    wac_pool *pool; /* shares out the runs where each is by itself; null: the caller alone */
    /* The agent learns on a device apart: evaluate meanwhile, and ask for many updates at once.
     * Runs with a stop_success or running normalisation are evaluated before they explore in any
     * case: the one may end there, the other changes with exploration. */
    bool apart;
    /* A run has ended, by itself or as the error says; it is the callee's to destroy. Called by the
     * caller's thread. (The runs' own callbacks come from the pool's threads.) */
    void (*ended)(void *user, int number, wac_run *run, wac_status status, const wac_error *error);
    void *user;
} wac_lockstep;

/* Until all have ended. */
void wac_lockstep_train(const wac_lockstep *all);

#endif
