/* A policy at work: C99 without a library, in single precision. The text of this file is a part of
 * every header that is exported (header.c), under other names; the library plays by it, too, so
 * that what it measures is what the header does.
 * int8 weights are whole numbers with a scale for each output, which a float holds as well. */
#ifndef WAC_EXPORT_INFERENCE_H
#define WAC_EXPORT_INFERENCE_H

#include <stdint.h>

typedef float wac_export_weight;
enum { WAC_EXPORT_LAYERS = 19 }; /* the most; a header has as many as it needs */

/* --- network --- */
typedef struct wac_export_network {
    int inputs, outputs, width;
    int hidden, blocks, after;                          /* after: layers are normalised behind */
    const wac_export_weight *weight[WAC_EXPORT_LAYERS]; /* [inputs][outputs] */
    const float *scale[WAC_EXPORT_LAYERS];              /* [outputs] of whole numbers; or null */
    const float *bias[WAC_EXPORT_LAYERS];               /* [outputs] */
} wac_export_network;

typedef struct wac_export_policy {
    int observations, actions;
    const float *offset, *factor; /* [observations]: networks see (x - offset) factor, … */
    float limit;                  /* … cut off at minus that, and that */
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

/* One of a network's layers. */
static inline void wac_export_pass(const wac_export_network *net, int layer, int inputs,
                                   int outputs, int relu, const float *x, float *y)
{
    wac_export_layer(inputs, outputs, net->weight[layer], net->scale[layer], net->bias[layer], relu,
                     x, y);
}
/* --- plain --- */
/* Hidden layers with ReLU, and a linear head. work: [2 width] */
static inline void wac_export_plain(const wac_export_network *net, const float *x, float *out,
                                    float *work)
{
    const float *from = x;
    int layer;
    for (layer = 0; layer < net->hidden; layer++) { /* the last one's outputs stand behind */
        float *to = (net->hidden - layer) % 2 ? work + net->width : work;
        wac_export_pass(net, layer, layer ? net->width : net->inputs, net->width, 1, from, to);
        from = to;
    }
    wac_export_pass(net, layer, net->width, net->outputs, 0, from, out);
}
/* --- norm --- */
/* 1 / sqrt(x) for x > 0, to 7 digits: a guess from the exponent, and Newton's steps. */
static inline float wac_export_inverse_root(float x)
{
    union {
        float number;
        uint32_t bits;
    } guess;
    int i;
    guess.number = x;
    guess.bits = 0x5f375a86u - (guess.bits >> 1);
    for (i = 0; i < 4; i++)
        guess.number *= 1.5f - 0.5f * x * guess.number * guess.number;
    return guess.number;
}

/* To mean 0 and variance 1; then each entry is scaled and shifted. */
static inline void wac_export_norm(const wac_export_network *net, int layer, const float *x,
                                   float *y)
{
    const float size = (float)net->width;
    float mean = 0, square = 0, inverse;
    int i;
    for (i = 0; i < net->width; i++)
        mean += x[i];
    mean /= size;
    for (i = 0; i < net->width; i++)
        square += (x[i] - mean) * (x[i] - mean);
    inverse = wac_export_inverse_root(square / size + 1e-6f);
    for (i = 0; i < net->width; i++) {
        float scale = (float)net->weight[layer][i];
        if (net->scale[layer])
            scale *= net->scale[layer][i];
        y[i] = (x[i] - mean) * inverse * scale + net->bias[layer][i];
    }
}

/* --- residual --- */
/* Blocks that add to a stream what they make of it, normalised; then a linear head.
 * work: [6 width] */
static inline void wac_export_residual(const wac_export_network *net, const float *x, float *out,
                                       float *work)
{
    float *stream = work, *read = stream + net->width, *middle = read + net->width;
    int block, i, layer = 1;
    wac_export_pass(net, 0, net->inputs, net->width, 0, x, stream);
    for (block = 0; block < net->blocks; block++, layer += 3) {
        wac_export_norm(net, layer, stream, read);
        wac_export_pass(net, layer + 1, net->width, 4 * net->width, 1, read, middle);
        wac_export_pass(net, layer + 2, 4 * net->width, net->width, 0, middle, read);
        for (i = 0; i < net->width; i++)
            stream[i] += read[i];
    }
    wac_export_norm(net, layer, stream, read);
    wac_export_pass(net, layer + 1, net->width, net->outputs, 0, read, out);
}
/* --- normalised --- */
/* A layer, its normalisation and, if asked, ReLU. made: [width] */
static inline void wac_export_pass_norm(const wac_export_network *net, int layer, int inputs,
                                        int relu, const float *x, float *made, float *y)
{
    int i;
    wac_export_pass(net, layer, inputs, net->width, 0, x, made);
    wac_export_norm(net, layer + 1, made, y);
    for (i = 0; relu && i < net->width; i++)
        y[i] = y[i] < 0 ? 0 : y[i];
}

/* Blocks that add to a stream what they make of it, normalised behind each layer; then a linear
 * head. work: [3 width] */
static inline void wac_export_normalised(const wac_export_network *net, const float *x, float *out,
                                         float *work)
{
    float *made = work, *middle = made + net->width, *stream = middle + net->width;
    int block, i, layer = 2;
    wac_export_pass_norm(net, 0, net->inputs, 1, x, made, stream);
    for (block = 0; block < net->blocks; block++, layer += 4) {
        wac_export_pass_norm(net, layer, net->width, 1, stream, made, middle);
        wac_export_pass_norm(net, layer + 2, net->width, 0, middle, made, middle);
        for (i = 0; i < net->width; i++)
            stream[i] += middle[i];
    }
    wac_export_pass(net, layer, net->width, net->outputs, 0, stream, out);
}
/* --- either --- */
static inline void wac_export_forward(const wac_export_network *net, const float *x, float *out,
                                      float *work)
{
    (net->after    ? wac_export_normalised
     : net->blocks ? wac_export_residual
                   : wac_export_plain)(net, x, out, work);
}
/* --- policy --- */
/* What networks see of an entry. */
static inline float wac_export_see(float value, float offset, float factor, float limit)
{
    float seen = (value - offset) * factor;
    return seen < -limit ? -limit : seen > limit ? limit : seen;
}

/* work: [observations], and what the network takes */
static inline void wac_export_act_by(const wac_export_policy *policy, const float *observation,
                                     float *action, float *work)
{
    int i;
    for (i = 0; i < policy->observations; i++)
        work[i] =
            wac_export_see(observation[i], policy->offset[i], policy->factor[i], policy->limit);
    wac_export_forward(&policy->actor, work, action, work + policy->observations);
    for (i = 0; i < policy->actions; i++)
        action[i] = policy->middle[i] + policy->half[i] * wac_export_tanh(action[i]);
}
/* --- value --- */
/* Mean and, where there are critics for it, std of the critic with the smallest upper bound. work:
 * [observations + actions], and what a network takes */
static inline void wac_export_value_by(const wac_export_policy *policy, const float *observation,
                                       const float *action, float *mean, float *std, float *work)
{
    int i, k, inputs = policy->observations + policy->actions;
    float smallest = 0;
    for (i = 0; i < policy->observations; i++)
        work[i] =
            wac_export_see(observation[i], policy->offset[i], policy->factor[i], policy->limit);
    for (i = 0; i < policy->actions; i++)
        work[policy->observations + i] =
            wac_export_see(action[i], policy->middle[i], 1 / policy->half[i], 1);
    for (k = 0; k < policy->means; k++) {
        float own, bound, deviation = 0, *out = work + inputs; /* over the first layer, then free */
        wac_export_forward(&policy->critics[k], work, out, out);
        own = *out;
        if (policy->stds) {
            wac_export_forward(&policy->critics[policy->means + k % policy->stds], work, out, out);
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
