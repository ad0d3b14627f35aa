/* How fast the matrix products are. */
#ifndef WAC_BENCH_KERNELS_H
#define WAC_BENCH_KERNELS_H

#include "wac/base.h"

/* One product by one version of the kernel. */
typedef struct wac_bench_kernel {
    const char *version, *shape;
    int rows, columns, depth;
    double operations_per_second, share_of_limit; /* best of the rounds, by one thread */
} wac_bench_kernel;

typedef void wac_bench_kernel_fn(void *user, const wac_bench_kernel *kernel);

/* Time all products of an update of width 256, 64, 128 and 512; `tell` hears of each. A round lasts
 * at least so many seconds. */
wac_status wac_bench_kernels(double round_seconds, wac_bench_kernel_fn *tell, void *user,
                             wac_error *error);

#endif
