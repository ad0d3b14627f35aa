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
    "\n"
    "update: updates per second, and the share of the limit that they reach. The\n"
    "limit is measured on the same threads, in turns with the updates: fused\n"
    "multiply-adds on registers and nothing else, best of 9. An update is counted by\n"
    "the sizes of its layers, however it is computed. Medians of 9 rounds; the\n"
    "spread is that of the middle half of them, as a share of the median. Varies\n"
    "one thing at a time: threads, width and batch around width 256, batch 256 and\n"
    "all processors. A flag fixes what it names. Stop other work first.\n"
    "\n"
    "Flags of update\n"
    "  --quick             Point size, width 256, batch 256, one thread and all\n"
    "                      processors only\n"
    "  --json              an array of objects instead of a table\n"
    "  --algorithm NAME    sac, oac, oe-wac or me-wac\n"
    "  --width N           units in each hidden layer\n"
    "  --batch N           transitions drawn for an update\n"
    "  --threads N         threads that share the work\n"
    "  --env-size NAME     point: 4 observations, 2 actions; halfcheetah: 17 and 6\n"
    "\n"
    "Examples\n"
    "  wac bench update --quick\n"
    "  wac bench update --algorithm oe-wac --env-size point --threads 1\n"
    "  taskset -c 2-5 wac bench update --quick --json > here.json\n";

static int run(int argc, char **argv)
{
    static const char *const subjects[] = {"update", NULL};
    cli_bench_flags flags = {0};
    const cli_option options[] = {
        {"json", .on = &flags.json},
        {"quick", .on = &flags.quick},
        {"algorithm", .text = &flags.algorithm},
        {"env-size", .text = &flags.size},
        {"width", .count = &flags.width, .smallest = 1, .largest = 8192},
        {"batch", .count = &flags.batch, .smallest = 1, .largest = 65536},
        {"threads", .count = &flags.threads, .smallest = 1, .largest = 1024},
        {0},
    };
    cli_arguments arguments = {.most_words = 1};
    int status = cli_parse(&arguments, options, argc, argv);
    if (status)
        return status;
    const char *subject = arguments.words[0];
    if (!subject)
        return cli_refuse("bench what? Say update; see \"%s bench --help\"", cli_program());
    if (strcmp(subject, "update") == 0)
        return cli_bench_update(&flags);
    const char *near = wac_suggest(subject, wac_name_in_array, subjects);
    if (near)
        return cli_refuse("cannot bench \"%s\"; did you mean \"%s\"?", WAC_CLIP(subject), near);
    return cli_refuse("cannot bench \"%s\"; say update", WAC_CLIP(subject));
}

const cli_command cli_bench = {"bench", "how fast this machine trains", help, run};
