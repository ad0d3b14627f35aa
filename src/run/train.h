/* What others ask the training loop: how far a run is, and what it counts. */
#ifndef WAC_RUN_TRAIN_H
#define WAC_RUN_TRAIN_H

#include "wac/run.h"

/* True where all epochs and the last evaluation are done. */
bool wac_run_is_complete(const wac_run *run);

/* Training time of this and earlier processes. */
double wac_run_seconds(const wac_run *run);

/* The random numbers of the evaluation before an epoch: they follow from seed and epoch alone. */
wac_rng wac_run_evaluation_rng(int64_t seed, int64_t epoch);

#endif
