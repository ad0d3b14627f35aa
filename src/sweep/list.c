/* The list of runs of a sweep: what it must fulfil, and its configs as lines of text. */
#include "sweep/list.h"

#include "base/hash.h"
#include "base/status.h"
#include "config/config.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wac_sweep_free(wac_sweep *sweep)
{
    free(sweep->runs);
    *sweep = (wac_sweep){0};
}

/* The length of a folder's name up to "seed-N". */
static size_t folder_of_seeds(const wac_sweep_run *run)
{
    const char *slash = strrchr(run->folder, '/');
    return slash ? (size_t)(slash - run->folder) + 1 : 0;
}

/* Seeds of the same settings are neighbours. */
static bool begins_settings(const wac_sweep *sweep, size_t index)
{
    size_t length = folder_of_seeds(&sweep->runs[index]);
    return index == 0 || length != folder_of_seeds(&sweep->runs[index - 1]) ||
           strncmp(sweep->runs[index].folder, sweep->runs[index - 1].folder, length) != 0;
}

wac_status wac_sweep_reseed(wac_sweep *made, const wac_sweep *sweep, int64_t seeds,
                            wac_error *error)
{
    size_t settings = 0;
    *made = *sweep;
    made->runs = NULL;
    made->count = 0;
    for (size_t i = 0; i < sweep->count; i++)
        settings += begins_settings(sweep, i);
    if (seeds < 1 || settings > (size_t)(WAC_SWEEP_RUNS / seeds))
        return wac_fail(error, WAC_STATUS_INPUT, "%lld seeds of %zu settings are more than %d runs",
                        (long long)seeds, settings, WAC_SWEEP_RUNS);
    made->runs = calloc(settings * (size_t)seeds + 1, sizeof *made->runs);
    if (!made->runs)
        return wac_fail_memory(error, "the list of runs");
    for (size_t i = 0; i < sweep->count; i++)
        for (int64_t k = 0; k < seeds && begins_settings(sweep, i); k++) {
            wac_sweep_run *run = &made->runs[made->count++];
            size_t length = folder_of_seeds(&sweep->runs[i]);
            run->config = sweep->runs[i].config;
            run->config.seed += k;
            snprintf(run->folder, sizeof run->folder, "%.*sseed-%lld", (int)length,
                     sweep->runs[i].folder, (long long)run->config.seed);
        }
    return WAC_STATUS_OK;
}

/* As a flag is written: with dashes. */
static void spell(char flag[64], const wac_setting *setting)
{
    snprintf(flag, 64, "%s", setting->name);
    for (char *letter = flag; *letter; letter++)
        *letter = *letter == '_' ? '-' : *letter;
}

static wac_status give(wac_sweep *sweep, const wac_setting *setting, char *value, wac_error *error)
{
    for (size_t i = 0; i < sweep->count; i++)
        WAC_TRY(wac_config_set(&sweep->runs[i].config, setting->name, value, error));
    if (sweep->count)
        wac_config_format(&sweep->runs[0].config, setting, value, WAC_GIVEN_VALUE);
    return WAC_STATUS_OK;
}

wac_status wac_sweep_give(wac_sweep *sweep, wac_given *given, const char *name, wac_error *error)
{
    size_t count;
    char flag[64];
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        if (!*given->values[i])
            continue;
        spell(flag, &settings[i]);
        if (sweep->says[i])
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s itself says the %s of its runs; leave --%s out", name,
                            settings[i].name, flag);
        WAC_TRY(give(sweep, &settings[i], given->values[i], error));
    }
    for (size_t i = 0; i < sweep->count; i++)
        WAC_TRY(wac_config_check(&sweep->runs[i].config, error));
    return WAC_STATUS_OK;
}

const char *wac_given_flags(char text[WAC_GIVEN_FLAGS], const wac_given *given)
{
    size_t count;
    int used = 0;
    char flag[64];
    const wac_setting *settings = wac_settings(&count);
    *text = 0;
    for (size_t i = 0; i < count && used < WAC_GIVEN_FLAGS; i++)
        if (*given->values[i]) {
            spell(flag, &settings[i]);
            used += snprintf(text + used, (size_t)(WAC_GIVEN_FLAGS - used), " --%s %s", flag,
                             given->values[i]);
        }
    return text;
}

void wac_sweep_line(char line[WAC_SWEEP_LINE], const wac_config *config)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    int used = snprintf(line, WAC_SWEEP_LINE, "{environment: \"%s\"", config->environment);
    for (size_t i = 0; i < count; i++) {
        char value[64];
        if (!wac_config_reads(config, &settings[i]))
            continue;
        wac_config_format(config, &settings[i], value, sizeof value);
        used += snprintf(line + used, WAC_SWEEP_LINE - (size_t)used, ", %s: %s", settings[i].name,
                         value);
        assert(used < WAC_SWEEP_LINE - 2);
    }
    strcpy(line + used, "}");
}

/* The length of the "name: value" that stands first in the rest of a line, and of its name. */
static void measure_piece(const char *rest, int *length, int *name)
{
    *length = (int)strcspn(rest, ",}");
    *name = (int)strcspn(rest, ":,}");
}

void wac_sweep_line_difference(char *text, size_t size, const char *line, const char *other)
{
    *text = 0;
    line += *line == '{';
    other += *other == '{';
    while (*line || *other) {
        int length, name, other_length, other_name;
        measure_piece(line, &length, &name);
        measure_piece(other, &other_length, &other_name);
        bool same_name = name == other_name && strncmp(line, other, (size_t)name) == 0;
        if (!same_name) {
            snprintf(text, size, "one of the two does not say its %.*s", name ? name : other_name,
                     name ? line : other);
            return;
        }
        bool counts = strncmp(line, "epochs:", strlen("epochs:")) != 0;
        if (counts && (length != other_length || strncmp(line, other, (size_t)length) != 0)) {
            snprintf(text, size, "%.*s is %.*s and not %.*s", name, line,
                     length > name + 2 ? length - name - 2 : 0, line + name + 2,
                     other_length > name + 2 ? other_length - name - 2 : 0, other + name + 2);
            return;
        }
        line += length + (int)strspn(line + length, ", }");
        other += other_length + (int)strspn(other + other_length, ", }");
    }
}

uint64_t wac_sweep_fingerprint(const wac_sweep *sweep)
{
    uint64_t hash = wac_hash(WAC_HASH_START, sweep->from, strlen(sweep->from) + sweep->best);
    char line[WAC_SWEEP_LINE];
    for (size_t i = 0; i < sweep->count; i++) {
        const char *folder = sweep->runs[i].folder;
        wac_sweep_line(line, &sweep->runs[i].config);
        hash = wac_hash(wac_hash(hash, folder, strlen(folder)), line, strlen(line));
    }
    return hash;
}

/* Folders sort so that one inside another comes right behind it. */
static int compare_folders(const void *a, const void *b)
{
    const char *one = (*(const wac_sweep_run *const *)a)->folder;
    const char *two = (*(const wac_sweep_run *const *)b)->folder;
    while (*one && *one == *two)
        one++, two++;
    int left = *one == '/' ? 1 : (unsigned char)*one;
    int right = *two == '/' ? 1 : (unsigned char)*two;
    return left - right;
}

static wac_status check_folder(const char *folder, wac_error *error)
{
    size_t length = strnlen(folder, WAC_SWEEP_FOLDER);
    bool good = length > 0 && length < WAC_SWEEP_FOLDER && folder[length - 1] != '/';
    for (size_t i = 0; good && i < length; i++) {
        bool first = i == 0 || folder[i - 1] == '/';
        good = isalnum((unsigned char)folder[i]) || (!first && strchr("._+/-", folder[i]));
    }
    if (good)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "\"%.*s\" is no folder for a run; use names of letters, digits and any of "
                    "\"._+-\" with a slash between them",
                    (int)length, folder);
}

/* No two runs in the same folder, nor one inside the folder of another. */
static wac_status check_folders(const wac_sweep *sweep, const wac_sweep_run **sorted,
                                wac_error *error)
{
    qsort(sorted, sweep->count, sizeof *sorted, compare_folders);
    for (size_t i = 1; i < sweep->count; i++) {
        const char *before = sorted[i - 1]->folder, *folder = sorted[i]->folder;
        size_t length = strlen(before);
        if (strncmp(before, folder, length) != 0 || (folder[length] && folder[length] != '/'))
            continue;
        if (!folder[length] &&
            wac_config_compare(&sorted[i - 1]->config, &sorted[i]->config, NULL) == 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "the run %s is there twice; leave out the value that is repeated",
                            folder);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "two runs would use the folder %s; give one of them another name", before);
    }
    return WAC_STATUS_OK;
}

static int compare_settings(const void *a, const void *b)
{
    return wac_config_compare(&(*(const wac_sweep_run *const *)a)->config,
                              &(*(const wac_sweep_run *const *)b)->config, NULL);
}

/* No two runs with the same settings. */
static wac_status check_settings(const wac_sweep *sweep, const wac_sweep_run **sorted,
                                 wac_error *error)
{
    qsort(sorted, sweep->count, sizeof *sorted, compare_settings);
    for (size_t i = 1; i < sweep->count; i++)
        if (compare_settings(&sorted[i - 1], &sorted[i]) == 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "the runs %s and %s have the same settings; leave one of them out",
                            sorted[i - 1]->folder, sorted[i]->folder);
    return WAC_STATUS_OK;
}

wac_status wac_sweep_check(const wac_sweep *sweep, wac_error *error)
{
    if (sweep->count == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "a sweep needs at least one run");
    for (size_t i = 0; i < sweep->count; i++) {
        WAC_TRY(check_folder(sweep->runs[i].folder, error));
        WAC_TRY(wac_config_check(&sweep->runs[i].config, error));
    }
    const wac_sweep_run **sorted = malloc(sweep->count * sizeof *sorted);
    if (!sorted)
        return wac_fail_memory(error, "the list of runs");
    for (size_t i = 0; i < sweep->count; i++)
        sorted[i] = &sweep->runs[i];
    wac_status status = check_folders(sweep, sorted, error);
    if (status == WAC_STATUS_OK)
        status = check_settings(sweep, sorted, error);
    free(sorted);
    return status;
}
