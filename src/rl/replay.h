/* The replay buffer: a ring of transitions, each one record
 * [observation | action | reward | next observation | terminal].
 *
 * The next observation is stored, not looked up in the following record, so it is right at a time
 * limit and where the ring wraps. `terminal` is 1 only where the world itself ended: a time limit
 * is no end, and the value beyond it still counts.
 */
#ifndef WAC_RL_REPLAY_H
#define WAC_RL_REPLAY_H

#include "nn/backend.h"

typedef struct wac_replay {
    int observations, actions;
    int64_t capacity;
    int64_t count; /* transitions ever added */
    real *records; /* [capacity][record size] */
} wac_replay;

void wac_replay_init(wac_replay *replay, wac_arena *arena, int observations, int actions,
                     int64_t capacity);

/* Numbers in a record. */
size_t wac_replay_record(const wac_replay *replay);

/* Which transition, of all ever added, a slot holds. */
int64_t wac_replay_number(const wac_replay *replay, int64_t slot);

/* Transitions held now. */
int64_t wac_replay_filled(const wac_replay *replay);

/* The next transitions from number `*from` on that lie side by side, of those that are held: how
 * many (0: there are no more), and the first one's slot. `*from` is moved behind them. */
int64_t wac_replay_part(const wac_replay *replay, int64_t *from, int64_t *slot);

void wac_replay_add(wac_replay *replay, const float *observation, const float *action,
                    double reward, const float *next_observation, bool terminated);

#endif
