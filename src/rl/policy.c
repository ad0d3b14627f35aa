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

/* Where the rows of a batch are cut for a team. */
static int pieces_of_rows(const wac_agent *agent, const wac_team *team)
{
    int threads = wac_team_threads(team), most = agent->rows / LEAST_ROWS;
    return threads < most ? threads : most > 0 ? most : 1;
}

static int first_row(const wac_agent *agent, int piece, int pieces)
{
    return (int)((int64_t)agent->rows * piece / pieces);
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
    int first = first_row(agent, piece, acting->pieces);
    int rows = first_row(agent, piece + 1, acting->pieces) - first;
    wac_stack policy = wac_stack_slice(&agent->policies, acting->policy, 1);
    wac_pass pass = wac_pass_slice(acting->pass, &policy, acting->place);
    pass = wac_pass_from(&pass, &policy, first);
    wac_sample sample = sample_at(acting->sample, acting->place, first, rows);
    wac_input input = {.x = acting->observations + (size_t)(first * agent->observations),
                       .rows = rows};
    (acting->learns ? agent->ops->forward : agent->ops->infer)(NULL, &policy, input, &pass);
    agent->ops->policy_sample(&sample);
}

static void act(acting *acting, wac_team *team)
{
    acting->pieces = pieces_of_rows(acting->agent, team);
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

/* One policy's aim, shared out by rows: of each, which critics it goes back through differs, but
 * not how many. */
typedef struct aiming {
    wac_agent *agent;
    int policy;
    bool with_std;
    int pieces;
} aiming;

static void aim_rows(void *work, int piece)
{
    const aiming *aiming = work;
    wac_agent *agent = aiming->agent;
    const wac_ops *ops = agent->ops;
    int first = first_row(agent, piece, aiming->pieces);
    int rows = first_row(agent, piece + 1, aiming->pieces) - first;
    size_t row = (size_t)first, o = (size_t)agent->observations, a = (size_t)agent->actions;
    size_t at = (size_t)aiming->policy * (size_t)agent->rows + row; /* among all policies' */
    int members = aiming->with_std ? 2 * WAC_CRITICS : WAC_CRITICS;
    wac_stack critics = wac_stack_slice(&agent->critics, 0, members);
    wac_pass pass = wac_pass_from(&agent->critic_pass, &critics, first);
    wac_input input = {.x = agent->query + row * (o + a), .rows = rows};
    wac_critic_rows values = {.rows = rows,
                              .capacity = pass.capacity,
                              .std = aiming->with_std,
                              .out = pass.out,
                              .kappa = agent->kappa};
    real *dout = agent->dout + row, *wishes = agent->dactions + row * a;
    real *daction = agent->daction + at * a;
    wac_gradient gradient = {.inputs = wishes, .input_first = agent->observations};
    ops->join(rows, agent->observations, agent->actions, agent->batch.observations + row * o,
              agent->sample.action + at * a, agent->query + row * (o + a));
    ops->forward(NULL, &critics, input, &pass);
    ops->upper_bound(&values, (real)1 / (real)agent->rows, agent->bound + row, dout);
    ops->backward(NULL, &critics, input, &pass, dout, &gradient);

    /* what each critic would have the action do, together, and what that asks of the policy */
    for (size_t i = 0; i < (size_t)rows * a; i++) {
        daction[i] = 0;
        for (int m = 0; m < members; m++)
            daction[i] += wishes[(size_t)(m * pass.capacity) * a + i];
    }
    wac_sample sample = sample_at(&agent->sample, aiming->policy, first, rows);
    real dlog_prob = wac_agent_alpha(agent, aiming->policy) / (real)agent->rows;
    ops->policy_gradient(&sample, daction, &dlog_prob, agent->dheads + at * 2 * a);
}

double wac_policies_aim(wac_agent *agent, int policy, bool with_std)
{
    aiming aiming = {agent, policy, with_std, pieces_of_rows(agent, agent->team)};
    wac_team_run(agent->team, aim_rows, &aiming, aiming.pieces);
    double log_prob = 0, bound = 0;
    for (int i = 0; i < agent->rows; i++) {
        log_prob += (double)agent->sample.log_prob[policy * agent->rows + i];
        bound += (double)agent->bound[i];
    }
    return ((double)wac_agent_alpha(agent, policy) * log_prob - bound) / agent->rows;
}

static void step_policy(void *work, wac_team *team, int policy, int place)
{
    wac_agent *agent = work;
    wac_stack one = wac_stack_slice(&agent->policies, policy, 1);
    wac_pass pass = wac_pass_slice(&agent->policy_pass, &agent->policies, policy);
    wac_adam adam = wac_adam_slice(&agent->policy_adam, &agent->policies, policy);
    const real *dheads = agent->dheads + (size_t)(policy * agent->rows * 2 * agent->actions);
    real *dparams = agent->gradients + (size_t)place * one.stride;
    wac_input input = {.x = agent->batch.observations, .rows = agent->rows};
    agent->ops->backward(team, &one, input, &pass, dheads, &(wac_gradient){.params = dparams});
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
