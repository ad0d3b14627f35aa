/* Runs with other networks than two hidden layers, of every algorithm: all that can be done with a
 * run can be done with these. */
#include "export/export.h"
#include "rl/host/host.h"
#include "run/maps.h"
#include "run/run.h"
#include "support/stopping.h"

static wac_config residual(const char *environment, const char *algorithm, wac_network network,
                           int64_t epochs)
{
    wac_config config = tiny(environment, algorithm, epochs);
    config.network = (int)network;
    config.policy_width = 12;
    config.policy_blocks = 2;
    config.blocks = 1;
    config.weight_decay = 0.05;
    return config;
}

/* at another number of threads, too */
static void stopping_anywhere_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = residual("lqg", algorithms[i], (wac_network)(1 + i % 2), 3);
        if (i % 2)
            config.update_interval = 7;
        config.normalisation = i % 3 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
        wac_run_options options = stop_after(-1, 1);
        assert_ok(train_new(at("whole"), &config, &options));
        for (long stop_at = 5, reports = watch.reports; stop_at < reports; stop_at += 41) {
            options = stop_after(stop_at, 2);
            assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
            assert_ok(train_on(at("parts"), "lqg", NULL, 0));
            assert_same_runs(at("whole"), at("parts"));
            remove_folder(at("parts"));
        }
        remove_folder(at("whole"));
    }
}

/* Values and maps, episodes, and an agent that loads what another saved. */
static void runs_are_of_use(void **state)
{
    (void)state;
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = residual("riverswim", algorithms[i], (wac_network)(2 - i % 2), 2);
        wac_run_options options = wac_run_options_default();
        wac_run *run;
        options.maps = true;
        assert_ok(train_new(at("run"), &config, &options));
        assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
        static wac_map own;
        wac_map_fill(&own, run);
        for (int cell = 0; cell < 400; cell += 37) {
            double place = 25 * (cell / 20 + 0.5) / 20, push = -1 + (cell % 20 + 0.5) / 10, mean;
            wac_run_value(run, &place, &push, &mean, NULL);
            assert_true(fabs(mean - (double)own.mean[cell]) < 1e-5 * (1 + fabs(mean)));
        }
        wac_evaluation evaluation;
        assert_ok(wac_run_evaluate(&evaluation, run, WAC_POLICY_TARGET, false, 2, 1, &error));
        assert_true(evaluation.episodes == 2 && isfinite(evaluation.mean_return));
        wac_agent *agent = wac_run_agent(run), *other;
        assert_ok(wac_directory_make(at("agent"), &error));
        assert_ok(wac_agent_save(agent, at("agent"), &error));
        assert_ok(wac_agent_create(&other, &config, 1, 1, 2, -1, &error));
        assert_ok(wac_agent_load(other, at("agent"), &error));
        for (int k = 0; k < 3; k++)
            (void)learn_alike(agent, other);
        wac_agent_destroy(other);
        wac_run_destroy(run);
        remove_folder(at("run"));
        remove_folder(at("agent"));
    }
}

/* Another kind of network, or another size of it, is neither loaded nor begun with. */
static void kinds_are_told_apart(void **state)
{
    (void)state;
    const wac_config source = residual("lqg", "sac", WAC_NETWORK_SIMBA, 1);
    wac_run_options options = wac_run_options_default();
    assert_ok(train_new(at("source"), &source, NULL));
    options.from = at("source");
    wac_config others[6] = {tiny("lqg", "sac", 1), source, source, source, source, source};
    others[1].policy_width = 13;
    others[2].blocks = 2;
    others[3].policy_blocks = 1;
    others[4].width++;
    others[5].network = WAC_NETWORK_BRONET;
    static const char *const ways[][2] = {
        {"its network is another; add --network simba", "does not say its network"},
        {"its policy_width is 12, not 13; add --policy-width 12", "with policy_width 12"},
        {"its blocks is 1, not 2; add --blocks 1", "with blocks 1"},
        {"its policy_blocks is 2, not 1; add --policy-blocks 2", "with policy_blocks 2"},
        {"its width is 16, not 17; add --width 16", "with width 16"},
        {"its network is another; add --network simba", "with network simba"},
    };
    for (int i = 0; i < 6; i++) {
        wac_run *run;
        wac_agent *agent;
        assert_int_equal(wac_run_create(&run, &others[i], NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with", ways[i][0]);
        if (i == 0)
            assert_ok(train_new(at("plain"), &others[0], NULL));
        /* a plain agent looks for what is not there; a residual one finds other labels */
        assert_ok(wac_agent_create(&agent, i ? &others[i] : &source, 1, 1, 1, -1, &error));
        assert_int_equal(
            wac_agent_load(agent, i ? at("source/checkpoint") : at("plain/checkpoint"), &error),
            WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "agent.safetensors", ways[i][1]);
        wac_agent_destroy(agent);
    }
    wac_agent *agent;
    assert_ok(wac_agent_create(&agent, &others[0], 1, 1, 1, -1, &error));
    assert_int_equal(wac_agent_load(agent, at("source/checkpoint"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "agent.safetensors has no tensor", "policy/hidden0");
    wac_agent_destroy(agent);
    wac_config config = source;
    config.seed = 9;
    assert_ok(train_new(at("new"), &config, &options));
}

static wac_config plain(const char *algorithm, int64_t layers)
{
    wac_config config = tiny("lqg", algorithm, 1);
    config.layers = layers;
    return config;
}

static void depths_are_told_apart(void **state)
{
    (void)state;
    const wac_config configs[2] = {plain("sac", 2), plain("sac", 3)};
    const char *const folders[2] = {"two", "three"};
    for (int i = 0; i < 2; i++)
        assert_ok(train_new(at("%s", folders[i]), &configs[i], NULL));
    for (int i = 0; i < 2; i++) {
        wac_run *run;
        wac_agent *agent;
        wac_run_options options = wac_run_options_default();
        options.from = at("%s", folders[i]);
        assert_int_equal(wac_run_create(&run, &configs[1 - i], NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with",
                       i ? "its layers is 3, not 2; add --layers 3"
                         : "its layers is 2, not 3; add --layers 2");
        assert_ok(wac_agent_create(&agent, &configs[1 - i], 1, 1, 1, -1, &error));
        assert_int_equal(
            wac_agent_load(agent, at(i ? "three/checkpoint" : "two/checkpoint"), &error),
            WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "agent.safetensors",
                       i ? "with layers 3" : "with layers 2");
        wac_agent_destroy(agent);
    }
}

/* In every form, with critics and without; with weights of 8 bits, too. */
static void exports(void **state)
{
    (void)state;
    static const wac_export_form forms[] = {WAC_EXPORT_FORM_C, WAC_EXPORT_FORM_ONNX,
                                            WAC_EXPORT_FORM_SAFETENSORS, WAC_EXPORT_FORM_C};
    wac_config configs[] = {residual("lqg", "sac", WAC_NETWORK_SIMBA, 2),
                            residual("lqg", "oe-wac", WAC_NETWORK_BRONET, 2),
                            residual("lqg", "redq", WAC_NETWORK_SIMBA, 2),
                            plain("sac", 1),
                            plain("oe-wac", 3),
                            plain("redq", 4)};
    configs[0].policy_width = 16; /* as wide as the critics */
    for (int i = 0; i < 6; i++) {
        wac_config config = configs[i];
        wac_run *run;
        config.blocks = 1 + i % 3;
        config.critics = 3;
        assert_ok(train_new(at("run"), &config, NULL));
        assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
        const wac_desk *desk = wac_host_desk(run->agent, 0);
        wac_rng rng = wac_rng_make(7, WAC_STREAM_INIT);
        for (int m = 0; m < desk->policies.members; m++) {
            wac_stack_randomise(&desk->policies, m, false, 0.2, &rng);
            for (int l = 0; l < wac_shape_head(&desk->policies.shape); l++) {
                wac_layer layer = wac_stack_layer(&desk->policies, desk->policies.params, m, l);
                for (int o = 0; o < layer.outputs; o++) /* no scale or shift does nothing */
                    layer.bias[o] = 0.1f * (float)(o % 7),
                    layer.weight[o] *= 1 + 0.1f * (float)(o % 5);
            }
        }
        for (int critics = 0; critics < 2; critics++)
            for (int f = 0; f < 4; f++) {
                wac_export_report report;
                const wac_export_options options = {.form = forms[f],
                                                    .path = at("policy.h"),
                                                    .critics = critics,
                                                    .int8 = f == 3,
                                                    .evaluate = true,
                                                    .episodes = 2};
                assert_ok(wac_export(&report, run, &options, &error));
                assert_true(report.difference.largest < 1e-5);
                assert_true(f == 3 || !critics || report.value_difference < 1e-5);
                assert_true(f % 3 || report.compiled);
                double off = fabs(report.exported.mean_return - report.library.mean_return);
                assert_true(off <= (f == 3 ? 0.1 : 1e-3) * fabs(report.library.mean_return));
                assert_int_equal(unlink(at("policy.h")), 0);
            }
        wac_run_destroy(run);
        remove_folder(at("run"));
    }
}

static int make_residual_root(void **state)
{
    (void)state;
    return make_root(quick_disk(), "residual");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stopping_anywhere_changes_nothing, make_residual_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(runs_are_of_use, make_residual_root, remove_root),
        cmocka_unit_test_setup_teardown(kinds_are_told_apart, make_residual_root, remove_root),
        cmocka_unit_test_setup_teardown(depths_are_told_apart, make_residual_root, remove_root),
        cmocka_unit_test_setup_teardown(exports, make_residual_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
