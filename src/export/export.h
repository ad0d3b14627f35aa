/* Policies for elsewhere: taken from a run, written in one of several forms, read or compiled again
 * and compared with the library before anybody is told that it is there. */
#ifndef WAC_EXPORT_EXPORT_H
#define WAC_EXPORT_EXPORT_H

#include "export/header.h"

typedef enum wac_export_form {
    WAC_EXPORT_FORM_C,
    WAC_EXPORT_FORM_ONNX,
    WAC_EXPORT_FORM_SAFETENSORS,
} wac_export_form;

#define WAC_EXPORT_FORMS "c|onnx|safetensors" /* in that order */

/* How far an exported policy may be from the library's, in halves of an action's range; or, where
 * large weights make both round more than that, so many times as far as the library is from what
 * double precision gives. */
#define WAC_EXPORT_TOLERANCE 1e-5
#define WAC_EXPORT_ROUNDINGS 4

/* The same for the bounds of critics, relative to 1 + their size. */
#define WAC_EXPORT_VALUE_TOLERANCE 1e-4

typedef struct wac_export_options {
    wac_export_form form;
    const char *path; /* of the new file */
    bool critics;
    bool int8;        /* weights; C only */
    bool evaluate;    /* play the exported policy, too; it is with int8 weights */
    int64_t episodes; /* to play; their observations are compared */
} wac_export_options;

/* How far actions are apart, in halves of their range. */
typedef struct wac_export_distance {
    double largest, square; /* sum of squares, over all entries */
    int64_t entries;
} wac_export_distance;

typedef struct wac_export_report {
    wac_header_cost cost;
    int64_t file_bytes;
    int64_t random, visited;        /* observations */
    wac_export_distance difference; /* what was written, to the arithmetic of the library */
    double tolerance;               /* the largest that it may be */
    double value_difference; /* largest, of bounds, relative to 1 + their size; NaN: no critics */
    wac_export_distance loss_random, loss_visited; /* by rounding the weights */
    bool compiled; /* C: by a compiler; else there is none, and the same code was played */
    bool evaluated;
    wac_evaluation library, exported;
} wac_export_report;

/* The target policy of a run that was opened. Nothing is overwritten, and nothing is left where
 * this fails. */
wac_status wac_export(wac_export_report *report, wac_run *run, const wac_export_options *options,
                      wac_error *error);

#endif
