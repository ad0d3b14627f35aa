/* wac bench: how fast this machine trains, and how much of the machine that uses. */
#include "bench.h"

#include "base/suggest.h"
#include "options.h"

#include <string.h>

static const char help[] =
    "wac bench: how fast this machine trains\n"
    "\n"
    "Usage\n"
    "  wac bench update [--quick] [--json] [--algorithm NAME] [--width N] [--batch N]\n"
    "                   [--threads N] [--env-size point|halfcheetah]\n"
    "                   [--precision single|mixed]\n"
    "                   [--figure FILE]\n"
    "  wac bench kernels\n"
    "  wac bench train [--epochs N]\n"
    "\n"
    "update: updates per second, and the share of the limit that they reach. The\n"
    "limit is measured on the same threads, in turns with the updates: fused\n"
    "multiply-adds on registers and nothing else, best of 9. An update is counted by\n"
    "the sizes of its layers, however it is computed. Medians of 9 rounds; the\n"
    "spread is that of the middle half of them, as a share of the median. Varies\n"
    "one thing at a time: threads, width and batch around width 256, batch 256 and\n"
    "all processors. A flag fixes what it names. Stop other work first. The round\n"
    "trip is that of a number between the first two threads: the shorter, the\n"
    "nearer are their processors, and the faster are two threads.\n"
    "\n"
    "kernels: every version of the matrix product at the sizes that updates have,\n"
    "one thread, operands in cache, best of 9.\n"
    "\n"
    "train: the whole loop of training on point-1 in a temporary folder, with SAC\n"
    "and OE-WAC, beside the bare updates of the same agent, and where the rest of\n"
    "the time goes.\n"
    "\n"
    "Flags of update\n"
    "  --quick             Point size, width 256, batch 256, one thread and all\n"
    "                      processors only\n"
    "  --json              an array of objects instead of a table\n"
    "  --figure FILE       draw them too: cost and share against width, batch and\n"
    "                      threads, for the first size (.png or .svg)\n"
    "  --algorithm NAME    sac, oac, oe-wac or me-wac\n"
    "  --width N           units in each hidden layer\n"
    "  --batch N           transitions drawn for an update\n"
    "  --threads N         threads that share the work\n"
    "  --env-size NAME     point: 4 observations, 2 actions; halfcheetah: 17 and 6\n"
    "  --precision NAME    single or mixed; the limit is that of single\n"
    "\n"
    "Flag of train\n"
    "  --epochs N          epochs of each run (3)\n"
    "\n"
    "Examples\n"
    "  wac bench update --quick\n"
    "  wac bench update --algorithm oe-wac --env-size point --threads 1\n"
    "  taskset -c 2-5 wac bench update --quick --json > here.json\n";

/* Which flags a subject takes; null after the last. */
typedef struct subject {
    const char *name;
    const char *flags[9];
} subject;

static const subject subjects[] = {
    {"update",
     {"json", "quick", "figure", "algorithm", "env-size", "precision", "width", "batch",
      "threads"}},
    {"kernels", {NULL}},
    {"train", {"epochs"}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *subject_name(const void *names, size_t index)
{
    (void)names;
    return index < SUBJECTS ? subjects[index].name : NULL;
}

static const subject *find_subject(const char *name)
{
    for (int i = 0; i < SUBJECTS; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    const char *near = wac_suggest(name, subject_name, NULL);
    if (near)
        cli_refuse("cannot bench \"%s\"; did you mean \"%s\"?", WAC_CLIP(name), near);
    else
        cli_refuse("cannot bench \"%s\"; say update, kernels or train", WAC_CLIP(name));
    return NULL;
}

/* Refuse a flag that was given but is another subject's. */
static int check_flags(const subject *subject, const cli_option *options)
{
    for (; options->name; options++) {
        bool given = options->on     ? *options->on
                     : options->text ? *options->text != NULL
                                     : *options->count != 0;
        for (int i = 0; given && subject->flags[i]; i++)
            given = strcmp(subject->flags[i], options->name) != 0;
        if (given)
            return cli_refuse("\"%s bench %s\" has no --%s; leave it out", cli_program(),
                              subject->name, options->name);
    }
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    cli_bench_flags flags = {0};
    const cli_option options[] = {
        {"json", .on = &flags.json},
        {"figure", .text = &flags.figure},
        {"quick", .on = &flags.quick},
        {"algorithm", .text = &flags.algorithm},
        {"env-size", .text = &flags.size},
        {"precision", .text = &flags.precision},
        {"width", .count = &flags.width, .smallest = 1, .largest = 8192},
        {"batch", .count = &flags.batch, .smallest = 1, .largest = 65536},
        {"threads", .count = &flags.threads, .smallest = 1, .largest = 1024},
        {"epochs", .count = &flags.epochs, .smallest = 1, .largest = 1000},
        {0},
    };
    cli_arguments arguments = {.most_words = 1};
    int status = cli_parse(&arguments, options, argc, argv);
    if (status)
        return status;
    if (!arguments.words[0])
        return cli_refuse("bench what? Say update, kernels or train; see \"%s bench --help\"",
                          cli_program());
    const subject *subject = find_subject(arguments.words[0]);
    status = subject ? check_flags(subject, options) : CLI_USAGE;
    if (status)
        return status;
    if (strcmp(subject->name, "kernels") == 0)
        return cli_bench_kernels();
    return strcmp(subject->name, "train") == 0 ? cli_bench_train(&flags) : cli_bench_update(&flags);
}

const cli_command cli_bench = {"bench", "how fast this machine trains", help, run};
