/* Everything an agent knows, as named arrays: what checkpoints save and recorded updates set. */
#include "rl/agent.h"

#include "base/status.h"

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
static wac_status show(const visit *v, wac_dtype dtype, int rows, int columns, void *data,
                       const char *format, ...) __attribute__((format(printf, 6, 7)));

static wac_status show(const visit *v, wac_dtype dtype, int rows, int columns, void *data,
                       const char *format, ...)
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

/* Weights and biases of a stack, or its moments, as PREFIX NET/LAYER/…; a policy's head counts as
 * two layers. */
static wac_status show_stack(const visit *v, const wac_stack *stack, real *block,
                             const char *const *names, const char *prefix, bool policy)
{
    for (int m = 0; m < stack->members; m++) {
        for (int i = 0; i < WAC_LAYERS; i++) {
            wac_layer layer = wac_stack_layer(stack, block, m, i);
            const char *const labels[2][WAC_LAYERS] = {{"hidden0", "hidden1", "out"},
                                                       {"hidden0", "hidden1", "mean"}};
            int parts = policy && i == WAC_LAYERS - 1 ? 2 : 1;
            int outputs = layer.outputs / parts;
            for (int part = 0; part < parts; part++) {
                const char *label = part ? "log_std" : labels[policy][i];
                WAC_TRY(show(v, DTYPE_REAL, outputs, layer.inputs,
                             layer.weight + (size_t)(part * outputs) * (size_t)layer.inputs,
                             "%s%s/%s/weight", prefix, names[m], label));
                WAC_TRY(show(v, DTYPE_REAL, outputs, 0, layer.bias + part * outputs, "%s%s/%s/bias",
                             prefix, names[m], label));
            }
        }
    }
    return WAC_STATUS_OK;
}

static const char *const wac_policy_names[] = {"behaviour_policy", "target_policy"};
static const char *const sac_policy_names[] = {"policy"};
static const char *const wac_critic_names[] = {"mean1", "mean2", "std1", "std2"};
static const char *const sac_critic_names[] = {"q1", "q2"};
static const char *const anchor_names[] = {"old_std1", "old_std2"};

wac_status wac_agent_visit_networks(wac_agent *agent, wac_agent_visitor *visitor, void *user,
                                    wac_error *error)
{
    visit v = {visitor, user, error};
    const char *const *policies = agent->wac ? wac_policy_names : sac_policy_names;
    const char *const *critics = agent->wac ? wac_critic_names : sac_critic_names;
    WAC_TRY(show_stack(&v, &agent->policies, agent->policies.params, policies, "", true));
    WAC_TRY(show_stack(&v, &agent->critics, agent->critics.params, critics, "", false));
    WAC_TRY(show_stack(&v, &agent->targets, agent->targets.params, critics, "target_", false));
    WAC_TRY(show_stack(&v, &agent->anchors, agent->anchors.params, anchor_names, "", false));
    return WAC_STATUS_OK;
}

wac_status wac_agent_visit(wac_agent *agent, wac_agent_visitor *visitor, void *user,
                           wac_error *error)
{
    visit v = {visitor, user, error};
    const char *const *policies = agent->wac ? wac_policy_names : sac_policy_names;
    const char *const *critics = agent->wac ? wac_critic_names : sac_critic_names;
    WAC_TRY(wac_agent_visit_networks(agent, visitor, user, error));
    wac_adam *adams[] = {&agent->policy_adam, &agent->critic_adam};
    const wac_stack *stacks[] = {&agent->policies, &agent->critics};
    for (int i = 0; i < 2; i++) {
        const char *const *names = i == 0 ? policies : critics;
        WAC_TRY(show_stack(&v, stacks[i], adams[i]->first, names, "adam/first/", i == 0));
        WAC_TRY(show_stack(&v, stacks[i], adams[i]->second, names, "adam/second/", i == 0));
    }
    if (agent->normaliser.on) {
        wac_normaliser *n = &agent->normaliser;
        WAC_TRY(show(&v, WAC_DTYPE_F64, 1, 0, n->count, "normaliser/count"));
        WAC_TRY(show(&v, WAC_DTYPE_F64, n->size, 0, n->mean, "normaliser/mean"));
        WAC_TRY(show(&v, WAC_DTYPE_F64, n->size, 0, n->squares, "normaliser/squares"));
    }
    int members = agent->policies.members;
    WAC_TRY(show(&v, DTYPE_REAL, members, 0, agent->entropy.log_alpha, "log_alpha"));
    WAC_TRY(show(&v, DTYPE_REAL, members, 0, agent->entropy.first, "adam/first/log_alpha"));
    WAC_TRY(show(&v, DTYPE_REAL, members, 0, agent->entropy.second, "adam/second/log_alpha"));
    const struct {
        const char *name;
        void *value; /* all 64 bits wide */
    } counters[] = {{"adam/steps/policies", &agent->policy_adam.steps},
                    {"adam/steps/critics", &agent->critic_adam.steps},
                    {"adam/steps/log_alpha", &agent->entropy.steps},
                    {"counter/explore", &agent->explore_rng.counter},
                    {"counter/batch", &agent->batch_rng.counter},
                    {"counter/noise", &agent->noise_rng.counter},
                    {"counter/synthetic", &agent->synthetic_rng.counter}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        WAC_TRY(show(&v, WAC_DTYPE_I64, 1, 0, counters[i].value, "%s", counters[i].name));
    return WAC_STATUS_OK;
}
