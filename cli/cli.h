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
 * cli_refuse print it as `wac: sentence`; only main.c leaves the program.
 */
#ifndef WAC_CLI_H
#define WAC_CLI_H

#include "wac/wac.h"

#include <stdio.h>

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

/* Something went wrong on the way: print the library's sentence; returns CLI_FAILED. */
int cli_fail(const wac_error *error);

/* The program as it was called ("build/wac"): for commands that a message shows, so that they can
 * be pasted. main.c notes it. */
const char *cli_program(void);
void cli_note_program(const char *name);

/* The user asked for something that makes no sense: print why; returns CLI_USAGE. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Escape sequences for a stream; empty strings unless it is a terminal that shows colours and
 * NO_COLOR is not set. */
typedef struct cli_style {
    const char *bold, *dim, *red, *green, *blue, *plain;
} cli_style;

cli_style cli_style_of(FILE *stream);

/* How wide lines on a stream may be: one column less than the terminal has, from 40 to 100; 100
 * where it is none. */
int cli_width(FILE *stream);

/* "1 epoch", "30 epochs" */
const char *cli_count(char text[48], int64_t count, const char *thing);

/* What a config's environment is called: "point-1-sparse" for point-1 with sparse rewards. */
const char *cli_environment(char text[320], const wac_config *config);

/* `text` to stdout from column `indent` on, broken into lines that end before column `width`. The
 * cursor is at `indent` already; ends with a newline. */
void cli_print_wrapped(const char *text, int indent, int width);

#endif
