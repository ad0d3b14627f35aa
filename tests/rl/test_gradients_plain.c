/* Losses, bonuses and what explores, in double, against the same once more in plain numbers: an
 * update with all rates at zero moves nothing and leaves its losses to be looked at. */
#include "support/drawn_agent.h"

/* outputs of a network for one input */
static void evaluate(const wac_stack *stack, int member, const double *x, double *out)
{
    double values[64], next[64];
    memcpy(values, x, (size_t)stack->shape.inputs * sizeof *values);
    for (int l = 0; l <= stack->shape.hidden; l++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, l);
        for (int o = 0; o < layer.outputs; o++) {
            next[o] = layer.bias[o];
            for (int k = 0; k < layer.inputs; k++)
                next[o] += layer.weight[o * layer.inputs + k] * values[k];
            if (l < stack->shape.hidden)
                next[o] = fmax(next[o], 0);
        }
        memcpy(values, next, sizeof values);
    }
    memcpy(out, values, (size_t)stack->shape.outputs * sizeof *out);
}

static double value(const wac_stack *stack, int member, const double *pair)
{
    double out;
    evaluate(stack, member, pair, &out);
    return out;
}

/* the pair of an observation and a policy's action there; returns the log-probability */
static double act(const wac_agent *agent, int policy, const real *observation, const real *noise,
                  double *pair)
{
    double heads[2 * A], log_prob = 0;
    memcpy(pair, observation, O * sizeof *pair);
    evaluate(&desk_of(agent)->policies, policy, pair, heads);
    for (int j = 0; j < A; j++) {
        double std = exp(fmin(fmax(heads[A + j], -20), 2)), z = noise[j];
        double a = pair[O + j] = tanh(heads[j] + std * z);
        log_prob += -z * z / 2 - log(std) - log(2 * acos(-1.0)) / 2 - log(1 - a * a + 1e-6);
    }
    return log_prob;
}

/* A posterior in plain numbers: a Gaussian has its std, of particles all are listed. */
typedef struct plain {
    double mean, std, upper;
    int count;
    double particles[64];
} plain;

static plain believe(const wac_agent *agent, const wac_stack *stack, int member, const double *pair)
{
    double out[64], kappa = 1.6448536269514722, sum = 0;
    int count = agent->row->particles;
    evaluate(stack, member, pair, out);
    plain p = {.mean = out[0], .std = exp(out[1]), .count = count};
    p.upper = p.mean + kappa * p.std;
    if (count == 0)
        return p;
    for (int i = 1; i < count; i++)
        p.particles[i] = p.particles[i - 1] + exp(out[i]);
    for (int i = 0; i < count; i++)
        sum += p.particles[i];
    p.std = 0;
    for (int i = 0; i < count; i++) {
        p.particles[i] += p.mean - sum / count;
        p.std += pow(p.particles[i] - p.mean, 2) / count;
    }
    p.std = sqrt(p.std);
    /* each stands for the middle of its share: (i + 1/2) / count */
    p.upper = p.particles[count - 1];
    for (int i = count - 2; i >= 0; i--)
        if (0.95 < (i + 1.5) / count)
            p.upper =
                p.particles[i] + (0.95 * count - i - 0.5) * (p.particles[i + 1] - p.particles[i]);
    return p;
}

/* Move it and shrink it about its mean, at least so much that its std is not above `top`. */
static void change(plain *p, double factor, double mean, double top)
{
    double shrink = p->std * factor > top ? top / p->std : factor;
    for (int i = 0; i < p->count; i++)
        p->particles[i] = mean + shrink * (p->particles[i] - p->mean);
    p->std *= shrink;
    p->mean = mean;
}

/* The square of the Wasserstein distance. */
static double distance(const plain *a, const plain *b)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++)
        sum += pow(a->particles[i] - b->particles[i], 2) / a->count;
    return a->count ? sum : pow(a->mean - b->mean, 2) + pow(a->std - b->std, 2);
}

/* the critic with the smallest bound, mean + kappa std or Q, of some, or of those from `first` on;
 * kappa 0 leaves the std out */
static int trusted(const wac_agent *agent, const wac_stack *critics, const int64_t *subset,
                   int first, int count, const double *pair, double kappa, double *bound)
{
    int best = 0, means = agent->row->means;
    double out[64];
    *bound = INFINITY;
    for (int i = 0; i < count; i++) {
        int k = subset ? (int)subset[i] : first + i;
        double own;
        evaluate(critics, k, pair, out);
        own = *out;
        if (agent->row->shared && kappa > 0)
            own = believe(agent, critics, k, pair).upper;
        else if (agent->row->stds && !agent->row->shared)
            own += kappa * exp(value(critics, means + k % agent->row->stds, pair));
        if (own < *bound) {
            *bound = own;
            best = k;
        }
    }
    return best;
}

/* by how many deviations an input is off its mean */
static void scale_inputs(const wac_normaliser *sums, const double *x, double limit, double *out)
{
    for (int i = 0; i < sums->size; i++) {
        double deviation = sqrt(sums->squares[i] / sums->count[0]);
        out[i] = fmin(fmax((x[i] - sums->mean[i]) / deviation, -limit), limit);
    }
}

/* the weighted bonus of a pair: half of the changes' information, half of the reward's */
static double information(const wac_agent *agent, const double *pair)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_normaliser *sums = &models->bonuses;
    double x[O + A], out[16][O + 1], gain = 0;
    int count = models->stack.members;
    if (!desk_of(agent)->shadow.members)
        return 0;
    scale_inputs(&models->inputs, pair, INFINITY, x);
    for (int m = 0; m < count; m++)
        evaluate(&models->stack, m, x, out[m]);
    for (int j = 0; j <= O; j++) {
        double mean = 0, variance = 0;
        for (int m = 0; m < count; m++)
            mean += out[m][j] / count;
        for (int m = 0; m < count; m++)
            variance += pow(out[m][j] - mean, 2) / (count - 1);
        gain += (log(1e-6 + variance) - log(1e-6)) / (j < O ? 2 * O : 2);
    }
    return 0.4 * (gain - sums->mean[0]) / sqrt(sums->squares[0] / sums->count[0]);
}

/* the bonus of a transition, weighted and in deviations: the squared error at where it led */
static double novelty(const wac_agent *agent, int row, double *error)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_normaliser *sums = &models->bonuses;
    double x[O], out[64], random[64];
    *error = 0;
    if (!models->random.members)
        return 0;
    scale_inputs(&models->inputs, &desk_of(agent)->batch.next_observations[row * O], 5, x);
    evaluate(&models->stack, 0, x, out);
    evaluate(&models->random, 0, x, random);
    int features = models->stack.shape.outputs;
    for (int j = 0; j < features; j++)
        *error += pow(out[j] - random[j], 2) / features;
    return 0.4 * *error / sqrt(sums->squares[0] / sums->count[0]);
}

/* what a model should have seen in a row: how wrong it was */
static double model_error(const wac_agent *agent, int model, int row)
{
    const wac_models *models = &desk_of(agent)->models;
    const wac_batch *batch = &desk_of(agent)->batch;
    double pair[O + A], x[O + A], seen[O + 1], wanted[O + 1], out[64], error = 0;
    if (models->random.members) {
        novelty(agent, row, &error);
        return error;
    }
    for (int j = 0; j < O; j++) {
        pair[j] = batch->observations[row * O + j];
        seen[j] = batch->next_observations[row * O + j] - pair[j];
    }
    memcpy(pair + O, &batch->actions[row * A], A * sizeof *pair);
    seen[O] = rewards[row];
    scale_inputs(&models->inputs, pair, INFINITY, x);
    scale_inputs(&models->outputs, seen, INFINITY, wanted);
    evaluate(&models->stack, model, x, out);
    for (int j = 0; j <= O; j++)
        error += pow(out[j] - wanted[j], 2) / (j < O ? 2 * O : 2);
    return error;
}

/* what a seat should have seen */
typedef struct sights {
    double objective[WAC_POLICIES_MOST], model_loss[16];
    double loss[16], regularisation[16], average[16], average_synthetic[16];
} sights;

/* how much a row counts for a member's policy, and by what that is multiplied for its critics */
static double share_of(const wac_agent *agent, int member, int row, double *factor)
{
    const wac_desk *desk = desk_of(agent);
    double learning = 1, values[16], mean = 0, variance = 0;
    int own = agent->row->means / agent->members;
    *factor = 1;
    if (!agent->row->members)
        return 1.0 / ROWS;
    for (int i = 0; i < ROWS; i++)
        learning += desk->masks[member * ROWS + i];
    for (int k = 0; k < agent->row->means; k++) {
        double pair[O + A];
        act(agent, k / own, &desk->batch.next_observations[row * O],
            &desk->weight_noise[(k / own * ROWS + row) * A], pair);
        mean += (values[k] = value(&desk->targets, k, pair)) / agent->row->means;
    }
    for (int k = 0; k < agent->row->means; k++)
        variance += pow(values[k] - mean, 2) / agent->row->means;
    *factor = 0.5 + 1 / (1 + exp(2 * sqrt(variance)));
    return desk->masks[member * ROWS + row] / learning;
}

/* ALGORITHMS: steps 1 to 8 of an update that moves nothing */
static sights plain_losses(const wac_agent *agent, bool optimistic)
{
    sights seen = {0};
    const wac_desk *desk = desk_of(agent);
    const wac_batch *batch = &desk->batch;
    int means = agent->row->means, stds = agent->row->stds, subset = agent->row->subset;
    int target_policy = agent->row->policies - 1, next_policy = optimistic ? 0 : target_policy;
    int synthetic = desk->seat->synthetic, own = means / agent->members;
    bool shared = agent->row->shared;
    double top = desk->seat->sigma_max, kappa = 1.6448536269514722, bound, factor;
    for (int n = 0; n < agent->members * ROWS; n++) {
        int i = n % ROWS, member = n / ROWS, first = member * own;
        int policy = member * agent->row->policies; /* its first */
        double pair[O + A], error, share = share_of(agent, member, i, &factor);
        for (int m = 0; m < agent->row->models; m++)
            seen.model_loss[m] += model_error(agent, m, i) / ROWS;
        double log_prob = act(agent, policy + next_policy, &batch->next_observations[i * O],
                              &desk->next_noise[n * A], pair);
        int k = trusted(agent, &desk->targets, subset ? desk->subset : NULL, first,
                        subset ? subset : own, pair, kappa, &bound);
        double on = batch->terminals[i] == 1 ? 0 : 0.9;
        double out[64], alpha = alpha_of(policy + target_policy);
        evaluate(&desk->targets, k, pair, out);
        double mean_target = rewards[i] + novelty(agent, i, &error) +
                             on * (*out + information(agent, pair) - alpha * log_prob);
        double std_target = stds && !shared
                                ? fmin(on * exp(value(&desk->targets, means + k % stds, pair)), top)
                                : 0;
        plain target = {0};
        if (shared) {
            target = believe(agent, &desk->targets, k, pair);
            change(&target, on, mean_target, top);
        }
        memcpy(pair, &batch->observations[i * O], O * sizeof *pair);
        memcpy(pair + O, &batch->actions[i * A], A * sizeof *pair);
        for (k = 0; shared && k < means; k++) {
            plain whole = believe(agent, &desk->critics, k, pair);
            double of_means = pow(whole.mean - mean_target, 2);
            seen.loss[k] += of_means / ROWS;
            seen.loss[means + k] += (distance(&whole, &target) - of_means) / ROWS;
            seen.average[k] += whole.mean / ROWS;
            seen.average[means + k] += whole.std / ROWS;
        }
        for (k = first; !shared && k < first + own + stds; k++) {
            double said = value(&desk->critics, k, pair), std = exp(said);
            seen.loss[k] +=
                share * factor * pow(k < means ? said - mean_target : std - std_target, 2);
            seen.average[k] += (k < means ? said : std) / ROWS;
        }
        for (int m = 0; m <= target_policy; m++) {
            log_prob = act(agent, policy + m, &batch->observations[i * O],
                           &desk->noise[((policy + m) * ROWS + i) * A], pair);
            trusted(agent, &desk->critics, NULL, first, own, pair, m == target_policy ? 0 : kappa,
                    &bound);
            if (agent->row->learn == wac_redq_learn) {
                bound = 0;
                for (k = 0; k < means; k++)
                    bound += value(&desk->critics, k, pair) / means;
            }
            bound += information(agent, pair);
            seen.objective[policy + m] += share * (alpha_of(policy + m) * log_prob - bound);
        }
    }
    for (int i = 0; i < synthetic; i++)
        for (int k = 0; k < stds; k++) {
            const real *pair = desk->pairs + (ROWS + i) * (O + A);
            if (shared) {
                plain own = believe(agent, &desk->critics, k, pair);
                plain held = believe(agent, &desk->anchors, k, pair);
                change(&held, 1, own.mean, top); /* only the spread is held */
                seen.regularisation[means + k] += distance(&own, &held) / synthetic;
                seen.average_synthetic[means + k] += own.std / synthetic;
                continue;
            }
            double std = exp(value(&desk->critics, means + k, pair));
            double old = fmin(exp(value(&desk->anchors, k, pair)), top);
            seen.regularisation[means + k] += pow(std - old, 2) / synthetic;
            seen.average_synthetic[means + k] += std / synthetic;
        }
    return seen;
}

static void assert_same(double value, double expected, const char *what)
{
    if (!(fabs(value - expected) <= 1e-11 * (1 + fabs(expected))))
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

static void check_losses(wac_algorithm algorithm, const wac_algorithm_row *row, bool clamped)
{
    wac_agent *agent = make_agent(algorithm, row, clamped);
    const wac_seat *seat = agent->seat;
    learn(agent);
    sights expected = plain_losses(agent, agent->row->learn == wac_oe_wac_learn);
    int sights = agent->row->means + agent->row->stds;
    for (int k = 0; k < sights; k++) {
        assert_same(seat->loss[k], expected.loss[k], "critic loss");
        assert_same(seat->average[k], expected.average[k], "average");
        assert_same(seat->regularisation[k], expected.regularisation[k], "regularisation");
        assert_same(seat->average_synthetic[k], expected.average_synthetic[k], "synthetic average");
    }
    for (int m = 0; m < agent->policies; m++)
        assert_same(seat->objective[m], expected.objective[m], "objective");
    for (int m = 0; m < agent->row->models; m++)
        assert_same(seat->model_loss[m], expected.model_loss[m], "model loss");

    /* families: the mean over their members */
    wac_losses losses;
    wac_seat_losses(agent, 0, &losses);
    double mean = 0, std = 0;
    for (int k = 0; k < sights; k++)
        *(k < agent->row->means ? &mean : &std) += expected.loss[k];
    assert_same(losses.mean, mean / agent->row->means, "mean critics' loss");
    if (agent->row->stds)
        assert_same(losses.std, std / agent->row->stds, "std critics' loss");
    else
        assert_true(isnan(losses.std) && isnan(losses.sigma_visited));
    for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
        int policy = wac_agent_policy(agent, (wac_policy_role)role);
        double objective = 0, alpha = 0;
        for (int m = 0; m < agent->members; m++) {
            objective += expected.objective[m * agent->row->policies + policy] / agent->members;
            alpha += alpha_of(m * agent->row->policies + policy) / agent->members;
        }
        assert_same(losses.policy[role], objective, "policy");
        assert_same(losses.alpha[role], alpha, "entropy weight");
    }
    wac_agent_destroy(agent);
}

static void losses_are_as_defined(void **state)
{
    (void)state;
    static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC,        WAC_ALGORITHM_OE_WAC,
                                               WAC_ALGORITHM_ME_WAC,     WAC_ALGORITHM_SUNRISE,
                                               WAC_ALGORITHM_MAXINFOSAC, WAC_ALGORITHM_SAC_RND};
    for (int clamped = 0; clamped < 2; clamped++) {
        for (int a = 0; a < 6; a++)
            check_losses(algorithms[a], NULL, clamped);
        for (int i = 0; i < MANY_ROWS; i++)
            check_losses(kin(&many_rows[i]), &many_rows[i], clamped);
    }
}

/* The slope of the information in the action, which the policy climbs. */
static void information_slopes(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, false);
    const wac_desk *desk = desk_of(agent);
    const wac_models *models = &desk->models;
    agent->steps->sample(agent);
    agent->steps->appraise(agent);
    for (int i = 0; i < ROWS; i++) {
        double pair[O + A], slope, sides[2];
        memcpy(pair, &desk->batch.observations[i * O], O * sizeof *pair);
        memcpy(pair + O, &desk->sample.action[i * A], A * sizeof *pair);
        assert_same(0.4 * models->bonus[i], information(agent, pair), "information");
        for (int j = 0; j < A; j++) {
            double at = pair[O + j];
            for (int side = 0; side < 2; side++) {
                pair[O + j] = at + (side ? 1e-6 : -1e-6);
                sides[side] = information(agent, pair);
            }
            pair[O + j] = at;
            slope = (sides[1] - sides[0]) / 2e-6;
            assert_true(fabs(slope) > 1e-4);
            assert_true(fabs(0.4 * models->slope[i * A + j] - slope) <= 1e-6 * (1 + fabs(slope)));
        }
    }
    wac_agent_destroy(agent);
}

/* The weight of the information falls where the policy gains more than its shadow, by Adam's first
 * step as much as the rate is; and stays where it is not learned. */
static void weight_follows_the_shadow(void **state)
{
    (void)state;
    for (int fixed = 0; fixed < 2; fixed++) {
        wac_agent *agent = make_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, false);
        wac_models *models = &desk_of(agent)->models;
        wac_seat *seat = agent->seat;
        seat->config.learning_rate = 1e-3;
        seat->config.bonus_tuning = !fixed;
        models->weight.first[0] = models->weight.second[0] = 0;
        seat->model_steps = 0;
        agent->steps->sample(agent);
        agent->steps->appraise(agent);
        double more = 0;
        for (int i = 0; i < ROWS; i++)
            more += models->bonus[i] - models->bonus[ROWS + i];
        agent->steps->study(agent);
        double expected = fixed ? log(0.4) : log(0.4) - (more > 0 ? 1e-3 : -1e-3);
        assert_true(fabs(models->weight.log_alpha[0] - expected) < 1e-9);
        assert_true(fabs(seat->bonus_weight - exp(expected)) < 1e-9);
        wac_agent_destroy(agent);
    }
}

/* OAC's bound at tanh(mean) */
static double oac_bound(const wac_desk *desk, const float *observation, const real *mean,
                        double beta)
{
    real x[O + A];
    for (int i = 0; i < O; i++)
        x[i] = observation[i];
    for (int j = 0; j < A; j++)
        x[O + j] = tanh(mean[j]);
    desk->host->ops->forward(NULL, &desk->critics, (wac_input){.x = x, .rows = 1},
                             &desk->critic_pass);
    double q1 = desk->critic_pass.out[0];
    double q2 = desk->critic_pass.out[desk->critic_pass.capacity];
    return (q1 + q2) / 2 + beta * fabs(q1 - q2) / 2;
}

/* the shift of OAC's exploration, its gradient taken by differences */
static void oac_shifts_along_the_gradient(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OAC, NULL, false);
    const wac_desk *desk = desk_of(agent);
    static const float observations[][O] = {{0.1f, -0.4f, 0.8f}, {-1, 1, 0}, {0.3f, 0.3f, -0.9f}};
    static const double betas[] = {4, 0, 6.5};
    for (int n = 0; n < 3; n++) {
        const real noise[A] = {0.5, -1.5};
        real x[O], mean[A], std[A], g[A];
        for (int i = 0; i < O; i++)
            x[i] = observations[n][i];
        desk->host->ops->forward(NULL, &desk->policies, (wac_input){.x = x, .rows = 1},
                                 &desk->policy_pass);
        double length = 0;
        for (int j = 0; j < A; j++) {
            mean[j] = desk->policy_pass.out[j];
            std[j] = exp(desk->policy_pass.out[A + j]);
        }
        for (int j = 0; j < A; j++) {
            real before = mean[j];
            mean[j] = before + 1e-6;
            double above = oac_bound(desk, observations[n], mean, betas[n]);
            mean[j] = before - 1e-6;
            g[j] = (above - oac_bound(desk, observations[n], mean, betas[n])) / 2e-6;
            mean[j] = before;
            length += std[j] * std[j] * g[j] * g[j];
        }
        float action[A], greedy[A];
        wac_oac_act(agent, 0, observations[n], noise, 2, betas[n], action);
        wac_oac_act(agent, 0, observations[n], noise, 0, betas[n], greedy); /* no shift */
        for (int j = 0; j < A; j++) {
            double shift = sqrt(2 * 2.0) * std[j] * std[j] * g[j] / (sqrt(length) + 1e-5);
            assert_true(fabs(shift) > 1e-3);
            assert_true(fabs((double)action[j] - tanh(mean[j] + shift + std[j] * noise[j])) < 1e-6);
            assert_true(fabs((double)greedy[j] - tanh(mean[j] + std[j] * noise[j])) < 1e-6);
        }
    }
    wac_agent_destroy(agent);
}

/* An ensemble explores the proposal with the highest mean + optimism * std of all its critics; it
 * is evaluated by the average of its members' means. */
static void sunrise_takes_the_highest_bound(void **state)
{
    (void)state;
    enum { SEEN = 40, MEMBERS = 4 };
    wac_agent *agent = make_agent(WAC_ALGORITHM_SUNRISE, NULL, false);
    const wac_desk *desk = desk_of(agent);
    wac_rng rng = wac_rng_make(8, WAC_STREAM_EXPLORE);
    static const double optimisms[] = {0, 3, 1000};
    int chosen[3][MEMBERS] = {{0}}, differ = 0;
    for (int n = 0; n < SEEN; n++) {
        real x[O], noise[MEMBERS * A];
        float observation[O], action[A];
        wac_fill_uniform(&rng, O, -1, 1, x);
        wac_fill_normal(&rng, MEMBERS * A, noise);
        for (int i = 0; i < O; i++)
            x[i] = observation[i] = (float)x[i];
        int best[3] = {0};
        double actions[MEMBERS][A], bounds[3] = {-INFINITY, -INFINITY, -INFINITY}, average[A] = {0};
        for (int m = 0; m < MEMBERS; m++) {
            double pair[O + A], heads[2 * A], sum = 0, squares = 0;
            float done[A], mean, std;
            act(agent, m, x, noise + m * A, pair);
            for (int j = 0; j < A; j++) /* they are single precision */
                pair[O + j] = done[j] = (float)(actions[m][j] = pair[O + j]);
            for (int k = 0; k < agent->critics; k++) {
                sum += value(&desk->critics, k, pair) / agent->critics;
                squares += pow(value(&desk->critics, k, pair), 2) / agent->critics;
            }
            wac_agent_value(agent, 1, observation, done, &mean, &std);
            assert_true(fabs((double)mean - sum) < 1e-6);
            assert_true(fabs((double)std - sqrt(squares - sum * sum)) < 1e-6);
            for (int o = 0; o < 3; o++)
                if (sum + optimisms[o] * sqrt(squares - sum * sum) > bounds[o]) {
                    bounds[o] = sum + optimisms[o] * sqrt(squares - sum * sum);
                    best[o] = m;
                }
            evaluate(&desk->policies, m, x, heads);
            for (int j = 0; j < A; j++)
                average[j] += tanh(heads[j]) / MEMBERS;
        }
        for (int o = 0; o < 3; o++) {
            wac_sunrise_act(agent, 0, observation, noise, optimisms[o], action);
            for (int j = 0; j < A; j++)
                assert_true(fabs((double)action[j] - actions[best[o]][j]) < 1e-6);
            chosen[o][best[o]]++;
        }
        differ += best[0] != best[2];
        wac_agent_act(agent, WAC_POLICY_TARGET, observation, action);
        for (int j = 0; j < A; j++)
            assert_true(fabs((double)action[j] - average[j]) < 1e-6);
    }
    assert_true(differ > 5);
    for (int o = 0; o < 3; o++)
        for (int m = 0; m < MEMBERS; m++)
            assert_true(chosen[o][m] < SEEN);

    /* what explores is that, with the optimism of the settings; or none of it */
    float observation[O] = {0.3f, -0.2f, 0.9f}, action[A], expected[A];
    assert_true(agent->seat->kappa == 3);
    real noise[MEMBERS * A];
    wac_rng copy = rng;
    wac_fill_normal(&copy, MEMBERS * A, noise);
    wac_agent_explore(agent, &rng, observation, action);
    wac_sunrise_act(agent, 0, observation, noise, 3, expected);
    assert_memory_equal(action, expected, sizeof action);
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_as_defined),
        cmocka_unit_test(information_slopes),
        cmocka_unit_test(weight_follows_the_shadow),
        cmocka_unit_test(oac_shifts_along_the_gradient),
        cmocka_unit_test(sunrise_takes_the_highest_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
