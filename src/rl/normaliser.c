/* Mean and deviation, one observation at a time. */
#include "rl/normaliser.h"

#include <math.h>

void wac_normaliser_init(wac_normaliser *normaliser, wac_arena *arena, int size, bool on)
{
    *normaliser = (wac_normaliser){
        .on = on, .size = size, .unit = WAC_NORMALISER_CLIP, .least = 1e-3, .limit = 1};
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
        normaliser->scale[i] = (real)(1 / (normaliser->unit * fmax(deviation, normaliser->least)));
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

void wac_normaliser_add_rows(wac_normaliser *normaliser, int rows, const real *x)
{
    double before = normaliser->count[0], all = before + rows;
    if (!normaliser->on)
        return;
    for (int i = 0; i < normaliser->size; i++) {
        double mean = 0, squares = 0;
        for (int row = 0; row < rows; row++)
            mean += (double)x[(size_t)row * (size_t)normaliser->size + (size_t)i];
        mean /= rows;
        for (int row = 0; row < rows; row++) {
            double away = (double)x[(size_t)row * (size_t)normaliser->size + (size_t)i] - mean;
            squares += away * away;
        }
        /* two sums and means become one (Chan, Golub and LeVeque) */
        double between = mean - normaliser->mean[i];
        normaliser->mean[i] += between * rows / all;
        normaliser->squares[i] += squares + between * between * before * rows / all;
    }
    normaliser->count[0] = all;
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
