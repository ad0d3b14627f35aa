/* How algorithms are written, and how lines differ in pictures: in colour, dash and mark, so that
 * they stay apart for every eye and in grey. Algorithms look the same in all of them. */
#ifndef WAC_DRAW_STYLE_H
#define WAC_DRAW_STYLE_H

#include "wac/config.h"

#include <stddef.h>

typedef struct wac_style {
    const char *colour; /* "#0072b2" */
    const char *dash;   /* after gnuplot's dt */
    int mark;           /* after gnuplot's pt */
} wac_style;

enum { WAC_STYLES = 12 };

/* Line number `index`, from 0; after WAC_STYLES they repeat. */
const wac_style *wac_style_at(size_t index);

const wac_style *wac_style_of(wac_algorithm algorithm);

/* An algorithm's name in capitals: "OE-WAC". Returns `title`. */
enum { WAC_STYLE_TITLE = 64 };
const char *wac_style_title(char title[WAC_STYLE_TITLE], const char *algorithm);

/* A task as people write it: "LQG", "Point 1, sparse". Returns `title`. */
const char *wac_style_environment(char *title, size_t size, const char *name);

#endif
