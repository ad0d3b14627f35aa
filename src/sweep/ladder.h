/* How far the runs of a search are trained: successive halving, asynchronous.
 *
 * The last rung of the ladder is the whole training; each rung before has a factor fewer epochs
 * (`halving`), and there are as many as the number of rivals has powers of that factor: 9 to 26
 * choices and a factor of 3 make 3 rungs, of a ninth, a third and all of the epochs. All choices
 * are trained to the first rung, and of those that get to a rung the best third goes on. Nobody
 * waits for a rung to fill: a choice goes on as soon as it belongs to the best third of those that
 * arrived before it and with it.
 *
 * The order of arrival is that of the list (on later rungs: that of promotion), not that of the
 * clock: a choice that is early waits for its turn, while the workers train what comes next. So
 * who goes on depends on the numbers alone, and is found again from the run folders at any time:
 * the same with any workers, over any ranks, and after any interruption; and choices added at the
 * end of a list change nothing for those before. Runs go on from their checkpoints.
 *
 * Without halving the ladder has one rung.
 */
#ifndef WAC_SWEEP_LADDER_H
#define WAC_SWEEP_LADDER_H

#include "sweep/choices.h"
#include "sweep/folder.h"

typedef struct wac_ladder wac_ladder;

/* Keeps `sweep`, `search` and `directory`; refuses what wac_choices_create refuses. */
wac_status wac_ladder_create(wac_ladder **ladder, const wac_sweep *sweep, const wac_search *search,
                             const char *directory, wac_error *error);
void wac_ladder_destroy(wac_ladder *ladder);

/* See how far the runs are, and set what each is to do: a run that has reached its rung is done. */
void wac_ladder_begin(wac_ladder *ladder, wac_sweep_item *items);

/* Look at how a run did that has just reached its rung. Where another machine has trained it, its
 * last rows may take a moment to be seen here; this waits for them. */
wac_status wac_ladder_read(wac_ladder *ladder, size_t run, wac_error *error);

/* A run has ended, done and read, or failed. Those that may go on now wait again; returns how many.
 */
size_t wac_ladder_note(wac_ladder *ladder, wac_sweep_item *items, size_t run);

/* The rung that a run is to reach, from 0. */
int wac_ladder_rung(const wac_ladder *ladder, size_t run);

/* For an estimate: also what is to be expected of later rungs. */
void wac_ladder_expect(const wac_ladder *ladder, wac_sweep_item *items);

const wac_choices *wac_ladder_choices(const wac_ladder *ladder);

/* How many rungs the choices of a field have, how many epochs of a run lie up to one, and how many
 * choices were sent there. */
int wac_ladder_rungs(const wac_ladder *ladder, size_t field);
int64_t wac_ladder_epochs(const wac_ladder *ladder, size_t run, int rung);
size_t wac_ladder_arrived(const wac_ladder *ladder, size_t field, int rung);

/* The choices of a field, the furthest first, then the best: tuned[its count]. */
void wac_ladder_rank(wac_tuned *tuned, const wac_ladder *ladder, size_t field);

/* The marks of the runs on a rung: [sweep->count]. */
const wac_mark *wac_ladder_marks(const wac_ladder *ladder, int rung);

#endif
