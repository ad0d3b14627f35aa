/* Agents: creation, acting, remembering, and the one call of an update. */
#include "rl/agent.h"

#include "base/rng.h"
#include "base/status.h"
#include "nn/fill.h"
#ifndef WAC_DOUBLE
#include "rl/cuda/steps.h"
#endif
#include "rl/steps.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

int wac_agent_policy(const wac_agent *agent, wac_policy_role role)
{
    return agent->row->policies > 1 && role == WAC_POLICY_TARGET;
}

wac_shape wac_policy_shape(const wac_config *config, const wac_algorithm_row *row, int observations,
                           int actions)
{
    int heads = wac_row_heads(row, actions);
    if (config->network != WAC_NETWORK_PLAIN)
        return (wac_shape){observations, (int)config->policy_width, heads,
                           .blocks = (int)config->policy_blocks,
                           .after = config->network == WAC_NETWORK_BRONET};
    return (wac_shape){observations, (int)config->width, heads, .hidden = (int)config->layers};
}

wac_shape wac_critic_shape(const wac_config *config, const wac_algorithm_row *row, int observations,
                           int actions)
{
    wac_shape shape = {observations + actions, (int)config->width, wac_row_outputs(row),
                       .hidden = (int)config->layers};
    if (config->network != WAC_NETWORK_PLAIN) {
        shape.hidden = 0;
        shape.blocks = (int)config->blocks;
        shape.after = config->network == WAC_NETWORK_BRONET;
    }
    return shape;
}

/* The x with P(N(0, 1) <= x) = p, to double precision, for 0 < p < 1. Bisection on erfc until the
 * interval cannot shrink: called once a run, so plain beats fast. */
static double normal_quantile(double p)
{
    double low = -40, high = 40;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (0.5 * erfc(-middle / sqrt(2.0)) < p)
            low = middle;
        else
            high = middle;
    }
}

static void note_prior(wac_seat *seat, double reward_min, double reward_max)
{
    double range = reward_max - reward_min;
    seat->config.reward_min = reward_min;
    seat->config.reward_max = reward_max;
    seat->sigma_max = (real)(range / (1 - seat->config.discount) / sqrt(12.0));
}

/* The quantile's place among particles, which stand for the middles of equal shares: interpolated
 * between them, and not beyond the outermost. */
static void note_particles(wac_seat *seat, int particles)
{
    double last = particles - 1, place = seat->config.quantile * particles - 0.5;
    place = place < 0 ? 0 : place > last ? last : place;
    seat->place = (real)place;
    seat->kappa = (real)((place - last / 2) / sqrt(((double)particles * particles - 1) / 12));
}

static void seat_init(wac_seat *seat, const wac_algorithm_row *row, const wac_config *config)
{
    uint64_t seed = (uint64_t)config->seed;
    *seat = (wac_seat){
        .config = *config,
        .active = true,
        .explore_rng = wac_rng_make(seed, WAC_STREAM_EXPLORE),
        .batch_rng = wac_rng_make(seed, WAC_STREAM_BATCH),
        .noise_rng = wac_rng_make(seed, WAC_STREAM_NOISE),
        .synthetic_rng = wac_rng_make(seed, WAC_STREAM_SYNTHETIC),
        .subset_rng = wac_rng_make(seed, WAC_STREAM_SUBSET),
        .leader_rng = wac_rng_make(seed, WAC_STREAM_LEADER),
    };
    if (row->members > 0 && config->exploration == WAC_EXPLORATION_OPTIMISTIC)
        seat->kappa = (real)config->optimism;
    if (row->optimist)
        seat->kappa = (real)-config->pessimism;
    if (row->stds > 0) {
        seat->synthetic = (int)lround(config->rho * (double)config->batch_size);
        seat->kappa = (real)normal_quantile(config->quantile);
        if (row->particles)
            note_particles(seat, row->particles);
        note_prior(seat, config->reward_min, config->reward_max);
    }
}

static const wac_steps *steps_of(const wac_algorithm_row *row, const wac_agent_plan *plan)
{
    if (row->table)
        return &wac_steps_table;
#ifndef WAC_DOUBLE
    if (plan->device == WAC_DEVICE_CUDA)
        return wac_gpu_steps(plan);
#endif
    (void)plan;
    return &wac_steps_host;
}

wac_status wac_agent_create_seats(wac_agent **out, const wac_agent_plan *plan, wac_error *error)
{
    assert(plan->seats > 0 && plan->observations > 0 && plan->actions > 0);
    const wac_algorithm_row row = plan->row ? *plan->row : wac_algorithm_row_of(plan->configs);
    int members = row.members > 0 ? row.members : 1;
    size_t o = (size_t)plan->observations, a = (size_t)plan->actions; /* what a seat acts with */
    size_t reals = (6 + (size_t)row.members) * a, floats = (size_t)row.members * (o + a + 2);
    assert(row.policies * members <= WAC_POLICIES_MOST &&
           row.means + row.stds <= WAC_CRITICS_MOST && row.models <= WAC_MODELS_MOST);
    /* what is not combined: whole posteriors, members and models */
    assert(!row.shared || (row.stds == row.means && !row.subset));
    assert(!row.members || (row.policies == 1 && row.means % members == 0 && !row.stds &&
                            !row.subset && !row.delay));
    assert(!row.bonus || (row.policies == 1 && !row.members && !row.stds));
    assert(!row.shadow || !row.members);
    assert(!row.quantiles || (!row.stds && !row.members && !row.subset && !row.bonus));
    assert(!row.lag || row.delay);
    assert(!row.optimist || (row.quantiles && row.population && row.policies == 1 &&
                             !row.deterministic && !row.delay));
    wac_arena arena = {0};
    wac_agent *agent = WAC_TAKE(&arena, wac_agent, 1);
    wac_seat *seats = WAC_TAKE(&arena, wac_seat, (size_t)plan->seats);
    real *scratch = WAC_TAKE(&arena, real, (size_t)plan->seats * reals);
    float *proposals = WAC_TAKE(&arena, float, ((size_t)plan->seats * floats));
    if (arena.failed) {
        wac_arena_release(&arena);
        return wac_fail_memory(error, "the agent");
    }
    *agent = (wac_agent){
        .shape = row,
        .row = &agent->shape,
        .steps = steps_of(&row, plan),
        .observations = plan->observations,
        .actions = plan->actions,
        .rows = (int)plan->configs->batch_size,
        .critics = wac_row_critics(&row),
        .members = members,
        .policies = row.policies * members,
        .seats = plan->seats,
        .seat = seats,
        .arena = arena,
    };
    for (int i = 0; i < plan->seats; i++) {
        seat_init(&seats[i], &row, &plan->configs[i]);
        seats[i].scratch = scratch + (size_t)i * reals;
        seats[i].proposals = proposals + (size_t)i * floats;
        if (seats[i].synthetic > agent->synthetic)
            agent->synthetic = seats[i].synthetic;
    }
    wac_status status = agent->steps->create(agent, plan, error);
    if (status != WAC_STATUS_OK) {
        wac_agent_destroy(agent);
        return status;
    }
    *out = agent;
    return WAC_STATUS_OK;
}

wac_status wac_agent_create(wac_agent **agent, const wac_config *config, int observation_size,
                            int action_size, int threads, int first_cpu, wac_error *error)
{
    return wac_agent_create_seats(agent,
                                  &(wac_agent_plan){.configs = config,
                                                    .seats = 1,
                                                    .observations = observation_size,
                                                    .actions = action_size,
                                                    .threads = threads,
                                                    .first_cpu = first_cpu},
                                  error);
}

void wac_agent_destroy(wac_agent *agent)
{
    if (!agent)
        return;
    agent->steps->destroy(agent);
    wac_arena arena = agent->arena; /* holds the agent itself */
    wac_arena_release(&arena);
}

/* --- acting --------------------------------------------------------------------------------- */

/* The member whose turn it is. */
static int leader_of(const wac_agent *agent, const wac_seat *seat)
{
    uint32_t words[4];
    wac_rng_block(&seat->leader_rng, seat->leader_rng.counter, words);
    return (int)(wac_rng_unit(words[0]) * agent->members);
}

void wac_seat_begin(wac_agent *agent, int seat)
{
    agent->seat[seat].leader_rng.counter++;
    agent->seat[seat].bandit.gained = 0;
}

void wac_seat_end(wac_agent *agent, int seat)
{
    if (agent->row->judge)
        agent->row->judge(agent, seat);
}

/* Who acts in a role, of each member. */
static int actor_of(const wac_agent *agent, wac_policy_role role)
{
    bool leads = agent->row->optimist && role == WAC_POLICY_BEHAVIOUR;
    return leads ? WAC_ACT_OPTIMIST : wac_agent_policy(agent, role);
}

void wac_seat_act(wac_agent *agent, int seat, wac_policy_role role, const float *observation,
                  float *action)
{
    if (agent->steps->choose) {
        agent->steps->choose(agent, seat, WAC_POLICY_TARGET, NULL, observation, action);
        return;
    }
    real *heads = agent->seat[seat].scratch, *sum = heads + 2 * agent->actions;
    for (int m = 0; m < agent->members; m++) {
        int policy = m * agent->row->policies + actor_of(agent, role);
        agent->steps->act(agent, seat, policy, observation, heads);
        for (int j = 0; j < agent->actions; j++)
            sum[j] = m ? sum[j] + tanh(heads[j]) : tanh(heads[j]);
    }
    for (int j = 0; j < agent->actions; j++)
        action[j] = (float)(sum[j] / (real)agent->members);
}

void wac_seat_vary(wac_agent *agent, int seat, int policy, const float *observation,
                   const real *noise, float *action)
{
    real *heads = agent->seat[seat].scratch;
    real std = (real)agent->seat[seat].config.explore_noise; /* of a deterministic one */
    agent->steps->act(agent, seat, policy, observation, heads);
    for (int j = 0; j < agent->actions; j++)
        action[j] = agent->row->deterministic
                        ? (float)fmin(fmax(tanh(heads[j]) + std * noise[j], (real)-1), (real)1)
                        : (float)tanh(heads[j] + exp(heads[agent->actions + j]) * noise[j]);
}

void wac_seat_sample(wac_agent *agent, int seat, wac_policy_role role, wac_rng *rng,
                     const float *observation, float *action)
{
    if (agent->steps->choose) {
        rng = rng ? rng : &agent->seat[seat].explore_rng;
        agent->steps->choose(agent, seat, role, rng, observation, action);
        return;
    }
    real *noise = agent->seat[seat].scratch + 2 * agent->actions;
    int policy = actor_of(agent, role);
    if (agent->members > 1)
        policy += leader_of(agent, &agent->seat[seat]) * agent->row->policies;
    wac_fill_normal(rng ? rng : &agent->seat[seat].explore_rng, (size_t)agent->actions, noise);
    wac_seat_vary(agent, seat, policy, observation, noise, action);
}

/* Any action, as good as another. */
static void draw_action(wac_agent *agent, int seat, float *action)
{
    real *draws = agent->seat[seat].scratch;
    wac_fill_uniform(&agent->seat[seat].explore_rng, (size_t)agent->actions, -1, 1, draws);
    for (int j = 0; j < agent->actions; j++)
        action[j] = (float)draws[j];
}

bool wac_seat_tries_any(const wac_agent *agent, int seat)
{
    return agent->seat[seat].remembered < agent->seat[seat].config.random_steps;
}

void wac_seat_explore(wac_agent *agent, int seat, wac_rng *rng, const float *observation,
                      float *action)
{
    if (!rng && wac_seat_tries_any(agent, seat)) /* who looks wants to see the policy */
        draw_action(agent, seat, action);
    else if (agent->row->explore)
        agent->row->explore(agent, seat, rng ? rng : &agent->seat[seat].explore_rng, observation,
                            action);
    else
        wac_seat_sample(agent, seat, WAC_POLICY_BEHAVIOUR, rng, observation, action);
}

void wac_agent_act(wac_agent *agent, wac_policy_role role, const float *observation, float *action)
{
    wac_seat_act(agent, 0, role, observation, action);
}

void wac_agent_sample(wac_agent *agent, wac_policy_role role, wac_rng *rng,
                      const float *observation, float *action)
{
    wac_seat_sample(agent, 0, role, rng, observation, action);
}

void wac_agent_explore(wac_agent *agent, wac_rng *rng, const float *observation, float *action)
{
    wac_seat_explore(agent, 0, rng, observation, action);
}

void wac_agent_remember(wac_agent *agent, const float *observation, const float *action,
                        double reward, const float *next_observation, bool terminated)
{
    agent->steps->remember(agent, 0, observation, action, reward, next_observation, terminated);
    if (terminated) {
        wac_seat_end(agent, 0);
        wac_seat_begin(agent, 0);
    }
}

int64_t wac_agent_remembered(const wac_agent *agent)
{
    return agent->seat->remembered;
}

double wac_seat_alpha(const wac_agent *agent, int seat, wac_policy_role role)
{
    double sum = 0;
    for (int m = 0; m < agent->members; m++)
        sum += (double)agent->seat[seat]
                   .alpha[m * agent->row->policies + wac_agent_policy(agent, role)];
    return sum / agent->members;
}

double wac_agent_alpha(const wac_agent *agent, wac_policy_role role)
{
    return wac_seat_alpha(agent, 0, role);
}

bool wac_agent_has_std(const wac_agent *agent)
{
    return agent->row->stds > 0 || agent->members > 1;
}

void wac_agent_value(wac_agent *agent, int rows, const float *observations, const float *actions,
                     float *mean, float *std)
{
    assert(!std || wac_agent_has_std(agent));
    agent->steps->value(agent, 0, rows, observations, actions, mean, std);
}

/* --- learning ------------------------------------------------------------------------------- */

void wac_agent_anchor(wac_agent *agent)
{
    agent->steps->anchor(agent);
}

static double mean_of(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / count : NAN;
}

void wac_seat_losses(const wac_agent *agent, int at, wac_losses *losses)
{
    const wac_seat *seat = &agent->seat[at];
    int means = agent->row->means, stds = agent->row->stds;
    *losses = (wac_losses){
        .mean = mean_of(seat->loss, means),
        .std = mean_of(seat->loss + means, stds),
        .regularisation = mean_of(seat->regularisation + means, stds),
        .q_mean = mean_of(seat->average, means),
        .sigma_visited = mean_of(seat->average + means, stds),
        .sigma_uniform = mean_of(seat->average_synthetic + means, stds),
    };
    for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
        int policy = wac_agent_policy(agent, (wac_policy_role)role);
        for (int m = 0; m < agent->members; m++)
            losses->policy[role] +=
                seat->objective[m * agent->row->policies + policy] / agent->members;
        losses->alpha[role] = wac_seat_alpha(agent, at, (wac_policy_role)role);
    }
    if (agent->row->optimist)
        losses->policy[WAC_POLICY_BEHAVIOUR] = seat->objective[agent->policies];
}

wac_status wac_seat_check(const wac_agent *agent, int at, wac_error *error)
{
    const wac_seat *seat = &agent->seat[at];
    int means = agent->row->means, stds = agent->row->stds, policies = agent->policies;
    double alphas[WAC_POLICIES_MOST], bonus_weight = (double)seat->bonus_weight;
    for (int i = 0; i < policies; i++)
        alphas[i] = (double)seat->alpha[i];
    const struct {
        const char *name;
        const double *values;
        int count;
    } checks[] = {{"critic", seat->loss, means},
                  {"std critic", seat->loss + means, stds},
                  {"regularisation of std critic", seat->regularisation + means, stds},
                  {"policy", seat->objective, policies},
                  {"optimist", seat->objective + policies, agent->row->optimist},
                  {"model", seat->model_loss, agent->row->models},
                  {"entropy weight", alphas, policies},
                  {"bonus weight", &bonus_weight, agent->row->bonus ? 1 : 0}};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (int k = 0; k < checks[i].count; k++)
            if (!isfinite(checks[i].values[k]))
                return wac_fail(error, WAC_STATUS_NUMERIC,
                                "the loss of %s %d became %g; try a smaller learning_rate or "
                                "check the rewards",
                                checks[i].name, k + 1, fabs(checks[i].values[k])); /* no "-nan" */
    return WAC_STATUS_OK;
}

bool wac_agent_let_rest(wac_agent *agent, int64_t more)
{
    bool any = false;
    for (int i = 0; i < agent->seats; i++) {
        wac_seat *seat = &agent->seat[i];
        seat->rests = seat->active && (seat->critic_steps + more) % agent->row->delay != 0;
        seat->active = seat->active && !seat->rests;
        any |= seat->active;
    }
    return any;
}

void wac_agent_wake(wac_agent *agent)
{
    for (int i = 0; i < agent->seats; i++)
        agent->seat[i].active |= agent->seat[i].rests;
}

bool wac_config_has_resets(const wac_config *config)
{
    return config->reset_interval > 0 || config->reset_first > 0 || config->reset_second > 0;
}

bool wac_seat_begins_anew(const wac_seat *seat)
{
    const wac_config *config = &seat->config;
    int64_t begun = seat->begun;
    return begun > 0 && (begun == config->reset_first || begun == config->reset_second ||
                         (config->reset_interval > 0 && begun % config->reset_interval == 0));
}

int64_t wac_seat_updates(const wac_seat *seat)
{
    return seat->begun > seat->critic_steps ? seat->begun : seat->critic_steps;
}

void wac_agent_start(wac_agent *agent, int64_t updates)
{
    for (int i = 0; i < agent->seats; i++)
        agent->seat[i].updated = 0;
    agent->steps->start(agent, updates);
}

wac_status wac_agent_wait(wac_agent *agent, wac_error *error)
{
    return agent->steps->wait(agent, error);
}

wac_status wac_agent_finish(wac_agent *agent, wac_error *error)
{
    return agent->steps->finish(agent, error);
}

wac_status wac_agent_update(wac_agent *agent, wac_losses *losses, wac_error *error)
{
    wac_agent_start(agent, 1);
    WAC_TRY(wac_agent_finish(agent, error));
    wac_seat_losses(agent, 0, losses);
    return wac_seat_check(agent, 0, error);
}

/* --- the prior ------------------------------------------------------------------------------ */

typedef struct range {
    int column; /* of the reward in a record */
    double least, most;
} range;

static wac_status find_range(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    range *range = user;
    (void)error;
    const real *records = tensor->data;
    if (strcmp(tensor->name, "replay/records") != 0)
        return WAC_STATUS_OK;
    for (int64_t i = 0; i < tensor->shape[0]; i++) {
        double reward = (double)records[i * tensor->shape[1] + range->column];
        range->least = fmin(range->least, reward);
        range->most = fmax(range->most, reward);
    }
    return WAC_STATUS_OK;
}

wac_status wac_seat_reward_range(wac_agent *agent, int seat, double *least, double *most,
                                 wac_error *error)
{
    range range = {agent->observations + agent->actions, INFINITY, -INFINITY};
    WAC_TRY(agent->steps->visit(agent, seat, WAC_STATE_REPLAY, find_range, &range, error));
    *least = range.least;
    *most = range.most;
    return WAC_STATUS_OK;
}

real wac_seat_first_log(const wac_agent *agent, const wac_seat *seat)
{
    int particles = agent->row->particles;
    return particles ? log(seat->sigma_max * (real)(sqrt(12.0) / particles)) : log(seat->sigma_max);
}

typedef struct prior {
    const wac_agent *agent;
    const wac_seat *seat;
} prior;

/* What the heads of critics begin with; see wac_critics_init. */
static wac_status set_head(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    const prior *prior = user;
    const wac_seat *seat = prior->seat;
    const char *name = tensor->name;
    (void)error;
    bool whole = strstr(name, "posterior"), alone = strstr(name, "/out/bias");
    bool log_spread =
        whole ? strstr(name, "/log_") && strstr(name, "/bias") : alone && strstr(name, "std");
    bool mean = whole ? strstr(name, "/mean/bias") != NULL : alone && !log_spread;
    double middle = (seat->config.reward_min + seat->config.reward_max) / 2;
    for (int64_t i = 0; log_spread && i < tensor->shape[0]; i++)
        ((real *)tensor->data)[i] = wac_seat_first_log(prior->agent, seat);
    if (mean && seat->config.mean_prior)
        *(real *)tensor->data = (real)(middle / (1 - seat->config.discount));
    return WAC_STATUS_OK;
}

wac_status wac_seat_set_prior(wac_agent *agent, int seat, double reward_min, double reward_max,
                              wac_error *error)
{
    assert(agent->row->stds > 0 && agent->seat[seat].critic_steps == 0);
    note_prior(&agent->seat[seat], reward_min, reward_max);
    WAC_TRY(agent->steps->visit(agent, seat, WAC_STATE_NETWORKS, set_head,
                                &(prior){agent, &agent->seat[seat]}, error));
    agent->steps->settle(agent, seat, WAC_STATE_NETWORKS);
    return WAC_STATUS_OK;
}
