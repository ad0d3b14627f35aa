/* Inside an agent.
 *
 * An agent has seats: runs of equal shape that learn side by side, each by its own settings, from
 * its own replay, with its own random numbers. Most agents have one. What a seat knows and does is
 * kept and done by a device, through a table of steps (steps.h); what all devices have in common is
 * here. What an algorithm is made of stands in its row (algorithms.h); networks are called
 *
 *   policies   policy; or behaviour_policy and target_policy, where there are two; of an ensemble
 *              policy1, policy2, …
 *   critics    q1, q2, … or mean1, mean2, …; std1, std2, … (logarithms)
 *   targets    the same critics, following slowly: target_q1, …
 *   models     model1, model2, …: what a bonus is made from; random, which one of them learns
 *   shadow     slow_policy: the policy, following slowly, of those that weigh bonuses by it or take
 *              the next action from it
 *   optimist   the one that explores in the policy's place, beside it
 *   anchors    old_std1, …: the std critics as they were when the epoch's updates began
 *
 * or, where a critic is one network for mean and spread: posterior1, …, target_posterior1, … and
 * old_posterior1, ….
 */
#ifndef WAC_RL_AGENT_H
#define WAC_RL_AGENT_H

#include "base/arena.h"
#include "base/tensors.h"
#include "nn/stack.h"
#include "rl/algorithms.h"
#include "rl/bandit.h"
#include "rl/coverage.h"
#include "wac/agent.h"

/* Of a seat; critics: means and stds. */
enum { WAC_POLICIES_MOST = 16, WAC_CRITICS_MOST = 32, WAC_MODELS_MOST = 32 };

typedef struct wac_seat {
    wac_config config; /* what shapes arrays is the same for all seats */
    bool active;       /* false: steps pass it over */
    bool rests;        /* not active for a part of an update */
    int64_t updated;   /* updates done of those asked for last */
    int64_t begun;     /* updates of the run, by which networks begin anew; see wac_seat_updates */
    int synthetic;     /* pairs, M */
    real kappa;        /* optimism: the normal quantile of config.quantile, or config.optimism; of
                        * particles that of their prior's shape, for who knows only mean and std;
                        * of a bandit's arm, as of the last update; minus config.pessimism */
    real place;        /* of that quantile among particles, from 0 to the last */
    real sigma_max;    /* std of the prior, and clamp of every std target */
    wac_rng explore_rng, batch_rng, noise_rng, synthetic_rng, subset_rng, leader_rng;
    int64_t remembered;                                             /* transitions, ever */
    int64_t policy_steps, critic_steps, entropy_steps, model_steps; /* of Adam */

    wac_bandit bandit; /* of an algorithm that judges episodes; it draws by leader_rng */

    wac_coverage *drawn; /* where pairs that updates draw are counted; null: nowhere */

    real *scratch;    /* [(6 + members) A], for acting */
    float *proposals; /* [members][O + A + 2]: of an ensemble, with what critics say of them */

    /* what the last update saw, network by network; alpha and bonus_weight: as they are now */
    real alpha[WAC_POLICIES_MOST];
    real bonus_weight;
    real optimism, divergence_weight;           /* of an optimist, as they are now, … */
    double divergence;                          /* … and how far from the policy it was */
    double objective[WAC_POLICIES_MOST + 1];    /* an optimist's is the last */
    double loss[WAC_CRITICS_MOST];              /* squared error to the target */
    double regularisation[WAC_CRITICS_MOST];    /* std critics: the same on synthetic pairs */
    double average[WAC_CRITICS_MOST];           /* mean, or std, over the batch */
    double average_synthetic[WAC_CRITICS_MOST]; /* std critics: over the synthetic pairs */
    double model_loss[WAC_MODELS_MOST];         /* squared error to what they learn */
} wac_seat;

struct wac_agent {
    wac_algorithm_row shape;
    const wac_algorithm_row *row; /* that one */
    const struct wac_steps *steps;
    int observations, actions;
    int rows;      /* of a batch, B */
    int synthetic; /* the most pairs of a seat */
    int critics;   /* networks */
    int members;   /* row->members, or 1 */
    int policies;  /* of all members */
    int seats;
    wac_seat *seat; /* [seats] */
    void *device;   /* what the host's steps keep … */
    void *gpu;      /* … and those of a GPU beside it */
    wac_arena arena;
};

/* For agents of several seats. */
typedef struct wac_agent_plan {
    const wac_algorithm_row *row; /* null: that of the first config */
    wac_device device;
    int gpu;                   /* which one, where the device is a GPU */
    const wac_config *configs; /* [seats]; all of one row, width, batch_size, backend … */
    int seats;
    int observations, actions;
    int states, choices;    /* of a world that is finite; 0: it is not */
    int threads, first_cpu; /* see wac_agent_create */
} wac_agent_plan;

wac_status wac_agent_create_seats(wac_agent **agent, const wac_agent_plan *plan, wac_error *error);

/* Whether the next step of exploration is one of its first, which are any actions. */
bool wac_seat_tries_any(const wac_agent *agent, int seat);

/* The seat that the functions of wac/agent.h, which know of none, speak of is 0. Different seats
 * may act and explore in different threads at the same time. */
void wac_seat_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                      float *action);
void wac_seat_sample(wac_agent *agent, int seat, wac_policy_role role, wac_rng *rng,
                     const float *observation, float *action);
void wac_seat_act(wac_agent *agent, int seat, wac_policy_role role, const float *observation,
                  float *action);

/* What a policy does for given noise [A]. */
void wac_seat_vary(wac_agent *agent, int seat, int policy, const float *observation,
                   const real *noise, float *action);

void wac_seat_losses(const wac_agent *agent, int seat, wac_losses *losses);

/* The entropy weight of a policy, of an ensemble the mean of its members'. */
double wac_seat_alpha(const wac_agent *agent, int seat, wac_policy_role role);

/* An episode of exploration begins: of an ensemble, another member leads; of a bandit, another arm
 * is drawn. */
void wac_seat_begin(wac_agent *agent, int seat);

/* An episode of exploration is over, and was not just cut off. */
void wac_seat_end(wac_agent *agent, int seat);

/* So many updates of every active seat; meanwhile seats may act, as they did before. A seat that
 * leaves the finite numbers is done with them, and no longer active; see wac_seat_check. */
void wac_agent_start(wac_agent *agent, int64_t updates);

/* Let those seats rest whose policy does not move in the update that critics have counted up to,
 * or will have after so many more; whether any is left. */
bool wac_agent_let_rest(wac_agent *agent, int64_t more);
void wac_agent_wake(wac_agent *agent);

/* Until a device apart has computed them; nothing is brought back. */
wac_status wac_agent_wait(wac_agent *agent, wac_error *error);

/* Until they are done; then seats act and tell as the last update left them. */
wac_status wac_agent_finish(wac_agent *agent, wac_error *error);

/* Whether the last update of a seat left the finite numbers. */
wac_status wac_seat_check(const wac_agent *agent, int seat, wac_error *error);

/* Whether networks begin anew at times, and whether they do before the next update. */
bool wac_config_has_resets(const wac_config *config);
bool wac_seat_begins_anew(const wac_seat *seat);

/* Updates that a seat has had, in its run or before. */
int64_t wac_seat_updates(const wac_seat *seat);

/* The smallest and largest reward that a seat remembers. */
wac_status wac_seat_reward_range(wac_agent *agent, int seat, double *least, double *most,
                                 wac_error *error);

/* Another prior for an agent that knows its uncertainty, as if it had been created with it; before
 * its first update. */
wac_status wac_seat_set_prior(wac_agent *agent, int seat, double reward_min, double reward_max,
                              wac_error *error);

/* What the logarithms that a critic puts out begin with: that of the prior's std, or of the gaps
 * between its quantiles. */
real wac_seat_first_log(const wac_agent *agent, const wac_seat *seat);

/* The shapes of policies and critics, by the kind of network. */
wac_shape wac_policy_shape(const wac_config *config, const wac_algorithm_row *row, int observations,
                           int actions);
wac_shape wac_critic_shape(const wac_config *config, const wac_algorithm_row *row, int observations,
                           int actions);

/* Which of an agent's policies, or of a member's, plays a role. */
int wac_agent_policy(const wac_agent *agent, wac_policy_role role);

/* --- state ---------------------------------------------------------------------------------- */

/* A named array of a seat's state. */
typedef struct wac_agent_tensor {
    char name[96];
    wac_dtype dtype;
    int rank;
    int64_t shape[2];
    void *data;
} wac_agent_tensor;

int64_t wac_agent_tensor_elements(const wac_agent_tensor *tensor);

/* Called for every array of a seat's state in turn (see wac_steps.visit), up to the first failure.
 */
typedef wac_status wac_agent_visitor(void *user, const wac_agent_tensor *tensor, wac_error *error);

typedef enum wac_state {
    WAC_STATE_NETWORKS, /* weights and biases, as NET/LAYER/weight */
    WAC_STATE_LEARNING, /* moments, entropy weights, normaliser, streams */
    WAC_STATE_REPLAY,   /* transitions ever seen, and those kept */
    WAC_STATE_DRAWN,    /* what an update reads: batch, noise, synthetic pairs */
} wac_state;

#endif
