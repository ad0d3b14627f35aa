/* wac report: one page from a folder of runs. */
#include "cli.h"
#include "terminal/report_view.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac report: figures and one page from a folder of runs\n"
    "\n"
    "Usage\n"
    "  wac report DIR [--out DIR]\n"
    "\n"
    "DIR holds runs, at any depth: one run, what \"wac sweep\" made, or a collection\n"
    "of your own. The page, report.html, needs nothing else and opens anywhere: it\n"
    "shows the figures that fit (curves always, coverage where there is one, where\n"
    "agents went), statistics over seeds, settings, commands and versions. Every\n"
    "figure is in figures/ too, as SVG, PNG and PDF. Needs gnuplot.\n"
    "\n"
    "Of a folder that \"wac reproduce\" made, the report is that of the experiment,\n"
    "with its claims, from the runs as they are now.\n"
    "\n"
    "Flags\n"
    "  --out DIR           where the report goes (DIR/report)\n"
    "\n"
    "Examples\n"
    "  wac report runs\n"
    "  wac report sweeps/lambda --out lambda-report\n";

/* What `wac reproduce` left behind; false where there is nothing of the kind. */
static bool read_note(const char *directory, int *scale, char runs[PATH_MAX])
{
    char path[PATH_MAX], *text;
    if (wac_path_join(path, sizeof path, directory, "reproduce.json", NULL) != WAC_STATUS_OK ||
        wac_file_read(&text, NULL, path, 1 << 20, NULL) != WAC_STATUS_OK)
        return false;
    json_t *note = json_loads(text, 0, NULL);
    const char *word = json_string_value(json_object_get(note, "scale"));
    const char *folder = json_string_value(json_object_get(note, "runs"));
    *scale = word ? wac_scale_find(word) : -1;
    bool good = (!word || *scale >= 0) && folder && strlen(folder) < PATH_MAX;
    if (good && folder[0] == '/')
        strcpy(runs, folder);
    else if (good)
        good = wac_path_join(runs, PATH_MAX, directory, folder, NULL) == WAC_STATUS_OK;
    json_decref(note);
    free(text);
    return good;
}

static const char *out;
static const cli_option options[] = {{"out", .text = &out}, {0}};

static int report_experiment(const char *directory, const char *runs, int scale,
                             const char *command)
{
    char path[PATH_MAX];
    wac_experiment *experiment;
    wac_error error = {0};
    if (wac_path_join(path, sizeof path, directory, "experiment.yaml", &error) != WAC_STATUS_OK ||
        wac_experiment_read(&experiment, path, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    cli_report_plan plan = {runs, out ? out : directory, experiment, scale, command, NULL};
    int status = cli_report_make(&plan);
    wac_experiment_free(experiment);
    return status;
}

static int run(char **words)
{
    char directory[PATH_MAX], runs[PATH_MAX], command[3 * PATH_MAX];
    int scale = -1;
    const char *from = words[0];
    if (!*from || (out && !*out))
        return cli_refuse("the name of a folder is empty");
    snprintf(command, sizeof command, "wac report %s%s%s", from, out ? " --out " : "",
             out ? out : "");
    if (read_note(from, &scale, runs))
        return report_experiment(from, runs, scale, command);
    wac_error error = {0};
    if (!out && wac_path_join(directory, sizeof directory, from, "report", &error))
        return cli_fail(&error);
    cli_report_plan plan = {from, out ? out : directory, NULL, -1, command, NULL};
    return cli_report_make(&plan);
}

const cli_command cli_report = {
    "report", "figures and one page from a folder of runs", help, run, options,
    1,        "which folder of runs? As in: %s report runs"};
