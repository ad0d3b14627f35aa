/* A team of threads that share out numbered pieces of work.
 *
 * The caller is member 0; thread t of T takes pieces t*n/T up to (t+1)*n/T, so that a network stays
 * with the thread that has its weights in cache. However work is cut, also by the number of
 * threads, no result may depend on it: a piece has whole numbers to make, each one sum in one fixed
 * order. Waiting threads spin for a while, then yield, then sleep: an idle team (an evaluation, a
 * checkpoint) leaves the processor.
 */
#ifndef WAC_BASE_THREADS_H
#define WAC_BASE_THREADS_H

#include "wac/base.h"

typedef struct wac_team wac_team;
typedef void wac_piece_fn(void *work, int piece);

/* first_cpu >= 0: pin member t to the (first_cpu + t)-th processor this process may use; -1: the
 * same from 0 where threads > 1, else leave the caller where it is. */
wac_status wac_team_create(wac_team **team, int threads, int first_cpu, wac_error *error);
void wac_team_destroy(wac_team *team);
int wac_team_threads(const wac_team *team); /* 1 if it is null */

/* The processors that this process may use. */
int wac_processors(void);

/* Run pieces 0 … count-1; returns when all are done. Allocates nothing. A null team is the caller
 * alone. */
void wac_team_run(wac_team *team, wac_piece_fn *run, void *work, int count);

/* Deal out items that could themselves be cut. Where they can be shared out evenly each thread
 * takes its own from first to last, alone (`team` is null); else the items come one after the
 * other, each with the whole team. Items with the same `place`, from 0 to below `count`, never run
 * at the same time. */
typedef void wac_item_fn(void *work, wac_team *team, int item, int place);
void wac_team_deal(wac_team *team, wac_item_fn *run, void *work, int count);

#endif
