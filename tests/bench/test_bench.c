/* Benchmarks: what an update counts, and that measuring works and can be read. How fast anything is
 * is not tested. */
#include "base/json.h"
#include "bench/cost.h"
#include "bench/crowd.h"
#include "bench/figure.h"
#include "bench/kernels.h"
#include "bench/limit.h"
#include "bench/train.h"
#include "rl/host/host.h"
#include "support/program.h"

/* one case of a fraction of a second a round */
#define ONE "--algorithm sac --env-size point --width 16 --batch 16 --threads 1"

static wac_config point(const char *algorithm)
{
    wac_config config;
    assert_ok(wac_config_init(&config, "point-1", algorithm, &error));
    assert_int_equal(config.width, 256);
    assert_int_equal(config.batch_size, 256);
    return config;
}

/* Known figures of width 256 and batch 256, in millions. */
static void test_counts(void **state)
{
    (void)state;
    /* in the order of `algorithms` */
    const double expected[] = {1365, 1365, 549, 549, 1169, 3262, 1802, 778, 912, 2504};
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = point(algorithms[i]);
        assert_true(round(wac_bench_operations(&config, 4, 2) / 1e6) == expected[i]);
    }
}

/* The smallest networks, by hand. All layers have one unit, rows 1, O 1, A 1: forward of a policy
 * 2 (1 + 1 + 2) = 8, of a critic 2 (2 + 1 + 1) = 8; back to the first layer 6 and 4; to the action
 * 2. */
static void test_count_by_hand(void **state)
{
    (void)state;
    wac_config config = point("sac");
    config.width = config.batch_size = 1;
    double sac = 2 * 8 + 2 * 8 + 2 * (8 + 8 + 4) + 2 * (8 + 4 + 2) + (8 + 6);
    assert_true(wac_bench_operations(&config, 1, 1) == sac);

    config = point("oe-wac");
    config.width = config.batch_size = 1;
    config.rho = 2;
    double wac = 3 * 8 + 4 * 8 + 2 * (8 + 8 + 4) + 2 * 3 * (8 + 8 + 4) + 2 * 2 * 8 +
                 (2 + 4) * (8 + 4 + 2) + 2 * (8 + 6);
    assert_true(wac_bench_operations(&config, 1, 1) == wac);

    /* blocks: of a policy 2 (1 + 8 + 2) = 22 forth, 20 back; of a critic two of them, 2 (2 + 16 +
     * 1) = 38 and 34 */
    config = point("sac");
    config.width = config.policy_width = config.batch_size = 1;
    config.network = WAC_NETWORK_SIMBA;
    double simba = 2 * 22 + 2 * 38 + 2 * (38 + 38 + 34) + 2 * (38 + 34 + 2) + (22 + 20);
    assert_true(wac_bench_operations(&config, 1, 1) == simba);
    config = point("oe-wac");
    config.width = config.batch_size = 1;
    config.rho = 2;

    /* two heads: 2 (2 + 1 + 2) = 10, and 6 back; all of it from the synthetic pairs, too */
    config.trunk = WAC_TRUNK_SHARED;
    double shared =
        3 * 8 + 2 * 10 + 2 * 3 * (10 + 10 + 6) + 2 * 2 * 10 + 4 * (10 + 6 + 2) + 2 * (8 + 6);
    assert_true(wac_bench_operations(&config, 1, 1) == shared);

    /* of five critics three are asked for the target; in every fourth update the policy moves */
    config = point("redq");
    config.width = config.batch_size = 1;
    config.critics = 5;
    config.subset = 3;
    config.policy_delay = 4;
    double redq = 1.25 * 8 + 3 * 8 + 5 * (8 + 8 + 4) + 5 * (8 + 4 + 2) / 4.0 + (8 + 6) / 4.0;
    assert_true(wac_bench_operations(&config, 1, 1) == redq);

    /* each of three members is a SAC; to weigh, they act once more and ask all targets again */
    config = point("sunrise");
    config.width = config.batch_size = 1;
    config.members = 3;
    assert_true(wac_bench_operations(&config, 1, 1) == 3 * (sac + 8 + 2 * 8));
    config.backup_temperature = 0;
    assert_true(wac_bench_operations(&config, 1, 1) == 3 * sac);

    /* three models of pairs, with two outputs; one and a random network, with 32 */
    config = point("maxinfosac");
    config.width = config.batch_size = 1;
    config.models = 3;
    assert_true(wac_bench_operations(&config, 1, 1) == sac + 3 * (2 * 10 + 6 + 3 * 10 + 6 + 2) + 8);
    config = point("sac-rnd");
    config.width = config.batch_size = 1;
    assert_true(wac_bench_operations(&config, 1, 1) == sac + (2 * 68 + 66 + 68) + 2 * 68);

    /* three layers: a policy without log-stds, 2 (1 + 1 + 1 + 1) = 8, in every second update; critics
     * with three outputs, 2 (2 + 1 + 1 + 3) = 14 */
    config = point("top");
    config.width = config.batch_size = 1;
    config.quantiles = 3;
    double top = 1.5 * 8 + 2 * 14 + 2 * (14 + 14 + 10) + (14 + 10 + 2) + (8 + 6) / 2.0;
    assert_true(wac_bench_operations(&config, 1, 1) == top);
}

/* Twice the batch is twice the work; OAC learns as SAC does. */
static void test_count_grows(void **state)
{
    (void)state;
    wac_config config = point("sac"), other = point("oac");
    assert_true(wac_bench_operations(&config, 17, 6) == wac_bench_operations(&other, 17, 6));
    other.batch_size = 512;
    assert_true(2 * wac_bench_operations(&config, 17, 6) == wac_bench_operations(&other, 17, 6));
}

static void test_rounds(void **state)
{
    (void)state;
    double rounds[WAC_BENCH_ROUNDS] = {9, 1, 8, 2, 7, 3, 6, 4, 5};
    wac_bench_rounds summary = wac_bench_summarise(rounds);
    assert_true(summary.median == 5 && summary.best == 9 && summary.spread == 4.0 / 5);
    assert_true(summary.low == 3 && summary.high == 7);
}

static void test_limit(void **state)
{
    (void)state;
    wac_team *team;
    assert_ok(wac_team_create(&team, 2, -1, &error));
    double limit = wac_bench_limit(team);
    wac_team_destroy(team);
    assert_true(isfinite(limit) && limit > 1e6);
    assert_true(strlen(wac_bench_unit()) > 0);
}

/* Every size and algorithm learns from what the replay was filled with. */
static void test_update(void **state)
{
    (void)state;
    for (int i = 0; i < 2 * ALGORITHMS; i++) {
        wac_bench_case bench = {.size = &wac_bench_sizes[i % 2],
                                .algorithm = (wac_algorithm)(i / 2),
                                .width = 16,
                                .batch = 16,
                                .threads = i == 0 ? 2 : 1};
        wac_bench_result result;
        assert_ok(wac_bench_update(&result, &bench, 0.001, &error));
        assert_true(result.updates_per_second > 0 && isfinite(result.updates_per_second));
        assert_true(result.lost >= 0 && result.lost < 1);
        assert_true(result.spread >= 0 && result.operations > 0 && result.limit > 0);
        double share = result.operations * result.updates_per_second / result.limit;
        assert_true(fabs(result.share_of_limit - share) <= 1e-12 * share);
    }
}

static void test_replay(void **state)
{
    (void)state;
    wac_bench_case bench = {&wac_bench_sizes[1],  WAC_ALGORITHM_ME_WAC, 16, 16, 1,
                            WAC_PRECISION_SINGLE, WAC_NETWORK_PLAIN};
    wac_agent *agent;
    assert_ok(wac_bench_agent(&agent, &bench, &error));
    assert_int_equal(agent->observations, 17);
    assert_int_equal(agent->actions, 6);
    const wac_replay *replay = &wac_host_desk(agent, 0)->replay;
    int64_t filled = wac_replay_filled(replay);
    assert_true(filled >= 50000);
    size_t record = wac_replay_record(replay);
    double smallest = 1, largest = -1, ended = 0;
    for (int64_t i = 0; i < filled; i++) {
        const float *entries = replay->records + (size_t)i * record;
        for (size_t j = 0; j < record; j++)
            assert_true(entries[j] >= -1 && entries[j] <= 1);
        smallest = fmin(smallest, (double)entries[0]);
        largest = fmax(largest, (double)entries[0]);
        ended += (double)entries[record - 1];
    }
    assert_true(smallest < -0.9 && largest > 0.9);
    assert_true(ended > 0 && ended < 0.01 * (double)filled);
    wac_agent_destroy(agent);
}

static void test_json(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "observation_size", "action_size",        "width",          "batch",
        "threads",          "updates_per_second", "share_of_limit", "spread"};
    const outcome *result = wac("bench update --json " ONE);
    assert_done(result);
    json_t *list = json_loads(result->out, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_array(list));
    assert_int_equal(json_array_size(list), 1);
    json_t *row = json_array_get(list, 0);
    assert_int_equal(json_object_size(row), 1 + sizeof numbers / sizeof *numbers);
    assert_string_equal(json_string_value(json_object_get(row, "algorithm")), "sac");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(json_is_number(json_object_get(row, numbers[i])));
    assert_int_equal(json_integer_value(json_object_get(row, "observation_size")), 4);
    assert_int_equal(json_integer_value(json_object_get(row, "action_size")), 2);
    assert_int_equal(json_integer_value(json_object_get(row, "width")), 16);
    assert_int_equal(json_integer_value(json_object_get(row, "batch")), 16);
    assert_int_equal(json_integer_value(json_object_get(row, "threads")), 1);
    json_decref(list);
}

static void test_table(void **state)
{
    (void)state;
    const outcome *result = wac("bench update --quick " ONE);
    assert_done(result);
    assert_non_null(strstr(result->out, "updates/s"));
    assert_non_null(strstr(result->out, "\nsac "));
    assert_null(strstr(result->out, "nan"));
}

/* A small loop: its parts add up, and its folder is gone afterwards. */
static void test_train(void **state)
{
    (void)state;
    setenv("TMPDIR", root, 1);
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny("riverswim", algorithms[i], 2);
        wac_bench_loop loop;
        assert_ok(wac_bench_train(&loop, &config, 1, NULL, &error));
        assert_int_equal(loop.epochs, 2);
        assert_true(loop.bare > 0 && loop.update > 0 && loop.explore > 0);
        assert_true(loop.evaluate > 0 && loop.log > 0 && loop.checkpoint > 0);
        assert_true(loop.share > 0 && loop.spread >= 0);
        double whole = loop.update + loop.explore + loop.evaluate + loop.log + loop.checkpoint;
        assert_true(fabs(loop.share - loop.bare / whole) <= loop.spread + 1e-9);
        assert_int_equal(entries(root), 0);
    }
    volatile int stop = 1;
    wac_bench_loop loop;
    wac_config config = tiny("riverswim", "sac", 2);
    assert_int_equal(wac_bench_train(&loop, &config, 1, &stop, &error), WAC_STATUS_INTERRUPTED);
    assert_int_equal(entries(root), 0);
    setenv("TMPDIR", at("missing"), 1);
    assert_int_equal(wac_bench_train(&loop, &config, 1, NULL, &error), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "temporary folder", "TMPDIR");
    unsetenv("TMPDIR");
}

/* Runs side by side, more of them than there may be processors. */
static void test_crowd(void **state)
{
    (void)state;
    wac_bench_case bench = {
        .size = &wac_bench_sizes[0], .algorithm = WAC_ALGORITHM_OE_WAC, .width = 16, .batch = 16};
    wac_bench_rounds rate;
    assert_ok(wac_bench_crowd(&rate, &bench, 3, 0.001, &error));
    assert_true(rate.low > 0 && rate.low <= rate.median && rate.median <= rate.best);
}

static void count_kernel(void *user, const wac_bench_kernel *kernel)
{
    *(int *)user += 1;
    assert_true(kernel->operations_per_second > 0 && isfinite(kernel->operations_per_second));
    assert_true(kernel->share_of_limit > 0 && kernel->rows > 0);
}

static void test_kernels(void **state)
{
    (void)state;
#ifdef WAC_EMULATED
    skip(); /* takes minutes; test_ops has the products */
#endif
    int count = 0;
    assert_ok(wac_bench_kernels(0, count_kernel, &count, &error));
    assert_true(count >= 20 && count % 20 == 0);
}

static void test_figure(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    enum { CASES = 3 };
    wac_bench_case cases[CASES];
    wac_bench_result results[CASES];
    for (int i = 0; i < CASES; i++) {
        cases[i] = (wac_bench_case){&wac_bench_sizes[0],  WAC_ALGORITHM_SAC, 64 << i, 256, 1,
                                    WAC_PRECISION_SINGLE, WAC_NETWORK_PLAIN};
        results[i] = (wac_bench_result){.updates_per_second = 100.0 / (i + 1),
                                        .share_of_limit = 0.2 * (i + 1)};
    }
    assert_ok(wac_bench_figure(cases, results, CASES, &cases[2], at("cost.svg"), &error));
    char *picture = contents(at("cost.svg"), NULL);
    assert_non_null(strstr(picture, "milliseconds"));
    assert_non_null(strstr(picture, "share of the limit"));
    free(picture);
}

static void test_bad_arguments(void **state)
{
    (void)state;
    assert_says(wac("bench"), 2, "bench what?");
    assert_says(wac("bench updat"), 2, "did you mean \"update\"?");
    assert_says(wac("bench everything"), 2, "cannot bench \"everything\"");
    assert_says(wac("bench update update"), 2, "what to do with");
    assert_says(wac("bench update --algorithm dqn"), 2,
                "must be oe-wac, me-wac, sac, oac, redq, sunrise, maxinfosac, sac-rnd, top, "
                "bro or simba");
    assert_says(wac("bench update --env-size hopper"), 2, "must be point or halfcheetah");
    assert_says(wac("bench update --width 0"), 2, "--width");
    assert_says(wac("bench update --batch 65537"), 2, "--batch");
    assert_says(wac("bench update --threads 1024"), 2, "would time waiting");
    assert_says(wac("bench update --figure cost.gif"), 2, "must end in .png or .svg");
    assert_says(wac("bench update --runs 64"), 2, "has no --runs");
    assert_says(wac("bench kernels --json"), 2, "has no --json");
    assert_says(wac("bench train --width 64"), 2, "has no --width");
    assert_says(wac("bench update --epochs 3"), 2, "has no --epochs");
    assert_says(wac("bench train --epochs 0"), 2, "--epochs");
    assert_says(wac("bench update --quik"), 2, "did you mean \"--quick\"?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_counts), TEST(test_count_by_hand), TEST(test_count_grows), TEST(test_rounds),
        TEST(test_limit),  TEST(test_update),        TEST(test_replay),      TEST(test_json),
        TEST(test_table),  TEST(test_train),         TEST(test_crowd),       TEST(test_kernels),
        TEST(test_figure), TEST(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
