/* Running normalisation: observations of any size brought into [-1, 1] by what has been seen.
 *
 * Mean and deviation are those of all observations remembered so far (Welford's sums, in double).
 * An observation becomes (x - mean) / deviation, clipped to 5 deviations and divided by 5. The
 * replay keeps raw observations, so that old ones follow the statistics too. Switched off, values
 * pass as they are. What models read, learn and pay is treated alike, with other units and limits.
 */
#ifndef WAC_RL_NORMALISER_H
#define WAC_RL_NORMALISER_H

#include "base/arena.h"
#include "nn/real.h"

#include <math.h>
#include <stdbool.h>

#define WAC_NORMALISER_CLIP 5

typedef struct wac_normaliser {
    bool on;
    int size;
    double unit;            /* deviations that become 1 */
    double least;           /* deviation of an entry that moves less, or never */
    real limit;             /* of what comes out; 0: none */
    double count[1];        /* observations seen; an array, as checkpoints like them */
    double *mean, *squares; /* [size]; squares: sum of squared differences from the mean */
    real *offset, *scale;   /* [size], made from those */
} wac_normaliser;

void wac_normaliser_init(wac_normaliser *normaliser, wac_arena *arena, int size, bool on);

/* Count one observation in; or rows [rows][size]. */
void wac_normaliser_add(wac_normaliser *normaliser, const float *observation);
void wac_normaliser_add_rows(wac_normaliser *normaliser, int rows, const real *x);

/* Make offset and scale from the sums; for those who have set the sums. */
void wac_normaliser_refresh(wac_normaliser *normaliser);

/* Entry i of an observation as networks see it. */
static inline real wac_normalise(const wac_normaliser *normaliser, int i, real value)
{
    if (!normaliser->on)
        return value;
    real normal = (value - normaliser->offset[i]) * normaliser->scale[i];
    real limit = normaliser->limit > 0 ? normaliser->limit : (real)INFINITY;
    return normal < -limit ? -limit : normal > limit ? limit : normal;
}

/* The same for [rows][size], in place. */
void wac_normalise_rows(const wac_normaliser *normaliser, int rows, real *observations);

#endif
