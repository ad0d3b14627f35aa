/* Any words as the command line of a subcommand with flags of every kind and settings: refused, or
 * flags that hold what they may, and settings that are checked before a config comes out. A byte of
 * 0 ends a word. */
#include "cli.h"
#include "config/config.h"
#include "fuzz/fuzz.h"

#include <math.h>

enum { MOST_WORDS = 24, LEAST_COUNT = -3, MOST_COUNT = 1024 };

static bool on;
static const char *text, *values[WAC_SETTINGS_TOTAL];
static int64_t count;
static double inches;
static const cli_option options[] = {
    {"on", .on = &on},
    {"out", .text = &text},
    {"count", .count = &count, .smallest = LEAST_COUNT, .largest = MOST_COUNT},
    {"wide", .inches = &inches},
    {"", .settings = values},
    {0},
};
static const cli_command command = {"fuzz", "", "", NULL, options, 2, NULL};
const cli_command *const cli_commands[] = {&command, NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(1, size + 1), *argv[MOST_WORDS + 2] = {(char[]){"fuzz"}};
    int argc = 1;
    require(copy);
    memcpy(copy, data, size);
    for (size_t at = 0; at < size && argc <= MOST_WORDS; at += strlen(copy + at) + 1)
        argv[argc++] = copy + at;
    on = false, text = NULL, count = 0, inches = 0;
    memset(values, 0, sizeof values);
    static FILE *nowhere; /* where sentences go */
    if (!nowhere)
        stderr = nowhere = fopen("/dev/null", "w");
    require(nowhere);
    int status = cli_parse(options, 2, argc, argv);
    require(status == CLI_OK || status == CLI_USAGE);
    require(count >= LEAST_COUNT && count <= MOST_COUNT && isfinite(inches) && inches >= 0);
    if (status == CLI_OK) {
        wac_config config;
        for (int i = 1; argv[i]; i++)
            require(i <= 2);
        if (cli_read_config(&config, values, argv[1], NULL) == CLI_OK)
            require(wac_config_check(&config, NULL) == WAC_STATUS_OK);
    }
    free(copy);
    return 0;
}
