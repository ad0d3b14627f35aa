/* A library to be loaded before a program (LD_PRELOAD), whose functions stand before those of the C
 * library: they count their calls, fail to order (failing_calls.h), and note what they change on
 * the disk (recorded_calls.h). Calls count from main on. Programs that this one starts are left in
 * peace. */
#undef _FORTIFY_SOURCE /* which has definitions of its own of what is defined here */

#include "support/failing_calls.h"
#include "support/recorded_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#define FRONT __attribute__((visibility("default")))

static failing_order *order; /* null before main, and without orders */

#define CODE(id, name, code) code,
static const int codes[] = {FAILING_KINDS(CODE)};
#undef CODE

/* In this thread calls neither count nor fail: they are not the program's own. */
static _Thread_local bool apart;

static _Unwind_Reason_Code add_above(struct _Unwind_Context *context, void *way)
{
    *(unsigned long *)way = (*(unsigned long *)way ^ _Unwind_GetIP(context)) * 1099511628211UL;
    return _URC_NO_REASON;
}

/* Note where a call comes from. */
static void look_above(failing_kind kind, long call)
{
    unsigned long way = 14695981039346656037UL + kind;
    apart = true; /* to look may take memory itself */
    _Unwind_Backtrace(add_above, &way);
    apart = false;
    long known = atomic_load(&order->places);
    for (long i = 0; i < known; i++)
        if (order->way[i] == way) {
            order->last[i] = call;
            return;
        }
    if (known < FAILING_PLACES && (known = atomic_fetch_add(&order->places, 1)) < FAILING_PLACES) {
        order->way[known] = way;
        order->of[known] = (int)kind;
        order->place[known] = order->last[known] = call;
    }
}

/* Count a call; true: it shall fail, and errno says why. */
static bool strike(failing_kind kind)
{
    if (!order || apart)
        return false;
    long call = atomic_fetch_add(&order->calls[kind], 1) + 1;
    if (order->looking && ((int)kind == order->kind || order->kind == FAILING_TOTAL))
        look_above(kind, call);
    bool on = order->on && codes[kind] != EINTR; /* or it would be called for ever */
    if (order->at == 0 || (int)kind != order->kind ||
        !(call == order->at || (on && call > order->at)))
        return false;
    atomic_fetch_add(&order->struck, 1);
    errno = order->interrupted ? EINTR : codes[kind];
    return true;
}

FRONT bool failing_calls_strike(failing_kind kind)
{
    return strike(kind);
}

/* The next function of this name. */
static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (!function)
        abort();
    return function;
}

#define NEXT(name) ((__typeof__(name) *)next(#name))

/* --- memory ------------------------------------------------------------------------------------*/

/* Not by name, which takes memory itself: from the sanitizer where there is one. */
#define SANITIZER __attribute__((weak))
SANITIZER void *__interceptor_malloc(size_t size);
SANITIZER void *__interceptor_calloc(size_t count, size_t size);
SANITIZER void *__interceptor_realloc(void *block, size_t size);
SANITIZER void *__interceptor_memalign(size_t alignment, size_t size);
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);

FRONT void *malloc(size_t size)
{
    if (strike(FAILING_MEMORY))
        return NULL;
    return __interceptor_malloc ? __interceptor_malloc(size) : __libc_malloc(size);
}

FRONT void *calloc(size_t count, size_t size)
{
    if (strike(FAILING_MEMORY))
        return NULL;
    return __interceptor_calloc ? __interceptor_calloc(count, size) : __libc_calloc(count, size);
}

FRONT void *realloc(void *block, size_t size)
{
    if (strike(FAILING_MEMORY))
        return NULL;
    return __interceptor_realloc ? __interceptor_realloc(block, size) : __libc_realloc(block, size);
}

FRONT void *memalign(size_t alignment, size_t size)
{
    if (strike(FAILING_MEMORY))
        return NULL;
    return __interceptor_memalign ? __interceptor_memalign(alignment, size)
                                  : __libc_memalign(alignment, size);
}

FRONT void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

FRONT int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made = memalign(alignment, size);
    if (!made)
        return ENOMEM;
    *block = made;
    return 0;
}

/* --- the record --------------------------------------------------------------------------------*/

static int record = -1;

static void note(recorded_call call, const void *bytes)
{
    struct iovec parts[] = {{&call, sizeof call}, {(void *)bytes, (size_t)call.size}};
    int code = errno;
    if (writev(record, parts, 2) != (ssize_t)sizeof call + call.size)
        abort();
    errno = code;
}

/* A change of an open file. */
static void note_file(recorded_kind kind, int file, int64_t start, const void *bytes, int64_t size)
{
    struct stat about;
    int code = errno;
    if (record >= 0 && NEXT(fstat)(file, &about) == 0 &&
        (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)))
        note((recorded_call){.kind = kind, .file = about.st_ino, .start = start, .size = size},
             bytes);
    errno = code;
}

/* What a path names before it is changed; false: nothing, or there is no record. */
static bool look_up(recorded_call *call, const char *path)
{
    struct stat about;
    if (record < 0 || NEXT(lstat)(path, &about) != 0)
        return false;
    call->file = about.st_ino;
    call->is_folder = S_ISDIR(about.st_mode);
    return true;
}

static recorded_name split(const char *path)
{
    char copy[PATH_MAX];
    struct stat about;
    recorded_name name = {0};
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    snprintf(copy, sizeof copy, "%.*s", (int)length, path);
    char *slash = strrchr(copy, '/');
    const char *last = slash ? slash + 1 : copy;
    memcpy(name.name, last, strnlen(last, NAME_MAX));
    if (slash)
        slash[slash == copy] = 0;
    if (NEXT(stat)(slash ? copy : ".", &about) != 0)
        abort();
    name.folder = about.st_ino;
    return name;
}

static void note_name(recorded_call call, recorded_kind kind, const char *path, const char *other)
{
    int code = errno;
    call.kind = kind;
    call.name = split(path);
    if (other)
        call.other = split(other);
    note(call, NULL);
    errno = code;
}

/* --- files -------------------------------------------------------------------------------------*/

FRONT int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    recorded_call call = {0};
    bool was = look_up(&call, path);
    int file = strike(FAILING_OPEN) ? -1 : NEXT(open)(path, flags, mode);
    if (file >= 0 && record >= 0 && !was && look_up(&call, path))
        note_name(call, RECORDED_MAKE, path, NULL);
    if (file >= 0 && was && flags & O_TRUNC)
        note_file(RECORDED_CUT, file, 0, NULL, 0);
    return file;
}

FRONT int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return strike(FAILING_OPEN) ? -1 : NEXT(openat)(folder, path, flags, mode);
}

FRONT FILE *fopen(const char *path, const char *mode)
{
    return strike(FAILING_OPEN) ? NULL : NEXT(fopen)(path, mode);
}

FRONT DIR *opendir(const char *path)
{
    return strike(FAILING_OPEN) ? NULL : NEXT(opendir)(path);
}

FRONT ssize_t read(int file, void *bytes, size_t size)
{
    return strike(FAILING_READ) ? -1 : NEXT(read)(file, bytes, size);
}

/* As hardened programs call it. */
ssize_t __read_chk(int file, void *bytes, size_t size, size_t room);

FRONT ssize_t __read_chk(int file, void *bytes, size_t size, size_t room)
{
    return strike(FAILING_READ) ? -1 : NEXT(__read_chk)(file, bytes, size, room);
}

/* Into a file half of it goes; into a pipe all or nothing. */
FRONT ssize_t write(int file, const void *bytes, size_t size)
{
    struct stat about;
    bool parts = NEXT(fstat)(file, &about) == 0 && S_ISREG(about.st_mode) && size > 1;
    if (parts && strike(FAILING_SHORT))
        return NEXT(write)(file, bytes, size / 2);
    if (!strike(FAILING_WRITE)) {
        ssize_t done = NEXT(write)(file, bytes, size);
        if (done > 0)
            note_file(RECORDED_WRITE, file, NEXT(lseek)(file, 0, SEEK_CUR) - done, bytes, done);
        return done;
    }
    int code = errno;
    if (parts && code != EINTR)
        (void)!NEXT(write)(file, bytes, size / 2);
    errno = code;
    return -1;
}

FRONT int fsync(int file)
{
    int result = strike(FAILING_SYNC) ? -1 : NEXT(fsync)(file);
    if (result == 0)
        note_file(RECORDED_SYNC, file, 0, NULL, 0);
    return result;
}

FRONT int close(int file)
{
    bool fails = strike(FAILING_CLOSE);
    int code = errno, result = NEXT(close)(file);
    if (!fails)
        return result;
    errno = code;
    return -1;
}

FRONT int fclose(FILE *file)
{
    bool fails = strike(FAILING_CLOSE);
    int code = errno, result = NEXT(fclose)(file);
    if (!fails)
        return result;
    errno = code;
    return EOF;
}

FRONT int rename(const char *from, const char *to)
{
    recorded_call call = {0};
    bool was = look_up(&call, from);
    int result = strike(FAILING_RENAME) ? -1 : NEXT(rename)(from, to);
    if (result == 0 && was)
        note_name(call, RECORDED_RENAME, from, to);
    return result;
}

FRONT int mkdir(const char *path, mode_t mode)
{
    recorded_call call = {0};
    int result = strike(FAILING_MAKE) ? -1 : NEXT(mkdir)(path, mode);
    if (result == 0 && look_up(&call, path))
        note_name(call, RECORDED_MAKE, path, NULL);
    return result;
}

FRONT int unlink(const char *path)
{
    recorded_call call = {0};
    bool was = look_up(&call, path);
    int result = strike(FAILING_REMOVE) ? -1 : NEXT(unlink)(path);
    if (result == 0 && was)
        note_name(call, RECORDED_REMOVE, path, NULL);
    return result;
}

FRONT int unlinkat(int folder, const char *path, int flags)
{
    return strike(FAILING_REMOVE) ? -1 : NEXT(unlinkat)(folder, path, flags);
}

FRONT int rmdir(const char *path)
{
    recorded_call call = {0};
    bool was = look_up(&call, path);
    int result = strike(FAILING_REMOVE) ? -1 : NEXT(rmdir)(path);
    if (result == 0 && was)
        note_name(call, RECORDED_REMOVE, path, NULL);
    return result;
}

FRONT int ftruncate(int file, off_t size)
{
    int result = strike(FAILING_TRUNCATE) ? -1 : NEXT(ftruncate)(file, size);
    if (result == 0)
        note_file(RECORDED_CUT, file, size, NULL, 0);
    return result;
}

FRONT int access(const char *path, int mode)
{
    return strike(FAILING_LOOK) ? -1 : NEXT(access)(path, mode);
}

FRONT int stat(const char *path, struct stat *about)
{
    return strike(FAILING_LOOK) ? -1 : NEXT(stat)(path, about);
}

FRONT int lstat(const char *path, struct stat *about)
{
    return strike(FAILING_LOOK) ? -1 : NEXT(lstat)(path, about);
}

FRONT int fstat(int file, struct stat *about)
{
    return strike(FAILING_LOOK) ? -1 : NEXT(fstat)(file, about);
}

FRONT int fstatat(int folder, const char *path, struct stat *about, int flags)
{
    return strike(FAILING_LOOK) ? -1 : NEXT(fstatat)(folder, path, about, flags);
}

FRONT struct dirent *readdir(DIR *folder)
{
    return strike(FAILING_LIST) ? NULL : NEXT(readdir)(folder);
}

FRONT int flock(int file, int operation)
{
    return strike(FAILING_LOCK) ? -1 : NEXT(flock)(file, operation);
}

FRONT void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if (strike(FAILING_MAP))
        return MAP_FAILED;
    return NEXT(mmap)(address, length, protection, flags, file, offset);
}

/* --- processes and threads ---------------------------------------------------------------------*/

FRONT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*start)(void *), void *argument)
{
    if (strike(FAILING_THREAD))
        return errno;
    return NEXT(pthread_create)(thread, attributes, start, argument);
}

/* The address sanitizer asks in every new thread, and ends the program if there is no answer. */
FRONT int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    apart = true;
    int result = NEXT(pthread_getattr_np)(thread, attributes);
    apart = false;
    return result;
}

FRONT pid_t fork(void)
{
    return strike(FAILING_FORK) ? -1 : NEXT(fork)();
}

FRONT int posix_spawnp(pid_t *process, const char *file, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[],
                       char *const environment[])
{
    if (strike(FAILING_FORK))
        return errno;
    return NEXT(posix_spawnp)(process, file, actions, attributes, arguments, environment);
}

FRONT int pipe2(int ends[2], int flags)
{
    return strike(FAILING_PIPE) ? -1 : NEXT(pipe2)(ends, flags);
}

FRONT pid_t waitpid(pid_t process, int *status, int options)
{
    return strike(FAILING_WAIT) ? -1 : NEXT(waitpid)(process, status, options);
}

FRONT int poll(struct pollfd *files, nfds_t count, int timeout)
{
    return strike(FAILING_WAIT) ? -1 : NEXT(poll)(files, count, timeout);
}

FRONT ssize_t recv(int file, void *bytes, size_t size, int flags)
{
    return strike(FAILING_WAIT) ? -1 : NEXT(recv)(file, bytes, size, flags);
}

/* --- the clock ---------------------------------------------------------------------------------*/

FRONT time_t time(time_t *result)
{
    time_t now = order && order->time ? order->time : NEXT(time)(NULL);
    if (result)
        *result = now;
    return now;
}

/* --- the beginning and the end -----------------------------------------------------------------*/

/* What a library does when the program is over (a count of what was executed) is not the program's.
 */
FRONT void failing_calls_end(void)
{
    order = NULL;
}

static int (*program)(int argc, char **argv, char **environment);

enum { MOST_WORDS = 64 };

static failing_start start; /* what the last message says */

/* Opened as a number that is out of the program's way. */
static int open_aside(const char *path, int flags)
{
    int file = NEXT(open)(path, flags | O_CLOEXEC, 0666), aside = -1;
    if (file >= 0) {
        aside = fcntl(file, F_DUPFD_CLOEXEC, 100);
        NEXT(close)(file);
    }
    return aside;
}

/* In a fork: as the message has it. */
static int obey(char *argv[MOST_WORDS])
{
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (chdir(start.folder) != 0 || dup2(open_aside(start.out, flags), 1) < 0 ||
        dup2(open_aside(start.err, flags), 2) < 0)
        _exit(126);
    if (*start.record)
        record = open_aside(start.record, O_WRONLY | O_APPEND | O_CREAT);
    alarm(start.seconds);
    int argc = 1;
    for (char *place, *word = strtok_r(start.words, " ", &place); word && argc < MOST_WORDS - 1;
         word = strtok_r(NULL, " ", &place))
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

/* Returns in each fork, with the number of its words. */
static int start_to_order(int orders, char *argv[MOST_WORDS])
{
    while (NEXT(recv)(orders, &start, sizeof start, 0) == (ssize_t)sizeof start) {
        int status = 0;
        pid_t child = NEXT(fork)();
        if (child == 0) {
            NEXT(close)(orders);
            return obey(argv);
        }
        if (child < 0 || NEXT(waitpid)(child, &status, 0) != child ||
            send(orders, &status, sizeof status, MSG_NOSIGNAL) != (ssize_t)sizeof status)
            break;
    }
    _exit(0);
}

static int begin(int argc, char **argv, char **environment)
{
    static char *words[MOST_WORDS];
    const char *orders = getenv("WAC_STARTS");
    unsetenv("LD_PRELOAD");
    if (orders) {
        words[0] = argv[0];
        argv = words;
        argc = start_to_order(atoi(orders), words);
        unsetenv("WAC_STARTS");
    }
    const char *path = getenv("WAC_FAILING_CALLS");
    int file = path ? NEXT(open)(path, O_RDWR | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *mapped = NEXT(mmap)(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        NEXT(close)(file);
        order = mapped == MAP_FAILED ? NULL : mapped;
    }
    atexit(failing_calls_end);
    return program(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*end)(void), void (*loader_end)(void), void *stack_end);

FRONT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                            void (*init)(void), void (*end)(void), void (*loader_end)(void),
                            void *stack_end)
{
    program = main;
    return NEXT(__libc_start_main)(begin, argc, argv, init, end, loader_end, stack_end);
}
