/* Adam (Kingma and Ba, 2015) for one number; both backends and the entropy weights use it. */
#ifndef WAC_NN_ADAM_H
#define WAC_NN_ADAM_H

#include "nn/stack.h"

#include <tgmath.h>

/* Its moments, laid out like the parameters of a stack. */
typedef struct wac_moments {
    real *first, *second;
} wac_moments;

/* What a step takes from the number of steps and the rate. */
typedef struct wac_adam_factors {
    real step;       /* rate / (1 - beta1^t) */
    real correction; /* 1 / sqrt(1 - beta2^t) */
    real decay;      /* share of a weight that it loses first (Loshchilov and Hutter, 2019) */
    real fresh;      /* share of a gradient in the first moment, 1 - beta1 */
} wac_adam_factors;

#define WAC_ADAM_BETA1 0.9
#define WAC_ADAM_BETA2 0.999
#define WAC_ADAM_EPSILON 1e-8

/* `steps` counts this one too. */
static inline wac_adam_factors wac_adam_prepare_by(double beta1, int64_t steps, double rate)
{
    return (wac_adam_factors){
        .step = (real)(rate / (1 - pow(beta1, (double)steps))),
        .correction = (real)(1 / sqrt(1 - pow(WAC_ADAM_BETA2, (double)steps))),
        .fresh = (real)(1 - beta1),
    };
}

/* With the usual beta1. */
static inline wac_adam_factors wac_adam_prepare(int64_t steps, double rate)
{
    return wac_adam_prepare_by(WAC_ADAM_BETA1, steps, rate);
}

/* The same with a weight decay, in rates. */
static inline wac_adam_factors wac_adam_decay(int64_t steps, double rate, double weight_decay)
{
    wac_adam_factors factors = wac_adam_prepare(steps, rate);
    factors.decay = (real)(rate * weight_decay);
    return factors;
}

/* Before a weight moves: what it loses. */
static inline void wac_adam_shrink(wac_adam_factors factors, size_t count, real *values)
{
    for (size_t i = 0; factors.decay > 0 && i < count; i++)
        values[i] -= factors.decay * values[i];
}

static inline void wac_adam_move(wac_adam_factors factors, real gradient, real *first, real *second,
                                 real *value)
{
    *first += factors.fresh * (gradient - *first);
    *second = (real)WAC_ADAM_BETA2 * *second + (real)(1 - WAC_ADAM_BETA2) * gradient * gradient;
    *value -= factors.step * *first / (sqrt(*second) * factors.correction + (real)WAC_ADAM_EPSILON);
}

/* The moments of members from `first` on. */
static inline wac_moments wac_moments_slice(wac_moments moments, const wac_stack *stack, int first)
{
    size_t at = (size_t)first * stack->stride;
    return (wac_moments){moments.first + at, moments.second + at};
}

#endif
