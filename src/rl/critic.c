/* Critics: the Wasserstein barycentre of Gaussians as two squared errors, one on means, one on
 * stds (equation 6 of the paper), and the synthetic pairs that keep unseen stds high (equation 9).
 */
#include "rl/critic.h"
#include "rl/policy.h"

#include "nn/adam.h"

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
    wac_agent_anchor(agent);
}

void wac_agent_anchor(wac_agent *agent)
{
    if (!agent->wac)
        return;
    wac_stack stds = wac_stack_slice(&agent->critics, WAC_CRITICS, WAC_CRITICS);
    copy_params(&agent->anchors, &stds);
}

/* The critic that is dealt out: a mean, then its std, since such pairs take equally long. A thread
 * gets the same ones every time. */
static int dealt(const wac_agent *agent, int item)
{
    return agent->wac ? item % 2 * WAC_CRITICS + item / 2 : item;
}

static void ask_target(void *work, wac_team *team, int item, int place)
{
    wac_agent *agent = work;
    int m = dealt(agent, item);
    wac_stack target = wac_stack_slice(&agent->targets, m, 1);
    wac_pass pass = wac_pass_slice(&agent->critic_pass, &agent->targets, place);
    pass.out = wac_pass_slice(&agent->critic_pass, &agent->targets, m).out;
    wac_input input = {.x = agent->query, .rows = agent->rows};
    agent->ops->infer(team, &target, input, &pass);
}

void wac_critics_backup(wac_agent *agent, int next, int entropy)
{
    const wac_ops *ops = agent->ops;
    wac_policies_sample_next(agent, next);
    ops->join(agent->rows, agent->observations, agent->actions, agent->batch.next_observations,
              agent->next_sample.action, agent->query);
    wac_team_deal(agent->team, ask_target, agent, agent->targets.members);
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

/* A critic's part of step 5 or 6, and of 9: none needs to know of the others. */
typedef struct lesson {
    wac_agent *agent;
    wac_losses *losses;
    double averages[2 * WAC_CRITICS][2]; /* of its output: over the batch, over synthetic pairs */
} lesson;

/* Mean critics see the batch; std critics see it and the synthetic pairs behind it. */
static void teach(void *work, wac_team *team, int item, int place)
{
    lesson *lesson = work;
    wac_agent *agent = lesson->agent;
    wac_losses *losses = lesson->losses;
    const wac_ops *ops = agent->ops;
    int m = dealt(agent, item), twin = m % WAC_CRITICS;
    bool std = m >= WAC_CRITICS;
    wac_stack critic = wac_stack_slice(&agent->critics, m, 1);
    wac_pass pass = wac_pass_slice(&agent->critic_pass, &agent->critics, place);
    real *dout = agent->dout + (size_t)(place * pass.capacity);
    real *dparams = agent->gradients + (size_t)place * critic.stride;
    wac_input input = {.x = agent->pairs, .rows = agent->rows + (std ? agent->synthetic : 0)};
    ops->forward(team, &critic, input, &pass);
    if (std) {
        wac_stack anchor = wac_stack_slice(&agent->anchors, twin, 1);
        wac_pass anchored = wac_pass_slice(&agent->anchor_pass, &agent->anchors, twin);
        wac_input unseen = {.x = agent->pairs + (size_t)(agent->rows * critic.shape.inputs),
                            .rows = agent->synthetic};
        ops->infer(team, &anchor, unseen, &anchored);
        ops->std_error(agent->rows, agent->synthetic, pass.out, agent->std_target, anchored.out,
                       (real)agent->config.lambda, agent->sigma_max, dout, &losses->std[twin],
                       &losses->regularisation[twin], lesson->averages[m]);
    } else {
        ops->mean_error(agent->rows, pass.out, agent->mean_target, dout, &losses->critic[twin],
                        lesson->averages[m]);
    }
    ops->backward(team, &critic, input, &pass, dout, &(wac_gradient){.params = dparams});

    wac_adam adam = wac_adam_slice(&agent->critic_adam, &agent->critics, m);
    wac_stack target = wac_stack_slice(&agent->targets, m, 1);
    ops->adam(team, &critic, dparams, &adam);
    ops->polyak(team, &target, &critic, agent->config.target_rate);
}

void wac_critics_learn(wac_agent *agent, wac_losses *losses)
{
    agent->ops->join(agent->rows, agent->observations, agent->actions, agent->batch.observations,
                     agent->batch.actions, agent->pairs);
    agent->critic_adam.steps++;
    lesson lesson = {.agent = agent, .losses = losses};
    wac_team_deal(agent->team, teach, &lesson, agent->critics.members);
    losses->q_mean = (lesson.averages[0][0] + lesson.averages[1][0]) / WAC_CRITICS;
    if (agent->wac) {
        losses->sigma_visited = (lesson.averages[2][0] + lesson.averages[3][0]) / WAC_CRITICS;
        losses->sigma_uniform = (lesson.averages[2][1] + lesson.averages[3][1]) / WAC_CRITICS;
    }
}
