/* wac report: one page from a folder of runs. */
#include "cli.h"
#include "terminal/report_view.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/status.h"
#include "report/note.h"

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

static const char *out;
static const cli_option options[] = {{"out", .text = &out}, {0}};

/* As it was when it was run; where this program no longer understands that, as it is now. */
static wac_status read_experiment(wac_experiment **experiment, const char *directory,
                                  const wac_note *note, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_path_join(path, sizeof path, directory, "experiment.yaml", error));
    if (wac_experiment_read(experiment, path, error) != WAC_STATUS_OK) {
        wac_error unknown = {0};
        if (wac_experiment_read(experiment, note->experiment, &unknown) != WAC_STATUS_OK)
            return error->status;
        fprintf(stderr, "wac: judged by the claims of today: %s\n", error->message);
    }
    strcpy((*experiment)->name, note->experiment);
    return note->seeds ? wac_experiment_reseed(*experiment, note->seeds, error) : WAC_STATUS_OK;
}

static int report_experiment(const char *directory, const wac_note *note, const char *command)
{
    wac_experiment *experiment = NULL;
    wac_error error = {0};
    int status;
    if (read_experiment(&experiment, directory, note, &error) != WAC_STATUS_OK) {
        status = cli_fail(&error);
    } else {
        cli_report_plan plan = {note->runs, out ? out : directory, experiment, note->scale, command,
                                NULL};
        status = cli_report_make(&plan);
    }
    wac_experiment_free(experiment);
    return status;
}

static int run(char **words)
{
    char directory[PATH_MAX], command[3 * PATH_MAX];
    wac_note note;
    const char *from = words[0];
    if (!*from || (out && !*out))
        return cli_refuse("the name of a folder is empty");
    snprintf(command, sizeof command, "wac report %s%s%s", from, out ? " --out " : "",
             out ? out : "");
    if (wac_note_read(&note, from))
        return report_experiment(from, &note, command);
    wac_error error = {0};
    if (!out && wac_path_join(directory, sizeof directory, from, "report", &error))
        return cli_fail(&error);
    cli_report_plan plan = {from, out ? out : directory, NULL, -1, command, NULL};
    return cli_report_make(&plan);
}

const cli_command cli_report = {
    "report", "figures and one page from a folder of runs", help, run, options,
    1,        "which folder of runs? As in: %s report runs"};
