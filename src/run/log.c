/* The readable files of a run: config.yaml, manifest.json, progress.csv. */
#include "base/files.h"
#include "base/json.h"
#include "base/number.h"
#include "base/status.h"
#include "config/config.h"
#include "run/columns.h"
#include "run/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static const char *const header = &(WAC_COLUMN_NAMES "\n")[1];
enum { PROGRESS_LIMIT = 1 << 30 };

wac_status wac_runlog_write_config(const wac_run *run, const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text;
    WAC_TRY(wac_path_join(path, sizeof path, directory, "config.yaml", error));
    WAC_TRY(wac_config_yaml(&text, &run->config, error));
    wac_status status = wac_file_write(path, text, strlen(text), error);
    free(text);
    return status;
}

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

/* Consumes the manifest. */
static wac_status write_manifest(json_t *manifest, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    size_t size;
    char *text = wac_json_text(manifest, JSON_INDENT(2) | JSON_PRESERVE_ORDER, &size);
    json_decref(manifest);
    if (!text)
        return wac_fail_memory(error, "the manifest");
    text[size] = '\n';
    wac_status status = wac_path_join(path, sizeof path, directory, "manifest.json", error);
    if (status == WAC_STATUS_OK)
        status = wac_file_write(path, text, size + 1, error);
    free(text);
    return status;
}

static json_t *make_manifest(const wac_run *run)
{
    char started[32], processor[128];
    struct utsname system;
    time_now(started);
    processor_name(processor, sizeof processor);
    if (uname(&system) != 0)
        memset(&system, 0, sizeof system);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:{s:s, s:s, s:s, s:s, s:i}, s:s, s:n, s:f}",
                     "program", "wac", "version", wac_version(), "commit", wac_commit(),
                     "environment", run->config.environment, "algorithm",
                     wac_algorithm_name((wac_algorithm)run->config.algorithm), "seed",
                     (json_int_t)run->config.seed, "machine", "name", system.nodename, "system",
                     system.sysname, "release", system.release, "processor", processor,
                     "processors", (int)sysconf(_SC_NPROCESSORS_ONLN), "started", started,
                     "finished", "seconds", 0.0);
}

wac_status wac_runlog_create(const wac_run *run, wac_error *error)
{
    /* make the folder under another name, so that a run's folder always has its files */
    char fresh[PATH_MAX + 32], path[PATH_MAX + 64];
    snprintf(fresh, sizeof fresh, "%s.%ld.tmp", run->directory, (long)getpid());
    if (wac_directory_make(fresh, error) != WAC_STATUS_OK)
        return wac_fail(error, WAC_STATUS_IO, "cannot make the folder %s: %s; choose another one",
                        run->directory, strerror(errno));
    WAC_TRY(wac_path_join(path, sizeof path, fresh, "progress.csv", error));
    wac_status status = wac_runlog_write_config(run, fresh, error);
    if (status == WAC_STATUS_OK)
        status = write_manifest(make_manifest(run), fresh, error);
    if (status == WAC_STATUS_OK)
        status = wac_file_write(path, header, strlen(header), error);
    if (status == WAC_STATUS_OK)
        status = wac_directory_place(run->directory, fresh, error);
    if (status != WAC_STATUS_OK)
        (void)wac_directory_remove(fresh, NULL);
    return status;
}

/* The manifest as it stands; null where it is lost or damaged (nothing depends on it). */
static json_t *read_manifest(const wac_run *run)
{
    char path[PATH_MAX], *text = NULL;
    json_t *manifest = NULL;
    if (wac_path_join(path, sizeof path, run->directory, "manifest.json", NULL) == WAC_STATUS_OK &&
        wac_file_read(&text, NULL, path, 1 << 20, NULL) == WAC_STATUS_OK)
        manifest = json_loads(text, 0, NULL);
    free(text);
    if (json_is_object(manifest))
        return manifest;
    json_decref(manifest);
    return NULL;
}

wac_status wac_runlog_note_time(const wac_run *run, bool finished, wac_error *error)
{
    char now[32];
    json_t *manifest = read_manifest(run);
    if (!manifest)
        manifest = make_manifest(run);
    time_now(now);
    json_object_set_new(manifest, "finished", finished ? json_string(now) : json_null());
    json_object_set_new(manifest, "seconds", json_real(floor(wac_run_seconds(run) * 1e3) / 1e3));
    return write_manifest(manifest, run->directory, error);
}

bool wac_runlog_is_finished(const wac_run *run)
{
    json_t *manifest = read_manifest(run);
    bool finished = json_is_string(json_object_get(manifest, "finished"));
    json_decref(manifest);
    return finished;
}

/* True for "config.yaml.123-0.tmp" and the like, which a write that was cut off leaves behind. */
static bool is_leftover(const char *name)
{
    static const char *const files[] = {"config.yaml.", "manifest.json.", "progress.csv."};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        size_t length = strlen(files[i]);
        if (strncmp(name, files[i], length) == 0)
            return strcmp(name + length + strspn(name + length, "0123456789-"), ".tmp") == 0;
    }
    return false;
}

void wac_runlog_tidy(const wac_run *run)
{
    DIR *folder = opendir(run->directory);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (is_leftover(entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* Where row `rows` ends, or null if the text has fewer; *last is its beginning (or null). */
static const char *skip_rows(const char *text, int64_t rows, const char **last)
{
    *last = NULL;
    for (int64_t i = 0; i <= rows; i++) {
        const char *end = strchr(text, '\n');
        if (!end)
            return NULL;
        if (i > 0)
            *last = text;
        text = end + 1;
    }
    return text;
}

/* The time spent so far: what the manifest says, or at least what the last row (null: none) does.
 */
static double read_seconds(const wac_run *run, const char *row)
{
    double seconds = 0;
    char cell[32] = "";
    if (!row)
        return 0;
    for (int column = 0; column < wac_column_seconds && row; column++)
        row = strchr(row, ',') ? strchr(row, ',') + 1 : NULL;
    if (row)
        snprintf(cell, sizeof cell, "%.*s", (int)strcspn(row, ",\n"), row);
    if (!wac_number_parse(&seconds, cell))
        seconds = 0;
    json_t *manifest = read_manifest(run);
    double noted = json_number_value(json_object_get(manifest, "seconds"));
    json_decref(manifest);
    return fmax(seconds, noted);
}

wac_status wac_runlog_check_fresh(const wac_run *run, wac_error *error)
{
    char path[PATH_MAX], *text;
    const char *last;
    WAC_TRY(wac_path_join(path, sizeof path, run->directory, "progress.csv", error));
    if (!wac_path_exists(path))
        return WAC_STATUS_OK;
    WAC_TRY(wac_file_read(&text, NULL, path, PROGRESS_LIMIT, error));
    bool trained = skip_rows(text, 2, &last) != NULL;
    free(text);
    return trained ? wac_fail(error, WAC_STATUS_INPUT,
                              "the run %s has been trained (progress.csv has its rows), but its "
                              "checkpoint is gone; put the folder checkpoint back, "
                              "or " WAC_TRAIN_AGAIN,
                              run->directory, run->directory)
                   : WAC_STATUS_OK;
}

wac_status wac_runlog_open(wac_run *run, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    wac_position *at = &run->position;
    WAC_TRY(wac_path_join(path, sizeof path, run->directory, "progress.csv", error));
    if (!wac_path_exists(path))
        return wac_fail(error, WAC_STATUS_INPUT, "%s is missing; put it back, or " WAC_TRAIN_AGAIN,
                        path, run->directory);
    WAC_TRY(wac_file_read(&text, &size, path, PROGRESS_LIMIT, error));
    const char *last, *end = skip_rows(text, at->rows, &last);
    /* the row after the last epoch is no part of a checkpoint; where it stands, all is done */
    if (end && at->started && at->epoch >= run->config.epochs && !at->evaluated &&
        strchr(end, '\n')) {
        at->rows++;
        at->evaluated = 1;
        end = skip_rows(text, at->rows, &last);
    }
    wac_status status = WAC_STATUS_OK;
    if (strncmp(text, header, strlen(header)) != 0)
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "%s does not start with the columns of a progress file; put the file "
                          "back as it was, or " WAC_TRAIN_AGAIN,
                          path, run->directory);
    else if (!end)
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "%s has fewer than the %" PRId64 " rows that the checkpoint counts; put "
                          "the file back as it was, or " WAC_TRAIN_AGAIN,
                          path, at->rows, run->directory);
    if (status == WAC_STATUS_OK)
        run->seconds_before = read_seconds(run, last);
    if (status == WAC_STATUS_OK && end < text + size)
        status = wac_file_write(path, text, (size_t)(end - text), error);
    free(text);
    WAC_TRY(status);
    run->progress_file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (run->progress_file < 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return WAC_STATUS_OK;
}

/* ",value", or "," where it has none */
static size_t print_value(char *line, size_t used, size_t size, double value)
{
    int length = isnan(value) ? snprintf(line + used, size - used, ",")
                              : wac_number_print(line + used, size - used, ",%.9g", value);
    return used + (size_t)length;
}

static wac_status fail_progress(const wac_run *run, int code, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_IO, "cannot write %s/progress.csv: %s; %s", run->directory,
                    strerror(code),
                    code == ENOSPC || code == EDQUOT ? "free some space and try again"
                                                     : "check the disk and try again");
}

/* The line, or none of it. */
static wac_status append_whole(const wac_run *run, const char *line, size_t size, wac_error *error)
{
    off_t end = lseek(run->progress_file, 0, SEEK_END);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(run->progress_file, line + done, size - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            int code = written == 0 ? EIO : errno;
            /* should this fail too, a resume will cut the line */
            bool cut = end >= 0 && ftruncate(run->progress_file, end) == 0;
            (void)cut;
            return fail_progress(run, code, error);
        }
    }
    return WAC_STATUS_OK;
}

wac_status wac_runlog_append(wac_run *run, wac_error *error)
{
    const wac_progress *p = &run->progress;
    char line[1024];
    size_t used = (size_t)snprintf(line, sizeof line, "%" PRId64 ",%" PRId64 ",%" PRId64, p->epoch,
                                   p->env_steps, p->updates);
    used = print_value(line, used, sizeof line, p->eval_return);
    used = print_value(line, used, sizeof line, p->eval_success);
    used = print_value(line, used, sizeof line, (double)p->eval_episodes);
    const double rest[] = {p->coverage_sampled, p->coverage_visited, p->alpha,
                           p->q_mean,           p->sigma_visited,    p->sigma_uniform};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        used = print_value(line, used, sizeof line, rest[i]);
    used += (size_t)wac_number_print(line + used, sizeof line - used, ",%.3f", p->seconds);
    used = print_value(line, used, sizeof line, (double)p->explore_episodes);
    used = print_value(line, used, sizeof line, p->explore_return);
    used = print_value(line, used, sizeof line, p->explore_success);
    line[used++] = '\n';
    WAC_TRY(append_whole(run, line, used, error));
    run->position.rows++;
    return WAC_STATUS_OK;
}

wac_status wac_runlog_sync(const wac_run *run, wac_error *error)
{
    if (fsync(run->progress_file) != 0)
        return fail_progress(run, errno, error);
    return WAC_STATUS_OK;
}
