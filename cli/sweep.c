/* wac sweep: many runs from one file. */
#include "cli.h"
#include "sweep_run.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/status.h"
#include "base/stream.h"
#include "base/suggest.h"
#include "sweep/file.h"
#include "sweep/mpi.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "wac sweep: train many agents from one file\n"
    "\n"
    "Usage\n"
    "  wac sweep FILE.yaml [--out DIR] [--workers N] [--device NAME]\n"
    "            [--KEY VALUE ...]\n"
    "  wac sweep FILE.yaml [--out DIR] --dry-run\n"
    "  wac sweep FILE.yaml [--out DIR] --slurm\n"
    "  mpirun -n N wac sweep FILE.yaml [--out DIR]\n"
    "\n"
    "The file lists what to combine; every combination is an ordinary run folder\n"
    "DIR/ENVIRONMENT/ALGORITHM/SETTINGS/seed-N:\n"
    "\n"
    "  environments: [lqg, riverswim]\n"
    "  algorithms: [sac, oe-wac]\n"
    "  seeds: 5                      # 1 to 5; or a list such as [1, 2, 7]\n"
    "  settings:                     # any setting of \"wac config\"\n"
    "    epochs: 30\n"
    "  oe-wac:                       # only for this algorithm (or environment)\n"
    "    lambda: [0, 0.5]            # a list: one run for each value\n"
    "\n"
    "A line \"from: RUN\" has all of them begin with the agent of that run.\n"
    "\n"
    "One run is trained by each processor. A run that fails does not stop the rest.\n"
    "Ctrl-C saves what is running. The same command again goes on: finished runs\n"
    "are kept, others continue from their checkpoints, failed ones are tried again.\n"
    "The file may grow meanwhile (more seeds, longer lists); what has begun stays,\n"
    "and goes on if \"epochs\" are raised.\n"
    "\n"
    "Flags\n"
    "  --out DIR           where the runs go (sweeps/FILE)\n"
    "  --workers N         runs at a time (one for each processor it may use)\n"
    "  --device NAME       cpu, or cuda: train on GPUs, in groups of runs of equal\n"
    "                      shape, --workers N groups at a time on each (4)\n"
    "  --maps              runs keep a map of each epoch (\"wac help train\")\n"
    "  --dry-run           only list what would be done and how long it should take\n"
    "  --slurm             write DIR/sweep.slurm, an array job for \"sbatch\"\n"
    "  --only K/N          train only every N-th run, from the K-th on\n"
    "  --KEY VALUE         a setting for all runs that the file does not set, as\n"
    "                      --precision mixed; to go on, give the same again\n"
    "\n"
    "Examples\n"
    "  wac sweep lambda.yaml --dry-run\n"
    "  wac sweep lambda.yaml --out sweeps/lambda\n"
    "  mpirun -n 64 --hostfile hosts wac sweep lambda.yaml --out /shared/lambda\n"
    "  wac sweep lambda.yaml --slurm && sbatch sweeps/lambda/sweep.slurm\n";

/* A name between single quotes for the shell. */
static void print_quoted(FILE *stream, const char *text)
{
    fputc('\'', stream);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, stream);
    fputc('\'', stream);
}

static int write_slurm(const wac_sweep *sweep, const char *file, const char *directory,
                       const char *flags)
{
    enum { MOST_TASKS = 1000 }; /* what most clusters allow in an array */
    char path[PATH_MAX], program[PATH_MAX], whole_file[PATH_MAX], whole_directory[PATH_MAX];
    wac_error error = {0};
    if (wac_sweep_rank() > 0)
        return CLI_OK;
    size_t tasks = sweep->count < MOST_TASKS ? sweep->count : MOST_TASKS;
    wac_sweep_item *items;
    int lock;
    if (wac_sweep_take(&lock, &items, sweep, directory, (wac_sweep_share){0}, &error))
        return cli_blame(&error);
    free(items);
    close(lock);
    wac_program_path(program);
    if (!realpath(file, whole_file) || !realpath(directory, whole_directory) ||
        wac_path_join(path, sizeof path, directory, "sweep.slurm", &error) != WAC_STATUS_OK)
        return cli_refuse("the path of %s or %s is too long", file, directory);
    if (strchr(whole_directory, '\n'))
        return cli_refuse("Slurm takes no folder with a line break in its name, as --out has; "
                          "choose another one");
    wac_stream script;
    if (!wac_stream_open(&script)) {
        (void)wac_fail_memory(&error, "the script");
        return cli_fail(&error);
    }
    FILE *stream = script.to;
    fprintf(stream,
            "#!/bin/bash\n"
            "# %zu runs in %zu tasks of one processor each; submit with: sbatch sweep.slurm\n"
            "# Submit it again to go on with what is not finished.\n"
            "#SBATCH --job-name=wac-sweep\n"
            "#SBATCH --array=1-%zu\n"
            "#SBATCH --ntasks=1\n"
            "#SBATCH --cpus-per-task=1\n"
            "#SBATCH --signal=B:TERM@60\n"
            "#SBATCH --output=\"",
            sweep->count, tasks, tasks);
    /* as Slurm reads it: quotes, and what stands for something else */
    for (const char *c = whole_directory; *c; c++)
        fprintf(stream, *c == '%' ? "%%%%" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputs("/slurm-%a.log\"\nexec ", stream);
    print_quoted(stream, program);
    fputs(" sweep ", stream);
    print_quoted(stream, whole_file);
    fputs(" --out ", stream);
    print_quoted(stream, whole_directory);
    fprintf(stream, "%s --workers 1 --only \"$SLURM_ARRAY_TASK_ID/%zu\"\n", flags, tasks);
    if (wac_stream_save(&script, path, WAC_STATUS_OK, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    printf("%s\n", path);
    return CLI_OK;
}

static const char *out, *only, *device, *values[WAC_SETTINGS_TOTAL];
static int64_t workers;
static bool dry, slurm, maps;
static const cli_option options[] = {
    {"out", .text = &out},
    {"only", .text = &only},
    {"workers", .count = &workers, .smallest = 1, .largest = 1024},
    {"device", .text = &device},
    {"maps", .on = &maps},
    {"dry-run", .on = &dry},
    {"slurm", .on = &slurm},
    {"", .settings = values},
    {0},
};

static int run(char **words)
{
    const char *file = words[0];
    char directory[PATH_MAX], command[4 * PATH_MAX], flags[WAC_GIVEN_FLAGS];
    wac_given given;
    wac_sweep_options how = {.workers = (int)workers, .maps = maps};
    wac_error error = {0};
    wac_sweep sweep;
    int status = only ? cli_read_share(&how.share, only) : CLI_OK;
    if (status || (status = cli_read_device(&how.device, device)) ||
        (status = cli_read_given(&given, values)))
        return status;
    if (slurm && how.device != WAC_DEVICE_CPU)
        return cli_refuse("--slurm writes tasks of one processor each; leave --device out");
    cli_sweep_directory(directory, out, "sweeps", file);
    if (wac_sweep_read(&sweep, NULL, file, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    if (wac_sweep_give(&sweep, &given, file, &error) != WAC_STATUS_OK) {
        wac_sweep_free(&sweep);
        return cli_blame(&error);
    }
    wac_given_flags(flags, &given);
    if (maps)
        snprintf(flags + strlen(flags), sizeof flags - strlen(flags), " --maps");
    if (dry || slurm) {
        status = dry ? cli_sweep_dry_run(&sweep, directory, &how)
                     : write_slurm(&sweep, file, directory, flags);
        wac_sweep_free(&sweep);
        return status;
    }
    bool speaks;
    snprintf(command, sizeof command, "%s sweep %s%s%s%s%s%s", cli_program(), WAC_SHELL(file),
             out ? " --out " : "", out ? WAC_SHELL(out) : "", only ? " --only " : "",
             only ? only : "", flags);
    status = cli_sweep_run(&sweep, directory, &how, command, &speaks);
    if (speaks && status == CLI_OK)
        printf("%s\n", directory);
    wac_sweep_free(&sweep);
    return status;
}

const cli_command cli_sweep = {"sweep",
                               "train many agents from one file",
                               help,
                               run,
                               options,
                               1,
                               "name a sweep file; \"%s help sweep\" shows one"};
