/* The steps on a GPU by the general part of the plugin. As with the fused kernels (steps.c), the
 * host's desks stay: they act, remember, and are what is saved and loaded; the GPU has the same
 * networks, and learns with them. Whoever has the newer ones gives them to the other. */
#include "base/status.h"
#include "rl/bonus.h"
#include "rl/cuda/general_gpu.h"
#include "rl/cuda/ways.h"
#include "rl/host/critics.h"
#include "rl/host/policies.h"
#include "rl/host/state.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

static wac_status wait_for(wac_agent *agent, wac_error *error)
{
    char why[256];
    wac_general_gpu *gpu = wac_general_of(agent);
    if (gpu->table->wait(gpu->engine, why, sizeof why) == 0 && !gpu->overfull)
        return WAC_STATUS_OK;
    return wac_gpu_has_failed(
        error, gpu->overfull ? "a run remembers more transitions than its epochs make" : why);
}

/* --- creation --------------------------------------------------------------------------------- */

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
        wac_gpu_move_stack(&desk->policies, gpu->lent_policies + (size_t)seat * gpu->policies.seat);
        if (critics)
            wac_gpu_move_stack(&desk->critics,
                               gpu->lent_critics + (size_t)seat * gpu->critics.seat);
        if (optimist)
            wac_gpu_move_stack(&desk->optimist.stack,
                               gpu->lent_optimists + (size_t)seat * gpu->optimist.seat);
    }
    return WAC_STATUS_OK;
}

/* What is the processor's alone. */
static wac_status check_agent(const wac_agent *agent, wac_error *error)
{
    WAC_TRY(wac_gpu_check(agent, error));
    if (agent->row->particles > WAC_GENERAL_PARTICLES)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "a GPU trains with up to %d particles, and here are %d; use --device cpu",
                        WAC_GENERAL_PARTICLES, agent->row->particles);
    return WAC_STATUS_OK;
}

static wac_status create(wac_agent *agent, const wac_agent_plan *plan, wac_error *error)
{
    char why[256];
    const void *table;
    WAC_TRY(check_agent(agent, error));
    WAC_TRY(wac_steps_host.create(agent, plan, error));
    wac_general_gpu *gpu = WAC_TAKE(&agent->arena, wac_general_gpu, 1);
    wac_general_seat *seats = WAC_TAKE(&agent->arena, wac_general_seat, (size_t)agent->seats);
    wac_gpu_place *places = WAC_TAKE(&agent->arena, wac_gpu_place, (size_t)agent->seats);
    if (agent->arena.failed)
        return wac_fail_memory(error, "the agent");
    *gpu = (wac_general_gpu){.seats = seats, .places = places};
    for (int i = 0; i < agent->seats; i++) {
        seats[i] = (wac_general_seat){.moves = 1};
        places[i] = (wac_gpu_place){.changed = true};
    }
    int64_t capacity = wac_gpu_transitions(agent);
    size_t bytes = wac_general_lay_out(gpu, agent, capacity, NULL);
    if (gpu->longest > INT_MAX)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "networks, or what they make of a batch, of %zu numbers are too large for "
                        "a GPU, which counts to %d; use a smaller width or batch_size, or --device "
                        "cpu",
                        gpu->longest, INT_MAX);
    WAC_TRY(wac_gpu_table(&table, WAC_GENERAL_TABLE, error));
    gpu->table = table;
    if (gpu->table->create(&gpu->engine, plan->gpu, bytes,
                           wac_gpu_precision(agent->seat->config.precision), agent->seats, why,
                           sizeof why) != 0)
        return wac_gpu_is_full(error, why);
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
        wac_general_upload(agent);
    gpu->movers = movers;
    return !gpu->overfull;
}

void wac_general_leave(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    gpu->movers = false;
    if (gpu->repeats)
        return;
    wac_general_hear(agent);
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
        wac_general_download(agent, i);
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
    wac_general_upload(agent);
    if (gpu->overfull) {
        gpu->due = 0;
        return;
    }
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
    wac_general_hear(agent);
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
            wac_general_hear_coverage(agent, seat);
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
    wac_general_hear(agent);
    wac_general_upload(agent);
    with_update(agent, true, take_profile, &own);
    return own.kernels;
}

/* --- the rest, by the host -------------------------------------------------------------------- */

static void value(wac_agent *agent, int seat, int rows, const float *observations,
                  const float *actions, float *mean, float *std)
{
    if (!agent->row->explore) /* else its critics have come with the policies */
        wac_general_download(agent, seat);
    wac_steps_host.value(agent, seat, rows, observations, actions, mean, std);
}

static wac_status visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visitor,
                        void *user, wac_error *error)
{
    if (state == WAC_STATE_NETWORKS || state == WAC_STATE_LEARNING) {
        wac_general_download(agent, seat);
        WAC_TRY(wait_for(agent, error));
    }
    return wac_desk_visit(agent, seat, state, visitor, user, error);
}

static void settle(wac_agent *agent, int seat, wac_state state)
{
    wac_gpu_place *place = &wac_general_of(agent)->places[seat];
    wac_steps_host.settle(agent, seat, state);
    if (state == WAC_STATE_REPLAY)
        place->uploaded = 0;
    else if (state == WAC_STATE_DRAWN)
        wac_general_upload_drawn(agent, seat);
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
