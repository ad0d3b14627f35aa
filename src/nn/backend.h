/* How stacks are computed on the host: a table of operations with two backends behind it,
 * `reference`, plain loops that are read to be believed, and `cpu`, the fast one, in single or
 * mixed precision. Each operation does the same in all, to rounding. None allocates; every number
 * is one sum in one fixed order, so that the number of threads changes no bit.
 *
 * A network's rows start at member * capacity (see wac_pass), all other arrays are dense.
 */
#ifndef WAC_NN_BACKEND_H
#define WAC_NN_BACKEND_H

#include "base/threads.h"
#include "nn/adam.h"
#include "nn/stack.h"

/* What goes into a stack: member m reads [rows][inputs] at x + m * stride. stride 0: all the same.
 */
typedef struct wac_input {
    const real *x;
    size_t stride;
    int rows;
} wac_input;

/* Where gradients of a backward pass go; what is null is not computed. */
typedef struct wac_gradient {
    real *params;    /* laid out like stack->params */
    real *inputs;    /* [members][capacity][inputs - input_first] */
    int input_first; /* leave out the inputs before this one */
} wac_gradient;

typedef struct wac_ops {
    /* numbers for each row that it needs in a pass beside the activations; null: none */
    int (*spare_width)(const wac_shape *shape);

    /* run a stack, keeping its activations in `pass` */
    void (*forward)(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass);

    /* the same where only the outputs are needed: what it leaves of the rest in `pass` means
     * nothing
     */
    void (*infer)(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass);

    /* from dout [members][capacity][outputs] back to parameters and/or inputs; uses the hidden
     * activations up */
    void (*backward)(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass,
                     const real *dout, const wac_gradient *gradient);

    /* one Adam step of a stack, after what it loses by weight decay */
    void (*adam)(wac_team *team, const wac_stack *stack, const real *gradient, wac_moments moments,
                 wac_adam_factors factors);

    /* target += rate * (source - target) */
    void (*polyak)(wac_team *team, const wac_stack *target, const wac_stack *source, double rate);
} wac_ops;

extern const wac_ops wac_ops_reference; /* nn/reference.c */
#ifndef WAC_DOUBLE
/* nn/cpu/cpu.c, for two hidden ReLU layers, or blocks; mixed only where nothing is missing
 * (cpu/product.h), and for blocks as single */
extern const wac_ops wac_ops_cpu, wac_ops_mixed;
#endif

#endif
