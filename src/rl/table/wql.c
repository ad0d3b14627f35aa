/* Wasserstein Q-learning (Metelli, Likmeta and Restelli, 2019): a pair has a distribution over its
 * value, as wide as the prior at first. A transition moves it towards reward + discount times that
 * of the next pair, by Wasserstein barycentre: the quantiles of both are averaged. So the width
 * shrinks with the discount, and only where it is visited.
 *
 * A distribution is a Gaussian (mean, std), or so many particles in rising order. Which next pair
 * counts is decided as exploration decides: by the upper bound if that is optimistic, else by the
 * mean. */
#include "rl/table/table.h"

#include "base/rng.h"

#include <math.h>

static bool is_gaussian(const wac_table *table)
{
    return table->seat->config.posterior == WAC_POSTERIOR_GAUSSIAN;
}

static int numbers(const wac_config *config)
{
    return config->posterior == WAC_POSTERIOR_GAUSSIAN ? 2 : (int)config->particles;
}

/* A uniform distribution between the ends of the prior, or a Gaussian as wide. */
static void init(wac_table *table, wac_rng *rng)
{
    (void)rng;
    double range = table->most - table->least;
    for (int i = 0; i < table->states * table->actions; i++) {
        double *pair = table->values + (size_t)i * (size_t)table->numbers;
        for (int j = 0; j < table->numbers; j++)
            pair[j] = table->least + range * (j + 0.5) / table->numbers;
        if (is_gaussian(table)) {
            pair[0] = table->least + range / 2;
            pair[1] = range / sqrt(12);
        }
    }
}

static double value(const wac_table *table, int state, int action, double *std)
{
    const double *pair = wac_table_at(table, state, action);
    if (!is_gaussian(table))
        return wac_table_mean(table, state, action, std);
    if (std)
        *std = pair[1];
    return pair[0];
}

static double upper_bound(const wac_table *table, int state, int action)
{
    const double *pair = wac_table_at(table, state, action);
    if (is_gaussian(table))
        return pair[0] + (double)table->seat->kappa * pair[1];
    int at = (int)(table->seat->config.quantile * table->numbers);
    return pair[at < table->numbers ? at : table->numbers - 1];
}

static double draw(const wac_table *table, int state, int action, wac_rng *rng)
{
    const double *pair = wac_table_at(table, state, action);
    return is_gaussian(table) ? pair[0] + pair[1] * wac_rng_normal(rng)
                              : pair[(int)(wac_rng_uniform(rng) * table->numbers)];
}

static int most_promising(wac_table *table, int state, wac_rng *rng)
{
    for (int a = 0; a < table->actions; a++)
        table->scratch[a] = upper_bound(table, state, a);
    return wac_table_largest(table, table->scratch, rng);
}

static int explore(wac_table *table, int state, wac_rng *rng)
{
    if (table->seat->config.exploration == WAC_EXPLORATION_OPTIMISTIC)
        return most_promising(table, state, rng);
    if (table->seat->config.exploration == WAC_EXPLORATION_MEAN)
        return wac_table_best(table, state, rng);
    for (int a = 0; a < table->actions; a++)
        table->scratch[a] = draw(table, state, a, rng);
    return wac_table_largest(table, table->scratch, rng);
}

static void learn(wac_table *table, const wac_transition *seen, wac_rng *rng)
{
    (void)rng;
    bool optimistic = table->seat->config.exploration == WAC_EXPLORATION_OPTIMISTIC;
    double rate = wac_table_rate(table, seen->state, seen->action);
    double discount = seen->terminated ? 0 : table->seat->config.discount;
    int best = optimistic ? most_promising(table, seen->next, NULL)
                          : wac_table_best(table, seen->next, NULL);
    double *pair = wac_table_at(table, seen->state, seen->action);
    const double *next = wac_table_at(table, seen->next, best);
    for (int j = 0; j < table->numbers; j++) {
        double reward = is_gaussian(table) && j == 1 ? 0 : seen->reward; /* of a std: none */
        pair[j] += rate * (reward + discount * next[j] - pair[j]);
    }
}

const wac_table_rule wac_rule_wql = {numbers, init, explore, value, learn};
