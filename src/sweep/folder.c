/* The directory of a sweep: what is in it, whose it is, and the marks that a sweep leaves there.
 *
 * The list of all runs with all settings stands in sweep.yaml, a line each. A sweep may go on in a
 * directory if every run that has begun there is one of its own, with the same settings: it can
 * grow, but never mix with another. The directory is locked while a sweep works in it; shares of
 * one sweep lock it together.
 *
 * Epochs alone may be raised: then every run goes on, finished ones too. How many a run has is told
 * by its own config.yaml, which changes when it goes on.
 */
#include "sweep/folder.h"

#include "base/files.h"
#include "base/status.h"
#include "run/checkpoint.h"
#include "run/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static const char list_name[] = "sweep.yaml";
static const char list_head[] = "# The runs of this sweep and their settings; wac reads this.\n";
enum { LARGEST_LIST = 64 << 20 };

/* The lines of sweep.yaml; free() the text. */
static wac_status write_list(char **text, const wac_sweep *sweep, wac_error *error)
{
    enum {
        MOST = WAC_SWEEP_FOLDER + WAC_SWEEP_LINE + 4
    }; /* of a run; what is not used costs nothing */
    char line[WAC_SWEEP_LINE];
    *text = malloc(sizeof list_head + sweep->count * MOST);
    if (!*text)
        return wac_fail_memory(error, "the list of runs");
    char *end = stpcpy(*text, list_head);
    for (size_t i = 0; i < sweep->count; i++) {
        wac_sweep_line(line, &sweep->runs[i].config);
        end += sprintf(end, "%s: %s\n", sweep->runs[i].folder, line);
    }
    return WAC_STATUS_OK;
}

/* --- what is in the directory ------------------------------------------------------------------*/

/* The run of this folder, or null. Lists mostly keep their order: the search begins at *from, and
 * leaves it there for the next. */
static const wac_sweep_run *find_run(const wac_sweep *sweep, const char *folder, size_t *from)
{
    for (size_t i = 0; i < sweep->count; i++, ++*from)
        if (strcmp(sweep->runs[*from % sweep->count].folder, folder) == 0)
            return &sweep->runs[*from % sweep->count];
    return NULL;
}

static wac_status refuse_other(const char *directory, const char *folder, const char *why,
                               wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s holds another sweep: its run %s %s; choose another directory, or go on "
                    "with the sweep that made it",
                    directory, folder, why);
}

/* One line of sweep.yaml is cut in two: the folder, and behind its end and a blank the settings. */
static wac_status cut_line(char *line, const char *directory, wac_error *error)
{
    char *colon = strchr(line, ':');
    if (!colon || colon[1] != ' ' || colon - line >= WAC_SWEEP_FOLDER)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s/%s is no list that a sweep has left; choose another directory",
                        directory, list_name);
    *colon = 0;
    return WAC_STATUS_OK;
}

/* One line of sweep.yaml against the list. */
static wac_status check_line(const wac_sweep *sweep, size_t *from, char *line,
                             const char *directory, wac_error *error)
{
    char own[WAC_SWEEP_LINE], difference[256], why[320];
    WAC_TRY(cut_line(line, directory, error));
    const char *settings = line + strlen(line) + 2;
    /* what has not begun may change or go */
    char folder[PATH_MAX];
    WAC_TRY(wac_path_join(folder, sizeof folder, directory, line, error));
    if (!wac_path_exists(folder))
        return WAC_STATUS_OK;
    const wac_sweep_run *found = find_run(sweep, line, from);
    if (!found)
        return refuse_other(directory, line, "is not one of this sweep", error);
    wac_sweep_line(own, &found->config);
    wac_sweep_line_difference(difference, sizeof difference, settings, own);
    if (!*difference)
        return WAC_STATUS_OK;
    snprintf(why, sizeof why, "has other settings (%s)", difference);
    return refuse_other(directory, line, why, error);
}

/* Every run of the list that is there must be one of this sweep. */
static wac_status check_list(const wac_sweep *sweep, char *text, const char *directory,
                             wac_error *error)
{
    size_t from = 0;
    char *place;
    for (char *line = strtok_r(text, "\n", &place); line; line = strtok_r(NULL, "\n", &place))
        if (*line != '#')
            WAC_TRY(check_line(sweep, &from, line, directory, error));
    return WAC_STATUS_OK;
}

/* A run that says it is finished, and whether it is. What is lost is nobody's to make up: it is
 * told, and left as it is. */
static wac_status inspect_finished(wac_sweep_item *item, const wac_config *config,
                                   const char *folder, wac_error *error)
{
    wac_error why = {0};
    item->state = config->epochs < item->epochs ? WAC_SWEEP_STATE_BEGUN : WAC_SWEEP_STATE_DONE;
    item->progress.epoch = config->epochs;
    wac_status status = wac_folder_check_finished(folder, config, &why);
    if (status == WAC_STATUS_OK) {
        item->again = !wac_checkpoint_goes_on(folder, item->epochs);
        return WAC_STATUS_OK;
    }
    if (status != WAC_STATUS_INPUT)
        return wac_fail(error, status, "%s", why.message);
    item->state = WAC_SWEEP_STATE_FAILED;
    item->damaged = true;
    snprintf(item->reason, sizeof item->reason,
             "it was finished, but %.200s; put the file back, or delete the folder and the sweep "
             "trains it anew",
             why.message);
    return WAC_STATUS_OK;
}

static wac_status inspect_run(wac_sweep_item *item, const wac_sweep_run *run, const char *directory,
                              wac_error *error)
{
    char folder[PATH_MAX];
    wac_config config;
    item->epochs = item->progress.epochs = run->config.epochs;
    WAC_TRY(wac_path_join(folder, sizeof folder, directory, run->folder, error));
    if (!wac_path_exists(folder))
        return WAC_STATUS_OK;
    if (!wac_folder_is_run(folder))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is no run (it has no config.yaml) but stands where one belongs; move "
                        "it away",
                        folder);
    WAC_TRY(wac_folder_read_config(&config, folder, error));
    char there[WAC_SWEEP_LINE], wanted[WAC_SWEEP_LINE], difference[256];
    wac_sweep_line(there, &config);
    wac_sweep_line(wanted, &run->config);
    wac_sweep_line_difference(difference, sizeof difference, there, wanted);
    if (*difference)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s has other settings than the sweep (%s); choose another "
                        "directory, or move the run away",
                        folder, difference);
    if (config.epochs > run->config.epochs)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the run %s is one of %lld epochs, and the sweep asks for %lld; epochs can "
                        "be raised later, not lowered: choose another directory, or move the run "
                        "away",
                        folder, (long long)config.epochs, (long long)run->config.epochs);
    wac_manifest manifest;
    WAC_TRY(wac_manifest_read(&manifest, folder, error));
    if (manifest.finished)
        return inspect_finished(item, &config, folder, error);
    item->state = WAC_SWEEP_STATE_BEGUN;
    item->again = !wac_checkpoint_goes_on(folder, item->epochs);
    item->progress.epoch = item->again ? 0 : wac_progress_last_epoch(folder);
    return WAC_STATUS_OK;
}

/* *text: the list that is there, null if none; free() it. */
static wac_status read_list(char **text, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    *text = NULL;
    WAC_TRY(wac_path_join(path, sizeof path, directory, list_name, error));
    if (wac_path_exists(path))
        return wac_file_read(text, NULL, path, LARGEST_LIST, error);
    bool unused = true;
    if (wac_path_exists(directory))
        WAC_TRY(wac_directory_look(&unused, directory, list_name, error));
    if (!unused)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s exists and holds no sweep (there is no %s in it); choose another "
                        "directory",
                        directory, list_name);
    return WAC_STATUS_OK;
}

/* *list: to be noted in the directory, null where it is there already; free() it. */
static wac_status inspect(wac_sweep_item **items, char **list, const wac_sweep *sweep,
                          const char *directory, wac_sweep_share share, wac_error *error)
{
    char *there;
    *items = NULL;
    *list = NULL;
    WAC_TRY(read_list(&there, directory, error));
    wac_status status = write_list(list, sweep, error);
    if (status == WAC_STATUS_OK && there && strcmp(there, *list) == 0) {
        free(*list);
        *list = NULL;
    } else if (status == WAC_STATUS_OK && there) {
        status = check_list(sweep, there, directory, error);
    }
    free(there);
    if (status == WAC_STATUS_OK && !(*items = calloc(sweep->count, sizeof **items)))
        status = wac_fail_memory(error, "the list of runs");
    for (size_t i = 0; i < sweep->count && status == WAC_STATUS_OK; i++)
        if (wac_sweep_share_has(share, i))
            status = inspect_run(&(*items)[i], &sweep->runs[i], directory, error);
    if (status != WAC_STATUS_OK) {
        free(*items);
        *items = NULL;
    }
    return status;
}

wac_status wac_sweep_inspect(wac_sweep_item **items, const wac_sweep *sweep, const char *directory,
                             wac_error *error)
{
    char *list;
    wac_status status = inspect(items, &list, sweep, directory, (wac_sweep_share){0}, error);
    free(list);
    return status;
}

wac_status wac_sweep_count(size_t *listed, size_t *begun, const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text, *place;
    wac_status status = WAC_STATUS_OK;
    *listed = *begun = 0;
    WAC_TRY(wac_path_join(path, sizeof path, directory, list_name, error));
    if (!wac_path_exists(path))
        return WAC_STATUS_OK;
    WAC_TRY(wac_file_read(&text, NULL, path, LARGEST_LIST, error));
    for (char *line = strtok_r(text, "\n", &place); line && status == WAC_STATUS_OK;
         line = strtok_r(NULL, "\n", &place)) {
        if (*line == '#')
            continue;
        status = cut_line(line, directory, error);
        if (status == WAC_STATUS_OK)
            status = wac_path_join(path, sizeof path, directory, line, error);
        ++*listed;
        *begun += status == WAC_STATUS_OK && wac_path_exists(path);
    }
    free(text);
    return status;
}

/* --- taking it over ----------------------------------------------------------------------------*/

static wac_status take_lock(int *lock, const char *directory, bool shared, wac_error *error)
{
    *lock = wac_open(directory, O_RDONLY | O_DIRECTORY);
    if (*lock < 0)
        return wac_fail(error, WAC_STATUS_IO,
                        "cannot open %s: %s; check its permissions or choose another directory",
                        directory, strerror(errno));
    /* a process that a killed sweep has just begun holds its lock for a moment more; where there
     * are no locks the runs will say so */
    enum { TRIES = 400 };
    int how = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
    for (int i = 0; flock(*lock, how) != 0 && errno == EWOULDBLOCK; i++) {
        if (i == TRIES) {
            close(*lock);
            return wac_fail(error, WAC_STATUS_INPUT,
                            "another sweep is at work in %s; wait for it or stop it", directory);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return WAC_STATUS_OK;
}

wac_status wac_sweep_take(int *lock, wac_sweep_item **items, const wac_sweep *sweep,
                          const char *directory, wac_sweep_share share, wac_error *error)
{
    bool shared = share.count > 1;
    char path[PATH_MAX], *list;
    wac_status status = WAC_STATUS_OK;
    if (!wac_path_exists(directory))
        status = wac_directory_make(directory, error);
    /* somebody else may have made it this moment */
    if (status != WAC_STATUS_OK && !wac_path_exists(directory))
        return status;
    WAC_TRY(take_lock(lock, directory, shared, error));
    status = inspect(items, &list, sweep, directory, share, error);
    if (status == WAC_STATUS_OK && list)
        status = wac_path_join(path, sizeof path, directory, list_name, error);
    if (status == WAC_STATUS_OK && list)
        status = wac_file_write(path, list, strlen(list), error);
    free(list);
    if (status != WAC_STATUS_OK) {
        free(*items);
        *items = NULL;
        close(*lock);
        return status;
    }
    if (!shared) {
        wac_directory_tidy(directory, list_name);
        wac_directory_tidy(directory, WAC_SWEEP_TABLE);
    }
    for (size_t i = 0; i < sweep->count; i++)
        if ((*items)[i].state != WAC_SWEEP_STATE_DONE && wac_sweep_share_has(share, i) &&
            wac_path_join(path, sizeof path, directory, sweep->runs[i].folder, NULL) ==
                WAC_STATUS_OK)
            wac_folder_tidy_starts(path);
    return WAC_STATUS_OK;
}
