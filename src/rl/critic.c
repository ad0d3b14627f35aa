/* Critics: the Wasserstein barycentre of Gaussians as two squared errors, one on means, one on
 * stds (equation 6 of the paper), and the synthetic pairs that keep unseen stds high (equation 9).
 */
#include "rl/critic.h"

#include <string.h>
#include <tgmath.h>

static void copy_params(const wac_stack *to, const wac_stack *from)
{
    memcpy(to->params, from->params, wac_stack_size(to) * sizeof *to->params);
}

void wac_critics_init(wac_agent *agent, wac_rng *rng)
{
    const wac_config *config = &agent->config;
    double q_min = config->reward_min / (1 - config->discount);
    double q_max = config->reward_max / (1 - config->discount);
    for (int m = 0; m < agent->critics.members; m++) {
        wac_stack_randomise(&agent->critics, m, 3e-3, agent->ops, rng);
        real *bias = wac_stack_layer(&agent->critics, agent->critics.params, m, 2).bias;
        if (m >= WAC_CRITICS)
            *bias = log(agent->sigma_max);
        else if (agent->wac && config->mean_prior)
            *bias = (real)((q_max + q_min) / 2);
    }
    copy_params(&agent->targets, &agent->critics);
    if (agent->wac)
        wac_agent_anchor(agent);
}

void wac_agent_anchor(wac_agent *agent)
{
    if (!agent->wac)
        return;
    wac_stack stds = wac_stack_slice(&agent->critics, WAC_CRITICS, WAC_CRITICS);
    copy_params(&agent->anchors, &stds);
}

void wac_critics_backup(wac_agent *agent, int next, int entropy)
{
    const wac_ops *ops = agent->ops;
    wac_stack policy = wac_stack_slice(&agent->policies, next, 1);
    wac_input next_states = {.x = agent->batch.next_observations, .rows = agent->rows};
    ops->forward(agent->team, &policy, next_states, &agent->next_pass);
    ops->policy_sample(&agent->next_sample);

    wac_input input = {.x = agent->query, .rows = agent->rows};
    ops->join(agent->rows, agent->observations, agent->actions, agent->batch.next_observations,
              agent->next_sample.action, agent->query);
    ops->forward(agent->team, &agent->targets, input, &agent->critic_pass);
    wac_backup backup = {
        .next = {.rows = agent->rows,
                 .capacity = agent->critic_pass.capacity,
                 .std = agent->wac,
                 .out = agent->critic_pass.out,
                 .kappa = agent->kappa},
        .reward = agent->batch.rewards,
        .terminal = agent->batch.terminals,
        .log_prob = agent->next_sample.log_prob,
        .alpha = wac_agent_alpha(agent, entropy),
        .discount = (real)agent->config.discount,
        .sigma_max = agent->sigma_max,
        .mean_target = agent->mean_target,
        .std_target = agent->wac ? agent->std_target : NULL,
    };
    ops->td_target(&backup);
}

/* Mean critics see the batch; std critics see it and the synthetic pairs behind it. */
void wac_critics_learn(wac_agent *agent, wac_losses *losses)
{
    const wac_ops *ops = agent->ops;
    wac_gradient gradient = {.params = agent->dcritics};
    wac_stack means = wac_stack_slice(&agent->critics, 0, WAC_CRITICS);
    wac_input input = {.x = agent->pairs, .rows = agent->rows};
    ops->join(agent->rows, agent->observations, agent->actions, agent->batch.observations,
              agent->batch.actions, agent->pairs);
    ops->forward(agent->team, &means, input, &agent->critic_pass);
    ops->mean_error(agent->rows, agent->critic_pass.capacity, agent->critic_pass.out,
                    agent->mean_target, agent->dout, losses->critic, &losses->q_mean);
    ops->backward(agent->team, &means, input, &agent->critic_pass, agent->dout, &gradient,
                  &agent->critic_scratch);

    if (agent->wac) {
        wac_stack stds = wac_stack_slice(&agent->critics, WAC_CRITICS, WAC_CRITICS);
        wac_input unseen = {.x = agent->pairs +
                                 (size_t)agent->rows * (size_t)agent->critics.shape.inputs,
                            .rows = agent->synthetic};
        double averages[2];
        input.rows = agent->rows + agent->synthetic;
        gradient.params += wac_stack_size(&means);
        ops->forward(agent->team, &stds, input, &agent->critic_pass);
        ops->forward(agent->team, &agent->anchors, unseen, &agent->anchor_pass);
        ops->std_error(agent->rows, agent->synthetic, agent->critic_pass.capacity,
                       agent->critic_pass.out, agent->std_target, agent->anchor_pass.out,
                       agent->anchor_pass.capacity, (real)agent->config.lambda, agent->sigma_max,
                       agent->dout, losses->std, losses->regularisation, averages);
        ops->backward(agent->team, &stds, input, &agent->critic_pass, agent->dout, &gradient,
                      &agent->critic_scratch);
        losses->sigma_visited = averages[0];
        losses->sigma_uniform = averages[1];
    }
    ops->adam(agent->team, &agent->critics, agent->dcritics, &agent->critic_adam);
}

void wac_critics_follow(wac_agent *agent)
{
    agent->ops->polyak(agent->team, &agent->targets, &agent->critics, agent->config.target_rate);
}
