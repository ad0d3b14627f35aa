/* Runs that stop at a point of one's choice. The clock of a program with this is a counter: every
 * look at it moves it on by a second, so that a run reports after each step and each update and can
 * be stopped at exactly that point. */
#ifndef WAC_TESTS_SUPPORT_STOPPING_H
#define WAC_TESTS_SUPPORT_STOPPING_H

#include "support/small_runs.h"

#include <sys/syscall.h>
#include <time.h>

static long seconds;

int clock_gettime(clockid_t clock, struct timespec *time)
{
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, time);
    *time = (struct timespec){.tv_sec = ++seconds};
    return 0;
}

static struct {
    long reports, stop_at;
    volatile int stop;
} watch;

static inline void count_report(void *user, const wac_progress *progress)
{
    (void)user;
    (void)progress;
    if (++watch.reports == watch.stop_at)
        watch.stop = 1;
}

/* stop_at 0: before anything else; -1: never */
static inline wac_run_options stop_after(long stop_at, int threads)
{
    wac_run_options options = with_threads(threads);
    watch.reports = 0;
    watch.stop_at = stop_at;
    watch.stop = stop_at == 0;
    options.progress = count_report;
    options.stop = &watch.stop;
    return options;
}

#endif
