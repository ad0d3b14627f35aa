/* Bisection on erfc until the interval cannot shrink: called once a run, so plain beats fast. */
#include "rl/normal_quantile.h"

#include <math.h>

double wac_normal_quantile(double p)
{
    double low = -40, high = 40;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (0.5 * erfc(-middle / sqrt(2.0)) < p)
            low = middle;
        else
            high = middle;
    }
}
