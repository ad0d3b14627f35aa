/* What pages have in common: their look, text from outside, verdicts. */
#ifndef WAC_REPORT_MARKUP_H
#define WAC_REPORT_MARKUP_H

#include "report/judge.h"

#include <stdio.h>

/* Everything before and after what a page says. */
void wac_html_begin(FILE *to, const char *title);
void wac_html_end(FILE *to);

/* `text` for HTML: no markup, no bytes that are no text. */
void wac_html_escape(FILE *to, const char *text);

/* The same between markup. */
void wac_html_tag(FILE *to, const char *before, const char *text, const char *after);

/* A table of a style's class and the heads of its columns ("task|#seeds": of numbers where they
 * begin with #), up to its rows; and what comes behind these. */
void wac_html_table(FILE *to, const char *style, const char *heads);
void wac_html_table_end(FILE *to);

/* A verdict, and below it what the numbers point towards where they do not decide. */
void wac_html_verdict(FILE *to, wac_verdict verdict, wac_verdict leaning);

/* A finding as an entry of a list, `from` (may be empty) before its words. */
void wac_html_finding(FILE *to, const wac_finding *finding, const char *from);

/* What verdicts mean, in a sentence. */
void wac_html_rules(FILE *to);

#endif
