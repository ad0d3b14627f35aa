/* A policy at work: C99 without a library, in single precision. The text of this file is a part of
 * every header that is exported (header.c), under other names; the library plays by it, too, so
 * that what it measures is what the header does.
 * int8 weights are whole numbers with a scale for each output, which a float holds as well. */
#ifndef WAC_EXPORT_INFERENCE_H
#define WAC_EXPORT_INFERENCE_H

#include <stdint.h>

typedef float wac_export_weight;

/* --- policy --- */
enum { WAC_EXPORT_LAYERS = 3 }; /* two hidden ones with ReLU, and a linear head */

typedef struct wac_export_network {
    int inputs, outputs;
    const wac_export_weight *weight[WAC_EXPORT_LAYERS]; /* [inputs][outputs] */
    const float *scale[WAC_EXPORT_LAYERS];              /* [outputs] of whole numbers; or null */
    const float *bias[WAC_EXPORT_LAYERS];               /* [outputs] */
} wac_export_network;

typedef struct wac_export_policy {
    int observations, actions, width;
    const float *offset, *factor; /* [observations]: networks see (x - offset) factor */
    const float *middle, *half;   /* [actions]: the action is middle + half tanh(x) */
    wac_export_network actor;
    const wac_export_network *critics; /* [means + stds] of observation and action; or null */
    int means, stds;
    float kappa; /* weight of the uncertainty in a critic's upper bound */
} wac_export_policy;

/* e^x, to 7 digits: 2^n e^r, and e^r by its series. */
static inline float wac_export_exp(float x)
{
    union {
        float number;
        uint32_t bits;
    } power;
    float n, r;
    if (x != x)
        return x;
    x = x < -87 ? -87 : x > 88 ? 88 : x;
    n = (float)(int)(x * 1.442695f + (x < 0 ? -0.5f : 0.5f));
    r = (x - n * 0.693359375f) + n * 2.121944e-4f; /* ln 2 in two parts */
    power.bits = (uint32_t)((int)n + 127) << 23;
    return power.number *
           (1 +
            r * (1 + r * (1.f / 2 + r * (1.f / 6 + r * (1.f / 24 + r * (1.f / 120 + r / 720))))));
}

static inline float wac_export_tanh(float x)
{
    return 1 - 2 / (wac_export_exp(2 * x) + 1);
}

/* One output, and what four inputs add to it. */
static inline float wac_export_add(float y, const wac_export_weight *const w[4], const float f[4],
                                   int o)
{
    return y + (float)w[0][o] * f[0] + (float)w[1][o] * f[1] + (float)w[2][o] * f[2] +
           (float)w[3][o] * f[3];
}

/* y = W x + b, four inputs at a time; those that are zero, as many are behind a ReLU, cost next to
 * nothing. */
static inline void wac_export_layer(int inputs, int outputs, const wac_export_weight *weight,
                                    const float *scale, const float *bias, int relu,
                                    const float *restrict x, float *restrict y)
{
    const int eights = outputs - outputs % 8;
    int i, o, k;
    for (o = 0; o < outputs; o++)
        y[o] = 0;
    for (i = 0; i < inputs;) {
        const wac_export_weight *w[4] = {weight, weight, weight, weight};
        float f[4] = {0, 0, 0, 0};
        for (k = 0; i < inputs && k < 4; i++)
            if (x[i] != 0) {
                w[k] = weight + i * outputs;
                f[k++] = x[i];
            }
        for (o = 0; o < eights; o += 8)
            for (k = 0; k < 8; k++)
                y[o + k] = wac_export_add(y[o + k], w, f, o + k);
        for (o = eights; o < outputs; o++)
            y[o] = wac_export_add(y[o], w, f, o);
    }
    for (o = 0; o < outputs; o++) {
        float sum = (scale ? scale[o] * y[o] : y[o]) + bias[o];
        y[o] = relu && sum < 0 ? 0 : sum;
    }
}

/* work: [2 width] */
static inline void wac_export_forward(const wac_export_network *net, int width, const float *x,
                                      float *out, float *work)
{
    wac_export_layer(net->inputs, width, net->weight[0], net->scale[0], net->bias[0], 1, x, work);
    wac_export_layer(width, width, net->weight[1], net->scale[1], net->bias[1], 1, work,
                     work + width);
    wac_export_layer(width, net->outputs, net->weight[2], net->scale[2], net->bias[2], 0,
                     work + width, out);
}

/* What networks see of an entry. */
static inline float wac_export_see(float value, float offset, float factor)
{
    float seen = (value - offset) * factor;
    return seen < -1 ? -1 : seen > 1 ? 1 : seen;
}

/* work: [observations + 2 width] */
static inline void wac_export_act_by(const wac_export_policy *policy, const float *observation,
                                     float *action, float *work)
{
    int i;
    for (i = 0; i < policy->observations; i++)
        work[i] = wac_export_see(observation[i], policy->offset[i], policy->factor[i]);
    wac_export_forward(&policy->actor, policy->width, work, action, work + policy->observations);
    for (i = 0; i < policy->actions; i++)
        action[i] = policy->middle[i] + policy->half[i] * wac_export_tanh(action[i]);
}
/* --- value --- */
/* Mean and, where there are critics for it, std of the critic with the smallest upper bound. work:
 * [observations + actions + 2 width] */
static inline void wac_export_value_by(const wac_export_policy *policy, const float *observation,
                                       const float *action, float *mean, float *std, float *work)
{
    int i, k, inputs = policy->observations + policy->actions;
    float smallest = 0;
    for (i = 0; i < policy->observations; i++)
        work[i] = wac_export_see(observation[i], policy->offset[i], policy->factor[i]);
    for (i = 0; i < policy->actions; i++)
        work[policy->observations + i] =
            wac_export_see(action[i], policy->middle[i], 1 / policy->half[i]);
    for (k = 0; k < policy->means; k++) {
        float own, bound, deviation = 0, *out = work + inputs; /* over the first layer, then free */
        wac_export_forward(&policy->critics[k], policy->width, work, out, out);
        own = *out;
        if (policy->stds) {
            wac_export_forward(&policy->critics[policy->means + k % policy->stds], policy->width,
                               work, out, out);
            deviation = wac_export_exp(*out);
        }
        bound = own + policy->kappa * deviation;
        if (k == 0 || bound < smallest) {
            smallest = bound;
            *mean = own;
            *std = deviation;
        }
    }
}
/* --- end --- */

#endif
