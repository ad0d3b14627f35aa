/* What a desk and a GPU both have of a seat: networks, sums, replay, what is drawn, settings and
 * counters, there and back, for the general part of the plugin. */
#include "rl/bonus.h"
#include "rl/cuda/general_gpu.h"

#include <assert.h>
#include <string.h>

/* --- numbers ---------------------------------------------------------------------------------- */

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
    if (bytes > 0 && first)
        all->list[all->count++] = (twin){here, (char *)first + (size_t)all->seat * bytes, bytes};
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
    if (count > 0 && array.at)
        all->list[all->count++] =
            (twin){here, array.at + (size_t)all->seat * array.seat, count * sizeof(float)};
}

/* count, means and squares lie together there */
static void add_sums(twins *all, wac_normaliser *sums, const wac_general_sums *there)
{
    size_t size = (size_t)sums->size, whole = (1 + 2 * size) * sizeof(double);
    if (!there->sums)
        return;
    char *first = (char *)there->sums + (size_t)all->seat * whole;
    twin parts[] = {{sums->count, first, sizeof(double)},
                    {sums->mean, first + sizeof(double), size * sizeof(double)},
                    {sums->squares, first + (1 + size) * sizeof(double), size * sizeof(double)}};
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
    add_array(all, desk->share, v->share, (size_t)v->policies * (size_t)v->rows);
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
void wac_general_download(wac_agent *agent, int seat)
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
    int64_t slot, count;
    while ((count = wac_replay_part(replay, &gpu->places[seat].uploaded, &slot)) > 0) {
        if ((size_t)(slot + count) * record > ring->seat) {
            gpu->overfull = true;
            return;
        }
        gpu->table->write(gpu->engine, ring->at + (size_t)seat * ring->seat + (size_t)slot * record,
                          replay->records + (size_t)slot * record,
                          (size_t)count * record * sizeof(float));
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
void wac_general_upload(wac_agent *agent)
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

void wac_general_hear(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->table->read(gpu->engine, gpu->seats, gpu->view.seats,
                     (size_t)agent->seats * sizeof *gpu->seats);
    for (int seat = 0; seat < agent->seats; seat++)
        hear_seat(agent, seat);
}

void wac_general_hear_coverage(wac_agent *agent, int seat)
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

/* What an update reads, as it was set. */
void wac_general_upload_drawn(wac_agent *agent, int seat)
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
