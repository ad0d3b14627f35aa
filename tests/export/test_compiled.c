/* A compiled header that the linker does not load: what the reason is. */
#include "export/compiled.h"
#include "support/small_runs.h"

#include <dlfcn.h>

static const char *said; /* by the linker, which stands before the real one */

void *dlopen(const char *path, int flags)
{
    (void)path, (void)flags;
    return NULL;
}

char *dlerror(void)
{
    return (char *)said;
}

static void expect(const char *sentence, wac_status status, const char *part)
{
    static const char text[] = "int policy_self_test(void);\n"
                               "#ifdef POLICY_IMPLEMENTATION\n"
                               "int policy_self_test(void) { return 0; }\n"
                               "#endif\n";
    wac_compiled compiled;
    bool found;
    said = sentence;
    assert_int_equal(wac_compiled_make(&compiled, &found, text, sizeof text - 1,
                                       (const char[64]){"policy"}, &error),
                     status);
    assert_false(found);
    assert_message(status, part, "compiled header");
}

/* Most of its sentences about memory have no word of that. */
static void memory_lacks(void **state)
{
    (void)state;
    expect("x.so: cannot open shared object file: No such file or directory", WAC_STATUS_MEMORY,
           "memory");
    expect("x.so: cannot create shared object descriptor", WAC_STATUS_MEMORY, "memory");
    expect("x.so: cannot allocate dependency list", WAC_STATUS_MEMORY, "memory");
    expect("cannot extend global scope", WAC_STATUS_MEMORY, "memory");
    expect("x.so: cannot open shared object file: Cannot allocate memory", WAC_STATUS_MEMORY,
           "memory");
}

static void programs_are_not_run_there(void **state)
{
    (void)state;
    expect("x.so: failed to map segment from shared object", WAC_STATUS_IO, "set TMPDIR to");
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(memory_lacks), TEST(programs_are_not_run_there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
