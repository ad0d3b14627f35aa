/* Tables, against answers that are known: how a distribution moves and shrinks, when a value gives
 * way, how often noise chooses what; and that all of them come to the values of the chain. */
#include "support/folder.h"

#include "base/rng.h"
#include "env/world.h"
#include "rl/steps.h"
#include "rl/table/table.h"

#include <math.h>

/* Not cmocka's own, which counts in single precision and takes what is no number for anything. */
static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.15g is not %.15g to %g", value, expected, tolerance);
}

static wac_config config_of(const char *algorithm)
{
    wac_config config;
    assert_int_equal(wac_config_init(&config, "chain", algorithm, &error), WAC_STATUS_OK);
    return config;
}

static wac_agent *agent_of(const wac_config *config, int states, int choices)
{
    wac_agent *agent;
    assert_int_equal(wac_agent_create_seats(&agent,
                                            &(wac_agent_plan){.configs = config,
                                                              .seats = 1,
                                                              .observations = 1,
                                                              .actions = 1,
                                                              .states = states,
                                                              .choices = choices},
                                            &error),
                     WAC_STATUS_OK);
    return agent;
}

static wac_table *table_of(wac_agent *agent)
{
    return agent->device;
}

/* One transition of a world with one state and one action. */
static void see(wac_agent *agent, double reward, bool terminated)
{
    float zero = -1;
    wac_agent_remember(agent, &zero, &zero, reward, &zero, terminated);
}

/* With a rate of 1 the mean is r + discount times itself, and the std discount times itself. */
static void test_gaussian_shrinks(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    config.rate_decay = 0;
    config.discount = 0.9;
    config.reward_min = -1;
    config.reward_max = 3;
    wac_agent *agent = agent_of(&config, 1, 1);
    double std, mean = wac_rule_wql.value(table_of(agent), 0, 0, &std);
    assert_near(mean, 10, 1e-12);
    assert_near(std, 40 / sqrt(12), 1e-12);
    for (int n = 1; n <= 30; n++) {
        see(agent, 2, false);
        mean = wac_rule_wql.value(table_of(agent), 0, 0, &std);
        assert_near(mean, 20 + (10 - 20) * pow(0.9, n), 1e-10);
        assert_near(std, 40 / sqrt(12) * pow(0.9, n), 1e-10);
    }
    see(agent, 7, true); /* an end is certain */
    mean = wac_rule_wql.value(table_of(agent), 0, 0, &std);
    assert_near(mean, 7, 1e-12);
    assert_near(std, 0, 1e-12);
    wac_agent_destroy(agent);
}

/* What progress tells of a table: means over the pairs that were visited, and over all. */
static void test_averages(void **state)
{
    (void)state;
    enum { STATES = 3, CHOICES = 2 };
    wac_config config = config_of("wql");
    wac_agent *agent = agent_of(&config, STATES, CHOICES);
    const float places[] = {-1, 1};
    for (int i = 0; i < 2; i++) /* two of the six pairs, one of them twice */
        for (int n = 0; n <= i; n++)
            wac_agent_remember(agent, &places[0], &places[i], 2 + i, &places[1], false);
    double mean = 0, visited = 0, everywhere = 0;
    for (int p = 0; p < STATES * CHOICES; p++) {
        double std, value = wac_rule_wql.value(table_of(agent), p / CHOICES, p % CHOICES, &std);
        everywhere += std / (STATES * CHOICES);
        mean += p < CHOICES ? value / CHOICES : 0;
        visited += p < CHOICES ? std / CHOICES : 0;
    }
    wac_agent_start(agent, 1);
    assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_OK);
    wac_losses losses;
    wac_seat_losses(agent, 0, &losses);
    assert_near(losses.q_mean, mean, 1e-12);
    assert_near(losses.sigma_visited, visited, 1e-12);
    assert_near(losses.sigma_uniform, everywhere, 1e-12);
    assert_true(visited < everywhere);
    wac_agent_destroy(agent);
}

/* Rates of n^-0.5: each visit leaves 1 - rate (1 - discount) of the std. */
static void test_rates(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    config.rate_decay = 0.5;
    wac_agent *agent = agent_of(&config, 1, 1);
    double left, std;
    wac_rule_wql.value(table_of(agent), 0, 0, &left);
    for (int n = 1; n <= 50; n++) {
        left *= 1 - pow(n, -0.5) * (1 - config.discount);
        see(agent, 0, false);
        wac_rule_wql.value(table_of(agent), 0, 0, &std);
        assert_near(std, left, 1e-9);
    }
    wac_agent_destroy(agent);
}

/* Particles are averaged quantile by quantile: a barycentre of sorted ones is sorted, and moves as
 * the Gaussian does. */
static void test_particles(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    config.posterior = WAC_POSTERIOR_PARTICLES;
    config.particles = 8;
    config.rate_decay = 0;
    config.discount = 0.5;
    config.reward_min = 0;
    config.reward_max = 1; /* values of 0 to 2 */
    wac_agent *agent = agent_of(&config, 1, 1);
    double first_std;
    wac_rule_wql.value(table_of(agent), 0, 0, &first_std);
    for (int n = 0; n < 12; n++) {
        const double *pair = wac_table_at(table_of(agent), 0, 0);
        double std, mean = wac_rule_wql.value(table_of(agent), 0, 0, &std);
        for (int j = 0; j < 8; j++)
            assert_near(pair[j], 2 * (1 - pow(0.5, n)) + pow(0.5, n) * 2 * (j + 0.5) / 8, 1e-12);
        assert_near(mean, 2 - pow(0.5, n), 1e-12);
        assert_near(std, first_std * pow(0.5, n), 1e-12);
        see(agent, 1, false);
    }
    wac_agent_destroy(agent);
}

/* Large numbers that differ by little have a small deviation. */
static void test_particles_far_from_zero(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    config.posterior = WAC_POSTERIOR_PARTICLES;
    config.particles = 3;
    wac_agent *agent = agent_of(&config, 1, 1);
    memcpy(wac_table_at(table_of(agent), 0, 0), (double[]){1e12, 1e12 + 1, 1e12 + 3},
           3 * sizeof(double));
    double std, mean = wac_rule_wql.value(table_of(agent), 0, 0, &std);
    assert_near(mean, 1e12 + 4.0 / 3, 1e-3);
    assert_near(std, sqrt(14.0 / 9), 1e-6);
    wac_agent_destroy(agent);
}

/* How often exploration chooses action 1 of two in state 0. */
static double share_of_second(wac_agent *agent)
{
    enum { DRAWS = 40000 };
    int second = 0;
    float zero = -1, action;
    for (int i = 0; i < DRAWS; i++) {
        wac_agent_explore(agent, NULL, &zero, &action);
        assert_true(action == -1 || action == 1);
        second += action == 1;
    }
    return (double)second / DRAWS;
}

static void test_exploration(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    config.quantile = 0.95;
    wac_agent *agent = agent_of(&config, 1, 2);
    double *first = wac_table_at(table_of(agent), 0, 0),
           *second = wac_table_at(table_of(agent), 0, 1);
    first[0] = 1, first[1] = 0.5;
    second[0] = 0.8, second[1] = 1;
    wac_config *own = &agent->seat->config;
    /* by the upper bound: 1 + 0.82 < 0.8 + 1.64 */
    assert_true(share_of_second(agent) == 1);
    own->exploration = WAC_EXPLORATION_MEAN;
    assert_true(share_of_second(agent) == 0);
    /* by draws: P(N(-0.2, 1.25) > 0) = 0.429 */
    own->exploration = WAC_EXPLORATION_SAMPLING;
    assert_near(share_of_second(agent), 0.5 * erfc(0.2 / sqrt(1.25) / sqrt(2)), 0.01);
    /* evaluated by the mean in any case */
    float zero = -1, action;
    wac_agent_act(agent, WAC_POLICY_TARGET, &zero, &action);
    assert_true(action == -1);
    /* of equals none is preferred */
    second[0] = first[0], second[1] = first[1];
    own->exploration = WAC_EXPLORATION_OPTIMISTIC;
    assert_near(share_of_second(agent), 0.5, 0.01);
    wac_agent_destroy(agent);
    /* of particles by a high one, whatever the lowest are */
    config.posterior = WAC_POSTERIOR_PARTICLES;
    config.particles = 4;
    agent = agent_of(&config, 1, 2);
    memcpy(wac_table_at(table_of(agent), 0, 0), (double[]){1, 1.5, 2, 2.5}, 4 * sizeof(double));
    memcpy(wac_table_at(table_of(agent), 0, 1), (double[]){-2, 0, 1, 3}, 4 * sizeof(double));
    assert_true(share_of_second(agent) == 1);
    wac_agent_destroy(agent);
}

static void test_noise(void **state)
{
    (void)state;
    wac_config config = config_of("q-learning");
    config.epsilon = 0.3;
    wac_agent *agent = agent_of(&config, 1, 2);
    *wac_table_at(table_of(agent), 0, 0) = 1;
    assert_near(share_of_second(agent), 0.15, 0.01);
    agent->seat->config.noise = WAC_NOISE_BOLTZMANN;
    agent->seat->config.temperature = 0.5;
    assert_near(share_of_second(agent), 1 / (1 + exp(2)), 0.01);
    for (int choice = 0; choice < 2; choice++) /* only differences count, however large they are */
        *wac_table_at(table_of(agent), 0, choice) += 1000;
    assert_near(share_of_second(agent), 1 / (1 + exp(2)), 0.01);
    wac_agent_destroy(agent);
}

/* A value gives way after `delay` visits, and rests when nothing is gained. */
static void test_delay(void **state)
{
    (void)state;
    wac_config config = config_of("delayed-q");
    config.delay = 5;
    config.delay_margin = 0.25;
    config.discount = 0.5;
    config.reward_max = 1;
    wac_agent *agent = agent_of(&config, 1, 1);
    double believed = 2;
    for (int round = 0; round < 6; round++) {
        for (int n = 0; n < 4; n++) {
            see(agent, 0, false);
            assert_near(wac_rule_delayed_q.value(table_of(agent), 0, 0, NULL), believed, 0);
        }
        see(agent, 0, false);
        if (believed - 0.5 * believed >= 0.5)
            believed = 0.5 * believed + 0.25;
        assert_near(wac_rule_delayed_q.value(table_of(agent), 0, 0, NULL), believed, 0);
    }
    assert_near(believed, 0.875, 0);
    wac_agent_destroy(agent);
}

/* The chain's values by iteration, from what is known of it. */
static void solve_chain(double q[5][2], double discount)
{
    memset(q, 0, sizeof(double[5][2]));
    for (int round = 0; round < 2000; round++)
        for (int s = 0; s < 5; s++)
            for (int a = 0; a < 2; a++) {
                int on = s < 4 ? s + 1 : 4;
                double forward = (s == 4 ? 10 : 0) + discount * fmax(q[on][0], q[on][1]);
                double back = 2 + discount * fmax(q[0][0], q[0][1]);
                q[s][a] = a == 0 ? 0.8 * forward + 0.2 * back : 0.2 * forward + 0.8 * back;
            }
}

/* Every table comes to the values of the chain where it has often been; delayed Q-learning, which
 * stays above them by its margin, to its best actions. */
static void test_values(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"wql", "q-learning", "bootstrapped-q", "delayed-q"};
    double q[5][2];
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        wac_config config = config_of(algorithms[i]);
        config.epsilon = 0.5;
        config.exploration = WAC_EXPLORATION_SAMPLING;
        config.delay = 200;
        solve_chain(q, config.discount);
        const wac_environment_type *type;
        wac_world *world;
        assert_int_equal(wac_environment_type_find(&type, "chain", &error), WAC_STATUS_OK);
        assert_int_equal(wac_world_create(&world, type, &config, &error), WAC_STATUS_OK);
        wac_agent *agent = agent_of(&config, world->spec.states, world->spec.choices);
        wac_rng rng = wac_rng_make(1, WAC_STREAM_WORLD);
        float at, next, action;
        assert_int_equal(wac_world_reset(world, &rng, &at, &error), WAC_STATUS_OK);
        for (int n = 0; n < 400000; n++) {
            wac_step step;
            wac_agent_explore(agent, NULL, &at, &action);
            assert_int_equal(wac_world_step(world, &rng, &action, &next, &step, &error),
                             WAC_STATUS_OK);
            wac_agent_remember(agent, &at, &action, step.reward, &next, step.terminated);
            at = next;
        }
        for (int s = 0; s < 5; s++) {
            assert_int_equal(wac_table_best(table_of(agent), s, NULL), 0);
            double believed = agent->row->table->value(table_of(agent), s, 0, NULL);
            if (strcmp(algorithms[i], "delayed-q") != 0)
                assert_near(believed / q[s][0], 1, 0.05);
        }
        wac_world_destroy(world);
        wac_agent_destroy(agent);
    }
}

/* What is saved is all that it goes on from. */
static void test_save(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"wql", "q-learning", "bootstrapped-q", "delayed-q"};
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++) {
        wac_config config = config_of(algorithms[i]);
        wac_agent *one = agent_of(&config, 5, 2), *two = agent_of(&config, 5, 2);
        for (int half = 0; half < 2; half++) {
            for (int n = 0; n < 500; n++) {
                float at = (float)(n % 5) / 2 - 1, next = (float)((n + 1) % 5) / 2 - 1, action;
                wac_agent_explore(one, NULL, &at, &action);
                if (half) {
                    float again;
                    wac_agent_explore(two, NULL, &at, &again);
                    assert_true(action == again);
                    wac_agent_remember(two, &at, &action, n % 3, &next, n % 50 == 49);
                }
                wac_agent_remember(one, &at, &action, n % 3, &next, n % 50 == 49);
            }
            if (half)
                break;
            assert_int_equal(wac_agent_save(one, root, &error), WAC_STATUS_OK);
            assert_int_equal(wac_agent_load(two, root, &error), WAC_STATUS_OK);
        }
        size_t numbers = (size_t)(5 * 2 * table_of(one)->numbers);
        assert_memory_equal(table_of(one)->values, table_of(two)->values, numbers * sizeof(double));
        wac_agent_destroy(one);
        wac_agent_destroy(two);
    }
}

static int setup(void **state)
{
    (void)state;
    return make_root(quick_disk(), "table");
}

static void test_refusals(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    wac_agent *agent;
    wac_agent_plan plan = {.configs = &config, .seats = 1, .observations = 1, .actions = 1};
    assert_int_equal(wac_agent_create_seats(&agent, &plan, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "wql is a table"));
    config.reward_min = config.reward_max;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "must be below reward_max"));
    plan.states = 5;
    plan.choices = 2;
    plan.device = WAC_DEVICE_CUDA;
    assert_int_equal(wac_agent_create_seats(&agent, &plan, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "use --device cpu"));
}

/* --- states and choices ----------------------------------------------------------------------- */

/* A number beyond its bounds stands for the nearest state or choice; what is read of a pair is what
 * was learnt there, with or without its deviation. */
static void test_beyond_the_bounds(void **state)
{
    (void)state;
    wac_config config = config_of("wql");
    wac_agent *agent = agent_of(&config, 3, 2);
    const float beyond[] = {-5, 5}, bounds[] = {-1, 1};
    for (int i = 0; i < 2; i++)
        wac_agent_remember(agent, &beyond[i], &beyond[i], 10 * i - 3, &beyond[i], true);
    for (int i = 0; i < 2; i++) {
        float mean[3], std[2];
        agent->steps->value(agent, 0, 1, &beyond[i], &beyond[i], &mean[0], &std[0]);
        agent->steps->value(agent, 0, 1, &bounds[i], &bounds[i], &mean[1], &std[1]);
        agent->steps->value(agent, 0, 1, &bounds[i], &bounds[i], &mean[2], NULL);
        assert_true(mean[0] == mean[1] && mean[1] == mean[2] && std[0] == std[1]);
    }
    float low, high;
    agent->steps->value(agent, 0, 1, &bounds[0], &bounds[0], &low, NULL);
    agent->steps->value(agent, 0, 1, &bounds[1], &bounds[1], &high, NULL);
    assert_true(low < high);
    wac_agent_destroy(agent);
    /* a world with one choice has nothing to choose */
    agent = agent_of(&config, 3, 1);
    float action = 7;
    wac_agent_explore(agent, NULL, &bounds[0], &action);
    assert_true(action == 0);
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond_the_bounds),
        cmocka_unit_test(test_gaussian_shrinks),
        cmocka_unit_test(test_averages),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_particles),
        cmocka_unit_test(test_particles_far_from_zero),
        cmocka_unit_test(test_exploration),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_delay),
        cmocka_unit_test(test_values),
        cmocka_unit_test_setup_teardown(test_save, setup, remove_root),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
