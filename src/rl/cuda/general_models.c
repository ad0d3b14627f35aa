/* Models that learn beside an agent, and an optimist, on a GPU (rl/host/models.c, optimist.c). */
#include "rl/bonus.h"
#include "rl/cuda/general_gpu.h"
#include "rl/host/models.h"

enum { INPUTS, OUTPUTS, BONUSES }; /* sums */

/* Rows of x come to the sums. */
static void count_in(wac_general_gpu *gpu, int sums, int rows, wac_array x)
{
    wac_general_task task = {
        .count = gpu->view.model_sums[sums].size, .first = sums, .rows = rows, .x = x};
    wac_general_run(gpu, WAC_GENERAL_sums_add, task);
    task.count = 1;
    wac_general_run(gpu, WAC_GENERAL_sums_count, task);
}

static void normalise(wac_general_gpu *gpu, int sums, int rows, wac_array x)
{
    wac_general_run(
        gpu, WAC_GENERAL_normalise,
        (wac_general_task){.count = rows * gpu->view.model_sums[sums].size, .first = sums, .x = x});
}

static void read_batch(wac_general_gpu *gpu)
{
    wac_general_run(gpu, WAC_GENERAL_model_read, (wac_general_task){.count = gpu->view.rows});
}

static void join(wac_general_gpu *gpu, wac_array actions, wac_array out)
{
    const wac_general_view *v = &gpu->view;
    wac_general_run(gpu, WAC_GENERAL_join,
                    (wac_general_task){.count = v->rows * (v->observations + v->actions),
                                       .stride = v->actions,
                                       .x = v->batch_observations,
                                       .y = actions,
                                       .z = out});
}

/* Let models look at rows of model_x, which come as they are. */
static void look(wac_general_gpu *gpu, int rows)
{
    wac_general_rows all = {.count = rows};
    normalise(gpu, INPUTS, rows, gpu->view.model_x);
    wac_general_forward(gpu, &gpu->models, gpu->view.model_x, all, &gpu->model_trace);
    if (gpu->random.stack.members)
        wac_general_forward(gpu, &gpu->random, gpu->view.model_x, all, &gpu->random_trace);
}

/* The bonus of rows from `first` on, and its slope, or null. */
static void find_bonus(wac_general_gpu *gpu, int first, wac_array bonus, wac_array slope)
{
    size_t at = (size_t)first * (size_t)gpu->view.model_outputs;
    wac_general_task task = {
        .count = gpu->view.rows,
        .capacity = gpu->model_trace.pass.capacity,
        .x = wac_array_from(wac_general_out(&gpu->model_trace, &gpu->models), at),
        .z = bonus,
        .w = slope};
    if (gpu->random.stack.members)
        task.y = wac_general_out(&gpu->random_trace, &gpu->random);
    wac_general_run(gpu, gpu->view.pairs ? WAC_GENERAL_information : WAC_GENERAL_novelty, task);
}

static void pay(wac_general_gpu *gpu)
{
    const wac_general_view *v = &gpu->view;
    look(gpu, v->rows);
    find_bonus(gpu, 0, v->model_bonus, (wac_array){0});
    count_in(gpu, BONUSES, v->rows, v->model_bonus);
    wac_general_run(gpu, WAC_GENERAL_pay, (wac_general_task){.count = v->rows});
}

static void appraise_pairs(wac_general_gpu *gpu)
{
    const wac_general_view *v = &gpu->view;
    int o = v->observations, a = v->actions, rows = v->rows;
    wac_general_forward(gpu, &gpu->shadow, v->batch_observations, (wac_general_rows){.count = rows},
                        &gpu->shadow_trace);
    wac_general_run(gpu, WAC_GENERAL_sample,
                    (wac_general_task){.count = rows,
                                       .x = wac_general_out(&gpu->shadow_trace, &gpu->shadow),
                                       .y = v->shadow_noise,
                                       .z = v->shadow_action,
                                       .w = v->shadow_log_prob});
    join(gpu, v->action, v->model_x);
    join(gpu, v->shadow_action, wac_array_from(v->model_x, (size_t)rows * (size_t)(o + a)));
    look(gpu, 2 * rows);
    find_bonus(gpu, 0, v->model_bonus, v->model_dout);
    find_bonus(gpu, rows, wac_array_from(v->model_bonus, (size_t)rows), (wac_array){0});
    count_in(gpu, BONUSES, 2 * rows, v->model_bonus);
    normalise(gpu, BONUSES, 2 * rows, v->model_bonus);
    gpu->scale = 1; /* slopes of bonuses are as large as these */
    wac_general_backward(gpu, &gpu->models, v->model_x, (wac_general_rows){.count = rows},
                         &gpu->model_trace, v->model_dout, false, v->model_wishes, o);
    wac_general_run(
        gpu, WAC_GENERAL_model_slopes,
        (wac_general_task){.count = rows * a, .capacity = gpu->model_trace.pass.capacity});
}

void wac_general_appraise(wac_agent *agent)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    read_batch(gpu);
    count_in(gpu, INPUTS, v->rows, v->model_x);
    if (v->pairs)
        count_in(gpu, OUTPUTS, v->rows, v->model_target);
    (v->pairs ? appraise_pairs : pay)(gpu);
    wac_general_leave(agent);
}

/* The weighted bonus of the pairs in query. */
void wac_general_appraise_next(wac_agent *agent)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_general_run(
        gpu, WAC_GENERAL_copy,
        (wac_general_task){.count = v->rows * v->model_inputs, .x = v->query, .y = v->model_x});
    look(gpu, v->rows);
    find_bonus(gpu, 0, v->next_bonus, (wac_array){0});
    normalise(gpu, BONUSES, v->rows, v->next_bonus);
    wac_general_run(gpu, WAC_GENERAL_weigh_bonus, (wac_general_task){.count = v->rows});
}

void wac_general_climb_bonus(wac_agent *agent, int policy)
{
    wac_general_gpu *gpu = wac_general_of(agent);
    wac_general_run(gpu, WAC_GENERAL_climb_bonus,
                    (wac_general_task){.count = gpu->view.rows, .first = policy});
}

void wac_general_study(wac_agent *agent)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    bool random = gpu->random.stack.members > 0;
    read_batch(gpu);
    if (!random)
        normalise(gpu, OUTPUTS, v->rows, v->model_target);
    look(gpu, v->rows);
    wac_general_run(gpu, WAC_GENERAL_model_error,
                    (wac_general_task){.count = v->models,
                                       .capacity = gpu->model_trace.pass.capacity,
                                       .x = wac_general_out(&gpu->model_trace, &gpu->models),
                                       .y = random
                                                ? wac_general_out(&gpu->random_trace, &gpu->random)
                                                : v->model_target});
    wac_general_scale(gpu, WAC_GENERAL_CRITIC);
    wac_general_backward(gpu, &gpu->models, v->model_x, (wac_general_rows){.count = v->rows},
                         &gpu->model_trace, v->model_dout, true, (wac_array){0}, 0);
    wac_general_run(gpu, WAC_GENERAL_prepare,
                    (wac_general_task){.count = 1, .flags = WAC_GENERAL_MODEL});
    wac_general_move(gpu, &gpu->models, WAC_GENERAL_MODEL, v->models, NULL);
    wac_general_run(gpu, WAC_GENERAL_tune_bonus, (wac_general_task){.count = v->pairs});
    wac_general_leave(agent);
}

/* --- an optimist ------------------------------------------------------------------------------ */

/* Observations, and means of the policy, whose heads are twice as long: what an optimist reads. */
static void read_policy(wac_general_gpu *gpu)
{
    const wac_general_view *v = &gpu->view;
    wac_general_forward(gpu, &gpu->policies, v->batch_observations,
                        (wac_general_rows){.count = v->rows}, &gpu->policy_trace);
    wac_general_run(gpu, WAC_GENERAL_join,
                    (wac_general_task){.count = v->rows * (v->observations + v->actions),
                                       .stride = v->heads,
                                       .x = v->batch_observations,
                                       .y = wac_general_out(&gpu->policy_trace, &gpu->policies),
                                       .z = v->optimist_x});
}

/* The head has no bias: it stays at zero. */
static void clear_bias(wac_general_gpu *gpu)
{
    const wac_general_net *net = &gpu->optimist;
    wac_layer head =
        wac_stack_layer(&net->stack, net->gradient, 0, wac_shape_head(&net->stack.shape));
    wac_general_run(gpu, WAC_GENERAL_fill,
                    (wac_general_task){.count = head.outputs, .x = {head.bias, net->seat}});
}

void wac_general_lead(wac_agent *agent)
{
    if (!wac_general_enter(agent, false))
        return;
    wac_general_gpu *gpu = wac_general_of(agent);
    const wac_general_view *v = &gpu->view;
    wac_general_rows rows = {.count = v->rows};
    read_policy(gpu);
    wac_general_forward(gpu, &gpu->optimist, v->optimist_x, rows, &gpu->optimist_trace);
    wac_general_task task = {.count = v->rows * v->actions,
                             .x = wac_general_out(&gpu->policy_trace, &gpu->policies),
                             .y = wac_general_out(&gpu->optimist_trace, &gpu->optimist)};
    wac_general_run(gpu, WAC_GENERAL_optimist_act, task);
    wac_general_pull(agent, 0, WAC_AIM_BOUND, true, v->optimist_action, v->share,
                     v->optimist_dshift);
    task.count = v->rows;
    wac_general_run(gpu, WAC_GENERAL_optimist_pull, task);
    wac_general_backward(gpu, &gpu->optimist, v->optimist_x, rows, &gpu->optimist_trace,
                         v->optimist_dshift, true, (wac_array){0}, 0);
    clear_bias(gpu);
    wac_general_move(gpu, &gpu->optimist, WAC_GENERAL_POLICY, 1, NULL);
    wac_general_run(gpu, WAC_GENERAL_prepare,
                    (wac_general_task){.count = 1, .flags = WAC_GENERAL_DIVERGENCE});
    wac_general_run(gpu, WAC_GENERAL_optimist_tune, (wac_general_task){.count = 1});
    wac_general_leave(agent);
}
