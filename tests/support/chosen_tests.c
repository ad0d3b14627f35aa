/* Loaded before a test by scripts/mutate: of its cmocka tests only those run that WAC_CHOSEN names,
 * in that order, and the first that fails ends the process. Without WAC_CHOSEN all run but those
 * that WAC_SLOW names, and a line
 * of the file WAC_TIMES says of each how long it computed, with its children; WAC_ENTERED is then a
 * folder in which each has a file whose bytes tell which functions were entered
 * (entered_functions.c). */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

__attribute__((weak)) void entered_functions_into(const char *path);

static double computed(void)
{
    double seconds = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
        seconds += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return seconds;
}

typedef int run_group(const char *name, const struct CMUnitTest *tests, size_t count,
                      CMFixtureFunction setup, CMFixtureFunction teardown);

static int run_and_note(run_group *run, const char *name, const struct CMUnitTest *test,
                        CMFixtureFunction setup, CMFixtureFunction teardown)
{
    const char *folder = getenv("WAC_ENTERED"), *times = getenv("WAC_TIMES");
    if (folder && entered_functions_into) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, test->name);
        setenv("WAC_ENTERED_INTO", path, 1); /* for children that are other programs */
        entered_functions_into(path);
    }
    double before = computed();
    int failed = run(name, test, 1, setup, teardown);
    FILE *out = times ? fopen(times, "a") : NULL;
    if (out) {
        fprintf(out, "%s %.4f %d\n", test->name, computed() - before, failed);
        fclose(out);
    }
    return failed;
}

static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; at && (at = strstr(at, name)); at += length)
        if ((at == names || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                            CMFixtureFunction setup, CMFixtureFunction teardown)
{
    run_group *run = (run_group *)dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
    const char *chosen = getenv("WAC_CHOSEN"), *slow = getenv("WAC_SLOW");
    int failed = 0;
    if (chosen) {
        for (char *word = strtok(strdup(chosen), ","); word; word = strtok(NULL, ","))
            for (size_t i = 0; i < count; i++)
                if (!strcmp(word, tests[i].name) && run(name, &tests[i], 1, setup, teardown))
                    _exit(1);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        if (!is_among(slow, tests[i].name))
            failed += run_and_note(run, name, &tests[i], setup, teardown);
    return failed;
}

/* an assertion of cmocka that does not hold */
void _fail(const char *file, int line)
{
    fprintf(stderr, "%s:%d\n", file, line);
    _exit(1);
}
