/* strtod and snprintf under the C locale, which each thread enters for the moment. */
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both are cheap: the C locale is a constant of the C library. */
static locale_t enter_c(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void leave_c(locale_t former)
{
    freelocale(uselocale(former));
}

bool wac_number_parse(double *number, const char *text)
{
    if (text[strspn(text, "+-.0123456789eE")])
        return false;
    char *end;
    locale_t former = enter_c();
    *number = strtod(text, &end) + 0.0; /* no negative zero */
    leave_c(former);
    return end > text && !*end;
}

int wac_number_print(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    locale_t former = enter_c();
    int length = vsnprintf(text, size, format, arguments);
    leave_c(former);
    va_end(arguments);
    return length;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void wac_sort(double *numbers, size_t count)
{
    if (count > 0) /* perhaps there is no array */
        qsort(numbers, count, sizeof *numbers, compare);
}

double wac_number_away(double value)
{
    double unit = value == 0 ? 1 : pow(10, floor(log10(fabs(value))) - 1);
    return copysign(ceil(fabs(value) / unit - 1e-9) * unit, value);
}
