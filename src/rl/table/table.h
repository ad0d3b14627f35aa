/* Agents that are tables, for worlds with few states and actions (wac_environment_spec.states).
 *
 * A table has a few numbers for each pair of state and action, and learns from a transition when it
 * sees it: there are no networks, no replay and no updates apart. What differs between algorithms
 * is a rule: how many numbers there are, what they begin with, which action they speak for, and
 * what a transition does to them.
 */
#ifndef WAC_RL_TABLE_H
#define WAC_RL_TABLE_H

#include "rl/agent.h"

enum { WAC_TABLE_CLOCKS = 2 };

typedef struct wac_table {
    const struct wac_table_rule *rule;
    const wac_seat *seat;
    int states, actions;
    int numbers;                     /* of a pair */
    double *values;                  /* [states][actions][numbers] */
    int64_t *visits;                 /* [states][actions] */
    int64_t clock[WAC_TABLE_CLOCKS]; /* what a rule counts for the whole table */
    double least, most;              /* values that rewards within the prior allow */
    double *scratch;                 /* [actions] */
} wac_table;

typedef struct wac_transition {
    int state, action, next;
    double reward;
    bool terminated;
} wac_transition;

typedef struct wac_table_rule {
    int (*numbers)(const wac_config *config);
    void (*init)(wac_table *table, wac_rng *rng);
    /* which action to explore with */
    int (*explore)(wac_table *table, int state, wac_rng *rng);
    /* what a pair is believed to be worth; std may be null, and stays as it is where the row of the
     * algorithm has none */
    double (*value)(const wac_table *table, int state, int action, double *std);
    void (*learn)(wac_table *table, const wac_transition *seen, wac_rng *rng);
} wac_table_rule;

extern const wac_table_rule wac_rule_wql;            /* wql.c */
extern const wac_table_rule wac_rule_q_learning;     /* q_learning.c */
extern const wac_table_rule wac_rule_delayed_q;      /* delayed_q.c */
extern const wac_table_rule wac_rule_bootstrapped_q; /* bootstrapped_q.c */

/* The numbers of a pair. */
double *wac_table_at(const wac_table *table, int state, int action);

/* The step of the pair's next change: its visits, this one included, to the power of minus
 * `rate_decay`. Counts the visit. */
double wac_table_rate(wac_table *table, int state, int action);

/* The largest of `of[actions]`; of equals one that is drawn, or the first where rng is null. */
int wac_table_largest(const wac_table *table, const double *of, wac_rng *rng);

/* The action with the highest believed value, which is what is evaluated; of equals as above. */
int wac_table_best(wac_table *table, int state, wac_rng *rng);

/* The mean of the numbers of a pair, and their deviation (std may be null). */
double wac_table_mean(const wac_table *table, int state, int action, double *std);

#endif
