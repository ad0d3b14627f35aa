/* The flag by which a caller ends what takes long. */
#ifndef WAC_BASE_STOP_H
#define WAC_BASE_STOP_H

#include <stdbool.h>
#include <stddef.h>

/* Whether another thread or a signal has raised the flag (null: never). */
static inline bool wac_asked_to_stop(const volatile int *stop)
{
    return stop && __atomic_load_n(stop, __ATOMIC_RELAXED);
}

#endif
