/* What the processor could do at best. It is measured, not looked up: fused multiply-adds on
 * registers, nothing else, on the very threads whose work is timed, in turns with it. */
#ifndef WAC_BENCH_LIMIT_H
#define WAC_BENCH_LIMIT_H

#include "base/threads.h"

/* One measurement of the limit: operations per second of all threads of a team at once. */
double wac_bench_limit(wac_team *team);

/* Seconds for a number to get from a team's first thread to its second and back, 0 with one thread:
 * how far apart their processors are, which in a virtual machine can change any time. */
double wac_bench_round_trip(wac_team *team);

/* The vector unit that the limit is measured with: "AVX-512", … */
const char *wac_bench_unit(void);

#endif
