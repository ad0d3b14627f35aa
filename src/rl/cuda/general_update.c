/* The steps of an update on a GPU by the general part of the plugin, each as the host does it
 * (rl/host/host.c, critics.c, policies.c), for all seats at once. */
#include "rl/cuda/general_gpu.h"

#include "rl/host/models.h"

static size_t draws_of(const wac_general_view *v)
{
    return (size_t)v->rows * (size_t)v->actions;
}

/* --- draw ------------------------------------------------------------------------------------- */

/* `count` normals to every seat, behind those of so many blocks; returns these and its own */
static int fill_normal(wac_general_gpu *gpu, wac_array out, size_t count, int blocks)
{
    int own = (int)((count + 3) / 4);
    wac_general_run(
        gpu, WAC_GENERAL_fill_normal,
        (wac_general_task){.count = own, .x = out, .columns = (int)count, .first = blocks});
    return blocks + own;
}

static int draw_noise(wac_general_gpu *gpu, const wac_agent *agent)
{
    const wac_general_view *v = &gpu->view;
    size_t draws = draws_of(v), members = (size_t)v->members;
    int blocks = 0;
    if (!v->deterministic)
        blocks = fill_normal(gpu, v->noise, (size_t)v->policies * draws, blocks);
    blocks = fill_normal(gpu, v->next_noise, members * draws, blocks);
    if (agent->row->members)
        blocks = fill_normal(gpu, v->weight_noise, members * draws, blocks);
    if (v->pairs)
        blocks = fill_normal(gpu, v->shadow_noise, draws, blocks);
    if (agent->row->optimist)
        blocks = fill_normal(gpu, v->optimist_noise, draws, blocks);
    return blocks;
}

static bool any_counts(const wac_agent *agent)
{
    bool any = false;
    for (int i = 0; i < agent->seats; i++)
        any |= agent->seat[i].drawn != NULL;
    return any;
}

void wac_general_draw(wac_agent *agent)
{
    if (!wac_general_of(agent)->repeats)
        wac_general_begin_anew(agent);
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    int inputs = v->observations + v->actions, record = inputs + v->observations + 2;
    wac_general_run(gpu, WAC_GENERAL_draw_index, (wac_general_task){.count = (v->rows + 3) / 4});
    wac_general_run(gpu, WAC_GENERAL_gather, (wac_general_task){.count = v->rows * record});
    if (any_counts(agent))
        wac_general_run(gpu, WAC_GENERAL_count_pairs, (wac_general_task){.count = v->rows});
    if (agent->row->members)
        wac_general_run(gpu, WAC_GENERAL_draw_masks, (wac_general_task){.count = v->rows});
    int blocks = draw_noise(gpu, agent);
    wac_general_run(gpu, WAC_GENERAL_fill_pairs,
                    (wac_general_task){.count = (v->synthetic * inputs + 3) / 4});
    wac_general_run(gpu, WAC_GENERAL_draw_subset, (wac_general_task){.count = v->subset > 0});
    wac_general_run(gpu, WAC_GENERAL_advance, (wac_general_task){.count = 1, .first = blocks});
    wac_general_leave(agent);
}

/* --- actions ---------------------------------------------------------------------------------- */

static void join(wac_general_gpu *gpu, wac_array observations, wac_array actions, wac_array out)
{
    const wac_general_view *v = &gpu->view;
    wac_general_run(gpu, WAC_GENERAL_join,
                    (wac_general_task){.count = v->rows * (v->observations + v->actions),
                                       .stride = v->actions,
                                       .x = observations,
                                       .y = actions,
                                       .z = out});
}

void wac_general_scale(wac_general_gpu *gpu, wac_general_learner learner)
{
    float rows = 1;
    while (2 * rows <= (float)gpu->view.rows)
        rows *= 2;
    gpu->scale = learner == WAC_GENERAL_POLICY ? 16 * rows : rows / 16;
}

/* A step of a learner is next. */
static void prepare(wac_general_gpu *gpu, wac_general_learner learner)
{
    wac_general_run(gpu, WAC_GENERAL_prepare,
                    (wac_general_task){.count = 1, .flags = (int)learner});
}

void wac_general_sample(wac_agent *agent)
{
    if (!wac_general_enter(agent, true))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_general_forward(gpu, &gpu->policies, v->batch_observations,
                        (wac_general_rows){.count = v->rows}, &gpu->policy_trace);
    wac_general_run(gpu, WAC_GENERAL_sample,
                    (wac_general_task){.count = v->policies * v->rows,
                                       .x = wac_general_out(&gpu->policy_trace, &gpu->policies),
                                       .y = v->noise,
                                       .z = v->action,
                                       .w = v->log_prob});
    wac_general_leave(agent);
}

void wac_general_tune(wac_agent *agent)
{
    if (!wac_general_enter(agent, true))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    prepare(gpu, WAC_GENERAL_ENTROPY);
    wac_general_run(gpu, WAC_GENERAL_tune_entropy, (wac_general_task){.count = gpu->view.policies});
    wac_general_leave(agent);
}

/* --- targets ---------------------------------------------------------------------------------- */

/* The target critics of a member, at the next action of its policy, or of the shadow, by noise
 * [members][B][A]; what they say lies in their places. */
static void ask_targets(wac_agent *agent, int member, int policy, wac_array noise)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    const wac_algorithm_row *row = agent->row;
    int own = v->critics / v->members;
    wac_general_rows rows = {.count = v->rows};
    wac_general_net actor =
        policy == WAC_NEXT_SHADOW
            ? gpu->shadow
            : wac_general_slice(&gpu->policies, member * row->policies + policy, 1);
    wac_general_net targets = wac_general_slice(&gpu->targets, member * own, own);
    wac_general_trace trace = wac_general_at(&gpu->critic_trace, &targets, member * own);
    if (row->subset) {
        targets.stack.members = row->subset;
        targets.chosen = true;
    }
    wac_general_forward(gpu, &actor, v->next_observations, rows, &gpu->next_trace);
    wac_general_run(gpu, WAC_GENERAL_sample,
                    (wac_general_task){.count = v->rows,
                                       .flags = true,
                                       .x = wac_general_out(&gpu->next_trace, &actor),
                                       .y = wac_array_from(noise, (size_t)member * draws_of(v)),
                                       .z = v->next_action,
                                       .w = v->next_log_prob});
    join(gpu, v->next_observations, v->next_action, v->query);
    wac_general_forward(gpu, &targets, v->query, rows, &trace);
}

void wac_general_back_up(wac_agent *agent, int next, int entropy)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    int own = v->critics / v->members;
    wac_general_run(gpu, WAC_GENERAL_plan, (wac_general_task){.count = 1});
    for (int m = 0; m < v->members; m++) {
        ask_targets(agent, m, next, v->next_noise);
        wac_general_trace said = wac_general_at(&gpu->critic_trace, &gpu->critics, m * own);
        wac_general_task task = {.count = v->rows,
                                 .first = m * agent->row->policies + entropy,
                                 .columns = v->subset ? v->subset : v->means / v->members,
                                 .capacity = said.pass.capacity,
                                 .x = wac_general_out(&said, &gpu->critics),
                                 .y = wac_array_from(v->mean_target, (size_t)m * (size_t)v->rows)};
        if (wac_models_read_pairs(agent)) {
            wac_general_appraise_next(agent);
            task.flags = true;
        }
        if (v->quantiles)
            task.count *= v->quantiles;
        wac_general_run(gpu,
                        v->shared      ? WAC_GENERAL_belief_target
                        : v->quantiles ? WAC_GENERAL_quantile_target
                                       : WAC_GENERAL_td_target,
                        task);
    }
    wac_general_leave(agent);
}

static bool any_temperature(const wac_agent *agent)
{
    bool any = false;
    for (int i = 0; i < agent->seats; i++)
        any |= agent->seat[i].config.backup_temperature > 0;
    return any;
}

void wac_general_weigh(wac_agent *agent)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    for (int m = 0; any_temperature(agent) && m < v->members; m++)
        ask_targets(agent, m, 0, v->weight_noise);
    wac_general_run(gpu, WAC_GENERAL_weigh_rows,
                    (wac_general_task){.count = v->rows,
                                       .capacity = gpu->critic_trace.pass.capacity,
                                       .x = wac_general_out(&gpu->critic_trace, &gpu->critics)});
    wac_general_run(gpu, WAC_GENERAL_weigh_member, (wac_general_task){.count = v->members});
    wac_general_leave(agent);
}

/* --- critics ---------------------------------------------------------------------------------- */

/* What critics from `first` on say of their pairs. */
static void look(wac_general_gpu *gpu, int first, int critics, bool pairs)
{
    wac_general_net net = wac_general_slice(&gpu->critics, first, critics);
    wac_general_trace trace = wac_general_at(&gpu->critic_trace, &net, first);
    wac_general_forward(gpu, &net, gpu->view.drawn_pairs, (wac_general_rows){gpu->view.rows, pairs},
                        &trace);
}

static void look_back(wac_general_gpu *gpu, int first, int critics, bool pairs)
{
    wac_general_net net = wac_general_slice(&gpu->critics, first, critics);
    wac_general_trace trace = wac_general_at(&gpu->critic_trace, &net, first);
    size_t rows = (size_t)trace.pass.capacity * (size_t)gpu->view.outputs;
    wac_general_backward(
        gpu, &net, gpu->view.drawn_pairs, (wac_general_rows){gpu->view.rows, pairs}, &trace,
        wac_array_from(gpu->view.dout, (size_t)first * rows), true, (wac_array){0}, 0);
}

static void ask_anchors(wac_general_gpu *gpu)
{
    const wac_general_view *v = &gpu->view;
    size_t pairs = (size_t)v->rows * (size_t)(v->observations + v->actions);
    wac_general_forward(gpu, &gpu->anchors, wac_array_from(v->drawn_pairs, pairs),
                        (wac_general_rows){.count = v->synthetic}, &gpu->anchor_trace);
}

/* From what critics said to the slope of their errors. */
static void find_errors(wac_general_gpu *gpu)
{
    const wac_general_view *v = &gpu->view;
    wac_general_task task = {.count = v->means,
                             .columns = v->means / v->members,
                             .capacity = gpu->critic_trace.pass.capacity,
                             .x = wac_general_out(&gpu->critic_trace, &gpu->critics),
                             .y = wac_general_out(&gpu->anchor_trace, &gpu->anchors)};
    if (v->shared) {
        wac_general_task error = task;
        error.rows = v->rows + v->synthetic;
        error.count = v->means * error.rows;
        wac_general_run(gpu, WAC_GENERAL_belief_error, error);
        wac_general_run(gpu, WAC_GENERAL_belief_tell, task);
    } else if (v->quantiles > 1) {
        wac_general_task pull = task;
        pull.count = v->means * v->rows * v->quantiles;
        wac_general_run(gpu, WAC_GENERAL_quantile_pull, pull);
        wac_general_run(gpu, WAC_GENERAL_quantile_error, task);
    } else {
        wac_general_run(gpu, WAC_GENERAL_mean_error, task);
        task.count = v->stds;
        wac_general_run(gpu, WAC_GENERAL_std_error, task);
    }
}

void wac_general_teach(wac_agent *agent)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    int stds = v->shared ? 0 : v->stds;
    for (int i = 0; gpu->repeats && i < agent->seats; i++)
        agent->seat[i].critic_steps++; /* what wac_agent_let_rest asks next */
    prepare(gpu, WAC_GENERAL_CRITIC);
    join(gpu, v->batch_observations, v->batch_actions, v->drawn_pairs);
    if (v->stds)
        ask_anchors(gpu);
    look(gpu, 0, v->means, v->shared);
    look(gpu, v->means, stds, true);
    find_errors(gpu);
    wac_general_scale(gpu, WAC_GENERAL_CRITIC);
    look_back(gpu, 0, v->means, v->shared);
    look_back(gpu, v->means, stds, true);
    wac_general_move(gpu, &gpu->critics, WAC_GENERAL_CRITIC, v->means, &gpu->targets);
    wac_general_leave(agent);
}

void wac_general_anchor(wac_agent *agent)
{
    if (!agent->row->stds || !wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_general_net stds = wac_general_slice(&gpu->critics, v->shared ? 0 : v->means, v->stds);
    wac_general_run(gpu, WAC_GENERAL_copy,
                    (wac_general_task){.count = (int)wac_stack_size(&stds.stack),
                                       .x = {stds.stack.params, stds.seat},
                                       .y = {gpu->anchors.stack.params, gpu->anchors.seat}});
    for (int i = 0; i < agent->seats; i++)
        gpu->places[i].learned |= agent->seat[i].active;
    wac_general_leave(agent);
}

/* --- policies --------------------------------------------------------------------------------- */

void wac_general_pull(wac_agent *agent, int member, wac_aim at, bool optimism, wac_array action,
                      wac_array share, wac_array daction)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    int means = v->means / v->members, stds = at == WAC_AIM_BOUND ? v->stds : 0;
    int networks = means + (v->shared ? 0 : stds);
    wac_general_net critics = wac_general_slice(&gpu->critics, member * means, networks);
    wac_general_rows rows = {.count = v->rows};
    join(gpu, v->batch_observations, action, v->query);
    wac_general_forward(gpu, &critics, v->query, rows, &gpu->critic_trace);
    wac_general_run(gpu,
                    v->shared               ? WAC_GENERAL_belief_bound
                    : v->quantiles          ? WAC_GENERAL_quantile_bound
                    : at == WAC_AIM_AVERAGE ? WAC_GENERAL_average_bound
                                            : WAC_GENERAL_smallest_bound,
                    (wac_general_task){.count = v->rows,
                                       .columns = means,
                                       .capacity = gpu->critic_trace.pass.capacity,
                                       .flags = v->quantiles ? optimism : stds > 0,
                                       .x = wac_general_out(&gpu->critic_trace, &critics),
                                       .z = share});
    wac_general_scale(gpu, WAC_GENERAL_POLICY);
    wac_general_backward(gpu, &critics, v->query, rows, &gpu->critic_trace, v->dout, false,
                         v->dactions, v->observations);
    wac_general_run(gpu, WAC_GENERAL_sum_actions,
                    (wac_general_task){.count = (int)draws_of(v),
                                       .columns = networks,
                                       .capacity = gpu->critic_trace.pass.capacity,
                                       .z = daction});
}

void wac_general_aim(wac_agent *agent, int policy, wac_aim at)
{
    if (!wac_general_enter(agent, true))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    size_t rows = (size_t)policy * (size_t)v->rows, draws = (size_t)policy * draws_of(v);
    wac_general_pull(agent, policy / agent->row->policies, at, false,
                     wac_array_from(v->action, draws), wac_array_from(v->share, rows),
                     wac_array_from(v->daction, draws));
    if (wac_models_read_pairs(agent))
        wac_general_climb_bonus(agent, policy);
    wac_general_run(gpu, WAC_GENERAL_policy_gradient,
                    (wac_general_task){.count = v->rows,
                                       .first = policy,
                                       .x = wac_general_out(&gpu->policy_trace, &gpu->policies)});
    wac_general_run(gpu, WAC_GENERAL_objective, (wac_general_task){.count = 1, .first = policy});
    wac_general_leave(agent);
}

void wac_general_climb(wac_agent *agent)
{
    if (!wac_general_enter(agent, true))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    const wac_general_net *shadow = &gpu->shadow;
    prepare(gpu, WAC_GENERAL_POLICY);
    wac_general_scale(gpu, WAC_GENERAL_POLICY);
    wac_general_backward(gpu, &gpu->policies, v->batch_observations,
                         (wac_general_rows){.count = v->rows}, &gpu->policy_trace, v->dheads, true,
                         (wac_array){0}, 0);
    wac_general_move(gpu, &gpu->policies, WAC_GENERAL_POLICY, v->policies, NULL);
    if (shadow->stack.members)
        wac_general_run(gpu, WAC_GENERAL_polyak,
                        (wac_general_task){.count = (int)wac_stack_size(&shadow->stack),
                                           .x = {gpu->policies.stack.params, gpu->policies.seat},
                                           .y = {shadow->stack.params, shadow->seat}});
    wac_general_leave(agent);
}
