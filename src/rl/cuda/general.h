/* The general part of the plugin (wac_cuda.so), for all agents that its fused kernels
 * (rl/cuda/engine.h) are not made for: small operations over all seats at once, which the program
 * puts together (rl/cuda/general_*.c) as the host does (rl/host).
 *
 * The program deals out the memory of a GPU and knows where everything lies, though it cannot look
 * there. Arrays are seat after seat, of each in the host's order. What is asked for is done in
 * order; `wait` waits for it. After a failure everything is refused, and `wait` tells what
 * happened.
 */
#ifndef WAC_RL_CUDA_GENERAL_H
#define WAC_RL_CUDA_GENERAL_H

#include "rl/cuda/engine.h"

#include <stdbool.h>

enum {
    WAC_GENERAL_POLICIES = 16, /* the most of a seat */
    WAC_GENERAL_CRITICS = 32,
    WAC_GENERAL_MODELS = 32,
    WAC_GENERAL_PARTICLES = 256,
};
#define WAC_GENERAL_TABLE "wac_general_table_v1"

/* Whose Adam step it is. */
typedef enum wac_general_learner {
    WAC_GENERAL_POLICY,
    WAC_GENERAL_CRITIC,
    WAC_GENERAL_STD,
    WAC_GENERAL_MODEL,
    WAC_GENERAL_BONUS,
    WAC_GENERAL_ENTROPY,
    WAC_GENERAL_DIVERGENCE,
    WAC_GENERAL_LEARNERS,
} wac_general_learner;

/* As in nn/adam.h. */
typedef struct wac_general_factors {
    float step, correction, decay, fresh;
} wac_general_factors;

/* A weight on a scale of its own, and its moments. */
typedef struct wac_general_weight {
    float number, first, second;
} wac_general_weight;

/* One seat: what it is told, what it counts, and what its last update saw; as in wac_seat. */
typedef struct wac_general_seat {
    /* told */
    uint64_t seed;
    int64_t remembered, capacity;
    double learning_rate, std_learning_rate, model_learning_rate, divergence_rate, weight_decay;
    double momentum, member_share;
    float discount, kappa, place, sigma_max, lambda, target_rate, entropy_target, temperature;
    float target_noise, target_noise_clip, optimist_std, divergence_target;
    int synthetic, tunes, tunes_bonus, normalises, counts;
    int delay, lag;
    int bent; /* log-stds are */

    /* kept and moved on */
    int active; /* 0: passed over; set to 0 by an update that left the finite numbers */
    int moves;  /* whether the policies do in this update */
    uint64_t batch_counter, noise_counter, synthetic_counter, subset_counter;
    int64_t begun, policy_steps, critic_steps, entropy_steps, model_steps;
    wac_general_weight entropy[WAC_GENERAL_POLICIES], bonus, optimism[2];
    float alpha[WAC_GENERAL_POLICIES], bonus_weight, weights[2]; /* of an optimist */
    int subset[WAC_GENERAL_CRITICS];

    /* seen */
    int64_t updated;
    double objective[WAC_GENERAL_POLICIES + 1], divergence;
    double loss[WAC_GENERAL_CRITICS], regularisation[WAC_GENERAL_CRITICS];
    double average[WAC_GENERAL_CRITICS], average_synthetic[WAC_GENERAL_CRITICS];
    double model_loss[WAC_GENERAL_MODELS];

    wac_general_factors factors[WAC_GENERAL_LEARNERS];
} wac_general_seat;

/* An array of every seat: where the first one's begins, and how far it is to the next. */
typedef struct wac_array {
    float *at;
    size_t seat;
} wac_array;

/* Sums of running normalisation (rl/normaliser.h): count, then means [size], then squares [size],
 * in double; and what is made from them. */
typedef struct wac_general_sums {
    double *sums; /* [seats][1 + 2 size] */
    wac_array offset, scale;
    int size;
    double least;
    float limit;
} wac_general_sums;

/* Sizes and arrays of an agent; those of an update have the names that they have at a desk
 * (rl/host/host.h). */
typedef struct wac_general_view {
    wac_general_seat *seats;
    int seat_count;
    int policies, members, critics, means, stds, subset, quantiles;
    int observations, actions, heads, rows, synthetic, outputs;
    int particles, spread; /* of whole posteriors */
    bool deterministic, population, shared;
    int models, model_inputs, model_outputs;
    bool pairs;        /* models read them */
    float model_noise; /* added to a variance */

    wac_array replay; /* [capacity][record] */
    wac_array offset, scale;
    int64_t *coverage; /* [seats][WAC_COVERAGE_BINS] */
    int64_t *index;    /* [seats][B] */

    wac_array batch_observations, batch_actions, rewards, next_observations, terminals;
    wac_array noise, next_noise, weight_noise, shadow_noise, optimist_noise;
    wac_array masks, drawn_pairs; /* [B + M][O + A] */

    wac_array action, log_prob, next_action, next_log_prob, query;
    wac_array share, weight, factor, mean_target, std_target, bound, dout, dactions, daction;
    wac_array dheads, errors;

    wac_general_sums model_sums[3]; /* of inputs, outputs, bonuses */
    wac_array model_x, model_target, model_dout, model_wishes, model_bonus, model_slope;
    wac_array model_share, next_bonus;
    wac_array shadow_action, shadow_log_prob;
    wac_array optimist_x, optimist_action, optimist_dshift, optimist_divergence;
} wac_general_view;

/* What a kernel is told beside the view: it does so many pieces of work of every seat that takes
 * part, each a thread's or a warp's. What else the fields mean is said at the kernel. */
typedef struct wac_general_task {
    int count;
    bool movers; /* only of seats whose policies move */
    int first, rows, columns, stride, capacity, flags;
    bool fresh, relu;
    bool chosen; /* weights are those of the members in the seat's subset */
    float value;
    wac_array x, y, z, w, v;
} wac_general_task;

/* Kernels, by what they are called in general_*.cu. */
/* clang-format off */
#define WAC_GENERAL_KERNELS(X)                                                                     \
    X(draw_index) X(gather) X(count_pairs) X(draw_masks) X(fill_normal) X(fill_pairs)              \
    X(draw_subset) X(advance) X(plan) X(prepare) X(tell) X(join) X(sample) X(policy_gradient)      \
    X(sum_actions) X(td_target) X(quantile_target) X(mean_error) X(std_error) X(quantile_pull)     \
    X(quantile_error) X(smallest_bound) X(average_bound) X(quantile_bound) X(objective)            \
    X(tune_entropy) X(weigh_rows) X(weigh_member) X(fill) X(copy) X(add) X(norm) X(norm_again)     \
    X(norm_back) X(norm_sums) X(mask) X(adam) X(polyak) X(model_read) X(sums_add) X(sums_count)    \
    X(normalise) X(novelty) X(information) X(pay) X(model_slopes) X(weigh_bonus) X(climb_bonus)    \
    X(model_error) X(tune_bonus) X(optimist_act) X(optimist_pull) X(optimist_tune)                 \
    X(belief_target) X(belief_error) X(belief_tell) X(belief_bound)
/* clang-format on */

typedef enum wac_general_kernel {
#define X(name) WAC_GENERAL_##name,
    WAC_GENERAL_KERNELS(X)
#undef X
        WAC_GENERAL_KERNEL_COUNT,
} wac_general_kernel;

/* Numbers of every seat and of each of its members, in rows: how far it is from one to the next. */
typedef struct wac_matrix {
    float *at;
    size_t seat, member;
    int row;
} wac_matrix;

/* C = A B of every member, [m][n] the sums over k of A [m][k] and B [k][n]; an `across` factor lies
 * the other way, A [k][m], B [n][k] being "along". */
typedef struct wac_product {
    wac_matrix a, b, c;
    wac_matrix bias;   /* [n], added; null: none */
    wac_matrix active; /* [m][n]: where it is not above zero, C is zero; null: everywhere above */
    wac_matrix sums;   /* [m], gets the sums over k of an A that lies across; null: nobody asks */
    int members, m, n, k;
    bool a_across, b_along;
    float scale; /* of A where it is cut, so that small numbers stay; a power of two, 0: none */
    bool exact;  /* in single precision, whatever is asked for */
    bool relu;
    bool more;       /* added to what C is */
    bool more_depth; /* k counts the seat's synthetic pairs, too */
    bool chosen;     /* B and its bias are those of the members in the seat's subset */
    bool movers;
} wac_product;

typedef struct wac_general wac_general;

/* int results are 0, or not with the reason in `why`. */
typedef struct wac_general_table {
    /* so many bytes on a GPU, all zero */
    int (*create)(wac_general **engine, int gpu, size_t bytes, wac_engine_precision precision,
                  int runs, char *why, size_t size);
    void (*destroy)(wac_general *engine);
    char *(*memory)(wac_general *engine);

    /* between the host's memory and a GPU's; whoever reads waits for it, unless it is into memory
     * that was lent, which `wait` waits for */
    void (*write)(wac_general *engine, void *there, const void *here, size_t bytes);
    void (*read)(wac_general *engine, void *here, const void *there, size_t bytes);
    void *(*lend)(wac_general *engine, size_t bytes); /* null: there is none left */
    void (*fetch)(wac_general *engine, void *lent, const void *there, size_t bytes);

    void (*run)(wac_general *engine, wac_general_kernel kernel, const wac_general_view *view,
                const wac_general_task *task);
    void (*multiply)(wac_general *engine, const wac_general_view *view, const wac_product *product);

    /* what `update` asks for, kept as a graph by that number the first time, and asked for so many
     * times */
    void (*repeat)(wac_general *engine, int graph, int64_t times, void (*update)(void *user),
                   void *user);
    int (*wait)(wac_general *engine, char *why, size_t size);

    /* seconds of each kernel over so many updates, by name; returns how many there are */
    int (*profile)(wac_general *engine, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most);
} wac_general_table;

#endif
