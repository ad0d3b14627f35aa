/* Policies: how they sample, what they climb. */
#include "rl/policy.h"

#include <string.h>
#include <tgmath.h>

void wac_policies_init(wac_agent *agent, wac_rng *rng)
{
    for (int m = 0; m < agent->policies.members; m++)
        wac_stack_randomise(&agent->policies, m, 1e-3, agent->ops, rng);
}

void wac_policies_sample(wac_agent *agent)
{
    wac_input input = {.x = agent->batch.observations, .rows = agent->rows};
    agent->ops->forward(agent->team, &agent->policies, input, &agent->policy_pass);
    agent->ops->policy_sample(&agent->sample);
}

void wac_policies_tune(wac_agent *agent)
{
    if (agent->config.entropy_tuning)
        agent->ops->entropy_step(&agent->sample, (real)-agent->actions, &agent->entropy);
}

double wac_policies_aim(wac_agent *agent, int policy, bool with_std)
{
    const wac_ops *ops = agent->ops;
    size_t actions = (size_t)agent->rows * (size_t)agent->actions;
    const real *action = agent->sample.action + (size_t)policy * actions;
    real *daction = agent->daction + (size_t)policy * actions;

    wac_stack critics =
        wac_stack_slice(&agent->critics, 0, with_std ? 2 * WAC_CRITICS : WAC_CRITICS);
    wac_input input = {.x = agent->query, .rows = agent->rows};
    wac_critic_rows rows = {.rows = agent->rows,
                            .capacity = agent->critic_pass.capacity,
                            .std = with_std,
                            .out = agent->critic_pass.out,
                            .kappa = agent->kappa};
    wac_gradient gradient = {.inputs = agent->dactions, .input_first = agent->observations};
    ops->join(agent->rows, agent->observations, agent->actions, agent->batch.observations, action,
              agent->query);
    ops->forward(agent->team, &critics, input, &agent->critic_pass);
    double bound = ops->upper_bound(&rows, agent->dout);
    ops->backward(agent->team, &critics, input, &agent->critic_pass, agent->dout, &gradient,
                  &agent->critic_scratch);

    /* what each critic would have the action do, together */
    memset(daction, 0, actions * sizeof *daction);
    for (int m = 0; m < critics.members; m++) {
        const real *wish =
            agent->dactions + (size_t)m * (size_t)(agent->critic_pass.capacity * agent->actions);
        for (size_t i = 0; i < actions; i++)
            daction[i] += wish[i];
    }

    double log_prob = 0;
    for (int i = 0; i < agent->rows; i++)
        log_prob += (double)agent->sample.log_prob[policy * agent->rows + i];
    return (double)wac_agent_alpha(agent, policy) * log_prob / agent->rows - bound;
}

void wac_policies_step(wac_agent *agent)
{
    real dlog_prob[2];
    for (int m = 0; m < agent->policies.members; m++)
        dlog_prob[m] = wac_agent_alpha(agent, m) / (real)agent->rows;
    agent->ops->policy_gradient(&agent->sample, agent->daction, dlog_prob, agent->dheads);

    wac_input input = {.x = agent->batch.observations, .rows = agent->rows};
    wac_gradient gradient = {.params = agent->dpolicies};
    agent->ops->backward(agent->team, &agent->policies, input, &agent->policy_pass, agent->dheads,
                         &gradient, &agent->policy_scratch);
    agent->ops->adam(agent->team, &agent->policies, agent->dpolicies, &agent->policy_adam);
}

void wac_policy_heads(wac_agent *agent, int policy, const float *observation, real *heads)
{
    real *x = agent->query;
    for (int i = 0; i < agent->observations; i++)
        x[i] = wac_normalise(&agent->normaliser, i, observation[i]);
    wac_stack one = wac_stack_slice(&agent->policies, policy, 1);
    agent->ops->forward(agent->team, &one, (wac_input){.x = x, .rows = 1}, &agent->next_pass);
    for (int i = 0; i < 2 * agent->actions; i++) {
        real head = agent->next_pass.out[i];
        if (i >= agent->actions)
            head = fmin(fmax(head, WAC_LOG_STD_MIN), WAC_LOG_STD_MAX);
        heads[i] = head;
    }
}
