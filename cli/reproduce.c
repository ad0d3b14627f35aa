/* wac reproduce: the paper's experiments, from runs to verdicts. */
#include "cli.h"
#include "sweep_run.h"
#include "terminal/report_view.h"
#include "terminal/scoreboard_view.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stop.h"
#include "base/suggest.h"
#include "bench/cost.h"
#include "report/note.h"
#include "run/packed.h"
#include "run/train.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac reproduce: the paper's experiments, from runs to verdicts\n"
    "\n"
    "Usage\n"
    "  wac reproduce\n"
    "  wac reproduce NAME [--scale NAME] [--seeds N] [--out DIR] [--workers N]\n"
    "                [--device NAME] [--only K/N] [--KEY VALUE ...] [--dry-run]\n"
    "  wac reproduce NAME --from DIR... [--scale NAME] [--seeds N] [--out DIR]\n"
    "                [--KEY VALUE ...]\n"
    "  ... [--figure-width LENGTH]\n"
    "  wac reproduce --all [--from DIR...] [--out DIR]\n"
    "\n"
    "Alone it lists the experiments, with the number of runs and about how long\n"
    "they take. With a NAME it trains what that experiment needs, several runs at\n"
    "a time, draws the paper's figure, judges what the paper claims (holds, fails\n"
    "or undecided, with the numbers), and writes DIR/report.html, with all runs as\n"
    "one table beside it in DIR/data.csv. Ctrl-C saves; the same command again goes\n"
    "on, and keeps runs that are finished. NAME may be a file of your own, FILE.yaml\n"
    "(docs/experiments.md). Needs gnuplot.\n"
    "\n"
    "With --all it trains nothing and puts all experiments that have been run onto\n"
    "one scoreboard of the paper's twelve claims: scoreboard.html, scoreboard.tex\n"
    "and claims.json.\n"
    "\n"
    "Scales set settings, seeds and epochs. A verdict from one below the paper's\n"
    "(without one: below half) says so, and fewer than 4 seeds decide nothing.\n"
    "\n"
    "  quick               within 10 minutes on two cores: a first look\n"
    "  half                fewer settings, half the epochs, 4 seeds\n"
    "  paper               as in the paper: days (\"full\" means the same)\n"
    "  strong              the same with 20 seeds, which decide what 5 leave open\n"
    "\n"
    "Flags\n"
    "  --scale NAME        quick, half, paper or strong (the first that there is;\n"
    "                      with --from the one that most of the runs belong to)\n"
    "  --seeds N           as many seeds instead of the scale's; with --out a folder\n"
    "                      may get more of them later, and keeps what it has\n"
    "  --out DIR           where runs and report go (reproduced/NAME-SCALE, with\n"
    "                      --seeds reproduced/NAME-SCALE-Nseeds; with --all\n"
    "                      reproduced)\n"
    "  --from DIR...       train nothing: judge the runs of these folders, or of\n"
    "                      archives that \"wac pack\" made, and name what is missing\n"
    "                      (with --all: reproduced)\n"
    "  --only K/N          train the K-th of N shares of the runs, judge nothing;\n"
    "                      then judge all shares together, with --from\n"
    "  --figure-width LENGTH\n"
    "                      lay figures out for print at that width, in in, cm or mm,\n"
    "                      with text of 8 points (as wide as the page needs)\n"
    "  --workers N         runs at a time (one for each processor it may use)\n"
    "  --device NAME       cpu, or cuda: train on GPUs, in groups of runs of equal\n"
    "                      shape, --workers N groups at a time on each (4)\n"
    "  --KEY VALUE         a setting for all runs that the scale does not set, as\n"
    "                      --precision mixed; to go on, give the same again\n"
    "  --dry-run           only list what would be done and how long it should take\n"
    "\n"
    "Examples\n"
    "  wac reproduce riverswim\n"
    "  wac reproduce point-dense --scale paper --dry-run\n"
    "  wac reproduce point-dense --scale strong --workers 32\n"
    "  wac reproduce point-dense --scale paper --device cuda --precision mixed\n"
    "  wac reproduce point-dense --from sweeps/point\n"
    "  wac reproduce prior --from results/prior\n"
    "  wac reproduce --all\n";

/* --- the list --------------------------------------------------------------------------------- */

/* Hours of one core, by the operations of all updates at the size of Point. On the machine of
 * docs/results.md an update of width 256 and batch 256 took 17 ms with WAC (1.37e9 operations) and
 * 7 ms with SAC or OAC (0.55e9). */
static double hours_of(const wac_sweep *sweep)
{
    const double operations_per_second = 8e10;
    double operations = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        const wac_config *config = &sweep->runs[i].config;
        operations += (double)(config->epochs * wac_updates_after(config, config->explore_steps)) *
                      wac_bench_operations(config, 4, 2);
    }
    return operations / operations_per_second / 3600;
}

static const char *cost_of(char text[48], const wac_sweep *sweep)
{
    double hours = hours_of(sweep);
    if (sweep->count == 0)
        snprintf(text, 48, "-");
    else if (hours < 1)
        snprintf(text, 48, "%zu: %.0f min", sweep->count, fmax(1, 60 * hours));
    else
        snprintf(text, 48, "%zu: %.0f h", sweep->count, hours);
    return text;
}

static int list(void)
{
    char **names;
    size_t count;
    wac_error error = {0};
    int status = CLI_OK;
    if (wac_experiment_list(&names, &count, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    cli_style style = cli_style_of(stdout);
    printf("%s%-21s", style.bold, "experiment");
    for (int k = 0; k < WAC_SCALE_TOTAL; k++)
        printf(" %-*s", k + 1 < WAC_SCALE_TOTAL ? 12 : 0, wac_scale_names[k]);
    printf("%s\n", style.plain);
    for (size_t i = 0; i < count; i++) {
        wac_experiment *experiment;
        char cost[48], what[256];
        if (status == CLI_OK &&
            wac_experiment_read(&experiment, names[i], &error) == WAC_STATUS_OK) {
            printf("%-21s", names[i]);
            for (int k = 0; k < WAC_SCALE_TOTAL; k++)
                printf(" %-*s", k + 1 < WAC_SCALE_TOTAL ? 12 : 0,
                       cost_of(cost, &experiment->scales[k]));
            snprintf(what, sizeof what, "%s (%s)", experiment->title,
                     *experiment->paper ? experiment->paper : "own");
            printf("\n    %s", style.dim);
            cli_print_wrapped(what, 4, cli_width(stdout));
            fputs(style.plain, stdout);
            wac_experiment_free(experiment);
        } else if (status == CLI_OK) {
            status = cli_fail(&error);
        }
        free(names[i]);
    }
    free(names);
    if (status == CLI_OK)
        printf("\nRuns, and about how long one core of an AMD EPYC (Zen 4) takes for all of them;\n"
               "N cores take an N-th of it.\n\nStart with: %s reproduce riverswim\n",
               cli_program());
    return status;
}

/* --- one of them ------------------------------------------------------------------------------ */

/* What was asked for. */
static const char *word; /* that named the experiment */
static const char *scale_name, *out, *from, *device, *only, *values[WAC_SETTINGS_TOTAL];
static int64_t workers, seeds;
static bool all, dry;
static wac_figure_look look;
static const cli_option options[] = {
    {"all", .on = &all},
    {"scale", .text = &scale_name},
    {"seeds", .count = &seeds, .smallest = 1, .largest = 1000},
    {"out", .text = &out},
    {"from", .text = &from},
    {"figure-width", .inches = &look.inches},
    {"workers", .count = &workers, .smallest = 1, .largest = 1024},
    {"device", .text = &device},
    {"dry-run", .on = &dry},
    {"", .settings = values},
    {"only", .text = &only},
    {0},
};

/* What follows from it. */
static wac_experiment *experiment;
static wac_note note = {.scale = -1}; /* scale -1: not chosen */
static wac_device place;
static wac_sweep_share share;
static char directory[PATH_MAX], runs[PATH_MAX], command[4 * PATH_MAX], flags[WAC_GIVEN_FLAGS];

static const char default_folder[] = "reproduced";
enum { MOST_FOLDERS = 64 };
static const char *folders[MOST_FOLDERS + 1]; /* with --from */

/* What `wac report` needs to do this again: the note, and the experiment. The note first: it makes
 * the folder one of ours. */
static wac_status write_note(wac_error *error)
{
    char path[PATH_MAX];
    note.runs = from ? (char **)folders : NULL;
    if (!wac_path_exists(directory))
        WAC_TRY(wac_directory_make(directory, error));
    WAC_TRY(wac_note_write(&note, directory, error));
    WAC_TRY(wac_path_join(path, sizeof path, directory, "experiment.yaml", error));
    return wac_file_write(path, experiment->text, experiment->size, error);
}

/* A folder with nothing in it but packed runs, which are to be judged there. */
static bool is_for_judging(void)
{
    DIR *folder = from ? opendir(directory) : NULL;
    bool only = folder;
    for (struct dirent *entry; only && (entry = readdir(folder));)
        only = entry->d_name[0] == '.' || strcmp(entry->d_name, WAC_PACKED_RUNS) == 0;
    if (folder)
        closedir(folder);
    return only;
}

/* Before anything is written: only a folder that is new, empty, or of the same experiment, scale
 * and settings is taken, with as many seeds or fewer. */
static int check_folder(void)
{
    wac_note there;
    wac_error error = {0};
    char own[WAC_GIVEN_FLAGS];
    /* another process may just be writing the note */
    if (!wac_path_exists(directory) || wac_directory_is_unused(directory, wac_note_name) ||
        is_for_judging())
        return CLI_OK;
    if (wac_note_read(&there, directory, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (!there.runs)
        return cli_refuse("%s has files in it that are not of \"wac reproduce\"; name another "
                          "folder with --out",
                          directory);
    wac_note_free(&there);
    if (strcmp(there.experiment, experiment->name) != 0)
        return cli_refuse("%s holds the experiment %s; name another folder with --out", directory,
                          there.experiment);
    if (there.scale != note.scale)
        return cli_refuse("%s holds %s %s%s; name another folder with --out", directory,
                          there.experiment,
                          there.scale < 0 ? "from runs of whatever scale" : "at scale ",
                          there.scale < 0 ? "" : wac_scale_names[there.scale]);
    if (seeds < there.seeds)
        return cli_refuse("%s holds %s with --seeds %lld; give --seeds with as many or more, or "
                          "name another folder with --out",
                          directory, there.experiment, (long long)there.seeds);
    if (there.seeds == 0 && seeds)
        return cli_refuse("%s holds %s with the seeds of its scale; name another folder with --out",
                          directory, there.experiment);
    if (strcmp(wac_given_flags(own, &there.given), flags) != 0)
        return cli_refuse("%s holds %s %s%s; give the same, or name another folder with --out",
                          directory, there.experiment, *own ? "with" : "without",
                          *own ? own : flags);
    return CLI_OK;
}

/* Before anything is written: a folder that holds other runs is refused, and a device that is not
 * there. */
static int check_runs(void)
{
    const wac_sweep *sweep = &experiment->scales[note.scale];
    wac_sweep_item *items;
    wac_error error = {0};
    if (wac_sweep_inspect(&items, sweep, runs, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    free(items);
    return wac_sweep_check_device(sweep, runs, place, &error) ? cli_blame(&error) : CLI_OK;
}

/* Train what is not there yet. *goes_on: there is something to report, also where runs failed. */
static int train(wac_sweep_options *how, bool *goes_on)
{
    bool speaks = false;
    int status = cli_sweep_run(&experiment->scales[note.scale], runs, how, command, &speaks);
    bool stopped = wac_asked_to_stop(how->stop);
    *goes_on = speaks && !stopped && status != CLI_USAGE && wac_path_exists(runs);
    return status;
}

/* With --from this waits until the runs were read. */
static int begin(void)
{
    wac_error error = {0};
    return write_note(&error) == WAC_STATUS_OK ? CLI_OK : cli_fail(&error);
}

/* Quick where it is there, else the first there is. A scale without runs in the file is refused. */
static int settle_scale(void)
{
    const wac_sweep *sweeps = experiment->scales;
    char there[64] = "";
    int first = -1;
    for (int i = 0; i < WAC_SCALE_TOTAL; i++) {
        if (sweeps[i].count == 0)
            continue;
        size_t length = strlen(there);
        snprintf(there + length, sizeof there - length, "%s%s", first < 0 ? "" : ", ",
                 wac_scale_names[i]);
        first = first < 0 ? i : first;
    }
    if (note.scale < 0 && !from)
        note.scale = first;
    if (note.scale >= 0 && sweeps[note.scale].count == 0)
        return cli_refuse("%s has no scale %s; it has %s", experiment->name,
                          wac_scale_names[note.scale], there);
    return CLI_OK;
}

static bool has_settings(void)
{
    bool any = false;
    for (int i = 0; i < WAC_SETTINGS_TOTAL; i++)
        any = any || values[i];
    return any;
}

/* What a folder after --from was made with, unless something else is asked for. */
static wac_status inherit(wac_error *error)
{
    wac_note made;
    if (!from || folders[1])
        return WAC_STATUS_OK;
    WAC_TRY(wac_note_read(&made, from, error));
    if (!made.runs)
        return WAC_STATUS_OK;
    if (strcmp(made.experiment, experiment->name) == 0 && !seeds && !has_settings()) {
        seeds = made.seeds;
        note.given = made.given;
    }
    wac_note_free(&made);
    return WAC_STATUS_OK;
}

static int reproduce(void)
{
    wac_sweep_options how = {.workers = (int)workers, .device = place, .share = share};
    wac_error error = {0};
    int refused = settle_scale();
    if (!refused)
        refused = cli_read_given(&note.given, values);
    if (refused)
        return refused;
    if (inherit(&error) != WAC_STATUS_OK)
        return cli_fail(&error);
    note.seeds = seeds;
    snprintf(note.experiment, sizeof note.experiment, "%s", experiment->name);
    if (wac_note_apply(experiment, &note, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    wac_given_flags(flags, &note.given);
    const char *scaled = note.scale < 0 ? NULL : wac_scale_names[note.scale];
    char named[32] = "", flag[40] = "";
    if (seeds) {
        snprintf(named, sizeof named, "-%lldseed%s", (long long)seeds, seeds == 1 ? "" : "s");
        snprintf(flag, sizeof flag, " --seeds %lld", (long long)seeds);
    }
    int length = out ? snprintf(directory, PATH_MAX, "%s", out)
                     : snprintf(directory, PATH_MAX, "%s/%s-%s%s", default_folder, experiment->name,
                                scaled ? scaled : "from", named);
    if (length >= PATH_MAX)
        return cli_refuse("the path after --out is too long");
    size_t used =
        (size_t)snprintf(command, sizeof command, "%s reproduce %s%s%s%s%s%s%s%s", cli_program(),
                         word, scaled ? " --scale " : "", scaled ? scaled : "", flag, flags,
                         only ? " --only " : "", only ? only : "", from ? " --from" : "");
    for (int i = 0; folders[i] && used < sizeof command; i++)
        used +=
            (size_t)snprintf(command + used, sizeof command - used, " %s", WAC_SHELL(folders[i]));
    if (out && used < sizeof command)
        used +=
            (size_t)snprintf(command + used, sizeof command - used, " --out %s", WAC_SHELL(out));
    used = strlen(command);
    if (look.inches > 0)
        wac_number_print(command + used, sizeof command - used, " --figure-width %.6gin",
                         look.inches);
    if (wac_path_join(runs, sizeof runs, directory, "runs", &error))
        return cli_fail(&error);
    if (from && dry)
        return cli_refuse("--from trains nothing, so there is nothing to try with --dry-run");
    for (int i = 0; folders[i]; i++)
        if (!wac_packed_exists(folders[i])) {
            wac_fail(&error, WAC_STATUS_IO, "there is no folder %s; check that the path is right",
                     folders[i]);
            return cli_fail(&error);
        }
    refused = check_folder();
    if (!refused && dry)
        return cli_sweep_dry_run(&experiment->scales[note.scale], runs, &how);
    if (!refused && !from)
        refused = check_runs();
    if (refused)
        return refused;
    const char *const trained_there[] = {runs, NULL};
    cli_report_plan plan = {.runs = from ? folders : trained_there,
                            .out = directory,
                            .experiment = experiment,
                            .scale = note.scale,
                            .command = command,
                            .look = look,
                            .begin = from ? begin : NULL};
    if (from)
        return cli_report_make(&plan);
    if ((!only && cli_need_gnuplot()) || begin())
        return CLI_FAILED;
    bool goes_on = true;
    int trained = train(&how, &goes_on);
    if (only) {
        if (trained == CLI_OK)
            printf("%s\n", directory);
        return trained;
    }
    int reported = goes_on ? cli_report_make(&plan) : CLI_OK;
    return trained ? trained : reported;
}

static int run_one(void)
{
    wac_error error = {0};
    wac_status read = wac_experiment_read(&experiment, word, &error);
    if (read == WAC_STATUS_OK)
        read = wac_experiment_check(experiment, &error);
    int status = read == WAC_STATUS_OK ? reproduce() : cli_blame(&error);
    wac_experiment_free(experiment);
    return status;
}

/* The folder after --from, and those that follow. */
static int read_folders(size_t *count, const char *first, char **words)
{
    folders[0] = first;
    for (*count = 1; words[*count - 1]; ++*count) {
        if (*count == MOST_FOLDERS)
            return cli_refuse("more than %d folders after --from", MOST_FOLDERS);
        folders[*count] = words[*count - 1];
        if (!*folders[*count])
            return cli_refuse("the name of a folder is empty");
    }
    return CLI_OK;
}

static int run_all(char **words)
{
    size_t count;
    if (scale_name || seeds || workers || device || only || dry || has_settings() ||
        look.inches > 0)
        return cli_refuse("--all judges runs that are there, at their own scale: it takes --from "
                          "and --out");
    if (words[0] && !from)
        return cli_refuse("--all is about every experiment; folders of runs go after --from");
    int refused = read_folders(&count, from ? from : default_folder, words);
    return refused ? refused : cli_scoreboard_make(folders, count, out ? out : default_folder);
}

static int run(char **words)
{
    if ((out && !*out) || (from && !*from))
        return cli_refuse("the name of a folder is empty");
    if (all)
        return run_all(words);
    if (!words[0])
        return scale_name || out || from || seeds || workers || device || only || dry ||
                       has_settings() || look.inches > 0
                   ? cli_refuse("name an experiment; \"%s reproduce\" lists them", cli_program())
                   : list();
    if (words[1] && !from)
        return cli_refuse("what to do with \"%s\"? see \"%s help reproduce\"", WAC_CLIP(words[1]),
                          cli_program());
    if (scale_name && (note.scale = wac_scale_find(scale_name)) < 0)
        return cli_refuse("--scale must be quick, half, paper or strong, not \"%s\"",
                          WAC_CLIP(scale_name));
    size_t count;
    int status = cli_read_device(&place, device);
    if (!status && only)
        status = from ? cli_refuse("--only is for training, and --from trains nothing")
                      : cli_read_share(&share, only);
    if (!status && from)
        status = read_folders(&count, from, words + 1);
    word = words[0];
    return status ? status : run_one();
}

const cli_command cli_reproduce = {"reproduce", "the paper's experiments, from runs to verdicts",
                                   help,        run,
                                   options,     CLI_ANY_WORDS,
                                   NULL};
