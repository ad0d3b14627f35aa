/* The steps on this machine's processors, over the table of operations (nn/backend.h).
 *
 * Each seat has a desk: its networks, its replay, and the arrays that an update works with. A team
 * of threads takes desks one by one where they can be shared out evenly, else it works at one
 * together.
 */
#ifndef WAC_RL_HOST_H
#define WAC_RL_HOST_H

#include "base/threads.h"
#include "nn/backend.h"
#include "rl/host/belief.h"
#include "rl/normaliser.h"
#include "rl/replay.h"
#include "rl/steps.h"

/* What a bonus is made from, where the algorithm's row has one (rl/bonus.h). */
typedef struct wac_models {
    wac_stack stack;  /* those that learn */
    wac_stack random; /* what they learn, or nothing */
    wac_moments moments;
    wac_entropy weight; /* of the bonus, on a log scale */
    wac_normaliser inputs, outputs, bonuses;
    real *gradients; /* laid out like the parameters of the stack */
    real *share;     /* [outputs], see wac_model_rows */

    real *shadow_noise; /* [B][A]: what an update reads */

    wac_pass pass;                     /* models, 2 B rows for pairs, else B */
    wac_pass random_pass, shadow_pass; /* B rows */
    wac_sample shadow_sample;
    real *x;          /* [rows of the pass][inputs] */
    real *target;     /* [B][outputs] */
    real *dout;       /* laid out like the outputs in the pass */
    real *wishes;     /* [models][rows of the pass][A] */
    real *bonus;      /* [rows of the pass]: of the policy's pairs, then of its shadow's */
    real *slope;      /* [B][A], of the former */
    real *next_bonus; /* [B], weighted */
} wac_models;

/* A policy that explores in the first one's place (rl/host/optimist.h). */
typedef struct wac_optimist {
    wac_stack stack; /* of one network */
    wac_moments moments;
    wac_entropy weights; /* optimism and that of the divergence, as numbers that are bent */
    real *gradients;     /* laid out like the parameters */

    real *noise; /* [B][A]: what an update reads */

    wac_pass pass;    /* B rows */
    real *x;          /* [B][O + A]: observations, and means of the policy */
    real *action;     /* [B][A] */
    real *dshift;     /* [B][A], of what it puts out */
    real *divergence; /* [B] */
} wac_optimist;

typedef struct wac_desk {
    wac_agent *agent;
    wac_seat *seat;
    const struct wac_host *host;
    wac_replay replay;         /* of raw observations */
    wac_normaliser normaliser; /* what networks read went through it */

    wac_stack policies, critics, targets, anchors;
    wac_stack shadow; /* the first policy, following slowly; or nothing */
    wac_moments policy_moments, critic_moments;
    wac_entropy entropy;
    wac_models models;
    wac_optimist optimist;
    wac_belief belief; /* where a critic puts it out whole */
    real *gradients;   /* of the network that a thread is at, laid out like its parameters */

    /* what an update reads */
    int64_t *index; /* [B] */
    wac_batch batch;
    real *noise;        /* [policies][B][A], for actions at s */
    real *next_noise;   /* [members][B][A], for the action at s' */
    real *weight_noise; /* the same, for those by which an ensemble's rows are weighed */
    real *masks;        /* [members][B], 1 where a member of an ensemble learns from the row */
    real *pairs;        /* [B + M][O + A]: the batch's, then the synthetic ones */

    /* what it works with */
    int64_t subset[WAC_CRITICS_MOST]; /* of the mean critics, where the row asks for one */
    wac_pass policy_pass;             /* policies, B rows */
    wac_pass next_pass;               /* one policy, B rows */
    wac_pass critic_pass;             /* critics, B + M rows */
    wac_pass anchor_pass;             /* anchors, M rows */
    wac_sample sample;                /* of all policies at s, [policies][B] */
    wac_sample next_sample;           /* of the one that acts at s' */
    real *query;                      /* [B][O + A], pairs with freshly sampled actions */
    real *share;                      /* [policies][B], how much a row counts, usually 1 / B … */
    real *weight;                     /* [members][B], … and for the critics of a member */
    real *mean_target;                /* [members][B], or of quantiles [B][quantiles] */
    real *std_target;                 /* [B], or of whole posteriors [B][spread] */
    real *spreads;                    /* [critics][2 spread], of whole posteriors */
    real *bound;                      /* [B], what a policy climbs */
    real *dout;                       /* [critics][B + M][outputs] */
    real *dactions;                   /* [critics][B + M][A], one set per critic */
    real *daction;                    /* [policies][B][A] */
    real *dheads;                     /* [policies][B][heads] */
} wac_desk;

typedef struct wac_host {
    const wac_ops *ops;
    wac_team *team;
    wac_desk *desks; /* [seats] */
    int64_t due;     /* updates that were asked for */
} wac_host;

wac_desk *wac_host_desk(const wac_agent *agent, int seat);

/* Do something at the desk of every active seat; `team` (null: the caller alone) is there to help,
 * `what` is passed on. */
typedef void wac_desk_fn(wac_desk *desk, wac_team *team, const void *what);
void wac_host_each(const wac_agent *agent, wac_desk_fn *run, const void *what);

/* The step of that name. */
void wac_desk_remember(wac_agent *agent, int seat, const float *observation, const float *action,
                       double reward, const float *next_observation, bool terminated);

/* Networks and what optimisers have seen, as they are at first. */
void wac_desk_begin_anew(wac_desk *desk);

/* Make what follows from weights and sums that were set. */
void wac_desk_settle(wac_desk *desk);

#endif
