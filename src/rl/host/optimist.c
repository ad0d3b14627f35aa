/* The optimist: how it acts, what it climbs, what it pays. */
#include "rl/host/optimist.h"

#include "rl/host/policies.h"

#include <string.h>
#include <tgmath.h>

/* The weights that are learned beside it. */
enum { OPTIMISM, DIVERGENCE_WEIGHT, WEIGHTS };

void wac_optimist_take(wac_desk *desk, wac_arena *arena)
{
    const wac_agent *agent = desk->agent;
    wac_optimist *own = &desk->optimist;
    wac_shape shape = desk->policies.shape;
    size_t rows = (size_t)agent->rows, o = (size_t)agent->observations, a = (size_t)agent->actions;
    if (!agent->row->optimist)
        return;
    shape.inputs = agent->observations + agent->actions;
    shape.outputs = agent->actions;
    wac_stack_init(&own->stack, arena, shape, 1);
    size_t size = wac_stack_size(&own->stack);
    own->moments = (wac_moments){WAC_TAKE(arena, real, size), WAC_TAKE(arena, real, size)};
    own->gradients = WAC_TAKE(arena, real, size);
    own->weights = (wac_entropy){WAC_TAKE(arena, real, WEIGHTS), WAC_TAKE(arena, real, WEIGHTS),
                                 WAC_TAKE(arena, real, WEIGHTS)};
    wac_pass_init(&own->pass, arena, &own->stack, agent->rows, desk->host->ops);
    own->noise = WAC_TAKE(arena, real, rows * a);
    own->x = WAC_TAKE(arena, real, rows * (o + a));
    own->action = WAC_TAKE(arena, real, rows * a);
    own->dshift = WAC_TAKE(arena, real, rows * a);
    own->divergence = WAC_TAKE(arena, real, rows);
}

/* The head has no bias: it stays at zero. */
static wac_layer head_of(const wac_stack *stack, real *block)
{
    return wac_stack_layer(stack, block, 0, wac_shape_head(&stack->shape));
}

static void clear_bias(const wac_stack *stack, real *block)
{
    wac_layer head = head_of(stack, block);
    memset(head.bias, 0, (size_t)head.outputs * sizeof *head.bias);
}

void wac_optimist_init(wac_desk *desk, wac_rng *rng)
{
    const wac_config *config = &desk->seat->config;
    wac_optimist *own = &desk->optimist;
    if (!desk->agent->row->optimist)
        return;
    size_t size = wac_stack_size(&own->stack) * sizeof(real);
    wac_stack_randomise(&own->stack, 0, config->first_weights, 1e-3, rng);
    clear_bias(&own->stack, own->stack.params);
    memset(own->moments.first, 0, size);
    memset(own->moments.second, 0, size);
    memset(own->weights.first, 0, WEIGHTS * sizeof(real));
    memset(own->weights.second, 0, WEIGHTS * sizeof(real));
    own->weights.log_alpha[OPTIMISM] = wac_weight_unbend(config->optimism);
    own->weights.log_alpha[DIVERGENCE_WEIGHT] = wac_weight_unbend(config->divergence_weight);
}

real wac_weight_bend(real number, real *slope)
{
    const real half = (real)((WAC_WEIGHT_LOG_MAX - WAC_WEIGHT_LOG_MIN) / 2);
    real t = tanh(number), weight = exp((real)WAC_WEIGHT_LOG_MIN + half * (1 + t));
    if (slope)
        *slope = weight * half * (1 - t * t);
    return weight;
}

real wac_weight_unbend(double weight)
{
    const double half = (WAC_WEIGHT_LOG_MAX - WAC_WEIGHT_LOG_MIN) / 2;
    return (real)atanh((log(weight) - WAC_WEIGHT_LOG_MIN) / half - 1);
}

void wac_optimist_settle(wac_desk *desk)
{
    if (!desk->agent->row->optimist)
        return;
    const real *numbers = desk->optimist.weights.log_alpha;
    desk->seat->optimism = wac_weight_bend(numbers[OPTIMISM], NULL);
    desk->seat->divergence_weight = wac_weight_bend(numbers[DIVERGENCE_WEIGHT], NULL);
}

/* --- acting --------------------------------------------------------------------------------- */

void wac_optimist_act(wac_desk *desk, real *heads)
{
    const wac_agent *agent = desk->agent;
    wac_optimist *own = &desk->optimist;
    real log_share = (real)log(desk->seat->config.optimist_std);
    wac_join(1, agent->observations, agent->actions, desk->query, heads, own->x);
    desk->host->ops->infer(NULL, &own->stack, (wac_input){.x = own->x, .rows = 1}, &own->pass);
    for (int j = 0; j < agent->actions; j++) {
        heads[j] += own->pass.out[j];
        heads[agent->actions + j] += log_share;
    }
}

/* --- learning ------------------------------------------------------------------------------- */

void wac_divergence(int rows, int actions, bool bent, const real *heads, const real *shift,
                    const real *weight, real factor, real *divergence, real *dshift)
{
    for (int i = 0; i < rows; i++) {
        const real *log_std = heads + (size_t)(2 * i + 1) * (size_t)actions;
        divergence[i] = 0;
        for (int j = 0; j < actions; j++) {
            size_t at = (size_t)i * (size_t)actions + (size_t)j;
            real pull = shift[at] * exp(-2 * wac_log_std_of(bent, log_std[j], NULL));
            divergence[i] += (real)0.5 * shift[at] * pull;
            dshift[at] += factor * weight[i] * pull;
        }
    }
}

/* The policy's heads, the optimist's shift of them, what that leads to and how it is to change,
 * shared out by rows. */
static void lead_rows(void *work, int first, int rows)
{
    wac_desk *desk = work;
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    wac_optimist *own = &desk->optimist;
    size_t row = (size_t)first, o = (size_t)agent->observations, a = (size_t)agent->actions;
    size_t count = (size_t)rows * a;
    wac_stack policy = wac_stack_slice(&desk->policies, 0, 1);
    wac_pass seen = wac_pass_at(&desk->policy_pass, &policy, 0, first);
    wac_pass pass = wac_pass_at(&own->pass, &own->stack, 0, first);
    const real *observations = desk->batch.observations + row * o;
    const real *share = desk->share + row, *noise = own->noise + row * a;
    real *x = own->x + row * (o + a), *action = own->action + row * a;
    real *dshift = own->dshift + row * a;
    bool bent = desk->sample.bent;
    real std_share = (real)desk->seat->config.optimist_std;

    ops->infer(NULL, &policy, (wac_input){.x = observations, .rows = rows}, &seen);
    for (size_t i = 0; i < (size_t)rows; i++)
        wac_join(1, agent->observations, agent->actions, observations + i * o, seen.out + 2 * i * a,
                 x + i * (o + a));
    ops->forward(NULL, &own->stack, (wac_input){.x = x, .rows = rows}, &pass);
    for (size_t i = 0; i < count; i++) {
        const real *mean = seen.out + 2 * (i / a) * a + i % a;
        real std = std_share * exp(wac_log_std_of(bent, mean[a], NULL));
        action[i] = tanh(*mean + pass.out[i] + std * noise[i]);
    }
    wac_policies_pull(desk, &(wac_pull){.first = first,
                                        .rows = rows,
                                        .at = WAC_AIM_BOUND,
                                        .kappa = desk->seat->optimism,
                                        .action = action,
                                        .share = share,
                                        .daction = dshift});
    for (size_t i = 0; i < count; i++)
        dshift[i] *= 1 - action[i] * action[i];
    wac_divergence(rows, agent->actions, bent, seen.out, pass.out, share,
                   desk->seat->divergence_weight, own->divergence + row, dshift);
}

/* One Adam step of both weights. */
static void adjust(wac_desk *desk)
{
    const wac_config *config = &desk->seat->config;
    wac_entropy *weights = &desk->optimist.weights;
    real away = (real)(desk->seat->divergence / desk->agent->actions - config->divergence_target);
    wac_adam_factors factors = wac_adam_prepare_by(
        wac_row_momentum(desk->agent->row), desk->seat->policy_steps, config->divergence_rate);
    for (int i = 0; i < WEIGHTS; i++) {
        real slope;
        wac_weight_bend(weights->log_alpha[i], &slope);
        wac_adam_move(factors, i == OPTIMISM ? away * slope : -away * slope, &weights->first[i],
                      &weights->second[i], &weights->log_alpha[i]);
    }
    wac_optimist_settle(desk);
}

void wac_optimist_lead(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    wac_optimist *own = &desk->optimist;
    wac_seat *seat = desk->seat;
    wac_policies_share_rows(desk, team, lead_rows);
    ops->backward(team, &own->stack, (wac_input){.x = own->x, .rows = agent->rows}, &own->pass,
                  own->dshift, &(wac_gradient){.params = own->gradients});
    clear_bias(&own->stack, own->gradients);
    ops->adam(
        team, &own->stack, own->gradients, own->moments,
        wac_adam_decay(seat->policy_steps, seat->config.learning_rate, seat->config.weight_decay));
    double bound = 0;
    seat->divergence = 0;
    for (int i = 0; i < agent->rows; i++) {
        seat->divergence += (double)desk->share[i] * (double)own->divergence[i];
        bound += (double)desk->share[i] * (double)desk->bound[i];
    }
    seat->objective[agent->policies] = (double)seat->divergence_weight * seat->divergence - bound;
    adjust(desk);
}
