/* The table of operations that every algorithm is written against.
 *
 * Two backends stand behind it: `reference`, plain loops that are read to be believed, and `cpu`,
 * the fast one, in single or mixed precision. Each operation does the same in all, to rounding.
 * None allocates; all pieces and sums have a fixed order, so that the number of threads changes no
 * bit.
 *
 * Shapes stand beside the arguments: O observation entries, A action entries. A network's rows
 * start at member * capacity (see wac_pass), all other arrays are dense.
 */
#ifndef WAC_NN_BACKEND_H
#define WAC_NN_BACKEND_H

#include "base/rng.h"
#include "base/threads.h"
#include "nn/stack.h"

/* Policies clamp their log-std here; no gradient passes beyond. */
#define WAC_LOG_STD_MIN ((real)-20)
#define WAC_LOG_STD_MAX ((real)2)

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

/* Actions of `members` tanh-Gaussian policies for the same number of rows. */
typedef struct wac_sample {
    int members, rows, actions;
    int capacity;      /* of the pass that made the heads */
    const real *heads; /* [members][capacity][2A]: means, then log-stds */
    const real *noise; /* [members][rows][A], normal */
    real *action;      /* [members][rows][A] */
    real *log_prob;    /* [members][rows] */
} wac_sample;

/* Critic outputs of a batch: two mean (or Q) critics, then, if `std`, the logarithms of two stds.
 */
typedef struct wac_critic_rows {
    int rows, capacity;
    bool std;
    real *out;  /* [2 or 4][capacity] */
    real kappa; /* weight of the std in the upper bound */
} wac_critic_rows;

/* The Bellman backup (steps 3 and 4 of the update). */
typedef struct wac_backup {
    wac_critic_rows next; /* target critics at the next state and action */
    const real *reward;   /* [rows] */
    const real *terminal; /* [rows], 1 where the world ended */
    const real *log_prob; /* [rows], of the next action */
    real alpha, discount;
    real sigma_max;    /* clamp of the std's target */
    real *mean_target; /* [rows] */
    real *std_target;  /* [rows], or null without std critics */
} wac_backup;

/* Adam's state of one stack. */
typedef struct wac_adam {
    int64_t steps;
    real *first, *second; /* moments, laid out like the parameters */
    double *rates;        /* [members] */
} wac_adam;

/* Entropy weights, one a policy, on a log scale, with Adam's moments. */
typedef struct wac_entropy {
    int64_t steps;
    double rate;
    real *log_alpha, *first, *second; /* [members] */
} wac_entropy;

/* A batch of transitions. */
typedef struct wac_batch {
    int rows;
    real *observations;      /* [rows][O] */
    real *actions;           /* [rows][A] */
    real *rewards;           /* [rows] */
    real *next_observations; /* [rows][O] */
    real *terminals;         /* [rows] */
} wac_batch;

typedef struct wac_ops {
    const char *name;

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

    /* a = tanh(mean + std * noise) and its log-probability */
    void (*policy_sample)(const wac_sample *sample);

    /* dheads [members][capacity][2A] of sum(daction * action) + sum(dlog_prob[m] * log_prob);
     * daction [members][rows][A] */
    void (*policy_gradient)(const wac_sample *sample, const real *daction, const real *dlog_prob,
                            real *dheads);

    /* targets of the critics */
    void (*td_target)(const wac_backup *backup);

    /* squared error of outputs [rows] to their target: its gradient dout, its mean, the mean output
     */
    void (*mean_error)(int rows, const real *out, const real *target, real *dout, double *loss,
                       double *average);

    /* the same for log-stds: `rows` against target [rows], then `synthetic` rows against
     * clamp(exp(anchor), 0, sigma_max), anchor [synthetic], weighted by lambda */
    void (*std_error)(int rows, int synthetic, const real *out, const real *target,
                      const real *anchor, real lambda, real sigma_max, real *dout, double *loss,
                      double *regularisation, double averages[2]);

    /* the smaller upper bound (mean + kappa std) of every row, and dout, laid out like
     * critics->out, of -weight times their sum */
    void (*upper_bound)(const wac_critic_rows *critics, real weight, real *bound, real *dout);

    /* one Adam step of a stack; adam->steps counts it already */
    void (*adam)(wac_team *team, const wac_stack *stack, const real *gradient,
                 const wac_adam *adam);

    /* target += rate * (source - target) */
    void (*polyak)(wac_team *team, const wac_stack *target, const wac_stack *source, double rate);

    /* one Adam step on log alpha with gradient -(mean(log_prob) + entropy_target) */
    void (*entropy_step)(const wac_sample *sample, real entropy_target, wac_entropy *entropy);

    /* rows of pairs: x [rows][O + A] */
    void (*join)(int rows, int observations, int actions, const real *observation,
                 const real *action, real *x);

    /* records [..][O + A + 1 + O + 1]: observation, action, reward, next observation, terminal */
    void (*gather)(const real *records, int observations, int actions, const int64_t *index,
                   const wac_batch *batch);

    void (*fill_uniform)(wac_rng *rng, size_t count, real low, real high, real *out);
    void (*fill_normal)(wac_rng *rng, size_t count, real *out);
    /* whole numbers from 0 to below `limit` < 2^32 */
    void (*fill_index)(wac_rng *rng, size_t count, int64_t limit, int64_t *out);
} wac_ops;

/* First weights of a member: hidden weights U(±1/sqrt(width)), hidden biases 0.1, output weights
 * and biases U(±output). */
void wac_stack_randomise(const wac_stack *stack, int member, double output, const wac_ops *ops,
                         wac_rng *rng);

extern const wac_ops wac_ops_reference;
#ifndef WAC_DOUBLE
extern const wac_ops wac_ops_cpu;

/* The instructions that this processor lacks for mixed precision, or null. */
const char *wac_mixed_missing(void);
#endif

#endif
