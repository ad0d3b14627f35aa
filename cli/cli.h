/* What the subcommands of the program share.
 *
 * A subcommand is one file: cli/train.c defines `const cli_command cli_train`, with its help beside
 * the code that it describes, and main.c lists it. main.c answers `wac help train`,
 * `wac train --help` and `wac --help` from the struct, reads the arguments (options.h) and hands
 * the words over:
 *
 *     static const char *out;
 *     static int64_t threads = 1;
 *     static const cli_option options[] = {
 *         {"out", .text = &out},
 *         {"threads", .count = &threads, .smallest = 1, .largest = 1024},
 *         {0},
 *     };
 *
 *     static int run(char **words)
 *     {
 *         const char *environment = words[0];
 *         ...
 *     }
 *
 *     const cli_command cli_train = {"train", "learn a policy", help, run, options, 1, NULL};
 *
 * Results go to stdout, everything else to stderr. The library says what is wrong, cli_fail and
 * cli_refuse (terminal/terminal.h) print it as `wac: sentence`; only main.c leaves the program. A
 * process becomes the program by start.c, or by Python (python/extension).
 */
#ifndef WAC_CLI_H
#define WAC_CLI_H

#include "options.h"

typedef struct cli_command {
    const char *name;
    const char *summary; /* a few words for the list of commands */
    const char *help;    /* usage, meaning, flags, examples; ends with a newline */
    /* the words that are not flags, null after the last; an exit status */
    int (*run)(char **words);
    const cli_option *options;
    int most_words;
    const char
        *missing; /* refuses a command without words; %s is the program. Null: it needs none */
} cli_command;

extern const cli_command cli_train, cli_evaluate, cli_envs, cli_config, cli_verify, cli_demo,
    cli_render, cli_export, cli_sweep, cli_tune, cli_stats, cli_report, cli_reproduce, cli_pack,
    cli_bench, cli_check, cli_watch, cli_completion;

/* All of them, null after the last; in main.c. */
extern const cli_command *const cli_commands[];

/* The whole program; an exit status. Once a process. */
int cli_main(int argc, char **argv);

#endif
