/* What the library of failing calls (failing_calls.c) notes of the calls that change the disk: one
 * record after the other, in a file (failing_calls.h). Files and folders go by their inodes, names
 * by the folder that they stand in. */
#ifndef WAC_TESTS_SUPPORT_RECORDED_CALLS_H
#define WAC_TESTS_SUPPORT_RECORDED_CALLS_H

#include <limits.h>
#include <stdint.h>
#include <sys/types.h>

typedef enum recorded_kind {
    RECORDED_MAKE,   /* a file or a folder gets its first name */
    RECORDED_RENAME, /* to `other`, over what is there */
    RECORDED_REMOVE, /* loses its name */
    RECORDED_WRITE,  /* `size` bytes go to `start`; they follow the record */
    RECORDED_CUT,    /* the file ends at `start` */
    RECORDED_SYNC,   /* a file or a folder is on the disk as it is now */
} recorded_kind;

typedef struct recorded_name {
    ino_t folder;
    char name[NAME_MAX + 1];
} recorded_name;

typedef struct recorded_call {
    recorded_kind kind;
    int is_folder;
    ino_t file;
    recorded_name name, other;
    int64_t start, size;
} recorded_call;

#endif
