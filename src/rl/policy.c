/* Policies: how they sample, what they climb. */
#include "rl/policy.h"

#include "nn/adam.h"

#include <string.h>
#include <tgmath.h>

enum { LEAST_ROWS = 16 }; /* fewer are not worth waking another thread for */

void wac_policies_init(wac_agent *agent, wac_rng *rng)
{
    for (int m = 0; m < agent->policies.members; m++)
        wac_stack_randomise(&agent->policies, m, 1e-3, agent->ops, rng);
    agent->ops->settle(agent->team, &agent->policies);
}

/* Rows `first` and on of one policy's part of a sample. */
static wac_sample sample_at(const wac_sample *whole, int policy, int first, int rows)
{
    wac_sample sample = *whole;
    size_t row = (size_t)(policy * whole->rows + first), actions = (size_t)whole->actions;
    sample.members = 1;
    sample.rows = rows;
    sample.heads += (size_t)(policy * whole->capacity + first) * 2 * actions;
    sample.noise += row * actions;
    sample.action += row * actions;
    sample.log_prob += row;
    return sample;
}

/* Let a policy act at observations, shared out by rows. */
typedef struct acting {
    wac_agent *agent;
    const real *observations;
    int policy;  /* of the agent */
    int place;   /* in pass and sample */
    bool learns; /* the activations are needed afterwards */
    const wac_pass *pass;
    const wac_sample *sample;
    int pieces;
} acting;

static void act_rows(void *work, int piece)
{
    const acting *acting = work;
    wac_agent *agent = acting->agent;
    int first = agent->rows * piece / acting->pieces;
    int rows = agent->rows * (piece + 1) / acting->pieces - first;
    wac_stack policy = wac_stack_slice(&agent->policies, acting->policy, 1);
    wac_pass pass = wac_pass_slice(acting->pass, &policy, acting->place);
    pass.h0 += (size_t)(first * policy.shape.width);
    pass.h1 += (size_t)(first * policy.shape.width);
    pass.out += (size_t)(first * policy.shape.outputs);
    wac_sample sample = sample_at(acting->sample, acting->place, first, rows);
    wac_input input = {.x = acting->observations + (size_t)(first * agent->observations),
                       .rows = rows};
    (acting->learns ? agent->ops->forward : agent->ops->infer)(NULL, &policy, input, &pass);
    agent->ops->policy_sample(&sample);
}

static void act(acting *acting, wac_team *team)
{
    int threads = wac_team_threads(team), most = acting->agent->rows / LEAST_ROWS;
    acting->pieces = threads < most ? threads : most > 0 ? most : 1;
    wac_team_run(team, act_rows, acting, acting->pieces);
}

static void sample_policy(void *work, wac_team *team, int policy, int place)
{
    (void)place;
    wac_agent *agent = work;
    acting acting = {.agent = agent,
                     .observations = agent->batch.observations,
                     .policy = policy,
                     .place = policy,
                     .learns = true,
                     .pass = &agent->policy_pass,
                     .sample = &agent->sample};
    act(&acting, team);
}

void wac_policies_sample(wac_agent *agent)
{
    wac_team_deal(agent->team, sample_policy, agent, agent->policies.members);
}

void wac_policies_sample_next(wac_agent *agent, int policy)
{
    acting acting = {.agent = agent,
                     .observations = agent->batch.next_observations,
                     .policy = policy,
                     .pass = &agent->next_pass,
                     .sample = &agent->next_sample};
    act(&acting, agent->team);
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

static void step_policy(void *work, wac_team *team, int policy, int place)
{
    wac_agent *agent = work;
    wac_stack one = wac_stack_slice(&agent->policies, policy, 1);
    wac_pass pass = wac_pass_slice(&agent->policy_pass, &agent->policies, policy);
    wac_pass scratch = wac_pass_slice(&agent->policy_scratch, &agent->policies, place);
    wac_adam adam = wac_adam_slice(&agent->policy_adam, &agent->policies, policy);
    wac_sample sample = sample_at(&agent->sample, policy, 0, agent->rows);
    size_t rows = (size_t)(policy * agent->rows), actions = (size_t)agent->actions;
    real *dheads = agent->dheads + rows * 2 * actions;
    real *dparams = agent->dpolicies + (size_t)policy * one.stride;
    real dlog_prob = wac_agent_alpha(agent, policy) / (real)agent->rows;
    wac_input input = {.x = agent->batch.observations, .rows = agent->rows};
    agent->ops->policy_gradient(&sample, agent->daction + rows * actions, &dlog_prob, dheads);
    agent->ops->backward(team, &one, input, &pass, dheads, &(wac_gradient){.params = dparams},
                         &scratch);
    agent->ops->adam(team, &one, dparams, &adam);
}

void wac_policies_step(wac_agent *agent)
{
    agent->policy_adam.steps++;
    wac_team_deal(agent->team, step_policy, agent, agent->policies.members);
}

void wac_policy_heads(wac_agent *agent, int policy, const float *observation, real *heads)
{
    real *x = agent->query;
    for (int i = 0; i < agent->observations; i++)
        x[i] = wac_normalise(&agent->normaliser, i, observation[i]);
    wac_stack one = wac_stack_slice(&agent->policies, policy, 1);
    agent->ops->infer(agent->team, &one, (wac_input){.x = x, .rows = 1}, &agent->next_pass);
    for (int i = 0; i < 2 * agent->actions; i++) {
        real head = agent->next_pass.out[i];
        if (i >= agent->actions)
            head = fmin(fmax(head, WAC_LOG_STD_MIN), WAC_LOG_STD_MAX);
        heads[i] = head;
    }
}
