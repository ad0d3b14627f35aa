/* The arguments of a subcommand: words, flags of its own, and settings. */
#ifndef WAC_CLI_OPTIONS_H
#define WAC_CLI_OPTIONS_H

#include "cli.h"

#include "wac/config.h"

/* A flag of a subcommand; exactly one of the pointers is set and says what the flag takes. What
 * they point to keeps its value where the flag is not given. End the list with {0}. */
typedef struct cli_option {
    const char *name;          /* "out" for --out */
    bool *on;                  /* takes nothing */
    const char **text;         /* takes any text */
    int64_t *count;            /* takes a whole number … */
    int64_t smallest, largest; /* … of this range */
} cli_option;

typedef struct cli_arguments {
    int most_words;      /* set by the caller: words that are not flags; -1: any number */
    bool takes_settings; /* set by the caller: --KEY VALUE for every setting */
    char **words;        /* the words; null after the last */
    int word_count;
    const char *settings[WAC_SETTINGS_TOTAL]; /* values asked for, in the order of wac_settings */
} cli_arguments;

/* Reads `--flag value`, `--flag=value` and `--switch` in any order; after `--` all is words. A flag
 * given twice: the last one counts. Reorders argv. Says what is wrong; returns an exit status. */
int cli_parse(cli_arguments *arguments, const cli_option *options, int argc, char **argv);

/* The config that a command line asks for: the preset of the environment and algorithm, then the
 * file, then --KEY VALUE. `environment` (null: the file names it) and --algorithm win over the
 * file; `file` may be null. Says what is wrong; returns an exit status. */
int cli_read_config(wac_config *config, const cli_arguments *arguments, const char *environment,
                    const char *file);

#endif
