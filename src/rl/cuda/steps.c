/* The steps on a GPU. The host's desks stay: they act, remember, and are what is saved and loaded;
 * the GPU has the same networks, and learns with them. Whoever has the newer ones gives them to the
 * other when it is asked for something. */
#include "rl/cuda/steps.h"

#include "base/status.h"
#include "rl/cuda/ways.h"
#include "rl/host/critics.h"
#include "rl/host/host.h"
#include "rl/host/policies.h"
#include "rl/host/state.h"

#include <assert.h>
#include <string.h>

typedef struct wac_gpu {
    const wac_engine_table *table;
    wac_engine *engine;
    wac_engine_seat *seats; /* [seats], as the GPU has them */
    wac_gpu_place *places;  /* [seats] */
    bool repeating;         /* steps are put into a graph */
} wac_gpu;

static wac_gpu *gpu_of(const wac_agent *agent)
{
    return agent->gpu;
}

static wac_status await(wac_agent *agent, wac_error *error)
{
    char why[256];
    wac_gpu *gpu = gpu_of(agent);
    if (gpu->table->wait(gpu->engine, why, sizeof why) == 0)
        return WAC_STATUS_OK;
    return wac_gpu_has_failed(error, why);
}

/* --- networks, here and there
 * --------------------------------------------------------------------*/

enum { NETWORKS = 8 };

/* What a desk has that the GPU has, too. */
typedef struct twin {
    wac_engine_block block;
    size_t count;
    real *numbers;
} twin;

static void list_twins(wac_desk *desk, twin twins[NETWORKS])
{
    size_t policies = wac_stack_size(&desk->policies), critics = wac_stack_size(&desk->critics);
    const twin list[NETWORKS] = {
        {WAC_ENGINE_POLICY_BLOCK, policies, desk->policies.params},
        {WAC_ENGINE_CRITIC_BLOCK, critics, desk->critics.params},
        {WAC_ENGINE_TARGET_BLOCK, critics, desk->targets.params},
        {WAC_ENGINE_ANCHOR_BLOCK, wac_stack_size(&desk->anchors), desk->anchors.params},
        {WAC_ENGINE_POLICY_FIRST, policies, desk->policy_moments.first},
        {WAC_ENGINE_POLICY_SECOND, policies, desk->policy_moments.second},
        {WAC_ENGINE_CRITIC_FIRST, critics, desk->critic_moments.first},
        {WAC_ENGINE_CRITIC_SECOND, critics, desk->critic_moments.second},
    };
    memcpy(twins, list, sizeof list);
}

/* All that the GPU has learned, to the desk. */
static void download(wac_agent *agent, int seat)
{
    wac_gpu *gpu = gpu_of(agent);
    twin twins[NETWORKS];
    if (!gpu->places[seat].learned)
        return;
    list_twins(wac_host_desk(agent, seat), twins);
    for (int i = 0; i < NETWORKS; i++)
        gpu->table->read(gpu->engine, seat, twins[i].block, 0, twins[i].count, twins[i].numbers);
    gpu->places[seat].learned = false;
}

/* Transitions that were remembered since the last time. */
static void upload_replay(wac_agent *agent, int seat)
{
    wac_gpu *gpu = gpu_of(agent);
    const wac_replay *replay = &wac_host_desk(agent, seat)->replay;
    size_t record = wac_replay_record(replay);
    int64_t slot, count;
    while ((count = wac_replay_part(replay, &gpu->places[seat].uploaded, &slot)) > 0)
        gpu->table->write(gpu->engine, seat, WAC_ENGINE_REPLAY, (size_t)slot * record,
                          (size_t)count * record, replay->records + (size_t)slot * record);
}

/* What the GPU is told of a seat, and goes on from. */
static void tell_seat(const wac_agent *agent, int at)
{
    wac_engine_seat *told = &gpu_of(agent)->seats[at];
    const wac_seat *seat = &agent->seat[at];
    const wac_desk *desk = wac_host_desk(agent, at);
    const wac_config *config = &seat->config;
    *told = (wac_engine_seat){
        .seed = (uint64_t)config->seed,
        .remembered = desk->replay.count,
        .capacity = desk->replay.capacity,
        .learning_rate = config->learning_rate,
        .std_learning_rate = config->std_learning_rate,
        .discount = (float)config->discount,
        .kappa = seat->kappa,
        .sigma_max = seat->sigma_max,
        .lambda = (float)config->lambda,
        .target_rate = (float)config->target_rate,
        .entropy_target = (float)(config->entropy_target * agent->actions),
        .synthetic = seat->synthetic,
        .tunes = config->entropy_tuning,
        .normalises = desk->normaliser.on,
        .counts = seat->drawn != NULL,
        .active = seat->active,
        .batch_counter = seat->batch_rng.counter,
        .noise_counter = seat->noise_rng.counter,
        .synthetic_counter = seat->synthetic_rng.counter,
        .policy_steps = seat->policy_steps,
        .critic_steps = seat->critic_steps,
        .entropy_steps = seat->entropy_steps,
    };
    for (int m = 0; m < agent->row->policies; m++) {
        told->log_alpha[m] = desk->entropy.log_alpha[m];
        told->alpha_first[m] = desk->entropy.first[m];
        told->alpha_second[m] = desk->entropy.second[m];
        told->alpha[m] = seat->alpha[m];
    }
}

/* The GPU knows all that the desks know. */
static void upload(wac_agent *agent)
{
    wac_gpu *gpu = gpu_of(agent);
    bool changed = false;
    for (int seat = 0; seat < agent->seats; seat++) {
        const wac_desk *desk = wac_host_desk(agent, seat);
        wac_gpu_place *place = &gpu->places[seat];
        twin twins[NETWORKS];
        list_twins(wac_host_desk(agent, seat), twins);
        for (int i = 0; place->changed && i < NETWORKS; i++)
            gpu->table->write(gpu->engine, seat, twins[i].block, 0, twins[i].count,
                              twins[i].numbers);
        changed |= place->changed;
        place->changed = false;
        upload_replay(agent, seat);
        if (desk->normaliser.on) {
            size_t size = (size_t)agent->observations;
            gpu->table->write(gpu->engine, seat, WAC_ENGINE_OFFSET, 0, size,
                              desk->normaliser.offset);
            gpu->table->write(gpu->engine, seat, WAC_ENGINE_SCALE, 0, size, desk->normaliser.scale);
        }
        tell_seat(agent, seat);
    }
    gpu->table->write_seats(gpu->engine, gpu->seats);
    if (changed)
        gpu->table->settle(gpu->engine);
}

/* What a seat has counted and seen. */
static void hear_seat(wac_agent *agent, int at)
{
    const wac_engine_seat *heard = &gpu_of(agent)->seats[at];
    wac_seat *seat = &agent->seat[at];
    wac_desk *desk = wac_host_desk(agent, at);
    seat->active = heard->active;
    seat->updated = heard->updated;
    seat->batch_rng.counter = heard->batch_counter;
    seat->noise_rng.counter = heard->noise_counter;
    seat->synthetic_rng.counter = heard->synthetic_counter;
    seat->policy_steps = heard->policy_steps;
    seat->critic_steps = heard->critic_steps;
    seat->entropy_steps = heard->entropy_steps;
    for (int m = 0; m < agent->row->policies; m++) {
        desk->entropy.log_alpha[m] = heard->log_alpha[m];
        desk->entropy.first[m] = heard->alpha_first[m];
        desk->entropy.second[m] = heard->alpha_second[m];
        seat->alpha[m] = heard->alpha[m];
        seat->objective[m] = heard->objective[m];
    }
    for (int m = 0; m < agent->critics; m++) {
        seat->loss[m] = heard->loss[m];
        seat->regularisation[m] = heard->regularisation[m];
        seat->average[m] = heard->average[m];
        seat->average_synthetic[m] = heard->average_synthetic[m];
    }
}

static void hear_coverage(wac_agent *agent, int seat)
{
    static const int64_t none[WAC_COVERAGE_BINS];
    wac_gpu *gpu = gpu_of(agent);
    int64_t counts[WAC_COVERAGE_BINS];
    gpu->table->read(gpu->engine, seat, WAC_ENGINE_COVERAGE, 0, WAC_COVERAGE_BINS, counts);
    gpu->table->write(gpu->engine, seat, WAC_ENGINE_COVERAGE, 0, WAC_COVERAGE_BINS, none);
    for (int i = 0; i < WAC_COVERAGE_BINS; i++)
        agent->seat[seat].drawn->counts[i] += counts[i];
}

/* Updates are done: what they saw, and the networks that act. */
static wac_status hear(wac_agent *agent, wac_error *error)
{
    wac_gpu *gpu = gpu_of(agent);
    gpu->table->fetch(gpu->engine, WAC_ENGINE_POLICY_BLOCK);
    if (agent->row->explore)
        gpu->table->fetch(gpu->engine, WAC_ENGINE_CRITIC_BLOCK);
    gpu->table->read_seats(gpu->engine, gpu->seats);
    WAC_TRY(await(agent, error));
    for (int seat = 0; seat < agent->seats; seat++) {
        if (gpu->seats[seat].updated == 0)
            continue;
        hear_seat(agent, seat);
        gpu->places[seat].learned = true;
        if (agent->seat[seat].drawn)
            hear_coverage(agent, seat);
    }
    return await(agent, error);
}

/* --- creation
 * ------------------------------------------------------------------------------------*/

static wac_engine_layout layout_of(const wac_stack *stack)
{
    wac_engine_layout layout = {.stride = stack->stride};
    for (int i = 0; i < 3; i++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, 0, i);
        layout.weight[i] = (size_t)(layer.weight - stack->params);
        layout.bias[i] = (size_t)(layer.bias - stack->params);
    }
    return layout;
}

static wac_engine_shape shape_of(const wac_agent *agent, int gpu)
{
    const wac_desk *desk = wac_host_desk(agent, 0);
    return (wac_engine_shape){
        .seats = agent->seats,
        .policies = agent->row->policies,
        .means = agent->row->means,
        .stds = agent->row->stds,
        .observations = agent->observations,
        .actions = agent->actions,
        .rows = agent->rows,
        .synthetic = agent->synthetic,
        .width = (int)agent->seat->config.width,
        .gpu = gpu,
        .capacity = wac_gpu_transitions(agent),
        .precision = wac_gpu_precision(agent->seat->config.precision),
        .policy = layout_of(&desk->policies),
        .critic = layout_of(&desk->critics),
    };
}

/* What acts lies where the GPU writes to by itself: all seats' in one copy, for which nobody waits
 * twice. */
static wac_status move_actors(wac_agent *agent, wac_error *error)
{
    wac_gpu *gpu = gpu_of(agent);
    bool critics = agent->row->explore != NULL;
    real *policy = gpu->table->lend(gpu->engine, WAC_ENGINE_POLICY_BLOCK);
    real *critic = critics ? gpu->table->lend(gpu->engine, WAC_ENGINE_CRITIC_BLOCK) : NULL;
    if (!policy || (critics && !critic))
        return wac_fail_memory(error, "the networks that act");
    for (int seat = 0; seat < agent->seats; seat++) {
        wac_desk *desk = wac_host_desk(agent, seat);
        wac_gpu_move_stack(&desk->policies,
                           policy + (size_t)seat * wac_stack_size(&desk->policies));
        if (critics)
            wac_gpu_move_stack(&desk->critics,
                               critic + (size_t)seat * wac_stack_size(&desk->critics));
    }
    return WAC_STATUS_OK;
}

static wac_status create(wac_agent *agent, const wac_agent_plan *plan, wac_error *error)
{
    char why[256];
    const void *table;
    WAC_TRY(wac_gpu_check(agent, error));
    WAC_TRY(wac_steps_host.create(agent, plan, error));
    wac_gpu *gpu = WAC_TAKE(&agent->arena, wac_gpu, 1);
    wac_engine_seat *seats = WAC_TAKE(&agent->arena, wac_engine_seat, (size_t)agent->seats);
    wac_gpu_place *places = WAC_TAKE(&agent->arena, wac_gpu_place, (size_t)agent->seats);
    if (agent->arena.failed)
        return wac_fail_memory(error, "the agent");
    *gpu = (wac_gpu){.seats = seats, .places = places};
    for (int i = 0; i < agent->seats; i++)
        places[i].changed = true;
    WAC_TRY(wac_gpu_table(&table, WAC_ENGINE_TABLE, error));
    gpu->table = table;
    wac_engine_shape shape = shape_of(agent, plan->gpu);
    if (gpu->table->create(&gpu->engine, &shape, why, sizeof why) != 0)
        return wac_gpu_is_full(error, why);
    agent->gpu = gpu;
    return move_actors(agent, error);
}

static void destroy(wac_agent *agent)
{
    wac_gpu *gpu = gpu_of(agent);
    if (gpu)
        gpu->table->destroy(gpu->engine);
    wac_steps_host.destroy(agent);
}

/* --- the steps of an update
 * ----------------------------------------------------------------------*/

/* A first step by itself, not as part of a graph: the GPU may not know all yet. */
static void begin(wac_agent *agent)
{
    if (!gpu_of(agent)->repeating)
        upload(agent);
}

static void draw(wac_agent *agent)
{
    begin(agent);
    gpu_of(agent)->table->draw(gpu_of(agent)->engine);
}

static void sample(wac_agent *agent)
{
    begin(agent);
    gpu_of(agent)->table->sample(gpu_of(agent)->engine);
}

static void tune(wac_agent *agent)
{
    gpu_of(agent)->table->tune(gpu_of(agent)->engine);
}

static void back_up(wac_agent *agent, int next, int entropy)
{
    gpu_of(agent)->table->back_up(gpu_of(agent)->engine, next, entropy);
}

static void teach(wac_agent *agent)
{
    gpu_of(agent)->table->teach(gpu_of(agent)->engine);
}

static void aim(wac_agent *agent, int policy, wac_aim at)
{
    assert(at != WAC_AIM_AVERAGE); /* see is_fused */
    gpu_of(agent)->table->aim(gpu_of(agent)->engine, policy, at == WAC_AIM_BOUND);
}

static void climb(wac_agent *agent)
{
    wac_gpu *gpu = gpu_of(agent);
    gpu->table->climb(gpu->engine);
    if (!gpu->repeating)
        (void)hear(agent, NULL); /* the next who can fail tells */
}

static void update(void *user)
{
    wac_agent *agent = user;
    draw(agent);
    agent->row->learn(agent);
}

static void start(wac_agent *agent, int64_t updates)
{
    wac_gpu *gpu = gpu_of(agent);
    upload(agent);
    gpu->repeating = true;
    gpu->table->repeat(gpu->engine, updates, update, agent);
    gpu->repeating = false;
}

int wac_gpu_profile(wac_agent *agent, int64_t updates, const char **names, double *seconds,
                    int most)
{
    if (agent->steps == &wac_steps_general)
        return wac_general_profile(agent, updates, names, seconds, most);
    wac_gpu *gpu = gpu_of(agent);
    upload(agent);
    gpu->repeating = true;
    int kernels = gpu->table->profile(gpu->engine, updates, update, agent, names, seconds, most);
    gpu->repeating = false;
    return kernels;
}

static void anchor(wac_agent *agent)
{
    wac_gpu *gpu = gpu_of(agent);
    upload(agent);
    gpu->table->anchor(gpu->engine);
    for (int i = 0; i < agent->seats; i++)
        gpu->places[i].learned |= agent->seat[i].active;
}

/* --- the rest, by the host
 * -----------------------------------------------------------------------*/

static void value(wac_agent *agent, int seat, int rows, const float *observations,
                  const float *actions, float *mean, float *std)
{
    download(agent, seat);
    wac_steps_host.value(agent, seat, rows, observations, actions, mean, std);
}

static wac_status visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visitor,
                        void *user, wac_error *error)
{
    if (state == WAC_STATE_NETWORKS || state == WAC_STATE_LEARNING) {
        download(agent, seat);
        WAC_TRY(await(agent, error));
    }
    return wac_desk_visit(agent, seat, state, visitor, user, error);
}

/* What an update reads, as it was set. */
static void upload_drawn(wac_agent *agent, int seat)
{
    wac_gpu *gpu = gpu_of(agent);
    const wac_desk *desk = wac_host_desk(agent, seat);
    size_t rows = (size_t)agent->rows, o = (size_t)agent->observations, a = (size_t)agent->actions;
    size_t policies = (size_t)agent->row->policies, pairs = (size_t)agent->seat[seat].synthetic;
    const twin drawn[] = {
        {WAC_ENGINE_OBSERVATIONS, rows * o, desk->batch.observations},
        {WAC_ENGINE_ACTIONS, rows * a, desk->batch.actions},
        {WAC_ENGINE_REWARDS, rows, desk->batch.rewards},
        {WAC_ENGINE_NEXT_OBSERVATIONS, rows * o, desk->batch.next_observations},
        {WAC_ENGINE_TERMINALS, rows, desk->batch.terminals},
        {WAC_ENGINE_NOISE, policies * rows * a, desk->noise},
        {WAC_ENGINE_NEXT_NOISE, rows * a, desk->next_noise},
        {WAC_ENGINE_SYNTHETIC, pairs * (o + a), desk->pairs + rows * (o + a)},
    };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        gpu->table->write(gpu->engine, seat, drawn[i].block, 0, drawn[i].count, drawn[i].numbers);
}

static void settle(wac_agent *agent, int seat, wac_state state)
{
    wac_gpu_place *place = &gpu_of(agent)->places[seat];
    wac_steps_host.settle(agent, seat, state);
    if (state == WAC_STATE_REPLAY)
        place->uploaded = 0;
    else if (state == WAC_STATE_DRAWN)
        upload_drawn(agent, seat);
    else
        place->changed = true;
}

/* acting needs no more than what `finish` brings */
const wac_steps wac_steps_cuda = {
    .create = create,
    .destroy = destroy,
    .draw = draw,
    .sample = sample,
    .tune = tune,
    .back_up = back_up,
    .teach = teach,
    .aim = aim,
    .climb = climb,
    .start = start,
    .wait = await,
    .finish = hear,
    .anchor = anchor,
    .act = wac_policies_act,
    .slope = wac_critics_slope,
    .value = value,
    .remember = wac_desk_remember,
    .visit = visit,
    .settle = settle,
};
