/* Agents: creation, acting, remembering, and the one call of an update. */
#include "rl/agent.h"

#include "base/status.h"
#include "nn/adam.h"
#include "rl/algorithms.h"
#include "rl/critic.h"
#include "rl/normal_quantile.h"
#include "rl/policy.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

int wac_agent_policies(const wac_agent *agent)
{
    return agent->policies.members;
}

int wac_agent_policy(const wac_agent *agent, wac_policy_role role)
{
    return agent->wac && role == WAC_POLICY_TARGET;
}

real wac_agent_alpha(const wac_agent *agent, int policy)
{
    return exp(agent->entropy.log_alpha[policy]);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Lay out everything; the arena remembers whether it could. */
static void take_memory(wac_agent *agent)
{
    wac_arena *arena = &agent->arena;
    size_t rows = (size_t)agent->rows, o = (size_t)agent->observations, a = (size_t)agent->actions;
    int width = (int)agent->config.width, all_rows = agent->rows + agent->synthetic;
    int policies = agent->wac ? 2 : 1, critics = agent->wac ? 2 * WAC_CRITICS : WAC_CRITICS;
    wac_shape policy = {agent->observations, width, 2 * agent->actions};
    wac_shape critic = {agent->observations + agent->actions, width, 1};

    wac_replay_init(&agent->replay, arena, agent->observations, agent->actions,
                    agent->config.replay_capacity);
    wac_normaliser_init(&agent->normaliser, arena, agent->observations,
                        agent->config.normalisation == WAC_NORMALISATION_RUNNING);
    wac_stack_init(&agent->policies, arena, policy, policies);
    wac_stack_init(&agent->critics, arena, critic, critics);
    wac_stack_init(&agent->targets, arena, critic, critics);
    wac_stack_init(&agent->anchors, arena, critic, agent->wac ? WAC_CRITICS : 0);
    agent->policies.mixed = agent->critics.mixed = agent->targets.mixed = agent->anchors.mixed =
        agent->config.precision == WAC_PRECISION_MIXED;
    wac_adam_init(&agent->policy_adam, arena, &agent->policies);
    wac_adam_init(&agent->critic_adam, arena, &agent->critics);
    agent->gradients = WAC_TAKE(
        arena, real, (size_t)critics * larger(agent->policies.stride, agent->critics.stride));
    agent->entropy.log_alpha = WAC_TAKE(arena, real, (size_t)policies);
    agent->entropy.first = WAC_TAKE(arena, real, (size_t)policies);
    agent->entropy.second = WAC_TAKE(arena, real, (size_t)policies);

    agent->index = WAC_TAKE(arena, int64_t, rows);
    agent->batch = (wac_batch){
        .rows = agent->rows,
        .observations = WAC_TAKE(arena, real, rows * o),
        .actions = WAC_TAKE(arena, real, rows * a),
        .rewards = WAC_TAKE(arena, real, rows),
        .next_observations = WAC_TAKE(arena, real, rows * o),
        .terminals = WAC_TAKE(arena, real, rows),
    };
    agent->noise = WAC_TAKE(arena, real, (size_t)policies * rows * a);
    agent->next_noise = WAC_TAKE(arena, real, rows * a);
    agent->pairs = WAC_TAKE(arena, real, (size_t)all_rows * (o + a));

    wac_stack one_policy = wac_stack_slice(&agent->policies, 0, 1);
    wac_pass_init(&agent->policy_pass, arena, &agent->policies, agent->rows);
    wac_pass_init(&agent->next_pass, arena, &one_policy, agent->rows);
    wac_pass_init(&agent->critic_pass, arena, &agent->critics, all_rows);
    wac_pass_init(&agent->anchor_pass, arena, &agent->anchors, agent->synthetic);
    agent->query = WAC_TAKE(arena, real, rows * (o + a));
    agent->mean_target = WAC_TAKE(arena, real, rows);
    agent->std_target = WAC_TAKE(arena, real, rows);
    agent->bound = WAC_TAKE(arena, real, rows);
    agent->dout = WAC_TAKE(arena, real, (size_t)(critics * all_rows));
    agent->dactions = WAC_TAKE(arena, real, (size_t)(critics * all_rows) * a);
    agent->daction = WAC_TAKE(arena, real, (size_t)policies * rows * a);
    agent->dheads = WAC_TAKE(arena, real, (size_t)policies * rows * 2 * a);
    agent->sample = (wac_sample){
        .members = policies,
        .rows = agent->rows,
        .actions = agent->actions,
        .capacity = agent->rows,
        .heads = agent->policy_pass.out,
        .noise = agent->noise,
        .action = WAC_TAKE(arena, real, (size_t)policies * rows * a),
        .log_prob = WAC_TAKE(arena, real, (size_t)policies * rows),
    };
    agent->next_sample = (wac_sample){
        .members = 1,
        .rows = agent->rows,
        .actions = agent->actions,
        .capacity = agent->rows,
        .heads = agent->next_pass.out,
        .noise = agent->next_noise,
        .action = WAC_TAKE(arena, real, rows * a),
        .log_prob = WAC_TAKE(arena, real, rows),
    };
}

static void set_first_values(wac_agent *agent)
{
    const wac_config *config = &agent->config;
    uint64_t seed = (uint64_t)config->seed;
    agent->explore_rng = wac_rng_make(seed, WAC_STREAM_EXPLORE);
    agent->batch_rng = wac_rng_make(seed, WAC_STREAM_BATCH);
    agent->noise_rng = wac_rng_make(seed, WAC_STREAM_NOISE);
    agent->synthetic_rng = wac_rng_make(seed, WAC_STREAM_SYNTHETIC);

    agent->entropy.rate = config->learning_rate;
    for (int m = 0; m < agent->policies.members; m++) {
        agent->policy_adam.rates[m] = config->learning_rate;
        agent->entropy.log_alpha[m] = (real)log(config->entropy_weight);
    }
    for (int m = 0; m < agent->critics.members; m++)
        agent->critic_adam.rates[m] =
            m < WAC_CRITICS ? config->learning_rate : config->std_learning_rate;

    wac_normaliser_refresh(&agent->normaliser);
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    wac_policies_init(agent, &rng);
    wac_critics_init(agent, &rng);
}

/* The operations that a config asks for. */
static wac_status choose_ops(const wac_ops **ops, const wac_config *config, wac_error *error)
{
    *ops = &wac_ops_reference;
#ifdef WAC_DOUBLE
    (void)config, (void)error;
#else
    bool mixed = config->precision == WAC_PRECISION_MIXED;
    const char *missing = mixed ? wac_mixed_missing() : NULL;
    if (missing)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "precision mixed needs a processor with %s, and this one has none; set "
                        "precision to single",
                        missing);
    if (config->backend == WAC_BACKEND_CPU)
        *ops = &wac_ops_cpu;
#endif
    return WAC_STATUS_OK;
}

wac_status wac_agent_create(wac_agent **out, const wac_config *config, int observation_size,
                            int action_size, int threads, int first_cpu, wac_error *error)
{
    assert(observation_size > 0 && action_size > 0);
    const wac_ops *ops;
    WAC_TRY(choose_ops(&ops, config, error));
    wac_arena arena = {0};
    wac_agent *agent = WAC_TAKE(&arena, wac_agent, 1);
    if (!agent)
        return wac_fail_memory(error, "the agent");
    agent->arena = arena;
    agent->config = *config;
    agent->observations = observation_size;
    agent->actions = action_size;
    agent->rows = (int)config->batch_size;
    agent->wac = (WAC_FOR_WAC >> config->algorithm) & 1;
    if (agent->wac) {
        agent->synthetic = (int)lround(config->rho * (double)config->batch_size);
        agent->kappa = (real)wac_normal_quantile(config->quantile);
        agent->sigma_max =
            (real)((config->reward_max - config->reward_min) / (1 - config->discount) / sqrt(12.0));
    }
    agent->ops = ops;
    take_memory(agent);
    wac_status status =
        agent->arena.failed
            ? wac_fail(error, WAC_STATUS_MEMORY,
                       "out of memory for an agent with width %lld, batch_size %lld and "
                       "replay_capacity %lld; make one of them smaller",
                       (long long)config->width, (long long)config->batch_size,
                       (long long)config->replay_capacity)
            : wac_team_create(&agent->team, threads, first_cpu, error);
    if (status != WAC_STATUS_OK) {
        wac_agent_destroy(agent);
        return status;
    }
    set_first_values(agent);
    *out = agent;
    return WAC_STATUS_OK;
}

void wac_agent_destroy(wac_agent *agent)
{
    if (!agent)
        return;
    wac_team_destroy(agent->team);
    wac_arena arena = agent->arena; /* holds the agent itself */
    wac_arena_release(&arena);
}

void wac_agent_remember(wac_agent *agent, const float *observation, const float *action,
                        double reward, const float *next_observation, bool terminated)
{
    wac_normaliser_add(&agent->normaliser, observation);
    wac_replay_add(&agent->replay, observation, action, reward, next_observation, terminated);
}

void wac_agent_act(wac_agent *agent, wac_policy_role role, const float *observation, float *action)
{
    wac_policy_heads(agent, wac_agent_policy(agent, role), observation, agent->dheads);
    for (int j = 0; j < agent->actions; j++)
        action[j] = (float)tanh(agent->dheads[j]);
}

void wac_agent_sample(wac_agent *agent, wac_policy_role role, wac_rng *rng,
                      const float *observation, float *action)
{
    real *heads = agent->dheads, *noise = agent->daction;
    wac_policy_heads(agent, wac_agent_policy(agent, role), observation, heads);
    agent->ops->fill_normal(rng, (size_t)agent->actions, noise);
    for (int j = 0; j < agent->actions; j++)
        action[j] = (float)tanh(heads[j] + exp(heads[agent->actions + j]) * noise[j]);
}

void wac_agent_explore(wac_agent *agent, const float *observation, float *action)
{
    if (agent->config.algorithm != WAC_ALGORITHM_OAC) {
        wac_agent_sample(agent, WAC_POLICY_BEHAVIOUR, &agent->explore_rng, observation, action);
        return;
    }
    agent->ops->fill_normal(&agent->explore_rng, (size_t)agent->actions, agent->next_noise);
    wac_oac_explore(agent, observation, agent->next_noise, agent->config.oac_delta,
                    agent->config.oac_beta, action);
}

void wac_agent_value(wac_agent *agent, int rows, const float *observations, const float *actions,
                     float *mean, float *std)
{
    assert(!std || agent->wac);
    size_t o = (size_t)agent->observations, a = (size_t)agent->actions;
    int capacity = agent->critic_pass.capacity;
    for (int first = 0; first < rows; first += agent->rows) {
        int count = rows - first < agent->rows ? rows - first : agent->rows;
        for (size_t i = 0; i < (size_t)count; i++) {
            real *x = agent->query + i * (o + a);
            for (size_t j = 0; j < o; j++)
                x[j] = wac_normalise(&agent->normaliser, (int)j,
                                     observations[((size_t)first + i) * o + j]);
            for (size_t j = 0; j < a; j++)
                x[o + j] = actions[((size_t)first + i) * a + j];
        }
        agent->ops->infer(agent->team, &agent->critics,
                          (wac_input){.x = agent->query, .rows = count}, &agent->critic_pass);
        const real *out = agent->critic_pass.out;
        for (int i = 0; i < count; i++) {
            real means[2], stds[2] = {0, 0};
            for (int k = 0; k < WAC_CRITICS; k++) {
                means[k] = out[k * capacity + i];
                if (agent->wac)
                    stds[k] = exp(out[(WAC_CRITICS + k) * capacity + i]);
            }
            int k = means[1] + agent->kappa * stds[1] < means[0] + agent->kappa * stds[0];
            mean[first + i] = (float)means[k];
            if (std)
                std[first + i] = (float)stds[k];
        }
    }
}

static void draw_batch(wac_agent *agent)
{
    const wac_ops *ops = agent->ops;
    ops->fill_index(&agent->batch_rng, (size_t)agent->rows, wac_replay_filled(&agent->replay),
                    agent->index);
    ops->gather(agent->replay.records, agent->observations, agent->actions, agent->index,
                &agent->batch);
    wac_normalise_rows(&agent->normaliser, agent->rows, agent->batch.observations);
    wac_normalise_rows(&agent->normaliser, agent->rows, agent->batch.next_observations);
}

static void draw_noise(wac_agent *agent)
{
    const wac_ops *ops = agent->ops;
    size_t actions = (size_t)agent->rows * (size_t)agent->actions;
    int inputs = agent->critics.shape.inputs;
    ops->fill_normal(&agent->noise_rng, (size_t)agent->policies.members * actions, agent->noise);
    ops->fill_normal(&agent->noise_rng, actions, agent->next_noise);
    ops->fill_uniform(&agent->synthetic_rng, (size_t)agent->synthetic * (size_t)inputs, -1, 1,
                      agent->pairs + (size_t)agent->rows * (size_t)inputs);
}

static void draw_piece(void *work, int piece)
{
    if (piece == 0)
        draw_batch(work);
    else
        draw_noise(work);
}

void wac_agent_draw(wac_agent *agent)
{
    wac_team_run(agent->team, draw_piece, agent, 2);
}

void wac_agent_learn(wac_agent *agent, wac_losses *losses)
{
    *losses = (wac_losses){.sigma_visited = NAN, .sigma_uniform = NAN};
    if (agent->wac)
        wac_wac_learn(agent, losses);
    else
        wac_sac_learn(agent, losses);
    for (int m = 0; m < agent->policies.members; m++)
        losses->alpha[m] = (double)wac_agent_alpha(agent, m);
}

wac_status wac_agent_update(wac_agent *agent, wac_losses *losses, wac_error *error)
{
    assert(agent->replay.count > 0);
    wac_agent_draw(agent);
    wac_agent_learn(agent, losses);
    const struct {
        const char *name;
        const double *values;
    } checks[] = {{"critic", losses->critic},
                  {"std critic", losses->std},
                  {"regularisation of std critic", losses->regularisation},
                  {"policy", losses->policy},
                  {"entropy weight", losses->alpha}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (int k = 0; k < 2; k++)
            if (!isfinite(checks[i].values[k]))
                return wac_fail(error, WAC_STATUS_NUMERIC,
                                "the loss of %s %d became %g; try a smaller learning_rate or "
                                "check the rewards",
                                checks[i].name, k + 1, checks[i].values[k]);
    return WAC_STATUS_OK;
}
