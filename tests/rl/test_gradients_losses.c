/* The gradients of each whole loss, in double, against finite differences: an update with all rates
 * at zero moves nothing and leaves its gradients to be looked at. */
#include "nn/fill.h"
#include "rl/bonus.h"
#include "rl/host/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { O = 3, A = 2, ROWS = 13, SAMPLES = 24 };

static wac_network network; /* of all agents that are made */
static wac_log_std log_std;

static wac_config make_config(wac_algorithm algorithm)
{
    return (wac_config){
        .algorithm = (int)algorithm,
        .seed = 3,
        .replay_capacity = 1,
        .width = 16,
        .network = (int)network,
        .blocks = 2,
        .policy_width = 12,
        .policy_blocks = 1,
        .batch_size = ROWS,
        .discount = 0.9,
        .entropy_weight = 0.3,
        .entropy_tuning = true,
        .entropy_target = -1,
        .reward_min = -0.5,
        .reward_max = 0.5,
        .quantile = 0.95,
        .lambda = 0.6,
        .rho = 0.6,
        .oac_delta = 2,
        .oac_beta = 4,
        .members = 4,
        .backup_temperature = 2,
        .optimism = 3,
        .models = 4,
        .bonus_weight = 0.4,
        .bonus_tuning = true,
        .policy_delay = 1,
        .quantiles = 9,
        .optimism_low = -0.8,
        .optimism_high = -0.8,
        .target_noise = 0.2,
        .target_noise_clip = 0.5,
        .pessimism = 0.4,
        .divergence_weight = 0.6,
        .divergence_target = 0.05,
        .optimist_std = 0.7,
        .log_std = (int)log_std,
        .backend = WAC_BACKEND_REFERENCE,
    };
}

/* Rows beyond those of the product: any number of critics, and a choice among some of them. */
static const wac_algorithm_row many_rows[] = {
    {.policies = 1, .means = 5, .critics = "q", .learn = wac_sac_learn},
    {.policies = 1, .means = 10, .subset = 2, .critics = "q", .learn = wac_sac_learn},
    {.policies = 1, .means = 4, .subset = 2, .delay = 1, .critics = "q", .learn = wac_redq_learn},
    {.policies = 1, .means = 7, .subset = 1, .delay = 1, .critics = "q", .learn = wac_redq_learn},
    {.policies = 2, .means = 3, .stds = 3, .critics = "mean", .learn = wac_oe_wac_learn},
    {.policies = 2, .means = 4, .stds = 2, .critics = "mean", .learn = wac_me_wac_learn},
    {.policies = 2,
     .means = 3,
     .stds = 1,
     .subset = 2,
     .critics = "mean",
     .learn = wac_oe_wac_learn},
    {.policies = 1, .members = 3, .means = 6, .critics = "q", .learn = wac_sunrise_learn},
    {.policies = 1, .members = 2, .means = 6, .critics = "q", .learn = wac_sunrise_learn},
    {.policies = 1, .members = 1, .means = 1, .critics = "q", .learn = wac_sunrise_learn},
    /* whole posteriors: Gaussians, and particles */
    {.policies = 2, .means = 2, .stds = 2, .shared = true, .learn = wac_oe_wac_learn},
    {.policies = 2, .means = 3, .stds = 3, .shared = true, .learn = wac_me_wac_learn},
    {.policies = 2,
     .means = 2,
     .stds = 2,
     .shared = true,
     .particles = 7,
     .learn = wac_oe_wac_learn},
    {.policies = 2,
     .means = 3,
     .stds = 3,
     .shared = true,
     .particles = 40,
     .learn = wac_me_wac_learn},
    {.policies = 2,
     .means = 2,
     .stds = 2,
     .shared = true,
     .particles = 2,
     .learn = wac_oe_wac_learn},
};
enum { MANY_ROWS = sizeof many_rows / sizeof *many_rows };

/* Weights that give every part of a loss some weight, the clamps included or left alone. */
static void randomise(const wac_stack *stack, uint64_t seed, real output)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    for (int m = 0; m < stack->members; m++) {
        /* what is normalised is larger, and actions must not come too near to 1 */
        wac_stack_randomise(stack, m, false, stack->shape.blocks ? output / 4 : output, &rng);
        for (int i = 0; i < wac_shape_head(&stack->shape); i++) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            wac_fill_uniform(&rng, (size_t)layer.outputs, -0.3, 0.3, layer.bias);
            for (int k = 0; k < layer.inputs * layer.outputs && !stack->shape.blocks; k++)
                layer.weight[k] *= 2;
            if (wac_shape_is_norm(&stack->shape, i))
                wac_fill_uniform(&rng, (size_t)layer.outputs, 0.5, 1.5, layer.weight);
        }
    }
}

static real *output_bias(const wac_stack *stack, int member)
{
    int head = wac_shape_head(&stack->shape);
    return wac_stack_layer(stack, stack->params, member, head).bias;
}

static wac_desk *desk_of(const wac_agent *agent)
{
    return wac_host_desk(agent, 0);
}

/* the policies' entropy weights differ */
static double alpha_of(int policy)
{
    return policy ? 0.07 * policy : 0.3;
}

/* What the world said, before a bonus was added to it. */
static real rewards[ROWS];

static void learn(wac_agent *agent)
{
    memcpy(desk_of(agent)->batch.rewards, rewards, sizeof rewards);
    agent->row->learn(agent);
}

/* As if so many rows had been counted that those of an update change nothing. */
static void hold(wac_normaliser *sums)
{
    sums->count[0] *= 1e13;
    for (int i = 0; i < sums->size; i++)
        sums->squares[i] *= 1e13;
}

/* Models that have seen much, and disagree. */
static void make_models(wac_agent *agent)
{
    wac_models *models = &desk_of(agent)->models;
    randomise(&models->stack, 6, 0.5);
    randomise(&models->random, 7, 0.5);
    randomise(&desk_of(agent)->shadow, 8, 0.5);
    learn(agent);
    hold(&models->inputs);
    hold(&models->outputs);
    hold(&models->bonuses);
}

/* An agent with something drawn; row null: the algorithm's own; `clamped`: with every clamp at
 * work.
 */
static wac_agent *make_agent(wac_algorithm algorithm, const wac_algorithm_row *row, bool clamped)
{
    wac_config config = make_config(algorithm);
    wac_error error = {0};
    wac_agent *agent;
    wac_agent_plan plan = {.row = row,
                           .configs = &config,
                           .seats = 1,
                           .observations = O,
                           .actions = A,
                           .threads = 1,
                           .first_cpu = -1};
    assert_int_equal(wac_agent_create_seats(&agent, &plan, &error), WAC_STATUS_OK);
    wac_desk *desk = desk_of(agent);
    int means = agent->row->means, policies = agent->policies, members = agent->row->members;
    randomise(&desk->policies, 1, 0.5);
    randomise(&desk->critics, 2, 0.5);
    randomise(&desk->targets, 3, 0.5);
    randomise(&desk->anchors, 4, 0.5);
    if (agent->row->optimist) {
        randomise(&desk->optimist.stack, 9, 0.5);
        memset(output_bias(&desk->optimist.stack, 0), 0, A * sizeof(real));
    }
    for (int k = 0; k < agent->row->stds; k++) {
        real top = wac_seat_first_log(agent, desk->seat);
        int m = agent->row->shared ? k : means + k;
        for (int i = agent->row->shared; i < desk->critics.shape.outputs; i++) {
            output_bias(&desk->critics, m)[i] = top - 0.4 + 0.1 * sin(i);
            output_bias(&desk->targets, m)[i] = clamped ? top + 3 : top - 1;
            output_bias(&desk->anchors, k)[i] = clamped ? top + 3 : top - 1;
        }
    }
    for (int m = 1; m < policies; m++)
        desk->entropy.log_alpha[m] = log(alpha_of(m));
    wac_desk_settle(desk);
    for (int m = 0; clamped && m < policies; m++) {
        real *log_std = output_bias(&desk->policies, m) + A;
        log_std[m % A] = 5;         /* above the upper end */
        log_std[(m + 1) % A] = -25; /* below the lower */
    }

    wac_rng rng = wac_rng_make(5, WAC_STREAM_BATCH);
    wac_fill_uniform(&rng, ROWS * O, -1, 1, desk->batch.observations);
    wac_fill_uniform(&rng, ROWS * A, -1, 1, desk->batch.actions);
    wac_fill_uniform(&rng, ROWS, -1, 1, rewards);
    wac_fill_uniform(&rng, ROWS * O, -1, 1, desk->batch.next_observations);
    for (int i = 0; i < ROWS; i++)
        desk->batch.terminals[i] = i % 4 == 1;
    wac_fill_normal(&rng, (size_t)policies * ROWS * A, desk->noise);
    wac_fill_normal(&rng, (size_t)agent->members * ROWS * A, desk->next_noise);
    wac_fill_normal(&rng, (size_t)members * ROWS * A, desk->weight_noise);
    for (int i = 0; i < members * ROWS; i++)
        desk->masks[i] = i % 3 != 1;
    /* a std at its upper end would push actions so near to 1 that 1 - a * a has no digits left */
    for (int i = 0; clamped && i < policies * ROWS * A; i++)
        desk->noise[i] *= 0.2;
    wac_fill_uniform(&rng, (size_t)desk->seat->synthetic * (O + A), -1, 1,
                     desk->pairs + ROWS * (O + A));
    for (int i = 0; i < agent->row->subset; i++)
        desk->subset[i] = means - 1 - 2 * i;
    memcpy(desk->batch.rewards, rewards, sizeof rewards);
    if (agent->row->bonus && desk->shadow.members)
        wac_fill_normal(&rng, ROWS * A, desk->models.shadow_noise);
    if (agent->row->optimist)
        wac_fill_normal(&rng, ROWS * A, desk->optimist.noise);
    if (agent->row->bonus)
        make_models(agent);
    return agent;
}

/* The gradients that Adam was given, laid out like all parameters. */
static struct {
    const wac_desk *desk;
    real *policies, *critics, *models, *optimist;
} gradients;

static void keep_gradient(wac_team *team, const wac_stack *stack, const real *gradient,
                          wac_moments moments, wac_adam_factors factors)
{
    const wac_stack *stacks[] = {&gradients.desk->policies, &gradients.desk->critics,
                                 &gradients.desk->models.stack, &gradients.desk->optimist.stack};
    real *all[] = {gradients.policies, gradients.critics, gradients.models, gradients.optimist};
    for (int i = 0; i < 4; i++)
        if (stack->params >= stacks[i]->params &&
            stack->params < stacks[i]->params + wac_stack_size(stacks[i]))
            memcpy(all[i] + (stack->params - stacks[i]->params), gradient,
                   wac_stack_size(stack) * sizeof *gradient);
    wac_ops_reference.adam(team, stack, gradient, moments, factors);
}

static void learn_keeping_gradients(wac_agent *agent)
{
    wac_host *host = agent->device;
    gradients.desk = desk_of(agent);
    gradients.policies = calloc(wac_stack_size(&gradients.desk->policies), sizeof(real));
    gradients.critics = calloc(wac_stack_size(&gradients.desk->critics), sizeof(real));
    gradients.models = calloc(wac_stack_size(&gradients.desk->models.stack) + 1, sizeof(real));
    gradients.optimist = calloc(wac_stack_size(&gradients.desk->optimist.stack) + 1, sizeof(real));
    wac_ops ops = wac_ops_reference;
    ops.adam = keep_gradient;
    host->ops = &ops;
    learn(agent);
    host->ops = &wac_ops_reference;
}

static void forget_gradients(void)
{
    free(gradients.policies);
    free(gradients.critics);
    free(gradients.models);
    free(gradients.optimist);
}

/* Which loss a network descends. */
typedef struct learner {
    wac_agent *agent;
    enum { POLICY, CRITIC, MODEL, OPTIMIST } kind;
    int member;
} learner;

static const char *const kinds[] = {"policy", "critic", "model", "optimist"};

static double loss_of(const learner *l)
{
    const wac_seat *seat = l->agent->seat;
    int m = l->member;
    learn(l->agent);
    if (l->kind == OPTIMIST)
        return seat->objective[l->agent->policies];
    if (l->kind != CRITIC)
        return l->kind == POLICY ? seat->objective[m] : seat->model_loss[m];
    int means = l->agent->row->means;
    if (l->agent->row->shared) /* of mean and spread together */
        return seat->loss[m] + seat->loss[means + m] +
               seat->config.lambda * seat->regularisation[means + m];
    bool std = m >= means;
    return seat->loss[m] + (std ? seat->config.lambda * seat->regularisation[m] : 0);
}

static void assert_slope(double analytic, double measured, double scale, const char *what,
                         const learner *l)
{
    if (!(fabs(analytic - measured) <= 1e-6 * fmax(fabs(analytic), fabs(measured)) + 1e-8 * scale))
        fail_msg("%s of %s %d: gradient %.12g, difference %.12g", what, kinds[l->kind], l->member,
                 analytic, measured);
}

static double slope_along(const learner *l, real *at, const real *direction, size_t count,
                          double step)
{
    double sides[2];
    real *before = malloc(count * sizeof *before);
    memcpy(before, at, count * sizeof *before);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            at[i] = before[i] + (side ? step : -step) * direction[i];
        sides[side] = loss_of(l);
    }
    memcpy(at, before, count * sizeof *before);
    free(before);
    return (sides[1] - sides[0]) / (2 * step);
}

/* A few numbers of every weight and bias, then all of the network at once. */
static void check_network(const learner *l, const wac_stack *stack, const real *gradients)
{
    size_t stride = stack->stride;
    real *gradient = malloc(stride * sizeof *gradient), *all = calloc(stride, sizeof *all);
    memcpy(gradient, gradients + (size_t)l->member * stride, stride * sizeof *gradient);
    wac_rng rng = wac_rng_make(99, WAC_STREAM_NOISE);
    const wac_stack own = wac_stack_slice(stack, l->member, 1);
    double largest = 0;
    for (size_t i = 0; i < stride; i++)
        largest = fmax(largest, fabs(gradient[i]));
    assert_true(largest > 1e-4);

    int moving = 0;
    for (int i = 0; i <= wac_shape_head(&stack->shape); i++) {
        wac_layer layer = wac_stack_layer(&own, own.params, 0, i);
        bool unbiased = l->kind == OPTIMIST && i == wac_shape_head(&stack->shape);
        for (int bias = 0; bias < 2 - unbiased; bias++) {
            real *values = bias ? layer.bias : layer.weight;
            int64_t count = bias ? layer.outputs : layer.outputs * layer.inputs;
            int64_t index[SAMPLES], samples = stack->shape.blocks ? SAMPLES / 4 : SAMPLES;
            wac_fill_index(&rng, (size_t)samples, count, index);
            for (int s = 0; s < samples; s++) {
                int64_t n = count <= samples ? s : index[s]; /* all of the small ones */
                if (n >= count)
                    break;
                char what[64];
                snprintf(what, sizeof what, "layer %d %s %lld", i, bias ? "bias" : "weight",
                         (long long)n);
                double analytic = gradient[&values[n] - own.params];
                double measured = slope_along(l, &values[n], &(real){1}, 1, 1e-5);
                assert_slope(analytic, measured, 1, what, l);
                moving += analytic != 0;
            }
            wac_fill_normal(&rng, (size_t)count, &all[values - own.params]);
        }
    }
    assert_true(moving > SAMPLES);

    for (int turn = 0; turn < 3; turn++) {
        double analytic = 0;
        for (size_t i = 0; i < stride; i++)
            analytic += gradient[i] * all[i];
        assert_slope(analytic, slope_along(l, own.params, all, stride, 1e-6), 10, "all", l);
        for (size_t i = 0; i < stride; i++) /* another direction, padding still at rest */
            all[i] = all[i] == 0 ? 0 : sin(1e4 * all[i] + turn);
    }
    free(all);
    free(gradient);
}

static void check_agent(wac_algorithm algorithm, const wac_algorithm_row *row, bool clamped)
{
    wac_agent *agent = make_agent(algorithm, row, clamped);
    const wac_desk *desk = desk_of(agent);
    size_t policies = wac_stack_size(&desk->policies), critics = wac_stack_size(&desk->critics);
    real *before = malloc((policies + 2 * critics) * sizeof *before);
    memcpy(before, desk->policies.params, policies * sizeof *before);
    memcpy(before + policies, desk->critics.params, critics * sizeof *before);
    memcpy(before + policies + critics, desk->targets.params, critics * sizeof *before);
    learn_keeping_gradients(agent);
    /* with all rates at zero nothing has moved */
    assert_memory_equal(before, desk->policies.params, policies * sizeof *before);
    assert_memory_equal(before + policies, desk->critics.params, critics * sizeof *before);
    assert_memory_equal(before + policies + critics, desk->targets.params,
                        critics * sizeof *before);
    for (int m = 0; m < desk->policies.members; m++)
        assert_true(fabs(desk->seat->alpha[m] - (agent->row->deterministic ? 0 : alpha_of(m))) <
                    1e-12);

    for (int m = 0; m < desk->policies.members; m++)
        check_network(&(learner){agent, POLICY, m}, &desk->policies, gradients.policies);
    for (int m = 0; m < desk->critics.members; m++)
        check_network(&(learner){agent, CRITIC, m}, &desk->critics, gradients.critics);
    for (int m = 0; m < desk->models.stack.members; m++)
        check_network(&(learner){agent, MODEL, m}, &desk->models.stack, gradients.models);
    for (int m = 0; m < desk->optimist.stack.members; m++)
        check_network(&(learner){agent, OPTIMIST, m}, &desk->optimist.stack, gradients.optimist);
    forget_gradients();
    free(before);
    wac_agent_destroy(agent);
}

static void sac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_SAC, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, true);
}

static void sunrise_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_SUNRISE, NULL, false);
    check_agent(WAC_ALGORITHM_SUNRISE, NULL, true);
}

static void oe_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_OE_WAC, NULL, false);
    check_agent(WAC_ALGORITHM_OE_WAC, NULL, true);
}

static void me_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_ME_WAC, NULL, false);
    check_agent(WAC_ALGORITHM_ME_WAC, NULL, true);
}

static void losses_with_models(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        check_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, clamped);
        check_agent(WAC_ALGORITHM_SAC_RND, NULL, clamped);
    }
}

static void top_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_TOP, NULL, false);
}

/* A log-std that is bent has a slope everywhere, at either end, too. */
static void bro_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_BRO, NULL, false);
    log_std = WAC_LOG_STD_BENT;
    check_agent(WAC_ALGORITHM_BRO, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, true);
    log_std = WAC_LOG_STD_CLAMPED;
}

static wac_algorithm kin(const wac_algorithm_row *row)
{
    return row->stds ? WAC_ALGORITHM_OE_WAC : WAC_ALGORITHM_SAC;
}

static void losses_of_residual_networks(void **state)
{
    (void)state;
    static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC, WAC_ALGORITHM_OE_WAC,
                                               WAC_ALGORITHM_SUNRISE, WAC_ALGORITHM_MAXINFOSAC,
                                               WAC_ALGORITHM_BRO};
    for (int i = 0; i < 5; i++)
        check_agent(algorithms[i], NULL, i % 2);
    check_agent(WAC_ALGORITHM_OE_WAC, &many_rows[MANY_ROWS - 1], false); /* particles */
}

static int make_simba(void **state)
{
    (void)state;
    network = WAC_NETWORK_SIMBA;
    return 0;
}

static int make_bronet(void **state)
{
    (void)state;
    network = WAC_NETWORK_BRONET;
    return 0;
}

static int make_plain(void **state)
{
    (void)state;
    network = WAC_NETWORK_PLAIN;
    return 0;
}

static void losses_of_many_critics(void **state)
{
    (void)state;
    for (int i = 0; i < MANY_ROWS; i++)
        check_agent(kin(&many_rows[i]), &many_rows[i], i % 2);
}

/* --- the losses themselves, once more in plain numbers ------------------------------------------
 */

/* outputs of a network for one input */
static void evaluate(const wac_stack *stack, int member, const double *x, double *out)
{
    double values[64], next[64];
    memcpy(values, x, (size_t)stack->shape.inputs * sizeof *values);
    for (int l = 0; l <= stack->shape.hidden; l++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, l);
        for (int o = 0; o < layer.outputs; o++) {
            next[o] = layer.bias[o];
            for (int k = 0; k < layer.inputs; k++)
                next[o] += layer.weight[o * layer.inputs + k] * values[k];
            if (l < stack->shape.hidden)
                next[o] = fmax(next[o], 0);
        }
        memcpy(values, next, sizeof values);
    }
    memcpy(out, values, (size_t)stack->shape.outputs * sizeof *out);
}

static double value(const wac_stack *stack, int member, const double *pair)
{
    double out;
    evaluate(stack, member, pair, &out);
    return out;
}

/* the pair of an observation and a policy's action there; returns the log-probability */
static double act(const wac_agent *agent, int policy, const real *observation, const real *noise,
                  double *pair)
{
    double heads[2 * A], log_prob = 0;
    memcpy(pair, observation, O * sizeof *pair);
    evaluate(&desk_of(agent)->policies, policy, pair, heads);
    for (int j = 0; j < A; j++) {
        double std = exp(fmin(fmax(heads[A + j], -20), 2)), z = noise[j];
        double a = pair[O + j] = tanh(heads[j] + std * z);
        log_prob += -z * z / 2 - log(std) - log(2 * acos(-1.0)) / 2 - log(1 - a * a + 1e-6);
    }
    return log_prob;
}

/* A posterior in plain numbers: a Gaussian has its std, of particles all are listed. */
typedef struct plain {
    double mean, std, upper;
    int count;
    double particles[64];
} plain;

static plain believe(const wac_agent *agent, const wac_stack *stack, int member, const double *pair)
{
    double out[64], kappa = 1.6448536269514722, sum = 0;
    int count = agent->row->particles;
    evaluate(stack, member, pair, out);
    plain p = {.mean = out[0], .std = exp(out[1]), .count = count};
    p.upper = p.mean + kappa * p.std;
    if (count == 0)
        return p;
    for (int i = 1; i < count; i++)
        p.particles[i] = p.particles[i - 1] + exp(out[i]);
    for (int i = 0; i < count; i++)
        sum += p.particles[i];
    p.std = 0;
    for (int i = 0; i < count; i++) {
        p.particles[i] += p.mean - sum / count;
        p.std += pow(p.particles[i] - p.mean, 2) / count;
    }
    p.std = sqrt(p.std);
    /* each stands for the middle of its share: (i + 1/2) / count */
    p.upper = p.particles[count - 1];
    for (int i = count - 2; i >= 0; i--)
        if (0.95 < (i + 1.5) / count)
            p.upper =
                p.particles[i] + (0.95 * count - i - 0.5) * (p.particles[i + 1] - p.particles[i]);
    return p;
}

/* Move it and shrink it about its mean, at least so much that its std is not above `top`. */
static void change(plain *p, double factor, double mean, double top)
{
    double shrink = p->std * factor > top ? top / p->std : factor;
    for (int i = 0; i < p->count; i++)
        p->particles[i] = mean + shrink * (p->particles[i] - p->mean);
    p->std *= shrink;
    p->mean = mean;
}

/* The square of the Wasserstein distance. */
static double distance(const plain *a, const plain *b)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += pow(a->particles[i] - b->particles[i], 2) / a->count;
    return a->count ? sum : pow(a->mean - b->mean, 2) + pow(a->std - b->std, 2);
}

/* the critic with the smallest bound, mean + kappa std or Q, of some, or of those from `first` on;
 * kappa 0 leaves the std out */
static int trusted(const wac_agent *agent, const wac_stack *critics, const int64_t *subset,
                   int first, int count, const double *pair, double kappa, double *bound)
{
    int best = 0, means = agent->row->means;
    double out[64];
    *bound = INFINITY;
    for (int i = 0; i < count; i++) {
        int k = subset ? (int)subset[i] : first + i;
        double own;
        evaluate(critics, k, pair, out);
        own = *out;
        if (agent->row->shared && kappa > 0)
            own = believe(agent, critics, k, pair).upper;
        else if (agent->row->stds && !agent->row->shared)
            own += kappa * exp(value(critics, means + k % agent->row->stds, pair));
        if (own < *bound) {
            *bound = own;
            best = k;
        }
    }
    return best;
}

/* by how many deviations an input is off its mean */
static void scale_inputs(const wac_normaliser *sums, const double *x, double limit, double *out)
{
    for (int i = 0; i < sums->size; i++) {
        double deviation = sqrt(sums->squares[i] / sums->count[0]);
        out[i] = fmin(fmax((x[i] - sums->mean[i]) / deviation, -limit), limit);
    }
}

/* the weighted bonus of a pair: half of the changes' information, half of the reward's */
static double information(const wac_agent *agent, const double *pair)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_normaliser *sums = &models->bonuses;
    double x[O + A], out[16][O + 1], gain = 0;
    int count = models->stack.members;
    if (!desk_of(agent)->shadow.members)
        return 0;
    scale_inputs(&models->inputs, pair, INFINITY, x);
    for (int m = 0; m < count; m++)
        evaluate(&models->stack, m, x, out[m]);
    for (int j = 0; j <= O; j++) {
        double mean = 0, variance = 0;
        for (int m = 0; m < count; m++)
            mean += out[m][j] / count;
        for (int m = 0; m < count; m++)
            variance += pow(out[m][j] - mean, 2) / (count - 1);
        gain += (log(1e-6 + variance) - log(1e-6)) / (j < O ? 2 * O : 2);
    }
    return 0.4 * (gain - sums->mean[0]) / sqrt(sums->squares[0] / sums->count[0]);
}

/* the bonus of a transition, weighted and in deviations: the squared error at where it led */
static double novelty(const wac_agent *agent, int row, double *error)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_normaliser *sums = &models->bonuses;
    double x[O], out[64], random[64];
    *error = 0;
    if (!models->random.members)
        return 0;
    scale_inputs(&models->inputs, &desk_of(agent)->batch.next_observations[row * O], 5, x);
    evaluate(&models->stack, 0, x, out);
    evaluate(&models->random, 0, x, random);
    int features = models->stack.shape.outputs;
    for (int j = 0; j < features; j++)
        *error += pow(out[j] - random[j], 2) / features;
    return 0.4 * *error / sqrt(sums->squares[0] / sums->count[0]);
}

/* what a model should have seen in a row: how wrong it was */
static double model_error(const wac_agent *agent, int model, int row)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_batch *batch = &desk_of(agent)->batch;
    double pair[O + A], x[O + A], seen[O + 1], wanted[O + 1], out[64], error = 0;
    if (models->random.members) {
        novelty(agent, row, &error);
        return error;
    }
    for (int j = 0; j < O; j++) {
        pair[j] = batch->observations[row * O + j];
        seen[j] = batch->next_observations[row * O + j] - pair[j];
    }
    memcpy(pair + O, &batch->actions[row * A], A * sizeof *pair);
    seen[O] = rewards[row];
    scale_inputs(&models->inputs, pair, INFINITY, x);
    scale_inputs(&models->outputs, seen, INFINITY, wanted);
    evaluate(&models->stack, model, x, out);
    for (int j = 0; j <= O; j++)
        error += pow(out[j] - wanted[j], 2) / (j < O ? 2 * O : 2);
    return error;
}

/* what a seat should have seen */
typedef struct sights {
    double objective[WAC_POLICIES_MOST], model_loss[16];
    double loss[16], regularisation[16], average[16], average_synthetic[16];
} sights;

/* how much a row counts for a member's policy, and by what that is multiplied for its critics */
static double share_of(const wac_agent *agent, int member, int row, double *factor)
{
    const wac_desk *desk = desk_of(agent);
    double learning = 1, values[16], mean = 0, variance = 0;
    int own = agent->row->means / agent->members;
    *factor = 1;
    if (!agent->row->members)
        return 1.0 / ROWS;
    for (int i = 0; i < ROWS; i++)
        learning += desk->masks[member * ROWS + i];
    for (int k = 0; k < agent->row->means; k++) {
        double pair[O + A];
        act(agent, k / own, &desk->batch.next_observations[row * O],
            &desk->weight_noise[(k / own * ROWS + row) * A], pair);
        mean += (values[k] = value(&desk->targets, k, pair)) / agent->row->means;
    }
    for (int k = 0; k < agent->row->means; k++)
        variance += pow(values[k] - mean, 2) / agent->row->means;
    *factor = 0.5 + 1 / (1 + exp(2 * sqrt(variance)));
    return desk->masks[member * ROWS + row] / learning;
}

/* ALGORITHMS: steps 1 to 8 of an update that moves nothing */
static sights plain_losses(const wac_agent *agent, bool optimistic)
{
    sights seen = {0};
    const wac_desk *desk = desk_of(agent);
    const wac_batch *batch = &desk->batch;
    int means = agent->row->means, stds = agent->row->stds, subset = agent->row->subset;
    int target_policy = agent->row->policies - 1, next_policy = optimistic ? 0 : target_policy;
    int synthetic = desk->seat->synthetic, own = means / agent->members;
    bool shared = agent->row->shared;
    double top = desk->seat->sigma_max, kappa = 1.6448536269514722, bound, factor;
    for (int n = 0; n < agent->members * ROWS; n++) {
        int i = n % ROWS, member = n / ROWS, first = member * own;
        int policy = member * agent->row->policies; /* its first */
        double pair[O + A], error, share = share_of(agent, member, i, &factor);
        for (int m = 0; m < agent->row->models; m++)
            seen.model_loss[m] += model_error(agent, m, i) / ROWS;
        double log_prob = act(agent, policy + next_policy, &batch->next_observations[i * O],
                              &desk->next_noise[n * A], pair);
        int k = trusted(agent, &desk->targets, subset ? desk->subset : NULL, first,
                        subset ? subset : own, pair, kappa, &bound);
        double on = batch->terminals[i] == 1 ? 0 : 0.9;
        double out[64], alpha = alpha_of(policy + target_policy);
        evaluate(&desk->targets, k, pair, out);
        double mean_target = rewards[i] + novelty(agent, i, &error) +
                             on * (*out + information(agent, pair) - alpha * log_prob);
        double std_target = stds && !shared
                                ? fmin(on * exp(value(&desk->targets, means + k % stds, pair)), top)
                                : 0;
        plain target = {0};
        if (shared) {
            target = believe(agent, &desk->targets, k, pair);
            change(&target, on, mean_target, top);
        }
        memcpy(pair, &batch->observations[i * O], O * sizeof *pair);
        memcpy(pair + O, &batch->actions[i * A], A * sizeof *pair);
        for (k = 0; shared && k < means; k++) {
            plain whole = believe(agent, &desk->critics, k, pair);
            double of_means = pow(whole.mean - mean_target, 2);
            seen.loss[k] += of_means / ROWS;
            seen.loss[means + k] += (distance(&whole, &target) - of_means) / ROWS;
            seen.average[k] += whole.mean / ROWS;
            seen.average[means + k] += whole.std / ROWS;
        }
        for (k = first; !shared && k < first + own + stds; k++) {
            double said = value(&desk->critics, k, pair), std = exp(said);
            seen.loss[k] +=
                share * factor * pow(k < means ? said - mean_target : std - std_target, 2);
            seen.average[k] += (k < means ? said : std) / ROWS;
        }
        for (int m = 0; m <= target_policy; m++) {
            log_prob = act(agent, policy + m, &batch->observations[i * O],
                           &desk->noise[((policy + m) * ROWS + i) * A], pair);
            trusted(agent, &desk->critics, NULL, first, own, pair, m == target_policy ? 0 : kappa,
                    &bound);
            if (agent->row->learn == wac_redq_learn) {
                bound = 0;
                for (k = 0; k < means; k++)
                    bound += value(&desk->critics, k, pair) / means;
            }
            bound += information(agent, pair);
            seen.objective[policy + m] += share * (alpha_of(policy + m) * log_prob - bound);
        }
    }
    for (int i = 0; i < synthetic; i++)
        for (int k = 0; k < stds; k++) {
            const real *pair = desk->pairs + (ROWS + i) * (O + A);
            if (shared) {
                plain own = believe(agent, &desk->critics, k, pair);
                plain held = believe(agent, &desk->anchors, k, pair);
                change(&held, 1, own.mean, top); /* only the spread is held */
                seen.regularisation[means + k] += distance(&own, &held) / synthetic;
                seen.average_synthetic[means + k] += own.std / synthetic;
                continue;
            }
            double std = exp(value(&desk->critics, means + k, pair));
            double old = fmin(exp(value(&desk->anchors, k, pair)), top);
            seen.regularisation[means + k] += pow(std - old, 2) / synthetic;
            seen.average_synthetic[means + k] += std / synthetic;
        }
    return seen;
}

static void assert_same(double value, double expected, const char *what)
{
    if (!(fabs(value - expected) <= 1e-11 * (1 + fabs(expected))))
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

static void check_losses(wac_algorithm algorithm, const wac_algorithm_row *row, bool clamped)
{
    wac_agent *agent = make_agent(algorithm, row, clamped);
    const wac_seat *seat = agent->seat;
    learn(agent);
    sights expected = plain_losses(agent, agent->row->learn == wac_oe_wac_learn);
    int sights = agent->row->means + agent->row->stds;
    for (int k = 0; k < sights; k++) {
        assert_same(seat->loss[k], expected.loss[k], "critic loss");
        assert_same(seat->average[k], expected.average[k], "average");
        assert_same(seat->regularisation[k], expected.regularisation[k], "regularisation");
        assert_same(seat->average_synthetic[k], expected.average_synthetic[k], "synthetic average");
    }
    for (int m = 0; m < agent->policies; m++)
        assert_same(seat->objective[m], expected.objective[m], "objective");
    for (int m = 0; m < agent->row->models; m++)
        assert_same(seat->model_loss[m], expected.model_loss[m], "model loss");

    /* families: the mean over their members */
    wac_losses losses;
    wac_seat_losses(agent, 0, &losses);
    double mean = 0, std = 0;
    for (int k = 0; k < sights; k++)
        *(k < agent->row->means ? &mean : &std) += expected.loss[k];
    assert_same(losses.mean, mean / agent->row->means, "mean critics' loss");
    if (agent->row->stds)
        assert_same(losses.std, std / agent->row->stds, "std critics' loss");
    else
        assert_true(isnan(losses.std) && isnan(losses.sigma_visited));
    for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
        int policy = wac_agent_policy(agent, (wac_policy_role)role);
        double objective = 0, alpha = 0;
        for (int m = 0; m < agent->members; m++) {
            objective += expected.objective[m * agent->row->policies + policy] / agent->members;
            alpha += alpha_of(m * agent->row->policies + policy) / agent->members;
        }
        assert_same(losses.policy[role], objective, "policy");
        assert_same(losses.alpha[role], alpha, "entropy weight");
    }
    wac_agent_destroy(agent);
}

static void losses_are_as_defined(void **state)
{
    (void)state;
    static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC,        WAC_ALGORITHM_OE_WAC,
                                               WAC_ALGORITHM_ME_WAC,     WAC_ALGORITHM_SUNRISE,
                                               WAC_ALGORITHM_MAXINFOSAC, WAC_ALGORITHM_SAC_RND};
    for (int clamped = 0; clamped < 2; clamped++) {
        for (int a = 0; a < 6; a++)
            check_losses(algorithms[a], NULL, clamped);
        for (int i = 0; i < MANY_ROWS; i++)
            check_losses(kin(&many_rows[i]), &many_rows[i], clamped);
    }
}

/* The clamped agents above do meet every clamp, and their losses are what the clamps make them. */
static void clamps_are_at_work(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OE_WAC, NULL, true);
    wac_desk *desk = desk_of(agent);
    const wac_seat *seat = agent->seat;
    int means = agent->row->means, stds = agent->row->stds, synthetic = seat->synthetic;
    learn_keeping_gradients(agent);
    real top = seat->sigma_max;
    for (int i = 0; i < ROWS; i++)
        assert_true(desk->std_target[i] == (desk->batch.terminals[i] == 1 ? 0 : top));
    for (int k = 0; k < stds; k++)
        for (int i = 0; i < synthetic; i++)
            assert_true(desk->anchor_pass.out[k * synthetic + i] > log(top));

    wac_stack std_critics = wac_stack_slice(&desk->critics, means, stds);
    wac_input all = {.x = desk->pairs, .rows = ROWS + synthetic};
    desk->host->ops->forward(NULL, &std_critics, all, &desk->critic_pass);
    for (int k = 0; k < stds; k++) {
        double seen = 0, unseen = 0;
        const real *out = desk->critic_pass.out + k * (ROWS + synthetic);
        for (int i = 0; i < ROWS; i++)
            seen += pow(exp(out[i]) - desk->std_target[i], 2) / ROWS;
        for (int i = 0; i < synthetic; i++)
            unseen += pow(exp(out[ROWS + i]) - top, 2) / synthetic;
        assert_true(fabs(seat->loss[means + k] - seen) < 1e-10);
        assert_true(fabs(seat->regularisation[means + k] - unseen) < 1e-10);
    }

    /* beyond the clamp of the log-std no gradient at all: not of its weights, not of its bias */
    for (int m = 0; m < 2; m++) {
        wac_layer head = wac_stack_layer(&desk->policies, gradients.policies, m, 2);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < A; j++) {
                real log_std = desk->policy_pass.out[(m * ROWS + i) * 2 * A + A + j];
                assert_true(j == m % A ? log_std > 2 : log_std < -20);
            }
        for (int j = 0; j < A; j++) {
            assert_true(head.bias[j] != 0 && head.bias[A + j] == 0);
            for (int k = 0; k < head.inputs; k++)
                assert_true(head.weight[(A + j) * head.inputs + k] == 0);
        }
    }
    forget_gradients();
    wac_agent_destroy(agent);
}

/* The slope of the information in the action, which the policy climbs. */
static void information_slopes(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, false);
    const wac_desk *desk = desk_of(agent);
    const wac_models *models = &desk->models;
    agent->steps->sample(agent);
    agent->steps->appraise(agent);
    for (int i = 0; i < ROWS; i++) {
        double pair[O + A], slope, sides[2];
        memcpy(pair, &desk->batch.observations[i * O], O * sizeof *pair);
        memcpy(pair + O, &desk->sample.action[i * A], A * sizeof *pair);
        assert_same(0.4 * models->bonus[i], information(agent, pair), "information");
        for (int j = 0; j < A; j++) {
            double at = pair[O + j];
            for (int side = 0; side < 2; side++) {
                pair[O + j] = at + (side ? 1e-6 : -1e-6);
                sides[side] = information(agent, pair);
            }
            pair[O + j] = at;
            slope = (sides[1] - sides[0]) / 2e-6;
            assert_true(fabs(slope) > 1e-4);
            assert_true(fabs(0.4 * models->slope[i * A + j] - slope) <= 1e-6 * (1 + fabs(slope)));
        }
    }
    wac_agent_destroy(agent);
}

/* The weight of the information falls where the policy gains more than its shadow, by Adam's first
 * step as much as the rate is; and stays where it is not learned. */
static void weight_follows_the_shadow(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        wac_agent *agent = make_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, false);
        wac_models *models = &desk_of(agent)->models;
        wac_seat *seat = agent->seat;
        seat->config.learning_rate = 1e-3;
        seat->config.bonus_tuning = !fixed;
        models->weight.first[0] = models->weight.second[0] = 0;
        seat->model_steps = 0;
        agent->steps->sample(agent);
        agent->steps->appraise(agent);
        double more = 0;
        for (int i = 0; i < ROWS; i++)
            more += models->bonus[i] - models->bonus[ROWS + i];
        agent->steps->study(agent);
        double expected = fixed ? log(0.4) : log(0.4) - (more > 0 ? 1e-3 : -1e-3);
        assert_true(fabs(models->weight.log_alpha[0] - expected) < 1e-9);
        assert_true(fabs(seat->bonus_weight - exp(expected)) < 1e-9);
        wac_agent_destroy(agent);
    }
}

/* OAC's bound at tanh(mean) */
static double oac_bound(const wac_desk *desk, const float *observation, const real *mean,
                        double beta)
{
    real x[O + A];
    for (int i = 0; i < O; i++)
        x[i] = observation[i];
    for (int j = 0; j < A; j++)
        x[O + j] = tanh(mean[j]);
    desk->host->ops->forward(NULL, &desk->critics, (wac_input){.x = x, .rows = 1},
                             &desk->critic_pass);
    double q1 = desk->critic_pass.out[0];
    double q2 = desk->critic_pass.out[desk->critic_pass.capacity];
    return (q1 + q2) / 2 + beta * fabs(q1 - q2) / 2;
}

/* the shift of OAC's exploration, its gradient taken by differences */
static void oac_shifts_along_the_gradient(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OAC, NULL, false);
    const wac_desk *desk = desk_of(agent);
    static const float observations[][O] = {{0.1f, -0.4f, 0.8f}, {-1, 1, 0}, {0.3f, 0.3f, -0.9f}};
    static const double betas[] = {4, 0, 6.5};
    for (int n = 0; n < 3; n++) {
        const real noise[A] = {0.5, -1.5};
        real x[O], mean[A], std[A], g[A];
        for (int i = 0; i < O; i++)
            x[i] = observations[n][i];
        desk->host->ops->forward(NULL, &desk->policies, (wac_input){.x = x, .rows = 1},
                                 &desk->policy_pass);
        double length = 0;
        for (int j = 0; j < A; j++) {
            mean[j] = desk->policy_pass.out[j];
            std[j] = exp(desk->policy_pass.out[A + j]);
        }
        for (int j = 0; j < A; j++) {
            real before = mean[j];
            mean[j] = before + 1e-6;
            double above = oac_bound(desk, observations[n], mean, betas[n]);
            mean[j] = before - 1e-6;
            g[j] = (above - oac_bound(desk, observations[n], mean, betas[n])) / 2e-6;
            mean[j] = before;
            length += std[j] * std[j] * g[j] * g[j];
        }
        float action[A], greedy[A];
        wac_oac_act(agent, 0, observations[n], noise, 2, betas[n], action);
        wac_oac_act(agent, 0, observations[n], noise, 0, betas[n], greedy); /* no shift */
        for (int j = 0; j < A; j++) {
            double shift = sqrt(2 * 2.0) * std[j] * std[j] * g[j] / (sqrt(length) + 1e-5);
            assert_true(fabs(shift) > 1e-3);
            assert_true(fabs((double)action[j] - tanh(mean[j] + shift + std[j] * noise[j])) < 1e-6);
            assert_true(fabs((double)greedy[j] - tanh(mean[j] + std[j] * noise[j])) < 1e-6);
        }
    }
    wac_agent_destroy(agent);
}

/* An ensemble explores the proposal with the highest mean + optimism * std of all its critics; it
 * is evaluated by the average of its members' means. */
static void sunrise_takes_the_highest_bound(void **state)
{
    (void)state;
    enum { SEEN = 40, MEMBERS = 4 };
    wac_agent *agent = make_agent(WAC_ALGORITHM_SUNRISE, NULL, false);
    const wac_desk *desk = desk_of(agent);
    wac_rng rng = wac_rng_make(8, WAC_STREAM_EXPLORE);
    static const double optimisms[] = {0, 3, 1000};
    int chosen[3][MEMBERS] = {{0}}, differ = 0;
    for (int n = 0; n < SEEN; n++) {
        real x[O], noise[MEMBERS * A];
        float observation[O], action[A];
        wac_fill_uniform(&rng, O, -1, 1, x);
        wac_fill_normal(&rng, MEMBERS * A, noise);
        for (int i = 0; i < O; i++)
            x[i] = observation[i] = (float)x[i];
        int best[3] = {0};
        double actions[MEMBERS][A], bounds[3] = {-INFINITY, -INFINITY, -INFINITY}, average[A] = {0};
        for (int m = 0; m < MEMBERS; m++) {
            double pair[O + A], heads[2 * A], sum = 0, squares = 0;
            float done[A], mean, std;
            act(agent, m, x, noise + m * A, pair);
            for (int j = 0; j < A; j++) /* they are single precision */
                pair[O + j] = done[j] = (float)(actions[m][j] = pair[O + j]);
            for (int k = 0; k < agent->critics; k++) {
                sum += value(&desk->critics, k, pair) / agent->critics;
                squares += pow(value(&desk->critics, k, pair), 2) / agent->critics;
            }
            wac_agent_value(agent, 1, observation, done, &mean, &std);
            assert_true(fabs((double)mean - sum) < 1e-6);
            assert_true(fabs((double)std - sqrt(squares - sum * sum)) < 1e-6);
            for (int o = 0; o < 3; o++)
                if (sum + optimisms[o] * sqrt(squares - sum * sum) > bounds[o]) {
                    bounds[o] = sum + optimisms[o] * sqrt(squares - sum * sum);
                    best[o] = m;
                }
            evaluate(&desk->policies, m, x, heads);
            for (int j = 0; j < A; j++)
                average[j] += tanh(heads[j]) / MEMBERS;
        }
        for (int o = 0; o < 3; o++) {
            wac_sunrise_act(agent, 0, observation, noise, optimisms[o], action);
            for (int j = 0; j < A; j++)
                assert_true(fabs((double)action[j] - actions[best[o]][j]) < 1e-6);
            chosen[o][best[o]]++;
        }
        differ += best[0] != best[2];
        wac_agent_act(agent, WAC_POLICY_TARGET, observation, action);
        for (int j = 0; j < A; j++)
            assert_true(fabs((double)action[j] - average[j]) < 1e-6);
    }
    assert_true(differ > 5);
    for (int o = 0; o < 3; o++)
        for (int m = 0; m < MEMBERS; m++)
            assert_true(chosen[o][m] < SEEN);

    /* what explores is that, with the optimism of the settings; or none of it */
    float observation[O] = {0.3f, -0.2f, 0.9f}, action[A], expected[A];
    assert_true(agent->seat->kappa == 3);
    real noise[MEMBERS * A];
    wac_rng copy = rng;
    wac_fill_normal(&copy, MEMBERS * A, noise);
    wac_agent_explore(agent, &rng, observation, action);
    wac_sunrise_act(agent, 0, observation, noise, 3, expected);
    assert_memory_equal(action, expected, sizeof action);
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sac_losses),
        cmocka_unit_test(sunrise_losses),
        cmocka_unit_test(oe_wac_losses),
        cmocka_unit_test(me_wac_losses),
        cmocka_unit_test(losses_with_models),
        cmocka_unit_test_setup_teardown(losses_of_residual_networks, make_simba, make_plain),
        cmocka_unit_test_setup_teardown(losses_of_residual_networks, make_bronet, make_plain),
        cmocka_unit_test(top_losses),
        cmocka_unit_test(bro_losses),
        cmocka_unit_test(losses_of_many_critics),
        cmocka_unit_test(losses_are_as_defined),
        cmocka_unit_test(clamps_are_at_work),
        cmocka_unit_test(information_slopes),
        cmocka_unit_test(weight_follows_the_shadow),
        cmocka_unit_test(oac_shifts_along_the_gradient),
        cmocka_unit_test(sunrise_takes_the_highest_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
