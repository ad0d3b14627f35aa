/* Calls of the library in which every call to the system fails in turn, in this process: the test
 * starts itself again under the library of failing calls, and shares its orders. A loop asks a
 * thousand times from one place; here every place fails, once, which takes seconds instead of
 * hours.
 *
 * What must hold: the call of the library is done, or says in one sentence what failed; nothing of
 * it is left in memory, and no file open; and in peace it is done again, with what came out of it
 * before. */
#ifndef WAC_TESTS_SUPPORT_FAILING_HERE_H
#define WAC_TESTS_SUPPORT_FAILING_HERE_H

#include "support/failing_calls.h"
#include "support/folder.h"

#include <fcntl.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define FAILING_NAME(id, name, code) name,
static const char *const failing_names[] = {FAILING_KINDS(FAILING_NAME)};
#undef FAILING_NAME

static failing_order *order;

/* What the dynamic linker keeps is taken for lost, since it asks for memory through the library of
 * failing calls. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:ld-linux\n";
}

/* The first thing in main. */
static inline void start_under_orders(char **argv)
{
    const char *path = getenv("WAC_FAILING_CALLS"), *loaded = getenv("LD_PRELOAD");
    char text[8192];
    if (!path) {
        int file = memfd_create("orders", 0);
        if (file < 0 || ftruncate(file, sizeof *order) != 0)
            abort();
        snprintf(text, sizeof text, "/proc/self/fd/%d", file);
        setenv("WAC_FAILING_CALLS", text, 1);
        snprintf(text, sizeof text, "%s %s", WAC_FAILING_CALLS, loaded ? loaded : "");
        setenv("LD_PRELOAD", text, 1);
        setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0",
               1); /* so that memory can be counted */
        setenv("ASAN_OPTIONS",
               "verify_asan_link_order=0:allocator_may_return_null=1:quarantine_size_mb=16", 1);
        execv("/proc/self/exe", argv);
        abort();
    }
    int file = open(path, O_RDWR);
    order = mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (order == MAP_FAILED)
        abort();
}

/* Paths may be too long at every join. The linker puts this in the place of wac_path_join
 * (cmake/tests.cmake). */
__attribute__((weak)) bool failing_calls_strike(failing_kind kind);
__attribute__((weak)) __typeof__(wac_path_join) __real_wac_path_join;
__typeof__(wac_path_join) __wrap_wac_path_join;

wac_status __wrap_wac_path_join(char *path, size_t size, const char *directory, const char *name,
                                wac_error *failure)
{
    bool longer = order && failing_calls_strike && failing_calls_strike(FAILING_JOIN);
    return __real_wac_path_join(path, longer ? 1 : size, directory, name, failure);
}

typedef struct library_call {
    const char *name;
    void (*prepare)(void);                /* before each, in peace; null: nothing */
    wac_status (*call)(wac_error *error); /* destroys what it has made */
    void (*check)(void);                  /* after it was done; null: nothing */
    size_t kept;                          /* bytes that another library may leave behind */
} library_call;

static inline int open_files(void)
{
    int count = 0;
    for (int i = 0; i < 256; i++)
        count += fcntl(i, F_GETFD) >= 0;
    return count;
}

#ifdef WAC_SANITIZED
enum { LEAKS_ARE_FATAL = true };
#else
enum { LEAKS_ARE_FATAL = false };
#endif

static inline size_t memory_in_use(void)
{
#ifdef WAC_SANITIZED
    return 0; /* the sanitizer looks for itself */
#else
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#endif
}

/* What is wrong with how it ended; null: nothing. */
static inline const char *judge(failing_kind kind, wac_status status, const wac_error *failure)
{
    if (status == WAC_STATUS_OK)
        return NULL;
    if (atomic_load(&order->struck) == 0)
        return "failed though nothing did";
    if (failure->status != status || strlen(failure->message) < 10)
        return "no sentence";
    if (strchr(failure->message, '\n') || strstr(failure->message, "(null)") ||
        strstr(failure->message, "Success"))
        return "not one sentence with a reason";
    if (kind == FAILING_MEMORY && status != WAC_STATUS_MEMORY)
        return "it does not say that memory ran out";
    return NULL;
}

static inline wac_status call_once(const library_call *call, wac_error *failure)
{
    if (call->prepare)
        call->prepare();
    *failure = (wac_error){0};
    for (int i = 0; i < FAILING_TOTAL; i++)
        atomic_store(&order->calls[i], 0);
    atomic_store(&order->struck, 0);
    wac_status status = call->call(failure);
    return status;
}

static inline void must_be_done(const library_call *call)
{
    wac_error failure;
    order->at = 0;
    if (call_once(call, &failure) != WAC_STATUS_OK)
        fail_msg("%s: %s", call->name, failure.message);
    if (call->check)
        call->check();
}

/* The places that call the system in this way: the numbers of the calls. */
static inline long find_places(long places[FAILING_PLACES], const library_call *call, int kind)
{
    order->kind = kind;
    atomic_store(&order->places, 0);
    order->looking = 1;
    must_be_done(call);
    order->looking = 0;
    long count = atomic_load(&order->places);
    assert_true(count < FAILING_PLACES);
    memcpy(places, order->place, (size_t)count * sizeof *places);
    return count;
}

typedef struct tally {
    int trials, failures, problems;
} tally;

static inline void fail_once(tally *tally, const library_call *call, int kind, long at, bool on,
                             bool interrupted)
{
    wac_error failure;
    if (call->prepare)
        call->prepare();
    int files = open_files();
    size_t memory = memory_in_use();
    order->kind = kind, order->on = on, order->interrupted = interrupted, order->at = at;
    wac_status status = call_once(&(library_call){.call = call->call}, &failure);
    order->at = order->interrupted = 0;
    const char *problem = judge(kind, status, &failure);
    if (!problem && interrupted && status != WAC_STATUS_OK)
        problem = "it was only interrupted";
    if (!problem && memory_in_use() - memory > call->kept)
        problem = "memory is left";
    if (!problem && open_files() != files)
        problem = "a file is left open";
    tally->trials++;
    tally->failures += status != WAC_STATUS_OK;
    tally->problems += problem != NULL;
    if (problem)
        print_error("%s, call %ld%s of %s: %s; status %d, %s (memory %+ld)\n", call->name, at,
                    on ? " and all after it" : "", failing_names[kind], problem, (int)status,
                    failure.message, (long)(memory_in_use() - memory));
    if (status == WAC_STATUS_OK && call->check)
        call->check();
}

/* Every call to the system that this one makes fails in turn, and those of memory with all after
 * them, too. Those that are only interrupted are called again, and all is well. */
static inline void every_call_fails(const library_call *call)
{
    static long places[FAILING_PLACES];
    tally tally = {0};
    must_be_done(call);
    for (int kind = 0; kind < FAILING_TOTAL; kind++) {
        if (LEAKS_ARE_FATAL && call->kept && kind == FAILING_MEMORY)
            continue;
        bool slow = kind == FAILING_READ || kind == FAILING_WRITE || kind == FAILING_SYNC;
        long count = find_places(places, call, kind);
        for (long i = 0; i < count; i++) {
            fail_once(&tally, call, kind, places[i], false, kind == FAILING_WAIT);
            if (kind == FAILING_MEMORY)
                fail_once(&tally, call, kind, places[i], true, false);
            if (slow)
                fail_once(&tally, call, kind, places[i], false, true);
        }
        must_be_done(call);
    }
    print_message("%s: %d places, %d of them failures\n", call->name, tally.trials, tally.failures);
    assert_int_equal(tally.problems, 0);
}

#endif
