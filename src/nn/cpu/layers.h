/* One layer of one member, in single precision: the parts of the cpu backend's passes. */
#ifndef WAC_NN_CPU_LAYERS_H
#define WAC_NN_CPU_LAYERS_H

#include "nn/cpu/product.h"
#include "nn/stack.h"

/* One source, a version for each vector unit, chosen when the program starts. Products and sums are
 * never contracted (-ffp-contract=off), so all versions give the same bits. Sanitizers cannot run
 * the code that chooses; where branches are counted (make coverage) one version stands for all. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&      \
    !defined(WAC_SANITIZED) && !defined(WAC_COUNTED)
#define WAC_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WAC_VECTORISED
#endif

enum { WAC_LANES = 16 };

/* wherever it lies in memory */
typedef float wac_lanes
    __attribute__((vector_size(WAC_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* y [rows][outputs] = x W^T + b; few: by dot products, as where there are few outputs */
void wac_head_forward(const wac_layer *head, bool few, int rows, const float *x, float *y);

/* Columns first … end-1 of the way back through a head. Row i of h [rows][width] becomes its
 * gradient, dout W where h > 0, of its own row or of row list[i] >= i. If asked for (not null) also
 * the gradient of the head's weights, and the sums over the rows that h became. */
void wac_head_back(const wac_layer *head, int rows, const int *list, int first, int end,
                   const float *dout, float *h, float *dweight, float *sums);

/* columns first … end-1 of sums over rows of dy [rows][width] */
void wac_sum_rows(int rows, int width, int first, int end, const float *dy, float *sums);

/* y [rows][outputs] = relu(x W^T + b), or without a bias x W^T; few: by dot products */
void wac_hidden_forward(const wac_layer *layer, bool few, int rows, const float *x, float *y,
                        wac_span ahead);

/* dx [rows][inputs - first] = dy W, zero where `active` is, which is laid out like dx and may be dx
 * (null: everywhere) */
void wac_hidden_dinput(const wac_layer *layer, int rows, int first, const float *dy,
                       const float *active, float *dx, wac_span ahead);

/* rows first … end-1 of the weight gradient dy^T x */
void wac_hidden_dweight(const wac_layer *dlayer, int rows, int first, int end, const float *x,
                        const float *dy, wac_span ahead);

#endif
