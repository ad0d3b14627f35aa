/* A pool of threads that several callers share: each hands in numbered pieces of work, long ones of
 * uneven length, and whoever is free takes the next. (A team, base/threads.h, is for short rounds
 * of one caller.) No result may depend on who does a piece, or when. */
#ifndef WAC_BASE_POOL_H
#define WAC_BASE_POOL_H

#include "base/threads.h"

typedef struct wac_pool wac_pool;

/* So many threads beside the callers'; fewer, or none, where there can be no more. */
wac_status wac_pool_create(wac_pool **pool, int threads, wac_error *error);
void wac_pool_destroy(wac_pool *pool);

/* Run pieces 0 … count-1, with the caller's help; returns when all are done. Any thread may call it
 * at any time. A null pool is the caller alone. */
void wac_pool_run(wac_pool *pool, wac_piece_fn *run, void *work, int count);

#endif
