/* The part that needs CUDA, as the rest of the program sees it: a plugin (wac_cuda.so) with a table
 * of functions, loaded when a GPU is asked for.
 *
 * An engine keeps the networks, replays and working arrays of all seats of one agent on a GPU and
 * computes updates there. Blocks of networks are laid out as stacks are (nn/stack.h), seat after
 * seat, so that they are copied as they are. What is asked for is done in order; `wait` waits for
 * it. After a failure everything is refused, and `wait` tells what happened.
 */
#ifndef WAC_RL_CUDA_ENGINE_H
#define WAC_RL_CUDA_ENGINE_H

#include "rl/coverage.h"

#include <stddef.h>
#include <stdint.h>

enum {
    WAC_ENGINE_POLICIES = 2, /* the most of a seat … */
    WAC_ENGINE_CRITICS = 16, /* … means and stds */
};
#define WAC_ENGINE_TABLE "wac_engine_table_v3"

/* How products are computed; weights, moments and sums are in single precision in all of them. */
typedef enum wac_engine_precision {
    WAC_ENGINE_SINGLE, /* three products of 11-bit numbers, as good as one in single precision */
    WAC_ENGINE_TF32,   /* of numbers cut to 11 bits */
    WAC_ENGINE_MIXED,  /* the same, hidden layers of 16-bit numbers (fp16) */
    WAC_ENGINE_PRECISIONS,
} wac_engine_precision;

typedef struct wac_engine_gpu {
    char name[128];
    size_t memory, free;
    int major, minor; /* compute capability */
    int processors;
    int device; /* CUDA's number of it */
} wac_engine_gpu;

/* What a GPU does at best, as measured. */
typedef struct wac_engine_ceilings {
    double memory; /* bytes read and written per second */
    /* multiplications and additions per second, those of a product in single precision counted once
     * though it is made of three */
    double products[WAC_ENGINE_PRECISIONS];
} wac_engine_ceilings;

/* Where the tensors of a network begin, and how many numbers it has in all. */
typedef struct wac_engine_layout {
    size_t weight[3], bias[3], stride;
} wac_engine_layout;

typedef struct wac_engine_shape {
    int seats, policies, means, stds;
    int observations, actions;
    int rows;      /* of a batch */
    int synthetic; /* the most pairs of a seat */
    int width;
    int gpu; /* which one, from 0 to below their count */
    wac_engine_precision precision;
    int64_t capacity; /* transitions that the largest replay can come to hold */
    wac_engine_layout policy, critic;
} wac_engine_shape;

/* One seat: what it is told, what it counts, and what its last update saw. */
typedef struct wac_engine_seat {
    /* told */
    uint64_t seed;
    int64_t remembered, capacity; /* transitions ever, and how many its ring holds */
    double learning_rate, std_learning_rate;
    float discount, kappa, sigma_max, lambda, target_rate, entropy_target;
    int synthetic;
    int tunes;      /* the entropy weights move */
    int normalises; /* observations go through the normaliser */
    int counts;     /* drawn pairs are counted */

    /* kept and moved on */
    int active; /* 0: passed over; set to 0 by an update that left the finite numbers */
    uint64_t batch_counter, noise_counter, synthetic_counter;
    int64_t policy_steps, critic_steps, entropy_steps;
    float log_alpha[WAC_ENGINE_POLICIES];
    float alpha_first[WAC_ENGINE_POLICIES], alpha_second[WAC_ENGINE_POLICIES];
    float alpha[WAC_ENGINE_POLICIES];

    /* seen, as in wac_seat */
    int64_t updated;
    double objective[WAC_ENGINE_POLICIES];
    double loss[WAC_ENGINE_CRITICS], regularisation[WAC_ENGINE_CRITICS];
    double average[WAC_ENGINE_CRITICS], average_synthetic[WAC_ENGINE_CRITICS];

    /* for the update that is on its way: rate / (1 - beta1^t) and 1 / sqrt(1 - beta2^t) */
    float policy_step, policy_correction, mean_step, std_step, critic_correction;
} wac_engine_seat;

/* What can be copied to a seat's place and back. */
typedef enum wac_engine_block {
    WAC_ENGINE_POLICY_BLOCK, /* weights … */
    WAC_ENGINE_CRITIC_BLOCK,
    WAC_ENGINE_TARGET_BLOCK,
    WAC_ENGINE_ANCHOR_BLOCK,
    WAC_ENGINE_POLICY_FIRST, /* … and moments */
    WAC_ENGINE_POLICY_SECOND,
    WAC_ENGINE_CRITIC_FIRST,
    WAC_ENGINE_CRITIC_SECOND,
    WAC_ENGINE_REPLAY,            /* [capacity][record] */
    WAC_ENGINE_OFFSET,            /* of the normaliser, [O] */
    WAC_ENGINE_SCALE,             /* likewise */
    WAC_ENGINE_OBSERVATIONS,      /* what an update draws: [rows][O] … */
    WAC_ENGINE_ACTIONS,           /* [rows][A] */
    WAC_ENGINE_REWARDS,           /* [rows] */
    WAC_ENGINE_NEXT_OBSERVATIONS, /* [rows][O] */
    WAC_ENGINE_TERMINALS,         /* [rows] */
    WAC_ENGINE_NOISE,             /* [policies][rows][A] */
    WAC_ENGINE_NEXT_NOISE,        /* [rows][A] */
    WAC_ENGINE_SYNTHETIC,         /* [synthetic][O + A] */
    WAC_ENGINE_COVERAGE,          /* [WAC_COVERAGE_BINS] of int64 */
    WAC_ENGINE_BLOCKS,
} wac_engine_block;

typedef struct wac_engine wac_engine;

/* int results are 0, or not with the reason in `why`. */
typedef struct wac_engine_table {
    /* GPUs, those of the first one's model; negative: why there is none */
    int (*count)(char *why, size_t size);
    int (*describe)(wac_engine_gpu *description, int gpu, char *why, size_t size);
    int (*ceilings)(wac_engine_ceilings *ceilings, int gpu, char *why, size_t size);

    int (*create)(wac_engine **engine, const wac_engine_shape *shape, char *why, size_t size);
    void (*destroy)(wac_engine *engine);

    /* numbers `first` … of a block of a seat */
    void (*write)(wac_engine *engine, int seat, wac_engine_block block, size_t first, size_t count,
                  const void *numbers);
    void (*read)(wac_engine *engine, int seat, wac_engine_block block, size_t first, size_t count,
                 void *numbers);
    void (*write_seats)(wac_engine *engine, const wac_engine_seat *seats);
    void (*read_seats)(wac_engine *engine, wac_engine_seat *seats);
    void (*settle)(wac_engine *engine); /* after weights were written */

    /* a block of all seats in memory of the host that a GPU writes to by itself: the engine's, null
     * where there is none left; and bring it up to date, which `wait` waits for */
    void *(*lend)(wac_engine *engine, wac_engine_block block);
    void (*fetch)(wac_engine *engine, wac_engine_block block);

    /* the steps (rl/steps.h) */
    void (*draw)(wac_engine *engine);
    void (*sample)(wac_engine *engine);
    void (*tune)(wac_engine *engine);
    void (*back_up)(wac_engine *engine, int next, int entropy);
    void (*teach)(wac_engine *engine);
    void (*aim)(wac_engine *engine, int policy, int with_std);
    void (*climb)(wac_engine *engine);
    void (*anchor)(wac_engine *engine);

    /* what `update` asks for, kept as a graph the first time, and asked for so many times */
    void (*repeat)(wac_engine *engine, int64_t times, void (*update)(void *user), void *user);
    int (*wait)(wac_engine *engine, char *why, size_t size);

    /* seconds of each kernel over so many updates, by name; returns how many there are */
    int (*profile)(wac_engine *engine, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most);
} wac_engine_table;

#endif
