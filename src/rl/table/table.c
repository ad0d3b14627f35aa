/* The steps of agents that are tables: acting, learning as it goes, saving. */
#include "rl/table/table.h"

#include "base/rng.h"
#include "base/status.h"
#include "rl/steps.h"

#include <assert.h>
#include <math.h>

static wac_table *table_of(const wac_agent *agent, int seat)
{
    return (wac_table *)agent->device + seat;
}

double *wac_table_at(const wac_table *table, int state, int action)
{
    return table->values +
           ((size_t)state * (size_t)table->actions + (size_t)action) * (size_t)table->numbers;
}

double wac_table_rate(wac_table *table, int state, int action)
{
    int64_t visits = ++table->visits[state * table->actions + action];
    return pow((double)visits, -table->seat->config.rate_decay);
}

int wac_table_largest(const wac_table *table, const double *of, wac_rng *rng)
{
    int largest = 0, equals = 1;
    for (int a = 1; a < table->actions; a++) {
        if (of[a] > of[largest])
            largest = a, equals = 1;
        else if (of[a] == of[largest] && rng && wac_rng_uniform(rng) * ++equals < 1)
            largest = a;
    }
    return largest;
}

int wac_table_best(wac_table *table, int state, wac_rng *rng)
{
    const wac_table_rule *rule = table->rule;
    for (int a = 0; a < table->actions; a++)
        table->scratch[a] = rule->value(table, state, a, NULL);
    return wac_table_largest(table, table->scratch, rng);
}

double wac_table_mean(const wac_table *table, int state, int action, double *std)
{
    const double *pair = wac_table_at(table, state, action);
    double sum = 0, squares = 0;
    for (int i = 0; i < table->numbers; i++)
        sum += pair[i];
    double mean = sum / table->numbers;
    for (int i = 0; std && i < table->numbers; i++)
        squares += (pair[i] - mean) * (pair[i] - mean);
    if (std)
        *std = sqrt(squares / table->numbers);
    return mean;
}

/* --- creation --------------------------------------------------------------------------------- */

static wac_status create(wac_agent *agent, const wac_agent_plan *plan, wac_error *error)
{
    const wac_config *config = plan->configs;
    if (plan->device != WAC_DEVICE_CPU)
        return wac_fail(error, WAC_STATUS_INPUT, "a GPU cannot train %s, a table; use --device cpu",
                        wac_algorithm_name((wac_algorithm)config->algorithm));
    if (plan->states == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s is a table, and %s has more states or actions than can be counted; try "
                        "oe-wac there, or an environment of which \"wac envs\" says that it has "
                        "so many states",
                        wac_algorithm_name((wac_algorithm)config->algorithm), config->environment);
    wac_table *tables = WAC_TAKE(&agent->arena, wac_table, (size_t)plan->seats);
    if (agent->arena.failed)
        return wac_fail_memory(error, "the agent");
    agent->device = tables;
    for (int i = 0; i < plan->seats; i++) {
        wac_seat *seat = &agent->seat[i];
        size_t pairs = (size_t)plan->states * (size_t)plan->choices;
        const wac_table_rule *rule = agent->row->table;
        double horizon = 1 / (1 - seat->config.discount);
        wac_table table = {.rule = rule,
                           .seat = seat,
                           .states = plan->states,
                           .actions = plan->choices,
                           .numbers = rule->numbers(&seat->config),
                           .least = seat->config.reward_min * horizon,
                           .most = seat->config.reward_max * horizon};
        table.values = WAC_TAKE(&agent->arena, double, pairs *(size_t)table.numbers);
        table.visits = WAC_TAKE(&agent->arena, int64_t, pairs);
        table.scratch = WAC_TAKE(&agent->arena, double, (size_t)plan->choices);
        if (agent->arena.failed)
            return wac_fail_memory(error, "the table");
        wac_rng rng = wac_rng_make((uint64_t)seat->config.seed, WAC_STREAM_INIT);
        rule->init(&table, &rng);
        tables[i] = table;
    }
    return WAC_STATUS_OK;
}

static void destroy(wac_agent *agent)
{
    (void)agent; /* all is in the arena */
}

/* --- acting and learning ---------------------------------------------------------------------- */

/* The one of `count` that a number of [-1, 1] stands for. */
static int index_of(float number, int count)
{
    int index = (int)lround(((double)number + 1) / 2 * (count - 1));
    return index < 0 ? 0 : index < count ? index : count - 1;
}

static void choose(wac_agent *agent, int seat, wac_policy_role role, wac_rng *rng,
                   const float *observation, float *action)
{
    wac_table *table = table_of(agent, seat);
    int state = index_of(*observation, table->states);
    int choice = role == WAC_POLICY_TARGET ? wac_table_best(table, state, NULL)
                                           : table->rule->explore(table, state, rng);
    *action = table->actions > 1 ? (float)(2.0 * choice / (table->actions - 1) - 1) : 0;
}

static void remember(wac_agent *agent, int seat, const float *observation, const float *action,
                     double reward, const float *next_observation, bool terminated)
{
    wac_table *table = table_of(agent, seat);
    wac_transition seen = {.state = index_of(*observation, table->states),
                           .action = index_of(*action, table->actions),
                           .next = index_of(*next_observation, table->states),
                           .reward = reward,
                           .terminated = terminated};
    agent->seat[seat].remembered++;
    agent->seat[seat].critic_steps++;
    table->rule->learn(table, &seen, &agent->seat[seat].explore_rng);
}

static void value(wac_agent *agent, int seat, int rows, const float *observations,
                  const float *actions, float *mean, float *std)
{
    wac_table *table = table_of(agent, seat);
    for (int i = 0; i < rows; i++) {
        double own = NAN;
        int state = index_of(observations[i], table->states);
        int action = index_of(actions[i], table->actions);
        mean[i] = (float)table->rule->value(table, state, action, std ? &own : NULL);
        if (std)
            std[i] = (float)own;
    }
}

/* What the seat tells of itself: the mean over all pairs, and over those that were visited. */
static void sum_up(wac_agent *agent)
{
    for (int i = 0; i < agent->seats; i++) {
        const wac_table *table = table_of(agent, i);
        wac_seat *seat = &agent->seat[i];
        double sums[3] = {0}; /* value, std where it has been, std everywhere */
        int pairs = table->states * table->actions, visited = 0;
        for (int p = 0; p < pairs; p++) {
            double std = 0,
                   mean = table->rule->value(table, p / table->actions, p % table->actions, &std);
            sums[2] += std;
            if (table->visits[p] == 0)
                continue;
            visited++;
            sums[0] += mean;
            sums[1] += std;
        }
        seat->average[0] = sums[0] / visited;
        seat->average[1] = sums[1] / visited;
        seat->average_synthetic[1] = sums[2] / pairs;
    }
}

/* A table has learned already. */
static void start(wac_agent *agent, int64_t updates)
{
    for (int i = 0; i < agent->seats; i++)
        if (agent->seat[i].active)
            agent->seat[i].updated = updates;
}

static wac_status wait(wac_agent *agent, wac_error *error)
{
    (void)agent, (void)error;
    return WAC_STATUS_OK;
}

static wac_status finish(wac_agent *agent, wac_error *error)
{
    (void)error;
    sum_up(agent);
    return WAC_STATUS_OK;
}

static void anchor(wac_agent *agent)
{
    (void)agent;
}

/* --- saving ----------------------------------------------------------------------------------- */

static wac_status visit(wac_agent *agent, int at, wac_state state, wac_agent_visitor *visitor,
                        void *user, wac_error *error)
{
    wac_table *table = table_of(agent, at);
    wac_seat *seat = &agent->seat[at];
    int64_t pairs = (int64_t)table->states * table->actions;
    const struct {
        wac_state state;
        wac_agent_tensor tensor;
    } all[] = {
        {WAC_STATE_NETWORKS,
         {"table/values", WAC_DTYPE_F64, 2, {pairs, table->numbers}, table->values}},
        {WAC_STATE_LEARNING, {"table/visits", WAC_DTYPE_I64, 1, {pairs}, table->visits}},
        {WAC_STATE_LEARNING, {"table/clock", WAC_DTYPE_I64, 1, {WAC_TABLE_CLOCKS}, table->clock}},
        {WAC_STATE_LEARNING, {"table/steps", WAC_DTYPE_I64, 1, {1}, &seat->critic_steps}},
        {WAC_STATE_LEARNING,
         {"counter/explore", WAC_DTYPE_I64, 1, {1}, &seat->explore_rng.counter}},
        {WAC_STATE_REPLAY, {"replay/count", WAC_DTYPE_I64, 1, {1}, &seat->remembered}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].state == state)
            WAC_TRY(visitor(user, &all[i].tensor, error));
    return WAC_STATUS_OK;
}

static void settle(wac_agent *agent, int seat, wac_state state)
{
    (void)agent, (void)seat, (void)state;
}

const wac_steps wac_steps_table = {
    .create = create,
    .destroy = destroy,
    .start = start,
    .wait = wait,
    .finish = finish,
    .anchor = anchor,
    .choose = choose,
    .value = value,
    .remember = remember,
    .visit = visit,
    .settle = settle,
};
