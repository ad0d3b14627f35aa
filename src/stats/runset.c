/* Reading runs from disk and sorting them into groups. */
#include "stats/runset.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/config.h"
#include "config/environments.h"
#include "run/log.h"
#include "run/packed.h"
#include "stats/foreign.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* --- finding ------------------------------------------------------------------------------- */

/* A folder that is a run, or a table of them. */
typedef struct found {
    char *path, *folder;
    bool is_table;
    dev_t device;
    ino_t inode;
} found;

typedef struct search {
    found *runs;
    size_t count;
    wac_temporary *unpacked;    /* [unpacked_count] */
    char (*archives)[PATH_MAX]; /* what each was */
    size_t unpacked_count;
} search;

static wac_status note_run(search *search, const char *path, const char *folder, bool is_table,
                           wac_error *error)
{
    struct stat about;
    if (stat(folder, &about) != 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot search %s: %s", path, strerror(errno));
    for (size_t i = 0; i < search->count; i++)
        if (search->runs[i].inode == about.st_ino && search->runs[i].device == about.st_dev)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "the %s %s is given twice (also as %s), and one run counts once; name "
                            "it, or a folder above it, only once",
                            is_table ? "table" : "run", path, search->runs[i].path);
    found *runs = realloc(search->runs, (search->count + 1) * sizeof *runs);
    if (!runs)
        return wac_fail_memory(error, "the list of runs");
    search->runs = runs;
    found *run = &runs[search->count++];
    *run = (found){strdup(path), strdup(folder), is_table, about.st_dev, about.st_ino};
    return run->path && run->folder ? WAC_STATUS_OK : wac_fail_memory(error, "the list of runs");
}

/* Folders worth a look: not hidden, not being made; and archives. */
static int is_candidate(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' &&
           (length < 4 || strcmp(entry->d_name + length - 4, ".tmp") != 0) &&
           (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN ||
            strcmp(entry->d_name, WAC_PACKED_RUNS) == 0);
}

/* by byte, whatever the language */
static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* An archive in a folder, and not the runs themselves beside it. */
static bool is_archive(const char *folder, const char *path, const char *name)
{
    char runs[PATH_MAX];
    struct stat about;
    /* one that cannot be looked at is read, and whoever asks will learn why that is not possible */
    return strcmp(name, WAC_PACKED_RUNS) == 0 &&
           (stat(path, &about) == 0 ? S_ISREG(about.st_mode) : errno != ENOENT) &&
           wac_path_join(runs, sizeof runs, folder, "runs", NULL) == WAC_STATUS_OK &&
           !wac_path_is_folder(runs);
}

static wac_status search_archive(search *search, const char *archive, const char *inside,
                                 wac_error *error);

/* The runs at or below a folder, which people know by its path. */
static wac_status find_runs(search *search, const char *path, const char *folder, wac_error *error)
{
    bool has_config, has_progress;
    WAC_TRY(wac_folder_look(&has_config, folder, WAC_FOLDER_CONFIG, error));
    WAC_TRY(wac_folder_look(&has_progress, folder, WAC_FOLDER_PROGRESS, error));
    if (has_config || has_progress)
        return note_run(search, path, folder, false, error);
    struct dirent **entries;
    int count = scandir(folder, &entries, is_candidate, compare_entries);
    if (count < 0 && errno == ENOMEM)
        return wac_fail_memory(error, "the list of runs");
    if (count < 0)
        return wac_fail(
            error, WAC_STATUS_IO,
            "cannot search %s: %s; name a folder that has runs, such as \"runs\", where "
            "\"wac train\" puts them",
            path, strerror(errno));
    wac_status status = WAC_STATUS_OK;
    char *next = malloc(2 * PATH_MAX); /* folders may be deep, the stack is not */
    if (!next)
        status = wac_fail_memory(error, "the list of runs");
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (status == WAC_STATUS_OK)
            status = wac_path_join(next, PATH_MAX, path, name, error);
        if (status == WAC_STATUS_OK)
            status = wac_path_join(next + PATH_MAX, PATH_MAX, folder, name, error);
        if (status == WAC_STATUS_OK &&
            (entries[i]->d_type == DT_DIR || wac_path_is_folder(next + PATH_MAX)))
            status = find_runs(search, next, next + PATH_MAX, error);
        else if (status == WAC_STATUS_OK && is_archive(folder, next + PATH_MAX, name))
            status = search_archive(search, next, "", error);
        free(entries[i]);
    }
    free(entries);
    free(next);
    return status;
}

/* All of it, or a part. */
static wac_status search_archive(search *search, const char *archive, const char *inside,
                                 wac_error *error)
{
    size_t count = search->unpacked_count + 1;
    wac_temporary *unpacked = realloc(search->unpacked, count * sizeof *unpacked);
    if (unpacked)
        search->unpacked = unpacked;
    char(*archives)[PATH_MAX] = realloc(search->archives, count * sizeof *archives);
    if (archives)
        search->archives = archives;
    if (!unpacked || !archives)
        return wac_fail_memory(error, "the list of runs");
    snprintf(archives[count - 1], PATH_MAX, "%s", archive);
    WAC_TRY(wac_packed_open(&unpacked[count - 1], archive, error));
    search->unpacked_count = count;
    char path[PATH_MAX], folder[PATH_MAX];
    if (!*inside)
        return find_runs(search, archive, unpacked[count - 1].path, error);
    WAC_TRY(wac_path_join(path, sizeof path, archive, inside, error));
    WAC_TRY(wac_path_join(folder, sizeof folder, unpacked[count - 1].path, inside, error));
    return wac_path_is_folder(folder) ? find_runs(search, path, folder, error)
                                      : wac_fail(error, WAC_STATUS_INPUT, "there is no %s in %s",
                                                 WAC_CLIP(inside), archive);
}

static bool is_named_table(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".csv") == 0;
}

/* A directory as given, without the slashes at its end; or a table. */
static wac_status search_directory(search *search, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    const char *inside;
    size_t length = strlen(directory);
    struct stat about;
    bool there = stat(directory, &about) == 0;
    if (is_named_table(directory) && !there && errno == ENOENT)
        return wac_fail(error, WAC_STATUS_IO, "there is no file %s; check that the path is right",
                        directory);
    if (is_named_table(directory) && there && !S_ISDIR(about.st_mode))
        return note_run(search, directory, directory, true, error);
    if (wac_packed_find(path, &inside, directory))
        return search_archive(search, path, inside, error);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    if (length >= sizeof path)
        return wac_fail(error, WAC_STATUS_INPUT, "the path %s is too long", WAC_CLIP(directory));
    memcpy(path, directory, length);
    path[length] = 0;
    return find_runs(search, path, path, error);
}

/* A message calls archives by their names, and not by where they were unpacked. */
static void name_archives(const search *search, wac_error *error)
{
    for (size_t i = 0; i < search->unpacked_count; i++)
        for (char *at; (at = strstr(error->message, search->unpacked[i].path));) {
            char rest[sizeof error->message];
            strcpy(rest, at + strlen(search->unpacked[i].path));
            snprintf(at, sizeof error->message - (size_t)(at - error->message), "%s%s",
                     search->archives[i], rest);
        }
}

/* --- one run ------------------------------------------------------------------------------- */

static wac_status read_run(wac_record *run, const char *directory, wac_error *error)
{
    char config[PATH_MAX], progress[PATH_MAX], *text;
    size_t size;
    WAC_TRY(wac_folder_path(config, directory, WAC_FOLDER_CONFIG, error));
    WAC_TRY(wac_folder_path(progress, directory, WAC_FOLDER_PROGRESS, error));
    if (!wac_path_exists(config))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is missing; put it back, or take the folder away", config);
    if (!wac_path_exists(progress))
        return wac_fail(error, WAC_STATUS_INPUT, "%s is missing; put it back, or " WAC_TRAIN_AGAIN,
                        progress, WAC_SHELL(directory));
    WAC_TRY(wac_config_read_run(&run->config, config, error));
    WAC_TRY(wac_manifest_read(&run->manifest, directory, error));
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    bool changed = wac_manifest_disowns(&run->manifest, text, size);
    bool mendable = wac_runlog_is_mendable(text, size, directory);
    wac_error why = {0};
    wac_status status = wac_history_parse(&run->history, text, size, progress, &why);
    if (status != WAC_STATUS_OK)
        return mendable ? wac_fail(error, status, "%s; mend it: wac train --resume %s", why.message,
                                   WAC_SHELL(directory))
                        : wac_fail(error, status, "%s; " WAC_TRAIN_AGAIN, why.message,
                                   WAC_SHELL(directory));
    run->finished = wac_history_is_complete(&run->history, &run->config);
    strcpy(run->algorithm, wac_algorithm_name((wac_algorithm)run->config.algorithm));
    run->diverged = !run->finished && run->manifest.diverged;
    if (!run->finished || !changed)
        return WAC_STATUS_OK;
    wac_history_free(&run->history);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s has other numbers than the run wrote; put them back, or " WAC_TRAIN_AGAIN,
                    progress, WAC_SHELL(directory));
}

/* --- groups -------------------------------------------------------------------------------- */

/* Settings of the world: they make a task. */
static bool is_of_task(const wac_setting *setting)
{
    return setting->environments || setting->offset == offsetof(wac_config, path_limit);
}

bool wac_group_counts(const wac_setting *setting)
{
    return setting->offset != offsetof(wac_config, seed) &&
           setting->offset != offsetof(wac_config, checkpoint_interval) &&
           setting->offset != offsetof(wac_config, replay_checkpoint) &&
           setting->offset != offsetof(wac_config, keep_best);
}

int wac_task_compare(const wac_config *a, const wac_config *b)
{
    wac_config x = *a, y = *b;
    x.algorithm = y.algorithm = 0; /* a world is the same whoever learns in it */
    return wac_config_compare(&x, &y, is_of_task);
}

/* Those of other programs, which read no settings, come after ours. */
static int compare_groups(const wac_record *a, const wac_record *b)
{
    int order = wac_task_compare(&a->config, &b->config);
    if (!order)
        order = wac_config_compare(&a->config, &b->config, wac_group_counts);
    return order ? order : strcmp(a->algorithm, b->algorithm);
}

static int compare_members(const void *a, const void *b)
{
    const wac_record *x = *(const wac_record *const *)a, *y = *(const wac_record *const *)b;
    int order = compare_groups(x, y);
    if (!order)
        order = (x->config.seed > y->config.seed) - (x->config.seed < y->config.seed);
    return order ? order : (x > y) - (x < y); /* as found */
}

static bool is_same_run(const wac_record *a, const wac_record *b)
{
    return compare_groups(a, b) == 0 && a->config.seed == b->config.seed;
}

/* Whether two runs tell the same, but for the time that they took and what archives leave out. */
static bool is_copy(const wac_record *a, const wac_record *b)
{
    if (!is_same_run(a, b) || wac_record_is_foreign(a) || a->history.rows != b->history.rows)
        return false;
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        for (size_t k = 0; k < a->history.rows && i != WAC_COLUMN_SECONDS; k++) {
            double x = a->history.columns[i][k], y = b->history.columns[i][k];
            bool left_out = wac_column_is_aside((wac_column)i) && (isnan(x) || isnan(y));
            if (x != y && !left_out && !(isnan(x) && isnan(y)))
                return false;
        }
    return true;
}

/* Of runs that are there more than once the first stays. */
static wac_status drop_copies(wac_runset *set, wac_error *error)
{
    wac_record **sorted = malloc(set->count * sizeof *sorted);
    if (!sorted)
        return wac_fail_memory(error, "the groups of runs");
    for (size_t i = 0; i < set->count; i++)
        sorted[i] = &set->runs[i];
    qsort(sorted, set->count, sizeof *sorted, compare_members);
    for (size_t i = 1; i < set->count; i++) {
        if (!is_copy(sorted[i - 1], sorted[i]))
            continue;
        free(sorted[i]->path);
        free(sorted[i]->folder);
        wac_history_free(&sorted[i]->history);
        sorted[i]->path = NULL;
        sorted[i] = sorted[i - 1];
    }
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++)
        if (set->runs[i].path)
            set->runs[kept++] = set->runs[i];
    set->count = kept;
    return WAC_STATUS_OK;
}

static wac_status make_groups(wac_runset *set, wac_error *error)
{
    set->members = malloc(set->count * sizeof *set->members);
    set->groups = calloc(set->count, sizeof *set->groups);
    if (!set->members || !set->groups)
        return wac_fail_memory(error, "the groups of runs");
    for (size_t i = 0; i < set->count; i++)
        set->members[i] = &set->runs[i];
    qsort(set->members, set->count, sizeof *set->members, compare_members);
    for (size_t i = 0; i < set->count; i++) {
        const wac_record *run = set->members[i], *former = i ? set->members[i - 1] : NULL;
        bool joins = former && compare_groups(former, run) == 0;
        if (former && is_same_run(former, run))
            return wac_fail(error, WAC_STATUS_INPUT,
                            wac_record_is_foreign(run)
                                ? "%s and %s have the same algorithm, environment and seed: take "
                                  "one of them away, or if they differ in something else, give "
                                  "their algorithms names of their own"
                                : "%s and %s have the same settings and seed, but different rows; "
                                  "one run counts once: take one of them away, or name folders "
                                  "that have only one",
                            former->path, run->path);
        if (!joins) {
            set->task_count += !former || wac_task_compare(&former->config, &run->config) != 0;
            set->groups[set->group_count++] =
                (wac_group){.runs = &set->members[i], .task = set->task_count - 1};
        }
        wac_group *group = &set->groups[set->group_count - 1];
        group->count++;
        group->finished += run->finished;
        set->runs[run - set->runs].group = set->group_count - 1;
    }
    return WAC_STATUS_OK;
}

/* As wac_config_reads; but a setting of the world counts whoever learns in it. */
static bool reads(const wac_config *config, const wac_setting *setting)
{
    if (wac_config_reads(config, setting) || !is_of_task(setting))
        return wac_config_reads(config, setting);
    wac_config any = *config;
    any.algorithm = 0;
    return wac_config_reads(&any, setting);
}

/* Which settings are not what the algorithm has in that environment by itself; the choice of it is
 * one. */
static void find_given(const wac_config *config, bool given[WAC_SETTINGS_TOTAL])
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    char name[WAC_ENVIRONMENT_NAME];
    wac_config preset;
    bool known = config->algorithm != WAC_ALGORITHM_TOTAL &&
                 wac_config_init(&preset, wac_environment_name(name, config),
                                 wac_algorithm_name((wac_algorithm)config->algorithm),
                                 NULL) == WAC_STATUS_OK;
    for (size_t s = 0; s < count; s++)
        given[s] = !known || settings[s].offset == offsetof(wac_config, algorithm) ||
                   wac_setting_compare(&settings[s], config, &preset) != 0;
}

/* Marks where groups differ within a task, and tasks within an environment. What two algorithms
 * each have by themselves is no difference: their names tell it. */
static void find_differences(wac_runset *set, bool tasks_differ[WAC_SETTINGS_TOTAL])
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_config *a = &set->groups[i].runs[0]->config;
        bool given[WAC_SETTINGS_TOTAL];
        find_given(a, given);
        for (size_t k = 0; k < set->group_count; k++) {
            const wac_config *b = &set->groups[k].runs[0]->config;
            if (strcmp(a->environment, b->environment) != 0)
                continue;
            bool same_task = set->groups[i].task == set->groups[k].task;
            bool same_algorithm = a->algorithm == b->algorithm;
            for (size_t s = 0; s < count; s++) {
                if (!wac_group_counts(&settings[s]) || !reads(a, &settings[s]) ||
                    !reads(b, &settings[s]) || wac_setting_compare(&settings[s], a, b) == 0)
                    continue;
                if (is_of_task(&settings[s]))
                    tasks_differ[s] = true;
                else if (same_task && (same_algorithm || given[s]))
                    set->differs[s] = true;
            }
        }
    }
}

/* Whether runs of an algorithm were ended at different epochs, and differ in more than that. */
static bool has_rungs(const wac_runset *set)
{
    bool found = false;
    for (size_t i = 0; i < set->group_count; i++)
        for (size_t k = i + 1; k < set->group_count; k++) {
            const wac_record *a = set->groups[i].runs[0], *b = set->groups[k].runs[0];
            wac_config other = b->config;
            if (wac_record_is_foreign(a) || wac_record_is_foreign(b) ||
                set->groups[i].task != set->groups[k].task ||
                a->config.algorithm != other.algorithm || a->config.epochs == other.epochs)
                continue;
            other.epochs = a->config.epochs;
            found = true;
            if (wac_config_compare(&a->config, &other, wac_group_counts) == 0)
                return false;
        }
    return found;
}

/* "lambda 0.5, rho 1" at the end of the text, after `separator`: the settings that are marked. */
static void add_settings(char *text, size_t size, const char *separator, const bool *marked,
                         const wac_config *config)
{
    size_t count, used = strlen(text);
    const wac_setting *settings = wac_settings(&count), *setting;
    for (size_t i = 0; used < size && (setting = wac_setting_named(i)); i++) {
        char value[64];
        if (!marked[setting - settings] || !reads(config, setting))
            continue;
        wac_config_format(config, setting, value, sizeof value);
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s %s", separator, setting->name, value);
        separator = ", ";
    }
}

/* Of the settings that are marked, those in which groups of an algorithm differ within a task. */
static void find_choices(const wac_runset *set, const char *algorithm, const bool *marked,
                         bool choices[WAC_SETTINGS_TOTAL])
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    memset(choices, 0, WAC_SETTINGS_TOTAL * sizeof *choices);
    for (size_t i = 1; i < set->group_count; i++) {
        const wac_group *former = &set->groups[i - 1], *group = &set->groups[i];
        if (former->task != group->task || strcmp(group->runs[0]->algorithm, algorithm) != 0 ||
            strcmp(former->runs[0]->algorithm, algorithm) != 0)
            continue;
        for (size_t s = 0; s < count; s++)
            choices[s] |= marked[s] && wac_setting_compare(&settings[s], &former->runs[0]->config,
                                                           &group->runs[0]->config) != 0;
    }
}

static void name_groups(wac_runset *set)
{
    enum { MOST_NAMED = 2 };
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    bool tasks_differ[WAC_SETTINGS_TOTAL] = {false}, marked[WAC_SETTINGS_TOTAL];
    bool choices[WAC_SETTINGS_TOTAL];
    find_differences(set, tasks_differ);
    set->rungs = has_rungs(set);
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
        /* sparse rewards show in the task's name, and the algorithm begins the label */
        tasks_differ[i] &= settings[i].offset != offsetof(wac_config, reward);
        marked[i] = set->differs[i] && settings[i].offset != offsetof(wac_config, algorithm);
        named += marked[i];
    }
    for (size_t i = 0; i < set->group_count; i++) {
        wac_group *group = &set->groups[i];
        const wac_config *config = &group->runs[0]->config;
        char name[WAC_ENVIRONMENT_NAME];
        snprintf(group->task_name, sizeof group->task_name, "%s",
                 wac_environment_name(name, config));
        add_settings(group->task_name, sizeof group->task_name, " ", tasks_differ, config);
        snprintf(group->label, sizeof group->label, "%s", group->runs[0]->algorithm);
        /* where many differ, what all groups of an algorithm have its name tells */
        if (named > MOST_NAMED &&
            (i == 0 || strcmp(group->runs[0]->algorithm, group[-1].runs[0]->algorithm) != 0))
            find_choices(set, group->runs[0]->algorithm, marked, choices);
        add_settings(group->label, sizeof group->label, " ", named > MOST_NAMED ? choices : marked,
                     config);
    }
}

/* --- the set ------------------------------------------------------------------------------- */

/* The paths that were found go over to runs and problems. tables: room for one of each. */
static wac_status read_found(wac_runset *set, search *search, wac_foreign *tables, bool go_on,
                             wac_error *error)
{
    size_t table_count = 0;
    for (size_t i = 0; i < search->count; i++) {
        wac_record *run = &set->runs[set->count];
        char *path = search->runs[i].path;
        wac_error why = {0};
        wac_status status = search->runs[i].is_table
                                ? wac_foreign_read(&tables[table_count], path, &why)
                                : read_run(run, search->runs[i].folder, &why);
        name_archives(search, &why);
        if (status != WAC_STATUS_OK && (!go_on || status != WAC_STATUS_INPUT))
            return wac_fail(error, status, "%s", why.message);
        if (status == WAC_STATUS_OK && search->runs[i].is_table) {
            table_count++;
            continue;
        }
        search->runs[i].path = NULL;
        if (status == WAC_STATUS_OK) {
            run->path = path;
            run->folder = search->runs[i].folder;
            search->runs[i].folder = NULL;
            set->count++;
            continue;
        }
        *run = (wac_record){0};
        wac_problem *problem = &set->problems[set->problem_count++];
        *problem = (wac_problem){path, strdup(why.message)};
        if (!problem->message)
            return wac_fail_memory(error, "the list of runs");
    }
    return wac_foreign_join(set, tables, table_count, error);
}

static wac_status read_runs(wac_runset *set, search *search, bool go_on, wac_error *error)
{
    wac_foreign *tables = calloc(search->count, sizeof *tables);
    set->runs = calloc(search->count, sizeof *set->runs);
    set->problems = calloc(search->count, sizeof *set->problems);
    wac_status status = tables && set->runs && set->problems
                            ? read_found(set, search, tables, go_on, error)
                            : wac_fail_memory(error, "the list of runs");
    for (size_t i = 0; tables && i < search->count; i++)
        wac_foreign_free(&tables[i]);
    free(tables);
    if (status != WAC_STATUS_OK || set->count > 0)
        return status;
    if (set->problem_count == 1)
        return wac_fail(error, WAC_STATUS_INPUT, "%s", set->problems[0].message);
    return wac_fail(error, WAC_STATUS_INPUT, "none of the %zu runs can be used; the first: %s",
                    set->problem_count, set->problems[0].message);
}

wac_status wac_runset_load(wac_runset *set, const char *const *directories, size_t count,
                           bool go_on, wac_error *error)
{
    search search = {0};
    wac_status status = WAC_STATUS_OK;
    *set = (wac_runset){0};
    for (size_t i = 0; i < count && status == WAC_STATUS_OK; i++)
        status = search_directory(&search, directories[i], error);
    set->unpacked = search.unpacked;
    set->unpacked_count = search.unpacked_count;
    if (status == WAC_STATUS_OK && search.count == 0)
        status = wac_fail(
            error, WAC_STATUS_INPUT,
            "no run in %s%s; a run is a folder with a config.yaml and a progress.csv, "
            "as \"wac train\" makes it",
            count ? directories[0] : "no folder", count > 1 ? " and the other folders" : "");
    if (status == WAC_STATUS_OK)
        status = read_runs(set, &search, go_on, error);
    if (status == WAC_STATUS_OK)
        status = drop_copies(set, error);
    if (status == WAC_STATUS_OK)
        status = make_groups(set, error);
    if (status == WAC_STATUS_OK)
        name_groups(set);
    else
        wac_runset_free(set);
    for (size_t i = 0; i < search.count; i++) {
        free(search.runs[i].path);
        free(search.runs[i].folder);
    }
    free(search.runs);
    free(search.archives);
    return status;
}

void wac_runset_free(wac_runset *set)
{
    for (size_t i = 0; i < set->count; i++) {
        free(set->runs[i].path);
        free(set->runs[i].folder);
        wac_history_free(&set->runs[i].history);
    }
    for (size_t i = 0; i < set->unpacked_count; i++)
        wac_temporary_remove(&set->unpacked[i]);
    free(set->unpacked);
    for (size_t i = 0; i < set->problem_count; i++) {
        free(set->problems[i].path);
        free(set->problems[i].message);
    }
    free(set->runs);
    free(set->groups);
    free(set->problems);
    free(set->members);
    *set = (wac_runset){0};
}
