/* Residual networks (nn/stack.h) in single precision: what a range of a member's rows, or of its
 * units, takes of a pass. Rows do not know of each other, nor do units: cpu.c deals them out.
 *
 * The way back has stages, from 0, the head, over the blocks, the last one first, and where they
 * are normalised behind layers to the first layer, which else is the last block's affair. In each
 * the rows go first: they make what the gradients of its layers are sums of. */
#ifndef WAC_NN_CPU_RESIDUAL_H
#define WAC_NN_CPU_RESIDUAL_H

#include "nn/stack.h"

/* Numbers for each row that the way back needs beside the activations. */
int wac_residual_spare(const wac_shape *shape);

int wac_residual_stages(const wac_shape *shape);

/* Rows from x [rows][inputs] to out [rows][outputs]; few: by dot products. Of the pass, which is
 * seen from the first of them on, only the scratch is used where nothing is kept. */
void wac_residual_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                          bool few, bool kept, const float *x, float *out);

/* Rows on their way back through a stage: the gradient of the stream takes its place. Those of dout
 * are their own, or those of a list (wac_residual_select). */
void wac_residual_rows(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                       int rows, const int *list, const float *dout);

/* Units first … end-1 of the width: their part of the gradients of the stage's layers, and of the
 * layer below, whose gradient is that of the stream; in dparams, laid out like the stack's. The
 * pass is seen from the member's first row on. */
void wac_residual_units(const wac_stack *stack, int member, const wac_pass *pass, int stage,
                        int rows, int first, int end, const float *x, const float *dout,
                        float *dparams);

/* Move the rows of the list, which rises, to the front of all that is kept. */
void wac_residual_select(const wac_shape *shape, const wac_pass *pass, int count, const int *list);

#endif
