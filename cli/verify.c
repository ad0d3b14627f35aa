/* wac verify: replay recordings and say how far the program is from them. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/csv.h"
#include "base/suggest.h"
#include "base/words.h"
#include "verify/env.h"
#include "verify/update.h"

#include <string.h>

static const char help[] =
    "wac verify: compare with recorded numbers\n"
    "\n"
    "Usage\n"
    "  wac verify update FILE... [--device " WAC_DEVICES "] [--backend " WAC_BACKENDS "]\n"
    "                    [--precision " WAC_PRECISIONS "] [--threads N]\n"
    "  wac verify env ENV FILE...\n"
    "\n"
    "update: FILE (safetensors) holds the networks, batches and noise of a few\n"
    "updates and what must come out of them. env: FILE (CSV) holds a run, single\n"
    "steps or a table of probabilities of an environment; its columns tell which.\n"
    "A run has its start in a JSON file beside it. One line a file with its\n"
    "largest differences, under the tolerances; exit status 1 if any is beyond its\n"
    "own or a file cannot be used. The sources have recordings of every algorithm\n"
    "and environment in tests/recorded, and describe the formats in docs/verify.md,\n"
    "so that you can record your own.\n"
    "\n"
    "Flags of update\n"
    "  --backend NAME      cpu: the one that trains (the default); reference: plain\n"
    "                      loops\n"
    "  --device NAME       cpu (the default), or cuda: a GPU\n"
    "  --precision NAME    single (the default), mixed or tf32; these two have wider\n"
    "                      tolerances\n"
    "  --threads N         threads that share the work (1)\n"
    "\n"
    "Examples\n"
    "  wac verify update tests/recorded/*.safetensors\n"
    "  wac verify update tests/recorded/*.safetensors --backend reference\n"
    "  wac verify update tests/recorded/*_small.safetensors --device cuda\n"
    "  wac verify env riverswim tests/recorded/riverswim*.csv\n"
    "  wac verify env point-4 tests/recorded/point4_*.csv\n";

static const char *backend, *device, *precision;
static int64_t threads;
static const cli_option options[] = {
    {"backend", .text = &backend},
    {"device", .text = &device},
    {"precision", .text = &precision},
    {"threads", .count = &threads, .smallest = 1, .largest = 1024},
    {0},
};

/* How the files fared. */
typedef struct tally {
    cli_style style;
    int name_width;
    int files, good;
} tally;

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The length of a file's name without its ending. */
static int name_length(const char *path)
{
    const char *name = base_name(path), *end = strrchr(name, '.');
    return (int)(end && end > name ? (size_t)(end - name) : strlen(name));
}

static tally start(char **files)
{
    tally tally = {.style = cli_style_of(stdout), .name_width = 4};
    for (; *files; files++, tally.files++)
        tally.name_width =
            name_length(*files) > tally.name_width ? name_length(*files) : tally.name_width;
    return tally;
}

/* A file that cannot be compared gets its sentence in place of its line. */
static void complain(const wac_error *error)
{
    fflush(stdout);
    cli_fail(error);
}

static int finish(const tally *tally)
{
    if (tally->files > 1)
        printf("%d of %d files within tolerance\n", tally->good, tally->files);
    return tally->good == tally->files ? CLI_OK : CLI_FAILED;
}

/* A difference, briefly. */
static const char *figure(char text[16], double error)
{
    if (error == 0)
        return "0";
    snprintf(text, 16, "%.1e", error);
    return text;
}

static void print_update(const tally *tally, const char *file, const wac_update_report *report)
{
    const cli_style *style = &tally->style;
    const wac_worst *all[] = {&report->scalars, &report->weights, &report->targets,
                              &report->actions};
    printf("%-*.*s  %-10s  %7d", tally->name_width, name_length(file), base_name(file),
           report->algorithm, report->steps);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool missed = all[i]->miss > 1;
        if (all[i]->name[0])
            printf("  %s%7s%s", missed ? style->red : "", figure((char[16]){0}, all[i]->error),
                   missed ? style->plain : "");
        else
            printf("  %7s", "-");
    }
    printf("  %s%s%s", report->passed ? style->green : style->red, report->passed ? "ok" : "MISS",
           style->plain);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->miss > 1)
            printf(" %s", all[i]->name);
    putchar('\n');
}

/* Which of the words a flag has; false, and said, where it is none of them. */
static bool choose(int *choice, const char *flag, const char *word, const char *words)
{
    char names[64];
    wac_words_join(names, sizeof names, words);
    *choice = word ? wac_word_index(words, word) : 0;
    if (*choice < 0)
        (void)cli_refuse("--%s must be %s, not \"%s\"", flag, names, WAC_CLIP(word));
    return *choice >= 0;
}

static int verify_updates(char **files)
{
    int kind = 0, where = 0, exactness = 0;
    if (!choose(&kind, "backend", backend, WAC_BACKENDS) ||
        !choose(&where, "device", device, WAC_DEVICES) ||
        !choose(&exactness, "precision", precision, WAC_PRECISIONS))
        return CLI_USAGE;
    wac_verify_options how = {.device = (wac_device)where,
                              .backend = (wac_backend_kind)kind,
                              .precision = (wac_precision)exactness,
                              .threads = threads ? (int)threads : 1};

    tally tally = start(files);
    const wac_tolerances *most = wac_verify_tolerances(how.precision);
    printf("%s%-*s  %-10s  %7s  %7s  %7s  %7s  %7s\n", tally.style.dim, tally.name_width, "file",
           "algorithm", "updates", "scalars", "weights", "targets", "actions");
    printf("%-*s  %-10s  %7s  %7.0e  %7.0e  %7.0e  %7.0e%s\n", tally.name_width, "", "tolerance",
           "", most->scalars, most->weights, most->targets, most->actions, tally.style.plain);
    for (; *files; files++) {
        wac_update_report report;
        wac_error error = {0};
        if (wac_verify_update(&report, *files, &how, &error) != WAC_STATUS_OK) {
            complain(&error);
            continue;
        }
        print_update(&tally, *files, &report);
        tally.good += report.passed;
    }
    return finish(&tally);
}

static void print_environment(const tally *tally, const char *file, const wac_env_report *report)
{
    const char *colour = report->passed ? tally->style.green : tally->style.red;
    printf("%-*.*s  %-13s  %7zu  %12s  %9.0e  %s%s%s", tally->name_width, name_length(file),
           base_name(file), report->kind, report->rows, figure((char[16]){0}, report->error),
           report->tolerance, colour, report->passed ? "ok" : "MISS", tally->style.plain);
    if (!report->passed)
        printf(" %s on line %zu", report->column, wac_csv_line(report->row));
    putchar('\n');
}

static int verify_environment(const char *name, char **files)
{
    const wac_environment_type *type;
    wac_error error = {0};
    if (wac_environment_type_find(&type, name, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    tally tally = start(files);
    printf("%s%-*s  %-13s  %7s  %12s  %9s%s\n", tally.style.dim, tally.name_width, "file", "kind",
           "rows", "worst error", "tolerance", tally.style.plain);
    for (; *files; files++) {
        wac_env_report report;
        error = (wac_error){0};
        if (wac_verify_env(&report, type, *files, &error) != WAC_STATUS_OK) {
            complain(&error);
            continue;
        }
        print_environment(&tally, *files, &report);
        tally.good += report.passed;
    }
    return finish(&tally);
}

static int run(char **words)
{
    static const char *const subjects[] = {"update", "env", NULL};
    if (strcmp(words[0], "update") == 0) {
        if (!words[1])
            return cli_refuse("which files? As in: %s verify update tests/recorded/*.safetensors",
                              cli_program());
        return verify_updates(words + 1);
    }
    if (strcmp(words[0], "env") == 0) {
        const char *stray = backend     ? "backend"
                            : device    ? "device"
                            : precision ? "precision"
                            : threads   ? "threads"
                                        : NULL;
        if (stray)
            return cli_refuse("--%s is for updates; leave it out", stray);
        if (!words[1] || !words[2])
            return cli_refuse(
                "which %s? As in: %s verify env riverswim tests/recorded/riverswim.csv",
                words[1] ? "files" : "environment", cli_program());
        return verify_environment(words[1], words + 2);
    }
    return cli_refuse("cannot verify \"%s\"; %s", WAC_CLIP(words[0]),
                      WAC_SUGGEST(words[0], wac_name_in_array, subjects, "say update or env"));
}

const cli_command cli_verify = {"verify",
                                "compare with recorded numbers",
                                help,
                                run,
                                options,
                                CLI_ANY_WORDS,
                                "verify what? Say update or env; see \"%s help verify\""};
