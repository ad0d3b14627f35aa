/* Whole posteriors, in double, by known answers: particles are in order and about their mean,
 * spreads shrink by the discount, and particles and Gaussians agree where they must. */
#include "nn/fill.h"
#include "rl/host/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { O = 2, A = 1, MOST = 2000 };

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", value, expected, tolerance);
}

static wac_belief belief_of(int particles, real *climb)
{
    return (wac_belief){.outputs = particles ? particles : 2,
                        .particles = particles,
                        .spread = particles ? particles : 1,
                        .climb = climb};
}

static wac_belief gaussian(real *climb, real kappa)
{
    wac_belief belief = belief_of(0, climb);
    wac_belief_aim(&belief, kappa, 0);
    return belief;
}

static void particles_are_in_order(void **state)
{
    (void)state;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_NOISE);
    for (int count = 2; count <= 50; count += 16) {
        real out[50], spread[50], steps[50];
        wac_belief belief = belief_of(count, NULL);
        wac_fill_uniform(&rng, (size_t)count, -4, 3, out);
        wac_belief_spread(&belief, out, steps, spread);
        double sum = 0, squares = 0;
        for (int i = 0; i < count; i++) {
            sum += spread[i];
            squares += spread[i] * spread[i] / count;
            if (i > 0) {
                assert_near(spread[i] - spread[i - 1], exp(out[i]), 1e-12);
                assert_true(steps[i - 1] == exp(out[i]));
            }
        }
        assert_near(sum, 0, 1e-11);
        assert_near(wac_belief_std(&belief, spread), sqrt(squares), 1e-12);
    }
}

/* A bound at any place is the particle there, or between two; one critic, one row. */
static void bounds_are_quantiles(void **state)
{
    (void)state;
    real out[] = {3, log(1.0), log(2.0), log(4.0)}, spread[4], climb[4], bound, dout[4];
    wac_belief belief = belief_of(4, climb);
    wac_critic_rows critics = {.rows = 1, .capacity = 1, .means = 1, .stds = 1, .out = out};
    wac_belief_spread(&belief, out, NULL, spread);
    for (double place = 0; place <= 3; place += 0.25) {
        int below = place < 3 ? (int)place : 2;
        double expected = 3 + spread[below] + (place - below) * (spread[below + 1] - spread[below]);
        wac_belief_aim(&belief, 0, place);
        wac_belief_bound(&belief, &critics, &(real){1}, &bound, dout);
        assert_near(bound, expected, 1e-14);
    }
    critics.stds = 0;
    wac_belief_bound(&belief, &critics, &(real){1}, &bound, dout);
    assert_true(bound == 3 && dout[0] == -1 && dout[1] == 0 && dout[3] == 0);
}

/* Backed up again and again, a spread shrinks by the discount, whatever the rewards; an end leaves
 * nothing of it, and one that is too wide is held to the prior's std, its shape as it was. */
static void spreads_shrink_by_the_discount(void **state)
{
    (void)state;
    for (int count = 0; count <= 9; count += 3) {
        real climb[9], out[9] = {0.5, 0.3, -0.2, 1, 0, -1, 0.4, 0.1, 0.2}, first[9], spread[9];
        real reward = 7, terminal = 0, log_prob = -0.4, mean = out[0];
        wac_belief belief = belief_of(count, climb);
        wac_belief_aim(&belief, 1.5, (count - 1) * 0.8);
        wac_backup backup = {.next = {.rows = 1, .capacity = 1, .means = 1, .stds = 1, .out = out},
                             .reward = &reward,
                             .terminal = &terminal,
                             .log_prob = &log_prob,
                             .alpha = 0.25,
                             .discount = 0.9,
                             .sigma_max = 1e9,
                             .mean_target = &mean,
                             .std_target = spread};
        wac_belief_spread(&belief, out, NULL, first);
        double expected = out[0];
        for (int turn = 1; turn <= 20; turn++) {
            reward = turn % 5 - 2;
            wac_belief_target(&belief, &backup);
            expected = reward + 0.9 * (expected + 0.25 * 0.4);
            assert_near(mean, expected, 1e-12);
            for (int n = 0; n < belief.spread; n++)
                assert_near(spread[n], first[n] * pow(0.9, turn), 1e-12);
            out[0] = mean;
            for (int j = 1; j < belief.outputs; j++)
                out[j] = log(count ? spread[j] - spread[j - 1] : spread[0]);
        }
        terminal = 1;
        wac_belief_target(&belief, &backup);
        assert_true(mean == reward);
        for (int n = 0; n < belief.spread; n++)
            assert_true(spread[n] == 0);

        terminal = 0;
        backup.sigma_max = 0.01;
        wac_belief_target(&belief, &backup);
        assert_near(wac_belief_std(&belief, spread), 0.01, 1e-12);
        for (int n = 0; n < belief.spread; n++)
            assert_near(spread[n] * first[0], first[n] * spread[0], 1e-12);
    }
}

/* Two particles are a Gaussian whose std is half of their gap: to the last digits in loss, gradient
 * and all that is seen. */
static void two_particles_are_a_gaussian(void **state)
{
    (void)state;
    enum { ROWS = 6, SYNTHETIC = 5, ALL = ROWS + SYNTHETIC };
    real climb[2][2], out[2][2 * ALL], anchor[2][2 * SYNTHETIC], dout[2][2 * ALL], scratch[4];
    real mean_target[ROWS], target[2][2 * ROWS];
    wac_rng rng = wac_rng_make(2, WAC_STREAM_NOISE);
    wac_fill_uniform(&rng, 2 * ALL, -1, 1, out[0]);
    wac_fill_uniform(&rng, 2 * SYNTHETIC, -1, 1, anchor[0]);
    wac_fill_uniform(&rng, ROWS, -1, 1, mean_target);
    wac_fill_uniform(&rng, ROWS, 0, 1, target[0]);
    for (int i = 0; i < 2 * ALL; i++)
        out[1][i] = out[0][i] + (i % 2 ? log(2) : 0);
    for (int i = 0; i < 2 * SYNTHETIC; i++)
        anchor[1][i] = anchor[0][i] + (i % 2 ? log(2) : 0);
    for (int i = 0; i < ROWS; i++) {
        target[1][2 * i] = -target[0][i];
        target[1][2 * i + 1] = target[0][i];
    }
    wac_belief beliefs[] = {gaussian(climb[0], 1), belief_of(2, climb[1])};
    wac_belief_aim(&beliefs[1], 0, 1);
    wac_belief_sight seen[2];
    for (int i = 0; i < 2 * ALL; i++)
        dout[0][i] = dout[1][i] = NAN;
    for (int i = 0; i < 2; i++)
        wac_belief_error(&beliefs[i], ROWS, SYNTHETIC, out[i], mean_target, target[i], anchor[i],
                         0.6, 1.2, scratch, dout[i], &seen[i]);
    for (int i = 0; i < 2 * ALL; i++)
        assert_near(dout[1][i], dout[0][i], 1e-14);
    for (int i = ROWS; i < ALL; i++) /* nobody says what a synthetic pair is worth */
        assert_true(dout[0][2 * i] == 0);
    const double *one = (const double *)&seen[0], *other = (const double *)&seen[1];
    for (size_t i = 0; i < sizeof *seen / sizeof *one; i++) {
        assert_true(one[i] != 0);
        assert_near(other[i], one[i], 1e-14);
    }

    for (int i = 0; i < 2; i++) {
        real weight[ROWS], bound[ROWS], slopes[2 * ROWS];
        for (int r = 0; r < ROWS; r++)
            weight[r] = 0.1 * r;
        wac_critic_rows critics = {
            .rows = ROWS, .capacity = ROWS, .means = 1, .stds = 1, .out = out[i]};
        wac_belief_bound(&beliefs[i], &critics, weight, bound, slopes);
        for (int r = 0; r < ROWS; r++) {
            assert_near(bound[r], out[0][2 * r] + exp(out[0][2 * r + 1]), 1e-14);
            assert_near(slopes[2 * r + 1], -weight[r] * exp(out[0][2 * r + 1]), 1e-14);
        }
    }
}

/* The x below which a normal number is with probability p. */
static double normal_at(double p)
{
    double low = -10, high = 10;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        *(0.5 * erfc(-middle / sqrt(2)) < p ? &low : &high) = middle;
    }
    return low;
}

/* Many particles at the quantiles of a Gaussian have its std, its bound, its target, and its
 * distance to another. */
static void many_particles_are_a_gaussian(void **state)
{
    (void)state;
    static real out[MOST], climb[MOST], spread[MOST], target[MOST], dout[MOST], scratch[2 * MOST];
    double std = 1.7, kappa = 1.6448536269514722;
    real mean_target, reward = -1, terminal = 0, log_prob = 0.5;
    wac_belief belief = belief_of(MOST, climb);
    wac_belief_aim(&belief, 0, 0.95 * MOST - 0.5);
    out[0] = 4;
    for (int j = 1; j < MOST; j++)
        out[j] = log(std * (normal_at((j + 0.5) / MOST) - normal_at((j - 0.5) / MOST)));
    wac_belief_spread(&belief, out, NULL, spread);
    assert_near(wac_belief_std(&belief, spread), std, 2e-3);
    real bound;
    wac_critic_rows critics = {.rows = 1, .capacity = 1, .means = 1, .stds = 1, .out = out};
    wac_belief_bound(&belief, &critics, &(real){1}, &bound, dout);
    assert_near(bound, 4 + kappa * std, 1e-3);

    wac_backup backup = {.next = critics,
                         .reward = &reward,
                         .terminal = &terminal,
                         .log_prob = &log_prob,
                         .alpha = 0.2,
                         .discount = 0.8,
                         .sigma_max = 10,
                         .mean_target = &mean_target,
                         .std_target = target};
    wac_belief_target(&belief, &backup);
    assert_near(mean_target, -1 + 0.8 * (4 - 0.1), 1e-12);
    assert_near(wac_belief_std(&belief, target), 0.8 * std, 2e-3);
    wac_belief_sight seen;
    wac_belief_error(&belief, 1, 0, out, &mean_target, target, NULL, 0, 10, scratch, dout, &seen);
    assert_near(seen.loss + seen.spread_loss, pow(4 - mean_target, 2) + pow(0.2 * std, 2), 2e-3);
    assert_true(isnan(seen.std_synthetic) && seen.regularisation == 0);
}

/* --- agents ----------------------------------------------------------------------------------- */

static wac_config config_of(wac_posterior posterior, int particles, double range)
{
    wac_config config;
    wac_error error;
    assert_int_equal(wac_config_init(&config, "any", "oe-wac", &error), WAC_STATUS_OK);
    config.width = 16;
    config.batch_size = 24;
    config.replay_capacity = 200;
    config.discount = 0.9;
    config.learning_rate = config.std_learning_rate = 1e-3;
    config.target_rate = 0.05;
    config.posterior = posterior;
    config.trunk = posterior == WAC_POSTERIOR_GAUSSIAN ? WAC_TRUNK_SHARED : WAC_TRUNK_APART;
    config.particles = particles;
    config.reward_min = -range / 2;
    config.reward_max = range / 2;
    config.backend = WAC_BACKEND_REFERENCE;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    return config;
}

static wac_agent *make(const wac_config *config)
{
    wac_agent *agent;
    wac_error error;
    assert_int_equal(wac_agent_create(&agent, config, O, A, 1, -1, &error), WAC_STATUS_OK);
    return agent;
}

static void remember_some(wac_agent *agent)
{
    wac_rng rng = wac_rng_make(7, WAC_STREAM_WORLD);
    for (int i = 0; i < 100; i++) {
        float seen[2 * O + A];
        for (int j = 0; j < 2 * O + A; j++)
            seen[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        wac_agent_remember(agent, seen, seen + O, (double)seen[0] * 0.3, seen + O + A,
                           i % 20 == 19);
    }
}

static void value_at(wac_agent *agent, int i, float *mean, float *std)
{
    const float pair[][O + A] = {{0, 0, 0}, {-1, 0.5f, 1}, {0.3f, -0.7f, -0.4f}, {1, 1, -1}};
    wac_agent_value(agent, 1, pair[i], pair[i] + O, mean, std);
}

/* Of a uniform prior the particles are the quantiles, about the middle or about zero. */
static void the_prior_is_uniform(void **state)
{
    (void)state;
    for (int count = 2; count <= 50; count += 24)
        for (int middle = 0; middle < 2; middle++) {
            wac_error error;
            wac_config config = config_of(WAC_POSTERIOR_PARTICLES, count, 0.5);
            config.reward_min += 2;
            config.reward_max += 2;
            config.mean_prior = middle;
            wac_agent *agent = make(&config);
            const wac_desk *desk = wac_host_desk(agent, 0);
            for (int turn = 0; turn < 2; turn++) {
                const wac_stack *stacks[] = {&desk->critics, &desk->targets, &desk->anchors};
                double range = (turn ? 3 : 0.5) / (1 - 0.9), centre = (turn ? 1 : 2) / (1 - 0.9);
                for (int s = 0; s < 3; s++)
                    for (int m = 0; m < 2; m++) {
                        wac_layer head = wac_stack_layer(stacks[s], stacks[s]->params, m, 2);
                        assert_near(head.bias[0], middle ? centre : 0, 4e-3);
                        for (int j = 1; j < count; j++)
                            assert_near(exp(head.bias[j]), range / count, 1e-9);
                    }
                float mean, std;
                value_at(agent, 1, &mean, &std);
                assert_near((double)std, range / sqrt(12) * sqrt(1 - 1.0 / (count * count)),
                            0.02 * range);
                /* another prior, as if it had been there from the start */
                assert_int_equal(wac_seat_set_prior(agent, 0, -0.5, 2.5, &error), WAC_STATUS_OK);
            }
            wac_agent_destroy(agent);
        }
}

/* Two particles, whose upper bound is one std above the mean, and a Gaussian of that bound and of
 * as wide a prior are one and the same agent, update by update. */
static void an_agent_of_two_particles_is_one_of_gaussians(void **state)
{
    (void)state;
    wac_config configs[] = {config_of(WAC_POSTERIOR_GAUSSIAN, 2, 1),
                            config_of(WAC_POSTERIOR_PARTICLES, 2, 4 / sqrt(12))};
    configs[0].quantile = 0.84134474606854293; /* of one std */
    wac_agent *agents[2];
    for (int i = 0; i < 2; i++) {
        agents[i] = make(&configs[i]);
        remember_some(agents[i]);
    }
    agents[1]->seat->sigma_max = agents[0]->seat->sigma_max; /* where targets are clamped */
    assert_near(agents[0]->seat->kappa, 1, 1e-12);
    assert_near(agents[1]->seat->kappa, 1, 1e-12);
    for (int update = 0; update < 60; update++) {
        wac_losses losses[2];
        wac_error error;
        for (int i = 0; i < 2; i++) {
            if (update % 20 == 0)
                wac_agent_anchor(agents[i]);
            assert_int_equal(wac_agent_update(agents[i], &losses[i], &error), WAC_STATUS_OK);
        }
        assert_near(losses[1].mean, losses[0].mean, 1e-7 * losses[0].mean);
        assert_near(losses[1].std, losses[0].std, 1e-7 * losses[0].std);
        assert_near(losses[1].sigma_visited, losses[0].sigma_visited, 1e-7);
        assert_near(losses[1].sigma_uniform, losses[0].sigma_uniform, 1e-7);
        for (int role = 0; role < WAC_POLICY_TOTAL; role++)
            assert_near(losses[1].policy[role], losses[0].policy[role], 1e-7);
    }
    for (int i = 0; i < 4; i++) {
        float mean[2], std[2];
        for (int k = 0; k < 2; k++)
            value_at(agents[k], i, &mean[k], &std[k]);
        assert_near((double)mean[1], (double)mean[0], 1e-6);
        assert_near((double)std[1], (double)std[0], 1e-6);
        assert_true(std[0] < 0.99f * (float)agents[0]->seat->sigma_max); /* it has learned */
    }
    for (int i = 0; i < 2; i++)
        wac_agent_destroy(agents[i]);
}

/* Without synthetic samples the std of what is seen again and again falls as the discount has it,
 * by the same steps for particles as for a Gaussian. */
static void spreads_fall_alike(void **state)
{
    (void)state;
    float stds[2][2];
    for (int i = 0; i < 2; i++) {
        wac_config config = config_of(i ? WAC_POSTERIOR_PARTICLES : WAC_POSTERIOR_GAUSSIAN, 20, 1);
        wac_losses losses;
        wac_error error;
        float mean;
        config.lambda = 0;
        wac_agent *agent = make(&config);
        remember_some(agent);
        value_at(agent, 2, &mean, &stds[i][0]);
        for (int update = 0; update < 400; update++)
            assert_int_equal(wac_agent_update(agent, &losses, &error), WAC_STATUS_OK);
        value_at(agent, 2, &mean, &stds[i][1]);
        wac_agent_destroy(agent);
    }
    for (int i = 0; i < 2; i++)
        assert_true(stds[i][1] < 0.8f * stds[i][0]);
    assert_near((double)(stds[1][1] / stds[1][0]), (double)(stds[0][1] / stds[0][0]), 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_are_in_order),
        cmocka_unit_test(bounds_are_quantiles),
        cmocka_unit_test(spreads_shrink_by_the_discount),
        cmocka_unit_test(two_particles_are_a_gaussian),
        cmocka_unit_test(many_particles_are_a_gaussian),
        cmocka_unit_test(the_prior_is_uniform),
        cmocka_unit_test(an_agent_of_two_particles_is_one_of_gaussians),
        cmocka_unit_test(spreads_fall_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
