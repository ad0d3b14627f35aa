/* Mean and deviation, one observation at a time. */
#include "rl/normaliser.h"

#include <math.h>

void wac_normaliser_init(wac_normaliser *normaliser, wac_arena *arena, int size, bool on)
{
    *normaliser = (wac_normaliser){.on = on, .size = size};
    size_t entries = on ? (size_t)size : 0;
    normaliser->mean = WAC_TAKE(arena, double, entries);
    normaliser->squares = WAC_TAKE(arena, double, entries);
    normaliser->offset = WAC_TAKE(arena, real, entries);
    normaliser->scale = WAC_TAKE(arena, real, entries);
}

void wac_normaliser_refresh(wac_normaliser *normaliser)
{
    for (int i = 0; normaliser->on && i < normaliser->size; i++) {
        double count = normaliser->count[0];
        double deviation = count > 1 ? sqrt(normaliser->squares[i] / count) : 1;
        /* an entry that never moves stays near zero, and is no danger when it does */
        normaliser->offset[i] = (real)normaliser->mean[i];
        normaliser->scale[i] = (real)(1 / (WAC_NORMALISER_CLIP * fmax(deviation, 1e-3)));
    }
}

void wac_normaliser_add(wac_normaliser *normaliser, const float *observation)
{
    if (!normaliser->on)
        return;
    normaliser->count[0] += 1;
    for (int i = 0; i < normaliser->size; i++) {
        double difference = (double)observation[i] - normaliser->mean[i];
        normaliser->mean[i] += difference / normaliser->count[0];
        normaliser->squares[i] += difference * ((double)observation[i] - normaliser->mean[i]);
    }
    wac_normaliser_refresh(normaliser);
}

void wac_normalise_rows(const wac_normaliser *normaliser, int rows, real *observations)
{
    for (int row = 0; normaliser->on && row < rows; row++)
        for (int i = 0; i < normaliser->size; i++) {
            real *entry = &observations[(size_t)row * (size_t)normaliser->size + (size_t)i];
            *entry = wac_normalise(normaliser, i, *entry);
        }
}
