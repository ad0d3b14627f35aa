/* Numbers as text, with a point, whatever language the host program has set; in order, and within
 * bounds. */
#ifndef WAC_BASE_NUMBER_H
#define WAC_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a decimal number that fills the text from end to end: no blanks, hexadecimals or words. One
 * too large becomes infinite; there is no negative zero. */
bool wac_number_parse(double *number, const char *text);

/* NaN stays NaN. */
static inline double wac_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* From the smallest on. */
void wac_sort(double *numbers, size_t count);

/* snprintf. */
int wac_number_print(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A number that a person would give: one or two digits, not nearer to zero. */
double wac_number_away(double value);

#endif
