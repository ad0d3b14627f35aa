/* Inside an agent. All four algorithms share the same parts:
 *
 *   policies   SAC, OAC: policy             WAC: behaviour_policy, target_policy
 *   critics    SAC, OAC: q1, q2             WAC: mean1, mean2, std1, std2 (logarithms)
 *   targets    the same critics, following slowly
 *   anchors    WAC: old_std1, old_std2, the std critics as they were when the epoch's updates began
 *
 * An update reads `batch`, `noise`, `next_noise` and the synthetic rows of `pairs`. Drawing them
 * (wac_agent_draw) and using them (wac_agent_learn) are two calls, so that a recorded update can be
 * replayed with the noise it was recorded with.
 */
#ifndef WAC_RL_AGENT_H
#define WAC_RL_AGENT_H

#include "base/tensors.h"
#include "nn/backend.h"
#include "rl/normaliser.h"
#include "rl/replay.h"
#include "wac/agent.h"

enum { WAC_CRITICS = 2 }; /* twins; WAC has that many means and that many stds */

struct wac_agent {
    wac_config config;
    int observations, actions;
    int rows;       /* of a batch, B */
    int synthetic;  /* pairs, M */
    bool wac;       /* has std critics and a second policy */
    real kappa;     /* optimism: the normal quantile of config.quantile */
    real sigma_max; /* std of the prior, and clamp of every std target */

    const wac_ops *ops;
    wac_team *team;
    wac_arena arena;
    wac_replay replay;         /* of raw observations */
    wac_normaliser normaliser; /* what networks read went through it */
    wac_rng explore_rng, batch_rng, noise_rng, synthetic_rng;

    wac_stack policies, critics, targets, anchors;
    wac_adam policy_adam, critic_adam;
    wac_entropy entropy;
    real *gradients; /* of the network that a thread is at, laid out like its parameters */

    /* what an update reads */
    int64_t *index; /* [B] */
    wac_batch batch;
    real *noise;      /* [policies][B][A], for actions at s */
    real *next_noise; /* [B][A], for the action at s' */
    real *pairs;      /* [B + M][O + A]: the batch's, then the synthetic ones */

    /* what it works with */
    wac_pass policy_pass;           /* policies, B rows */
    wac_pass next_pass;             /* one policy, B rows */
    wac_pass critic_pass;           /* critics, B + M rows */
    wac_pass anchor_pass;           /* anchors, M rows */
    wac_sample sample;              /* of all policies at s */
    wac_sample next_sample;         /* of the one that acts at s' */
    real *query;                    /* [B][O + A], pairs with freshly sampled actions */
    real *mean_target, *std_target; /* [B] */
    real *bound;                    /* [B], what a policy climbs */
    real *dout;                     /* [critics][B + M] */
    real *dactions;                 /* [critics][B + M][A], one set per critic */
    real *daction;                  /* [policies][B][A] */
    real *dheads;                   /* [policies][B][2A] */
};

/* Fill batch, noise and synthetic pairs from replay and generators. */
void wac_agent_draw(wac_agent *agent);

/* The update itself, on what was drawn. */
void wac_agent_learn(wac_agent *agent, wac_losses *losses);

/* A named array of the agent's state. */
typedef struct wac_agent_tensor {
    char name[96];
    wac_dtype dtype;
    int rank;
    int64_t shape[2];
    void *data;
} wac_agent_tensor;

typedef wac_status wac_agent_visitor(void *user, const wac_agent_tensor *tensor, wac_error *error);

/* Call `visit`, which may change them, for every weight and bias, named as NET/LAYER/weight; stops
 * at the first failure. */
wac_status wac_agent_visit_networks(wac_agent *agent, wac_agent_visitor *visit, void *user,
                                    wac_error *error);

/* The same for all state but the replay: networks, moments, entropy weights, counters. */
wac_status wac_agent_visit(wac_agent *agent, wac_agent_visitor *visit, void *user,
                           wac_error *error);

/* Entropy weight of a policy now. */
real wac_agent_alpha(const wac_agent *agent, int policy);

/* How many policies the agent has, and which of them plays a role. */
int wac_agent_policies(const wac_agent *agent);
int wac_agent_policy(const wac_agent *agent, wac_policy_role role);

#endif
