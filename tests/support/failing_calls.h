/* Orders to the library of failing calls (failing_calls.c): which call of the program shall fail.
 * They lie in a file that the test and the program both map, named by WAC_FAILING_CALLS, where the
 * library counts, too. The processes that a program forks count together with it. */
#ifndef WAC_TESTS_SUPPORT_FAILING_CALLS_H
#define WAC_TESTS_SUPPORT_FAILING_CALLS_H

#include <stdatomic.h>
#include <stdbool.h>

/* One row for each kind of call: its name, the calls, and the error that strikes them. */
#define FAILING_KINDS(X)                                                                           \
    X(MEMORY, "memory", ENOMEM)   /* malloc, calloc, realloc, aligned_alloc, posix_memalign … */ \
    X(OPEN, "open", EMFILE)       /* open, openat, fopen, opendir */                               \
    X(READ, "read", EIO)          /* read */                                                       \
    X(WRITE, "write", ENOSPC)     /* write; half of the bytes go through first */                  \
    X(SHORT, "short", 0)          /* write, of half the bytes, which is no error */                \
    X(SYNC, "sync", EIO)          /* fsync */                                                      \
    X(CLOSE, "close", EIO)        /* close, fclose; the file is closed all the same */             \
    X(RENAME, "rename", EIO)      /* rename */                                                     \
    X(MAKE, "make", ENOSPC)       /* mkdir */                                                      \
    X(REMOVE, "remove", EIO)      /* unlink, unlinkat, rmdir */                                    \
    X(TRUNCATE, "truncate", EIO)  /* ftruncate */                                                  \
    X(LOOK, "look", EIO)          /* access, stat, lstat, fstat, fstatat */                        \
    X(LIST, "list", EIO)          /* readdir */                                                    \
    X(LOCK, "lock", ENOLCK)       /* flock */                                                      \
    X(MAP, "map", ENOMEM)         /* mmap */                                                       \
    X(THREAD, "thread", EAGAIN)   /* pthread_create */                                             \
    X(FORK, "fork", EAGAIN)       /* fork, posix_spawnp */                                         \
    X(PIPE, "pipe", EMFILE)       /* pipe2 */                                                      \
    X(WAIT, "wait", EINTR)        /* waitpid, poll, recv; only once: they are called again */      \
    X(JOIN, "join", ENAMETOOLONG) /* wac_path_join, in tests that let it (failing_here.h) */

#define FAILING_ENUM(id, name, code) FAILING_##id,
typedef enum failing_kind { FAILING_KINDS(FAILING_ENUM) FAILING_TOTAL } failing_kind;
#undef FAILING_ENUM

enum { FAILING_PLACES = 1 << 13 };

typedef struct failing_order {
    int kind;
    long at;         /* the call to strike, from 1; 0: none */
    int on;          /* and all of its kind after it */
    int interrupted; /* it fails by EINTR, whatever its kind */
    long time;       /* that the clock on the wall shows, and stands at; 0: as it is */
    atomic_long calls[FAILING_TOTAL];
    atomic_long struck;
    /* the places that calls of the kind come from (of every kind if it is FAILING_TOTAL): no call
     * before had the same functions above it; they are looked for while `looking` */
    int looking;
    atomic_long places;
    int of[FAILING_PLACES];            /* the kind */
    long place[FAILING_PLACES];        /* the number of the first call from there */
    long last[FAILING_PLACES];         /* and of the last */
    unsigned long way[FAILING_PLACES]; /* what was above it, as a hash */
} failing_order;

/* A program with many libraries is loaded once, not for each trial: WAC_STARTS is a socket on which
 * a message comes for each start, and an answer goes, how it ended (waitpid). Each is a fork that
 * goes on to main. */
typedef struct failing_start {
    char folder[4096];         /* to work in */
    char out[4096], err[4096]; /* files */
    char record[4096];         /* of its calls (recorded_calls.h); empty: none */
    char words[8192];          /* of the command line, split at spaces */
    unsigned seconds;          /* that it may take */
} failing_start;

/* Count a call that is none to the system; true: it shall fail. */
bool failing_calls_strike(failing_kind kind);

/* The calls that follow count no more. */
void failing_calls_end(void);

#endif
