/* A disk that loses its power: what recorded calls (recorded_calls.h) may have left on it.
 *
 * A call is on the disk for certain once the file (writes, cuts) or the folder (names) that it
 * changed has been synced after it. Of those before the cut that are not certain, names may have
 * come through or not, each by itself and in any company; the bytes of a file may be lost, there,
 * half there, zeros of the right length, or the last of them without those before.
 */
#ifndef WAC_TESTS_SUPPORT_DISK_H
#define WAC_TESTS_SUPPORT_DISK_H

#include "support/folder.h"
#include "support/recorded_calls.h"

#include <fcntl.h>
#include <sys/stat.h>

enum {
    DISK_FREE = 9,    /* of more names than these not all companies are tried */
    DISK_UNSYNCED = 3 /* files with bytes in doubt at one moment */
};

/* What became of the bytes of a file that are in doubt. */
typedef enum disk_fate {
    DISK_FATE_LOST,
    DISK_FATE_THERE,
    DISK_FATE_HALF,
    DISK_FATE_ZEROS,
    DISK_FATE_LAST,
    DISK_FATE_TOTAL
} disk_fate;

/* A file or a folder, under whichever names. */
typedef struct disk_file {
    ino_t inode;
    bool is_folder;
    char *bytes; /* at the beginning */
    size_t size;
    size_t removed; /* the call from which on it is gone for certain */
    struct {
        size_t last, certain; /* calls that the bytes follow from */
        uint64_t hash;        /* 0: not known */
    } known[DISK_FATE_TOTAL];
} disk_file;

typedef struct disk_call {
    recorded_call call;
    char *bytes;
    int file, folder, other; /* which; -1: none, or none of this disk */
    size_t certain;          /* the call from which on this one is on the disk */
} disk_call;

typedef struct disk_name {
    int folder, file;
    char name[NAME_MAX + 1];
} disk_name;

typedef struct disk {
    disk_file *files;
    disk_call *calls;
    disk_name *names; /* at the beginning */
    size_t file_count, call_count, name_count;
} disk;

/* One state: the power is cut before call `cut`. */
typedef struct disk_state {
    size_t cut;
    uint64_t through; /* of the names in doubt, the first is bit 0 */
    disk_fate fates[DISK_UNSYNCED];
} disk_state;

static inline void *disk_grow(void *list, size_t count, size_t size)
{
    /* by powers of two */
    if (count & (count - 1))
        return list;
    list = realloc(list, (count ? 2 * count : 1) * size);
    assert_non_null(list);
    return list;
}

/* --- what there is -----------------------------------------------------------------------------*/

static inline int disk_add_file(disk *disk, ino_t inode, bool is_folder)
{
    disk->files = disk_grow(disk->files, disk->file_count, sizeof *disk->files);
    disk->files[disk->file_count] =
        (disk_file){.inode = inode, .is_folder = is_folder, .removed = SIZE_MAX};
    return (int)disk->file_count++;
}

/* The latest of this inode: numbers are used again. */
static inline int disk_find(const disk *disk, ino_t inode)
{
    for (size_t i = disk->file_count; i > 0; i--)
        if (disk->files[i - 1].inode == inode)
            return (int)i - 1;
    return -1;
}

/* What is below a folder now; the first is the root. */
static inline int disk_scan(disk *disk, const char *path)
{
    struct stat about;
    assert_int_equal(lstat(path, &about), 0);
    int id = disk_add_file(disk, about.st_ino, S_ISDIR(about.st_mode));
    if (!S_ISDIR(about.st_mode)) {
        size_t size;
        char *bytes = contents(path, &size);
        disk->files[id].bytes = bytes;
        disk->files[id].size = size;
        return id;
    }
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char below[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        assert_ok(wac_path_join(below, sizeof below, path, entry->d_name, &error));
        disk_name name = {.folder = id, .file = disk_scan(disk, below)};
        strcpy(name.name, entry->d_name);
        disk->names = disk_grow(disk->names, disk->name_count, sizeof *disk->names);
        disk->names[disk->name_count++] = name;
    }
    closedir(folder);
    return id;
}

static inline bool disk_is_name(const disk_call *call)
{
    return call->call.kind <= RECORDED_REMOVE;
}

static inline bool disk_is_data(const disk_call *call)
{
    return call->call.kind == RECORDED_WRITE || call->call.kind == RECORDED_CUT;
}

/* When each call was on the disk for certain: the next sync of what it changed. */
static inline void disk_date(disk *disk)
{
    for (size_t i = 0; i < disk->call_count; i++) {
        disk_call *call = &disk->calls[i];
        bool first = false, second = call->other < 0;
        call->certain = SIZE_MAX;
        for (size_t j = i + 1; j < disk->call_count && call->certain == SIZE_MAX; j++) {
            int synced = disk->calls[j].call.kind == RECORDED_SYNC ? disk->calls[j].file : -1;
            if (synced < 0)
                continue;
            first = first || synced == (disk_is_name(call) ? call->folder : call->file);
            second = second || synced == call->other;
            if (first && second)
                call->certain = j + 1;
        }
        if (call->call.kind == RECORDED_REMOVE)
            disk->files[call->file].removed = call->certain;
    }
}

/* The calls that changed what disk_scan() saw. */
static inline void disk_read(disk *disk, const char *path)
{
    size_t size;
    char *record = contents(path, &size);
    for (const char *from = record; from < record + size;) {
        disk_call it = {.folder = -1, .other = -1};
        memcpy(&it.call, from, sizeof it.call);
        from += sizeof it.call;
        if (disk_is_name(&it))
            it.folder = disk_find(disk, it.call.name.folder);
        if (it.call.kind == RECORDED_RENAME)
            it.other = disk_find(disk, it.call.other.folder);
        it.file = it.call.kind == RECORDED_MAKE && it.folder >= 0
                      ? disk_add_file(disk, it.call.file, it.call.is_folder)
                      : disk_find(disk, it.call.file);
        if (it.file >= 0 && (it.folder >= 0 || !disk_is_name(&it))) {
            it.bytes = malloc((size_t)it.call.size + 1);
            assert_non_null(it.bytes);
            memcpy(it.bytes, from, (size_t)it.call.size);
            disk->calls = disk_grow(disk->calls, disk->call_count, sizeof *disk->calls);
            disk->calls[disk->call_count++] = it;
        }
        from += it.call.size;
    }
    free(record);
    disk_date(disk);
}

static inline void disk_free(disk *disk)
{
    for (size_t i = 0; i < disk->file_count; i++)
        free(disk->files[i].bytes);
    for (size_t i = 0; i < disk->call_count; i++)
        free(disk->calls[i].bytes);
    free(disk->files);
    free(disk->calls);
    free(disk->names);
    memset(disk, 0, sizeof *disk);
}

/* --- what is in doubt --------------------------------------------------------------------------*/

static inline bool disk_is_doubtful(const disk *disk, size_t i, size_t cut)
{
    const disk_call *call = &disk->calls[i];
    int place = disk_is_name(call) ? call->folder : call->file;
    return call->certain > cut && disk->files[place].removed > cut;
}

/* The names in doubt, how many. */
static inline size_t disk_doubts(const disk *disk, size_t cut)
{
    size_t count = 0;
    for (size_t i = 0; i < cut; i++)
        count += disk_is_name(&disk->calls[i]) && disk_is_doubtful(disk, i, cut);
    return count;
}

/* The files whose bytes are in doubt, and how many. */
static inline size_t disk_unsynced(const disk *disk, size_t cut, int files[DISK_UNSYNCED])
{
    size_t count = 0;
    for (size_t i = 0; i < cut; i++) {
        if (!disk_is_data(&disk->calls[i]) || !disk_is_doubtful(disk, i, cut))
            continue;
        bool known = false;
        for (size_t j = 0; j < count; j++)
            known = known || files[j] == disk->calls[i].file;
        if (known)
            continue;
        assert_true(count < DISK_UNSYNCED);
        files[count++] = disk->calls[i].file;
    }
    return count;
}

/* --- a state -----------------------------------------------------------------------------------*/

/* The bytes of a file, malloc'd. */
static inline char *disk_bytes(const disk *disk, int file, size_t cut, disk_fate fate, size_t *size)
{
    size_t last = 0, room = disk->files[file].size + 1;
    for (size_t i = 0; i < cut; i++)
        if (disk_is_data(&disk->calls[i]) && disk->calls[i].file == file) {
            last = i;
            room += (size_t)(disk->calls[i].call.start + disk->calls[i].call.size);
        }
    char *bytes = calloc(room, 1);
    assert_non_null(bytes);
    *size = disk->files[file].size;
    if (*size)
        memcpy(bytes, disk->files[file].bytes, *size);
    for (size_t i = 0; i < cut; i++) {
        const disk_call *call = &disk->calls[i];
        if (!disk_is_data(call) || call->file != file)
            continue;
        bool sure = call->certain <= cut, is_last = i == last;
        if (!sure && (fate == DISK_FATE_LOST || (fate == DISK_FATE_LAST && !is_last)))
            continue;
        size_t start = (size_t)call->call.start, length = (size_t)call->call.size;
        if (call->call.kind == RECORDED_CUT) {
            if (start < *size)
                memset(bytes + start, 0, *size - start);
            *size = start;
            continue;
        }
        if (!sure && fate == DISK_FATE_HALF && is_last)
            length /= 2;
        if (sure || fate != DISK_FATE_ZEROS)
            memcpy(bytes + start, call->bytes, length);
        if (start + length > *size)
            *size = start + length;
    }
    return bytes;
}

static inline void disk_remove_name(disk_name *names, size_t *count, int folder, const char *name,
                                    int file)
{
    for (size_t i = 0; i < *count; i++)
        if (names[i].folder == folder && strcmp(names[i].name, name) == 0 &&
            (file < 0 || names[i].file == file)) {
            names[i] = names[--*count];
            return;
        }
}

/* All names of a state, malloc'd. */
static inline disk_name *disk_names(const disk *disk, const disk_state *state, size_t *count)
{
    disk_name *names = malloc((disk->name_count + state->cut + 1) * sizeof *names);
    uint64_t through = state->through;
    assert_non_null(names);
    *count = disk->name_count;
    if (*count)
        memcpy(names, disk->names, *count * sizeof *names);
    for (size_t i = 0; i < state->cut; i++) {
        const disk_call *call = &disk->calls[i];
        if (!disk_is_name(call))
            continue;
        if (disk_is_doubtful(disk, i, state->cut)) {
            bool came = through & 1;
            through >>= 1;
            if (!came)
                continue;
        }
        const recorded_name *name =
            call->call.kind == RECORDED_RENAME ? &call->call.other : &call->call.name;
        int folder = call->call.kind == RECORDED_RENAME ? call->other : call->folder;
        if (call->call.kind != RECORDED_MAKE)
            disk_remove_name(names, count, call->folder, call->call.name.name, call->file);
        if (call->call.kind == RECORDED_REMOVE || folder < 0)
            continue;
        disk_remove_name(names, count, folder, name->name, -1);
        disk_name *made = &names[(*count)++];
        *made = (disk_name){.folder = folder, .file = call->file};
        strcpy(made->name, name->name);
    }
    return names;
}

static inline disk_fate disk_fate_of(const disk *disk, const disk_state *state, int file)
{
    int files[DISK_UNSYNCED];
    size_t count = disk_unsynced(disk, state->cut, files);
    for (size_t i = 0; i < count; i++)
        if (files[i] == file)
            return state->fates[i];
    return DISK_FATE_THERE;
}

/* What is done with each file and folder of a state, folders before what is in them. */
typedef void disk_visitor(void *user, disk *disk, const disk_state *state, int file,
                          const char *path);

static inline int disk_by_name(const void *a, const void *b)
{
    return strcmp(((const disk_name *)a)->name, ((const disk_name *)b)->name);
}

static inline void disk_visit_below(disk *disk, const disk_state *state, const disk_name *names,
                                    size_t count, int folder, const char *path, disk_visitor *visit,
                                    void *user)
{
    for (size_t i = 0; i < count; i++) {
        char below[PATH_MAX];
        if (names[i].folder != folder)
            continue;
        assert_ok(wac_path_join(below, sizeof below, path, names[i].name, &error));
        visit(user, disk, state, names[i].file, below);
        if (disk->files[names[i].file].is_folder)
            disk_visit_below(disk, state, names, count, names[i].file, below, visit, user);
    }
}

static inline void disk_visit(disk *disk, const disk_state *state, const char *path,
                              disk_visitor *visit, void *user)
{
    size_t count;
    disk_name *names = disk_names(disk, state, &count);
    qsort(names, count, sizeof *names, disk_by_name);
    disk_visit_below(disk, state, names, count, 0, path, visit, user);
    free(names);
}

static inline void disk_save_entry(void *user, disk *disk, const disk_state *state, int file,
                                   const char *path)
{
    (void)user;
    if (disk->files[file].is_folder) {
        assert_int_equal(mkdir(path, 0777), 0);
        return;
    }
    size_t size;
    char *bytes = disk_bytes(disk, file, state->cut, disk_fate_of(disk, state, file), &size);
    int to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    assert_true(to >= 0 && write(to, bytes, size) == (ssize_t)size);
    close(to);
    free(bytes);
}

/* A state as a folder, which must not be there. */
static inline void disk_save(disk *disk, const disk_state *state, const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
    disk_visit(disk, state, path, disk_save_entry, NULL);
}

/* FNV-1a */
#define DISK_HASH UINT64_C(0xcbf29ce484222325)

static inline uint64_t disk_hash(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* The hash of a file's bytes; what it was last is kept. */
static inline uint64_t disk_hash_file(disk *disk, const disk_state *state, int file)
{
    disk_fate fate = disk_fate_of(disk, state, file);
    size_t last = 0, certain = 0;
    for (size_t i = 0; i < state->cut; i++)
        if (disk_is_data(&disk->calls[i]) && disk->calls[i].file == file) {
            last = i;
            certain += disk->calls[i].certain <= state->cut;
        }
    __typeof__(*disk->files->known) *known = &disk->files[file].known[fate];
    if (!known->hash || known->last != last || known->certain != certain) {
        size_t size;
        char *bytes = disk_bytes(disk, file, state->cut, fate, &size);
        known->last = last;
        known->certain = certain;
        known->hash = disk_hash(DISK_HASH, &size, sizeof size);
        known->hash = disk_hash(known->hash, bytes, size);
        free(bytes);
    }
    return known->hash;
}

static inline void disk_hash_entry(void *user, disk *disk, const disk_state *state, int file,
                                   const char *path)
{
    uint64_t *hash = user,
             own = disk->files[file].is_folder ? 0 : disk_hash_file(disk, state, file);
    *hash = disk_hash(*hash, path, strlen(path) + 1);
    *hash = disk_hash(*hash, &own, sizeof own);
}

/* --- all states --------------------------------------------------------------------------------*/

typedef struct disk_states {
    disk_state *list;
    uint64_t *hashes;
    size_t count, skipped; /* moments of which not every company of names was tried */
} disk_states;

static inline void disk_consider(disk_states *states, disk *disk, const disk_state *state)
{
    uint64_t hash = DISK_HASH;
    disk_visit(disk, state, "", disk_hash_entry, &hash);
    for (size_t i = states->count; i > 0; i--)
        if (states->hashes[i - 1] == hash) {
            states->list[i - 1] = *state; /* the same, but later */
            return;
        }
    states->list = disk_grow(states->list, states->count, sizeof *states->list);
    states->hashes = disk_grow(states->hashes, states->count, sizeof *states->hashes);
    states->list[states->count] = *state;
    states->hashes[states->count++] = hash;
}

/* With every fate of the bytes. */
static inline void disk_consider_fates(disk_states *states, disk *disk, disk_state state)
{
    int files[DISK_UNSYNCED];
    size_t count = disk_unsynced(disk, state.cut, files), all = 1;
    for (size_t i = 0; i < count; i++)
        all *= DISK_FATE_TOTAL;
    for (size_t number = 0; number < all; number++) {
        size_t rest = number;
        for (size_t i = 0; i < count; i++, rest /= DISK_FATE_TOTAL)
            state.fates[i] = (disk_fate)(rest % DISK_FATE_TOTAL);
        disk_consider(states, disk, &state);
    }
}

/* Every state that a cut may leave, each once. */
static inline void disk_list(disk_states *states, disk *disk)
{
    for (size_t cut = 0; cut <= disk->call_count; cut++) {
        size_t doubts = disk_doubts(disk, cut);
        assert_true(doubts < 64);
        uint64_t all = (UINT64_C(1) << doubts) - 1;
        if (doubts <= DISK_FREE) {
            for (uint64_t through = 0; through <= all; through++)
                disk_consider_fates(states, disk, (disk_state){cut, through, {0}});
            continue;
        }
        /* those up to one, those from one on, one alone, all but one */
        states->skipped++;
        for (size_t i = 0; i < doubts; i++) {
            const uint64_t bit = UINT64_C(1) << i,
                           some[] = {bit - 1, all & ~(bit - 1), bit, all & ~bit, all};
            for (size_t j = 0; j < sizeof some / sizeof *some; j++)
                disk_consider_fates(states, disk, (disk_state){cut, some[j], {0}});
        }
    }
}

#endif
