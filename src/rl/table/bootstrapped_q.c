/* Bootstrapped Q-learning (after Osband and others, 2016): several tables begin with different
 * values within the prior, and learn from half of all transitions each. One of them leads, for a
 * time that ends with an episode, or with a chance of 1 - discount in each step; then another one
 * does. Their spread is the uncertainty. */
#include "rl/table/table.h"

#include "base/rng.h"

enum { LEADER }; /* clock: which table explores */

static int numbers(const wac_config *config)
{
    return (int)config->heads;
}

static void init(wac_table *table, wac_rng *rng)
{
    for (int i = 0; i < table->states * table->actions * table->numbers; i++)
        table->values[i] = table->least + (table->most - table->least) * wac_rng_uniform(rng);
}

static int best_of(wac_table *table, int state, int head, wac_rng *rng)
{
    for (int a = 0; a < table->actions; a++)
        table->scratch[a] = wac_table_at(table, state, a)[head];
    return wac_table_largest(table, table->scratch, rng);
}

static int explore(wac_table *table, int state, wac_rng *rng)
{
    return best_of(table, state, (int)table->clock[LEADER], rng);
}

static void learn(wac_table *table, const wac_transition *seen, wac_rng *rng)
{
    double discount = table->seat->config.discount;
    double rate = wac_table_rate(table, seen->state, seen->action);
    double *pair = wac_table_at(table, seen->state, seen->action);
    for (int h = 0; h < table->numbers; h++) {
        if (wac_rng_uniform(rng) < 0.5)
            continue;
        double next = wac_table_at(table, seen->next, best_of(table, seen->next, h, NULL))[h];
        pair[h] += rate * (seen->reward + discount * !seen->terminated * next - pair[h]);
    }
    if (seen->terminated || wac_rng_uniform(rng) < 1 - discount)
        table->clock[LEADER] = (int64_t)(wac_rng_uniform(rng) * table->numbers);
}

const wac_table_rule wac_rule_bootstrapped_q = {numbers, init, explore, wac_table_mean, learn};
