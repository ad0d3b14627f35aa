/* What tests of reports share: small folders of runs, and how their pages are read. */
#ifndef WAC_TESTS_SUPPORT_REPORTS_H
#define WAC_TESTS_SUPPORT_REPORTS_H

#include "support/fake_runs.h"

static inline bool has_program(const char *name)
{
    char command[256];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    return system(command) == 0;
}

static inline size_t count_of(const char *text, const char *word)
{
    size_t count = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        count++;
    return count;
}

/* Point 1 at scale quick: ME-WAC and SAC, one seed. */
static inline void make_point(const char *folder)
{
    fake fake = {"point-1", "me-wac", 1, 25, 0, NULL, NULL, NULL, NULL, -90, NAN, 30, 12};
    make_fake(at("%s/me-wac", folder), &fake);
    fake.algorithm = "sac";
    fake.solved = -1;
    make_fake(at("%s/sac", folder), &fake);
}

static inline char *page_of(const char *folder)
{
    return contents(at("%s/report.html", folder), NULL);
}

/* How many lines a file has, and whether its first is this. */
static inline size_t count_lines(const char *path, const char *first)
{
    char *text = contents(path, NULL);
    size_t lines = count_of(text, "\n");
    if (strncmp(text, first, strlen(first)) != 0)
        fail_msg("%s begins with %.*s", path, (int)strcspn(text, "\n"), text);
    free(text);
    return lines;
}

#endif
