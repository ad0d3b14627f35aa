/* The scoreboard as files: scoreboard.html, scoreboard.tex and claims.json. */
#ifndef WAC_REPORT_SCOREBOARD_FILES_H
#define WAC_REPORT_SCOREBOARD_FILES_H

#include "report/scoreboard.h"

#include <stdio.h>

/* Into a folder that is there; `page` (PATH_MAX bytes) gets the path of the page. */
wac_status wac_scoreboard_write(const wac_scoreboard *board, const char *folder, char *page,
                                wac_error *error);

/* `text` for LaTeX. */
void wac_tex_escape(FILE *to, const char *text);

#endif
