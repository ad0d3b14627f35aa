/* Looking at folders. Who trains a run holds a lock on its folder; to try that lock, even for a
 * moment, could have somebody refused who wants it, so that the kernel's list of locks is read. */
#include "watch/shelf.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/status.h"
#include "base/words.h"
#include "config/config.h"
#include "stats/runset.h"
#include "sweep/folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

enum {
    DEEPEST = 16,      /* folders below folders */
    MOST_RUNS = 20000, /* that are watched */
    SEARCH_AFTER = 2,  /* seconds */
};

/* --- who trains what --------------------------------------------------------------------------*/

typedef struct lock {
    unsigned major, minor;
    unsigned long inode;
    pid_t process;
} lock;

/* The locks of this machine; free() them. Empty where the kernel does not tell. */
static lock *read_locks(size_t *count)
{
    lock *locks = NULL;
    size_t room = 0;
    char line[256];
    FILE *file = fopen("/proc/locks", "re");
    *count = 0;
    while (file && fgets(line, sizeof line, file)) {
        lock found;
        int process;
        if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%lu", &process, &found.major, &found.minor,
                   &found.inode) != 4)
            continue;
        if (*count == room) {
            room = 2 * room + 64;
            lock *more = realloc(locks, room * sizeof *locks);
            if (!more)
                break;
            locks = more;
        }
        found.process = process;
        locks[(*count)++] = found;
    }
    if (file)
        fclose(file);
    return locks;
}

/* The process that has a lock on this folder; 0: none, -1: one of another container. */
static pid_t find_lock(const lock *locks, size_t count, const struct stat *about)
{
    for (size_t i = 0; i < count; i++)
        if (locks[i].inode == about->st_ino && locks[i].major == major(about->st_dev) &&
            locks[i].minor == minor(about->st_dev))
            return locks[i].process > 0 ? locks[i].process : -1;
    return 0;
}

/* --- one run ----------------------------------------------------------------------------------*/

/* Whether a file is another than at the last look. */
static bool is_new(wac_watched_stamp *stamp, const char *directory, wac_folder_file file)
{
    char path[PATH_MAX];
    struct stat about;
    wac_watched_stamp now = {0};
    if (wac_folder_path(path, directory, file, NULL) == WAC_STATUS_OK && stat(path, &about) == 0)
        now = (wac_watched_stamp){about.st_ino, about.st_size, about.st_mtim};
    bool same = now.inode == stamp->inode && now.size == stamp->size &&
                now.changed.tv_sec == stamp->changed.tv_sec &&
                now.changed.tv_nsec == stamp->changed.tv_nsec;
    *stamp = now;
    return !same;
}

/* The rows, without a last line that is just being written. */
static wac_status read_rows(wac_watched *run, wac_error *error)
{
    char *text;
    size_t size;
    wac_history history;
    WAC_TRY(wac_progress_text(&text, &size, run->path, error));
    char *end = memrchr(text, '\n', size);
    size = end ? (size_t)(end + 1 - text) : 0;
    WAC_TRY(wac_history_parse(&history, text, size, "progress.csv", error));
    float *table = malloc((history.rows * WAC_COLUMN_TOTAL + 1) * sizeof *table);
    for (size_t row = 0; table && row < history.rows; row++)
        for (int column = 0; column < WAC_COLUMN_TOTAL; column++)
            table[row * WAC_COLUMN_TOTAL + (size_t)column] = (float)history.columns[column][row];
    size_t rows = history.rows;
    wac_history_free(&history);
    if (!table)
        return wac_fail_memory(error, "the rows of a run");
    free(run->table);
    run->table = table;
    if ((int64_t)rows > run->rows && run->rows > 0)
        run->heard = wac_clock_seconds();
    run->rows = (int64_t)rows;
    return WAC_STATUS_OK;
}

/* Whether somebody trains it whose lock is not seen from here: rows come in. */
static bool is_trained_elsewhere(const wac_watched *run)
{
    double epoch = run->rows > 1 ? run->seconds / (double)(run->rows - 1) : 0;
    return !run->was_locked && run->heard > 0 && wac_clock_seconds() - run->heard < 10 + 3 * epoch;
}

static void note_failure(wac_watched *run, const char *reason)
{
    run->state = WAC_WATCHED_FAILED;
    snprintf(run->reason, sizeof run->reason, "%.511s", reason);
}

/* Sees what became of a run; returns whether anything did. *settings: whether those did. */
static bool look_at(wac_watched *run, const lock *locks, size_t lock_count, bool *settings)
{
    struct stat about;
    wac_watched_state before = run->state;
    if (stat(run->path, &about) != 0) {
        run->state = WAC_WATCHED_GONE;
        run->process = 0;
        memset(run->stamps, 0, sizeof run->stamps);
        return before != run->state;
    }
    pid_t process = find_lock(locks, lock_count, &about);
    bool config = is_new(&run->stamps[0], run->path, WAC_FOLDER_CONFIG);
    bool progress = is_new(&run->stamps[1], run->path, WAC_FOLDER_PROGRESS);
    bool manifest = is_new(&run->stamps[2], run->path, WAC_FOLDER_MANIFEST);
    bool checkpoint = is_new(&run->stamps[3], run->path, WAC_FOLDER_CHECKPOINT);
    bool elsewhere = is_trained_elsewhere(run);
    *settings |= config;
    if (!config && !progress && !manifest && !checkpoint && process == run->process &&
        before != WAC_WATCHED_GONE && (before != WAC_WATCHED_TRAINING || process || elsewhere))
        return false;
    wac_error error = {0};
    wac_manifest told = {0};
    run->process = process;
    run->was_locked |= process != 0;
    run->saved += checkpoint;
    if (wac_folder_read_config(&run->config, run->path, &error) != WAC_STATUS_OK ||
        read_rows(run, &error) != WAC_STATUS_OK ||
        wac_manifest_read(&told, run->path, &error) != WAC_STATUS_OK) {
        note_failure(run, error.message);
        return true;
    }
    run->seconds = told.seconds;
    if (run->rows > 0) {
        double last = (double)run->table[(run->rows - 1) * WAC_COLUMN_TOTAL + WAC_COLUMN_SECONDS];
        run->seconds = fmax(run->seconds, isnan(last) ? 0 : last);
    }
    *run->reason = 0;
    if (process || is_trained_elsewhere(run))
        run->state = WAC_WATCHED_TRAINING;
    else if (told.finished)
        run->state = WAC_WATCHED_FINISHED;
    else if (told.diverged)
        note_failure(run, told.how);
    else
        run->state = WAC_WATCHED_STOPPED;
    return true;
}

/* --- finding them -----------------------------------------------------------------------------*/

static bool is_known(const wac_shelf *shelf, const char *path)
{
    for (size_t i = 0; i < shelf->count; i++)
        if (strcmp(shelf->runs[i].path, path) == 0)
            return true;
    return false;
}

/* `below`: where its name begins in the path. */
static void add_run(wac_shelf *shelf, const char *path, size_t below)
{
    if (shelf->count >= MOST_RUNS || is_known(shelf, path))
        return;
    wac_watched *runs = realloc(shelf->runs, (shelf->count + 1) * sizeof *runs);
    if (!runs)
        return;
    shelf->runs = runs;
    char *copy = strdup(path);
    if (!copy)
        return;
    const char *slash = strrchr(copy, '/');
    const char *own = slash && slash[1] ? slash + 1 : copy;
    wac_watched *run = &runs[shelf->count++];
    *run = (wac_watched){
        .path = copy, .name = strlen(copy) > below ? copy + below : own, .state = WAC_WATCHED_GONE};
}

static int is_candidate(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && !wac_has_control(entry->d_name, "") &&
           (length < 4 || strcmp(entry->d_name + length - 4, ".tmp") != 0) &&
           (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* A folder of runs, or one; links are not followed. */
static void search(wac_shelf *shelf, const char *path, size_t below, int depth)
{
    struct dirent **entries;
    if (wac_folder_is_run(path)) {
        add_run(shelf, path, below);
        return;
    }
    size_t listed, begun;
    if (wac_sweep_count(&listed, &begun, path, NULL) == WAC_STATUS_OK)
        shelf->listed += listed;
    int count = depth < DEEPEST ? scandir(path, &entries, is_candidate, alphasort) : -1;
    char *next = count > 0 ? malloc(PATH_MAX) : NULL;
    for (int i = 0; i < count; i++) {
        if (next &&
            wac_path_join(next, PATH_MAX, path, entries[i]->d_name, NULL) == WAC_STATUS_OK &&
            wac_path_is_folder(next))
            search(shelf, next, below, depth + 1);
        free(entries[i]);
    }
    free(next);
    if (count >= 0)
        free(entries);
}

static void search_folders(wac_shelf *shelf)
{
    char path[PATH_MAX];
    shelf->listed = 0;
    for (size_t i = 0; i < shelf->folder_count; i++) {
        size_t length = strlen(shelf->folders[i]);
        while (length > 1 && shelf->folders[i][length - 1] == '/')
            length--;
        if (length >= sizeof path)
            continue;
        snprintf(path, sizeof path, "%.*s", (int)length, shelf->folders[i]);
        /* of several folders each run tells which one it is in */
        search(shelf, path, shelf->folder_count == 1 ? length + 1 : 0, 0);
    }
}

/* --- groups -----------------------------------------------------------------------------------*/

static bool counts(const wac_setting *setting)
{
    return wac_group_counts(setting) && setting->offset != offsetof(wac_config, epochs) &&
           setting->offset != offsetof(wac_config, algorithm);
}

static bool is_same_world(const wac_watched *a, const wac_watched *b)
{
    return strcmp(a->config.environment, b->config.environment) == 0;
}

/* Whether two runs in the world of a run that both read a setting differ in it. */
static bool differs(const wac_shelf *shelf, const wac_watched *like, const wac_setting *setting)
{
    const wac_config *first = NULL;
    for (size_t i = 0; i < shelf->count; i++) {
        const wac_config *config = &shelf->runs[i].config;
        if (!is_same_world(&shelf->runs[i], like) || !wac_config_reads(config, setting))
            continue;
        if (first && wac_setting_compare(setting, first, config) != 0)
            return true;
        first = first ? first : config;
    }
    return false;
}

static void add_setting(wac_watched *run, const wac_setting *setting)
{
    char value[64];
    size_t used = strlen(run->group);
    if (!wac_config_reads(&run->config, setting))
        return;
    wac_config_format(&run->config, setting, value, sizeof value);
    snprintf(run->group + used, sizeof run->group - used, " %s %s", setting->name, value);
}

/* The runs in the world of the first of them: "oe-wac lambda 0.5". */
static void name_groups_in(wac_shelf *shelf, const wac_watched *first)
{
    const wac_setting *setting;
    for (size_t place = 0; (setting = wac_setting_named(place)); place++) {
        if (!counts(setting) || !differs(shelf, first, setting))
            continue;
        for (size_t i = 0; i < shelf->count; i++)
            if (is_same_world(&shelf->runs[i], first))
                add_setting(&shelf->runs[i], setting);
    }
}

static void name_groups(wac_shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++)
        snprintf(shelf->runs[i].group, sizeof shelf->runs[i].group, "%s",
                 *shelf->runs[i].config.environment
                     ? wac_algorithm_name((wac_algorithm)shelf->runs[i].config.algorithm)
                     : "");
    for (size_t i = 0; i < shelf->count; i++) {
        size_t first = 0;
        while (!is_same_world(&shelf->runs[first], &shelf->runs[i]))
            first++;
        if (first == i && *shelf->runs[i].config.environment)
            name_groups_in(shelf, &shelf->runs[i]);
    }
}

/* --- all of it --------------------------------------------------------------------------------*/

void wac_shelf_init(wac_shelf *shelf, char **folders, size_t count)
{
    *shelf = (wac_shelf){.folders = folders, .folder_count = count};
}

void wac_shelf_free(wac_shelf *shelf)
{
    for (size_t i = 0; i < shelf->count; i++) {
        free(shelf->runs[i].path);
        free(shelf->runs[i].table);
    }
    free(shelf->runs);
    *shelf = (wac_shelf){0};
}

void wac_shelf_look(wac_shelf *shelf)
{
    size_t before = shelf->count, listed = shelf->listed, lock_count;
    double now = wac_clock_seconds();
    if (now >= shelf->next_search) {
        search_folders(shelf);
        double end = wac_clock_seconds();
        shelf->next_search = end + fmax(SEARCH_AFTER, 20 * (end - now));
    }
    lock *locks = read_locks(&lock_count);
    int64_t version = shelf->version + 1;
    bool changed = shelf->count != before || shelf->listed != listed, settings = false;
    for (size_t i = 0; i < shelf->count; i++)
        if (look_at(&shelf->runs[i], locks, lock_count, &settings)) {
            shelf->runs[i].version = version;
            changed = true;
        }
    free(locks);
    if (settings) {
        name_groups(shelf);
        for (size_t i = 0; i < shelf->count; i++)
            shelf->runs[i].version = version;
    }
    if (changed)
        shelf->version = version;
}
