/* Names as people write them: "Point 1", "OE-WAC λ 0.5", "λ". */
#ifndef WAC_REPORT_NAMES_H
#define WAC_REPORT_NAMES_H

#include "report/where.h"

/* All return `text`. In labels learning rates are "lr". */
enum { WAC_PRETTY = 320 };
const char *wac_pretty_label(char text[WAC_PRETTY], const char *label);
const char *wac_pretty_setting(char text[WAC_PRETTY], const char *name);
const char *wac_pretty_environment(char text[WAC_PRETTY], const char *name);

/* A label without the algorithm that it begins with, where it has more and that is not null. */
const char *wac_label_beyond(const char *label, const char *algorithm);

/* What a caption says of names that leave the algorithm out, and of groups that are not shown
 * (wac_groups_rank). */
void wac_caption_groups(char *text, size_t size, const char *algorithm, size_t shown, size_t total);

/* A task: its environment, with more where two tasks share it. */
const char *wac_pretty_task(char text[WAC_PRETTY], const wac_selection *selection, size_t task);

#endif
