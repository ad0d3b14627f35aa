/* A part of the library that scripts/mutate builds with -finstrument-functions: a byte of a file
 * for every address, set where a function there was entered. The file is shared memory, so that
 * children count, too, however they end. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 1 << 24 };
extern const char __ehdr_start[]
    __attribute__((visibility("hidden"))); /* where this library begins */
static unsigned char *entered;

void entered_functions_into(const char *path);
void __cyg_profile_func_enter(const void *function, const void *caller);
void __cyg_profile_func_exit(const void *function, const void *caller);

void entered_functions_into(const char *path)
{
    if (entered)
        munmap(entered, SIZE);
    entered = NULL;
    int file = path ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    if (file >= 0 && !ftruncate(file, SIZE)) {
        void *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        entered = memory == MAP_FAILED ? NULL : memory;
    }
    if (file >= 0)
        close(file);
}

__attribute__((constructor)) static void begin(void)
{
    entered_functions_into(getenv("WAC_ENTERED_INTO"));
}

void __cyg_profile_func_enter(const void *function, const void *caller)
{
    (void)caller;
    unsigned long at = (unsigned long)((const char *)function - __ehdr_start);
    if (entered && at < SIZE)
        entered[at] = 1;
}

void __cyg_profile_func_exit(const void *function, const void *caller)
{
    (void)function, (void)caller;
}
