/* The rows of progress.csv: cut back to where the run is, then one more after every evaluation. */
#include "run/log.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "run/checkpoint.h"
#include "run/columns.h"
#include "run/folder.h"
#include "run/maps.h"
#include "run/run.h"
#include "run/train.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

wac_status wac_runlog_note_time(const wac_run *run, bool finished, wac_error *error)
{
    return wac_manifest_note(run->directory, &run->config, wac_run_seconds(run), finished, NULL,
                             error);
}

void wac_runlog_note_divergence(const wac_run *run, const char *how)
{
    (void)wac_manifest_note(run->directory, &run->config, wac_run_seconds(run), false, how, NULL);
}

/* Where row `rows` ends, or null if the text has fewer. */
static const char *skip_rows(const char *text, int64_t rows)
{
    for (int64_t i = 0; i <= rows; i++) {
        const char *end = strchr(text, '\n');
        if (!end)
            return NULL;
        text = end + 1;
    }
    return text;
}

wac_status wac_runlog_check_rows(const wac_run *run, const char *text, int64_t rows,
                                 wac_error *error)
{
    const char *first = skip_rows(text, 0), *end = skip_rows(text, rows);
    const char *noted = run->noted_rows.digits;
    if (!end)
        return wac_runlog_fail(error, WAC_STATUS_INPUT, run->directory,
                               "%s/progress.csv has fewer than the %" PRId64
                               " rows that the checkpoint counts",
                               run->directory, rows);
    uint64_t sum = wac_progress_add(0, first, (size_t)(end - first));
    return *noted && strcmp(wac_checksum_make(sum).digits, noted) != 0
               ? wac_runlog_fail(error, WAC_STATUS_INPUT, run->directory,
                                 "%s/progress.csv has other numbers than the run wrote",
                                 run->directory)
               : WAC_STATUS_OK;
}

/* The time spent so far: what the manifest says, or at least what the last row does. */
static wac_status read_seconds(wac_run *run, const wac_history *history, wac_error *error)
{
    wac_manifest manifest;
    if (history->rows == 0)
        return WAC_STATUS_OK;
    WAC_TRY(wac_manifest_read(&manifest, run->directory, error));
    double seconds = history->columns[WAC_COLUMN_SECONDS][history->rows - 1];
    run->seconds_before = fmax(seconds, manifest.seconds); /* also where the row has none */
    return WAC_STATUS_OK;
}

static bool has_header(const char *text)
{
    return strncmp(text, WAC_COLUMN_HEADER, strlen(WAC_COLUMN_HEADER)) == 0;
}

bool wac_runlog_is_mendable(const char *text, size_t size, const char *directory)
{
    int64_t rows = -1, counted;
    if (size == 0 || text[size - 1] == '\n' || !has_header(text))
        return false;
    for (size_t i = 0; i < size; i++)
        rows += text[i] == '\n';
    return wac_checkpoint_rows(&counted, directory) && counted <= rows;
}

wac_status wac_runlog_check_fresh(const char *directory, wac_error *error)
{
    char *text;
    if (!wac_folder_has(directory, WAC_FOLDER_PROGRESS))
        return WAC_STATUS_OK;
    WAC_TRY(wac_progress_text(&text, NULL, directory, error));
    bool trained = skip_rows(text, 2) != NULL;
    free(text);
    return trained ? wac_fail(error, WAC_STATUS_INPUT,
                              "the run %s has been trained (progress.csv has its rows), but its "
                              "checkpoint is gone; put the folder checkpoint back, "
                              "or " WAC_TRAIN_AGAIN,
                              directory, WAC_SHELL(directory))
                   : WAC_STATUS_OK;
}

wac_status wac_runlog_fail(wac_error *error, wac_status status, const char *directory,
                           const char *format, ...)
{
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return status == WAC_STATUS_INPUT
               ? wac_fail(error, status, "%s; put the file back as it was, or " WAC_TRAIN_AGAIN,
                          what, WAC_SHELL(directory))
               : wac_fail(error, status, "%s", what);
}

/* What is to be kept of the file must be what a run writes: rows of numbers, epoch after epoch. */
static wac_status read_rows(wac_run *run, const char *text, size_t size, const char *path,
                            wac_error *error)
{
    wac_history history;
    wac_error cause;
    char *copy = malloc(size + 1);
    if (!copy)
        return wac_fail_memory(error, "the rows of progress.csv");
    memcpy(copy, text, size);
    wac_status status = wac_history_parse(&history, copy, size, path, &cause);
    if (status != WAC_STATUS_OK)
        return wac_runlog_fail(error, status, run->directory, "%s", cause.message);
    status = read_seconds(run, &history, error);
    wac_history_free(&history);
    return status;
}

wac_status wac_runlog_open(wac_run *run, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    wac_position *at = &run->position;
    WAC_TRY(wac_folder_path(path, run->directory, WAC_FOLDER_PROGRESS, error));
    if (!wac_path_exists(path))
        return wac_runlog_fail(error, WAC_STATUS_INPUT, run->directory, "%s is missing", path);
    WAC_TRY(wac_progress_text(&text, &size, run->directory, error));
    const int64_t counted = at->rows;
    const char *first = skip_rows(text, 0), *end = skip_rows(text, counted);
    /* the row after the last epoch is no part of a checkpoint; where it stands, all is done */
    if (end && at->started && at->epoch >= run->config.epochs && !at->evaluated &&
        strchr(end, '\n') && wac_maps_have(run, at->rows)) {
        at->rows++;
        at->evaluated = 1;
        end = skip_rows(text, at->rows);
    }
    wac_status status = WAC_STATUS_OK;
    if (!has_header(text))
        status = wac_runlog_fail(error, WAC_STATUS_INPUT, run->directory,
                                 "%s does not start with the columns of a progress file", path);
    else if (end)
        status = read_rows(run, text, (size_t)(end - text), path, error);
    if (status == WAC_STATUS_OK)
        status = wac_runlog_check_rows(run, text, counted, error);
    if (status == WAC_STATUS_OK)
        run->rows_sum = wac_progress_add(0, first, (size_t)(end - first));
    if (status == WAC_STATUS_OK && end < text + size)
        status = wac_file_write(path, text, (size_t)(end - text), error);
    free(text);
    WAC_TRY(status);
    run->progress_file = wac_open(path, O_WRONLY | O_APPEND);
    if (run->progress_file < 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return WAC_STATUS_OK;
}

static wac_status fail_progress(const wac_run *run, int code, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_IO, "cannot write %s/progress.csv: %s; %s", run->directory,
                    strerror(code), wac_file_advice(code));
}

wac_status wac_runlog_append(wac_run *run, wac_error *error)
{
    const wac_progress *now = &run->progress;
    char line[1024];
    size_t used = 0;
    /* a comma before each, also the first; nothing more where there is no value */
#define PRINT(id, name, value, format, ...)                                                        \
    used += (size_t)(isnan((double)(value)) ? snprintf(line + used, sizeof line - used, ",")       \
                                            : wac_number_print(line + used, sizeof line - used,    \
                                                               "," format, (double)(value)));
    WAC_COLUMNS(PRINT)
#undef PRINT
    line[used++] = '\n';
    /* should cutting a part of it fail too, a resume will cut the line */
    int code = wac_file_append(run->progress_file, line + 1, used - 1);
    if (code)
        return fail_progress(run, code, error);
    run->rows_sum = wac_progress_add(run->rows_sum, line + 1, used - 1);
    run->position.rows++;
    return WAC_STATUS_OK;
}

wac_status wac_runlog_sync(const wac_run *run, wac_error *error)
{
    if (wac_file_sync(run->progress_file) != 0)
        return fail_progress(run, errno, error);
    return WAC_STATUS_OK;
}
