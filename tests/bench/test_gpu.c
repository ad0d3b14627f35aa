/* The benchmark of GPUs, with a fake one (support/fake_gpu.c) and a fake PyTorch: what is counted,
 * what is printed and drawn, and what is refused. How fast anything is is not tested. */
#include "base/json.h"
#include "bench/cost.h"
#include "bench/gpu_figure.h"
#include "support/program.h"

#define ONE "--algorithm sac --precision mixed --runs 4,2"

static void use_fake(const char *gpus)
{
    setenv("WAC_CUDA_PLUGIN", WAC_FAKE_GPU, 1);
    setenv("WAC_FAKE_GPUS", gpus, 1);
}

/* The smallest networks, by hand: one unit, row, observation and action. A policy has 1 + 1 + 2
 * weights and 1 + 1 + 2 biases, a critic 2 + 1 + 1 and 1 + 1 + 1. */
static void test_bytes_by_hand(void **state)
{
    (void)state;
    wac_config config;
    double policy = 8, critic = 7;
    assert_ok(wac_config_init(&config, "point-1", "sac", &error));
    config.width = config.batch_size = 1;
    double passes = 4 * ((2 + 1) * policy + 3 * 2 * critic);
    double adam = 24 * (policy + 2 * critic) + 8 * 2 * critic;
    assert_true(wac_bench_bytes(&config, 1, 1) == passes + adam + 2 * 4 * (3 + 2 * 2));
    config.precision = WAC_PRECISION_MIXED;
    passes -= 2 * (3 + 3 * 2);
    adam += 2 * (1 + 2 * 2);
    assert_true(wac_bench_bytes(&config, 1, 1) == passes + adam + 2 * 2 * (3 + 2 * 2));

    assert_ok(wac_config_init(&config, "point-1", "oe-wac", &error));
    config.width = config.batch_size = 1;
    config.rho = 2;
    passes = 4 * ((2 * 2 + 1) * policy + (3 * 4 + 2) * critic);
    adam = 24 * (2 * policy + 4 * critic) + 8 * 4 * critic;
    assert_true(wac_bench_bytes(&config, 1, 1) ==
                passes + adam + 2 * 4 * (2 * 3 + 2 * (4 + 2 * 2)));
}

static double number(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

/* What --json printed. */
static json_t *results_of(const outcome *result)
{
    assert_done(result);
    json_t *results = json_loads(result->out, JSON_REJECT_DUPLICATES, NULL);
    assert_true(json_is_object(results));
    return results;
}

static void keep(const char *name, const json_t *results)
{
    assert_int_equal(json_dump_file(results, at("%s", name), 0), 0);
}

static void test_json(void **state)
{
    (void)state;
    use_fake("1");
    json_t *results = results_of(wac("bench gpu --json " ONE));
    const json_t *gpu = json_object_get(results, "gpu"), *rates = json_object_get(results, "rates");
    const json_t *ceilings = json_object_get(results, "ceilings");
    assert_string_equal(json_string_value(json_object_get(gpu, "name")), "Fake GPU");
    assert_true(number(gpu, "gpus") == 1 && number(ceilings, "memory") == 4e12);
    double products = number(json_object_get(ceilings, "products"), "mixed");
    assert_true(products == 6e14);
    assert_int_equal(json_array_size(rates), 2);
    assert_int_equal(json_array_size(json_object_get(results, "cpu")), 0);
    assert_int_equal(json_array_size(json_object_get(results, "epochs")), 0);
    for (size_t i = 0; i < 2; i++) {
        const json_t *row = json_array_get(rates, i);
        const json_t *rate = json_object_get(row, "run_updates_per_second");
        double median = number(rate, "median"), floor = number(row, "floor_us");
        assert_true(number(row, "runs") == (i ? 2 : 4));
        assert_true(number(rate, "low") > 0 && number(rate, "low") <= median);
        assert_true(number(rate, "high") >= median);
        double share = median * number(row, "flops") / products;
        assert_true(fabs(number(row, "share_of_products") / share - 1) < 1e-4);
        share = median * number(row, "bytes") / 4e12;
        assert_true(fabs(number(row, "share_of_memory") / share - 1) < 1e-4);
        assert_true(fabs(floor / (1e6 * number(row, "bytes") / 4e12) - 1) < 1e-4);
        assert_int_equal(json_array_size(json_object_get(row, "kernels")), 3);
        assert_null(json_object_get(row, "peer"));
    }
    json_decref(results);
}

/* Tables are the same when measured and from the file; those of several files come together. */
static void test_from(void **state)
{
    (void)state;
    use_fake("1");
    json_t *results =
        results_of(wac("bench gpu --json --algorithm sac --precision mixed --runs 4"));
    char tables[16384], one[PATH_MAX];
    read_back(tables, sizeof tables, at(".err"));
    assert_non_null(strstr(tables, "\nsac        mixed          4 "));
    assert_non_null(strstr(tables, "    teach critics "));
    keep("one.json", results);
    snprintf(one, sizeof one, "%s", at("one.json"));
    const outcome *again = wac("bench gpu --from %s", one);
    assert_done(again);
    assert_string_equal(again->out, tables);
    json_t *both = results_of(wac("bench gpu --json --from %s,%s", one, one));
    assert_int_equal(json_array_size(json_object_get(both, "rates")), 2);
    json_decref(both);
    json_decref(results);
}

/* Results of cases that nobody measured. */
static json_t *invent(void)
{
    wac_engine_gpu gpu = {.name = "It's `a` GPU_1"};
    wac_gpu_limits limits = {1e12, {1e14, 1e14, 1e14}};
    wac_bench_gpu bench = {.width = 256, .batch = 256, .observations = 4, .actions = 2};
    wac_bench_peer peer = {.torch = "9.9", .way = "default"};
    json_t *results = wac_bench_results(&gpu, 1, &limits, &bench);
    for (int i = 0; i < 16; i++) {
        bench.algorithm = i / 8 ? WAC_ALGORITHM_OAC : WAC_ALGORITHM_SAC;
        bench.precision = i / 4 % 2 ? WAC_PRECISION_MIXED : WAC_PRECISION_SINGLE;
        bench.runs = 1 << (2 * (i % 4));
        wac_bench_rounds rate = {.median = 1000.0 * bench.runs};
        wac_bench_gpu_result result = {.rate = rate, .peer_rate = rate, .ratio.median = 1};
        bool compared = bench.precision == WAC_PRECISION_SINGLE;
        json_array_append_new(
            json_object_get(results, "rates"),
            wac_bench_rate_row(&bench, &result, &limits, compared ? &peer : NULL));
        json_array_append_new(json_object_get(results, "cpu"),
                              wac_bench_cpu_row(bench.algorithm, WAC_PRECISION_SINGLE, 1 + i % 2,
                                                &(wac_bench_rounds){.median = 80}));
    }
    return results;
}

static void test_figure(void **state)
{
    (void)state;
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    json_t *results = invent();
    keep("all.json", results);
    json_decref(results);
    const outcome *drawn = wac("bench gpu --from %s --figure %s", at("all.json"), at("gpu.svg"));
    assert_done(drawn);
    assert_non_null(strstr(drawn->out, "on processors, one run to each"));
    char *picture = contents(at("gpu.svg"), NULL);
    static const char *const words[] = {
        "Its a GPU1", "OAC", "SAC", "runs", ">mixed<", "single, PyTorch", "single, 2 processors"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(picture, words[i]));
    assert_null(strstr(picture, "mixed, PyTorch"));
    free(picture);
}

/* --- PyTorch ---------------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* It is ready in a mode of its own, does 1000 and more updates a second, and fails with two runs.
 */
static const char peer[] =
    "import json, sys\n"
    "runs = int([word for word in sys.argv if word.startswith('--runs=')][0][7:])\n"
    "assert '--precision=mixed' in sys.argv and '--algorithm=sac' in sys.argv\n"
    "assert '--mode=combined' in sys.argv and '--observations=4' in sys.argv\n"
    "if runs == 2:\n"
    "    sys.exit('no room for two')\n"
    "print('noise')\n"
    "print(json.dumps({'ready': 'default', 'torch': '9.9'}), flush=True)\n"
    "for i in range(9):\n"
    "    sys.stdin.readline()\n"
    "    print(json.dumps({'run_updates_per_second': 1000 + i}), flush=True)\n";

static void test_peer(void **state)
{
    (void)state;
    if (system("python3 --version >/dev/null 2>&1") != 0)
        skip();
    use_fake("1");
    write_file(at("torch_lockstep.py"), peer);
    setenv("WAC_PEERS", root, 1);
    write_file(at("torch.py"), "raise ImportError\n");
    setenv("PYTHONPATH", root, 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    const outcome *without = wac("bench gpu --peer combined --algorithm sac --precision mixed "
                                 "--runs 4");
    assert_done(without);
    assert_string_equal(without->err,
                        "wac: python3 has no PyTorch to compare with; install it (torch)\n");
    write_file(at("torch.py"), "");
    json_t *results = results_of(wac("bench gpu --json --peer combined " ONE));
    char said[16384];
    read_back(said, sizeof said, at(".err"));
    assert_non_null(strstr(said, "wac: PyTorch's updates have failed: no room for two\n"));
    const json_t *rates = json_object_get(results, "rates"), *row = json_array_get(rates, 0);
    const json_t *theirs = json_object_get(row, "peer");
    assert_null(json_object_get(json_array_get(rates, 1), "peer"));
    assert_string_equal(json_string_value(json_object_get(theirs, "torch")), "9.9");
    assert_string_equal(json_string_value(json_object_get(theirs, "way")), "default");
    double rate = number(json_object_get(theirs, "run_updates_per_second"), "median");
    double ratio = number(json_object_get(theirs, "ratio"), "median");
    double ours = number(json_object_get(row, "run_updates_per_second"), "median");
    assert_true(rate == 1004);
    assert_true(fabs(ratio / (ours / rate) - 1) < 0.01);
    json_decref(results);
    unsetenv("PYTHONPATH");
    setenv("WAC_PEERS", at("nowhere"), 1);
    assert_non_null(strstr(wac("bench gpu --peer eager " ONE)->err, "torch_lockstep.py"));
    unsetenv("WAC_PEERS");
}

/* --- whole epochs ----------------------------------------------------------------------------- */

static void test_epochs(void **state)
{
    (void)state;
    if (!WAC_MUJOCO)
        skip();
#ifdef WAC_EMULATED
    skip(); /* takes minutes */
#endif
    use_fake("2");
    setenv("TMPDIR", root, 1);
    json_t *results = results_of(
        wac("bench gpu --json --epochs 1 --seeds 1 --algorithm oe-wac,oac --precision tf32 "
            "--runs 1"));
    const json_t *row = json_array_get(json_object_get(results, "epochs"), 0);
    const json_t *groups = json_object_get(row, "groups"), *phases = json_object_get(row, "phases");
    assert_int_equal(json_array_size(groups), 2);
    assert_true(number(row, "runs") == 8 && number(row, "bare") > 0);
    double rate = number(row, "run_updates_per_second");
    assert_true(rate > 0 && fabs(rate / number(row, "bare") / number(row, "share") - 1) < 1e-4);
    assert_true(number(row, "busy") > 0);
    assert_true(number(phases, "explore") > 0 && number(phases, "evaluate") > 0);
    assert_true(number(phases, "log") > 0);
    for (size_t i = 0; i < 2; i++) {
        const json_t *group = json_array_get(groups, i), *value;
        const char *key;
        double sum = 0;
        assert_true(number(group, "runs") == 4);
        json_object_foreach(json_object_get(group, "parts"), key, value) sum +=
            json_number_value(value);
        assert_int_equal(json_object_size(json_object_get(group, "parts")), WAC_LOCKSTEP_PARTS);
        assert_true(fabs(sum / number(group, "seconds") - 1) < 0.05);
    }
    json_decref(results);
    /* the temporary folder is gone */
    assert_int_not_equal(system("ls -d $TMPDIR/wac-bench* >/dev/null 2>&1"), 0);
    unsetenv("TMPDIR");
}

/* --- refusals --------------------------------------------------------------------------------- */

static void test_bad_arguments(void **state)
{
    (void)state;
    use_fake("0");
    assert_says(wac("bench gpu"), 1, "finds no GPU to use: it is not even a fake one");
    assert_says(wac("bench gpu --runs 4,x"), 2, "whole numbers from 1 to 4096");
    assert_says(wac("bench gpu --runs 0"), 2, "whole numbers from 1 to 4096");
    assert_says(wac("bench gpu --runs 4,5,4"), 2, "has \"4\" twice");
    assert_says(wac("bench gpu --runs ,"), 2, "--runs is empty");
    assert_says(wac("bench gpu --algorithm sac,dqn"), 2,
                "must be oe-wac, me-wac, sac, oac, redq, sunrise, maxinfosac, sac-rnd, top, "
                "bro or simba");
    assert_says(wac("bench gpu --precision half"), 2, "must be single, mixed or tf32");
    assert_says(wac("bench gpu --peer tensorflow"), 2, "--peer must be fastest");
    assert_says(wac("bench gpu --seeds 2"), 2, "give both");
    assert_says(wac("bench gpu --epochs 1 --seeds 17"), 2, "--seeds");
    assert_says(wac("bench gpu --figure gpu.gif"), 2, "must end in .png or .svg");
    assert_says(wac("bench gpu --env-size hopper"), 2, "must be point or halfcheetah");
    assert_says(wac("bench gpu --threads 1"), 2, "has no --threads");
    assert_says(wac("bench update --peer eager"), 2, "has no --peer");
    assert_says(wac("bench gpu --from x.json --runs 4"), 2, "leave --runs out");
    assert_int_equal(wac("bench gpu --from %s", at("missing.json"))->status, 1);
    write_file(at("bad.json"), "{\"gpu\": {}, \"rates\": [{}]}");
    assert_says(wac("bench gpu --from %s", at("bad.json")), 2, "does not hold what");
    write_file(at("bad.json"), "{");
    assert_says(wac("bench gpu --from %s", at("bad.json")), 2, "bad.json:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bytes_by_hand), TEST(test_json),   TEST(test_from),          TEST(test_figure),
        TEST(test_peer),          TEST(test_epochs), TEST(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
