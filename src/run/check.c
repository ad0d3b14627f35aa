/* Looking at a run: whoever trains it holds its lock, and may replace what is being read; a run
 * that is opened takes care of that. */
#include "run/check.h"

#include "base/files.h"
#include "base/status.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/maps.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* The rows of the table. A last line that is cut off is mended by a resume, if no checkpoint counts
 * it. */
static wac_status count_rows(wac_checkup *checkup, int64_t *rows, const char *directory,
                             wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    wac_history history;
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_PROGRESS, error));
    if (!wac_path_exists(path))
        return wac_runlog_fail(error, WAC_STATUS_INPUT, directory, "%s is missing", path);
    WAC_TRY(wac_progress_text(&text, &size, directory, error));
    checkup->cut = wac_runlog_is_mendable(text, size, directory);
    if (checkup->cut)
        size = (size_t)((char *)memrchr(text, '\n', size) - text) + 1;
    wac_error cause = {0};
    wac_status status = wac_history_parse(&history, text, size, path, &cause);
    if (status != WAC_STATUS_OK)
        return wac_runlog_fail(error, status, directory, "%s", cause.message);
    *rows = (int64_t)history.rows;
    wac_history_free(&history);
    return WAC_STATUS_OK;
}

/* The checkpoint, as whoever goes on with it would read it. */
static wac_status check_checkpoint(wac_checkup *checkup, int64_t rows, const char *directory,
                                   wac_error *error)
{
    wac_run *run;
    WAC_TRY(wac_run_open(&run, directory, NULL, NULL, error));
    int64_t counted = run->position.rows;
    checkup->epoch = run->position.epoch;
    if (checkup->state == WAC_RUN_STATE_NEW)
        checkup->state = run->lacks_replay && checkup->epoch < checkup->epochs
                             ? WAC_RUN_STATE_KEPT
                             : WAC_RUN_STATE_BEGUN;
    wac_run_destroy(run);
    return rows < counted
               ? wac_runlog_fail(error, WAC_STATUS_INPUT, directory,
                                 "%s/progress.csv has fewer than the %lld rows that the checkpoint "
                                 "counts",
                                 directory, (long long)counted)
               : wac_maps_check(directory, counted, error);
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
    int64_t rows = 0;
    char path[PATH_MAX];
    *checkup = (wac_checkup){.trains = wac_run_is_in_use(directory)};
    if (!wac_folder_is_run(directory))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is not a run: it has no config.yaml; check that the path is right",
                        directory);
    WAC_TRY(wac_folder_read_config(&config, directory, error));
    WAC_TRY(wac_manifest_read(&manifest, directory, error));
    WAC_TRY(count_rows(checkup, &rows, directory, error));
    checkup->epochs = config.epochs;
    checkup->diverged = manifest.diverged;
    checkup->cut = checkup->cut || (!checkup->trains && wac_folder_is_untidy(directory));
    checkup->state = manifest.packed     ? WAC_RUN_STATE_PACKED
                     : manifest.finished ? WAC_RUN_STATE_FINISHED
                                         : WAC_RUN_STATE_NEW;
    if (manifest.finished)
        WAC_TRY(check_finished(&config, directory, error));
    if (wac_folder_find_checkpoint(path, directory))
        return check_checkpoint(checkup, rows, directory, error);
    return manifest.packed ? WAC_STATUS_OK : wac_runlog_check_fresh(directory, error);
}
