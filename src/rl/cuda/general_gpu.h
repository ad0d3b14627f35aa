/* An agent on a GPU by the general part of the plugin: what general_*.c share. Stacks and passes
 * (nn/stack.h) are those of the first seat, where the GPU has them; nobody looks there from here.
 */
#ifndef WAC_RL_CUDA_GENERAL_GPU_H
#define WAC_RL_CUDA_GENERAL_GPU_H

#include "rl/cuda/general.h"
#include "rl/cuda/steps.h"
#include "rl/host/host.h"

/* Networks of every seat, and what Adam keeps of them; null where nothing is learned. */
typedef struct wac_general_net {
    wac_stack stack;
    float *first, *second, *gradient;
    size_t seat; /* numbers from a seat to the next */
    bool chosen; /* members are those of the seat's subset */
} wac_general_net;

/* Activations of every seat. */
typedef struct wac_general_trace {
    wac_pass pass;
    int places; /* for so many members */
} wac_general_trace;

/* Rows that networks take: so many, and the seat's synthetic pairs behind them. */
typedef struct wac_general_rows {
    int count;
    bool pairs;
} wac_general_rows;

typedef struct wac_general_gpu {
    const wac_general_table *table;
    wac_general *engine;
    wac_general_view view;
    wac_general_net policies, critics, targets, anchors, shadow, models, random, optimist;
    wac_general_trace policy_trace, next_trace, critic_trace, anchor_trace;
    wac_general_trace model_trace, random_trace, shadow_trace, optimist_trace;
    float *lent_policies, *lent_critics, *lent_optimists; /* what acts, of all seats */

    size_t longest; /* array of a network: its numbers of one seat, which kernels count as int */

    wac_general_seat *seats; /* [seats], as the GPU has them */
    wac_gpu_place *places;
    int64_t due;    /* updates that were asked for and are not on their way yet */
    bool sent;      /* something is, or has been, and was not heard of */
    bool rehearses; /* nothing is done */
    bool overfull;  /* nor ever again: a seat remembers more than there is room for */
    bool repeats;   /* steps are put into a graph … */
    bool moving;    /* … of an update in which policies move */
    bool movers;    /* what is asked for is of seats whose policies move */
    float scale;    /* of gradients on their way (wac_product.scale) */
} wac_general_gpu;

static inline wac_general_gpu *wac_general_of(const wac_agent *agent)
{
    return agent->gpu;
}

/* Where everything lies from `base` on (null: only how much it is); returns the bytes. */
size_t wac_general_lay_out(wac_general_gpu *gpu, const wac_agent *agent, int64_t capacity,
                           char *base);

/* --- general_stack.c -------------------------------------------------------------------------- */

void wac_general_run(wac_general_gpu *gpu, wac_general_kernel kernel, wac_general_task task);

/* Members `first` … of networks, and their places. */
wac_general_net wac_general_slice(const wac_general_net *net, int first, int members);
wac_general_trace wac_general_at(const wac_general_trace *trace, const wac_general_net *net,
                                 int place);

/* See wac_ops; x [rows][inputs] is the same for all members. */
void wac_general_forward(wac_general_gpu *gpu, const wac_general_net *net, wac_array x,
                         wac_general_rows rows, const wac_general_trace *trace);

/* The way back from dout, laid out like the trace's outputs: to the gradients of parameters if
 * `learns`, and from input `first` on to dx [members][capacity][inputs - first], unless that is
 * null. */
void wac_general_backward(wac_general_gpu *gpu, const wac_general_net *net, wac_array x,
                          wac_general_rows rows, const wac_general_trace *trace, wac_array dout,
                          bool learns, wac_array dx, int first);

/* One Adam step; members from `stds` on by the rate of stds; targets, unless null, follow. */
void wac_general_move(wac_general_gpu *gpu, const wac_general_net *net, wac_general_learner learner,
                      int stds, const wac_general_net *targets);

/* The outputs of a trace, seat after seat. */
wac_array wac_general_out(const wac_general_trace *trace, const wac_general_net *net);

static inline wac_array wac_array_from(wac_array array, size_t first)
{
    return (wac_array){array.at + first, array.seat};
}

/* --- general_update.c: the steps, of wac_steps ------------------------------------------------ */

void wac_general_draw(wac_agent *agent);
void wac_general_weigh(wac_agent *agent);
void wac_general_sample(wac_agent *agent);
void wac_general_tune(wac_agent *agent);
void wac_general_back_up(wac_agent *agent, int next, int entropy);
void wac_general_teach(wac_agent *agent);
void wac_general_aim(wac_agent *agent, int policy, wac_aim at);
void wac_general_climb(wac_agent *agent);
void wac_general_anchor(wac_agent *agent);

/* general_models.c */
void wac_general_appraise(wac_agent *agent);
void wac_general_appraise_next(wac_agent *agent);
void wac_general_climb_bonus(wac_agent *agent, int policy);
void wac_general_study(wac_agent *agent);
void wac_general_lead(wac_agent *agent);

/* Gradients of policies, or of others, are on their way: errors times a row's share are made as
 * large as they are in adam.cuh. */
void wac_general_scale(wac_general_gpu *gpu, wac_general_learner learner);

/* What critics say of the batch's observations with those actions [B][A], what of that is climbed,
 * and how the actions are to change for it [B][A]; `optimism` is an optimist's own. */
void wac_general_pull(wac_agent *agent, int member, wac_aim at, bool optimism, wac_array action,
                      wac_array share, wac_array daction);

/* --- general_twins.c -------------------------------------------------------------------------- */

/* All that the GPU has learned of a seat, to the desk. */
void wac_general_download(wac_agent *agent, int seat);

/* The GPU knows all that the desks know. */
void wac_general_upload(wac_agent *agent);

/* What an update reads, as it was set. */
void wac_general_upload_drawn(wac_agent *agent, int seat);

/* What seats have counted and seen; and where a seat's pairs were. */
void wac_general_hear(wac_agent *agent);
void wac_general_hear_coverage(wac_agent *agent, int seat);

/* --- general_steps.c -------------------------------------------------------------------------- */

/* Networks of seats that begin anew with this update do so. */
void wac_general_begin_anew(wac_agent *agent);

/* Around a step: whether it is to be done, and that it has been. `movers`: only seats whose
 * policies move in this update take part. */
bool wac_general_enter(wac_agent *agent, bool movers);
void wac_general_leave(wac_agent *agent);

#endif
