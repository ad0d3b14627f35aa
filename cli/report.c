/* wac report: one page from a folder of runs. */
#include "cli.h"
#include "terminal/report_view.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "report/note.h"
#include "run/packed.h"

#include <dirent.h>
#include <string.h>
#include <strings.h>

static const char help[] =
    "wac report: figures and one page from a folder of runs\n"
    "\n"
    "Usage\n"
    "  wac report DIR|FILE.csv... [--out DIR] [--csv FILE] [--figure-width LENGTH]\n"
    "             [--x epoch|steps|seconds] [--curve mean|iqm] [--seeds-shown]\n"
    "\n"
    "DIR holds runs, at any depth: one run, what \"wac sweep\" made, or a collection\n"
    "of your own. The page, report.html, needs nothing else and opens anywhere: it\n"
    "shows the figures that fit (curves always, coverage where there is one, scores\n"
    "with their intervals, where agents went), statistics over seeds, settings,\n"
    "commands and versions. Every figure is in figures/ too, as SVG, PNG and PDF,\n"
    "and as CSV in numbers. Needs gnuplot. FILE.csv is a table of runs of other\n"
    "programs, to stand beside (\"wac help stats\", docs/statistics.md). DIR may be\n"
    "an archive that \"wac pack\" made.\n"
    "\n"
    "Of a folder that \"wac reproduce\" made, the report is that of the experiment,\n"
    "with its claims, from the runs as they are now.\n"
    "\n"
    "Flags\n"
    "  --out DIR           where the report goes (DIR/report, FILE-report)\n"
    "  --csv FILE          write all runs as one table, too: a row for each run,\n"
    "                      epoch and measure (docs/experiments.md)\n"
    "  --figure-width LENGTH\n"
    "                      lay figures out for print at that width, in in, cm or mm,\n"
    "                      with text of 8 points (as wide as the page needs)\n"
    "  --x WORD            curves over the epoch, steps of the environment, or\n"
    "                      seconds of training (epoch, or as the experiment says)\n"
    "  --curve WORD        curves are means of runs or interquartile means, iqm\n"
    "                      (mean, or as the experiment says)\n"
    "  --seeds-shown       a thin line for each run too\n"
    "\n"
    "Examples\n"
    "  wac report runs\n"
    "  wac report sweeps/lambda --out lambda-report\n"
    "  wac report runs stable-baselines3.csv --csv all.csv\n"
    "  wac report runs --figure-width 3.3in --x steps --curve iqm\n";

static const char *out, *csv;
static wac_figure_look look;
static const cli_option options[] = {
    {"out", .text = &out},
    {"csv", .text = &csv},
    {"figure-width", .inches = &look.inches},
    {"x", .text = &look.x},
    {"curve", .text = &look.curve},
    {"seeds-shown", .on = &look.seeds},
    {0},
};

static int check_word(const char *flag, const char *word, const char *words)
{
    char all[64];
    if (!word || wac_word_index(words, word) >= 0)
        return CLI_OK;
    wac_words_join(all, sizeof all, words);
    return cli_refuse("--%s must be %s, not \"%s\"", flag, all, WAC_CLIP(word));
}

/* Flags as they were given, for the page. */
static void add_look(char *command, size_t size)
{
    size_t used = strlen(command);
    const struct {
        const char *flag, *value;
    } words[] = {
        {"--x", look.x}, {"--curve", look.curve}, {"--seeds-shown", look.seeds ? "" : NULL}};
    if (look.inches > 0)
        used += (size_t)wac_number_print(command + used, size - used, " --figure-width %.6gin",
                                         look.inches);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].value && used < size)
            used += (size_t)snprintf(command + used, size - used, " %s%s%s", words[i].flag,
                                     *words[i].value ? " " : "", words[i].value);
}

/* As it was when it was run; where this program no longer understands that, as it is now. */
static wac_status read_experiment(wac_experiment **experiment, const char *directory,
                                  wac_note *note, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_path_join(path, sizeof path, directory, "experiment.yaml", error));
    if (wac_experiment_read(experiment, path, error) != WAC_STATUS_OK) {
        wac_error unknown = {0};
        if (wac_experiment_read(experiment, note->experiment, &unknown) != WAC_STATUS_OK)
            return error->status;
        fputs("wac: judged by the claims of today: ", stderr);
        cli_print_sentence(stderr, error->message);
    }
    return wac_note_apply(*experiment, note, error);
}

static int report_experiment(const char *directory, wac_note *note, const char *command)
{
    wac_experiment *experiment = NULL;
    wac_error error = {0};
    int status;
    if (read_experiment(&experiment, directory, note, &error) != WAC_STATUS_OK) {
        status = cli_fail(&error);
    } else {
        cli_report_plan plan = {.runs = (const char *const *)note->runs,
                                .out = out ? out : directory,
                                .experiment = experiment,
                                .scale = note->scale,
                                .command = command,
                                .csv = csv,
                                .look = look};
        status = cli_report_make(&plan);
    }
    wac_experiment_free(experiment);
    return status;
}

/* Where the report of a folder goes, or of a table or archive. */
static wac_status choose_out(char directory[PATH_MAX], const char *from, wac_error *error)
{
    char archive[PATH_MAX];
    const char *inside;
    size_t length = strlen(from), stem = length > 4 ? length - 4 : 0;
    if (wac_packed_find(archive, &inside, from))
        stem = (size_t)(strlen(archive) - strlen(WAC_PACKED_ENDING));
    else if (stem == 0 || strcasecmp(from + stem, ".csv") != 0)
        return wac_path_join(directory, PATH_MAX, from, "report", error);
    if (snprintf(directory, PATH_MAX, "%.*s-report", (int)stem, from) >= PATH_MAX)
        return wac_fail(error, WAC_STATUS_INPUT, "the path %s is too long", WAC_CLIP(from));
    return WAC_STATUS_OK;
}

/* Whether all that a folder holds is what a report leaves there, also one that was cut off; a
 * folder with a page of ours may hold more. */
static bool is_for_report(const char *directory)
{
    char page[PATH_MAX];
    DIR *folder = opendir(directory);
    bool ours = true;
    for (struct dirent *entry; folder && ours && (entry = readdir(folder));)
        ours = entry->d_name[0] == '.' || strstr(entry->d_name, ".tmp") ||
               wac_word_index("figures|data.csv", entry->d_name) >= 0;
    if (folder)
        closedir(folder);
    return ours ||
           (wac_path_join(page, sizeof page, directory, "report.html", NULL) == WAC_STATUS_OK &&
            wac_path_exists(page));
}

static int run(char **words)
{
    char directory[PATH_MAX], command[4 * PATH_MAX];
    wac_note note = {0};
    int refused = check_word("x", look.x, WAC_FIGURE_ACROSS);
    if (!refused)
        refused = check_word("curve", look.curve, WAC_FIGURE_CURVES);
    if (refused)
        return refused;
    size_t used = (size_t)snprintf(command, sizeof command, "wac report");
    for (char **word = words; *word; word++) {
        if (!**word)
            return cli_refuse("the name of a folder is empty");
        if (used < sizeof command)
            used += (size_t)snprintf(command + used, sizeof command - used, " %s", *word);
    }
    if ((out && !*out) || (csv && !*csv))
        return cli_refuse("the name of a %s is empty", out && !*out ? "folder" : "file");
    if (used < sizeof command)
        snprintf(command + used, sizeof command - used, "%s%s%s%s", out ? " --out " : "",
                 out ? out : "", csv ? " --csv " : "", csv ? csv : "");
    add_look(command, sizeof command);
    wac_error error = {0};
    if (!words[1] && wac_note_read(&note, words[0], &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    bool noted = note.runs;
    const char *place = out ? out : directory;
    if (!out && !noted && choose_out(directory, words[0], &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if ((out || !noted) && !is_for_report(place)) {
        wac_note_free(&note);
        return cli_refuse("%s has files in it that are not of \"wac report\"; name another folder "
                          "with --out",
                          place);
    }
    if (noted) {
        int status = report_experiment(words[0], &note, command);
        wac_note_free(&note);
        return status;
    }
    cli_report_plan plan = {
        .runs = (const char *const *)words,
        .out = place,
        .scale = -1,
        .command = command,
        .csv = csv,
        .look = look,
    };
    return cli_report_make(&plan);
}

const cli_command cli_report = {
    "report",      "figures and one page from a folder of runs", help, run, options,
    CLI_ANY_WORDS, "which folder of runs? As in: %s report runs"};
