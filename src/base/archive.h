/* Files in one compressed archive: tar, packed by liblzma as xz. Any tar unpacks it.
 *
 * Of tar there is no more here than plain files need: what an archive may hold besides (links,
 * devices, owners, names that lead elsewhere) cannot be read by mistake.
 */
#ifndef WAC_BASE_ARCHIVE_H
#define WAC_BASE_ARCHIVE_H

#include "wac/base.h"

/* Write one, as wac_file_write does: begin, add as often as needed, commit. The bytes depend on the
 * names and what is in the files, in this order, and on nothing else: no time, no owner. The first
 * failure is kept, makes the calls after it do nothing, and is reported by commit, which always has
 * to be called where begin did not fail. It gets the caller's own status: with one that is not OK,
 * which it returns, nothing is left of the archive. */
typedef struct wac_archive wac_archive;
wac_status wac_archive_begin(wac_archive **archive, const char *path, wac_error *error);
void wac_archive_add(wac_archive *archive, const char *name, const void *bytes, size_t size);
wac_status wac_archive_commit(wac_archive *archive, wac_status status, wac_error *error);

/* What is done with a file: `name` may have folders, but leads nowhere else ("a/b.csv"). */
typedef wac_status wac_archive_file_fn(void *user, const char *name, const void *bytes, size_t size,
                                       wac_error *error);

/* Hand over every file, in the archive's order. Refused (input), with a message that names `path`:
 * what is no such archive, is cut off or damaged; names that lead out of a folder; anything but
 * plain files and folders; and what unpacks to much more than the size of the archive lets expect.
 * Files before the fault have been handed over. */
wac_status wac_archive_read(const char *path, wac_archive_file_fn *take, void *user,
                            wac_error *error);

/* The same from memory. */
wac_status wac_archive_parse(const void *bytes, size_t size, const char *path,
                             wac_archive_file_fn *take, void *user, wac_error *error);

#endif
