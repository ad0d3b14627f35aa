/* The incomplete beta function by its continued fraction, inverted by bisection: called a few times
 * a report, so plain beats fast. */
#include "stats/distributions.h"

#include <math.h>

/* Lentz's way to evaluate the continued fraction of I_x(a, b). */
static double fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double result = d;
    for (int m = 1; m < 10000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double factor = 1;
        for (int half = 0; half < 2; half++) {
            double step = half ? odd : even;
            d = 1 + step * d;
            c = 1 + step / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            factor = c * d;
            result *= factor;
        }
        if (fabs(factor - 1) < 1e-16)
            break;
    }
    return result;
}

/* P(X <= x) of a beta distribution. */
static double beta_share(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x > 0;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    /* the fraction is quick on one side of the middle, the other is its mirror */
    return x < (a + 1) / (a + b + 2) ? front * fraction(x, a, b) / a
                                     : 1 - front * fraction(1 - x, b, a) / b;
}

double wac_beta_quantile(double p, double a, double b)
{
    double low = 0, high = 1;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (beta_share(middle, a, b) < p)
            low = middle;
        else
            high = middle;
    }
}

double wac_t_quantile(double p, double freedom)
{
    /* x = f / (f + t^2) is beta distributed, with both tails in one */
    double tail = p < 0.5 ? p : 1 - p;
    double x = wac_beta_quantile(2 * tail, freedom / 2, 0.5);
    double t = sqrt(freedom * (1 - x) / x);
    return p < 0.5 ? -t : t;
}

double wac_t_tail(double t, double freedom)
{
    if (isinf(t) || isnan(t))
        return isnan(t) ? 1 : t < 0;
    double tail = beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
    return t > 0 ? tail : 1 - tail;
}
