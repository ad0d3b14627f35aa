/* A policy as one C99 header: weights, code, recorded rows and a self-test. */
#ifndef WAC_EXPORT_HEADER_H
#define WAC_EXPORT_HEADER_H

#include "export/portable.h"

#include <stdio.h>

/* Observations and what the policy does there, to be compared wherever it runs. */
enum { WAC_RECORD_ROWS = 16 };
typedef struct wac_record {
    float observations[WAC_RECORD_ROWS][WAC_ENVIRONMENT_DIMENSIONS];
    float actions[WAC_RECORD_ROWS][WAC_ENVIRONMENT_DIMENSIONS];
    int rows;
    float tolerance; /* of an action, in halves of its range */
} wac_record;

/* What it costs. */
typedef struct wac_header_cost {
    int64_t bytes;           /* of constants, without recorded rows */
    int64_t stack;           /* bytes of its arrays */
    int64_t multiplications; /* for an action, at most */
} wac_header_cost;

wac_header_cost wac_header_cost_of(const wac_portable *portable);

/* `name` begins every identifier in it: letters, digits and underscores. `about` are lines for its
 * head. */
void wac_header_print(FILE *to, const wac_portable *portable, const wac_record *record,
                      const char *name, const char *about);

/* The name that the file gives: that of the last part of its path. */
enum { WAC_HEADER_NAME = 64 };
void wac_header_name(char name[WAC_HEADER_NAME], const char *path);

#endif
