/* What the subcommands of the program share.
 *
 * A subcommand is one file: cli/train.c defines `const cli_command cli_train`, with its help beside
 * the code that it describes, and main.c lists it. main.c answers `wac help train`,
 * `wac train --help` and `wac --help` from the struct. The run function reads its arguments with
 * cli_parse (options.h) and returns an exit status:
 *
 *     static int run(int argc, char **argv)
 *     {
 *         const char *out = NULL;
 *         int64_t threads = 1;
 *         const cli_option options[] = {
 *             {"out", .text = &out},
 *             {"threads", .count = &threads, .smallest = 1, .largest = 1024},
 *             {0},
 *         };
 *         cli_arguments arguments = {.most_words = 1, .takes_settings = true};
 *         wac_config config;
 *         int status = cli_parse(&arguments, options, argc, argv);
 *         if (!status)
 *             status = cli_read_config(&config, &arguments, arguments.words[0], NULL);
 *         if (status)
 *             return status;
 *         ...
 *     }
 *
 *     const cli_command cli_train = {"train", "learn a policy", help, run};
 *
 * Results go to stdout, everything else to stderr. The library says what is wrong, cli_fail and
 * cli_refuse (terminal/terminal.h) print it as `wac: sentence`; only main.c leaves the program.
 */
#ifndef WAC_CLI_H
#define WAC_CLI_H

/* exit statuses */
enum { CLI_OK, CLI_FAILED, CLI_USAGE };

typedef struct cli_command {
    const char *name;
    const char *summary;               /* a few words for the list of commands */
    const char *help;                  /* usage, meaning, flags, examples; ends with a newline */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; an exit status */
} cli_command;

extern const cli_command cli_train, cli_evaluate, cli_envs, cli_config, cli_verify, cli_demo,
    cli_render, cli_sweep, cli_tune, cli_stats, cli_report, cli_reproduce, cli_bench;

#endif
