/* One row per algorithm: what it is made of, how it learns and explores. Its name is in
 * WAC_ALGORITHMS (wac/config.h), its update in a file of its own. */
#ifndef WAC_RL_ALGORITHMS_H
#define WAC_RL_ALGORITHMS_H

#include "nn/real.h"
#include "wac/agent.h"

typedef struct wac_algorithm_row {
    int policies;        /* 1, or 2: one that explores, one that is evaluated; of each member */
    bool deterministic;  /* a policy is its mean alone: noise comes from outside */
    bool shadow;         /* the first policy has one that follows it slowly */
    int members;         /* of an ensemble, each with as many of the critics; 0: it is none */
    int means, stds;     /* critics; without stds or members it knows nothing of its uncertainty */
    bool shared;         /* a critic is one network for mean and spread; as many stds as means */
    int particles;       /* that it puts out; 0: a Gaussian's mean and std. Only where shared */
    int quantiles;       /* that a mean critic puts out; all critics are believed together, also
                          * with 1, its mean. 0: its mean, and the smallest one is believed */
    bool population;     /* deviation in their belief: of all critics there are, not of a sample */
    bool optimist;       /* a second policy leads the first one's means elsewhere, and explores */
    double momentum;     /* Adam's beta1 for entropy and such weights; 0: the usual */
    int subset;          /* mean critics that a backup chooses from, drawn for each; 0: all */
    int delay;           /* updates of the critics for one of the policies; 0: they go together */
    bool lag;            /* then target critics follow as seldom */
    const char *critics; /* what mean critics are called in files: "mean1", "q1", … */
    int models;          /* networks that learn beside it, for a bonus */
    const struct wac_bonus_rule *bonus; /* how it is paid for what they do not know; else null */
    const struct wac_table_rule *table; /* an agent that is a table: how it learns; else null */
    void (*learn)(wac_agent *agent);
    /* null: by a sample of the behaviour policy */
    void (*explore)(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                    float *action);
    /* an episode of exploration is over; null: all the same */
    void (*judge)(wac_agent *agent, int seat);
} wac_algorithm_row;

/* That of a config's algorithm, with the numbers that are settings. */
wac_algorithm_row wac_algorithm_row_of(const wac_config *config);

/* Numbers that a critic network puts out for a pair: one, or quantiles; or, where shared, a mean
 * and the logarithms of its spread, which are of a std, or of the gaps between particles. */
int wac_row_outputs(const wac_algorithm_row *row);

/* Numbers that a policy puts out: means, and log-stds unless it is deterministic. */
int wac_row_heads(const wac_algorithm_row *row, int actions);

/* Adam's beta1 for weights that are learned beside networks. */
double wac_row_momentum(const wac_algorithm_row *row);

/* Networks that are critics. */
int wac_row_critics(const wac_algorithm_row *row);

/* The updates. OAC learns as SAC does. */
void wac_sac_learn(wac_agent *agent);
void wac_oe_wac_learn(wac_agent *agent);
void wac_me_wac_learn(wac_agent *agent);
void wac_redq_learn(wac_agent *agent);
void wac_sunrise_learn(wac_agent *agent);
void wac_maxinfosac_learn(wac_agent *agent);
void wac_sac_rnd_learn(wac_agent *agent);
void wac_top_learn(wac_agent *agent);
void wac_bro_learn(wac_agent *agent);

/* What TOP's bandit learns from an episode. */
void wac_top_judge(wac_agent *agent, int seat);

/* Explore by OAC's shift of the behaviour policy. */
void wac_oac_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                     float *action);

/* Explore by the best of an ensemble's proposals, or by that of the member whose turn it is. */
void wac_sunrise_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                         float *action);

/* SUNRISE's action, the proposal with the highest mean + optimism * std, for given noise
 * [members][A]. */
void wac_sunrise_act(wac_agent *agent, int seat, const float *observation, const real *noise,
                     double optimism, float *action);

/* OAC's action for given noise [A]. */
void wac_oac_act(wac_agent *agent, int seat, const float *observation, const real *noise,
                 double delta, double beta, float *action);

#endif
