/* The arguments of a subcommand: words, flags of its own, and settings. */
#ifndef WAC_CLI_OPTIONS_H
#define WAC_CLI_OPTIONS_H

#include "wac/agent.h"

/* exit statuses */
enum { CLI_OK, CLI_FAILED, CLI_USAGE };

/* A flag of a subcommand; exactly one of the pointers is set and says what the flag takes. What
 * they point to keeps its value where the flag is not given. End the list with {0}. */
typedef struct cli_option {
    const char *name;      /* "out" for --out; "" for settings */
    bool *on;              /* takes nothing */
    const char **text;     /* takes any text */
    const char **settings; /* takes --KEY VALUE for every setting, in the order of wac_settings */
    int64_t *count;        /* takes a whole number … */
    int64_t smallest, largest; /* … of this range */
    double *inches;            /* takes a length: "3.3in", "84mm", "8.4cm" */
} cli_option;

enum { CLI_ANY_WORDS = -1 };

/* Reads `--flag value`, `--flag=value` and `--switch` in any order; after `--` all is words. A flag
 * given twice: the last one counts. argv[0] is the command's name; the words gather behind it, with
 * a null after the last, and may be `most` at most. Says what is wrong; returns an exit status. */
int cli_parse(const cli_option *options, int most, int argc, char **argv);

/* "cpu" or "cuda"; null, where the flag was not given: cpu. Says what is wrong; returns an exit
 * status. */
int cli_read_device(wac_device *device, const char *text);

/* The config that a command line asks for: the preset of the environment and algorithm, then the
 * file, then --KEY VALUE, in the order of wac_settings. `environment` (null: the file names it) and
 * --algorithm win over the file; `file` may be null. Says what is wrong; returns an exit status. */
int cli_read_config(wac_config *config, const char *const *values, const char *environment,
                    const char *file);

#endif
