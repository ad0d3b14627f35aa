/* The GPU against the host: the same draws, the same updates within what its precision allows;
 * seats that do not know of each other, to the byte; and what one device saved goes on at the
 * other. Without a GPU, or without the plugin, all of it is skipped, and says so. */
#include "base/rng.h"
#include "rl/save.h"
#include "rl/steps.h"
#include "support/folder.h"

#include <math.h>

enum { MOST_SEATS = 3, TRANSITIONS = 300 };

typedef struct shape {
    int observations, actions, width, batch, seats;
} shape;

static wac_config config_of(const char *algorithm, const shape *shape, int seat, int precision)
{
    static const double rhos[] = {0.6, 0, 1.25};
    wac_config config;
    assert_int_equal(wac_config_init(&config, "recorded", algorithm, &error), WAC_STATUS_OK);
    config.width = shape->width;
    config.batch_size = shape->batch;
    config.replay_capacity = 250 + seat; /* the ring begins anew */
    config.seed = 10 + seat;
    config.learning_rate = 1e-3 * (1 + seat);
    config.discount = 0.9 + 0.03 * seat;
    config.rho = rhos[seat];
    config.lambda = 0.2 + 0.3 * seat;
    config.quantile = 0.7 + 0.1 * seat;
    config.entropy_tuning = seat != 1;
    config.entropy_target = seat ? -1 : 1;
    config.normalisation = seat == 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
    config.precision = precision;
    return config;
}

static wac_agent *make(wac_device device, const char *algorithm, const shape *shape, int first,
                       int seats, int precision)
{
    wac_config configs[MOST_SEATS];
    wac_agent *agent = NULL;
    for (int i = 0; i < seats; i++)
        configs[i] = config_of(algorithm, shape, first + i, precision);
    wac_agent_plan plan = {.device = device,
                           .configs = configs,
                           .seats = seats,
                           .observations = shape->observations,
                           .actions = shape->actions,
                           .threads = 1,
                           .first_cpu = -1};
    if (wac_agent_create_seats(&agent, &plan, &error) != WAC_STATUS_OK)
        return NULL;
    return agent;
}

/* Transitions that follow from the seat's seed alone. */
static void fill(wac_agent *agent, int seat)
{
    wac_rng rng = wac_rng_make((uint64_t)agent->seat[seat].config.seed, WAC_STREAM_WORLD);
    float from[512], to[512], action[512];
    for (int i = 0; i < TRANSITIONS; i++) {
        for (int j = 0; j < agent->observations; j++) {
            from[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
            to[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        }
        for (int j = 0; j < agent->actions; j++)
            action[j] = (float)(2 * wac_rng_uniform(&rng) - 1);
        agent->steps->remember(agent, seat, from, action, (double)action[0] - (double)to[0], to,
                               i % 10 == 9);
    }
}

static void learn(wac_agent *agent, int updates)
{
    wac_agent_anchor(agent);
    wac_agent_start(agent, updates);
    assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_OK);
    for (int i = 0; i < agent->seats; i++)
        assert_int_equal(agent->seat[i].updated, updates);
}

/* --- state ------------------------------------------------------------------------------------ */

typedef struct memory {
    float *data;
    size_t count;
} memory;

static wac_status collect(void *user, const wac_agent_tensor *tensor, wac_error *failure)
{
    (void)failure;
    memory *memory = user;
    size_t count = (size_t)wac_agent_tensor_elements(tensor);
    memory->data = realloc(memory->data, (memory->count + count) * sizeof(float));
    memcpy(memory->data + memory->count, tensor->data, count * sizeof(float));
    memory->count += count;
    return WAC_STATUS_OK;
}

static memory networks_of(wac_agent *agent, int seat)
{
    memory memory = {0};
    assert_int_equal(agent->steps->visit(agent, seat, WAC_STATE_NETWORKS, collect, &memory, &error),
                     0);
    return memory;
}

/* How far the change of networks is from what it should be, as a share of it. */
static double distance(const memory *before, const memory *now, const memory *wanted)
{
    double off = 0, change = 0;
    for (size_t i = 0; i < now->count; i++) {
        off += pow((double)now->data[i] - (double)wanted->data[i], 2);
        change += pow((double)wanted->data[i] - (double)before->data[i], 2);
    }
    return sqrt(off / change);
}

/* --- tests ------------------------------------------------------------------------------------ */

static void skip_without_gpu(void)
{
    shape small = {1, 1, 64, 8, 1};
    wac_agent *agent = make(WAC_DEVICE_CUDA, "sac", &small, 0, 1, WAC_PRECISION_SINGLE);
    if (!agent) {
        print_message("skipped: %s\n", error.message);
        skip();
    }
    wac_agent_destroy(agent);
}

static void check_against_host(const char *algorithm, const shape *shape, int precision,
                               int updates, double tolerance)
{
    wac_agent *host = make(WAC_DEVICE_CPU, algorithm, shape, 0, shape->seats, WAC_PRECISION_SINGLE);
    wac_agent *gpu = make(WAC_DEVICE_CUDA, algorithm, shape, 0, shape->seats, precision);
    if (!gpu)
        fail_msg("%s", error.message);
    for (int i = 0; i < shape->seats; i++) {
        fill(host, i);
        fill(gpu, i);
    }
    memory before[MOST_SEATS];
    for (int i = 0; i < shape->seats; i++)
        before[i] = networks_of(host, i);
    learn(host, updates);
    learn(gpu, updates);
    for (int i = 0; i < shape->seats; i++) {
        memory wanted = networks_of(host, i), now = networks_of(gpu, i);
        assert_int_equal(now.count, wanted.count);
        double off = distance(&before[i], &now, &wanted);
        wac_losses a, b;
        wac_seat_losses(host, i, &a);
        wac_seat_losses(gpu, i, &b);
        print_message("%-7s O %3d A %2d width %3d batch %3d seat %d precision %d: change off by "
                      "%.2e, loss %.4g of %.4g, objective %.4g of %.4g\n",
                      algorithm, shape->observations, shape->actions, shape->width, shape->batch, i,
                      precision, off, b.mean, a.mean, b.policy[0], a.policy[0]);
        assert_true(off <= tolerance);
        assert_true(fabs(b.mean - a.mean) <= 10 * tolerance * fabs(a.mean) + 1e-6);
        assert_true(fabs(b.alpha[0] - a.alpha[0]) <= 1e-4);
        assert_int_equal(host->seat[i].batch_rng.counter, gpu->seat[i].batch_rng.counter);
        assert_int_equal(host->seat[i].noise_rng.counter, gpu->seat[i].noise_rng.counter);
        assert_int_equal(host->seat[i].synthetic_rng.counter, gpu->seat[i].synthetic_rng.counter);
        assert_int_equal(host->seat[i].critic_steps, gpu->seat[i].critic_steps);
        free(wanted.data);
        free(now.data);
        free(before[i].data);
    }
    wac_agent_destroy(host);
    wac_agent_destroy(gpu);
}

static const shape shapes[] = {
    {4, 2, 256, 256, 3}, {1, 1, 128, 256, 2}, {17, 6, 256, 256, 1},
    {3, 2, 64, 100, 3},  {40, 9, 512, 70, 2}, {11, 3, 128, 33, 1},
};

/* all algorithms, on networks no wider than that */
static void check_updates(int widest)
{
    static const char *const algorithms[] = {"oe-wac", "me-wac", "sac", "oac"};
    for (int a = 0; a < 4; a++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            if (shapes[i].width > widest)
                continue;
            check_against_host(algorithms[a], &shapes[i], WAC_PRECISION_SINGLE, 3, 0.02);
            check_against_host(algorithms[a], &shapes[i], WAC_PRECISION_TF32, 3, 0.15);
            check_against_host(algorithms[a], &shapes[i], WAC_PRECISION_MIXED, 3, 0.4);
        }
}

static void test_updates(void **state)
{
    (void)state;
    skip_without_gpu();
    check_updates(512);
}

/* The kernels for GPUs that share less memory, wherever this runs. */
static void test_narrow(void **state)
{
    (void)state;
    skip_without_gpu();
    shape widest = {4, 2, 512, 64, 1};
    setenv("WAC_CUDA_NARROW", "1", 1);
    check_updates(256);
    assert_null(make(WAC_DEVICE_CUDA, "sac", &widest, 0, 1, WAC_PRECISION_MIXED));
    unsetenv("WAC_CUDA_NARROW");
    assert_non_null(strstr(error.message, "256 is the widest there"));
}

static void assert_same(wac_agent *a, int seat_a, wac_agent *b, int seat_b)
{
    memory one = networks_of(a, seat_a), other = networks_of(b, seat_b);
    assert_int_equal(one.count, other.count);
    assert_memory_equal(one.data, other.data, one.count * sizeof(float));
    free(one.data);
    free(other.data);
}

/* Each seat alone, and all together; together twice; and with updates asked for in other portions.
 */
static void test_company(void **state)
{
    (void)state;
    skip_without_gpu();
    static const int precisions[] = {WAC_PRECISION_SINGLE, WAC_PRECISION_TF32, WAC_PRECISION_MIXED};
    for (int p = 0; p < 3; p++) {
        const shape *shape = &shapes[0];
        wac_agent *all = make(WAC_DEVICE_CUDA, "oe-wac", shape, 0, 3, precisions[p]);
        wac_agent *again = make(WAC_DEVICE_CUDA, "oe-wac", shape, 0, 3, precisions[p]);
        for (int i = 0; i < 3; i++) {
            fill(all, i);
            fill(again, i);
        }
        learn(all, 25);
        wac_agent_anchor(again);
        for (int done = 0; done < 25; done += 5) {
            wac_agent_start(again, 5);
            assert_int_equal(wac_agent_finish(again, &error), WAC_STATUS_OK);
        }
        for (int i = 0; i < 3; i++) {
            wac_agent *alone = make(WAC_DEVICE_CUDA, "oe-wac", shape, i, 1, precisions[p]);
            fill(alone, 0);
            learn(alone, 25);
            assert_same(all, i, again, i);
            assert_same(all, i, alone, 0);
            wac_agent_destroy(alone);
        }
        wac_agent_destroy(all);
        wac_agent_destroy(again);
    }
}

/* What was saved in the middle goes on to the same bytes; and on the host, too. */
static void test_save(void **state)
{
    (void)state;
    skip_without_gpu();
    const shape *shape = &shapes[0];
    wac_agent *first = make(WAC_DEVICE_CUDA, "me-wac", shape, 0, 2, WAC_PRECISION_MIXED);
    wac_agent *second = make(WAC_DEVICE_CUDA, "me-wac", shape, 1, 1, WAC_PRECISION_MIXED);
    wac_agent *host = make(WAC_DEVICE_CPU, "me-wac", shape, 1, 1, WAC_PRECISION_SINGLE);
    fill(first, 0);
    fill(first, 1);
    learn(first, 7);
    assert_int_equal(make_root("/tmp", "cuda"), 0);
    const char *folder = root;
    assert_int_equal(wac_seat_save(first, 1, folder, true, NULL, &error), WAC_STATUS_OK);
    assert_int_equal(wac_agent_load(second, folder, &error), WAC_STATUS_OK);
    assert_int_equal(wac_agent_load(host, folder, &error), WAC_STATUS_OK);
    assert_same(first, 1, second, 0);
    assert_same(first, 1, host, 0);
    wac_agent_start(first, 12);
    wac_agent_start(second, 12);
    assert_int_equal(wac_agent_finish(second, &error), WAC_STATUS_OK);
    assert_int_equal(wac_agent_finish(first, &error), WAC_STATUS_OK);
    assert_same(first, 1, second, 0);
    learn(host, 2);
    remove_root(state);
    wac_agent_destroy(first);
    wac_agent_destroy(second);
    wac_agent_destroy(host);
}

/* A seat that leaves the finite numbers stops at once, and is named; the other goes on. */
static void test_divergence(void **state)
{
    (void)state;
    skip_without_gpu();
    wac_agent *agent = make(WAC_DEVICE_CUDA, "oe-wac", &shapes[0], 0, 2, WAC_PRECISION_TF32);
    fill(agent, 0);
    fill(agent, 1);
    float from[4] = {0}, action[2] = {0};
    for (int i = 0; i < 300; i++)
        agent->steps->remember(agent, 0, from, action, 1e300, from, false);
    wac_agent_anchor(agent);
    wac_agent_start(agent, 40);
    assert_int_equal(wac_agent_finish(agent, &error), WAC_STATUS_OK);
    assert_false(agent->seat[0].active);
    assert_true(agent->seat[0].updated < 40);
    assert_int_equal(wac_seat_check(agent, 0, &error), WAC_STATUS_NUMERIC);
    print_message("%s\n", error.message);
    assert_true(agent->seat[1].active);
    assert_int_equal(agent->seat[1].updated, 40);
    assert_int_equal(wac_seat_check(agent, 1, &error), WAC_STATUS_OK);
    wac_agent_destroy(agent);
}

/* Pairs that were drawn are counted as the host counts them. */
static void test_coverage(void **state)
{
    (void)state;
    skip_without_gpu();
    wac_coverage counts[2] = {0};
    for (int device = 0; device < 2; device++) {
        wac_agent *agent = make(device ? WAC_DEVICE_CUDA : WAC_DEVICE_CPU, "sac", &shapes[1], 0, 1,
                                WAC_PRECISION_SINGLE);
        agent->seat[0].drawn = &counts[device];
        fill(agent, 0);
        learn(agent, 12);
        learn(agent, 1);
        wac_agent_destroy(agent);
    }
    assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
}

/* What the fused kernels are not made for is trained by the general part (test_general.c). */
static void test_choice(void **state)
{
    (void)state;
    skip_without_gpu();
    shape odd = {4, 2, 100, 256, 1}, many = {513, 2, 64, 256, 1}, fused = {4, 2, 64, 256, 1};
    const shape *shapes[] = {&odd, &many, &fused};
    for (int i = 0; i < 3; i++) {
        wac_agent *agent = make(WAC_DEVICE_CUDA, "sac", shapes[i], 0, 1, WAC_PRECISION_SINGLE);
        assert_non_null(agent);
        assert_ptr_equal(agent->steps, i < 2 ? &wac_steps_general : &wac_steps_cuda);
        wac_agent_destroy(agent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_updates),    cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_company),    cmocka_unit_test(test_save),
        cmocka_unit_test(test_divergence), cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
