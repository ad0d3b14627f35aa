/* Models: what they read, how they learn, what they pay. */
#include "rl/host/models.h"

#include "nn/fill.h"
#include "rl/bonus.h"
#include "rl/host/policies.h"

#include <string.h>
#include <tgmath.h>

bool wac_models_read_pairs(const wac_agent *agent)
{
    return agent->row->bonus && agent->row->bonus->features == 0;
}

/* --- memory --------------------------------------------------------------------------------- */

/* The sums of numbers whose unit is their deviation. */
static void take_sums(wac_normaliser *sums, wac_arena *arena, int size, double least, double limit)
{
    wac_normaliser_init(sums, arena, size, true);
    sums->unit = 1;
    sums->least = least;
    sums->limit = (real)limit;
}

void wac_models_take(wac_desk *desk, wac_arena *arena)
{
    const wac_agent *agent = desk->agent;
    const wac_bonus_rule *rule = agent->row->bonus;
    wac_models *m = &desk->models;
    if (!rule)
        return;
    bool pairs = wac_models_read_pairs(agent);
    int width = (int)desk->seat->config.width, models = agent->row->models;
    int inputs = agent->observations + (pairs ? agent->actions : 0);
    int outputs = pairs ? agent->observations + 1 : rule->features;
    int rows = agent->rows * (pairs ? 2 : 1);
    size_t a = (size_t)agent->actions, all = (size_t)models * (size_t)rows;
    const wac_ops *ops = desk->host->ops;

    wac_shape shape = {inputs, width, outputs, .hidden = 2};
    wac_stack_init(&m->stack, arena, shape, models);
    wac_stack_init(&m->random, arena, shape, !pairs);
    size_t size = wac_stack_size(&m->stack);
    m->moments = (wac_moments){WAC_TAKE(arena, real, size), WAC_TAKE(arena, real, size)};
    m->gradients = WAC_TAKE(arena, real, size);
    m->weight =
        (wac_entropy){WAC_TAKE(arena, real, 1), WAC_TAKE(arena, real, 1), WAC_TAKE(arena, real, 1)};

    double least = rule->limit > 0 ? 1e-3 : 1e-6; /* what is cut needs no small unit */
    take_sums(&m->inputs, arena, inputs, least, rule->limit);
    take_sums(&m->outputs, arena, outputs, 1e-6, 0);
    take_sums(&m->bonuses, arena, 1, 1e-6, 0);

    wac_pass_init(&m->pass, arena, &m->stack, rows, ops);
    wac_pass_init(&m->random_pass, arena, &m->random, agent->rows, ops);
    wac_pass_init(&m->shadow_pass, arena, &desk->shadow, agent->rows, ops);
    m->shadow_noise = WAC_TAKE(arena, real, pairs ? (size_t)agent->rows * a : 0);
    m->shadow_sample = (wac_sample){.rows = agent->rows,
                                    .actions = agent->actions,
                                    .per_row = desk->policies.shape.outputs,
                                    .bent = desk->seat->config.log_std == WAC_LOG_STD_BENT,
                                    .heads = m->shadow_pass.out,
                                    .noise = m->shadow_noise,
                                    .action = WAC_TAKE(arena, real, (size_t)agent->rows * a),
                                    .log_prob = WAC_TAKE(arena, real, (size_t)agent->rows)};
    m->share = WAC_TAKE(arena, real, (size_t)outputs);
    m->x = WAC_TAKE(arena, real, (size_t)rows * (size_t)inputs);
    m->target = WAC_TAKE(arena, real, (size_t)agent->rows * (size_t)outputs);
    m->dout = WAC_TAKE(arena, real, all * (size_t)outputs);
    m->wishes = WAC_TAKE(arena, real, all * a);
    m->bonus = WAC_TAKE(arena, real, (size_t)rows);
    m->next_bonus = WAC_TAKE(arena, real, (size_t)agent->rows);
    m->slope = WAC_TAKE(arena, real, (size_t)agent->rows * a);
}

static void randomise(const wac_stack *stack, double spread, wac_rng *rng)
{
    for (int m = 0; m < stack->members; m++)
        for (int i = 0; i <= wac_shape_head(&stack->shape); i++) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            real bound = (real)(spread / sqrt(layer.inputs));
            wac_fill_uniform(rng, (size_t)layer.inputs * (size_t)layer.outputs, -bound, bound,
                             layer.weight);
            wac_fill_uniform(rng, (size_t)layer.outputs, -bound, bound, layer.bias);
        }
}

void wac_models_init(wac_desk *desk, wac_rng *rng)
{
    const wac_bonus_rule *rule = desk->agent->row->bonus;
    wac_models *m = &desk->models;
    if (!rule)
        return;
    randomise(&m->stack, rule->spread, rng);
    randomise(&m->random, rule->spread, rng);
    m->weight.log_alpha[0] = (real)log(desk->seat->config.bonus_weight);

    /* the change of an observation counts as much as the reward */
    int outputs = m->stack.shape.outputs, changes = outputs - 1;
    for (int j = 0; j < outputs; j++)
        m->share[j] = m->random.members ? 1 / (real)outputs
                      : j < changes     ? 1 / (real)(2 * changes)
                                        : (real)0.5;
}

/* --- what they read ------------------------------------------------------------------------- */

/* Rows of the batch, as they are: what models read of it, and what they learn of pairs. */
static void read_batch(wac_desk *desk)
{
    const wac_agent *agent = desk->agent;
    const wac_batch *batch = &desk->batch;
    wac_models *m = &desk->models;
    int rows = agent->rows, o = agent->observations;
    if (m->random.members) {
        memcpy(m->x, batch->next_observations, (size_t)(rows * o) * sizeof *m->x);
        return;
    }
    wac_join(rows, o, agent->actions, batch->observations, batch->actions, m->x);
    for (int i = 0; i < rows; i++) {
        real *target = m->target + (size_t)(i * (o + 1));
        for (int j = 0; j < o; j++)
            target[j] = batch->next_observations[i * o + j] - batch->observations[i * o + j];
        target[o] = batch->rewards[i];
    }
}

static void count_batch(wac_desk *desk)
{
    wac_models *m = &desk->models;
    read_batch(desk);
    wac_normaliser_add_rows(&m->inputs, desk->agent->rows, m->x);
    if (!m->random.members)
        wac_normaliser_add_rows(&m->outputs, desk->agent->rows, m->target);
}

/* Let models look at rows of x, which come as they are. */
static wac_input look(wac_desk *desk, wac_team *team, int rows, bool learn)
{
    const wac_ops *ops = desk->host->ops;
    wac_models *m = &desk->models;
    wac_input input = {.x = m->x, .rows = rows};
    wac_normalise_rows(&m->inputs, rows, m->x);
    (learn ? ops->forward : ops->infer)(team, &m->stack, input, &m->pass);
    if (m->random.members)
        ops->infer(team, &m->random, input, &m->random_pass);
    return input;
}

/* What they said of rows from `first` on. */
static wac_model_rows said(const wac_desk *desk, int first, int rows)
{
    const wac_models *m = &desk->models;
    int outputs = m->stack.shape.outputs;
    return (wac_model_rows){.rows = rows,
                            .capacity = m->pass.capacity,
                            .models = m->stack.members,
                            .outputs = outputs,
                            .out = m->pass.out + (size_t)(first * outputs),
                            .target = m->random.members ? m->random_pass.out : NULL,
                            .share = m->share};
}

/* --- bonuses -------------------------------------------------------------------------------- */

/* Those of transitions are paid with their rewards. */
static void pay(wac_desk *desk, wac_team *team)
{
    const wac_agent *agent = desk->agent;
    wac_models *m = &desk->models;
    look(desk, team, agent->rows, false);
    wac_model_rows rows = said(desk, 0, agent->rows);
    agent->row->bonus->bonus(&rows, m->bonus, NULL);
    wac_normaliser_add_rows(&m->bonuses, agent->rows, m->bonus);
    real weight = desk->seat->bonus_weight * m->bonuses.scale[0];
    for (int i = 0; i < agent->rows; i++)
        desk->batch.rewards[i] += weight * m->bonus[i];
}

/* Those of pairs, with the action of the policy and with that of its shadow, and the slope of the
 * former in the action. */
static void appraise_pairs(wac_desk *desk, wac_team *team)
{
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    wac_models *m = &desk->models;
    int rows = agent->rows, o = agent->observations, a = agent->actions;
    wac_policies_sample_shadow(desk, team);
    wac_join(rows, o, a, desk->batch.observations, desk->sample.action, m->x);
    wac_join(rows, o, a, desk->batch.observations, m->shadow_sample.action,
             m->x + (size_t)(rows * (o + a)));
    wac_input input = look(desk, team, 2 * rows, true);
    wac_model_rows own = said(desk, 0, rows), shadows = said(desk, rows, rows);
    agent->row->bonus->bonus(&own, m->bonus, m->dout);
    agent->row->bonus->bonus(&shadows, m->bonus + rows, NULL);
    wac_normaliser_add_rows(&m->bonuses, 2 * rows, m->bonus);
    wac_normalise_rows(&m->bonuses, 2 * rows, m->bonus);

    input.rows = rows;
    ops->backward(team, &m->stack, input, &m->pass, m->dout,
                  &(wac_gradient){.inputs = m->wishes, .input_first = o});
    for (int i = 0; i < rows * a; i++) {
        m->slope[i] = 0;
        for (int k = 0; k < m->stack.members; k++)
            m->slope[i] += m->wishes[(size_t)(k * m->pass.capacity) * (size_t)a + (size_t)i];
        m->slope[i] *= m->inputs.scale[o + i % a] * m->bonuses.scale[0];
    }
}

void wac_models_appraise(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    count_batch(desk);
    (wac_models_read_pairs(desk->agent) ? appraise_pairs : pay)(desk, team);
}

void wac_models_appraise_next(wac_desk *desk, wac_team *team)
{
    const wac_agent *agent = desk->agent;
    wac_models *m = &desk->models;
    size_t size = (size_t)agent->rows * (size_t)m->stack.shape.inputs;
    memcpy(m->x, desk->query, size * sizeof *m->x);
    look(desk, team, agent->rows, false);
    wac_model_rows rows = said(desk, 0, agent->rows);
    agent->row->bonus->bonus(&rows, m->next_bonus, NULL);
    wac_normalise_rows(&m->bonuses, agent->rows, m->next_bonus);
    for (int i = 0; i < agent->rows; i++)
        m->next_bonus[i] *= desk->seat->bonus_weight;
}

/* --- learning ------------------------------------------------------------------------------- */

/* squared errors to the target, their gradient, and their mean for each model */
static void find_errors(wac_desk *desk, const real *target)
{
    const wac_models *m = &desk->models;
    int rows = desk->agent->rows, outputs = m->stack.shape.outputs;
    for (int k = 0; k < m->stack.members; k++) {
        size_t first = (size_t)k * (size_t)m->pass.capacity * (size_t)outputs;
        double loss = 0;
        for (int i = 0; i < rows * outputs; i++) {
            real error = m->pass.out[first + (size_t)i] - target[i], share = m->share[i % outputs];
            loss += (double)(share * error * error) / rows;
            m->dout[first + (size_t)i] = 2 * share * error / (real)rows;
        }
        desk->seat->model_loss[k] = loss;
    }
}

/* Raise the weight where the policy gains less than its shadow. */
static void move_weight(wac_desk *desk)
{
    wac_models *m = &desk->models;
    wac_seat *seat = desk->seat;
    int rows = desk->agent->rows;
    if (!wac_models_read_pairs(desk->agent) || !seat->config.bonus_tuning)
        return;
    for (int i = 0; i < rows; i++)
        m->bonus[i] = m->bonus[rows + i] - m->bonus[i];
    wac_entropy_step(1, rows, m->bonus, desk->share, 0,
                     wac_adam_prepare(seat->model_steps, seat->config.learning_rate), &m->weight);
    seat->bonus_weight = exp(m->weight.log_alpha[0]);
}

void wac_models_study(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    const wac_ops *ops = desk->host->ops;
    wac_models *m = &desk->models;
    wac_seat *seat = desk->seat;
    read_batch(desk);
    if (!m->random.members)
        wac_normalise_rows(&m->outputs, desk->agent->rows, m->target);
    wac_input input = look(desk, team, desk->agent->rows, true);
    find_errors(desk, m->random.members ? m->random_pass.out : m->target);
    ops->backward(team, &m->stack, input, &m->pass, m->dout,
                  &(wac_gradient){.params = m->gradients});
    seat->model_steps++;
    ops->adam(team, &m->stack, m->gradients, m->moments,
              wac_adam_prepare(seat->model_steps, seat->config.model_learning_rate));
    move_weight(desk);
}
