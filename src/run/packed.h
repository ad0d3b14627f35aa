/* Packed runs: many folders of runs in one archive, with what is needed to read, judge and draw
 * them, and not to go on with them. Of each run its config.yaml, manifest.json (marked) and
 * progress.csv (what nobody judges by in every tenth row and the last only); of WAC's in worlds
 * with one state and one action what measures ask of the checkpoint, cells.csv; of some the
 * checkpoint with policies, visits and, where maps show them, critics. What only learning needs is
 * zero in there, and the replay is left out.
 *
 *     results/prior/runs.tar.xz                             an archive
 *     results/prior/runs.tar.xz/riverswim/oe-wac/seed-1     a run in it
 */
#ifndef WAC_RUN_PACKED_H
#define WAC_RUN_PACKED_H

#include "base/archive.h"
#include "base/temporary.h"

#define WAC_PACKED_ENDING ".tar.xz"
#define WAC_PACKED_RUNS "runs" WAC_PACKED_ENDING /* looked for in folders */

/* Whether a path is that of an archive, or leads into one: then `inside` is what follows, "" for
 * the whole of it. */
bool wac_packed_find(char archive[PATH_MAX], const char **inside, const char *path);

/* Whether there is something to read: a file or folder, or a path that leads into an archive. */
bool wac_packed_exists(const char *path);

/* Whether what stands for runs at a path is an archive, there or in that folder. */
bool wac_packed_has(const char *path);

/* Refuses what is no folder of a run; of an archive it says what can be done with that. */
wac_status wac_packed_check_run(const char *directory, wac_error *error);

/* Why a run cannot be trained on; OK where nobody packed it. */
wac_status wac_packed_refuse(const char *directory, wac_error *error);

/* What is kept of a run where it is asked for and there. */
enum {
    WAC_PACKED_NETWORKS = 1, /* for maps */
    WAC_PACKED_CELLS = 2,    /* uncertainty and visits over state and action, for two measures */
};

/* One of so many rows of progress.csv has the columns that are aside (wac_column_is_aside). */
enum { WAC_PACKED_ROWS = 10 };

/* Add a run, which the archive is to call `name`, from its folder (which may have been packed
 * before), with those of WAC_PACKED_… that are in `with`. */
wac_status wac_packed_add(wac_archive *archive, const char *name, const char *directory,
                          unsigned with, wac_error *error);

/* The runs of an archive as folders, which are gone after wac_temporary_remove, or when the process
 * ends. An archive that holds anything but packed runs is refused; then nothing is left of it. */
wac_status wac_packed_open(wac_temporary *folder, const char *archive, wac_error *error);

#endif
