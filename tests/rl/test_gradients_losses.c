/* The gradients of each whole loss, in double, against finite differences: an update with all rates
 * at zero moves nothing and leaves its gradients to be looked at. */
#include "rl/agent.h"
#include "rl/algorithms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { O = 3, A = 2, ROWS = 13, SAMPLES = 24 };

static wac_config make_config(wac_algorithm algorithm)
{
    return (wac_config){
        .algorithm = (int)algorithm,
        .seed = 3,
        .replay_capacity = 1,
        .width = 16,
        .batch_size = ROWS,
        .discount = 0.9,
        .entropy_weight = 0.3,
        .entropy_tuning = true,
        .reward_min = -0.5,
        .reward_max = 0.5,
        .quantile = 0.95,
        .lambda = 0.6,
        .rho = 0.6,
        .oac_delta = 2,
        .oac_beta = 4,
        .backend = WAC_BACKEND_REFERENCE,
    };
}

/* Weights that give every part of a loss some weight, the clamps included or left alone. */
static void randomise(const wac_agent *agent, const wac_stack *stack, uint64_t seed, real output)
{
    wac_rng rng = wac_rng_make(seed, WAC_STREAM_INIT);
    for (int m = 0; m < stack->members; m++) {
        wac_stack_randomise(stack, m, output, agent->ops, &rng);
        for (int i = 0; i < WAC_LAYERS - 1; i++) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            agent->ops->fill_uniform(&rng, (size_t)layer.outputs, -0.3, 0.3, layer.bias);
            for (int k = 0; k < layer.inputs * layer.outputs; k++)
                layer.weight[k] *= 2;
        }
    }
}

static real *output_bias(const wac_stack *stack, int member)
{
    return wac_stack_layer(stack, stack->params, member, WAC_LAYERS - 1).bias;
}

/* An agent with something drawn; `clamped`: with every clamp at work. */
static wac_agent *make_agent(wac_algorithm algorithm, bool clamped)
{
    wac_config config = make_config(algorithm);
    wac_error error = {0};
    wac_agent *agent;
    assert_int_equal(wac_agent_create(&agent, &config, O, A, 1, -1, &error), WAC_STATUS_OK);
    randomise(agent, &agent->policies, 1, 0.5);
    randomise(agent, &agent->critics, 2, 0.5);
    randomise(agent, &agent->targets, 3, 0.5);
    randomise(agent, &agent->anchors, 4, 0.5);
    for (int k = 0; agent->wac && k < WAC_CRITICS; k++) {
        real top = log(agent->sigma_max);
        *output_bias(&agent->critics, WAC_CRITICS + k) = top - 0.4;
        *output_bias(&agent->targets, WAC_CRITICS + k) = clamped ? top + 3 : top - 1;
        *output_bias(&agent->anchors, k) = clamped ? top + 3 : top - 1;
    }
    if (agent->wac)
        agent->entropy.log_alpha[1] = log(0.07); /* the two policies' weights differ */
    for (int m = 0; clamped && m < agent->policies.members; m++) {
        real *log_std = output_bias(&agent->policies, m) + A;
        log_std[m % A] = 5;         /* above the upper end */
        log_std[(m + 1) % A] = -25; /* below the lower */
    }

    const wac_ops *ops = agent->ops;
    wac_rng rng = wac_rng_make(5, WAC_STREAM_BATCH);
    ops->fill_uniform(&rng, ROWS * O, -1, 1, agent->batch.observations);
    ops->fill_uniform(&rng, ROWS * A, -1, 1, agent->batch.actions);
    ops->fill_uniform(&rng, ROWS, -1, 1, agent->batch.rewards);
    ops->fill_uniform(&rng, ROWS * O, -1, 1, agent->batch.next_observations);
    for (int i = 0; i < ROWS; i++)
        agent->batch.terminals[i] = i % 4 == 1;
    ops->fill_normal(&rng, (size_t)agent->policies.members * ROWS * A, agent->noise);
    ops->fill_normal(&rng, ROWS * A, agent->next_noise);
    /* a std at its upper end would push actions so near to 1 that 1 - a * a has no digits left */
    for (int i = 0; clamped && i < agent->policies.members * ROWS * A; i++)
        agent->noise[i] *= 0.2;
    ops->fill_uniform(&rng, (size_t)agent->synthetic * (O + A), -1, 1,
                      agent->pairs + ROWS * (O + A));
    return agent;
}

/* The gradients that Adam was given, laid out like all parameters. */
static struct {
    const wac_agent *agent;
    real *policies, *critics;
} gradients;

static void keep_gradient(wac_team *team, const wac_stack *stack, const real *gradient,
                          const wac_adam *adam)
{
    const wac_stack *policies = &gradients.agent->policies, *critics = &gradients.agent->critics;
    bool policy = stack->params >= policies->params &&
                  stack->params < policies->params + wac_stack_size(policies);
    real *all = policy ? gradients.policies : gradients.critics;
    memcpy(all + (stack->params - (policy ? policies : critics)->params), gradient,
           wac_stack_size(stack) * sizeof *all);
    wac_ops_reference.adam(team, stack, gradient, adam);
}

static void learn_keeping_gradients(wac_agent *agent, wac_losses *losses)
{
    gradients.agent = agent;
    gradients.policies = calloc(wac_stack_size(&agent->policies), sizeof(real));
    gradients.critics = calloc(wac_stack_size(&agent->critics), sizeof(real));
    wac_ops ops = wac_ops_reference;
    ops.adam = keep_gradient;
    agent->ops = &ops;
    wac_agent_learn(agent, losses);
    agent->ops = &wac_ops_reference;
}

static void forget_gradients(void)
{
    free(gradients.policies);
    free(gradients.critics);
}

/* Which loss a network descends. */
typedef struct learner {
    wac_agent *agent;
    bool policy;
    int member;
} learner;

static double loss_of(const learner *l)
{
    wac_losses losses;
    wac_agent_learn(l->agent, &losses);
    if (l->policy)
        return losses.policy[l->member];
    int k = l->member % WAC_CRITICS;
    return l->member < WAC_CRITICS
               ? losses.critic[k]
               : losses.std[k] + l->agent->config.lambda * losses.regularisation[k];
}

static void assert_slope(double analytic, double measured, double scale, const char *what,
                         const learner *l)
{
    if (!(fabs(analytic - measured) <= 1e-6 * fmax(fabs(analytic), fabs(measured)) + 1e-8 * scale))
        fail_msg("%s of %s %d: gradient %.12g, difference %.12g", what,
                 l->policy ? "policy" : "critic", l->member, analytic, measured);
}

static double slope_along(const learner *l, real *at, const real *direction, size_t count,
                          double step)
{
    double sides[2];
    real *before = malloc(count * sizeof *before);
    memcpy(before, at, count * sizeof *before);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            at[i] = before[i] + (side ? step : -step) * direction[i];
        sides[side] = loss_of(l);
    }
    memcpy(at, before, count * sizeof *before);
    free(before);
    return (sides[1] - sides[0]) / (2 * step);
}

/* A few dozen numbers of every weight and bias, then all of the network at once. */
static void check_network(const learner *l, const wac_stack *stack, const real *gradients)
{
    size_t stride = stack->stride;
    real *gradient = malloc(stride * sizeof *gradient), *all = calloc(stride, sizeof *all);
    memcpy(gradient, gradients + (size_t)l->member * stride, stride * sizeof *gradient);
    wac_rng rng = wac_rng_make(99, WAC_STREAM_NOISE);
    const wac_stack own = wac_stack_slice(stack, l->member, 1);
    double largest = 0;
    for (size_t i = 0; i < stride; i++)
        largest = fmax(largest, fabs(gradient[i]));
    assert_true(largest > 1e-4);

    int moving = 0;
    for (int i = 0; i < WAC_LAYERS; i++) {
        wac_layer layer = wac_stack_layer(&own, own.params, 0, i);
        for (int bias = 0; bias < 2; bias++) {
            real *values = bias ? layer.bias : layer.weight;
            int64_t count = bias ? layer.outputs : layer.outputs * layer.inputs;
            int64_t index[SAMPLES];
            l->agent->ops->fill_index(&rng, SAMPLES, count, index);
            for (int s = 0; s < SAMPLES; s++) {
                int64_t n = count <= SAMPLES ? s : index[s]; /* all of the small ones */
                if (n >= count)
                    break;
                char what[64];
                snprintf(what, sizeof what, "layer %d %s %lld", i, bias ? "bias" : "weight",
                         (long long)n);
                double analytic = gradient[&values[n] - own.params];
                double measured = slope_along(l, &values[n], &(real){1}, 1, 1e-5);
                assert_slope(analytic, measured, 1, what, l);
                moving += analytic != 0;
            }
            l->agent->ops->fill_normal(&rng, (size_t)count, &all[values - own.params]);
        }
    }
    assert_true(moving > SAMPLES);

    for (int turn = 0; turn < 3; turn++) {
        double analytic = 0;
        for (size_t i = 0; i < stride; i++)
            analytic += gradient[i] * all[i];
        assert_slope(analytic, slope_along(l, own.params, all, stride, 1e-6), 10, "all", l);
        for (size_t i = 0; i < stride; i++) /* another direction, padding still at rest */
            all[i] = all[i] == 0 ? 0 : sin(1e4 * all[i] + turn);
    }
    free(all);
    free(gradient);
}

static void check_agent(wac_algorithm algorithm, bool clamped)
{
    wac_agent *agent = make_agent(algorithm, clamped);
    size_t policies = wac_stack_size(&agent->policies), critics = wac_stack_size(&agent->critics);
    real *before = malloc((policies + 2 * critics) * sizeof *before);
    memcpy(before, agent->policies.params, policies * sizeof *before);
    memcpy(before + policies, agent->critics.params, critics * sizeof *before);
    memcpy(before + policies + critics, agent->targets.params, critics * sizeof *before);
    wac_losses losses;
    learn_keeping_gradients(agent, &losses);
    /* with all rates at zero nothing has moved */
    assert_memory_equal(before, agent->policies.params, policies * sizeof *before);
    assert_memory_equal(before + policies, agent->critics.params, critics * sizeof *before);
    assert_memory_equal(before + policies + critics, agent->targets.params,
                        critics * sizeof *before);
    for (int m = 0; m < agent->policies.members; m++)
        assert_true(fabs(losses.alpha[m] - (m ? 0.07 : 0.3)) < 1e-12);

    for (int m = 0; m < agent->policies.members; m++)
        check_network(&(learner){agent, true, m}, &agent->policies, gradients.policies);
    for (int m = 0; m < agent->critics.members; m++)
        check_network(&(learner){agent, false, m}, &agent->critics, gradients.critics);
    forget_gradients();
    free(before);
    wac_agent_destroy(agent);
}

static void sac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_SAC, false);
    check_agent(WAC_ALGORITHM_SAC, true);
}

static void oe_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_OE_WAC, false);
    check_agent(WAC_ALGORITHM_OE_WAC, true);
}

static void me_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_ME_WAC, false);
    check_agent(WAC_ALGORITHM_ME_WAC, true);
}

/* --- the losses themselves, once more in plain numbers ------------------------------------------
 */

/* outputs of a network for one input */
static void evaluate(const wac_stack *stack, int member, const double *x, double *out)
{
    double values[64], next[64];
    memcpy(values, x, (size_t)stack->shape.inputs * sizeof *values);
    for (int l = 0; l < WAC_LAYERS; l++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, l);
        for (int o = 0; o < layer.outputs; o++) {
            next[o] = layer.bias[o];
            for (int k = 0; k < layer.inputs; k++)
                next[o] += layer.weight[o * layer.inputs + k] * values[k];
            if (l < WAC_LAYERS - 1)
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
    evaluate(&agent->policies, policy, pair, heads);
    for (int j = 0; j < A; j++) {
        double std = exp(fmin(fmax(heads[A + j], -20), 2)), z = noise[j];
        double a = pair[O + j] = tanh(heads[j] + std * z);
        log_prob += -z * z / 2 - log(std) - log(2 * acos(-1.0)) / 2 - log(1 - a * a + 1e-6);
    }
    return log_prob;
}

/* the critic with the smaller bound, mean + kappa std (WAC) or Q; kappa 0 leaves the std out */
static int trusted(const wac_agent *agent, const wac_stack *critics, const double *pair,
                   double kappa, double *bound)
{
    double bounds[2];
    for (int k = 0; k < 2; k++) {
        bounds[k] = value(critics, k, pair);
        if (agent->wac)
            bounds[k] += kappa * exp(value(critics, 2 + k, pair));
    }
    int k = bounds[1] < bounds[0];
    *bound = bounds[k];
    return k;
}

/* ALGORITHMS: steps 1 to 8 of an update that moves nothing */
static wac_losses plain_losses(const wac_agent *agent, bool optimistic)
{
    wac_losses losses = {0};
    const wac_batch *batch = &agent->batch;
    int target_policy = agent->wac ? 1 : 0, next_policy = optimistic ? 0 : target_policy;
    double alphas[2] = {0.3, 0.07}, top = agent->sigma_max, kappa = 1.6448536269514722, bound;
    for (int i = 0; i < ROWS; i++) {
        double pair[O + A];
        double log_prob = act(agent, next_policy, &batch->next_observations[i * O],
                              &agent->next_noise[i * A], pair);
        int k = trusted(agent, &agent->targets, pair, kappa, &bound);
        double on = batch->terminals[i] == 1 ? 0 : 0.9;
        double mean_target = batch->rewards[i] + on * (value(&agent->targets, k, pair) -
                                                       alphas[target_policy] * log_prob);
        double std_target =
            agent->wac ? fmin(on * exp(value(&agent->targets, 2 + k, pair)), top) : 0;
        memcpy(pair, &batch->observations[i * O], O * sizeof *pair);
        memcpy(pair + O, &batch->actions[i * A], A * sizeof *pair);
        for (k = 0; k < 2; k++) {
            double mean = value(&agent->critics, k, pair);
            losses.critic[k] += pow(mean - mean_target, 2) / ROWS;
            losses.q_mean += mean / (2 * ROWS);
            if (agent->wac) {
                double std = exp(value(&agent->critics, 2 + k, pair));
                losses.std[k] += pow(std - std_target, 2) / ROWS;
                losses.sigma_visited += std / (2 * ROWS);
            }
        }
        for (int m = 0; m <= target_policy; m++) {
            log_prob =
                act(agent, m, &batch->observations[i * O], &agent->noise[(m * ROWS + i) * A], pair);
            trusted(agent, &agent->critics, pair, m == target_policy ? 0 : kappa, &bound);
            losses.policy[m] += (alphas[m] * log_prob - bound) / ROWS;
        }
    }
    for (int i = 0; i < agent->synthetic; i++)
        for (int k = 0; k < 2; k++) {
            const real *pair = agent->pairs + (ROWS + i) * (O + A);
            double std = exp(value(&agent->critics, 2 + k, pair));
            double old = fmin(exp(value(&agent->anchors, k, pair)), top);
            losses.regularisation[k] += pow(std - old, 2) / agent->synthetic;
            losses.sigma_uniform += std / (2 * agent->synthetic);
        }
    return losses;
}

static void assert_same(double value, double expected, const char *what)
{
    if (!(fabs(value - expected) <= 1e-11 * (1 + fabs(expected))))
        fail_msg("%s is %.15g, not %.15g", what, value, expected);
}

static void losses_are_as_defined(void **state)
{
    (void)state;
    static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC, WAC_ALGORITHM_OE_WAC,
                                               WAC_ALGORITHM_ME_WAC};
    for (int a = 0; a < 3; a++)
        for (int clamped = 0; clamped < 2; clamped++) {
            wac_agent *agent = make_agent(algorithms[a], clamped);
            wac_losses losses;
            wac_agent_learn(agent, &losses);
            wac_losses expected = plain_losses(agent, algorithms[a] == WAC_ALGORITHM_OE_WAC);
            for (int k = 0; k < 2; k++) {
                assert_same(losses.critic[k], expected.critic[k], "critic loss");
                assert_same(losses.std[k], expected.std[k], "std loss");
                assert_same(losses.regularisation[k], expected.regularisation[k], "regularisation");
                assert_same(losses.policy[k], expected.policy[k], "policy loss");
            }
            assert_same(losses.q_mean, expected.q_mean, "q_mean");
            if (agent->wac) {
                assert_same(losses.sigma_visited, expected.sigma_visited, "sigma_visited");
                assert_same(losses.sigma_uniform, expected.sigma_uniform, "sigma_uniform");
            }
            wac_agent_destroy(agent);
        }
}

/* The clamped agents above do meet every clamp, and their losses are what the clamps make them. */
static void clamps_are_at_work(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OE_WAC, true);
    wac_losses losses;
    learn_keeping_gradients(agent, &losses);
    real top = agent->sigma_max;
    for (int i = 0; i < ROWS; i++)
        assert_true(agent->std_target[i] == (agent->batch.terminals[i] == 1 ? 0 : top));
    for (int k = 0; k < WAC_CRITICS; k++)
        for (int i = 0; i < agent->synthetic; i++)
            assert_true(agent->anchor_pass.out[k * agent->synthetic + i] > log(top));

    wac_stack stds = wac_stack_slice(&agent->critics, WAC_CRITICS, WAC_CRITICS);
    wac_input all = {.x = agent->pairs, .rows = ROWS + agent->synthetic};
    agent->ops->forward(agent->team, &stds, all, &agent->critic_pass);
    for (int k = 0; k < WAC_CRITICS; k++) {
        double seen = 0, unseen = 0;
        const real *out = agent->critic_pass.out + k * (ROWS + agent->synthetic);
        for (int i = 0; i < ROWS; i++)
            seen += pow(exp(out[i]) - agent->std_target[i], 2) / ROWS;
        for (int i = 0; i < agent->synthetic; i++)
            unseen += pow(exp(out[ROWS + i]) - top, 2) / agent->synthetic;
        assert_true(fabs(losses.std[k] - seen) < 1e-10);
        assert_true(fabs(losses.regularisation[k] - unseen) < 1e-10);
    }

    /* beyond the clamp of the log-std no gradient at all: not of its weights, not of its bias */
    for (int m = 0; m < 2; m++) {
        wac_layer head = wac_stack_layer(&agent->policies, gradients.policies, m, WAC_LAYERS - 1);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < A; j++) {
                real log_std = agent->policy_pass.out[(m * ROWS + i) * 2 * A + A + j];
                assert_true(j == m % A ? log_std > 2 : log_std < -20);
            }
        for (int j = 0; j < A; j++) {
            assert_true(head.bias[j] != 0 && head.bias[A + j] == 0);
            for (int k = 0; k < head.inputs; k++)
                assert_true(head.weight[(A + j) * head.inputs + k] == 0);
        }
    }
    forget_gradients();
    wac_agent_destroy(agent);
}

/* OAC's bound at tanh(mean) */
static double oac_bound(wac_agent *agent, const float *observation, const real *mean, double beta)
{
    real x[O + A];
    for (int i = 0; i < O; i++)
        x[i] = observation[i];
    for (int j = 0; j < A; j++)
        x[O + j] = tanh(mean[j]);
    agent->ops->forward(agent->team, &agent->critics, (wac_input){.x = x, .rows = 1},
                        &agent->critic_pass);
    double q1 = agent->critic_pass.out[0];
    double q2 = agent->critic_pass.out[agent->critic_pass.capacity];
    return (q1 + q2) / 2 + beta * fabs(q1 - q2) / 2;
}

/* the shift of OAC's exploration, its gradient taken by differences */
static void oac_shifts_along_the_gradient(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OAC, false);
    static const float observations[][O] = {{0.1f, -0.4f, 0.8f}, {-1, 1, 0}, {0.3f, 0.3f, -0.9f}};
    static const double betas[] = {4, 0, 6.5};
    for (int n = 0; n < 3; n++) {
        const real noise[A] = {0.5, -1.5};
        real x[O], mean[A], std[A], g[A];
        for (int i = 0; i < O; i++)
            x[i] = observations[n][i];
        agent->ops->forward(agent->team, &agent->policies, (wac_input){.x = x, .rows = 1},
                            &agent->policy_pass);
        double length = 0;
        for (int j = 0; j < A; j++) {
            mean[j] = agent->policy_pass.out[j];
            std[j] = exp(agent->policy_pass.out[A + j]);
        }
        for (int j = 0; j < A; j++) {
            real before = mean[j];
            mean[j] = before + 1e-6;
            double above = oac_bound(agent, observations[n], mean, betas[n]);
            mean[j] = before - 1e-6;
            g[j] = (above - oac_bound(agent, observations[n], mean, betas[n])) / 2e-6;
            mean[j] = before;
            length += std[j] * std[j] * g[j] * g[j];
        }
        float action[A], greedy[A];
        wac_oac_explore(agent, observations[n], noise, 2, betas[n], action);
        wac_oac_explore(agent, observations[n], noise, 0, betas[n], greedy); /* no shift */
        for (int j = 0; j < A; j++) {
            double shift = sqrt(2 * 2.0) * std[j] * std[j] * g[j] / (sqrt(length) + 1e-5);
            assert_true(fabs(shift) > 1e-3);
            assert_true(fabs((double)action[j] - tanh(mean[j] + shift + std[j] * noise[j])) < 1e-6);
            assert_true(fabs((double)greedy[j] - tanh(mean[j] + std[j] * noise[j])) < 1e-6);
        }
    }
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sac_losses),         cmocka_unit_test(oe_wac_losses),
        cmocka_unit_test(me_wac_losses),      cmocka_unit_test(losses_are_as_defined),
        cmocka_unit_test(clamps_are_at_work), cmocka_unit_test(oac_shifts_along_the_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
