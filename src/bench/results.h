/* What `wac bench gpu` finds, as one JSON object: it is what the tables and the picture are made
 * of, measured just now or read from files.
 *
 *   gpu       name, driver, gpus, processors, memory
 *   size      observations, actions, width, batch
 *   ceilings  memory (bytes/s) and products (operations/s) of each precision
 *   rates     a case each: algorithm, precision, runs; run_updates_per_second (median and quartiles
 *             of the rounds); flops and bytes of an update, the shares of both ceilings, floor_us;
 *             kernels; peer, where PyTorch took turns, with the ratio of the rounds
 *   cpu       algorithm, precision, runs, run_updates_per_second, of processors with a run each
 *   epochs    precision, runs, processors; run_updates_per_second in whole epochs, bare: of nothing
 *             but updates, share: of the one in the other; busy: the processors; groups, and the
 *             parts of their epochs in seconds; phases: seconds of a run in an epoch
 */
#ifndef WAC_BENCH_RESULTS_H
#define WAC_BENCH_RESULTS_H

#include "base/json.h"
#include "bench/epochs.h"
#include "bench/gpu.h"
#include "rl/cuda/steps.h"

/* Words for parts and phases, in their order. */
extern const char *const wac_bench_parts[WAC_LOCKSTEP_PARTS];
extern const char *const wac_bench_phases[WAC_PHASES];

/* The object, with empty lists; this and what follows is null where memory runs out. */
json_t *wac_bench_results(const wac_engine_gpu *gpu, int gpus, const wac_gpu_limits *limits,
                          const wac_bench_gpu *sizes);

/* Entries of its lists. `peer` may be null. */
json_t *wac_bench_rate_row(const wac_bench_gpu *bench, const wac_bench_gpu_result *result,
                           const wac_gpu_limits *limits, const wac_bench_peer *peer);
json_t *wac_bench_cpu_row(wac_algorithm algorithm, wac_precision precision, int runs,
                          const wac_bench_rounds *rate);
json_t *wac_bench_epochs_row(wac_precision precision, const wac_bench_epochs_result *result);

/* Read results from files, their names with commas between: those of the first, with what the lists
 * of the others have besides. */
wac_status wac_bench_results_read(json_t **results, const char *paths, wac_error *error);

#endif
