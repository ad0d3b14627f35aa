/* Compiling and loading headers. */
#include "export/compiled.h"

#include "base/files.h"
#include "base/status.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char messages[] = "messages";

/* Have the compiler make policy.so of policy.c in a folder; what it says goes to a file there. 0 or
 * errno; *result is its exit status. */
static int compile(const char *folder, int *result)
{
    char *arguments[] = {WAC_COMPILER, "-std=c99", "-O2",       "-Wall",          "-Wextra",
                         "-pedantic",  "-Werror",  "-fPIC",     "-ffreestanding", "-nostdlib",
                         "-shared",    "-o",       "policy.so", "policy.c",       NULL};
    posix_spawn_file_actions_t actions;
    pid_t process;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    if (!(failure = posix_spawn_file_actions_addchdir_np(&actions, folder)) &&
        !(failure =
              posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) &&
        !(failure = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages,
                                                     O_WRONLY | O_CREAT | O_TRUNC, 0600)) &&
        !(failure = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)))
        failure = posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!failure && waitpid(process, result, 0) < 0)
        failure = errno == EINTR ? 0 : errno;
    return failure;
}

static wac_status write_sources(const char *folder, const char *text, size_t size, const char *name,
                                wac_error *error)
{
    char path[PATH_MAX], source[4 * 64 + 128], upper[64];
    for (size_t i = 0; i < sizeof upper; i++)
        upper[i] = (char)toupper((unsigned char)name[i]);
    WAC_TRY(wac_path_join(path, sizeof path, folder, "policy.h", error));
    WAC_TRY(wac_file_write(path, text, size, error));
    WAC_TRY(wac_path_join(path, sizeof path, folder, "policy.c", error));
    int length = snprintf(source, sizeof source,
                          "#define %s_IMPLEMENTATION\n#include \"policy.h\"\n", upper);
    return wac_file_write(path, source, (size_t)length, error);
}

/* The first thing that the compiler said. */
static wac_status fail_compiling(const char *folder, wac_error *error)
{
    char path[PATH_MAX], *said = NULL;
    if (wac_path_join(path, sizeof path, folder, messages, NULL) == WAC_STATUS_OK)
        (void)wac_file_read(&said, NULL, path, 1 << 20, NULL);
    char *fault = said ? strstr(said, "error") : NULL;
    wac_status status =
        wac_fail(error, WAC_STATUS_IO,
                 "%s %s does not take the header that was to be written: %.*s", WAC_COMPILER,
                 WAC_COMPILER_FLAGS, (int)strcspn(fault ? fault : "", "\n"), fault ? fault : "");
    free(said);
    return status;
}

static void *find_symbol(void *library, const char *name, const char *function)
{
    char symbol[128];
    snprintf(symbol, sizeof symbol, "%s_%s", name, function);
    return dlsym(library, symbol);
}

/* What the linker says where memory lacks: seldom that. */
static bool lacks_memory(const char *why, const char *path)
{
    return strcasestr(why, "memory") || strstr(why, "cannot allocate ") ||
           strstr(why, "cannot create ") || strstr(why, "cannot extend ") ||
           (strstr(why, "No such file") && wac_path_exists(path));
}

static wac_status load(wac_compiled *compiled, const char *name, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_path_join(path, sizeof path, compiled->folder.path, "policy.so", error));
    compiled->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *why = compiled->library ? "" : dlerror();
    if (!compiled->library && lacks_memory(why, path))
        return wac_fail_memory(error, "the compiled header");
    if (!compiled->library)
        return wac_fail(error, WAC_STATUS_IO,
                        "the compiled header cannot be loaded: %s; set TMPDIR to a folder that "
                        "programs may be run from",
                        why);
    *(void **)&compiled->act = find_symbol(compiled->library, name, "act");
    *(void **)&compiled->self_test = find_symbol(compiled->library, name, "self_test");
    *(void **)&compiled->value = find_symbol(compiled->library, name, "value");
    return compiled->act && compiled->self_test
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_IO, "the compiled header has lost its functions");
}

wac_status wac_compiled_make(wac_compiled *compiled, bool *found, const char *text, size_t size,
                             const char *name, wac_error *error)
{
    int result = 0, failure = 0;
    *found = false;
    *compiled = (wac_compiled){0};
    WAC_TRY(wac_temporary_make(&compiled->folder, "wac-export", error));
    wac_status status = write_sources(compiled->folder.path, text, size, name, error);
    if (status == WAC_STATUS_OK) {
        failure = compile(compiled->folder.path, &result);
        if (failure && failure != ENOENT)
            status = wac_fail(error, WAC_STATUS_IO, "cannot run %s: %s", WAC_COMPILER,
                              strerror(failure));
        else if (!failure && result != 0)
            status = fail_compiling(compiled->folder.path, error);
        else if (!failure)
            status = load(compiled, name, error);
    }
    *found = status == WAC_STATUS_OK && !failure;
    if (!*found)
        wac_compiled_destroy(compiled);
    return status;
}

void wac_compiled_destroy(wac_compiled *compiled)
{
    if (compiled->library)
        dlclose(compiled->library);
    wac_temporary_remove(&compiled->folder);
}

static void act(void *self, const float *observation, float *action)
{
    const wac_compiled *compiled = self;
    compiled->act(observation, action);
}

static void value(void *self, const float *observation, const float *action, float *mean,
                  float *std)
{
    const wac_compiled *compiled = self;
    compiled->value(observation, action, mean, std);
}

wac_player wac_compiled_player(wac_compiled *compiled)
{
    return (wac_player){act, compiled->value ? value : NULL, compiled};
}
