/* The folder of a run: the one place that knows its files, what they are called, and whether they
 * are whole. */
#ifndef WAC_RUN_FOLDER_H
#define WAC_RUN_FOLDER_H

#include "run/columns.h"
#include "wac/config.h"

#include <limits.h>

typedef enum wac_folder_file {
    WAC_FOLDER_CONFIG,
    WAC_FOLDER_MANIFEST,
    WAC_FOLDER_PROGRESS,
    WAC_FOLDER_CHECKPOINT,
    WAC_FOLDER_CHECKPOINT_NEW, /* while it is made */
    WAC_FOLDER_CHECKPOINT_OLD, /* while the new one takes its place */
    WAC_FOLDER_FIGURES,
    WAC_FOLDER_CELLS,  /* of a packed run */
    WAC_FOLDER_MAPS,   /* of a run that was asked for them … */
    WAC_FOLDER_EVENTS, /* … or for these, which TensorBoard reads */
    /* in a folder of a checkpoint */
    WAC_FOLDER_AGENT,
    WAC_FOLDER_REPLAY,
    WAC_FOLDER_RUN,
    WAC_FOLDER_BEST,
    WAC_FOLDER_TOTAL,
} wac_folder_file;

wac_status wac_folder_path(char path[PATH_MAX], const char *directory, wac_folder_file file,
                           wac_error *error);
bool wac_folder_has(const char *directory, wac_folder_file file);
wac_status wac_folder_look(bool *there, const char *directory, wac_folder_file file,
                           wac_error *error); /* as wac_path_look */

/* Whether there is a run: a folder with a config.yaml. */
bool wac_folder_is_run(const char *directory);

/* The run that another begins with the agent of; empty: none. */
typedef struct wac_origin {
    char run[PATH_MAX];
    bool best; /* as its best evaluation found it */
} wac_origin;

/* A new folder with the files of a run that has not begun; of maps and events, where they are asked
 * for, empty ones: whoever goes on shall know. */
wac_status wac_folder_make(const char *directory, const wac_config *config,
                           const wac_origin *origin, bool maps, bool events, wac_error *error);

wac_status wac_folder_read_config(wac_config *config, const char *directory, wac_error *error);
wac_status wac_folder_write_config(const char *directory, const wac_config *config,
                                   wac_error *error);

/* The checkpoint to load: where a replacement was cut off, the old one stands beside; where one
 * goes on this moment, the new one is there at the second look. False where there is none. */
bool wac_folder_find_checkpoint(char path[PATH_MAX], const char *directory);

/* Remove what writes that were cut off left behind; the run must be locked. */
void wac_folder_tidy(const char *directory);

/* The same of its starts, beside it; nobody else may be starting it, or it must be there. */
void wac_folder_tidy_starts(const char *directory);

/* Whether there is any of it. */
bool wac_folder_is_untidy(const char *directory);

/* Refuses a finished run that has lost rows of its progress.csv, or its checkpoint. */
wac_status wac_folder_check_finished(const char *directory, const wac_config *config,
                                     wac_error *error);

/* The way out where a run has lost what nobody can make up; %s: its folder. */
#define WAC_TRAIN_AGAIN "train it again: wac train --config %s/config.yaml --out NEW"

/* --- manifest.json --------------------------------------------------------------------------- */

/* What it tells; empty or 0 where it does not, or is lost. */
typedef struct wac_manifest {
    char version[65], commit[65];
    char processor[161], system[61], release[81];
    int64_t processors;
    double seconds; /* of training so far */
    bool finished;
    bool diverged;     /* the last try left the finite numbers, … */
    char how[257];     /* … and how */
    bool packed;       /* there is no more than packed.h says */
    char progress[17]; /* of a finished run: the checksum of its rows */
    wac_origin origin;
} wac_manifest;

/* Fails where there is one that cannot be read. */
wac_status wac_manifest_read(wac_manifest *manifest, const char *directory, wac_error *error);

/* The same from memory. */
wac_status wac_manifest_parse(wac_manifest *manifest, const char *text, size_t size,
                              wac_error *error);

/* Whether a finished run noted other rows than these, its whole progress.csv. */
bool wac_manifest_disowns(const wac_manifest *manifest, const char *progress, size_t size);

/* The text of it for an archive: marked, and without the machine's name. free() it. */
wac_status wac_manifest_pack(char **text, size_t *size, const char *directory, wac_error *error);

/* Note how long the run has trained, whether it is finished, and with which rows, and how it left
 * the finite numbers, if it did (else null). */
wac_status wac_manifest_note(const char *directory, const wac_config *config, double seconds,
                             bool finished, const char *diverged, wac_error *error);

/* --- progress.csv ---------------------------------------------------------------------------- */

/* The checksum of rows, in their bytes, after others: of all cells but the seconds, which differ
 * each time. */
uint64_t wac_progress_add(uint64_t sum, const char *rows, size_t size);

/* It as it stands, whole or not; free() the text. */
wac_status wac_progress_text(char **text, size_t *size, const char *directory, wac_error *error);

/* The epoch of its last whole row; 0 where there is none. */
int64_t wac_progress_last_epoch(const char *directory);

/* All of it. */
typedef struct wac_history {
    size_t rows;                       /* 0 for a run that has just begun */
    double *columns[WAC_COLUMN_TOTAL]; /* each [rows]; NaN where the field is empty */
} wac_history;

/* Refuses a header of another version, a cut line, epochs that are not 0, 1, 2 …, and what is no
 * number. On failure there is nothing to free. */
wac_status wac_history_read(wac_history *history, const char *directory, wac_error *error);

/* The same from memory: takes over `text` (from malloc, with room for one more byte behind the
 * `size` given), also when it fails. `path` is for messages. */
wac_status wac_history_parse(wac_history *history, char *text, size_t size, const char *path,
                             wac_error *error);
void wac_history_free(wac_history *history);

/* Whether it has the row after the last epoch, or has reached stop_success. */
bool wac_history_is_complete(const wac_history *history, const wac_config *config);

/* Mean of a column over the last `most` rows, without empty fields; NaN where all are. */
double wac_history_mean(const wac_history *history, wac_column column, size_t most);

#endif
