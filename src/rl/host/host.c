/* The host: its desks, and what they draw and remember. */
#include "rl/host/host.h"

#include "base/rng.h"
#include "base/status.h"
#include "config/config.h"
#include "nn/cpu/product.h"
#include "nn/fill.h"
#include "rl/host/critics.h"
#include "rl/host/models.h"
#include "rl/host/optimist.h"
#include "rl/host/policies.h"
#include "rl/host/state.h"

#include <assert.h>
#include <string.h>
#include <tgmath.h>

wac_desk *wac_host_desk(const wac_agent *agent, int seat)
{
    return &((const wac_host *)agent->device)->desks[seat];
}

/* What is done at every desk. */
typedef struct errand {
    const wac_agent *agent;
    wac_desk_fn *run;
    const void *what;
} errand;

static void run_at_desk(void *work, wac_team *team, int seat, int place)
{
    (void)place;
    const errand *errand = work;
    if (errand->agent->seat[seat].active)
        errand->run(wac_host_desk(errand->agent, seat), team, errand->what);
}

void wac_host_each(const wac_agent *agent, wac_desk_fn *run, const void *what)
{
    const wac_host *host = agent->device;
    wac_team_deal(host->team, run_at_desk, &(errand){agent, run, what}, agent->seats);
}

/* --- memory --------------------------------------------------------------------------------- */

static wac_moments take_moments(wac_arena *arena, const wac_stack *stack)
{
    size_t size = wac_stack_size(stack);
    return (wac_moments){WAC_TAKE(arena, real, size), WAC_TAKE(arena, real, size)};
}

static wac_sample take_sample(wac_arena *arena, int rows, int actions, int per_row, bool bent,
                              const wac_pass *pass, const real *noise)
{
    return (wac_sample){
        .rows = rows,
        .actions = actions,
        .per_row = per_row,
        .bent = bent,
        .heads = pass->out,
        .noise = noise,
        .action = WAC_TAKE(arena, real, (size_t)rows * (size_t)actions),
        .log_prob = WAC_TAKE(arena, real, (size_t)rows),
    };
}

static void take_networks(wac_desk *desk, wac_arena *arena)
{
    const wac_agent *agent = desk->agent;
    const wac_config *config = &desk->seat->config;
    int policies = agent->policies, outputs = wac_row_outputs(agent->row);
    wac_shape policy = wac_policy_shape(config, agent->row, agent->observations, agent->actions);
    wac_shape critic = wac_critic_shape(config, agent->row, agent->observations, agent->actions);
    wac_stack_init(&desk->policies, arena, policy, policies);
    wac_stack_init(&desk->shadow, arena, policy, agent->row->shadow);
    wac_stack_init(&desk->critics, arena, critic, agent->critics);
    wac_stack_init(&desk->targets, arena, critic, agent->critics);
    wac_stack_init(&desk->anchors, arena, critic, agent->row->stds);
    desk->belief = (wac_belief){.outputs = outputs,
                                .particles = agent->row->particles,
                                .spread = agent->row->particles ? agent->row->particles : 1,
                                .climb = WAC_TAKE(arena, real, (size_t)outputs)};
    desk->policy_moments = take_moments(arena, &desk->policies);
    desk->critic_moments = take_moments(arena, &desk->critics);
    desk->entropy = (wac_entropy){WAC_TAKE(arena, real, (size_t)policies),
                                  WAC_TAKE(arena, real, (size_t)policies),
                                  WAC_TAKE(arena, real, (size_t)policies)};
    size_t most = wac_stack_size(&desk->critics), other = wac_stack_size(&desk->policies);
    desk->gradients = WAC_TAKE(arena, real, most > other ? most : other);
}

/* Lay out everything; the arena remembers whether it could. */
static void take_memory(wac_desk *desk, wac_arena *arena)
{
    const wac_agent *agent = desk->agent;
    const wac_config *config = &desk->seat->config;
    size_t rows = (size_t)agent->rows, o = (size_t)agent->observations, a = (size_t)agent->actions;
    size_t policies = (size_t)agent->policies, members = (size_t)agent->members;
    int synthetic = desk->seat->synthetic, all_rows = agent->rows + synthetic;
    size_t critic_rows = (size_t)agent->critics * (size_t)all_rows;

    wac_replay_init(&desk->replay, arena, agent->observations, agent->actions,
                    config->replay_capacity);
    wac_normaliser_init(&desk->normaliser, arena, agent->observations,
                        config->normalisation == WAC_NORMALISATION_RUNNING);
    take_networks(desk, arena);
    wac_models_take(desk, arena);
    wac_optimist_take(desk, arena);

    desk->index = WAC_TAKE(arena, int64_t, rows);
    desk->batch = (wac_batch){
        .rows = agent->rows,
        .observations = WAC_TAKE(arena, real, rows * o),
        .actions = WAC_TAKE(arena, real, rows * a),
        .rewards = WAC_TAKE(arena, real, rows),
        .next_observations = WAC_TAKE(arena, real, rows * o),
        .terminals = WAC_TAKE(arena, real, rows),
    };
    desk->noise = WAC_TAKE(arena, real, policies * rows * a);
    desk->next_noise = WAC_TAKE(arena, real, members * rows * a);
    desk->weight_noise = WAC_TAKE(arena, real, (size_t)agent->row->members * rows * a);
    desk->masks = WAC_TAKE(arena, real, (size_t)agent->row->members * rows);
    desk->pairs = WAC_TAKE(arena, real, (size_t)all_rows * (o + a));

    wac_stack one = wac_stack_slice(&desk->policies, 0, 1);
    const wac_ops *ops = desk->host->ops;
    wac_pass_init(&desk->policy_pass, arena, &desk->policies, agent->rows, ops);
    wac_pass_init(&desk->next_pass, arena, &one, agent->rows, ops);
    wac_pass_init(&desk->critic_pass, arena, &desk->critics, all_rows, ops);
    wac_pass_init(&desk->anchor_pass, arena, &desk->anchors, synthetic, ops);
    int per_row = desk->policies.shape.outputs;
    bool bent = config->log_std == WAC_LOG_STD_BENT;
    desk->sample = take_sample(arena, agent->policies * agent->rows, agent->actions, per_row, bent,
                               &desk->policy_pass, desk->noise);
    desk->next_sample = take_sample(arena, agent->rows, agent->actions, per_row, bent,
                                    &desk->next_pass, desk->next_noise);
    if (agent->row->deterministic) {
        desk->next_sample.noise_std = (real)config->target_noise;
        desk->next_sample.noise_most = (real)config->target_noise_clip;
    }
    desk->query = WAC_TAKE(arena, real, rows * (o + a));
    desk->share = WAC_TAKE(arena, real, policies * rows);
    desk->weight = agent->row->members ? WAC_TAKE(arena, real, members * rows) : desk->share;
    size_t quantiles = agent->row->quantiles ? (size_t)agent->row->quantiles : 1;
    desk->mean_target = WAC_TAKE(arena, real, members * rows * quantiles);
    size_t spread = (size_t)desk->belief.spread;
    desk->std_target = WAC_TAKE(arena, real, rows * spread);
    desk->spreads = WAC_TAKE(arena, real, (size_t)agent->critics * 2 * spread);
    desk->bound = WAC_TAKE(arena, real, rows);
    desk->dout = WAC_TAKE(arena, real, critic_rows * (size_t)desk->belief.outputs);
    desk->dactions = WAC_TAKE(arena, real, critic_rows * a);
    desk->daction = WAC_TAKE(arena, real, policies * rows * a);
    desk->dheads = WAC_TAKE(arena, real, policies * rows * (size_t)per_row);
}

static void forget(wac_moments moments, size_t count)
{
    memset(moments.first, 0, count * sizeof *moments.first);
    memset(moments.second, 0, count * sizeof *moments.second);
}

/* What optimisers have seen so far is no longer so. */
static void forget_steps(wac_desk *desk)
{
    wac_seat *seat = desk->seat;
    const wac_models *models = &desk->models;
    seat->policy_steps = seat->critic_steps = seat->entropy_steps = seat->model_steps = 0;
    forget(desk->policy_moments, wac_stack_size(&desk->policies));
    forget(desk->critic_moments, wac_stack_size(&desk->critics));
    forget((wac_moments){desk->entropy.first, desk->entropy.second},
           (size_t)desk->policies.members);
    if (!desk->agent->row->bonus)
        return;
    forget(models->moments, wac_stack_size(&models->stack));
    forget((wac_moments){models->weight.first, models->weight.second}, 1);
}

void wac_desk_begin_anew(wac_desk *desk)
{
    const wac_config *config = &desk->seat->config;
    forget_steps(desk);
    wac_rng rng = wac_rng_make((uint64_t)config->seed, WAC_STREAM_INIT);
    for (int m = 0; m < desk->policies.members; m++) {
        desk->entropy.log_alpha[m] = (real)log(config->entropy_weight);
        wac_stack_randomise(&desk->policies, m, config->first_weights == WAC_FIRST_WEIGHTS_INPUTS,
                            1e-3, &rng);
    }
    memcpy(desk->shadow.params, desk->policies.params,
           wac_stack_size(&desk->shadow) * sizeof *desk->shadow.params);
    wac_critics_init(desk, &rng);
    wac_models_init(desk, &rng);
    wac_optimist_init(desk, &rng);
    for (int i = 0; i < desk->agent->policies * desk->agent->rows; i++)
        desk->share[i] = (real)1 / (real)desk->agent->rows;
    wac_desk_settle(desk);
}

void wac_desk_settle(wac_desk *desk)
{
    desk->seat->remembered = desk->replay.count;
    wac_normaliser_refresh(&desk->normaliser);
    for (int m = 0; !desk->agent->row->deterministic && m < desk->policies.members; m++)
        desk->seat->alpha[m] = exp(desk->entropy.log_alpha[m]);
    if (desk->agent->row->bonus) {
        wac_models *models = &desk->models;
        desk->seat->bonus_weight = exp(models->weight.log_alpha[0]);
        wac_normaliser_refresh(&models->inputs);
        wac_normaliser_refresh(&models->outputs);
        wac_normaliser_refresh(&models->bonuses);
    }
    wac_optimist_settle(desk);
}

/* The operations that a config asks for. For another device to learn with, only acting is left, in
 * single precision. */
static wac_status choose_ops(const wac_ops **ops, const wac_config *config, wac_device device,
                             wac_error *error)
{
    *ops = &wac_ops_reference;
#ifdef WAC_DOUBLE
    (void)config, (void)device, (void)error;
#else
    bool mixed = config->precision == WAC_PRECISION_MIXED && device == WAC_DEVICE_CPU;
    const char *missing = mixed ? wac_mixed_missing() : NULL;
    if (config->network != WAC_NETWORK_PLAIN && config->precision != WAC_PRECISION_SINGLE &&
        device == WAC_DEVICE_CPU)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "processors compute network %s in single precision only; set precision to "
                        "single, or network to plain",
                        wac_network_name((wac_network)config->network));
    if (missing)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "precision mixed needs a processor with %s, and this one has none; set "
                        "precision to single",
                        missing);
    if (config->backend != WAC_BACKEND_REFERENCE)
        *ops = mixed ? &wac_ops_mixed : &wac_ops_cpu;
#endif
    return WAC_STATUS_OK;
}

static wac_status create(wac_agent *agent, const wac_agent_plan *plan, wac_error *error)
{
    const wac_config *config = plan->configs;
    const wac_ops *ops;
    WAC_TRY(choose_ops(&ops, config, plan->device, error));
    wac_arena *arena = &agent->arena;
    wac_host *host = WAC_TAKE(arena, wac_host, 1);
    wac_desk *desks = WAC_TAKE(arena, wac_desk, (size_t)agent->seats);
    if (!arena->failed) {
        *host = (wac_host){.ops = ops, .desks = desks};
        agent->device = host;
    }
    for (int i = 0; i < agent->seats && !arena->failed; i++) {
        desks[i].agent = agent;
        desks[i].seat = &agent->seat[i];
        desks[i].host = host;
        take_memory(&desks[i], arena);
    }
    if (arena->failed)
        return wac_fail(error, WAC_STATUS_MEMORY,
                        "out of memory for an agent with width %lld, batch_size %lld and "
                        "replay_capacity %lld; make one of them smaller",
                        (long long)config->width, (long long)config->batch_size,
                        (long long)config->replay_capacity);
    WAC_TRY(wac_team_create(&host->team, plan->threads, plan->first_cpu, error));
    for (int i = 0; i < agent->seats; i++)
        wac_desk_begin_anew(&desks[i]);
    return WAC_STATUS_OK;
}

static void destroy(wac_agent *agent)
{
    wac_host *host = agent->device;
    if (host)
        wac_team_destroy(host->team);
}

/* --- drawing and remembering ---------------------------------------------------------------- */

static void draw_batch(wac_desk *desk)
{
    const wac_agent *agent = desk->agent;
    wac_fill_index(&desk->seat->batch_rng, (size_t)agent->rows, wac_replay_filled(&desk->replay),
                   desk->index);
    wac_gather(desk->replay.records, agent->observations, agent->actions, desk->index,
               &desk->batch);
    wac_normalise_rows(&desk->normaliser, agent->rows, desk->batch.observations);
    wac_normalise_rows(&desk->normaliser, agent->rows, desk->batch.next_observations);
    for (int i = 0; desk->seat->drawn && i < agent->rows; i++)
        wac_coverage_add(desk->seat->drawn, (double)desk->batch.observations[i],
                         (double)desk->batch.actions[i]);
}

/* Which members learn from the rows of the batch: a function of the seed and the number of the
 * transition, so that nobody has to remember it. One at least does. */
static void draw_masks(wac_desk *desk)
{
    enum { WORDS = 4, BLOCKS = WAC_POLICIES_MOST / WORDS + 1 };
    const wac_config *config = &desk->seat->config;
    const wac_rng rng = wac_rng_make((uint64_t)config->seed, WAC_STREAM_MASK);
    int rows = desk->agent->rows, members = desk->agent->row->members;
    for (int i = 0; i < rows; i++) {
        uint64_t first = (uint64_t)wac_replay_number(&desk->replay, desk->index[i]) * BLOCKS;
        uint32_t words[BLOCKS * WORDS];
        for (int b = 0; b <= members / WORDS; b++)
            wac_rng_block(&rng, first + (uint64_t)b, words + b * WORDS);
        bool any = false;
        for (int m = 0; m < members; m++) {
            bool learns = wac_rng_unit(words[m]) < config->member_share;
            desk->masks[m * rows + i] = learns;
            any |= learns;
        }
        if (!any)
            desk->masks[(int)(wac_rng_unit(words[members]) * members) * rows + i] = 1;
    }
}

static void draw_noise(wac_desk *desk)
{
    const wac_agent *agent = desk->agent;
    wac_seat *seat = desk->seat;
    size_t actions = (size_t)agent->rows * (size_t)agent->actions;
    int inputs = desk->critics.shape.inputs;
    size_t noisy = agent->row->deterministic ? 0 : (size_t)desk->policies.members;
    wac_fill_normal(&seat->noise_rng, noisy * actions, desk->noise);
    wac_fill_normal(&seat->noise_rng, (size_t)agent->members * actions, desk->next_noise);
    if (agent->row->members)
        wac_fill_normal(&seat->noise_rng, (size_t)agent->members * actions, desk->weight_noise);
    if (wac_models_read_pairs(agent))
        wac_fill_normal(&seat->noise_rng, actions, desk->models.shadow_noise);
    if (agent->row->optimist)
        wac_fill_normal(&seat->noise_rng, actions, desk->optimist.noise);
    wac_fill_uniform(&seat->synthetic_rng, (size_t)seat->synthetic * (size_t)inputs, -1, 1,
                     desk->pairs + (size_t)agent->rows * (size_t)inputs);
}

/* The critics that this update's backup chooses from: each subset is as likely as any other. */
static void draw_subset(wac_desk *desk)
{
    const wac_algorithm_row *row = desk->agent->row;
    int all[WAC_CRITICS_MOST];
    for (int i = 0; i < row->means; i++)
        all[i] = i;
    for (int i = 0; i < row->subset; i++) {
        int64_t pick;
        wac_fill_index(&desk->seat->subset_rng, 1, row->means - i, &pick);
        desk->subset[i] = all[i + pick];
        all[i + pick] = all[i];
    }
}

static void draw_piece(void *work, int piece)
{
    if (piece == 0) {
        draw_batch(work);
        if (((wac_desk *)work)->agent->row->members)
            draw_masks(work);
        return;
    }
    draw_noise(work);
    draw_subset(work);
}

static void draw_at_desk(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    assert(desk->replay.count > 0);
    if (wac_seat_begins_anew(desk->seat))
        wac_desk_begin_anew(desk);
    desk->seat->begun++;
    wac_team_run(team, draw_piece, desk, 2);
}

void wac_desk_remember(wac_agent *agent, int seat, const float *observation, const float *action,
                       double reward, const float *next_observation, bool terminated)
{
    wac_desk *desk = wac_host_desk(agent, seat);
    wac_normaliser_add(&desk->normaliser, observation);
    wac_replay_add(&desk->replay, observation, action, reward, next_observation, terminated);
    desk->seat->remembered = desk->replay.count;
    desk->seat->bandit.gained += reward;
}

static void settle(wac_agent *agent, int seat, wac_state state)
{
    (void)state;
    wac_desk_settle(wac_host_desk(agent, seat));
}

/* --- the table ------------------------------------------------------------------------------ */

/* A step that is the same at every desk. */
#define STEP(name, run)                                                                            \
    static void name(wac_agent *agent)                                                             \
    {                                                                                              \
        wac_host_each(agent, run, NULL);                                                           \
    }
STEP(draw, draw_at_desk)
STEP(weigh, wac_critics_weigh)
STEP(sample, wac_policies_sample)
STEP(tune, wac_policies_tune)
STEP(appraise, wac_models_appraise)
STEP(teach, wac_critics_teach)
STEP(climb, wac_policies_climb)
STEP(lead, wac_optimist_lead)
STEP(study, wac_models_study)
STEP(anchor, wac_critics_anchor)

/* Whoever waits for them does them: until then seats act as before. */
static void start(wac_agent *agent, int64_t updates)
{
    ((wac_host *)agent->device)->due = updates;
}

/* the host is not apart: it computes them when they are to be finished */
static wac_status await(wac_agent *agent, wac_error *error)
{
    (void)agent, (void)error;
    return WAC_STATUS_OK;
}

static wac_status finish(wac_agent *agent, wac_error *error)
{
    (void)error;
    for (wac_host *host = agent->device; host->due > 0; host->due--) {
        draw(agent);
        agent->row->learn(agent);
        for (int k = 0; k < agent->seats; k++) {
            wac_seat *seat = &agent->seat[k];
            seat->updated += seat->active;
            seat->active = seat->active && wac_seat_check(agent, k, NULL) == WAC_STATUS_OK;
        }
    }
    return WAC_STATUS_OK;
}

const wac_steps wac_steps_host = {
    .create = create,
    .destroy = destroy,
    .draw = draw,
    .weigh = weigh,
    .sample = sample,
    .tune = tune,
    .appraise = appraise,
    .back_up = wac_critics_back_up,
    .teach = teach,
    .aim = wac_policies_aim,
    .climb = climb,
    .lead = lead,
    .study = study,
    .start = start,
    .wait = await,
    .finish = finish,
    .anchor = anchor,
    .act = wac_policies_act,
    .slope = wac_critics_slope,
    .value = wac_critics_value,
    .remember = wac_desk_remember,
    .visit = wac_desk_visit,
    .settle = settle,
};
