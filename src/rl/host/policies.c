/* Policies: how they sample, what they climb. */
#include "rl/host/policies.h"

#include "rl/host/models.h"
#include "rl/host/optimist.h"
#include "rl/host/quantiles.h"

#include <tgmath.h>

enum { LEAST_ROWS = 16 }; /* fewer are not worth waking another thread for */

/* `rows` of a sample from `first` on. */
static wac_sample sample_at(const wac_sample *whole, int first, int rows)
{
    wac_sample sample = *whole;
    size_t row = (size_t)first, actions = (size_t)whole->actions;
    sample.rows = rows;
    sample.heads += row * (size_t)whole->per_row;
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
    wac_desk *desk;
    const real *observations;
    const wac_stack *policies;
    int policy;  /* of these */
    int place;   /* in pass and sample */
    bool learns; /* the activations are needed afterwards */
    const wac_pass *pass;
    const wac_sample *sample;
    int pieces;
} acting;

static void act_rows(void *work, int piece)
{
    const acting *acting = work;
    const wac_desk *desk = acting->desk;
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    int first = first_row(agent, piece, acting->pieces);
    int rows = first_row(agent, piece + 1, acting->pieces) - first;
    wac_stack policy = wac_stack_slice(acting->policies, acting->policy, 1);
    wac_pass pass = wac_pass_at(acting->pass, &policy, acting->place, first);
    wac_sample sample = sample_at(acting->sample, acting->place * agent->rows + first, rows);
    wac_input input = {.x = acting->observations + (size_t)(first * agent->observations),
                       .rows = rows};
    (acting->learns ? ops->forward : ops->infer)(NULL, &policy, input, &pass);
    wac_policy_sample(&sample);
}

static void act(acting *acting, wac_team *team)
{
    acting->pieces = pieces_of_rows(acting->desk->agent, team);
    wac_team_run(team, act_rows, acting, acting->pieces);
}

static void sample_policy(void *work, wac_team *team, int policy, int place)
{
    (void)place;
    wac_desk *desk = work;
    acting acting = {.desk = desk,
                     .observations = desk->batch.observations,
                     .policies = &desk->policies,
                     .policy = policy,
                     .place = policy,
                     .learns = true,
                     .pass = &desk->policy_pass,
                     .sample = &desk->sample};
    act(&acting, team);
}

void wac_policies_sample(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    wac_team_deal(team, sample_policy, desk, desk->policies.members);
}

void wac_policies_sample_next(wac_desk *desk, wac_team *team, int policy, const real *noise)
{
    bool shadow = policy == WAC_NEXT_SHADOW;
    desk->next_sample.noise = noise;
    acting acting = {.desk = desk,
                     .observations = desk->batch.next_observations,
                     .policies = shadow ? &desk->shadow : &desk->policies,
                     .policy = shadow ? 0 : policy,
                     .pass = &desk->next_pass,
                     .sample = &desk->next_sample};
    act(&acting, team);
}

void wac_policies_sample_shadow(wac_desk *desk, wac_team *team)
{
    acting acting = {.desk = desk,
                     .observations = desk->batch.observations,
                     .policies = &desk->shadow,
                     .pass = &desk->models.shadow_pass,
                     .sample = &desk->models.shadow_sample};
    act(&acting, team);
}

void wac_policies_tune(wac_desk *desk, wac_team *team, const void *what)
{
    (void)team, (void)what;
    wac_seat *seat = desk->seat;
    if (!seat->config.entropy_tuning)
        return;
    wac_adam_factors factors = wac_adam_prepare_by(
        wac_row_momentum(desk->agent->row), ++seat->entropy_steps, seat->config.learning_rate);
    wac_entropy_step(desk->policies.members, desk->agent->rows, desk->sample.log_prob, desk->share,
                     (real)(seat->config.entropy_target * desk->agent->actions), factors,
                     &desk->entropy);
    for (int m = 0; m < desk->policies.members; m++)
        seat->alpha[m] = exp(desk->entropy.log_alpha[m]);
}

void wac_policies_pull(wac_desk *desk, const wac_pull *pull)
{
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    size_t row = (size_t)pull->first, count = (size_t)pull->rows;
    size_t o = (size_t)agent->observations, a = (size_t)agent->actions;
    int means = agent->row->means / agent->members;
    int stds = pull->at == WAC_AIM_BOUND ? agent->row->stds : 0;
    int networks = means + (agent->row->shared ? 0 : stds);
    wac_stack critics = wac_stack_slice(&desk->critics, pull->member * means, networks);
    wac_pass pass = wac_pass_at(&desk->critic_pass, &critics, 0, pull->first);
    wac_input input = {.x = desk->query + row * (o + a), .rows = pull->rows};
    wac_critic_rows values = {.rows = pull->rows,
                              .capacity = pass.capacity,
                              .means = means,
                              .stds = stds,
                              .first_std = means,
                              .out = pass.out,
                              .kappa = pull->kappa,
                              .population = agent->row->population};
    real *dout = desk->dout + row * (size_t)critics.shape.outputs;
    real *wishes = desk->dactions + row * a, *bound = desk->bound + row;
    wac_gradient gradient = {.inputs = wishes, .input_first = agent->observations};
    wac_join(pull->rows, agent->observations, agent->actions, desk->batch.observations + row * o,
             pull->action, desk->query + row * (o + a));
    ops->forward(NULL, &critics, input, &pass);
    if (agent->row->shared)
        wac_belief_bound(&desk->belief, &values, pull->share, bound, dout);
    else if (agent->row->quantiles)
        wac_quantile_bound(agent->row->quantiles, &values, pull->share, bound, dout);
    else
        (pull->at == WAC_AIM_AVERAGE ? wac_average_mean : wac_upper_bound)(&values, pull->share,
                                                                           bound, dout);
    ops->backward(NULL, &critics, input, &pass, dout, &gradient);

    /* what each critic would have the action do, together */
    for (size_t i = 0; i < count * a; i++) {
        pull->daction[i] = 0;
        for (int m = 0; m < networks; m++)
            pull->daction[i] += wishes[(size_t)(m * pass.capacity) * a + i];
    }
}

/* Work on rows of the batch, in pieces. */
typedef struct sharing {
    wac_desk *desk;
    wac_rows_fn *run;
    int pieces;
} sharing;

static void run_piece(void *work, int piece)
{
    const sharing *sharing = work;
    const wac_agent *agent = sharing->desk->agent;
    int first = first_row(agent, piece, sharing->pieces);
    sharing->run(sharing->desk, first, first_row(agent, piece + 1, sharing->pieces) - first);
}

void wac_policies_share_rows(wac_desk *desk, wac_team *team, wac_rows_fn *run)
{
    sharing sharing = {desk, run, pieces_of_rows(desk->agent, team)};
    wac_team_run(team, run_piece, &sharing, sharing.pieces);
}

/* One policy's aim, shared out by rows: of each, which critics it goes back through differs, but
 * not how many. */
typedef struct aiming {
    wac_desk *desk;
    int policy;
    wac_aim at;
    int pieces;
} aiming;

static void aim_rows(void *work, int piece)
{
    const aiming *aiming = work;
    wac_desk *desk = aiming->desk;
    const wac_agent *agent = desk->agent;
    int first = first_row(agent, piece, aiming->pieces);
    int rows = first_row(agent, piece + 1, aiming->pieces) - first;
    size_t row = (size_t)first, a = (size_t)agent->actions;
    size_t at = (size_t)aiming->policy * (size_t)agent->rows + row; /* among all policies' */
    size_t heads = (size_t)desk->sample.per_row;
    const real *share = desk->share + at;
    real *daction = desk->daction + at * a, *bound = desk->bound + row;
    wac_policies_pull(desk,
                      &(wac_pull){.first = first,
                                  .rows = rows,
                                  .member = aiming->policy / agent->row->policies,
                                  .at = aiming->at,
                                  .kappa = aiming->at == WAC_AIM_BOUND ? desk->seat->kappa : 0,
                                  .action = desk->sample.action + at * a,
                                  .share = share,
                                  .daction = daction});
    if (wac_models_read_pairs(agent)) {
        const wac_models *models = &desk->models;
        real weight = desk->seat->bonus_weight;
        for (size_t i = 0; i < (size_t)rows; i++)
            bound[i] += weight * models->bonus[row + i];
        for (size_t i = 0; i < (size_t)rows * a; i++)
            daction[i] -= weight * share[i / a] * models->slope[row * a + i];
    }
    wac_sample sample = sample_at(&desk->sample, (int)at, rows);
    wac_policy_gradient(&sample, daction, desk->seat->alpha[aiming->policy], share,
                        desk->dheads + at * heads);
}

static void aim(wac_desk *desk, wac_team *team, const void *what)
{
    aiming aiming = *(const struct aiming *)what;
    int rows = desk->agent->rows, policy = aiming.policy;
    aiming.desk = desk;
    aiming.pieces = pieces_of_rows(desk->agent, team);
    wac_team_run(team, aim_rows, &aiming, aiming.pieces);
    double log_prob = 0, bound = 0;
    for (int i = 0; i < rows; i++) {
        double share = (double)desk->share[policy * rows + i];
        log_prob += share * (double)desk->sample.log_prob[policy * rows + i];
        bound += share * (double)desk->bound[i];
    }
    desk->seat->objective[policy] = (double)desk->seat->alpha[policy] * log_prob - bound;
}

void wac_policies_aim(wac_agent *agent, int policy, wac_aim at)
{
    wac_host_each(agent, aim, &(aiming){.policy = policy, .at = at});
}

static void climb_policy(void *work, wac_team *team, int policy, int place)
{
    wac_desk *desk = work;
    const wac_agent *agent = desk->agent;
    const wac_ops *ops = desk->host->ops;
    wac_stack one = wac_stack_slice(&desk->policies, policy, 1);
    wac_pass pass = wac_pass_at(&desk->policy_pass, &desk->policies, policy, 0);
    const real *dheads = desk->dheads + (size_t)(policy * agent->rows * desk->sample.per_row);
    real *dparams = desk->gradients + (size_t)place * one.stride;
    wac_input input = {.x = desk->batch.observations, .rows = agent->rows};
    ops->backward(team, &one, input, &pass, dheads, &(wac_gradient){.params = dparams});
    ops->adam(team, &one, dparams, wac_moments_slice(desk->policy_moments, &one, policy),
              wac_adam_decay(desk->seat->policy_steps, desk->seat->config.learning_rate,
                             desk->seat->config.weight_decay));
    if (policy < desk->shadow.members)
        ops->polyak(team, &desk->shadow, &one, desk->seat->config.target_rate);
}

void wac_policies_climb(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    desk->seat->policy_steps++;
    wac_team_deal(team, climb_policy, desk, desk->policies.members);
}

void wac_policies_act(wac_agent *agent, int seat, int policy, const float *observation, real *heads)
{
    wac_desk *desk = wac_host_desk(agent, seat);
    bool optimist = policy == WAC_ACT_OPTIMIST;
    real *x = desk->query;
    for (int i = 0; i < agent->observations; i++)
        x[i] = wac_normalise(&desk->normaliser, i, observation[i]);
    wac_stack one = wac_stack_slice(&desk->policies, optimist ? 0 : policy, 1);
    desk->host->ops->infer(NULL, &one, (wac_input){.x = x, .rows = 1}, &desk->next_pass);
    for (int i = 0; i < one.shape.outputs; i++) {
        real head = desk->next_pass.out[i];
        heads[i] = i < agent->actions ? head : wac_log_std_of(desk->sample.bent, head, NULL);
    }
    if (optimist)
        wac_optimist_act(desk, heads);
}
