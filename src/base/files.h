/* Files that are written whole or not at all. Messages name the path and the system's reason. */
#ifndef WAC_BASE_FILES_H
#define WAC_BASE_FILES_H

#include "wac/base.h"

#include <limits.h>

/* Replace `path` by these bytes: temporary file beside it, fsync, rename, fsync of the folder. On
 * failure the old file stands as it was and no temporary file is left; only when the last step, the
 * fsync of the folder, fails is the new one in place already. */
wac_status wac_file_write(const char *path, const void *bytes, size_t size, wac_error *error);

/* The same piece by piece: begin, add as often as needed, commit. The first failure is kept, makes
 * the calls after it do nothing, and is reported by commit; commit always has to be called. */
typedef struct wac_writer {
    const char *path; /* the caller's, until commit */
    int file;
    int failure; /* errno of the first failure, or 0 */
    char temporary[PATH_MAX];
} wac_writer;

void wac_writer_begin(wac_writer *writer, const char *path);
void wac_writer_add(wac_writer *writer, const void *bytes, size_t size);
wac_status wac_writer_commit(wac_writer *writer, wac_error *error);

/* fsync, again where it is interrupted. errno, or 0. */
int wac_file_sync(int file);

/* Add to an open file, all of it or, if the disk lets it, none. errno, or 0; and what to do then.
 */
int wac_file_append(int file, const void *bytes, size_t size);
const char *wac_file_advice(int code);

/* All bytes of a regular file of at most `limit` bytes, with a zero byte behind them; free() the
 * result. `size` may be null. */
wac_status wac_file_read(char **bytes, size_t *size, const char *path, size_t limit,
                         wac_error *error);

/* Of this program; empty: not known. Where its file is gone, since it was built anew meanwhile, the
 * folder is right all the same. */
void wac_program_path(char path[PATH_MAX]);

/* Whether there is something. Where the system cannot tell, as with a failing disk, there may be:
 * whoever tries to read it will learn the reason. */
bool wac_path_exists(const char *path);

/* The same for whom that is too late: fails (io) where the system cannot tell. */
wac_status wac_path_look(bool *there, const char *path, wac_error *error);

/* Whether there is a folder, for sure; a link to one is none. */
bool wac_path_is_folder(const char *path);

/* open(2), for this process alone; never descriptors 0 to 2, which others may write to, even where
 * these are closed. -1 and errno. */
int wac_open(const char *path, int flags);

/* "directory/name" into a caller's buffer; a path too long is an error, and a name with control
 * characters, which would end up on a terminal. */
wac_status wac_path_join(char *path, size_t size, const char *directory, const char *name,
                         wac_error *error);

/* Make a folder (its parent must exist or is made too), which a power cut leaves there. One that
 * exists is an error (input). */
wac_status wac_directory_make(const char *path, wac_error *error);

/* Make a new folder for what will not last, where such things go (TMPDIR, or else where the system
 * has them), with a name that begins so. */
wac_status wac_directory_temporary(char *path, size_t size, const char *name, wac_error *error);

/* Remove a folder and the plain files and folders in it. A folder that is not there is fine. */
wac_status wac_directory_remove(const char *path, wac_error *error);

/* fsync `fresh` and all files in it, then give it the name `path`, which must be free: a folder
 * with anything in it is refused (input) and stays. */
wac_status wac_directory_place(const char *path, const char *fresh, wac_error *error);

/* fsync `fresh` and all files in it, then put it in the place of `path`: the folder that was there
 * steps aside as `path`.old, `fresh` takes its name, the old one is removed. Whenever this is cut
 * off, `path` or `path`.old is a whole folder. */
wac_status wac_directory_replace(const char *path, const char *fresh, wac_error *error);

/* Hold a folder, as long as the descriptor is open (-1: it cannot be held here, by nobody): nobody
 * tidies it away. False: somebody else holds it, or has tidied it away. */
bool wac_directory_hold(int *held, const char *path);

/* A write of NAME that is cut off leaves "NAME.123-0.tmp" behind, or NAME.123.tmp of a folder:
 * remove what there is of `name`, and nobody holds. */
void wac_directory_tidy(const char *directory, const char *name);

/* True for a folder that holds nothing, or nothing but that; with null, but any *.tmp. */
bool wac_directory_is_unused(const char *directory, const char *name);

/* The same for whom a mistake matters: fails where the system cannot tell. */
wac_status wac_directory_look(bool *unused, const char *directory, const char *name,
                              wac_error *error);

#endif
