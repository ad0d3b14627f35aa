/* The files of a run's folder: their names, the manifest, the table of progress read back. Who
 * trains adds to them by log.c and checkpoint.c. */
#include "run/folder.h"

#include "base/csv.h"
#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/config.h"
#include "rl/save.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const char *const names[WAC_FOLDER_TOTAL] = {
    [WAC_FOLDER_CONFIG] = "config.yaml",
    [WAC_FOLDER_MANIFEST] = "manifest.json",
    [WAC_FOLDER_PROGRESS] = "progress.csv",
    [WAC_FOLDER_CHECKPOINT] = "checkpoint",
    [WAC_FOLDER_CHECKPOINT_NEW] = "checkpoint.new",
    [WAC_FOLDER_CHECKPOINT_OLD] = "checkpoint.old",
    [WAC_FOLDER_FIGURES] = "figures",
    [WAC_FOLDER_CELLS] = "cells.csv",
    [WAC_FOLDER_MAPS] = "maps.bin",
    [WAC_FOLDER_EVENTS] = "events.out.tfevents.wac",
    [WAC_FOLDER_AGENT] = WAC_SAVE_AGENT,
    [WAC_FOLDER_REPLAY] = WAC_SAVE_REPLAY,
    [WAC_FOLDER_RUN] = "run.safetensors",
    [WAC_FOLDER_BEST] = "best.safetensors",
};

enum { LARGEST_MANIFEST = 1 << 20, LARGEST_PROGRESS = 1 << 30 };

wac_status wac_folder_path(char path[PATH_MAX], const char *directory, wac_folder_file file,
                           wac_error *error)
{
    return wac_path_join(path, PATH_MAX, directory, names[file], error);
}

bool wac_folder_has(const char *directory, wac_folder_file file)
{
    char path[PATH_MAX];
    return wac_folder_path(path, directory, file, NULL) == WAC_STATUS_OK && wac_path_exists(path);
}

wac_status wac_folder_look(bool *there, const char *directory, wac_folder_file file,
                           wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, directory, file, error));
    return wac_path_look(there, path, error);
}

bool wac_folder_is_run(const char *directory)
{
    return wac_folder_has(directory, WAC_FOLDER_CONFIG);
}

wac_status wac_folder_read_config(wac_config *config, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_CONFIG, error));
    wac_error cause;
    wac_manifest manifest;
    wac_status status = wac_config_read_run(config, path, &cause);
    if (status == WAC_STATUS_OK)
        return status;
    /* what it does not know may be of a later version */
    bool differs = wac_manifest_read(&manifest, directory, NULL) == WAC_STATUS_OK &&
                   *manifest.version && strcmp(manifest.version, wac_version()) != 0;
    return wac_fail(error, status, "%s%s%s", cause.message,
                    differs ? "; the run was written by wac " : "",
                    differs ? manifest.version : "");
}

static wac_status write_file(const char *directory, wac_folder_file file, const char *text,
                             size_t size, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, directory, file, error));
    return wac_file_write(path, text, size, error);
}

wac_status wac_folder_write_config(const char *directory, const wac_config *config,
                                   wac_error *error)
{
    char *text;
    WAC_TRY(wac_config_yaml(&text, config, error));
    wac_status status = write_file(directory, WAC_FOLDER_CONFIG, text, strlen(text), error);
    free(text);
    return status;
}

bool wac_folder_find_checkpoint(char path[PATH_MAX], const char *directory)
{
    static const wac_folder_file looks[] = {WAC_FOLDER_CHECKPOINT, WAC_FOLDER_CHECKPOINT_OLD,
                                            WAC_FOLDER_CHECKPOINT};
    for (int i = 0; i < 3; i++)
        if (wac_folder_path(path, directory, looks[i], NULL) == WAC_STATUS_OK &&
            wac_path_exists(path))
            return true;
    return false;
}

static void remove_folder(const char *directory, wac_folder_file file)
{
    char path[PATH_MAX];
    if (wac_folder_path(path, directory, file, NULL) == WAC_STATUS_OK)
        (void)wac_directory_remove(path, NULL);
}

void wac_folder_tidy(const char *directory)
{
    char path[PATH_MAX];
    remove_folder(directory, WAC_FOLDER_CHECKPOINT_NEW);
    /* the old one goes only where there is another */
    if (wac_folder_path(path, directory, WAC_FOLDER_CHECKPOINT, NULL) == WAC_STATUS_OK &&
        wac_path_is_folder(path))
        remove_folder(directory, WAC_FOLDER_CHECKPOINT_OLD);
    for (int file = WAC_FOLDER_CONFIG; file <= WAC_FOLDER_PROGRESS; file++)
        wac_directory_tidy(directory, names[file]);
    wac_directory_tidy(directory, names[WAC_FOLDER_MAPS]);
    wac_directory_tidy(directory, names[WAC_FOLDER_EVENTS]);
}

bool wac_folder_is_untidy(const char *directory)
{
    DIR *folder = opendir(directory);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        const char *name = entry->d_name, *ending = strrchr(name, '.');
        found = (ending && strcmp(ending, ".tmp") == 0) ||
                strcmp(name, names[WAC_FOLDER_CHECKPOINT_NEW]) == 0 ||
                strcmp(name, names[WAC_FOLDER_CHECKPOINT_OLD]) == 0;
    }
    if (folder)
        closedir(folder);
    return found;
}

void wac_folder_tidy_starts(const char *directory)
{
    const char *slash = strrchr(directory, '/');
    char parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash + 1 - directory) : 1,
             slash ? directory : ".");
    wac_directory_tidy(parent, slash ? slash + 1 : directory);
}

/* --- the manifest ---------------------------------------------------------------------------- */

static void time_now(char text[32])
{
    time_t now = time(NULL);
    struct tm broken;
    gmtime_r(&now, &broken);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &broken);
}

/* "AMD EPYC", from the kernel's list; empty where it has none */
static void processor_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    name[0] = 0;
    while (file && !name[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = 0;
            snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " "));
        }
    }
    if (file)
        fclose(file);
}

/* As lines; consumes the manifest. free() the text. */
static wac_status print_manifest(char **text, size_t *size, json_t *manifest, wac_error *error)
{
    *text = wac_json_text(manifest, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15),
                          size);
    json_decref(manifest);
    if (!*text)
        return wac_fail_memory(error, "the manifest");
    (*text)[(*size)++] = '\n';
    return WAC_STATUS_OK;
}

/* Consumes the manifest. */
static wac_status write_manifest(json_t *manifest, const char *directory, wac_error *error)
{
    char *text;
    size_t size;
    WAC_TRY(print_manifest(&text, &size, manifest, error));
    wac_status status = write_file(directory, WAC_FOLDER_MANIFEST, text, size, error);
    free(text);
    return status;
}

/* `origin` may be null. */
static json_t *make_manifest(const wac_config *config, const wac_origin *origin)
{
    char started[32], processor[128];
    struct utsname system;
    time_now(started);
    processor_name(processor, sizeof processor);
    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    wac_json_begin();
    json_t *manifest = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:I, s:{s:s, s:s, s:s, s:s, s:i}, s:s, s:n, s:f}", "program",
        "wac", "version", wac_version(), "commit", wac_commit(), "environment", config->environment,
        "algorithm", wac_algorithm_name((wac_algorithm)config->algorithm), "seed",
        (json_int_t)config->seed, "machine", "name", system.nodename, "system", system.sysname,
        "release", system.release, "processor", processor, "processors",
        (int)sysconf(_SC_NPROCESSORS_ONLN), "started", started, "finished", "seconds", 0.0);
    if (origin && *origin->run)
        json_object_set_new(manifest, "from",
                            json_pack("{s:s, s:b}", "run", origin->run, "best", origin->best));
    return manifest;
}

/* Null where it is damaged. */
static wac_status parse_manifest(json_t **manifest, const char *text, size_t size, wac_error *error)
{
    *manifest = wac_json_load(text, size, 0, NULL);
    if (errno == ENOMEM)
        return wac_fail_memory(error, "the manifest");
    if (!json_is_object(*manifest)) {
        json_decref(*manifest);
        *manifest = NULL;
    }
    return WAC_STATUS_OK;
}

/* The manifest as it stands; null where it is lost or damaged. One that cannot be read this moment
 * is neither. */
static wac_status read_manifest(json_t **manifest, const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    *manifest = NULL;
    wac_json_begin(); /* also where there is none, and one is made */
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_MANIFEST, error));
    if (!wac_path_exists(path))
        return WAC_STATUS_OK;
    wac_status status = wac_file_read(&text, &size, path, LARGEST_MANIFEST, error);
    if (status != WAC_STATUS_OK)
        return status == WAC_STATUS_INPUT ? WAC_STATUS_OK : status;
    status = parse_manifest(manifest, text, size, error);
    free(text);
    return status;
}

static void copy_text(char *text, size_t size, const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    snprintf(text, size, "%s", value ? value : "");
    wac_hide_control(text);
}

/* Consumes the json; null is fine. */
static void fill_manifest(wac_manifest *manifest, json_t *json)
{
    const json_t *machine = json_object_get(json, "machine");
    *manifest = (wac_manifest){
        .processors = json_integer_value(json_object_get(machine, "processors")),
        .seconds = json_number_value(json_object_get(json, "seconds")),
        .finished = json_is_string(json_object_get(json, "finished")),
        .diverged = json_is_string(json_object_get(json, "diverged")),
        .packed = json_is_true(json_object_get(json, "packed")),
    };
    copy_text(manifest->how, sizeof manifest->how, json, "diverged");
    copy_text(manifest->progress, sizeof manifest->progress, json, "progress");
    copy_text(manifest->version, sizeof manifest->version, json, "version");
    copy_text(manifest->commit, sizeof manifest->commit, json, "commit");
    copy_text(manifest->processor, sizeof manifest->processor, machine, "processor");
    copy_text(manifest->system, sizeof manifest->system, machine, "system");
    copy_text(manifest->release, sizeof manifest->release, machine, "release");
    const json_t *from = json_object_get(json, "from");
    copy_text(manifest->origin.run, sizeof manifest->origin.run, from, "run");
    manifest->origin.best = json_is_true(json_object_get(from, "best"));
    json_decref(json);
}

wac_status wac_manifest_read(wac_manifest *manifest, const char *directory, wac_error *error)
{
    json_t *json;
    *manifest = (wac_manifest){0};
    WAC_TRY(read_manifest(&json, directory, error));
    fill_manifest(manifest, json);
    return WAC_STATUS_OK;
}

wac_status wac_manifest_parse(wac_manifest *manifest, const char *text, size_t size,
                              wac_error *error)
{
    json_t *json;
    *manifest = (wac_manifest){0};
    WAC_TRY(parse_manifest(&json, text, size, error));
    fill_manifest(manifest, json);
    return WAC_STATUS_OK;
}

wac_status wac_manifest_pack(char **text, size_t *size, const char *directory, wac_error *error)
{
    json_t *manifest;
    WAC_TRY(read_manifest(&manifest, directory, error));
    if (!manifest)
        manifest = json_object();
    json_object_del(json_object_get(manifest, "machine"), "name");
    json_object_del(manifest, "from");
    json_object_del(manifest, "progress");
    if (json_object_set_new(manifest, "packed", json_true())) {
        json_decref(manifest);
        return wac_fail_memory(error, "the manifest");
    }
    return print_manifest(text, size, manifest, error);
}

/* The checksum of all rows of a table. */
static wac_checksum sum_rows(const char *text, size_t size)
{
    size_t header = strcspn(text, "\n") + 1;
    return wac_checksum_make(header < size ? wac_progress_add(0, text + header, size - header) : 0);
}

bool wac_manifest_disowns(const wac_manifest *manifest, const char *progress, size_t size)
{
    return *manifest->progress && strcmp(sum_rows(progress, size).digits, manifest->progress) != 0;
}

static wac_status sum_progress(wac_checksum *sum, const char *directory, wac_error *error)
{
    char *text;
    size_t size;
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    *sum = sum_rows(text, size);
    free(text);
    return WAC_STATUS_OK;
}

wac_status wac_manifest_note(const char *directory, const wac_config *config, double seconds,
                             bool finished, const char *diverged, wac_error *error)
{
    char now[32];
    json_t *manifest;
    wac_checksum rows = {0};
    WAC_TRY(read_manifest(&manifest, directory, error));
    wac_status status = finished ? sum_progress(&rows, directory, error) : WAC_STATUS_OK;
    if (status != WAC_STATUS_OK) {
        json_decref(manifest);
        return status;
    }
    if (!manifest)
        manifest = make_manifest(config, NULL);
    time_now(now);
    json_object_del(manifest, "diverged");
    json_object_del(manifest, "progress");
    if (json_object_set_new(manifest, "finished", finished ? json_string(now) : json_null()) ||
        json_object_set_new(manifest, "seconds", json_real(floor(seconds * 1e3) / 1e3)) ||
        (finished && json_object_set_new(manifest, "progress", json_string(rows.digits))) ||
        (diverged && json_object_set_new(manifest, "diverged", json_string(diverged)))) {
        json_decref(manifest);
        return wac_fail_memory(error, "the manifest");
    }
    return write_manifest(manifest, directory, error);
}

/* --- a new run ------------------------------------------------------------------------------- */

/* A folder beside `directory`, which the caller holds until it has its name. */
static wac_status make_fresh(char *fresh, size_t size, int *held, const char *directory,
                             wac_error *error)
{
    enum { ATTEMPTS = 1000 };
    /* a process of the same number may have been killed while it did so */
    for (int i = 0; i < ATTEMPTS; i++) {
        snprintf(fresh, size, "%s.%ld-%d.tmp", directory, (long)getpid(), i);
        if (wac_directory_make(fresh, error) == WAC_STATUS_OK) {
            if (wac_directory_hold(held, fresh))
                return WAC_STATUS_OK;
        } else if (errno != EEXIST) {
            break;
        }
    }
    return wac_fail(error, WAC_STATUS_IO, "cannot make the folder %s: %s; choose another one",
                    directory, strerror(errno));
}

wac_status wac_folder_make(const char *directory, const wac_config *config,
                           const wac_origin *origin, bool maps, bool events, wac_error *error)
{
    /* make the folder under another name, so that a run's folder always has its files */
    char fresh[PATH_MAX + 32];
    int held;
    WAC_TRY(make_fresh(fresh, sizeof fresh, &held, directory, error));
    wac_status status = wac_folder_write_config(fresh, config, error);
    if (status == WAC_STATUS_OK)
        status = write_manifest(make_manifest(config, origin), fresh, error);
    if (status == WAC_STATUS_OK)
        status = write_file(fresh, WAC_FOLDER_PROGRESS, WAC_COLUMN_HEADER,
                            strlen(WAC_COLUMN_HEADER), error);
    if (status == WAC_STATUS_OK && maps)
        status = write_file(fresh, WAC_FOLDER_MAPS, "", 0, error);
    if (status == WAC_STATUS_OK && events)
        status = write_file(fresh, WAC_FOLDER_EVENTS, "", 0, error);
    if (status == WAC_STATUS_OK)
        status = wac_directory_place(directory, fresh, error);
    if (status != WAC_STATUS_OK)
        (void)wac_directory_remove(fresh, NULL);
    if (held >= 0)
        close(held);
    if (status == WAC_STATUS_OK)
        wac_folder_tidy_starts(directory);
    return status;
}

/* --- the table of progress ------------------------------------------------------------------- */

uint64_t wac_progress_add(uint64_t sum, const char *rows, size_t size)
{
    int cell = 0;
    size_t start = 0;
    for (size_t i = 0; i < size; i++) {
        if (rows[i] != ',' && rows[i] != '\n')
            continue;
        if (cell != WAC_COLUMN_SECONDS)
            sum = wac_checksum_add(sum, rows + start, i + 1 - start);
        cell = rows[i] == ',' ? cell + 1 : 0;
        start = i + 1;
    }
    return sum;
}

wac_status wac_progress_text(char **text, size_t *size, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_PROGRESS, error));
    return wac_file_read(text, size, path, LARGEST_PROGRESS, error);
}

int64_t wac_progress_last_epoch(const char *directory)
{
    char *text;
    int64_t epoch = 0;
    size_t size;
    if (wac_progress_text(&text, &size, directory, NULL) != WAC_STATUS_OK)
        return 0;
    char *end = memrchr(text, '\n', size);
    if (end && end > text) {
        char *start = memrchr(text, '\n', (size_t)(end - text));
        epoch = start ? strtoll(start + 1, NULL, 10) : 0;
    }
    free(text);
    return epoch;
}

static wac_status check_columns(const wac_csv *csv, const char *path, wac_error *error)
{
    for (size_t i = 0; i < WAC_COLUMN_TOTAL || i < csv->columns; i++) {
        const char *is = i < csv->columns ? csv->names[i] : NULL;
        const char *should = i < WAC_COLUMN_TOTAL ? wac_columns[i].name : NULL;
        if (!is || !should || strcmp(is, should) != 0)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:1: column %zu is %s where this version has %s; is it the "
                            "progress.csv of a run of this version?",
                            path, i + 1, is ? WAC_CLIP(is) : "missing", should ? should : "none");
    }
    for (size_t i = 0; i < csv->rows; i++)
        if (!(wac_csv_at(csv, i, WAC_COLUMN_EPOCH) == (double)i))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:%zu: epoch %zu is expected here; the file has lost or doubled rows",
                            path, wac_csv_line(i), i);
    return WAC_STATUS_OK;
}

/* The table, column by column. */
static wac_status keep_columns(wac_history *history, const wac_csv *csv, const char *path,
                               wac_error *error)
{
    double *cells = malloc((csv->rows * WAC_COLUMN_TOTAL + 1) * sizeof *cells);
    if (!cells)
        return wac_fail_memory(error, path);
    history->rows = csv->rows;
    for (int column = 0; column < WAC_COLUMN_TOTAL; column++) {
        history->columns[column] = cells + (size_t)column * history->rows;
        for (size_t row = 0; row < history->rows; row++)
            history->columns[column][row] = wac_csv_at(csv, row, column);
    }
    return WAC_STATUS_OK;
}

wac_status wac_history_parse(wac_history *history, char *text, size_t size, const char *path,
                             wac_error *error)
{
    *history = (wac_history){0};
    if (size > 0 && text[size - 1] != '\n') {
        free(text);
        return wac_fail(error, WAC_STATUS_INPUT, "the last line of %s is cut off", path);
    }
    wac_csv csv;
    WAC_TRY(wac_csv_parse(&csv, text, size, path, error));
    wac_status status = check_columns(&csv, path, error);
    if (status == WAC_STATUS_OK)
        status = keep_columns(history, &csv, path, error);
    wac_csv_free(&csv);
    return status;
}

wac_status wac_history_read(wac_history *history, const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    *history = (wac_history){0};
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_PROGRESS, error));
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    return wac_history_parse(history, text, size, path, error);
}

void wac_history_free(wac_history *history)
{
    free(history->columns[0]);
    *history = (wac_history){0};
}

bool wac_history_is_complete(const wac_history *history, const wac_config *config)
{
    size_t rows = history->rows;
    double aim = config->stop_success;
    bool reached =
        aim > 0 && rows > 0 && history->columns[WAC_COLUMN_EVAL_SUCCESS][rows - 1] >= aim;
    return reached || rows > (size_t)config->epochs;
}

double wac_history_mean(const wac_history *history, wac_column column, size_t most)
{
    double sum = 0;
    size_t count = 0, rows = history->rows;
    for (size_t row = rows > most ? rows - most : 0; row < rows; row++)
        if (!isnan(history->columns[column][row])) {
            sum += history->columns[column][row];
            count++;
        }
    return count ? sum / (double)count : NAN;
}

/* --- finished runs --------------------------------------------------------------------------- */

static wac_status check_progress(const char *directory, const wac_config *config,
                                 const wac_manifest *manifest, wac_error *error)
{
    const char *name = names[WAC_FOLDER_PROGRESS];
    char *text;
    size_t size;
    wac_history history;
    if (!wac_folder_has(directory, WAC_FOLDER_PROGRESS))
        return wac_fail(error, WAC_STATUS_INPUT, "%s is missing", name);
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    bool changed = wac_manifest_disowns(manifest, text, size);
    WAC_TRY(wac_history_parse(&history, text, size, name, error));
    size_t rows = history.rows;
    bool complete = wac_history_is_complete(&history, config);
    wac_history_free(&history);
    if (complete)
        return changed ? wac_fail(error, WAC_STATUS_INPUT,
                                  "%s has other numbers than the run wrote", name)
                       : WAC_STATUS_OK;
    /* one that stops at success has no number of rows that it must have */
    return config->stop_success > 0
               ? wac_fail(error, WAC_STATUS_INPUT, "%s has lost its last rows", name)
               : wac_fail(error, WAC_STATUS_INPUT, "%s has %zu rows instead of %lld", name, rows,
                          (long long)config->epochs + 1);
}

wac_status wac_folder_check_finished(const char *directory, const wac_config *config,
                                     wac_error *error)
{
    char path[PATH_MAX];
    wac_manifest manifest;
    WAC_TRY(wac_manifest_read(&manifest, directory, error));
    WAC_TRY(check_progress(directory, config, &manifest, error));
    if (manifest.packed)
        return WAC_STATUS_OK;
    bool found = wac_folder_find_checkpoint(path, directory);
    bool no_replay = config->replay_checkpoint == WAC_REPLAY_CHECKPOINT_NONE;
    for (int file = WAC_FOLDER_AGENT; file <= WAC_FOLDER_RUN; file++)
        if (!(file == WAC_FOLDER_REPLAY && no_replay) &&
            (!found || !wac_folder_has(path, (wac_folder_file)file)))
            return wac_fail(error, WAC_STATUS_INPUT, "%s/%s is missing",
                            names[WAC_FOLDER_CHECKPOINT], names[file]);
    return WAC_STATUS_OK;
}
