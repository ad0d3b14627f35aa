/* The runs that are watched: found below some folders, and looked at again and again while other
 * processes train them. Nothing is written, and no lock is touched. */
#ifndef WAC_WATCH_SHELF_H
#define WAC_WATCH_SHELF_H

#include "run/folder.h"

#include <sys/stat.h>
#include <sys/types.h>

typedef enum wac_watched_state {
    WAC_WATCHED_TRAINING,
    WAC_WATCHED_STOPPED, /* it can go on, or be used */
    WAC_WATCHED_FINISHED,
    WAC_WATCHED_FAILED, /* see its reason */
    WAC_WATCHED_GONE,   /* its folder is not there any more */
} wac_watched_state;

#define WAC_WATCHED_STATES "training|stopped|finished|failed|gone" /* in that order */

/* What tells that a file is another. */
typedef struct wac_watched_stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
} wac_watched_stamp;

typedef struct wac_watched {
    char *path;       /* of its folder */
    const char *name; /* the end of that, below the folder that was given, if one was */
    wac_config config;
    char group[256]; /* of runs that differ by the seed alone */
    wac_watched_state state;
    char reason[512]; /* failed: why */
    pid_t process;    /* that trains it; 0: none that is known */
    int64_t version;  /* of the shelf, when it last changed */
    int64_t rows;     /* of progress.csv */
    float *table;     /* [rows][WAC_COLUMN_TOTAL]; NaN: empty */
    double seconds;   /* trained so far */
    int64_t saved;    /* how often its checkpoint was seen to be another */
    bool was_locked;  /* a process of this machine was seen to train it */
    double heard;     /* wac_clock_seconds of its last new row; 0: none was seen to come */
    wac_watched_stamp stamps[4]; /* config.yaml, progress.csv, manifest.json, checkpoint */
} wac_watched;

typedef struct wac_shelf {
    char **folders; /* as they were given; not the shelf's own */
    size_t folder_count;
    wac_watched *runs; /* [count]; a run keeps its place */
    size_t count;
    size_t listed;      /* runs that sweeps in these folders list */
    int64_t version;    /* rises with every change */
    double next_search; /* when the folders are to be gone through again */
} wac_shelf;

/* Folders that are given stay the caller's. */
void wac_shelf_init(wac_shelf *shelf, char **folders, size_t count);
void wac_shelf_free(wac_shelf *shelf);

/* See what is new; every few seconds look for other runs, too. Where memory runs out, what is known
 * stays. */
void wac_shelf_look(wac_shelf *shelf);

#endif
