/* The page of a report. */
#ifndef WAC_REPORT_HTML_H
#define WAC_REPORT_HTML_H

#include "report/report.h"

#include <stdio.h>

/* All that the page tells. */
typedef struct wac_report_page {
    wac_report *report;
    const wac_report_options *options;
    const wac_selection *selection;
    wac_drawing *drawings; /* [drawing_count] */
    size_t drawing_count;
    char figures[PATH_MAX]; /* the folder where they are */
} wac_report_page;

/* Write report->page, whole or not at all. All text from outside is escaped. */
wac_status wac_report_html(const wac_report_page *page, wac_error *error);

#endif
