/* Delayed Q-learning (Strehl and others, 2006): values begin at the highest there can be, and a
 * pair gives way only after so many visits in a row of evidence, if that is worth it. So what was
 * not tried enough looks best. */
#include "rl/table/table.h"

enum { VALUE, SUM, SAMPLES, SINCE, RESTS, NUMBERS };
enum { TIME, CHANGED }; /* clocks: transitions so far; when a value last gave way */

static int numbers(const wac_config *config)
{
    (void)config;
    return NUMBERS;
}

static void init(wac_table *table, wac_rng *rng)
{
    (void)rng;
    for (int i = 0; i < table->states * table->actions; i++)
        table->values[(size_t)i * NUMBERS + VALUE] = table->most;
}

static double value(const wac_table *table, int state, int action, double *std)
{
    (void)std;
    return wac_table_at(table, state, action)[VALUE];
}

static void learn(wac_table *table, const wac_transition *seen, wac_rng *rng)
{
    (void)rng;
    const wac_config *config = &table->seat->config;
    double *pair = wac_table_at(table, seen->state, seen->action);
    double next = value(table, seen->next, wac_table_best(table, seen->next, NULL), NULL);
    double margin = config->delay_margin, time = (double)++table->clock[TIME];
    table->visits[seen->state * table->actions + seen->action]++;
    if (pair[SINCE] <= (double)table->clock[CHANGED])
        pair[RESTS] = 0;
    if (pair[RESTS] > 0)
        return;
    if (pair[SAMPLES] == 0)
        pair[SINCE] = time;
    pair[SAMPLES]++;
    pair[SUM] += seen->reward + config->discount * !seen->terminated * next;
    if (pair[SAMPLES] < (double)config->delay)
        return;
    double mean = pair[SUM] / pair[SAMPLES];
    if (pair[VALUE] - mean >= 2 * margin) {
        pair[VALUE] = mean + margin;
        table->clock[CHANGED] = table->clock[TIME];
    } else if (pair[SINCE] > (double)table->clock[CHANGED])
        pair[RESTS] = 1;
    pair[SUM] = pair[SAMPLES] = 0;
}

const wac_table_rule wac_rule_delayed_q = {numbers, init, wac_table_best, value, learn};
