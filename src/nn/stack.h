/* A stack: n equally shaped multilayer perceptrons with all parameters in one block.
 *
 * It is the unit of computation: forward, backward, Adam, Polyak, copy and save are single calls
 * over the block. A part of the members is a stack too (wac_stack_slice). A plain member has some
 * hidden layers of one width and a linear head:
 *
 *   h[0] = f(W0 x + b0)   h[1] = f(W1 h[0] + b1)   …   out = W h[hidden - 1] + b
 *
 * A residual one (SimBa: Lee et al., 2025) has blocks that each add something to a stream of that
 * width, and read it normalised; N brings a row to mean 0 and variance 1, then scales and shifts
 * its entries:
 *
 *   s = W0 x + b0   s += D f(U N(s) + u) + d   …   out = W N(s) + b      U makes 4 widths of one
 *
 * or, normalised behind its layers (BroNet: Nauman et al., 2024), all of one width:
 *
 *   s = f(N(W0 x + b0))   s += N(D f(N(U s + u)) + d)   …   out = W s + b
 */
#ifndef WAC_NN_STACK_H
#define WAC_NN_STACK_H

#include "base/arena.h"
#include "base/rng.h"
#include "nn/real.h"
#include "wac/config.h"

#include <stddef.h>

enum {
    WAC_HIDDEN_MOST = 4, /* layers of a plain network */
    WAC_BLOCKS_MOST = 4, /* of a residual one */
    WAC_LAYERS_MOST = 4 * WAC_BLOCKS_MOST + 3,
    WAC_KEPT_MOST = 4 * WAC_BLOCKS_MOST + 8
};

/* What is added to the variance of a row before it is divided by. */
#define WAC_NORM_EPSILON ((real)1e-6)

typedef enum wac_activation { WAC_ACTIVATION_RELU } wac_activation;

typedef struct wac_shape {
    int inputs, width, outputs;
    int hidden; /* layers of a plain network */
    int blocks; /* of a residual one; 0: it is plain */
    bool after; /* which is normalised behind layers, not in front of blocks */
    wac_activation activation;
} wac_shape;

typedef struct wac_stack {
    wac_shape shape;
    int members;
    size_t stride; /* numbers from one member to the next, padding included */
    real *params;  /* [members][stride] */
} wac_stack;

/* One layer of one member, wherever its parameters (or their gradients) live. That of a
 * normalisation has one input: an entry's weight scales it, its bias shifts it. */
typedef struct wac_layer {
    int inputs, outputs;
    real *weight; /* [outputs][inputs] */
    real *bias;   /* [outputs] */
} wac_layer;

/* What is kept of a residual network's pass, in this order; then of each block, from WAC_KEPT_BLOCK
 * on, what its middle read normalised and what it made of it. Where it is normalised behind layers:
 * the first one's, what a block made of it, the second one's, and the stream that the block read;
 * and behind all blocks three more for the way back. */
enum {
    WAC_KEPT_STREAM,   /* [width] */
    WAC_KEPT_SCRATCH,  /* [width], what a layer reads or has made */
    WAC_KEPT_SLOPE,    /* [width], the gradient of what was normalised */
    WAC_KEPT_INVERSES, /* [wac_shape_norms], of the deviations that were divided by */
    WAC_KEPT_APART,    /* [width], of the normalisation that is not in a block */
    WAC_KEPT_BLOCK,    /* [width], but for a middle that is wider */
};

/* The activations of one forward pass, kept for the way back. Member m's rows start at
 * m * capacity. */
typedef struct wac_pass {
    int capacity;
    real *h[WAC_KEPT_MOST];    /* each [members][capacity][wac_shape_kept], usually the width */
    real *out;                 /* [members][capacity][outputs] */
    const struct wac_ops *ops; /* the backend whose pass it is (nn/backend.h) */
    int spare_width;
    real *spare; /* [members][capacity][spare_width], for the backend's own use */
} wac_pass;

/* The number of the last layer, the head. */
int wac_shape_head(const wac_shape *shape);

/* The first of a block's layers in a row: normalisation, U and D, and where they were the last of
 * the blocks' another normalisation; or U, its normalisation, D, its normalisation. That of
 * layer 0 is then the next one. */
int wac_shape_block(const wac_shape *shape, int block);
int wac_shape_spread(const wac_shape *shape); /* widths in the middle of a block */
int wac_shape_norms(const wac_shape *shape);
bool wac_shape_is_norm(const wac_shape *shape, int layer);
wac_layer wac_shape_layer(const wac_shape *shape, int layer); /* its sizes */

/* Numbers of a row in the pass's h[i]; 0: there is no such array. */
int wac_shape_kept(const wac_shape *shape, int i);

/* Numbers that a row is multiplied with on its way through a member. */
int64_t wac_shape_products(const wac_shape *shape);

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members);

/* Members first … first+members-1, sharing the parameters. */
wac_stack wac_stack_slice(const wac_stack *stack, int first, int members);

/* All numbers of the block, padding included (it stays zero). */
size_t wac_stack_size(const wac_stack *stack);

/* Layer 0 … wac_shape_head of a member, in a block laid out like stack->params. */
wac_layer wac_stack_layer(const wac_stack *stack, real *block, int member, int layer);

/* First weights of a member: hidden weights U(±1/sqrt(n)), n the outputs of their layer or its
 * inputs, hidden biases 0.1, output weights and biases U(±output); or, by both, all weights
 * U(±sqrt(6 / n)), n the sum of inputs and outputs, and biases 0. Of a residual one the first
 * layer is normal with variance 1/n, n the larger of its inputs and outputs, those of blocks with
 * 2/n, n their inputs; normalisations change nothing, and biases but those of the output are 0. */
void wac_stack_randomise(const wac_stack *stack, int member, wac_first_weights how, double output,
                         wac_rng *rng);

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity,
                   const struct wac_ops *ops);

/* The same activations seen from a row of a member on. */
wac_pass wac_pass_at(const wac_pass *pass, const wac_stack *stack, int member, int row);

#endif
