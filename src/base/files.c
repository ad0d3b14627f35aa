/* Files and folders that are replaced whole or not at all.
 *
 * A run may be killed, or its disk may fill up, at any moment; what it saved before has to survive
 * that. So new bytes go to a temporary name, reach the disk by fsync, and only then take the real
 * name by rename, which the system does in one step.
 */
#include "base/files.h"

#include "base/status.h"
#include "base/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

const char *wac_file_advice(int code)
{
    switch (code) {
    case ENOSPC:
    case EDQUOT:
        return "free some space and try again";
    case EACCES:
    case EPERM:
        return "check the permissions of it and of its folder";
    case EROFS:
        return "choose a place that can be written to";
    case ENOENT:
    case ENOTDIR:
        return "check that the path is right";
    case EISDIR:
        return "choose a name that is not a folder's";
    case EFBIG:
        return "raise the limit on the size of files (ulimit -f) and try again";
    case EMFILE:
    case ENFILE:
        return "raise the limit on open files (ulimit -n) and try again";
    case ENAMETOOLONG:
        return "choose a shorter path";
    case ENOMEM:
        return "free some memory and try again";
    default:
        return "check the disk and try again";
    }
}

/* a message has room for the reason, too, however long the path is */
enum { MOST_OF_PATH = 800 };

static wac_status fail_system(wac_error *error, const char *verb, const char *path, int code)
{
    wac_status status = code == ENOMEM ? WAC_STATUS_MEMORY : WAC_STATUS_IO;
    errno = code; /* printed by %m */
    return wac_fail(error, status, "cannot %s %.*s: %m; %s", verb, MOST_OF_PATH, path,
                    wac_file_advice(code));
}

int wac_file_sync(int file)
{
    int failure;
    do
        failure = fsync(file) ? errno : 0;
    while (failure == EINTR);
    return failure;
}

/* 0 or errno */
static int sync_and_close(int file)
{
    int failure = wac_file_sync(file);
    if (close(file) && errno != EINTR && !failure)
        failure = errno;
    return failure;
}

int wac_open(const char *path, int flags)
{
    int file;
    do
        file = open(path, flags | O_CLOEXEC, 0666);
    while (file < 0 && errno == EINTR);
    if (file < 0 || file > STDERR_FILENO)
        return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), failure = errno;
    close(file);
    errno = failure;
    return moved;
}

/* Make names in a folder, or the bytes of a file, survive a power cut; 0 or errno. */
static int sync_path(const char *path)
{
    int file = wac_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return errno;
    int failure = sync_and_close(file);
    return failure == EINVAL ? 0 : failure; /* some file systems cannot sync folders */
}

static int sync_folder_of(const char *path)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    /* the folder of "/name" is "/"; longer paths than the system takes do not come here */
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return sync_path(folder);
}

void wac_writer_begin(wac_writer *writer, const char *path)
{
    enum { ATTEMPTS = 1000 };
    *writer = (wac_writer){.path = path, .file = -1};
    /* not mkstemp, whose files ignore the umask and are private */
    for (int i = 0; i < ATTEMPTS && writer->file < 0; i++) {
        int length = snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld-%d.tmp", path,
                              (long)getpid(), i);
        if (length >= (int)sizeof writer->temporary) {
            writer->failure = ENAMETOOLONG;
            return;
        }
        writer->file = wac_open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (writer->file < 0 && errno != EEXIST)
            break;
    }
    if (writer->file < 0)
        writer->failure = errno;
}

void wac_writer_add(wac_writer *writer, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && !writer->failure) {
        ssize_t done = write(writer->file, from, size);
        if (done > 0) {
            from += done;
            size -= (size_t)done;
        } else if (done == 0) {
            writer->failure = EIO;
        } else if (errno != EINTR) {
            writer->failure = errno;
        }
    }
}

wac_status wac_writer_commit(wac_writer *writer, wac_error *error)
{
    if (writer->file >= 0) {
        int failure = sync_and_close(writer->file);
        if (!writer->failure)
            writer->failure = failure;
        if (!writer->failure && rename(writer->temporary, writer->path))
            writer->failure = errno;
        if (writer->failure)
            unlink(writer->temporary);
        else
            writer->failure = sync_folder_of(writer->path);
        writer->file = -1;
    }
    return writer->failure ? fail_system(error, "write", writer->path, writer->failure)
                           : WAC_STATUS_OK;
}

wac_status wac_file_write(const char *path, const void *bytes, size_t size, wac_error *error)
{
    wac_writer writer;
    wac_writer_begin(&writer, path);
    wac_writer_add(&writer, bytes, size);
    return wac_writer_commit(&writer, error);
}

/* The bytes of an open file; 0 or errno, EAGAIN if it changes its size meanwhile. */
static int read_all(int file, char *bytes, size_t size)
{
    size_t have = 0;
    /* ask for one byte more, to see the end */
    while (have <= size) {
        ssize_t done = read(file, bytes + have, size + 1 - have);
        if (done < 0 && errno != EINTR)
            return errno;
        if (done == 0)
            break;
        if (done > 0)
            have += (size_t)done;
    }
    bytes[size] = 0;
    return have == size ? 0 : EAGAIN;
}

/* *changed: nothing was wrong but that somebody wrote to it meanwhile. */
static wac_status read_once(char **bytes, size_t *size, const char *path, size_t limit,
                            bool *changed, wac_error *error)
{
    *bytes = NULL;
    *changed = false;
    /* O_NONBLOCK: do not wait for the other end of a pipe */
    int file = wac_open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0)
        return fail_system(error, "read", path, errno);

    wac_status status = WAC_STATUS_OK;
    struct stat about;
    if (fstat(file, &about)) {
        status = fail_system(error, "read", path, errno);
    } else if (!S_ISREG(about.st_mode)) {
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "cannot read %s: it is not a regular file; check that the path is right",
                          path);
    } else if ((uintmax_t)about.st_size > limit) {
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "cannot read %s: it has %jd bytes and at most %zu make sense here; check "
                          "that it is the right file",
                          path, (intmax_t)about.st_size, limit);
    } else if (!(*bytes = malloc((size_t)about.st_size + 1))) {
        status = wac_fail_memory(error, path);
    } else {
        int failure = read_all(file, *bytes, (size_t)about.st_size);
        *changed = failure == EAGAIN;
        if (*changed)
            status = wac_fail(error, WAC_STATUS_IO,
                              "cannot read %s: it changed meanwhile; try again once it is written",
                              path);
        else if (failure)
            status = fail_system(error, "read", path, failure);
    }
    close(file);
    if (status != WAC_STATUS_OK) {
        free(*bytes);
        *bytes = NULL;
    } else if (size) {
        *size = (size_t)about.st_size;
    }
    return status;
}

int wac_file_append(int file, const void *bytes, size_t size)
{
    off_t end = lseek(file, 0, SEEK_END);
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, (const char *)bytes + done, size - done);
        if (written > 0) {
            done += (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            int code = written == 0 ? EIO : errno;
            bool cut = end >= 0 && ftruncate(file, end) == 0;
            (void)cut;
            return code;
        }
    }
    return 0;
}

wac_status wac_file_read(char **bytes, size_t *size, const char *path, size_t limit,
                         wac_error *error)
{
    enum { ATTEMPTS = 10 };
    bool changed = true;
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < ATTEMPTS && changed; i++)
        status = read_once(bytes, size, path, limit, &changed, error);
    return status;
}

wac_status wac_path_look(bool *there, const char *path, wac_error *error)
{
    *there = access(path, F_OK) == 0;
    return *there || errno == ENOENT || errno == ENOTDIR
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_IO, "cannot look for %s: %s; try again", path,
                          strerror(errno));
}

void wac_program_path(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
}

bool wac_path_exists(const char *path)
{
    bool there;
    return wac_path_look(&there, path, NULL) != WAC_STATUS_OK || there;
}

bool wac_path_is_folder(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

wac_status wac_path_join(char *path, size_t size, const char *directory, const char *name,
                         wac_error *error)
{
    size_t length = strlen(directory);
    const char *between = length == 0 || directory[length - 1] == '/' ? "" : "/";
    int written = snprintf(path, size, "%s%s%s", directory, between, name);
    if ((size_t)written >= size)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the path of %.80s in %.*s is too long; choose a shorter one", name,
                        MOST_OF_PATH, directory);
    if (wac_has_control(name, ""))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the name of %s in %s has control characters; choose another one", name,
                        directory);
    return WAC_STATUS_OK;
}

static wac_status fail_exists(wac_error *error, const char *path)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "cannot make %s: it exists already; choose another name or remove it", path);
}

wac_status wac_directory_temporary(char *path, size_t size, const char *name, wac_error *error)
{
    char pattern[64];
    const char *base = getenv("TMPDIR");
    snprintf(pattern, sizeof pattern, "%s-XXXXXX", name);
    WAC_TRY(wac_path_join(path, size, base && *base ? base : P_tmpdir, pattern, error));
    if (!mkdtemp(path))
        return wac_fail(error, WAC_STATUS_IO,
                        "cannot make a temporary folder %s: %s; set TMPDIR to a place that can be "
                        "written to",
                        path, strerror(errno));
    return WAC_STATUS_OK;
}

/* One folder, whose name survives a power cut, or none; 0 or errno. */
static int make_folder(const char *path)
{
    if (mkdir(path, 0777))
        return errno;
    int failure = sync_folder_of(path);
    if (failure)
        rmdir(path);
    return failure;
}

wac_status wac_directory_make(const char *path, wac_error *error)
{
    char whole[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof whole)
        return fail_system(error, "make", path, ENAMETOOLONG);
    strcpy(whole, path);
    while (length > 1 && whole[length - 1] == '/')
        whole[--length] = 0;
    int failure = make_folder(whole);
    if (failure == ENOENT) {
        /* make what is missing on the way, from the top */
        for (char *slash = whole; *slash && (slash = strchr(slash + 1, '/'));) {
            *slash = 0;
            failure = make_folder(whole);
            if (failure && failure != EEXIST)
                return fail_system(error, "make", whole, failure);
            *slash = '/';
        }
        failure = make_folder(whole);
    }
    errno = failure;
    return failure == 0        ? WAC_STATUS_OK
           : failure == EEXIST ? fail_exists(error, path)
                               : fail_system(error, "make", path, failure);
}

/* 0 or errno */
typedef int entry_fn(const char *path, bool is_folder);

static int remove_entry(const char *path, bool is_folder)
{
    return (is_folder ? rmdir(path) : unlink(path)) ? errno : 0;
}

static int sync_entry(const char *path, bool is_folder)
{
    (void)is_folder;
    return sync_path(path);
}

/* A place below which something is done; `path` is of the entry at hand, or of the one that
 * failed. */
typedef struct tree {
    entry_fn *action;
    bool only_files; /* nothing is done to links and the like */
    dev_t device;    /* others are left alone */
    char path[PATH_MAX];
} tree;

static int walk_entry(tree *tree, size_t length, bool is_root);

/* What a folder holds; 0 or errno. */
static int walk_folder(tree *tree, size_t length)
{
    DIR *folder = opendir(tree->path);
    if (!folder)
        return errno;
    int failure = 0;
    while (!failure) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry) {
            failure = errno;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        size_t more = strlen(entry->d_name) + 1;
        if (length + more >= sizeof tree->path) {
            failure = ENAMETOOLONG;
            break;
        }
        tree->path[length] = '/';
        strcpy(tree->path + length + 1, entry->d_name);
        failure = walk_entry(tree, length + more, false);
        if (!failure)
            tree->path[length] = 0;
    }
    closedir(folder);
    return failure;
}

static int walk_entry(tree *tree, size_t length, bool is_root)
{
    struct stat about;
    if (lstat(tree->path, &about))
        return errno;
    if (is_root)
        tree->device = about.st_dev;
    bool is_folder = S_ISDIR(about.st_mode);
    if (is_folder && about.st_dev == tree->device) {
        int failure = walk_folder(tree, length);
        if (failure)
            return failure;
    }
    return is_folder || S_ISREG(about.st_mode) || !tree->only_files
               ? tree->action(tree->path, is_folder)
               : 0;
}

/* Do something to all below `path`, folders after what is in them; links are not followed. */
static wac_status walk(const char *path, entry_fn *action, const char *verb, wac_error *error)
{
    tree tree = {.action = action, .only_files = action == sync_entry};
    size_t length = strlen(path);
    int failure = length < sizeof tree.path ? 0 : ENAMETOOLONG;
    if (!failure) {
        strcpy(tree.path, path);
        failure = walk_entry(&tree, length, true);
    }
    return failure ? fail_system(error, verb, *tree.path ? tree.path : path, failure)
                   : WAC_STATUS_OK;
}

wac_status wac_directory_remove(const char *path, wac_error *error)
{
    struct stat about;
    if (lstat(path, &about))
        return errno == ENOENT ? WAC_STATUS_OK : fail_system(error, "remove", path, errno);
    if (!S_ISDIR(about.st_mode) && !S_ISLNK(about.st_mode))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "cannot remove %s: it is not a folder; check that the path is right", path);
    return walk(path, remove_entry, "remove", error);
}

wac_status wac_directory_place(const char *path, const char *fresh, wac_error *error)
{
    WAC_TRY(walk(fresh, sync_entry, "write", error));
    if (rename(fresh, path))
        return errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR
                   ? fail_exists(error, path)
                   : fail_system(error, "make", path, errno);
    int failure = sync_folder_of(path);
    return failure ? fail_system(error, "make", path, failure) : WAC_STATUS_OK;
}

wac_status wac_directory_replace(const char *path, const char *fresh, wac_error *error)
{
    char old[PATH_MAX], place[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length + sizeof ".old" > sizeof old)
        return fail_system(error, "replace", path, ENAMETOOLONG);
    sprintf(place, "%.*s", (int)length, path);
    sprintf(old, "%.*s.old", (int)length, path);

    WAC_TRY(walk(fresh, sync_entry, "write", error));
    /* without `place`, `old` is the only whole one: keep it until the fresh one is there */
    struct stat about;
    bool had = lstat(place, &about) == 0;
    if (!had && errno != ENOENT)
        return fail_system(error, "replace", place, errno);
    if (had) {
        WAC_TRY(wac_directory_remove(old, error));
        if (rename(place, old))
            return fail_system(error, "replace", place, errno);
    }
    if (rename(fresh, place)) {
        int failure = errno;
        if (had)
            rename(old, place);
        return fail_system(error, "replace", place, failure);
    }
    int failure = sync_folder_of(place);
    if (failure)
        return fail_system(error, "replace", place, failure);
    return wac_directory_remove(old, error);
}

static bool is_leftover(const char *entry, const char *name)
{
    const char *end = strrchr(entry, '.');
    if (!end || strcmp(end, ".tmp") != 0)
        return false;
    if (!name)
        return true;
    size_t length = strlen(name);
    if (strncmp(entry, name, length) != 0 || entry[length] != '.')
        return false;
    const char *digits = entry + length + 1;
    return digits < end && digits + strspn(digits, "0123456789-") == end;
}

wac_status wac_directory_look(bool *unused, const char *directory, const char *name,
                              wac_error *error)
{
    DIR *folder = opendir(directory);
    *unused = folder != NULL;
    const struct dirent *entry;
    while (*unused && (errno = 0, entry = readdir(folder)))
        *unused =
            strspn(entry->d_name, ".") == strlen(entry->d_name) || is_leftover(entry->d_name, name);
    int failure = errno; /* 0 after the last entry, or one that counts */
    if (folder)
        closedir(folder);
    *unused = *unused && failure == 0;
    /* what is no folder is something */
    return failure && failure != ENOTDIR ? fail_system(error, "read", directory, failure)
                                         : WAC_STATUS_OK;
}

bool wac_directory_is_unused(const char *directory, const char *name)
{
    bool unused;
    return wac_directory_look(&unused, directory, name, NULL) == WAC_STATUS_OK && unused;
}

bool wac_directory_hold(int *held, const char *path)
{
    struct stat ours, there;
    *held = wac_open(path, O_RDONLY | O_DIRECTORY);
    if (*held < 0)
        return errno != ENOENT;
    bool lost = flock(*held, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    lost =
        lost || (stat(path, &there) != 0 ? errno == ENOENT
                                         : fstat(*held, &ours) == 0 && ours.st_ino != there.st_ino);
    if (lost)
        close(*held);
    return !lost;
}

/* A folder that is being made is not left over. */
static void remove_unheld(const char *path)
{
    int held;
    if (!wac_directory_hold(&held, path))
        return;
    (void)wac_directory_remove(path, NULL);
    if (held >= 0)
        close(held);
}

void wac_directory_tidy(const char *directory, const char *name)
{
    DIR *folder = opendir(directory);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[PATH_MAX];
        if (!is_leftover(entry->d_name, name) ||
            wac_path_join(path, sizeof path, directory, entry->d_name, NULL) != WAC_STATUS_OK)
            continue;
        if (unlink(path) != 0)
            remove_unheld(path);
    }
    if (folder)
        closedir(folder);
}
