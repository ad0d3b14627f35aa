/* The steps that algorithms are written in, one table a device.
 *
 * Each step does its part for all active seats. The steps of an update, in the order of the paper's
 * algorithm: draw, sample, tune, back_up, teach, aim, climb; those after draw are an algorithm's
 * `learn`, so that a recorded update can be replayed with what it drew. None allocates or fails;
 * what an update saw is left in the seats.
 */
#ifndef WAC_RL_STEPS_H
#define WAC_RL_STEPS_H

#include "rl/agent.h"

/* The weights [means] of a sum of mean critics, from their values [means]. */
typedef void wac_weigh_fn(const void *user, const real *values, real *weights);

/* What of the critics a policy climbs. */
typedef enum wac_aim {
    WAC_AIM_MEAN,    /* the smallest mean */
    WAC_AIM_BOUND,   /* the smallest upper bound, of mean and std; of quantiles their belief */
    WAC_AIM_AVERAGE, /* the average of the means */
} wac_aim;

/* Whose next action a backup takes, instead of a policy's number: that of the first one's shadow.
 */
enum { WAC_NEXT_SHADOW = -1 };

/* Who acts, instead of a policy's number: the optimist. */
enum { WAC_ACT_OPTIMIST = -1 };

typedef struct wac_steps {
    /* agent->device for agent->seats seats, with first weights; seats and sizes are set */
    wac_status (*create)(wac_agent *agent, const wac_agent_plan *plan, wac_error *error);
    void (*destroy)(wac_agent *agent);

    /* batch, noise and synthetic pairs, from replay and streams; networks that are to begin anew
     * before this update do so */
    void (*draw)(wac_agent *agent);

    /* of ensembles: how much each row of the batch counts for each member, by who learns from it
     * and by how far their target critics are from each other at the next state */
    void (*weigh)(wac_agent *agent);

    /* step 1: actions of every policy at the batch's states */
    void (*sample)(wac_agent *agent);

    /* step 2: move the entropy weights (unless they are fixed) */
    void (*tune)(wac_agent *agent);

    /* where there are models: the bonus of sampled actions at the batch's states, and its slope; or
     * that of the batch's transitions, which is added to their rewards */
    void (*appraise)(wac_agent *agent);

    /* steps 3 and 4: the next action by policy `next` or a shadow, and the targets of means and
     * stds; with the entropy weight of policy `entropy`, and the bonus of the next pair if models
     * read pairs; both policies counted within each member */
    void (*back_up)(wac_agent *agent, int next, int entropy);

    /* steps 5 and 6: one Adam step of every critic towards its target; and step 9, since nothing
     * before the next update reads the target critics: they follow */
    void (*teach)(wac_agent *agent);

    /* steps 7 and 8: gradient of a policy's objective, mean(alpha log pi - what it climbs), in its
     * heads; it climbs the bonus of pairs, too … */
    void (*aim)(wac_agent *agent, int policy, wac_aim at);

    /* … and one Adam step of all policies along what they aim at */
    void (*climb)(wac_agent *agent);

    /* where there is an optimist: one Adam step of it up what critics believe optimistically, at
     * the price of its distance from the policy as it is now; and of both their weights */
    void (*lead)(wac_agent *agent);

    /* one Adam step of the models towards what the batch shows, and of the bonus's weight */
    void (*study)(wac_agent *agent);

    /* so many whole updates, draw and learn: see wac_agent_start. A device apart is still at it
     * when the first returns, no longer when the second does, and has told all when the last does
     */
    void (*start)(wac_agent *agent, int64_t updates);
    wac_status (*wait)(wac_agent *agent, wac_error *error);
    wac_status (*finish)(wac_agent *agent, wac_error *error);

    /* hold the std critics as they are now */
    void (*anchor)(wac_agent *agent);

    /* mean and log-std (as it counts; none if it is deterministic) of one policy of a seat, or of
     * the optimist, for one observation: heads [2A] */
    void (*act)(wac_agent *agent, int seat, int policy, const float *observation, real *heads);

    /* an action in place of what `act` would lead to, explored with or evaluated; null: by `act` */
    void (*choose)(wac_agent *agent, int seat, wac_policy_role role, wac_rng *rng,
                   const float *observation, float *action);

    /* the slope in the action [A] of a weighted sum of a seat's mean critics at one pair */
    void (*slope)(wac_agent *agent, int seat, const float *observation, const real *action,
                  wac_weigh_fn *weigh, const void *user, real *slope);

    /* what a seat's critics believe of pairs: see wac_agent_value; of a few, different seats' may
     * say so in different threads at the same time */
    void (*value)(wac_agent *agent, int seat, int rows, const float *observations,
                  const float *actions, float *mean, float *std);

    /* keep a transition */
    void (*remember)(wac_agent *agent, int seat, const float *observation, const float *action,
                     double reward, const float *next_observation, bool terminated);

    /* show the arrays of a seat's state, in the agent's order; and take over what was changed in
     * them */
    wac_status (*visit)(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visit,
                        void *user, wac_error *error);
    void (*settle)(wac_agent *agent, int seat, wac_state state);
} wac_steps;

extern const wac_steps wac_steps_host;  /* rl/host/host.c */
extern const wac_steps wac_steps_table; /* rl/table/table.c */
#ifndef WAC_DOUBLE
extern const wac_steps wac_steps_cuda;    /* rl/cuda/steps.c */
extern const wac_steps wac_steps_general; /* rl/cuda/general_steps.c */
#endif

#endif
