/* What `wac reproduce` leaves in a folder, so that its report can be made again: reproduce.json. */
#ifndef WAC_REPORT_NOTE_H
#define WAC_REPORT_NOTE_H

#include "report/experiment.h"

typedef struct wac_note {
    char experiment[64]; /* its name */
    int scale;           /* -1: as the runs have it */
    int64_t seeds;       /* that were asked for; 0: those of the scale */
    wac_given given;     /* settings that were asked for */
    char **runs;         /* where they are, null after the last; to be freed with the note */
} wac_note;

extern const char wac_note_name[]; /* of the file */

/* `runs` are paths as one can use them; null: "runs" within the folder. */
wac_status wac_note_write(const wac_note *note, const char *directory, wac_error *error);

/* Make an experiment the one that was run: with the note's name, seeds and settings. */
wac_status wac_note_apply(wac_experiment *experiment, wac_note *note, wac_error *error);

/* `runs` is null where there is nothing of the kind; then there is nothing to free. Else they are
 * paths that one can use: "runs" within the folder is that or, where it is not there, the archive
 * (run/packed.h). Fails only where there is something that cannot be read. */
wac_status wac_note_read(wac_note *note, const char *directory, wac_error *error);
void wac_note_free(wac_note *note);

#endif
