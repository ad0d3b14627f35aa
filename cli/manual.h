/* The help of a command as a page of the manual. */
#ifndef WAC_CLI_MANUAL_H
#define WAC_CLI_MANUAL_H

#include "cli.h"

/* In the language of man, to stdout; `command` null: the program's own page. */
void cli_print_manual(const cli_command *command);

#endif
