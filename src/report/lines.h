/* The groups and lines of a figure. */
#ifndef WAC_REPORT_LINES_H
#define WAC_REPORT_LINES_H

#include "report/sheet.h"

/* Find the tasks and lines of the figure, at most so many. Curves of several settings each become a
 * line for every group, where those are few enough. free() groups and lines. */
wac_status wac_lines_find(wac_sheet *sheet, size_t most, wac_error *error);

/* Over a setting: whether some line of the figure has two points. */
bool wac_lines_have_two(const wac_figure *figure, const wac_selection *selection);

/* The runs of a line in a task, into `found`; x (or null): at this value of the figure's setting.
 * Returns how many. */
size_t wac_lines_runs(wac_sheet *sheet, size_t task, size_t index, const double *x);

#endif
