/* Training runs in lockstep: runs whose agent is one, a seat for each, explore side by side, learn
 * together and write their own folders, which become what they would alone, to the byte. They may
 * be at different epochs, and of different lengths; one that fails or stops leaves the others
 * alone. */
#ifndef WAC_RUN_LOCKSTEP_H
#define WAC_RUN_LOCKSTEP_H

#include "base/pool.h"
#include "wac/run.h"

/* What a round consists of. */
typedef enum wac_lockstep_part {
    WAC_LOCKSTEP_EXPLORE,
    WAC_LOCKSTEP_SEND,     /* what is new, and the order for updates */
    WAC_LOCKSTEP_EVALUATE, /* with a row of the log; a device apart computes meanwhile */
    WAC_LOCKSTEP_WAIT,     /* for what is left of the updates */
    WAC_LOCKSTEP_FETCH,    /* what they changed; the host computes them here */
    WAC_LOCKSTEP_END,      /* checkpoints */
    WAC_LOCKSTEP_PARTS,
} wac_lockstep_part;

/* For benchmarks: told after every round how many seconds of this thread each part has taken so
 * far. */
typedef struct wac_lockstep wac_lockstep;
typedef struct wac_lockstep_watch {
    void (*round)(void *user, const wac_lockstep *all);
    void *user;
    double spent[WAC_LOCKSTEP_PARTS], since;
} wac_lockstep_watch;

struct wac_lockstep {
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
    wac_lockstep_watch *watch; /* null: nobody's */
};

/* Until all have ended. */
void wac_lockstep_train(const wac_lockstep *all);

#endif
