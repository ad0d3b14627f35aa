/* The steps on a GPU by the general part of the plugin. As with the fused kernels (steps.c), the
 * host's desks stay: they act, remember, and are what is saved and loaded; the GPU has the same
 * networks, and learns with them. Whoever has the newer ones gives them to the other. */
#include "base/plugin.h"
#include "base/status.h"
#include "rl/bonus.h"
#include "rl/cuda/general_gpu.h"
#include "rl/cuda/steps.h"
#include "rl/host/critics.h"
#include "rl/host/policies.h"
#include "rl/host/state.h"

#include <assert.h>
#include <string.h>

static wac_status wait_for(wac_agent *agent, wac_error *error)
{
    char why[256];
    wac_general_gpu *gpu = wac_general_of(agent);
    if (gpu->table->wait(gpu->engine, why, sizeof why) == 0)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_IO,
                    "the GPU has failed: %s; what was saved before is whole, and goes on there or "
                    "with --device cpu",
                    why);
}

/* --- what both have --------------------------------------------------------------------------- */

enum { TWINS_MOST = 48 };

/* Numbers of a desk that the GPU has, too. */
typedef struct twin {
    void *here, *there;
    size_t bytes;
} twin;

typedef struct twins {
    int seat, count;
    twin list[TWINS_MOST];
} twins;

static void add_twin(twins *all, void *here, void *first, size_t bytes)
{
    char *there = (char *)first + (size_t)all->seat * bytes;
    if (bytes > 0 && first)
        all->list[all->count++] = (twin){here, there, bytes};
}

static void add_net(twins *all, const wac_stack *stack, wac_moments moments,
                    const wac_general_net *net)
{
    size_t bytes = wac_stack_size(stack) * sizeof(float);
    add_twin(all, stack->params, net->stack.params, bytes);
    add_twin(all, moments.first, net->first, bytes);
    add_twin(all, moments.second, net->second, bytes);
}

static void add_array(twins *all, void *here, wac_array array, size_t count)
{
    float *there = array.at + (size_t)all->seat * array.seat;
    if (count > 0 && array.at)
        all->list[all->count++] = (twin){here, there, count * sizeof(float)};
}

/* count, means and squares lie together there */
static void add_sums(twins *all, wac_normaliser *sums, const wac_general_sums *there)
{
    size_t size = (size_t)sums->size, whole = (1 + 2 * size) * sizeof(double);
    char *first = (char *)there->sums + (size_t)all->seat * whole;
    twin parts[] = {{sums->count, first, sizeof(double)},
                    {sums->mean, first + sizeof(double), size * sizeof(double)},
                    {sums->squares, first + (1 + size) * sizeof(double), size * sizeof(double)}};
    if (!there->sums)
        return;
    for (int i = 0; i < 3; i++)
        all->list[all->count++] = parts[i];
    add_array(all, sums->offset, there->offset, size);
    add_array(all, sums->scale, there->scale, size);
}

/* What learning changes, and what is made once. */
static void list_twins(twins *all, wac_agent *agent, int seat)
{
    const wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_desk *desk = wac_host_desk(agent, seat);
    wac_models *models = &desk->models;
    const wac_moments none = {NULL, NULL};
    *all = (twins){.seat = seat};
    add_net(all, &desk->policies, desk->policy_moments, &gpu->policies);
    add_net(all, &desk->critics, desk->critic_moments, &gpu->critics);
    add_net(all, &desk->targets, none, &gpu->targets);
    add_net(all, &desk->anchors, none, &gpu->anchors);
    add_net(all, &desk->shadow, none, &gpu->shadow);
    add_array(all, desk->share, v->share, (size_t)(v->policies * v->rows));
    if (!agent->row->members)
        add_array(all, desk->share, v->weight, (size_t)v->rows);
    if (agent->row->bonus) {
        add_net(all, &models->stack, models->moments, &gpu->models);
        add_net(all, &models->random, none, &gpu->random);
        add_sums(all, &models->inputs, &v->model_sums[0]);
        add_sums(all, &models->outputs, &v->model_sums[1]);
        add_sums(all, &models->bonuses, &v->model_sums[2]);
        add_array(all, models->share, v->model_share, (size_t)v->model_outputs);
    }
    if (agent->row->optimist)
        add_net(all, &desk->optimist.stack, desk->optimist.moments, &gpu->optimist);
}

/* All that the GPU has learned, to the desk. */
static void download(wac_agent *agent, int seat)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    twins all;
    if (!gpu->places[seat].learned)
        return;
    list_twins(&all, agent, seat);
    for (int i = 0; i < all.count; i++)
        gpu->table->read(gpu->engine, all.list[i].here, all.list[i].there, all.list[i].bytes);
    gpu->places[seat].learned = false;
}

/* Transitions that were remembered since the last time. */
static void upload_replay(wac_agent *agent, int seat)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_replay *replay = &wac_host_desk(agent, seat)->replay;
    const wac_array *ring = &gpu->view.replay;
    size_t record = wac_replay_record(replay);
    int64_t *uploaded = &gpu->places[seat].uploaded;
    if (replay->count - *uploaded > replay->capacity)
        *uploaded = replay->count - replay->capacity;
    while (*uploaded < replay->count) {
        /* up to where the ring begins anew */
        int64_t slot = *uploaded % replay->capacity, left = replay->count - *uploaded;
        int64_t count = left < replay->capacity - slot ? left : replay->capacity - slot;
        gpu->table->write(gpu->engine, ring->at + (size_t)seat * ring->seat + (size_t)slot * record,
                          replay->records + (size_t)slot * record,
                          (size_t)count * record * sizeof(float));
        *uploaded += count;
    }
}

/* --- seats ------------------------------------------------------------------------------------ */

/* A weight of the host's, with what Adam keeps of it. */
static wac_general_weight weight_of(const wac_entropy *all, int i)
{
    return (wac_general_weight){all->log_alpha[i], all->first[i], all->second[i]};
}

static void take_weight(const wac_entropy *all, int i, wac_general_weight weight)
{
    all->log_alpha[i] = weight.number;
    all->first[i] = weight.first;
    all->second[i] = weight.second;
}

static void tell_settings(wac_general_seat *told, const wac_agent *agent, const wac_desk *desk)
{
    const wac_config *config = &desk->seat->config;
    told->seed = (uint64_t)config->seed;
    told->remembered = desk->replay.count;
    told->capacity = desk->replay.capacity;
    told->learning_rate = config->learning_rate;
    told->std_learning_rate = config->std_learning_rate;
    told->model_learning_rate = config->model_learning_rate;
    told->divergence_rate = config->divergence_rate;
    told->weight_decay = config->weight_decay;
    told->momentum = wac_row_momentum(agent->row);
    told->member_share = config->member_share;
    told->discount = (float)config->discount;
    told->kappa = desk->seat->kappa;
    told->place = desk->seat->place;
    told->sigma_max = desk->seat->sigma_max;
    told->lambda = (float)config->lambda;
    told->target_rate = (float)config->target_rate;
    told->entropy_target = (float)(config->entropy_target * agent->actions);
    told->temperature = (float)config->backup_temperature;
    told->target_noise = (float)config->target_noise;
    told->target_noise_clip = (float)config->target_noise_clip;
    told->optimist_std = (float)config->optimist_std;
    told->divergence_target = (float)config->divergence_target;
    told->synthetic = desk->seat->synthetic;
    told->tunes = config->entropy_tuning;
    told->tunes_bonus = config->bonus_tuning;
    told->normalises = desk->normaliser.on;
    told->counts = desk->seat->drawn != NULL;
    told->delay = agent->row->delay;
    told->lag = agent->row->lag;
    told->bent = config->log_std == WAC_LOG_STD_BENT;
}

/* What the GPU is told of a seat, and goes on from; what only it knows stays. */
static void tell_seat(const wac_agent *agent, int at)
{
    wac_general_seat *told = &wac_general_of(agent)->seats[at];
    const wac_seat *seat = &agent->seat[at];
    const wac_desk *desk = wac_host_desk(agent, at);
    tell_settings(told, agent, desk);
    told->active = seat->active;
    told->batch_counter = seat->batch_rng.counter;
    told->noise_counter = seat->noise_rng.counter;
    told->synthetic_counter = seat->synthetic_rng.counter;
    told->subset_counter = seat->subset_rng.counter;
    told->begun = seat->begun;
    told->policy_steps = seat->policy_steps;
    told->critic_steps = seat->critic_steps;
    told->entropy_steps = seat->entropy_steps;
    told->model_steps = seat->model_steps;
    told->updated = seat->updated;
    told->divergence = seat->divergence;
    for (int m = 0; m < agent->policies; m++) {
        told->entropy[m] = weight_of(&desk->entropy, m);
        told->alpha[m] = seat->alpha[m];
    }
    for (int k = 0; k < agent->row->subset; k++)
        told->subset[k] = (int)desk->subset[k];
    if (agent->row->bonus)
        told->bonus = weight_of(&desk->models.weight, 0);
    told->bonus_weight = seat->bonus_weight;
    for (int i = 0; agent->row->optimist && i < 2; i++)
        told->optimism[i] = weight_of(&desk->optimist.weights, i);
    told->weights[0] = seat->optimism;
    told->weights[1] = seat->divergence_weight;
    memcpy(told->objective, seat->objective, sizeof told->objective);
    memcpy(told->loss, seat->loss, sizeof told->loss);
    memcpy(told->regularisation, seat->regularisation, sizeof told->regularisation);
    memcpy(told->average, seat->average, sizeof told->average);
    memcpy(told->average_synthetic, seat->average_synthetic, sizeof told->average_synthetic);
    memcpy(told->model_loss, seat->model_loss, sizeof told->model_loss);
}

/* What a seat has counted and seen. */
static void hear_seat(wac_agent *agent, int at)
{
    const wac_general_seat *heard = &wac_general_of(agent)->seats[at];
    wac_seat *seat = &agent->seat[at];
    wac_desk *desk = wac_host_desk(agent, at);
    seat->active = heard->active;
    seat->batch_rng.counter = heard->batch_counter;
    seat->noise_rng.counter = heard->noise_counter;
    seat->synthetic_rng.counter = heard->synthetic_counter;
    seat->subset_rng.counter = heard->subset_counter;
    seat->begun = heard->begun;
    seat->policy_steps = heard->policy_steps;
    seat->critic_steps = heard->critic_steps;
    seat->entropy_steps = heard->entropy_steps;
    seat->model_steps = heard->model_steps;
    seat->updated = heard->updated;
    seat->divergence = heard->divergence;
    for (int m = 0; m < agent->policies; m++) {
        take_weight(&desk->entropy, m, heard->entropy[m]);
        seat->alpha[m] = heard->alpha[m];
    }
    for (int k = 0; k < agent->row->subset; k++)
        desk->subset[k] = heard->subset[k];
    if (agent->row->bonus)
        take_weight(&desk->models.weight, 0, heard->bonus);
    seat->bonus_weight = heard->bonus_weight;
    for (int i = 0; agent->row->optimist && i < 2; i++)
        take_weight(&desk->optimist.weights, i, heard->optimism[i]);
    seat->optimism = heard->weights[0];
    seat->divergence_weight = heard->weights[1];
    memcpy(seat->objective, heard->objective, sizeof seat->objective);
    memcpy(seat->loss, heard->loss, sizeof seat->loss);
    memcpy(seat->regularisation, heard->regularisation, sizeof seat->regularisation);
    memcpy(seat->average, heard->average, sizeof seat->average);
    memcpy(seat->average_synthetic, heard->average_synthetic, sizeof seat->average_synthetic);
    memcpy(seat->model_loss, heard->model_loss, sizeof seat->model_loss);
}

static_assert((int)WAC_GENERAL_POLICIES == (int)WAC_POLICIES_MOST &&
                  (int)WAC_GENERAL_CRITICS == (int)WAC_CRITICS_MOST &&
                  (int)WAC_GENERAL_MODELS == (int)WAC_MODELS_MOST,
              "seats are alike");

/* The GPU knows all that the desks know. */
static void upload(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    for (int seat = 0; seat < agent->seats; seat++) {
        const wac_desk *desk = wac_host_desk(agent, seat);
        size_t o = (size_t)agent->observations;
        twins all = {.seat = seat};
        if (gpu->places[seat].changed)
            list_twins(&all, agent, seat);
        gpu->places[seat].changed = false;
        if (desk->normaliser.on) {
            add_array(&all, desk->normaliser.offset, v->offset, o);
            add_array(&all, desk->normaliser.scale, v->scale, o);
        }
        for (int i = 0; i < all.count; i++)
            gpu->table->write(gpu->engine, all.list[i].there, all.list[i].here, all.list[i].bytes);
        upload_replay(agent, seat);
        tell_seat(agent, seat);
    }
    gpu->table->write(gpu->engine, v->seats, gpu->seats, (size_t)agent->seats * sizeof *gpu->seats);
}

static void hear_seats(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->table->read(gpu->engine, gpu->seats, gpu->view.seats,
                     (size_t)agent->seats * sizeof *gpu->seats);
    for (int seat = 0; seat < agent->seats; seat++)
        hear_seat(agent, seat);
}

static void hear_coverage(wac_agent *agent, int seat)
{
    static const int64_t none[WAC_COVERAGE_BINS];
    wac_general_gpu *gpu = wac_general_of(agent);
    int64_t counts[WAC_COVERAGE_BINS];
    int64_t *there = gpu->view.coverage + (size_t)seat * WAC_COVERAGE_BINS;
    gpu->table->read(gpu->engine, counts, there, sizeof counts);
    gpu->table->write(gpu->engine, there, none, sizeof none);
    for (int i = 0; i < WAC_COVERAGE_BINS; i++)
        agent->seat[seat].drawn->counts[i] += counts[i];
}

/* --- creation --------------------------------------------------------------------------------- */

/* Transitions that runs come to hold: no more memory than that. */
static int64_t transitions_of(const wac_agent *agent)
{
    int64_t most = 1;
    for (int i = 0; i < agent->seats; i++) {
        const wac_config *config = &agent->seat[i].config;
        int64_t all = config->initial_steps + config->epochs * config->explore_steps;
        all = all < config->replay_capacity ? all : config->replay_capacity;
        most = all > most ? all : most;
    }
    return most;
}

static void move_stack(wac_stack *stack, float *to)
{
    memcpy(to, stack->params, wac_stack_size(stack) * sizeof *to);
    stack->params = to;
}

/* Memory that the GPU writes to by itself, for the stacks that act: all seats' in one copy. */
static float *lend(wac_general_gpu *gpu, const wac_general_net *net, int seats)
{
    return gpu->table->lend(gpu->engine, (size_t)seats * net->seat * sizeof(float));
}

static wac_status move_actors(wac_agent *agent, wac_error *error)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    bool critics = agent->row->explore != NULL, optimist = agent->row->optimist;
    gpu->lent_policies = lend(gpu, &gpu->policies, agent->seats);
    gpu->lent_critics = critics ? lend(gpu, &gpu->critics, agent->seats) : NULL;
    gpu->lent_optimists = optimist ? lend(gpu, &gpu->optimist, agent->seats) : NULL;
    if (!gpu->lent_policies || (critics && !gpu->lent_critics) ||
        (optimist && !gpu->lent_optimists))
        return wac_fail_memory(error, "the networks that act");
    for (int seat = 0; seat < agent->seats; seat++) {
        wac_desk *desk = wac_host_desk(agent, seat);
        move_stack(&desk->policies, gpu->lent_policies + (size_t)seat * gpu->policies.seat);
        if (critics)
            move_stack(&desk->critics, gpu->lent_critics + (size_t)seat * gpu->critics.seat);
        if (optimist)
            move_stack(&desk->optimist.stack,
                       gpu->lent_optimists + (size_t)seat * gpu->optimist.seat);
    }
    return WAC_STATUS_OK;
}

/* What is the processor's alone. */
static wac_status check_agent(const wac_agent *agent, wac_error *error)
{
    if (agent->seat->config.backend != WAC_BACKEND_CPU)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "backend reference is the processor's; use --device cpu");
    if (agent->row->particles > WAC_GENERAL_PARTICLES)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "a GPU trains with up to %d particles, and here are %d; use --device cpu",
                        WAC_GENERAL_PARTICLES, agent->row->particles);
    return WAC_STATUS_OK;
}

static wac_status load_table(const wac_general_table **table, wac_error *error)
{
    char why[256];
    int gpus;
    WAC_TRY(wac_gpu_count(&gpus, error));
    *table = wac_plugin_table("wac_cuda", WAC_GENERAL_TABLE, "WAC_CUDA_PLUGIN", why, sizeof why);
    return *table ? WAC_STATUS_OK
                  : wac_fail(error, WAC_STATUS_INPUT,
                             "--device cuda needs the part of wac that is built with CUDA (%s); "
                             "install the CUDA toolkit and build again, or use --device cpu",
                             why);
}

static wac_status create(wac_agent *agent, const wac_agent_plan *plan, wac_error *error)
{
    char why[256];
    WAC_TRY(check_agent(agent, error));
    WAC_TRY(wac_steps_host.create(agent, plan, error));
    wac_general_gpu *gpu = WAC_TAKE(&agent->arena, wac_general_gpu, 1);
    wac_general_seat *seats = WAC_TAKE(&agent->arena, wac_general_seat, (size_t)agent->seats);
    wac_general_place *places = WAC_TAKE(&agent->arena, wac_general_place, (size_t)agent->seats);
    if (agent->arena.failed)
        return wac_fail_memory(error, "the agent");
    *gpu = (wac_general_gpu){.seats = seats, .places = places};
    for (int i = 0; i < agent->seats; i++) {
        seats[i] = (wac_general_seat){.moves = 1};
        places[i] = (wac_general_place){.changed = true};
    }
    int64_t capacity = transitions_of(agent);
    size_t bytes = wac_general_lay_out(gpu, agent, capacity, NULL);
    WAC_TRY(load_table(&gpu->table, error));
    if (gpu->table->create(&gpu->engine, plan->gpu, bytes,
                           wac_gpu_precision(agent->seat->config.precision), agent->seats, why,
                           sizeof why) != 0)
        return wac_fail(error, WAC_STATUS_MEMORY,
                        "the GPU cannot take the runs: %s; train fewer at once, with a smaller "
                        "replay_capacity, or use --device cpu",
                        why);
    wac_general_lay_out(gpu, agent, capacity, gpu->table->memory(gpu->engine));
    agent->gpu = gpu;
    return move_actors(agent, error);
}

static void destroy(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    if (gpu)
        gpu->table->destroy(gpu->engine);
    wac_steps_host.destroy(agent);
}

/* --- whole updates ---------------------------------------------------------------------------- */

bool wac_general_enter(wac_agent *agent, bool movers)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    if (gpu->rehearses)
        return false;
    if (!gpu->repeats)
        upload(agent);
    gpu->movers = movers;
    return true;
}

void wac_general_leave(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->movers = false;
    if (gpu->repeats)
        return;
    hear_seats(agent);
    for (int seat = 0; seat < agent->seats; seat++)
        gpu->places[seat].learned |= agent->seat[seat].active;
}

/* One, for a graph, in which policies move or do not: of all seats, whatever they have counted. */
static void update(void *user)
{
    wac_agent *agent = user;
    wac_general_gpu *gpu = wac_general_of(agent);
    int64_t before = gpu->moving && agent->row->delay > 0 ? agent->row->delay - 1 : 0;
    for (int i = 0; i < agent->seats; i++)
        agent->seat[i].critic_steps = before;
    wac_general_draw(agent);
    agent->row->learn(agent);
    wac_general_run(gpu, WAC_GENERAL_tell, (wac_general_task){.count = 1});
}

/* Do something with update, from which seats come as they went. */
static void with_update(wac_agent *agent, bool moving, void (*run)(wac_agent *agent, void *with),
                        void *with)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->repeats = true;
    gpu->moving = moving;
    run(agent, with);
    gpu->repeats = false;
    for (int i = 0; i < agent->seats; i++)
        agent->seat[i].critic_steps = gpu->seats[i].critic_steps;
}

static void repeat(wac_agent *agent, void *with)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->table->repeat(gpu->engine, gpu->moving, *(const int64_t *)with, update, agent);
}

/* Whether the policies of any seat move in the update after so many more. */
static bool any_moves(const wac_agent *agent, int64_t more)
{
    int delay = agent->row->delay;
    bool any = delay == 0;
    for (int i = 0; i < agent->seats && !any; i++)
        any = agent->seat[i].active && (agent->seat[i].critic_steps + more + 1) % delay == 0;
    return any;
}

/* Updates until networks of a seat begin anew, at most so many. */
static int64_t updates_until_reset(const wac_seat *seat, int64_t most)
{
    const wac_config *config = &seat->config;
    int64_t interval = config->reset_interval;
    const int64_t points[] = {config->reset_first, config->reset_second,
                              interval > 0 ? (seat->begun / interval + 1) * interval : 0};
    for (int i = 0; i < 3; i++)
        if (points[i] > seat->begun && points[i] - seat->begun < most)
            most = points[i] - seat->begun;
    return most;
}

static bool any_begins_anew(const wac_agent *agent)
{
    bool any = false;
    for (int i = 0; i < agent->seats; i++)
        any |= agent->seat[i].active && wac_seat_begins_anew(&agent->seat[i]);
    return any;
}

void wac_general_begin_anew(wac_agent *agent)
{
    for (int i = 0; i < agent->seats; i++) {
        if (!agent->seat[i].active || !wac_seat_begins_anew(&agent->seat[i]))
            continue;
        download(agent, i);
        wac_desk_begin_anew(wac_host_desk(agent, i));
        wac_general_of(agent)->places[i].changed = true;
    }
}

/* Updates that are due, up to the next reset. */
static void send(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    int64_t updates = gpu->due;
    wac_general_begin_anew(agent);
    for (int i = 0; i < agent->seats; i++)
        if (agent->seat[i].active)
            updates = updates_until_reset(&agent->seat[i], updates);
    gpu->rehearses = true; /* what `learn` settles beside steps, as of a bandit's arm */
    agent->row->learn(agent);
    gpu->rehearses = false;
    upload(agent);
    for (int64_t done = 0; done < updates;) {
        bool moving = any_moves(agent, done);
        int64_t alike = 1;
        while (done + alike < updates && any_moves(agent, done + alike) == moving)
            alike++;
        with_update(agent, moving, repeat, &alike);
        done += alike;
    }
    gpu->due -= updates;
    gpu->sent = true;
}

/* Those behind a reset are sent when they are waited for: until then seats act as before. */
static void start(wac_agent *agent, int64_t updates)
{
    wac_general_of(agent)->due = updates;
    if (updates > 0 && !any_begins_anew(agent))
        send(agent);
}

/* What updates have done is heard, and that there is more to be had. */
static void hear(wac_agent *agent)
{
    hear_seats(agent);
    for (int seat = 0; seat < agent->seats; seat++)
        wac_general_of(agent)->places[seat].learned |= agent->seat[seat].updated > 0;
}

static wac_status await(wac_agent *agent, wac_error *error)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    while (gpu->due > 0) {
        WAC_TRY(wait_for(agent, error));
        if (gpu->sent)
            hear(agent);
        send(agent);
    }
    return wait_for(agent, error);
}

/* Updates are done: what they saw, and the networks that act. */
static wac_status finish(wac_agent *agent, wac_error *error)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    WAC_TRY(await(agent, error));
    const struct {
        const wac_general_net *net;
        float *lent;
    } actors[] = {{&gpu->policies, gpu->lent_policies},
                  {&gpu->critics, gpu->lent_critics},
                  {&gpu->optimist, gpu->lent_optimists}};
    for (int i = 0; gpu->sent && i < 3; i++)
        if (actors[i].lent)
            gpu->table->fetch(gpu->engine, actors[i].lent, actors[i].net->stack.params,
                              (size_t)agent->seats * actors[i].net->seat * sizeof(float));
    if (gpu->sent)
        hear(agent);
    for (int seat = 0; gpu->sent && seat < agent->seats; seat++)
        if (agent->seat[seat].drawn && agent->seat[seat].updated > 0)
            hear_coverage(agent, seat);
    gpu->sent = false;
    return wait_for(agent, error);
}

typedef struct profile {
    int64_t updates;
    const char **names;
    double *seconds;
    int most, kernels;
} profile;

static void take_profile(wac_agent *agent, void *with)
{
    profile *own = with;
    wac_general_gpu *gpu = wac_general_of(agent);
    own->kernels = gpu->table->profile(gpu->engine, own->updates, update, agent, own->names,
                                       own->seconds, own->most);
}

int wac_general_profile(wac_agent *agent, int64_t updates, const char **names, double *seconds,
                        int most)
{
    profile own = {updates, names, seconds, most, 0};
    hear_seats(agent);
    upload(agent);
    with_update(agent, true, take_profile, &own);
    return own.kernels;
}

/* --- the rest, by the host -------------------------------------------------------------------- */

static void value(wac_agent *agent, int seat, int rows, const float *observations,
                  const float *actions, float *mean, float *std)
{
    if (!agent->row->explore) /* else its critics have come with the policies */
        download(agent, seat);
    wac_steps_host.value(agent, seat, rows, observations, actions, mean, std);
}

static wac_status visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visitor,
                        void *user, wac_error *error)
{
    if (state == WAC_STATE_NETWORKS || state == WAC_STATE_LEARNING) {
        download(agent, seat);
        WAC_TRY(wait_for(agent, error));
    }
    return wac_desk_visit(agent, seat, state, visitor, user, error);
}

/* What an update reads, as it was set. */
static void upload_drawn(wac_agent *agent, int seat)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_desk *desk = wac_host_desk(agent, seat);
    size_t rows = (size_t)agent->rows, o = (size_t)agent->observations, a = (size_t)agent->actions;
    size_t members = (size_t)agent->members;
    twins all = {.seat = seat};
    add_array(&all, desk->batch.observations, v->batch_observations, rows * o);
    add_array(&all, desk->batch.actions, v->batch_actions, rows * a);
    add_array(&all, desk->batch.rewards, v->rewards, rows);
    add_array(&all, desk->batch.next_observations, v->next_observations, rows * o);
    add_array(&all, desk->batch.terminals, v->terminals, rows);
    add_array(&all, desk->noise, v->noise, (size_t)agent->policies * rows * a);
    add_array(&all, desk->next_noise, v->next_noise, members * rows * a);
    if (agent->row->members) {
        add_array(&all, desk->weight_noise, v->weight_noise, members * rows * a);
        add_array(&all, desk->masks, v->masks, members * rows);
    }
    if (v->pairs)
        add_array(&all, desk->models.shadow_noise, v->shadow_noise, rows * a);
    if (agent->row->optimist)
        add_array(&all, desk->optimist.noise, v->optimist_noise, rows * a);
    for (int i = 0; i < all.count; i++)
        gpu->table->write(gpu->engine, all.list[i].there, all.list[i].here, all.list[i].bytes);
    size_t pairs = (size_t)agent->seat[seat].synthetic * (o + a);
    gpu->table->write(gpu->engine,
                      v->drawn_pairs.at + (size_t)seat * v->drawn_pairs.seat + rows * (o + a),
                      desk->pairs + rows * (o + a), pairs * sizeof(float));
}

static void settle(wac_agent *agent, int seat, wac_state state)
{
    wac_general_place *place = &wac_general_of(agent)->places[seat];
    wac_steps_host.settle(agent, seat, state);
    if (state == WAC_STATE_REPLAY)
        place->uploaded = 0;
    else if (state == WAC_STATE_DRAWN)
        upload_drawn(agent, seat);
    else
        place->changed = true;
}

/* acting needs no more than what `finish` brings */
const wac_steps wac_steps_general = {
    .create = create,
    .destroy = destroy,
    .draw = wac_general_draw,
    .weigh = wac_general_weigh,
    .sample = wac_general_sample,
    .tune = wac_general_tune,
    .appraise = wac_general_appraise,
    .back_up = wac_general_back_up,
    .teach = wac_general_teach,
    .aim = wac_general_aim,
    .climb = wac_general_climb,
    .lead = wac_general_lead,
    .study = wac_general_study,
    .start = start,
    .wait = await,
    .finish = finish,
    .anchor = wac_general_anchor,
    .act = wac_policies_act,
    .slope = wac_critics_slope,
    .value = value,
    .remember = wac_desk_remember,
    .visit = visit,
    .settle = settle,
};
