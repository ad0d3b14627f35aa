/* Gradients against finite differences, in double: random numbers to begin with, slopes, and
 * what Adam makes of them. */
#ifndef WAC_TESTS_SLOPES_H
#define WAC_TESTS_SLOPES_H

#include "nn/backend.h"
#include "nn/fill.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline void fill(uint64_t seed, size_t count, real low, real high, real *out)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    wac_fill_uniform(&rng, count, low, high, out);
}

static inline void fill_noise(uint64_t seed, size_t count, real *out)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_NOISE);
    wac_fill_normal(&rng, count, out);
}

static inline void assert_close(double value, double expected, double relative, double absolute)
{
    double bound = relative * fmax(fabs(value), fabs(expected)) + absolute;
    if (!(fabs(value - expected) <= bound))
        fail_msg("%.15g, expected %.15g", value, expected);
}

typedef double objective(void *context);

/* d objective / d *at by a central difference */
static inline double slope_at(objective *f, void *context, real *at)
{
    const double step = 1e-5;
    static const double weights[] = {1, -8, 8, -1}; /* so that curvature does not count */
    real before = *at;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        *at = before + (i < 2 ? i - 2 : i - 1) * step;
        sum += weights[i] * f(context);
    }
    *at = before;
    return sum / (12 * step);
}

/* gradient[i] belongs to at[i]; `noise`: rounding in the objective, over the step */
static inline void assert_gradient(objective *f, void *context, real *at, const real *gradient,
                                   size_t count, double noise)
{
    for (size_t i = 0; i < count; i++)
        assert_close(gradient[i], slope_at(f, context, &at[i]), 1e-6, noise);
}

/* Adam as Kingma and Ba print it (algorithm 1), with weight decay as Loshchilov and Hutter do
 * (algorithm 2). */
static inline double adam_expected(const double *gradients, int steps, double rate, double decay,
                                   double value)
{
    double m = 0, v = 0;
    for (int t = 1; t <= steps; t++) {
        double g = gradients[t - 1];
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        value -= rate *
                 ((m / (1 - pow(0.9, t))) / (sqrt(v / (1 - pow(0.999, t))) + 1e-8) + decay * value);
    }
    return value;
}

#endif
