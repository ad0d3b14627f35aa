/* A stack: n equally shaped multilayer perceptrons with all parameters in one block.
 *
 * It is the unit of computation: forward, backward, Adam, Polyak, copy and save are single calls
 * over the block. A part of the members is a stack too (wac_stack_slice). Each member has some
 * hidden layers of one width and a linear head:
 *
 *   h[0] = f(W0 x + b0)   h[1] = f(W1 h[0] + b1)   …   out = W h[hidden - 1] + b
 */
#ifndef WAC_NN_STACK_H
#define WAC_NN_STACK_H

#include "base/arena.h"
#include "base/rng.h"
#include "nn/real.h"

#include <stddef.h>

enum { WAC_HIDDEN_MOST = 4 }; /* layers */

typedef enum wac_activation { WAC_ACTIVATION_RELU } wac_activation;

typedef struct wac_shape {
    int inputs, width, outputs;
    int hidden; /* layers */
    wac_activation activation;
} wac_shape;

typedef struct wac_stack {
    wac_shape shape;
    int members;
    size_t stride; /* numbers from one member to the next, padding included */
    real *params;  /* [members][stride] */
} wac_stack;

/* One layer of one member, wherever its parameters (or their gradients) live. */
typedef struct wac_layer {
    int inputs, outputs;
    real *weight; /* [outputs][inputs] */
    real *bias;   /* [outputs] */
} wac_layer;

/* The activations of one forward pass, kept for the way back. Member m's rows start at
 * m * capacity. */
typedef struct wac_pass {
    int capacity;
    real *h[WAC_HIDDEN_MOST];  /* each [members][capacity][width] */
    real *out;                 /* [members][capacity][outputs] */
    const struct wac_ops *ops; /* the backend whose pass it is (nn/backend.h) */
    int spare_width;
    real *spare; /* [members][capacity][spare_width], for the backend's own use */
} wac_pass;

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members);

/* Members first … first+members-1, sharing the parameters. */
wac_stack wac_stack_slice(const wac_stack *stack, int first, int members);

/* All numbers of the block, padding included (it stays zero). */
size_t wac_stack_size(const wac_stack *stack);

/* Layer 0 … shape.hidden, the last being the head, of a member, in a block laid out like
 * stack->params. */
wac_layer wac_stack_layer(const wac_stack *stack, real *block, int member, int layer);

/* First weights of a member: hidden weights U(±1/sqrt(n)), n the outputs of their layer or its
 * inputs, hidden biases 0.1, output weights and biases U(±output). */
void wac_stack_randomise(const wac_stack *stack, int member, bool by_inputs, double output,
                         wac_rng *rng);

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity,
                   const struct wac_ops *ops);

/* The same activations seen from a row of a member on. */
wac_pass wac_pass_at(const wac_pass *pass, const wac_stack *stack, int member, int row);

#endif
