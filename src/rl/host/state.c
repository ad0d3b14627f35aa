/* Everything a desk holds, as named arrays: what checkpoints save and recorded updates set. */
#include "rl/host/state.h"

#include "base/status.h"
#include "rl/host/models.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#ifdef WAC_DOUBLE
#define DTYPE_REAL WAC_DTYPE_F64
#else
#define DTYPE_REAL WAC_DTYPE_F32
#endif

typedef struct visit {
    wac_agent_visitor *visitor;
    void *user;
    wac_error *error;
} visit;

/* columns 0: a vector of `rows` */
__attribute__((format(printf, 6, 7))) static wac_status show(const visit *v, wac_dtype dtype,
                                                             int64_t rows, int64_t columns,
                                                             void *data, const char *format, ...)
{
    wac_agent_tensor tensor = {
        .dtype = dtype, .rank = columns ? 2 : 1, .shape = {rows, columns}, .data = data};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(tensor.name, sizeof tensor.name, format, arguments);
    va_end(arguments);
    assert(length < (int)sizeof tensor.name);
    (void)length;
    return v->visitor(v->user, &tensor, v->error);
}

/* --- networks ------------------------------------------------------------------------------- */

enum { NAME = 32 };

/* What the members of a stack are called. */
typedef void name_fn(const wac_algorithm_row *row, int member, char name[NAME]);

static void policy_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    static const char *const roles[] = {"behaviour_policy", "target_policy"};
    if (row->members)
        snprintf(name, NAME, "policy%d", member + 1);
    else
        snprintf(name, NAME, "%s", row->policies > 1 ? roles[member] : "policy");
}

static void critic_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    bool std = member >= row->means;
    snprintf(name, NAME, "%s%d", std ? "std" : row->critics,
             (std ? member - row->means : member) + 1);
}

static void anchor_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    snprintf(name, NAME, "old_%s%d", row->shared ? row->critics : "std", member + 1);
}

static void model_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    (void)row;
    snprintf(name, NAME, "model%d", member + 1);
}

static void random_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    (void)row, (void)member;
    snprintf(name, NAME, "random");
}

static void shadow_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    (void)row, (void)member;
    snprintf(name, NAME, "slow_policy");
}

static void optimist_name(const wac_algorithm_row *row, int member, char name[NAME])
{
    (void)row, (void)member;
    snprintf(name, NAME, "optimist");
}

void wac_layer_name(const wac_shape *shape, int layer, char label[WAC_LAYER_NAME])
{
    static const char *const parts[][4] = {{"norm", "up", "down"},
                                           {"up", "norm", "down", "norm_down"}};
    int first = wac_shape_block(shape, 0), each = wac_shape_block(shape, 1) - first;
    int block = (layer - first) / each;
    if (!shape->blocks)
        snprintf(label, WAC_LAYER_NAME, "hidden%d", layer);
    else if (layer >= first && block < shape->blocks)
        snprintf(label, WAC_LAYER_NAME, "block%d/%s", block,
                 parts[shape->after][(layer - first) % each]);
    else
        snprintf(label, WAC_LAYER_NAME, layer ? "norm" : "embedding");
}

/* One layer, or part of one: rows `first` … of its outputs. */
static wac_status show_layer(const visit *v, const wac_layer *layer, int first, int outputs,
                             bool norm, const char *path, const char *label)
{
    WAC_TRY(show(v, DTYPE_REAL, outputs, norm ? 0 : layer->inputs,
                 layer->weight + (size_t)first * (size_t)layer->inputs, "%s/%s/weight", path,
                 label));
    return show(v, DTYPE_REAL, outputs, 0, layer->bias + first, "%s/%s/bias", path, label);
}

/* Weights and biases of a stack, or its moments, as PREFIX NET/LAYER/…; a head that tells more than
 * one thing, a policy's or that of a whole posterior, counts as two layers. */
static wac_status show_stack(const visit *v, const wac_desk *desk, const wac_stack *stack,
                             real *block, name_fn *name_of, const char *prefix)
{
    for (int m = 0; m < stack->members; m++) {
        char name[NAME], path[64], label[WAC_LAYER_NAME];
        name_of(desk->agent->row, m, name);
        snprintf(path, sizeof path, "%s%s", prefix, name);
        for (int i = 0; i < wac_shape_head(&stack->shape); i++) {
            wac_layer layer = wac_stack_layer(stack, block, m, i);
            wac_layer_name(&stack->shape, i, label);
            WAC_TRY(show_layer(v, &layer, 0, layer.outputs, wac_shape_is_norm(&stack->shape, i),
                               path, label));
        }
        wac_layer head = wac_stack_layer(stack, block, m, wac_shape_head(&stack->shape));
        bool policy = name_of == policy_name || name_of == shadow_name;
        if (name_of == optimist_name) /* whose head has no bias */
            WAC_TRY(show(v, DTYPE_REAL, head.outputs, head.inputs, head.weight, "%s/shift/weight",
                         path));
        else if (policy && desk->agent->row->deterministic) {
            WAC_TRY(show_layer(v, &head, 0, head.outputs, false, path, "mean"));
        } else if (policy || desk->agent->row->shared) {
            int means = policy ? head.outputs / 2 : 1;
            const char *rest = !policy && desk->agent->row->particles ? "log_gap" : "log_std";
            WAC_TRY(show_layer(v, &head, 0, means, false, path, "mean"));
            WAC_TRY(show_layer(v, &head, means, head.outputs - means, false, path, rest));
        } else {
            WAC_TRY(show_layer(v, &head, 0, head.outputs, false, path, "out"));
        }
    }
    return WAC_STATUS_OK;
}

static wac_status show_networks(const visit *v, wac_desk *desk)
{
    WAC_TRY(show_stack(v, desk, &desk->policies, desk->policies.params, policy_name, ""));
    WAC_TRY(show_stack(v, desk, &desk->critics, desk->critics.params, critic_name, ""));
    WAC_TRY(show_stack(v, desk, &desk->targets, desk->targets.params, critic_name, "target_"));
    WAC_TRY(show_stack(v, desk, &desk->anchors, desk->anchors.params, anchor_name, ""));
    const wac_models *m = &desk->models;
    WAC_TRY(show_stack(v, desk, &m->stack, m->stack.params, model_name, ""));
    WAC_TRY(show_stack(v, desk, &m->random, m->random.params, random_name, ""));
    WAC_TRY(show_stack(v, desk, &desk->shadow, desk->shadow.params, shadow_name, ""));
    const wac_stack *optimist = &desk->optimist.stack;
    return show_stack(v, desk, optimist, optimist->params, optimist_name, "");
}

/* --- the rest ------------------------------------------------------------------------------- */

static wac_status show_sums(const visit *v, wac_normaliser *sums, const char *path)
{
    WAC_TRY(show(v, WAC_DTYPE_F64, 1, 0, sums->count, "%s/count", path));
    WAC_TRY(show(v, WAC_DTYPE_F64, sums->size, 0, sums->mean, "%s/mean", path));
    return show(v, WAC_DTYPE_F64, sums->size, 0, sums->squares, "%s/squares", path);
}

/* What models have beside their networks. */
static wac_status show_models(const visit *v, wac_desk *desk)
{
    wac_models *m = &desk->models;
    WAC_TRY(show_sums(v, &m->inputs, "models/inputs"));
    if (!m->random.members)
        WAC_TRY(show_sums(v, &m->outputs, "models/outputs"));
    WAC_TRY(show_sums(v, &m->bonuses, "models/bonuses"));
    WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &desk->seat->model_steps, "adam/steps/models"));
    WAC_TRY(show(v, DTYPE_REAL, 1, 0, m->weight.log_alpha, "log_bonus_weight"));
    WAC_TRY(show(v, DTYPE_REAL, 1, 0, m->weight.first, "adam/first/log_bonus_weight"));
    return show(v, DTYPE_REAL, 1, 0, m->weight.second, "adam/second/log_bonus_weight");
}

static wac_status show_bandit(const visit *v, wac_bandit *bandit)
{
    WAC_TRY(show(v, WAC_DTYPE_F64, 2, 0, bandit->weight, "bandit/weights"));
    WAC_TRY(show(v, WAC_DTYPE_F64, WAC_BANDIT_WINDOW, 0, bandit->changes, "bandit/changes"));
    WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &bandit->judged, "bandit/judged"));
    WAC_TRY(show(v, WAC_DTYPE_F64, 1, 0, &bandit->returned, "bandit/returned"));
    return show(v, WAC_DTYPE_F64, 1, 0, &bandit->gained, "bandit/gained");
}

static wac_status show_learning(const visit *v, wac_desk *desk)
{
    const struct {
        const wac_stack *stack;
        wac_moments moments;
        name_fn *name_of;
    } learners[] = {{&desk->policies, desk->policy_moments, policy_name},
                    {&desk->critics, desk->critic_moments, critic_name},
                    {&desk->models.stack, desk->models.moments, model_name},
                    {&desk->optimist.stack, desk->optimist.moments, optimist_name}};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        WAC_TRY(show_stack(v, desk, learners[i].stack, learners[i].moments.first,
                           learners[i].name_of, "adam/first/"));
        WAC_TRY(show_stack(v, desk, learners[i].stack, learners[i].moments.second,
                           learners[i].name_of, "adam/second/"));
    }
    wac_normaliser *n = &desk->normaliser;
    if (n->on)
        WAC_TRY(show_sums(v, n, "normaliser"));
    if (desk->agent->row->bonus)
        WAC_TRY(show_models(v, desk));
    int policies = desk->policies.members;
    if (!desk->agent->row->deterministic) {
        WAC_TRY(show(v, DTYPE_REAL, policies, 0, desk->entropy.log_alpha, "log_alpha"));
        WAC_TRY(show(v, DTYPE_REAL, policies, 0, desk->entropy.first, "adam/first/log_alpha"));
        WAC_TRY(show(v, DTYPE_REAL, policies, 0, desk->entropy.second, "adam/second/log_alpha"));
    }
    wac_seat *seat = desk->seat;
    const struct {
        const char *name;
        void *value; /* all 64 bits wide */
    } counters[] = {{"adam/steps/policies", &seat->policy_steps},
                    {"adam/steps/critics", &seat->critic_steps},
                    {"adam/steps/log_alpha", &seat->entropy_steps},
                    {"counter/explore", &seat->explore_rng.counter},
                    {"counter/batch", &seat->batch_rng.counter},
                    {"counter/noise", &seat->noise_rng.counter},
                    {"counter/synthetic", &seat->synthetic_rng.counter}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, counters[i].value, "%s", counters[i].name));
    if (desk->agent->row->subset)
        WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &seat->subset_rng.counter, "counter/subset"));
    if (desk->agent->row->members || desk->agent->row->judge)
        WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &seat->leader_rng.counter, "counter/leader"));
    if (desk->agent->row->judge)
        WAC_TRY(show_bandit(v, &seat->bandit));
    if (wac_config_has_resets(&seat->config))
        WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &seat->begun, "counter/updates"));
    if (desk->agent->row->optimist) {
        const wac_entropy *weights = &desk->optimist.weights;
        WAC_TRY(show(v, DTYPE_REAL, 2, 0, weights->log_alpha, "optimism"));
        WAC_TRY(show(v, DTYPE_REAL, 2, 0, weights->first, "adam/first/optimism"));
        WAC_TRY(show(v, DTYPE_REAL, 2, 0, weights->second, "adam/second/optimism"));
    }
    /* what policies saw that do not look again in the next update */
    if (desk->agent->row->delay)
        WAC_TRY(show(v, WAC_DTYPE_F64, policies, 0, seat->objective, "objective"));
    return WAC_STATUS_OK;
}

static wac_status show_replay(const visit *v, wac_desk *desk)
{
    wac_replay *replay = &desk->replay;
    WAC_TRY(show(v, WAC_DTYPE_I64, 1, 0, &replay->count, "replay/count"));
    return show(v, DTYPE_REAL, wac_replay_filled(replay), (int64_t)wac_replay_record(replay),
                replay->records, "replay/records");
}

static wac_status show_drawn(const visit *v, wac_desk *desk)
{
    const wac_agent *agent = desk->agent;
    const wac_batch *batch = &desk->batch;
    int rows = agent->rows, o = agent->observations, a = agent->actions;
    int all = agent->members * rows; /* members lie one after the other */
    WAC_TRY(show(v, DTYPE_REAL, rows, o, batch->observations, "observations"));
    WAC_TRY(show(v, DTYPE_REAL, rows, a, batch->actions, "actions"));
    WAC_TRY(show(v, DTYPE_REAL, rows, 0, batch->rewards, "rewards"));
    WAC_TRY(show(v, DTYPE_REAL, rows, o, batch->next_observations, "next_observations"));
    WAC_TRY(show(v, DTYPE_REAL, rows, 0, batch->terminals, "terminals"));
    WAC_TRY(show(v, DTYPE_REAL, all, a, desk->next_noise, "noise_next"));
    for (int m = 0; m < agent->row->policies && !agent->row->deterministic; m++)
        WAC_TRY(show(v, DTYPE_REAL, all, a, desk->noise + (size_t)(m * rows * a), "noise_%s",
                     m ? "target_policy" : "policy"));
    if (agent->row->members) {
        WAC_TRY(show(v, DTYPE_REAL, all, a, desk->weight_noise, "noise_weight"));
        WAC_TRY(show(v, DTYPE_REAL, agent->members, rows, desk->masks, "masks"));
    }
    if (wac_models_read_pairs(agent))
        WAC_TRY(show(v, DTYPE_REAL, rows, a, desk->models.shadow_noise, "noise_slow_policy"));
    if (agent->row->optimist)
        WAC_TRY(show(v, DTYPE_REAL, rows, a, desk->optimist.noise, "noise_optimist"));
    if (desk->seat->synthetic > 0)
        WAC_TRY(show(v, DTYPE_REAL, desk->seat->synthetic, o + a,
                     desk->pairs + (size_t)(rows * (o + a)), "synthetic"));
    if (agent->row->subset)
        WAC_TRY(show(v, WAC_DTYPE_I64, agent->row->subset, 0, desk->subset, "subset"));
    return WAC_STATUS_OK;
}

wac_status wac_desk_visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visitor,
                          void *user, wac_error *error)
{
    static wac_status (*const shows[])(const visit *v, wac_desk *desk) = {
        [WAC_STATE_NETWORKS] = show_networks,
        [WAC_STATE_LEARNING] = show_learning,
        [WAC_STATE_REPLAY] = show_replay,
        [WAC_STATE_DRAWN] = show_drawn,
    };
    return shows[state](&(visit){visitor, user, error}, wac_host_desk(agent, seat));
}
