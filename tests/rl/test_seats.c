/* Seats: runs that learn side by side do not know of each other. Each ends in the bytes that it has
 * alone, whatever the others' settings, seeds and numbers of updates, at any number of threads; and
 * what one of them saved goes on in an agent of its own. */
#include "base/rng.h"
#include "base/status.h"
#include "rl/cuda/steps.h"
#include "rl/host/host.h"
#include "rl/save.h"
#include "support/folder.h"

enum { O = 3, A = 2, SEATS = 3, UPDATES = 5, TRANSITIONS = 40 };

/* Settings that seats may differ in. */
static wac_config config_of(const char *algorithm, int seat)
{
    static const double rhos[] = {0.5, 0, 1.25};
    wac_config config;
    assert_int_equal(wac_config_init(&config, "recorded", algorithm, &error), WAC_STATUS_OK);
    config.width = 24;
    config.batch_size = 32;
    config.replay_capacity = 25 + seat;
    config.seed = 10 + seat;
    config.learning_rate = 1e-3 * (1 + seat);
    config.discount = 0.9 + 0.03 * seat;
    config.rho = rhos[seat];
    config.lambda = 0.2 + 0.3 * seat;
    config.quantile = 0.7 + 0.1 * seat;
    config.entropy_tuning = seat != 1;
    config.entropy_target = -0.5 - seat;
    config.critics = 5;
    config.policy_delay = 3;
    config.members = 3;
    config.member_share = 0.3 * seat;
    config.backup_temperature = seat == 2 ? 0 : 5;
    config.exploration = seat == 1 ? WAC_EXPLORATION_SAMPLING : WAC_EXPLORATION_OPTIMISTIC;
    config.models = 3;
    config.bonus_weight = 0.5 + seat;
    config.bonus_tuning = seat != 1;
    config.quantiles = 7;
    config.optimism_low = -1 - 0.2 * seat;
    config.optimism_high = 0.1 * seat;
    config.bandit_rate = 0.5 * seat;
    config.random_steps = 20 + 10 * seat;
    config.explore_noise = 0.1 + 0.1 * seat;
    config.target_noise = 0.2 * seat;
    config.pessimism = 0.3 * seat;
    config.divergence_weight = 0.2 + 0.3 * seat;
    config.divergence_target = 0.02 + 0.1 * seat;
    config.divergence_rate = 0.01 * seat;
    config.optimist_std = 0.5 + 0.3 * seat;
    config.log_std = seat == 1 ? WAC_LOG_STD_BENT : WAC_LOG_STD_CLAMPED;
    config.reset_first = seat == 1 ? 7 : 0;
    config.reset_interval = seat == 2 ? 4 : 0;
    config.normalisation = seat == 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
    return config;
}

/* Kinds of networks: as they are, both residual ones; of WAC's critics also two heads of one,
 * particles. */
enum { KINDS = 5, COMMON_KINDS = 3 };

static void set_kind(wac_config *config, int kind)
{
    config->network = kind < COMMON_KINDS ? kind : WAC_NETWORK_PLAIN;
    config->policy_width = 20;
    config->weight_decay = kind == 1 ? 0.1 : 0;
    config->trunk = kind == 3 ? WAC_TRUNK_SHARED : WAC_TRUNK_APART;
    config->posterior = kind == 4 ? WAC_POSTERIOR_PARTICLES : WAC_POSTERIOR_GAUSSIAN;
    config->particles = 9;
}

static wac_status create(wac_agent **agent, wac_device device, const wac_config *configs, int seats,
                         const wac_algorithm_row *row, int threads)
{
    wac_agent_plan plan = {.row = row,
                           .device = device,
                           .configs = configs,
                           .seats = seats,
                           .observations = O,
                           .actions = A,
                           .threads = threads,
                           .first_cpu = -1};
    return wac_agent_create_seats(agent, &plan, &error);
}

static wac_agent *make(const wac_config *configs, int seats, const wac_algorithm_row *row,
                       int threads)
{
    wac_agent *agent;
    assert_int_equal(create(&agent, WAC_DEVICE_CPU, configs, seats, row, threads), WAC_STATUS_OK);
    return agent;
}

/* Explore and remember, by the agent's own actions. */
static void wander(wac_agent *agent, int seat, int turn)
{
    wac_rng rng = wac_rng_make((uint64_t)(100 * turn) + (uint64_t)agent->seat[seat].config.seed,
                               WAC_STREAM_WORLD);
    for (int i = 0; i < TRANSITIONS; i++) {
        float from[O], to[O], action[A];
        for (int j = 0; j < O; j++) {
            from[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
            to[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        }
        wac_seat_explore(agent, seat, NULL, from, action);
        agent->steps->remember(agent, seat, from, action, (double)action[0] - (double)to[1], to,
                               i % 10 == 9);
        if (i % 10 != 9)
            continue;
        wac_seat_end(agent, seat);
        wac_seat_begin(agent, seat);
    }
}

static void learn(wac_agent *agent, int updates)
{
    for (int i = 0; i < updates; i++) {
        agent->steps->draw(agent);
        agent->row->learn(agent);
    }
}

/* All of a seat's state in one row of bytes. */
typedef struct bytes {
    char *data;
    size_t size;
} bytes;

static wac_status collect(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    bytes *bytes = user;
    size_t size = (size_t)wac_agent_tensor_elements(tensor) * wac_dtype_size(tensor->dtype);
    bytes->data = realloc(bytes->data, bytes->size + size + 1);
    memcpy(bytes->data + bytes->size, tensor->data, size);
    bytes->size += size;
    return WAC_STATUS_OK;
}

static bytes state_of(wac_agent *agent, int seat)
{
    bytes bytes = {0};
    for (wac_state state = WAC_STATE_NETWORKS; state <= WAC_STATE_REPLAY; state++)
        assert_int_equal(agent->steps->visit(agent, seat, state, collect, &bytes, &error), 0);
    return bytes;
}

static void assert_same_state(wac_agent *a, int seat_a, wac_agent *b, int seat_b)
{
    bytes one = state_of(a, seat_a), other = state_of(b, seat_b);
    assert_true(one.size > 10000 && one.size == other.size);
    assert_memory_equal(one.data, other.data, one.size);
    free(one.data);
    free(other.data);
}

/* Seat 1 pauses in the second turn. */
static void check_company(const char *algorithm, int kind, const wac_algorithm_row *row,
                          int threads)
{
    wac_config configs[SEATS];
    for (int i = 0; i < SEATS; i++) {
        configs[i] = config_of(algorithm, i);
        set_kind(&configs[i], kind);
    }
    wac_agent *together = make(configs, SEATS, row, threads);
    for (int turn = 0; turn < 3; turn++) {
        together->seat[1].active = turn != 1;
        for (int i = 0; i < SEATS; i++)
            if (together->seat[i].active)
                wander(together, i, turn);
        wac_agent_anchor(together);
        learn(together, UPDATES);
    }
    for (int i = 0; i < SEATS; i++) {
        wac_losses losses, expected;
        wac_agent *alone = make(&configs[i], 1, row, 1);
        for (int turn = 0; turn < 3; turn++)
            if (i != 1 || turn != 1) {
                wander(alone, 0, turn);
                wac_agent_anchor(alone);
                learn(alone, UPDATES);
            }
        assert_same_state(together, i, alone, 0);
        assert_int_equal(wac_seat_check(together, i, &error), WAC_STATUS_OK);
        wac_seat_losses(together, i, &losses);
        wac_seat_losses(alone, 0, &expected);
        assert_memory_equal(&losses, &expected, sizeof losses);
        wac_agent_destroy(alone);
    }
    wac_agent_destroy(together);
}

static void seats_learn_as_if_alone(void **state)
{
    (void)state;
    for (int threads = 1; threads <= SEATS; threads += SEATS - 1)
        for (int a = 0; a < WAC_ALGORITHM_TABLES; a++)
            for (int kind = 0; kind < (WAC_FOR_WAC >> a & 1u ? KINDS : COMMON_KINDS); kind++)
                check_company(wac_algorithm_name((wac_algorithm)a), kind, NULL, threads);
}

/* Ten critics, two of them drawn for each backup: the draws are part of the state. */
static void subsets_are_drawn_by_seat(void **state)
{
    (void)state;
    const wac_algorithm_row row = {
        .policies = 1,
        .means = 10,
        .subset = 2,
        .critics = "q",
        .learn = wac_sac_learn,
    };
    check_company("sac", 0, &row, 2);

    enum { DRAWS = 9000 };
    wac_config config = config_of("sac", 0);
    wac_agent *agent = make(&config, 1, &row, 1);
    int pairs[10][10] = {{0}};
    wander(agent, 0, 0);
    for (int i = 0; i < DRAWS; i++) {
        const int64_t *drawn = wac_host_desk(agent, 0)->subset;
        agent->steps->draw(agent);
        assert_true(drawn[0] != drawn[1]);
        pairs[drawn[0]][drawn[1]]++;
    }
    for (int i = 0; i < 10; i++)
        for (int j = 0; j < 10; j++) /* 100 expected, standard deviation 10 */
            assert_true(i == j ? pairs[i][j] == 0 : pairs[i][j] > 50 && pairs[i][j] < 150);
    wac_agent_destroy(agent);
}

/* REDQ's policy and entropy weight move in every policy_delay-th update, its critics in each. */
static void policies_wait(void **state)
{
    (void)state;
    wac_config config = config_of("redq", 0);
    wac_agent *agent = make(&config, 1, NULL, 1);
    const wac_seat *seat = agent->seat;
    wander(agent, 0, 0);
    for (int i = 1; i <= 10; i++) {
        double alpha = seat->alpha[0], objective = seat->objective[0];
        learn(agent, 1);
        assert_int_equal(seat->critic_steps, i);
        assert_int_equal(seat->policy_steps, i / 3);
        assert_int_equal(seat->entropy_steps, i / 3);
        assert_true((seat->alpha[0] != (real)alpha) == (i % 3 == 0));
        assert_true((seat->objective[0] != objective) == (i % 3 == 0));
        assert_true(seat->active);
    }
    wac_agent_destroy(agent);
}

/* TOP's policy, and with it its shadow and the target critics, move in every policy_delay-th
 * update. */
static void targets_wait_too(void **state)
{
    (void)state;
    wac_config config = config_of("top", 0);
    wac_agent *agent = make(&config, 1, NULL, 1);
    const wac_desk *desk = wac_host_desk(agent, 0);
    const wac_stack *stacks[] = {&desk->critics, &desk->policies, &desk->shadow, &desk->targets};
    wander(agent, 0, 0);
    for (int i = 1; i <= 7; i++) {
        real before[4];
        for (int k = 0; k < 4; k++)
            before[k] = wac_stack_layer(stacks[k], stacks[k]->params, 0, 2).bias[0];
        learn(agent, 1);
        for (int k = 0; k < 4; k++) {
            real now = wac_stack_layer(stacks[k], stacks[k]->params, 0, 2).bias[0];
            assert_true((now != before[k]) == (k == 0 || i % 3 == 0));
        }
        assert_int_equal(agent->seat->policy_steps, i / 3);
        assert_int_equal(agent->seat->entropy_steps, 0);
        assert_true(agent->seat->alpha[0] == 0);
    }
    wac_agent_destroy(agent);
}

/* The first steps try any action, later ones stay near what is evaluated; and no step is outside of
 * what there is. */
static void a_deterministic_policy_needs_noise(void **state)
{
    (void)state;
    wac_config config = config_of("top", 0);
    config.random_steps = 200;
    config.replay_capacity = 1000;
    config.explore_noise = 0.25;
    wac_agent *agent = make(&config, 1, NULL, 1);
    double far[2] = {0}, near[2] = {0}, random_sum = 0;
    for (int i = 0; i < 1200; i++) {
        float observation[O] = {0.1f, -0.2f, 0.3f}, action[A], mean[A];
        bool random = i < 200;
        wac_agent_explore(agent, NULL, observation, action);
        wac_agent_act(agent, WAC_POLICY_TARGET, observation, mean);
        for (int j = 0; j < A; j++) {
            double off = (double)action[j] - (double)mean[j];
            far[random] = fmax(far[random], fabs(off));
            near[random] += off * off / (A * (random ? 200 : 1000));
            assert_true(fabs((double)action[j]) <= 1);
            random_sum += random ? (double)action[j] : 0;
        }
        wac_agent_remember(agent, observation, action, 0, observation, false);
    }
    assert_true(fabs(random_sum) < 0.15 * 200 * A); /* to either side */
    assert_true(far[1] > 0.95 && fabs(near[1] - 1.0 / 3) < 0.05);
    assert_true(fabs(near[0] - 0.0625) < 0.006);
    wac_agent_destroy(agent);
}

/* BRO's first steps try any action, too; then its optimist explores, shifted and narrower, and the
 * policy alone is evaluated. */
static void an_optimist_explores(void **state)
{
    (void)state;
    wac_config config = config_of("bro", 0);
    config.random_steps = 200;
    config.replay_capacity = 2000;
    config.optimist_std = 0.5;
    config.network = WAC_NETWORK_PLAIN;
    wac_agent *agent = make(&config, 1, NULL, 1);
    wac_desk *desk = wac_host_desk(agent, 0);
    const wac_stack *optimist = &desk->optimist.stack;
    assert_true(fabs((double)agent->seat->optimism / config.optimism - 1) < 1e-5);
    assert_true(fabs((double)agent->seat->divergence_weight / config.divergence_weight - 1) < 1e-5);
    wac_layer head = wac_stack_layer(optimist, optimist->params, 0, 2);
    for (int j = 0; j < A; j++) {
        for (int k = 0; k < head.inputs; k++)
            head.weight[j * head.inputs + k] = (real)0.2;
        assert_true(head.bias[j] == 0);
    }
    float observation[O] = {0.1f, -0.2f, 0.3f}, action[A], mean[A], led[A];
    real heads[2 * A], shifted[2 * A];
    wac_agent_act(agent, WAC_POLICY_TARGET, observation, mean);
    wac_agent_act(agent, WAC_POLICY_BEHAVIOUR, observation, led);
    agent->steps->act(agent, 0, 0, observation, heads);
    agent->steps->act(agent, 0, WAC_ACT_OPTIMIST, observation, shifted);
    for (int j = 0; j < A; j++) {
        assert_true(fabs((double)mean[j] - tanh((double)heads[j])) < 1e-6);
        assert_true(fabs((double)led[j] - tanh((double)shifted[j])) < 1e-6);
        assert_true(shifted[j] > heads[j] + 0.05);
        assert_true(fabs((double)(heads[A + j] - shifted[A + j]) - log(2)) < 1e-6);
    }
    double sums[2] = {0}, squares[2] = {0}, far = 0;
    for (int i = 0; i < 1200; i++) {
        wac_agent_explore(agent, NULL, observation, action);
        wac_agent_remember(agent, observation, action, 0, observation, false);
        for (int j = 0; j < A; j++) {
            double off = atanh((double)action[j]) - (double)shifted[j];
            if (i >= 200) {
                sums[j] += off / 1000;
                squares[j] += off * off / 1000;
            }
            far = fmax(far, i < 200 ? fabs((double)action[j]) : 0);
        }
    }
    assert_true(far > 0.95);
    for (int j = 0; j < A; j++) {
        double std = exp((double)shifted[A + j]);
        assert_true(fabs(sums[j]) < 0.15 * std);
        assert_true(fabs(sqrt(squares[j]) / std - 1) < 0.1);
    }
    /* its head still has no bias when it has learned, and its weights have moved */
    real optimism = agent->seat->optimism, weight = agent->seat->divergence_weight;
    agent->seat->config.divergence_rate = 0.01;
    learn(agent, 3);
    for (int j = 0; j < A; j++)
        assert_true(head.bias[j] == 0 && head.weight[j * head.inputs] != (real)0.2);
    assert_true(agent->seat->divergence > 0);
    /* so far from the policy that less optimism is called for, and more weight */
    assert_true(agent->seat->divergence / A > config.divergence_target);
    assert_true(agent->seat->optimism < optimism && agent->seat->divergence_weight > weight);
    wac_agent_destroy(agent);
}

/* The arrays of some parts of a seat's state. */
static bytes part_of(wac_agent *agent, wac_state first, wac_state last)
{
    bytes bytes = {0};
    for (wac_state state = first; state <= last; state++)
        assert_int_equal(agent->steps->visit(agent, 0, state, collect, &bytes, &error), 0);
    return bytes;
}

static bool same(bytes a, bytes b)
{
    assert_int_equal(a.size, b.size);
    bool same = memcmp(a.data, b.data, a.size) == 0;
    free(a.data);
    return same;
}

/* Networks, moments and weights are those of the first update again before the updates that
 * settings name, and at no other; what was remembered stays. */
static void networks_begin_anew(void **state)
{
    (void)state;
    for (int a = 0; a < WAC_ALGORITHM_TABLES; a++) {
        wac_config config = config_of(wac_algorithm_name((wac_algorithm)a), 0);
        config.reset_first = 3;
        config.reset_second = 5;
        config.reset_interval = 6;
        wac_agent *agent = make(&config, 1, NULL, 1);
        const wac_seat *seat = agent->seat;
        const wac_desk *desk = wac_host_desk(agent, 0);
        bytes first = part_of(agent, WAC_STATE_NETWORKS, WAC_STATE_NETWORKS);
        real alpha = seat->alpha[0], bonus_weight = seat->bonus_weight;
        real optimism = seat->optimism, price = seat->divergence_weight;
        wander(agent, 0, 0);
        bytes replay = part_of(agent, WAC_STATE_REPLAY, WAC_STATE_REPLAY);
        for (int i = 0; i < 14; i++) {
            bool anew = i == 0 || i == 3 || i == 5 || i == 6 || i == 12;
            assert_int_equal(wac_seat_begins_anew(seat), anew && i > 0);
            agent->steps->draw(agent);
            assert_int_equal(same(part_of(agent, WAC_STATE_NETWORKS, WAC_STATE_NETWORKS), first),
                             anew);
            assert_int_equal(seat->critic_steps == 0, anew);
            assert_int_equal(seat->begun, i + 1);
            if (anew) {
                const real *moments[] = {desk->policy_moments.first, desk->policy_moments.second,
                                         desk->critic_moments.first, desk->critic_moments.second};
                for (int k = 0; k < 4; k++)
                    for (size_t n = 0; n < wac_stack_size(k < 2 ? &desk->policies : &desk->critics);
                         n++)
                        assert_true(moments[k][n] == 0);
                const wac_optimist *optimist = &desk->optimist;
                for (size_t n = 0; n < wac_stack_size(&optimist->stack); n++)
                    assert_true(optimist->moments.first[n] == 0 &&
                                optimist->moments.second[n] == 0);
                for (int k = 0; k < 2 * agent->row->optimist; k++)
                    assert_true(optimist->weights.first[k] == 0 &&
                                optimist->weights.second[k] == 0);
                assert_true(seat->optimism == optimism && seat->divergence_weight == price);
                assert_true(desk->entropy.first[0] == 0 && desk->entropy.second[0] == 0);
                assert_true(seat->alpha[0] == alpha && seat->bonus_weight == bonus_weight);
                assert_true(seat->policy_steps == 0 && seat->entropy_steps == 0);
            }
            agent->row->learn(agent);
        }
        assert_true(same(part_of(agent, WAC_STATE_REPLAY, WAC_STATE_REPLAY), replay));
        assert_int_equal(wac_seat_updates(seat), 14);
        free(first.data);
        free(replay.data);
        wac_agent_destroy(agent);
    }
}

static void refused(const wac_config *config, const char *message)
{
    wac_agent *agent;
    assert_int_equal(create(&agent, WAC_DEVICE_CUDA, config, 1, NULL, 1), WAC_STATUS_INPUT);
    assert_string_equal(error.message, message);
}

/* What a GPU's fused kernels are made for. */
static void a_gpu_has_two_ways(void **state)
{
    (void)state;
    wac_config config = config_of("oac", 0), other;
    config.width = 128;
    config.backend = WAC_BACKEND_CPU;
    assert_true(wac_gpu_is_fused(&config, 512, 512));
    assert_false(wac_gpu_is_fused(&config, 513, 1));
    assert_false(wac_gpu_is_fused(&config, 1, 513));
    other = config;
    other.width = 96;
    assert_false(wac_gpu_is_fused(&other, 1, 1));
    other = config;
    other.network = WAC_NETWORK_SIMBA;
    assert_false(wac_gpu_is_fused(&other, 1, 1));
    other = config;
    other.log_std = WAC_LOG_STD_BENT;
    assert_false(wac_gpu_is_fused(&other, 1, 1));
    other = config;
    other.weight_decay = 0.1;
    assert_false(wac_gpu_is_fused(&other, 1, 1));
    other = config;
    other.reset_second = 5;
    assert_false(wac_gpu_is_fused(&other, 1, 1));
    static const char *const names[] = {"redq", "sunrise", "maxinfosac", "sac-rnd", "top", "bro"};
    for (int i = 0; i < 6; i++) {
        other = config_of(names[i], 0);
        other.width = 128;
        assert_false(wac_gpu_is_fused(&other, 1, 1));
    }
}

/* What processors compute in fewer bits is plain networks. */
static void a_precision_is_for_plain_networks(void **state)
{
    (void)state;
    static const int precisions[] = {WAC_PRECISION_MIXED, WAC_PRECISION_TF32};
    wac_agent *agent;
    for (int i = 0; i < 2; i++) {
        wac_config config = config_of("sac", 0);
        config.network = WAC_NETWORK_SIMBA;
        config.precision = precisions[i];
        assert_int_equal(create(&agent, WAC_DEVICE_CPU, &config, 1, NULL, 1), WAC_STATUS_INPUT);
        assert_string_equal(error.message,
                            "processors compute network simba in single precision only; set "
                            "precision to single, or network to plain");
    }
}

static void a_gpu_names_the_way_out(void **state)
{
    (void)state;
    static const char *const algorithms[] = {"sac", "redq"}; /* by fused kernels, and by others */
    setenv("WAC_CUDA_PLUGIN", WAC_EMULATED_GPU, 1);
    for (int i = 0; i < 2; i++) {
        wac_config config = config_of(algorithms[i], 0);
        config.width = 64;
        config.backend = WAC_BACKEND_REFERENCE;
        refused(&config, "backend reference is the processor's; use --device cpu");
    }
    wac_config config = config_of("me-wac", 0);
    set_kind(&config, KINDS - 1);
    config.particles = 300;
    config.backend = WAC_BACKEND_CPU;
    refused(&config, "a GPU trains with up to 256 particles, and here are 300; use --device cpu");

    /* a plugin that was built before there was a general part */
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    config.particles = 30;
    refused(&config, "--device cuda needs the part of wac that is built with CUDA (the wac_cuda.so "
                     "that is there is of another version); install the CUDA toolkit and build "
                     "again, or use --device cpu");
    unsetenv("WAC_CUDA_PLUGIN");
}

static void a_seat_goes_on_alone(void **state)
{
    (void)state;
    for (int a = 0; a < WAC_ALGORITHM_TABLES; a++) {
        const char *algorithm = wac_algorithm_name((wac_algorithm)a);
        wac_config configs[SEATS];
        for (int i = 0; i < SEATS; i++)
            configs[i] = config_of(algorithm, i);
        wac_agent *together = make(configs, SEATS, NULL, 2), *alone = make(&configs[2], 1, NULL, 1);
        for (int i = 0; i < SEATS; i++)
            wander(together, i, 0);
        learn(together, UPDATES);
        assert_int_equal(wac_seat_save(together, 2, root, true, NULL, &error), WAC_STATUS_OK);
        assert_int_equal(wac_agent_load(alone, root, &error), WAC_STATUS_OK);
        assert_same_state(together, 2, alone, 0);
        wander(together, 2, 1);
        wander(alone, 0, 1);
        learn(together, UPDATES);
        learn(alone, UPDATES);
        assert_same_state(together, 2, alone, 0);

        /* an agent of other settings is refused */
        wac_config other = configs[2];
        other.width = 40;
        wac_agent *wider = make(&other, 1, NULL, 1);
        assert_int_equal(wac_agent_load(wider, root, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, "width 24"));
        wac_agent_destroy(wider);
        if (a == WAC_ALGORITHM_REDQ || a == WAC_ALGORITHM_SUNRISE) {
            other = configs[2];
            other.critics = 4;
            other.members = 4;
            wider = make(&other, 1, NULL, 1);
            assert_int_equal(wac_agent_load(wider, root, &error), WAC_STATUS_INPUT);
            assert_non_null(
                strstr(error.message, a == WAC_ALGORITHM_REDQ ? "critics 5" : "critics 6"));
            wac_agent_destroy(wider);
        }
        if (a == WAC_ALGORITHM_MAXINFOSAC) {
            other = configs[2];
            other.models = 2;
            wider = make(&other, 1, NULL, 1);
            assert_int_equal(wac_agent_load(wider, root, &error), WAC_STATUS_INPUT);
            assert_non_null(strstr(error.message, "models 3"));
            wac_agent_destroy(wider);
        }
        if (a == WAC_ALGORITHM_TOP || a == WAC_ALGORITHM_BRO) {
            other = configs[2];
            other.quantiles = 8;
            wider = make(&other, 1, NULL, 1);
            assert_int_equal(wac_agent_load(wider, root, &error), WAC_STATUS_INPUT);
            assert_non_null(strstr(error.message, "quantiles 7"));
            wac_agent_destroy(wider);
        }
        wac_agent_destroy(together);
        wac_agent_destroy(alone);
    }
}

static int make_seats_root(void **state)
{
    (void)state;
    return make_root(quick_disk(), "seats");
}

/* --- visits ---------------------------------------------------------------------------------- */

typedef struct refusal {
    int calls, at; /* the call that refuses, from 1; 0: none */
} refusal;

static wac_status refuse(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    refusal *refusal = user;
    refusal->calls++;
    return refusal->calls == refusal->at
               ? wac_fail(failure, WAC_STATUS_IO, "%s is not wanted", tensor->name)
               : WAC_STATUS_OK;
}

/* Where a visitor refuses an array, the visit ends there, and says so. */
static void a_visit_ends_where_it_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"oe-wac", "me-wac",  "sac",        "oac",     "redq",
                                        "top",    "sunrise", "maxinfosac", "sac-rnd", "bro"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        wac_config config = config_of(names[i], 2);
        wac_agent *agent = make(&config, 1, NULL, 1);
        wander(agent, 0, 0);
        for (int part = 0; part <= WAC_STATE_DRAWN; part++) {
            refusal none = {0};
            assert_int_equal(agent->steps->visit(agent, 0, (wac_state)part, refuse, &none, &error),
                             WAC_STATUS_OK);
            assert_true(none.calls > 0);
            for (int at = 1; at <= none.calls; at++) {
                refusal one = {.at = at};
                assert_int_equal(
                    agent->steps->visit(agent, 0, (wac_state)part, refuse, &one, &error),
                    WAC_STATUS_IO);
                assert_int_equal(one.calls, at);
                assert_non_null(strstr(error.message, "is not wanted"));
            }
        }
        wac_agent_destroy(agent);
    }
}

/* Who explores writes into its own room and nobody else's. */
static void a_seat_has_its_own_scratch(void **state)
{
    (void)state;
    static const char *const names[] = {"oe-wac",  "me-wac",     "sac",     "oac", "redq",
                                        "sunrise", "maxinfosac", "sac-rnd", "bro"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        wac_config configs[] = {config_of(names[i], 0), config_of(names[i], 1)};
        wac_agent *agent = make(configs, 2, NULL, 1);
        real *others = agent->seat[1].scratch;
        for (int j = 0; j < A; j++)
            others[j] = 77;
        wander(agent, 0, 0);
        for (int j = 0; j < A; j++)
            assert_true(others[j] == 77);
        wac_agent_destroy(agent);
    }
}

static wac_status note_name(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    char *names = user;
    size_t length = strlen(names);
    snprintf(names + length, 8192 - length, "%s ", tensor->name);
    if (!strstr(tensor->name, "/weight")) /* a row of numbers, a counter one alone */
        assert_int_equal(tensor->rank, 1);
    if (strncmp(tensor->name, "counter/", 8) == 0)
        assert_int_equal(tensor->shape[0], 1);
    if (strstr(tensor->name, "optimism")) /* and the weight of its price */
        assert_int_equal(tensor->shape[0], 2);
    return WAC_STATUS_OK;
}

/* What an algorithm does not have, its checkpoint does not tell. */
static void states_tell_what_there_is(void **state)
{
    (void)state;
    static const struct {
        const char *algorithm;
        bool subset, leader, delayed, bandit, optimist;
    } cases[] = {
        {"sac", false, false, false, false, false}, {"oe-wac", false, false, false, false, false},
        {"redq", true, false, true, false, false},  {"sunrise", false, true, false, false, false},
        {"top", false, true, true, true, false},    {"bro", false, false, false, false, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char names[8192] = "";
        wac_config config = config_of(cases[i].algorithm, 0);
        config.reset_interval = (int64_t)i % 2;
        wac_agent *agent = make(&config, 1, NULL, 1);
        assert_int_equal(
            agent->steps->visit(agent, 0, WAC_STATE_LEARNING, note_name, names, &error), 0);
        assert_int_equal(strstr(names, "counter/updates ") != NULL, i % 2);
        assert_int_equal(strstr(names, " optimism ") != NULL, cases[i].optimist);
        assert_non_null(strstr(names, "counter/batch "));
        assert_int_equal(strstr(names, "counter/subset ") != NULL, cases[i].subset);
        assert_int_equal(strstr(names, "counter/leader ") != NULL, cases[i].leader);
        assert_int_equal(strstr(names, " objective ") != NULL, cases[i].delayed);
        assert_int_equal(strstr(names, " bandit/") != NULL, cases[i].bandit);
        wac_agent_destroy(agent);
    }
}

static wac_status note_shape(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    char *names = user;
    size_t length = strlen(names);
    if (strncmp(tensor->name, "q1/", 3) != 0)
        return WAC_STATUS_OK;
    length += (size_t)snprintf(names + length, 8192 - length, "%s", tensor->name + 3);
    for (int i = 0; i < tensor->rank; i++)
        length += (size_t)snprintf(names + length, 8192 - length, " %d", (int)tensor->shape[i]);
    snprintf(names + length, 8192 - length, "\n");
    return WAC_STATUS_OK;
}

/* The arrays of a network, as other programs find them in a checkpoint. */
static void arrays_have_names_and_shapes(void **state)
{
    (void)state;
    static const char *const expected[] = {
        "hidden0/weight 24 5\nhidden0/bias 24\nhidden1/weight 24 24\nhidden1/bias 24\n"
        "out/weight 1 24\nout/bias 1\n",
        "embedding/weight 24 5\nembedding/bias 24\n"
        "block0/norm/weight 24\nblock0/norm/bias 24\n"
        "block0/up/weight 96 24\nblock0/up/bias 96\n"
        "block0/down/weight 24 96\nblock0/down/bias 24\n"
        "norm/weight 24\nnorm/bias 24\nout/weight 1 24\nout/bias 1\n",
        "embedding/weight 24 5\nembedding/bias 24\nnorm/weight 24\nnorm/bias 24\n"
        "block0/up/weight 24 24\nblock0/up/bias 24\n"
        "block0/norm/weight 24\nblock0/norm/bias 24\n"
        "block0/down/weight 24 24\nblock0/down/bias 24\n"
        "block0/norm_down/weight 24\nblock0/norm_down/bias 24\n"
        "out/weight 1 24\nout/bias 1\n",
    };
    for (int kind = 0; kind < COMMON_KINDS; kind++) {
        char names[8192] = "";
        wac_config config = config_of("sac", 0);
        set_kind(&config, kind);
        config.blocks = 1;
        wac_agent *agent = make(&config, 1, NULL, 1);
        assert_int_equal(
            agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, note_shape, names, &error), 0);
        assert_string_equal(names, expected[kind]);
        wac_agent_destroy(agent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seats_learn_as_if_alone),
        cmocka_unit_test(subsets_are_drawn_by_seat),
        cmocka_unit_test(policies_wait),
        cmocka_unit_test(a_seat_has_its_own_scratch),
        cmocka_unit_test(states_tell_what_there_is),
        cmocka_unit_test(arrays_have_names_and_shapes),
        cmocka_unit_test(targets_wait_too),
        cmocka_unit_test(a_deterministic_policy_needs_noise),
        cmocka_unit_test(an_optimist_explores),
        cmocka_unit_test(networks_begin_anew),
        cmocka_unit_test(a_visit_ends_where_it_is_refused),
        cmocka_unit_test(a_gpu_has_two_ways),
        cmocka_unit_test(a_precision_is_for_plain_networks),
        cmocka_unit_test(a_gpu_names_the_way_out),
        cmocka_unit_test_setup_teardown(a_seat_goes_on_alone, make_seats_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
