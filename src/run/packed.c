/* Runs into an archive, and out of it again. */
#include "run/packed.h"

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/tensors.h"
#include "config/config.h"
#include "run/folder.h"
#include "run/visits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- finding ---------------------------------------------------------------------------------- */

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

bool wac_packed_find(char archive[PATH_MAX], const char **inside, const char *path)
{
    const size_t ending = strlen(WAC_PACKED_ENDING);
    for (const char *at = strstr(path, WAC_PACKED_ENDING); at;
         at = strstr(at + 1, WAC_PACKED_ENDING)) {
        const char *end = at + ending;
        if ((*end && *end != '/') || end - path >= PATH_MAX)
            continue;
        snprintf(archive, PATH_MAX, "%.*s", (int)(end - path), path);
        if (!is_file(archive))
            continue;
        *inside = end + strspn(end, "/");
        return true;
    }
    return false;
}

bool wac_packed_exists(const char *path)
{
    char archive[PATH_MAX];
    const char *inside;
    return wac_path_exists(path) || wac_packed_find(archive, &inside, path);
}

/* The same, or of a folder with an archive in it. */
static bool find_near(char archive[PATH_MAX], const char *path)
{
    const char *inside;
    return wac_packed_find(archive, &inside, path) ||
           (wac_path_join(archive, PATH_MAX, path, WAC_PACKED_RUNS, NULL) == WAC_STATUS_OK &&
            is_file(archive));
}

bool wac_packed_has(const char *path)
{
    char archive[PATH_MAX], runs[PATH_MAX];
    return find_near(archive, path) &&
           !(wac_path_join(runs, sizeof runs, path, "runs", NULL) == WAC_STATUS_OK &&
             wac_path_is_folder(runs));
}

wac_status wac_packed_check_run(const char *directory, wac_error *error)
{
    char archive[PATH_MAX];
    if (wac_folder_is_run(directory))
        return WAC_STATUS_OK;
    if (find_near(archive, directory))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is an archive of runs, which can be judged and drawn as it is (stats, "
                        "report, render); to have the runs as folders, unpack it: tar -xf %s",
                        archive, WAC_SHELL(archive));
    return wac_fail(error, WAC_STATUS_INPUT,
                    wac_path_exists(directory)
                        ? "%s is not a run: it has no config.yaml; check that the path is right"
                        : "there is no run %s; check that the path is right",
                    directory);
}

wac_status wac_packed_refuse(const char *directory, wac_error *error)
{
    char archive[PATH_MAX];
    const char *inside;
    wac_manifest manifest;
    WAC_TRY(wac_manifest_read(&manifest, directory, error));
    if (!wac_packed_find(archive, &inside, directory) && !manifest.packed)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "the run %s is packed: it can be read, judged and drawn, but not resumed; "
                    "train it again from its config.yaml",
                    directory);
}

/* --- packing ---------------------------------------------------------------------------------- */

enum { LARGEST_FILE = 1 << 28 };

/* The path of a file in the folder of a run. */
static wac_status name_file(char path[PATH_MAX], const char *run, wac_folder_file file,
                            wac_error *error)
{
    bool is_of_checkpoint = file == WAC_FOLDER_AGENT || file == WAC_FOLDER_RUN;
    char folder[PATH_MAX];
    if (!is_of_checkpoint)
        return wac_folder_path(path, run, file, error);
    WAC_TRY(wac_folder_path(folder, run, WAC_FOLDER_CHECKPOINT, error));
    return wac_folder_path(path, folder, file, error);
}

static wac_status add(wac_archive *archive, const char *run, wac_folder_file file,
                      const void *bytes, size_t size, wac_error *error)
{
    char name[PATH_MAX];
    WAC_TRY(name_file(name, run, file, error));
    wac_archive_add(archive, name, bytes, size);
    return WAC_STATUS_OK;
}

/* A table of progress, in place: without what is aside, but for some rows and the last. One of
 * another version stays as it is. */
static size_t thin_progress(char *text, size_t size)
{
    const size_t header = strlen(WAC_COLUMN_HEADER);
    if (size < header || memcmp(text, WAC_COLUMN_HEADER, header) != 0)
        return size;
    char *to = text + header;
    const char *from = to, *end = text + size;
    for (size_t row = 0; from < end; row++) {
        const char *newline = memchr(from, '\n', (size_t)(end - from));
        const char *next = newline ? newline + 1 : end;
        bool whole = row % WAC_PACKED_ROWS == 0 || next == end;
        for (int column = 0; from < next; from++) {
            bool ends = *from == ',' || *from == '\n';
            if (ends || whole || !wac_column_is_aside((wac_column)column))
                *to++ = *from;
            column += ends && column + 1 < WAC_COLUMN_TOTAL;
        }
    }
    return (size_t)(to - text);
}

/* As it is, but for progress. */
static wac_status add_file(wac_archive *archive, const char *run, const char *directory,
                           wac_folder_file file, wac_error *error)
{
    char path[PATH_MAX], *bytes;
    size_t size;
    WAC_TRY(name_file(path, directory, file, error));
    WAC_TRY(wac_file_read(&bytes, &size, path, LARGEST_FILE, error));
    if (file == WAC_FOLDER_PROGRESS)
        size = thin_progress(bytes, size);
    wac_status status = add(archive, run, file, bytes, size, error);
    free(bytes);
    return status;
}

/* Every setting that the run reads, also those that are newer than it and that its file does not
 * have: who trains by it again would get presets of today for them. */
static wac_status add_config(wac_archive *archive, const char *run, const char *directory,
                             wac_error *error)
{
    wac_config config;
    char *text;
    WAC_TRY(wac_folder_read_config(&config, directory, error));
    WAC_TRY(wac_config_yaml(&text, &config, error));
    wac_status status = add(archive, run, WAC_FOLDER_CONFIG, text, strlen(text), error);
    free(text);
    return status;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Whether an array of an agent is used by one that learns no more: "policy/…", "std1/…" and the
 * counts of steps, but not "target_q1/…", "old_std1/…", what a bonus is made from, or moments. */
static bool is_needed(const char *name, bool critics)
{
    if (begins(name, "adam/steps/"))
        return true;
    size_t length = strcspn(name, "/");
    bool is_policy = length >= 6 && begins(name + length - 6, "policy/") && !begins(name, "slow_");
    bool is_network = !begins(name, "adam/") && !begins(name, "target_") && !begins(name, "old_") &&
                      !begins(name, "model") && !begins(name, "random/") && !begins(name, "slow_");
    bool is_critic = strstr(name, "/weight") || strstr(name, "/bias");
    return is_policy ? !begins(name, "adam/") : is_network && (critics || !is_critic);
}

/* The agent's file, as long as ever; but what is not needed is zero, which takes no room. */
static wac_status add_agent(wac_archive *archive, const char *run, const char *directory,
                            bool critics, wac_error *error)
{
    char path[PATH_MAX], *bytes;
    size_t size;
    wac_tensor_file *file;
    WAC_TRY(name_file(path, directory, WAC_FOLDER_AGENT, error));
    WAC_TRY(wac_file_read(&bytes, &size, path, LARGEST_FILE, error));
    WAC_TRY(wac_tensor_file_parse(&file, bytes, size, path, error));
    for (size_t i = 0; i < file->count; i++) {
        const wac_tensor *tensor = &file->tensors[i];
        size_t length = (size_t)wac_tensor_elements(tensor) * wac_dtype_size(tensor->dtype);
        if (!is_needed(tensor->name, critics) && length > 0)
            memset(file->bytes + ((const char *)tensor->data - file->bytes), 0, length);
    }
    wac_tensor_file_seal(file);
    wac_status status = add(archive, run, WAC_FOLDER_AGENT, file->bytes, size, error);
    wac_tensor_file_close(file);
    return status;
}

static wac_status add_manifest(wac_archive *archive, const char *run, const char *directory,
                               wac_error *error)
{
    char *text;
    size_t size;
    WAC_TRY(wac_manifest_pack(&text, &size, directory, error));
    wac_status status = add(archive, run, WAC_FOLDER_MANIFEST, text, size, error);
    free(text);
    return status;
}

static bool has_networks(const char *directory)
{
    char path[PATH_MAX];
    return name_file(path, directory, WAC_FOLDER_AGENT, NULL) == WAC_STATUS_OK && is_file(path);
}

/* Files in the order of their names. */
wac_status wac_packed_add(wac_archive *archive, const char *name, const char *directory,
                          unsigned with, wac_error *error)
{
    double sigma[WAC_COVERAGE_BINS], visits[WAC_COVERAGE_BINS];
    wac_status status = wac_cells_read(sigma, visits, directory, error);
    bool has_cells = status == WAC_STATUS_OK;
    if (!has_cells && status != WAC_STATUS_INPUT)
        return status;
    if (has_cells && (with & WAC_PACKED_CELLS)) {
        char text[WAC_CELLS_TEXT];
        size_t size = wac_cells_write(text, sigma, visits);
        WAC_TRY(add(archive, name, WAC_FOLDER_CELLS, text, size, error));
    }
    if ((with & WAC_PACKED_NETWORKS) && has_networks(directory)) {
        WAC_TRY(add_agent(archive, name, directory, has_cells, error));
        WAC_TRY(add_file(archive, name, directory, WAC_FOLDER_RUN, error));
    }
    WAC_TRY(add_config(archive, name, directory, error));
    WAC_TRY(add_manifest(archive, name, directory, error));
    return add_file(archive, name, directory, WAC_FOLDER_PROGRESS, error);
}

/* --- unpacking -------------------------------------------------------------------------------- */

typedef struct unpacking {
    const char *archive, *folder;
} unpacking;

/* Whether a name is that of a file which wac_packed_add may have added. */
static bool is_packed_file(const char *name)
{
    static const wac_folder_file files[] = {WAC_FOLDER_CELLS,    WAC_FOLDER_AGENT,
                                            WAC_FOLDER_RUN,      WAC_FOLDER_CONFIG,
                                            WAC_FOLDER_MANIFEST, WAC_FOLDER_PROGRESS};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char ending[PATH_MAX];
        size_t length = strlen(name);
        if (name_file(ending, "/", files[i], NULL) == WAC_STATUS_OK && length > strlen(ending) &&
            strcmp(name + length - strlen(ending), ending) == 0)
            return true;
    }
    return false;
}

static wac_status write_file(const char *path, const void *bytes, size_t size,
                             const unpacking *unpacking, wac_error *error)
{
    /* it does not last, and so needs no fsync */
    FILE *file = fopen(path, "wxe");
    bool written = file && fwrite(bytes, 1, size, file) == size;
    int failure = errno;
    if (file && fclose(file) != 0 && written) {
        written = false;
        failure = errno;
    }
    if (written)
        return WAC_STATUS_OK;
    if (!file && failure == EEXIST)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot unpack %s: it holds %s twice",
                        unpacking->archive, WAC_CLIP(path + strlen(unpacking->folder) + 1));
    if (failure == ENOMEM)
        return wac_fail_memory(error, unpacking->archive);
    return wac_fail(error, WAC_STATUS_IO,
                    "cannot unpack %s into %s: %s; set TMPDIR to a place that has room",
                    unpacking->archive, unpacking->folder, strerror(failure));
}

static wac_status unpack_file(void *user, const char *name, const void *bytes, size_t size,
                              wac_error *error)
{
    const unpacking *unpacking = user;
    char path[PATH_MAX];
    if (!is_packed_file(name))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is no archive of runs as \"wac pack\" makes it: it holds \"%s\"",
                        unpacking->archive, WAC_CLIP(name));
    WAC_TRY(wac_path_join(path, sizeof path, unpacking->folder, name, error));
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (!wac_path_exists(path))
        WAC_TRY(wac_directory_make(path, error));
    *slash = '/';
    return write_file(path, bytes, size, unpacking, error);
}

wac_status wac_packed_open(wac_temporary *folder, const char *archive, wac_error *error)
{
    WAC_TRY(wac_temporary_make(folder, "wac-runs", error));
    unpacking unpacking = {archive, folder->path};
    wac_status status = wac_archive_read(archive, unpack_file, &unpacking, error);
    if (status != WAC_STATUS_OK)
        wac_temporary_remove(folder);
    return status;
}
