/* A part of the library in builds that count what is executed (make coverage): counts are written
 * at exit, but not by _exit, which children of tests and of sweeps end by. */
#include <gcov.h>

void __wrap__exit(int status);
void __real__exit(int status);
__attribute__((weak)) void failing_calls_end(void); /* of failing_calls.c, where that is loaded */

void __wrap__exit(int status)
{
    if (failing_calls_end)
        failing_calls_end();
    __gcov_dump();
    __real__exit(status);
}
