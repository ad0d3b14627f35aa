/* The scoreboard of all experiments, for `wac reproduce --all`. */
#ifndef WAC_CLI_TERMINAL_SCOREBOARD_VIEW_H
#define WAC_CLI_TERMINAL_SCOREBOARD_VIEW_H

#include <stddef.h>

/* Judge what was run in these folders, write the scoreboard into `out`, print it as a table and the
 * page's path. An exit status. */
int cli_scoreboard_make(const char *const *folders, size_t count, const char *out);

#endif
