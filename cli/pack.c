/* wac pack: runs in one small file. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/status.h"
#include "config/environments.h"
#include "report/note.h"
#include "report/pack.h"
#include "run/packed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "wac pack: runs in one small file, to keep or to publish\n"
    "\n"
    "Usage\n"
    "  wac pack DIR... [--out FILE.tar.xz] [--maps]\n"
    "\n"
    "Packs every run at or below DIR (or in an archive that was packed before): its\n"
    "settings, manifest and progress.csv, and what measures ask of its checkpoint.\n"
    "Networks are kept of the runs that maps of the experiment show, replays never.\n"
    "A packed run can be read, judged and drawn, but not resumed. Wherever a folder\n"
    "of runs is read (stats, report, reproduce --from, render) the file, or a folder\n"
    "with a runs.tar.xz in it, will do. The same runs give the same bytes, and any\n"
    "tar unpacks them.\n"
    "\n"
    "Flags\n"
    "  --out FILE          the archive, FILE.tar.xz (of what \"wac reproduce\" made\n"
    "                      DIR/runs.tar.xz, else DIR.tar.xz); one that is there is\n"
    "                      replaced, whole or not at all\n"
    "  --maps              keep the networks of one run of each group of settings\n"
    "\n"
    "Examples\n"
    "  wac pack reproduced/riverswim-quick\n"
    "  wac pack sweeps/lambda --maps\n"
    "  wac pack part-1.tar.xz part-2.tar.xz --out results/prior/runs.tar.xz\n"
    "  wac reproduce prior --from results/prior\n";

static const char *out;
static bool maps;
static const cli_option options[] = {
    {"out", .text = &out},
    {"maps", .on = &maps},
    {0},
};

enum { MOST_FOLDERS = 64 };

/* What to pack: the runs of folders that "wac reproduce" made, anything else as it is. */
typedef struct places {
    char *roots[MOST_FOLDERS + 1];
    size_t count;
    wac_experiment *experiment; /* of the first such folder */
} places;

static int add_place(places *places, const char *word)
{
    wac_note note = {0};
    char path[PATH_MAX], *alone[] = {(char *)word, NULL};
    wac_error error = {0};
    if (wac_note_read(&note, word, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    bool noted = note.runs;
    int status = CLI_OK;
    if (noted && !places->experiment &&
        wac_path_join(path, sizeof path, word, "experiment.yaml", NULL) == WAC_STATUS_OK &&
        wac_experiment_read(&places->experiment, path, NULL) != WAC_STATUS_OK)
        places->experiment = NULL; /* then without its maps */
    for (char **root = noted ? note.runs : alone; *root && !status; root++)
        if (places->count == MOST_FOLDERS)
            status = cli_refuse("more than %d folders to pack", MOST_FOLDERS);
        else if (!(places->roots[places->count++] = strdup(*root)))
            status = cli_fail(&(wac_error){.message = "out of memory for the list of folders"});
    wac_note_free(&note);
    return status;
}

/* Where the archive goes, if that was not said; *home: into the folder of an experiment. */
static int choose_out(char path[PATH_MAX], char **words, bool *home)
{
    wac_note note = {0};
    size_t length = strlen(words[0]);
    *home = false;
    if (out)
        return snprintf(path, PATH_MAX, "%s", out) < PATH_MAX ? CLI_OK
                                                              : cli_refuse("--out is too long");
    if (words[1])
        return cli_refuse("name the archive with --out, as in --out all" WAC_PACKED_ENDING);
    while (length > 1 && words[0][length - 1] == '/')
        length--;
    wac_error error = {0};
    if (wac_note_read(&note, words[0], &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    *home = note.runs;
    wac_note_free(&note);
    int size = *home ? snprintf(path, PATH_MAX, "%.*s/" WAC_PACKED_RUNS, (int)length, words[0])
                     : snprintf(path, PATH_MAX, "%.*s" WAC_PACKED_ENDING, (int)length, words[0]);
    return size < PATH_MAX ? CLI_OK : cli_refuse("the path %.60s... is too long", words[0]);
}

static wac_status make_folder_of(const char *path, wac_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 0, path);
    return *folder && !wac_path_exists(folder) ? wac_directory_make(folder, error) : WAC_STATUS_OK;
}

/* An experiment whose runs lay elsewhere has them in its folder from now on. */
static wac_status bring_home(const char *directory, wac_error *error)
{
    wac_note note;
    WAC_TRY(wac_note_read(&note, directory, error));
    if (!note.runs)
        return WAC_STATUS_OK;
    wac_note moved = note;
    moved.runs = NULL;
    wac_status status = wac_note_write(&moved, directory, error);
    wac_note_free(&note);
    return status;
}

static int pack(const places *places, const char *path, const char *home)
{
    wac_runset set;
    wac_error error = {0};
    size_t networks;
    char runs[48], kept[48] = "";
    struct stat about = {0};
    const char *const *roots = (const char *const *)places->roots;
    if (wac_runset_load(&set, roots, places->count, false, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    wac_pack_options how = {.out = path,
                            .roots = roots,
                            .root_count = places->count,
                            .experiment = places->experiment,
                            .maps = maps};
    /* environments of Python start the program anew: before anything is written */
    const wac_environment_type *type;
    for (size_t i = 0; i < set.count; i++)
        if (wac_environment_is_guest(set.runs[i].config.environment))
            (void)wac_environment_type_find(&type, set.runs[i].config.environment, NULL);
    wac_status status = make_folder_of(path, &error);
    if (status == WAC_STATUS_OK)
        status = wac_pack(&set, &how, &networks, &error);
    if (status == WAC_STATUS_OK && home)
        status = bring_home(home, &error);
    if (status == WAC_STATUS_OK) {
        (void)stat(path, &about);
        if (networks)
            snprintf(kept, sizeof kept, ", %zu with networks", networks);
        fprintf(stderr, "%s%s, %.0f kB\n", cli_count(runs, (int64_t)set.count, "run"), kept,
                (double)about.st_size / 1000);
        printf("%s\n", path);
    }
    wac_runset_free(&set);
    return status == WAC_STATUS_OK ? CLI_OK : cli_blame(&error);
}

static int run(char **words)
{
    char path[PATH_MAX];
    places places = {.count = 0};
    bool home;
    size_t ending = strlen(WAC_PACKED_ENDING);
    if (out &&
        (strlen(out) <= ending || strcmp(out + strlen(out) - ending, WAC_PACKED_ENDING) != 0))
        return cli_refuse("the archive must be called FILE" WAC_PACKED_ENDING ", not \"%s\"", out);
    int status = choose_out(path, words, &home);
    for (char **word = words; *word && !status; word++)
        status = **word ? add_place(&places, *word) : cli_refuse("the name of a folder is empty");
    if (!status)
        status = pack(&places, path, home ? words[0] : NULL);
    wac_experiment_free(places.experiment);
    for (size_t i = 0; i < places.count; i++)
        free(places.roots[i]);
    return status;
}

const cli_command cli_pack = {"pack",
                              "runs in one small file",
                              help,
                              run,
                              options,
                              CLI_ANY_WORDS,
                              "which folder of runs? As in: %s pack sweeps/lambda"};
