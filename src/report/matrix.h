/* One table of all tasks by all methods: normalised returns. */
#ifndef WAC_REPORT_MATRIX_H
#define WAC_REPORT_MATRIX_H

#include "report/where.h"

#include <stdio.h>

/* A part of a page: means over the finished runs, the best of each task in bold, and below them the
 * means over the tasks that all have. Nothing where fewer than two tasks or methods have such a
 * return. */
wac_status wac_matrix_write(FILE *to, const wac_selection *selection, wac_error *error);

#endif
