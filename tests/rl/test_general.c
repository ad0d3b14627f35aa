/* The general part of the GPU's plugin against the host: every algorithm and kind of network has
 * the same draws and the same updates, to rounding; seats that do not know of each other, to the
 * byte; and what one device saved goes on at the other. Without a GPU its kernels are emulated
 * (support/emulated_gpu.c); WAC_TEST_GPU=1 asks for a real one. */
#include "base/rng.h"
#include "rl/save.h"
#include "rl/steps.h"
#include "support/folder.h"

#include <math.h>

enum { SEATS = 3, TRANSITIONS = 300, MOST = 19 };

static int observations = 4, actions = 2, width = 40, batch = 48;

static const struct {
    const char *name, *algorithm;
    double tolerance; /* of changes of weights in single precision */
} kinds[] = {
    {"sac", "sac", 0.02},          {"oac", "oac", 0.02},         {"oe-wac", "oe-wac", 0.02},
    {"me-wac", "me-wac", 0.02},    {"redq", "redq", 0.02},       {"sunrise", "sunrise", 0.02},
    {"one layer", "oe-wac", 0.02}, {"four layers", "sac", 0.02}, {"maxinfosac", "maxinfosac", 0.05},
    {"sac-rnd", "sac-rnd", 0.02},  {"top", "top", 0.02},         {"bro", "bro", 0.02},
    {"one quantile", "bro", 0.02}, {"simba", "sac", 0.02},       {"simba wac", "oe-wac", 0.02},
    {"bronet", "redq", 0.02},      {"shared", "me-wac", 0.02},   {"particles", "oe-wac", 0.02},
    {"bent", "sac", 0.02},         {"resets", "sac", 0.02},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool is(int kind, const char *name)
{
    return strcmp(kinds[kind].name, name) == 0;
}

static wac_config config_of(int kind, int seat, int precision)
{
    static const double rhos[] = {0.6, 0, 1.25};
    wac_config config;
    assert_int_equal(wac_config_init(&config, "recorded", kinds[kind].algorithm, &error),
                     WAC_STATUS_OK);
    bool residual = is(kind, "simba") || is(kind, "simba wac") || is(kind, "bronet");
    config.width = width;
    config.batch_size = batch;
    config.replay_capacity = 250 + seat; /* the ring begins anew */
    config.seed = 10 + seat;
    config.learning_rate = 1e-3 * (1 + seat);
    config.model_learning_rate = 1e-3;
    config.discount = 0.9 + 0.03 * seat;
    config.rho = rhos[seat];
    config.lambda = 0.2 + 0.3 * seat;
    config.quantile = 0.7 + 0.1 * seat;
    config.entropy_tuning = seat != 1;
    config.entropy_target = seat ? -1 : 1;
    config.normalisation = seat == 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
    config.precision = precision;
    config.critics = 5;
    config.subset = 2;
    config.policy_delay = 3;
    config.members = 3;
    config.models = 4;
    config.quantiles = is(kind, "one quantile") ? 1 : 12;
    config.particles = 9;
    config.backup_temperature = seat ? 10 : 0;
    if (residual || is(kind, "bro")) {
        config.network =
            is(kind, "bronet") || is(kind, "bro") ? WAC_NETWORK_BRONET : WAC_NETWORK_SIMBA;
        config.blocks = 2;
        config.policy_blocks = 1;
        config.policy_width = 24;
        config.weight_decay = 1e-2;
    } else {
        config.network = WAC_NETWORK_PLAIN;
    }
    if (is(kind, "one layer"))
        config.layers = 1;
    if (is(kind, "four layers"))
        config.layers = 4;
    if (is(kind, "shared"))
        config.trunk = WAC_TRUNK_SHARED;
    if (is(kind, "particles"))
        config.posterior = WAC_POSTERIOR_PARTICLES;
    config.log_std =
        (is(kind, "bent") && seat) || is(kind, "bro") ? WAC_LOG_STD_BENT : WAC_LOG_STD_CLAMPED;
    config.reset_first = config.reset_second = config.reset_interval = 0;
    if (is(kind, "resets")) {
        config.reset_first = 2 + seat;
        config.reset_interval = 5;
    }
    return config;
}

static wac_agent *make_of(wac_device device, const wac_config *configs, int seats)
{
    wac_agent *agent = NULL;
    wac_agent_plan plan = {.device = device,
                           .configs = configs,
                           .seats = seats,
                           .observations = observations,
                           .actions = actions,
                           .threads = 1,
                           .first_cpu = -1};
    if (wac_agent_create_seats(&agent, &plan, &error) != WAC_STATUS_OK)
        fail_msg("%s", error.message);
    assert_true(device == WAC_DEVICE_CPU || agent->steps == &wac_steps_general);
    return agent;
}

static wac_agent *make(wac_device device, int kind, int first, int seats, int precision)
{
    wac_config configs[SEATS];
    for (int i = 0; i < seats; i++)
        configs[i] = config_of(kind, first + i, precision);
    return make_of(device, configs, seats);
}

/* Transitions that follow from the seat's seed alone. */
static void fill(wac_agent *agent, int seat)
{
    wac_rng rng = wac_rng_make((uint64_t)agent->seat[seat].config.seed, WAC_STREAM_WORLD);
    float from[MOST], to[MOST], action[MOST];
    for (int i = 0; i < TRANSITIONS; i++) {
        for (int j = 0; j < observations; j++) {
            from[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
            to[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        }
        for (int j = 0; j < actions; j++)
            action[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        agent->steps->remember(agent, seat, from, action, (double)action[0] - (double)to[0], to,
                               i % 10 == 9);
    }
}

static void go_on(wac_agent *agent, int updates)
{
    wac_agent_start(agent, updates);
    assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_OK);
    for (int i = 0; i < agent->seats; i++)
        assert_int_equal(agent->seat[i].updated, updates);
}

static void learn(wac_agent *agent, int updates)
{
    wac_agent_anchor(agent);
    go_on(agent, updates);
}

/* --- state ------------------------------------------------------------------------------------ */

typedef struct memory {
    char *data;
    size_t bytes;
} memory;

static wac_status collect(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    memory *memory = user;
    size_t bytes = (size_t)wac_agent_tensor_elements(tensor) * wac_dtype_size(tensor->dtype);
    memory->data = realloc(memory->data, memory->bytes + bytes);
    memcpy(memory->data + memory->bytes, tensor->data, bytes);
    memory->bytes += bytes;
    return WAC_STATUS_OK;
}

static memory part_of(wac_agent *agent, int seat, wac_state state)
{
    memory memory = {0};
    assert_int_equal(agent->steps->visit(agent, seat, state, collect, &memory, &error), 0);
    return memory;
}

/* Normalisations, which all begin alike, are another in every network, and count for more in what
 * it puts out. */
static wac_status vary(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    int *norms = user;
    double factor = 1;
    if (strstr(tensor->name, "norm") && strstr(tensor->name, "/weight"))
        factor = 0.4 + 0.2 * (++*norms % 9);
    else if (*norms && strstr(tensor->name, "/out/weight"))
        factor = 30;
    for (int64_t i = 0; factor != 1 && i < wac_agent_tensor_elements(tensor); i++)
        ((float *)tensor->data)[i] *= (float)factor;
    return WAC_STATUS_OK;
}

static void vary_norms(wac_agent *agent, int seat)
{
    int norms = 0;
    assert_int_equal(agent->steps->visit(agent, seat, WAC_STATE_NETWORKS, vary, &norms, &error), 0);
    agent->steps->settle(agent, seat, WAC_STATE_NETWORKS);
}

/* How far the change of networks is from what it should be, as a share of it. */
static double distance(const memory *before, const memory *now, const memory *wanted)
{
    const float *a = (const float *)now->data, *b = (const float *)wanted->data;
    const float *first = (const float *)before->data;
    double off = 0, change = 0;
    for (size_t i = 0; i < now->bytes / sizeof(float); i++) {
        off += pow((double)a[i] - (double)b[i], 2);
        change += pow((double)b[i] - (double)first[i], 2);
    }
    return sqrt(off / change);
}

static void assert_same(wac_agent *a, int seat_a, wac_agent *b, int seat_b)
{
    static const wac_state states[] = {WAC_STATE_NETWORKS, WAC_STATE_LEARNING};
    for (int i = 0; i < 2; i++) {
        memory one = part_of(a, seat_a, states[i]), other = part_of(b, seat_b, states[i]);
        assert_int_equal(one.bytes, other.bytes);
        assert_memory_equal(one.data, other.data, one.bytes);
        free(one.data);
        free(other.data);
    }
}

/* --- tests ------------------------------------------------------------------------------------ */

static void same_counters(const wac_seat *a, const wac_seat *b)
{
    assert_int_equal(a->batch_rng.counter, b->batch_rng.counter);
    assert_int_equal(a->noise_rng.counter, b->noise_rng.counter);
    assert_int_equal(a->synthetic_rng.counter, b->synthetic_rng.counter);
    assert_int_equal(a->subset_rng.counter, b->subset_rng.counter);
    assert_int_equal(a->begun, b->begun);
    assert_int_equal(a->policy_steps, b->policy_steps);
    assert_int_equal(a->critic_steps, b->critic_steps);
    assert_int_equal(a->entropy_steps, b->entropy_steps);
    assert_int_equal(a->model_steps, b->model_steps);
}

/* Seats of one agent on each device, after as many updates of their own drawing. */
static void check_against_host(int kind, int precision, double tolerance)
{
    enum { UPDATES = 7 };
    wac_agent *host = make(WAC_DEVICE_CPU, kind, 0, SEATS, WAC_PRECISION_SINGLE);
    wac_agent *gpu = make(WAC_DEVICE_CUDA, kind, 0, SEATS, precision);
    memory before[SEATS];
    for (int i = 0; i < SEATS; i++) {
        fill(host, i);
        fill(gpu, i);
        vary_norms(host, i);
        vary_norms(gpu, i);
        before[i] = part_of(host, i, WAC_STATE_NETWORKS);
    }
    learn(host, UPDATES);
    learn(gpu, UPDATES);
    for (int i = 0; i < SEATS; i++) {
        memory wanted = part_of(host, i, WAC_STATE_NETWORKS);
        memory now = part_of(gpu, i, WAC_STATE_NETWORKS);
        assert_int_equal(now.bytes, wanted.bytes);
        double off = distance(&before[i], &now, &wanted);
        wac_losses a, b;
        wac_seat_losses(host, i, &a);
        wac_seat_losses(gpu, i, &b);
        print_message(
            "%-10s seat %d precision %d: change off by %.2e, loss %.4g of %.4g, objective "
            "%.4g of %.4g\n",
            kinds[kind].name, i, precision, off, b.mean, a.mean, b.policy[0], a.policy[0]);
        same_counters(&host->seat[i], &gpu->seat[i]);
        assert_true(off <= tolerance);
        assert_true(fabs(b.mean - a.mean) <= 5 * tolerance * fabs(a.mean) + 1e-6);
        assert_true(fabs(b.policy[0] - a.policy[0]) <= 5 * tolerance * fabs(a.policy[0]) + 1e-4);
        assert_true(fabs(b.alpha[0] - a.alpha[0]) <= 1e-3);
        free(wanted.data);
        free(now.data);
        free(before[i].data);
    }
    wac_agent_destroy(host);
    wac_agent_destroy(gpu);
}

static void test_updates(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        check_against_host(kind, WAC_PRECISION_SINGLE, kinds[kind].tolerance);
}

static void test_precisions(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        check_against_host(kind, WAC_PRECISION_TF32, 0.2);
        check_against_host(kind, WAC_PRECISION_MIXED, 0.4);
    }
}

static void check_company(int kind, int precision)
{
    wac_agent *all = make(WAC_DEVICE_CUDA, kind, 0, SEATS, precision);
    wac_agent *again = make(WAC_DEVICE_CUDA, kind, 0, SEATS, precision);
    for (int i = 0; i < SEATS; i++) {
        fill(all, i);
        fill(again, i);
    }
    learn(all, 10);
    learn(again, 4);
    go_on(again, 1);
    go_on(again, 5);
    for (int i = 0; i < SEATS; i++) {
        wac_agent *alone = make(WAC_DEVICE_CUDA, kind, i, 1, precision);
        fill(alone, 0);
        learn(alone, 10);
        assert_same(all, i, again, i);
        assert_same(all, i, alone, 0);
        wac_agent_destroy(alone);
    }
    wac_agent_destroy(all);
    wac_agent_destroy(again);
}

/* Each seat alone, and all together; together twice; and with updates asked for in other portions.
 */
static void test_company(void **state)
{
    (void)state;
    static const int precisions[] = {WAC_PRECISION_SINGLE, WAC_PRECISION_TF32, WAC_PRECISION_MIXED};
    for (int kind = 0; kind < KINDS; kind++)
        for (int p = 0; p < 3; p++)
            check_company(kind, precisions[p]);
}

/* Seats whose updates do not go along: one rests for some, and then policies move at other times.
 */
static void test_out_of_step(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        wac_agent *all = make(WAC_DEVICE_CUDA, kind, 0, 2, WAC_PRECISION_SINGLE);
        fill(all, 0);
        fill(all, 1);
        wac_agent_anchor(all);
        all->seat[0].active = false;
        wac_agent_start(all, 2);
        assert_int_equal(wac_agent_finish(all, &error), WAC_STATUS_OK);
        all->seat[0].active = true;
        go_on(all, 7);
        for (int i = 0; i < 2; i++) {
            wac_agent *alone = make(WAC_DEVICE_CUDA, kind, i, 1, WAC_PRECISION_SINGLE);
            fill(alone, 0);
            learn(alone, i ? 9 : 7);
            assert_same(all, i, alone, 0);
            wac_agent_destroy(alone);
        }
        wac_agent_destroy(all);
    }
}

/* Weights that follow from what learns, as a processor makes them that rounds otherwise. */
static void round_otherwise(wac_seat *seat, int policies)
{
    for (int i = 0; i < policies; i++)
        seat->alpha[i] = nextafterf(seat->alpha[i], 2);
    seat->bonus_weight = nextafterf(seat->bonus_weight, 2);
    seat->optimism = nextafterf(seat->optimism, 2);
    seat->divergence_weight = nextafterf(seat->divergence_weight, 2);
}

/* What was saved in the middle goes on to the same bytes; and on the host, too. */
static void test_save(void **state)
{
    for (int kind = 0; kind < KINDS; kind++) {
        wac_agent *first = make(WAC_DEVICE_CUDA, kind, 0, 2, WAC_PRECISION_SINGLE);
        wac_agent *second = make(WAC_DEVICE_CUDA, kind, 1, 1, WAC_PRECISION_SINGLE);
        wac_agent *host = make(WAC_DEVICE_CPU, kind, 1, 1, WAC_PRECISION_SINGLE);
        fill(first, 0);
        fill(first, 1);
        learn(first, 7);
        assert_int_equal(make_root("/tmp", "general"), 0);
        const char *folder = root;
        assert_int_equal(wac_seat_save(first, 1, folder, true, NULL, &error), WAC_STATUS_OK);
        assert_int_equal(wac_agent_load(second, folder, &error), WAC_STATUS_OK);
        assert_int_equal(wac_agent_load(host, folder, &error), WAC_STATUS_OK);
        assert_same(first, 1, second, 0);
        assert_same(first, 1, host, 0);
        round_otherwise(second->seat, second->policies);
        wac_agent_start(first, 6);
        wac_agent_start(second, 6);
        assert_int_equal(wac_agent_finish(second, &error), WAC_STATUS_OK);
        assert_int_equal(wac_agent_finish(first, &error), WAC_STATUS_OK);
        assert_same(first, 1, second, 0);
        learn(host, 2);
        remove_root(state);
        wac_agent_destroy(first);
        wac_agent_destroy(second);
        wac_agent_destroy(host);
    }
}

/* A seat explores and evaluates as one with its networks does. */
static void test_acting(void **state)
{
    (void)state;
    const float observation[MOST] = {0.1f, -0.5f, 0.8f};
    for (int kind = 0; kind < KINDS; kind++) {
        wac_agent *gpu = make(WAC_DEVICE_CUDA, kind, 0, 2, WAC_PRECISION_SINGLE);
        wac_agent *host = make(WAC_DEVICE_CPU, kind, 1, 1, WAC_PRECISION_SINGLE);
        fill(gpu, 0);
        fill(gpu, 1);
        learn(gpu, 3);
        assert_int_equal(make_root("/tmp", "general"), 0);
        for (int role = 0; role < 2; role++) { /* before anything else has been asked for */
            float action[2], wanted[2];
            wac_seat_act(gpu, 1, (wac_policy_role)role, observation, action);
            wac_rng rng = wac_rng_make(5, WAC_STREAM_EXPLORE), same = rng;
            float explored[2], expected[2];
            wac_seat_explore(gpu, 1, &rng, observation, explored);
            assert_int_equal(wac_seat_save(gpu, 1, root, true, NULL, &error), WAC_STATUS_OK);
            assert_int_equal(wac_agent_load(host, root, &error), WAC_STATUS_OK);
            wac_agent_act(host, (wac_policy_role)role, observation, wanted);
            wac_agent_explore(host, &same, observation, expected);
            assert_memory_equal(action, wanted, sizeof action);
            assert_memory_equal(explored, expected, sizeof explored);
            go_on(gpu, 1);
        }
        remove_root(state);
        wac_agent_destroy(gpu);
        wac_agent_destroy(host);
    }
}

/* A seat that leaves the finite numbers stops at once, and is named; the other goes on. */
static void test_divergence(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        wac_agent *agent = make(WAC_DEVICE_CUDA, kind, 0, 2, WAC_PRECISION_SINGLE);
        fill(agent, 0);
        fill(agent, 1);
        float from[MOST] = {0}, action[MOST] = {0};
        for (int i = 0; i < 300; i++)
            agent->steps->remember(agent, 0, from, action, 1e300, from, false);
        wac_agent_anchor(agent);
        wac_agent_start(agent, 12);
        assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_OK);
        assert_false(agent->seat[0].active);
        assert_true(agent->seat[0].updated < 12);
        assert_int_equal(wac_seat_check(agent, 0, &error), WAC_STATUS_NUMERIC);
        assert_true(agent->seat[1].active);
        assert_int_equal(agent->seat[1].updated, 12);
        assert_int_equal(wac_seat_check(agent, 1, &error), WAC_STATUS_OK);
        wac_agent_destroy(agent);
    }
}

/* Pairs that were drawn are counted as the host counts them, those of one number each. */
static void test_coverage(void **state)
{
    (void)state;
    wac_coverage counts[2] = {0};
    observations = actions = 1;
    for (int device = 0; device < 2; device++) {
        wac_agent *agent =
            make(device ? WAC_DEVICE_CUDA : WAC_DEVICE_CPU, 4, 0, 1, WAC_PRECISION_SINGLE);
        agent->seat[0].drawn = &counts[device];
        fill(agent, 0);
        learn(agent, 12);
        learn(agent, 1);
        wac_agent_destroy(agent);
    }
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
    observations = 4;
    actions = 2;
}

/* Of sizes that are no multiples of a tile's, and larger than one. */
static void test_sizes(void **state)
{
    (void)state;
    static const int sizes[][4] = {{17, 6, 256, 256}, {19, 5, 136, 150}, {3, 1, 70, 129}};
    size_t count = sizeof sizes / sizeof *sizes;
    for (size_t i = getenv("WAC_TEST_GPU") ? 0 : 1; i < count; i++) { /* the first takes long */
        observations = sizes[i][0];
        actions = sizes[i][1];
        width = sizes[i][2];
        batch = sizes[i][3];
        for (int kind = 0; kind < KINDS; kind++) {
            if (!is(kind, "sac") && !is(kind, "me-wac") && !is(kind, "redq") && !is(kind, "bro"))
                continue;
            check_against_host(kind, WAC_PRECISION_SINGLE, 0.05);
            check_against_host(kind, WAC_PRECISION_TF32, 0.2);
            check_against_host(kind, WAC_PRECISION_MIXED, 0.4);
        }
    }
    observations = 4;
    actions = 2;
    width = 40;
    batch = 48;
}

/* A GPU has room for what a run's epochs make; where others have the agent remember more, it says
 * so. */
static void test_room(void **state)
{
    (void)state;
    wac_config configs[] = {config_of(0, 0, WAC_PRECISION_SINGLE),
                            config_of(0, 1, WAC_PRECISION_SINGLE)};
    for (int i = 0; i < 2; i++) {
        configs[i].replay_capacity = 1000;
        configs[i].initial_steps = TRANSITIONS / 2;
        configs[i].epochs = 1;
        configs[i].explore_steps = TRANSITIONS / 2;
    }
    wac_agent *agent = make_of(WAC_DEVICE_CUDA, configs, 2);
    fill(agent, 0);
    fill(agent, 1);
    learn(agent, 2);
    fill(agent, 0);
    for (int i = 0; i < 2; i++) {
        wac_agent_anchor(agent);
        wac_agent_start(agent, 2);
        assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_IO);
        assert_non_null(strstr(error.message, "more transitions"));
    }
    assert_int_equal(agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, collect, NULL, &error),
                     WAC_STATUS_IO);
    wac_agent_destroy(agent);
}

static int choose_gpu(void **state)
{
    (void)state;
    if (!getenv("WAC_TEST_GPU"))
        setenv("WAC_CUDA_PLUGIN", WAC_EMULATED_GPU, 1);
    setenv("WAC_CUDA_GENERAL", "1", 1);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_updates),     cmocka_unit_test(test_precisions),
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_company),
        cmocka_unit_test(test_out_of_step), cmocka_unit_test(test_save),
        cmocka_unit_test(test_acting),      cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_coverage),    cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, choose_gpu, NULL);
}
