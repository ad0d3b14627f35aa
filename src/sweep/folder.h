/* The directory of a sweep: where its runs stand. */
#ifndef WAC_SWEEP_FOLDER_H
#define WAC_SWEEP_FOLDER_H

#include "sweep/list.h"
#include "wac/run.h"

/* What a search finds, beside its runs. */
#define WAC_SWEEP_TABLE "tune.csv"

/* Where a run of the sweep stands. */
typedef enum wac_sweep_state {
    WAC_SWEEP_STATE_NEW,     /* nothing there yet */
    WAC_SWEEP_STATE_BEGUN,   /* to go on with from its checkpoint, or from the beginning without */
    WAC_SWEEP_STATE_RUNNING, /* being trained */
    WAC_SWEEP_STATE_DONE,
    WAC_SWEEP_STATE_FAILED, /* tried again by the next call, unless it is damaged */
} wac_sweep_state;

typedef struct wac_sweep_item {
    wac_sweep_state state;
    bool again;            /* begun: it cannot go on, for want of a replay, and begins anew */
    int64_t epochs;        /* to train it to: those of the list, or fewer (ladder.h) */
    bool damaged;          /* failed: was finished, and files of it are lost; nobody touches it */
    wac_progress progress; /* what it told last; before that, of a run begun: epochs and epoch */
    double seconds;        /* that this call has spent on it, once it does not run any more */
    char reason[512];      /* failed: why */
} wac_sweep_item;

/* Some of the runs: every count-th from number `index` (from 0) on; count 0: all. */
typedef struct wac_sweep_share {
    int index, count;
} wac_sweep_share;

static inline bool wac_sweep_share_has(wac_sweep_share share, size_t run)
{
    return share.count < 1 || run % (size_t)share.count == (size_t)share.index;
}

/* What wac_sweep_execute would find in the directory, with the same refusals; touches nothing.
 * free() the items, [sweep->count]; on failure there are none. */
wac_status wac_sweep_inspect(wac_sweep_item **items, const wac_sweep *sweep, const char *directory,
                             wac_error *error);

/* How many runs the list in a directory names, and how many of them are there; 0 where there is no
 * list. */
wac_status wac_sweep_count(size_t *listed, size_t *begun, const char *directory, wac_error *error);

/* Make the directory, lock it, see what is there and note the list: what wac_sweep_inspect does for
 * a share of the runs, plus the marks that the sweep leaves. Close *lock when it is over. On
 * failure all is as it was. */
wac_status wac_sweep_take(int *lock, wac_sweep_item **items, const wac_sweep *sweep,
                          const char *directory, wac_sweep_share share, wac_error *error);

#endif
