/* Agents of every algorithm with something drawn in all their weights and in their batch, small
 * enough for losses in plain numbers and gradients by differences. In double. */
#ifndef WAC_TESTS_DRAWN_AGENT_H
#define WAC_TESTS_DRAWN_AGENT_H

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

enum { O = 3, A = 2, ROWS = 13 };

static wac_network network; /* of all agents that are made */
static wac_log_std log_std;

static inline wac_config make_config(wac_algorithm algorithm)
{
    return (wac_config){
        .algorithm = (int)algorithm,
        .seed = 3,
        .replay_capacity = 1,
        .width = 16,
        .layers = 2,
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
static inline void randomise(const wac_stack *stack, uint64_t seed, real output)
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

static inline real *output_bias(const wac_stack *stack, int member)
{
    int head = wac_shape_head(&stack->shape);
    return wac_stack_layer(stack, stack->params, member, head).bias;
}

static inline wac_desk *desk_of(const wac_agent *agent)
{
    return wac_host_desk(agent, 0);
}

/* the policies' entropy weights differ */
static inline double alpha_of(int policy)
{
    return policy ? 0.07 * policy : 0.3;
}

/* What the world said, before a bonus was added to it. */
static real rewards[ROWS];

static inline void learn(wac_agent *agent)
{
    memcpy(desk_of(agent)->batch.rewards, rewards, sizeof rewards);
    agent->row->learn(agent);
}

/* As if so many rows had been counted that those of an update change nothing. */
static inline void hold(wac_normaliser *sums)
{
    sums->count[0] *= 1e13;
    for (int i = 0; i < sums->size; i++)
        sums->squares[i] *= 1e13;
}

/* Models that have seen much, and disagree. */
static inline void make_models(wac_agent *agent)
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

/* An agent with something drawn, and with every clamp at work if asked for; without a row it is
 * the algorithm's own. */
static inline wac_agent *make_agent(wac_algorithm algorithm, const wac_algorithm_row *row,
                                    bool clamped)
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

/* The algorithm that a row is a kin of. */
static inline wac_algorithm kin(const wac_algorithm_row *row)
{
    return row->stds ? WAC_ALGORITHM_OE_WAC : WAC_ALGORITHM_SAC;
}

#endif
