/* Q-learning (Watkins, 1989), with noise in place of knowledge: now and then any action, or better
 * ones more often. */
#include "rl/table/table.h"

#include "base/rng.h"

#include <math.h>

static int numbers(const wac_config *config)
{
    (void)config;
    return 1;
}

static void init(wac_table *table, wac_rng *rng)
{
    (void)rng;
    for (int i = 0; i < table->states * table->actions; i++)
        table->values[i] = 0;
}

static double value(const wac_table *table, int state, int action, double *std)
{
    (void)std;
    return *wac_table_at(table, state, action);
}

/* By the exponential of value over temperature. */
static int choose_softly(wac_table *table, int state, wac_rng *rng)
{
    double temperature = table->seat->config.temperature, sum = 0;
    double most = value(table, state, wac_table_best(table, state, NULL), NULL);
    for (int a = 0; a < table->actions; a++)
        sum += table->scratch[a] = exp((value(table, state, a, NULL) - most) / temperature);
    double left = wac_rng_uniform(rng) * sum;
    int action = 0;
    while (action < table->actions - 1 && (left -= table->scratch[action]) >= 0)
        action++;
    return action;
}

static int explore(wac_table *table, int state, wac_rng *rng)
{
    const wac_config *config = &table->seat->config;
    if (config->noise == WAC_NOISE_BOLTZMANN)
        return choose_softly(table, state, rng);
    if (wac_rng_uniform(rng) < config->epsilon)
        return (int)(wac_rng_uniform(rng) * table->actions);
    return wac_table_best(table, state, rng);
}

static void learn(wac_table *table, const wac_transition *seen, wac_rng *rng)
{
    (void)rng;
    double rate = wac_table_rate(table, seen->state, seen->action);
    double next = value(table, seen->next, wac_table_best(table, seen->next, NULL), NULL);
    double *pair = wac_table_at(table, seen->state, seen->action);
    *pair +=
        rate * (seen->reward + table->seat->config.discount * !seen->terminated * next - *pair);
}

const wac_table_rule wac_rule_q_learning = {numbers, init, explore, value, learn};
