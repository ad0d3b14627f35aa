/* Looking at a run: whoever trains it holds its lock, and may replace what is being read; a run
 * that is opened takes care of that. */
#include "run/check.h"

#include "base/files.h"
#include "base/status.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/maps.h"
#include "run/packed.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* The checkpoint, as whoever goes on with it would read it. */
static wac_status open_checkpoint(wac_run **run, wac_checkup *checkup, const char *directory,
                                  wac_error *error)
{
    WAC_TRY(wac_run_open(run, directory, NULL, NULL, error));
    checkup->epoch = (*run)->position.epoch;
    if (checkup->state == WAC_RUN_STATE_NEW)
        checkup->state = (*run)->lacks_replay && checkup->epoch < checkup->epochs
                             ? WAC_RUN_STATE_KEPT
                             : WAC_RUN_STATE_BEGUN;
    return WAC_STATUS_OK;
}

/* The rows of the table, which `run`, if its checkpoint is there, counts. A last line that is cut
 * off is mended by a resume, if no checkpoint counts it. */
static wac_status check_table(wac_checkup *checkup, const wac_run *run, const char *directory,
                              wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    wac_history history;
    wac_error cause = {0};
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_PROGRESS, error));
    if (!wac_path_exists(path))
        return wac_runlog_fail(error, WAC_STATUS_INPUT, directory, "%s is missing", path);
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    if (wac_runlog_is_mendable(text, size, directory)) {
        checkup->cut = true;
        size = (size_t)((char *)memrchr(text, '\n', size) - text) + 1;
        text[size] = 0;
    }
    char *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, text, size + 1);
    wac_status status = copy ? wac_history_parse(&history, copy, size, path, &cause)
                             : wac_fail_memory(&cause, path);
    if (status != WAC_STATUS_OK)
        status = wac_runlog_fail(error, status, directory, "%s", cause.message);
    else
        wac_history_free(&history);
    if (status == WAC_STATUS_OK && run)
        status = wac_runlog_check_rows(run, text, run->position.rows, error);
    free(text);
    return status;
}

/* What a run that says it is finished must have. */
static wac_status check_finished(const wac_config *config, const char *directory, wac_error *error)
{
    wac_error cause = {0};
    wac_status status = wac_folder_check_finished(directory, config, &cause);
    return status ? wac_runlog_fail(error, status, directory, "the run %s was finished, but %s",
                                    directory, cause.message)
                  : WAC_STATUS_OK;
}

wac_status wac_run_check(wac_checkup *checkup, const char *directory, wac_error *error)
{
    wac_config config;
    wac_manifest manifest;
    wac_run *run = NULL;
    char path[PATH_MAX];
    *checkup = (wac_checkup){.trains = wac_run_is_in_use(directory)};
    WAC_TRY(wac_packed_check_run(directory, error));
    WAC_TRY(wac_folder_read_config(&config, directory, error));
    WAC_TRY(wac_manifest_read(&manifest, directory, error));
    checkup->epochs = config.epochs;
    checkup->diverged = manifest.diverged;
    checkup->cut = checkup->cut || (!checkup->trains && wac_folder_is_untidy(directory));
    checkup->state = manifest.packed     ? WAC_RUN_STATE_PACKED
                     : manifest.finished ? WAC_RUN_STATE_FINISHED
                                         : WAC_RUN_STATE_NEW;
    if (wac_folder_find_checkpoint(path, directory))
        WAC_TRY(open_checkpoint(&run, checkup, directory, error));
    /* whoever trains adds rows before it saves: those of this checkpoint are there by now */
    wac_status status = check_table(checkup, run, directory, error);
    if (status == WAC_STATUS_OK && manifest.finished)
        status = check_finished(&config, directory, error);
    if (status == WAC_STATUS_OK && run)
        status = wac_maps_check(directory, run->position.rows, error);
    else if (status == WAC_STATUS_OK && !manifest.packed)
        status = wac_runlog_check_fresh(directory, error);
    wac_run_destroy(run);
    return status;
}
