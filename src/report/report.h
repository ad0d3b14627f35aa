/* Reports: figures and one page of HTML that needs nothing else, from runs on disk.
 *
 *   report.html   claims, figures, statistics, settings, commands, versions; the figures are in it
 *   claims.json   the verdicts, for programs
 *   figures/      every figure as SVG, PNG and PDF, and what is drawn in numbers as CSV
 *   data.csv      of an experiment: all of its runs as one table (table.h)
 */
#ifndef WAC_REPORT_REPORT_H
#define WAC_REPORT_REPORT_H

#include "report/judge.h"

#include <limits.h>

typedef struct wac_report_options {
    const char *out;                  /* the folder; made if it is not there */
    const wac_experiment *experiment; /* null: figures that fit the runs, and no claims */
    wac_scale scale;                  /* of the experiment */
    wac_figure_look look;
    const char *name;    /* of the folder, for the title; may be null */
    const char *command; /* that makes this report, for the page; may be null */
    const char
        *csv; /* where the table of all runs goes; null: data.csv of an experiment, else none */
    void (*progress)(void *user, int done, int figures); /* may be null */
    void *user;
    const volatile int *stop; /* may be null */
} wac_report_options;

/* What came out. */
typedef struct wac_report {
    char page[PATH_MAX], table[PATH_MAX]; /* the second may be empty */
    wac_judgement *judgements;            /* [count], of the experiment's claims */
    size_t count;
    char **missing; /* [missing_count]: runs of the experiment that are not there or not finished */
    size_t missing_count;
    size_t left_out; /* runs that are no part of the experiment */
    size_t figures, figures_failed;
    char problem[512]; /* why the first of those failed */
} wac_report;

/* Fails where nothing can be written; runs that could not be read, and figures that could not be
 * drawn, are noted on the page. On failure there is nothing to free. */
wac_status wac_report_write(wac_report *report, const wac_runset *set,
                            const wac_report_options *options, wac_error *error);
void wac_report_free(wac_report *report);

/* How many runs of the set belong to a scale of the experiment. */
size_t wac_report_matches(const wac_runset *set, const wac_experiment *experiment, wac_scale scale);

/* The scale that most of the runs belong to; of equal ones the larger where all of its runs are
 * there. */
wac_scale wac_report_scale(const wac_runset *set, const wac_experiment *experiment);

/* Where no run belongs to any of these scales (-1: all): what the nearest has of its own, in the
 * first setting that differs: "width 256, not 64". Empty where all are of other programs. */
enum { WAC_REPORT_NEAREST = 256 };
const char *wac_report_nearest(char text[WAC_REPORT_NEAREST], const wac_runset *set,
                               const wac_experiment *experiment, int scale);

#endif
