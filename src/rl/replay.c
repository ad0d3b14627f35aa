/* The ring. Its memory is touched only as it fills. */
#include "rl/replay.h"

void wac_replay_init(wac_replay *replay, wac_arena *arena, int observations, int actions,
                     int64_t capacity)
{
    *replay = (wac_replay){.observations = observations, .actions = actions, .capacity = capacity};
    replay->records = WAC_TAKE(arena, real, (size_t)capacity * wac_replay_record(replay));
}

size_t wac_replay_record(const wac_replay *replay)
{
    return 2 * (size_t)replay->observations + (size_t)replay->actions + 2;
}

int64_t wac_replay_number(const wac_replay *replay, int64_t slot)
{
    int64_t last = replay->count - 1;
    return slot + (last - slot) / replay->capacity * replay->capacity;
}

int64_t wac_replay_filled(const wac_replay *replay)
{
    return replay->count < replay->capacity ? replay->count : replay->capacity;
}

int64_t wac_replay_part(const wac_replay *replay, int64_t *from, int64_t *slot)
{
    if (replay->count - *from > replay->capacity)
        *from = replay->count - replay->capacity;
    *slot = *from % replay->capacity;
    /* up to where the ring begins anew */
    int64_t left = replay->count - *from, side_by_side = replay->capacity - *slot;
    int64_t part = left < side_by_side ? left : side_by_side;
    *from += part;
    return part;
}

void wac_replay_add(wac_replay *replay, const float *observation, const float *action,
                    double reward, const float *next_observation, bool terminated)
{
    size_t slot = (size_t)(replay->count % replay->capacity);
    real *record = replay->records + slot * wac_replay_record(replay);
    for (int i = 0; i < replay->observations; i++)
        *record++ = observation[i];
    for (int i = 0; i < replay->actions; i++)
        *record++ = action[i];
    *record++ = (real)reward;
    for (int i = 0; i < replay->observations; i++)
        *record++ = next_observation[i];
    *record = terminated;
    replay->count++;
}
