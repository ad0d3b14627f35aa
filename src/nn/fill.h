/* Arrays of random numbers: four from each draw of the generator. */
#ifndef WAC_NN_FILL_H
#define WAC_NN_FILL_H

#include "base/rng.h"
#include "nn/real.h"

void wac_fill_uniform(wac_rng *rng, size_t count, real low, real high, real *out);
void wac_fill_normal(wac_rng *rng, size_t count, real *out);

/* whole numbers from 0 to below `limit` < 2^32 */
void wac_fill_index(wac_rng *rng, size_t count, int64_t limit, int64_t *out);

#endif
