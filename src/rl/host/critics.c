/* Critics: the Wasserstein barycentre of Gaussians as two squared errors, one on means, one on
 * stds (equation 6 of the paper), and the synthetic pairs that keep unseen stds high (equation 9).
 * Each is a network of its own, or a critic puts out its whole posterior (belief.h).
 */
#include "rl/host/critics.h"

#include "rl/host/models.h"
#include "rl/host/policies.h"
#include "rl/host/quantiles.h"

#include <limits.h>
#include <string.h>
#include <tgmath.h>

static void copy_params(const wac_stack *to, const wac_stack *from)
{
    memcpy(to->params, from->params, wac_stack_size(to) * sizeof *to->params);
}

static bool is_std(const wac_desk *desk, int critic)
{
    return critic >= desk->agent->row->means;
}

void wac_critics_anchor(wac_desk *desk, wac_team *team, const void *what)
{
    (void)team, (void)what;
    const wac_algorithm_row *row = desk->agent->row;
    wac_stack stds = wac_stack_slice(&desk->critics, row->shared ? 0 : row->means, row->stds);
    copy_params(&desk->anchors, &stds);
}

void wac_critics_init(wac_desk *desk, wac_rng *rng)
{
    const wac_config *config = &desk->seat->config;
    double q_min = config->reward_min / (1 - config->discount);
    double q_max = config->reward_max / (1 - config->discount);
    for (int m = 0; m < desk->critics.members; m++) {
        wac_stack_randomise(&desk->critics, m, config->first_weights, 3e-3, rng);
        int head = wac_shape_head(&desk->critics.shape);
        real *bias = wac_stack_layer(&desk->critics, desk->critics.params, m, head).bias;
        int logs = is_std(desk, m) ? 0 : desk->agent->row->shared ? 1 : INT_MAX;
        for (int i = logs; i < desk->critics.shape.outputs; i++)
            bias[i] = wac_seat_first_log(desk->agent, desk->seat);
        if (is_std(desk, m))
            continue;
        if (desk->agent->row->stds > 0 && config->mean_prior)
            *bias = (real)((q_max + q_min) / 2);
    }
    if (desk->agent->row->shared)
        wac_belief_aim(&desk->belief, desk->seat->kappa, desk->seat->place);
    copy_params(&desk->targets, &desk->critics);
    wac_critics_anchor(desk, NULL, NULL);
}

/* What critics said of a batch, as the choice of the smallest bound wants it. */
static wac_critic_rows rows_of(const wac_desk *desk, int rows)
{
    const wac_algorithm_row *row = desk->agent->row;
    return (wac_critic_rows){
        .rows = rows,
        .capacity = desk->critic_pass.capacity,
        .means = row->means,
        .stds = row->stds,
        .first_std = row->means,
        .out = desk->critic_pass.out,
        .kappa = desk->seat->kappa,
        .population = row->population,
    };
}

/* --- targets -------------------------------------------------------------------------------- */

/* The critic that is dealt out: a mean, then its std, since such pairs take equally long. A thread
 * gets the same ones every time. */
static int dealt(const wac_desk *desk, int item)
{
    const wac_algorithm_row *row = desk->agent->row;
    int means = row->means;
    return means == row->stds && !row->shared ? item % 2 * means + item / 2 : item;
}

/* The target critic that is dealt out, of those that the backup needs. */
static int dealt_target(const wac_desk *desk, int item)
{
    const wac_algorithm_row *row = desk->agent->row;
    if (!row->subset)
        return dealt(desk, item);
    return item < row->subset ? (int)desk->subset[item] : row->means + item - row->subset;
}

/* Target critics of one member, and its next actions. */
typedef struct asking {
    wac_desk *desk;
    int first; /* of its critics */
} asking;

static void ask_target(void *work, wac_team *team, int item, int place)
{
    const asking *asking = work;
    wac_desk *desk = asking->desk;
    int m = asking->first + dealt_target(desk, item);
    wac_stack target = wac_stack_slice(&desk->targets, m, 1);
    wac_pass pass = wac_pass_at(&desk->critic_pass, &desk->targets, place, 0);
    pass.out = wac_pass_at(&desk->critic_pass, &desk->targets, m, 0).out;
    wac_input input = {.x = desk->query, .rows = desk->agent->rows};
    desk->host->ops->infer(team, &target, input, &pass);
}

static void ask_targets(wac_desk *desk, wac_team *team, int member, int policy, const real *noise)
{
    const wac_agent *agent = desk->agent;
    const wac_algorithm_row *row = agent->row;
    size_t draws = (size_t)agent->rows * (size_t)agent->actions; /* of a member */
    wac_policies_sample_next(desk, team, member * row->policies + policy,
                             noise + (size_t)member * draws);
    wac_join(agent->rows, agent->observations, agent->actions, desk->batch.next_observations,
             desk->next_sample.action, desk->query);
    int own = agent->critics / agent->members, asked = row->subset ? row->subset + row->stds : own;
    wac_team_deal(team, ask_target, &(asking){desk, member * own}, asked);
}

typedef struct backing {
    int next, entropy; /* policies */
} backing;

static void back_up(wac_desk *desk, wac_team *team, const void *what)
{
    const backing *backing = what;
    const wac_agent *agent = desk->agent;
    for (int m = 0; m < agent->members; m++) {
        ask_targets(desk, team, m, backing->next, desk->next_noise);
        wac_backup backup = {
            .next = rows_of(desk, agent->rows),
            .reward = desk->batch.rewards,
            .terminal = desk->batch.terminals,
            .log_prob = desk->next_sample.log_prob,
            .alpha = desk->seat->alpha[m * agent->row->policies + backing->entropy],
            .discount = (real)desk->seat->config.discount,
            .sigma_max = desk->seat->sigma_max,
            .mean_target = desk->mean_target + (size_t)(m * agent->rows),
            .std_target = desk->std_target,
        };
        if (agent->row->subset) {
            backup.next.means = agent->row->subset;
            backup.next.subset = desk->subset;
        }
        if (agent->row->members) {
            backup.next.means /= agent->members;
            backup.next.out += (size_t)(m * backup.next.means * backup.next.capacity);
        }
        if (wac_models_read_pairs(agent)) {
            wac_models_appraise_next(desk, team);
            backup.bonus = desk->models.next_bonus;
        }
        if (agent->row->shared)
            wac_belief_target(&desk->belief, &backup);
        else if (agent->row->quantiles)
            wac_quantile_target(agent->row->quantiles, &backup);
        else
            wac_td_target(&backup);
    }
}

void wac_critics_back_up(wac_agent *agent, int next, int entropy)
{
    wac_host_each(agent, back_up, &(backing){next, entropy});
}

void wac_critics_weigh(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    const wac_agent *agent = desk->agent;
    size_t rows = (size_t)agent->rows;
    real temperature = (real)desk->seat->config.backup_temperature;
    real *factor = desk->bound; /* [B], of the critics' errors */
    for (size_t i = 0; i < rows; i++)
        factor[i] = 1;
    for (int m = 0; temperature > 0 && m < agent->members; m++)
        ask_targets(desk, team, m, 0, desk->weight_noise);
    if (temperature > 0) {
        wac_critic_rows targets = rows_of(desk, agent->rows);
        wac_weigh_spread(&targets, temperature, factor);
    }
    for (int m = 0; m < agent->members; m++) {
        const real *mask = desk->masks + (size_t)m * rows;
        real *share = desk->share + (size_t)m * rows, *weight = desk->weight + (size_t)m * rows;
        real learning = 1; /* one more than there are, so that there is always one */
        for (size_t i = 0; i < rows; i++)
            learning += mask[i];
        for (size_t i = 0; i < rows; i++) {
            share[i] = mask[i] / learning;
            weight[i] = share[i] * factor[i];
        }
    }
}

/* --- learning ------------------------------------------------------------------------------- */

/* The anchors' word on the synthetic pairs. */
static const real *anchored(const wac_desk *desk, wac_team *team, int k)
{
    wac_stack anchor = wac_stack_slice(&desk->anchors, k, 1);
    wac_pass pass = wac_pass_at(&desk->anchor_pass, &desk->anchors, k, 0);
    wac_input unseen = {.x = desk->pairs + (size_t)(desk->agent->rows * anchor.shape.inputs),
                        .rows = desk->seat->synthetic};
    desk->host->ops->infer(team, &anchor, unseen, &pass);
    return pass.out;
}

/* Errors of what a std critic, or one with a whole posterior, put out. */
static void std_error(wac_desk *desk, wac_team *team, int m, const real *out, real *dout)
{
    wac_seat *seat = desk->seat;
    double averages[2];
    wac_std_error(desk->agent->rows, seat->synthetic, out, desk->std_target,
                  anchored(desk, team, m - desk->agent->row->means), (real)seat->config.lambda,
                  seat->sigma_max, dout, &seat->loss[m], &seat->regularisation[m], averages);
    seat->average[m] = averages[0];
    seat->average_synthetic[m] = averages[1];
}

static void belief_error(wac_desk *desk, wac_team *team, int m, const real *out, real *scratch,
                         real *dout)
{
    wac_seat *seat = desk->seat;
    int std = desk->agent->row->means + m; /* where a seat keeps what it saw of the spread */
    wac_belief_sight seen;
    wac_belief_error(&desk->belief, desk->agent->rows, seat->synthetic, out, desk->mean_target,
                     desk->std_target, anchored(desk, team, m), (real)seat->config.lambda,
                     seat->sigma_max, scratch, dout, &seen);
    seat->loss[m] = seen.loss;
    seat->average[m] = seen.mean;
    seat->loss[std] = seen.spread_loss;
    seat->regularisation[std] = seen.regularisation;
    seat->average[std] = seen.std;
    seat->average_synthetic[std] = seen.std_synthetic;
}

/* A critic's part of step 5 or 6, and of 9: none needs to know of the others. Mean critics see the
 * batch; those that know of a std see it and the synthetic pairs behind it. */
static void teach_critic(void *work, wac_team *team, int item, int place)
{
    wac_desk *desk = work;
    const wac_agent *agent = desk->agent;
    wac_seat *seat = desk->seat;
    const wac_ops *ops = desk->host->ops;
    int m = dealt(desk, item);
    bool std = is_std(desk, m), shared = agent->row->shared;
    wac_stack critic = wac_stack_slice(&desk->critics, m, 1);
    wac_pass pass = wac_pass_at(&desk->critic_pass, &desk->critics, place, 0);
    real *dout = desk->dout + (size_t)(place * pass.capacity) * (size_t)critic.shape.outputs;
    real *dparams = desk->gradients + (size_t)place * critic.stride;
    int synthetic = std || shared ? seat->synthetic : 0;
    wac_input input = {.x = desk->pairs, .rows = agent->rows + synthetic};
    ops->forward(team, &critic, input, &pass);
    if (shared) {
        belief_error(desk, team, m, pass.out,
                     desk->spreads + (size_t)(place * 2 * desk->belief.spread), dout);
    } else if (std) {
        std_error(desk, team, m, pass.out, dout);
    } else if (agent->row->quantiles > 1) {
        wac_quantile_error(agent->row->quantiles, agent->rows, pass.out, desk->mean_target,
                           desk->weight, dout, &seat->loss[m], &seat->average[m]);
    } else {
        int member = m / (agent->row->means / agent->members);
        size_t own = (size_t)member * (size_t)agent->rows;
        wac_mean_error(agent->rows, pass.out, desk->mean_target + own, desk->weight + own, dout,
                       &seat->loss[m], &seat->average[m]);
    }
    ops->backward(team, &critic, input, &pass, dout, &(wac_gradient){.params = dparams});

    wac_stack target = wac_stack_slice(&desk->targets, m, 1);
    double rate = std ? seat->config.std_learning_rate : seat->config.learning_rate;
    ops->adam(team, &critic, dparams, wac_moments_slice(desk->critic_moments, &critic, m),
              wac_adam_decay(seat->critic_steps, rate, seat->config.weight_decay));
    if (!agent->row->lag || seat->critic_steps % agent->row->delay == 0)
        ops->polyak(team, &target, &critic, seat->config.target_rate);
}

void wac_critics_teach(wac_desk *desk, wac_team *team, const void *what)
{
    (void)what;
    const wac_agent *agent = desk->agent;
    wac_join(agent->rows, agent->observations, agent->actions, desk->batch.observations,
             desk->batch.actions, desk->pairs);
    desk->seat->critic_steps++;
    wac_team_deal(team, teach_critic, desk, desk->critics.members);
}

/* --- outside of updates --------------------------------------------------------------------- */

void wac_critics_slope(wac_agent *agent, int seat, const float *observation, const real *action,
                       wac_weigh_fn *weigh, const void *user, real *slope)
{
    wac_desk *desk = wac_host_desk(agent, seat);
    const wac_ops *ops = desk->host->ops;
    int means = agent->row->means, o = agent->observations, a = agent->actions;
    size_t capacity = (size_t)desk->critic_pass.capacity;
    real *x = desk->query, values[WAC_CRITICS_MOST], weights[WAC_CRITICS_MOST];
    for (int i = 0; i < o; i++)
        x[i] = wac_normalise(&desk->normaliser, i, observation[i]);
    memcpy(x + o, action, (size_t)a * sizeof *x);
    wac_stack critics = wac_stack_slice(&desk->critics, 0, means);
    wac_input input = {.x = x, .rows = 1};
    wac_gradient gradient = {.inputs = desk->dactions, .input_first = o};
    ops->forward(NULL, &critics, input, &desk->critic_pass);
    for (int k = 0; k < means; k++)
        values[k] = desk->critic_pass.out[(size_t)k * capacity];
    weigh(user, values, weights);
    for (int k = 0; k < means; k++)
        desk->dout[(size_t)k * capacity] = weights[k];
    ops->backward(NULL, &critics, input, &desk->critic_pass, desk->dout, &gradient);
    for (int j = 0; j < a; j++) {
        slope[j] = 0;
        for (int k = 0; k < means; k++)
            slope[j] += desk->dactions[(size_t)k * capacity * (size_t)a + (size_t)j];
    }
}

/* Mean and std of the posterior to trust. */
static void whole_value(const wac_desk *desk, const wac_critic_rows *critics, int row, float *mean,
                        float *std)
{
    const wac_belief *belief = &desk->belief;
    int k = wac_belief_smallest(belief, critics, row);
    const real *out =
        critics->out + (size_t)(k * critics->capacity + row) * (size_t)belief->outputs;
    *mean = (float)out[0];
    if (!std)
        return;
    wac_belief_spread(belief, out, NULL, desk->spreads);
    *std = (float)wac_belief_std(belief, desk->spreads);
}

void wac_critics_value(wac_agent *agent, int seat, int rows, const float *observations,
                       const float *actions, float *mean, float *std)
{
    wac_desk *desk = wac_host_desk(agent, seat);
    size_t o = (size_t)agent->observations, a = (size_t)agent->actions;
    int capacity = desk->critic_pass.capacity, means = agent->row->means;
    wac_team *team = rows > WAC_POLICIES_MOST ? desk->host->team : NULL; /* see steps.h */
    for (int first = 0; first < rows; first += agent->rows) {
        int count = rows - first < agent->rows ? rows - first : agent->rows;
        for (size_t i = 0; i < (size_t)count; i++) {
            real *x = desk->query + i * (o + a);
            for (size_t j = 0; j < o; j++)
                x[j] = wac_normalise(&desk->normaliser, (int)j,
                                     observations[((size_t)first + i) * o + j]);
            for (size_t j = 0; j < a; j++)
                x[o + j] = actions[((size_t)first + i) * a + j];
        }
        desk->host->ops->infer(team, &desk->critics, (wac_input){.x = desk->query, .rows = count},
                               &desk->critic_pass);
        wac_critic_rows critics = rows_of(desk, count);
        for (int i = 0; i < count; i++) {
            if (agent->row->shared) {
                whole_value(desk, &critics, i, mean + first + i, std ? std + first + i : NULL);
                continue;
            }
            if (agent->row->quantiles) {
                mean[first + i] = (float)wac_quantile_mean(agent->row->quantiles, &critics, i);
                continue;
            }
            if (agent->members > 1) {
                real average, spread;
                wac_mean_spread(&critics, i, &average, &spread);
                mean[first + i] = (float)average;
                if (std)
                    std[first + i] = (float)spread;
                continue;
            }
            int k = wac_smallest_bound(&critics, i);
            mean[first + i] = (float)critics.out[k * capacity + i];
            if (std)
                std[first + i] =
                    (float)exp(critics.out[(means + k % agent->row->stds) * capacity + i]);
        }
    }
}
