/* Names as people write them: "Point 1", "OE-WAC λ 0.5", "λ". */
#ifndef WAC_REPORT_NAMES_H
#define WAC_REPORT_NAMES_H

#include "report/where.h"

/* All return `text`. */
enum { WAC_PRETTY = 320 };
const char *wac_pretty_label(char text[WAC_PRETTY], const char *label);
const char *wac_pretty_setting(char text[WAC_PRETTY], const char *name);
const char *wac_pretty_environment(char text[WAC_PRETTY], const char *name);

/* A task: its environment, with more where two tasks share it. */
const char *wac_pretty_task(char text[WAC_PRETTY], const wac_selection *selection, size_t task);

#endif
