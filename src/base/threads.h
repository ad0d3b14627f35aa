/* A team of threads that share out numbered pieces of work.
 *
 * The caller is member 0. Work is cut into pieces by what it is, never by how many threads there
 * are; the team only decides who does a piece: thread t of T takes pieces t*n/T up to (t+1)*n/T, so
 * that a network stays with the thread that has its weights in cache. Waiting threads spin for a
 * while, then yield, then sleep: an idle team (an evaluation, a checkpoint) leaves the processor.
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
int wac_team_threads(const wac_team *team);

/* Run pieces 0 … count-1; returns when all are done. Allocates nothing. */
void wac_team_run(wac_team *team, wac_piece_fn *run, void *work, int count);

#endif
