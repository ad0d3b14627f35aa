/* A stack: n equally shaped multilayer perceptrons with all parameters in one block.
 *
 * It is the unit of computation: forward, backward, Adam, Polyak, copy and save are single calls
 * over the block. A part of the members is a stack too (wac_stack_slice). Each member has two
 * hidden ReLU layers:
 *
 *   h0 = relu(W0 x + b0)   h1 = relu(W1 h0 + b1)   out = W2 h1 + b2
 */
#ifndef WAC_NN_STACK_H
#define WAC_NN_STACK_H

#include "base/arena.h"
#include "nn/real.h"

#include <stddef.h>

enum { WAC_LAYERS = 3, WAC_IN_PLACE = 256 };

typedef struct wac_shape {
    int inputs, width, outputs;
} wac_shape;

typedef struct wac_stack {
    wac_shape shape;
    int members;
    bool mixed;    /* hidden layers in mixed precision, where the backend has that */
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
    real *h0, *h1; /* [members][capacity][width] */
    real *dh0; /* place for the gradient of h0: its own, or up to width WAC_IN_PLACE that of h0 */
    real *out; /* [members][capacity][outputs] */
} wac_pass;

void wac_stack_init(wac_stack *stack, wac_arena *arena, wac_shape shape, int members);

/* Members first … first+members-1, sharing the parameters. */
wac_stack wac_stack_slice(const wac_stack *stack, int first, int members);

/* All numbers of the block, padding included (it stays zero). */
size_t wac_stack_size(const wac_stack *stack);

/* Layer 0, 1 or 2 of a member, in a block laid out like stack->params. */
wac_layer wac_stack_layer(const wac_stack *stack, real *block, int member, int layer);

void wac_pass_init(wac_pass *pass, wac_arena *arena, const wac_stack *stack, int capacity);

/* The same activations seen from member `first` on, or from a row on. */
wac_pass wac_pass_slice(const wac_pass *pass, const wac_stack *stack, int first);
wac_pass wac_pass_from(const wac_pass *pass, const wac_stack *stack, int row);

#endif
