/* Many runs on processors, one run to each, all at once: what a sweep without a GPU does. */
#ifndef WAC_BENCH_CROWD_H
#define WAC_BENCH_CROWD_H

#include "bench/update.h"

/* Updates a second of `runs` agents of a case together, each in a thread of its own; the case's
 * `threads` is not heeded. A round lasts about so many seconds. */
wac_status wac_bench_crowd(wac_bench_rounds *rate, const wac_bench_case *bench, int runs,
                           double round_seconds, wac_error *error);

#endif
