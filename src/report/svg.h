/* A drawing of gnuplot's as part of a page. */
#ifndef WAC_REPORT_SVG_H
#define WAC_REPORT_SVG_H

#include <stddef.h>
#include <stdio.h>

/* The rest of an address that begins with "data:image/svg+xml,". It looks the same, and is two
 * fifths as long. */
void wac_svg_write(FILE *to, const char *bytes, size_t size);

#endif
